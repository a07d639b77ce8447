package sim

import (
	"math/rand/v2"
	"slices"
	"time"

	"xship/precacher"
	"xship/sourcecache/health"
)

// daemon is the precacher.
type daemon struct {
	*play
	proc *process
	run  *holder
	jobs []*job
	done int // jobs of these that nothing is left to do for
	free int
	n    int // of several daemons

	places []precacher.Place // of the jobs, kept for the next cycle
}

// job is a link that a cycle works on.
type job struct {
	source
	tries   int
	from    float64
	running bool
}

func (p *play) startDaemon(n int) {
	d := &daemon{play: p, proc: &process{started: p.t, daemon: true}, free: workers, n: n}
	for _, at := range p.w.restarts {
		if at > p.t {
			p.after(at-p.t, func() {
				if !d.proc.dead {
					d.proc.dead = true
					p.after(5, func() { p.startDaemon(n) })
				}
			})
			break
		}
	}
	d.cycle()
	second := 0
	var tick func()
	tick = func() {
		if d.tick(second); !d.proc.dead {
			second++
			d.after(1, tick)
		}
	}
	tick()
}

// cycle begins a cycle. A link that failed is tried again after a minute, three times
// in all.
func (d *daemon) cycle() {
	if d.proc.dead {
		return
	}
	random := rand.New(rand.NewPCG(d.w.seed+uint64(d.n), uint64(d.t)))
	d.jobs, d.done = make([]*job, 0, len(d.w.links)), 0
	for link, h := range d.w.links {
		if !d.table.gone[link] {
			d.jobs = append(d.jobs, &job{source: source{h, link}})
		}
	}
	if d.w.grouped {
		slices.SortStableFunc(d.jobs, func(a, b *job) int {
			return (a.hoster+hosters/2)%hosters - (b.hoster+hosters/2)%hosters
		})
	} else {
		random.Shuffle(len(d.jobs), func(i, j int) { d.jobs[i], d.jobs[j] = d.jobs[j], d.jobs[i] })
	}
	if d.Paced && !d.w.grouped {
		d.pace()
	}
	d.run = d.newHolder()
	d.pump()
	d.after(interval, d.cycle)
}

// pace orders and spreads the jobs as the precacher does.
func (d *daemon) pace() {
	of := make([]int, len(d.jobs))
	for i, j := range d.jobs {
		of[i] = j.hoster
	}
	d.places = precacher.Spread(d.places, of, interval*time.Second)
	jobs := slices.Clone(d.jobs)
	for i, p := range d.places {
		d.jobs[i] = jobs[p.Job]
		d.jobs[i].from = d.t + p.After.Seconds()
	}
}

// pump starts what can be started.
func (d *daemon) pump() {
	if d.proc.dead || d.paused() {
		return
	}
	const mostTries = 3
	if 4*d.done > len(d.jobs) {
		d.jobs = slices.DeleteFunc(d.jobs, func(j *job) bool { return j.tries >= mostTries && !j.running })
		d.done = 0
	}
	var blocked [hosters]bool // which many jobs may be of
	for _, j := range d.jobs {
		if d.free == 0 || j.tries == 0 && j.from > d.t { // nor are those behind it due
			return
		}
		if j.running || j.tries >= mostTries || j.from > d.t || blocked[j.hoster] {
			continue
		}
		if !d.visible(j.hoster) && !d.available(j.hoster) {
			blocked[j.hoster] = true
			continue
		}
		j.running = true
		j.tries++
		d.free--
		d.begin(attempt{source: j.source, proc: d.proc, run: d.run}, func(class health.Class) {
			j.running = false
			d.free++
			j.from = d.t + 60
			if class == health.OK || class == health.Gone {
				j.tries = mostTries
			}
			if j.tries >= mostTries {
				d.done++
			}
			d.pump()
		})
	}
}

// tick goes on, each second, and each five seconds tests what is due.
func (d *daemon) tick(second int) {
	if d.proc.dead {
		return
	}
	if second%5 == 0 {
		d.retests()
	}
	d.pump()
}

func (d *daemon) retests() {
	if d.paused() {
		d.test(d.proc, must(d.Policy.TestOutage(d.tableOf(d.proc), false, d.now())), nil)
		return
	}
	for h := range d.w.phases {
		if !d.visible(h) && d.flies[h] == 0 && d.Policy.DueRetest(d.table.rows[h], d.now()) {
			d.retest(d.proc, h, true, nil)
		}
	}
}
