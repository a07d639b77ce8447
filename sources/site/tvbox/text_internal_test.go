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

// TestClean takes off what servers escape, as often as it was passed on.
func TestClean(t *testing.T) {
	for in, want := range map[Text]string{
		"Tom & Jerry":              "Tom & Jerry",
		"Tom &amp; Jerry":          "Tom & Jerry",
		"Tom &amp;amp;amp; Jerry":  "Tom & Jerry",
		"流浪&amp;amp;nbsp;地球&nbsp;": "流浪 地球",
		"&lt;3":                    "<3",
		"<em>庆余年</em>第二季":          "庆余年第二季",
		"&lt;font color=red&gt;庆余年&lt;/font&gt;": "庆余年",
		"R&D":                                "R&D",
		"&amp;amp;amp;amp;amp;amp;amp;amp;x": "&amp;amp;amp;x", // bounded
	} {
		if got := in.Clean(); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
