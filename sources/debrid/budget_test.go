package debrid_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/debrid"
)

// most is how many of times lie in one span of length d.
func most(times []time.Time, d time.Duration) int {
	best, first := 0, 0
	for i, at := range times {
		for at.Sub(times[first]) >= d {
			first++
		}
		best = max(best, i-first+1)
	}
	return best
}

func TestBudget(t *testing.T) {
	cases := []struct {
		service    string
		background bool
		calls      int
		per        time.Duration
		atMost     int
		atLeast    int // once it flows
	}{
		{"real_debrid", false, 1000, time.Minute, 250, 120},
		{"real_debrid", true, 1000, time.Minute, 200, 96},
		{"all_debrid", false, 200, time.Second, 12, 6},
		{"all_debrid", true, 200, time.Second, 9, 4},
		{"all_debrid", false, 2500, time.Minute, 600, 290},
		{"all_debrid", true, 2500, time.Minute, 480, 230},
	}
	for _, c := range cases {
		for _, s := range newServices() {
			if s.name != c.service {
				continue
			}
			t.Run(c.service, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBench(t, s)
					p := b.provider(t, s.name)
					for range c.calls {
						if _, err := p.Unlock(t.Context(), s.account(), testLink, c.background); err != nil {
							t.Fatal(err)
						}
					}
					times := b.calls.times()
					if n := most(times, c.per); n > c.atMost {
						t.Errorf("%d calls in %s, allowed are %d", n, c.per, c.atMost)
					}
					spans := float64(times[len(times)-1].Sub(times[0])) / float64(c.per)
					if rate := float64(len(times)) / spans; rate < float64(c.atLeast) {
						t.Errorf("%.1f calls per %s, want at least %d", rate, c.per, c.atLeast)
					}
				})
			})
		}
	}
}

// Background work leaves a share to the foreground, which never waits for it.
func TestBackgroundLeavesAShare(t *testing.T) {
	forServices(t, func(t *testing.T, s fakeService) {
		b := newBench(t, s)
		p := b.provider(t, s.name)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		for range 8 {
			go func() {
				for ctx.Err() == nil {
					_, _ = p.Unlock(ctx, s.account(), testLink, true)
				}
			}()
		}
		time.Sleep(5 * time.Minute)
		for range 10 {
			began := time.Now()
			if _, err := p.Unlock(t.Context(), s.account(), testLink, false); err != nil {
				t.Fatal(err)
			}
			if waited := time.Since(began); waited > time.Second {
				t.Errorf("the foreground waited for %s", waited)
			}
			time.Sleep(2 * time.Second)
		}
		cancel()
		synctest.Wait()
	})
}

// A wait that the deadline does not allow fails at once. It marks the account only
// where the whole account is out of requests.
func TestBudgetBeyondTheDeadline(t *testing.T) {
	for _, background := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newServices()[0]
			b := newBench(t, s)
			p := b.provider(t, s.name)
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			var err error
			for err == nil {
				_, err = p.Unlock(ctx, s.account(), testLink, background)
			}
			if time.Now().Equal(time.Time{}) || ctx.Err() != nil {
				t.Errorf("it waited for the deadline")
			}
			var e *sources.ProviderStreamUnavailableError
			if !errors.As(err, &e) || e.Kind != cooling || e.Transport || e.Cooldown == nil {
				t.Fatalf("error = %#v, want one that cools", err)
			}
			if marks := *e.Cooldown > 0; marks == background {
				t.Errorf("background %t: cooldown %s", background, *e.Cooldown)
			}
			if _, err := p.Unlock(t.Context(), s.account(), testLink, false); err != nil {
				t.Errorf("with more time it fails too: %v", err)
			}
		})
	}
}

// Accounts have budgets of their own.
func TestBudgetIsTheAccounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServices()[0]
		s.AcceptKey("another-key")
		b := newBench(t, s)
		p := b.provider(t, s.name)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		var err error
		for err == nil {
			_, err = p.Unlock(ctx, s.account(), testLink, false)
		}
		other := s.account()
		other.User, other.Key = 2, "another-key"
		if _, err := p.Unlock(ctx, other, testLink, false); err != nil {
			t.Errorf("another account has to wait: %v", err)
		}
	})
}

func TestCancellationIsNoFailure(t *testing.T) {
	forServices(t, func(t *testing.T, s fakeService) {
		b := newBench(t, s)
		p := b.provider(t, s.name)
		s.Set("", hang)
		for name, call := range map[string]func(context.Context) error{
			"unlock": func(ctx context.Context) error {
				_, err := p.Unlock(ctx, s.account(), testLink, false)
				return err
			},
			"supports": func(ctx context.Context) error {
				_, err := p.Supports(ctx, s.account(), "rapid.example")
				return err
			},
			"check": func(ctx context.Context) error {
				_, err := b.Check(ctx, s.account())
				return err
			},
		} {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := call(ctx); !errors.Is(err, context.Canceled) || sources.ClassOf(err) != sources.ClassCancelled {
				t.Errorf("%s, cancelled before: %v", name, err)
			}
			ctx, cancel = context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			if err := call(ctx); !errors.Is(err, context.Canceled) || sources.ClassOf(err) != sources.ClassCancelled {
				t.Errorf("%s, cancelled during the call: %v", name, err)
			}
		}
		time.Sleep(time.Minute) // the shared request for hosters ends
	})
}

func TestDeadline(t *testing.T) {
	forServices(t, func(t *testing.T, s fakeService) {
		b := newBench(t, s)
		p := b.provider(t, s.name)
		s.Hang()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := p.Unlock(ctx, s.account(), testLink, false)
		want{kind: cooling, cooldown: outage, transport: true}.check(t, err)
		if n := s.Unlocks(); n != 1 {
			t.Errorf("called %d times, want 1", n)
		}
		// What comes after the deadline is not asked, and nobody's fault.
		_, err = p.Unlock(ctx, s.account(), testLink, false)
		want{kind: badItem, transport: true}.check(t, err)
		if n := s.Unlocks(); n != 1 {
			t.Errorf("called %d times, want 1", n)
		}
	})
}

// Limits a minute and longer hold for all processes of an account, which share its
// budgets.
func TestBudgetIsShared(t *testing.T) {
	for _, service := range []string{"real_debrid", "all_debrid", "torbox"} {
		synctest.Test(t, func(t *testing.T) {
			shared := &namedBudgets{CallBudgets: cooldown.NewMemoryBudgets(time.Now)}
			fake := newFake(service)
			fake.AcceptKey(testKey)
			fake.SetHosters("rapid.example")
			process := func() *bench {
				return newBench(t, fake, func(o *debrid.Options) { o.Budgets = shared })
			}
			account := sources.Account{User: 1, Provider: service, Key: testKey, BaseURL: "http://api.example"}
			var calls []time.Time
			ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
			defer cancel()
			var wg sync.WaitGroup
			benches := []*bench{process(), process(), process()}
			for _, b := range benches {
				p := b.provider(t, service)
				wg.Go(func() {
					for i := 0; ctx.Err() == nil; i++ {
						_, _ = p.Unlock(ctx, account, fmt.Sprintf("%s%d", rapidA, i), false)
						time.Sleep(time.Millisecond)
					}
				})
			}
			wg.Wait()
			for _, b := range benches {
				calls = append(calls, b.calls.times()...)
			}
			slices.SortFunc(calls, time.Time.Compare)
			limit := map[string]int{"real_debrid": 250, "all_debrid": 600, "torbox": 300}[service]
			if n := most(calls, time.Minute); n > limit || n < limit/4 {
				t.Errorf("%s: three processes make %d calls in a minute, allowed are %d", service, n, limit)
			}
			if service == "torbox" && fake.Unlocks() > 60 {
				t.Errorf("%s: three processes create %d downloads, allowed are 60 in an hour", service, fake.Unlocks())
			}
			hasNone(t, "the names of budgets", strings.Join(shared.names, "\n"), testKey)
			if slices.ContainsFunc(shared.names, func(name string) bool { return strings.HasSuffix(name, " in 1s") }) {
				t.Errorf("%s: a limit of a second is kept for others: %q", service, shared.names)
			}
		})
	}
}

// namedBudgets notes which budgets are spent of.
type namedBudgets struct {
	sources.CallBudgets
	mu    sync.Mutex
	names []string
}

func (b *namedBudgets) Spend(ctx context.Context, name string, l sources.CallLimit, most time.Duration) (time.Duration, bool, error) {
	b.mu.Lock()
	if !slices.Contains(b.names, name) {
		b.names = append(b.names, name)
	}
	b.mu.Unlock()
	return b.CallBudgets.Spend(ctx, name, l, most)
}

// noBudgets cannot be asked. It counts who tries.
type noBudgets struct{ asked atomic.Int64 }

func (b *noBudgets) Spend(context.Context, string, sources.CallLimit, time.Duration) (time.Duration, bool, error) {
	b.asked.Add(1)
	return 0, false, errors.New("the store is locked")
}

// Where the budgets cannot be asked, a process keeps to its own, and says so once.
func TestBudgetWithoutStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServices()[0]
		budgets := &noBudgets{}
		b := newBench(t, s, func(o *debrid.Options) { o.Budgets = budgets })
		began := time.Now()
		p := b.provider(t, s.name)
		for range 1000 {
			if _, err := p.Unlock(t.Context(), s.account(), testLink, false); err != nil {
				t.Fatal(err)
			}
		}
		if n := most(b.calls.times(), time.Minute); n > 250 {
			t.Errorf("%d calls in a minute", n)
		}
		if n, most := budgets.asked.Load(), int64(time.Since(began)/(10*time.Second))+1; n > most {
			t.Errorf("they are asked %d times in vain, want %d at most", n, most)
		}
		if n := strings.Count(b.log.String(), "level=WARN"); n != 1 {
			t.Errorf("%d warnings, want 1:\n%s", n, b.log)
		}
	})
}
