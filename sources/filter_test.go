package sources_test

import (
	"bytes"
	stdcmp "cmp"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

var noon = time.Unix(1_700_000_000, 0)

func source(id, hoster string, q sources.Quality) sources.Source {
	return sources.Source{ID: id, Hoster: hoster, Quality: q, Priority: sources.PriorityDefault, State: sources.StateFound}
}

func ids[T any](list []T, id func(T) string) string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		out = append(out, id(s))
	}
	return strings.Join(out, " ")
}

func listedIDs(l sources.Listing) string {
	return ids(l.Sources, func(s sources.Listed) string { return s.ID })
}

func TestSort(t *testing.T) {
	last := source("captcha", "h", sources.Quality4K)
	last.Priority = sources.PriorityLast
	got := sources.Sort([]sources.Source{
		source("sd", "h", sources.QualitySD),
		last,
		source("unknown", "h", sources.QualityUnknown),
		source("1080a", "h", sources.Quality1080p),
		source("4k", "h", sources.Quality4K),
		source("1440", "h", sources.Quality1440p),
		source("1080b", "h", sources.Quality1080p),
		source("720", "h", sources.Quality720p),
	})
	const want = "4k 1440 1080a 1080b 720 sd unknown captcha"
	if order := ids(got, func(s sources.Source) string { return s.ID }); order != want {
		t.Errorf("Sort() = %s, want %s", order, want)
	}
}

func TestDeduplicate(t *testing.T) {
	a, b, c := source("a", "h", sources.QualityUnknown), source("b", "h", sources.QualitySD), source("a", "h", sources.Quality720p)
	a.Site, c.Site, c.Language, c.SizeBytes = "first", "second", "de", 7
	got := sources.Deduplicate([]sources.Source{a, b, c})
	want := []sources.Source{a, b}
	want[0].Quality, want[0].Language, want[0].SizeBytes = sources.Quality720p, "de", 7
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Of one link that several sites name, the copy that plays is listed.
func TestDeduplicate_prefersPlayable(t *testing.T) {
	page, file := source("a", "h", sources.Quality720p), source("a", "h", sources.QualityUnknown)
	page.Unplayable, page.Priority = "needs a parser", sources.PriorityLast
	trailer := source("a", "h", sources.QualityUnknown)
	trailer.Trailer = true
	want := file
	want.Quality = sources.Quality720p
	for _, all := range [][]sources.Source{{page, file, trailer}, {trailer, page, file}, {file, page}} {
		if diff := cmp.Diff([]sources.Source{want}, sources.Deduplicate(all)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestFilter(t *testing.T) {
	health := sources.HosterSnapshot{
		"bad.example":   {Name: "bad.example", ConsecutiveFails: 2, BackoffUntil: noon.Add(7 * time.Second)},
		"ready.example": {Name: "ready.example", ConsecutiveFails: 1, BackoffUntil: noon.Add(-time.Second)},
		"good.example":  {Name: "good.example", OKCount: 3},
	}
	dead := source("dead", "good.example", sources.Quality1080p)
	dead.State = sources.StateDead
	page := source("page", "new.example", sources.Quality1080p)
	page.Unplayable = "needs a parser"
	trailer := source("trailer", "good.example", sources.Quality1080p)
	trailer.Trailer = true
	german := source("german", "good.example", sources.Quality720p)
	german.Language = "de"
	multi := source("multi", "good.example", sources.Quality720p)
	multi.Language = sources.LanguageMulti
	french := source("french", "good.example", sources.Quality720p)
	french.Language = "fr"
	all := []sources.Source{
		source("4k", "good.example", sources.Quality4K),
		source("bad1", "bad.example", sources.Quality1080p),
		dead, page, trailer,
		source("new", "new.example", sources.Quality1080p),
		german, multi, french,
		source("ready", "ready.example", sources.QualitySD),
		source("bad2", "bad.example", sources.QualitySD),
		source("sd", "good.example", sources.QualitySD),
	}
	hidden := []sources.HiddenHoster{
		{Hoster: "bad.example", Sources: 2, ConsecutiveFails: 2, AvailableIn: 7 * time.Second},
		{Hoster: "ready.example", Sources: 1, ConsecutiveFails: 1},
	}
	tests := []struct {
		name string
		o    sources.ListOptions
		want string
		log  string
		l    sources.Listing
	}{
		{
			name: "healthy hosters only", want: "4k new german multi french sd",
			log: "[sourcesFilter] 3 Quellen entfernt (Hoster fehlerhaft)",
			l:   sources.Listing{Dead: 1, Unplayable: 1, Trailers: 1, Hidden: hidden},
		},
		{
			name: "all, marked", o: sources.ListOptions{All: true},
			want: "4k bad1 dead page new german multi french ready bad2 sd",
			l:    sources.Listing{Trailers: 1, Hidden: hidden},
		},
		{
			name: "all, however few there are to be", o: sources.ListOptions{All: true, Floor: 100},
			want: "4k bad1 dead page new german multi french ready bad2 sd",
			l:    sources.Listing{Trailers: 1, Hidden: hidden},
		},
		{
			name: "a list that is not short", o: sources.ListOptions{Floor: 6}, want: "4k new german multi french sd",
			log: "[sourcesFilter] 3 Quellen entfernt (Hoster fehlerhaft)",
			l:   sources.Listing{Dead: 1, Unplayable: 1, Trailers: 1, Hidden: hidden},
		},
		{
			name: "a short list has one of each hoster in turn", o: sources.ListOptions{Floor: 8}, want: "4k new german multi french sd ready bad1",
			log: "[sourcesFilter] 1 Quellen entfernt (Hoster fehlerhaft)",
			l: sources.Listing{
				Dead: 1, Unplayable: 1, Trailers: 1,
				Hidden: []sources.HiddenHoster{{Hoster: "bad.example", Sources: 1, ConsecutiveFails: 2, AvailableIn: 7 * time.Second}},
			},
		},
		{
			name: "best quality and languages", o: sources.ListOptions{Quality: sources.Quality720p, Languages: []string{"de"}},
			want: "german multi sd",
			log:  "[sourcesFilter] 2 Quellen entfernt (Hoster fehlerhaft)",
			l: sources.Listing{
				Dead: 1, Unplayable: 1, Trailers: 1, Unwanted: 4,
				Hidden: []sources.HiddenHoster{
					{Hoster: "ready.example", Sources: 1, ConsecutiveFails: 1},
					{Hoster: "bad.example", Sources: 1, ConsecutiveFails: 2, AvailableIn: 7 * time.Second},
				},
			},
		},
		{
			name: "the limit counts what is listed", o: sources.ListOptions{Limit: 2}, want: "4k new",
			log: "[sourcesFilter] 3 Quellen entfernt (Hoster fehlerhaft)",
			l:   sources.Listing{Dead: 1, Unplayable: 1, Trailers: 1, CutOff: 4, Hidden: hidden},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var log bytes.Buffer
			tt.o.Now = noon
			got := sources.Filter(slog.New(slog.NewTextHandler(&log, nil)), all, health, tt.o)
			if order := listedIDs(got); order != tt.want {
				t.Errorf("listed %s, want %s", order, tt.want)
			}
			for _, s := range got.Sources {
				if s.Healthy != (health[s.Hoster].ConsecutiveFails == 0) {
					t.Errorf("%s: Healthy = %v", s.ID, s.Healthy)
				}
			}
			got.Sources = nil
			if diff := cmp.Diff(tt.l, got); diff != "" {
				t.Error(diff)
			}
			if tt.log == "" && log.Len() > 0 || !strings.Contains(log.String(), tt.log) {
				t.Errorf("logged %q, want %q", log.String(), tt.log)
			}
		})
	}
}

// A 4K source is listed once, and not at all where the best wanted is less:
// both went wrong in the original, which compared "4K" with "4k".
func TestFilter_4KListedOnce(t *testing.T) {
	all := []sources.Source{source("uhd", "h", sources.Quality4K), source("fhd", "h", sources.Quality1080p)}
	for quality, want := range map[sources.Quality]string{sources.Quality4K: "uhd fhd", sources.Quality1080p: "fhd", sources.QualitySD: ""} {
		if got := listedIDs(sources.Filter(nil, all, nil, sources.ListOptions{Quality: quality})); got != want {
			t.Errorf("quality %s lists %q, want %q", quality, got, want)
		}
	}
}

// Sources that are alike keep their order, wherever they stood, and none is allocated anew
// to be compared.
func TestSort_manySources(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 60 {
		all := make([]sources.Source, n)
		for i := range all {
			all[i] = source(fmt.Sprint(i), "h", sources.Qualities()[random.IntN(5)])
			all[i].Priority, all[i].Own = random.IntN(3), random.IntN(3) == 0
		}
		want := slices.Clone(all)
		slices.SortStableFunc(want, func(a, b sources.Source) int {
			own := map[bool]int{true: 0, false: 1}
			return stdcmp.Or(a.Priority-b.Priority, a.Quality.Rank()-b.Quality.Rank(), own[a.Own]-own[b.Own])
		})
		unsorted := slices.Clone(all)
		allocations := testing.AllocsPerRun(1, func() { sources.Sort(append(all[:0], unsorted...)) })
		if diff := cmp.Diff(want, all); diff != "" {
			t.Fatalf("%d sources (-want +got):\n%s", n, diff)
		}
		if allocations > 1 {
			t.Errorf("%v allocations for %d sources", allocations, n)
		}
	}
}

func BenchmarkFilter(b *testing.B) {
	health := make(sources.HosterSnapshot, 500)
	for i := range 500 {
		name := fmt.Sprintf("hoster%d.example", i)
		health[name] = sources.HosterHealth{Name: name, ConsecutiveFails: i % 3}
	}
	all := make([]sources.Source, 10_000)
	for i := range all {
		all[i] = source(fmt.Sprint(i), fmt.Sprintf("hoster%d.example", i%500), sources.Quality1080p)
	}
	for b.Loop() {
		sources.Filter(nil, all, health, sources.ListOptions{Limit: 100, Quality: sources.Quality4K})
	}
}

// TestFilter_needs tells of what a source needs only to whom that is missing.
func TestFilter_needs(t *testing.T) {
	src := sources.Source{ID: "a", URL: "https://h.example/f", Hoster: "h.example", Needs: sources.NeedsAccount}
	for name, tt := range map[string]struct {
		o    sources.ListOptions
		want string
	}{
		"nobody serves it":      {sources.ListOptions{}, sources.NeedsAccount},
		"an account of another": {sources.ListOptions{Served: map[string]string{"other.example": "torbox"}}, sources.NeedsAccount},
		"an account":            {sources.ListOptions{Served: map[string]string{"h.example": "torbox"}}, ""},
		"yt-dlp":                {sources.ListOptions{Pages: true}, ""},
	} {
		l := sources.Filter(nil, []sources.Source{src}, nil, tt.o)
		if len(l.Sources) != 1 || l.Sources[0].Needs != tt.want {
			t.Errorf("%s: %+v, want the need %q", name, l.Sources, tt.want)
		}
	}
}

// BenchmarkList judges and lists 1,000 sources of a title whose runtime is known. The
// streams of a tenth of them were read.
func BenchmarkList(b *testing.B) {
	health := make(sources.HosterSnapshot, 100)
	for i := range 100 {
		name := fmt.Sprintf("hoster%d.example", i)
		health[name] = sources.HosterHealth{Name: name, ConsecutiveFails: max(0, i-90)}
	}
	media := make(map[string]sources.MediaInfo)
	all := make([]sources.Source, 1000)
	for i := range all {
		src := of(fmt.Sprint(i), sources.Qualities()[i%5], nil)
		src.Hoster = fmt.Sprintf("hoster%d.example", i%100)
		src.Name = fmt.Sprintf("Example.Film.2008.German.DL.WEB-DL.x265-GROUP%d", i)
		src.Info, src.SizeBytes = []string{"HEVC", "5.1"}, int64(i)*10e6
		if i%10 == 0 {
			src.State = sources.StateProbed
			media[src.ID] = sources.MediaInfo{DurationSeconds: 5700, Video: &sources.VideoTrack{Width: 1920, Height: 804, Codec: "HEVC"}, ProbedAt: noon.Unix() - int64(i)}
		}
		all[i] = src
	}
	o := sources.ListOptions{
		Limit: 100, Now: noon, Media: media, Facts: &sources.TitleFacts{Kind: sources.KindMovie, Exact: true, Runtime: 96 * time.Minute},
		Exclude: []sources.Exclusion{sources.ExcludeCAM},
	}
	words := o
	words.Exclude = []sources.Exclusion{sources.ExcludeCAM, sources.Exclude3D, "av1", "hardcoded", "upscaled"}
	for name, o := range map[string]sources.ListOptions{"with the defaults": o, "five words": words} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if l := sources.Filter(nil, o.Judge(all), health, o); len(l.Sources) != 100 {
					b.Fatalf("%d sources", len(l.Sources))
				}
			}
		})
	}
}
