package tvbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

func TestCandidateNames(t *testing.T) {
	tests := []struct {
		name, sub string
		want      []string
	}{
		{"影片", "", []string{"影片"}},
		{"精英部队/精锐部队", "", []string{"精英部队/精锐部队", "精英部队", "精锐部队"}},
		{"出租车司机/的士司机", "", []string{"出租车司机/的士司机", "出租车司机", "的士司机"}},
		{"影片／Film", "", []string{"影片／Film", "影片", "Film"}},
		{"甲、乙", "", []string{"甲、乙", "甲", "乙"}},
		{"Film / Le Film", "", []string{"Film / Le Film", "Film", "Le Film"}},
		{"Fate/stay night", "", []string{"Fate/stay night"}},
		{"Face/Off", "", []string{"Face/Off"}},
		{"Crouching Tiger, Hidden Dragon", "", []string{"Crouching Tiger, Hidden Dragon"}},
		{"你好再见，妈妈！", "", []string{"你好再见，妈妈！"}},

		{"影片", "你好再见，妈妈！", []string{"影片", "你好再见，妈妈！"}},
		{"影片", "流浪地球，太空电梯", []string{"影片", "流浪地球，太空电梯", "流浪地球", "太空电梯"}},
		{"影片", "The Film, Le Film", []string{"影片", "The Film, Le Film", "The Film", "Le Film"}},
		{"影片", "别名,片名", []string{"影片", "别名,片名"}},
		{"影片", "别名/Film/片名", []string{"影片", "别名/Film/片名", "别名", "Film", "片名"}},
		{"影片", "The Film/Le Film", []string{"影片", "The Film/Le Film", "The Film", "Le Film"}},
		{"影片", "Face/Off", []string{"影片", "Face/Off"}},
		{"影片", "别名；片名、又名", []string{"影片", "别名；片名、又名", "别名", "片名", "又名"}},
		{"影片", "/别名/", []string{"影片", "/别名/", "别名"}},
	}
	for _, tt := range tests {
		r := Row{Name: Text(tt.name), Sub: Text(tt.sub)}
		if diff := cmp.Diff(tt.want, r.candidate(sources.KindMovie).Names); diff != "" {
			t.Errorf("%q with %q (-want +got):\n%s", tt.name, tt.sub, diff)
		}
	}
}

// TestCandidateOfAnEpisode: a row named like an episode has the name of its series too.
func TestCandidateOfAnEpisode(t *testing.T) {
	for name, want := range map[string][]string{
		"Serie 第2集":     {"Serie 第2集", "Serie"},
		"Serie [第2集]":   {"Serie [第2集]", "Serie"},
		"Serie S01E02":  {"Serie S01E02", "Serie"},
		"Serie 更新至12集":  {"Serie 更新至12集"},
		"Serie 第二季":     {"Serie 第二季"},
		"第2集":           {"第2集"},
		"Serie 第2集 某标题": {"Serie 第2集 某标题"},
	} {
		r := Row{Name: Text(name)}
		if diff := cmp.Diff(want, r.candidate(sources.KindEpisode).Names); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
		if got := r.candidate(sources.KindMovie).Names; len(got) != 1 {
			t.Errorf("%q is a film %q", name, got)
		}
	}
}

func FuzzCandidate(f *testing.F) {
	f.Add("精英部队/精锐部队", "别名，Film, Le Film")
	f.Add("Serie [第2集]", "/、；|,")
	f.Fuzz(func(t *testing.T, name, sub string) {
		r := Row{Name: Text(name), Sub: Text(sub)}
		names := r.candidate(sources.KindEpisode).Names
		if len(names) > maxNames+2 {
			t.Errorf("%d names", len(names))
		}
		for _, n := range names[1:] {
			if n == "" {
				t.Errorf("an empty name in %q", names)
			}
		}
	})
}

// TestSourceTrailer: a trailer is told by the category, and in films by the label, but
// not by the name of the title in it.
func TestSourceTrailer(t *testing.T) {
	for _, tt := range []struct {
		kind        sources.Kind
		label, typ  string
		wantTrailer bool
	}{
		{sources.KindEpisode, "预告犯 第3集", "国产剧", false},
		{sources.KindEpisode, "第3集", "预告片", true},
		{sources.KindMovie, "预告犯 HD", "动作片", false},
		{sources.KindMovie, "预告犯 预告片", "动作片", true},
		{sources.KindMovie, "HD", "预告片", true},
	} {
		r := Row{Name: "预告犯", TypeName: Text(tt.typ)}
		l := Link{Item: Item{Label: tt.label}, row: r.words(), kind: tt.kind}
		if got := l.Source("https://h.example/a.m3u8", "", "").Trailer; got != tt.wantTrailer {
			t.Errorf("%q of %s: trailer %v, want %v", tt.label, tt.typ, got, tt.wantTrailer)
		}
	}
}

// TestSourceRedacted has labels, remarks and groups hold secrets, which no list shows.
func TestSourceRedacted(t *testing.T) {
	for label, want := range map[string]string{
		"HD http://x.example/?token=hunter2": "Alpha HD http://x.example/?token=REDACTED sid=REDACTED · one pwd=REDACTED",
		"HD token=hunter2":                   "Alpha HD token=REDACTED sid=REDACTED · one pwd=REDACTED",
		"HD a=b":                             "Alpha HD a=b sid=REDACTED · one pwd=REDACTED",
	} {
		r := Row{Name: "Alpha", Remarks: "sid=hunter2"}
		l := Link{Item: Item{Label: label}, row: r.words(), kind: sources.KindMovie, group: "one pwd=hunter2"}
		src := l.Source("https://h.example/a.m3u8", "", "")
		if src.Name != want || strings.Contains(src.Label, "hunter2") {
			t.Errorf("%q: got %q, %q", label, src.Name, src.Label)
		}
	}
}
