package archive

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/text"
)

// maxFiles is how many files of an item are looked at: those that are video or
// subtitles.
const maxFiles = 2000

// facts is what is known of an item, by a search or by its metadata.
type facts struct {
	ID          string   `json:"id"`
	Titles      []string `json:"titles,omitempty"` // cleaned
	Year        int      `json:"year,omitempty"`
	IMDb        []string `json:"imdb,omitempty"`
	Media       string   `json:"media,omitempty"` // its mediatype
	Collections []string `json:"collections,omitempty"`
	Languages   []string `json:"languages,omitempty"`
	Licences    []string `json:"licences,omitempty"`
	Statuses    []string `json:"statuses,omitempty"` // possible-copyright-status
	Closed      string   `json:"closed,omitempty"`   // why its files are not for everybody, "" where they are
}

// item is an item with its files.
type item struct {
	facts
	Files     []file   `json:"files,omitempty"`
	Subtitles []string `json:"subtitles,omitempty"` // names of files
}

// file is a video of an item.
type file struct {
	Name     string        `json:"name"`
	Format   string        `json:"format,omitempty"`
	Original string        `json:"original,omitempty"` // the file that it was made from, "" where it is one itself
	Size     int64         `json:"size,omitempty"`     // bytes
	Length   time.Duration `json:"length,omitempty"`
	Width    int           `json:"width,omitempty"`
	Height   int           `json:"height,omitempty"`
}

// record are the fields of an item as searches and metadata write them.
type record struct {
	Identifier  values `json:"identifier"`
	Title       values `json:"title"`
	Year        values `json:"year"`
	Date        values `json:"date"`
	MediaType   values `json:"mediatype"`
	Collection  values `json:"collection"`
	Language    values `json:"language"`
	LicenseURL  values `json:"licenseurl"`
	Status      values `json:"possible-copyright-status"`
	ExternalIDs values `json:"external-identifier"`
	Restricted  values `json:"access-restricted-item"`
}

// identifier is what an item may be called. It is part of addresses.
var identifier = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

func isIdentifier(id string) bool { return identifier.MatchString(id) && id != "." && id != ".." }

// facts reads the fields; ok is false for what is no item that can be asked for.
func (r *record) facts() (facts, bool) {
	f := facts{
		ID: r.Identifier.first(), Titles: r.Title.clean(), Year: r.Year.year(), Media: strings.ToLower(r.MediaType.first()),
		Collections: r.Collection, Languages: r.Language, Licences: r.LicenseURL, Statuses: r.Status,
	}
	if f.Year == 0 {
		f.Year = r.Date.year()
	}
	for _, id := range r.ExternalIDs {
		if id, ok := imdbOf(id); ok {
			f.IMDb = append(f.IMDb, id)
		}
	}
	switch {
	case r.Restricted.isTrue():
		f.Closed = "its access is restricted"
	default:
		for _, c := range f.Collections {
			switch strings.ToLower(c) {
			case "inlibrary", "printdisabled", "stream_only":
				f.Closed = "it is in the collection " + strings.ToLower(c)
			}
		}
	}
	return f, isIdentifier(f.ID)
}

// imdbOf is the IMDb id that an external identifier names, such as "urn:imdb:tt0063350".
func imdbOf(urn string) (string, bool) {
	const prefix = "urn:imdb:"
	urn = strings.ToLower(urn)
	id, ok := strings.CutPrefix(urn, prefix)
	return id, ok && sources.IsIMDbID(id)
}

// readSearch reads the answer to a search. A row that cannot be read is left out.
func readSearch(req fetch.Request, body []byte) ([]facts, error) {
	var answer struct {
		Error    values `json:"error"`
		Response *struct {
			Docs []json.RawMessage `json:"docs"`
		} `json:"response"`
	}
	if err := decode(req, body, &answer); err != nil {
		return nil, err
	}
	switch {
	case answer.Error.first() != "":
		return nil, badAnswer(req, nil, "it says: "+text.Shorten(answer.Error.first(), 80))
	case answer.Response == nil:
		return nil, badAnswer(req, nil, "it is no answer to a search")
	}
	found := make([]facts, 0, len(answer.Response.Docs))
	for _, row := range answer.Response.Docs[:min(len(answer.Response.Docs), maxRows)] {
		var r record
		if json.Unmarshal(row, &r) != nil {
			continue
		}
		if f, ok := r.facts(); ok {
			found = append(found, f)
		}
	}
	return found, nil
}

// metadata is an item, or why there is none to be had.
type metadata struct {
	Item  item   `json:"item"`
	Gone  string `json:"gone,omitempty"` // why it has no files now, "" where it may
	brief bool   // it may be otherwise in a moment
}

// readMetadata reads the answer for the item with the given id.
func readMetadata(req fetch.Request, id string, body []byte) (metadata, error) {
	var answer struct {
		Error       values          `json:"error"`
		Metadata    json.RawMessage `json:"metadata"`
		Files       json.RawMessage `json:"files"`
		Dark        values          `json:"is_dark"`
		Unavailable values          `json:"servers_unavailable"`
	}
	if err := decode(req, body, &answer); err != nil {
		return metadata{}, err
	}
	var r record
	switch {
	case answer.Error.first() != "":
		return metadata{}, badAnswer(req, nil, "it says: "+text.Shorten(answer.Error.first(), 80))
	case answer.Dark.isTrue():
		return metadata{Gone: "it was taken down"}, nil
	case answer.Unavailable.isTrue():
		return metadata{Gone: "its servers are not available now", brief: true}, nil
	case !bytes.HasPrefix(answer.Metadata, []byte("{")):
		return metadata{Gone: "it does not exist"}, nil
	}
	if err := json.Unmarshal(answer.Metadata, &r); err != nil {
		return metadata{}, badAnswer(req, nil, err.Error())
	}
	r.Identifier = values{id}
	m := metadata{}
	m.Item.facts, _ = r.facts()
	m.Item.addFiles(answer.Files)
	return m, nil
}

// addFiles adds the videos and subtitles of a list of files. One that cannot be read, or
// is not for everybody, is left out.
func (i *item) addFiles(list json.RawMessage) {
	var rows []json.RawMessage
	if json.Unmarshal(list, &rows) != nil {
		return
	}
	for _, row := range rows {
		var f struct {
			Name     values `json:"name"`
			Source   values `json:"source"`
			Format   values `json:"format"`
			Original values `json:"original"`
			Size     values `json:"size"`
			Length   values `json:"length"`
			Width    values `json:"width"`
			Height   values `json:"height"`
			Private  values `json:"private"`
		}
		if len(i.Files)+len(i.Subtitles) == maxFiles || json.Unmarshal(row, &f) != nil {
			continue
		}
		name := f.Name.first()
		if f.Private.isTrue() || !isFileName(name) {
			continue
		}
		switch {
		case isSubtitle(name):
			i.Subtitles = append(i.Subtitles, name)
		case isVideo(name, f.Format.first()):
			v := file{
				Name: name, Format: text.Clean(f.Format.first()), Size: f.Size.number(), Length: lengthOf(f.Length.first()),
				Width: f.Width.size(), Height: f.Height.size(),
			}
			if strings.EqualFold(f.Source.first(), "derivative") {
				v.Original = f.Original.first()
			}
			i.Files = append(i.Files, v)
		}
	}
}

// isFileName tells whether the name of a file can stand in the address of its item.
func isFileName(name string) bool {
	if strings.HasPrefix(name, "history/") { // what it was before it was replaced
		return false
	}
	for segment := range strings.SplitSeq(name, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

func isSubtitle(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".srt", ".vtt", ".ass", ".ssa":
		return true
	}
	return false
}

// isVideo tells whether a file is one that plays: by its format, or else by its name.
// The pieces of a DVD are none.
func isVideo(name, format string) bool {
	if rankOf(format) < otherFormat {
		return true
	}
	return link.MediaOf(name).Video && !strings.EqualFold(path.Ext(name), ".vob")
}

// formats are those of videos, the best first where the picture is the same: of one that
// starts at once the index comes first. Their names are in lower case.
var formats = []string{
	"h.264 ia", "h.264 hd", "h.264", "hires mpeg4", "mpeg4", "matroska", "webm", "quicktime", "mpeg2", "divx",
	"ogg video", "windows media", "cinepack", "512kb mpeg4",
}

// otherFormat is the rank of all other formats.
var otherFormat = len(formats)

// rankOf is the place of a format among equals.
func rankOf(format string) int {
	if i := slices.Index(formats, strings.ToLower(format)); i >= 0 {
		return i
	}
	return otherFormat
}

// decode reads an answer, which must be a JSON object.
func decode(req fetch.Request, body []byte, into any) error {
	body = bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\ufeff"))
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return badAnswer(req, body, "it is no JSON object")
	}
	if err := json.Unmarshal(body, into); err != nil {
		return badAnswer(req, body, err.Error())
	}
	return nil
}

// badAnswer says that the answer to req is not what it should be; body is quoted where
// it is text.
func badAnswer(req fetch.Request, body []byte, what string) error {
	said := ""
	if snippet := fetch.Snippet(req.URL, body); snippet != "" {
		said = fmt.Sprintf(" (%s)", snippet)
	}
	return sources.Errorf(sources.ClassHosterFault, "GET %s: the answer cannot be used: %s%s", withoutQuery(link.Redact(req.URL)), text.Clean(what), said)
}
