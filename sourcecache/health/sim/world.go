package sim

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"xship/sourcecache/health"
)

// Parameters of a run. Times are in seconds from its start.
const (
	epoch    = 1_750_000_000 // the wall clock at the start
	duration = 36_000.0
	warmUp   = 1_800.0 // not measured
	interval = 900.0   // between two cycles of the precacher
	workers  = 8       // of the precacher, and of a BG-probe
	hosters  = 40
	cached   = 200 // links that the precacher knows
	listed   = 12  // sources of a scan
)

// mode is how a hoster is.
type mode int

const (
	up       mode = iota // but for a few requests
	refusing             // no connection, or none that answers
	broken               // 5xx
	slow                 // some answers come too late
)

// phase is how a hoster is from a time on.
type phase struct {
	from  float64
	mode  mode
	fails float64 // the part of requests that fail while it is up
}

func (p phase) down() bool { return p.mode == refusing || p.mode == broken }

// kind of trouble of the line.
type kind int

const (
	cut       kind = iota // nothing goes through
	portal                // each answer is a page
	middlebox             // each answer is a 404
)

// outage is a time in which the line is down for all hosters.
type outage struct {
	from, to float64
	kind     kind
}

// jump sets the wall clock off from the true time.
type jump struct{ at, by float64 }

// source is a link and its hoster.
type source struct {
	hoster int
	link   int
}

// scan is one that a user makes.
type scan struct {
	at      float64
	sources []source
}

// world is what all policies are played against: how hosters and the line are, and
// what the user does. Each request has its fate from the seed, its hoster, link and
// time, so that it is the same under all policies.
type world struct {
	seed     uint64
	phases   [][]phase // by hoster
	outages  []outage
	jumps    []jump
	dead     float64 // part of the links that are dead
	hostile  bool    // each hoster has one link that never works
	again    bool    // the user scans what the precacher knows, again and again
	rarely   bool    // the user scans at the beginning and at the end
	badly    int     // so many hosters play badly and probe well
	links    []int   // hosters of the links that the precacher knows
	grouped  bool    // the precacher goes through them hoster by hoster
	scans    []scan
	restarts []float64 // of the daemon
}

// mix is the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// chance is a number from 0 to 1 for the given values.
func (w *world) chance(values ...uint64) float64 {
	x := w.seed
	for _, v := range values {
		x = mix(x ^ v)
	}
	return float64(x>>11) / (1 << 53)
}

// The questions that chance answers.
const (
	ofDeath uint64 = iota + 1
	ofPage
	ofHanging
	ofDelay
	ofOutage
	ofFail
	ofManner
	ofTimeout
)

func (w *world) phase(hoster int, t float64) phase {
	all := w.phases[hoster]
	return all[max(0, sort.Search(len(all), func(i int) bool { return all[i].from > t })-1)]
}

// nextPhase is when the phase ends that runs at t.
func (w *world) nextPhase(hoster int, t float64) float64 {
	for _, p := range w.phases[hoster] {
		if p.from > t {
			return p.from
		}
	}
	return duration
}

func (w *world) down(hoster int, t float64) bool { return w.phase(hoster, t).down() }

// line gives the outage that runs, nil where the line is up.
func (w *world) line(t float64) *outage {
	for i := range w.outages {
		if o := &w.outages[i]; o.from > t {
			return nil
		} else if t < o.to {
			return o
		}
	}
	return nil
}

// wall is what the clock shows, in whole seconds.
func (w *world) wall(t float64) int64 {
	by := 0.0
	for _, j := range w.jumps {
		if j.at <= t {
			by = j.by
		}
	}
	return int64(math.Floor(epoch + t + by))
}

func (w *world) deadLink(link int) bool {
	return w.chance(ofDeath, uint64(link)) < w.dead
}

// hostileLink tells whether link is the one of its hoster that never works.
func (w *world) hostileLink(link int) bool { return w.hostile && link < len(w.phases) }

// request gives what a request that starts at t meets, and how long it takes.
func (w *world) request(s source, t float64) (health.Class, float64) {
	random := func(of uint64) float64 {
		return w.chance(of, uint64(s.hoster), uint64(s.link), uint64(t*4))
	}
	if o := w.line(t); o != nil {
		switch o.kind {
		case portal:
			return health.Fail, 0.2 + 0.6*random(ofDelay)
		case middlebox:
			return health.Gone, 0.2 + 0.6*random(ofDelay)
		default:
			return health.Fail, 0.2 + 4*random(ofDelay)
		}
	}
	class, took := w.answer(s, t, random)
	for _, o := range w.outages { // one that begins meanwhile
		if t < o.from && o.from < t+took {
			if o.kind == cut {
				return health.Fail, o.from - t + 1 + 9*random(ofOutage)
			}
			return health.Fail, o.from - t + 0.5
		}
	}
	return class, took
}

// answer is request while the line is up.
func (w *world) answer(s source, t float64, random func(uint64) float64) (health.Class, float64) {
	const hangs = 10.0 // until a request is given up
	usual := min(8, 0.5-math.Log(1-random(ofDelay)))
	switch p := w.phase(s.hoster, t); {
	case p.mode == refusing && w.chance(ofHanging, uint64(s.hoster), uint64(p.from)) < 0.5:
		return health.Fail, hangs
	case p.mode == refusing:
		return health.Fail, 0.3
	case p.mode == broken:
		return health.ServerFail, 0.5
	case p.mode == slow:
		const limit = 15
		took := 4 + 14*random(ofDelay)
		if took > limit {
			return health.Fail, limit
		}
		return health.OK, took
	case w.hostileLink(s.link):
		return health.Fail, 0.3
	case w.deadLink(s.link) && w.chance(ofPage, uint64(s.link)) < 0.4:
		return health.Fail, 0.8
	case w.deadLink(s.link):
		return health.Gone, 0.8
	case random(ofFail) >= p.fails:
		return health.OK, usual
	case random(ofManner) < 0.5:
		return health.Fail, hangs
	default:
		return health.ServerFail, 0.5
	}
}

// newWorld builds the world of a scenario.
func newWorld(s Scenario, seed uint64) *world {
	w := &world{seed: mix(seed), dead: 0.03, phases: make([][]phase, hosters), links: make([]int, cached)}
	for i := range w.links {
		w.links[i] = i % hosters
	}
	random := rand.New(rand.NewPCG(seed, 1))
	s.build(w, random)
	slices.SortFunc(w.outages, func(a, b outage) int { return cmp.Compare(a.from, b.from) })
	w.addScans(random)
	return w
}

// addScans has the user scan four times an hour, and around each outage.
func (w *world) addScans(random *rand.Rand) {
	var at []float64
	for t := 60.0; t < duration; t += interval * random.ExpFloat64() {
		at = append(at, t)
	}
	if w.rarely {
		at = []float64{warmUp + 60, duration - 600}
	}
	for i, o := range w.outages {
		if i > 0 && o.from-w.outages[i-1].to < 300 && i%5 != 0 { // not around each of a row
			continue
		}
		at = append(at, o.from+3, o.to+10, o.to+120)
		if o.to-o.from > 60 {
			at = append(at, o.from+45, (o.from+o.to)/2)
		}
	}
	slices.Sort(at)
	const firstLink = 1000 // behind those that the precacher knows
	link := firstLink
	for _, t := range at {
		s := scan{at: t}
		for _, h := range random.Perm(len(w.phases))[:min(listed, len(w.phases))] {
			s.sources = append(s.sources, source{hoster: h, link: link})
			if link++; w.again {
				s.sources[len(s.sources)-1].link = h + len(w.phases)*random.IntN(len(w.links)/len(w.phases))
			}
		}
		w.scans = append(w.scans, s)
	}
}
