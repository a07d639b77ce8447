package precacher

import (
	"cmp"
	"slices"
	"time"
)

// spreadHosters is on how many hosters work has to lie to be spread. Fewer are asked
// at once what they have: where there is little choice, it is to be known soon.
const spreadHosters = 8

// Place is the place of a due job in its cycle.
type Place struct {
	Job   int           // its index among the due ones
	After time.Duration // it begins, from the beginning on
}

// Spread says in which order the due jobs of a cycle begin, and when. Of each of them
// hosters has the hoster, the most useful job first. Hosters come in turn: no second
// job of any before the first one of each. The beginnings lie evenly within 80 % of the
// time from now to the next cycle, so that something is learnt of the hosters all the
// time, and never much of one hoster at one moment.
//
// Where the jobs are those of fewer than eight hosters, or interval is 0, all may begin
// at once, in the order in which they came.
//
// The places are appended to places[:0].
func Spread[H comparable](places []Place, hosters []H, interval time.Duration) []Place {
	places, different := inTurn(places, hosters)
	if interval > 0 && different >= spreadHosters {
		spread(places, window(interval))
		return places
	}
	for i := range places {
		places[i] = Place{Job: i}
	}
	return places
}

// window is the part of an interval over which a cycle is spread.
func window(interval time.Duration) time.Duration { return interval / 5 * 4 }

// inTurn gives the jobs of the hosters in turn, and how many hosters there are.
func inTurn[H comparable](places []Place, hosters []H) (ordered []Place, different int) {
	places = places[:0]
	jobs := make(map[H]int)
	for i, h := range hosters {
		places = append(places, Place{Job: i, After: time.Duration(jobs[h])})
		jobs[h]++
	}
	slices.SortStableFunc(places, func(a, b Place) int { return cmp.Compare(a.After, b.After) })
	return places, len(jobs)
}

// spread has the jobs begin evenly within a time.
func spread(places []Place, within time.Duration) {
	for i := range places {
		places[i].After = time.Duration(float64(max(0, within)) * float64(i) / float64(len(places)))
	}
}
