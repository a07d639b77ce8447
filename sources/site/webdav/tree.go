package webdav

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/site/files"
	"xship/sources/text"
)

// query asks for what a listing tells of each entry.
const query = `<?xml version="1.0" encoding="utf-8"?>` + "\n" +
	`<propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getlastmodified/><getetag/></prop></propfind>`

const (
	maxBody = 8 << 20 // of a listing
	// A stamp is told by the listing of the parent, and by nothing later: it counts for as
	// long as one walk takes.
	stampAge  = 10 * time.Minute
	maxStamps = 50_000
)

// tree implements files.Tree.
type tree struct {
	*files.Remote
	now func() time.Time

	mu     sync.Mutex
	stamps map[string]stamp // of folders, as their parents' listings told
}

type stamp struct {
	text string
	at   time.Time
}

var _ files.Tree = (*tree)(nil)

func newTree(spec sources.SiteSpec, client *fetch.Client, now func() time.Time) (*tree, error) {
	remote, err := files.NewRemote(spec, client)
	if err != nil {
		return nil, err
	}
	return &tree{Remote: remote, now: sources.OrNow(now), stamps: make(map[string]stamp)}, nil
}

// List implements files.Tree.
func (t *tree) List(ctx context.Context, folder string) ([]files.Entry, error) {
	entries, err := t.list(ctx, folder)
	return entries, t.Unusable(folder, err)
}

func (t *tree) list(ctx context.Context, folder string) ([]files.Entry, error) {
	address := t.Address(folder)
	resp, err := t.propfind(ctx, address)
	if err == nil && resp.Status != http.StatusMultiStatus && strings.HasSuffix(resp.FinalURL, "/") != strings.HasSuffix(address, "/") {
		resp, err = t.propfind(ctx, resp.FinalURL) // a redirect had made a GET of it
	}
	if err != nil {
		return nil, err
	}
	all, err := parseMultistatus(resp.Body)
	switch {
	case fetch.IsHTML(resp.Body) || resp.Status != http.StatusMultiStatus && err != nil:
		return nil, noWebDAV(address, resp)
	case err != nil:
		return nil, sources.Errorf(sources.ClassHosterFault, "PROPFIND %s: %w", link.Redact(address), err)
	}
	entries, ok := t.entries(folder, all)
	if !ok {
		return nil, sources.Errorf(sources.ClassHosterFault, "PROPFIND %s: the listing is not that of this folder", link.Redact(address))
	}
	return entries, nil
}

// propfind asks for a folder with its entries, and never for more: Depth infinity would be
// the whole server.
func (t *tree) propfind(ctx context.Context, address string) (*fetch.Response, error) {
	resp, err := t.Remote.List(ctx, address, fetch.Request{
		Method: "PROPFIND", MaxBody: maxBody, Body: []byte(query), ContentType: `application/xml; charset="utf-8"`,
		Headers: map[string]string{"Depth": "1", "Accept": "application/xml, text/xml, */*;q=0.5"},
	})
	failed, ok := errors.AsType[*fetch.Error](err)
	if !ok {
		return resp, err
	}
	switch failed.HTTPStatus() {
	case http.StatusMethodNotAllowed, http.StatusNotImplemented:
		err = sources.Errorf(sources.ClassHosterFault, "%w; it is no WebDAV server, or not at this address", err)
	case http.StatusBadRequest, http.StatusPreconditionFailed, http.StatusUnprocessableEntity:
		err = sources.Errorf(sources.ClassHosterFault, "%w; it does not list a folder with its entries (Depth 1)", err)
	}
	return nil, err
}

// noWebDAV is the error of an answer that is no listing.
func noWebDAV(address string, resp *fetch.Response) error {
	what := errNoMultistatus.Error()
	if said := resp.Snippet(); said != "" {
		what += ": " + said
	}
	return text.WithHint(sources.Errorf(sources.ClassHosterFault, "PROPFIND %s: %s", link.Redact(address), what),
		"name the address of the server's WebDAV folder, which often ends in /dav/ or /webdav/")
}

// entries is what lies directly in folder, each once. ok is false where neither the folder
// nor anything in it is among the resources.
func (t *tree) entries(folder string, all []resource) (entries []files.Entry, ok bool) {
	now := t.now()
	seen := make(map[string]bool, len(all))
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.stamps) >= maxStamps {
		maps.DeleteFunc(t.stamps, func(_ string, s stamp) bool { return now.Sub(s.at) > stampAge })
	}
	for _, r := range all {
		e, below := t.Below(folder, r.path)
		if !below {
			continue
		}
		ok = true
		if e.Name == "" || seen[e.Name] {
			continue
		}
		seen[e.Name] = true
		e.Folder, e.ModTime = r.folder, r.modified
		if e.Folder {
			path := strings.TrimPrefix(folder+"/"+e.Name, "/")
			if _, known := t.stamps[path]; known || len(t.stamps) < maxStamps {
				t.stamps[path] = stamp{r.etag, now}
			}
		} else {
			e.Size = r.size
		}
		entries = append(entries, e)
	}
	return entries, ok
}

// Stamp implements files.Tree: the entity tag that the listing of the parent told just now.
// The time of a folder would not do: there are servers at which it never changes.
func (t *tree) Stamp(_ context.Context, folder string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, ok := t.stamps[folder]
	if age := t.now().Sub(s.at); !ok || age < 0 || age > stampAge {
		return "", nil
	}
	return s.text, nil
}
