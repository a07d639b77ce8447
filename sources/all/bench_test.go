package all_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/all"
	"xship/sources/fetch"
	"xship/sources/match"
	"xship/sources/release"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

const (
	benchLatency = 50 * time.Millisecond
	benchSources = 20 // a site; eight of them are named by other sites too
)

// benchFilm is what site number i has of the title looked for.
func benchFilm(i int) world.Film {
	qualities := []string{"480p", "720p", "1080p", "2160p"}
	items := make([]world.Item, benchSources)
	for j := range items {
		url := fmt.Sprintf("https://host%d.example/s%d/%d.mp4", j%7, i, j)
		if j < 8 {
			url = fmt.Sprintf("https://shared%d.example/%d.mp4", j%3, (i*8+j)%16)
		}
		items[j] = world.Item{Label: qualities[j%4] + " x265 DDP5.1", URL: url}
	}
	return world.Film{Name: "Example Film", Year: 2008, Type: "Film", Groups: []world.Group{{From: "mp4", Items: items}}}
}

// BenchmarkScan compares a scan with the least that an aggregator can do:
// parallel GETs on kept-alive connections, decode, drop duplicates, sort.
func BenchmarkScan(b *testing.B) {
	title := sources.Title{Kind: sources.KindMovie, Name: "Example Film", Year: 2008}
	for _, n := range []int{5, 20, 50} {
		w := sourcetest.StartWorld(b, world.Config{Latency: benchLatency})
		specs := make([]sources.SiteSpec, n)
		for i := range specs {
			key := fmt.Sprintf("site%d", i)
			site, err := w.AddSite(key, world.SiteConfig{Name: key, Films: []world.Film{benchFilm(i)}})
			if err != nil {
				b.Fatal(err)
			}
			specs[i] = sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: key, Name: key, Type: "1"}, API: site.URL(), Searchable: true}
		}
		b.Run(fmt.Sprintf("floor/%dsites", n), func(b *testing.B) {
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
			defer client.CloseIdleConnections()
			cpu := newCPU(b)
			for b.Loop() {
				if got := floor(b.Context(), client, specs, title); len(got) == 0 {
					b.Fatal("no sources")
				}
			}
			cpu.report()
		})
		b.Run(fmt.Sprintf("xship/%dsites", n), func(b *testing.B) { benchScan(b, specs, title, seenLikeness) })
	}
}

// BenchmarkScan_sightings compares scans that tell what sites come across with such that
// do not, where each site answers with a page of rows: the film, a series and 18 others.
func BenchmarkScan_sightings(b *testing.B) {
	const n = 20
	title := sources.Title{Kind: sources.KindMovie, Name: "Example Film", Year: 2008}
	w := sourcetest.StartWorld(b, world.Config{Latency: benchLatency})
	specs := make([]sources.SiteSpec, n)
	for i := range specs {
		key := fmt.Sprintf("site%d", i)
		site, err := w.AddSite(key, world.SiteConfig{Name: key, Films: append(benchOthers(i), benchFilm(i))})
		if err != nil {
			b.Fatal(err)
		}
		specs[i] = sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: key, Name: key, Type: "1"}, API: site.URL(), Searchable: true}
	}
	b.Run("told", func(b *testing.B) { benchScan(b, specs, title, seenLikeness) })
	b.Run("not told", func(b *testing.B) { benchScan(b, specs, title, nil) })
}

// benchOthers is what site number i has beside the title looked for.
func benchOthers(i int) []world.Film {
	var episodes []world.Item
	for n := range 24 {
		episodes = append(episodes, world.Item{Label: fmt.Sprintf("第%02d集", n+1), URL: fmt.Sprintf("https://host.example/s%d/e%d.m3u8", i, n)})
	}
	rows := []world.Film{{Name: "Example Film The Series Season 2", Year: 2012, Type: "Series", Groups: []world.Group{{From: "m3u8", Items: episodes}}}}
	for n := range 18 {
		rows = append(rows, world.Film{
			Name: fmt.Sprintf("Example Film and Number %d HD", n), Year: 1990 + n, Type: "Film",
			Groups: []world.Group{{From: "mp4", Items: []world.Item{{Label: "HD", URL: fmt.Sprintf("https://host.example/s%d/o%d.mp4", i, n)}}}},
		})
	}
	return rows
}

// seenLikeness is that which the engine gives.
func seenLikeness(t sources.Title) func(sources.Sighting) float64 {
	like := match.LikenessTo(t)
	return func(s sources.Sighting) float64 { return like.Of(s.Name, s.OriginalName) }
}

func benchScan(b *testing.B, specs []sources.SiteSpec, title sources.Title, likeness func(sources.Title) func(sources.Sighting) float64) {
	client := fetch.New(fetch.Options{})
	defer client.CloseIdleConnections()
	sites := all.Sites(specs, all.Deps{Fetch: client})
	scanner := &sources.Scanner{Describe: release.Describe, Likeness: likeness, Workers: 50}
	cpu := newCPU(b)
	for b.Loop() {
		got, err := scanner.Scan(b.Context(), title, sources.Interface{URL: "bench"}, sites, sources.ScanOptions{})
		if err != nil || len(got.Sources) == 0 {
			b.Fatal(len(got.Sources), err)
		}
	}
	cpu.report()
}

// floor is a bare fan-out over the same sites.
func floor(ctx context.Context, client *http.Client, specs []sources.SiteSpec, t sources.Title) []sources.Source {
	var (
		mu  sync.Mutex
		out []sources.Source
		wg  sync.WaitGroup
	)
	seen := make(map[string]bool)
	for _, spec := range specs {
		wg.Go(func() {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, spec.API+"?ac=detail&wd=Example+Film", nil)
			if err != nil {
				return
			}
			resp, err := client.Do(req)
			if err != nil {
				return
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil {
				return
			}
			var answer struct {
				List []struct {
					Name string `json:"vod_name"`
					URLs string `json:"vod_play_url"`
				} `json:"list"`
			}
			if json.Unmarshal(body, &answer) != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for _, row := range answer.List {
				for item := range strings.SplitSeq(row.URLs, "#") {
					label, url, _ := strings.Cut(item, "$")
					if row.Name != t.Name || seen[url] {
						continue
					}
					seen[url] = true
					out = append(out, sources.Source{Name: label, URL: url})
				}
			}
		})
	}
	wg.Wait()
	slices.SortStableFunc(out, func(a, b sources.Source) int { return strings.Compare(b.Name, a.Name) })
	return out
}
