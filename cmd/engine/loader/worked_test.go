package loader_test

import (
	"testing"
	"time"

	"xship/cmd/engine/loader"
	"xship/config/failover"
	"xship/sources/sourcetest/world"
	"xship/sources/text"
)

// TestLoad_advice: where all that may be tried has failed, the advice names what worked
// last, and how to use it; with failover off nothing is said of other interfaces.
func TestLoad_advice(t *testing.T) {
	dead, ok := world.Mode500, world.ModeOK
	r := newRig(t, dead, dead, dead, ok, ok, dead, ok, ok, ok)
	load := func(want string) {
		t.Helper()
		_, err := r.load()
		if got := text.HintOf(err); err == nil || got != want {
			t.Errorf("%v: hint %q, want %q", err, got, want)
		}
	}
	load("not tried: d, e, f, …; switch with: xship interfaces use d")
	for _, name := range []string{"f", "e", "d"} { // f is dead
		_, _ = r.Check(t.Context(), r.servers[name].URL())
		r.pass(time.Hour)
	}
	r.settle()
	load("worked last: d, e; switch with: xship interfaces use d")
	if err := r.Store.SetCurrentInterface(t.Context(), r.servers["f"].URL()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"g", "h", "i"} {
		r.servers[name].SetMode(dead)
	}
	load("worked last: d, e; switch with: xship interfaces use d")
	r.mode(failover.Off)
	load("the server is in trouble; try again later")
	r.mode(failover.Auto)
	if err := r.Store.SetCurrentInterface(t.Context(), r.servers["i"].URL()); err != nil { // the last one
		t.Fatal(err)
	}
	load("the server is in trouble; try again later; worked last: d, e; switch with: xship interfaces use d")
	r.mode(failover.Manual)
	if err := r.Store.SetCurrentInterface(t.Context(), r.servers["a"].URL()); err != nil {
		t.Fatal(err)
	}
	load("worked last: d, e; switch with: xship interfaces use d")
	_, err := r.Load(t.Context(), loader.Request{Ref: "a"})
	if got := text.HintOf(err); got != "switch with: xship interfaces use NAME" {
		t.Errorf("for one run: hint %q", got)
	}
}

// TestLoad_adviceAlone: one interface alone has no other to be named.
func TestLoad_adviceAlone(t *testing.T) {
	r := newRig(t, world.Mode500)
	if _, err := r.load(); text.HintOf(err) != "the server is in trouble; try again later" {
		t.Errorf("hint %q", text.HintOf(err))
	}
}
