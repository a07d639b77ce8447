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
	"xship/sourcecache/health"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/sourcetest"
)

// block is how long a hoster is blocked after so many fails in a row.
func block(fails int) time.Duration {
	return time.Duration(health.Hosters().Backoff(int64(fails))) * time.Second
}

// world is a store, a resolver and a prober in memory. Hosters behave as their
// entry in act says, and answer at once where there is none.
type world struct {
	mu      sync.Mutex
	rows    []*row
	table   *sourcetest.Memory // the hoster table
	hosters map[string]*hoster // what tests set and see of it
	cycle   int64
	canary  *sources.Canary // given for the next uncounted fail
	// started is the start of the last attempt at a link as the table knows it. By
	// nanoseconds it tells attempts of one moment apart, which would lie in the
	// future for as long as the clock of a test stands still.
	started map[string]time.Time

	resolve map[string]func(context.Context) error // by hoster
	probe   map[string]func(context.Context) error
	scan    func(context.Context, sources.Title) error
	due     []sources.Title
	broken  map[string]error // error of a method of the store, by its name

	begun    []string // ids in the order of their attempts
	resolves map[string]int
	canaries []sources.Class
	pulls    int
	looks    int           // for hosters to test
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

// hoster is a row of the hoster table.
type hoster struct {
	fails    int
	until    time.Time
	leased   bool
	ok, fail int
}

// leaseElsewhere names the lease of an attempt that no cycle made.
const leaseElsewhere = "elsewhere"

// apply runs op on the hoster table, with what tests set of the hosters, and gives
// them what it became. The caller holds mu.
func (w *world) apply(op func()) {
	for name, h := range w.hosters {
		row := w.table.Hoster(name)
		row.ConsecutiveFails, row.OKCount, row.FailCount = int64(h.fails), int64(h.ok), int64(h.fail)
		row.BackoffUntil = 0
		if !h.until.IsZero() {
			row.BackoffUntil = h.until.Unix()
		}
		switch {
		case !h.leased:
			row.LeaseUntil, row.LeaseToken = 0, ""
		case row.LeaseToken == "":
			row.LeaseUntil, row.LeaseToken = time.Now().Unix()+health.LeaseTime, leaseElsewhere
		}
		w.table.SetHoster(name, row)
	}
	op()
	all, _ := w.table.Hosters(context.Background()) // never fails
	for _, known := range all {
		h := w.hosters[known.Name]
		if h == nil {
			h = new(hoster)
			w.hosters[known.Name] = h
		}
		now := hoster{
			fails: known.ConsecutiveFails, until: known.BackoffUntil, leased: w.table.Hoster(known.Name).LeaseToken != "",
			ok: int(known.OKCount), fail: int(known.FailCount),
		}
		if *h != now { // tests look at the others meanwhile
			*h = now
		}
	}
}

func newWorld() *world {
	return &world{
		table: sourcetest.NewMemory(time.Now), hosters: make(map[string]*hoster), started: make(map[string]time.Time),
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
		Queue: w, Hosters: w.Hosters, Guard: w.Guard, Logger: logger, Observer: sources.EventLog{Logger: logger}, Prober: w, Workers: 4, PerHoster: 2,
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
func (w *world) cycleOf(t testing.TB, p *precacher.Precacher) sources.CycleSummary {
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
		blocked := h != nil && h.until.After(time.Now()) // leases are met when an attempt begins, as those that were taken since
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

func (w *world) Hosters(ctx context.Context) (all []sources.HosterHealth, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.apply(func() { all, err = w.table.Hosters(ctx) })
	return all, err
}

// The hoster table.

func (w *world) BeginAttempt(ctx context.Context, name, link string, force bool) (a sources.Attempt, ok bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := errors.Join(ctx.Err(), w.broken["BeginAttempt"]); err != nil {
		return sources.Attempt{}, false, err
	}
	w.apply(func() { a, ok, err = w.table.BeginAttempt(ctx, name, link, force) })
	if !ok || err != nil {
		return a, ok, err
	}
	w.begun = append(w.begun, link)
	w.started[link] = a.Started
	a.Started = time.Now()
	for _, r := range w.rows {
		if r.src.URL == link {
			r.tried = w.cycle
		}
	}
	return a, true, nil
}

func (w *world) EndAttempt(ctx context.Context, a sources.Attempt, class sources.Class, detail string) (canary *sources.Canary, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if started, ok := w.started[a.Link]; ok {
		a.Started = started
	}
	w.apply(func() {
		before := w.table.Hoster(a.Hoster).ConsecutiveFails
		canary, err = w.table.EndAttempt(ctx, a, class, detail)
		counted := w.table.Hoster(a.Hoster).ConsecutiveFails > before
		if class == sources.ClassHosterFault && !counted && w.canary != nil {
			canary, w.canary = w.canary, nil
		}
	})
	return canary, errors.Join(err, w.broken["EndAttempt"])
}

func (w *world) EndCanary(ctx context.Context, c sources.Canary, class sources.Class) (next *sources.Canary, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.canaries = append(w.canaries, class)
	w.apply(func() { next, err = w.table.EndCanary(ctx, c, class) })
	return next, err
}

func (w *world) TestOutage(ctx context.Context, asked bool) (c *sources.Canary, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.apply(func() { c, err = w.table.TestOutage(ctx, asked) })
	return c, errors.Join(err, w.broken["TestOutage"])
}

func (w *world) DueRetests(ctx context.Context, among []sources.Retest, except []string, limit int) (due []sources.Retest, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks++
	w.apply(func() { due, err = w.table.DueRetests(ctx, among, except, limit) })
	return due, errors.Join(err, w.broken["DueRetests"])
}

func (w *world) Guard(ctx context.Context) (guard sources.GuardState, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	guard, err = w.table.Guard(ctx)
	return guard, errors.Join(err, w.broken["Guard"])
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

func (w *world) MarkNeeds(context.Context, string, string) error {
	return w.change("MarkNeeds", func() {})
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
