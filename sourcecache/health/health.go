// Package health is the policy that decides when a failing hoster or site is
// left alone, and for how long. It is a pure state machine: no SQL, no clock,
// no I/O. All times are Unix seconds, and 0 is never.
//
// It implements the hoster back-off: a block that grows with the fails in a
// row, and the guard that keeps a network outage from blocking everybody.
package health

// GuardWindow is how long, in seconds, a success vouches for the network. A
// fail that comes later than that after the last success is not counted.
const GuardWindow = 30

// slack is how far, in seconds, a block may lie beyond what the ladder gives
// before the clock must have been set back.
const slack = 1

// Policy is the ladder of one kind of peer.
type Policy struct {
	Max int64 // longest block in seconds
}

// Hosters is the policy for hosters: blocks up to an hour.
func Hosters() Policy { return Policy{Max: 3600} }

// Sites is the policy for sites. They rest for 300 s at most, as a site that is
// not asked cannot show that it recovered.
func Sites() Policy { return Policy{Max: 300} }

// Backoff is the length in seconds of the block after the given number of
// fails in a row, and 0 where there is none.
func (p Policy) Backoff(fails int64) int64 { return min(ladder(fails), p.Max) }

func ladder(fails int64) int64 {
	switch {
	case fails <= 0:
		return 0
	case fails == 1:
		return 5
	case fails == 2:
		return 10
	case fails == 3:
		return 20
	case fails == 4:
		return 30
	case fails == 5:
		return 60
	case fails == 6:
		return 300
	default:
		return 3600
	}
}

// Hoster is what is known of one peer. The zero value is a healthy one that
// nobody tried.
type Hoster struct {
	ConsecutiveFails int64 // counted fails since the last success
	BackoffUntil     int64 // as stored; see Policy.Until for the effective value
	OKCount          int64 // lifetime, every reported success
	FailCount        int64 // lifetime, every reported fail, counted or not
	LastSuccessAt    int64
	LastFailAt       int64
	LastError        string // of the last fail
}

// Healthy tells whether nothing failed since the last success.
func (h Hoster) Healthy() bool { return h.ConsecutiveFails == 0 }

// Reset takes back the fails and the block, and leaves the history.
func (h *Hoster) Reset() { h.ConsecutiveFails, h.BackoffUntil = 0, 0 }

// Until is the effective end of h's block, and 0 where there is none: a block
// that ends later than the ladder allows was made under another clock.
func (p Policy) Until(h Hoster, now int64) int64 {
	if h.BackoffUntil > now+p.Backoff(h.ConsecutiveFails)+slack {
		return 0
	}
	return h.BackoffUntil
}

// Available tells whether h may be tried now: its block is over and, where
// cooldown (in seconds) is positive, its last fail is at least that old. A fail
// in the future was recorded under another clock and does not count.
func (p Policy) Available(h Hoster, cooldown, now int64) bool {
	if p.Until(h, now) > now {
		return false
	}
	return cooldown <= 0 || h.LastFailAt == 0 || h.LastFailAt > now || now-h.LastFailAt >= cooldown
}

// Guard is the network-outage guard.
type Guard struct {
	LastSuccessAt int64 // of any peer
}

// Vouches tells whether the network was up a moment ago. A success in the
// future was recorded under another clock: it vouches for nothing.
func (g Guard) Vouches(now int64) bool {
	return g.LastSuccessAt > 0 && g.LastSuccessAt <= now && now-g.LastSuccessAt <= GuardWindow
}

// Attempt is one try that ended now.
type Attempt struct {
	StartedAt int64 // 0 and times in the future stand for now
	Success   bool
	Error     string // why it failed, for people
}

// Effect says what a report changed.
type Effect int

// The effects of a report.
const (
	// Recovered: a success; fails and block are gone.
	Recovered Effect = iota
	// Counted: a fail; the block grew.
	Counted
	// SameIncident: a fail of an attempt that began before the end of the
	// block, which is that incident's answer already.
	SameIncident
	// Unguarded: a fail while no success vouches for the network.
	Unguarded
)

// Outcome is the result of a report.
type Outcome struct {
	Effect  Effect
	Fails   int64 // in a row, afterwards
	Backoff int64 // length in seconds of the block made by a counted fail
}

// Report applies an attempt that ended now to h and the guard.
//
// A success always recovers h. A fail counts only if the attempt began after
// h's block, so that parallel attempts of one incident count once, and only
// while the guard vouches for the network. Fails that do not count move the
// lifetime counter and, outside a block, the record of the last fail.
func (p Policy) Report(h *Hoster, g *Guard, a Attempt, now int64) Outcome {
	if a.Success {
		h.Reset()
		h.OKCount++
		h.LastSuccessAt = now
		g.LastSuccessAt = now
		return Outcome{Effect: Recovered}
	}
	h.FailCount++
	if started(a, now) < p.Until(*h, now) {
		return Outcome{Effect: SameIncident, Fails: h.ConsecutiveFails}
	}
	h.LastFailAt, h.LastError = now, a.Error
	if !g.Vouches(now) {
		return Outcome{Effect: Unguarded, Fails: h.ConsecutiveFails}
	}
	h.ConsecutiveFails++
	backoff := p.Backoff(h.ConsecutiveFails)
	h.BackoffUntil = now + backoff
	return Outcome{Effect: Counted, Fails: h.ConsecutiveFails, Backoff: backoff}
}

func started(a Attempt, now int64) int64 {
	if a.StartedAt <= 0 || a.StartedAt > now {
		return now
	}
	return a.StartedAt
}
