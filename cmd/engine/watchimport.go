package engine

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

// TitleList is a list of titles as somebody wrote it.
type TitleList struct {
	Entries []sources.WatchEntry // title and origin, in their order
	LeftOut []LeftOutLine        // what is no title, in its order

	Document bool // it is one in JSON, which has entries, not lines
}

// LeftOutLine is what stands in a list of titles and is none.
type LeftOutLine struct {
	Line int    // from 1; of a document its entry
	Text string // shortened
	Why  string
}

const (
	mostTitles   = 100_000
	longestTitle = 1000 // bytes of a line
	shownTitle   = 60   // characters of one that is left out
)

// ReadTitleList reads a list of titles: one a line as people write them, with a year in
// brackets, an episode or an IMDb id, blank lines and those that begin with # left out; the
// document or the table of xship watch list; or a table with a line of names, such as
// Letterboxd and IMDb export. The error says that it is none of these.
func ReadTitleList(raw []byte) (TitleList, error) {
	decoded, readable := text.Decode(raw, "")
	if !readable || bytes.IndexByte(decoded, 0) >= 0 || bytes.HasPrefix(raw, []byte("\x89PNG")) || tooManyControls(decoded) {
		return TitleList{}, text.WithHint(errors.New("it is no text"), "give a file with one title a line, in UTF-8")
	}
	list := string(decoded)
	var l TitleList
	var err error
	switch start := strings.TrimSpace(list); {
	case strings.HasPrefix(start, "{") || bracketed().MatchString(start):
		l.Document = true
		err = l.readDocument([]byte(start))
	default:
		lines := splitLines(list)
		if at, columns, comma := tableHead(lines); columns != nil {
			l.readTable(lines, at, columns, comma)
		} else {
			for n, line := range lines {
				l.readLine(n+1, line)
			}
		}
	}
	if err == nil && len(l.Entries) > mostTitles {
		err = fmt.Errorf("it has more than %d titles", mostTitles)
	}
	return l, err
}

// bracketed is the start of a list in JSON. "[REC]" is a film.
var bracketed = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[\s*[{"\]]`)
})

// tooManyControls tells a text from what is none by the control characters in it.
func tooManyControls(decoded []byte) bool {
	const part = 50
	n := 0
	for _, b := range decoded {
		if b < ' ' && b != '\n' && b != '\r' && b != '\t' && b != '\f' && b != 0x1b {
			n++
		}
	}
	return n > len(decoded)/part
}

// splitLines splits a text at the ends of lines that the systems have.
func splitLines(s string) []string {
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s), "\n")
}

var (
	// listMark is what people begin the lines of a list with: "- ", "* ", "12. ", "[x] ".
	listMark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(?:[-*+•·–—◦‣▪□■☐☑☒✓✔✗✘]|[0-9]{1,5}[.)]|\[[ xX]\])\s+)+`)
	})
	// imdbMark is an IMDb id, also as the address of its page and in brackets.
	imdbMark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)[\s([{,;|–-]*(?:\bimdb\s*:?\s*)?(?:https?://(?:www\.|m\.)?imdb\.com/(?:[a-z-]+/)?title/)?\b(tt[0-9]{5,10})\b(?:/\S*)?[\s)\]},;|–-]*`)
	})
	// lineComment stands behind a title.
	lineComment = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\s#\s.*$`)
	})
	// quotedName is a name in quotes, with what follows it.
	quotedName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»)(.*)$`)
	})
	// rowYear is a year as a table without a line of names has it.
	rowYear = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(.*[^\s,;])(?:[,;]|\s*\t\s*)"?((?:18|19|20)[0-9]{2})"?$`)
	})
	// markAlone is a line that has nothing behind its mark.
	markAlone = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[0-9]{1,5}[.)]|\[[ xX]\])$`)
	})
	// episodeAlone is an episode of nothing.
	episodeAlone = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:S[0-9]{1,4}[\s._-]*E[0-9]{1,5}|[0-9]{1,2}x[0-9]{2,3})$`)
	})
	// manyEpisodes are more than one.
	manyEpisodes = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bS[0-9]{1,4}[\s._]?E[0-9]{1,5}(?:[-–—]|\s*[&+,]\s*|\s*[-–—&+,]?\s*(?:S[0-9]{1,4}[\s._]?)?E)[0-9]{1,3}\b`)
	})
	// shortSeason is the mark of a season that can be nothing else.
	shortSeason = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)[\s._-]S[0-9]{1,2}\s*$`)
	})
)

// readLine reads a line with one title.
func (l *TitleList) readLine(n int, line string) {
	line = strings.TrimSpace(line)
	if line == "" || strings.HasPrefix(line, "#") {
		return
	}
	if len(line) > longestTitle {
		l.leaveOut(n, line, fmt.Sprintf("it is too long for a title: %d bytes", len(line)))
		return
	}
	line = rowYear().ReplaceAllString(line, "$1 ($2)")
	line = strings.TrimSpace(listMark().ReplaceAllString(text.Clean(line), ""))
	line = lineComment().ReplaceAllString(line, "")
	for _, none := range []struct {
		is  *regexp.Regexp
		why string
	}{
		{markAlone(), "it has no name"},
		{episodeAlone(), "it is an episode, and names no series"},
		{manyEpisodes(), "it names more than one episode; write each as a line of its own"},
	} {
		if none.is.MatchString(line) {
			l.leaveOut(n, line, none.why)
			return
		}
	}
	name, imdb := line, ""
	if m := imdbMark().FindStringSubmatch(line); m != nil {
		name, imdb = strings.TrimSpace(strings.Replace(line, m[0], " ", 1)), strings.ToLower(m[1])
	}
	if m := quotedName().FindStringSubmatch(name); m != nil {
		name = strings.Join(m[1:], "")
	}
	l.add(n, line, typedTitle(name, imdb), sources.WatchUser)
}

// typedTitle is the title that a name as people write it means. A season is watched from
// its first episode on, where it is marked as nothing else is.
func typedTitle(name, imdb string) sources.Title {
	read := match.ReadTyped(name)
	t := sources.Title{Kind: sources.KindMovie, Name: read.Name, Year: read.Year, IMDb: imdb}
	switch {
	case read.Episode >= 0:
		t.Kind, t.Season, t.Episode = sources.KindEpisode, read.EpisodeSeason(), read.Episode
	case read.Season >= 0 && shortSeason().MatchString(name):
		t = t.FirstOf(read.Season)
	case read.Season >= 0: // "Open Season 2"
		t.Name, t.Year = match.SplitYear(name)
	}
	return t
}

// add adds a title, or says why it is none.
func (l *TitleList) add(n int, line string, t sources.Title, origin sources.WatchOrigin) {
	t.Name = strings.TrimSpace(t.Name)
	why := ""
	switch err := t.Validate(); {
	case t.Name == "" && t.IMDb != "" || sources.IsIMDbID(strings.ToLower(t.Name)):
		why = "it is an IMDb id alone, and sites are asked by name"
	case strings.ContainsRune(t.Name, utf8.RuneError):
		why = "it has letters that cannot be read; save the list as UTF-8"
	case errors.Is(err, sources.ErrLinkForTitle):
		why = "it is a link or a path"
	case err != nil:
		why = strings.ReplaceAll(err.Error(), "\n", "; ")
	case sources.IsPlaceholder(t.Name) && t.Year == 0 && t.IMDb == "":
		why = "it is what a script writes where it has no name"
	}
	if why != "" {
		l.leaveOut(n, line, why)
		return
	}
	l.Entries = append(l.Entries, sources.WatchEntry{Title: t, Origin: origin})
}

func (l *TitleList) leaveOut(n int, line, why string) {
	l.LeftOut = append(l.LeftOut, LeftOutLine{Line: n, Text: text.Shorten(text.Clean(line[:min(len(line), longestTitle)]), shownTitle), Why: why})
}

// listedTitle is a title in a document of xship.
type listedTitle struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Year    int    `json:"year"`
	IMDb    string `json:"imdb"`
	Season  *int   `json:"season"`
	Episode *int   `json:"episode"`
}

// listedEntry is an entry of the watchlist in one, or a title alone.
type listedEntry struct {
	Title  *listedTitle `json:"title"`
	Origin string       `json:"origin"`
	listedTitle
}

// readDocument reads the document of xship watch list, or a list of entries or titles.
func (l *TitleList) readDocument(document []byte) error {
	var whole struct {
		Watchlist *[]json.RawMessage `json:"watchlist"`
		Backup    *int               `json:"xship_backup"`
	}
	var items []json.RawMessage
	var err error
	if document[0] == '[' {
		err = json.Unmarshal(document, &items)
	} else if err = json.Unmarshal(document, &whole); err == nil && whole.Backup == nil && whole.Watchlist != nil {
		items = *whole.Watchlist
	}
	switch {
	case err != nil:
		return text.WithHint(fmt.Errorf("it begins as JSON and is none: %w", err), "give what xship watch list -o json wrote, or one title a line")
	case whole.Backup != nil:
		return text.WithHint(errors.New("it is a backup"), "use xship backup import")
	case document[0] == '{' && whole.Watchlist == nil:
		return text.WithHint(errors.New("it is JSON, and no watchlist"), "give what xship watch list -o json wrote, or one title a line")
	}
	for i, item := range items {
		var line string
		if json.Unmarshal(item, &line) == nil && line != "" {
			l.readLine(i+1, line)
			continue
		}
		var e listedEntry
		if err := json.Unmarshal(item, &e); err != nil {
			l.leaveOut(i+1, string(item), "it is no entry of a watchlist")
			continue
		}
		if e.Title == nil {
			e.Title = &e.listedTitle
		}
		if e.Title.Name == "" {
			l.leaveOut(i+1, string(item), "it has no name, which stands in the field name")
			continue
		}
		l.addListed(i+1, string(item), *e.Title, e.Origin)
	}
	return nil
}

// addListed adds a title of a document or of a table.
func (l *TitleList) addListed(n int, line string, t listedTitle, origin string) {
	title := sources.Title{Kind: sources.Kind(t.Kind), Name: text.Clean(t.Name), Year: t.Year, IMDb: strings.ToLower(t.IMDb)}
	if t.Kind == "" {
		title.Kind = sources.KindMovie
		if t.Season != nil && t.Episode != nil {
			title.Kind = sources.KindEpisode
		}
	}
	if isEpisode := title.Kind == sources.KindEpisode; isEpisode != (t.Season != nil) || isEpisode != (t.Episode != nil) {
		l.leaveOut(n, line, "an episode has a season and an episode, a film has neither")
		return
	}
	if title.Kind == sources.KindEpisode {
		title.Season, title.Episode = *t.Season, *t.Episode
	}
	from := sources.WatchUser
	if origin == string(sources.WatchNext) {
		from = sources.WatchNext
	}
	l.add(n, line, title, from)
}

// columnNames are what tables call the columns that are read.
var columnNames = map[string][]string{
	"name": {"name", "title"}, "year": {"year"}, "imdb": {"imdb", "imdb_id", "imdbid", "const"}, "kind": {"kind", "title type", "type"},
	"season": {"season"}, "episode": {"episode"}, "origin": {"origin"},
}

// letterboxdList begins a list of Letterboxd. What the list is called stands before a
// blank line, and its films in a table behind that.
const letterboxdList = "Letterboxd list export"

// tableHead finds the line with the names of columns, which is the first one of a table,
// and where each column that is read stands. Without one columns is nil.
func tableHead(lines []string) (at int, columns map[string]int, comma rune) {
	isText := func(line string) bool { return strings.TrimSpace(line) != "" }
	at = slices.IndexFunc(lines, isText)
	if at >= 0 && strings.HasPrefix(strings.TrimSpace(lines[at]), letterboxdList) {
		for at < len(lines) && isText(lines[at]) {
			at++
		}
		behind := slices.IndexFunc(lines[at:], isText)
		if behind < 0 {
			return 0, nil, 0
		}
		at += behind
	}
	if at < 0 || len(lines[at]) > longestTitle {
		return 0, nil, 0
	}
	for _, comma := range "\t,;" {
		names := strings.Split(lines[at], string(comma))
		columns := make(map[string]int)
		for column, known := range columnNames {
			for i, name := range names {
				if slices.Contains(known, strings.ToLower(strings.Trim(strings.TrimSpace(name), `"`))) {
					columns[column] = i
				}
			}
		}
		if _, named := columns["name"]; named && len(columns) > 1 {
			return at, columns, comma
		}
	}
	return 0, nil, 0
}

// readTable reads a table whose names of columns stand in line at. A row whose quotes do
// not fit costs no other one.
func (l *TitleList) readTable(lines []string, at int, columns map[string]int, comma rune) {
	lines = lines[at+1:]
	take := func(line int, row []string) {
		cell := func(column string) string {
			if i, has := columns[column]; has && i < len(row) {
				return text.FromSheet(strings.TrimSpace(row[i]))
			}
			return ""
		}
		l.readRow(at+1+line, strings.Join(row, string(comma)), cell)
	}
	r := tableReader(strings.Join(lines, "\n"), comma)
	for {
		row, err := r.Read()
		wrong, ok := errors.AsType[*csv.ParseError](err)
		switch {
		case err == nil:
			line, _ := r.FieldPos(0)
			take(line, row)
		case !ok: // io.EOF: there is nothing else to read from
			return
		default:
			for n := wrong.StartLine; n <= min(wrong.Line, len(lines)); n++ {
				if row := cellsOf(lines[n-1], comma); strings.TrimSpace(strings.Join(row, "")) != "" {
					take(n, row)
				}
			}
		}
	}
}

func tableReader(table string, comma rune) *csv.Reader {
	r := csv.NewReader(strings.NewReader(table))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = comma, -1, true
	return r
}

// cellsOf are the cells of a row in one line. Quotes that do not fit are of the text, but for
// one that begins a cell and is not closed.
func cellsOf(line string, comma rune) []string {
	if row, err := tableReader(line, comma).Read(); err == nil {
		return row
	}
	row := strings.Split(line, string(comma))
	for i, cell := range row {
		if strings.Count(cell, `"`) == 1 {
			row[i] = strings.TrimPrefix(cell, `"`)
		}
	}
	return row
}

// readRow reads a row of a table, whose cells are by their columns.
func (l *TitleList) readRow(n int, line string, cell func(column string) string) {
	if len(line) > longestTitle {
		l.leaveOut(n, line, fmt.Sprintf("it is too long for a title: %d bytes", len(line)))
		return
	}
	t := listedTitle{Name: cell("name"), IMDb: cell("imdb")}
	wrong := ""
	number := func(column string) *int {
		given := cell(column)
		if given == "" {
			return nil
		}
		v, err := strconv.Atoi(given)
		if err != nil {
			wrong = fmt.Sprintf("%q is no %s", given, column)
		}
		return &v
	}
	t.Season, t.Episode = number("season"), number("episode")
	if year := number("year"); year != nil {
		t.Year = *year
	}
	switch kind := strings.ToLower(cell("kind")); {
	case kind == string(sources.KindEpisode):
		t.Kind = kind
	case strings.Contains(kind, "series") || strings.Contains(kind, "episode") || kind == "show" || kind == "tv":
		wrong = "it is a series: add it with a season and an episode"
	}
	if wrong != "" {
		l.leaveOut(n, line, wrong)
		return
	}
	l.addListed(n, line, t, cell("origin"))
}

// WatchAll puts entries on the watchlist, all or none, and counts those that are new there
// and those that were there already, or are in entries again. The first is watched soonest.
func (e *Engine) WatchAll(ctx context.Context, entries []sources.WatchEntry) (added, already int, err error) {
	before, err := e.cfg.Store.Watchlist(ctx)
	if err != nil {
		return 0, 0, err
	}
	known := make(map[string]bool, len(before)+len(entries))
	for _, entry := range before {
		known[entry.Title.Key()] = true
	}
	unique := make([]sources.WatchEntry, 0, len(entries))
	seen := make(map[string]bool, len(entries))
	for _, entry := range entries {
		key := entry.Title.Key()
		if known[key] || seen[key] {
			already++
		}
		if !seen[key] {
			unique = append(unique, entry)
		}
		seen[key] = true
	}
	if err := e.cfg.Store.AddWatchlist(ctx, unique); err != nil {
		return 0, 0, err
	}
	return len(entries) - already, already, nil
}
