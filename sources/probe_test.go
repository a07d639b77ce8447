package sources_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/sourcetest"
)

// probed is a prober that answers like the resolver of answers: by the last
// part of a stream's URL without its query.
func probed(ctx context.Context, s sources.Stream) (sources.MediaInfo, error) {
	link, _, _ := strings.Cut(s.URL, "?")
	if _, err := answers(ctx, sources.Source{URL: link}); err != nil {
		return sources.MediaInfo{}, err
	}
	return sources.MediaInfo{Container: "mp4"}, nil
}

func newProbe(hosters *sourcetest.Memory, resolver sources.Resolver, prober sources.Prober) *sources.BGProbe {
	return &sources.BGProbe{Streams: newResolve(hosters, resolver), Prober: prober, Hosters: hosters}
}

// TestBGProbe checks what becomes of each source: its state, and what its
// hoster is told of the resolving and of the probing.
func TestBGProbe(t *testing.T) {
	tests := []struct {
		resolve, probe string
		state          sources.State
		ok             bool
		classes        []sources.Class
	}{
		{"ok", "ok", sources.StateProbed, true, []sources.Class{sources.ClassOK, sources.ClassOK}},
		{"ok", "fault", sources.StateResolved, false, []sources.Class{sources.ClassOK, sources.ClassHosterFault}},
		{"ok", "dead", sources.StateFound, false, []sources.Class{sources.ClassOK, sources.ClassDeadLink}},
		{"ok", "captcha", sources.StateResolved, false, []sources.Class{sources.ClassOK, sources.ClassUnsupported}},
		{"ok", "bug", sources.StateResolved, false, []sources.Class{sources.ClassOK, sources.ClassBug}},
		{"ok", "hang", sources.StateResolved, false, []sources.Class{sources.ClassOK, sources.ClassHosterFault}},
		{"fault", "ok", sources.StateFound, false, []sources.Class{sources.ClassHosterFault}},
		{"dead", "ok", sources.StateDead, false, []sources.Class{sources.ClassDeadLink}},
		{"hang", "ok", sources.StateFound, false, []sources.Class{sources.ClassHosterFault}},
	}
	for _, tt := range tests {
		t.Run(tt.resolve+" "+tt.probe, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hosters := sourcetest.NewMemory(time.Now)
				streams := sourcetest.NewMemory(time.Now)
				resolver := &sourcetest.FakeResolver{ResolveFunc: func(ctx context.Context, src sources.Source) (sources.Stream, error) {
					if _, err := answers(ctx, src); err != nil {
						return sources.Stream{}, err
					}
					return sources.Stream{URL: "https://cdn.example/" + tt.probe}, nil
				}}
				p := newProbe(hosters, resolver, &sourcetest.FakeProber{ProbeFunc: probed})
				p.Streams.Streams, p.Streams.Timeout, p.Timeout = streams, 5*time.Second, 5*time.Second
				src := at("h.example", tt.resolve)
				ok, failed, skipped := p.Probe(t.Context(), []sources.Source{src})
				if (ok == 1) != tt.ok || ok+failed != 1 || skipped != 0 {
					t.Errorf("got %d ok, %d failed, %d skipped", ok, failed, skipped)
				}
				if got := streams.State(src.ID); got != tt.state {
					t.Errorf("state %s, want %s", got, tt.state)
				}
				var classes []sources.Class
				for _, report := range hosters.Reports() {
					classes = append(classes, report.Class)
				}
				if !slices.Equal(classes, tt.classes) {
					t.Errorf("reported %v, want %v", classes, tt.classes)
				}
			})
		})
	}
}

// TestProbeMarksDead checks that only the link of the source itself makes the
// source dead.
func TestProbeMarksDead(t *testing.T) {
	streams := sourcetest.NewMemory(time.Now)
	r := &sources.StreamResolve{Streams: streams}
	prober := &sourcetest.FakeProber{ProbeFunc: probed}
	own, behind := at("h.example", "dead"), at("i.example", "dead")
	own.URL += "|Referer=x"
	for link, src := range map[string]sources.Source{"https://h.example/dead": own, "https://cdn.example/dead": behind} {
		if _, err := r.Probe(t.Context(), prober, src, sources.Stream{URL: link}, time.Minute); sources.ClassOf(err) != sources.ClassDeadLink {
			t.Errorf("%s: got %v", link, err)
		}
	}
	if streams.State(own.ID) != sources.StateDead || streams.State(behind.ID) != sources.StateFound {
		t.Errorf("states %s and %s", streams.State(own.ID), streams.State(behind.ID))
	}
}

func TestBGProbeSkipsRestingHosters(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	hosters := sourcetest.NewMemory(time.Now)
	hosters.Block("ha.example", time.Now().Add(time.Hour))
	hosters.Block("hc.example", time.Now().Add(time.Hour))
	hosters.Block("hd.example", time.Now().Add(-time.Second))
	resolver := &sourcetest.FakeResolver{}
	p := newProbe(hosters, resolver, &sourcetest.FakeProber{})
	p.Logger = logger
	ok, failed, skipped := p.Probe(t.Context(), list("1", "2", "3", "4"))
	if ok != 2 || failed != 0 || skipped != 2 || len(resolver.Calls()) != 2 {
		t.Errorf("got %d ok, %d failed, %d skipped, %d calls", ok, failed, skipped, len(resolver.Calls()))
	}
	if want := `level=INFO msg="[BG-Probe] 2 Quellen uebersprungen (Hoster im Backoff)"`; strings.Count(log.String(), want) != 1 {
		t.Errorf("logged:\n%s\nwant %s", log.String(), want)
	}
	log.Reset()
	if _, _, skipped := p.Probe(t.Context(), list("1")[1:]); skipped != 0 || log.Len() > 0 {
		t.Errorf("%d skipped of nothing, logged:\n%s", skipped, log.String())
	}
}

// TestBGProbeBecomesBlocked checks that a hoster which is blocked while the
// probe runs costs its other sources nothing.
func TestBGProbeBecomesBlocked(t *testing.T) {
	hosters := sourcetest.NewMemory(time.Now)
	resolver := &sourcetest.FakeResolver{ResolveFunc: func(ctx context.Context, src sources.Source) (sources.Stream, error) {
		hosters.Block(src.Hoster, time.Now().Add(time.Hour))
		return answers(ctx, src)
	}}
	p := newProbe(hosters, resolver, &sourcetest.FakeProber{})
	p.Workers = 1
	var last sources.ProbeProgress
	p.Progress = func(progress sources.ProbeProgress) { last = progress }
	ok, failed, skipped := p.Probe(t.Context(), []sources.Source{at("h.example", "fault"), at("h.example", "x/fault"), at("h.example", "y/fault")})
	if ok != 0 || failed != 1 || skipped != 0 || len(resolver.Calls()) != 1 {
		t.Errorf("got %d ok, %d failed, %d skipped, %d calls", ok, failed, skipped, len(resolver.Calls()))
	}
	if want := (sources.ProbeProgress{Done: 3, Failed: 1, Total: 3}); last != want {
		t.Errorf("ends with %+v, want %+v", last, want)
	}
}

// A probe ends where the network turns out to be down in it. Where no link can show that
// it is down, it goes on.
func TestBGProbe_outage(t *testing.T) {
	errDown := sources.Errorf(sources.ClassHosterFault, "no route")
	for _, tt := range []struct {
		name       string
		headers    map[string]string // of the links, which are no canaries then
		canary     []error           // what its tests come to; nil at the end
		ok, failed int
	}{
		{"it is down", nil, []error{errDown, errDown}, 1, 2},
		{"it is back", nil, []error{errDown}, 2, 3},
		{"a hoster or two are down", nil, nil, 2, 3},
		{"nothing can be tested", map[string]string{"Referer": "https://h.example/"}, []error{errDown, errDown, errDown}, 2, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hosters := sourcetest.NewMemory(time.Now)
				p := newProbe(hosters, &sourcetest.FakeResolver{ResolveFunc: answers}, &sourcetest.FakeProber{ProbeFunc: probed})
				p.Workers = 1
				p.Streams.Attempts.Check = func(context.Context, string) (err error) {
					if len(tt.canary) > 0 {
						err, tt.canary = tt.canary[0], tt.canary[1:]
					}
					return err
				}
				list := []sources.Source{at("good.example", "ok"), at("a.example", "fault"), at("b.example", "fault"), at("c.example", "fault"), at("good.example", "again/ok")}
				for i := range list {
					list[i].Headers = tt.headers
				}
				if ok, failed, _ := p.Probe(t.Context(), list); ok != tt.ok || failed != tt.failed {
					t.Errorf("%d ok, %d failed, want %d and %d", ok, failed, tt.ok, tt.failed)
				}
			})
		})
	}
}

// TestBGProbe_outcomes tells of each source that it was begun and what became of it, one
// call at a time, whether it works, fails, rests, or the probe ends before it.
func TestBGProbe_outcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosters := sourcetest.NewMemory(time.Now)
		hosters.Block("rests.example", time.Now().Add(time.Hour))
		p := newProbe(hosters, &sourcetest.FakeResolver{ResolveFunc: answers}, &sourcetest.FakeProber{ProbeFunc: probed})
		p.Workers, p.Total = 3, 3*time.Second
		told := make(map[string][]string)
		p.Outcome = func(o sources.ProbeOutcome) {
			what := string(o.Step)
			switch {
			case o.Step == sources.ProbeWorks:
				what += " " + o.Media.Container
			case o.Err != nil:
				what += " " + string(sources.ClassOf(o.Err))
			}
			if errors.Is(o.Err, sources.ErrHosterResting) {
				what = string(o.Step) + " resting"
			}
			told[o.ID] = append(told[o.ID], what)
		}
		want := map[string][]string{}
		var all []sources.Source
		for _, c := range []struct {
			hoster, path string
			want         []string
		}{
			{"a.example", "ok", []string{"began", "works mp4"}},
			{"b.example", "fault", []string{"began", "failed hoster_fault"}},
			{"c.example", "dead", []string{"began", "failed dead_link"}},
			{"d.example", "captcha", []string{"began", "failed unsupported"}},
			{"rests.example", "ok", []string{"skipped resting"}},
			{"e.example", "hang", []string{"began", "left"}},
			{"f.example", "hang", []string{"began", "left"}},
			{"g.example", "hang", []string{"began", "left"}},
			{"h.example", "ok", nil}, // nobody is free before the end
		} {
			src := at(c.hoster, c.path)
			all = append(all, src)
			if c.want != nil {
				want[src.ID] = c.want
			}
		}
		p.Probe(t.Context(), all)
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

// TestBGProbe_outcomeOfOutage tells of what is not tried since the network is down.
func TestBGProbe_outcomeOfOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosters := sourcetest.NewMemory(time.Now)
		p := newProbe(hosters, &sourcetest.FakeResolver{ResolveFunc: answers}, &sourcetest.FakeProber{ProbeFunc: probed})
		p.Workers = 1
		p.Streams.Attempts.Check = func(context.Context, string) error { return sources.Errorf(sources.ClassHosterFault, "no route") }
		last := at("c.example", "fault")
		var got sources.ProbeOutcome
		p.Outcome = func(o sources.ProbeOutcome) {
			if o.ID == last.ID {
				got = o
			}
		}
		p.Probe(t.Context(), []sources.Source{at("good.example", "ok"), at("a.example", "fault"), at("b.example", "fault"), last})
		if got.Step != sources.ProbeSkipped || !errors.Is(got.Err, sources.ErrNetworkDown) {
			t.Errorf("told %+v", got)
		}
	})
}

func TestBGProbeBounds(t *testing.T) {
	const sourcesCount, workers = 20, 4
	synctest.Test(t, func(t *testing.T) {
		hosters := sourcetest.NewMemory(time.Now)
		var (
			mu        sync.Mutex
			now, peak int
		)
		count := func(n int) {
			mu.Lock()
			defer mu.Unlock()
			now += n
			peak = max(peak, now)
		}
		prober := &sourcetest.FakeProber{ProbeFunc: func(ctx context.Context, _ sources.Stream) (sources.MediaInfo, error) {
			count(1)
			defer count(-1)
			_, err := slow(ctx, sources.Source{})
			return sources.MediaInfo{}, err
		}}
		p := newProbe(hosters, &sourcetest.FakeResolver{}, prober)
		p.Workers = workers
		var progress []sources.ProbeProgress
		p.Progress = func(x sources.ProbeProgress) { progress = append(progress, x) }
		var all []sources.Source
		for i := range sourcesCount {
			all = append(all, at(fmt.Sprintf("h%d.example", i), "a"))
		}
		start := time.Now()
		if ok, _, _ := p.Probe(t.Context(), all); ok != sourcesCount {
			t.Errorf("%d ok", ok)
		}
		if took := time.Since(start); took != sourcesCount/workers*time.Second || peak != workers {
			t.Errorf("took %s with %d at once, want %d", took, peak, workers)
		}
		for i, x := range progress {
			if want := (sources.ProbeProgress{Done: i + 1, OK: i + 1, Total: sourcesCount}); x != want {
				t.Errorf("progress %d: %+v", i, x)
			}
		}
		if len(progress) != sourcesCount {
			t.Errorf("%d times progress", len(progress))
		}
	})
}

// TestBGProbeEnds checks that neither the end of its time nor the user's counts
// against anybody.
func TestBGProbeEnds(t *testing.T) {
	for _, cancelled := range []bool{false, true} {
		t.Run(fmt.Sprintf("cancelled %t", cancelled), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hosters := sourcetest.NewMemory(time.Now)
				p := newProbe(hosters, &sourcetest.FakeResolver{ResolveFunc: answers}, &sourcetest.FakeProber{})
				p.Workers, p.Total = 2, 3*time.Second
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				want := 3 * time.Second
				if cancelled {
					want = time.Second
					time.AfterFunc(want, cancel)
				}
				start := time.Now()
				ok, failed, skipped := p.Probe(ctx, list("ok", "hang", "hang", "hang"))
				if took := time.Since(start); ok != 1 || failed != 0 || skipped != 0 || took != want {
					t.Errorf("got %d ok, %d failed, %d skipped after %s, want 1 ok after %s", ok, failed, skipped, took, want)
				}
				classes := map[sources.Class]int{}
				for _, report := range hosters.Reports() {
					classes[report.Class]++
				}
				if diff := cmp.Diff(map[sources.Class]int{sources.ClassOK: 2, sources.ClassCancelled: 2}, classes); diff != "" {
					t.Errorf("reports (-want +got):\n%s", diff)
				}
				if hosters.Open() != 0 {
					t.Errorf("%d attempts were not ended", hosters.Open())
				}
			})
		})
	}
}

func TestBGProbeFailingStore(t *testing.T) {
	hosters := sourcetest.NewMemory(time.Now)
	hosters.SetError(errors.New("disk is full"))
	var log bytes.Buffer
	p := newProbe(hosters, &sourcetest.FakeResolver{}, &sourcetest.FakeProber{})
	p.Logger = slog.New(slog.NewTextHandler(&log, nil))
	if ok, _, _ := p.Probe(t.Context(), list("a")); ok != 1 || !strings.Contains(log.String(), "disk is full") {
		t.Errorf("%d ok, logged:\n%s", ok, log.String())
	}
}
