package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"xship/cmd/api"
	"xship/sources"
	"xship/sources/sourcetest"
)

// told is a program of notify.command that takes a while and fails at will.
type told struct {
	takes time.Duration // 0 = nothing, below = until it is killed
	fails func(n int) error

	mu    sync.Mutex
	got   []api.Notification
	ended int
	most  int // at once
	busy  int
}

func (p *told) run(ctx context.Context, doc []byte) error {
	n := p.begin(doc)
	defer p.leave(false)
	switch {
	case p.takes < 0:
		<-ctx.Done()
		return ctx.Err()
	case p.takes > 0:
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(p.takes):
		}
	}
	p.leave(true)
	if p.fails != nil {
		return p.fails(n)
	}
	return nil
}

// begin takes note of a run, and gives its number.
func (p *told) begin(doc []byte) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var n api.Notification
	if err := json.Unmarshal(doc, &n); err != nil {
		panic(err) // of the test
	}
	p.got = append(p.got, n)
	p.busy++
	p.most = max(p.most, p.busy)
	return len(p.got)
}

// leave takes note that a run came to its end, or is over.
func (p *told) leave(toItsEnd bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if toItsEnd {
		p.ended++
		return
	}
	p.busy--
}

// state is what it was told, how many runs came to their end, and how many ran at once.
func (p *told) state() (got []api.Notification, ended, most int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.got), p.ended, p.most
}

// notifying runs a test in which p is told, with the log that came of it.
func notifying(t *testing.T, p *told, do func(t *testing.T, n *notifier, log *sourcetest.Buffer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		log := new(sourcetest.Buffer)
		n := startNotifier(slog.New(newTextHandler(log, slog.LevelInfo, "")), time.Now, p.run)
		do(t, n, log)
		n.close(t.Context())
		n.close(t.Context()) // and once more
	})
}

func ready(n int) sources.TitleReady {
	return sources.TitleReady{Title: sources.Title{Kind: sources.KindMovie, Name: fmt.Sprintf("Film %d", n)}}
}

// TestNotifier_events says what is told, and what is not.
func TestNotifier_events(t *testing.T) {
	good, other := sources.Interface{URL: "http://a.example"}, sources.Interface{URL: "http://b.example"}
	failed := sources.CycleEnded{Err: errors.New("the disk is full")}
	for _, c := range []struct {
		name   string
		events []sources.Event
		want   []string
	}{
		{"a title", []sources.Event{ready(1), ready(2)}, []string{"title_ready", "title_ready"}},
		{"an account", []sources.Event{sources.AccountEnding{User: 1, Provider: "torbox"}}, []string{"account_ending"}},
		{"each switch, once it is made", []sources.Event{
			sources.InterfaceSwitched{From: good, To: other},
			sources.InterfaceLoaded{Origin: good, Interface: other, Switched: true},
			sources.InterfaceLoaded{Origin: other, Interface: good, Switched: true},
		}, []string{"interface_switched", "interface_switched"}},
		{"loads without a switch", []sources.Event{
			sources.InterfaceLoaded{Origin: good, Interface: good},
			sources.InterfaceLoaded{Origin: good, Interface: other},
			sources.InterfaceLoaded{Origin: good, Err: errors.New("none")},
		}, nil},
		{"a failed cycle once", []sources.Event{failed, failed, sources.CycleEnded{Err: errors.New("another reason")}}, []string{"cycle_failed"}},
		{"a failed cycle after a good one", []sources.Event{failed, sources.CycleEnded{}, failed}, []string{"cycle_failed", "cycle_failed"}},
		{"an interrupted one tells nothing", []sources.Event{failed, sources.CycleEnded{Err: context.Canceled, Interrupted: true}, failed}, []string{"cycle_failed"}},
		{"a good cycle", []sources.Event{sources.CycleEnded{}}, nil},
		{"all else", []sources.Event{sources.SiteDone{}, sources.RequestMade{}, sources.AttemptEnded{}, sources.CooldownMarked{}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := new(told)
			notifying(t, p, func(t *testing.T, n *notifier, _ *sourcetest.Buffer) {
				for _, e := range c.events {
					n.Observe(t.Context(), e)
				}
				synctest.Wait()
				got, _, _ := p.state()
				var events []string
				for _, n := range got {
					events = append(events, n.Event)
					if n.At != time.Now().Unix() {
						t.Errorf("at %d", n.At)
					}
				}
				if !slices.Equal(events, c.want) {
					t.Errorf("told %q, want %q", events, c.want)
				}
			})
		})
	}
	var none *notifier
	none.Observe(t.Context(), ready(1))
	none.failed(errors.New("nobody is told"))
	none.close(t.Context())
}

// TestNotifier_bounds has one run at a time, however many events come, and nobody wait for
// it.
func TestNotifier_bounds(t *testing.T) {
	p := &told{takes: time.Second}
	notifying(t, p, func(t *testing.T, n *notifier, log *sourcetest.Buffer) {
		began := time.Now()
		for i := range 100 {
			n.Observe(t.Context(), ready(i))
			if i == 0 {
				synctest.Wait() // it runs
			}
		}
		if time.Since(began) > 0 {
			t.Errorf("the precacher waited %s", time.Since(began))
		}
		time.Sleep(time.Minute)
		if got, _, most := p.state(); len(got) != 1+notifyWaiting || most != 1 {
			t.Errorf("%d were told, %d at once", len(got), most)
		}
		if got, want := log.String(), fmt.Sprintf("WARN notifications were dropped: the program of notify.command is too slow for them dropped=%d\n", 99-notifyWaiting); got != want {
			t.Errorf("log %q, want %q", got, want)
		}
		n.Observe(t.Context(), ready(100))
		time.Sleep(time.Minute)
		if got, _, _ := p.state(); len(got) != 2+notifyWaiting {
			t.Error("none is told after that")
		}
	})
}

// TestNotifier_fails logs why a program fails, the same reason once.
func TestNotifier_fails(t *testing.T) {
	reasons := []string{"", "a", "a", "b", "b", "", "b"}
	p := &told{fails: func(n int) error {
		if reasons[n-1] == "" {
			return nil
		}
		return errors.New("it says " + reasons[n-1])
	}}
	notifying(t, p, func(t *testing.T, n *notifier, log *sourcetest.Buffer) {
		for i := range reasons {
			n.Observe(t.Context(), ready(i))
		}
		synctest.Wait()
		want := ""
		for _, reason := range []string{"a", "b", "b"} {
			want += `WARN the program of notify.command failed error="it says ` + reason + "\"\n"
		}
		if log.String() != want {
			t.Errorf("log\n%swant\n%s", log.String(), want)
		}
	})
}

// TestNotifier_hangs kills a program that does not end, and goes on with the next.
func TestNotifier_hangs(t *testing.T) {
	p := &told{takes: -1}
	notifying(t, p, func(t *testing.T, n *notifier, _ *sourcetest.Buffer) {
		n.Observe(t.Context(), ready(1))
		n.Observe(t.Context(), ready(2))
		time.Sleep(notifyTimeout - time.Millisecond)
		if got, _, _ := p.state(); len(got) != 1 {
			t.Errorf("%d runs began", len(got))
		}
		time.Sleep(2 * time.Millisecond)
		if got, _, _ := p.state(); len(got) != 2 {
			t.Error("the next one did not come")
		}
	})
}

// TestNotifier_close waits for what is told at the end of a run, but not for long where
// that was asked to end, and never for ever.
func TestNotifier_close(t *testing.T) {
	for _, c := range []struct {
		name   string
		takes  time.Duration
		events int
		asked  time.Duration // when the run is asked to end after close began, 0 = before, below = never
		ended  int
		took   time.Duration
		logged string
	}{
		{"nothing", 0, 0, -1, 0, 0, ""},
		{"all of it", 3 * time.Second, 5, -1, 5, 15 * time.Second, ""},
		{"not for ever", 9 * time.Second, 5, -1, 3, notifyFlush, "dropped=1\n"},
		{"asked before", time.Second, 2, 0, 1, notifyGrace, ""},
		{"asked meanwhile", 9 * time.Second, 2, 4 * time.Second, 0, 4*time.Second + notifyGrace, "dropped=1\n"},
		{"hangs", -1, 1, 0, 0, notifyGrace, "failed error="},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &told{takes: c.takes}
			notifying(t, p, func(t *testing.T, n *notifier, log *sourcetest.Buffer) {
				for i := range c.events {
					n.Observe(t.Context(), ready(i))
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				switch {
				case c.asked == 0:
					cancel()
				case c.asked > 0:
					time.AfterFunc(c.asked, cancel)
				}
				began := time.Now()
				n.close(ctx)
				if _, ended, _ := p.state(); time.Since(began) != c.took || ended < c.ended {
					t.Errorf("it took %s and %d ended; want %s, %d", time.Since(began), ended, c.took, c.ended)
				}
				if c.logged != "" && !strings.Contains(log.String(), c.logged) {
					t.Errorf("log %q, want %q", log.String(), c.logged)
				}
				n.Observe(t.Context(), ready(9)) // by what was left behind
			})
		})
	}
}
