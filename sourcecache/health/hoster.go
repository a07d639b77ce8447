package health

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
	LastTryAt  int64  // when one last began while it was failing, or in an outage
	GoodLink   string // the last link that worked
	Retests    int64  // how many were made, see Retest

	DoubtRun  int64 // the run in which it last failed, or had a link that is gone, see Guard
	FailRun   int64 // the run of the last provisional fail
	UndoFails int64 // ConsecutiveFails before the provisional fails
	UndoUntil int64 // BackoffUntil before them

	Awaits      int64 // the canary that says whether its last fail counts, 0 = none
	AwaitsSince int64 // when the attempt of that fail began
}

// Healthy tells whether nothing failed since the last success.
func (h Hoster) Healthy() bool { return h.ConsecutiveFails == 0 }

// InTrouble tells whether fails or a block stand, which Reset takes back.
func (h Hoster) InTrouble() bool { return !h.Healthy() || h.BackoffUntil != 0 }

// Reset takes back the fails and the block, and leaves the history.
func (h *Hoster) Reset() {
	h.ConsecutiveFails, h.BackoffUntil, h.LeaseUntil, h.LeaseToken = 0, 0, 0, ""
	h.FailRun, h.UndoFails, h.UndoUntil = 0, 0, 0
	h.Awaits, h.AwaitsSince = 0, 0
}

// End gives back the lease of the attempt with the given token, "" for one that
// has none. It is part of Policy.End; attempts that tell nothing of the hoster end
// with it alone.
func (h *Hoster) End(token string) {
	if token != "" && h.LeaseToken == token {
		h.LeaseUntil, h.LeaseToken = 0, ""
	}
}

// FailedIn tells whether h has provisional fails of the given run.
func (h Hoster) FailedIn(run int64) bool { return h.FailRun == run && run != 0 }

// DoubtedIn tells whether h is one of those that make the network of the given run
// suspect.
func (h Hoster) DoubtedIn(run int64) bool { return h.DoubtRun == run && run != 0 }

// AwaitsCanary tells whether a fail of h waits for the outcome of the given canary.
func (h Hoster) AwaitsCanary(id int64) bool { return h.Awaits == id && id != 0 }

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

// MayBeCanary tells whether h can be asked whether the network of the given run is
// up: it has not failed since a link of it worked, which was less than CanaryMaxAge
// ago, and nothing of this run speaks against it.
func (h Hoster) MayBeCanary(run, now int64) bool {
	return h.Healthy() && h.GoodLink != "" && !h.DoubtedIn(run) && h.LastSuccessAt <= now && h.LastSuccessAt >= now-CanaryMaxAge
}

// MayTestOutage tells whether h is one of those whose good link is tested in an outage.
// Where recent is set it worked within OutageRecent, and no attempt has it for itself.
func (h Hoster) MayTestOutage(recent bool, now int64) bool {
	if h.GoodLink == "" {
		return false
	}
	return !recent || !leased(h.LeaseUntil, now) && h.LastSuccessAt <= now && h.LastSuccessAt >= now-OutageRecent
}

// Tried is when h was last tried, as far as that is known. A try in the future was
// recorded under another clock: it stands for none, or it would never be behind the
// others.
func (h Hoster) Tried(now int64) (at int64) {
	for _, tried := range [...]int64{h.LastTryAt, h.LastSuccessAt, h.LastFailAt} {
		if tried <= now {
			at = max(at, tried)
		}
	}
	return at
}

// DueRetest tells whether h is to be tested because its block ended, or because a
// long one is to be looked into.
func (p Policy) DueRetest(h Hoster, now int64) bool {
	return !h.Healthy() && (p.Retest && p.Available(h, 0, now) || p.DueLook(h, now))
}

// LookFails is the number of fails in a row from which on a block is long.
const LookFails = 6

// DueLook tells whether h is to be tested although its block has not ended.
func (p Policy) DueLook(h Hoster, now int64) bool {
	return p.Look > 0 && h.ConsecutiveFails >= LookFails && !leased(h.LeaseUntil, now) && now-h.Tried(now) >= p.Look
}

// NextRetest takes note of a re-test and tells what it tests: the good link, or that
// of the given number among the others, counted on and on. They take turns, as the
// good one may have died, and the one that failed may be the only bad one.
func (h *Hoster) NextRetest() (good bool, other int64) {
	h.Retests++
	return h.GoodLink != "" && h.Retests%2 == 1, h.Retests / 2
}

// Link is what is known of one link of a hoster. The zero value is one that did not
// fail since it worked.
type Link struct {
	Fails       int64 // since it worked
	FirstFailAt int64
	FailRun     int64 // the run of the last of them
	UndoFails   int64 // Fails before those of that run
	GoneRun     int64 // the run in which it was found to be gone, goneInOutage: see Disbelieved
	Deep        bool  // the last fail was behind its first bytes, so these show nothing of it
}

// goneInOutage stands for a run that was an outage.
const goneInOutage = -1

// Disbelieved tells whether the link was last found to be gone while the network was
// down, which says nothing.
func (l Link) Disbelieved() bool { return l.GoneRun == goneInOutage }

// Undo takes back what happened in the given run, and tells whether the link was
// found to be gone in it.
func (l *Link) Undo(run int64) (gone bool) {
	if run == 0 {
		return false
	}
	if l.FailRun == run {
		l.Fails, l.FailRun, l.UndoFails = l.UndoFails, 0, 0
		if l.Fails == 0 {
			l.FirstFailAt, l.Deep = 0, false
		}
	}
	if gone = l.GoneRun == run; gone {
		l.GoneRun = goneInOutage
	}
	return gone
}

// failLink takes note of a fail at the given time and tells whether it is the link's:
// it failed before, and its hoster worked since. Times in the future were recorded
// under another clock: a first fail is made to be now, a success is none.
func (p Policy) failLink(l *Link, h Hoster, run, now int64) (suspect bool) {
	worked := h.LastSuccessAt
	if p.Clock {
		l.FirstFailAt = min(l.FirstFailAt, now)
		if worked > now {
			worked = 0
		}
	}
	if l.FailRun != run {
		l.FailRun, l.UndoFails = run, l.Fails
	}
	if l.Fails++; l.Fails == 1 {
		l.FirstFailAt = now
	}
	return l.Fails >= 2 && worked > l.FirstFailAt
}

// Suspects tells whether a further fail of l would be the link's and not that of h, its
// hoster.
func (p Policy) Suspects(l Link, h Hoster, now int64) bool {
	return p.Suspect && l.Fails >= 2 && p.failLink(&l, h, l.FailRun, now)
}
