package sources

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"xship/sources/link"
	"xship/sources/text"
)

// Deduplicate joins lists and drops sources whose link was named before. The
// first one stays in its place, or a later one that a player can take where it cannot, and takes
// from the others what it does not know.
func Deduplicate(lists ...[]Source) []Source {
	n := 0
	for _, list := range lists {
		n += len(list)
	}
	first := make(map[string]int, n)
	out := make([]Source, 0, n)
	for _, list := range lists {
		out = appendNew(out, list, first)
	}
	return out
}

// appendNew appends what is new of list to out, in which first are the places of IDs.
func appendNew(out, list []Source, first map[string]int) []Source {
	for k := range list {
		i, seen := first[list[k].ID]
		if !seen {
			first[list[k].ID] = len(out)
			out = append(out, list[k])
			continue
		}
		src := list[k]
		if better(&src, &out[i]) {
			out[i], src = src, out[i]
		}
		if out[i].Quality == QualityUnknown {
			out[i].Quality = src.Quality
		}
		out[i].Language = cmp.Or(out[i].Language, src.Language)
		out[i].SizeBytes = cmp.Or(out[i].SizeBytes, src.SizeBytes)
		out[i].Duration = cmp.Or(out[i].Duration, src.Duration)
		out[i].Group = cmp.Or(out[i].Group, src.Group)
		if out[i].Subtitles == nil {
			out[i].Subtitles = src.Subtitles
		}
	}
	return out
}

// better tells whether a, of the same link as b, is worth more to a user.
func better(a, b *Source) bool {
	switch {
	case (a.Unplayable == "") != (b.Unplayable == ""):
		return a.Unplayable == ""
	case a.Trailer != b.Trailer:
		return !a.Trailer
	case a.Own != b.Own:
		return a.Own
	default:
		return a.Priority < b.Priority
	}
}

// Sort orders sources in place by priority, then by quality, best first, then the
// user's own. Sources that are alike in all of it keep their order, which is that of
// the sites.
func Sort(all []Source) []Source { return sortBy(all, nil) }

// ListOptions say what of a scan is listed.
type ListOptions struct {
	All       bool      // also list what is hidden, dead or unplayable, marked
	Quality   Quality   // the best quality listed; unknown = all
	Languages []string  // ISO 639-1; empty = all; an unknown language always passes
	Limit     int       // most sources listed, 0 = no limit
	Floor     int       // a list of fewer sources is filled up with hidden ones, 0 = never
	Now       time.Time // the moment for which hosters are judged
	// Served names the provider through which the user gets pages of a hoster, by
	// hoster. They play, however the hoster fares with everybody else.
	Served map[string]string
	// Pages tells that links to web pages may be resolved without an account: what was
	// known of their needs does not count.
	Pages bool

	Exclude []Exclusion          // what is left out, see Exclusion
	MinSize int64                // in bytes, 0 = none; an unknown size always passes
	MaxSize int64                // in bytes, 0 = none
	Media   map[string]MediaInfo // what streams turned out to hold, by source ID
	Facts   *TitleFacts          // what an id service knows of the title, nil where it was not asked
}

// provider is that through which src is served, "" where it is none.
func (o ListOptions) provider(src *Source) string {
	name := o.Served[src.Hoster]
	if name == "" || src.Own || !link.IsPage(src.URL) {
		return ""
	}
	return name
}

// Listed is a source as listed.
type Listed struct {
	Source
	Healthy  bool   // false: hidden unless all are asked for
	Provider string // through which it is served, "" = none
}

// HiddenHoster tells what was hidden of one hoster, and why.
type HiddenHoster struct {
	Hoster           string
	Sources          int
	ConsecutiveFails int
	AvailableIn      time.Duration // until it is tried again, 0 = now
}

// Listing is what a user is shown of a scan, and what was left out, by reason.
type Listing struct {
	Sources    []Listed
	Hidden     []HiddenHoster // most sources first
	Dead       int
	Unplayable int
	Trailers   int
	Unwanted   int          // by quality or language
	Excluded   []ExcludedBy // by rules of the user's, by name
	CutOff     int          // beyond the limit
}

// ExcludedBy counts what a rule of the user's left out.
type ExcludedBy struct {
	Rule    string // as the settings name it: "scan.exclude cam"
	Sources int
}

// ExcludedSources is the number of sources that rules of the user's left out.
func (l Listing) ExcludedSources() int {
	n := 0
	for _, e := range l.Excluded {
		n += e.Sources
	}
	return n
}

// HiddenSources is the number of sources hidden for their hoster's health.
func (l Listing) HiddenSources() int {
	n := 0
	for _, h := range l.Hidden {
		n += h.Sources
	}
	return n
}

// Filter lists the sources of a scan that a user can play, in their order, as
// o says. Health is the last filter before the limit, so that the limit counts
// only what is listed. Where that is fewer than o.Floor, hidden sources follow, marked
// as such. With o.All, sources of failing hosters, dead and unplayable ones are listed
// too, in their order; trailers never are. Hidden is filled either way.
func Filter(logger *slog.Logger, all []Source, health HosterSnapshot, o ListOptions) Listing {
	var l Listing
	excluded := make(map[string]int)
	candidates := make([]*Source, 0, len(all)) // sources are large, and most are not listed
	for i := range all {
		src := &all[i]
		switch o.LeavesOut(src) {
		case WhyTrailer:
			l.Trailers++
		case WhyDead:
			l.Dead++
		case WhyUnplayable:
			l.Unplayable++
		case WhyQuality, WhyLanguage:
			l.Unwanted++
		case WhyExcluded:
			excluded[o.ExcludedBy(src)]++
		default:
			candidates = append(candidates, src)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(excluded)) {
		l.Excluded = append(l.Excluded, ExcludedBy{Rule: rule, Sources: excluded[rule]})
	}
	if o.All {
		logger, o.Floor = nil, 0 // nothing is removed
	}
	shown, hidden := sourcesFilter(logger, candidates, health, o)
	l.Hidden = hidden
	if o.All {
		shown = candidates
	}
	if o.Limit > 0 && len(shown) > o.Limit {
		l.CutOff = len(shown) - o.Limit
		shown = shown[:o.Limit]
	}
	l.Sources = make([]Listed, 0, len(shown))
	for _, src := range shown {
		l.Sources = append(l.Sources, o.Listed(src, health))
	}
	return l
}

// Listed gives src as it is listed, or would be.
func (o ListOptions) Listed(src *Source, health HosterSnapshot) Listed {
	listed := Listed{Source: *src, Provider: o.provider(src)}
	listed.Healthy = listed.Provider != "" || health.Lists(src)
	if listed.Provider != "" || o.Pages {
		listed.Needs = ""
	}
	return listed
}

// Why says why a source is not listed.
type Why string

// The reasons for which a source is not listed, but for the health of its hoster and
// the limit.
const (
	WhyTrailer    Why = "trailer"
	WhyDead       Why = "dead"
	WhyUnplayable Why = "unplayable"
	WhyQuality    Why = "quality"
	WhyLanguage   Why = "language"
	WhyExcluded   Why = "excluded" // see ListOptions.ExcludedBy
)

// LeavesOut tells why a source is not listed, "" where it may be.
func (o ListOptions) LeavesOut(src *Source) Why {
	switch {
	case src.Trailer:
		return WhyTrailer
	case src.State == StateDead && !o.All:
		return WhyDead
	case src.Unplayable != "" && !o.All && o.provider(src) == "":
		return WhyUnplayable
	case o.Quality != QualityUnknown && src.Quality.Rank() < o.Quality.Rank():
		return WhyQuality
	case o.ExcludedBy(src) != "":
		return WhyExcluded
	case len(o.Languages) == 0, src.Language == "", src.Language == LanguageMulti, slices.Contains(o.Languages, src.Language):
		return ""
	default:
		return WhyLanguage
	}
}

// ExcludedBy names the rule of the user's that leaves src out, "" where none does.
func (o ListOptions) ExcludedBy(src *Source) string {
	size := src.SizeBytes
	if measured := o.Media[src.ID].SizeBytes; measured > 0 {
		size = measured
	}
	switch {
	case size > 0 && size < o.MinSize:
		return "scan.min_size " + text.Size(o.MinSize)
	case o.MaxSize > 0 && size > o.MaxSize:
		return "scan.max_size " + text.Size(o.MaxSize)
	}
	if rule := o.excludes(src); rule != "" {
		return "scan.exclude " + string(rule)
	}
	return ""
}

// sourcesFilter is the port of sourcesFilter: it removes the sources whose
// hoster has failed since its last success, but for the user's own, and says how many
// that were. Where fewer than o.Floor are left, it keeps some of them, behind the others.
func sourcesFilter(logger *slog.Logger, all []*Source, health HosterSnapshot, o ListOptions) ([]*Source, []HiddenHoster) {
	healthy := make([]*Source, 0, len(all))
	var failing []*Source
	for _, src := range all {
		if health.Lists(src) || o.provider(src) != "" {
			healthy = append(healthy, src)
		} else {
			failing = append(failing, src)
		}
	}
	if n := min(o.Floor-len(healthy), len(failing)); n > 0 {
		failing = leastFailing(failing, health)
		healthy = append(healthy, failing[:n]...)
		failing = failing[n:]
	}
	if n := len(failing); n > 0 && logger != nil {
		logger.Info(fmt.Sprintf("[sourcesFilter] %d Quellen entfernt (Hoster fehlerhaft)", n))
	}
	return healthy, hiddenHosters(failing, health, o.Now)
}

// leastFailing orders sources of failing hosters: one of each hoster in turn, those of
// hosters with the fewest fails first.
func leastFailing(failing []*Source, health HosterSnapshot) []*Source {
	turn := make(map[*Source]int, len(failing))
	turns := make(map[string]int)
	for _, src := range failing {
		turn[src] = turns[src.Hoster]
		turns[src.Hoster]++
	}
	slices.SortStableFunc(failing, func(a, b *Source) int {
		return cmp.Or(cmp.Compare(turn[a], turn[b]), cmp.Compare(health[a.Hoster].ConsecutiveFails, health[b.Hoster].ConsecutiveFails))
	})
	return failing
}

// hiddenHosters tells what of each hoster is hidden, most sources first.
func hiddenHosters(failing []*Source, health HosterSnapshot, now time.Time) (hidden []HiddenHoster) {
	index := make(map[string]int)
	for _, src := range failing {
		i, ok := index[src.Hoster]
		if !ok {
			h := health[src.Hoster]
			i = len(hidden)
			index[src.Hoster] = i
			hidden = append(hidden, HiddenHoster{
				Hoster: src.Hoster, ConsecutiveFails: h.ConsecutiveFails, AvailableIn: max(0, h.BackoffUntil.Sub(now)),
			})
		}
		hidden[i].Sources++
	}
	slices.SortStableFunc(hidden, func(a, b HiddenHoster) int { return cmp.Compare(b.Sources, a.Sources) })
	return hidden
}
