package httpindex

import (
	"context"
	"net/url"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/site/files"
)

const (
	maxBody    = 8 << 20 // of a listing
	maxEntries = 50_000  // of a folder
)

// tree implements files.Tree.
type tree struct{ *files.Remote }

var _ files.Tree = tree{}

// List implements files.Tree.
func (t tree) List(ctx context.Context, folder string) ([]files.Entry, error) {
	entries, err := t.list(ctx, folder)
	return entries, t.Unusable(folder, err)
}

func (t tree) list(ctx context.Context, folder string) ([]files.Entry, error) {
	address := t.Address(folder)
	resp, err := t.Remote.List(ctx, address, fetch.Request{
		MaxBody: maxBody,
		Headers: map[string]string{"Accept": "application/json, text/html;q=0.9, */*;q=0.5"}, // Caddy has both
	})
	if err != nil {
		return nil, err
	}
	entries, ok := t.parse(folder, resp.Body)
	switch {
	case !ok:
		return nil, noIndex(address, resp)
	case len(entries) > maxEntries:
		return nil, sources.Errorf(sources.ClassUnsupported, "GET %s: the folder has more than %d entries", link.Redact(address), maxEntries)
	}
	return entries, nil
}

// parse reads the listing of a folder; ok is false where it is none.
func (t tree) parse(folder string, body []byte) (entries []files.Entry, ok bool) {
	at, err := link.Parse(t.Address(folder)) // with the slash, whatever answered
	if err != nil {
		return nil, false
	}
	below := func(u *url.URL) (files.Entry, bool) { return t.below(folder, u) }
	if isList(body) {
		return parseList(body, at, below)
	}
	return parsePage(body, at, below)
}

// IsIndex tells whether what an address answered is the listing of a folder there.
func IsIndex(body []byte, address string) bool {
	remote, err := files.NewRemote(sources.SiteSpec{API: address}, nil)
	if err != nil {
		return false
	}
	_, ok := tree{remote}.parse("", body)
	return ok
}

// below tells what an address is in the listing of a folder, as Remote.Below does.
func (t tree) below(folder string, u *url.URL) (e files.Entry, ok bool) {
	if !t.SameServer(u) {
		return e, false
	}
	return t.Below(folder, u.EscapedPath())
}

// noIndex is the error of an answer that lists nothing.
func noIndex(address string, resp *fetch.Response) error {
	what := "the answer is no listing of a folder"
	if said := resp.Snippet(); said != "" {
		what += ": " + said
	}
	return sources.Errorf(sources.ClassHosterFault, "GET %s: %s", link.Redact(address), what)
}

// Stamp implements files.Tree. The listing of a parent tells no more than the minute.
func (tree) Stamp(context.Context, string) (string, error) { return "", nil }
