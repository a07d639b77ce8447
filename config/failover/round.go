package failover

import "slices"

// MaxAttempts is how many interfaces one round loads at most, the origin included
// (section 5.4).
const MaxAttempts = 3

// Interface is an interface in a round. Its URL identifies it.
type Interface struct {
	URL, Name string
}

// StepKind is what a caller does next.
type StepKind int

// The kinds of steps.
const (
	StepLoad StepKind = iota + 1 // load Step.Load, and report how that went
	StepAsk                      // let the user choose of Step.Candidates, or cancel
	StepEnd                      // the round is over, Step.End tells why
)

// End is why a round is over without an interface.
type End int

// The ends of a round.
const (
	EndFailed    End = iota + 1 // nothing is left to try, or mode off leaves nothing
	EndOff                      // failover was switched off while the round ran
	EndCancelled                // the user cancelled
	EndRetired                  // the round was over before: nobody waits for its result
)

// Step is what a caller does next. Only the field of its kind is set.
type Step struct {
	Kind       StepKind
	Load       Interface   // StepLoad
	Candidates []Interface // StepAsk: all that remain, the next one first
	End        End         // StepEnd
}

// Round is one round of failover (section 5.1): the load of an interface that the
// user chose or that is in use, and what follows when it fails. Its mode is the
// one it began with; of the mode stored later only off has an effect, it ends the
// round (section 11.1). No round loads a URL twice.
//
// A round ends once. Every call after its end, whether it succeeded, ended or was
// retired, gives EndRetired; so a caller that reports the other ends reports each
// round once. A Round is not safe for concurrent use.
type Round struct {
	id        int64
	mode      Mode
	origin    Interface
	current   Interface
	remaining []Interface // not attempted, in order
	attempted []Interface // failed
	asking    bool        // a StepAsk waits for its answer
	chosen    bool        // the one choice was made
	over      bool
}

// NewRound starts a round with the load of origin. ordered holds all interfaces in
// the user's order (SortConfigs), the origin among them if it is one of them.
func NewRound(id int64, mode Mode, origin Interface, ordered []Interface) *Round {
	return &Round{id: id, mode: mode, origin: origin, current: origin, remaining: candidates(origin, ordered)}
}

// candidates are the interfaces after the origin, or all where the order does not
// have it, each once. An origin without a URL is no interface to fail over from.
func candidates(origin Interface, ordered []Interface) []Interface {
	if origin.URL == "" {
		return nil
	}
	first := 1 + slices.IndexFunc(ordered, func(i Interface) bool { return i.URL == origin.URL })
	known := map[string]bool{"": true, origin.URL: true}
	var out []Interface
	for _, i := range ordered[first:] {
		if !known[i.URL] {
			known[i.URL] = true
			out = append(out, i)
		}
	}
	return out
}

// ID is the id that the round was made with.
func (r *Round) ID() int64 { return r.id }

// Origin is the interface that the round began with.
func (r *Round) Origin() Interface { return r.origin }

// Current is the interface that is loaded, or was last.
func (r *Round) Current() Interface { return r.current }

// Attempted lists the interfaces that failed so far, in the order of their loads.
func (r *Round) Attempted() []Interface { return slices.Clone(r.attempted) }

// Succeeded ends the round: the current interface was loaded.
func (r *Round) Succeeded() { r.over = true }

// Retire ends the round in favour of a newer one.
func (r *Round) Retire() { r.over = true }

// Cancel ends the round for the user, while an interface is loaded or a question
// waits for its answer.
func (r *Round) Cancel() Step {
	if r.over {
		return end(EndRetired)
	}
	return r.finish(EndCancelled)
}

// Failed reports that the current interface could not be loaded. stored is the
// mode as it is stored at this moment.
func (r *Round) Failed(stored Mode) Step {
	switch {
	case r.over:
		return end(EndRetired)
	case r.asking:
		return r.finish(EndFailed) // no load was running
	}
	r.attempted = append(r.attempted, r.current)
	switch {
	case r.mode == Off:
		return r.finish(EndFailed)
	case stored == Off:
		return r.finish(EndOff)
	case r.chosen || len(r.remaining) == 0 || len(r.attempted) >= MaxAttempts:
		return r.finish(EndFailed)
	case r.mode == Manual:
		r.asking = true
		return Step{Kind: StepAsk, Candidates: slices.Clone(r.remaining)}
	default:
		return r.load(0)
	}
}

// Choose answers a StepAsk with the URL of a candidate. A URL that is none, or an
// answer that nobody asked for, loads nothing and ends the round as failed. stored
// is the mode as it is stored at this moment.
func (r *Round) Choose(url string, stored Mode) Step {
	if r.over {
		return end(EndRetired)
	}
	if stored == Off {
		return r.finish(EndOff)
	}
	i := slices.IndexFunc(r.remaining, func(i Interface) bool { return i.URL == url })
	if !r.asking || i < 0 {
		return r.finish(EndFailed)
	}
	r.asking, r.chosen = false, true
	return r.load(i)
}

// load moves on to one of the remaining interfaces.
func (r *Round) load(i int) Step {
	r.current = r.remaining[i]
	r.remaining = slices.Delete(r.remaining, i, i+1)
	return Step{Kind: StepLoad, Load: r.current}
}

func (r *Round) finish(e End) Step {
	r.over, r.asking = true, false
	return end(e)
}

func end(e End) Step { return Step{Kind: StepEnd, End: e} }
