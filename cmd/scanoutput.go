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

// shownList says how a list is shown.
type shownList struct {
	urls    api.ShownURLs
	explain bool
	ids     bool
	live    *liveMarks // of a list that is filled in place; nil: it is not
}

// writeScan writes the list to stdout, and what else there is to know of the
// scan to stderr.
func (a *app) writeScan(l *engine.List, shown shownList) error {
	if err := a.writeList(l, shown); err != nil {
		return err
	}
	for _, line := range scanNotes(l) {
		a.note("%s", line)
	}
	return nil
}

func (a *app) writeList(l *engine.List, shown shownList) error {
	if a.asJSON() {
		doc := api.NewScan(l, shown.urls)
		if shown.explain {
			doc.Explain(l, shown.urls)
		}
		return a.writeJSON(doc)
	}
	if err := a.write(scanList(l, l.Live().Rows(), shown)); err != nil || !shown.explain {
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
	markColumn    = " " // says how the probe of a source is going
	infoColumn    = "info"
	hiddenColumn  = "hidden" // says why a source is hidden without --all
)

// twoLines is the width of a terminal below which a source takes two lines.
const twoLines = 40

// scanColumns are the columns of a list; marked tells that hidden sources are in it, via
// that a provider serves some. In a table that is to explain the list, the explanation
// takes the place of what it is not about. In a narrow terminal site, info, language and
// provider give way, in this order.
func scanColumns(shown shownList, marked, via bool) []term.Column {
	columns := []term.Column{
		{Name: "n", Right: true, TSVOnly: true},
		{Name: "id", TSVOnly: true, Exact: true},
		{Name: "#", Right: true, NoTSV: true},
		{Name: markColumn, NoTSV: true, TSVOnly: shown.live == nil, Tight: true},
		{Name: qualityColumn, TSVOnly: true},
		{Name: qualityColumn, NoTSV: true, Tight: shown.live != nil, Shrink: 6, Min: len("1080p!")},
		{Name: "language", TSVOnly: true},
		{Name: "lang", NoTSV: true, TSVOnly: shown.explain, Drop: 4},
		{Name: "hoster", Shrink: 4, Min: 12},
		{Name: "via", NoTSV: true, TSVOnly: shown.explain || !via, Drop: 5, Shrink: 3, Min: 6},
		{Name: "site", TSVOnly: true},
		{Name: "site", NoTSV: true, TSVOnly: shown.explain, Shrink: 3, Min: 6, Drop: 2},
		{Name: "state", TSVOnly: true},
		{Name: "healthy", TSVOnly: true},
		{Name: "name", Shrink: 1, Min: 12, Drop: 9, Beneath: true},
		{Name: infoColumn, NoTSV: true, TSVOnly: shown.explain, Shrink: 2, Min: 12, Drop: 3},
		{Name: infoColumn, TSVOnly: true},
		{Name: hiddenColumn, NoTSV: true, TSVOnly: !marked, Shrink: 5, Min: len("12 fails, now free"), Drop: 8, Beneath: true},
		{Name: "id", NoTSV: true, TSVOnly: !shown.ids, Drop: 6, Beneath: true},
		{Name: "url", TSVOnly: !shown.urls.Secrets, Drop: 1, Beneath: true, Whole: true},
		{Name: "unplayable", TSVOnly: true},
	}
	if shown.explain {
		columns = append(columns, term.Column{Name: whyColumn, Wrap: true, Min: 36, Drop: 1, Beneath: true})
	}
	for _, name := range factColumns() {
		columns = append(columns, term.Column{Name: name, TSVOnly: true})
	}
	return columns
}

// scanList is the list as rows.
func scanList(l *engine.List, all []engine.LiveRow, shown shownList) term.List {
	has := func(is func(engine.LiveRow) bool) bool { return slices.ContainsFunc(all, is) }
	marked := l.Options.All || has(func(r engine.LiveRow) bool { return r.Mark != "" })
	rows := term.List{Narrow: twoLines, Columns: scanColumns(shown, marked, has(func(r engine.LiveRow) bool { return r.Provider != "" }))}
	names := make(map[string]string, len(l.Sites))
	for _, s := range l.Sites {
		names[s.Key] = text.Clean(s.Name)
	}
	for _, src := range all {
		rows.Rows = append(rows.Rows, scanRow(src, cmp.Or(names[src.Site], text.Clean(src.Site)), shown))
	}
	rows.Paint = func(row, column int, cell string) string {
		return paintSource(all[row], shown, rows.Columns[column].Name, cell)
	}
	return rows
}

// scanRow is a source as a row, from a site of the given name.
func scanRow(src engine.LiveRow, site string, shown shownList) []string {
	doc := api.NewSource(src.N, src.Listed, shown.urls)
	labels := doc.Info
	if doc.Needs != "" {
		labels = append([]string{"needs " + doc.Needs}, labels...)
	}
	if doc.SetBack != "" {
		labels = append([]string{doc.SetBack}, labels...)
	}
	provider := ""
	if doc.Provider != "" {
		provider = sources.ProviderTitle(doc.Provider)
	}
	row := []string{
		number(int64(doc.N)), doc.ID, number(int64(src.Pick)), shown.live.mark(src), doc.Quality, shownQuality(src), doc.Language, doc.Language, doc.Hoster, provider, doc.Site, site,
		doc.State, strconv.FormatBool(doc.Healthy), doc.Name, sourceInfo(src, doc), strings.Join(labels, " "),
		src.Mark, doc.ID, doc.URL, doc.Unplayable,
	}
	if shown.explain {
		row = append(row, strings.Join(src.Place, "; "))
	}
	return append(row, factCells(src, doc)...)
}

// shownQuality is the quality of a source, marked where its site says another one.
func shownQuality(src engine.LiveRow) string {
	if wrongLabel(src) {
		return string(src.Quality) + "!"
	}
	return string(src.Quality)
}

// paintSource colours the cell of a source in the column of a name. Sources that do not
// work are faint, but for what says so.
func paintSource(src engine.LiveRow, shown shownList, column, cell string) string {
	gone := shown.live != nil && (src.Step == sources.ProbeFailed || src.N == 0 && src.Step != sources.ProbeWorks)
	switch {
	case column == markColumn && src.Step == sources.ProbeWorks:
		return term.Paint(term.ColourGood, cell)
	case column == markColumn && src.Step == sources.ProbeFailed:
		return term.Paint(term.ColourBad, cell)
	case src.Mark != "" && column == hiddenColumn:
		return term.Paint(term.ColourWarn, cell)
	case column == infoColumn && gone, column == whyColumn, column == markColumn:
		return cell
	case src.Mark != "", gone:
		return term.Paint(term.ColourDim, cell)
	case column == qualityColumn && wrongLabel(src):
		return term.Paint(term.ColourWarn, cell)
	case column == qualityColumn && isGood(src.Quality):
		return term.Paint(term.ColourStrong, cell)
	default:
		return cell
	}
}

func isGood(q sources.Quality) bool {
	return q != sources.QualityUnknown && q.Rank() <= sources.Quality1080p.Rank()
}

// scanNotes says what the list does not: how the scan went, what is left out and
// why, and which sites gave nothing usable.
func scanNotes(l *engine.List) []string {
	answered, asked, partly := answeredSites(&l.Scan), 0, false
	for _, s := range l.Sites {
		if !isQuiet(s) {
			asked++
		}
		partly = partly || s.Sources > 0
	}
	var lines []string
	if len(l.Sources) == l.Listing.Trailers && answered > 0 {
		lines = nothingNotes(l, answered)
	} else {
		if len(l.Listing.Sources) > 0 {
			lines = foundNotes(l, answered, asked)
		}
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

// answeredSites counts the sites that answered.
func answeredSites(scan *engine.Scan) (n int) {
	for _, s := range scan.Sites {
		if s.Status.Answered() {
			n++
		}
	}
	return n
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
