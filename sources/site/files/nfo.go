package files

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

const (
	// maxNFO and maxSTRM are how many bytes of these files are read.
	maxNFO  = 256 << 10
	maxSTRM = 64 << 10
	// maxLink is the longest link taken from a .strm file, in bytes.
	maxLink = 4 << 10
	// maxStacked is how many episodes of one .nfo count.
	maxStacked = 20
	// maxNFOName is the longest name taken from a .nfo, in characters.
	maxNFOName = 300
)

// nfo is what a .nfo file tells.
type nfo struct {
	Kind     string       `json:"k,omitempty"` // "movie", "tvshow", "episodedetails", "" for a link alone
	Names    []string     `json:"n,omitempty"` // of the film or the series
	Year     int          `json:"y,omitempty"`
	IMDb     string       `json:"i,omitempty"` // of the film or the series
	Episodes []nfoEpisode `json:"e,omitempty"`
}

type nfoEpisode struct {
	Season  int `json:"s"`
	Episode int `json:"e"`
}

const (
	kindMovie   = "movie"
	kindShow    = "tvshow"
	kindEpisode = "episodedetails"
)

// imdbLink finds an id in a link, or in a text that is nothing but one.
var imdbLink = regexp.MustCompile(`(?i)(?:imdb\.com/(?:[a-z]{2}/)?title/|imdb\.\w+/title\?|\bimdb[:=]\s*|^\s*)(tt[0-9]{5,10})\b`)

// parseNFO reads a .nfo file, as far as it can be read: XML of any number of roots, or a
// text with a link that holds an id.
func parseNFO(data []byte) nfo {
	data, _ = text.Decode(data[:min(len(data), maxNFO)], "")
	var n nfo
	d := xml.NewDecoder(bytes.NewReader(readable(data)))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it is UTF-8 by now
	for {
		token, err := d.Token()
		if err != nil {
			break
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch kind := strings.ToLower(start.Name.Local); kind {
		case kindMovie, kindShow, kindEpisode:
			if n.Kind == "" {
				n.Kind = kind
			}
			n.readElement(d, kind)
		}
	}
	if n.IMDb == "" && n.Kind != kindEpisode {
		if m := imdbLink.FindSubmatch(data); m != nil {
			n.IMDb = strings.ToLower(string(m[1]))
		}
	}
	return n
}

// readable is XML without what ends its reading: characters that it must not have, and
// signs that begin no tag.
func readable(data []byte) []byte {
	clean := text.CleanLines(string(data))
	out := make([]byte, 0, len(clean))
	for i, r := range clean {
		if r == '<' && (i+1 == len(clean) || strings.IndexByte("/!?_", clean[i+1]) < 0 && !text.IsAlnum(clean[i+1])) {
			out = append(out, "&lt;"...)
			continue
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// readElement reads what stands in an element of one of the kinds.
func (n *nfo) readElement(d *xml.Decoder, kind string) {
	e := nfoEpisode{Season: -1, Episode: -1}
	depth := 1
	var name, idType string
	var value strings.Builder
	for depth > 0 {
		token, err := d.Token()
		if err != nil {
			break
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			if depth == 2 {
				name, idType = strings.ToLower(token.Name.Local), ""
				value.Reset()
				for _, a := range token.Attr {
					if strings.EqualFold(a.Name.Local, "type") {
						idType = strings.ToLower(a.Value)
					}
				}
			}
		case xml.CharData:
			if depth == 2 && value.Len() < 4*maxNFOName {
				value.Write(token)
			}
		case xml.EndElement:
			if depth == 2 {
				n.set(kind, name, idType, text.Clean(value.String()), &e)
			}
			depth--
		}
	}
	if kind == kindEpisode && e.Episode >= 0 && len(n.Episodes) < maxStacked {
		n.Episodes = append(n.Episodes, e)
	}
}

// set takes over what an element within one of the kind says.
func (n *nfo) set(kind, name, idType, value string, e *nfoEpisode) {
	if value == "" {
		return
	}
	of := kind != kindEpisode // ids, names and years of episodes are those of the episodes
	switch name {
	case "title", "originaltitle", "localtitle":
		if of {
			n.addName(value)
		}
	case "showtitle":
		n.addName(value)
	case "year", "premiered", "releasedate":
		if of && n.Year == 0 && len(value) >= 4 {
			if year, err := strconv.Atoi(value[:4]); err == nil && year >= sources.MinYear && year <= sources.MaxYear {
				n.Year = year
			}
		}
	case "imdb", "imdbid", "imdb_id", "id", "uniqueid":
		if id := strings.ToLower(value); of && sources.IsIMDbID(id) && (idType == "" || idType == "imdb") {
			n.IMDb = id
		}
	case "season":
		e.Season = text.Number(value)
	case "episode":
		e.Episode = text.Number(value)
	}
}

func (n *nfo) addName(name string) {
	if name = text.Shorten(name, maxNFOName); len(n.Names) < 4 {
		n.Names = append(n.Names, name)
	}
}

// run is the run of episodes that a stacked .nfo names.
func (n nfo) run() (season, first, last int, ok bool) {
	for i, e := range n.Episodes {
		switch {
		case i == 0:
			season, first, last, ok = e.Season, e.Episode, e.Episode, true
		case e.Season == season && e.Episode == last+1:
			last++
		}
	}
	return season, first, last, ok
}

// parseSTRM is the link in a .strm file: its first line that is neither empty nor a
// property for Kodi, "" where that is no http or https link. What it names may have been
// written by anybody, so that no file of this machine and no add-on is opened by it.
func parseSTRM(data []byte) string {
	data, _ = text.Decode(data[:min(len(data), maxSTRM)], "")
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(line) > maxLink || strings.ContainsAny(line, "\t<>\"") || text.Printable(line) != line {
			return ""
		}
		address, _ := link.SplitHeaders(line)
		u, err := link.Parse(address)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https") {
			return ""
		}
		return line
	}
	return ""
}
