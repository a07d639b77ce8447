package loader_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xship/cmd/engine/loader"
	"xship/config/failover"
	"xship/sources"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

// observed is what a load tells an observer, in short.
type observed struct {
	Event    string
	From, To string // names of interfaces
	Failed   bool
	Switched bool
	Attended bool
}

func observedOf(told *sourcetest.Observed) []observed {
	var all []observed
	for _, e := range told.Events() {
		switch e := e.(type) {
		case sources.InterfaceTried:
			all = append(all, observed{Event: "tried", From: e.Interface.Name, Failed: e.Err != nil})
		case sources.InterfaceSwitched:
			all = append(all, observed{Event: "switched", From: e.From.Name, To: e.To.Name, Failed: e.Cause != nil, Attended: e.Attended})
		case sources.InterfaceLoaded:
			all = append(all, observed{Event: "loaded", From: e.Origin.Name, To: e.Interface.Name, Failed: e.Err != nil, Switched: e.Switched, Attended: e.Attended})
		}
	}
	return all
}

// TestLoaderObserved checks what an observer is told of a load, in its order, once for
// all who wait for it.
func TestLoaderObserved(t *testing.T) {
	tests := []struct {
		name   string
		modes  []world.Mode
		mode   failover.Mode
		change func(r *rig)
		want   []observed
	}{
		{"one that works", []world.Mode{world.ModeOK}, failover.Auto, nil, []observed{
			{Event: "tried", From: "a"}, {Event: "loaded", From: "a", To: "a", Attended: true},
		}},
		{"at hand", []world.Mode{world.ModeOK}, failover.Auto, func(r *rig) {
			if _, err := r.load(); err != nil {
				r.t.Fatal(err)
			}
			r.Observer = nil
		}, nil},
		{"the next one", []world.Mode{world.Mode500, world.ModeOK}, failover.Auto, nil, []observed{
			{Event: "tried", From: "a", Failed: true},
			{Event: "switched", From: "a", To: "b", Failed: true, Attended: true},
			{Event: "tried", From: "b"},
			{Event: "loaded", From: "a", To: "b", Switched: true, Attended: true},
		}},
		{"the next one, while nobody looks", []world.Mode{world.Mode500, world.ModeOK}, failover.Auto, func(r *rig) { r.Announce = nil }, []observed{
			{Event: "tried", From: "a", Failed: true},
			{Event: "switched", From: "a", To: "b", Failed: true},
			{Event: "tried", From: "b"},
			{Event: "loaded", From: "a", To: "b", Switched: true},
		}},
		{"none", []world.Mode{world.Mode500}, failover.Auto, nil, []observed{
			{Event: "tried", From: "a", Failed: true}, {Event: "loaded", From: "a", Failed: true, Attended: true},
		}},
		{"the one that a user chose", []world.Mode{world.Mode500, world.Mode500, world.ModeOK}, failover.Manual, func(r *rig) {
			r.Ask = func(_ context.Context, q loader.Question) (loader.Answer, error) {
				return loader.Answer{URL: q.Candidates[1].URL}, nil
			}
		}, []observed{
			{Event: "tried", From: "a", Failed: true},
			{Event: "switched", From: "a", To: "c", Failed: true, Attended: true},
			{Event: "tried", From: "c"},
			{Event: "loaded", From: "a", To: "c", Switched: true, Attended: true},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, told := newRig(t, tt.modes...), new(sourcetest.Observed)
			r.mode(tt.mode)
			if tt.change != nil {
				tt.change(r)
			}
			r.Observer = told
			_, _ = r.load()
			if diff := cmp.Diff(tt.want, observedOf(told), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLoaderObserved_forOneLoad checks that an interface that one load alone gets is
// not told as the one in use.
func TestLoaderObserved_forOneLoad(t *testing.T) {
	r, told := newRig(t, world.ModeOK, world.Mode500, world.ModeOK), new(sourcetest.Observed)
	r.Observer = told
	if _, err := r.Load(t.Context(), loader.Request{Ref: "b"}); err != nil {
		t.Fatal(err)
	}
	want := []observed{
		{Event: "tried", From: "b", Failed: true},
		{Event: "switched", From: "b", To: "c", Failed: true, Attended: true},
		{Event: "tried", From: "c"},
		{Event: "loaded", From: "b", To: "c", Attended: true},
	}
	if diff := cmp.Diff(want, observedOf(told)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// TestLimitObserved checks that a round which ends with the time of those who wait for
// it is told as a failed one, once for all, and as nothing where they only leave.
func TestLimitObserved(t *testing.T) {
	tests := []struct {
		name   string
		broken []string
		held   string
		mode   failover.Mode
		limits []time.Duration // of the callers
		leave  time.Duration   // they do so then, 0 = never
		want   []observed
	}{
		{"one that hangs", nil, "a", failover.Off, []time.Duration{time.Second}, 0, []observed{
			{Event: "tried", From: "a", Failed: true}, {Event: "loaded", From: "a", Failed: true, Attended: true},
		}},
		{"for two callers", nil, "a", failover.Auto, []time.Duration{time.Second, 2 * time.Second}, 0, []observed{
			{Event: "tried", From: "a", Failed: true}, {Event: "loaded", From: "a", Failed: true, Attended: true},
		}},
		{"the next one", []string{"a"}, "b", failover.Auto, []time.Duration{time.Second}, 0, []observed{
			{Event: "tried", From: "a", Failed: true},
			{Event: "switched", From: "a", To: "b", Failed: true, Attended: true},
			{Event: "tried", From: "b", Failed: true},
			{Event: "loaded", From: "a", Failed: true, Attended: true},
		}},
		{"callers that leave", nil, "a", failover.Auto, []time.Duration{3 * time.Second, 3 * time.Second}, time.Second, nil},
		{"the last one leaves", nil, "a", failover.Auto, []time.Duration{time.Second, 3 * time.Second}, 2 * time.Second, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, told := newCrowd(t, "a", "b", "c"), new(sourcetest.Observed)
				c.Observer = told
				c.mode(tt.mode)
				c.breaks(tt.broken...)
				c.hold(tt.held)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if tt.leave > 0 {
					time.AfterFunc(tt.leave, cancel)
				}
				var all []*loaded
				for _, limit := range tt.limits {
					all = append(all, c.start(ctx, loader.Request{Limit: limit}))
				}
				for _, l := range all {
					<-l.done
				}
				synctest.Wait()
				if diff := cmp.Diff(tt.want, observedOf(told), cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
			})
		})
	}
}
