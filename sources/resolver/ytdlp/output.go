package ytdlp

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// jsonString is a JSON string; anything else is "".
type jsonString string

// UnmarshalJSON implements json.Unmarshaler.
func (t *jsonString) UnmarshalJSON(raw []byte) error {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		*t = jsonString(s)
	}
	return nil
}

// list is a JSON list; anything else, and what is in it but cannot be read, is
// left out.
type list[T any] []T

// UnmarshalJSON implements json.Unmarshaler.
func (l *list[T]) UnmarshalJSON(raw []byte) error {
	var items []json.RawMessage
	_ = json.Unmarshal(raw, &items) // what is no list has no items
	for _, item := range items {
		var v T
		if json.Unmarshal(item, &v) == nil {
			*l = append(*l, v)
		}
	}
	return nil
}

// headerMap is a JSON object of strings.
type headerMap map[string]string

// UnmarshalJSON implements json.Unmarshaler.
func (h *headerMap) UnmarshalJSON(raw []byte) error {
	var values map[string]jsonString
	_ = json.Unmarshal(raw, &values) // what is no object has no values
	for name, value := range values {
		if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(string(value)) {
			continue
		}
		if *h == nil {
			*h = make(headerMap)
		}
		(*h)[http.CanonicalHeaderKey(name)] = string(value)
	}
	return nil
}

// format is one form of a video.
type format struct {
	URL      jsonString `json:"url"`
	Manifest jsonString `json:"manifest_url"`
	Protocol jsonString `json:"protocol"`
	Ext      jsonString `json:"ext"`
	VCodec   jsonString `json:"vcodec"`
	ACodec   jsonString `json:"acodec"`
	Headers  headerMap  `json:"http_headers"`
}

// answer is what yt-dlp says about a link. The chosen format is in the answer
// itself.
type answer struct {
	format
	Entries list[answer] `json:"entries"` // of a playlist
	Formats list[format] `json:"formats"` // the best comes last
}

// parse finds the stream in the JSON of yt-dlp.
func parse(output []byte) (sources.Stream, error) {
	var a answer
	if err := json.Unmarshal(output, &a); err != nil {
		return sources.Stream{}, sources.Errorf(sources.ClassUnsupported, "its answer is no JSON: %w", err)
	}
	if len(a.Entries) > 0 {
		a = a.Entries[0]
	}
	if s, ok := a.stream(); ok {
		return s, nil
	}
	for _, f := range slices.Backward(a.Formats) {
		if f.VCodec == "none" || f.ACodec == "none" {
			continue // picture or sound alone
		}
		if s, ok := f.stream(); ok {
			return s, nil
		}
	}
	return sources.Stream{}, sources.Errorf(sources.ClassUnsupported, "it found no format that a player can take by one http or https link")
}

func (f format) stream() (sources.Stream, bool) {
	address := string(f.URL)
	s := sources.Stream{MIME: link.MediaOf("." + string(f.Ext)).MIME}
	switch protocol, _, _ := strings.Cut(string(f.Protocol), "+"); protocol {
	case "", "http", "https":
	case "m3u8", "m3u8_native":
		s.MIME = link.MIMEHLS
	case "http_dash_segments":
		address, s.MIME = string(f.Manifest), link.MIMEDASH
	default:
		return sources.Stream{}, false
	}
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return sources.Stream{}, false
	}
	s.URL = link.Escape(address)
	for name, value := range f.Headers {
		if name == "Accept-Encoding" {
			continue // players ask for what they know
		}
		if s.Headers == nil {
			s.Headers = make(map[string]string)
		}
		s.Headers[name] = value
	}
	return s, true
}

// verdicts map the messages of yt-dlp to classes. The first that matches
// counts; the words are in lower case.
var verdicts = []struct {
	class sources.Class
	words []string
}{
	{sources.ClassDeadLink, []string{
		"http error 404", "http error 410", "video unavailable", "has been removed", "was removed", "no longer available", "does not exist",
		"been deleted", "video not found", "account has been terminated",
	}},
	{sources.ClassUnsupported, []string{
		"unsupported url", "no video formats", "no suitable formats", "requested format is not available", "is not a valid url", "unable to extract",
		"geo restrict", "geo-restrict", "your country", "your location", "log in", "login", "sign in", "cookies", "registered users", "members only",
		"members-only", "private video", "premium", "subscri", "drm", "captcha", "confirm your age", "age-restricted", "confirm you", "cloudflare", "http error 401",
	}},
	{sources.ClassHosterFault, []string{
		"http error", "unable to download", "timed out", "timeout", "connection refused", "connection reset", "connection aborted", "remote end closed",
		"urlopen error", "getaddrinfo", "name or service not known", "name resolution", "network is unreachable", "no route to host", "certificate", "ssl",
		"incompleteread", "transport",
	}},
}

// classify reads the messages of a run on link that failed.
func classify(messages, address string) (sources.Class, string) {
	message := ""
	for line := range strings.Lines(messages) {
		line = text.Clean(strings.TrimSpace(line))
		if strings.HasPrefix(line, "Reading options from STDIN") { // which is what it was told
			continue
		}
		if after, ok := strings.CutPrefix(line, "ERROR:"); ok {
			message = strings.TrimSpace(after)
		} else if message == "" {
			message = line
		}
	}
	if message == "" {
		return sources.ClassUnsupported, "it failed and did not say why"
	}
	lower := strings.ToLower(strings.ReplaceAll(message, address, ""))
	message = shorten(strings.ReplaceAll(message, address, link.Redact(address)))
	for _, v := range verdicts {
		if slices.ContainsFunc(v.words, func(words string) bool { return strings.Contains(lower, words) }) {
			return v.class, message
		}
	}
	return sources.ClassUnsupported, message
}

// shorten takes off what yt-dlp adds for its own users.
func shorten(message string) string {
	const longest = 200
	for _, tail := range []string{"; please report this", " (caused by", ". Confirm you are on the latest"} {
		message, _, _ = strings.Cut(message, tail)
	}
	return text.Shorten(message, longest)
}
