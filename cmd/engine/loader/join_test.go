package loader_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"xship/cmd/engine/loader"
	"xship/config/failover"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/sourcetest"
)

// preferences are those of several processes, in memory.
type preferences struct {
	mu     sync.Mutex
	values map[string]json.RawMessage
}

func (p *preferences) Get(key string) (json.RawMessage, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.values[key], nil
}

func (p *preferences) Update(change func(values map[string]json.RawMessage)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	values := maps.Clone(p.values)
	change(values)
	p.values = values
	return nil
}

// crowd is a loader over interfaces in memory, so that a test has a clock of its own
// and can wait until all callers do.
type crowd struct {
	*loader.Loader
	testing.TB
	store  *sourcetest.Memory
	prefs  *preferences
	cutOff func() // called when a request is broken off; nil: nothing is

	mu       sync.Mutex
	broken   map[string]bool
	gates    map[string]chan struct{} // that answers wait for
	requests map[string]int
}

// newCrowd has the interfaces a, b, c ... in the list, in this order, a in use.
func newCrowd(tb testing.TB, names ...string) *crowd {
	tb.Helper()
	c := &crowd{
		TB: tb, store: sourcetest.NewMemory(time.Now), prefs: &preferences{values: map[string]json.RawMessage{}},
		broken: map[string]bool{}, gates: map[string]chan struct{}{}, requests: map[string]int{},
	}
	c.Loader = c.another(c.store)
	var urls []string
	for _, name := range names {
		urls = append(urls, c.url(name))
		if _, err := c.store.AddInterface(tb.Context(), c.url(name), name); err != nil {
			tb.Fatal(err)
		}
	}
	if err := c.Order.SetOrder(urls); err != nil {
		tb.Fatal(err)
	}
	return c
}

// another is a Loader as another process has it.
func (c *crowd) another(store sources.InterfaceStore) *loader.Loader {
	return loader.New(loader.Options{
		Store: store, Order: failover.NewInterfaceOrderStore(c.prefs), Get: c.get, Books: new(sources.Bookkeeper), Now: time.Now,
		Logger: slog.New(slog.DiscardHandler), Timeout: 8 * time.Second, MaxAge: time.Hour,
	})
}

func (*crowd) url(name string) string { return "http://" + name + ".example/vod.json" }

// get answers with one site, whose key is the address.
func (c *crowd) get(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
	c.mu.Lock()
	c.requests[r.URL]++
	gate := c.gates[r.URL]
	c.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			if c.cutOff != nil {
				c.cutOff()
			}
			return nil, ctx.Err()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken[r.URL] {
		return nil, &fetch.Error{URL: r.URL, Reason: fetch.ReasonStatus, Status: 503}
	}
	body := fmt.Sprintf(`{"sites":[{"key":%q,"type":1,"api":"http://127.0.2.1/api"}]}`, r.URL)
	return &fetch.Response{Status: 200, Body: []byte(body), FinalURL: r.URL}, nil
}

// hold keeps the answers of an interface back until what it gives is called.
func (c *crowd) hold(name string) (release func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	gate := make(chan struct{})
	c.gates[c.url(name)] = gate
	return sync.OnceFunc(func() {
		close(gate)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.gates, c.url(name))
	})
}

func (c *crowd) breaks(names ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, name := range names {
		c.broken[c.url(name)] = true
	}
}

func (c *crowd) mends(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.broken, c.url(name))
}

func (c *crowd) mode(m failover.Mode) {
	c.Helper()
	if err := c.Order.SetMode(m); err != nil {
		c.Fatal(err)
	}
}

func (c *crowd) use(name string) {
	c.Helper()
	if err := c.store.SetCurrentInterface(c.Context(), c.url(name)); err != nil {
		c.Fatal(err)
	}
}

func (c *crowd) remove(name, next string) {
	c.Helper()
	if _, err := c.store.RemoveInterface(c.Context(), c.url(name), c.url(next)); err != nil {
		c.Fatal(err)
	}
}

// asked checks how often interfaces were asked, all that were.
func (c *crowd) asked(want map[string]int) {
	c.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	expected := map[string]int{}
	for name, n := range want {
		expected[c.url(name)] = n
	}
	if !maps.Equal(c.requests, expected) {
		c.Errorf("requests %v, want %v", c.requests, expected)
	}
}

// loaded is how a load ended, and what its caller was told.
type loaded struct {
	result   loader.Result
	err      error
	after    time.Duration
	switches []string
	events   []loader.Event
	done     chan struct{}
}

// name is the name of the interface that was loaded, or the error.
func (l *loaded) name() string {
	<-l.done
	if l.err != nil {
		return l.err.Error()
	}
	return l.result.Interface.Name
}

// start begins a load, and waits until it waits itself.
func (c *crowd) start(ctx context.Context, req loader.Request) *loaded {
	l := &loaded{done: make(chan struct{})}
	req.Announce = func(s loader.Switch) { l.switches = append(l.switches, s.To.Name) }
	req.Loaded = func(e loader.Event) { l.events = append(l.events, e) }
	began := time.Now()
	go func() {
		defer close(l.done)
		l.result, l.err = c.Load(ctx, req)
		l.after = time.Since(began)
	}()
	synctest.Wait()
	return l
}

// TestJoined: one round, and one request, serves all who want the same.
func TestJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b", "c")
		c.breaks("a")
		releaseA, releaseB := c.hold("a"), c.hold("b")
		var all []*loaded
		for range 32 {
			all = append(all, c.start(t.Context(), loader.Request{Limit: 30 * time.Second}))
		}
		releaseA()
		synctest.Wait()
		for range 32 { // who comes after a switch hears of it too
			all = append(all, c.start(t.Context(), loader.Request{}))
		}
		releaseB()
		for _, l := range all {
			if l.name() != "b" || !slices.Equal(l.switches, []string{"b"}) || len(l.events) != 1 || l.events[0].Err != nil {
				t.Fatalf("%s, told %v, %d events", l.name(), l.switches, len(l.events))
			}
			if !slices.Equal(l.result.FailedOverFrom, []string{c.url("a")}) {
				t.Errorf("failed over from %v", l.result.FailedOverFrom)
			}
		}
		c.asked(map[string]int{"a": 1, "b": 1})
	})
}

// TestSlowCaller: a caller that takes its time to tell a user of a switch, or has a bug
// in that, holds up nobody else. It hears of all switches, in their order.
func TestSlowCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b", "c")
		c.breaks("a", "b")
		release := c.hold("a")
		free := make(chan struct{})
		var heard []string
		slow := loader.Request{Caller: loader.Caller{Announce: func(s loader.Switch) {
			heard = append(heard, s.To.Name)
			<-free
		}}}
		broken := loader.Request{Caller: loader.Caller{Announce: func(loader.Switch) { panic("no terminal") }}}
		results := make(chan error, 2)
		for _, req := range []loader.Request{slow, broken} {
			go func() {
				result, err := c.Load(t.Context(), req)
				if result.Interface.Name != "c" {
					err = fmt.Errorf("got %s, %w", result.Interface.Name, err)
				}
				results <- err
			}()
		}
		quick := c.start(t.Context(), loader.Request{})
		release()
		if quick.name() != "c" || !slices.Equal(quick.switches, []string{"b", "c"}) {
			t.Errorf("%s, told %v", quick.name(), quick.switches)
		}
		close(free)
		for range 2 {
			if err := <-results; err != nil {
				t.Error(err)
			}
		}
		if !slices.Equal(heard, []string{"b", "c"}) {
			t.Errorf("told %v", heard)
		}
		c.asked(map[string]int{"a": 1, "b": 1, "c": 1})
	})
}

// TestNotJoined: who wants something else has a round of its own, and retires none.
func TestNotJoined(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b")
		release := c.hold("a")
		first := c.start(t.Context(), loader.Request{})
		refresh := c.start(t.Context(), loader.Request{Refresh: true})
		c.mode(failover.Manual)
		manual := c.start(t.Context(), loader.Request{})
		if own := c.start(t.Context(), loader.Request{Ref: "b"}); own.name() != "b" {
			t.Errorf("for one load: %s", own.name())
		}
		own := c.start(t.Context(), loader.Request{Ref: "a"})
		release()
		for _, l := range []*loaded{first, refresh, manual, own} {
			if l.name() != "a" {
				t.Error(l.name())
			}
		}
		c.asked(map[string]int{"a": 4, "b": 1})
		if url, err := c.store.CurrentInterface(t.Context()); err != nil || url != c.url("a") {
			t.Errorf("%s is in use, %v", url, err)
		}
	})
}

// TestOwnTime: each caller waits as long as it wants, and what it does ends no other's
// waiting.
func TestOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b")
		c.hold("a")
		deadline, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		cancelled, cancelNow := context.WithCancel(t.Context())
		limit := c.start(t.Context(), loader.Request{Limit: 2 * time.Second})
		byDeadline := c.start(deadline, loader.Request{})
		byCancel := c.start(cancelled, loader.Request{})
		patient := c.start(t.Context(), loader.Request{Limit: time.Minute})
		cancelNow()
		<-byCancel.done
		if !errors.Is(byCancel.err, context.Canceled) || byCancel.after != 0 || len(byCancel.events) > 0 {
			t.Errorf("cancelled: %v after %s", byCancel.err, byCancel.after)
		}
		<-byDeadline.done
		if !errors.Is(byDeadline.err, context.DeadlineExceeded) || byDeadline.after != time.Second || len(byDeadline.events) > 0 {
			t.Errorf("with a deadline: %v after %s", byDeadline.err, byDeadline.after)
		}
		<-limit.done
		failed, ok := errors.AsType[*loader.FailedError](limit.err)
		if !ok || !failed.OutOfTime || limit.after != 2*time.Second || len(limit.events) != 1 {
			t.Errorf("with a limit: %v after %s", limit.err, limit.after)
		}
		if patient.name() != "b" || patient.after != 8*time.Second || !slices.Equal(patient.switches, []string{"b"}) {
			t.Errorf("%s after %s", patient.name(), patient.after)
		}
		c.asked(map[string]int{"a": 1, "b": 1})
		synctest.Wait() // for what is recorded
		if rows, _, err := c.Interfaces(t.Context()); err != nil || rows[0].LastError != "got no answer in time" {
			t.Errorf("recorded %+v, %v; the short limit of one caller says nothing", rows, err)
		}
	})
}

// TestLastLeaves: the round ends with the last caller, whose cancelling is no failure.
func TestLastLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b")
		release := c.hold("a")
		ctx, cancel := context.WithCancel(t.Context())
		one, two := c.start(ctx, loader.Request{}), c.start(ctx, loader.Request{})
		cancel()
		<-one.done
		<-two.done
		if n := c.Waiting(); n != 0 {
			t.Errorf("%d wait", n)
		}
		again := c.start(t.Context(), loader.Request{}) // has a round of its own
		release()
		if again.name() != "a" {
			t.Error(again.name())
		}
		c.asked(map[string]int{"a": 2})
	})
}

// TestLimitWithoutOthers says what a caller is told whose time is over, where there
// is nothing else to try.
func TestLimitWithoutOthers(t *testing.T) {
	for _, mode := range []failover.Mode{failover.Auto, failover.Off} {
		synctest.Test(t, func(t *testing.T) {
			c := newCrowd(t, "a")
			c.mode(mode)
			c.hold("a")
			l := c.start(t.Context(), loader.Request{Limit: time.Second})
			<-l.done
			_, several := errors.AsType[*loader.FailedError](l.err)
			if cause(l.err) != vod.CauseTimeout || several || l.after != time.Second {
				t.Errorf("%s: %v after %s", mode, l.err, l.after)
			}
		})
	}
}

// stuckStore is a store whose interface in use, from some moment on, is read or set
// by nobody.
type stuckStore struct {
	*sourcetest.Memory
	read, set bool
	stuck     *atomic.Bool
}

func (s stuckStore) wait(ctx context.Context, sticks bool) {
	if sticks && s.stuck.Load() {
		<-ctx.Done()
	}
}

func (s stuckStore) CurrentInterface(ctx context.Context) (string, error) {
	s.wait(ctx, s.read)
	return s.Memory.CurrentInterface(ctx)
}

func (s stuckStore) SwitchInterface(ctx context.Context, from, to string) (bool, error) {
	s.wait(ctx, s.set)
	return s.Memory.SwitchInterface(ctx, from, to)
}

// TestLimitAfterTheAnswer: what was loaded in time is the result of each caller whose
// time is over before the round is, and no failure of the interface.
func TestLimitAfterTheAnswer(t *testing.T) {
	for _, test := range []struct {
		mode  failover.Mode
		want  string
		store stuckStore
		limit []time.Duration // of the callers
	}{
		{failover.Off, "a", stuckStore{read: true}, []time.Duration{100 * time.Millisecond}},
		{failover.Off, "a", stuckStore{read: true}, []time.Duration{100 * time.Millisecond, 200 * time.Millisecond}},
		{failover.Auto, "a", stuckStore{read: true}, []time.Duration{100 * time.Millisecond}},
		{failover.Auto, "b", stuckStore{set: true}, []time.Duration{100 * time.Millisecond}},
		{failover.Auto, "b", stuckStore{set: true}, []time.Duration{100 * time.Millisecond, 200 * time.Millisecond}},
	} {
		t.Run(fmt.Sprint(test.mode, " ", test.want, " ", test.limit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCrowd(t, "a", "b")
				test.store.Memory, test.store.stuck = c.store, new(atomic.Bool)
				c.Loader = c.another(test.store)
				c.mode(test.mode)
				if test.want == "b" {
					c.breaks("a")
				}
				release := c.hold(test.want)
				var all []*loaded
				for _, limit := range test.limit {
					all = append(all, c.start(t.Context(), loader.Request{Limit: limit}))
				}
				test.store.stuck.Store(true)
				release()
				for i, l := range all {
					if l.name() != test.want || l.after != test.limit[i] || len(l.events) != 1 || l.events[0].Err != nil {
						t.Errorf("%s after %s", l.name(), l.after)
					}
				}
				synctest.Wait() // for what is recorded
				test.store.stuck.Store(false)
				time.Sleep(time.Second) // for what the store was asked meanwhile
				rows, _, err := c.Interfaces(t.Context())
				for _, row := range rows {
					if row.Name == test.want && (row.LastError != "" || row.LastLoadedAt.IsZero()) || err != nil {
						t.Errorf("recorded %+v, %v", row, err)
					}
				}
			})
		})
	}
}

// lateStore is a store whose interface in use is read and set only after a while.
type lateStore struct {
	*sourcetest.Memory
	read, set time.Duration
}

func (s lateStore) after(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s lateStore) CurrentInterface(ctx context.Context) (string, error) {
	if err := s.after(ctx, s.read); err != nil {
		return "", err
	}
	return s.Memory.CurrentInterface(ctx)
}

func (s lateStore) SwitchInterface(ctx context.Context, from, to string) (bool, error) {
	if err := s.after(ctx, s.set); err != nil {
		return false, err
	}
	return s.Memory.SwitchInterface(ctx, from, to)
}

// TestLimitAtTheSwitch has the time of the last caller end between the answer of what
// failover found and the moment at which the store has it in use: it is put in use all the
// same, unless the user chose another one.
func TestLimitAtTheSwitch(t *testing.T) {
	for name, test := range map[string]struct {
		store  lateStore
		chosen string // by the user meanwhile
		want   string
	}{
		"before the switch":         {lateStore{read: 300 * time.Millisecond}, "", "b"},
		"in the switch":             {lateStore{set: 300 * time.Millisecond}, "", "b"},
		"in the switch of a choice": {lateStore{set: 300 * time.Millisecond}, "c", "c"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCrowd(t, "a", "b", "c")
				test.store.Memory = c.store
				c.Loader = c.another(test.store)
				c.breaks("a")
				limit := 2*test.store.read + 100*time.Millisecond // it is read before the load, too
				l := c.start(t.Context(), loader.Request{Limit: limit})
				if l.name() != "b" || l.after != limit {
					t.Errorf("%s after %s, want b after %s", l.name(), l.after, limit)
				}
				if test.chosen != "" {
					c.use(test.chosen)
				}
				time.Sleep(time.Second)
				if url, err := c.store.CurrentInterface(t.Context()); url != c.url(test.want) || err != nil {
					t.Errorf("%s is in use, %v, want %s", url, err, test.want)
				}
			})
		})
	}
}

// buggyStore is a store that panics when an interface is put in use.
type buggyStore struct{ *sourcetest.Memory }

func (buggyStore) SwitchInterface(context.Context, string, string) (bool, error) { panic("bug") }

// TestBugInTheSwitch has what failover found answered although the store cannot put it in
// use for a bug.
func TestBugInTheSwitch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b")
		c.Loader = c.another(buggyStore{c.store})
		c.breaks("a")
		if l := c.start(t.Context(), loader.Request{}); l.name() != "b" {
			t.Errorf("%s, want b", l.name())
		}
	})
}

// question is a caller that can be asked.
type question struct {
	asked  chan loader.Question
	answer chan loader.Answer
	err    error // in place of an answer
}

func newQuestion() *question {
	return &question{asked: make(chan loader.Question, 9), answer: make(chan loader.Answer)}
}

func (q *question) ask(ctx context.Context, asked loader.Question) (loader.Answer, error) {
	q.asked <- asked
	if q.err != nil {
		return loader.Answer{}, q.err
	}
	select {
	case a := <-q.answer:
		return a, nil
	case <-ctx.Done():
		return loader.Answer{}, ctx.Err()
	}
}

func (q *question) request() loader.Request {
	return loader.Request{Limit: 10 * time.Second, Caller: loader.Caller{Ask: q.ask}}
}

func unasked(t *testing.T, l *loaded, candidates ...string) {
	t.Helper()
	<-l.done
	failed, ok := errors.AsType[*loader.FailedError](l.err)
	if !ok || !failed.Unasked || len(failed.Failures) != 1 || len(l.events) != 1 {
		t.Fatalf("got %v", l.err)
	}
	var names []string
	for _, i := range failed.Candidates {
		names = append(names, i.Name)
	}
	if !slices.Equal(names, candidates) {
		t.Errorf("candidates %v, want %v", names, candidates)
	}
}

// TestManualTogether: one caller is asked, those who could be wait for that answer,
// those who could not are told at once, and the clocks of those who wait stand still.
func TestManualTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b", "c")
		c.mode(failover.Manual)
		c.breaks("a")
		release := c.hold("a")
		first, second := newQuestion(), newQuestion()
		none := c.start(t.Context(), loader.Request{})
		asked, waits := c.start(t.Context(), first.request()), c.start(t.Context(), second.request())
		release()
		unasked(t, none, "b", "c")
		if q := <-first.asked; q.Failed.Name != "a" || len(q.Candidates) != 2 {
			t.Errorf("asked %+v", q)
		}
		time.Sleep(time.Minute) // of the bubble
		late := c.start(t.Context(), newQuestion().request())
		unasked(t, c.start(t.Context(), loader.Request{}), "b", "c")
		time.Sleep(time.Minute)
		first.answer <- loader.Answer{URL: c.url("c")}
		for l, waited := range map[*loaded]time.Duration{asked: 2 * time.Minute, waits: 2 * time.Minute, late: time.Minute} {
			if l.name() != "c" || l.result.Waited != waited {
				t.Errorf("%s, waited %s, want %s", l.name(), l.result.Waited, waited)
			}
		}
		if len(second.asked) > 0 {
			t.Error("two were asked")
		}
		c.asked(map[string]int{"a": 1, "c": 1})
	})
}

// TestManualAskerLeaves: where who is asked leaves, or cannot be asked after all, the
// next one is.
func TestManualAskerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b")
		c.mode(failover.Manual)
		c.breaks("a")
		release := c.hold("a")
		first, broken, third := newQuestion(), newQuestion(), newQuestion()
		broken.err = errors.New("no terminal")
		ctx, cancel := context.WithCancel(t.Context())
		leaves := c.start(ctx, first.request())
		fails := c.start(t.Context(), broken.request())
		stays := c.start(t.Context(), third.request())
		release()
		<-first.asked
		cancel()
		if <-leaves.done; !errors.Is(leaves.err, context.Canceled) {
			t.Error(leaves.err)
		}
		if <-fails.done; !errors.Is(fails.err, broken.err) {
			t.Error(fails.err)
		}
		<-third.asked
		third.answer <- loader.Answer{Cancel: true}
		<-stays.done
		if failed, ok := errors.AsType[*loader.FailedError](stays.err); !ok || !failed.Cancelled {
			t.Error(stays.err)
		}
		c.asked(map[string]int{"a": 1})
	})
}

// TestAnotherProcess: a choice of the user's in another process ends rounds, and only
// that. All callers of the round go on together.
func TestAnotherProcess(t *testing.T) {
	for name, test := range map[string]struct {
		do       func(c *crowd, other *loader.Loader)
		want     string
		requests map[string]int
	}{
		"another interface in use": {
			func(c *crowd, _ *loader.Loader) { c.use("c") },
			"c",
			map[string]int{"a": 1, "b": 1, "c": 1},
		},
		"failover off": {
			func(c *crowd, _ *loader.Loader) { c.mode(failover.Off) },
			"load interface http://a.example/vod.json: got HTTP status 503 Service Unavailable; the server is in trouble; try again later",
			map[string]int{"a": 1, "b": 1},
		},
		"manual from now on": {
			func(c *crowd, _ *loader.Loader) { c.mode(failover.Manual) },
			"b",
			map[string]int{"a": 1, "b": 1},
		},
		"another order": {
			func(c *crowd, _ *loader.Loader) { _ = c.Order.SetOrder([]string{c.url("c"), c.url("a")}) },
			"b",
			map[string]int{"a": 1, "b": 1},
		},
		"a load for one run": {
			func(c *crowd, other *loader.Loader) {
				if _, err := other.Load(c.Context(), loader.Request{Ref: "c"}); err != nil {
					c.Error(err)
				}
			},
			"b",
			map[string]int{"a": 1, "b": 1, "c": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCrowd(t, "a", "b", "c")
				c.breaks("a")
				release := c.hold("b")
				one, two := c.start(t.Context(), loader.Request{}), c.start(t.Context(), loader.Request{})
				test.do(c, c.another(c.store))
				time.Sleep(time.Second) // of the bubble
				release()
				for _, l := range []*loaded{one, two} {
					if got := l.name(); got != test.want {
						t.Errorf("got %s, want %s", got, test.want)
					}
				}
				c.asked(test.requests)
			})
		})
	}
}

// TestSwitchRetiresNone: what failover of one round puts in use is no choice of the
// user's, and ends no other round; the answer to a question is one.
func TestSwitchRetiresNone(t *testing.T) {
	for mode, want := range map[failover.Mode]string{failover.Auto: "a", failover.Manual: "b"} {
		synctest.Test(t, func(t *testing.T) {
			c := newCrowd(t, "a", "b")
			c.mode(mode)
			c.breaks("a")
			releaseB := c.hold("b")
			q := newQuestion()
			first := c.start(t.Context(), q.request()) // is at b, or asks
			c.mends("a")
			releaseA := c.hold("a")
			other := c.start(t.Context(), loader.Request{Refresh: true}) // is at a
			if mode == failover.Manual {
				q.answer <- loader.Answer{URL: c.url("b")}
			}
			releaseB()
			if first.name() != "b" {
				t.Error(first.name())
			}
			time.Sleep(time.Second) // of the bubble
			releaseA()
			if other.name() != want {
				t.Errorf("%s: %s, want %s", mode, other.name(), want)
			}
		})
	}
}

// TestSwitchAfterSwitch: nor does it keep another round from putting in use what that
// found.
func TestSwitchAfterSwitch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b", "c")
		c.breaks("a")
		releaseB := c.hold("b")
		first := c.start(t.Context(), loader.Request{})
		releaseA := c.hold("a")
		second := c.start(t.Context(), loader.Request{Refresh: true})
		releaseB()
		if first.name() != "b" {
			t.Error(first.name())
		}
		c.breaks("b")
		releaseA()
		if second.name() != "c" {
			t.Error(second.name())
		}
		if _, current, err := c.Interfaces(t.Context()); err != nil || current.Name != "c" {
			t.Errorf("%s is in use, %v", current.Name, err)
		}
	})
}

// chooser is a store in which something else happens right before a switch.
type chooser struct {
	*sourcetest.Memory
	before func()
}

func (s chooser) SwitchInterface(ctx context.Context, from, to string) (bool, error) {
	s.before()
	return s.Memory.SwitchInterface(ctx, from, to)
}

// TestChosenAtTheSwitch: failover puts nothing in use in the place of what the user
// chose, nor what is not listed any more.
func TestChosenAtTheSwitch(t *testing.T) {
	for name, test := range map[string]struct {
		before func(c *crowd)
		want   string
	}{
		"nothing":  {func(*crowd) {}, "b"},
		"used":     {func(c *crowd) { c.use("c") }, "c"},
		"none now": {func(c *crowd) { c.remove("a", "") }, "c"}, // the first one of the order
		"next now": {func(c *crowd) { c.remove("a", "d") }, "d"},
		"removed":  {func(c *crowd) { c.remove("b", "") }, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCrowd(t, "a", "b", "c", "d")
				c.breaks("a")
				if err := c.Order.SetOrder([]string{c.url("c"), c.url("a"), c.url("b"), c.url("d")}); err != nil {
					t.Fatal(err)
				}
				c.Loader = c.another(chooser{c.store, func() { test.before(c) }})
				if l := c.start(t.Context(), loader.Request{}); l.name() != "b" {
					t.Error(l.name())
				}
				if _, current, err := c.Interfaces(t.Context()); err != nil || current.Name != test.want {
					t.Errorf("%s is in use, want %s; %v", current.Name, test.want, err)
				}
			})
		})
	}
}

// TestChosenAndBack: a choice that ended a part of a round, and was taken back at once,
// ends the round all the same. It is no failure of the interface.
func TestChosenAndBack(t *testing.T) {
	for name, change := range map[string]struct{ do, undo func(c *crowd) }{
		"interface": {func(c *crowd) { c.use("c") }, func(c *crowd) { c.use("a") }},
		"mode":      {func(c *crowd) { c.mode(failover.Off) }, func(c *crowd) { c.mode(failover.Auto) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCrowd(t, "a", "b", "c")
				c.breaks("a")
				release := c.hold("b")
				l := c.start(t.Context(), loader.Request{})
				c.cutOff = func() {
					change.undo(c)
					release()
				}
				change.do(c)
				<-l.done
				rows, _, err := c.Interfaces(t.Context())
				if err != nil || rows[1].LastError != "" || errors.Is(l.err, context.Canceled) {
					t.Errorf("got %v, recorded %+v, %v", l.err, rows, err)
				}
				if name == "interface" && l.name() != "b" || name == "mode" && cause(l.err) != vod.CauseStatus {
					t.Errorf("got %s", l.name())
				}
			})
		})
	}
}

// TestChosenAgainAndAgain: a load gives up where the user never stops choosing.
func TestChosenAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b")
		c.hold("a")
		c.hold("b")
		l := c.start(t.Context(), loader.Request{})
		for i := 0; ; i++ {
			select {
			case <-l.done:
				if !errors.Is(l.err, loader.ErrRetired) || len(l.events) > 0 {
					t.Error(l.err)
				}
				return
			default:
				c.use([]string{"b", "a"}[i%2])
				time.Sleep(300 * time.Millisecond) // of the bubble
			}
		}
	})
}

// slowStore is a store that others hold.
type slowStore struct {
	*sourcetest.Memory
	held chan struct{}
}

func (s slowStore) wait(ctx context.Context) error {
	select {
	case <-s.held:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s slowStore) RecordInterfaceUse(ctx context.Context, url string, at time.Time) error {
	return errors.Join(s.wait(ctx), s.Memory.RecordInterfaceUse(ctx, url, at))
}

func (s slowStore) RecordInterfaceLoad(ctx context.Context, url string, at time.Time, loadErr string, used bool) error {
	return errors.Join(s.wait(ctx), s.Memory.RecordInterfaceLoad(ctx, url, at, loadErr, used))
}

func (s slowStore) PutConfig(ctx context.Context, url string, config sources.StoredConfig, of string) error {
	return errors.Join(s.wait(ctx), s.Memory.PutConfig(ctx, url, config, of))
}

// TestStoreThatWaits: nobody waits for a store that records nothing, what it is still
// to record counts all the same, and closing waits for it no longer than a moment.
func TestStoreThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b")
		store := slowStore{Memory: c.store, held: make(chan struct{})}
		c.Loader = c.another(store)
		c.breaks("a")
		for range 3 {
			if l := c.start(t.Context(), loader.Request{}); l.name() != "b" || l.after != 0 {
				t.Errorf("%s after %s", l.name(), l.after)
			}
			time.Sleep(9 * time.Second) // of the bubble
		}
		c.asked(map[string]int{"a": 1, "b": 1})
		began := time.Now()
		if err := c.Books.Close(); err != nil || time.Since(began) != 250*time.Millisecond {
			t.Errorf("closed after %s, %v", time.Since(began), err)
		}
		synctest.Wait()

		second := c.another(store)
		c.use("b")
		if _, err := second.Load(t.Context(), loader.Request{}); err != nil { // asked again: nothing was stored
			t.Fatal(err)
		}
		close(store.held)
		began = time.Now()
		if err := second.Books.Close(); err != nil || time.Since(began) != 0 {
			t.Errorf("closed after %s, %v", time.Since(began), err)
		}
		if _, err := c.another(store).Load(t.Context(), loader.Request{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c.asked(map[string]int{"a": 1, "b": 2})
	})
}

// TestStoreThatWaits_removed: what is still to be stored of an interface that is removed
// meanwhile does not come back, while what was loaded for one run is stored as ever.
func TestStoreThatWaits_removed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b", "c")
		store := slowStore{Memory: c.store, held: make(chan struct{})}
		c.Loader = c.another(store)
		for _, ref := range []string{"", c.url("b"), c.url("once")} {
			if _, err := c.Load(t.Context(), loader.Request{Ref: ref}); err != nil {
				t.Fatal(err)
			}
		}
		go func() { _, _ = c.Check(t.Context(), c.url("c")) }()
		synctest.Wait()
		for _, name := range []string{"a", "b", "c"} {
			if _, err := c.store.RemoveInterface(t.Context(), c.url(name), ""); err != nil {
				t.Fatal(err)
			}
		}
		close(store.held)
		synctest.Wait()
		for name, want := range map[string]bool{"a": false, "b": false, "c": false, "once": true} {
			if stored, err := c.store.CachedConfig(t.Context(), c.url(name)); err != nil || (stored != nil) != want {
				t.Errorf("config of %s: %v, %v; want it stored: %v", name, stored, err, want)
			}
		}
	})
}

// countingStore counts the uses that are recorded.
type countingStore struct {
	*sourcetest.Memory
	uses *int // changed by one goroutine at a time
}

func (s countingStore) RecordInterfaceUse(ctx context.Context, url string, at time.Time) error {
	*s.uses++
	return s.Memory.RecordInterfaceUse(ctx, url, at)
}

// TestUsed: an interface is used also from the stored copy, which is recorded once a
// minute, and not where it is loaded for one run or looked at.
func TestUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b")
		uses := 0
		l := c.another(countingStore{c.store, &uses})
		load := func(l *loader.Loader, req loader.Request, want int) {
			t.Helper()
			if _, err := l.Load(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if uses != want {
				t.Errorf("%d uses recorded, want %d", uses, want)
			}
		}
		for _, name := range []string{"a", "b"} {
			if _, err := l.Check(t.Context(), c.url(name)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		load(l, loader.Request{Ref: "b"}, 0)
		load(l, loader.Request{}, 1)
		rows, _, err := l.Interfaces(t.Context())
		if err != nil || !rows[0].UsedAt.Equal(time.Now()) || !rows[0].LastLoadedAt.Equal(time.Now().Add(-time.Minute)) || !rows[1].UsedAt.IsZero() {
			t.Errorf("got %+v, %v", rows, err)
		}
		time.Sleep(59 * time.Second)
		load(l, loader.Request{}, 1)
		load(c.another(countingStore{c.store, &uses}), loader.Request{}, 1)
		time.Sleep(time.Second)
		load(l, loader.Request{}, 2)
		load(l, loader.Request{Refresh: true}, 2) // a load, which tells it as well
		load(l, loader.Request{}, 2)
	})
}

// TestUsedIsBehindNobody: the interface that was used last comes first, so that those
// added before it can stand in for it.
func TestUsedIsBehindNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a", "b")
		if err := c.Order.SetOrder(nil); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a", "b"} {
			if _, err := c.Check(t.Context(), c.url(name)); err != nil {
				t.Fatal(err)
			}
		}
		c.use("b")
		if l := c.start(t.Context(), loader.Request{}); l.name() != "b" {
			t.Error(l.name())
		}
		synctest.Wait()
		c.breaks("b")
		if l := c.start(t.Context(), loader.Request{Refresh: true}); l.name() != "a" || !slices.Equal(l.switches, []string{"a"}) {
			t.Errorf("%s, told %v", l.name(), l.switches)
		}
		c.asked(map[string]int{"a": 2, "b": 2})
	})
}

// TestFreshTogether: 64 callers at once take what is fresh, without a round and
// without a request, also while a round runs.
func TestFreshTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, "a")
		if l := c.start(t.Context(), loader.Request{}); l.name() != "a" {
			t.Fatal(l.name())
		}
		release := c.hold("a")
		refresh := c.start(t.Context(), loader.Request{Refresh: true})
		var all []*loaded
		for range 64 {
			all = append(all, c.start(t.Context(), loader.Request{}))
		}
		for _, l := range all {
			if l.name() != "a" || len(l.events) != 1 {
				t.Error(l.name(), l.events)
			}
		}
		c.asked(map[string]int{"a": 2})
		release()
		if refresh.name() != "a" {
			t.Error(refresh.name())
		}
	})
}

// breaking is a store that has a bug in one of its methods.
type breaking struct {
	*sourcetest.Memory
	look, load bool
}

func (b breaking) Interfaces(ctx context.Context) ([]sources.Interface, error) {
	if b.look {
		panic("the store broke")
	}
	return b.Memory.Interfaces(ctx)
}

func (b breaking) CachedConfig(ctx context.Context, url string) (*sources.StoredConfig, error) {
	if b.load {
		panic("the store broke")
	}
	return b.Memory.CachedConfig(ctx, url)
}

// TestPanic: a bug is an error for those who wait, and the next load is not hurt by it.
func TestPanic(t *testing.T) {
	c := newCrowd(t, "a")
	for _, store := range []breaking{{Memory: c.store, look: true}, {Memory: c.store, load: true}} {
		l := c.another(store)
		for range 2 {
			if _, err := l.Load(t.Context(), loader.Request{Refresh: store.load}); sources.ClassOf(err) != sources.ClassBug {
				t.Errorf("%+v: %v", store, err)
			}
		}
	}
}
