package debrid

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	"xship/sources"
	"xship/sources/cooldown"
)

// limit bounds the requests of one account to the paths that start with prefix,
// "" = all of them.
type limit struct {
	prefix string
	calls  int
	per    time.Duration
}

// accountID is what the services count requests by.
type accountID struct {
	provider, baseURL string
	key               sources.Secret
}

func idOf(a sources.Account) accountID { return accountID{a.Provider, a.BaseURL, a.Key} }

// budgets are those of the requests of all accounts. Limits a minute and longer are
// kept where all processes of an account see them, or else here, as shorter ones are.
type budgets struct {
	here   sources.CallBudgets
	shared sources.CallBudgets // nil: here
	now    func() time.Time

	mu   sync.Mutex
	lost time.Time // when the shared ones could not be asked last
}

// lostFor is how long those who share budgets are left alone when they could not be
// asked: each question would hold a call up.
const lostFor = 10 * time.Second

func newBudgets(o Options) *budgets {
	return &budgets{here: cooldown.NewMemoryBudgets(o.Now), shared: o.Budgets, now: o.Now}
}

// spend takes a call from the budget of an account. failed is why those who share it
// could not be asked, and it was taken here.
func (b *budgets) spend(ctx context.Context, a sources.Account, l limit, background bool, most time.Duration) (wait time.Duration, ok bool, failed error) {
	name, allowed := l.budget(a), sources.CallLimit{Calls: l.calls, Per: l.per}
	if background { // which leaves a fifth to the foreground
		name, allowed.Calls = name+"/background", l.calls*4/5
	}
	if b.shared != nil && l.per >= time.Minute && b.ask() {
		if wait, ok, failed = b.shared.Spend(ctx, name, allowed, most); failed == nil {
			return wait, ok, nil
		}
		b.mu.Lock()
		b.lost = b.now()
		b.mu.Unlock()
	}
	wait, ok, _ = b.here.Spend(ctx, name, allowed, most) // never fails
	return wait, ok, failed
}

// ask tells whether to ask those who share the budgets.
func (b *budgets) ask() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	age := b.now().Sub(b.lost)
	return age < 0 || age >= lostFor
}

// budget names what of an account l bounds. The key cannot be had from it.
func (l limit) budget(a sources.Account) string {
	sum := sha256.Sum256([]byte(a.BaseURL + "\x00" + a.Key.Reveal()))
	return fmt.Sprintf("%s/%s/%d in %s", a.Provider, hex.EncodeToString(sum[:8]), l.calls, l.per)
}

// spend takes the request from the account's budgets, and waits where one is used up,
// unless that takes too long.
func (c *client) spend(ctx context.Context, a sources.Account, r *answer) error {
	for _, background := range []bool{true, false} {
		if background && !c.background {
			continue
		}
		for _, l := range c.service.limits() {
			if !strings.HasPrefix(r.path, l.prefix) {
				continue
			}
			if err := c.take(ctx, a, l, background, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes one request from one budget. One that is given up while it waits is
// spent all the same.
func (c *client) take(ctx context.Context, a sources.Account, l limit, background bool, r *answer) error {
	if ctx.Err() != nil {
		return c.gaveUp(ctx, r.what)
	}
	wait, ok, failed := c.budgets.spend(ctx, a, l, background, timeLeft(ctx))
	if failed != nil && c.seen.first("budgets") {
		c.log.Warn("the limits of debrid services are kept in this process alone", "error", failed)
	}
	switch {
	case !ok:
		return c.overBudget(l, wait, r)
	case wait == 0:
		return nil
	}
	if err := sleep(ctx, wait); err != nil {
		return c.gaveUp(ctx, r.what)
	}
	return nil
}

// timeLeft is how long a call may wait.
func timeLeft(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return min(max(time.Until(deadline), 0), maxWait)
	}
	return maxWait
}

// overBudget is the error of a request that was not made. Only where the whole
// account is out of requests is it marked as cooling down: not when the share of
// background work is used up, or what one endpoint allows.
func (c *client) overBudget(l limit, delay time.Duration, r *answer) error {
	e := c.errorf(sources.ClassProviderCooling, "%s: not asked: the %d requests that it allows in %s are used up; the next one is free in %s",
		r.what, l.calls, spanText(l.per), delay.Round(time.Millisecond))
	if c.background || l.prefix != "" {
		delay = 0
	}
	e.Cooldown = &delay
	return e
}

// spanText names a span as people do.
func spanText(d time.Duration) string {
	switch d {
	case time.Second:
		return "a second"
	case time.Minute:
		return "a minute"
	case time.Hour:
		return "an hour"
	default:
		return d.String()
	}
}
