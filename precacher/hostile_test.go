package precacher_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"xship/precacher"
	"xship/sourcecache"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/sourcetest"
)

// shelf is a real store with watched sources, and what answers for their links.
type shelf struct {
	*testing.T
	sources.Store
	film    sources.Title
	answers func(ctx context.Context, link string) error
	probes  func(ctx context.Context, link string) error // nil: all work
	log     sourcetest.Buffer
}

const shelfInterface = "http://interface.example/"

// eachShelf runs a test on each kind of store, with a clock of its own.
func eachShelf(t *testing.T, run func(*shelf)) {
	t.Helper()
	onShelf(t, "in memory", run)
	onShelf(t, "on disk", run)
}

func onShelf(t *testing.T, kind string, run func(*shelf)) {
	t.Helper()
	t.Run(kind, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := &shelf{T: t, film: sources.Title{Kind: sources.KindMovie, Name: "Film", Year: 2001}}
			if kind == "in memory" {
				s.Store = sourcetest.NewMemory(time.Now)
				run(s)
				return
			}
			db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: filepath.Join(t.TempDir(), "xship.db"), Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			s.Store = db
			run(s)
		})
	})
}

func (s *shelf) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// watch stores links as what a site has of the film, which is watched.
func (s *shelf) watch(links ...string) {
	s.Helper()
	s.watchMixed(nil, links)
}

// watchMixed is watch with links of the user's own, which come first.
func (s *shelf) watchMixed(own, links []string) {
	s.Helper()
	_, _, err := s.AddWatch(s.Context(), s.film, sources.WatchUser)
	s.must(err)
	scan := sources.StoredScan{ScannedAt: time.Now()}
	answer := sources.SiteAnswer{Site: "site", SeenAt: time.Now()}
	for i, l := range append(slices.Clone(own), links...) {
		answer.Sources = append(answer.Sources, sources.Source{
			ID: sources.SourceID(s.film, l), Site: "site", Name: l, URL: l, Hoster: link.Hoster(l), State: sources.StateFound, Own: i < len(own),
		})
	}
	scan.Answers = []sources.SiteAnswer{answer}
	s.must(s.SaveScan(s.Context(), shelfInterface, s.film, scan))
}

func (s *shelf) precacher(change ...func(*precacher.Config)) *precacher.Precacher {
	s.Helper()
	logger := slog.New(slog.NewTextHandler(&s.log, nil))
	cfg := precacher.Config{
		Queue: s, Hosters: s.Hosters, Guard: s.Guard, Logger: logger, Observer: sources.EventLog{Logger: logger},
		Due:    func(context.Context) ([]sources.Title, error) { return nil, nil },
		Scan:   func(context.Context, sources.Title) error { return nil },
		Prober: s,
		Streams: &sources.StreamResolve{
			Resolvers: []sources.Resolver{&sourcetest.FakeResolver{ResolveFunc: func(ctx context.Context, src sources.Source) (sources.Stream, error) {
				return sources.Stream{URL: src.URL}, s.answers(ctx, src.URL)
			}}},
			Streams: s, Logger: logger,
			Attempts: &sources.Attempts{Store: s, Logger: logger, Check: func(ctx context.Context, link string) error { return s.answers(ctx, link) }},
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	p, err := precacher.New(cfg)
	s.must(err)
	return p
}

// Probe implements sources.Prober.
func (s *shelf) Probe(ctx context.Context, stream sources.Stream) (sources.MediaInfo, error) {
	if s.probes == nil {
		return sources.MediaInfo{Container: "mp4"}, nil
	}
	return sources.MediaInfo{Container: "mp4"}, s.probes(ctx, stream.URL)
}

// listed tells which links a scan lists.
func (s *shelf) listed() map[string]bool {
	s.Helper()
	scan, err := s.LoadScan(s.Context(), shelfInterface, s.film)
	s.must(err)
	hidden, err := s.HosterSnapshot(s.Context())
	s.must(err)
	links := make(map[string]bool)
	for _, a := range scan.Answers {
		for _, src := range a.Sources {
			if _, bad := hidden[src.Hoster]; !bad && src.State != sources.StateDead {
				links[src.URL] = true
			}
		}
	}
	return links
}

// One link that never works costs its hoster one cycle at most, whatever is wrong with
// it: the links that were proven are listed all the same. By the daemon, and by
// single cycles.
func TestPrecacher_hostileLink(t *testing.T) {
	const good, bad, cycles = "http://host.example/good", "http://host.example/bad", 13
	fault := func(d time.Duration, why string) func(context.Context) error {
		return takes(d, sources.Errorf(sources.ClassHosterFault, "%s", why))
	}
	alone, both := []int{0}, []int{0, 10} // other hosters that work
	kinds := []struct {
		name    string
		others  []int
		resolve func(context.Context) error
		probe   func(context.Context) error
	}{
		{"an impossible port", alone, takes(0, sources.Errorf(sources.ClassUnsupported, "port 99999")), nil},
		{"a TLS failure", alone, fault(time.Second, "tls: handshake failure"), nil},
		{"a 500", both, fault(100*time.Millisecond, "500"), nil},
		{"a reset", alone, fault(0, "connection reset by peer"), nil},
		{"a body cut short", both, takes(time.Second, nil), fault(time.Second, io.ErrUnexpectedEOF.Error())},
		{"a timeout", both, hangs, nil},
		{"a timeout of the body", alone, takes(time.Second, nil), hangs},
	}
	for _, kind := range kinds {
		for _, others := range kind.others {
			for _, daemon := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %d other hosters, daemon %t", kind.name, others, daemon), func(t *testing.T) {
					run := func(s *shelf) {
						links := []string{good + "1", good + "2", good + "3", bad}
						for i := range others {
							links = append(links, fmt.Sprintf("http://other%d.example/1", i))
						}
						s.watch(links...)
						s.answers = func(ctx context.Context, link string) error {
							if link == bad {
								return kind.resolve(ctx)
							}
							return takes(100*time.Millisecond, nil)(ctx)
						}
						s.probes = func(ctx context.Context, link string) error {
							if link == bad {
								return kind.probe(ctx)
							}
							return nil
						}
						shown := 0
						s.cycles(daemon, cycles, func() {
							if on := s.listed(); on[good+"1"] && on[good+"2"] && on[good+"3"] {
								shown++
							}
						})
						if shown < cycles-1 {
							s.Errorf("the good links were listed after %d of %d cycles\n%s", shown, cycles, s.log.String())
						}
					}
					onShelf(t, "in memory", run)
					if !daemon || kind.name == "a 500" {
						onShelf(t, "on disk", run)
					}
				})
			}
		}
	}
}

// hangs answers when nobody waits any more.
func hangs(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// cycles runs so many cycles in intervals of 15 minutes, by the daemon or one by one, and
// calls after at the end of each interval, or cycle.
func (s *shelf) cycles(daemon bool, n int, after func()) {
	s.Helper()
	p := s.precacher(paced)
	if !daemon {
		for range n {
			begun := time.Now()
			_, err := p.Cycle(s.Context())
			s.must(err)
			after()
			time.Sleep(time.Until(begun.Add(15 * time.Minute)))
		}
		return
	}
	ctx, cancel := context.WithCancel(s.Context())
	ended := make(chan error)
	go func() { ended <- p.Run(ctx, "@every 15m") }()
	for range n {
		time.Sleep(15*time.Minute - time.Second)
		after()
		time.Sleep(time.Second)
	}
	cancel()
	s.must(<-ended)
}

// Something between the machine and the hosters that answers 404 for them all, for a
// while: no link stays dead and no hoster hidden, be it a cycle of the daemon or a
// single one, before anything was found or after; and what it turned away is tried
// again in the same cycle, or in the next single one. So is what it cut off, where it
// answers 404 for some.
func TestPrecacher_middlebox(t *testing.T) {
	gone := sources.Errorf(sources.ClassDeadLink, "404")
	cut := sources.Errorf(sources.ClassHosterFault, "connection reset by peer")
	tests := []struct {
		name   string
		answer func(hoster int) error
	}{
		{"404 for all", func(int) error { return gone }},
		{"404 for two, the others cut", func(i int) error {
			if i < 2 {
				return gone
			}
			return cut
		}},
	}
	for _, tt := range tests {
		for _, daemon := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, daemon %t", tt.name, daemon), func(t *testing.T) {
				eachShelf(t, func(s *shelf) {
					const hosters = 8
					var links []string
					for i := range hosters {
						for j := range 3 {
							links = append(links, fmt.Sprintf("http://h%d.example/%d", i, j))
						}
					}
					var down atomic.Bool
					s.answers = func(ctx context.Context, link string) error {
						if err := takes(200*time.Millisecond, nil)(ctx); err != nil || !down.Load() {
							return err
						}
						var hoster int
						_, _ = fmt.Sscanf(link, "http://h%d.example", &hoster)
						return tt.answer(hoster)
					}
					p := s.precacher(func(c *precacher.Config) { c.Pace = false })
					s.watch(links[:hosters]...)
					if _, err := p.Cycle(s.Context()); err != nil { // what worked before
						s.Fatal(err)
					}
					s.watch(links...)
					time.Sleep(10 * time.Minute)
					down.Store(true)
					time.AfterFunc(8*time.Second, func() { down.Store(false) })
					if daemon {
						ctx, cancel := context.WithTimeout(s.Context(), 2*time.Minute)
						defer cancel()
						s.must(p.Run(ctx, "@every 15m"))
					} else {
						for range 2 {
							if _, err := p.Cycle(s.Context()); err != nil {
								s.Fatal(err)
							}
							time.Sleep(time.Minute)
						}
					}
					if on := s.listed(); len(on) != len(links) {
						t.Errorf("%d of %d links are listed\n%s", len(on), len(links), s.log.String())
					}
					if strings.Count(s.log.String(), "resolved=16 ") != 1 {
						t.Errorf("log:\n%s", s.log.String())
					}
				})
			})
		}
	}
}
