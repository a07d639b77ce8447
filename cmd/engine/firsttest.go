package engine

import (
	"context"
	"strings"
	"sync"
	"time"

	"xship/sources"
	"xship/sources/link"
)

// firstTestWait is how long a list waits for the tests of hidden hosters.
const firstTestWait = 3 * time.Second

// firstTest tests the hosters of a scan that are hidden although their block has
// ended, while the scan goes on, so that the list has those that work again. Where no
// hoster is hidden it does nothing.
type firstTest struct {
	e        *Engine
	attempts *sources.Attempts
	ctx      context.Context //nolint:containedctx // that of the scan, which it is part of
	cancel   context.CancelFunc

	mu     sync.Mutex
	hidden map[string]bool // hosters that may be tested, and were not
	tests  sync.WaitGroup
}

// beginFirstTest looks which hosters are hidden, while the interface is loaded.
func (e *Engine) beginFirstTest(ctx context.Context) <-chan *firstTest {
	looked := make(chan *firstTest, 1)
	go func() {
		var t *firstTest
		_ = sources.Contain(e.cfg.Logger, "looking for hidden hosters", func() error { // which logs it
			t = e.newFirstTest(ctx)
			return nil
		})
		looked <- t
	}()
	return looked
}

// newFirstTest gives nil where no hoster is hidden, and in an outage, in which a test
// would tell nothing of a hoster.
func (e *Engine) newFirstTest(ctx context.Context) *firstTest {
	resolving, err := e.resolving.get()
	if err != nil { // the scan says so
		return nil
	}
	failing, err := e.cfg.Store.HosterSnapshot(ctx)
	if err != nil || len(failing) == 0 { // the list says so
		return nil
	}
	hidden := make(map[string]bool)
	for name, h := range failing {
		if h.RetestDue {
			hidden[name] = true
		}
	}
	if len(hidden) == 0 || e.outage(ctx) {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	return &firstTest{e: e, attempts: resolving.streams.Attempts, ctx: ctx, cancel: cancel, hidden: hidden}
}

// progress has the hosters tested that a scan names, and tells next, which may be nil.
func (t *firstTest) progress(next func(sources.ScanProgress)) func(sources.ScanProgress) {
	if t == nil {
		return next
	}
	return func(p sources.ScanProgress) {
		t.see(p.Sources)
		if next != nil {
			next(p)
		}
	}
}

// see has the hosters of sources tested.
func (t *firstTest) see(all []sources.Source) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var hosters []sources.Retest
	for _, r := range retestsOf(all) {
		if t.hidden[r.Hoster] {
			delete(t.hidden, r.Hoster)
			hosters = append(hosters, r)
		}
	}
	if len(hosters) == 0 {
		return
	}
	t.tests.Go(func() {
		_ = sources.Contain(t.e.cfg.Logger, "testing hosters before a list", func() error { // which logs it
			t.e.retest(t.ctx, t.attempts, hosters, len(hosters))
			return nil
		})
	})
}

// seeStored has the hosters tested of what is stored of a title, which is what a scan
// will name again.
func (t *firstTest) seeStored(ctx context.Context, interfaceURL string, title sources.Title) {
	if t == nil {
		return
	}
	stored, err := t.e.cfg.Store.LoadScan(ctx, interfaceURL, title)
	if err != nil || stored == nil { // the scan says so
		return
	}
	for _, answer := range stored.Answers {
		t.see(answer.Sources)
	}
}

// leaveTests is how long a list waits for the tests that it breaks off: until they have
// given back what they took.
const leaveTests = 500 * time.Millisecond

// wait has the hosters of sources tested, and waits for all tests, but no longer than
// most, nor than ctx lives. Those that are not done then are broken off.
func (t *firstTest) wait(ctx context.Context, all []sources.Source, most time.Duration) {
	if t == nil {
		return
	}
	defer t.cancel()
	t.see(all)
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.tests.Wait()
	}()
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-done:
		return
	case <-timer.C:
	case <-ctx.Done():
	}
	t.cancel()
	leave := time.NewTimer(leaveTests)
	defer leave.Stop()
	select {
	case <-done:
	case <-leave.C:
	}
}

// retestsOf gives the hosters of sources that are not the user's own, each with a link of
// it that can be tested as it is, "" where there is none.
func retestsOf(all []sources.Source) (hosters []sources.Retest) {
	at := make(map[string]int)
	for i := range all {
		src := &all[i]
		if src.Own || src.Hoster == "" || src.Hoster == link.HosterLocal {
			continue
		}
		n, ok := at[src.Hoster]
		if !ok {
			n = len(hosters)
			at[src.Hoster] = n
			hosters = append(hosters, sources.Retest{Hoster: src.Hoster})
		}
		if hosters[n].Link == "" && src.Unplayable == "" && src.State != sources.StateDead && len(src.Headers) == 0 && !strings.Contains(src.URL, "|") {
			hosters[n].Link = src.URL
		}
	}
	return hosters
}

// retestsAtOnce bounds the tests that run at once: a list may name hundreds of hosters.
const retestsAtOnce = 32

// retest tests those of the hosters that are due, at most so many, many at once, and
// waits for them.
func (e *Engine) retest(ctx context.Context, attempts *sources.Attempts, hosters []sources.Retest, most int) {
	due, err := e.cfg.Store.DueRetests(ctx, hosters, nil, most)
	if err != nil {
		if ctx.Err() == nil { // nothing is lost, and what cannot be written was said
			e.cfg.Logger.Debug("failing hosters could not be tested", "error", err)
		}
		return
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, retestsAtOnce)
	for _, r := range due {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			if err := attempts.Retest(ctx, r); err != nil && ctx.Err() == nil {
				e.cfg.Logger.Debug("a failing hoster was tested and fails", "hoster", r.Hoster, "class", string(sources.ClassOf(err)), "error", err)
			}
		})
	}
	wg.Wait()
}
