package debrid

import (
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"xship/sources"
)

// limit bounds the requests of one account to the paths that start with prefix,
// "" = all of them.
type limit struct {
	prefix string
	calls  int
	per    time.Duration
}

// budgets hold the token buckets of all accounts.
type budgets struct {
	mu       sync.Mutex
	accounts map[accountID][]bucket
}

// accountID is what the services count requests by.
type accountID struct {
	provider, baseURL string
	key               sources.Secret
}

func idOf(a sources.Account) accountID { return accountID{a.Provider, a.BaseURL, a.Key} }

// bucket keeps a limit: all calls take from all, those of background work before
// from background, which is a fifth smaller.
type bucket struct {
	limit
	all, background *rate.Limiter
}

// of gives the buckets of an account for path.
func (b *budgets) of(a sources.Account, limits []limit, path string) []bucket {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := idOf(a)
	buckets, ok := b.accounts[id]
	if !ok {
		for _, l := range limits {
			buckets = append(buckets, bucket{limit: l, all: l.limiter(l.calls), background: l.limiter(l.calls * 4 / 5)})
		}
		b.accounts[id] = buckets
	}
	var matching []bucket
	for _, k := range buckets {
		if strings.HasPrefix(path, k.prefix) {
			matching = append(matching, k)
		}
	}
	return matching
}

// rename keeps the buckets of an account whose key was renewed.
func (b *budgets) rename(before, after sources.Account) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if buckets, ok := b.accounts[idOf(before)]; ok {
		delete(b.accounts, idOf(before))
		b.accounts[idOf(after)] = buckets
	}
}

// limiter lets at most calls pass in any span of l.per. Half of them may come at
// once, for a full bucket and what flows in within the span add up.
func (l limit) limiter(calls int) *rate.Limiter {
	burst := max(calls/2, 1)
	flow := max(calls-burst, 1)
	return rate.NewLimiter(rate.Limit(float64(flow)/l.per.Seconds()), burst)
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
