package sim

import (
	"math"
	"slices"
)

// measures are what one run counted.
type measures struct {
	healthy, hidden     float64 // samples of healthy hosters, and hidden ones of them
	down, listed        float64 // samples of hosters that are down, and listed ones of them
	requests            float64
	wasted              float64 // at hosters that were down
	inOutages           float64
	clicks, clickFails  float64
	scans, empty, short float64
	found, foundHidden  float64 // sources of scans whose hoster is up, and those not listed
	detected            []float64
	back                []float64 // waits of hosters that are up again, until they are listed
	half, most          []float64 // waits after outages until 50 and 95 % are listed again
	missing             []float64 // hosters that are not listed again a minute after an outage
	buried              float64   // good links that are not tried any more a minute after an outage
}

// list counts a list that a user sees.
func (m *measures) list(p *play, s scan, list []source) {
	up := 0
	for _, src := range s.sources {
		if !p.w.down(src.hoster, p.t) {
			up++
		}
	}
	const enough = 3
	if p.w.line(p.t) != nil || up < min(enough, len(p.w.phases)-1) {
		return
	}
	m.scans++
	for _, src := range s.sources {
		if p.w.down(src.hoster, p.t) {
			continue
		}
		m.found++
		if !slices.ContainsFunc(list, func(l source) bool { return l.hoster == src.hoster }) {
			m.foundHidden++
		}
	}
	if len(list) == 0 {
		m.empty++
	}
	if len(list) < enough && len(list) < up {
		m.short++
	}
}

// watched is what is seen of a hoster.
type watched struct {
	next           float64 // until then it is as it is
	isDown         bool
	down, detected bool
	since          float64 // it is down
	waits          bool    // it is up again and still hidden
	recovered      float64
}

// recovery is what is seen after an outage.
type recovery struct {
	outage
	before     []int // hosters that were listed before and are up after it
	half, most bool
	looked     bool // a minute after it
}

// measure plays to the end and looks at everything every two seconds.
func (p *play) measure() {
	const step = 2.0
	hosters := make([]watched, len(p.w.phases))
	var recoveries []*recovery
	outages := p.w.outages
	for t := 0.0; t < duration; t += step {
		for e, found := p.queue.next(t); found; e, found = p.queue.next(t) {
			p.t = e.at
			e.do()
		}
		if p.t = t; t < warmUp {
			continue
		}
		for len(outages) > 0 && outages[0].from <= t+step {
			recoveries = append(recoveries, p.beforeOutage(outages[0]))
			outages = outages[1:]
		}
		lineUp := p.w.line(t) == nil
		for h := range hosters {
			p.watch(&hosters[h], h, lineUp)
		}
		recoveries = slices.DeleteFunc(recoveries, func(r *recovery) bool { return p.recovered(r, t+step >= duration) })
	}
	for _, x := range hosters {
		if x.waits {
			p.m.back = append(p.m.back, duration-x.recovered)
		}
	}
}

func (p *play) watch(x *watched, h int, lineUp bool) {
	if p.t >= x.next {
		x.isDown, x.next = p.w.down(h, p.t), p.w.nextPhase(h, p.t)
	}
	visible, down := p.visible(h), x.isDown
	if lineUp {
		switch {
		case down:
			p.m.down++
			if visible {
				p.m.listed++
			}
		default:
			p.m.healthy++
			if !visible {
				p.m.hidden++
			}
		}
	}
	if down && !x.down {
		if x.waits {
			p.m.back = append(p.m.back, p.t-x.recovered)
		}
		x.since, x.detected, x.waits = p.t, false, false
	}
	if down && !visible && !x.detected {
		x.detected = true
		p.m.detected = append(p.m.detected, p.t-x.since)
	}
	if !down && x.down {
		const long = 120 // shorter ones need not be detected
		if !x.detected && p.t-x.since >= long {
			p.m.detected = append(p.m.detected, p.t-x.since)
		}
		if !visible {
			x.waits, x.recovered = true, p.t
		}
	}
	if x.waits && visible {
		p.m.back = append(p.m.back, p.t-x.recovered)
		x.waits = false
	}
	x.down = down
}

func (p *play) beforeOutage(o outage) *recovery {
	r := &recovery{outage: o}
	for h := range p.w.phases {
		if now := p.w.phase(h, p.t); p.visible(h) && now.mode == up && now.fails < 0.1 && !p.w.down(h, o.to) {
			r.before = append(r.before, h)
		}
	}
	return r
}

// recovered looks how many are listed again, and tells whether that is enough.
func (p *play) recovered(r *recovery, last bool) bool {
	if p.t < r.to {
		return false
	}
	up, visible := 0, 0
	for _, h := range r.before {
		if !p.w.down(h, p.t) {
			up++
			if p.visible(h) {
				visible++
			}
		}
	}
	const (
		patience = 7200
		soon     = 60
	)
	waited := p.t - r.to
	over := waited > patience || last
	if !r.looked && (waited >= soon || over) {
		r.looked = true
		p.m.missing = append(p.m.missing, float64(up-visible))
		for link := range p.table.gone {
			if !p.w.deadLink(link) {
				p.m.buried++
			}
		}
	}
	if !r.half && (2*visible >= up || over) {
		r.half = true
		p.m.half = append(p.m.half, waited)
	}
	if !r.most && (100*visible >= 95*up || over) {
		r.most = true
		p.m.most = append(p.m.most, waited)
	}
	return r.most && r.looked
}

// quantile is the value below which the part q of all values lies, NaN where there is
// none. Values that are NaN do not count.
func quantile(values []float64, q float64) float64 {
	sorted := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(sorted) == 0 {
		return math.NaN()
	}
	slices.Sort(sorted)
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

func median(values []float64) float64 { return quantile(values, 0.5) }
