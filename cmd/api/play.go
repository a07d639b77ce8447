package api

import (
	"strings"

	"xship/cmd/engine"
	"xship/sources/link"
	"xship/sources/text"
)

// Play is the JSON document of xship play. Its URL and headers are those that a
// player needs, with the tokens that they hold.
type Play struct {
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	MIME      string            `json:"mime"`
	ExpiresAt int64             `json:"expires_at"` // Unix seconds, 0 = not known
	Source    Source            `json:"source"`
	Tried     []Tried           `json:"tried"`
}

// Tried is a source that was tried before the one that plays. N is its row in the
// list of xship scan, 0 where it is not in that.
type Tried struct {
	N      int    `json:"n"`
	Hoster string `json:"hoster"`
	Class  string `json:"class"`
	Error  string `json:"error"`
}

// NewPlay is the document of a stream that plays.
func NewPlay(p engine.Played, shown ShownURLs) Play {
	doc := Play{
		URL: p.Stream.URL, Headers: make(map[string]string, len(p.Stream.Headers)), MIME: p.Stream.MIME, ExpiresAt: Unix(p.Stream.ExpiresAt),
		Source: NewSource(p.Row, p.Source, shown), Tried: make([]Tried, 0, len(p.Tried)),
	}
	doc.Source.setMedia(p.Media)
	for name, value := range p.Stream.Headers {
		doc.Headers[name] = value
	}
	for _, t := range p.Tried {
		doc.Tried = append(doc.Tried, NewTried(t))
	}
	return doc
}

// PlayLink is the JSON document of a link that xship play was given, a line each. That of
// one that does not play has no URL, and says why.
type PlayLink struct {
	Play
	Error *Failure `json:"error,omitempty"`
}

// NewPlayLink is the document of what became of a link.
func NewPlayLink(p engine.PlayedLink, shown ShownURLs) PlayLink {
	doc := PlayLink{Play: NewPlay(p.Played, shown)}
	if p.Err != nil {
		f := FailureOf(p.Err)
		f.Message, f.Hint = text.CleanLines(f.Message), text.CleanLines(f.Hint)
		doc.Error = &f
	}
	return doc
}

// NewTried is the document of a source that did not play.
func NewTried(t engine.Tried) Tried {
	return Tried{
		N: t.Row, Hoster: text.Clean(t.Source.Hoster), Class: string(t.Class),
		// Which link that was is said by the row.
		Error: strings.TrimPrefix(t.Error, "GET "+link.Redact(t.Source.URL)+": "),
	}
}
