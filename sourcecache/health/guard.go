package health

// GuardWindow is how long, in seconds, a success vouches for the network. A
// fail that comes later than that after the last success is not counted, unless a
// canary works.
const GuardWindow = 30

// CanaryMaxAge is how long ago, in seconds, a link may have worked to be a
// canary.
const CanaryMaxAge = 24 * 3600

// OutageRecent is how long ago, in seconds, a hoster may have worked to be among the
// first that are tested in an outage.
const OutageRecent = 2 * 3600

const (
	// suspectHosters is the number of hosters that must have failed since the
	// last success before the network is suspect.
	suspectHosters = 2
	// canaryMemory is how long, in seconds, a canary that failed stands for the
	// next one.
	canaryMemory = 15
	// maxCanaries is how many canaries, of several hosters, are tested until one
	// works.
	maxCanaries = 3
	// firstOutageTest is after how many seconds an outage is tested first; each
	// further wait is half as long again, up to lastOutageTest.
	firstOutageTest = 5
	lastOutageTest  = 30
	// outageTurn is how long, in seconds, after one of the hosters that worked lately
	// was tested in an outage it is the turn of others.
	outageTurn = 60
)

// Guard is the network-outage guard, one for all hosters.
//
// A run is the time between two successes. The fails that count in it are
// provisional: when several hosters fail in a run, or nothing vouches for the
// network any more, a link that worked lately is tested, the canary. Where that
// fails too the network is down, and what happened in the run is taken back.
type Guard struct {
	LastSuccessAt int64 // of any peer
	Run           int64 // number of the run; each success that ends a doubted one begins a new one
	RunHosters    int64 // that failed in this run, or had a link that is gone
	RunOK         bool  // a canary showed that the network is up when this run began

	Canary      int64 // number of the last canary
	CanaryTries int64 // links tested for it
	CanaryUntil int64 // it is under way until then at most
	CanaryBadAt int64 // when the last one failed

	Outage    bool  // the network is down: nothing counts
	OutageEnd int64 // of the last outage
	TestAt    int64 // when the outage is tested next
	TestStep  int64 // the wait before that
}

// Vouches tells whether the network was up a moment ago. A success in the
// future was recorded under another clock: it vouches for nothing.
func (g Guard) Vouches(now int64) bool {
	return g.LastSuccessAt > 0 && g.LastSuccessAt <= now && now-g.LastSuccessAt <= GuardWindow
}

// vouches is Guard.Vouches by the rules of p.
func (p Policy) vouches(g Guard, now int64) bool {
	if p.Clock {
		return g.Vouches(now)
	}
	return now-g.LastSuccessAt <= GuardWindow
}

// Suspect tells whether several hosters failed and nothing shows that the network is
// up. A canary's word is good as long as any success vouches.
func (g Guard) Suspect(now int64) bool {
	return g.doubted() && (!g.RunOK || !g.Vouches(now))
}

// doubted tells whether several hosters failed, or had a link that is gone.
func (g Guard) doubted() bool { return !g.Outage && g.RunHosters >= suspectHosters }

// CanaryRuns tells whether a canary is under way.
func (g Guard) CanaryRuns(now int64) bool { return leased(g.CanaryUntil, now) }

// discards tells whether a fail of an attempt begun at the given time is the
// outage's. An end of an outage in the future was recorded under another clock.
func (g Guard) discards(startedAt, now int64) bool {
	return g.Outage || startedAt < g.OutageEnd && g.OutageEnd <= now
}

// OutageTestDue tells whether the outage is to be tested now. A time further ahead
// than any wait was set under another clock.
func (g Guard) OutageTestDue(now int64) bool {
	return g.Outage && (g.TestAt <= now || g.TestAt > now+lastOutageTest)
}

// succeed records a success, of a canary or of anything else.
func (g *Guard) succeed(canary bool, now int64) {
	g.LastSuccessAt = now
	if g.Outage {
		g.endOutage(now)
	}
	if g.RunHosters > 0 {
		g.nextRun()
	}
	g.RunOK = canary
}

// beginOutage records that the network is down.
func (g *Guard) beginOutage(now int64) {
	g.Outage, g.TestStep, g.TestAt = true, firstOutageTest, now+firstOutageTest
	g.nextRun()
}

// endOutage records that it is up again, or that nobody can tell.
func (g *Guard) endOutage(now int64) {
	g.Outage, g.OutageEnd, g.TestAt, g.TestStep = false, now, 0, 0
}

// waitLonger records that the outage is tested now.
func (g *Guard) waitLonger(now int64) {
	g.TestStep = min(max(g.TestStep, firstOutageTest)*3/2, lastOutageTest)
	g.TestAt = now + g.TestStep
}

func (g *Guard) nextRun() {
	g.Run++
	g.RunHosters, g.RunOK = 0, false
}

// doubt records that h failed in this run, or had a link that is gone.
func (g *Guard) doubt(h *Hoster) {
	if g.Run == 0 {
		g.Run = 1
	}
	if h.DoubtRun != g.Run {
		h.DoubtRun = g.Run
		g.RunHosters++
	}
}
