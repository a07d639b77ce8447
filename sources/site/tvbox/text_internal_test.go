package tvbox

import (
	"strings"
	"testing"

	"xship/sources"
)

// TestSourceLong bounds what a site puts beside a name.
func TestSourceLong(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	l := Link{Item: Item{Label: long, Number: 1}, row: (&Row{Name: "Alpha", Remarks: Text("y" + long)}).words(), group: long, kind: sources.KindMovie}
	src := l.Source("http://h.example/a.mp4", long, "")
	if len(src.Name) > 1000 || len(src.Label) > 1000 {
		t.Errorf("name of %d and label of %d bytes", len(src.Name), len(src.Label))
	}
}
