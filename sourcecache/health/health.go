// Package health is the policy that decides when a failing hoster or site is
// left alone, and for how long. It is a pure state machine: no SQL, no clock,
// no I/O. All times are Unix seconds, and 0 is never.
//
// It implements the hoster back-off: a block that grows with the fails in a
// row, the lease that lets one attempt at a time find out whether a hoster came
// back, and the guard that keeps a network outage from blocking everybody.
package health

// Slack is how far, in seconds, a block may lie beyond what the ladder gives
// before the clock must have been set back.
const Slack = 1

// LeaseTime is how long, in seconds, an attempt may have a failing hoster for
// itself. A lease that its holder did not give back is free after that.
const LeaseTime = 30

// Policy is the ladder of one kind of peer.
type Policy struct {
	Max         int64 // longest block in seconds
	Provisional bool  // fails stand only once it is known that the network is up
}

// Hosters is the policy for hosters: blocks up to an hour, and provisional
// fails.
func Hosters() Policy { return Policy{Max: 3600, Provisional: true} }

// Sites is the policy for sites. They rest for 300 s at most, as a site that is
// not asked cannot show that it recovered.
func Sites() Policy { return Policy{Max: 300} }

// ladder has the length in seconds of the block after one fail, after two in a
// row, and so on; the last one is that of all further fails.
var ladder = [...]int64{5, 10, 20, 30, 60, 300, 3600}

// Backoff is the length in seconds of the block after the given number of
// fails in a row, and 0 where there is none.
func (p Policy) Backoff(fails int64) int64 {
	if fails <= 0 {
		return 0
	}
	return min(ladder[min(fails, int64(len(ladder)))-1], p.Max)
}

// Ladder gives Backoff as data: after one fail, after two in a row, and so on; the
// last one is that of all further fails.
func (p Policy) Ladder() []int64 {
	steps := make([]int64, 0, len(ladder))
	for fails := range int64(len(ladder)) {
		steps = append(steps, p.Backoff(fails+1))
	}
	return steps
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

	LeaseUntil int64  // an attempt has the failing hoster for itself until then
	LeaseToken string // names that attempt
	GoodLink   string // the last link that worked
	FailRun    int64  // the run of the last provisional fail
	UndoFails  int64  // ConsecutiveFails before the provisional fails
	UndoUntil  int64  // BackoffUntil before them
}

// Healthy tells whether nothing failed since the last success.
func (h Hoster) Healthy() bool { return h.ConsecutiveFails == 0 }

// InTrouble tells whether fails or a block stand, which Reset takes back.
func (h Hoster) InTrouble() bool { return !h.Healthy() || h.BackoffUntil != 0 }

// Reset takes back the fails and the block, and leaves the history.
func (h *Hoster) Reset() {
	h.ConsecutiveFails, h.BackoffUntil, h.LeaseUntil, h.LeaseToken = 0, 0, 0, ""
	h.FailRun, h.UndoFails, h.UndoUntil = 0, 0, 0
}

// FailedIn tells whether h has provisional fails of the given run.
func (h Hoster) FailedIn(run int64) bool { return h.FailRun == run && run != 0 }

// Undo takes back the provisional fails of the given run.
func (h *Hoster) Undo(run int64) {
	if h.FailedIn(run) {
		h.ConsecutiveFails, h.BackoffUntil = h.UndoFails, h.UndoUntil
		h.FailRun, h.UndoFails, h.UndoUntil = 0, 0, 0
	}
}

// The parts of a setback.
const (
	MaxRecordSetback = 2 // for the record of a lifetime
	RecordSetbacks   = 4 // steps at that for nothing but fails, were there no most
	MaxFailsSetback  = 6 // for the fails in a row
)

// Setback is by how many steps of quality the links of h are tried later in the
// background, for its record and for failing now.
func (h Hoster) Setback() int64 {
	steps := min(MaxFailsSetback, h.ConsecutiveFails)
	if all := h.OKCount + h.FailCount; all > 0 {
		steps += min(MaxRecordSetback, RecordSetbacks*h.FailCount/all)
	}
	return steps
}

// Until is the effective end of h's block, and 0 where there is none: a block
// that ends later than the ladder allows was made under another clock.
func (p Policy) Until(h Hoster, now int64) int64 {
	if h.BackoffUntil > now+p.Backoff(h.ConsecutiveFails)+Slack {
		return 0
	}
	return h.BackoffUntil
}

// Available tells whether h may be tried now: its block is over, no attempt has
// it for itself, and, where cooldown (in seconds) is positive, its last fail is
// at least that old. A fail in the future was recorded under another clock and
// does not count.
func (p Policy) Available(h Hoster, cooldown, now int64) bool {
	if p.Until(h, now) > now || !h.Healthy() && leased(h.LeaseUntil, now) {
		return false
	}
	return cooldown <= 0 || h.LastFailAt == 0 || h.LastFailAt > now || now-h.LastFailAt >= cooldown
}

// leased tells whether a lease runs. One that ends later than leases last was
// made under another clock.
func leased(until, now int64) bool { return now < until && until <= now+LeaseTime }

// Begin begins an attempt and tells whether it may be made. A hoster that failed
// before is leased to it under its token, which no other attempt has. A forced
// attempt may always be made, and takes the lease only where it is free.
func (p Policy) Begin(h *Hoster, force bool, token string, now int64) bool {
	if !force && !p.Available(*h, 0, now) {
		return false
	}
	if !h.Healthy() && !leased(h.LeaseUntil, now) {
		h.LeaseUntil, h.LeaseToken = now+LeaseTime, token
	}
	return true
}

// End gives back the lease of the attempt with the given token, "" for one that
// has none. It is part of Report; attempts that tell nothing of the hoster end
// with it alone.
func (h *Hoster) End(token string) {
	if token != "" && h.LeaseToken == token {
		h.LeaseUntil, h.LeaseToken = 0, ""
	}
}

// Event is the end, now, of one try at a peer.
type Event struct {
	StartedAt int64 // of the try; 0 and times in the future stand for now
	Success   bool
	Canary    bool   // a success that shows a suspect network to be up
	Link      string // what was tried, "" where it is not known
	Token     string // of its lease, "" where it took none
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
	// InOutage: a fail of an attempt that began while the network was down.
	InOutage
)

// Outcome is the result of a report.
type Outcome struct {
	Effect  Effect
	Fails   int64 // in a row, afterwards
	Backoff int64 // length in seconds of the block made by a counted fail
}

// Report applies the end of an attempt to h and the guard.
//
// A success always recovers h, makes what counted since the last success
// final, and ends an outage. A fail counts only if the attempt began after h's
// block, so that parallel attempts of one incident count once, and only while
// the guard vouches for the network. Fails that do not count move the lifetime
// counter and, outside a block, the record of the last fail. After a fail that
// counted the guard may be suspect.
func (p Policy) Report(h *Hoster, g *Guard, e Event, now int64) Outcome {
	start := e.started(now)
	h.End(e.Token)
	if e.Success {
		h.Reset()
		h.OKCount++
		h.LastSuccessAt = now
		if e.Link != "" {
			h.GoodLink = e.Link
		}
		g.succeed(e.Canary, now)
		return Outcome{Effect: Recovered}
	}
	h.FailCount++
	effect := p.effect(*h, *g, start, now)
	if effect == SameIncident {
		return Outcome{Effect: effect, Fails: h.ConsecutiveFails}
	}
	h.LastFailAt, h.LastError = now, e.Error
	if effect != Counted {
		return Outcome{Effect: effect, Fails: h.ConsecutiveFails}
	}
	p.mark(h, g)
	h.ConsecutiveFails++
	backoff := p.Backoff(h.ConsecutiveFails)
	h.BackoffUntil = now + backoff
	return Outcome{Effect: Counted, Fails: h.ConsecutiveFails, Backoff: backoff}
}

// effect is that of a fail.
func (p Policy) effect(h Hoster, g Guard, start, now int64) Effect {
	switch {
	case start < p.Until(h, now):
		return SameIncident
	case g.discards(start, now):
		return InOutage
	case !g.Vouches(now):
		return Unguarded
	default:
		return Counted
	}
}

// mark makes a fail that is about to count provisional.
func (p Policy) mark(h *Hoster, g *Guard) {
	if !p.Provisional || g.RunOK {
		return
	}
	if g.Run == 0 {
		g.Run = 1
	}
	if h.FailRun != g.Run {
		h.FailRun, h.UndoFails, h.UndoUntil = g.Run, h.ConsecutiveFails, h.BackoffUntil
		g.RunHosters++
	}
}

// started is when the try began.
func (e Event) started(now int64) int64 {
	if e.StartedAt <= 0 || e.StartedAt > now {
		return now
	}
	return e.StartedAt
}
