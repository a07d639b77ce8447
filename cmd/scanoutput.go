package cmd

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources"
	"xship/sources/text"
)

// writeScan writes the list to stdout, and what else there is to know of the
// scan to stderr.
func (a *app) writeScan(l *engine.List, showURLs bool) error {
	shown := api.ShownURLs{Secrets: showURLs}
	write := func() error { return a.write(scanList(l, shown)) }
	if a.asJSON() {
		write = func() error { return a.writeJSON(api.NewScan(l, shown)) }
	}
	if err := write(); err != nil {
		return err
	}
	for _, line := range scanNotes(l) {
		a.note("%s", line)
	}
	return nil
}

const (
	qualityColumn = "quality"
	hiddenColumn  = "hidden" // says why a source is hidden without --all
)

// scanColumns are the columns of a list; all tells that hidden sources are in it.
func scanColumns(all, showURLs bool) []term.Column {
	columns := []term.Column{
		{Name: "n", Right: true, TSVOnly: true},
		{Name: "id", TSVOnly: true, Exact: true},
		{Name: "#", Right: true, NoTSV: true},
		{Name: qualityColumn},
		{Name: "language", TSVOnly: true},
		{Name: "lang", NoTSV: true},
		{Name: "hoster", Shrink: 4, Min: 12, Exact: true},
		{Name: "site", TSVOnly: true},
		{Name: "site", NoTSV: true, Shrink: 3, Min: 6},
		{Name: "state", TSVOnly: true},
		{Name: "healthy", TSVOnly: true},
		{Name: "name", Shrink: 1, Min: 12},
		{Name: "info", Shrink: 2, Min: 4},
	}
	if all {
		columns = append(columns, term.Column{Name: hiddenColumn, NoTSV: true, Shrink: 5, Min: len("12 fails, now free")})
	}
	return append(columns, term.Column{Name: "url", TSVOnly: !showURLs}, term.Column{Name: "unplayable", TSVOnly: true})
}

// scanList is the list as rows.
func scanList(l *engine.List, shown api.ShownURLs) term.List {
	rows := term.List{Columns: scanColumns(l.Options.All, shown.Secrets)}
	names := make(map[string]string, len(l.Sites))
	for _, s := range l.Sites {
		names[s.Key] = text.Clean(s.Name)
	}
	for i, src := range l.Listing.Sources {
		doc := api.NewSource(i+1, src, shown)
		n := strconv.Itoa(doc.N)
		info := doc.Info
		if doc.Needs != "" {
			info = append([]string{"needs " + doc.Needs}, info...)
		}
		row := []string{
			n, doc.ID, n, doc.Quality, doc.Language, doc.Language, doc.Hoster, doc.Site, cmp.Or(names[src.Site], doc.Site),
			doc.State, strconv.FormatBool(doc.Healthy), doc.Name, strings.Join(info, " "),
		}
		if l.Options.All {
			row = append(row, l.Mark(src))
		}
		rows.Rows = append(rows.Rows, append(row, doc.URL, doc.Unplayable))
	}
	rows.Paint = func(row, column int, cell string) string {
		return paintSource(l, l.Listing.Sources[row], rows.Columns[column].Name, cell)
	}
	return rows
}

// paintSource colours the cell of a source in the column of a name.
func paintSource(l *engine.List, src sources.Listed, column, cell string) string {
	switch marked := l.Mark(src) != ""; {
	case marked && column == hiddenColumn:
		return term.Paint(term.ColourWarn, cell)
	case marked:
		return term.Paint(term.ColourDim, cell)
	case column == qualityColumn:
		return term.Paint(qualityColour(src.Quality), cell)
	default:
		return cell
	}
}

func qualityColour(q sources.Quality) string {
	switch q {
	case sources.Quality4K, sources.Quality1440p, sources.Quality1080p:
		return term.ColourGood
	default:
		return term.ColourWarn
	}
}

// scanNotes says what the list does not: how the scan went, what is left out and
// why, and which sites gave nothing usable.
func scanNotes(l *engine.List) []string {
	answered, partly := 0, false
	for _, s := range l.Sites {
		if s.Status.Answered() {
			answered++
		}
		partly = partly || s.Sources > 0
	}
	var lines []string
	switch {
	case len(l.Sources) == l.Listing.Trailers && answered > 0:
		lines = append(lines, nothingNote(l, answered))
	case len(l.Listing.Sources) > 0:
		lines = append(lines, foundNotes(l, answered)...)
	}
	if l.Options.All && len(l.Listing.Hidden) > 0 {
		lines = append(lines, fmt.Sprintf("hidden without --all: %s on failing hosters: %s", text.Plural(l.Listing.HiddenSources(), "source"), l.HiddenHosters()))
	}
	if answered > 0 || partly { // otherwise the error says it
		lines = append(lines, siteNotes(l)...)
	}
	return lines
}

// nothingNote says that nobody has a title.
func nothingNote(l *engine.List, answered int) string {
	if l.Listing.Trailers > 0 {
		return fmt.Sprintf("nothing found for %s but %s", l.Title, text.Plural(l.Listing.Trailers, "trailer"))
	}
	return fmt.Sprintf("nothing found for %s: %s answered and none has it", l.Title, text.Plural(answered, "site"))
}

// foundNotes counts what is listed, and says what is not.
func foundNotes(l *engine.List, answered int) []string {
	from := fmt.Sprintf("%d of %s in %s", answered, text.Plural(len(l.Sites), "site"), elapsed(l.Elapsed))
	if l.FromCache {
		from = "the cache; --refresh asks again"
	}
	lines := []string{fmt.Sprintf("%s from %s", text.Plural(len(l.Listing.Sources), "source"), from)}
	if left := l.LeftOut(); len(left) > 0 {
		lines = append(lines, "not listed: "+strings.Join(left, "; "))
		if l.Listing.HiddenSources()+l.Listing.Dead+l.Listing.Unplayable > 0 && !l.Options.All {
			lines = append(lines, "--all lists hidden, dead and unplayable ones too")
		}
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
func siteNotes(l *engine.List) []string {
	const shown = 10
	var lines, unsupported []string
	cached, when := l.FromCache, ""
	if cached {
		when = " when the list was scanned"
	}
	for _, s := range l.Sites {
		switch {
		case s.Status == sources.SiteSkipped && cached:
		case s.Status == sources.SiteError, s.Status == sources.SiteTimeout, s.Status == sources.SiteSkipped:
			lines = append(lines, fmt.Sprintf("site %s%s: %s: %s", s.Name, when, s.Status, s.Error))
		case s.Status == sources.SiteUnsupported:
			unsupported = append(unsupported, s.Name)
		}
	}
	if n := len(lines); n > shown {
		lines = append(lines[:shown], fmt.Sprintf("and %s more; -o json has them all", text.Plural(n-shown, "site")))
	}
	if n := len(unsupported); n > 0 {
		names := strings.Join(unsupported[:min(n, shown)], ", ")
		if n > shown {
			names += ", …"
		}
		lines = append(lines, fmt.Sprintf("%s that xship cannot ask: %s", text.Plural(n, "site"), names))
	}
	return lines
}
