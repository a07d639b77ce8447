package precacher

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
)

// patience has a hoster whose tests fail tested as rarely as the ladder of its fails
// would have it. Where the fails do not count, as nothing tells whether the network is
// up, no block does that.
type patience struct {
	mu    sync.Mutex
	waits map[string]wait // by hoster
}

// wait is until when a hoster is not tested, after so many tests that failed in a row.
type wait struct {
	failed int64
	until  time.Time
}

// mostPatience is the longest wait: one that came back is to be seen soon.
const mostPatience = 5 * time.Minute

// due tells whether a hoster may be tested.
func (p *patience) due(hoster string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !time.Now().Before(p.waits[hoster].until)
}

// waiting names the hosters that may not be tested.
func (p *patience) waiting() (hosters []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	for hoster, w := range p.waits {
		if now.Before(w.until) {
			hosters = append(hosters, hoster)
		}
	}
	return hosters
}

// retest tests a hoster, which is reported.
func (p *patience) retest(ctx context.Context, attempts *sources.Attempts, r sources.Retest) {
	err := attempts.Retest(ctx, r)
	if ctx.Err() == nil && !errors.Is(err, sources.ErrHosterResting) {
		p.ended(r.Hoster, err != nil)
	}
}

// ended takes note of a test.
func (p *patience) ended(hoster string, failed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if !failed {
		delete(p.waits, hoster)
		return
	}
	maps.DeleteFunc(p.waits, func(_ string, w wait) bool { return now.Sub(w.until) > mostPatience }) // tried by others since
	if p.waits == nil {
		p.waits = make(map[string]wait)
	}
	n := p.waits[hoster].failed + 1
	p.waits[hoster] = wait{n, now.Add(min(time.Duration(health.Hosters().Backoff(n))*time.Second, mostPatience))}
}
