package vod

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"xship/sources/text"
)

// headSize is how much of a body is looked at to recognise what it is.
const headSize = 4096

// finding is what a body is instead of a JSON object: either something that is no
// config, or a shell with a text in it.
type finding struct {
	cause  Cause
	detail string
	hint   string

	shell string // what the text was in, for people
	text  []byte // nil = nothing could be taken out
}

// recognise gives the text of a body, in UTF-8, and names one that is no JSON object;
// the finding is nil for one that starts like one.
func recognise(body []byte, contentType string) ([]byte, *finding) {
	if f := recogniseBinary(bytes.TrimPrefix(body, []byte("\ufeff"))); f != nil {
		return nil, f
	}
	decoded, ok := text.Decode(body, contentType)
	if ok {
		return decoded, recogniseUTF8(decoded, contentType)
	}
	f := recogniseUTF8(body, contentType)
	if f == nil || f.cause == CauseNotConfig { // else there are other words for it
		f = unreadable(body)
	}
	return nil, f
}

// unreadable names what is neither text nor anything else that is known.
func unreadable(body []byte) *finding {
	isControl := func(r rune) bool { return r < ' ' && !unicode.IsSpace(r) }
	if bytes.ContainsFunc(body[:min(len(body), headSize)], isControl) {
		return notConfig("got binary data instead of a config")
	}
	return &finding{cause: CauseEncoded, detail: "got a text in a character set that cannot be read", hint: "save the config as UTF-8, or use another interface"}
}

// recogniseUTF8 is recognise of a text in UTF-8.
func recogniseUTF8(body []byte, contentType string) *finding {
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 {
		return &finding{cause: CauseEmpty, detail: "got an empty body", hint: "check the address in a browser"}
	}
	if bytes.HasPrefix(trimmed, []byte("#EXT")) {
		return liveList()
	}
	start := startOf(trimmed)
	switch {
	case len(start) == 0:
		return notConfig("got nothing but comments")
	case start[0] == '{':
		return nil
	}
	if inner, from := text.Unwrap(start); from != "" && len(inner) > 0 && inner[0] != '<' {
		return &finding{shell: from, text: inner}
	}
	switch {
	case start[0] == '[' && startsArray(start):
		return notConfig("got a JSON array instead of an object with sites")
	case start[0] == '<':
		return recogniseMarkup(start, contentType)
	default:
		return recogniseText(trimmed)
	}
}

const (
	hintNotConfig = "an interface is a JSON document with a list named sites; check the address"
	hintEncoded   = "use the address of the plain config"
	hintLive      = "add the address of a config for films and series (VOD)"
)

func liveList() *finding {
	return &finding{cause: CauseM3U, detail: "got a list of live channels instead of a config with sites", hint: hintLive}
}

func notConfig(detail string) *finding {
	return &finding{cause: CauseNotConfig, detail: detail, hint: hintNotConfig}
}

func encoded(detail string) *finding {
	return &finding{cause: CauseEncoded, detail: detail, hint: hintEncoded}
}

// startsArray tells a JSON array from other text that starts with a bracket, such as
// the link or the heading of a text in Markdown.
func startsArray(body []byte) bool {
	inner := bytes.TrimSpace(body[1:])
	return len(inner) == 0 || bytes.IndexByte([]byte(`[]{"'-0123456789`), inner[0]) >= 0
}

// startOf skips comments and white space.
func startOf(body []byte) []byte {
	s := scanner{in: body}
	if s.space() != nil {
		return body[s.pos:] // an open comment or a lone slash: the scanner will say so
	}
	return body[s.pos:]
}

// recogniseBinary knows bodies by their first bytes.
func recogniseBinary(body []byte) *finding {
	magics := []struct {
		magic, what string
		image       bool
	}{
		{"\x1f\x8b", "gzip-compressed data", false},
		{"\x28\xb5\x2f\xfd", "zstd-compressed data", false},
		{"PK\x03\x04", "a ZIP file", false},
		{"\xff\xd8\xff", "a JPEG image", true},
		{"\x89PNG", "a PNG image", true},
		{"GIF8", "a GIF image", true},
		{"RIFF", "a WebP image", true},
		{"BM", "a BMP image", true},
	}
	for _, m := range magics {
		switch {
		case !bytes.HasPrefix(body, []byte(m.magic)) || !isBinary(body):
		case m.image:
			return recogniseImage(body, m.what)
		default:
			return encoded("got " + m.what)
		}
	}
	return nil
}

// recogniseImage looks for a config behind the bytes of an image.
func recogniseImage(body []byte, what string) *finding {
	text, found := behindMarker(body)
	switch {
	case text != nil:
		return &finding{shell: what, text: text}
	case found:
		return encoded("got " + what + " with a base64 config that cannot be decoded")
	default:
		return encoded("got " + what + " without a config behind it")
	}
}

// isBinary tells whether body is no text, in whatever charset but UTF-16.
func isBinary(body []byte) bool {
	if hasZero(body) {
		return true
	}
	_, ok := text.Decode(body, "")
	return !ok
}

// hasZero tells whether the head of body holds what no text holds.
func hasZero(body []byte) bool { return bytes.IndexByte(body[:min(len(body), headSize)], 0) >= 0 }

// recogniseMarkup tells a web page from other XML.
func recogniseMarkup(body []byte, contentType string) *finding {
	head := bytes.ToLower(body[:min(len(body), headSize)])
	isHTML := strings.Contains(strings.ToLower(contentType), "html")
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<body", "<script", "<title", "<div", "<p align", "<p>", "<h1", "<center", "<img", "<a href"} {
		isHTML = isHTML || bytes.Contains(head, []byte(tag))
	}
	if !isHTML {
		return notConfig("got XML instead of a config")
	}
	detail := "got a web page (HTML) instead of a config"
	if title := pageTitle(body); title != "" {
		detail += ", titled " + text.Quote(title)
	}
	return &finding{cause: CauseHTML, detail: detail, hint: "use the address of the raw file, not of the page that shows it"}
}

var titlePattern = regexp.MustCompile(`(?is)<title[^>]*>([^<]*)`)

func pageTitle(body []byte) string {
	head := body[:min(len(body), headSize)]
	m := titlePattern.FindSubmatch(head)
	if m == nil {
		return ""
	}
	return excerpt(string(m[1]), 60)
}

// recogniseText names a body that starts with neither a bracket nor a tag.
func recogniseText(body []byte) *finding {
	head := body[:min(len(body), headSize)]
	switch {
	case bytes.Contains(head, []byte(",#genre#")), bytes.Contains(head, []byte("\n#EXTINF")):
		return liveList()
	case isCipher(head):
		return recogniseCipher(body)
	}
	if f := recogniseBase64(body); f != nil {
		return f
	}
	if hasZero(head) {
		return notConfig("got binary data instead of a config")
	}
	return notConfig("got text instead of a config: " + text.Quote(excerpt(string(head), 80)))
}

func recogniseCipher(body []byte) *finding {
	text, err := decrypt(body)
	if err != nil {
		return &finding{
			cause: CauseEncoded, detail: fmt.Sprintf("got an encrypted config: bad key/padding (%v)", err),
			hint: "it is damaged, or made for one app alone; " + hintEncoded,
		}
	}
	return &finding{shell: "an encrypted config", text: text}
}

// recogniseBase64 knows base64 behind a marker, and a body that is nothing else.
func recogniseBase64(body []byte) *finding {
	text, found := behindMarker(body)
	switch {
	case text != nil:
		return &finding{shell: "base64 behind a ** marker", text: text}
	case found:
		return encoded("got a base64 config behind a ** marker that cannot be decoded")
	}
	if text = wholeBase64(body); text != nil {
		return &finding{shell: "base64", text: text}
	}
	if startsLikeBase64(body) {
		return encoded("got a base64 config that cannot be decoded")
	}
	return nil
}
