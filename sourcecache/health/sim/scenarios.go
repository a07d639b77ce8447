package sim

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Scenario is a kind of world.
type Scenario struct {
	Name  string
	About string // in a few words
	build func(w *world, random *rand.Rand)
}

// fine is a hoster that works but for one request of 200.
func fine(from float64) phase { return phase{from: from, fails: 0.005} }

func calm(w *world, _ *rand.Rand) {
	for h := range w.phases {
		w.phases[h] = []phase{fine(0)}
	}
}

// mild is the everyday background: two hosters are down for hours, two come and go,
// three fail often, two are slow, and the others have rare incidents.
func mild(w *world, random *rand.Rand) {
	for h := range w.phases {
		w.phases[h] = []phase{fine(0)}
		down := refusing + mode(random.IntN(2))
		switch {
		case h < 2:
			w.phases[h] = []phase{fine(0), {from: warmUp + 3600*random.Float64(), mode: down}, fine(duration * (0.6 + 0.3*random.Float64()))}
		case h < 4:
			for t := warmUp; t < duration; {
				long := 60 + 240*random.Float64()
				w.phases[h] = append(w.phases[h], phase{from: t, mode: down}, fine(t+long))
				t += long + 300 + 900*random.Float64()
			}
		case h < 7:
			w.phases[h][0].fails = 0.2
		case h < 9:
			w.phases[h][0].mode = slow
		default:
			w.phases[h] = incidents(w.phases[h], random)
		}
	}
}

// incidents adds one in ten hours, most of them short.
func incidents(phases []phase, random *rand.Rand) []phase {
	lengths := []float64{20, 20, 20, 120, 120, 120, 1200, 1200, 1200, 7200}
	const every = 36_000
	for t := warmUp + every*random.ExpFloat64(); t < duration; t += every * random.ExpFloat64() {
		long := lengths[random.IntN(len(lengths))]
		phases = append(phases, phase{from: t, mode: refusing + mode(random.IntN(2))}, fine(t+long))
		t += long
	}
	return phases
}

// outages adds n of the given kind and length to the everyday background. Every other
// one meets the busy start of a cycle.
func outages(k kind, long float64, n int) func(*world, *rand.Rand) {
	return func(w *world, random *rand.Rand) {
		mild(w, random)
		const first = warmUp + 1800
		each := (duration - 7200 - long) / float64(n)
		for i := range n {
			from := first + each*(float64(i)+0.2+0.5*random.Float64())
			if i%2 == 0 {
				from = math.Floor(from/interval)*interval + 5 + 20*random.Float64()
			}
			w.outages = append(w.outages, outage{from: from, to: from + long, kind: k})
		}
	}
}

// flapping is a line that is off for 12 s of each minute, 20 minutes long, twice.
func flapping(w *world, random *rand.Rand) {
	mild(w, random)
	for _, start := range []float64{9_000, 20_700} {
		for i := range 20 {
			from := start + 60*float64(i) + 10*random.Float64()
			w.outages = append(w.outages, outage{from: from, to: from + 12})
		}
	}
}

// burst has a cycle begin with 60 links of one hoster, which is down for 20 s then in
// every other cycle.
func burst(w *world, random *rand.Rand) {
	mild(w, random)
	const busy = 20
	w.grouped = true
	for i := range 60 {
		w.links[i] = busy
	}
	w.phases[busy] = []phase{fine(0)}
	for t := 2 * interval; t < duration; t += 2 * interval {
		w.phases[busy] = append(w.phases[busy], phase{from: t + 3, mode: broken}, fine(t+23))
	}
}

// restarts has the daemon restart every half an hour, and in the middle of outages.
func restarts(w *world, random *rand.Rand) {
	outages(cut, 120, 4)(w, random)
	for t := warmUp; t < duration; t += 1500 + 600*random.Float64() {
		w.restarts = append(w.restarts, t)
	}
	for _, o := range w.outages {
		w.restarts = append(w.restarts, o.from+60)
	}
	slices.Sort(w.restarts)
}

func clockForward(w *world, random *rand.Rand) {
	outages(cut, 120, 3)(w, random)
	w.jumps = []jump{{12_000, 3600}}
}

func clockBack(w *world, random *rand.Rand) {
	outages(cut, 120, 3)(w, random)
	w.jumps = []jump{{9_100, -3600}, {18_100, -7200}, {27_100, -10_800}}
	w.outages = append(w.outages, outage{from: 18_130, to: 18_430})
}

// boot1970 has the clock start in 1970 and be set after 15 minutes, twice.
func boot1970(w *world, random *rand.Rand) {
	mild(w, random)
	for _, boot := range []float64{12_000, 24_000} {
		w.restarts = append(w.restarts, boot)
		w.jumps = append(w.jumps, jump{boot, -epoch - boot}, jump{boot + 900, 0})
	}
}

// massDown has most hosters down for two hours while the line is up.
func massDown(w *world, random *rand.Rand) {
	mild(w, random)
	for h := 9; h < len(w.phases); h++ {
		if random.Float64() < 0.7 {
			w.phases[h] = []phase{fine(0), {from: 9_000, mode: refusing + mode(h%2)}, fine(16_200)}
		}
	}
}

// few has four hosters: one down for hours, one that comes and goes, one that fails
// often, and a good one.
func few(w *world, random *rand.Rand) {
	mild(w, random)
	w.phases = [][]phase{w.phases[0], w.phases[2], w.phases[4], {fine(0)}}
	for i := range w.links {
		w.links[i] = i % len(w.phases)
	}
	w.outages = []outage{{from: 15_000, to: 15_120}, {from: 26_100, to: 26_120}}
}

// then builds a world and changes it.
func then(build func(*world, *rand.Rand), change func(*world)) func(*world, *rand.Rand) {
	return func(w *world, random *rand.Rand) {
		build(w, random)
		change(w)
	}
}

// Scenarios are those that the table is the mean of.
func Scenarios() []Scenario {
	return []Scenario{
		{"calm", "no hoster is down", calm},
		{"mild", "the everyday background", mild},
		{"20 s out", "the line is down for 20 s, five times", outages(cut, 20, 5)},
		{"2 min out", "for two minutes, five times", outages(cut, 120, 5)},
		{"1 h out", "for an hour", outages(cut, 3600, 1)},
		{"portal", "a page instead of every answer for ten minutes, three times", outages(portal, 600, 3)},
		{"flapping", "the line is off 12 s of each minute, 20 minutes long, twice", flapping},
		{"dead links", "20 % of the links are dead", then(mild, func(w *world) { w.dead = 0.2 })},
		{"burst", "60 links of one hoster at once, which is down for 20 s then", burst},
		{"restarts", "the daemon restarts every half an hour, and in outages", restarts},
		{"clock +1 h", "the clock is set an hour ahead", clockForward},
		{"clock -1 h", "the clock is set back, three times", clockBack},
		{"boot 1970", "the clock starts in 1970 and is set after 15 minutes, twice", boot1970},
		{"mass down", "seven of ten hosters are down for two hours", massDown},
		{"few", "four hosters: one down, one that comes and goes, one that fails often, one good", few},
	}
}

// The further scenarios: the first three have limits of their own, the others are
// reported only.
var (
	// Hostile gives each hoster one link that never works, and is met by the daemon
	// and by the user.
	Hostile = Scenario{"hostile links", "calm; one link of each hoster never works", then(calm, func(w *world) { w.hostile, w.again = true, true })}
	// AllSlow has all hosters answer slowly, and some answers too late.
	AllSlow = Scenario{"all slow", "calm; each hoster answers slowly, some too late", then(calm, func(w *world) {
		for h := range w.phases {
			w.phases[h][0].mode = slow
		}
	})}
	// Middlebox answers 404 for all hosters, eight seconds long, five times.
	Middlebox = Scenario{"middlebox", "404 instead of every answer for 8 s, five times", outages(middlebox, 8, 5)}

	// PlaysBadly has four hosters of which nothing plays, and that probe well.
	PlaysBadly = Scenario{"plays badly", "calm; four hosters probe well and play nothing", then(calm, func(w *world) { w.badly = 4 })}
	// Rarely has two scans, nine hours apart.
	Rarely = Scenario{"two scans", "the user scans twice, nine hours apart", then(mild, func(w *world) { w.rarely = true })}
)
