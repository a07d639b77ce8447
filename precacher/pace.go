package precacher

import "time"

const (
	// pacedJob is how long a job is taken to run where work is spread: no more of it is
	// taken at once than the workers can do in the time that is left.
	pacedJob = 2 * time.Second
	// pullEvery is how often a cycle that spreads its work asks for more.
	pullEvery = 5 * time.Second
)

// pace spreads the work of a cycle.
type pace struct {
	rest   time.Duration // to the next cycle, when the first job is pulled
	until  time.Time     // when the last job begins
	spread bool          // whether there is enough to spread; decided by the first jobs
	placed bool          // the first jobs are there
	pullAt time.Time     // no pull before that, unless nothing waits
	places []Place
	names  []string
}

// begin takes the time that is left to the next cycle.
func (p *pace) begin(c *cycle) {
	if c.cfg.Pace && c.interval > 0 {
		p.rest = max(0, c.interval-time.Since(c.begun))
		p.until = time.Now().Add(window(p.rest))
	}
}

// left is how long jobs begin yet, 0 where they begin as soon as they can.
func (p *pace) left() time.Duration {
	if p.placed && !p.spread {
		return 0
	}
	return max(0, time.Until(p.until))
}

// pulled takes note of a pull. Many tells that more waits than a usual one gives.
func (p *pace) pulled(many bool) {
	if p.rest > 0 && (many || p.left() > 0) {
		p.pullAt = time.Now().Add(pullEvery)
	}
}

// renewNow is how long streams have to live that are not renewed. Seen from the
// beginning of the cycle that is the same all the time.
func (c *cycle) renewNow() time.Duration {
	if c.pace.rest == 0 {
		return c.renew
	}
	return c.renew - time.Since(c.begun)
}

// batch sizes a pull, and tells whether it is from all queues.
func (c *cycle) batch() (limit, perHoster int, all bool) {
	limit, perHoster = batchPerWorker*c.cfg.Workers, batchPerHoster*c.cfg.PerHoster
	left := c.pace.left()
	if left == 0 {
		return limit + len(c.pending) + c.crew.running, perHoster, false // the queue still holds these
	}
	jobs := int(left / pacedJob)
	return max(limit, c.cfg.Workers*jobs), max(perHoster, c.cfg.PerHoster*jobs), true
}

// place gives the jobs in the order in which they are to begin, each with its place.
func (c *cycle) place(jobs []*job) []*job {
	p := &c.pace
	p.names = p.names[:0]
	for _, j := range jobs {
		p.names = append(p.names, j.Hoster)
	}
	left := p.left()
	switch {
	case !p.placed:
		p.places = Spread(p.places, p.names, p.rest)
		p.placed = true
		p.spread = p.places[len(p.places)-1].After > 0
	case left > 0:
		p.places, _ = inTurn(p.places, p.names)
		spread(p.places, left)
	default:
		p.places = Spread(p.places, p.names, 0)
	}
	now := time.Now()
	ordered := make([]*job, len(jobs))
	for i, place := range p.places {
		ordered[i] = jobs[place.Job]
		ordered[i].from = now.Add(place.After)
	}
	return ordered
}
