package t4

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/site/tvbox"
	"xship/sources/text"
)

// playAnswer is what the server answers to a play call.
type playAnswer struct {
	Parse   flag            `json:"parse"` // the URL is a page to be searched for the stream
	Jx      flag            `json:"jx"`    // the URL is for a parser of the interface
	URL     json.RawMessage `json:"url"`
	PlayURL tvbox.Text      `json:"playUrl"` // prefix
	Header  json.RawMessage `json:"header"`
	Headers json.RawMessage `json:"headers"`
	Code    tvbox.Text      `json:"code"`
	Msg     tvbox.Text      `json:"msg"`
	Error   tvbox.Text      `json:"error"`
	DRM     json.RawMessage `json:"drm"`

	versions []version // from URL
}

// version is one stream of several that a link has.
type version struct {
	name string // cleaned, such as "720P", or ""
	url  string // cleaned
}

// flag is set by true and by any number but 0, as a string too.
type flag bool

// UnmarshalJSON never fails.
func (f *flag) UnmarshalJSON(b []byte) error {
	switch s := strings.Trim(string(b), `" `); s {
	case "", "0", "false", "null":
		*f = false
	default:
		*f = true
	}
	return nil
}

// decodePlay reads the answer to req. One without any link is an error.
func decodePlay(req fetch.Request, body []byte) (*playAnswer, error) {
	document, _, err := tvbox.Document(req, body)
	if err != nil {
		return nil, err
	}
	var a playAnswer
	if json.Unmarshal(document, &a) != nil {
		return nil, tvbox.BadAnswer(req, body, "the answer is not a JSON object")
	}
	a.versions = versions(a.URL)
	switch {
	case len(a.versions) > 0:
		return &a, nil
	case a.Error != "":
		return nil, tvbox.Reported(req, a.Error)
	case a.Msg != "" && a.Code != "1" && a.Code != "200":
		return nil, tvbox.Reported(req, a.Msg)
	default:
		return nil, tvbox.BadAnswer(req, body, "the answer holds no link")
	}
}

// versions reads a URL, an array of names and URLs in turn, or an object whose
// values are objects with a name "n" and a URL "v".
func versions(raw json.RawMessage) []version {
	if len(raw) == 0 {
		return nil
	}
	var found []version
	switch raw[0] {
	case '"':
		found = add(found, "", str(raw))
	case '[':
		found = pairs(raw)
	case '{':
		var object struct {
			Values json.RawMessage `json:"values"`
		}
		if json.Unmarshal(raw, &object) == nil {
			found = pairs(object.Values)
		}
	}
	return found
}

// pairs reads the elements of an array: names, each before its URL, URLs
// without a name, and objects that hold both.
func pairs(raw json.RawMessage) []version {
	var elements []json.RawMessage
	if json.Unmarshal(raw, &elements) != nil {
		return nil
	}
	var found []version
	name := ""
	for _, element := range elements {
		if element[0] == '{' {
			var v struct {
				Name tvbox.Text `json:"n"`
				URL  tvbox.Text `json:"v"`
			}
			if json.Unmarshal(element, &v) == nil {
				found = add(found, string(v.Name), string(v.URL))
			}
			continue
		}
		if s := str(element); isLink(s) {
			found, name = add(found, name, s), ""
		} else {
			name = s
		}
	}
	return found
}

// isLink tells a URL from the name of one, which may hold a colon.
func isLink(s string) bool { return strings.Contains(s, "://") || strings.HasPrefix(s, "/") }

func str(raw json.RawMessage) string {
	var s tvbox.Text
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return string(s)
}

// add appends a version whose URL is one, and a new one.
func add(all []version, name, rawURL string) []version {
	rawURL = text.Clean(rawURL)
	known := slices.ContainsFunc(all, func(v version) bool { return v.url == rawURL })
	if known || len(all) == maxVersions || !tvbox.HasScheme(rawURL) && !strings.HasPrefix(rawURL, "/") {
		return all
	}
	return append(all, version{name: tvbox.Text(name).Clean(), url: rawURL})
}

// needs says what a player would need beside the links, or "".
func (a *playAnswer) needs() string {
	switch {
	case bool(a.Jx):
		return "needs a parser: the site leaves the link to one of the interface's"
	case bool(a.Parse):
		return "needs a parser: the site gives a page instead of the stream"
	case bytes.HasPrefix(a.DRM, []byte("{")):
		return "needs a licence: the stream is encrypted"
	default:
		return ""
	}
}

// headers are those to be sent with the links: an object, or a string that
// holds one.
func (a *playAnswer) headers() map[string]string {
	all := headerObject(a.Header)
	if len(all) == 0 {
		all = headerObject(a.Headers)
	}
	headers := make(map[string]string, len(all))
	for name, value := range all {
		headers[name] = string(value)
	}
	return link.ForPlayer(headers)
}

func headerObject(raw json.RawMessage) map[string]tvbox.Text {
	if len(raw) > 0 && raw[0] == '"' {
		raw = json.RawMessage(str(raw))
	}
	var all map[string]tvbox.Text
	if json.Unmarshal(raw, &all) != nil {
		return nil
	}
	return all
}
