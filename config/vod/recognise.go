package vod

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// headSize is how much of a body is looked at to recognise what it is.
const headSize = 4096

// finding is what a body is instead of a config.
type finding struct {
	cause  Cause
	detail string
	hint   string
}

// recognise names a body that is no JSON object, and returns nil for one that
// starts like one.
func recognise(doc Document) *finding {
	body := bytes.TrimPrefix(doc.Body, []byte("\ufeff"))
	if f := recogniseBinary(body); f != nil {
		return f
	}
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 {
		return &finding{CauseEmpty, "got an empty body", "check the address in a browser"}
	}
	if bytes.HasPrefix(trimmed, []byte("#EXT")) {
		return liveList()
	}
	start := startOf(trimmed)
	switch {
	case len(start) == 0:
		return &finding{CauseNotConfig, "got nothing but comments", hintNotConfig}
	case start[0] == '{':
		return nil
	case start[0] == '[':
		return &finding{CauseNotConfig, "got a JSON array instead of an object with sites", hintNotConfig}
	case start[0] == '<':
		return recogniseMarkup(start, doc.ContentType)
	default:
		return recogniseText(trimmed)
	}
}

const (
	hintNotConfig = "an interface is a JSON document with a list named sites; check the address"
	hintEncoded   = "this version reads plain JSON only; use the address of the plain config"
)

func liveList() *finding {
	return &finding{
		CauseM3U, "got a list of live channels instead of a config with sites",
		"add the address of a config for films and series (VOD)",
	}
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
	magics := []struct{ magic, what string }{
		{"\x1f\x8b", "gzip-compressed data"},
		{"\x28\xb5\x2f\xfd", "zstd-compressed data"},
		{"PK\x03\x04", "a ZIP file"},
		{"\xff\xd8\xff", "a JPEG image, which may hide a config"},
		{"\x89PNG", "a PNG image, which may hide a config"},
		{"GIF8", "a GIF image, which may hide a config"},
		{"RIFF", "a WebP image, which may hide a config"},
		{"BM", "a BMP image, which may hide a config"},
	}
	for _, m := range magics {
		if bytes.HasPrefix(body, []byte(m.magic)) && isBinary(body) {
			return &finding{CauseEncoded, "got " + m.what, hintEncoded}
		}
	}
	if bytes.HasPrefix(body, []byte("\xff\xfe")) || bytes.HasPrefix(body, []byte("\xfe\xff")) {
		return &finding{CauseEncoded, "got UTF-16 text", "save the config as UTF-8"}
	}
	return nil
}

// isBinary tells whether the head of body holds bytes that no text holds.
func isBinary(body []byte) bool {
	head := body[:min(len(body), headSize)]
	return bytes.IndexByte(head, 0) >= 0 || !utf8.Valid(trimPartialRune(head))
}

// trimPartialRune drops a character that the end of head cuts through.
func trimPartialRune(head []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax, len(head)); i++ {
		if c := head[len(head)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(head[len(head)-i:]) {
				return head[:len(head)-i]
			}
			break
		}
	}
	return head
}

// recogniseMarkup tells a web page from other XML.
func recogniseMarkup(body []byte, contentType string) *finding {
	head := bytes.ToLower(body[:min(len(body), headSize)])
	isHTML := strings.Contains(strings.ToLower(contentType), "html")
	for _, tag := range []string{"<!doctype html", "<html", "<head", "<body", "<script", "<title"} {
		isHTML = isHTML || bytes.Contains(head, []byte(tag))
	}
	if !isHTML {
		return &finding{CauseNotConfig, "got XML instead of a config", hintNotConfig}
	}
	detail := "got a web page (HTML) instead of a config"
	if title := pageTitle(body); title != "" {
		detail += fmt.Sprintf(", titled %q", title)
	}
	return &finding{CauseHTML, detail, "use the address of the raw file, not of the page that shows it"}
}

var titlePattern = regexp.MustCompile(`(?is)<title[^>]*>([^<]*)`)

func pageTitle(body []byte) string {
	head := body[:min(len(body), headSize)]
	m := titlePattern.FindSubmatch(head)
	if m == nil {
		return ""
	}
	return shorten(string(m[1]), 60)
}

// recogniseText names a body that starts with neither a bracket nor a tag.
func recogniseText(body []byte) *finding {
	head := body[:min(len(body), headSize)]
	switch {
	case bytes.Contains(head, []byte(",#genre#")), bytes.Contains(head, []byte("\n#EXTINF")):
		return liveList()
	case isCipher(head):
		return &finding{CauseEncoded, "got an encrypted config (AES, 2423…)", hintEncoded}
	case hasMarker(body):
		return &finding{CauseEncoded, "got a base64 config behind a ** marker", hintEncoded}
	case isBase64(head):
		return &finding{CauseEncoded, "got a base64 config", hintEncoded}
	case isBinary(head):
		return &finding{CauseNotConfig, "got binary data instead of a config", hintNotConfig}
	default:
		return &finding{CauseNotConfig, fmt.Sprintf("got text instead of a config: %q", shorten(string(head), 80)), hintNotConfig}
	}
}

// isCipher knows the hex text of an AES-encrypted config, which starts with "$#".
func isCipher(head []byte) bool {
	if !bytes.HasPrefix(head, []byte("2423")) {
		return false
	}
	return len(bytes.Trim(head, "0123456789abcdefABCDEF\r\n\t ")) == 0
}

// hasMarker looks for the eight letters and digits and two asterisks that base64
// configs stand behind.
func hasMarker(body []byte) bool {
	i := bytes.Index(body, []byte("**"))
	return i >= 8 && len(bytes.Trim(body[i-8:i], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")) == 0
}

// isBase64 knows base64 of a text that starts with a brace or a comment.
func isBase64(head []byte) bool {
	for _, prefix := range []string{"ey", "ew", "Ly8", "Iy", "77u/"} {
		if bytes.HasPrefix(head, []byte(prefix)) {
			return len(head) >= 32 && len(bytes.Trim(head, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/=-_\r\n\t ")) == 0
		}
	}
	return false
}
