package health

// GuardWindow is how long, in seconds, a success vouches for the network. A
// fail that comes later than that after the last success is not counted.
const GuardWindow = 30

// CanaryMaxAge is how long ago, in seconds, a link may have worked to be a
// canary.
const CanaryMaxAge = 24 * 3600

const (
	// suspectHosters is the number of hosters that must have failed since the
	// last success before the network is suspect.
	suspectHosters = 2
	// canaryMemory is how long, in seconds, a canary that failed stands for the
	// next one.
	canaryMemory = 15
)

// Guard is the network-outage guard, one for all hosters.
//
// A run is the time between two successes. The fails that count in it are
// provisional: when several hosters fail in a run, a link that worked lately is
// tested, the canary. Where that fails too the network is down, and the fails
// of the run are taken back.
type Guard struct {
	LastSuccessAt int64 // of any peer
	Run           int64 // number of the run; each success that ends provisional fails begins a new one
	RunHosters    int64 // with provisional fails in this run
	RunOK         bool  // a canary showed that the network is up: fails of this run stand
	Outage        bool  // the network is down: nothing counts
	OutageEnd     int64 // of the last outage
	CanaryUntil   int64 // a canary is under way until then at most
	CanaryBadAt   int64 // when the last one failed
}

// Vouches tells whether the network was up a moment ago. A success in the
// future was recorded under another clock: it vouches for nothing.
func (g Guard) Vouches(now int64) bool {
	return g.LastSuccessAt > 0 && g.LastSuccessAt <= now && now-g.LastSuccessAt <= GuardWindow
}

// Suspect tells whether fails of several hosters wait for a verdict.
func (g Guard) Suspect() bool { return !g.Outage && !g.RunOK && g.RunHosters >= suspectHosters }

// discards tells whether a fail of an attempt begun at the given time is the
// outage's. An end of an outage in the future was recorded under another clock.
func (g Guard) discards(startedAt, now int64) bool {
	return g.Outage || startedAt < g.OutageEnd && g.OutageEnd <= now
}

// Verdict is what is known of the network, or how to find out.
type Verdict int

// The verdicts.
const (
	// Undecided: nothing is to be done.
	Undecided Verdict = iota
	// TestCanary: a canary is to be tested.
	TestCanary
	// NetworkDown: the provisional fails of the run that just ended are to be
	// taken back, by Hoster.Undo.
	NetworkDown
)

// Decide tells what is done while g is suspect. haveLink tells whether there is
// a link to test: that of the hoster with the latest success of those that may
// be a canary. One canary is tested at a time, and meanwhile fails count
// provisionally.
func (g *Guard) Decide(haveLink bool, now int64) Verdict {
	switch {
	case !g.Suspect() || leased(g.CanaryUntil, now):
		return Undecided
	case !haveLink || g.CanaryBadAt <= now && now-g.CanaryBadAt < canaryMemory:
		g.outage()
		return NetworkDown
	default:
		g.CanaryUntil = now + LeaseTime
		return TestCanary
	}
}

// MayBeCanary tells whether h can be asked whether the network is up: it has not
// failed since a link of it worked, which was less than CanaryMaxAge ago.
func (h Hoster) MayBeCanary(now int64) bool {
	return h.Healthy() && h.GoodLink != "" && h.LastSuccessAt <= now && h.LastSuccessAt >= now-CanaryMaxAge
}

// EndCanary ends the canary that was asked for in the given run and did not
// work. Answered tells that the network is up all the same: the link was gone.
// A run that ended meanwhile has its verdict already.
func (g *Guard) EndCanary(run int64, answered bool, now int64) Verdict {
	if run != g.Run {
		return Undecided
	}
	g.CanaryUntil = 0
	switch {
	case answered:
		g.nextRun()
		g.RunOK = true
		return Undecided
	case g.Suspect():
		g.CanaryBadAt = now
		g.outage()
		return NetworkDown
	default:
		return Undecided
	}
}

// CancelCanary ends a canary that showed nothing.
func (g *Guard) CancelCanary(run int64) {
	if run == g.Run {
		g.CanaryUntil = 0
	}
}

func (g *Guard) outage() {
	g.Outage = true
	g.nextRun()
}

// succeed records a success, of a canary or of anything else.
func (g *Guard) succeed(canary bool, now int64) {
	g.LastSuccessAt = now
	if g.Outage {
		g.Outage, g.OutageEnd = false, now
	}
	if g.RunHosters > 0 {
		g.nextRun()
	}
	g.RunOK = canary
}

func (g *Guard) nextRun() {
	g.Run++
	g.RunHosters, g.RunOK, g.CanaryUntil = 0, false, 0
}
