package loader

// Waiting counts the callers that wait for a round.
func (l *Loader) Waiting() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, r := range l.rounds {
		n += len(r.waiters)
	}
	return n
}
