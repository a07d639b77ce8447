package sources_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/sourcetest"
)

// seeing does what next does once it has told of what it comes across.
func seeing(next sourcetest.SearchFunc, seen ...sources.Sighting) sourcetest.SearchFunc {
	return func(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
		for _, s := range seen {
			sources.Saw(ctx, s)
		}
		return next(ctx, t, yield)
	}
}

// curious is a scanner of somebody who wants to know what is seen: names that start as
// that of the title are like it, the shortest most.
func curious(store sources.ScanStore) *sources.Scanner {
	s := newScanner(store)
	s.Likeness = func(t sources.Title) func(sources.Sighting) float64 {
		return func(n sources.Sighting) float64 {
			if !strings.HasPrefix(n.Name, t.Name) {
				return 0
			}
			return 1 / float64(len(n.Name))
		}
	}
	return s
}

// seenNames are the titles that each site came across, sites parted by ";".
func seenNames(r sources.ScanResult) string {
	var sites []string
	for _, report := range r.Sites {
		sites = append(sites, ids(report.Seen, func(s sources.Sighting) string { return strings.ReplaceAll(s.Name, " ", "_") }))
	}
	return strings.Join(sites, ";")
}

func movieSeen(name string) sources.Sighting {
	return sources.Sighting{Name: name, Kind: sources.KindMovie}
}

func numbers(season int, all ...int) (list []sources.EpisodeNumber) {
	for _, n := range all {
		list = append(list, sources.EpisodeNumber{Season: season, Episode: n})
	}
	return list
}

func TestScanner_Scan_seen(t *testing.T) {
	series := func(episodes []sources.EpisodeNumber) sources.Sighting {
		return sources.Sighting{Name: "Film", Year: 2014, Kind: sources.KindEpisode, Episodes: episodes}
	}
	for name, c := range map[string]struct {
		seen []sources.Sighting
		want []sources.Sighting
	}{
		"nothing":       {},
		"without names": {seen: []sources.Sighting{{Year: 2014}, {Name: " \x1b[31m "}, {Name: "!!!"}}},
		"cleaned": {
			[]sources.Sighting{{Name: "\x1b[31mFilm\x1b[0m \u202e", OriginalName: "\aFilm", Year: 99999, IMDb: "x"}},
			[]sources.Sighting{{Name: "Film", OriginalName: "Film", Kind: sources.KindMovie}},
		},
		"episodes of one series": {
			[]sources.Sighting{series(numbers(2, 2, 1)), series(numbers(1, 1)), series(numbers(2, 1, 3)), series([]sources.EpisodeNumber{{Season: -1, Episode: 1}, {Season: 1, Episode: -1}})},
			[]sources.Sighting{series(append(numbers(1, 1), numbers(2, 1, 2, 3)...))},
		},
		"two of a name": {
			[]sources.Sighting{series(numbers(1, 1)), {Name: "Film", Year: 1998, Kind: sources.KindEpisode, Episodes: numbers(1, 2)}, movieSeen("Film")},
			[]sources.Sighting{series(numbers(1, 1)), {Name: "Film", Year: 1998, Kind: sources.KindEpisode, Episodes: numbers(1, 2)}, movieSeen("Film")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := scan(t, curious(nil), sources.ScanOptions{}, sourcetest.NewFakeSite("a", seeing(sourcetest.Answer(), c.seen...)))
			if diff := cmp.Diff(c.want, got.Sites[0].Seen); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What a site floods a scan with is bounded, and what is most like the title stays.
func TestScanner_Scan_seenBounds(t *testing.T) {
	var flood []sources.Sighting
	for i := range 10_000 {
		flood = append(flood, movieSeen(fmt.Sprintf("Other %d", i)))
	}
	flood[7_000].Name = "Film the Second"
	flood[9_999].Name = "Film"
	many := sources.Sighting{Name: "Film", Kind: sources.KindEpisode}
	for i := range 50_000 {
		many.Episodes = append(many.Episodes, sources.EpisodeNumber{Season: 1, Episode: i})
	}
	flood = append(flood, many)
	got := scan(t, curious(nil), sources.ScanOptions{}, sourcetest.NewFakeSite("a", seeing(sourcetest.Answer(), flood...))).Sites[0].Seen
	var like []string
	episodes := 0
	for _, s := range got {
		episodes += len(s.Episodes)
		if strings.HasPrefix(s.Name, "Film") {
			like = append(like, s.Name)
		}
		if len(s.Name) > 1000 {
			t.Errorf("a name of %d bytes", len(s.Name))
		}
	}
	if len(got) != 30 || strings.Join(like, ",") != "Film the Second,Film,Film" || episodes != 3000 {
		t.Errorf("%d titles are kept, %d episodes, and like the title are %q", len(got), episodes, like)
	}
}

// Where nobody wants to know, no site is asked to tell.
func TestScanner_Scan_notSeen(t *testing.T) {
	site := sourcetest.NewFakeSite("a", func(ctx context.Context, _ sources.Title, _ func(sources.Source)) error {
		if sources.WantsSightings(ctx) {
			t.Error("the site is to tell what it sees")
		}
		sources.Saw(ctx, movieSeen("Film"))
		return nil
	})
	if got := scan(t, newScanner(nil), sources.ScanOptions{}, site); seenNames(got) != "" {
		t.Errorf("seen is %s", seenNames(got))
	}
}

// What was seen stands in the report of a site that fails, hangs, or whose scan is
// cancelled; what comes after that is nobody's.
func TestScanner_Scan_seenInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var late sync.WaitGroup
		refused := sources.Errorf(sources.ClassHosterFault, "refused")
		deaf := func(ctx context.Context, _ sources.Title, _ func(sources.Source)) error {
			sources.Saw(ctx, movieSeen("Film of a deaf site"))
			late.Go(func() {
				time.Sleep(time.Minute)
				sources.Saw(ctx, movieSeen("Film too late"))
			})
			late.Wait()
			return nil
		}
		got := scan(t, curious(nil), sources.ScanOptions{},
			sourcetest.NewFakeSite("fails", seeing(sourcetest.Fail(refused), movieSeen("Film one"))),
			sourcetest.NewFakeSite("hangs", seeing(sourcetest.Hang(), movieSeen("Film two"))),
			sourcetest.NewFakeSite("deaf", deaf),
			sourcetest.NewFakeSite("answers", sourcetest.Answer()),
		)
		if want := "Film_one;Film_two;Film_of_a_deaf_site;"; seenNames(got) != want {
			t.Errorf("seen is %s, want %s", seenNames(got), want)
		}
		late.Wait()
		if want := "Film_one;Film_two;Film_of_a_deaf_site;"; seenNames(got) != want {
			t.Errorf("a minute later seen is %s", seenNames(got))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		got, err := curious(nil).Scan(ctx, film, iface, []sources.Site{sourcetest.NewFakeSite("hangs", seeing(sourcetest.Hang(), movieSeen("Film two")))}, sources.ScanOptions{})
		if !errors.Is(err, context.Canceled) || seenNames(got) != "Film_two" {
			t.Errorf("cancelled: %v, and seen is %s", err, seenNames(got))
		}
	})
}

// A list from the store tells what was seen, and so does that of a site which fails, or
// rests, for as long as its sources stand. A scan that found nothing is asked again.
func TestScanner_Scan_seenStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := sourcetest.NewMemory(time.Now)
		refused := sources.Errorf(sources.ClassHosterFault, "refused")
		site := func(search sourcetest.SearchFunc) []sources.Site {
			return []sources.Site{sourcetest.NewFakeSite("a", search), sourcetest.NewFakeSite("b", sourcetest.Answer())}
		}
		good := seeing(sourcetest.Answer(linkAt("h", "link", "")), movieSeen("Film one"))
		steps := []struct {
			name   string
			after  time.Duration
			search sourcetest.SearchFunc
			cached bool
			want   string
		}{
			{"nothing found", 0, seeing(sourcetest.Answer(), movieSeen("Film zero")), false, "Film_zero;"},
			{"found", 0, good, false, "Film_one;"},
			{"from the store", time.Minute, seeing(sourcetest.Answer(), movieSeen("Film three")), true, "Film_one;"},
			{"fails", time.Hour, seeing(sourcetest.Fail(refused), movieSeen("Film two")), false, "Film_two,Film_one;"},
			{"empty now", time.Hour, seeing(sourcetest.Answer(), movieSeen("Film four")), false, "Film_four;"},
		}
		for _, s := range steps {
			time.Sleep(s.after)
			got := scan(t, curious(store), sources.ScanOptions{}, site(s.search)...)
			if got.FromCache != s.cached || strings.ReplaceAll(seenNames(got), " ", ",") != s.want {
				t.Errorf("%s: from the cache %t, seen is %s, want %s", s.name, got.FromCache, seenNames(got), s.want)
			}
		}
	})
}

// Those who share a scan are told the same, who leaves it early as well.
func TestScanGroup_seen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var g sources.ScanGroup
		sites := []sources.Site{
			sourcetest.NewFakeSite("quick", seeing(sourcetest.Answer(), movieSeen("Film one"))),
			sourcetest.NewFakeSite("slow", seeing(sourcetest.After(9*time.Second, sourcetest.Answer()), movieSeen("Film two"))),
		}
		var wg sync.WaitGroup
		for _, timeout := range []time.Duration{3 * time.Second, 30 * time.Second, 30 * time.Second} {
			wg.Go(func() {
				s := curious(nil)
				s.Timeout = timeout
				got, err := g.Scan(t.Context(), s, film, iface, sites, sources.ScanOptions{})
				if err != nil || seenNames(got) != "Film_one;Film_two" {
					t.Errorf("within %s: %v, and seen is %s", timeout, err, seenNames(got))
				}
			})
		}
		wg.Wait()
	})
}
