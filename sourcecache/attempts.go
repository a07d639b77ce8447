package sourcecache

import (
	"context"
	"fmt"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
)

// BeginAttempt implements sources.HosterStore. Of a healthy hoster nothing is
// written.
func (db *DB) BeginAttempt(ctx context.Context, name, link string, force bool) (sources.Attempt, bool, error) {
	a := sources.Attempt{Hoster: name, Link: link, Started: db.attemptStart(db.now())}
	if !tracked(name) {
		return a, true, nil
	}
	what := fmt.Sprintf("begin an attempt at hoster %q", name)
	h, err := db.hoster(ctx, db.reads, name)
	if err != nil {
		return a, false, db.fail(ctx, what, err)
	}
	if h.Healthy() { // needs no lease, so nothing is written
		return a, health.Hosters().Begin(&h, force, db.leaseToken(a), a.Started.Unix()), nil
	}
	begun := false
	err = db.write(ctx, what, func(t tx) error {
		h, err := db.hoster(ctx, t, name)
		if err != nil {
			return err
		}
		a.Started = db.attemptStart(t.at)
		if begun = health.Hosters().Begin(&h, force, db.leaseToken(a), t.now); !begun {
			return nil
		}
		return t.putHoster(ctx, name, h)
	})
	return a, begun && err == nil, err
}

// attemptStart is the start of an attempt at the given time. The nanoseconds
// tell apart those that this handle begins within one microsecond, so that the
// start is what an attempt is known by.
func (db *DB) attemptStart(at time.Time) time.Time {
	return at.UTC().Truncate(time.Microsecond).Add(time.Duration(db.attempts.Add(1) % 1000))
}

// leaseToken is the name under which a takes a lease.
func (db *DB) leaseToken(a sources.Attempt) string {
	return fmt.Sprintf("%s-%d", db.handle, a.Started.UnixNano())
}

// EndAttempt implements sources.HosterStore.
func (db *DB) EndAttempt(ctx context.Context, a sources.Attempt, class sources.Class, detail string) (*sources.Canary, error) {
	if !tracked(a.Hoster) {
		return nil, nil
	}
	var r reported
	var canary *sources.Canary
	err := db.write(ctx, fmt.Sprintf("end an attempt at hoster %q", a.Hoster), func(t tx) (err error) {
		switch class {
		case sources.ClassOK, sources.ClassHosterFault:
			event := health.Event{StartedAt: toUnix(a.Started), Success: class == sources.ClassOK, Error: detail, Token: db.leaseToken(a)}
			if !a.Unfit {
				event.Link = a.Link
			}
			if r, err = t.report(ctx, a.Hoster, event); err == nil {
				canary, err = t.checkNetwork(ctx, &r)
			}
		default:
			err = t.endLease(ctx, a.Hoster, db.leaseToken(a))
		}
		switch {
		case err != nil || class == sources.ClassOK || class == sources.ClassCancelled:
			return err
		case class == sources.ClassUnsupported:
			return t.restLink(ctx, a.Link)
		default:
			return t.holdBack(ctx, a.Link)
		}
	})
	if err != nil {
		return nil, err
	}
	if class == sources.ClassOK || class == sources.ClassHosterFault {
		db.logReport(ctx, a.Hoster, r)
	}
	return canary, nil
}

// endLease gives back what the attempt with the given token took.
func (t tx) endLease(ctx context.Context, name, token string) error {
	h, err := t.db.hoster(ctx, t, name)
	if err != nil {
		return err
	}
	before := h
	if h.End(token); h == before {
		return nil
	}
	return t.putHoster(ctx, name, h)
}

// checkNetwork looks at what a fail that counted says of the network: it gives
// the canary that has to be tested, or takes the fails of the run back.
func (t tx) checkNetwork(ctx context.Context, r *reported) (*sources.Canary, error) {
	if r.Effect != health.Counted || !r.guard.Suspect() {
		return nil, nil
	}
	name, link, err := t.canaryLink(ctx)
	if err != nil {
		return nil, err
	}
	before := r.guard
	verdict := r.guard.Decide(link != "", t.now)
	if err := t.putGuard(ctx, before, r.guard); err != nil {
		return nil, err
	}
	switch verdict {
	case health.TestCanary:
		return &sources.Canary{Hoster: name, Link: link, Lease: r.guard.Run}, nil
	case health.NetworkDown:
		r.undone = true
		return nil, t.undo(ctx, before.Run)
	default:
		return nil, nil
	}
}

// EndCanary implements sources.HosterStore.
func (db *DB) EndCanary(ctx context.Context, c sources.Canary, class sources.Class) error {
	var r reported
	down := false
	err := db.write(ctx, "end the test of the network", func(t tx) (err error) {
		if class == sources.ClassOK {
			r, err = t.report(ctx, c.Hoster, health.Event{Success: true, Canary: true, Link: c.Link})
			return err
		}
		guard, err := db.readGuard(ctx, t)
		if err != nil {
			return err
		}
		before := guard
		switch class {
		case sources.ClassHosterFault, sources.ClassDeadLink:
			down = guard.EndCanary(c.Lease, class == sources.ClassDeadLink, t.now) == health.NetworkDown
		default:
			guard.CancelCanary(c.Lease)
		}
		if down {
			if err := t.undo(ctx, before.Run); err != nil {
				return err
			}
		}
		return t.putGuard(ctx, before, guard)
	})
	switch {
	case err != nil:
		return err
	case down:
		db.logOutage(ctx)
	case class == sources.ClassOK:
		db.logReport(ctx, c.Hoster, r)
	}
	return nil
}
