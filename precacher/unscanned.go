package precacher

import (
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"

	"xship/sources"
	"xship/sources/link"
)

// unscannedNames is how many titles a line names that could not be scanned for one reason.
const unscannedNames = 3

// unscanned are titles of a cycle that could not be scanned, by why, in the order in which
// they came. Without a network that is the same for hundreds of them.
type unscanned struct {
	reasons []string // without what differs from title to title
	titles  map[string][]string
	first   map[string]error // of each reason
}

func (u *unscanned) add(t sources.Title, err error) {
	reason := sharedReason(t, err)
	if u.titles == nil {
		u.titles, u.first = make(map[string][]string), make(map[string]error)
	}
	if !slices.Contains(u.reasons, reason) {
		u.reasons = append(u.reasons, reason)
		u.first[reason] = err
	}
	u.titles[reason] = append(u.titles[reason], t.String())
}

// log writes a line for each reason, and forgets them.
func (u *unscanned) log(logger *slog.Logger) {
	for _, reason := range u.reasons {
		titles := u.titles[reason]
		if len(titles) == 1 {
			logger.Warn("a title could not be scanned", "title", titles[0], "error", u.first[reason])
			continue
		}
		names := strings.Join(titles[:min(len(titles), unscannedNames)], ", ")
		if more := len(titles) - unscannedNames; more > 0 {
			names += fmt.Sprintf(" and %d more", more)
		}
		why := withoutTitle(titles[0], u.first[reason])
		logger.Warn(fmt.Sprintf("%d titles could not be scanned", len(titles)), "titles", names, "error", why)
	}
	*u = unscanned{}
}

var numbers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[0-9]+`)
})

// sharedReason tells for which titles err is the same: it is without numbers too, such as
// how long something took.
func sharedReason(t sources.Title, err error) string {
	return numbers().ReplaceAllString(withoutTitle(t.String(), err), "0")
}

// withoutTitle is why a title could not be scanned, without the title and without the
// addresses that name it.
func withoutTitle(title string, err error) string {
	return link.RedactText(strings.ReplaceAll(err.Error(), title, "any of them"))
}
