package stremio

import (
	"context"
	"fmt"
	"strings"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/text"
)

// maxSubtitles is how many files of subtitles are kept of a row.
const maxSubtitles = 50

// search is one run of Search.
type search struct {
	*site
	manifest Manifest
	title    sources.Title
	yield    func(sources.Source)

	found  int
	left   [kindOther + 1]int // rows that xship has no use for, by kind
	failed string             // what the add-on says of failing
	notice string             // what it says else
}

// streams yields what the add-on has.
func (q *search) streams(ctx context.Context, req fetch.Request) error {
	resp, err := q.Fetch.Get(ctx, req)
	if err != nil {
		return err
	}
	a, err := decodeStreams(req, resp.Body, q.take)
	q.left[kindBad] += a.bad
	switch {
	case err != nil:
		return err
	case q.found > 0:
	case q.failed != "":
		return sources.Errorf(sources.ClassHosterFault, "the add-on says: %s", link.RedactInterfaceText(q.failed))
	case a.rows > 0 && q.left[kindBad] == a.rows:
		return badAnswer(req, nil, fmt.Sprintf("none of the %s of the answer can be read", text.Plural(q.left[kindBad], "row")))
	}
	if note := q.note(a.cut); note != "" {
		return &sources.NoteError{Note: note}
	}
	return nil
}

// take yields what a row leads to, or counts it.
func (q *search) take(r *row) {
	to := r.target()
	switch v, said := judge(r, to, q.addon, q.title); v {
	case isFailure:
		if q.failed == "" {
			q.failed = said
		}
		return
	case isNotice:
		if q.notice == "" {
			q.notice = said
		}
		return
	case isNothing:
		return
	case isStream:
	}
	if to.kind != kindLink && to.kind != kindYouTube && to.kind != kindPage {
		q.left[to.kind]++
		return
	}
	w := readWords(r, q.manifest.Name, q.title)
	src := sources.Source{
		Name: w.name, Label: w.label, URL: to.address, Headers: r.headers(), Language: w.language, SizeBytes: w.size,
		Group: text.Shorten(string(r.Hints.Group), maxGroup), Subtitles: r.subtitles(), Unplayable: to.unplayable(),
	}
	if src.Unplayable == "" && startsDownload().MatchString(r.name()) {
		src.Unplayable = "the add-on's service would first have to download it"
	}
	if src.Unplayable != "" {
		src.Priority = sources.PriorityLast
	}
	q.found++
	q.yield(src)
}

// startsDownload is in the names of rows whose link has a debrid service fetch a torrent,
// so that whoever opens it gets a video that says so.
var startsDownload = pattern(`(?i)\[\w{2,5}[ -]*(?:download|⬇|⏬|⏳)`)

// headers are those to be sent with the link of the row.
func (r *row) headers() map[string]string {
	named := r.Hints.Proxy.Request
	if len(named) == 0 {
		named = r.Hints.Headers
	}
	if len(named) == 0 {
		return nil
	}
	headers := make(map[string]string, len(named))
	for name, value := range named {
		headers[name] = string(value)
	}
	return link.ForPlayer(headers)
}

// subtitles are the files of subtitles that the row names.
func (r *row) subtitles() []sources.Subtitle {
	var all []sources.Subtitle
	for _, s := range r.Subtitles {
		file := readURL(s.URL)
		if len(all) == maxSubtitles || file.url == nil {
			continue
		}
		language := text.Shorten(string(s.Language), shortLine)
		if code := text.LanguageCode(language); code != "" {
			language = code
		}
		all = append(all, sources.Subtitle{URL: file.address, Language: language})
	}
	return all
}

// note tells what the answer had beside sources, "" where that is nothing.
func (q *search) note(cut bool) string {
	var left, notes []string
	for _, kind := range []struct {
		kind kind
		noun string
	}{{kindTorrent, "torrent"}, {kindUsenet, "Usenet post"}, {kindArchive, "archive"}, {kindFrame, "web player"}, {kindOther, "other link"}} {
		if n := q.left[kind.kind]; n > 0 {
			left = append(left, text.Plural(n, kind.noun))
		}
	}
	if len(left) > 0 {
		notes = append(notes, strings.Join(left, ", ")+": xship fetches none")
	}
	if n := q.left[kindBad]; n > 0 {
		notes = append(notes, text.Plural(n, "row")+" that cannot be read")
	}
	if cut {
		notes = append(notes, fmt.Sprintf("only the first %d rows of its answer were read", maxRows))
	}
	if q.failed != "" {
		notes = append(notes, "the add-on says: "+q.failed)
	} else if q.notice != "" && q.found == 0 {
		notes = append(notes, "the add-on says: "+q.notice)
	}
	return strings.Join(notes, "; ")
}
