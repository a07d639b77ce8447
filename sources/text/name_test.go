package text_test

import (
	"strings"
	"testing"
	"unicode"

	"xship/sources/text"
)

func TestNormalizeName(t *testing.T) {
	tests := []struct{ in, want string }{
		{"", ""},
		{"  ...!  ", ""},
		{"Big Buck Bunny", "bigbuckbunny"},
		{"Fast &amp; Furious", "fastandfurious"},
		{"Fast & Furious", "fastandfurious"},
		{"Fast and Furious", "fastandfurious"},
		{"Am&eacute;lie", "amelie"},
		{"Amélie", "amelie"},
		{"Ame\u0301lie", "amelie"},
		{"Straße", "strasse"},
		{"Søren Ægir", "sorenaegir"},
		{"Ёлки", "елки"},
		{"ＦＵＬＬ　ｗｉｄｔｈ", "fullwidth"},
		{"Alien³", "alien3"},
		{"Don't Look Up", "dontlookup"},
		{"Don’t Look Up", "dontlookup"},
		{"Rocky II", "rocky2"},
		{"rocky ii", "rocky2"},
		{"Rocky Ⅱ", "rocky2"},
		{"Star Trek V: The Final Frontier", "startrek5thefinalfrontier"},
		{"Saw X", "saw10"},
		{"Final Fantasy XIX", "finalfantasy19"},
		{"Final Fantasy XX", "finalfantasy20"},
		{"Final Fantasy XXI", "finalfantasyxxi"},
		{"Final Fantasy IIX", "finalfantasyiix"},
		{"X-Men", "xmen"},
		{"V for Vendetta", "vforvendetta"},
		{"I, Robot", "irobot"},
		{"The King and I", "thekingandi"},
		{"流浪地球II", "流浪地球2"},
		{"流浪地球 2", "流浪地球2"},
		{"流浪地球：飞跃2020特别版", "流浪地球飞跃2020特别版"},
		{"《大闹天宫》", "大闹天宫"},
		{"Movie (2008)", "movie"},
		{"Movie [1080p] (German)", "movie"},
		{"Movie （国语）", "movie"},
		{"电影【蓝光】", "电影"},
		{"Movie (unclosed", "movieunclosed"},
		{"Movie closed)", "movieclosed"},
		{"A (b (c) d) e", "ae"},
		{"(500) Days of Summer", "500daysofsummer"},
		{"[REC]", "rec"},
		{"[REC]²", "rec2"},
		{"Kill Bill (Vol. 2)", "killbillvol2"},
		{"Movie (II)", "movie2"},
		{"Movie (2)", "movie2"},
		{"某剧（第二季）", "某剧第二季"},
		{"Movie (Trailer)", "movietrailer"},
		{"1917", "1917"},
		{"  2012  ", "2012"},
		{"ゴジラ", "コ\u3099シ\u3099ラ"},
		{"기생충", "기생충"},
	}
	for _, tt := range tests {
		// Keys of Hangul and kana are decomposed; NormalizeName of the wanted
		// text brings both to one form.
		got, want := text.NormalizeName(tt.in), tt.want
		if !isLatinOrHan(want) {
			want = text.NormalizeName(want)
		}
		if got != want {
			t.Errorf("NormalizeName(%q) = %q, want %q", tt.in, got, want)
		}
	}
}

func isLatinOrHan(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.In(r, unicode.Latin, unicode.Han, unicode.Nd) }) < 0
}

// What is in brackets is another work where it is a trailer or a season, by whatever
// word.
func TestSetsApart(t *testing.T) {
	for _, word := range text.TrailerWords() {
		if !text.SetsApart(word) || !text.SetsApart(strings.ToUpper(word)+" 2") {
			t.Errorf("%q does not set apart", word)
		}
	}
	for _, word := range text.SeasonWords() {
		if !text.SetsApart(word + " 2") {
			t.Errorf("%q does not set apart", word)
		}
	}
	for _, content := range []string{"", "1080p", "German", "国语", "2008", "Seasons", "Partly"} {
		if text.SetsApart(content) {
			t.Errorf("%q sets apart", content)
		}
	}
}

func TestNormalizeNameKeepsKana(t *testing.T) {
	if text.NormalizeName("が") == text.NormalizeName("か") {
		t.Error("the voiced and the unvoiced kana have one key, want two")
	}
}

func TestNormalizeNameIsStableForEveryCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		for _, s := range []string{string(r), "a" + string(r) + "b"} {
			key := text.NormalizeName(s)
			if again := text.NormalizeName(key); again != key {
				t.Errorf("%U in %q: key %q has the key %q", r, s, key, again)
			}
		}
	}
}

func FuzzNormalizeName(f *testing.F) {
	for _, s := range []string{"", "Rocky II", "流浪地球II (2019)", "A (b [c) d]", "球 I.I", "&amp;amp;", "[REC]²", "क़-\u0327\u0323x", "x\u034f\u0327\u093c", "((((((((((a))))))))))", "\xf5ǡ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		key := text.NormalizeName(s)
		if again := text.NormalizeName(key); again != key {
			t.Errorf("NormalizeName(%q) = %q, whose own key is %q", s, key, again)
		}
		if i := strings.IndexFunc(key, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }); i >= 0 {
			t.Errorf("NormalizeName(%q) = %q has white space or a control character", s, key)
		}
	})
}

func BenchmarkNormalizeName(b *testing.B) {
	for _, bm := range []struct{ name, in string }{
		{"ascii", "The Lord of the Rings: The Fellowship of the Ring (2001)"},
		{"han", "流浪地球2 The Wandering Earth II（国语）"},
		{"accents", "Le Fabuleux Destin d'Amélie Poulain"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				text.NormalizeName(bm.in)
			}
		})
	}
}
