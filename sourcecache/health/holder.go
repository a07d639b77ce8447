package health

// Try is one that ended at a hoster, in a run of tries that belong together: a
// cycle of the precacher, the probe of a list. Its times are counts of one unit that
// tells tries of one second apart, such as nanoseconds.
type Try[T any] struct {
	Hoster  string
	Started int64
	Ended   int64
	Success bool
	Report  T // what the hoster table has to be told of it
}

// Holder says when the ends of the tries of one run are reported: it holds fails
// back until it is known whether the network was up.
//
// Before a run the last success is usually too old to vouch for the network, so that
// a fail reported before the first success of the run would not be counted, and the
// same fail reported after it would. A success vouches for the fails that ended
// while its try was under way: the network was up then. It does not vouch for a fail
// that ended before its try began, nor for an earlier fail of the hoster that works
// now; these are reported before the success, and so are not counted. When as many
// hosters have failed as tries are made at once, nothing works: then everything is
// reported, and the hoster table finds out whether the network is down. After either,
// and after the end of the run, nothing is held back any more.
type Holder[T any] struct {
	atOnce  int
	lock    Locker
	held    []Try[T]
	passing bool
}

// Locker is a lock, a sync.Mutex.
type Locker interface {
	Lock()
	Unlock()
}

// NewHolder makes the Holder of a run that makes at most so many tries at once.
// Where that is one, no success can vouch for a fail, and none is held back. Under
// lock, which is not held while reports are made, it is safe for concurrent use.
func NewHolder[T any](atOnce int, lock Locker) *Holder[T] {
	return &Holder[T]{atOnce: atOnce, lock: lock}
}

// Report takes in the end of a try and makes the reports that are due now, in their
// order. Where none is, it is held back.
func (h *Holder[T]) Report(t Try[T], report func(T)) {
	if !t.Success {
		each(h.fail(t), report)
		return
	}
	each(h.takeUnvouched(t), report)
	report(t.Report)
	each(h.pass(), report) // only after the success do they count
}

// Flush makes the reports that are still held back, at the end of the run, and tells
// whether there were any.
func (h *Holder[T]) Flush(report func(T)) bool {
	due := h.take()
	each(due, report)
	return len(due) > 0
}

// End is Flush after which nothing is held back.
func (h *Holder[T]) End(report func(T)) { each(h.pass(), report) }

// fail holds t back and gives what is due.
func (h *Holder[T]) fail(t Try[T]) []Try[T] {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.held = append(h.held, t)
	hosters := make(map[string]bool, len(h.held))
	for _, held := range h.held {
		hosters[held.Hoster] = true
	}
	if h.passing = h.passing || len(hosters) >= h.atOnce; !h.passing {
		return nil
	}
	return h.drain()
}

// takeUnvouched removes and gives the fails for which the success s does not vouch.
func (h *Holder[T]) takeUnvouched(s Try[T]) (unvouched []Try[T]) {
	h.lock.Lock()
	defer h.lock.Unlock()
	var held []Try[T]
	for _, t := range h.held {
		if t.Hoster == s.Hoster || t.Ended < s.Started {
			unvouched = append(unvouched, t)
		} else {
			held = append(held, t)
		}
	}
	h.held = held
	return unvouched
}

// pass holds nothing back any more, and gives what was.
func (h *Holder[T]) pass() []Try[T] {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.passing = true
	return h.drain()
}

// take removes and gives what is held back.
func (h *Holder[T]) take() []Try[T] {
	h.lock.Lock()
	defer h.lock.Unlock()
	return h.drain()
}

// drain is take for a caller that holds lock.
func (h *Holder[T]) drain() (held []Try[T]) {
	held, h.held = h.held, nil
	return held
}

func each[T any](tries []Try[T], report func(T)) {
	for _, t := range tries {
		report(t.Report)
	}
}
