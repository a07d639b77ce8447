package state

// Rate is a limit of calls: at most Calls in any span of the length Per.
type Rate struct{ Calls, Per int64 }

// Budget is what is known of the calls that a Rate bounds. The zero value is one of
// which nothing is spent.
//
// Half of the calls may come at once, and the others flow in within the span: so no
// span has more of them than are allowed.
type Budget struct {
	Full int64 // when nothing is spent any more
}

// Burst is how many calls may come at once.
func (r Rate) Burst() int64 { return max(r.Calls/2, 1) }

// Step is the time in which one call flows in.
func (r Rate) Step() int64 {
	flow := max(r.Calls-r.Burst(), 1)
	return max((r.Per+flow-1)/flow, 1)
}

// Spend takes a call, and tells after what wait it may be made. Where that is longer
// than most, nothing is taken, and ok is false. A time that no call has made, as of a
// clock that was set back, does not count.
func (b *Budget) Spend(r Rate, now, most int64) (wait int64, ok bool) {
	step := r.Step()
	spent := max(b.Full-now, 0)
	if spent > 2*r.Per+step {
		spent = 0
	}
	if wait = max(spent-(r.Burst()-1)*step, 0); wait > most {
		return wait, false
	}
	b.Full = now + spent + step
	return wait, true
}
