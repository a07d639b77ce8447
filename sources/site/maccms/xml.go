package maccms

import (
	"errors"
	"strconv"
	"strings"

	"xship/sources/fetch"
	"xship/sources/site/tvbox"
)

// decodeXML reads the XML answer to req, in UTF-8. What servers write is often no XML:
// a bare "&" or "<" is text, unknown entities and elements are passed over,
// what is not closed ends where the next of its kind starts. Nothing nests and
// no entity is expanded, so that time and memory grow with body alone; rows and
// groups beyond the bounds of tvbox are left out. What stands behind its end is passed
// over. An answer that breaks off is an error, whatever rows it holds.
func decodeXML(req fetch.Request, body []byte) (*tvbox.Answer, error) {
	r := rssReader{scanner: scanner{s: string(body)}}
	if err := r.read(); err != nil {
		return nil, tvbox.BadAnswer(req, body, err.Error())
	}
	if len(r.answer.List) == 0 {
		return &r.answer, r.answer.NoRows(req, body, []byte(r.s))
	}
	return &r.answer, nil
}

var (
	errNoList   = errors.New("the answer is neither JSON nor an XML list")
	errCutShort = errors.New("the answer is XML that breaks off")
)

// rssReader makes rows of rss/list/video.
type rssReader struct {
	scanner
	answer tvbox.Answer
	row    *video
	field  string // element whose text is being read, "" = none
	text   strings.Builder
	listed bool // there is a list
	closed bool // and it has ended
}

// video is a row on its way, with the groups of its dl.
type video struct {
	tvbox.Row
	from  []string
	lists []string
}

func (r *rssReader) read() error {
	started := false
	for {
		t, err := r.next()
		if err != nil {
			return err
		}
		switch t.kind {
		case tokenEnd:
			return r.finish(started)
		case tokenText:
			if r.field != "" {
				r.text.WriteString(t.text)
			}
		case tokenOpen:
			if !started && t.name != "rss" && t.name != "list" {
				return errNoList
			}
			started = true
			r.open(t)
			if t.empty {
				r.close(t.name)
			}
		case tokenClose:
			r.close(t.name)
			if t.name == "rss" {
				return r.finish(started)
			}
		}
	}
}

// finish is the verdict at the end of the text.
func (r *rssReader) finish(started bool) error {
	switch {
	case !started, r.closed && !r.listed:
		return errNoList
	case !r.closed || r.row != nil:
		return errCutShort
	}
	return nil
}

func (r *rssReader) open(t token) {
	switch t.name {
	case "list":
		r.listed = true
		r.answer.Page = tvbox.Text(attribute(t.attributes, "page"))
		r.answer.PageCount = tvbox.Text(attribute(t.attributes, "pagecount"))
		r.answer.Total = tvbox.Text(attribute(t.attributes, "recordcount"))
	case "video":
		r.listed = true
		r.endRow()
		r.closed = false
		if len(r.answer.List) < tvbox.MaxRows {
			r.row = &video{}
		}
	case "id", "name", "type", "lang", "year", "note", "dd":
		if r.row == nil {
			return
		}
		r.endField()
		r.field = t.name
		if t.name == "dd" && len(r.row.from) < tvbox.MaxGroups {
			player := attribute(t.attributes, "flag")
			if player == "" {
				player = attribute(t.attributes, "from")
			}
			r.row.from = append(r.row.from, player)
		}
	}
}

func (r *rssReader) close(name string) {
	switch name {
	case r.field:
		r.endField()
	case "video":
		r.endRow()
	case "list", "rss":
		r.endRow()
		r.closed = true
	}
}

func (r *rssReader) endRow() {
	r.endField()
	if r.row == nil {
		return
	}
	r.row.PlayFrom = tvbox.Text(strings.Join(r.row.from, tvbox.GroupSeparator))
	r.row.PlayURL = strings.Trim(strings.Join(r.row.lists, tvbox.GroupSeparator), " \r\n\t")
	r.answer.List = append(r.answer.List, r.row.Row)
	r.row = nil
}

// endField keeps the text that was read. Of several types the one in words
// counts, of other fields the first.
func (r *rssReader) endField() {
	field, value := r.field, strings.TrimSpace(r.text.String())
	r.field = ""
	r.text.Reset()
	if field == "dd" {
		if len(r.row.lists) < tvbox.MaxGroups {
			r.row.lists = append(r.row.lists, value)
		}
		return
	}
	if to := r.row.at(field); to != nil && (*to == "" || field == "type" && isNumber(string(*to)) && value != "") {
		*to = tvbox.Text(value)
	}
}

// at is where the text of an element belongs, nil for none.
func (v *video) at(field string) *tvbox.Text {
	switch field {
	case "id":
		return &v.ID
	case "name":
		return &v.Name
	case "type":
		return &v.TypeName
	case "lang":
		return &v.Lang
	case "year":
		return &v.Year
	case "note":
		return &v.Remarks
	default:
		return nil
	}
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}
