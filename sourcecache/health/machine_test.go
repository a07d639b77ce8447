package health_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache/health"
)

// What one report leaves, all of it.
func TestPolicy_End(t *testing.T) {
	t.Parallel()
	fresh := health.Guard{LastSuccessAt: t0 - 1}
	doubted := health.Guard{LastSuccessAt: t0 - 1, Run: 1, RunHosters: 1}
	fail := health.Event{Class: health.Fail, Error: "refused"}
	failed := func(h health.Hoster) health.Hoster { // its last fail is that one
		h.LastFailAt, h.LastError, h.DoubtRun = t0, "refused", 1
		return h
	}
	tests := []struct {
		name  string
		h     health.Hoster
		g     health.Guard
		e     health.Event
		want  health.Outcome
		wantH health.Hoster
		wantG health.Guard
	}{
		{
			name:  "first success",
			e:     health.Event{Class: health.OK, Link: "link"},
			want:  health.Outcome{Effect: health.Recovered},
			wantH: health.Hoster{OKCount: 1, LastSuccessAt: t0, GoodLink: "link"},
			wantG: health.Guard{LastSuccessAt: t0},
		},
		{
			name:  "a success of a link that is no canary",
			h:     health.Hoster{GoodLink: "other"},
			e:     health.Event{Class: health.OK, Link: "link", Unfit: true},
			want:  health.Outcome{Effect: health.Recovered},
			wantH: health.Hoster{OKCount: 1, LastSuccessAt: t0, GoodLink: "other"},
			wantG: health.Guard{LastSuccessAt: t0},
		},
		{
			name:  "a success inside a block, begun before it",
			h:     health.Hoster{ConsecutiveFails: 7, BackoffUntil: t0 + 3600, OKCount: 2, FailCount: 9, LastFailAt: t0, LastError: "refused"},
			g:     fresh,
			e:     health.Event{Class: health.OK, StartedAt: t0 - 9},
			want:  health.Outcome{Effect: health.Recovered},
			wantH: health.Hoster{OKCount: 3, FailCount: 9, LastSuccessAt: t0, LastFailAt: t0, LastError: "refused"},
			wantG: health.Guard{LastSuccessAt: t0},
		},
		{
			name:  "a success ends a run that is in doubt, and a canary's word",
			g:     health.Guard{LastSuccessAt: t0 - 9, Run: 3, RunHosters: 1, RunOK: true},
			e:     health.Event{Class: health.OK},
			want:  health.Outcome{Effect: health.Recovered},
			wantH: health.Hoster{OKCount: 1, LastSuccessAt: t0},
			wantG: health.Guard{LastSuccessAt: t0, Run: 4},
		},
		{
			name:  "first fail",
			g:     fresh,
			e:     fail,
			want:  health.Outcome{Effect: health.Counted, Fails: 1, Backoff: 5},
			wantH: failed(health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 5, FailCount: 1, FailRun: 1}),
			wantG: doubted,
		},
		{
			name:  "a fail in a new database",
			e:     fail,
			want:  health.Outcome{Effect: health.Unguarded},
			wantH: failed(health.Hoster{FailCount: 1}),
			wantG: health.Guard{Run: 1, RunHosters: 1, Canary: 1},
		},
		{
			name:  "a fail 30 s after the last success",
			h:     health.Hoster{ConsecutiveFails: 2, BackoffUntil: t0 - 1, FailCount: 2},
			g:     health.Guard{LastSuccessAt: t0 - 30},
			e:     fail,
			want:  health.Outcome{Effect: health.Counted, Fails: 3, Backoff: 20},
			wantH: failed(health.Hoster{ConsecutiveFails: 3, BackoffUntil: t0 + 20, FailCount: 3, FailRun: 1, UndoFails: 2, UndoUntil: t0 - 1}),
			wantG: health.Guard{LastSuccessAt: t0 - 30, Run: 1, RunHosters: 1},
		},
		{
			name:  "a fail 31 s after the last success, and nobody to ask",
			h:     health.Hoster{ConsecutiveFails: 2, BackoffUntil: t0 - 1, FailCount: 2},
			g:     health.Guard{LastSuccessAt: t0 - 31},
			e:     fail,
			want:  health.Outcome{Effect: health.Unguarded, Fails: 2},
			wantH: failed(health.Hoster{ConsecutiveFails: 2, BackoffUntil: t0 - 1, FailCount: 3}),
			wantG: health.Guard{LastSuccessAt: t0 - 31, Run: 1, RunHosters: 1, Canary: 1},
		},
		{
			name:  "a fail of the same incident",
			h:     health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 3, FailCount: 1, LastFailAt: t0 - 2, LastError: "timeout"},
			g:     fresh,
			e:     health.Event{Class: health.Fail, StartedAt: t0 - 9, Error: "refused"},
			want:  health.Outcome{Effect: health.SameIncident, Fails: 1},
			wantH: health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 3, FailCount: 2, LastFailAt: t0 - 2, LastError: "timeout", DoubtRun: 1},
			wantG: doubted,
		},
		{
			name:  "begun inside the block, ended after it",
			h:     health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 - 3, FailCount: 1},
			g:     fresh,
			e:     health.Event{Class: health.Fail, StartedAt: t0 - 4},
			want:  health.Outcome{Effect: health.SameIncident, Fails: 1},
			wantH: health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 - 3, FailCount: 2, DoubtRun: 1},
			wantG: doubted,
		},
		{
			name:  "begun in the first second of the clock, inside the block",
			h:     health.Hoster{ConsecutiveFails: 1, BackoffUntil: 50},
			g:     fresh,
			e:     health.Event{Class: health.Fail, StartedAt: 1},
			want:  health.Outcome{Effect: health.SameIncident, Fails: 1},
			wantH: health.Hoster{ConsecutiveFails: 1, BackoffUntil: 50, FailCount: 1, DoubtRun: 1},
			wantG: doubted,
		},
		{
			name:  "begun as the block ended",
			h:     health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 - 3, FailCount: 1},
			g:     fresh,
			e:     health.Event{Class: health.Fail, StartedAt: t0 - 3, Error: "refused"},
			want:  health.Outcome{Effect: health.Counted, Fails: 2, Backoff: 10},
			wantH: failed(health.Hoster{ConsecutiveFails: 2, BackoffUntil: t0 + 10, FailCount: 2, FailRun: 1, UndoFails: 1, UndoUntil: t0 - 3}),
			wantG: doubted,
		},
		{
			name:  "begun in the future stands for now",
			h:     health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 5, FailCount: 1},
			g:     fresh,
			e:     health.Event{Class: health.Fail, StartedAt: t0 + 99},
			want:  health.Outcome{Effect: health.SameIncident, Fails: 1},
			wantH: health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 5, FailCount: 2, DoubtRun: 1},
			wantG: doubted,
		},
		{
			name:  "an impossible block hides no fail",
			h:     health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 3600, FailCount: 1},
			g:     fresh,
			e:     fail,
			want:  health.Outcome{Effect: health.Counted, Fails: 2, Backoff: 10},
			wantH: failed(health.Hoster{ConsecutiveFails: 2, BackoffUntil: t0 + 10, FailCount: 2, FailRun: 1, UndoFails: 1, UndoUntil: t0 + 3600}),
			wantG: doubted,
		},
		{
			name:  "a success in the future vouches for nothing",
			g:     health.Guard{LastSuccessAt: t0 + 1},
			e:     fail,
			want:  health.Outcome{Effect: health.Unguarded},
			wantH: failed(health.Hoster{FailCount: 1}),
			wantG: health.Guard{LastSuccessAt: t0 + 1, Run: 1, RunHosters: 1, Canary: 1},
		},
		{
			name:  "a second provisional fail keeps what was before the first",
			h:     health.Hoster{ConsecutiveFails: 2, BackoffUntil: t0 - 1, FailCount: 2, FailRun: 1, UndoFails: 1, UndoUntil: t0 - 20, DoubtRun: 1},
			g:     doubted,
			e:     fail,
			want:  health.Outcome{Effect: health.Counted, Fails: 3, Backoff: 20},
			wantH: failed(health.Hoster{ConsecutiveFails: 3, BackoffUntil: t0 + 20, FailCount: 3, FailRun: 1, UndoFails: 1, UndoUntil: t0 - 20}),
			wantG: doubted,
		},
		{
			name:  "nothing is known of the hoster",
			h:     health.Hoster{ConsecutiveFails: 1},
			g:     fresh,
			e:     health.Event{},
			want:  health.Outcome{Fails: 1},
			wantH: health.Hoster{ConsecutiveFails: 1},
			wantG: fresh,
		},
		{
			name:  "a link is gone",
			h:     health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 - 1, FailCount: 1},
			g:     fresh,
			e:     health.Event{Class: health.Gone, Error: "404"},
			want:  health.Outcome{Effect: health.LinkGone, Fails: 1},
			wantH: health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 - 1, FailCount: 1, DoubtRun: 1},
			wantG: doubted,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := health.NewMemory()
			m.Hosters["hoster"], m.Network = tt.h, tt.g
			tt.e.Hoster = "hoster"
			got := must(health.Hosters().End(m, tt.e, t0))
			for what, diff := range map[string]string{
				"outcome": cmp.Diff(tt.want, got), "hoster": cmp.Diff(tt.wantH, m.Hosters["hoster"]), "guard": cmp.Diff(tt.wantG, m.Network),
			} {
				if diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
}

// The end of an attempt gives back its own lease, whatever its effect.
func TestPolicy_End_lease(t *testing.T) {
	t.Parallel()
	failing := health.Hoster{ConsecutiveFails: 1}
	fresh := health.Guard{LastSuccessAt: t0}
	tests := []struct {
		name   string
		g      health.Guard
		h      health.Hoster
		class  health.Class
		effect health.Effect
	}{
		{"nothing", fresh, failing, health.Nothing, health.NoEffect},
		{"gone", fresh, failing, health.Gone, health.LinkGone},
		{"counted", fresh, failing, health.Fail, health.Counted},
		{"unguarded", health.Guard{}, failing, health.Fail, health.Unguarded},
		{"in an outage", health.Guard{LastSuccessAt: t0, Outage: true}, failing, health.Fail, health.InOutage},
		{"gone in an outage", health.Guard{LastSuccessAt: t0, Outage: true}, failing, health.Gone, health.InOutage},
		{"in a block", fresh, health.Hoster{ConsecutiveFails: 1, BackoffUntil: t0 + 5}, health.Fail, health.SameIncident},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for token, until := range map[string]int64{"mine": 0, "another": t0 + 30, "": t0 + 30} {
				m := health.NewMemory()
				tt.h.LeaseUntil, tt.h.LeaseToken = t0+30, "mine"
				m.Hosters["h"], m.Network = tt.h, tt.g
				out := must(health.Hosters().End(m, health.Event{Hoster: "h", Class: tt.class, Token: token}, t0))
				if got := m.Hosters["h"].LeaseUntil; out.Effect != tt.effect || got != until {
					t.Errorf("token %q: effect %d, leased until %d; want %d, %d", token, out.Effect, got, tt.effect, until)
				}
			}
		})
	}
}

// documentModel is the document, as plainly as it puts it.
type documentModel struct {
	fails, until map[string]int64
	success      int64
}

func (m *documentModel) touch(hoster string, ok bool, now int64) {
	switch {
	case ok:
		m.fails[hoster], m.until[hoster], m.success = 0, 0, now
	case now-m.success > 30:
	default:
		m.fails[hoster]++
		m.until[hoster] = now + []int64{5, 10, 20, 30, 60, 300, 3600}[min(m.fails[hoster], 7)-1]
	}
}

// Without additions the policy is the document, to the letter. Each step takes three
// bytes: what an attempt showed, of which hoster, and how the clock moved.
func FuzzDocument(f *testing.F) {
	f.Add([]byte{1, 0, 0, 2, 1, 0, 2, 1, 5, 4, 2, 31, 3, 1, 20, 1, 1, 250})
	f.Add([]byte{0, 0, 0, 1, 1, 30, 1, 1, 1}) // the last second in which a success vouches, and the next
	f.Fuzz(func(t *testing.T, script []byte) {
		p, m, now := health.Document(), health.NewMemory(), int64(t0)
		want := documentModel{map[string]int64{}, map[string]int64{}, 0}
		for ; len(script) >= 3; script = script[3:] {
			hoster := fmt.Sprint("hoster", script[1]%4)
			if now += int64(script[2] % 64); script[2] >= 240 {
				now -= 3600
			}
			class := health.OK + health.Class(script[0]%4)
			e := health.Event{Hoster: hoster, Link: fmt.Sprint(script[1] % 16), Class: class, StartedAt: now - int64(script[0])}
			if out := must(p.End(m, e, now)); out.Canary != nil || out.Outage != health.NoChange {
				t.Fatalf("outcome %+v: the document knows neither canaries nor outages", out)
			}
			want.touch(hoster, class == health.OK, now)
			h := m.Hosters[hoster]
			if h.ConsecutiveFails != want.fails[hoster] || h.BackoffUntil != want.until[hoster] {
				t.Fatalf("at %d: %+v, the document has %d fails until %d", now, h, want.fails[hoster], want.until[hoster])
			}
			if p.Available(h, 0, now) != (want.until[hoster] <= now) {
				t.Fatalf("at %d: %+v is available", now, h)
			}
		}
	})
}

// standing is what counts of a hoster.
type standing struct{ fails, until int64 }

// invariants watches a play.
type invariants struct {
	*play
	t        *testing.T
	before   map[string]standing // the last step
	base     map[string]standing // the last success
	marked   []string            // links found to be gone since
	reported map[string]int64    // fails of a hoster since it worked
	doubts   map[string]bool     // hosters that failed, or had a link that is gone, since the last success
}

func (v *invariants) standings() map[string]standing {
	all := make(map[string]standing)
	for name, h := range v.Hosters {
		if s := (standing{h.ConsecutiveFails, h.BackoffUntil}); s != (standing{}) {
			all[name] = s
		}
	}
	return all
}

// step checks what a step did of which these hosters are said to be the cause.
func (v *invariants) step(hoster string, class health.Class, wasOutage bool) {
	now := v.standings()
	allowed := []string{hoster}
	for _, c := range v.out.Counted {
		allowed = append(allowed, c.Hoster)
	}
	begins := v.out.Outage == health.OutageBegins
	for name, h := range v.Hosters {
		switch {
		case h.ConsecutiveFails < 0 || h.ConsecutiveFails > v.reported[name]:
			v.t.Fatalf("%s has %d fails in a row after %d", name, h.ConsecutiveFails, v.reported[name])
		case v.p.Until(h, v.now) > v.now+v.p.Max+1:
			v.t.Fatalf("%s is blocked until %d", name, v.p.Until(h, v.now)-v.now)
		case !begins && now[name] != v.before[name] && !slices.Contains(allowed, name):
			v.t.Fatalf("%s has %+v instead of %+v by what happened at %s", name, now[name], v.before[name], hoster)
		case wasOutage && class != health.OK && now[name] != v.before[name]:
			v.t.Fatalf("%s has %+v instead of %+v by a fail in an outage", name, now[name], v.before[name])
		case h.Healthy() && h.LeaseUntil > v.now:
			v.t.Fatalf("%s is healthy and leased", name)
		}
	}
	if begins {
		if diff := cmp.Diff(v.base, now, cmp.AllowUnexported(standing{})); diff != "" {
			v.t.Fatalf("an outage has to restore what was at the last success (-want +got):\n%s", diff)
		}
		if len(v.doubts) < 2 {
			v.t.Fatalf("an outage because of %v", v.doubts)
		}
		for _, link := range v.marked {
			if !slices.Contains(v.revived, link) {
				v.t.Fatalf("the outage left %s marked", link)
			}
		}
	}
	if class == health.OK || begins {
		v.base, v.marked, v.revived = now, nil, nil
		clear(v.doubts)
	}
	v.before = now
}

// FuzzEnd plays attempts, canaries and tests in outages, under a clock that may jump
// both ways, and looks at what must hold after each. Each step takes three bytes: what
// happens, at which hoster and link, and how the clock moves.
func FuzzEnd(f *testing.F) {
	f.Add([]byte{0, 0, 0, 4, 1, 0, 4, 2, 0, 9, 0, 0, 9, 0, 1, 9, 0, 1, 12, 0, 9, 0, 0, 0})
	f.Add([]byte{0, 0, 0, 0, 1, 0, 4, 2, 40, 4, 3, 0, 8, 0, 0, 4, 2, 31, 9, 0, 0, 9, 0, 0})
	f.Add([]byte{0, 0, 0, 6, 1, 0, 6, 2, 0, 10, 0, 0, 4, 3, 0, 4, 19, 250, 11, 0, 0, 4, 1, 251})
	f.Add([]byte{0, 0, 0, 0, 17, 1, 4, 33, 0, 0, 17, 1, 4, 33, 1, 4, 2, 0, 9, 0, 0, 9, 0, 0})
	f.Fuzz(func(t *testing.T, script []byte) {
		v := invariants{play: newPlay(health.Hosters()), t: t, reported: map[string]int64{}, doubts: map[string]bool{}}
		v.base, v.before = v.standings(), v.standings()
		for ; len(script) >= 3; script = script[3:] {
			what, move := script[0]%13, int64(script[2])
			hoster := string(rune('a' + script[1]%10))
			link := fmt.Sprint(hoster, script[1]/16)
			if v.now += move % 64; move >= 240 {
				v.now -= 3600 * (move - 239)
			}
			wasOutage := v.Network.Outage
			v.out = health.Outcome{}
			switch what {
			case 8, 9, 10, 11: // a canary ends
				if len(v.canaries) == 0 {
					continue
				}
				class := []health.Class{works, fails, isGone, lost}[what-8]
				hoster = v.canaries[0].Hoster
				if current := v.canaries[0].ID == v.Network.Canary && v.Network.CanaryUntil != 0; current && class != lost {
					v.doubts[hoster] = true
				}
				if class == works {
					v.reported[hoster] = 0
				}
				v.answer(class)
				v.step(hoster, class, wasOutage)
			case 12: // the outage is tested, and fails
				c := must(v.p.TestOutage(v.Memory, script[1]%2 == 0, v.now))
				if c == nil {
					continue
				}
				if !wasOutage {
					t.Fatal("a test of no outage")
				}
				v.out = must(v.p.EndCanary(v.Memory, *c, fails, v.now))
				v.step(c.Hoster, fails, wasOutage)
			default:
				class := []health.Class{works, works, works, lost, fails, health.ServerFail, isGone, fails}[what]
				switch class {
				case works:
					v.reported[hoster] = 0
				case fails, health.ServerFail:
					v.reported[hoster]++
					v.doubts[hoster] = true
				case isGone:
					v.doubts[hoster] = true
				case lost:
				}
				h := v.Hosters[hoster]
				token := fmt.Sprint(len(script))
				began := v.now - int64(what)
				if v.p.Begin(&h, what == 7, token, began) {
					v.Hosters[hoster] = h
				}
				v.report(health.Event{Hoster: hoster, Link: link, StartedAt: began, Class: class, Token: token})
				if v.out.Effect == health.LinkGone {
					v.marked = append(v.marked, link)
				}
				if h := v.Hosters[hoster]; h.LeaseToken == token {
					t.Fatalf("%s keeps the lease of an attempt that ended", hoster)
				}
				v.step(hoster, class, wasOutage)
			}
			if len(v.canaries) > 3 {
				v.canaries = v.canaries[1:] // its process died
			}
		}
	})
}

// nothing is a Table that costs nothing: of one hoster, and one link.
type nothing struct {
	h health.Hoster
	l health.Link
	g health.Guard
}

func (n *nothing) Hoster(string) (health.Hoster, error)                      { return n.h, nil }
func (n *nothing) PutHoster(_ string, h health.Hoster) error                 { n.h = h; return nil }
func (n *nothing) Link(string) (health.Link, error)                          { return n.l, nil }
func (n *nothing) PutLink(_ string, l health.Link) error                     { n.l = l; return nil }
func (n *nothing) Guard() (health.Guard, error)                              { return n.g, nil }
func (n *nothing) PutGuard(g health.Guard) error                             { n.g = g; return nil }
func (n *nothing) FailedIn(int64) ([]health.Named, error)                    { return nil, nil }
func (n *nothing) Awaiting(int64) ([]health.Named, error)                    { return nil, nil }
func (n *nothing) UndoLinks(int64) error                                     { return nil }
func (n *nothing) NextCanary(int64, int64) (h health.Named, _ bool, _ error) { return h, true, nil }
func (n *nothing) NextOutageTest(bool, int64) (h health.Named, _ bool, _ error) {
	return h, true, nil
}

// BenchmarkEnd is what the rules cost a report, without a store.
func BenchmarkEnd(b *testing.B) {
	fresh := health.Guard{LastSuccessAt: t0, Run: 7}
	for name, start := range map[string]nothing{
		"plain":          {g: fresh},
		"doubted":        {g: health.Guard{LastSuccessAt: t0, Run: 7, RunHosters: 1}},
		"stale":          {g: health.Guard{LastSuccessAt: t0 - 31, Run: 7}},
		"outage":         {g: health.Guard{LastSuccessAt: t0, Run: 7, Outage: true}},
		"suspect link":   {h: health.Hoster{LastSuccessAt: t0 - 1}, l: health.Link{Fails: 1, FirstFailAt: t0 - 2}, g: fresh},
		"failing hoster": {h: health.Hoster{ConsecutiveFails: 6, BackoffUntil: t0}, g: fresh},
	} {
		for class, word := range map[health.Class]string{health.OK: "works", health.Fail: "fails", health.Gone: "gone"} {
			b.Run(name+"/"+word, func(b *testing.B) {
				p := health.Hosters()
				b.ReportAllocs()
				for b.Loop() {
					table := start
					if _, err := p.End(&table, health.Event{Hoster: "h", Link: "l", StartedAt: t0, Class: class}, t0); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// The table in memory takes what it is given, and gives hosters by their names.
func TestMemory(t *testing.T) {
	t.Parallel()
	m := health.NewMemory()
	for _, name := range []string{"c", "a", "b"} {
		m.Hosters[name] = health.Hoster{FailRun: 3, Awaits: 4, GoodLink: name, LastSuccessAt: t0}
	}
	names := func(all []health.Named, _ error) (names []string) {
		for _, h := range all {
			names = append(names, h.Name)
		}
		return names
	}
	for what, got := range map[string][]string{"failed": names(m.FailedIn(3)), "awaiting": names(m.Awaiting(4))} {
		if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	if got := slices.Concat(names(m.FailedIn(0)), names(m.Awaiting(0))); got != nil {
		t.Errorf("%v failed in no run", got)
	}
	for _, first := range []func() (health.Named, bool, error){
		func() (health.Named, bool, error) { return m.NextCanary(9, t0) },
		func() (health.Named, bool, error) { return m.NextOutageTest(true, t0) },
	} {
		if h, found, _ := first(); !found || h.Name != "a" {
			t.Errorf("got %+v, want the first by name of equal ones", h)
		}
	}
	m.Links["gone"] = health.Link{GoneRun: 3}
	if err := m.UndoLinks(3); err != nil || !m.Links["gone"].Disbelieved() { // nobody is told
		t.Errorf("links %v, %v", m.Links, err)
	}
}

// That the first bytes of a link come says nothing of one that fails behind them.
func TestEnd_firstBytes(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		failDeep, okFirst bool
		want              health.Effect // of the next fail
	}{
		"fails behind its first bytes, which come": {true, true, health.SuspectLink},
		"fails behind its first bytes, works":      {true, false, health.Counted},
		"fails at once, comes":                     {false, true, health.Counted},
		"fails at once, works":                     {false, false, health.Counted},
	} {
		w := newPlay(health.Hosters())
		report := func(class health.Class, first bool) {
			w.report(health.Event{Hoster: "a", Link: "x", Class: class, FirstOnly: first})
			w.now += 5
		}
		w.ok("g")
		report(health.Fail, !tt.failDeep)
		report(health.OK, tt.okFirst)
		if h := w.Hosters["a"]; h.GoodLink != "x" || !h.Healthy() {
			t.Errorf("%s: the hoster is %+v", name, h)
		}
		report(health.Fail, !tt.failDeep)
		if w.out.Effect != tt.want {
			t.Errorf("%s: effect %v of the next fail, want %v", name, w.out.Effect, tt.want)
		}
	}
}
