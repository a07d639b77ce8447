package sources_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"xship/sources"
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
		got, want := sources.NormalizeName(tt.in), tt.want
		if !isLatinOrHan(want) {
			want = sources.NormalizeName(want)
		}
		if got != want {
			t.Errorf("NormalizeName(%q) = %q, want %q", tt.in, got, want)
		}
	}
}

func isLatinOrHan(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return !unicode.In(r, unicode.Latin, unicode.Han, unicode.Nd) }) < 0
}

func TestNormalizeNameKeepsKana(t *testing.T) {
	if sources.NormalizeName("が") == sources.NormalizeName("か") {
		t.Error("the voiced and the unvoiced kana have one key, want two")
	}
}

func TestNormalizeNameIsStableForEveryCharacter(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		for _, s := range []string{string(r), "a" + string(r) + "b"} {
			key := sources.NormalizeName(s)
			if again := sources.NormalizeName(key); again != key {
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
		key := sources.NormalizeName(s)
		if again := sources.NormalizeName(key); again != key {
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
				sources.NormalizeName(bm.in)
			}
		})
	}
}

func TestCleanText(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "Big Buck Bunny", "Big Buck Bunny"},
		{"empty", "", ""},
		{"only space", " \t\n ", ""},
		{"space", "  a \t b\r\nc\u3000d\u2028e\u0085f  ", "a b c d e f"},
		{"controls", "a\x00b\x07c\x7fd", "abcd"},
		{"colour", "\x1b[31mred\x1b[0m", "red"},
		{"colour with colons", "\x1b[38:2:1:2:3mred", "red"},
		{"cursor and clear", "a\x1b[2J\x1b[1;1Hb", "ab"},
		{"title by BEL", "a\x1b]0;evil\x07b", "ab"},
		{"title by ST", "a\x1b]0;evil\x1b\\b", "ab"},
		{"link", "\x1b]8;;http://h/\x1b\\text\x1b]8;;\x1b\\", "text"},
		{"open string", "a\x1b]0;not ended", "a0;not ended"},
		{"string broken off", "a\x1b]0;x\x1b[31my", "a0;xy"},
		{"device control", "a\x1bPq#0\x1b\\b", "ab"},
		{"8-bit CSI", "a\u009b31mb", "ab"},
		{"8-bit OSC", "a\u009d0;evil\u009cb", "ab"},
		{"raw 8-bit CSI", "a\x9b31mb", "a\uFFFD31mb"},
		{"charset", "a\x1b(Bb", "ab"},
		{"reset", "a\x1bcb", "ab"},
		{"lone escape", "a\x1b", "a"},
		{"two escapes", "a\x1b\x1b[31mb", "ab"},
		{"bidi override", "a\u202egpj.b\u202c", "agpj.b"},
		{"bidi isolate", "a\u2066b\u2069c\u200ed\u061ce", "abcde"},
		{"zero width", "a\u200bb\ufeffc\u2060d\u00ade", "abcde"},
		{"joiner in Latin", "a\u200db\u200cc", "abc"},
		{"joiner in Persian", "می\u200cخواهم", "می\u200cخواهم"},
		{"joiner at the end", "می\u200c", "می"},
		{"tags", "a\U000E0041b", "ab"},
		{"invalid", "a\xffb\xc3", "a\uFFFDb\uFFFD"},
		{"umlauts", "Über  Größe", "Über Größe"},
		{"Chinese", "流浪地球\u3000国语", "流浪地球 国语"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := sources.CleanText(tt.in); got != tt.want {
				t.Errorf("CleanText(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzCleanText(f *testing.F) {
	for _, s := range []string{"plain", "\x1b]0;t\x07x", "\x1b\x1b]\u009d\u009c\x1b\\", "a\u200d\u200d b", "\xc2\x1b[0m\x85", " \u202e \x00 ", "\x1b]\x1b]\x1b]a"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := sources.CleanText(s)
		if again := sources.CleanText(got); again != got {
			t.Errorf("CleanText(%q) = %q, cleaned again %q", s, got, again)
		}
		if !utf8.ValidString(got) {
			t.Errorf("CleanText(%q) = %q is no valid UTF-8", s, got)
		}
		if strings.IndexFunc(got, unicode.IsControl) >= 0 || strings.ContainsAny(got, "\u202a\u202b\u202d\u202e\u2066\u2067\u2068") {
			t.Errorf("CleanText(%q) = %q still holds control characters", s, got)
		}
		if strings.TrimSpace(got) != got || strings.Contains(got, "  ") {
			t.Errorf("CleanText(%q) = %q still holds idle space", s, got)
		}
	})
}
