package sim

import (
	"slices"

	"xship/sourcecache/health"
)

// scan has the user scan, and click what is listed until something works.
func (p *play) scan(s scan) {
	proc := &process{started: p.t}
	left, shown := 0, false
	show := func() {
		if !shown {
			shown = true
			p.show(proc, s)
		}
	}
	if p.Policy.First && !p.paused() {
		for _, src := range s.sources {
			if p.visible(src.hoster) || p.flies[src.hoster] > 0 || !p.available(src.hoster) {
				continue
			}
			left++
			p.retest(proc, src.hoster, false, func(health.Class) {
				if left--; left == 0 {
					show()
				}
			})
		}
	}
	if left == 0 {
		show()
		return
	}
	const wait = 3
	p.after(wait, show)
}

func (p *play) show(proc *process, s scan) {
	var list, hidden []source
	for _, src := range s.sources {
		if p.visible(src.hoster) {
			list = append(list, src)
		} else {
			hidden = append(hidden, src)
		}
	}
	list = p.fill(list, hidden)
	p.m.list(p, s, list)
	p.after(1, func() { p.probe(proc, s.sources) })
	p.after(6, func() { p.click(&process{started: p.t - 6}, list, 0) })
}

// fill adds hidden sources to a short list.
func (p *play) fill(list, hidden []source) []source {
	if len(list) >= p.Policy.Floor {
		return list
	}
	slices.SortStableFunc(hidden, func(a, b source) int {
		return int(p.table.rows[a.hoster].ConsecutiveFails - p.table.rows[b.hoster].ConsecutiveFails)
	})
	return append(list, hidden[:min(p.Policy.Floor-len(list), len(hidden))]...)
}

// click plays the first three of a list until one works.
func (p *play) click(proc *process, list []source, i int) {
	const most = 3
	if i >= min(most, len(list)) {
		return
	}
	lineUp := p.w.line(p.t) == nil
	p.begin(attempt{source: list[i], proc: proc, force: true, click: true}, func(class health.Class) {
		if lineUp && p.w.line(p.t) == nil && !p.w.deadLink(list[i].link) {
			p.m.clicks++
			if class != health.OK {
				p.m.clickFails++
			}
		}
		if class != health.OK {
			p.after(2, func() { p.click(proc, list, i+1) })
		}
	})
}

// probe is the BG-probe after a list. In an outage one link is tested before it.
func (p *play) probe(proc *process, sources []source) {
	if p.paused() {
		c := must(p.Policy.TestOutage(p.tableOf(proc), true, p.now()))
		p.test(proc, c, func() {
			if !p.paused() {
				p.probe(proc, sources)
			}
		})
		return
	}
	todo := sources
	if p.Policy.Retest {
		todo = append(slices.Clip(todo), p.hiddenElsewhere(sources)...)
	}
	run := p.newHolder()
	flying := 0
	var next func()
	next = func() {
		for len(todo) > 0 {
			src := todo[0]
			todo = todo[1:]
			if !p.available(src.hoster) || p.table.gone[src.link] || p.paused() {
				continue
			}
			flying++
			p.begin(attempt{source: src, proc: proc, run: run}, func(health.Class) {
				flying--
				next()
			})
			return
		}
		if flying == 0 && run != nil {
			run.End(func(e health.Event) { p.report(proc, e) })
			run = nil
		}
	}
	for range workers {
		next()
	}
}

// hiddenElsewhere gives up to eight hidden hosters that no source of a list is of.
func (p *play) hiddenElsewhere(sources []source) (more []source) {
	const most = 8
	for h := range p.w.phases {
		row := &p.table.rows[h]
		here := slices.ContainsFunc(sources, func(s source) bool { return s.hoster == h })
		if !here && !row.Healthy() && row.GoodLink != "" && p.available(h) && len(more) < most {
			more = append(more, source{h, linkOf(row.GoodLink)})
		}
	}
	return more
}
