package sourcetest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"xship/sources"
)

// Seen is what a site comes across that searches for t, sorted, as
// "Name|Original (2014) episode tt1: 1x1 1x2", with the error of the search.
func Seen(ctx context.Context, site sources.Site, t sources.Title) ([]string, error) {
	var mu sync.Mutex
	var seen []sources.Sighting
	err := site.Search(sources.WithSightings(ctx, func(s sources.Sighting) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, s)
	}), t, func(sources.Source) {})
	mu.Lock()
	defer mu.Unlock()
	lines := make([]string, 0, len(seen))
	for _, s := range seen {
		line := strings.TrimSuffix(cmp.Or(s.Name, "?")+"|"+s.OriginalName, "|")
		if s.Year != 0 {
			line += fmt.Sprintf(" (%d)", s.Year)
		}
		line += " " + string(s.Kind)
		if s.IMDb != "" {
			line += " " + s.IMDb
		}
		if len(s.Episodes) > 0 {
			line += ":"
		}
		for _, e := range s.Episodes {
			line += fmt.Sprintf(" %dx%d", e.Season, e.Episode)
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines, err
}
