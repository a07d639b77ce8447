package failover

import "slices"

// MaxAttempts is how many interfaces one round loads at most, the origin included
// (section 5.4).
const MaxAttempts = 3

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
	EndOver                     // the round was over before
)

// Step is what a caller does next. Only the field of its kind is set.
type Step[C any] struct {
	Kind       StepKind
	Load       C   // StepLoad
	Candidates []C // StepAsk: all that remain, the next one first
	End        End // StepEnd
}

// Round is one round of failover (section 5.1) over interfaces of any type C, which
// their URL identifies: the load of one that the user chose or that is in use, and
// what follows when it fails. Its mode is the one it began with; of the mode stored
// later only off has an effect, it ends the round (section 11.1). No round loads a
// URL twice.
//
// A round ends once: every call after its end gives EndOver. A Round is not safe for
// concurrent use.
type Round[C any] struct {
	mode      Mode
	url       func(C) string
	current   C
	remaining []C  // not attempted, in order
	loads     int  // that failed
	asking    bool // a StepAsk waits for its answer
	chosen    bool // the one choice was made
	over      bool
}

// NewRound starts a round with the load of origin. ordered holds all interfaces in
// the user's order (SortConfigs), the origin among them if it is one of them.
func NewRound[C any](mode Mode, origin C, ordered []C, url func(C) string) *Round[C] {
	return &Round[C]{mode: mode, url: url, current: origin, remaining: candidates(origin, ordered, url)}
}

// candidates are the interfaces after the origin, or all where the order does not
// have it, each once. An origin without a URL is no interface to fail over from.
func candidates[C any](origin C, ordered []C, url func(C) string) []C {
	from := url(origin)
	if from == "" {
		return nil
	}
	first := 1 + slices.IndexFunc(ordered, func(c C) bool { return url(c) == from })
	known := map[string]bool{"": true, from: true}
	var out []C
	for _, c := range ordered[first:] {
		if at := url(c); !known[at] {
			known[at] = true
			out = append(out, c)
		}
	}
	return out
}

// Current is the interface that is loaded, or was last.
func (r *Round[C]) Current() C { return r.current }

// More tells whether another interface could be tried if the current one failed.
func (r *Round[C]) More() bool {
	return !r.over && !r.chosen && r.mode != Off && len(r.remaining) > 0 && r.loads+1 < MaxAttempts
}

// Succeeded ends the round: the current interface was loaded.
func (r *Round[C]) Succeeded() { r.over = true }

// Cancel ends the round for the user, while an interface is loaded or a question
// waits for its answer.
func (r *Round[C]) Cancel() Step[C] {
	if r.over {
		return end[C](EndOver)
	}
	return r.finish(EndCancelled)
}

// Failed reports that the current interface could not be loaded. stored is the
// mode as it is stored at this moment.
func (r *Round[C]) Failed(stored Mode) Step[C] {
	switch {
	case r.over:
		return end[C](EndOver)
	case r.asking:
		return r.finish(EndFailed) // no load was running
	}
	r.loads++
	switch {
	case r.mode == Off:
		return r.finish(EndFailed)
	case stored == Off:
		return r.finish(EndOff)
	case r.chosen || len(r.remaining) == 0 || r.loads >= MaxAttempts:
		return r.finish(EndFailed)
	case r.mode == Manual:
		r.asking = true
		return Step[C]{Kind: StepAsk, Candidates: slices.Clone(r.remaining)}
	default:
		return r.load(0)
	}
}

// Choose answers a StepAsk with the URL of a candidate. A URL that is none, or an
// answer that nobody asked for, loads nothing and ends the round as failed. stored
// is the mode as it is stored at this moment.
func (r *Round[C]) Choose(url string, stored Mode) Step[C] {
	if r.over {
		return end[C](EndOver)
	}
	if stored == Off {
		return r.finish(EndOff)
	}
	i := slices.IndexFunc(r.remaining, func(c C) bool { return r.url(c) == url })
	if !r.asking || i < 0 {
		return r.finish(EndFailed)
	}
	r.asking, r.chosen = false, true
	return r.load(i)
}

// load moves on to one of the remaining interfaces.
func (r *Round[C]) load(i int) Step[C] {
	r.current = r.remaining[i]
	r.remaining = slices.Delete(r.remaining, i, i+1)
	return Step[C]{Kind: StepLoad, Load: r.current}
}

func (r *Round[C]) finish(e End) Step[C] {
	r.over, r.asking = true, false
	return end[C](e)
}

func end[C any](e End) Step[C] { return Step[C]{Kind: StepEnd, End: e} }
