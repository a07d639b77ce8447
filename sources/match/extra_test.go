package match_test

import (
	"strings"
	"testing"
	"unicode"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

// TestExtraWords: each word of extras makes a label that of no episode, and none of them
// hides a series that is named by it.
func TestExtraWords(t *testing.T) {
	words := match.ExtraWords()
	if len(words) < 150 {
		t.Fatalf("only %d words", len(words))
	}
	for _, word := range words {
		spellings := []string{word.Text, text.Traditional(word.Text), strings.ToUpper(word.Text)}
		for _, spelling := range spellings {
			checkExtraLabels(t, word, spelling)
			for _, name := range []string{spelling, "Some " + spelling, "某某" + spelling, spelling + "某某"} {
				checkNamedByExtra(t, name)
			}
		}
	}
}

// checkExtraLabels checks labels that have the word, in a spelling, beside their number.
func checkExtraLabels(t *testing.T, word match.ExtraWord, spelling string) {
	t.Helper()
	var labels []string
	first, _ := firstRune(spelling)
	if text.IsWide(first) {
		labels = append(labels, "第1期"+spelling, "01集"+spelling)
	}
	if word.Before {
		labels = append(labels, spelling+" 第1集", spelling+" EP01", spelling+" - S01E01", "["+spelling+"] 第1集", spelling+" 第1集 国语")
		if text.IsWide(first) {
			labels = append(labels, spelling+"第1期", "某某"+spelling+"第1期")
		}
	}
	if word.Apart {
		labels = append(labels, "第1集 "+spelling, "第1集("+spelling+")", "EP01 "+spelling, "S01E01."+spelling+".1080p.mkv", "Show S01E01 - "+spelling+" 2")
	}
	for _, label := range labels {
		if strings.HasPrefix(label, "某某") && !word.Apart {
			continue
		}
		if r, ok := match.ParseEpisode(label); ok {
			t.Errorf("%q is %+v", label, r)
		}
	}
}

func firstRune(s string) (r rune, ok bool) {
	for _, r := range s {
		return r, true
	}
	return 0, false
}

// checkNamedByExtra checks the rows and labels of a series of the name.
func checkNamedByExtra(t *testing.T, name string) {
	t.Helper()
	title := sources.Title{Kind: sources.KindEpisode, Name: name, Season: 1, Episode: 3}
	m := match.For(title)
	rows := []string{name + " 第3集", name + " S01E03", name + " EP03 国语", "《" + name + "》第3集"}
	if last := []rune(name); text.IsWide(last[len(last)-1]) {
		rows = append(rows, name+"第3集")
	}
	for _, row := range rows {
		base, r, ok := match.SplitEpisode(row)
		if fit := m.Title(match.Candidate{Names: []string{base}}); !ok || r.First != 3 || fit != match.Exact || m.ItemSeason(base) != -1 {
			t.Errorf("row %q is %q, %+v, %v: fit %v, season %d", row, base, r, ok, fit, m.ItemSeason(base))
		}
		if !match.Episode(title, row, match.Item{Season: -1}) {
			t.Errorf("label %q is not episode 3 of %q", row, name)
		}
	}
	for _, label := range []string{name + " - 03", "[Grp] " + name + " - 03 [720p].mkv", "[Grp][" + name + "][03][1080P].mkv", "第3集 " + name, "第3集《" + name + "》", "S01E03 - " + name, "03 " + name, name + " 第二季 第3集"} {
		of := title
		if strings.Contains(label, "季") {
			of.Season = 2
		}
		if !match.Episode(of, label, match.Item{Season: -1}) {
			t.Errorf("label %q is not episode 3 of %q", label, name)
		}
	}
	other := sources.Title{Kind: sources.KindEpisode, Name: "Some", Aliases: []string{"某某"}, Season: 1, Episode: 3}
	if base, _, ok := match.SplitEpisode(name + " 第3集"); ok && match.Title(other, match.Candidate{Names: []string{base}}) != match.None {
		t.Errorf("a row of %q fits %q", name, "某某")
	}
}

// TestExtraWords_quickLook: the quick look misses no word in whatever characters.
func TestExtraWords_quickLook(t *testing.T) {
	firsts, seconds := make(map[rune][]string), make(map[rune][]string)
	for _, word := range match.SimplifiedExtras() {
		if runes := []rune(word); unicode.Is(unicode.Han, runes[0]) {
			firsts[runes[0]] = append(firsts[runes[0]], word)
			seconds[runes[1]] = append(seconds[runes[1]], word)
		}
	}
	for r := rune(0x3400); r < 0xa000; r++ {
		simple, _ := firstRune(text.Simplified(string(r)))
		var spelled []string
		for _, word := range firsts[simple] {
			spelled = append(spelled, string(r)+strings.TrimPrefix(word, string(simple)))
		}
		for _, word := range seconds[simple] {
			spelled = append(spelled, strings.Replace(word, string(simple), string(r), 1))
		}
		for _, word := range spelled {
			if !match.MayHoldExtra(word) {
				t.Errorf("%q is not looked for", word)
			}
		}
	}
}

// TestExtraWords_rows: a row that has a word of extras beside the title, in brackets or
// not, is none of the title.
func TestExtraWords_rows(t *testing.T) {
	title := sources.Title{Kind: sources.KindEpisode, Name: "某剧", Season: 1, Episode: 3, Aliases: []string{"Show"}}
	for _, word := range match.ExtraWords() {
		for _, format := range []string{
			"某剧%s 第3集", "某剧 %s 第3集", "某剧（%s）第3集", "某剧【%s】第3集", "某剧「%s」第3集", "某剧《%s》第3集", "某剧{%s}第3集", "某剧〔%s〕第3集", "某剧（%s） 第一季 第3集",
			"【%s】某剧 第3集", "[%s] Show S01E03", "Show [%s] [720p] S01E03", "Show (%s) (2020) S01E03", "Show - %s S01E03", "%s: Show S01E03", "某剧 第3集 %s",
		} {
			row := strings.ReplaceAll(format, "%s", word.Text)
			base, _, ok := match.SplitEpisode(row)
			if ok && match.Title(title, match.Candidate{Names: []string{base}}) != match.None && match.For(title).ItemSeason(base) != 0 {
				t.Errorf("row %q is of %q", row, base)
			}
		}
	}
}
