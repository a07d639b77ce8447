package precacher_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"xship/precacher"
	"xship/sources"
	"xship/sources/sourcetest"
)

// TestCycleWithAccounts checks that links which belong to an account touch no
// hoster, hold up nobody behind them, and are unlocked only where that is wanted.
func TestCycleWithAccounts(t *testing.T) {
	for _, ahead := range []bool{false, true} {
		t.Run(fmt.Sprintf("ahead %v", ahead), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld()
				w.add("page.example", 100)
				w.add("free.example", 3)
				provider := &sourcetest.FakeProvider{
					ID: "real_debrid", Hosters: []string{"page.example"},
					Answer: func(_ context.Context, _ sources.Account, link string) (sources.Stream, error) {
						return sources.Stream{URL: link + "/unlocked", ExpiresAt: time.Now().Add(time.Hour)}, nil
					},
				}
				p := w.precacher(t, func(c *precacher.Config) {
					c.Streams.Resolvers = []sources.Resolver{guesser{w}}
					c.Streams.Accounts = &sources.Accounts{
						List:      []sources.Account{{User: sources.DefaultUser, Provider: "real_debrid", Key: "key"}},
						Providers: []sources.Provider{provider}, Ahead: ahead,
					}
				})
				sum := w.cycleOf(t, p)
				wantCalls, want := 0, sources.CycleSummary{Resolved: 3, Probed: 3, Skipped: 100, Duration: sum.Duration}
				if ahead {
					wantCalls, want = 100, sources.CycleSummary{Resolved: 103, Probed: 103, Duration: sum.Duration}
				}
				if sum != want || len(provider.Calls()) != wantCalls {
					t.Errorf("got %+v with %d calls, want %+v with %d", sum, len(provider.Calls()), want, wantCalls)
				}
				if h := w.hosters["page.example"]; h != nil && h.ok+h.fail > 0 {
					t.Errorf("the hoster was touched: %+v", h)
				}
			})
		})
	}
}

// guesser is the world as a resolver that takes any link.
type guesser struct{ *world }

func (guesser) Guesses() {}
