// Package state is the pure machine of provider cooldowns: what is known of one
// user's provider, how a mark lengthens its cooldown, and which call goes first
// after it. It has no clock, no store and no I/O; memory, SQLite and Redis (by a
// script of its own) keep to it.
//
// Times are counts of one unit since one moment, and lengths counts of the same
// unit. Both are the caller's choice, and Limits say the rest.
package state

// Limits are the lengths that the rules name.
type Limits struct {
	Longest int64 // of a cooldown
	Memory  int64 // for which a cooldown that ended makes the next one grow
	Lease   int64 // for which the call that goes first has the provider for itself
	Slack   int64 // by which an end may lie beyond Longest before the clock must have been set back
}

// State is what is known of one user's provider. The zero value is a provider
// that all may call.
//
// After the cooldown's end the next call goes first, and the one after that while
// nobody had an answer.
type State struct {
	Until      int64 // its end, 0 = there was none
	Step       int64 // its length, from which the next one grows
	Reason     string
	LeaseUntil int64
	LeaseToken string // names the call that goes first, "" = none is under way
}

// Mark is what a call met that must not be repeated for a while.
type Mark struct {
	For    int64 // more than 0; Limits.Longest counts at most
	Grow   bool  // at least half as long again as the cooldown before
	Reason string
}

// Effective is s as it counts at now: an impossible cooldown is none, and so is
// one that is forgotten.
func (s State) Effective(now int64, l Limits) State {
	if s.Forgotten(now, l) {
		return State{}
	}
	return s
}

// Forgotten tells whether nothing of s counts at now: there was no cooldown, it
// ended longer ago than anything remembers, or its end is one that no clock which
// was right could have given.
func (s *State) Forgotten(now int64, l Limits) bool {
	return s.Until > now+l.Longest+l.Slack || now >= s.Until+l.Memory
}

// Running tells whether nobody may call now.
func (s *State) Running(now int64) bool { return s.Until > now }

// Ended tells whether a cooldown is over of which it is not known yet whether
// the provider works again.
func (s *State) Ended(now int64) bool { return s.Until != 0 && s.Until <= now }

// Leased tells whether a call that goes first is under way. A lease that ends
// later than leases last was made under another clock.
func (s *State) Leased(now int64, l Limits) bool {
	return s.LeaseToken != "" && now < s.LeaseUntil && s.LeaseUntil <= now+l.Lease
}

// Mark applies m and ends a lease. Marks only extend. One that is made while the
// cooldown runs is of a call that was under way: it neither grows nor makes the
// next one grow less.
func (s *State) Mark(m Mark, now int64, l Limits) {
	length := max(1, m.For)
	if m.Grow && s.Ended(now) {
		length = max(length, s.Step+s.Step/2)
	}
	length = min(length, l.Longest)
	step := length
	if s.Running(now) {
		step = max(step, s.Step)
	}
	s.Step, s.LeaseUntil, s.LeaseToken = step, 0, ""
	if until := now + length; until > s.Until {
		s.Until, s.Reason = until, m.Reason
	}
}

// Extend gives s the cooldown of another copy of it where that one ends later.
func (s *State) Extend(other State) {
	if other.Until > s.Until {
		*s = other
	}
}

// Lease lets the call with the given token, which no other has, go first where a
// cooldown is over and no other call goes first, and tells whether it does.
func (s *State) Lease(token string, now int64, l Limits) bool {
	if !s.Ended(now) || s.Leased(now, l) {
		return false
	}
	s.LeaseUntil, s.LeaseToken = now+l.Lease, token
	return true
}

// End ends the call with the given token, which the lease must still be of.
// Answered tells that the provider works: nothing is left then of the cooldown.
func (s *State) End(token string, answered bool) {
	switch {
	case token == "" || s.LeaseToken != token:
	case answered:
		*s = State{}
	default:
		s.LeaseUntil, s.LeaseToken = 0, ""
	}
}
