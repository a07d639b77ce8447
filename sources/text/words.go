package text

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Plural is n and the noun, in the plural where n is not 1.
func Plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// WholeSeconds is d in seconds, rounded up, 0 where it is over.
func WholeSeconds(d time.Duration) int64 {
	return int64(math.Ceil(max(0, d).Seconds()))
}

// ShortDuration is d for people: "7 s", "12 min", "3 h", "2 d".
func ShortDuration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", WholeSeconds(d))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	default:
		return fmt.Sprintf("%d d", int(d.Hours()/24))
	}
}

// CleanLines is s line by line as Printable gives it, without spaces at the ends.
func CleanLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(Printable(line), " ")
	}
	return strings.Join(lines, "\n")
}
