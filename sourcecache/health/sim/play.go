package sim

import (
	"slices"
	"strconv"
	"sync"

	"xship/sourcecache/health"
)

// play is one run of a Setup in a world.
type play struct {
	Setup
	w     *world
	t     float64
	queue queue
	table *table
	flies []int // attempts at each hoster that have not ended
	m     measures
	tried int // attempts, which names them
}

func (p *play) now() int64 { return p.w.wall(p.t) }

func (p *play) after(wait float64, do func()) { p.queue.add(p.t+wait, do) }

func (p *play) visible(h int) bool { return p.table.healthy[h] }

func (p *play) available(h int) bool { return p.Policy.Available(p.table.rows[h], 0, p.now()) }

// paused tells whether nothing is tried by itself, as there is an outage.
func (p *play) paused() bool { return p.table.Network.Outage && !p.GoesOn }

// process is one that makes attempts.
type process struct {
	started float64
	dead    bool
	daemon  bool
	guard   health.Guard // its own, see Setup.Alone
}

// table is a table in memory that is quick for a hoster whose number is known. A link
// that is gone is not tried again.
type table struct {
	*health.Memory // see synced
	rows           []health.Hoster
	healthy        []bool
	changed        []int        // rows that the Memory does not have yet
	gone           map[int]bool // links
}

func newTable(hosters int) *table {
	t := &table{
		Memory: health.NewMemory(), rows: make([]health.Hoster, hosters), healthy: slices.Repeat([]bool{true}, hosters),
		gone: make(map[int]bool),
	}
	t.Revive = func(link string) { delete(t.gone, linkOf(link)) }
	return t
}

// synced is the Memory, with all rows.
func (t *table) synced() *health.Memory {
	for _, h := range t.changed {
		t.Hosters[names[h]] = t.rows[h]
	}
	t.changed = t.changed[:0]
	return t.Memory
}

func (t *table) put(h int, row health.Hoster) {
	t.rows[h], t.healthy[h] = row, row.Healthy()
	if !slices.Contains(t.changed, h) {
		t.changed = append(t.changed, h)
	}
}

// Hoster implements health.Table.
func (t *table) Hoster(name string) (health.Hoster, error) { return t.rows[hosterOf(name)], nil }

// PutHoster implements health.Table.
func (t *table) PutHoster(name string, h health.Hoster) error {
	t.put(hosterOf(name), h)
	return nil
}

// FailedIn implements health.Table.
func (t *table) FailedIn(run int64) ([]health.Named, error) { return t.synced().FailedIn(run) }

// Awaiting implements health.Table.
func (t *table) Awaiting(canary int64) ([]health.Named, error) { return t.synced().Awaiting(canary) }

// NextCanary implements health.Table.
func (t *table) NextCanary(run, now int64) (h health.Named, found bool, err error) {
	return t.synced().NextCanary(run, now)
}

// NextOutageTest implements health.Table.
func (t *table) NextOutageTest(recent bool, now int64) (h health.Named, found bool, err error) {
	return t.synced().NextOutageTest(recent, now)
}

// tableOf is the table as a process sees it.
func (p *play) tableOf(proc *process) health.Table {
	if p.Alone {
		return ownGuard{p.table, proc}
	}
	return p.table
}

// ownGuard is a table whose guard is that of a process.
type ownGuard struct {
	*table
	proc *process
}

// Guard implements health.Table.
func (o ownGuard) Guard() (health.Guard, error) { return o.proc.guard, nil }

// PutGuard implements health.Table.
func (o ownGuard) PutGuard(g health.Guard) error {
	o.proc.guard = g
	return nil
}

const firstHoster = 100 // so that the order of names is that of numbers

// names are those of hosters, so that none is made twice.
var names = func() (all [hosters]string) {
	for i := range all {
		all[i] = strconv.Itoa(firstHoster + i)
	}
	return all
}()

func hosterOf(name string) int { return must(strconv.Atoi(name)) - firstHoster }

func linkName(link int) string { return strconv.Itoa(link) }

func linkOf(name string) int { return must(strconv.Atoi(name)) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// holder holds back the fails of a run of attempts.
type holder = health.Holder[health.Event]

func (p *play) newHolder() *holder {
	if !p.Policy.Hold {
		return nil
	}
	return health.NewHolder[health.Event](workers, new(sync.Mutex))
}

// attempt is one request of a process.
type attempt struct {
	source
	proc  *process
	run   *holder // nil: reported at once
	force bool
	click bool // by a user, who plays it
}

// begin begins an attempt, and calls ended, which may be nil, when it has ended and is
// reported.
func (p *play) begin(a attempt, ended func(health.Class)) {
	h, now := p.table.rows[a.hoster], p.now()
	p.tried++
	token := strconv.Itoa(p.tried)
	if !p.Policy.Begin(&h, a.force, token, now) {
		return
	}
	if !h.Healthy() { // nothing is written of others
		p.table.put(a.hoster, h)
	}
	began := p.t
	p.request(a.source, func(class health.Class) {
		if a.proc.dead {
			return
		}
		if a.click && a.hoster < p.w.badly && class == health.OK {
			class = health.Fail
		}
		e := health.Event{Hoster: names[a.hoster], Link: linkName(a.link), StartedAt: now, Class: class, Token: token}
		if a.run == nil {
			p.report(a.proc, e)
		} else {
			a.run.Report(health.Try[health.Event]{
				Hoster: e.Hoster, Started: int64(began * 1e6), Ended: int64(p.t * 1e6), Success: class == health.OK, Report: e,
			}, func(e health.Event) { p.report(a.proc, e) })
		}
		if ended != nil {
			ended(class)
		}
	})
}

// request makes a request and counts it.
func (p *play) request(s source, ended func(health.Class)) {
	class, took := p.w.request(s, p.t)
	p.m.requests++
	switch {
	case p.w.line(p.t) != nil:
		p.m.inOutages++
	case p.w.down(s.hoster, p.t):
		p.m.wasted++
	}
	p.flies[s.hoster]++
	p.after(took, func() {
		p.flies[s.hoster]--
		ended(class)
	})
}

func (p *play) report(proc *process, e health.Event) {
	out := must(p.Policy.End(p.tableOf(proc), e, p.now()))
	switch out.Effect {
	case health.Counted:
		p.linger(proc, hosterOf(e.Hoster), out.Backoff)
	case health.LinkGone:
		p.table.gone[linkOf(e.Link)] = true
	default:
	}
	p.test(proc, out.Canary, nil)
}

// test tests a canary, nil: none, and those that follow it. Ended may be nil.
func (p *play) test(proc *process, c *health.Canary, ended func()) {
	if c == nil {
		if ended != nil {
			ended()
		}
		return
	}
	p.request(source{hosterOf(c.Hoster), linkOf(c.Link)}, func(class health.Class) {
		if proc.dead {
			return
		}
		out := must(p.Policy.EndCanary(p.tableOf(proc), *c, class, p.now()))
		for _, counted := range out.Counted {
			p.linger(proc, hosterOf(counted.Hoster), counted.Backoff)
		}
		p.test(proc, out.Canary, ended)
	})
}

// linger has a young process of a user test a hoster again that it made fail.
func (p *play) linger(proc *process, h int, backoff int64) {
	if !p.Policy.Linger || proc.daemon || p.t-proc.started >= health.LingerTime {
		return
	}
	p.after(float64(backoff+1), func() {
		if !p.visible(h) && p.flies[h] == 0 && !p.paused() && p.available(h) {
			p.retest(proc, h, false, nil)
		}
	})
}

// retest tests a hoster.
func (p *play) retest(proc *process, h int, force bool, ended func(health.Class)) {
	row := p.table.rows[h]
	good, other := row.NextRetest()
	p.table.put(h, row)
	s, links := source{hoster: h}, p.linksOf(h)
	if good || len(links) == 0 {
		s.link = linkOf(row.GoodLink)
	} else {
		s.link = links[other%int64(len(links))]
	}
	p.begin(attempt{source: s, proc: proc, force: force}, ended)
}

// linksOf gives the links of a hoster that the precacher knows.
func (p *play) linksOf(hoster int) (links []int) {
	for link, h := range p.w.links {
		if h == hoster && !p.table.gone[link] {
			links = append(links, link)
		}
	}
	return links
}

// run plays a world to its end.
func run(w *world, s Setup) *measures {
	p := &play{Setup: s, w: w, table: newTable(len(w.phases)), flies: make([]int, len(w.phases))}
	for _, sc := range w.scans {
		p.after(sc.at, func() { p.scan(sc) })
	}
	for i := range s.Daemons {
		p.startDaemon(i)
	}
	p.measure()
	return &p.m
}
