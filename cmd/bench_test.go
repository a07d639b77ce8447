package cmd_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/config"
	"xship/sources/sourcetest/world"
)

const (
	benchTitles  = 20
	benchHosters = 50 // each has one source of each title
	benchSources = benchTitles * benchHosters
	benchLatency = 20 * time.Millisecond
)

// benchWorld is hosters that take benchLatency for an answer, and an interface whose
// one site names all their files.
type benchWorld struct {
	*world.World
	at      *world.Interface
	hosters []*world.Hoster
	links   []string // the files in an order that goes round the hosters
}

func startBenchWorld(b *testing.B) *benchWorld {
	b.Helper()
	loopback, err := world.Start(b.Context(), world.Config{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(loopback.Close)
	w := &benchWorld{World: loopback}
	for i := range benchHosters {
		h, err := w.AddHoster(fmt.Sprintf("hoster %d", i))
		if err != nil {
			b.Fatal(err)
		}
		h.SetLatency(benchLatency)
		w.hosters = append(w.hosters, h)
	}
	films := make([]world.Film, benchTitles)
	for n := range films {
		items := make([]world.Item, benchHosters)
		for i, h := range w.hosters {
			items[i] = world.Item{Label: "720P", URL: h.URL(fmt.Sprintf("%s.2016.720p.mp4", strings.ReplaceAll(benchTitle(n), " ", ".")))}
			w.links = append(w.links, items[i].URL)
		}
		films[n] = world.Film{Name: benchTitle(n), Year: 2016, Type: "Film", Groups: []world.Group{{From: "mp4", Items: items}}}
	}
	site, err := w.AddSite("site", world.SiteConfig{Films: films})
	if err != nil {
		b.Fatal(err)
	}
	if w.at, err = w.AddInterface("interface", world.InterfaceConfig{Entries: []world.Entry{site.Entry()}}); err != nil {
		b.Fatal(err)
	}
	return w
}

// benchTitle is the name of a film that is part of no other name.
func benchTitle(n int) string { return fmt.Sprintf("Film %c of the Benchmark", 'A'+rune(n)) }

// requests is how many the hosters got since the last call.
func (w *benchWorld) requests() (n int) {
	for _, h := range w.hosters {
		n += h.Requests()
		h.ResetCounters()
	}
	return n
}

// bare makes n requests for the start of each file with as many workers, and nothing
// else: the least that this machine can need for them.
func (w *benchWorld) bare(b *testing.B, workers, n int) time.Duration {
	b.Helper()
	transport := &http.Transport{MaxIdleConnsPerHost: workers}
	defer transport.CloseIdleConnections()
	get := func(ctx context.Context, link string) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, link, http.NoBody)
		if err != nil {
			return err
		}
		req.Header.Set("Range", "bytes=0-65535")
		resp, err := transport.RoundTrip(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return err
	}
	todo := make(chan string)
	started := time.Now()
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for link := range todo {
				for range n {
					if err := get(b.Context(), link); err != nil {
						b.Error(err)
					}
				}
			}
		})
	}
	for _, link := range w.links {
		todo <- link
	}
	close(todo)
	wg.Wait()
	return time.Since(started)
}

// BenchmarkPrecacheOnce runs xship precache --once, scans and all, on a new data
// directory with a watchlist of 20 titles that have a source on each of 50 hosters.
// x-bound is its time by the least that the requests it made can need with the workers
// and the places at a hoster of the default settings; bare-x-bound is that of the same
// number of requests by as many workers that do nothing else, in the same run.
func BenchmarkPrecacheOnce(b *testing.B) {
	defaults, err := config.Load(config.LoadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	atOnce := min(defaults.Precache.Workers, defaults.Precache.PerHoster*benchHosters)
	w := startBenchWorld(b)
	var took, bare time.Duration
	requests := 0
	for b.Loop() {
		b.StopTimer()
		m := newMachine(b)
		m.run(b, 0, "interfaces", "add", w.at.URL())
		for n := range benchTitles {
			m.run(b, 0, "watch", "add", benchTitle(n), "--year", "2016")
		}
		w.requests()
		b.StartTimer()
		started := time.Now()
		m.run(b, 0, "precache", "--once")
		took += time.Since(started)
		b.StopTimer()
		if want := fmt.Sprintf(" probed=%d failed=0 skipped=0 ", benchSources); !strings.Contains(m.err.String(), want) {
			b.Fatalf("no %q in\n%s", want, m.err)
		}
		requests += w.requests()
		bare += w.bare(b, atOnce, 2)
		w.requests()
		if err := os.RemoveAll(filepath.Dir(m.env["XSHIP_DATA_DIR"])); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	bound := time.Duration(requests) * benchLatency / time.Duration(atOnce)
	b.ReportMetric(float64(took)/float64(bound), "x-bound")
	b.ReportMetric(float64(bare)/float64(bound), "bare-x-bound")
	b.ReportMetric(float64(requests)/float64(b.N*benchSources), "requests/source")
}
