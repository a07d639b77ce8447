package httpindex

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"xship/sources/link"
	"xship/sources/site/files"
)

// row is an entry of a listing in JSON, as nginx or as Caddy writes it.
type row struct {
	Name    string `json:"name"`
	Size    *int64 `json:"size"`
	Type    string `json:"type"`     // of nginx: directory, file or other
	MTime   string `json:"mtime"`    // of nginx, as HTTP has it
	URL     string `json:"url"`      // of Caddy: the link
	IsDir   bool   `json:"is_dir"`   // of Caddy
	ModTime string `json:"mod_time"` // of Caddy, by RFC 3339
}

// isList tells whether an answer is JSON such as a listing is.
func isList(body []byte) bool {
	body = bytes.TrimSpace(body)
	return len(body) > 0 && body[0] == '[' || string(body) == "null"
}

// parseList reads a listing in JSON; below is as in parsePage. ok is false where it is
// none. A row that cannot be read is left out.
func parseList(body []byte, at *url.URL, below func(u *url.URL) (e files.Entry, ok bool)) (entries []files.Entry, ok bool) {
	var rows []json.RawMessage
	if err := json.Unmarshal(standIn(body), &rows); err != nil {
		return nil, false
	}
	seen := make(map[string]bool, len(rows))
	for _, raw := range rows {
		var r row
		if json.Unmarshal(raw, &r) != nil || r.Name == "" || r.URL == "" && strings.ContainsRune(r.Name, utf8.RuneError) {
			continue
		}
		r.Name = standOut(r.Name)
		e, isEntry := r.entry(at, below)
		if isEntry && !seen[e.Name] {
			seen[e.Name] = true
			entries = append(entries, e)
		}
	}
	return entries, len(entries) > 0 || len(rows) == 0
}

// inPlace is the first of the characters, for private use, that stand in for the bytes
// which are no UTF-8: nginx writes names as they are.
const inPlace = 0x10_ff00

// standIn is body with characters in the place of bytes that JSON cannot have.
func standIn(body []byte) []byte {
	if utf8.Valid(body) {
		return body
	}
	out := make([]byte, 0, len(body)+len(body)/8)
	for len(body) > 0 {
		r, n := utf8.DecodeRune(body)
		if r == utf8.RuneError && n == 1 {
			r = inPlace + rune(body[0])
		}
		out = utf8.AppendRune(out, r)
		body = body[n:]
	}
	return out
}

// standOut is a name with the bytes that characters stand in for.
func standOut(name string) string {
	if !strings.ContainsFunc(name, isInPlace) {
		return name
	}
	var out []byte
	for _, r := range name {
		if isInPlace(r) {
			out = append(out, byte(r-inPlace))
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return string(out)
}

func isInPlace(r rune) bool { return r >= inPlace+utf8.RuneSelf && r <= inPlace+0xff }

func (r *row) entry(at *url.URL, below func(u *url.URL) (files.Entry, bool)) (files.Entry, bool) {
	href := r.URL
	if href == "" {
		href = "./" + files.Escape(strings.TrimSuffix(r.Name, "/"))
	}
	u, err := link.Parse(href)
	if err != nil || u.RawQuery != "" {
		return files.Entry{}, false
	}
	e, ok := below(at.ResolveReference(u))
	if !ok || e.Name == "" {
		return files.Entry{}, false
	}
	e.Folder = e.Folder || r.IsDir || r.Type == "directory"
	if r.Size != nil && *r.Size >= 0 && !e.Folder {
		e.Size = *r.Size
	}
	if t, err := http.ParseTime(r.MTime); err == nil {
		e.ModTime = t
	}
	if t, err := time.Parse(time.RFC3339, r.ModTime); err == nil {
		e.ModTime = t
	}
	return e, true
}
