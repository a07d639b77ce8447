package sources

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// factsTimeout is how long a scan waits for what is known of its title.
const factsTimeout = 3 * time.Second

// lookup is what is known of the title of a scan, which the first site that wants it has
// looked up for all. It is safe for concurrent use.
type lookup struct {
	once    sync.Once
	facts   TitleFacts
	err     error
	changed bool                       // the user chose another title than the best one
	known   atomic.Pointer[TitleFacts] // facts, once they have an id
}

// wantsFacts tells whether site i is asked with what is known of the title.
func (r *scanRun) wantsFacts(i int) bool {
	return r.title.IMDb == "" && r.sites[i].Info().WantsIMDb
}

// lookUp gives what is known of the title. The error says why nothing could be found out.
func (r *scanRun) lookUp(ctx context.Context) (TitleFacts, error) {
	l := &r.lookup
	l.once.Do(func() {
		if r.Facts == nil {
			return
		}
		if l.facts, l.err = r.boundedFacts(ctx); l.err == nil && len(l.facts.Others) > 0 && r.Choose != nil {
			r.letChoose(ctx)
		}
		if facts := l.facts; l.err == nil && facts.IMDb != "" {
			l.known.Store(&facts)
		}
	})
	return l.facts, l.err
}

// boundedFacts calls Facts, and leaves it behind where it does not heed its context.
func (r *scanRun) boundedFacts(ctx context.Context) (TitleFacts, error) {
	asking, cancel := context.WithTimeout(ctx, factsTimeout)
	defer cancel()
	type outcome struct {
		facts TitleFacts
		err   error
	}
	ended := make(chan outcome, 1)
	go func() {
		var o outcome
		o.err = Contain(r.Logger, "looking up a title", func() (err error) {
			o.facts, err = r.Facts(asking)
			return err
		}, "title", r.title.String())
		ended <- o
	}()
	select {
	case o := <-ended:
		if o.err == nil || !errors.Is(o.err, context.DeadlineExceeded) {
			return o.facts, o.err
		}
	case <-asking.Done():
	}
	if ctx.Err() != nil {
		return TitleFacts{}, ctx.Err()
	}
	return TitleFacts{}, fmt.Errorf("what is known of this title was not found out within %s", factsTimeout)
}

// letChoose has the user choose, while the clock of the scan stands still. Where that
// does not come to an answer, the best title stands.
func (r *scanRun) letChoose(ctx context.Context) {
	resume := r.pauses.begin()
	defer resume()
	if ctx.Err() != nil { // the scan may have ended, and waits for no question that begins now
		return
	}
	best := r.lookup.facts
	chosen := best
	err := Contain(r.Logger, "letting the user choose a title", func() (err error) {
		chosen, err = r.Choose(ctx, best)
		return err
	}, "title", r.title.String())
	switch {
	case err == nil:
		r.lookup.facts, r.lookup.changed = chosen, chosen.IMDb != best.IMDb
	case ctx.Err() == nil:
		r.logger().Warn("which title is meant could not be asked, the best match is taken", "title", r.title.String(), "error", err)
	}
}

// titleFor is the title as site i is asked for it. The error says why it cannot be.
func (r *scanRun) titleFor(ctx context.Context, i int) (Title, error) {
	if !r.wantsFacts(i) {
		return r.title, nil
	}
	switch facts, err := r.lookUp(ctx); {
	case err != nil:
		return r.title, Errorf(ClassCancelled, "%w; give the IMDb id with --imdb", err)
	case facts.IMDb == "":
		return r.title, Errorf(ClassCancelled, "no IMDb id is known of this title; give it with --imdb")
	default:
		return r.title.With(facts), nil
	}
}

// learned tells whether the stored list cannot be the answer for what is known of the
// title by now: sites were left out that wanted its id, which is known now, or the user
// chose another title than the list was made for. It looks that up only where a site
// wants it that can be asked.
func (r *scanRun) learned(ctx context.Context, stored []SiteReport) bool {
	var wanting, leftOut []SiteReport
	for _, report := range stored {
		if r.wantsFacts(r.order[report.Key]) {
			wanting = append(wanting, report)
			if report.Status == SiteSkipped {
				leftOut = append(leftOut, report)
			}
		}
	}
	if len(wanting) == 0 || len(leftOut) == 0 && r.Choose == nil {
		return false
	}
	rests := r.rests(ctx)
	askable := false
	for _, report := range leftOut {
		if _, resting := rests[report.Key]; !resting {
			askable = true
		}
	}
	if !askable && r.Choose == nil {
		return false
	}
	var facts TitleFacts
	r.during(r.allSites(), func() { facts, _ = r.lookUp(ctx) }) // without an id the list stands
	return r.lookup.changed || askable && facts.IMDb != ""
}

// pauses are the times in which a scan waited for its user, which are nobody's. They are
// safe for concurrent use; the zero value is ready.
type pauses struct {
	mu    sync.Mutex
	stood time.Duration
	since time.Time
	open  chan struct{} // closed at the end of the one that runs; nil: none does
}

// begin begins a pause, which the returned function ends.
func (p *pauses) begin() (resume func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.since, p.open = time.Now(), make(chan struct{})
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.stood += time.Since(p.since)
		close(p.open)
		p.open = nil
	}
}

// state is how long the scan stood still by now, and a channel that is closed at the end
// of the pause that runs, nil where none does.
func (p *pauses) state() (stood time.Duration, open <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	stood = p.stood
	if p.open != nil {
		stood += time.Since(p.since)
	}
	return stood, p.open
}

// total is how long the scan stood still by now.
func (p *pauses) total() time.Duration {
	stood, _ := p.state()
	return stood
}

// wait waits for the end of the pause that runs.
func (p *pauses) wait() {
	if _, open := p.state(); open != nil {
		<-open
	}
}
