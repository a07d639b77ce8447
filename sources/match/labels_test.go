package match_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/match"
)

// label is a line of testdata/labels.txt.
type label struct{ kind, text, want string }

func readLabels(tb testing.TB) []label {
	tb.Helper()
	data, err := os.ReadFile("testdata/labels.txt")
	if err != nil {
		tb.Fatal(err)
	}
	var all []label
	kind := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSuffix(line, "\n")
		switch text, want, ok := strings.Cut(line, "\t"); {
		case strings.HasPrefix(line, "## "):
			kind = line[len("## "):]
		case ok:
			all = append(all, label{kind, text, want})
		}
	}
	return all
}

// describe writes a reading as testdata/labels.txt does.
func describe(r match.EpisodeRange, kind match.LabelKind) string {
	switch kind {
	case match.LabelPlain:
		return "-"
	case match.LabelIrregular:
		return "x"
	case match.LabelEpisode:
	}
	s := fmt.Sprintf("E%d", r.First)
	if r.Season >= 0 {
		s = fmt.Sprintf("S%d", r.Season) + s
	}
	if r.Last != r.First {
		s += fmt.Sprintf("-%d", r.Last)
	}
	return s
}

// TestLabels reads a table of labels, by kind.
func TestLabels(t *testing.T) {
	labels := readLabels(t)
	if len(labels) < 400 {
		t.Fatalf("only %d labels", len(labels))
	}
	for _, l := range labels {
		if got := describe(match.ReadLabel(l.text)); got != l.want {
			t.Errorf("%s: %q is %s, want %s", l.kind, l.text, got, l.want)
		}
	}
}

// TestLabelsOfASeries reads labels that start with the name of their series.
func TestLabelsOfASeries(t *testing.T) {
	for text, want := range map[string]string{
		"庆余年12": "E12", "庆余年 12": "E12", "庆余年-12": "E12", "庆余年_12": "E12", "庆余年：12": "E12", "[庆余年]12": "E12", "《庆余年》12": "E12", "庆余年[12]": "E12",
		"庆余年12.mp4": "E12", "庆余年12集": "E12", "庆余年 12 大结局": "E12", "庆余年S2 01": "S2E1", "庆余年第2部01": "S2E1", "庆余年第二季 12": "S2E12", "庆余年.12.1080p.mp4": "E12",
		"庆余年2": "-", "庆余年 5": "-", "庆余年2-01": "-", "庆余年2024": "-", "庆余年1080P": "-", "庆余年12.5": "-", "庆余年12集全": "x", "庆余年番外第1集": "x", "其他剧12": "-",
		"庆余年2第12集": "S2E12", "庆余年 2 第12集": "S2E12", "庆余年Ⅱ 第12集": "S2E12", "庆余年2集": "E2", "庆余年第2集": "E2", "庆余年1第12集": "E12", "Show 2 E05": "S2E5", "Show II EP05": "S2E5", "Show I EP05": "E5",
		"Show 12": "E12", "Show.12.mkv": "E12", "Shows 12": "-", "Show12": "E12", "Show 2": "-",
	} {
		if got := describe(match.ReadLabel(text, "庆余年", "Show")); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// TestNumbersOfNames: a number before the mark is that of a season unless the name of the
// series has it.
func TestNumbersOfNames(t *testing.T) {
	for _, name := range []string{"Ocean's 11", "Book Two", "二十二", "第二次世界大战", "Show II", "2 Broke Girls", "7 Tage"} {
		for _, label := range []string{"%s E05", "%s Episode 5", "%s 第05集", "[Grp] %s - 05 [720p]", "[Grp] %s E05"} {
			label = fmt.Sprintf(label, name)
			if got := describe(match.ReadLabel(label, name)); got != "E5" {
				t.Errorf("%q of %q is %s", label, name, got)
			}
			if got := describe(match.ReadLabel(strings.Replace(label, name, name+" Cour 3", 1), name)); got != "x" && got != "-" {
				t.Errorf("%q of another cour of %q is %s", label, name, got)
			}
		}
	}
}

// numbersNear are the numbers that s could be taken to name, and the first few.
func numbersNear(s string) []int {
	var all []int
	for n := range 30 {
		all = append(all, n)
	}
	for _, digits := range regexp.MustCompile("[0-9]+").FindAllString(s, -1) {
		for at := range digits { // also what is cut out of a longer number
			for end := at + 1; end <= min(len(digits), at+4); end++ {
				n, err := strconv.Atoi(digits[at:end])
				if err == nil {
					all = append(all, n, n+1)
				}
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestLabelNamesOneEpisode: no label matches two episodes unless it names a run of
// them, and none does of two seasons.
func TestLabelNamesOneEpisode(t *testing.T) {
	for _, l := range readLabels(t) {
		r, ok := match.ParseEpisode(l.text)
		var matched []string
		for season := range 4 {
			for _, episode := range numbersNear(l.text) {
				title := sources.Title{Kind: sources.KindEpisode, Name: "Show", Season: season, Episode: episode}
				if match.Episode(title, l.text, match.Item{Season: -1}) {
					matched = append(matched, fmt.Sprintf("S%dE%d", season, episode))
				}
			}
		}
		if len(matched) > 1 && (!ok || len(matched) != r.Last-r.First+1 || !strings.Contains(l.want, "-")) {
			t.Errorf("%q matches %s", l.text, matched)
		}
	}
}
