package stremio

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/text"
)

const (
	// trailerWait is how long trailers may come behind the streams: nobody who wants to
	// see the film waits for them.
	trailerWait = 500 * time.Millisecond
	maxTrailers = 5
)

// metaAnswer is what is used of the description of a title.
type metaAnswer struct {
	Meta struct {
		Trailers list[trailer] `json:"trailers"`
		Streams  list[trailer] `json:"trailerStreams"`
		Links    list[trailer] `json:"links"` // of all kinds
	} `json:"meta"`
}

// trailer is a trailer in each form that descriptions have it in.
type trailer struct {
	Source   str `json:"source"` // id of a video of YouTube's
	YouTube  str `json:"ytId"`
	URL      str `json:"url"`
	Type     str `json:"type"`
	Category str `json:"category"`
}

// askTrailers asks for the trailers of a title where the add-on describes titles, beside
// all else. What is given has one answer, or none.
func (s *site) askTrailers(ctx context.Context, m Manifest, kind, id string) <-chan []string {
	if !m.Takes(resourceMeta, kind, id) {
		return nil
	}
	found := make(chan []string, 1)
	go func() {
		defer close(found)
		_ = sources.Contain(s.Logger, "reading trailers", func() error {
			resp, err := s.Fetch.Get(ctx, s.request(resourceMeta, kind, id, maxMeta))
			if err != nil {
				return err
			}
			found <- readTrailers(resp.Body)
			return nil
		}, "site", s.spec.Key)
	}()
	return found
}

// takeTrailers yields those that have come, or come soon.
func (q *search) takeTrailers(ctx context.Context, coming <-chan []string) {
	if coming == nil {
		return
	}
	timer := time.NewTimer(trailerWait)
	defer timer.Stop()
	select {
	case found := <-coming:
		for _, address := range found {
			to := readURL(str(address))
			to.kind = pageKind(to.url)
			q.yield(sources.Source{Name: q.title.String() + " trailer", URL: address, Trailer: true, Unplayable: to.unplayable()})
		}
	case <-timer.C:
	case <-ctx.Done():
	}
}

// readTrailers are the links of the trailers in a description.
func readTrailers(body []byte) []string {
	var a metaAnswer
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), &a); err != nil && !mismatched(err) {
		return nil
	}
	var found []string
	known := make(map[string]bool)
	add := func(address string) {
		if address != "" && !known[address] && len(found) < maxTrailers {
			known[address] = true
			found = append(found, address)
		}
	}
	meta := &a.Meta
	for _, t := range append(meta.Trailers, meta.Streams...) {
		if kind := strings.ToLower(string(t.Type)); kind == "" || isTrailer(kind) {
			add(t.link())
		}
	}
	for _, t := range meta.Links {
		if isTrailer(strings.ToLower(string(t.Category))) {
			add(t.link())
		}
	}
	return found
}

func isTrailer(kind string) bool {
	return strings.Contains(kind, "trailer") || strings.Contains(kind, "teaser")
}

// link is where the trailer lies, "" where that is nowhere on the web.
func (t trailer) link() string {
	for _, id := range []str{t.YouTube, t.Source} {
		if id = str(text.Clean(string(id))); isYouTubeID(string(id)) {
			return youTube(string(id))
		}
	}
	if to := readURL(t.URL); to.url != nil {
		return to.address
	}
	return ""
}
