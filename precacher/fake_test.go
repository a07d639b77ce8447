package precacher_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/precacher"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/sourcetest"
)

// ladder is how long a hoster is blocked after its n-th fail in a row.
var ladder = []time.Duration{
	0, 5 * time.Second, 10 * time.Second, 20 * time.Second, 30 * time.Second, 60 * time.Second, 300 * time.Second, 3600 * time.Second,
}

// world is a store, a resolver and a prober in memory. Hosters behave as their
// entry in act says, and answer at once where there is none.
type world struct {
	mu      sync.Mutex
	rows    []*row
	hosters map[string]*hoster
	okAt    time.Time // of the last success, for the guard
	cycle   int64
	canary  *sources.Canary // given for the next uncounted fail

	resolve map[string]func(context.Context) error // by hoster
	probe   map[string]func(context.Context) error
	scan    func(context.Context, sources.Title) error
	due     []sources.Title
	broken  map[string]error // error of a method of the store, by its name

	begun    []string // ids in the order of their attempts
	resolves map[string]int
	canaries []sources.Class
	pulls    int
	worked   time.Duration // of all resolves and probes together
	busy     int
	busyOn   map[string]int
	mostBusy int
	mostOn   map[string]int

	log sourcetest.Buffer
}

type row struct {
	src    sources.Source
	stream *sources.StoredStream
	dead   bool
	tried  int64 // the cycle of its last resolve
}

type hoster struct {
	fails    int
	until    time.Time
	leased   bool
	ok, fail int
}

func newWorld() *world {
	return &world{
		hosters: make(map[string]*hoster),
		resolve: make(map[string]func(context.Context) error), probe: make(map[string]func(context.Context) error),
		broken: make(map[string]error), resolves: make(map[string]int), busyOn: make(map[string]int), mostOn: make(map[string]int),
	}
}

// add puts n sources of a hoster at the end of the queue.
func (w *world) add(name string, n int) {
	for i := range n {
		w.rows = append(w.rows, &row{src: sources.Source{
			ID: fmt.Sprintf("%s/%d", name, i), Hoster: name, URL: fmt.Sprintf("http://%s/%d", name, i), Name: "film",
		}})
	}
}

// trouble gives a hoster fails whose block is over.
func (w *world) trouble(name string, fails int) { w.hosters[name] = &hoster{fails: fails} }

func (w *world) precacher(t testing.TB, change ...func(*precacher.Config)) *precacher.Precacher {
	t.Helper()
	logger := slog.New(slog.NewTextHandler(&w.log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey || a.Key == "stack" {
			return slog.Attr{}
		}
		return a
	}}))
	cfg := precacher.Config{
		Queue: w, Hosters: w.Hosters, Logger: logger, Prober: w, Workers: 4, PerHoster: 2,
		Due:  func(context.Context) ([]sources.Title, error) { return w.due, w.broken["Due"] },
		Scan: func(ctx context.Context, t sources.Title) error { return w.scan(ctx, t) },
		Streams: &sources.StreamResolve{
			Resolvers: []sources.Resolver{w}, Streams: w, Logger: logger,
			Attempts: &sources.Attempts{Store: w, Logger: logger, Check: func(context.Context, string) error { return nil }},
		},
	}
	for _, c := range change {
		c(&cfg)
	}
	p, err := precacher.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// cycleOf runs one cycle, which has to reach its end.
func (w *world) cycleOf(t testing.TB, p *precacher.Precacher) precacher.Summary {
	t.Helper()
	sum, err := p.Cycle(t.Context())
	if err != nil {
		t.Fatalf("Cycle() = %v\n%s", err, w.log.String())
	}
	return sum
}

// lines gives the log lines that hold part.
func (w *world) lines(part string) []string {
	var found []string
	for line := range strings.Lines(w.log.String()) {
		if strings.Contains(line, part) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// The queue.

func (w *world) BeginCycle(context.Context) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cycle++
	return w.cycle, w.broken["BeginCycle"]
}

func (w *world) queue(limit, perHoster int, wanted func(*row) bool) []sources.Job {
	var jobs []sources.Job
	taken := make(map[string]int)
	for _, r := range w.rows {
		h := w.hosters[r.src.Hoster]
		blocked := h != nil && h.until.After(time.Now())
		if len(jobs) == limit || blocked || r.dead || r.tried == w.cycle || !wanted(r) || taken[r.src.Hoster] == perHoster {
			continue
		}
		taken[r.src.Hoster]++
		jobs = append(jobs, sources.Job{Source: r.src})
	}
	return jobs
}

func (w *world) ResolveQueue(_ context.Context, renewBefore time.Duration, limit, perHoster int) ([]sources.Job, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pulls++
	return w.queue(limit, perHoster, func(r *row) bool {
		return !r.stream.Fresh(time.Now().Add(renewBefore), time.Hour)
	}), w.broken["ResolveQueue"]
}

func (w *world) ProbeQueue(_ context.Context, limit, perHoster int) ([]sources.Job, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.queue(limit, perHoster, func(r *row) bool { return r.stream != nil && r.stream.MediaInfo == nil }), nil
}

func (w *world) HoldBack(_ context.Context, sourceID string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.rows {
		if r.src.ID == sourceID {
			r.tried = w.cycle
		}
	}
	return w.broken["HoldBack"]
}

func (w *world) Hosters(context.Context) ([]sources.HosterHealth, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []sources.HosterHealth
	for name, h := range w.hosters {
		all = append(all, sources.HosterHealth{Name: name, ConsecutiveFails: h.fails, BackoffUntil: h.until})
	}
	return all, nil
}

// The hoster table.

func (w *world) BeginAttempt(ctx context.Context, name, link string, _ bool) (sources.Attempt, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := errors.Join(ctx.Err(), w.broken["BeginAttempt"]); err != nil {
		return sources.Attempt{}, false, err
	}
	h := w.hosters[name]
	if h == nil {
		h = new(hoster)
		w.hosters[name] = h
	}
	if h.until.After(time.Now()) || h.leased {
		return sources.Attempt{}, false, nil
	}
	h.leased = h.fails > 0
	w.begun = append(w.begun, link)
	for _, r := range w.rows {
		if r.src.URL == link {
			r.tried = w.cycle
		}
	}
	return sources.Attempt{Hoster: name, Link: link, Started: time.Now()}, true, nil
}

func (w *world) EndAttempt(_ context.Context, a sources.Attempt, class sources.Class, _ string) (*sources.Canary, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, h := time.Now(), w.hosters[a.Hoster]
	h.leased = false
	switch class {
	case sources.ClassOK:
		h.fails, h.until = 0, time.Time{}
		h.ok++
		w.okAt = now
	case sources.ClassHosterFault:
		h.fail++
		if now.Sub(w.okAt) > 30*time.Second {
			c := w.canary
			w.canary = nil
			return c, w.broken["EndAttempt"]
		}
		if !a.Started.Before(h.until) {
			h.fails++
			h.until = now.Add(ladder[min(h.fails, len(ladder)-1)])
		}
	default:
	}
	return nil, w.broken["EndAttempt"]
}

func (w *world) EndCanary(_ context.Context, _ sources.Canary, class sources.Class) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.canaries = append(w.canaries, class)
	return nil
}

// The streams.

func (w *world) row(id string) *row {
	return w.rows[slices.IndexFunc(w.rows, func(r *row) bool { return r.src.ID == id })]
}

func (w *world) CachedStream(_ context.Context, id string) (*sources.StoredStream, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.row(id).stream, nil
}

func (w *world) change(method string, fn func()) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.broken[method]; err != nil {
		return err
	}
	fn()
	return nil
}

func (w *world) PutStream(_ context.Context, id string, s sources.Stream) error {
	return w.change("PutStream", func() { w.row(id).stream = &sources.StoredStream{Stream: s, ResolvedAt: time.Now()} })
}

func (w *world) PutMediaInfo(_ context.Context, id string, m sources.MediaInfo) error {
	return w.change("PutMediaInfo", func() { w.row(id).stream.MediaInfo = &m })
}

func (w *world) DropStream(_ context.Context, id string) error {
	return w.change("DropStream", func() { w.row(id).stream = nil })
}

func (w *world) MarkDead(_ context.Context, id string) error {
	return w.change("MarkDead", func() { w.row(id).dead = true })
}

func (w *world) SourceMediaInfo(context.Context, []string) (map[string]sources.MediaInfo, error) {
	return nil, nil
}

// The resolver and the prober.

func (w *world) Name() string { return "world" }

func (w *world) Resolve(ctx context.Context, src sources.Source) (sources.Stream, error) {
	w.mu.Lock()
	w.resolves[src.ID]++
	w.mu.Unlock()
	return sources.Stream{URL: src.URL}, w.visit(ctx, src.Hoster, w.resolve[src.Hoster])
}

func (w *world) Probe(ctx context.Context, s sources.Stream) (sources.MediaInfo, error) {
	name := link.Hoster(s.URL)
	return sources.MediaInfo{Container: "mp4"}, w.visit(ctx, name, w.probe[name])
}

func (w *world) visit(ctx context.Context, name string, act func(context.Context) error) error {
	w.mu.Lock()
	w.busy++
	w.busyOn[name]++
	w.mostBusy = max(w.mostBusy, w.busy)
	w.mostOn[name] = max(w.mostOn[name], w.busyOn[name])
	w.mu.Unlock()
	begin := time.Now()
	defer func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.worked += time.Since(begin)
		w.busy--
		w.busyOn[name]--
	}()
	if act == nil {
		return nil
	}
	return act(ctx)
}

// takes is a hoster that answers after d, with err.
func takes(d time.Duration, err error) func(context.Context) error {
	return func(ctx context.Context) error {
		select {
		case <-time.After(d):
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

var errFault = sources.Errorf(sources.ClassHosterFault, "503 from the hoster")
