package stremio

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/url"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
)

// maxRows is how many rows of an answer are read.
const maxRows = 1000

// answer is what an add-on answers to a question for streams.
type answer struct {
	rows int    // that were read
	bad  int    // of them that are none
	cut  bool   // there are more rows than are read
	said string // what it tells beside them, "" for nothing
	fail bool   // by a field of errors
}

// decodeStreams reads the answer to req, and hands each row on, for as long as take runs.
// With an error come the rows that stand before what is wrong.
func decodeStreams(req fetch.Request, body []byte, take func(*row)) (answer, error) {
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
			if err = a.readList(dec, take); a.cut {
				return a, nil
			}
		case "err", "error", "message", "detail":
			var said saying
			if err = dec.Decode(&said); a.said == "" && said != "" {
				a.said, a.fail = string(said), name == "err" || name == "error"
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
	case a.rows == 0 && a.said != "" && (!listed || a.fail && !nothing().MatchString(a.said)):
		return a, sources.Errorf(sources.ClassHosterFault, "%s reports an error: %s", link.Redact(req.URL), fetch.Snippet(req.URL, []byte(a.said)))
	}
	return a, nil
}

// saying is a text or a number other than 0, or what an object has of an error as such.
type saying string

// UnmarshalJSON never fails.
func (s *saying) UnmarshalJSON(b []byte) error {
	var said str
	_ = said.UnmarshalJSON(b) // never fails
	if b[0] == '{' {
		var full struct {
			Message str `json:"message"`
			Error   str `json:"error"`
			Detail  str `json:"detail"`
			Code    str `json:"code"`
		}
		_ = json.Unmarshal(b, &full) // what cannot be read is empty
		said = cmp.Or(full.Message, full.Error, full.Detail, full.Code)
	}
	if *s = saying(said); said == "0" {
		*s = ""
	}
	return nil
}

// notListError says that there is something else in the place of rows.
type notListError struct{}

func (*notListError) Error() string { return "it is no list" }

// readList reads a list of rows, or null.
func (a *answer) readList(dec *json.Decoder, take func(*row)) error {
	token, err := dec.Token()
	switch {
	case err != nil:
		return err
	case token == nil:
		return nil
	case token != json.Delim('['):
		return &notListError{}
	}
	var r row
	for ; dec.More(); a.rows++ {
		if a.rows == maxRows {
			a.cut = true
			return nil
		}
		r = row{}
		err := dec.Decode(&r)
		var wrong *json.UnmarshalTypeError
		switch {
		case err == nil, mismatched(err):
			take(&r)
		case errors.As(err, &wrong): // it is no object
			a.bad++
		default:
			return err
		}
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
	Name        str            `json:"name"`
	Title       str            `json:"title"` // what description was called before
	Description str            `json:"description"`
	URL         str            `json:"url"`
	YouTube     str            `json:"ytId"`
	InfoHash    str            `json:"infoHash"`
	Usenet      str            `json:"nzbUrl"`
	Rar         list[any]      `json:"rarUrls"`
	Zip         list[any]      `json:"zipUrls"`
	SevenZip    list[any]      `json:"7zipUrls"`
	Tgz         list[any]      `json:"tgzUrls"`
	Tar         list[any]      `json:"tarUrls"`
	Frame       str            `json:"playerFrameUrl"`
	External    str            `json:"externalUrl"`
	Subtitles   list[subtitle] `json:"subtitles"`
	Hints       rowHints       `json:"behaviorHints"`
}

// rowHints are the behaviorHints of a row.
type rowHints struct {
	Filename str       `json:"filename"`
	Size     count     `json:"videoSize"`
	Group    str       `json:"bingeGroup"`
	Headers  headerMap `json:"headers"` // where some write them
	Proxy    struct {
		Request headerMap `json:"request"`
	} `json:"proxyHeaders"`
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
func (r *row) hinted() bool { return r.Hints.Filename != "" || r.Hints.Size > 0 }

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

// target is what a row leads to.
type target struct {
	address string   // "" where it has none that xship could use
	url     *url.URL // the same, nil where it is none of the web
	kind    kind
}

// target is the link of the row. Where there are several, they count in the order of
// Stremio.
func (r *row) target() target {
	t := readURL(r.URL)
	switch scheme := schemeOf(t.address); {
	case t.url != nil:
		t.kind = linkKind(t.url)
		return t
	case scheme == "magnet":
		return target{kind: kindTorrent}
	case scheme != "":
		t.kind = kindOther
	}
	switch {
	case isYouTubeID(string(r.YouTube)):
		t = readURL(str(youTube(string(r.YouTube))))
		t.kind = kindYouTube
		return t
	case len(r.Rar)+len(r.Zip)+len(r.SevenZip)+len(r.Tgz)+len(r.Tar) > 0:
		return target{kind: kindArchive}
	case r.Usenet != "":
		return target{kind: kindUsenet}
	case r.InfoHash != "":
		return target{kind: kindTorrent}
	case r.Frame != "":
		return target{kind: kindFrame}
	}
	switch external := readURL(r.External); {
	case external.url != nil:
		external.kind = pageKind(external.url)
		return external
	case schemeOf(external.address) != "":
		external.kind = kindOther
		return external
	}
	return t
}
