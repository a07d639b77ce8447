package tvbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/match"
)

// Answer is what an API answers to a search or to a question for details.
type Answer struct {
	Code      Text  `json:"code"`
	Msg       Text  `json:"msg"`
	Error     Text  `json:"error"`
	PageCount Text  `json:"pagecount"`
	List      []Row `json:"list"`
}

// Bounds of what an answer may hold; more is left out. Without them a few bytes
// for a row or a link would fill the memory.
const (
	MaxRows   = 1000
	MaxGroups = 100    // of a row
	maxItems  = 20_000 // of a row, in all groups
	maxNames  = 20     // of a row, in its vod_sub
)

// Row is a film, or a season of a series.
type Row struct {
	ID       Text   `json:"vod_id"`
	Name     Text   `json:"vod_name"`
	Sub      Text   `json:"vod_sub"` // other names
	Year     Text   `json:"vod_year"`
	TypeName Text   `json:"type_name"`
	Remarks  Text   `json:"vod_remarks"`
	Lang     Text   `json:"vod_lang"`
	PlayFrom Text   `json:"vod_play_from"`
	PlayURL  string `json:"vod_play_url"` // a plain string: it is long
}

// candidate is what match.Title compares.
func (r Row) candidate() match.Candidate {
	c := match.Candidate{Names: []string{r.Name.Clean()}}
	if year := r.Year.Int(); year >= sources.MinYear && year <= sources.MaxYear {
		c.Year = year
	}
	if sub := r.Sub.Clean(); sub != "" {
		c.Names = append(c.Names, sub)
		for part := range strings.FieldsFuncSeq(sub, func(c rune) bool { return strings.ContainsRune("/，、；", c) }) {
			if part == sub || len(c.Names) == maxNames {
				break
			}
			c.Names = append(c.Names, part)
		}
	}
	return c
}

// Decode reads the JSON answer to req: an object with a list, or the list
// alone. Rows and fields of the wrong type are left out; only a body that is no
// answer at all, or one that reports a failure, is an error.
func Decode(req fetch.Request, body []byte) (*Answer, error) {
	body = TrimBody(body)
	switch {
	case len(body) == 0:
		return nil, BadAnswer(req, body, "the answer is empty")
	case body[0] == '[':
		return decodeRows(req, body)
	case body[0] != '{':
		return nil, BadAnswer(req, body, "the answer is not a JSON object")
	}
	var a struct {
		Answer
		List table `json:"list"`
	}
	err := json.Unmarshal(body, &a)
	if isSyntax(err) {
		return nil, BadAnswer(req, body, "the answer is not valid JSON")
	}
	answer := a.Answer
	if answer.List = a.List.rows(); err != nil && len(answer.List) == 0 {
		answer.List = numberedRows(body)
	}
	if len(answer.List) > 0 {
		return &answer, nil
	}
	return &answer, answer.failure(req, body)
}

// TrimBody takes a byte order mark and white space off.
func TrimBody(body []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\ufeff")))
}

// isSyntax tells an error of json.Unmarshal about all of a body from one about
// values of the wrong type, which it leaves out.
func isSyntax(err error) bool {
	var wrongType *json.UnmarshalTypeError
	return err != nil && !errors.As(err, &wrongType)
}

func decodeRows(req fetch.Request, body []byte) (*Answer, error) {
	var t table
	if isSyntax(json.Unmarshal(body, &t)) {
		return nil, BadAnswer(req, body, "the answer is not valid JSON")
	}
	return &Answer{List: t.rows()}, nil
}

// table takes the rows of a JSON array: encoding/json drops what an array of Go
// has no place for.
type table [MaxRows]Row

// rows are those up to the last one that is not empty.
func (t *table) rows() []Row {
	n := len(t)
	for n > 0 && t[n-1] == (Row{}) {
		n--
	}
	return slices.Clone(t[:n])
}

// numberedRows reads the list of a server that numbers its rows:
// {"list": {"0": {...}}}.
func numberedRows(body []byte) []Row {
	var a struct {
		List numbered `json:"list"`
	}
	_ = json.Unmarshal(body, &a) // it was read before
	return a.List
}

// numbered is the values of an object whose keys are numbers.
type numbered []Row

// UnmarshalJSON never fails.
func (r *numbered) UnmarshalJSON(b []byte) error {
	*r = nil
	d := json.NewDecoder(bytes.NewReader(b))
	if opening, _ := d.Token(); opening != json.Delim('{') {
		return nil
	}
	for d.More() && len(*r) < MaxRows {
		key, _ := d.Token()
		var row Row
		if isSyntax(d.Decode(&row)) {
			break
		}
		if isNumber(key) {
			*r = append(*r, row)
		}
	}
	return nil
}

// isNumber tells whether the key of an object is a number.
func isNumber(key json.Token) bool {
	name, _ := key.(string)
	_, err := strconv.Atoi(name)
	return err == nil
}

// failure tells whether an answer without rows reports a failure rather than
// that there is nothing.
func (a *Answer) failure(req fetch.Request, body []byte) error {
	msg := a.Msg
	if a.Error != "" {
		msg = a.Error
	}
	switch {
	case a.Error != "", a.Code != "" && a.Code != "1" && a.Code != "200" && msg != "":
		return Reported(req, msg)
	case a.Code == "" && !hasList(body):
		return BadAnswer(req, body, "the answer has neither a code nor a list")
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

// Reported is the error of an answer to req that reports a failure itself.
func Reported(req fetch.Request, msg Text) error {
	return sources.Errorf(sources.ClassHosterFault, "%s reports an error: %s", link.Redact(req.URL), fetch.Snippet(req.URL, []byte(msg)))
}

// BadAnswer is the error of an answer to req that cannot be used: what says
// why, and the start of body is quoted.
func BadAnswer(req fetch.Request, body []byte, what string) error {
	if snippet := fetch.Snippet(req.URL, body); snippet != "" {
		what += ": " + snippet
	}
	method := req.Method
	if method == "" {
		method = http.MethodGet
	}
	return sources.Errorf(sources.ClassHosterFault, "%s %s: %s", method, link.Redact(req.URL), what)
}
