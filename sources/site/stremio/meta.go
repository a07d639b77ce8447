package stremio

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

const (
	// metaWait is how long a description may come behind the streams: nobody who wants to
	// see the film waits for it.
	metaWait    = 500 * time.Millisecond
	maxTrailers = 5
)

// metaAnswer is what is used of the description of a title.
type metaAnswer struct {
	Meta struct {
		Name     str             `json:"name"`
		Year     str             `json:"year"`
		Released str             `json:"releaseInfo"` // "2014", "2014-2018", "2014–"
		Videos   json.RawMessage `json:"videos"`      // of a series, a list[video]
		Trailers list[trailer]   `json:"trailers"`
		Streams  list[trailer]   `json:"trailerStreams"`
		Links    list[trailer]   `json:"links"` // of all kinds
	} `json:"meta"`
}

// meta is what a description tells of a title.
type meta struct {
	trailers []string // their links
	seen     sources.Sighting
}

// trailer is a trailer in each form that descriptions have it in.
type trailer struct {
	Source   str `json:"source"` // id of a video of YouTube's
	YouTube  str `json:"ytId"`
	URL      str `json:"url"`
	Type     str `json:"type"`
	Category str `json:"category"`
}

// askMeta asks for what is told of a title, such as its trailers, where the add-on
// describes titles, beside all else. What is given has one answer, or none.
func (s *site) askMeta(ctx context.Context, m Manifest, kind, id string) <-chan meta {
	if !m.Takes(resourceMeta, kind, id) {
		return nil
	}
	found := make(chan meta, 1)
	go func() {
		defer close(found)
		_ = sources.Contain(s.Logger, "reading the description of a title", func() error {
			resp, err := s.Fetch.Get(ctx, s.request(resourceMeta, kind, id, maxMeta))
			if err != nil {
				return err
			}
			found <- readMeta(resp.Body, sources.WantsSightings(ctx), s.Now())
			return nil
		}, "site", s.spec.Key)
	}()
	return found
}

// takeMeta yields the trailers that have come, or come soon, and tells what else is known
// of the title.
func (q *search) takeMeta(ctx context.Context, coming <-chan meta) {
	var told meta
	if coming != nil {
		timer := time.NewTimer(metaWait)
		defer timer.Stop()
		select {
		case told = <-coming:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	for _, address := range told.trailers {
		to := readURL(str(address))
		to.kind = pageKind(to.url)
		q.yield(sources.Source{Name: q.title.String() + " trailer", URL: address, Trailer: true, Unplayable: to.unplayable()})
	}
	q.see(ctx, told.seen)
}

// see tells what the add-on has: the title, with the episodes that its description names.
// An add-on that has neither streams nor a description of it has not seen it.
func (q *search) see(ctx context.Context, seen sources.Sighting) {
	if seen.Name == "" && q.found == 0 {
		return
	}
	seen.IMDb, seen.Kind = q.title.IMDb, q.title.Kind
	if seen.Year == 0 {
		seen.Year = q.title.Year
	}
	if seen.Name == "" {
		seen.Name = q.title.Name
	} else if seen.Name != q.title.Name {
		seen.OriginalName = q.title.Name // which is what the id was found by
	}
	if own := (sources.EpisodeNumber{Season: q.title.Season, Episode: q.title.Episode}); seen.Kind == sources.KindMovie {
		seen.Episodes = nil
	} else if q.found > 0 && !slices.Contains(seen.Episodes, own) {
		seen.Episodes = append(seen.Episodes, own)
	}
	sources.Saw(ctx, seen)
}

// readMeta reads a description: the links of the trailers in it and, where they are
// wanted, the name and the episodes that have come out by now.
func readMeta(body []byte, sightings bool, now time.Time) meta {
	var a metaAnswer
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), &a); err != nil && !mismatched(err) {
		return meta{}
	}
	m := meta{trailers: a.trailers()}
	if sightings {
		m.seen = a.sighting(now)
	}
	return m
}

// sighting is what the description tells of the title itself.
func (a *metaAnswer) sighting(now time.Time) sources.Sighting {
	s := sources.Sighting{Name: text.Shorten(string(a.Meta.Name), maxName)}
	s.Year = leadingYear(string(a.Meta.Released))
	if s.Year == 0 {
		s.Year = leadingYear(string(a.Meta.Year))
	}
	var videos list[video]
	_ = json.Unmarshal(a.Meta.Videos, &videos) // what cannot be read is left out
	var set match.EpisodeSet
	for _, v := range videos {
		if season, number, ok := v.episode(); ok && !v.isToCome(now) {
			set.Add(match.EpisodeRange{Season: season, First: number, Last: number})
		}
	}
	s.Episodes = set.All()
	return s
}

// leadingYear is the year that s starts with, 0 for none.
func leadingYear(s string) int {
	year, err := strconv.Atoi(s[:min(len(s), len("2014"))])
	if err != nil || year < sources.MinYear || year > sources.MaxYear {
		return 0
	}
	return year
}

// video is an episode of a series as descriptions name it.
type video struct {
	Season   *int `json:"season"`
	Episode  *int `json:"episode"`
	Number   *int `json:"number"` // Episode of older ones
	Released str  `json:"released"`
}

// episode is its number; ok is false for what has none.
func (v video) episode() (season, number int, ok bool) {
	if v.Episode == nil {
		v.Episode = v.Number
	}
	if v.Season == nil || v.Episode == nil || *v.Season < 0 || *v.Episode < 0 {
		return 0, 0, false
	}
	return *v.Season, *v.Episode, true
}

// isToCome tells whether the video comes out after now, by what is told of it.
func (v video) isToCome(now time.Time) bool {
	at, err := time.Parse(time.RFC3339, string(v.Released))
	return err == nil && at.After(now)
}

// trailers are the links of the trailers in a description.
func (a *metaAnswer) trailers() []string {
	var found []string
	known := make(map[string]bool)
	add := func(address string) {
		if address != "" && !known[address] && len(found) < maxTrailers {
			known[address] = true
			found = append(found, address)
		}
	}
	meta := &a.Meta
	for _, t := range append(meta.Trailers, meta.Streams...) {
		if kind := strings.ToLower(string(t.Type)); kind == "" || isTrailer(kind) {
			add(t.link())
		}
	}
	for _, t := range meta.Links {
		if isTrailer(strings.ToLower(string(t.Category))) {
			add(t.link())
		}
	}
	return found
}

func isTrailer(kind string) bool {
	return strings.Contains(kind, "trailer") || strings.Contains(kind, "teaser")
}

// link is where the trailer lies, "" where that is nowhere on the web.
func (t trailer) link() string {
	for _, id := range []str{t.YouTube, t.Source} {
		if id = str(text.Clean(string(id))); isYouTubeID(string(id)) {
			return youTube(string(id))
		}
	}
	if to := readURL(t.URL); to.url != nil {
		return to.address
	}
	return ""
}
