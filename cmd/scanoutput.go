package cmd

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// scanDoc is the JSON document of xship scan.
type scanDoc struct {
	Title     titleDoc         `json:"title"`
	Interface scanInterfaceDoc `json:"interface"`
	FromCache bool             `json:"from_cache"`
	ElapsedMS int64            `json:"elapsed_ms"`
	Sources   []sourceDoc      `json:"sources"`
	Hidden    []hiddenDoc      `json:"hidden"`
	Sites     []siteDoc        `json:"sites"`
}

// titleDoc is a title; what it does not have is null.
type titleDoc struct {
	Kind    string  `json:"kind"`
	Name    string  `json:"name"`
	Year    *int    `json:"year"`
	IMDb    *string `json:"imdb"`
	Season  *int    `json:"season"`
	Episode *int    `json:"episode"`
}

type scanInterfaceDoc struct {
	URL            string   `json:"url"`
	Name           string   `json:"name"`
	FailedOverFrom []string `json:"failed_over_from"`
}

type sourceDoc struct {
	N          int                `json:"n"`
	ID         string             `json:"id"`
	Site       string             `json:"site"`
	Hoster     string             `json:"hoster"`
	Name       string             `json:"name"`
	Quality    string             `json:"quality"`
	Language   string             `json:"language"`
	URL        string             `json:"url"`
	Info       []string           `json:"info"`
	State      string             `json:"state"`
	MediaInfo  *sources.MediaInfo `json:"mediainfo"`
	Healthy    bool               `json:"healthy"`
	Unplayable string             `json:"unplayable"` // why no player can take it, else ""
	Provider   string             `json:"provider,omitempty"`
}

type hiddenDoc struct {
	Hoster             string `json:"hoster"`
	Sources            int    `json:"sources"`
	ConsecutiveFails   int    `json:"consecutive_fails"`
	AvailableInSeconds int64  `json:"available_in_seconds"`
}

type siteDoc struct {
	Key       string `json:"key"`
	Name      string `json:"name"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	Sources   int    `json:"sources"`
	ElapsedMS int64  `json:"elapsed_ms"`
	Error     string `json:"error"`
}

// doc is the view as JSON.
func (v scanView) doc() scanDoc {
	shown, shownInterface := urlShower(v.showURLs), interfaceShower(v.showURLs)
	r := v.result
	doc := scanDoc{
		Title: newTitleDoc(r.Title),
		Interface: scanInterfaceDoc{
			URL: shownInterface(r.Interface.URL), Name: text.Clean(r.Interface.Name), FailedOverFrom: make([]string, 0, len(r.FailedOverFrom)),
		},
		FromCache: r.FromCache,
		ElapsedMS: r.Elapsed.Milliseconds(),
		Sources:   make([]sourceDoc, 0, len(v.listing.Sources)),
		Hidden:    make([]hiddenDoc, 0, len(v.listing.Hidden)),
		Sites:     make([]siteDoc, 0, len(r.Sites)),
	}
	for _, url := range r.FailedOverFrom {
		doc.Interface.FailedOverFrom = append(doc.Interface.FailedOverFrom, shownInterface(url))
	}
	for i, src := range v.listing.Sources {
		row := newSourceDoc(i+1, src, shown)
		if media, ok := v.media[src.ID]; ok {
			row.MediaInfo = &media
		}
		doc.Sources = append(doc.Sources, row)
	}
	for _, h := range v.listing.Hidden {
		doc.Hidden = append(doc.Hidden, hiddenDoc{
			Hoster: text.Clean(h.Hoster), Sources: h.Sources, ConsecutiveFails: h.ConsecutiveFails, AvailableInSeconds: wholeSeconds(h.AvailableIn),
		})
	}
	for _, s := range r.Sites {
		doc.Sites = append(doc.Sites, siteDoc{
			Key: text.Clean(s.Key), Name: text.Clean(s.Name), Type: text.Clean(s.Type), Status: string(s.Status),
			Sources: s.Sources, ElapsedMS: s.Elapsed.Milliseconds(), Error: text.Clean(s.Error),
		})
	}
	return doc
}

func newTitleDoc(t sources.Title) titleDoc {
	doc := titleDoc{Kind: string(t.Kind), Name: text.Clean(t.Name)}
	if t.Year != 0 {
		doc.Year = &t.Year
	}
	if t.IMDb != "" {
		doc.IMDb = &t.IMDb
	}
	if t.Kind == sources.KindEpisode {
		doc.Season, doc.Episode = &t.Season, &t.Episode
	}
	return doc
}

func newSourceDoc(n int, src sources.Listed, shown func(url string) string) sourceDoc {
	doc := sourceDoc{
		N: n, ID: src.ID, Site: text.Clean(src.Site), Hoster: text.Clean(src.Hoster), Name: text.Clean(src.Name),
		Quality: string(src.Quality), Language: text.Clean(src.Language), URL: shown(src.URL),
		Info: make([]string, 0, len(src.Info)), State: string(src.State), Healthy: src.Healthy,
		Provider: src.Provider,
	}
	if src.Provider == "" { // else it plays through that
		doc.Unplayable = text.Clean(src.Unplayable)
	}
	for _, label := range src.Info {
		doc.Info = append(doc.Info, text.Clean(label))
	}
	return doc
}

// writeScan writes the list to stdout, and what else there is to know of the
// scan to stderr.
func (a *app) writeScan(v scanView) error {
	write := func() error { return a.write(v.list()) }
	if a.asJSON() {
		write = func() error { return a.writeJSON(v.doc()) }
	}
	if err := write(); err != nil {
		return err
	}
	for _, line := range v.notes() {
		a.note("%s", line)
	}
	return nil
}

// hiddenColumn says why a source is hidden without --all.
const hiddenColumn = "hidden"

// list is the view as rows.
func (v scanView) list() list {
	columns := []column{
		{name: "n", right: true, tsvOnly: true},
		{name: "id", tsvOnly: true},
		{name: "#", right: true, noTSV: true},
		{name: "quality"},
		{name: "language", tsvOnly: true},
		{name: "lang", noTSV: true},
		{name: "hoster", shrink: 4, min: 12},
		{name: "site", tsvOnly: true},
		{name: "site", noTSV: true, shrink: 3, min: 6},
		{name: "state", tsvOnly: true},
		{name: "healthy", tsvOnly: true},
		{name: "name", shrink: 1, min: 12},
		{name: "info", shrink: 2, min: 4},
	}
	if v.all {
		columns = append(columns, column{name: hiddenColumn, noTSV: true, shrink: 5, min: len("12 fails, now free")})
	}
	columns = append(columns, column{name: "url", tsvOnly: !v.showURLs}, column{name: "unplayable", tsvOnly: true})
	l := list{columns: columns}
	names := make(map[string]string, len(v.result.Sites))
	for _, s := range v.result.Sites {
		names[s.Key] = text.Clean(s.Name)
	}
	for i, src := range v.listing.Sources {
		doc := newSourceDoc(i+1, src, urlShower(v.showURLs))
		n := strconv.Itoa(doc.N)
		row := []string{
			n, doc.ID, n, doc.Quality, doc.Language, doc.Language, doc.Hoster, doc.Site, cmp.Or(names[src.Site], doc.Site),
			doc.State, strconv.FormatBool(doc.Healthy), doc.Name, strings.Join(doc.Info, " "),
		}
		if v.all {
			row = append(row, v.mark(src))
		}
		l.rows = append(l.rows, append(row, doc.URL, doc.Unplayable))
	}
	l.paint = func(row, column int, cell string) string {
		src := v.listing.Sources[row]
		switch name := columns[column].name; {
		case v.mark(src) != "" && name == hiddenColumn:
			return paint(colourWarn, cell)
		case v.mark(src) != "":
			return paint(colourDim, cell)
		case name == "quality":
			return paint(qualityColour(src.Quality), cell)
		default:
			return cell
		}
	}
	return l
}

func qualityColour(q sources.Quality) string {
	switch q {
	case sources.Quality4K, sources.Quality1440p, sources.Quality1080p:
		return colourGood
	default:
		return colourWarn
	}
}

// mark says why a source would not be listed without --all, "" where it would.
func (v scanView) mark(src sources.Listed) string {
	switch {
	case src.State == sources.StateDead:
		return "dead"
	case src.Unplayable != "" && src.Provider == "":
		return text.Clean(src.Unplayable)
	case !src.Healthy:
		h := v.health[src.Hoster]
		return hiddenReason(h.ConsecutiveFails, h.BackoffUntil.Sub(v.wanted.Now))
	default:
		return ""
	}
}

// notes says what the list does not: how the scan went, what is left out and
// why, and which sites gave nothing usable.
func (v scanView) notes() []string {
	var lines []string
	r, l := v.result, v.listing
	answered, partly := 0, false
	for _, s := range r.Sites {
		if s.Status.Answered() {
			answered++
		}
		partly = partly || s.Sources > 0
	}
	switch {
	case len(r.Sources) == l.Trailers && answered > 0:
		line := fmt.Sprintf("nothing found for %s: %s answered and none has it", r.Title, plural(answered, "site"))
		if l.Trailers > 0 {
			line = fmt.Sprintf("nothing found for %s but %s", r.Title, plural(l.Trailers, "trailer"))
		}
		lines = append(lines, line)
	case len(l.Sources) > 0:
		from := fmt.Sprintf("%d of %s in %s", answered, plural(len(r.Sites), "site"), elapsed(r.Elapsed))
		if r.FromCache {
			from = "the cache; --refresh asks again"
		}
		lines = append(lines, fmt.Sprintf("%s from %s", plural(len(l.Sources), "source"), from))
		if left := v.leftOut(); len(left) > 0 {
			lines = append(lines, "not listed: "+strings.Join(left, "; "))
			if l.HiddenSources()+l.Dead+l.Unplayable > 0 && !v.all {
				lines = append(lines, "--all lists hidden, dead and unplayable ones too")
			}
		}
	}
	if v.all && len(l.Hidden) > 0 {
		lines = append(lines, fmt.Sprintf("hidden without --all: %s on failing hosters: %s", plural(l.HiddenSources(), "source"), v.hiddenHosters()))
	}
	if answered > 0 || partly { // otherwise the error says it
		lines = append(lines, v.siteNotes()...)
	}
	return lines
}

// elapsed is a short time for people: "39 ms", "1.5 s".
func elapsed(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// siteNotes names the sites that gave no usable answer; those that xship cannot
// ask share one line. Of a list from the cache it tells how the sites failed
// then; which of them rested then tells nobody anything now.
func (v scanView) siteNotes() []string {
	const shown = 10
	var lines, unsupported []string
	cached, when := v.result.FromCache, ""
	if cached {
		when = " when the list was scanned"
	}
	for _, s := range v.result.Sites {
		switch {
		case s.Status == sources.SiteSkipped && cached:
		case s.Status == sources.SiteError, s.Status == sources.SiteTimeout, s.Status == sources.SiteSkipped:
			lines = append(lines, fmt.Sprintf("site %s%s: %s: %s", s.Name, when, s.Status, s.Error))
		case s.Status == sources.SiteUnsupported:
			unsupported = append(unsupported, s.Name)
		}
	}
	if n := len(lines); n > shown {
		lines = append(lines[:shown], fmt.Sprintf("and %s more; -o json has them all", plural(n-shown, "site")))
	}
	if n := len(unsupported); n > 0 {
		names := strings.Join(unsupported[:min(n, shown)], ", ")
		if n > shown {
			names += ", …"
		}
		lines = append(lines, fmt.Sprintf("%s that xship cannot ask: %s", plural(n, "site"), names))
	}
	return lines
}
