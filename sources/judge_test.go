package sources_test

import (
	"strings"
	"testing"
	"time"

	"xship/sources"
)

// of is a source of a quality, with what change makes of it.
func of(id string, q sources.Quality, change func(*sources.Source)) sources.Source {
	src := source(id, "h.example", q)
	if change != nil {
		change(&src)
	}
	return src
}

func TestListOptions_Judge(t *testing.T) {
	picture := func(w, h int, seconds float64, probed time.Time) sources.MediaInfo {
		return sources.MediaInfo{DurationSeconds: seconds, Video: &sources.VideoTrack{Width: w, Height: h}, ProbedAt: probed.Unix()}
	}
	film := &sources.TitleFacts{Kind: sources.KindMovie, Exact: true, Runtime: 96 * time.Minute}
	episode := &sources.TitleFacts{Kind: sources.KindEpisode, Exact: true, Runtime: 24 * time.Minute}
	guess := &sources.TitleFacts{Kind: sources.KindMovie, Runtime: 96 * time.Minute}
	probed := func(s *sources.Source) { s.State = sources.StateProbed }
	seconds := func(n int) func(*sources.Source) { return func(s *sources.Source) { s.Duration = n } }
	size := func(n int64) func(*sources.Source) { return func(s *sources.Source) { s.SizeBytes = n } }
	tests := []struct {
		name  string
		all   []sources.Source
		media map[string]sources.MediaInfo
		facts *sources.TitleFacts
		want  string // ids, best first, each with its quality
		back  string // what is set back, with its reason
	}{
		{
			name: "what a stream holds stands for what was claimed",
			all:  []sources.Source{of("claims", sources.Quality4K, probed), of("honest", sources.Quality1080p, nil), of("modest", sources.QualitySD, probed)},
			media: map[string]sources.MediaInfo{
				"claims": picture(1280, 720, 0, noon), "modest": picture(1920, 804, 0, noon),
			},
			want: "modest:1080p honest:1080p claims:720p",
		},
		{
			name: "a stream that does not tell its size changes nothing",
			all:  []sources.Source{of("a", sources.Quality720p, probed), of("sound", sources.QualitySD, probed)},
			media: map[string]sources.MediaInfo{
				"a": picture(0, 0, 0, noon), "sound": {ProbedAt: noon.Unix()},
			},
			want: "a:720p sound:SD",
		},
		{
			name: "own before verified before the rest, within a quality",
			all: []sources.Source{
				of("rest", sources.Quality1080p, nil), of("old", sources.Quality1080p, probed), of("lately", sources.Quality1080p, probed),
				of("own", sources.Quality1080p, func(s *sources.Source) { s.Own = true }), of("better", sources.Quality4K, nil),
				of("last", sources.Quality4K, func(s *sources.Source) { s.Priority = sources.PriorityLast }),
			},
			media: map[string]sources.MediaInfo{
				"old": picture(1920, 1080, 0, noon.Add(-25*time.Hour)), "lately": picture(1920, 1080, 0, noon.Add(-time.Hour)),
			},
			want: "better:4K own:1080p lately:1080p rest:1080p old:1080p last:4K",
		},
		{
			name:  "a clip by the word of its site and by its stream",
			all:   []sources.Source{of("told", sources.Quality4K, seconds(600)), of("read", sources.Quality4K, probed), of("cut", sources.Quality720p, seconds(80*60)), of("none", sources.QualitySD, nil)},
			media: map[string]sources.MediaInfo{"read": picture(3840, 2160, 52, noon)},
			facts: film,
			want:  "cut:720p none:SD read:4K told:4K",
			back:  "read: 52 s of 96 min: a clip; told: 10 min of 96 min: a clip",
		},
		{
			name: "an episode may be shorter than its series' episodes are",
			all:  []sources.Source{of("short", sources.Quality1080p, seconds(13*60)), of("clip", sources.Quality1080p, seconds(11*60))}, facts: episode,
			want: "short:1080p clip:1080p", back: "clip: 11 min of 24 min: a clip",
		},
		{
			name: "sizes that cannot be", facts: film,
			all: []sources.Source{
				of("little", sources.Quality4K, size(300e6)), of("pack", sources.Quality1080p, size(200e9)), of("fits", sources.Quality1080p, size(1.4e9)),
				of("probed", sources.Quality1080p, func(s *sources.Source) { size(100e6)(s); probed(s) }),
			},
			media: map[string]sources.MediaInfo{"probed": picture(1920, 1080, 95*60, noon)},
			want:  "probed:1080p fits:1080p little:4K pack:1080p",
			back:  "little: 300 MB is too little for 96 min 4K; pack: 200 GB is too much for 96 min",
		},
		{
			name: "a part of the film has the size of a part", facts: film,
			all:  []sources.Source{of("part", sources.Quality4K, func(s *sources.Source) { size(500e6)(s); seconds(60 * 60)(s) })},
			want: "part:4K",
		},
		{
			name: "a runtime that was guessed judges nothing", facts: guess,
			all:  []sources.Source{of("told", sources.Quality4K, seconds(600)), of("pack", sources.Quality1080p, size(200e9))},
			want: "told:4K pack:1080p",
		},
		{
			name: "own files are what they are", facts: film,
			all: []sources.Source{of("own", sources.Quality4K, func(s *sources.Source) { seconds(600)(s); size(1e6)(s); s.Own = true })}, want: "own:4K",
		},
		{
			name: "what stands behind others for another reason stays there", facts: film,
			all: []sources.Source{
				of("last", sources.Quality4K, func(s *sources.Source) { seconds(60)(s); s.Priority = sources.PriorityLast }),
				of("clip", sources.QualitySD, seconds(60)),
			},
			want: "clip:SD last:4K", back: "clip: 1 min of 96 min: a clip; last: 1 min of 96 min: a clip",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			given := strings.Join(strings.Fields(ids(tt.all, func(s sources.Source) string { return s.ID + ":" + string(s.Quality) })), " ")
			got := sources.ListOptions{Now: noon, Media: tt.media, Facts: tt.facts}.Judge(tt.all)
			if list := ids(got, func(s sources.Source) string { return s.ID + ":" + string(s.Quality) }); list != tt.want {
				t.Errorf("got %s, want %s", list, tt.want)
			}
			var back []string
			for _, s := range got {
				if s.SetBack != "" {
					back = append(back, s.ID+": "+s.SetBack)
				}
			}
			if strings.Join(back, "; ") != tt.back {
				t.Errorf("set back: %q, want %q", strings.Join(back, "; "), tt.back)
			}
			if after := ids(tt.all, func(s sources.Source) string { return s.ID + ":" + string(s.Quality) }); after != given {
				t.Errorf("what was given became %s", after)
			}
		})
	}
}

func TestFilter_excludes(t *testing.T) {
	named := func(id, name string, labels ...string) sources.Source {
		return of(id, sources.Quality1080p, func(s *sources.Source) { s.Name, s.Info = name, labels })
	}
	big, small := named("big", "Big"), named("small", "Small")
	big.SizeBytes, small.SizeBytes = 9e9, 50e6
	all := []sources.Source{
		named("cam", "Film CAM", "CAM"), named("ts", "Film TS", "TS"), named("hdr", "Film", "HEVC", "HDR10"), named("dv", "Film", "DV"), named("3d", "Film", "3D"),
		named("av1", "Film", "AV1"), named("plain", "Cam"), named("remux", "Film.REMUX.mkv"), named("中字", "某片中字版"), big, small,
		named("found", "Film"),
	}
	media := map[string]sources.MediaInfo{"found": {SizeBytes: 20e9, Video: &sources.VideoTrack{Codec: "vp9", HDR: "HLG"}}}
	tests := []struct {
		rules    string
		min, max int64
		want     string // ids of what is left out, by rule
	}{
		{rules: "", want: ""},
		{rules: "cam", want: "scan.exclude cam: cam ts"},
		{rules: "hdr", want: "scan.exclude hdr: hdr dv found"},
		{rules: "dv,3d", want: "scan.exclude 3d: 3d; scan.exclude dv: dv"},
		{rules: "x265", want: "scan.exclude x265: hdr"},
		{rules: "av1,vp9", want: "scan.exclude av1: av1; scan.exclude vp9: found"},
		{rules: "remux", want: "scan.exclude remux: remux"},
		{rules: "rem", want: ""}, // no word of its own
		{rules: "中字", want: "scan.exclude 中字: 中字"},
		{min: 100e6, want: "scan.min_size 100 MB: small"},
		{max: 8e9, want: "scan.max_size 8.0 GB: big found"},
	}
	for _, tt := range tests {
		t.Run(tt.rules, func(t *testing.T) {
			o := sources.ListOptions{Now: noon, MinSize: tt.min, MaxSize: tt.max, Media: media}
			for rule := range strings.SplitSeq(tt.rules, ",") {
				if rule != "" {
					o.Exclude = append(o.Exclude, sources.Exclusion(rule))
				}
			}
			l := sources.Filter(nil, all, nil, o)
			var got []string
			n := 0
			for _, e := range l.Excluded {
				var left []string
				for i := range all {
					if o.ExcludedBy(&all[i]) == e.Rule {
						left = append(left, all[i].ID)
					}
				}
				if len(left) != e.Sources {
					t.Errorf("%s counts %d, left out are %v", e.Rule, e.Sources, left)
				}
				n += e.Sources
				got = append(got, e.Rule+": "+strings.Join(left, " "))
			}
			if s := strings.Join(got, "; "); s != tt.want {
				t.Errorf("left out %q, want %q", s, tt.want)
			}
			if n != l.ExcludedSources() || n+len(l.Sources) != len(all) {
				t.Errorf("%d left out, %d listed of %d", l.ExcludedSources(), len(l.Sources), len(all))
			}
		})
	}
}

func TestDeduplicate_keepsWhatOneKnows(t *testing.T) {
	first, second := source("a", "h", sources.Quality720p), source("a", "h", sources.Quality720p)
	second.Duration, second.Group, second.Subtitles = 600, "g", []sources.Subtitle{{URL: "https://h.example/a.srt", Language: "en"}}
	got := sources.Deduplicate([]sources.Source{first}, []sources.Source{second})
	if len(got) != 1 || got[0].Duration != 600 || got[0].Group != "g" || len(got[0].Subtitles) != 1 {
		t.Errorf("got %+v", got)
	}
}
