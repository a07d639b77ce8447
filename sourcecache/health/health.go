// Package health is the policy that decides when a failing hoster or site is
// left alone, and for how long; when a fail counts, when it is taken back, and
// what is tested to find out. It is a pure state machine on the rows of a Table:
// no SQL, no clock, no I/O. All times are Unix seconds, and 0 is never.
//
// It implements the hoster back-off: a block that grows with the fails in a
// row, and the guard that keeps a network outage from blocking everybody. Rules
// says what is added to the document; without additions it is the document to
// the letter.
package health

// Slack is how far, in seconds, a block may lie beyond what the ladder gives
// before the clock must have been set back.
const Slack = 1

// LeaseTime is how long, in seconds, an attempt may have a failing hoster for
// itself, and a canary may take. A lease that its holder did not give back is free
// after that.
const LeaseTime = 30

// LingerTime is how long, in seconds, after its start a process tests again what it made
// fail.
const LingerTime = 30

// Policy is the ladder of one kind of peer, and the rules by which a fail counts.
type Policy struct {
	Max int64 // longest block in seconds
	Rules
}

// Rules are the additions to the document, each of which can be left out. The last ones
// are no part of the machine but what those do who make attempts: xship always does them,
// with the floor of its settings, and a simulation may leave them out.
type Rules struct {
	Clock      bool  // a time that the clock makes impossible is no time
	OneFail    bool  // a fail of an attempt that began before the end of the block does not count
	Lease      bool  // one attempt at a time goes to a failing hoster
	Gone       bool  // a link that is gone says nothing of its hoster
	Suspect    bool  // a link that failed twice, while its hoster worked between, is that link's fault
	Canary     bool  // a fail that nothing vouches for counts if a link that worked lately still does
	Early      bool  // several hosters that fail in a row have a canary tested
	Outage     bool  // an outage is a state: nothing counts, and the line is tested until it is back
	Undo       bool  // an outage takes back what it made count
	Retest     bool  // a failing hoster is tested when its block ends
	Look       int64 // a long block is looked into this often, in seconds; 0: not
	ServerFail bool  // an answer of 5xx counts although nothing vouches for the network

	Hold   bool // fails at the beginning of a run wait for a first success, see Holder
	Linger bool // a process that made a hoster fail tests it when its block ends, see LingerTime
	First  bool // hidden hosters whose block has ended are tested before a list
	Floor  int  // a list with fewer sources is filled up with hidden ones; 0: not
}

// Hosters is the policy for hosters: blocks up to an hour, and all rules that are no
// setting of a user.
func Hosters() Policy {
	return Policy{Max: 3600, Rules: Rules{
		Clock: true, OneFail: true, Lease: true, Gone: true, Suspect: true,
		Canary: true, Early: true, Outage: true, Undo: true, Retest: true, Hold: true, Linger: true, First: true,
	}}
}

// Sites is the policy for sites. They rest for 300 s at most, as a site that is
// not asked cannot show that it recovered.
func Sites() Policy { return Policy{Max: 300, Rules: Rules{Clock: true, OneFail: true, Outage: true}} }

// Document is the policy of the document, to the letter.
func Document() Policy { return Policy{Max: 3600} }

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

// Until is the effective end of h's block, and 0 where there is none: a block
// that ends later than the ladder allows was made under another clock.
func (p Policy) Until(h Hoster, now int64) int64 {
	if p.Clock && h.BackoffUntil > now+p.Backoff(h.ConsecutiveFails)+Slack {
		return 0
	}
	return h.BackoffUntil
}

// Available tells whether h may be tried now: its block is over, no attempt has
// it for itself, and, where cooldown (in seconds) is positive, its last fail is
// at least that old. A fail in the future was recorded under another clock and
// does not count.
func (p Policy) Available(h Hoster, cooldown, now int64) bool {
	if p.Until(h, now) > now || p.leased(h, now) {
		return false
	}
	return cooldown <= 0 || h.LastFailAt == 0 || h.LastFailAt > now || now-h.LastFailAt >= cooldown
}

// LeasedUntil is when the lease of the attempt that has h for itself ends, and 0 where
// none has.
func (p Policy) LeasedUntil(h Hoster, now int64) int64 {
	if !p.leased(h, now) {
		return 0
	}
	return h.LeaseUntil
}

// leased tells whether an attempt has h for itself.
func (p Policy) leased(h Hoster, now int64) bool {
	return p.Lease && !h.Healthy() && leased(h.LeaseUntil, now)
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
	if h.Healthy() {
		return true
	}
	h.LastTryAt = now
	if p.Lease && !leased(h.LeaseUntil, now) {
		h.LeaseUntil, h.LeaseToken = now+LeaseTime, token
	}
	return true
}
