package health

// Table is what the policy works on: the hosters, their links, and the guard. A
// store gives it within one transaction. Rows that it does not have are zero values.
type Table interface {
	Hoster(name string) (Hoster, error)
	PutHoster(name string, h Hoster) error
	Link(link string) (Link, error)
	PutLink(link string, l Link) error // the zero value removes it
	Guard() (Guard, error)
	PutGuard(g Guard) error

	// FailedIn gives the hosters for which Hoster.FailedIn holds.
	FailedIn(run int64) ([]Named, error)
	// Awaiting gives the hosters for which Hoster.AwaitsCanary holds.
	Awaiting(canary int64) ([]Named, error)
	// UndoLinks applies Link.Undo to all links, and lets those be tried again that
	// were found to be gone in the run.
	UndoLinks(run int64) error
	// NextCanary gives the hoster for which Hoster.MayBeCanary holds that worked
	// last.
	NextCanary(run, now int64) (h Named, found bool, err error)
	// NextOutageTest gives the hoster for which Hoster.MayTestOutage holds whose
	// last try is the longest ago, see Hoster.Tried.
	NextOutageTest(recent bool, now int64) (h Named, found bool, err error)
}

// Named is a hoster with its name.
type Named struct {
	Name string
	Hoster
}

// Class is what an attempt showed.
type Class int

// The classes of an attempt.
const (
	Nothing    Class = iota // of the hoster: cancelled, or nobody's fault
	OK                      // it works
	Fail                    // it does not
	ServerFail              // it does not, and says so itself: an answer of 5xx
	Gone                    // the hoster works, and says that the link is gone
)

// Event is the end, now, of one try at a peer.
type Event struct {
	Hoster    string
	Link      string // what was tried, "" where it is not known
	Unfit     bool   // the link is no canary
	FirstOnly bool   // only the first bytes of the link were tried
	StartedAt int64  // of the try; 0 and times in the future stand for now
	Class     Class
	Token     string // of its lease, "" where it took none
	Error     string // why it failed, for people
}

// started is when the try began.
func (e Event) started(now int64) int64 {
	if e.StartedAt <= 0 || e.StartedAt > now {
		return now
	}
	return e.StartedAt
}

// Effect says what a report changed.
type Effect int

// The effects of a report.
const (
	// NoEffect: the attempt showed nothing of the hoster.
	NoEffect Effect = iota
	// Recovered: a success; fails and block are gone.
	Recovered
	// Counted: a fail; the block grew.
	Counted
	// SameIncident: a fail of an attempt that began before the end of the
	// block, which is that incident's answer already.
	SameIncident
	// Unguarded: a fail while no success vouches for the network.
	Unguarded
	// InOutage: an attempt that began while the network was down, or by which that
	// was found out.
	InOutage
	// Awaits: a fail that counts if a canary works.
	Awaits
	// SuspectLink: a fail of a link that failed before, and whose hoster worked
	// since.
	SuspectLink
	// LinkGone: the link is gone, the hoster works.
	LinkGone
)

// String is the name that a store keeps.
func (e Effect) String() string {
	return [...]string{"none", "recovered", "counted", "same_incident", "unguarded", "in_outage", "awaits_canary", "suspect_link", "link_gone"}[e]
}

// Outcome is the result of a report.
type Outcome struct {
	Effect  Effect
	Fails   int64   // in a row, afterwards
	Backoff int64   // length in seconds of the block made by a counted fail
	Canary  *Canary // to be tested, nil: none
	Outage  Change
	Counted []Counting // fails that had waited for the canary, and count
	Undone  []string   // hosters whose fails were taken back
}

// Counting is a fail of a hoster that counts.
type Counting struct {
	Hoster         string
	Fails, Backoff int64
}

// Change says what happened to the network.
type Change int

// The changes of the network.
const (
	NoChange     Change = iota
	OutageBegins        // and what happened in the run was taken back
	OutageEnds
)

// Canary is a link that worked and is to be tested, to find out whether the network is
// up.
type Canary struct {
	ID     int64 // 0: a test in an outage, for which nobody waits
	Hoster string
	Link   string
}

// report is one transaction on a Table.
type report struct {
	Policy
	t     Table
	g     Guard
	now   int64
	out   Outcome
	start int64
	apart bool // the peer says nothing of the network of the hosters

	undone bool // what happened in the run was taken back
}

func (p Policy) begin(t Table, now int64) (*report, error) {
	g, err := t.Guard()
	return &report{Policy: p, t: t, g: g, now: now}, err
}

// commit writes the guard where it differs from what it was.
func (r *report) commit(before Guard) (Outcome, error) {
	if r.g == before {
		return r.out, nil
	}
	return r.out, r.t.PutGuard(r.g)
}

// End applies the end of an attempt.
//
// A success always recovers the hoster and its link, makes final what counted since
// the last success, and ends an outage. A fail counts only if it is not the fault of
// its link, if the attempt began after the hoster's block, so that parallel attempts
// of one incident count once, and if a success vouches for the network, or a canary
// works. Fails that do not count move the lifetime counter, and, unless they are their
// link's or an earlier incident's, the record of the last fail. Where the network is in doubt a canary is to be tested, and EndCanary to be
// told; where none can be, the network is down. A success while a canary is under way
// stands for it.
func (p Policy) End(t Table, e Event, now int64) (Outcome, error) {
	r, err := p.begin(t, now)
	if err != nil {
		return Outcome{}, err
	}
	before := r.g
	r.start = e.started(now)
	h, err := t.Hoster(e.Hoster)
	if err != nil {
		return Outcome{}, err
	}
	was := h
	h.End(e.Token)
	switch e.Class {
	case Nothing:
	case OK:
		err = r.success(&h, e, false)
	case Gone:
		if p.Gone {
			err = r.gone(&h, e)
			break
		}
		fallthrough
	default:
		err = r.fail(&h, e)
	}
	if err != nil {
		return Outcome{}, err
	}
	r.out.Fails = h.ConsecutiveFails
	if h != was {
		if err := t.PutHoster(e.Hoster, h); err != nil {
			return Outcome{}, err
		}
	}
	if err := r.doubt(e.Hoster); err != nil {
		return Outcome{}, err
	}
	if e.Class == OK && r.g.CanaryRuns(now) { // it shows as much as the canary would
		if err := r.settle(); err != nil {
			return Outcome{}, err
		}
		r.out.Effect, r.out.Backoff = Recovered, 0
	}
	if r.undone {
		if h, err = t.Hoster(e.Hoster); err != nil {
			return Outcome{}, err
		}
		r.out.Effect, r.out.Fails, r.out.Backoff = InOutage, h.ConsecutiveFails, 0
	}
	return r.commit(before)
}

func (r *report) success(h *Hoster, e Event, canary bool) error {
	h.Reset()
	h.OKCount++
	h.LastSuccessAt = r.now
	if e.Link != "" && !e.Unfit {
		h.GoodLink = e.Link
	}
	if r.g.Outage {
		r.out.Outage = OutageEnds
	}
	r.g.succeed(canary, r.now)
	r.out.Effect = Recovered
	if !r.Suspect || e.Link == "" {
		return nil
	}
	l, err := r.t.Link(e.Link)
	if err != nil || l == (Link{}) || e.FirstOnly && l.Deep {
		return err
	}
	return r.t.PutLink(e.Link, Link{})
}

// gone is that the link is gone: a doubt of the network, where several hosters say so.
func (r *report) gone(h *Hoster, e Event) error {
	run := int64(goneInOutage)
	if r.Outage && r.g.discards(r.start, r.now) {
		r.out.Effect = InOutage
	} else {
		r.out.Effect = LinkGone
		r.g.doubt(h)
		run = r.g.Run
	}
	if e.Link == "" {
		return nil
	}
	l, err := r.t.Link(e.Link)
	if err != nil {
		return err
	}
	l.GoneRun = run
	return r.t.PutLink(e.Link, l)
}

func (r *report) fail(h *Hoster, e Event) error {
	h.FailCount++
	switch {
	case r.Outage && r.g.discards(r.start, r.now):
		h.LastFailAt, h.LastError = r.now, e.Error
		r.out.Effect = InOutage
		return nil
	case r.Suspect && e.Link != "":
		l, err := r.t.Link(e.Link)
		if err != nil {
			return err
		}
		suspect := r.failLink(&l, *h, max(r.g.Run, 1), r.now)
		l.Deep = !e.FirstOnly
		if err := r.t.PutLink(e.Link, l); err != nil {
			return err
		}
		if suspect {
			r.out.Effect = SuspectLink
			return nil
		}
	}
	if !r.apart {
		r.g.doubt(h)
	}
	switch {
	case r.vouches(r.g, r.now) || r.ServerFail && e.Class == ServerFail:
		r.count(h, r.start, r.Undo)
	case r.Canary:
		r.out.Effect = Awaits
	default:
		r.out.Effect = Unguarded
	}
	if r.out.Effect != SameIncident {
		h.LastFailAt, h.LastError = r.now, e.Error
	}
	return nil
}

// count makes a fail count whose attempt began at the given time. A provisional one
// is taken back by an outage.
func (r *report) count(h *Hoster, start int64, provisional bool) {
	if r.OneFail && start < r.Until(*h, r.now) {
		r.out.Effect = SameIncident
		return
	}
	if provisional && h.FailRun != r.g.Run {
		h.FailRun, h.UndoFails, h.UndoUntil = r.g.Run, h.ConsecutiveFails, h.BackoffUntil
	}
	h.ConsecutiveFails++
	r.out.Effect, r.out.Backoff = Counted, r.Backoff(h.ConsecutiveFails)
	h.BackoffUntil = r.now + r.out.Backoff
}

// doubt has a canary tested where what was reported of the hoster asks for one.
func (r *report) doubt(name string) error {
	awaits := r.out.Effect == Awaits
	early := false
	switch r.out.Effect {
	case Counted, SameIncident:
		early = r.Early && r.g.Suspect(r.now)
	case LinkGone: // which is believed for a day: an earlier canary's word is not enough
		early = r.Early && r.g.doubted()
	default:
	}
	switch {
	case !awaits && !early:
		return nil
	case !r.g.CanaryRuns(r.now):
		if err := r.testCanary(); err != nil {
			return err
		}
	}
	if !awaits {
		return nil
	}
	if !r.g.CanaryRuns(r.now) {
		r.out.Effect = Unguarded
		return nil
	}
	h, err := r.t.Hoster(name)
	if err != nil {
		return err
	}
	if h.Awaits != r.g.Canary {
		h.Awaits, h.AwaitsSince = r.g.Canary, r.start
	}
	return r.t.PutHoster(name, h)
}

// testCanary begins a canary, or recognises the outage where none can be tested.
func (r *report) testCanary() error {
	if r.g.CanaryBadAt > 0 && r.g.CanaryBadAt <= r.now && r.now-r.g.CanaryBadAt < canaryMemory {
		return r.recognise()
	}
	r.g.Canary++
	r.g.CanaryTries = 0
	found, err := r.nextCanary()
	if err != nil || found || r.out.Effect == LinkGone { // nobody can be asked, and a hoster answered
		return err
	}
	return r.recognise()
}

// nextCanary begins the test of a further link, and tells whether there is one.
func (r *report) nextCanary() (bool, error) {
	if r.g.CanaryTries >= maxCanaries {
		return false, nil
	}
	h, found, err := r.t.NextCanary(r.g.Run, r.now)
	if err != nil || !found {
		return false, err
	}
	r.g.CanaryTries++
	r.g.CanaryUntil = r.now + LeaseTime
	r.out.Canary = &Canary{ID: r.g.Canary, Hoster: h.Name, Link: h.GoodLink}
	return true, nil
}

// recognise is called where canaries failed. Of one hoster alone nothing is known, and
// what waits for the canary does not count. Where there are several the network is
// down: what happened in the run is taken back.
func (r *report) recognise() error {
	r.g.CanaryUntil = 0
	if r.g.RunHosters < suspectHosters {
		return nil
	}
	run := r.g.Run
	if r.Undo {
		r.undone = true
		failed, err := r.t.FailedIn(run)
		if err != nil {
			return err
		}
		for _, h := range failed {
			h.Undo(run)
			r.out.Undone = append(r.out.Undone, h.Name)
			if err := r.t.PutHoster(h.Name, h.Hoster); err != nil {
				return err
			}
		}
		if err := r.t.UndoLinks(run); err != nil {
			return err
		}
	}
	if r.Outage {
		r.g.beginOutage(r.now)
		r.out.Outage = OutageBegins
	}
	return nil
}

// EndCanary applies the outcome of a canary. One that works shows that the network is
// up: what counted in the run stands, and what waited for it counts, for good. One that does not
// work, or is gone, decides nothing as long as there is another one, which is in the
// Outcome to be tested; after the last one the network is down. It never counts against
// its own hoster. A canary in whose place another one was begun decides nothing.
func (p Policy) EndCanary(t Table, c Canary, class Class, now int64) (Outcome, error) {
	r, err := p.begin(t, now)
	if err != nil {
		return Outcome{}, err
	}
	before := r.g
	current := c.ID != 0 && c.ID == r.g.Canary && r.g.CanaryUntil != 0
	switch {
	case class == OK:
		err = r.canaryWorks(c, current)
	case current && class == Nothing:
		r.g.CanaryUntil = 0
	case current:
		err = r.canaryFails(c)
	}
	if err != nil {
		return Outcome{}, err
	}
	return r.commit(before)
}

func (r *report) canaryWorks(c Canary, current bool) error {
	h, err := r.t.Hoster(c.Hoster)
	if err != nil {
		return err
	}
	if err := r.success(&h, Event{Link: c.Link}, true); err != nil {
		return err
	}
	if err := r.t.PutHoster(c.Hoster, h); err != nil || !current {
		return err
	}
	err = r.settle()
	r.g.RunOK = true
	r.out.Effect, r.out.Backoff, r.out.Fails = Recovered, 0, 0
	return err
}

// settle ends the canary under way, since something works, and makes count what waited
// for it.
func (r *report) settle() error {
	r.g.CanaryUntil = 0
	waiting, err := r.t.Awaiting(r.g.Canary)
	if err != nil {
		return err
	}
	for _, h := range waiting {
		start := h.AwaitsSince
		h.Awaits, h.AwaitsSince = 0, 0
		r.count(&h.Hoster, start, false)
		if r.out.Effect == Counted {
			r.out.Counted = append(r.out.Counted, Counting{h.Name, h.ConsecutiveFails, r.out.Backoff})
		}
		if err := r.t.PutHoster(h.Name, h.Hoster); err != nil {
			return err
		}
	}
	return nil
}

func (r *report) canaryFails(c Canary) error {
	h, err := r.t.Hoster(c.Hoster)
	if err != nil {
		return err
	}
	r.g.doubt(&h)
	if err := r.t.PutHoster(c.Hoster, h); err != nil {
		return err
	}
	if found, err := r.nextCanary(); err != nil || found {
		return err
	}
	r.g.CanaryBadAt = r.now
	return r.recognise()
}

// TestOutage gives the link by which an outage is to be tested now, nil where none is.
// Asked tells that somebody waits for it, so that it is not put off. EndCanary has to
// be told the outcome. First come the hosters that worked lately, in turn, then all,
// also where those that worked lately are few, and may be down themselves; where
// nothing can be tested nobody can tell an outage, and it ends.
func (p Policy) TestOutage(t Table, asked bool, now int64) (*Canary, error) {
	r, err := p.begin(t, now)
	if err != nil || !r.g.Outage || !asked && !r.g.OutageTestDue(now) {
		return nil, err
	}
	before := r.g
	h, found, err := t.NextOutageTest(true, now)
	if err == nil && (!found || h.LastTryAt <= now && now-h.LastTryAt < outageTurn) {
		h, found, err = t.NextOutageTest(false, now)
	}
	if err != nil {
		return nil, err
	}
	if !found {
		r.g.endOutage(now)
		_, err = r.commit(before)
		return nil, err
	}
	r.g.waitLonger(now)
	if leased(h.LeaseUntil, now) { // all are being tried, which will tell
		_, err = r.commit(before)
		return nil, err
	}
	h.LastTryAt = now
	if err := t.PutHoster(h.Name, h.Hoster); err != nil {
		return nil, err
	}
	_, err = r.commit(before)
	return &Canary{Hoster: h.Name, Link: h.GoodLink}, err
}

// Touch applies the end of a try to a peer of which no links are known: a fail counts
// while g vouches for the network, and is no reason to doubt it.
func (p Policy) Touch(h *Hoster, g *Guard, e Event, now int64) Outcome {
	r := report{Policy: p, g: *g, now: now, start: e.started(now), apart: true}
	r.Suspect, r.Canary, r.Undo = false, false, false
	if e.Class == OK {
		_ = r.success(h, e, false) // no link, so no table
	} else {
		_ = r.fail(h, e)
	}
	r.out.Fails = h.ConsecutiveFails
	*g = r.g
	return r.out
}
