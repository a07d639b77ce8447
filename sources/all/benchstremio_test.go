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
	"xship/sources/release"
	"xship/sources/site/stremio"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

const benchIMDb = "tt9000001"

// BenchmarkScanStremio compares a scan over add-ons, whose manifests are known, with the
// least that one can cost: parallel GETs on kept-alive connections, decode, drop
// duplicates, sort. Then one add-on more hangs: the first scan waits for its deadline,
// the second leaves it out.
func BenchmarkScanStremio(b *testing.B) {
	const n = 20
	title := sources.Title{Kind: sources.KindMovie, Name: "Example Film", Year: 2008, IMDb: benchIMDb}
	w := sourcetest.StartWorld(b, world.Config{Latency: benchLatency})
	start := func(key string, films ...world.Film) *world.Stremio {
		addon, err := w.AddStremio(key, world.StremioConfig{Films: films})
		if err != nil {
			b.Fatal(err)
		}
		return addon
	}
	specs := make([]sources.SiteSpec, n)
	for i := range specs {
		film := benchFilm(i)
		film.IMDb = benchIMDb
		key := fmt.Sprintf("addon%d", i)
		specs[i] = spec(key, stremio.Type, start(key, film).URL())
	}
	hanging := start("hanging")
	client := fetch.New(fetch.Options{})
	b.Cleanup(client.CloseIdleConnections)
	scan := func(b *testing.B, scanner *sources.Scanner, sites []sources.Site) time.Duration {
		b.Helper()
		got, err := scanner.Scan(b.Context(), title, sources.Interface{URL: "bench"}, sites, sources.ScanOptions{})
		if err != nil || len(got.Sources) == 0 {
			b.Fatal(len(got.Sources), err)
		}
		return got.Elapsed
	}
	sites := all.Sites(append(slices.Clone(specs), spec("hanging", stremio.Type, hanging.URL())), all.Deps{Fetch: client})
	scanner := &sources.Scanner{Describe: release.Describe, Workers: 50, SiteTimeout: time.Second}
	scan(b, scanner, sites) // from now on the manifests are known
	hanging.SetMode(world.ModeHang)

	b.Run(fmt.Sprintf("floor/%daddons", n), func(b *testing.B) {
		client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4}}
		defer client.CloseIdleConnections()
		cpu := newCPU(b)
		for b.Loop() {
			if got := floorStremio(b.Context(), client, specs); len(got) == 0 {
				b.Fatal("no sources")
			}
		}
		cpu.report()
	})
	b.Run(fmt.Sprintf("xship/%daddons", n), func(b *testing.B) {
		cpu := newCPU(b)
		for b.Loop() {
			scan(b, scanner, sites[:n])
		}
		cpu.report()
	})
	b.Run("xship/hanging", func(b *testing.B) {
		var first, second time.Duration
		for b.Loop() {
			scanner := *scanner
			scanner.Store = sourcetest.NewMemory(time.Now)
			first += scan(b, &scanner, sites)
			second += scan(b, &scanner, sites)
		}
		b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "first-ms")
		b.ReportMetric(float64(second.Milliseconds())/float64(b.N), "second-ms")
	})
}

// floorStremio is a bare fan-out over the same add-ons.
func floorStremio(ctx context.Context, client *http.Client, specs []sources.SiteSpec) []sources.Source {
	var (
		mu  sync.Mutex
		out []sources.Source
		wg  sync.WaitGroup
	)
	seen := make(map[string]bool)
	for _, spec := range specs {
		wg.Go(func() {
			url := strings.TrimSuffix(spec.API, "/manifest.json") + "/stream/movie/" + benchIMDb + ".json"
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
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
				Streams []struct {
					Name string `json:"name"`
					URL  string `json:"url"`
				} `json:"streams"`
			}
			if json.Unmarshal(body, &answer) != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for _, row := range answer.Streams {
				if !seen[row.URL] {
					seen[row.URL] = true
					out = append(out, sources.Source{Name: row.Name, URL: row.URL})
				}
			}
		})
	}
	wg.Wait()
	slices.SortStableFunc(out, func(a, b sources.Source) int { return strings.Compare(b.Name, a.Name) })
	return out
}
