package engine

import (
	"context"

	"xship/sources"
)

// SeenSeries is a series that sites have, or the id service knows, where a title was asked
// for without an episode, or with one that it lacks.
type SeenSeries struct {
	Name    string
	Year    int          // of the first release, 0 where unknown
	Seasons []SeenSeason // by number, specials, which are season 0, last; none where nobody tells
	Sites   []string     // names of those that have it, by number of episodes
	// Title asks for an episode of it once Season and Episode are set. It is of
	// KindEpisode.
	Title sources.Title
}

// SeenSeason is a season of a series with the episodes that somebody has or knows.
type SeenSeason struct {
	Season   int
	Episodes []int    // sorted
	Sites    []string // names of those that have some of it; none where only the id service knows it
}

// NearTitle is a title that may have been meant.
type NearTitle struct {
	Name  string
	Year  int          // of the first release, 0 where unknown
	Kind  sources.Kind // KindEpisode: a series
	Sites []string     // names of those that have it
	// Title asks for it. Where Kind is KindEpisode it is of KindMovie as well, as is a
	// series that is asked for without an episode: Series of that scan tells its episodes.
	Title sources.Title
}

// SeenTitle is a title that sites have.
type SeenTitle struct {
	Name     string
	Year     int          // of the first release, 0 where unknown
	Kind     sources.Kind // KindEpisode: a series
	Episodes int          // of a series, that some site is known to have; 0 where nobody tells
	Sites    []string     // names of those that have it
	Title    sources.Title
}

// Series are the series of the very name that was asked for, with what all sites have of
// them: where a movie was asked for, which is what a name without an episode is, or an
// episode that nobody has. They are those with most sites first.
func (s *Scan) Series() []SeenSeries { return nil }

// Near are titles that sites came across whose name or year is near what was asked for,
// best first and few. There are none where anything has the name and year as asked.
func (s *Scan) Near() []NearTitle { return nil }

// Titles are all titles that sites came across, those that are most like what was asked
// for first.
func (s *Scan) Titles() []SeenTitle { return nil }

// Search asks the sites for titles of the name of req.Title, films and series, and makes
// the Scan whose Titles they are. It is a Scan in all else; its Sources are of the film.
func (e *Engine) Search(ctx context.Context, req ScanRequest) (Scan, error) {
	return e.Scan(ctx, req)
}
