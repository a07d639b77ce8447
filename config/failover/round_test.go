package failover_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/config/failover"
)

// entry is what is ordered here.
type entry struct{ URL, Name string }

func urlOf(e entry) string { return e.URL }

type move = failover.Step[entry]

// named makes an interface for each letter.
func named(letters string) []entry {
	var all []entry
	for l := range strings.SplitSeq(letters, "") {
		all = append(all, entry{URL: l, Name: strings.ToUpper(l)})
	}
	return all
}

// round starts a round at origin, in an order of interfaces with one-letter URLs.
func round(mode failover.Mode, origin, order string) *failover.Round[entry] {
	return failover.NewRound(mode, entry{URL: origin, Name: strings.ToUpper(origin)}, named(order), urlOf)
}

func load(url string) move {
	return move{Kind: failover.StepLoad, Load: entry{URL: url, Name: strings.ToUpper(url)}}
}

func ask(urls string) move {
	return move{Kind: failover.StepAsk, Candidates: named(urls)}
}

func ended(e failover.End) move { return move{Kind: failover.StepEnd, End: e} }

// act is one call to a round, and the step that it gives.
type act struct {
	call func(*failover.Round[entry]) move
	want move
}

func failed(stored failover.Mode, want move) act {
	return act{func(r *failover.Round[entry]) move { return r.Failed(stored) }, want}
}

func choose(url string, stored failover.Mode, want move) act {
	return act{func(r *failover.Round[entry]) move { return r.Choose(url, stored) }, want}
}

func cancel(want move) act {
	return act{func(r *failover.Round[entry]) move { return r.Cancel() }, want}
}

func succeeded(want move) act {
	return act{func(r *failover.Round[entry]) move { r.Succeeded(); return r.Failed(failover.Auto) }, want}
}

func TestRound(t *testing.T) {
	const off, auto, manual = failover.Off, failover.Auto, failover.Manual
	var (
		endFailed    = ended(failover.EndFailed)
		endOff       = ended(failover.EndOff)
		endCancelled = ended(failover.EndCancelled)
		endOver      = ended(failover.EndOver)
	)
	tests := []struct {
		name   string
		mode   failover.Mode
		origin string
		order  string
		acts   []act
	}{
		// Section 2.1 and 12.1, point 4.
		{"off never moves on", off, "a", "abc", []act{failed(off, endFailed)}},
		{"off stays off for the round", off, "a", "abc", []act{failed(auto, endFailed)}},
		// Sections 2.2 and 5, 12.1, points 5 to 8.
		{"auto moves on", auto, "a", "ab", []act{failed(auto, load("b")), succeeded(endOver)}},
		{"auto fails once", auto, "a", "ab", []act{failed(auto, load("b")), failed(auto, endFailed), failed(auto, endOver)}},
		{"three at most", auto, "a", "abcde", []act{failed(auto, load("b")), failed(auto, load("c")), failed(auto, endFailed)}},
		{"after the origin only", auto, "c", "abcd", []act{failed(auto, load("d")), failed(auto, endFailed)}},
		{"no wrap at the end", auto, "c", "abc", []act{failed(auto, endFailed)}},
		{"origin not in the order", auto, "x", "abc", []act{failed(auto, load("a")), failed(auto, load("b")), failed(auto, endFailed)}},
		{"origin not in an order of one", auto, "x", "a", []act{failed(auto, load("a")), failed(auto, endFailed)}},
		{"no interfaces", auto, "x", "", []act{failed(auto, endFailed)}},
		{"no URL twice", auto, "a", "abbacd", []act{failed(auto, load("b")), failed(auto, load("c")), failed(auto, endFailed)}},
		{"no origin", auto, "", "abc", []act{failed(auto, endFailed)}},
		{"unknown mode is auto", 9, "a", "ab", []act{failed(9, load("b"))}},
		{"manual in mid-round changes nothing", auto, "a", "abc", []act{failed(manual, load("b")), failed(manual, load("c"))}},
		// Section 11.1.
		{"switched off at once", auto, "a", "abc", []act{failed(off, endOff)}},
		{"switched off in mid-round", auto, "a", "abc", []act{failed(auto, load("b")), failed(off, endOff), failed(auto, endOver)}},
		{"switched off with nothing left", auto, "a", "a", []act{failed(off, endOff)}},
		{"switched off before the question", manual, "a", "abc", []act{failed(off, endOff)}},
		{"switched off while the user thinks", manual, "a", "abc", []act{failed(manual, ask("bc")), choose("b", off, endOff)}},
		{"switched off after the choice", manual, "a", "abc", []act{failed(manual, ask("bc")), choose("b", manual, load("b")), failed(off, endOff)}},
		// Sections 2.3 and 6, 12.1, points 9 and 10.
		{"the next one", manual, "a", "abcde", []act{failed(manual, ask("bcde")), choose("b", manual, load("b")), succeeded(endOver)}},
		{"another one", manual, "a", "abcde", []act{failed(manual, ask("bcde")), choose("e", manual, load("e")), failed(manual, endFailed)}},
		{"one choice a round", manual, "a", "abc", []act{failed(manual, ask("bc")), choose("b", manual, load("b")), failed(manual, endFailed), choose("c", manual, endOver)}},
		{"the user cancels", manual, "a", "abc", []act{failed(manual, ask("bc")), cancel(endCancelled), choose("b", manual, endOver)}},
		{"nothing to ask", manual, "c", "abc", []act{failed(manual, endFailed)}},
		{"auto in mid-round changes nothing", manual, "a", "abc", []act{failed(auto, ask("bc")), choose("c", auto, load("c")), failed(auto, endFailed)}},
		{"a choice that is no candidate", manual, "a", "abc", []act{failed(manual, ask("bc")), choose("x", manual, endFailed), choose("b", manual, endOver)}},
		{"the origin is no candidate", manual, "a", "abc", []act{failed(manual, ask("bc")), choose("a", manual, endFailed)}},
		// Out of turn.
		{"a choice before any failure", manual, "a", "abc", []act{choose("b", manual, endFailed), failed(manual, endOver)}},
		{"a choice in auto mode", auto, "a", "abc", []act{failed(auto, load("b")), choose("c", auto, endFailed)}},
		{"a failure while the user thinks", manual, "a", "abc", []act{failed(manual, ask("bc")), failed(manual, endFailed)}},
		// Sections 4.5, 4.6 and 5.3.
		{"cancelled while loading", auto, "a", "abc", []act{cancel(endCancelled), failed(auto, endOver), cancel(endOver)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := round(tt.mode, tt.origin, tt.order)
			current := tt.origin
			for i, a := range tt.acts {
				got := a.call(r)
				if diff := cmp.Diff(a.want, got); diff != "" {
					t.Errorf("step %d (-want +got):\n%s", i+1, diff)
				}
				if got.Kind == failover.StepLoad {
					current = got.Load.URL
				}
				if r.Current().URL != current {
					t.Errorf("after step %d the current one is %v, want %s", i+1, r.Current(), current)
				}
			}
		})
	}
}

// TestRound_More: there is more while a failure of the current one leads on.
func TestRound_More(t *testing.T) {
	for _, c := range []struct {
		mode     failover.Mode
		order    string
		failures int
		want     bool
	}{
		{failover.Auto, "ab", 0, true},
		{failover.Auto, "ab", 1, false},
		{failover.Auto, "abcd", 1, true},
		{failover.Auto, "abcd", 2, false}, // three loads at most
		{failover.Manual, "abcd", 0, true},
		{failover.Off, "ab", 0, false},
		{failover.Auto, "a", 0, false},
	} {
		r := round(c.mode, "a", c.order)
		for range c.failures {
			r.Failed(c.mode)
		}
		if got := r.More(); got != c.want {
			t.Errorf("%s, %s, %d failures: %t, want %t", c.mode, c.order, c.failures, got, c.want)
		}
	}
	r := round(failover.Auto, "a", "ab")
	if r.Succeeded(); r.More() {
		t.Error("there is more after a success")
	}
}

// What a caller does with the slices that it is given changes no round.
func TestRound_ownsItsSlices(t *testing.T) {
	order := named("abcd")
	r := failover.NewRound(failover.Manual, order[0], order, urlOf)
	order[1].URL = "x"
	r.Failed(failover.Manual).Candidates[0].URL = "y"
	if got := r.Choose("b", failover.Manual); got.Load.URL != "b" {
		t.Errorf("step %+v", got)
	}
}

// Whatever the order, the modes and the answers: a round loads three at most, no
// URL twice, nothing after off, and ends once.
func TestRound_properties(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 12))
	for range 20_000 {
		play(t, random)
		if t.Failed() {
			return
		}
	}
}

func play(t *testing.T, random *rand.Rand) {
	t.Helper()
	letter := func() string { return string(rune('a' + random.IntN(8))) }
	var order strings.Builder
	for range random.IntN(10) {
		order.WriteString(letter())
	}
	mode, origin := failover.Mode(random.IntN(3)), letter()
	r := round(mode, origin, order.String())
	loaded, asked := []string{origin}, 0
	for step := range 10 {
		stored := failover.Mode(random.IntN(6) % 3)
		var got move
		if asked > 0 && len(loaded) == 1 {
			got = r.Choose(letter(), stored)
		} else {
			got = r.Failed(stored)
		}
		switch got.Kind {
		case failover.StepLoad:
			if slices.Contains(loaded, got.Load.URL) || stored == failover.Off || mode == failover.Off {
				t.Fatalf("%v round in %q from %q: loads %q after %q with %v stored", mode, order.String(), origin, got.Load.URL, loaded, stored)
			}
			loaded = append(loaded, got.Load.URL)
		case failover.StepAsk:
			if asked++; asked > 1 || mode != failover.Manual || len(got.Candidates) == 0 {
				t.Fatalf("%v round in %q from %q: asks for %v", mode, order.String(), origin, got.Candidates)
			}
		case failover.StepEnd:
			if len(loaded) > failover.MaxAttempts || mode == failover.Manual && len(loaded) > 2 || got.End == failover.EndOver {
				t.Fatalf("%v round in %q from %q: ends with %v after %q", mode, order.String(), origin, got.End, loaded)
			}
			if again := r.Failed(failover.Auto); again.End != failover.EndOver {
				t.Fatalf("the round ends again: %+v", again)
			}
			return
		default:
			t.Fatalf("step %d is %+v", step, got)
		}
	}
	t.Fatalf("%v round in %q from %q never ends", mode, order.String(), origin)
}
