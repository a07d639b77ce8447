package health_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache/health"
)

// play is a table that is played by hand: g, h and i are good hosters, of which g
// worked last, at t0; a, b, c and d are unknown.
type play struct {
	*health.Memory
	p        health.Policy
	now      int64
	links    int
	out      health.Outcome   // of the last report
	canaries []*health.Canary // under way, the first begun first
	revived  []string
}

func newPlay(p health.Policy) *play {
	w := &play{Memory: health.NewMemory(), p: p, now: t0 - 2}
	w.Revive = func(link string) { w.revived = append(w.revived, link) }
	for _, good := range []string{"i", "h", "g"} {
		w.ok(good)
		w.now++
	}
	w.now = t0
	return w
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func (w *play) report(e health.Event) {
	w.out = must(w.p.End(w.Memory, e, w.now))
	if w.out.Canary != nil {
		w.canaries = append(w.canaries, w.out.Canary)
	}
}

// ok reports one success for each of the hosters.
func (w *play) ok(hosters ...string) {
	for _, h := range hosters {
		w.report(health.Event{Hoster: h, Link: "good link of " + h, Class: health.OK})
	}
}

// fail reports a fail for each of the hosters, each of another link.
func (w *play) fail(hosters ...string) {
	for _, h := range hosters {
		w.failSince(h, w.now)
	}
}

func (w *play) failSince(hoster string, start int64) {
	w.links++
	w.report(health.Event{Hoster: hoster, Link: fmt.Sprint("link ", w.links), StartedAt: start, Class: health.Fail, Error: "refused"})
}

// link reports the end of an attempt at a link.
func (w *play) link(hoster, link string, class health.Class) {
	w.report(health.Event{Hoster: hoster, Link: link, Class: class})
}

// gone reports for each of the hosters that a link is gone.
func (w *play) gone(hosters ...string) {
	for _, h := range hosters {
		w.link(h, "gone link of "+h, health.Gone)
	}
}

// answer ends the canaries under way, the first one first.
func (w *play) answer(classes ...health.Class) {
	for _, class := range classes {
		c := w.canaries[0]
		w.canaries = w.canaries[1:]
		w.out = must(w.p.EndCanary(w.Memory, *c, class, w.now))
		if w.out.Canary != nil {
			w.canaries = append(w.canaries, w.out.Canary)
		}
	}
}

// state gives the fails in a row of all hosters that have some, whether there is an
// outage, and the hosters of the canaries under way.
func (w *play) state() string {
	var words []string
	for _, h := range slices.Sorted(maps.Keys(w.Hosters)) {
		if fails := w.Hosters[h].ConsecutiveFails; fails != 0 {
			words = append(words, fmt.Sprint(h, fails))
		}
	}
	if w.Network.Outage {
		words = append(words, "outage")
	}
	for _, c := range w.canaries {
		words = append(words, "test:"+c.Hoster)
	}
	return strings.Join(words, " ")
}

// Short names of classes, for tables.
const (
	works  = health.OK
	fails  = health.Fail
	isGone = health.Gone
	lost   = health.Nothing
)

func TestEnd_network(t *testing.T) {
	t.Parallel()
	doubted := func(w *play) { w.fail("a", "b") }
	outage := func(w *play) { doubted(w); w.answer(fails, fails, fails) }
	stale := func(w *play) { w.now += 31 }
	alone := func(w *play) { // nobody may be a canary
		for h := range w.Hosters {
			delete(w.Hosters, h)
		}
	}
	tests := []struct {
		name string
		play func(w *play)
		want string
	}{
		{"one hoster fails", func(w *play) { w.fail("a") }, "a1"},
		{"one hoster fails often", func(w *play) { w.fail("a"); w.now += 5; w.fail("a") }, "a2"},
		{"a second one fails", doubted, "a1 b1 test:g"},
		{"a third one waits for the same canary", func(w *play) { doubted(w); w.fail("c") }, "a1 b1 c1 test:g"},
		{"a second one fails in its block", func(w *play) {
			w.Hosters["b"] = health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 3}
			w.fail("a")
			w.failSince("b", t0-2)
		}, "a1 b1 test:g"},
		{"success between", func(w *play) { w.fail("a"); w.ok("g"); w.fail("b") }, "a1 b1"},
		{"parallel fails of one incident are one hoster's", func(w *play) {
			for range 8 {
				w.failSince("a", t0)
				w.now++
			}
		}, "a1"},

		{"the canary works", func(w *play) { doubted(w); w.answer(works) }, "a1 b1"},
		{"the canary fails, and another hoster is tested", func(w *play) { doubted(w); w.answer(fails) }, "a1 b1 test:h"},
		{"the second canary fails", func(w *play) { doubted(w); w.answer(fails, fails) }, "a1 b1 test:i"},
		{"all canaries fail", outage, "outage"},
		{"three are enough", func(w *play) {
			w.ok("d", "g")
			outage(w)
		}, "outage"},
		{"the second canary works", func(w *play) { doubted(w); w.answer(fails, works) }, "a1 b1"},
		{"the canary is gone, which decides nothing", func(w *play) { doubted(w); w.answer(isGone) }, "a1 b1 test:h"},
		{"all canaries are gone", func(w *play) { doubted(w); w.answer(isGone, isGone, isGone) }, "outage"},
		{"the third canary works", func(w *play) { doubted(w); w.answer(isGone, fails, works) }, "a1 b1"},
		{"after a canary that worked no other is asked for", func(w *play) {
			doubted(w)
			w.answer(works)
			w.now += 5
			w.fail("a", "b", "c")
		}, "a2 b2 c1"},
		{"but after the next success", func(w *play) {
			doubted(w)
			w.answer(works)
			w.ok("g")
			w.now += 10
			w.fail("a", "b")
		}, "a2 b2 test:g"},
		{"a canary that works beside another success", func(w *play) { doubted(w); w.ok("i"); w.answer(works) }, "a1 b1"},
		{"success before the canary fails", func(w *play) {
			w.Hosters["h"], w.Hosters["i"] = health.Hoster{}, health.Hoster{}
			doubted(w)
			w.ok("g")
			w.answer(fails)
		}, "a1 b1"},
		{"a success stands for the canary under way, whose own answer comes too late", func(w *play) {
			doubted(w)
			w.ok("g")
			w.fail("c")
			w.answer(fails)
		}, "a1 b1 c1"},
		{"a cancelled canary, the next fail asks again", func(w *play) { doubted(w); w.answer(lost); w.fail("c") }, "a1 b1 c1 test:g"},
		{"a canary of a process that died", func(w *play) { doubted(w); w.now += 30; w.fail("c") }, "a1 b1 c1 test:g test:g"},
		{"and that ends after all", func(w *play) {
			doubted(w)
			w.now += 30
			w.fail("c")
			w.answer(fails)
		}, "a1 b1 c1 test:g"},
		{"no link to test", func(w *play) { alone(w); doubted(w) }, "outage"},
		{"links are too old to test", func(w *play) {
			for h, row := range w.Hosters {
				row.LastSuccessAt = t0 - health.CanaryMaxAge - 1
				w.Hosters[h] = row
			}
			doubted(w)
		}, "outage"},
		{"a link that may not be a canary", func(w *play) {
			alone(w)
			w.report(health.Event{Hoster: "g", Link: "signed", Unfit: true, Class: works})
			doubted(w)
		}, "outage"},

		{"nothing counts in the outage", func(w *play) {
			outage(w)
			w.fail("a", "c")
			w.now += 10
			w.fail("c")
			w.report(health.Event{Hoster: "d", Class: health.ServerFail})
		}, "outage"},
		{"fails after the outage count", func(w *play) { outage(w); w.now += 10; w.ok("g"); w.fail("a") }, "a1"},
		{"a fail begun in the outage does not", func(w *play) { outage(w); w.now += 10; w.ok("g"); w.failSince("a", w.now-1) }, ""},
		{"a fail begun before an outage that ends in the future does", func(w *play) {
			w.Network.OutageEnd = t0 + 99
			w.failSince("a", w.now-1)
		}, "a1"},
		{"the last canary failed 14 s ago", func(w *play) { outage(w); w.ok("g"); w.now += 14; w.fail("a", "c") }, "outage"},
		{"the last canary failed 15 s ago", func(w *play) { outage(w); w.ok("g"); w.now += 15; w.fail("a", "c") }, "a1 c1 test:g"},
		{"the last canary failed this second", func(w *play) { w.Network.CanaryBadAt = t0; doubted(w) }, "outage"},
		{"a canary failed in the future", func(w *play) { w.Network.CanaryBadAt = t0 + 1; doubted(w) }, "a1 b1 test:g"},
		{"no canary failed yet, the clock has just begun", func(w *play) {
			w.now = 10
			w.ok("i", "h", "g")
			doubted(w)
		}, "a1 b1 test:g"},

		{"a stale fail waits", func(w *play) { stale(w); w.fail("a") }, "test:g"},
		{"and counts when the canary works", func(w *play) { stale(w); w.fail("a"); w.answer(works) }, "a1"},
		{"stale fails of several hosters count, each once", func(w *play) {
			stale(w)
			w.fail("a", "b", "a")
			w.now++
			w.fail("c", "a")
			w.answer(fails, works)
		}, "a1 b1 c1"},
		{"and are dropped when it fails", func(w *play) { stale(w); w.fail("a", "b"); w.answer(fails, fails, fails) }, "outage"},
		{"also those of one hoster", func(w *play) { stale(w); w.fail("a"); w.answer(fails, fails, fails) }, "outage"},
		{"one stale fail, and nobody to ask", func(w *play) { alone(w); stale(w); w.fail("a") }, ""},
		{"what counted does not count again", func(w *play) {
			stale(w)
			w.fail("a")
			w.answer(works)
			w.ok("g")
			w.now += 5
			w.fail("b")
		}, "a1 b1"},
		{"who works meanwhile waits no more", func(w *play) { stale(w); w.fail("a", "b"); w.ok("a"); w.answer(works) }, "b1"},
		{"a stale fail begun in the block", func(w *play) {
			w.fail("a")
			stale(w)
			w.failSince("a", t0+4)
			w.answer(works)
		}, "a1"},
		{"a stale fail after a cancelled canary asks again", func(w *play) { stale(w); w.fail("a"); w.answer(lost); w.fail("b"); w.answer(works) }, "b1"},
		{"a canary in whose place another was begun makes nothing count", func(w *play) {
			stale(w)
			w.fail("a")
			w.now += 30
			w.fail("b")
			w.answer(works)
		}, "test:g"},
		{"what a canary made count stays in the outage after it", func(w *play) {
			stale(w)
			w.fail("a")
			w.answer(works)
			w.ok("g")
			w.fail("b", "c")
			w.answer(fails, fails, fails)
		}, "a1 outage"},
		{"even without a success between", func(w *play) {
			stale(w)
			w.fail("a")
			w.answer(works)
			stale(w)
			w.fail("b")
			w.answer(fails, fails, fails)
		}, "a1 outage"},

		{"a link that is gone is no fail", func(w *play) {
			for range 7 {
				w.gone("a")
				w.now++
			}
		}, ""},
		{"links of two hosters are gone", func(w *play) { w.gone("a", "b") }, "test:g"},
		{"and the network is up", func(w *play) { w.gone("a", "b"); w.answer(works) }, ""},
		{"long after a canary that worked", func(w *play) {
			doubted(w)
			w.answer(works)
			w.now += 31
			w.gone("c", "d")
		}, "a1 b1 test:g"},
		{"a moment after it", func(w *play) { doubted(w); w.answer(works); w.gone("c", "d") }, "a1 b1 test:g"},
		{"fails a moment after it", func(w *play) { doubted(w); w.answer(works); w.now += 30; w.fail("c", "d") }, "a1 b1 c1 d1"},
		{"and it is not", func(w *play) { w.fail("c"); w.gone("a"); w.answer(isGone, isGone, isGone) }, "outage"},

		{"a link that failed twice while its hoster worked between", func(w *play) {
			w.link("a", "bad", fails)
			w.now++
			w.ok("a")
			w.now++
			w.link("a", "bad", fails)
		}, ""},
		{"the hoster failing meanwhile or not", func(w *play) {
			w.link("a", "bad", fails)
			w.now++
			w.ok("a")
			w.now++
			w.fail("a")
			w.now += 5
			w.link("a", "bad", fails)
		}, "a1"},
		{"the first fail of a link always counts", func(w *play) {
			w.ok("a")
			w.now++
			w.fail("a")
			w.now += 5
			w.fail("a")
		}, "a2"},
		{"the hoster did not work between", func(w *play) { w.link("a", "bad", fails); w.now += 5; w.link("a", "bad", fails) }, "a2"},
		{"the hoster worked in the second in which it failed first", func(w *play) {
			w.link("a", "bad", fails)
			w.ok("a")
			w.now++
			w.link("a", "bad", fails)
		}, "a1"},
		{"the link worked between", func(w *play) {
			w.link("a", "bad", fails)
			w.now++
			w.link("a", "bad", works)
			w.now++
			w.link("a", "bad", fails)
		}, "a1"},
		{"a suspect link is no reason to doubt the network", func(w *play) {
			w.link("a", "bad", fails)
			w.now++
			w.ok("a")
			w.now++
			w.link("a", "bad", fails)
			w.fail("b")
		}, "b1"},
		{"an outage leaves no suspect", func(w *play) {
			w.link("a", "good", fails)
			w.fail("b")
			w.answer(fails, fails, fails)
			w.now += 10
			w.ok("a")
			w.now++
			w.link("a", "good", fails)
		}, "a1"},
		{"a link that failed before the clock went back", func(w *play) {
			w.now += 3600
			w.ok("g")
			w.link("a", "bad", fails)
			w.now -= 3600
			w.ok("a")
			w.now++
			w.ok("a")
			w.link("a", "bad", fails) // is its first fail under this clock
			w.now++
			w.ok("a")
			w.now++
			w.link("a", "bad", fails)
		}, ""},
		{"a hoster that worked before the clock went back", func(w *play) {
			w.now += 3600
			w.ok("a")
			w.now -= 3600
			w.ok("g")
			w.link("a", "bad", fails)
			w.now += 5
			w.link("a", "bad", fails)
		}, "a2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newPlay(health.Hosters())
			tt.play(w)
			if got := w.state(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Each rule makes a difference, of which a sequence tells.
func TestRules_each(t *testing.T) {
	t.Parallel()
	rules := map[string]struct {
		play     func(w *play)
		on, off  string
		ask      func(w *play) string // instead of its state
		addition bool                 // the rule is a setting, which is off
	}{
		"Clock": {
			play: func(w *play) { w.fail("a"); w.now -= 3600 },
			ask:  func(w *play) string { return fmt.Sprint(w.p.Available(w.Hosters["a"], 0, w.now)) },
			on:   "true", off: "false",
		},
		"OneFail": {play: func(w *play) { w.failSince("a", t0); w.failSince("a", t0) }, on: "a1", off: "a2"},
		"Lease": {
			play: func(w *play) {
				w.fail("a")
				w.now += 5
				h := w.Hosters["a"]
				w.p.Begin(&h, false, "mine", w.now)
				w.Hosters["a"] = h
			},
			ask: func(w *play) string { return fmt.Sprint(w.p.Available(w.Hosters["a"], 0, w.now)) },
			on:  "false", off: "true",
		},
		"Gone": {play: func(w *play) { w.gone("a") }, on: "", off: "a1"},
		"Suspect": {play: func(w *play) {
			w.link("a", "bad", fails)
			w.now++
			w.ok("a")
			w.now++
			w.link("a", "bad", fails)
		}, on: "", off: "a1"},
		"Canary": {play: func(w *play) {
			w.now += 31
			w.fail("a")
			if len(w.canaries) > 0 {
				w.answer(works)
			}
		}, on: "a1", off: ""},
		"Early":  {play: func(w *play) { w.fail("a", "b") }, on: "a1 b1 test:g", off: "a1 b1"},
		"Outage": {play: func(w *play) { w.fail("a", "b"); w.answer(fails, fails, fails) }, on: "outage", off: ""},
		"Undo":   {play: func(w *play) { w.fail("a", "b"); w.answer(fails, fails, fails) }, on: "outage", off: "a1 b1 outage"},
		"Retest": {
			play: func(w *play) { w.fail("a"); w.now += 5 },
			ask:  func(w *play) string { return fmt.Sprint(w.p.DueRetest(w.Hosters["a"], w.now)) },
			on:   "true", off: "false",
		},
		"ServerFail": {play: func(w *play) {
			w.now += 31
			w.report(health.Event{Hoster: "a", Class: health.ServerFail})
		}, on: "a1", off: "test:g", addition: true},
	}
	// Those that attempts are made by, not counted, and the numbers.
	elsewhere := []string{"Hold", "Linger", "First", "Look", "Floor"}
	for field := range reflect.TypeFor[health.Rules]().Fields() {
		rule, found := rules[field.Name]
		if found == slices.Contains(elsewhere, field.Name) {
			t.Errorf("no sequence for the rule %s", field.Name)
		}
		if !found {
			continue
		}
		for _, on := range []bool{true, false} {
			w := newPlay(health.Hosters())
			value := reflect.ValueOf(&w.p.Rules).Elem().FieldByName(field.Name)
			if value.Bool() == rule.addition {
				t.Errorf("%s is %t by default", field.Name, value.Bool())
			}
			value.SetBool(on)
			rule.play(w)
			ask, want := (*play).state, rule.off
			if rule.ask != nil {
				ask = rule.ask
			}
			if on {
				want = rule.on
			}
			if got := ask(w); got != want {
				t.Errorf("%s %t: got %q, want %q", field.Name, on, got, want)
			}
		}
	}
}

// An outage takes back all that happened since the last success, to the second.
func TestEnd_undo(t *testing.T) {
	t.Parallel()
	w := newPlay(health.Hosters())
	blocked := health.Hoster{ConsecutiveFails: 6, BackoffUntil: t0 - 3, FailCount: 6, LastFailAt: t0 - 303, LastSuccessAt: t0 - 9999}
	w.Hosters["a"] = blocked
	w.Links["older"] = health.Link{GoneRun: 9}
	w.Links["failed before"] = health.Link{Fails: 1, FirstFailAt: t0 - 99, Deep: true}
	links := maps.Clone(w.Links)
	w.gone("c")
	w.link("a", "failed before", fails)
	if w.out.Effect != health.Counted || w.out.Fails != 7 || w.out.Backoff != 3600 {
		t.Errorf("outcome %+v of the seventh fail", w.out)
	}
	w.link("b", "good", fails)
	w.answer(fails, isGone, fails)
	if w.out.Outage != health.OutageBegins {
		t.Errorf("outcome %+v, want that an outage begins", w.out)
	}
	blocked.FailCount, blocked.LastFailAt, blocked.DoubtRun = 7, t0, w.Hosters["a"].DoubtRun
	if diff := cmp.Diff(blocked, w.Hosters["a"]); diff != "" {
		t.Errorf("hoster after the outage (-want +got):\n%s", diff)
	}
	links["gone link of c"] = health.Link{GoneRun: -1} // disbelieved
	if diff := cmp.Diff(links, w.Links); diff != "" {
		t.Errorf("links after the outage (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"gone link of c"}, w.revived); diff != "" {
		t.Errorf("links tried again (-want +got):\n%s", diff)
	}
	// One that is gone in the outage is not marked, and is no fail of its hoster.
	if w.gone("a"); w.out.Effect != health.InOutage {
		t.Errorf("effect %d of a link that is gone in the outage", w.out.Effect)
	}
}

// The report that finds the outage out tells what it left, not what it did first.
func TestEnd_beginsOutage(t *testing.T) {
	t.Parallel()
	w := newPlay(health.Hosters())
	clear(w.Hosters)
	w.fail("a")
	w.fail("b")
	if diff := cmp.Diff(health.Outcome{Effect: health.InOutage, Outage: health.OutageBegins, Undone: []string{"a", "b"}}, w.out); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	// Where nobody can be asked, that links are gone is no outage: a hoster said so.
	w = newPlay(health.Hosters())
	clear(w.Hosters)
	w.gone("a", "b", "c")
	if w.out.Effect != health.LinkGone || w.out.Outage != health.NoChange {
		t.Errorf("outcome %+v of links that are gone", w.out)
	}
	w = newPlay(health.Hosters())
	clear(w.Hosters)
	w.now += 31
	if w.fail("a"); w.out.Effect != health.Unguarded {
		t.Errorf("effect %d of a fail that waits for no canary", w.out.Effect)
	}
}

// A fail that is its link's is told as that, and leaves the record of its hoster.
func TestEnd_suspectLink(t *testing.T) {
	t.Parallel()
	w := newPlay(health.Hosters())
	w.link("a", "bad", fails)
	w.now++
	w.ok("a")
	before := w.Hosters["a"]
	w.now++
	w.link("a", "bad", fails)
	if diff := cmp.Diff(health.Outcome{Effect: health.SuspectLink}, w.out); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	before.FailCount++
	if diff := cmp.Diff(before, w.Hosters["a"]); diff != "" {
		t.Errorf("hoster (-want +got):\n%s", diff)
	}
}

// What waited for a canary is told when it counts.
func TestEndCanary_counted(t *testing.T) {
	t.Parallel()
	w := newPlay(health.Hosters())
	w.Hosters["b"] = health.Hoster{ConsecutiveFails: 2}
	w.now += 31
	w.fail("b", "a")
	w.now++
	w.answer(works)
	want := health.Outcome{Effect: health.Recovered, Counted: []health.Counting{{Hoster: "a", Fails: 1, Backoff: 5}, {Hoster: "b", Fails: 3, Backoff: 20}}}
	if diff := cmp.Diff(want, w.out); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	if b := w.Hosters["b"]; b.BackoffUntil != w.now+20 || b.Awaits != 0 || b.AwaitsSince != 0 {
		t.Errorf("%+v, want a block of 20 s from when it counted, and that it waits no more", b)
	}
	if g := w.Hosters["g"]; g.OKCount != 2 || g.LastSuccessAt != w.now || w.Network.LastSuccessAt != w.now {
		t.Errorf("the canary is no success: %+v, guard %+v", g, w.Network)
	}
}

// An outage is tested with growing waits, by the hosters that worked lately in turn,
// and where these are few by the others too.
func TestPolicy_TestOutage(t *testing.T) {
	t.Parallel()
	begin := func() *play {
		w := newPlay(health.Hosters())
		old := w.Hosters["h"]
		old.LastSuccessAt = t0 - health.OutageRecent - 1
		w.Hosters["h"] = old
		w.fail("a", "b")
		w.answer(fails, fails, fails)
		return w
	}
	test := func(w *play, asked bool) string {
		c := must(w.p.TestOutage(w.Memory, asked, w.now))
		if c == nil {
			return ""
		}
		if c.ID != 0 || c.Link != "good link of "+c.Hoster {
			t.Errorf("%+v is no test in an outage", c)
		}
		w.out = must(w.p.EndCanary(w.Memory, *c, fails, w.now))
		if diff := cmp.Diff(health.Outcome{}, w.out); diff != "" {
			t.Errorf("outcome of a test that fails (-want +got):\n%s", diff)
		}
		return c.Hoster
	}
	t.Run("waits", func(t *testing.T) {
		t.Parallel()
		w := begin()
		var tested []string
		var waits []int64
		for last := w.now; len(tested) < 8; w.now++ {
			if h := test(w, false); h != "" {
				tested, waits = append(tested, h), append(waits, w.now-last)
				last = w.now
			}
		}
		if diff := cmp.Diff([]int64{5, 7, 10, 15, 22, 30, 30, 30}, waits); diff != "" {
			t.Errorf("waits (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"i", "g", "h", "i", "g", "h", "i", "g"}, tested); diff != "" {
			t.Errorf("tested (-want +got):\n%s", diff)
		}
	})
	t.Run("one who waits for it", func(t *testing.T) {
		t.Parallel()
		w := begin()
		if got := test(w, true) + test(w, false); got != "i" || w.Network.TestAt != t0+7 {
			t.Errorf("tested %q, next in %d s; want one at once, and the next later", got, w.Network.TestAt-t0)
		}
	})
	t.Run("none worked lately", func(t *testing.T) {
		t.Parallel()
		w := begin()
		w.now += 3 * 3600
		var tested []string
		for range 4 {
			tested = append(tested, test(w, true))
			w.now++
		}
		if diff := cmp.Diff([]string{"h", "i", "g", "h"}, tested); diff != "" {
			t.Errorf("tested (-want +got):\n%s", diff)
		}
	})
	t.Run("the clock goes back", func(t *testing.T) {
		t.Parallel()
		w := begin()
		w.now -= 3600
		var tested []string
		for range 4 {
			tested = append(tested, test(w, false))
			w.now += 30
		}
		if diff := cmp.Diff([]string{"h", "g", "h", "i"}, tested); diff != "" {
			t.Errorf("tested (-want +got):\n%s", diff)
		}
	})
	t.Run("all are being tried", func(t *testing.T) {
		w := newPlay(health.Hosters())
		w.Network.Outage = true
		for name, h := range w.Hosters {
			if h.GoodLink != "" {
				h.LeaseUntil = w.now + 20
				w.Hosters[name] = h
			}
		}
		if c, err := w.p.TestOutage(w.Memory, true, w.now); c != nil || err != nil || !w.Network.Outage {
			t.Errorf("test %+v, %v, outage %t; somebody else will tell", c, err, w.Network.Outage)
		}
	})
	t.Run("nothing to test", func(t *testing.T) {
		t.Parallel()
		w := begin()
		for _, h := range []string{"g", "h", "i"} {
			delete(w.Hosters, h)
		}
		w.now += 5
		if got := test(w, false); got != "" || w.Network.Outage || w.Network.OutageEnd != w.now || w.Network.TestAt != 0 {
			t.Errorf("tested %q, guard %+v; want no outage", got, w.Network)
		}
		if w.Network.RunHosters != 0 || w.Network.RunOK {
			t.Errorf("guard %+v, want a new run", w.Network)
		}
		if w.fail("c"); w.state() != "c1" {
			t.Errorf("got %q after a fail of one hoster, want that it counts", w.state())
		}
	})
	t.Run("no outage", func(t *testing.T) {
		t.Parallel()
		w := newPlay(health.Hosters())
		if got := test(w, true); got != "" {
			t.Errorf("tested %q", got)
		}
	})
	t.Run("it works", func(t *testing.T) {
		t.Parallel()
		w := begin()
		w.now += 5
		c := must(w.p.TestOutage(w.Memory, false, w.now))
		out := must(w.p.EndCanary(w.Memory, *c, works, w.now))
		if out.Outage != health.OutageEnds || w.Network.Outage || w.Network.OutageEnd != w.now {
			t.Errorf("outcome %+v, guard %+v; want the end of the outage", out, w.Network)
		}
	})
	t.Run("a user's click works", func(t *testing.T) {
		t.Parallel()
		w := begin()
		if w.ok("a"); w.out.Outage != health.OutageEnds {
			t.Errorf("outcome %+v, want the end of the outage", w.out)
		}
	})
}

// Clocks that cannot be right.
func TestEnd_clocks(t *testing.T) {
	t.Parallel()
	const years = 50 * 365 * 86_400
	tests := []struct {
		name string
		play func(w *play)
		want string
	}{
		{"starts in 1970 and is set", func(w *play) {
			w.now = 100
			w.ok("a")
			w.fail("b")
			w.now += years
			w.ok("a")
			w.now++
			w.fail("b")
		}, "b2"},
		{"is set in the middle of an attempt", func(w *play) {
			w.now = 100
			w.ok("a")
			w.fail("b")
			w.now += years
			w.ok("a")
			w.failSince("b", 103)
		}, "b1"}, // it began in the block
		{"is set in an outage", func(w *play) {
			w.now = 100
			w.ok("g", "h")
			w.fail("a", "b")
			w.answer(fails, fails)
			w.now += years
			c := must(w.p.TestOutage(w.Memory, false, w.now))
			w.out = must(w.p.EndCanary(w.Memory, *c, works, w.now))
			w.now++
			w.fail("a")
		}, "a1"},
		{"falls to 1970", func(w *play) {
			w.fail("a")
			w.now = 100
			if !w.p.Available(w.Hosters["a"], 0, w.now) {
				w.fail("b")
			}
			w.ok("g")
			w.fail("a")
		}, "a2"},
		{"goes back an hour in a block of 5 s", func(w *play) {
			w.fail("a")
			w.now -= 3600
			if !w.p.Available(w.Hosters["a"], 0, w.now) {
				w.fail("b")
			}
			w.ok("g")
			w.fail("a")
		}, "a2"},
		{"goes back an hour in a block of an hour", func(w *play) {
			w.Hosters["a"] = health.Hoster{ConsecutiveFails: 7, BackoffUntil: t0 + 1800}
			w.now -= 3600
			if !w.p.Available(w.Hosters["a"], 0, w.now) {
				w.fail("b")
			}
		}, "a7"},
		{"goes back, and nothing vouches for the network", func(w *play) { w.now--; w.fail("a") }, "test:h"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newPlay(health.Hosters())
			tt.play(w)
			if got := w.state(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Two daemons and five scans go on trying in an outage: one canary at a time is
// tested, nothing counts, and no more tests of the line are made than for one.
func TestEnd_crowdInOutage(t *testing.T) {
	t.Parallel()
	w := newPlay(health.Hosters())
	tests := 0
	for range 600 {
		for range 7 {
			w.fail("a", "b", "c", "d")
		}
		if len(w.canaries) > 1 {
			t.Fatalf("%d canaries at once", len(w.canaries))
		}
		for len(w.canaries) > 0 {
			w.answer(fails)
		}
		for range 2 {
			if c := must(w.p.TestOutage(w.Memory, false, w.now)); c != nil {
				tests++
			}
		}
		w.now++
	}
	if got := w.state(); got != "outage" || tests > 25 {
		t.Errorf("got %q after %d tests, want an outage that one process at a time tests", got, tests)
	}
}

// The rules hold for as many hosters as anybody has.
func TestEnd_manyHosters(t *testing.T) {
	t.Parallel()
	w := newPlay(health.Hosters())
	const hosters = 22_000
	for i := range hosters {
		w.fail(fmt.Sprint("hoster", i))
	}
	if got := w.out; got.Effect != health.Counted || len(w.canaries) != 1 {
		t.Fatalf("outcome %+v, %d canaries", got, len(w.canaries))
	}
	w.answer(fails, fails, fails)
	if got := w.state(); got != "outage" || len(w.Hosters) != hosters+3 {
		t.Errorf("%d hosters, state %.100q; want that nothing counts", len(w.Hosters), got)
	}
}
