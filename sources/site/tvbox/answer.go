package tvbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/match"
	"xship/sources/text"
)

// Answer is what an API answers to a search or to a question for details.
type Answer struct {
	Code      Text
	Msg       Text
	Error     Text
	Page      Text
	PageCount Text
	Total     Text // rows on all pages
	List      []Row
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
	ID       Text
	Name     Text
	Sub      Text // other names
	Year     Text
	PubDate  Text
	TypeName Text
	Remarks  Text
	Lang     Text
	PlayFrom Text
	PlayURL  string
}

// unreadable tells whether the name of the row was lost on its way: what could not be
// read is U+FFFD, or "?" where a database had no character for it.
func (r *Row) unreadable() bool {
	name := r.Name.Clean()
	return strings.ContainsRune(name, '\ufffd') || strings.HasPrefix(name, "??") && strings.Trim(name, "? ") == ""
}

// candidate is what match.Title compares with a title of the kind.
func (r *Row) candidate(kind sources.Kind) match.Candidate {
	name, sub := r.Name.Clean(), r.Sub.Clean()
	c := match.Candidate{Names: []string{name}}
	for _, said := range []Text{r.PubDate, r.Year} {
		if year := said.Int(); year >= sources.MinYear && year <= sources.MaxYear {
			c.Year = year
		}
	}
	if base, _, ok := match.SplitEpisode(name); ok && kind == sources.KindEpisode {
		c.Names = append(c.Names, base)
	}
	c.Names = appendNames(c.Names, name, false)
	if sub != "" {
		c.Names = appendNames(append(c.Names, sub), sub, true)
	}
	return c
}

// Body is the answer to req as text in UTF-8. A text that is in no character set is an
// error, for what a site answers so nobody can read: it does not say that there is
// nothing. Zeros between the characters of an answer are left out.
func Body(req fetch.Request, resp *fetch.Response) ([]byte, error) {
	decoded, ok := text.Decode(resp.Body, resp.Header.Get("Content-Type"))
	hasZero := bytes.IndexByte(decoded, 0) >= 0
	switch {
	case hasZero && !startsAnswer(decoded):
		return nil, BadAnswer(req, nil, "the answer is no text")
	case !ok:
		return nil, BadAnswer(req, nil, "the answer is in a character set that cannot be read")
	case hasZero:
		return bytes.ReplaceAll(decoded, []byte{0}, nil), nil
	}
	return decoded, nil
}

// startsAnswer tells whether a text starts like JSON or XML.
func startsAnswer(body []byte) bool {
	inner, _ := text.Unwrap(body)
	return len(inner) > 0 && bytes.IndexByte([]byte("{[<"), inner[0]) >= 0
}

// Decode reads the JSON answer to req, in UTF-8: an object with a list, or the list
// alone, within what servers put around it. Rows and fields of the wrong type are left
// out; only a body that is no answer at all, or one that reports a failure, is an error.
func Decode(req fetch.Request, body []byte) (*Answer, error) {
	document, behind, err := Document(req, body)
	if err != nil {
		return nil, err
	}
	answer, list := decodeAnswer(document)
	if len(answer.List) > 0 {
		return answer, nil
	}
	if err := answer.failure(req, body, list); err != nil {
		return answer, err
	}
	return answer, answer.NoRows(req, body, behind)
}

// Document is the object or array that the answer to req is, as valid JSON, and what
// stands behind it.
func Document(req fetch.Request, body []byte) (document, behind []byte, err error) {
	inner, _ := text.Unwrap(body)
	switch {
	case len(inner) == 0:
		return nil, nil, BadAnswer(req, body, "the answer is empty")
	case inner[0] != '[' && inner[0] != '{':
		return nil, nil, BadAnswer(req, body, "the answer is not a JSON object")
	}
	if document = bytes.TrimSpace(inner); json.Valid(document) {
		return document, nil, nil
	}
	if document, behind = mended(inner); !json.Valid(document) {
		return nil, nil, BadAnswer(req, body, "the answer is not valid JSON")
	}
	return document, behind, nil
}

// redirect is what sends a browser elsewhere: to a captcha, or a page for people.
var redirect = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\blocation(?:\.href)?\s*=[^=]|\blocation\.(?:replace|assign|reload)\s*\(`)
})

// NoRows is the error of an answer to req that holds no row, where it does not say that
// there is nothing: it counts some, or what stands behind it tells why they are not there,
// such as the page of an error, the message with which PHP ended, or another document.
func (a *Answer) NoRows(req fetch.Request, body, behind []byte) error {
	if total := a.Total.Int(); total > 0 && a.Page.Int() <= 1 && strings.Trim(string(a.Total), "9") != "" { // of nines: unknown
		return BadAnswer(req, body, fmt.Sprintf("the answer counts %s and holds none", text.Plural(total, "row")))
	}
	if rest, _ := text.Unwrap(behind); len(rest) > 0 && (rest[0] == '{' || rest[0] == '[') {
		return BadAnswer(req, body, "the answer is several documents, and the first has no row")
	}
	lower := bytes.ToLower(behind)
	if redirect().Match(lower) {
		return BadAnswer(req, behind, "the answer is a script for browsers")
	}
	for _, mark := range []string{"<!doctype html", "<html", "<head", "<body", "<title", "<rss", "fatal error", "parse error"} {
		if bytes.Contains(lower, []byte(mark)) {
			return BadAnswer(req, behind, "the answer breaks off")
		}
	}
	return nil
}

// listState is what an answer has for a list.
type listState int

const (
	listMissing    listState = iota
	listRead                 // perhaps without rows
	listUnreadable           // it holds something, of which nothing is a row
)

// decodeAnswer reads an object with a list, or with one in its data, or the list alone.
func decodeAnswer(body []byte) (a *Answer, list listState) {
	a = new(Answer)
	if body[0] == '[' {
		return a, a.readList(body)
	}
	var data []byte
	for key, value := range members(body) {
		switch string(fieldName(key)) {
		case "code":
			a.Code.read(value)
		case "msg":
			a.Msg.read(value)
		case "error":
			a.Error.read(value)
		case "page":
			a.Page.read(value)
		case "pagecount":
			a.PageCount.read(value)
		case "total":
			a.Total.read(value)
		case "list":
			list = a.readList(value)
		case "data":
			data = value
		}
	}
	if list != listMissing || data == nil {
		return a, list
	}
	switch data[0] {
	case '[', 'n': // or null
		list = a.readList(data)
	case '{':
		for key, value := range members(data) {
			switch string(fieldName(key)) {
			case "list":
				list = a.readList(value)
			case "total":
				a.Total.read(value)
			}
		}
	}
	return a, list
}

// readList reads the rows of a list. What servers write for none is an empty one; false
// is what PHP has where it could not ask its database.
func (a *Answer) readList(list []byte) listState {
	switch list[0] {
	case '[':
		a.List = listedRows(list)
	case '{':
		a.List = numberedRows(list)
	default:
		if slices.Contains([]string{"null", "0", `""`}, string(list)) {
			return listRead
		}
		return listUnreadable
	}
	if len(a.List) > 0 {
		return listRead
	}
	for _, value := range members(list) {
		if string(value) != "null" {
			return listUnreadable
		}
	}
	return listRead
}

// listedRows reads an array. What is no row keeps a place, but for the last ones.
func listedRows(list []byte) []Row {
	var rows []Row
	for _, value := range members(list) {
		if len(rows) == MaxRows {
			break
		}
		rows = append(rows, decodeRow(value))
	}
	for len(rows) > 0 && rows[len(rows)-1] == (Row{}) {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// numberedRows reads the list of a server that numbers its rows:
// {"list": {"0": {...}}}.
func numberedRows(list []byte) []Row {
	var rows []Row
	for key, value := range members(list) {
		if len(rows) == MaxRows {
			break
		}
		if _, err := strconv.Atoi(string(fieldName(key))); err == nil {
			rows = append(rows, decodeRow(value))
		}
	}
	return rows
}

func decodeRow(value []byte) (r Row) {
	if value[0] != '{' {
		return Row{}
	}
	for key, value := range members(value) {
		switch string(fieldName(key)) {
		case "vod_id":
			r.ID.read(value)
		case "vod_name":
			r.Name.read(value)
		case "vod_sub":
			r.Sub.read(value)
		case "vod_year":
			r.Year.read(value)
		case "vod_pubdate":
			r.PubDate.read(value)
		case "type_name":
			r.TypeName.read(value)
		case "vod_remarks":
			r.Remarks.read(value)
		case "vod_lang":
			r.Lang.read(value)
		case "vod_play_from":
			r.PlayFrom.read(value)
		case "vod_play_url":
			if links, ok := playURL(value); ok {
				r.PlayURL = links
			}
		}
	}
	return r
}

// playURL reads the links of a row. Some servers write a list of them.
func playURL(value []byte) (links string, ok bool) {
	switch value[0] {
	case '"':
		return unquote(value), true
	case '[':
		var all []string
		for _, link := range members(value) {
			if link[0] == '"' {
				all = append(all, unquote(link))
			}
		}
		return strings.Join(all, "#"), true
	}
	return "", false
}

// failure tells whether an answer without rows reports a failure rather than
// that there is nothing.
func (a *Answer) failure(req fetch.Request, body []byte, list listState) error {
	msg := a.Msg
	if a.Error != "" {
		msg = a.Error
	}
	switch {
	case a.Error != "", a.Code != "" && a.Code != "1" && a.Code != "200" && msg != "":
		return Reported(req, msg)
	case refusal().MatchString(string(msg)):
		return Reported(req, msg)
	case a.Code == "" && list == listMissing:
		return BadAnswer(req, body, "the answer has neither a code nor a list")
	case list == listMissing && strings.Trim(string(a.Total), "0") == string(a.Total) && !nothing().MatchString(string(msg)):
		return BadAnswer(req, body, "the answer has no list and does not say that there is nothing")
	case list == listUnreadable:
		return BadAnswer(req, body, "the answer has a list without a row that can be read")
	}
	return nil
}

// refusal is what a message holds that refuses to answer, and nothing one that tells of no
// rows.
var (
	refusal = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)[验驗][证證]|人机|封禁|被封|禁[止用]|[维維][护護]|未授[权權]|[权權]限|[频頻]繁|[过過]期|登[录錄陆]|拒[绝絕]|黑名[单單]|受限|[关關][闭閉]|[暂暫]停|到期|` +
			`captcha|verif(?:y|ication)|forbidden|denied|unauthori[sz]ed|maintenance|too many|rate limit|banned|blocked|log ?in\b|expired|permission`)
	})
	nothing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)[没沒未][有找查搜收]|[无無暂暫][此数數相结結]|[暂暫][无無]|\bno(?:t found|thing|ne| )|empty`)
	})
)

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
