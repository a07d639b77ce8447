package maccms

import (
	"bytes"
	"encoding/json"
	"errors"
	"html"
	"strconv"
	"strings"

	"xship/sources"
	"xship/sources/fetch"
)

// response is an answer of the API.
type response struct {
	Code      text  `json:"code"`
	Msg       text  `json:"msg"`
	Error     text  `json:"error"`
	PageCount text  `json:"pagecount"`
	List      []row `json:"list"`
}

// row is a film, or a season of a series.
type row struct {
	ID       text   `json:"vod_id"`
	Name     text   `json:"vod_name"`
	Sub      text   `json:"vod_sub"` // other names
	Year     text   `json:"vod_year"`
	TypeName text   `json:"type_name"`
	Remarks  text   `json:"vod_remarks"`
	Lang     text   `json:"vod_lang"`
	PlayFrom text   `json:"vod_play_from"`
	PlayURL  string `json:"vod_play_url"` // a plain string: it is long
}

// text is a JSON string or number; anything else is "".
type text string

// UnmarshalJSON never fails.
func (t *text) UnmarshalJSON(b []byte) error {
	*t = ""
	switch c := b[0]; {
	case c == '"':
		var s string
		if err := json.Unmarshal(b, &s); err == nil {
			*t = text(s)
		}
	case c == '-' || '0' <= c && c <= '9':
		*t = text(b)
	}
	return nil
}

// int is the number that t starts with, 0 where there is none.
func (t text) int() int {
	s := strings.TrimSpace(string(t))
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		s = s[:end]
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

// clean is t as people read it.
func (t text) clean() string { return sources.CleanText(html.UnescapeString(string(t))) }

// decode reads the answer to rawURL. Rows and fields of the wrong type are left
// out; only a body that is no answer at all, or one that reports a failure, is
// an error.
func decode(rawURL string, body []byte) (*response, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	if len(body) == 0 {
		return nil, badAnswer(rawURL, body, "the answer is empty")
	}
	if body[0] != '{' {
		return nil, badAnswer(rawURL, body, "the answer is not a JSON object")
	}
	var r response
	err := json.Unmarshal(body, &r)
	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
	case !errors.As(err, &wrongType):
		return nil, badAnswer(rawURL, body, "the answer is not valid JSON")
	case len(r.List) == 0:
		r.List = keyedRows(body)
	}
	if len(r.List) > 0 {
		return &r, nil
	}
	return &r, r.failure(rawURL, body)
}

// keyedRows reads the list of a server that numbers its rows:
// {"list": {"0": {...}}}.
func keyedRows(body []byte) []row {
	var r struct {
		List map[string]row `json:"list"`
	}
	var wrongType *json.UnmarshalTypeError
	if err := json.Unmarshal(body, &r); err != nil && !errors.As(err, &wrongType) {
		return nil
	}
	rows := make([]row, len(r.List))
	for key, value := range r.List {
		if i, err := strconv.Atoi(key); err == nil && 0 <= i && i < len(rows) {
			rows[i] = value
		}
	}
	return rows
}

// failure tells whether an answer without rows reports a failure rather than
// that there is nothing.
func (r *response) failure(rawURL string, body []byte) error {
	msg := r.Msg
	if r.Error != "" {
		msg = r.Error
	}
	switch {
	case r.Error != "", r.Code != "" && r.Code != "1" && r.Code != "200" && msg != "":
		return sources.Errorf(sources.ClassHosterFault, "%s reports an error: %s", sources.RedactURL(rawURL), fetch.Snippet(rawURL, []byte(msg)))
	case r.Code == "" && !hasList(body):
		return badAnswer(rawURL, body, "the answer has neither a code nor a list")
	}
	return nil
}

func hasList(body []byte) bool {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil {
		return false
	}
	_, ok := keys["list"]
	return ok
}

// badAnswer quotes the start of what came instead of an answer.
func badAnswer(rawURL string, body []byte, what string) error {
	if snippet := fetch.Snippet(rawURL, body); snippet != "" {
		what += ": " + snippet
	}
	return sources.Errorf(sources.ClassHosterFault, "GET %s: %s", sources.RedactURL(rawURL), what)
}

// candidate is what MatchTitle compares.
func (r row) candidate() sources.Candidate {
	c := sources.Candidate{Names: []string{r.Name.clean()}}
	if year := r.Year.int(); year >= sources.MinYear && year <= sources.MaxYear {
		c.Year = year
	}
	if sub := r.Sub.clean(); sub != "" {
		c.Names = append(c.Names, sub)
		if parts := strings.FieldsFunc(sub, func(c rune) bool { return strings.ContainsRune("/，、；", c) }); len(parts) > 1 {
			c.Names = append(c.Names, parts...)
		}
	}
	return c
}
