package engine

import (
	"fmt"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// Explained is a source that is not listed, and why.
type Explained struct {
	sources.Listed
	Why []string
}

// Why says why the source in a row, from 0, of a list that was made with Explain stands
// where it stands: what orders it, and what is known of its hoster.
func (l *List) Why(row int) []string {
	src := l.Listing.Sources[row]
	why := []string{l.place(row)}
	if src.SetBack != "" {
		why = append(why, src.SetBack)
	}
	if src.Claimed != src.Quality && src.Claimed != sources.QualityUnknown {
		why = append(why, fmt.Sprintf("its site says %s, its stream is %s", src.Claimed, src.Quality))
	}
	switch {
	case src.State == sources.StateDead:
		why = append(why, "its link is gone; all are listed")
	case src.Unplayable != "" && src.Provider == "":
		why = append(why, text.Clean(src.Unplayable)+"; all are listed")
	case src.State == sources.StateProbed:
		why = append(why, "it was probed and worked")
	case src.State == sources.StateResolved:
		why = append(why, "it was resolved")
	default:
		why = append(why, "no stream of it is known yet")
	}
	switch {
	case src.Provider != "":
		return append(why, src.Provider+" serves it, however its hoster fares")
	case src.Own:
		return append(why, "it is your own, of which no health is kept")
	}
	reason := l.hosterReason(src.Hoster)
	if !src.Healthy {
		if l.Options.All {
			reason += "; all are listed"
		} else {
			reason += "; listed by hosters.floor, as fewer than " + text.Plural(l.Options.Floor, "source") + " would be left"
		}
	}
	return append(why, reason)
}

// place says what puts a row where it is: sources are ordered by priority, then by
// quality, the user's own first, then those that were probed here lately; of those that
// are alike the site decides.
func (l *List) place(row int) string {
	src := l.Listing.Sources[row]
	quality := string(src.Quality)
	if src.Quality == sources.QualityUnknown {
		quality = "of unknown quality"
	}
	switch {
	case !src.Healthy && !l.Options.All:
		return quality + ", behind all whose hoster works"
	case row == 0:
		return quality + ", the best of the list"
	}
	before := l.Listing.Sources[row-1]
	switch {
	case before.Priority < src.Priority && src.Priority >= sources.PriorityLast:
		return quality + ", behind those that need no more than a player"
	case before.Priority < src.Priority && src.SetBack != "":
		return quality + ", behind those that may be the whole title"
	case before.Priority < src.Priority && src.Priority >= sources.PriorityNear:
		return quality + ", behind those that match the title exactly"
	case before.Priority < src.Priority:
		return quality + ", behind those that their site puts first"
	case before.Quality != src.Quality:
		return fmt.Sprintf("%s, behind %s", quality, qualityName(before.Quality))
	case before.Own && !src.Own:
		return quality + ", behind your own"
	case l.Options.Recent(&before.Source) && !l.Options.Recent(&src.Source):
		return quality + ", behind those that worked here lately"
	case before.Site != src.Site:
		return fmt.Sprintf("%s, alike with the row before, whose site comes first in the interface", quality)
	default:
		return quality + ", alike with the row before, which its site names first"
	}
}

func qualityName(q sources.Quality) string {
	if q == sources.QualityUnknown {
		return "unknown quality"
	}
	return string(q)
}

// hosterReason says what is known of a hoster.
func (l *List) hosterReason(name string) string {
	h, known := l.hosters[name]
	switch {
	case name == "":
		return "it lies on no hoster"
	case !known || h.OKCount+h.FailCount == 0:
		return "nothing is known of its hoster yet"
	case !h.Healthy():
		return fmt.Sprintf("its hoster fails: %s", hiddenReason(h.ConsecutiveFails, h.BackoffUntil.Sub(l.Options.Now)))
	case h.LastSuccessAt.IsZero():
		return "its hoster never worked here, but no fail counts"
	default:
		return fmt.Sprintf("its hoster works, last %s ago", text.ShortDuration(max(0, l.Options.Now.Sub(h.LastSuccessAt)).Round(time.Second)))
	}
}

// NotListed gives the sources of a list that was made with Explain which are not in
// it, and why, in the order of the scan.
func (l *List) NotListed() []Explained {
	listed := make(map[string]bool, len(l.Listing.Sources))
	for _, src := range l.Listing.Sources {
		listed[src.ID] = true
	}
	var all []Explained
	for i := range l.Sources {
		src := &l.Sources[i]
		if listed[src.ID] {
			continue
		}
		would := l.Options.Listed(src, l.Health)
		all = append(all, Explained{Listed: would, Why: []string{l.whyNot(src, would.Healthy)}})
	}
	return all
}

func (l *List) whyNot(src *sources.Source, healthy bool) string {
	switch l.Options.LeavesOut(src) {
	case sources.WhyTrailer:
		return "it is a trailer; xship play --trailer plays it"
	case sources.WhyDead:
		return "its link is gone; --refresh asks again"
	case sources.WhyUnplayable:
		return "no player can take it: " + text.Clean(src.Unplayable)
	case sources.WhyQuality:
		return fmt.Sprintf("%s is better than scan.quality %s", src.Quality, l.Options.Quality)
	case sources.WhyExcluded:
		return "left out by " + text.Clean(l.Options.ExcludedBy(src))
	case sources.WhyLanguage:
		return fmt.Sprintf("its language %s is not in scan.languages %s", text.Clean(src.Language), strings.Join(l.Options.Languages, ","))
	}
	if !healthy {
		return "hidden: " + l.hosterReason(src.Hoster)
	}
	return fmt.Sprintf("beyond scan.limit %d", l.Options.Limit)
}
