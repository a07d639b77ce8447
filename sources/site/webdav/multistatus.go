package webdav

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
)

// maxResponses bounds the entries of one listing.
const maxResponses = 50_000

// resource is what a multistatus says of one resource.
type resource struct {
	path     string // escaped, from "/" on
	folder   bool
	size     int64 // -1 where it is not told
	modified time.Time
	etag     string // "" where it has none
}

// response is a DAV:response. Names count whatever their namespace is: servers that
// forget it mean that of WebDAV.
type response struct {
	Href     []string   `xml:"href"`
	Status   string     `xml:"status"`
	Propstat []propstat `xml:"propstat"`
}

type propstat struct {
	Status string `xml:"status"`
	Prop   prop   `xml:"prop"`
}

type prop struct {
	Length       string        `xml:"getcontentlength"`
	Modified     string        `xml:"getlastmodified"`
	ETag         string        `xml:"getetag"`
	ResourceType *resourceType `xml:"resourcetype"`
}

type resourceType struct {
	Collection *struct{} `xml:"collection"`
}

// parseMultistatus reads the answer to a PROPFIND. A response that cannot be used is left
// out, and a document that breaks off is an error.
func parseMultistatus(body []byte) ([]resource, error) {
	d := xml.NewDecoder(bytes.NewReader(escapeStray(body)))
	d.Strict = false
	d.CharsetReader = charset.NewReaderLabel
	if err := enter(d); err != nil {
		return nil, err
	}
	var all []resource
	for {
		token, err := d.Token()
		if err != nil {
			return nil, broken(err)
		}
		switch token := token.(type) {
		case xml.EndElement:
			return all, nil
		case xml.StartElement:
			if token.Name.Local != "response" {
				if err := d.Skip(); err != nil {
					return nil, broken(err)
				}
				continue
			}
			var r response
			if err := d.DecodeElement(&r, &token); err != nil {
				return nil, broken(err)
			}
			if res, ok := r.resource(); ok {
				all = append(all, res)
			}
			if len(all) > maxResponses {
				return nil, fmt.Errorf("the folder has more than %d entries", maxResponses)
			}
		}
	}
}

// errNoMultistatus says that an answer is of another kind.
var errNoMultistatus = errors.New("the answer is no WebDAV listing")

// enter reads up to the start of the multistatus.
func enter(d *xml.Decoder) error {
	for {
		token, err := d.Token()
		if err != nil {
			return errNoMultistatus
		}
		if start, ok := token.(xml.StartElement); ok {
			if start.Name.Local != "multistatus" {
				return errNoMultistatus
			}
			return nil
		}
	}
}

func broken(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the WebDAV listing cannot be read: %w", err)
}

// escapeStray escapes bytes that XML has no place for as URLs do it: in an address they
// mean the same then.
func escapeStray(body []byte) []byte {
	clean := func(c byte) bool { return c >= ' ' || c == '\t' || c == '\n' || c == '\r' }
	utf := utf8.Valid(body)
	if utf && bytes.IndexFunc(body, func(r rune) bool { return r < ' ' && !clean(byte(r)) }) < 0 {
		return body
	}
	if prolog, _, found := bytes.Cut(body, []byte("?>")); !utf && found && bytes.Contains(prolog, []byte("encoding")) && !bytes.Contains(bytes.ToLower(prolog), []byte("utf-8")) {
		utf = true // by its own word it is in another character set
	}
	out := make([]byte, 0, len(body)+len(body)/8)
	for i := 0; i < len(body); {
		_, n := utf8.DecodeRune(body[i:])
		if c := body[i]; n == 1 && (!clean(c) || c >= utf8.RuneSelf && !utf) {
			out = fmt.Appendf(out, "%%%02X", c)
		} else {
			out = append(out, body[i:i+n]...)
		}
		i += n
	}
	return out
}

// resource is what the response tells of its resource; ok is false where that is gone,
// refused or without address.
func (r *response) resource() (res resource, ok bool) {
	if len(r.Href) == 0 || !succeeded(r.Status) {
		return resource{}, false
	}
	res = resource{path: escapedPath(r.Href[0]), size: -1}
	res.folder = strings.HasSuffix(res.path, "/")
	for _, p := range r.Propstat {
		if !succeeded(p.Status) {
			continue
		}
		if p.Prop.ResourceType != nil {
			res.folder = p.Prop.ResourceType.Collection != nil
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(p.Prop.Length), 10, 64); err == nil && n >= 0 {
			res.size = n
		}
		if t, err := http.ParseTime(strings.TrimSpace(p.Prop.Modified)); err == nil {
			res.modified = t
		}
		if tag := strings.TrimSpace(p.Prop.ETag); tag != "" {
			res.etag = tag
		}
	}
	return res, res.path != ""
}

// succeeded tells whether a status line is one of success, as none at all is.
func succeeded(line string) bool {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return true
	}
	if len(fields) > 1 && strings.HasPrefix(strings.ToUpper(fields[0]), "HTTP/") {
		fields = fields[1:]
	}
	code, err := strconv.Atoi(fields[0])
	return err == nil && code >= 200 && code <= 299
}

// escapedPath is the path of the address of a resource. Behind a proxy its host may be
// that of the server itself: only the path counts. Servers that escape nothing write
// every character of a name as it is, and some write "%" for itself.
func escapedPath(href string) string {
	href = strings.TrimSpace(href)
	if scheme, rest, ok := strings.Cut(href, "://"); ok && !strings.Contains(scheme, "/") {
		i := strings.IndexByte(rest, '/')
		if i < 0 {
			return "/"
		}
		href = rest[i:]
	}
	if !strings.HasPrefix(href, "/") {
		return ""
	}
	var b strings.Builder
	for i := range len(href) {
		switch c := href[i]; {
		case c == '%' && !isEscape(href[i:]):
			b.WriteString("%25")
		case c <= ' ' || c >= 0x7f || strings.IndexByte(`"#<>?[\]^{|}`+"`", c) >= 0:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isEscape(s string) bool {
	if len(s) < 3 {
		return false
	}
	_, err := strconv.ParseUint(s[1:3], 16, 8)
	return err == nil
}
