package cmd

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources"
	"xship/sources/text"
)

// writeScan writes the list to stdout, and what else there is to know of the
// scan to stderr.
func (a *app) writeScan(l *engine.List, showURLs, explain bool) error {
	if err := a.writeList(l, api.ShownURLs{Secrets: showURLs}, explain); err != nil {
		return err
	}
	for _, line := range scanNotes(l) {
		a.note("%s", line)
	}
	return nil
}

func (a *app) writeList(l *engine.List, shown api.ShownURLs, explain bool) error {
	if a.asJSON() {
		doc := api.NewScan(l, shown)
		if explain {
			doc.Explain(l, shown)
		}
		return a.writeJSON(doc)
	}
	if err := a.write(scanList(l, shown, explain)); err != nil || !explain {
		return err
	}
	if left := l.NotListed(); len(left) > 0 {
		return a.write(leftOutList(left))
	}
	return nil
}

// leftOutList are the sources that are not listed, as rows.
func leftOutList(left []engine.Explained) term.List {
	l := term.List{Columns: []term.Column{
		{Name: "id", TSVOnly: true, Exact: true},
		{Name: qualityColumn},
		{Name: "hoster", Shrink: 2, Min: 12},
		{Name: "not listed", Shrink: 1, Min: 12},
		{Name: whyColumn, Wrap: true, Min: 36},
	}}
	for _, e := range left {
		doc := api.NewSource(0, e.Listed, api.ShownURLs{})
		l.Rows = append(l.Rows, []string{doc.ID, doc.Quality, doc.Hoster, doc.Name, strings.Join(e.Why, "; ")})
	}
	return l
}

const (
	whyColumn     = "why"
	qualityColumn = "quality"
	hiddenColumn  = "hidden" // says why a source is hidden without --all
)

// scanColumns are the columns of a list; marked tells that hidden sources are in it. In a
// table that is to explain the list, the explanation takes the place of what it is not
// about.
func scanColumns(marked, showURLs, explain bool) []term.Column {
	columns := []term.Column{
		{Name: "n", Right: true, TSVOnly: true},
		{Name: "id", TSVOnly: true, Exact: true},
		{Name: "#", Right: true, NoTSV: true},
		{Name: qualityColumn},
		{Name: "language", TSVOnly: true},
		{Name: "lang", NoTSV: true, TSVOnly: explain},
		{Name: "hoster", Shrink: 4, Min: 12},
		{Name: "site", TSVOnly: true},
		{Name: "site", NoTSV: true, TSVOnly: explain, Shrink: 3, Min: 6},
		{Name: "state", TSVOnly: true},
		{Name: "healthy", TSVOnly: true},
		{Name: "name", Shrink: 1, Min: 12},
		{Name: "info", TSVOnly: explain, Shrink: 2, Min: 4},
	}
	if marked {
		columns = append(columns, term.Column{Name: hiddenColumn, NoTSV: true, Shrink: 5, Min: len("12 fails, now free")})
	}
	columns = append(columns, term.Column{Name: "url", TSVOnly: !showURLs}, term.Column{Name: "unplayable", TSVOnly: true})
	if explain {
		columns = append(columns, term.Column{Name: whyColumn, Wrap: true, Min: 36})
	}
	return columns
}

// marked tells whether the list has sources that are usually hidden.
func marked(l *engine.List) bool {
	return l.Options.All || slices.ContainsFunc(l.Listing.Sources, func(src sources.Listed) bool { return l.Mark(src) != "" })
}

// scanList is the list as rows.
func scanList(l *engine.List, shown api.ShownURLs, explain bool) term.List {
	withMarks := marked(l)
	rows := term.List{Columns: scanColumns(withMarks, shown.Secrets, explain)}
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
		if doc.SetBack != "" {
			info = append([]string{doc.SetBack}, info...)
		}
		row := []string{
			n, doc.ID, n, doc.Quality, doc.Language, doc.Language, doc.Hoster, doc.Site, cmp.Or(names[src.Site], doc.Site),
			doc.State, strconv.FormatBool(doc.Healthy), doc.Name, strings.Join(info, " "),
		}
		if withMarks {
			row = append(row, l.Mark(src))
		}
		row = append(row, doc.URL, doc.Unplayable)
		if explain {
			row = append(row, strings.Join(l.Why(i), "; "))
		}
		rows.Rows = append(rows.Rows, row)
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
	answered, asked, partly := 0, 0, false
	for _, s := range l.Sites {
		if s.Status.Answered() {
			answered++
		}
		if !isQuiet(s) {
			asked++
		}
		partly = partly || s.Sources > 0
	}
	var lines []string
	switch {
	case len(l.Sources) == l.Listing.Trailers && answered > 0:
		lines = append(lines, nothingNotes(l, answered)...)
	case len(l.Listing.Sources) > 0:
		lines = append(lines, foundNotes(l, answered, asked)...)
		fallthrough
	default:
		lines = append(lines, otherSeriesNotes("scan", l.Series())...)
	}
	if l.Options.All && len(l.Listing.Hidden) > 0 {
		lines = append(lines, fmt.Sprintf("hidden without --all: %s on failing hosters: %s", text.Plural(l.Listing.HiddenSources(), "source"), l.HiddenHosters()))
	}
	if answered > 0 || partly { // otherwise the error says it
		lines = append(lines, siteNotes(l)...)
	}
	return lines
}

// nothingNotes say that nobody has a title, and what may have been meant.
func nothingNotes(l *engine.List, answered int) []string {
	meant := meantNotes("scan", &l.Scan)
	switch hint := l.YearHint(); {
	case len(meant) == 0 && hint != "":
		meant = []string{hint}
	case l.Title.Kind == sources.KindMovie && len(l.Series()) > 0: // which says it
		return meant
	}
	nothing := fmt.Sprintf("nothing found for %s: %s answered and none has it", l.Asked(), text.Plural(answered, "site"))
	if l.Listing.Trailers > 0 {
		nothing = fmt.Sprintf("nothing found for %s but %s", l.Asked(), text.Plural(l.Listing.Trailers, "trailer"))
	}
	return append([]string{nothing}, meant...)
}

// isQuiet tells whether nobody need know how a site fared, unless nothing was found: it
// was asked beside the others and did not answer.
func isQuiet(s sources.SiteReport) bool {
	return s.Beside && s.Status.Missed()
}

// foundNotes counts what is listed, and says what is not.
func foundNotes(l *engine.List, answered, asked int) []string {
	from := fmt.Sprintf("%d of %s in %s", answered, text.Plural(asked, "site"), elapsed(l.Elapsed))
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

// siteNotes names the sites that gave no usable answer, or left something out; those
// that xship cannot ask share one line. Of a list from the cache it tells how the sites failed
// then; which of them rested then tells nobody anything now.
func siteNotes(l *engine.List) []string {
	const shown = 10
	var lines, unsupported []string
	cached, when := l.FromCache, ""
	if cached {
		when = " when the list was scanned"
	}
	nothing := len(l.Sources) == l.Listing.Trailers
	for _, s := range l.Sites {
		switch {
		case s.Status == sources.SiteSkipped && cached, isQuiet(s) && !nothing:
		case s.Status == sources.SiteError, s.Status == sources.SiteTimeout, s.Status == sources.SiteSkipped:
			lines = append(lines, fmt.Sprintf("site %s%s: %s: %s", s.Name, when, s.Status, s.Error))
		case s.Status == sources.SiteUnsupported:
			unsupported = append(unsupported, s.Name)
		case s.Note != "":
			lines = append(lines, fmt.Sprintf("site %s%s: %s", s.Name, when, s.Note))
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
