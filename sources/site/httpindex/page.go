package httpindex

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"xship/sources/link"
	"xship/sources/site/files"
)

const (
	maxText = 256 // bytes of the text of a link, of what stands behind it, of a heading
	// maxAttr bounds an attribute.
	maxAttr = 8 << 10
)

// parsePage reads a page of links that lies at an address. below tells what a link, whose
// address is given, leads to: an entry without a name for the page itself, and ok false for
// what does not lie in its folder. isIndex is false where nothing shows that the page is the listing of a folder,
// and not one for people.
func parsePage(body []byte, at *url.URL, below func(u *url.URL) (e files.Entry, ok bool)) (entries []files.Entry, isIndex bool) {
	p := page{at: at, base: at, below: below, known: make(map[string]int), last: -1}
	z := html.NewTokenizer(bytes.NewReader(body))
	for {
		switch kind := z.Next(); kind {
		case html.ErrorToken:
			p.row()
			return p.entries, p.isIndex
		case html.TextToken:
			p.text(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			p.tag(z)
		case html.EndTagToken:
			name, _ := z.TagName()
			p.endTag(atom.Lookup(name))
		default: // comments and the like
		}
	}
}

// page is a page that is being read.
type page struct {
	at, base *url.URL
	below    func(u *url.URL) (files.Entry, bool)

	entries []files.Entry
	known   map[string]int // of entries, by name
	isIndex bool

	in    atom.Atom // the tag whose text is being read: a, title, h1; or 0
	read  []byte    // of its text
	last  int       // the entry that the latest link names, -1 where it names none
	tail  []byte    // what stands behind that link
	size  string    // that a tag behind it tells
	date  string    // the same
	based bool      // the page named its base
}

func (p *page) text(t []byte) {
	switch {
	case p.in != 0:
		p.read = appendSome(p.read, t)
	case p.last >= 0:
		p.tail = appendSome(append(p.tail, ' '), t)
	}
}

func appendSome(to, t []byte) []byte {
	return append(to, t[:min(len(t), max(maxText-len(to), 0))]...)
}

func (p *page) tag(z *html.Tokenizer) {
	name, more := z.TagName()
	tag := atom.Lookup(name)
	var href []byte
	for more {
		var key, value []byte
		key, value, more = z.TagAttr()
		switch string(key) {
		case "href":
			if href == nil && len(value) <= maxAttr {
				href = bytes.Clone(value)
			}
		case "data-size":
			p.size = string(value[:min(len(value), maxText)])
		case "datetime":
			p.date = string(value[:min(len(value), maxText)])
		}
	}
	switch tag {
	case atom.A:
		p.row()
		p.in, p.read = atom.A, p.read[:0]
		if href != nil {
			p.link(string(href))
		}
	case atom.Base:
		if u, err := p.resolve(string(href)); err == nil && href != nil && !p.based {
			p.base, p.based = u, true
		}
	case atom.Title, atom.H1, atom.H2:
		p.row()
		p.in, p.read = tag, p.read[:0]
	case atom.Tr, atom.Li, atom.Hr, atom.Address, atom.Footer:
		p.row()
	default:
	}
}

// headings are how the pages of servers begin that list folders.
var headings = []string{"index of", "directory listing", "directory index", "listing of", "directory:"}

func (p *page) endTag(tag atom.Atom) {
	if tag != p.in {
		return
	}
	p.judge()
	p.in = 0
}

// judge looks at the text of a tag for signs that the page is an index.
func (p *page) judge() {
	words := strings.ToLower(strings.Join(strings.Fields(string(p.read)), " "))
	switch {
	case p.in == 0 || p.isIndex:
	case p.in != atom.A:
		p.isIndex = slices.ContainsFunc(headings, func(heading string) bool { return strings.HasPrefix(words, heading) })
	case p.last >= 0:
		p.isIndex = isNamed(&p.entries[p.last], words)
	default:
		p.isIndex = words == "../" || words == ".." || strings.HasPrefix(words, "parent directory")
	}
}

// isNamed tells whether words, in lower case, are what an index calls an entry that is a
// folder or media: its name, of which the end may be cut off.
func isNamed(e *files.Entry, words string) bool {
	if !e.Folder && link.MediaOf(e.Name).MIME == "" {
		return false
	}
	words = strings.TrimRight(words, "./>…")
	return words != "" && strings.HasPrefix(strings.ToLower(strings.Join(strings.Fields(e.Name), " ")), words)
}

func (p *page) resolve(href string) (*url.URL, error) {
	u, err := link.Parse(strings.TrimSpace(href))
	if err != nil {
		return nil, err
	}
	return p.base.ResolveReference(u), nil
}

// link notes what a link leads to. One with a query sorts the page, as a rule.
func (p *page) link(href string) {
	u, err := p.resolve(href)
	if err != nil {
		return
	}
	if u.RawQuery != "" || u.ForceQuery {
		e, ok := p.below(u)
		p.isIndex = p.isIndex || ok && e.Name == "" && isSort(u.RawQuery)
		return
	}
	e, ok := p.below(u)
	if !ok || e.Name == "" {
		return
	}
	i, known := p.known[e.Name]
	if !known {
		i = len(p.entries)
		p.known[e.Name] = i
		p.entries = append(p.entries, e)
	}
	p.last = i
}

// isSort tells whether a query is one by which servers sort their listings.
func isSort(query string) bool {
	for _, start := range []string{"C=", "sort=", "order="} {
		if strings.HasPrefix(query, start) {
			return true
		}
	}
	return false
}

// row ends what belongs to the latest link.
func (p *page) row() {
	p.judge()
	if p.last >= 0 {
		e := &p.entries[p.last]
		modified, size := details(p.tail, p.date, p.size)
		if e.ModTime.IsZero() {
			e.ModTime = modified
		}
		if e.Size < 0 && !e.Folder {
			e.Size = size
		}
	}
	p.in, p.last, p.tail, p.size, p.date = 0, -1, p.tail[:0], "", ""
}

// dates are those that servers write behind a name.
var dates = regexp.MustCompile(`\b(\d{4}-(?:\d{2}|[A-Z][a-z]{2})-\d{2}|\d{2}-[A-Z][a-z]{2}-\d{4})[ T]+(\d{2}:\d{2})(:\d{2})?\b`)

// sizes are those that servers write: bytes, or rounded with a unit.
var sizes = regexp.MustCompile(`^\s*(\d{1,15}(?:\.\d{1,3})?)\s?([KMGT]?)(?:i?B|bytes)?(?:\s|$)`)

var units = map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

// details reads the date and the size behind a name, size -1 where there is none. Rounded
// ones are as exact as the page.
func details(tail []byte, date, size string) (time.Time, int64) {
	var modified time.Time
	n := int64(-1)
	if at := dates.FindSubmatchIndex(tail); at != nil {
		modified = parseDate(string(tail[at[2]:at[3]]), string(tail[at[4]:at[5]]))
		n = parseSize(string(tail[at[1]:]))
	}
	if t, err := time.Parse(time.RFC3339, date); err == nil {
		modified = t
	}
	if told, err := strconv.ParseInt(size, 10, 64); err == nil && told >= 0 {
		n = told
	}
	return modified, n
}

func parseDate(day, clock string) time.Time {
	for _, layout := range []string{"2006-01-02", "2006-Jan-02", "02-Jan-2006"} {
		if t, err := time.Parse(layout+" 15:04", day+" "+clock); err == nil {
			return t
		}
	}
	return time.Time{}
}

func parseSize(s string) int64 {
	m := sizes.FindStringSubmatch(s)
	if m == nil {
		return -1
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return -1
	}
	return int64(n * units[m[2]])
}
