package state

// Refusal is the link that an account was last refused in words that nobody can judge.
// The zero value is none.
type Refusal struct {
	Link   string
	Answer string
	Until  int64 // it counts
}

// Again notes that link got answer, which counts for as long as memory, and tells
// whether another link got the same just before. What would count for longer was
// noted under another clock, and does not count.
func (r *Refusal) Again(link, answer string, now, memory int64) bool {
	counts := r.Until > now && r.Until <= now+memory
	again := counts && r.Link != link && r.Answer == answer
	*r = Refusal{Link: link, Answer: answer, Until: now + memory}
	return again
}
