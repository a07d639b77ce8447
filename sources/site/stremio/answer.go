package stremio

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/text"
)

// maxRows is how many rows of an answer are read.
const maxRows = 1000

// answer is what an add-on answers to a question for streams.
type answer struct {
	rows []row
	bad  int  // rows that are none
	cut  bool // there are more rows than are read
	said str  // an error, where it tells one
}

// decodeStreams reads the answer to req. With an error come the rows that stand before
// what is wrong.
func decodeStreams(req fetch.Request, body []byte) (answer, error) {
	var a answer
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if !bytes.HasPrefix(body, []byte("{")) {
		what := "the answer is not a JSON object"
		if len(body) == 0 {
			what = "the answer is empty"
		}
		return a, badAnswer(req, body, what)
	}
	listed := false
	dec := json.NewDecoder(bytes.NewReader(body))
	_, err := dec.Token()
	for err == nil && dec.More() {
		var key json.Token
		if key, err = dec.Token(); err != nil {
			break
		}
		switch name, _ := key.(string); name {
		case "streams":
			listed = true
			if err = a.readList(dec); a.cut {
				return a, nil
			}
		case "err", "error", "message", "detail":
			var said str
			if err = dec.Decode(&said); a.said == "" {
				a.said = said
			}
		default:
			var other json.RawMessage
			err = dec.Decode(&other)
		}
	}
	if err == nil {
		_, err = dec.Token() // the end of the object
	}
	var wrong *notListError
	switch {
	case errors.As(err, &wrong):
		return a, badAnswer(req, body, "the streams of the answer are no list")
	case err != nil:
		return a, badAnswer(req, body, "the answer is not valid JSON")
	case len(a.rows) == 0 && a.bad > 0:
		return a, badAnswer(req, body, "none of the "+text.Plural(a.bad, "row")+" of the answer can be read")
	case !listed && a.said != "":
		return a, sources.Errorf(sources.ClassHosterFault, "%s reports an error: %s", link.Redact(req.URL), fetch.Snippet(req.URL, []byte(a.said)))
	}
	return a, nil
}

// notListError says that there is something else in the place of rows.
type notListError struct{}

func (*notListError) Error() string { return "it is no list" }

// readList reads a list of rows, or null.
func (a *answer) readList(dec *json.Decoder) error {
	var one json.RawMessage
	token, err := dec.Token()
	switch {
	case err != nil:
		return err
	case token == nil:
		return nil
	case token != json.Delim('['):
		return &notListError{}
	}
	for dec.More() {
		if len(a.rows)+a.bad == maxRows {
			a.cut = true
			return nil
		}
		if err := dec.Decode(&one); err != nil {
			return err
		}
		var r row
		if json.Unmarshal(one, &r) != nil || string(one) == "null" {
			a.bad++
			continue
		}
		a.rows = append(a.rows, r)
	}
	_, err = dec.Token()
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// badAnswer is the error of an answer to req that cannot be used: what says why, and
// the start of body is quoted.
func badAnswer(req fetch.Request, body []byte, what string) error {
	if snippet := fetch.Snippet(req.URL, body); snippet != "" {
		what += ": " + snippet
	}
	return sources.Errorf(sources.ClassHosterFault, "GET %s: %s", link.Redact(req.URL), what)
}

// row is a stream as an add-on describes it.
type row struct {
	Name        str             `json:"name"`
	Title       str             `json:"title"` // what description was called before
	Description str             `json:"description"`
	URL         str             `json:"url"`
	YouTube     str             `json:"ytId"`
	InfoHash    str             `json:"infoHash"`
	Usenet      str             `json:"nzbUrl"`
	Rar         list[any]       `json:"rarUrls"`
	Zip         list[any]       `json:"zipUrls"`
	SevenZip    list[any]       `json:"7zipUrls"`
	Tgz         list[any]       `json:"tgzUrls"`
	Tar         list[any]       `json:"tarUrls"`
	Frame       str             `json:"playerFrameUrl"`
	External    str             `json:"externalUrl"`
	Subtitles   list[subtitle]  `json:"subtitles"`
	Hints       maybe[rowHints] `json:"behaviorHints"`
}

// rowHints are the behaviorHints of a row.
type rowHints struct {
	Filename str                 `json:"filename"`
	Size     count               `json:"videoSize"`
	Group    str                 `json:"bingeGroup"`
	Proxy    maybe[proxyHeaders] `json:"proxyHeaders"`
	Headers  maybe[headerMap]    `json:"headers"` // where some write them
}

type proxyHeaders struct {
	Request maybe[headerMap] `json:"request"`
}

type headerMap map[string]str

type subtitle struct {
	URL      str `json:"url"`
	Language str `json:"lang"`
}

// maxWords is how many bytes of a text of a row are read.
const maxWords = 2 << 10

// name is what the row is called, which is short where all is well.
func (r *row) name() string { return head(r.Name) }

// description is what the row says under its name.
func (r *row) description() string { return head(cmp.Or(r.Description, r.Title)) }

func head(s str) string { return string(s[:min(len(s), maxWords)]) }

// hinted tells whether the row says of which file it is.
func (r *row) hinted() bool { return r.Hints.value.Filename != "" || r.Hints.value.Size > 0 }

// kind is what a row leads to.
type kind int

const (
	kindBad     kind = iota // to nothing
	kindLink                // a link
	kindYouTube             // a video of YouTube
	kindPage                // a page for a browser
	kindTorrent
	kindUsenet
	kindArchive // a film in an archive, which Stremio unpacks
	kindFrame   // a player in a web page
	kindOther   // a link that is not one of the web
)

// target is the link of the row, and its kind. Where there are several, they count in
// the order of Stremio.
func (r *row) target() (address string, k kind) {
	k = kindBad
	if address = cleanURL(r.URL); isWeb(address) {
		return address, linkKind(address)
	} else if scheme := schemeOf(address); scheme == "magnet" {
		return address, kindTorrent
	} else if scheme != "" {
		k = kindOther
	}
	external := cleanURL(r.External)
	switch {
	case isYouTubeID(string(r.YouTube)):
		return youTube(string(r.YouTube)), kindYouTube
	case len(r.Rar.items)+len(r.Zip.items)+len(r.SevenZip.items)+len(r.Tgz.items)+len(r.Tar.items) > 0:
		return "", kindArchive
	case r.Usenet != "":
		return "", kindUsenet
	case r.InfoHash != "":
		return "", kindTorrent
	case r.Frame != "":
		return "", kindFrame
	case isWeb(external):
		return external, pageKind(external)
	case schemeOf(external) != "":
		return external, kindOther
	}
	return "", k
}
