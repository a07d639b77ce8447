package archive

import (
	"regexp"
	"strings"
	"sync"

	"xship/sources"
	"xship/sources/match"
)

// candidate is the item as it is compared with t.
func (f *facts) candidate(t sources.Title) match.Candidate {
	c := match.Candidate{Year: f.Year}
	for _, id := range f.IMDb {
		if c.IMDb == "" || strings.EqualFold(id, t.IMDb) {
			c.IMDb = id
		}
	}
	for _, title := range f.Titles {
		c.Names = append(c.Names, title)
		if bare := withoutPraise(title); bare != title {
			c.Names = append(c.Names, bare)
		}
		if t.Kind == sources.KindEpisode {
			if base, _, ok := episodeOf(title); ok {
				c.Names = append(c.Names, base)
			}
		}
	}
	return c
}

// praise is what uploaders put behind the title of a film.
var praise = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[\s|:,.(\[–-]+(?:full(?: length)? (?:movie|film)|(?:feature|classic|free) (?:movie|film)|feature length|public domain(?: (?:movie|film))?)[\s!)\]]*$`)
})

// withoutPraise is a title without it.
func withoutPraise(title string) string {
	for {
		rest := praise().ReplaceAllString(title, "")
		if rest == title || rest == "" {
			return title
		}
		title = rest
	}
}

// episodeOf tells of a title that is that of an episode which series and which episode
// that is. Behind a mark with a season its own title may stand: "Show - S01E03 - Title".
func episodeOf(title string) (series string, own match.EpisodeRange, ok bool) {
	if series, own, ok = match.SplitEpisode(title); ok {
		return series, own, true
	}
	own, start, _, ok := match.FindEpisode(title)
	series = strings.TrimRight(title[:start], " -–—:|,.([")
	if !ok || own.Season < 0 || series == "" {
		return title, match.EpisodeRange{}, false
	}
	return series, own, true
}
