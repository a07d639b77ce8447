package sim

// event is something that happens at a time.
type event struct {
	at    float64
	order int
	do    func()
}

func (e event) before(o event) bool { return e.at < o.at || e.at == o.at && e.order < o.order }

// queue is a heap of events, those of one time in the order in which they were added.
type queue struct {
	events []event
	added  int
}

func (q *queue) add(at float64, do func()) {
	q.added++
	e := event{at, q.added, do}
	q.events = append(q.events, e)
	i := len(q.events) - 1
	for i > 0 && e.before(q.events[(i-1)/2]) {
		q.events[i] = q.events[(i-1)/2]
		i = (i - 1) / 2
	}
	q.events[i] = e
}

// next takes out the first event until the given time.
func (q *queue) next(until float64) (first event, found bool) {
	if len(q.events) == 0 || q.events[0].at > until {
		return event{}, false
	}
	first = q.events[0]
	n := len(q.events) - 1
	last := q.events[n]
	q.events[n] = event{}
	q.events = q.events[:n]
	for i := 0; n > 0; {
		child := 2*i + 1
		if child+1 < n && q.events[child+1].before(q.events[child]) {
			child++
		}
		if child >= n || !q.events[child].before(last) {
			q.events[i] = last
			break
		}
		q.events[i] = q.events[child]
		i = child
	}
	return first, true
}
