package tvbox

import (
	"strings"
	"testing"

	"xship/sources"
)

func TestShort(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"", ""},
		{strings.Repeat("a", 200), strings.Repeat("a", 200)},
		{strings.Repeat("长", 200), strings.Repeat("长", 200)},
		{strings.Repeat("长", 201), strings.Repeat("长", 199) + "…"},
		{strings.Repeat("a", 198) + " " + strings.Repeat("b", 1<<20), strings.Repeat("a", 198) + "…"},
		{strings.Repeat("\U0001f600", 1<<18), strings.Repeat("\U0001f600", 199) + "…"},
	} {
		if got := short(tt.in); got != tt.want {
			t.Errorf("%.40s… of %d bytes: got %q", tt.in, len(tt.in), got)
		}
	}
}

// TestSourceLong bounds what a site puts beside a name.
func TestSourceLong(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	l := Link{Item: Item{Label: long, Number: 1}, row: (&Row{Name: "Alpha", Remarks: Text("y" + long)}).words(), group: long, kind: sources.KindMovie}
	src := l.Source("http://h.example/a.mp4", long, "")
	if len(src.Name) > 1000 || len(src.Label) > 1000 {
		t.Errorf("name of %d and label of %d bytes", len(src.Name), len(src.Label))
	}
}
