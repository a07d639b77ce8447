package text

// Edits is how many characters to add, leave out, change, or swap with their neighbour
// make b of a.
func Edits(a, b []rune) int { return distance(a, b) }
