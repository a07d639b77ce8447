package loader_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/config/failover"
	"xship/config/vod"
	"xship/sourcecache"
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/archive"
	"xship/sources/site/openfilms"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

// rig is a loader over real interfaces, a real database and a real preferences
// file.
type rig struct {
	*loader.Loader
	loader.Caller // of all loads
	t             testing.TB
	world         *world.World
	servers       map[string]*world.Interface
	log           bytes.Buffer
	mu            sync.Mutex
	now           time.Time
	events        []loader.Event
	switches      []loader.Switch
	asked         []loader.Question
}

// newRig has the interfaces a, b, c ... in the list, in this order, a in use, in
// the given modes.
func newRig(t testing.TB, modes ...world.Mode) *rig {
	t.Helper()
	r := &rig{t: t, world: sourcetest.StartWorld(t, world.Config{}), servers: map[string]*world.Interface{}, now: time.Unix(1_700_000_000, 0)}
	clock := func() time.Time {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.now
	}
	logger := slog.New(slog.NewTextHandler(&r.log, nil))
	dir := t.TempDir()
	db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: filepath.Join(dir, "xship.db"), Now: clock, Logger: logger})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	prefs, err := config.OpenPreferences(filepath.Join(dir, "preferences.json"))
	if err != nil {
		t.Fatal(err)
	}
	client := fetch.New(fetch.Options{})
	t.Cleanup(client.CloseIdleConnections)
	r.Loader = loader.New(loader.Options{
		Store: db, Order: failover.NewInterfaceOrderStore(prefs), Get: client.Get, Books: new(sources.Bookkeeper), Now: clock, Logger: logger,
		Timeout: time.Minute, MaxAge: time.Hour,
	})
	t.Cleanup(func() { _ = r.Books.Close() })
	r.Announce = func(s loader.Switch) { r.switches = append(r.switches, s) }
	r.Loaded = func(e loader.Event) { r.events = append(r.events, e) }
	var urls []string
	for i, mode := range modes {
		s := r.server(string(rune('a'+i)), world.InterfaceConfig{Entries: []world.Entry{{Key: "k", Name: "K", Type: 1, API: "http://127.0.2.1/", Searchable: 1}}})
		s.SetMode(mode)
		urls = append(urls, s.URL())
		if _, err := db.AddInterface(t.Context(), s.URL(), s.Name()); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Order.SetOrder(urls); err != nil {
		t.Fatal(err)
	}
	return r
}

func (r *rig) server(name string, c world.InterfaceConfig) *world.Interface {
	r.t.Helper()
	s, err := r.world.AddInterface(name, c)
	if err != nil {
		r.t.Fatal(err)
	}
	r.servers[name] = s
	return s
}

func (r *rig) mode(m failover.Mode) {
	r.t.Helper()
	if err := r.Order.SetMode(m); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

// requests checks how often each interface was asked, in order.
func (r *rig) requests(want ...int) {
	r.t.Helper()
	for i, n := range want {
		if got := r.servers[string(rune('a'+i))].Requests(); got != n {
			r.t.Errorf("%d requests to %c, want %d", got, 'a'+i, n)
		}
	}
}

func (r *rig) current() string {
	r.t.Helper()
	_, row, err := r.Interfaces(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	return row.Name
}

// oneEvent checks that one event was sent, and whether it is a success.
func (r *rig) oneEvent(ok bool) {
	r.t.Helper()
	if len(r.events) != 1 || (r.events[0].Err == nil) != ok {
		r.t.Errorf("events %+v, want one, success %v", r.events, ok)
	}
}

// Load is a load of the rig's caller, with all that is recorded of it.
func (r *rig) Load(ctx context.Context, req loader.Request) (loader.Result, error) {
	req.Caller = r.Caller
	defer r.settle()
	return r.Loader.Load(ctx, req)
}

// settle waits until all loads are recorded.
func (r *rig) settle() {
	r.t.Helper()
	if err := r.Books.Wait(context.WithoutCancel(r.t.Context())); err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) load() (loader.Result, error) { return r.Load(r.t.Context(), loader.Request{}) }

func cause(err error) vod.Cause {
	if failed, ok := errors.AsType[*vod.Error](err); ok {
		return failed.Cause
	}
	return ""
}

// TestOff is 12.1 point 4, and section 7.3.
func TestOff(t *testing.T) {
	r := newRig(t, world.Mode503, world.ModeOK)
	r.mode(failover.Off)
	_, err := r.load()
	if cause(err) != vod.CauseStatus || strings.Contains(err.Error(), r.servers["b"].URL()) {
		t.Errorf("got %v, want the error of a alone", err)
	}
	if _, several := errors.AsType[*loader.FailedError](err); several {
		t.Error("the error speaks of attempts")
	}
	r.requests(1, 0)
	r.oneEvent(false)
	if len(r.switches) > 0 || r.current() != "a" {
		t.Errorf("switches %v, in use %s", r.switches, r.current())
	}
}

// TestAutoGoesOn is 12.1 points 5, 11 and 12.
func TestAutoGoesOn(t *testing.T) {
	r := newRig(t, world.ModeHTML, world.ModeOK, world.ModeOK)
	result, err := r.load()
	if err != nil || result.Interface.Name != "b" || !slices.Equal(result.FailedOverFrom, []string{r.servers["a"].URL()}) || len(result.Sites) != 1 {
		t.Fatal(result, err)
	}
	r.requests(1, 1, 0)
	r.oneEvent(true)
	if len(r.switches) != 1 || r.switches[0].To.Name != "b" || cause(r.switches[0].Cause) != vod.CauseHTML {
		t.Errorf("switches %+v", r.switches)
	}
	if r.current() != "b" {
		t.Errorf("%s is in use", r.current())
	}
	if _, err := r.load(); err != nil { // fresh: nobody is asked
		t.Fatal(err)
	}
	r.requests(1, 1, 0)
	rows, _, err := r.Interfaces(t.Context())
	if err != nil || rows[0].LastError == "" || rows[1].LastLoadedAt.IsZero() {
		t.Errorf("loads are not recorded: %+v, %v", rows, err)
	}
}

// TestAutoFails is 12.1 points 6, 7, 8 and 11: one final error, three loads, no
// interface twice.
func TestAutoFails(t *testing.T) {
	r := newRig(t, world.Mode404, world.ModeM3U, world.ModeBadJSON, world.ModeOK)
	_, err := r.load()
	failed, ok := errors.AsType[*loader.FailedError](err)
	if !ok || len(failed.Failures) != 3 {
		t.Fatalf("got %v", err)
	}
	for i, want := range []vod.Cause{vod.CauseStatus, vod.CauseM3U, vod.CauseSyntax} {
		if got := cause(failed.Failures[i].Err); got != want {
			t.Errorf("attempt %d: %s, want %s", i+1, got, want)
		}
	}
	for _, want := range []string{"none of 3 interfaces", "a: got HTTP status 404", "b: got a list of live", "c: got broken JSON", "line 3"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q lacks %q", err, want)
		}
	}
	r.requests(1, 1, 1, 0)
	r.oneEvent(false)
	if r.current() != "a" {
		t.Errorf("%s is in use", r.current())
	}
}

// TestCandidatesFollowTheOrigin checks that there is no way round to the front,
// and that a change of the order counts at once (12.1 points 1 to 3, 12.2 point 8).
func TestCandidatesFollowTheOrigin(t *testing.T) {
	r := newRig(t, world.ModeOK, world.ModeOK, world.Mode500)
	if err := r.Store.SetCurrentInterface(t.Context(), r.servers["c"].URL()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.load(); cause(err) != vod.CauseStatus {
		t.Fatal(err)
	}
	r.requests(0, 0, 1)
	if err := r.Order.SetOrder([]string{r.servers["c"].URL(), "http://deleted.example/", r.servers["b"].URL()}); err != nil {
		t.Fatal(err)
	}
	result, err := r.load()
	if err != nil || result.Interface.Name != "b" {
		t.Fatal(result, err)
	}
	r.requests(0, 1, 2)
}

func TestForeignOriginStartsFromTheTop(t *testing.T) {
	r := newRig(t, world.Mode500, world.ModeOK)
	foreign := r.server("x", world.InterfaceConfig{})
	result, err := r.Load(t.Context(), loader.Request{Ref: foreign.URL()})
	if err != nil || result.Interface.Name != "b" {
		t.Fatal(result, err)
	}
	r.requests(1, 1)
	if r.current() != "a" {
		t.Errorf("an interface for one load only put %s in use", r.current())
	}
}

// TestTimeoutGoesOn: an interface that accepts and never answers is left.
func TestTimeoutGoesOn(t *testing.T) {
	r := newRig(t, world.ModeHang, world.ModeOK)
	r.Timeout = 100 * time.Millisecond
	get := r.Get
	r.Get = func(ctx context.Context, req fetch.Request) (*fetch.Response, error) {
		defer func() { r.Timeout = time.Minute }() // for the one that answers, however busy the machine is
		return get(ctx, req)
	}
	result, err := r.load()
	if err != nil || result.Interface.Name != "b" || cause(r.switches[0].Cause) != vod.CauseTimeout {
		t.Fatal(result, err, r.switches)
	}
}

// manual makes the user answer.
func (r *rig) manual(answer func(q loader.Question) loader.Answer) {
	r.mode(failover.Manual)
	r.Ask = func(_ context.Context, q loader.Question) (loader.Answer, error) {
		r.asked = append(r.asked, q)
		r.pass(time.Minute)
		return answer(q), nil
	}
}

// TestManualCancel is 12.1 point 9.
func TestManualCancel(t *testing.T) {
	r := newRig(t, world.Mode503, world.ModeOK, world.ModeOK, world.ModeOK)
	r.mode(failover.Auto)
	r.servers["a"].SetMode(world.ModeOK)
	if _, err := r.load(); err != nil { // an older copy is no way out: the user wanted none
		t.Fatal(err)
	}
	r.pass(2 * time.Hour)
	r.servers["a"].SetMode(world.Mode503)
	r.servers["a"].ResetCounters()
	r.events = nil
	r.manual(func(loader.Question) loader.Answer { return loader.Answer{Cancel: true} })
	_, err := r.load()
	if failed, ok := errors.AsType[*loader.FailedError](err); !ok || !strings.Contains(failed.ErrorHint(), "xship interfaces use") {
		t.Errorf("got %v", err)
	}
	if err == nil || !strings.HasPrefix(err.Error(), "interface switch cancelled") {
		t.Errorf("got %v", err)
	}
	r.requests(1, 0, 0, 0)
	r.oneEvent(false)
	if len(r.asked) != 1 || r.asked[0].Failed.Name != "a" || len(r.asked[0].Candidates) != 3 || cause(r.asked[0].Cause) != vod.CauseStatus {
		t.Errorf("asked %+v", r.asked)
	}
}

// TestManualOnce is 12.1 point 10: one choice, whatever comes of it.
func TestManualOnce(t *testing.T) {
	r := newRig(t, world.Mode503, world.ModeOK, world.Mode503, world.ModeOK)
	r.manual(func(q loader.Question) loader.Answer { return loader.Answer{URL: q.Candidates[1].URL} })
	_, err := r.load()
	if failed, ok := errors.AsType[*loader.FailedError](err); !ok || len(failed.Failures) != 2 {
		t.Errorf("got %v", err)
	}
	r.requests(1, 0, 1, 0)
	r.oneEvent(false)
	if len(r.asked) != 1 {
		t.Errorf("asked %d times", len(r.asked))
	}
}

func TestManualSwitch(t *testing.T) {
	r := newRig(t, world.Mode503, world.ModeOK, world.ModeOK)
	r.manual(func(q loader.Question) loader.Answer { return loader.Answer{URL: q.Candidates[1].URL} })
	result, err := r.Load(t.Context(), loader.Request{Limit: 30 * time.Second})
	if err != nil || result.Interface.Name != "c" || result.Waited != time.Minute {
		t.Fatal(result, err)
	}
	r.oneEvent(true)
	if len(r.switches) != 0 || r.current() != "c" {
		t.Errorf("switches %v, in use %s", r.switches, r.current())
	}
}

func TestManualWithoutAnybody(t *testing.T) {
	r := newRig(t, world.Mode503, world.ModeOK, world.ModeOK)
	r.mode(failover.Manual)
	_, err := r.load() // no older copy: else that is used, with this error as its reason
	failed, ok := errors.AsType[*loader.FailedError](err)
	if !ok || !failed.Unasked || !strings.Contains(err.Error(), "\n  b\n  c") || !strings.Contains(failed.ErrorHint(), "xship interfaces use") {
		t.Errorf("got %v", err)
	}
	r.requests(1, 0, 0)
	r.oneEvent(false)
}

// TestSwitchedOff: off while a round runs ends it at once, with no further request,
// and with the error of the origin.
func TestSwitchedOff(t *testing.T) {
	ended := func(t *testing.T, r *rig, err error) {
		t.Helper()
		if failed, ok := errors.AsType[*vod.Error](err); !ok || failed.Status != 503 || failed.URL != r.servers["a"].URL() {
			t.Errorf("got %v, want the error of a", err)
		}
		r.oneEvent(false)
		if r.current() != "a" {
			t.Errorf("%s is in use", r.current())
		}
	}
	t.Run("before the next interface", func(t *testing.T) {
		r := newRig(t, world.Mode503, world.Mode404, world.ModeOK)
		r.Trust = func(url string) {
			if url == r.servers["b"].URL() { // it is asked next
				r.mode(failover.Off)
			}
		}
		_, err := r.load()
		ended(t, r, err)
		r.requests(1, 1, 0)
	})
	for name, mode := range map[string]world.Mode{"while the next one hangs": world.ModeHang, "while the next one answers": world.ModeOK} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, world.Mode503, mode, world.ModeOK)
			r.Timeout = time.Minute
			r.meanwhile("b", func() { r.mode(failover.Off) })
			_, err := r.load()
			ended(t, r, err)
			r.requests(1, 1, 0)
		})
	}
	t.Run("while the user is asked", func(t *testing.T) {
		r := newRig(t, world.Mode503, world.ModeOK)
		r.mode(failover.Manual)
		r.Ask = func(ctx context.Context, _ loader.Question) (loader.Answer, error) {
			r.mode(failover.Off)
			<-ctx.Done()
			return loader.Answer{}, ctx.Err()
		}
		_, err := r.load()
		ended(t, r, err)
		r.requests(1, 0)
	})
	t.Run("while the user chooses", func(t *testing.T) {
		r := newRig(t, world.Mode503, world.ModeOK)
		r.manual(func(q loader.Question) loader.Answer {
			r.mode(failover.Off)
			return loader.Answer{URL: q.Candidates[0].URL}
		})
		_, err := r.load()
		ended(t, r, err)
		r.requests(1, 0)
	})
	t.Run("before the origin has failed: its own load goes on", func(t *testing.T) {
		r := newRig(t, world.ModeOK)
		r.meanwhile("a", func() { r.mode(failover.Off) })
		if _, err := r.load(); err != nil {
			t.Error(err)
		}
	})
	t.Run("on in the next round", func(t *testing.T) {
		r := newRig(t, world.Mode503, world.ModeOK)
		r.mode(failover.Off)
		if _, err := r.load(); err == nil {
			t.Fatal("no error")
		}
		r.mode(failover.Auto)
		if _, err := r.load(); err != nil {
			t.Fatal(err)
		}
	})
}

// meanwhile runs fn when the server with the given name was asked, and lets it
// answer after that.
func (r *rig) meanwhile(name string, fn func()) {
	server := r.servers[name]
	server.Hold()
	var wg sync.WaitGroup
	r.t.Cleanup(wg.Wait)
	wg.Go(func() {
		for server.Requests() == 0 {
			time.Sleep(time.Millisecond)
		}
		fn()
		server.Release()
	})
}

// TestChosenAnew: another choice of the user's ends a round at once and starts a new
// one.
func TestChosenAnew(t *testing.T) {
	for name, mode := range map[string]world.Mode{"while one fails": world.Mode503, "while one answers": world.ModeOK, "while one hangs": world.ModeHang} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, world.Mode503, mode, world.ModeOK, world.ModeOK)
			r.Timeout = time.Minute
			ctx := t.Context()
			r.meanwhile("b", func() { _ = r.Store.SetCurrentInterface(ctx, r.servers["d"].URL()) })
			result, err := r.load()
			if err != nil || result.Interface.Name != "d" || len(result.FailedOverFrom) != 0 {
				t.Fatal(result, err)
			}
			r.requests(1, 1, 0, 1)
			r.oneEvent(true)
			if r.current() != "d" {
				t.Errorf("%s is in use", r.current())
			}
		})
	}
}

// TestNoAddressTwice: what failed in a round is not asked again in it, whatever
// leads to it.
func TestNoAddressTwice(t *testing.T) {
	r := newRig(t, world.Mode404, world.ModeHTML, world.ModeOK)
	depot := r.server("depot", world.InterfaceConfig{Children: []world.Child{
		{URL: r.servers["a"].URL()}, {URL: r.servers["a"].URL()}, {URL: r.servers["b"].URL()},
	}})
	var order []string
	for _, url := range []string{depot.URL(), strings.Replace(r.servers["a"].URL(), "http", "HTTP", 1), r.servers["a"].URL() + "#x", r.servers["b"].URL(), r.servers["c"].URL()} {
		if _, err := r.Store.AddInterface(t.Context(), url, ""); err != nil {
			t.Fatal(err)
		}
		order = append(order, url)
	}
	if err := errors.Join(r.Order.SetOrder(order), r.Store.SetCurrentInterface(t.Context(), depot.URL())); err != nil {
		t.Fatal(err)
	}
	if _, err := r.load(); err == nil {
		t.Error("no error: c is the fourth")
	}
	r.requests(1, 1, 0)
}

// TestCancelIsNoFailure: the user's own cancel tries nothing else and tells nobody.
func TestCancelIsNoFailure(t *testing.T) {
	r := newRig(t, world.ModeHang, world.ModeOK)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for r.servers["a"].Requests() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := r.Load(ctx, loader.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	r.requests(1, 0)
	if rows, _, err := r.Interfaces(t.Context()); err != nil || len(r.events) > 0 || rows[0].LastError != "" {
		t.Errorf("events %v, %+v, %v", r.events, rows, err)
	}
}

func TestCacheAndRevalidation(t *testing.T) {
	r := newRig(t)
	s := r.server("a", world.InterfaceConfig{Entries: []world.Entry{{Key: "k", Name: "K", Type: 1, API: "http://127.0.2.1/"}}, ETag: true})
	other := r.server("b", world.InterfaceConfig{Entries: []world.Entry{{Key: "o", Name: "O", Type: 1, API: "http://127.0.2.2/"}}})
	for _, i := range []*world.Interface{s, other} {
		if _, err := r.Store.AddInterface(t.Context(), i.URL(), i.Name()); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Order.SetOrder([]string{s.URL(), other.URL()}); err != nil {
		t.Fatal(err)
	}
	load := func(refresh bool, asked, unchanged int) loader.Result {
		t.Helper()
		result, err := r.Load(t.Context(), loader.Request{Refresh: refresh})
		if err != nil {
			t.Fatal(err)
		}
		if s.Requests() != asked || s.NotModified() != unchanged {
			t.Errorf("%d requests, %d answered 304, want %d and %d", s.Requests(), s.NotModified(), asked, unchanged)
		}
		return result
	}
	load(false, 1, 0)
	r.pass(59 * time.Minute)
	load(false, 1, 0)
	r.pass(time.Minute)
	load(false, 2, 1)
	r.pass(59 * time.Minute)
	load(false, 2, 1) // the 304 made it fresh
	load(true, 3, 2)
	s.SetEntries(world.Entry{Key: "new", Name: "N", Type: 1, API: "http://127.0.2.3/"})
	if got := load(true, 4, 2).Sites[0].Key; got != "new" {
		t.Errorf("site %s", got)
	}

	// Revalidation fails: failover comes first, the older copy after total failure.
	r.pass(2 * time.Hour)
	s.SetMode(world.Mode503)
	if result := load(false, 5, 2); result.Interface.Name != "b" || result.Stale != nil {
		t.Errorf("got %+v", result)
	}
	if err := r.Store.SetCurrentInterface(t.Context(), s.URL()); err != nil {
		t.Fatal(err)
	}
	other.SetMode(world.Mode503)
	r.pass(2 * time.Hour)
	r.events = nil
	result := load(false, 6, 2)
	if result.Stale == nil || result.Interface.Name != "a" || result.Sites[0].Key != "new" || !result.StaleFrom.Equal(r.now.Add(-4*time.Hour)) {
		t.Errorf("got %+v", result)
	}
	r.oneEvent(false)
	r.mode(failover.Off)
	if _, err := r.load(); cause(err) != vod.CauseStatus {
		t.Errorf("off: got %v, want the plain error", err)
	}
}

func TestDepot(t *testing.T) {
	entry := []world.Entry{{Key: "k", Name: "K", Type: 1, API: "http://127.0.2.1/"}}
	newDepot := func(t *testing.T, modes ...world.Mode) *rig {
		r := newRig(t)
		var children []world.Child
		for i, mode := range modes {
			s := r.server(string(rune('a'+i)), world.InterfaceConfig{Entries: entry})
			s.SetMode(mode)
			children = append(children, world.Child{Name: s.Name(), URL: s.URL()})
		}
		depot := r.server("depot", world.InterfaceConfig{Children: children})
		if _, err := r.Store.AddInterface(t.Context(), depot.URL(), "depot"); err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Run("the first usable child", func(t *testing.T) {
		r := newDepot(t, world.Mode503, world.ModeHTML, world.ModeOK, world.ModeOK)
		result, err := r.load()
		if err != nil || result.Interface.Name != "depot" || len(result.Sites) != 1 || len(result.FailedOverFrom) != 0 {
			t.Fatal(result, err)
		}
		r.requests(1, 1, 1, 0)
		if _, err := r.load(); err != nil {
			t.Fatal(err)
		}
		r.oneEventEach(2)
		if got := r.servers["depot"].Requests(); got != 1 {
			t.Errorf("the depot was asked %d times", got)
		}
		r.requests(1, 1, 1, 0) // nor those children that failed
	})
	t.Run("three children at most", func(t *testing.T) {
		r := newDepot(t, world.Mode503, world.Mode503, world.Mode503, world.ModeOK)
		if _, err := r.load(); err == nil {
			t.Error("no error")
		}
		r.requests(1, 1, 1, 0)
	})
	t.Run("off: only the first", func(t *testing.T) {
		r := newDepot(t, world.Mode503, world.ModeOK)
		r.mode(failover.Off)
		if _, err := r.load(); err == nil {
			t.Error("no error")
		}
		r.requests(1, 0)
	})
	t.Run("a child that hangs leaves time for the next", func(t *testing.T) {
		r := newDepot(t, world.ModeHang, world.ModeOK)
		r.Timeout = 4 * time.Second
		if _, err := r.load(); err != nil {
			t.Error(err)
		}
	})
}

func (r *rig) oneEventEach(loads int) {
	r.t.Helper()
	if len(r.events) != loads {
		r.t.Errorf("%d events of %d loads", len(r.events), loads)
	}
}

// TestLimit: a caller waits no longer than its limit, and is told what it waited for.
func TestLimit(t *testing.T) {
	r := newRig(t, world.ModeHang, world.ModeHang)
	_, err := r.Load(t.Context(), loader.Request{Limit: 50 * time.Millisecond})
	failed, ok := errors.AsType[*loader.FailedError](err)
	if !ok || !failed.OutOfTime || len(failed.Failures) != 1 || cause(err) != vod.CauseTimeout {
		t.Fatal(err)
	}
	if !strings.Contains(err.Error(), "50ms, the time that the scan had left") {
		t.Errorf("got %v", err)
	}
	r.requests(1, 0)
	r.oneEvent(false)
	if rows, _, err := r.Interfaces(t.Context()); err != nil || !strings.Contains(rows[0].LastError, "50ms") {
		t.Errorf("recorded %+v, %v", rows, err)
	}
}

func TestBuiltin(t *testing.T) {
	r := newRig(t)
	result, err := r.load()
	if err != nil || result.Interface.URL != openfilms.InterfaceURL || len(result.Sites) != 1 {
		t.Fatal(result, err)
	}
	// It is never a candidate.
	s := r.server("a", world.InterfaceConfig{})
	if _, err := r.Store.AddInterface(t.Context(), s.URL(), "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.load(); cause(err) != vod.CauseNoSites {
		t.Errorf("got %v", err)
	}
}

// TestBuiltin_archive has the Internet Archive beside the open films, which may be at a
// private address: the operator set it.
func TestBuiltin_archive(t *testing.T) {
	r := newRig(t)
	var trusted []string
	r.Trust = func(url string) { trusted = append(trusted, url) }
	r.Archive = "http://127.0.5.1:8080"
	result, err := r.load()
	if err != nil || len(result.Sites) != 2 || result.Usable != 2 || result.Types[archive.Type] != 1 {
		t.Fatal(result, err)
	}
	if open, site := result.Sites[0], result.Sites[1]; open.Beside || !site.Beside || site.Timeout != 3*time.Second || site.API != r.Archive {
		t.Errorf("%+v", result.Sites)
	}
	if !slices.Contains(trusted, r.Archive) {
		t.Errorf("trusted %v", trusted)
	}
}

// TestFileIsReadEachTime: what the user edits counts at once, and its sites may be
// on private addresses.
func TestFileIsReadEachTime(t *testing.T) {
	r := newRig(t)
	var trusted []string
	r.Trust = func(url string) { trusted = append(trusted, url) }
	path := filepath.Join(t.TempDir(), "vod.json")
	write := func(key string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(`{"sites":[{"key":"`+key+`","type":1,"api":"http://127.0.2.1/api"}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []string{"one", "two"} {
		write(key)
		result, err := r.Load(t.Context(), loader.Request{Ref: path})
		if err != nil || result.Sites[0].Key != key {
			t.Fatal(result, err)
		}
	}
	if !slices.Contains(trusted, "http://127.0.2.1/api") {
		t.Errorf("trusted %v", trusted)
	}
}

func TestSecretsOfURLs(t *testing.T) {
	r := newRig(t, world.Mode503, world.Mode503)
	r.mode(failover.Auto)
	_, err := r.Load(t.Context(), loader.Request{Ref: r.servers["a"].URL() + "?token=s3cr3t-of-the-user"})
	if err == nil || strings.Contains(err.Error()+r.log.String(), "s3cr3t") {
		t.Errorf("got %v\n%s", err, r.log.String())
	}
}
