package loader

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"xship/config/vod"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/site/stremio"
	"xship/sources/text"
)

// web are interfaces at web addresses. What one is, its content says: a TVBox config or
// depot, the manifest of a Stremio add-on, or a server.
type web struct{}

func (web) recognises(string) bool { return true }

// load reads what the interface was recognised as before, by one request of that kind,
// and finds out what it is where it was not, or is something else now.
func (web) load(ctx context.Context, url string, a access) (*loaded, error) {
	own := fetch.WithLogins(ctx) // of the interface, not of what it lists
	if a.known != nil {
		l, err := a.known.load(own, url, a)
		if !errors.Is(err, errOther) {
			return l, err
		}
		a.explore = true
	}
	r := recognition{access: a, url: url, own: own}
	return r.run(ctx)
}

// errOther says that an interface is no longer what it was recognised as.
var errOther = errors.New("it is something else now")

// load loads what the interface at url was recognised as. Its error is errOther where it
// is that no longer.
func (m *mark) load(ctx context.Context, url string, a access) (*loaded, error) {
	if m.Kind == KindStremio {
		doc, err := a.get(ctx, m.Address)
		switch {
		case err != nil && isElsewhere(err):
			return nil, errOther
		case err != nil:
			return nil, loginAdvised(vod.RequestError(ctx, url, err))
		case !stremio.IsManifest(doc.Body):
			return nil, errOther
		}
		return addOn(m.Address, doc, m), nil
	}
	if a.call == nil {
		return m.content(), nil
	}
	p := probeOf(m.Kind, m.Address)
	out := a.call(ctx, p.request)[0]
	switch {
	case out.err != nil && isElsewhere(out.err):
		return nil, errOther
	case out.err != nil:
		return nil, loginAdvised(vod.RequestError(ctx, url, out.err))
	}
	found := p.read(out.resp)
	if found == nil {
		return nil, errOther
	}
	return found.content(), nil
}

// isElsewhere tells whether a server refuses a request in a way that says that it is not
// of the kind that was asked for.
func isElsewhere(err error) bool {
	switch status := statusOf(err); status {
	case 0, http.StatusUnauthorized, http.StatusForbidden, http.StatusProxyAuthRequired, http.StatusTooManyRequests:
		return false
	default:
		return status < http.StatusInternalServerError || status == http.StatusNotImplemented
	}
}

// statusOf is the status that a request failed with, 0 where it had none.
func statusOf(err error) int {
	if failed, ok := errors.AsType[*fetch.Error](err); ok {
		return failed.HTTPStatus()
	}
	return 0
}

// recognition finds out what a web address is.
type recognition struct {
	access
	url string
	own context.Context //nolint:containedctx // that of one call, which may use logins

	manifest *vod.Document // of an add-on, where the address has one
	page     *vod.Document // what the address answered else
}

// run asks the address itself, as for a config, and where that is none and may be a
// server or the base of an add-on, for what these have, all at once.
func (r *recognition) run(ctx context.Context) (*loaded, error) {
	address, isAddOn := stremio.ManifestURL(r.url)
	if !isAddOn {
		address = r.url
	}
	cfg, err := vod.Load(ctx, address, func(ctx context.Context, asked string) (vod.Document, error) {
		return r.first(ctx, address, asked)
	}, r.LoadOptions)
	switch {
	case r.manifest != nil:
		return addOn(address, *r.manifest, nil), nil
	case err == nil:
		return configContent(cfg), nil
	}
	failed, ok := errors.AsType[*vod.Error](err)
	switch {
	case ok && isAddOn:
		return nil, loginAdvised(noManifest(failed))
	case !ok || r.call == nil:
		return nil, loginAdvised(err)
	}
	if mayBeServer(failed) {
		if l := r.probe(); l != nil {
			return l, nil
		}
		if ctxErr := ctx.Err(); errors.Is(ctxErr, context.Canceled) {
			return nil, fmt.Errorf("load interface %s: %w", link.RedactInterface(r.url), ctxErr)
		}
	}
	return nil, loginAdvised(kindsNamed(failed))
}

// errRecognised ends the decoding of a config that is none.
var errRecognised = errors.New("it is the manifest of an add-on")

// first is the vod.FetchFunc of a recognition: it looks at what the address answers.
func (r *recognition) first(ctx context.Context, address, asked string) (vod.Document, error) {
	if asked != address {
		return r.get(ctx, asked)
	}
	doc, err := r.get(r.own, asked)
	if err != nil {
		return doc, err
	}
	doc.URL = asked
	if stremio.IsManifest(doc.Body) {
		r.manifest = &doc
		return doc, errRecognised
	}
	r.page = &doc
	return doc, nil
}

// mayBeServer tells whether what came in place of a config may come from a server or the
// base of an add-on. One in trouble is asked no more.
func mayBeServer(err *vod.Error) bool {
	switch err.Cause {
	case vod.CauseStatus:
		return err.Status != http.StatusTooManyRequests && (err.Status < http.StatusInternalServerError || err.Status == http.StatusNotImplemented)
	case vod.CauseHTML, vod.CauseEmpty, vod.CauseNotConfig, vod.CauseNoSites:
		return true
	default:
		return false
	}
}

// probe asks for what servers and add-ons have, nil where there is nothing of that.
func (r *recognition) probe() *loaded {
	at, ok := placesOf(r.url, r.page)
	if !ok || !r.explore {
		return nil
	}
	probes := []probe{infoProbe(at.info), manifestProbe(r.url), davProbe(at.folder)}
	if r.page == nil && at.folder != r.url { // which was asked without the slash behind it
		probes = append(probes, indexProbe(at.folder))
	}
	requests := make([]fetch.Request, len(probes))
	for i, p := range probes {
		requests[i] = p.request
	}
	for i, out := range r.call(r.own, requests...) {
		if out.err != nil {
			continue
		}
		found := probes[i].read(out.resp)
		if found == nil {
			continue
		}
		if found.Kind == KindStremio {
			return addOn(found.Address, documentFrom(found.Address, out.resp), found)
		}
		return found.content()
	}
	if r.page != nil && isIndex(r.page.Body, at.page) {
		return (&mark{Kind: KindHTTPIndex, Address: at.page}).content()
	}
	return nil
}

// places are where a server would be.
type places struct {
	folder string // that is listed by WebDAV
	page   string // that lists files
	info   string // of Jellyfin and Emby, without what leads to their web page
}

// placesOf gives where a server would be that answered a request for address with page,
// nil for no answer. ok is false where address is that of a file, below which there is
// nothing.
func placesOf(address string, page *vod.Document) (at places, ok bool) {
	named, err := link.Parse(address)
	if err != nil || named.RawQuery != "" || isFile(folderPath(named)) {
		return at, false
	}
	final := named
	if page != nil {
		if to, err := link.Parse(page.FinalURL); err == nil && fetch.SameHoster(named, to) {
			to.User, final = named.User, to
		}
	}
	at = places{folder: withPath(named, folderPath(named)), page: withPath(final, folderPath(final)), info: withPath(named, serverPath(named))}
	if folderPath(final) == folderPath(named) {
		at.folder = at.page // by the scheme and the host that the server wants
	}
	if serverPath(final) != folderPath(final) || at.folder == at.page {
		at.info = withPath(final, serverPath(final))
	}
	return at, true
}

// folderPath is the path of u as that of a folder, unless it ends in the name of a file.
func folderPath(u *url.URL) string {
	p := strings.TrimSuffix(u.EscapedPath(), "index.html")
	if isFile(p) {
		return p
	}
	return strings.TrimSuffix(p, "/") + "/"
}

// serverPath is folderPath without what leads to the web page of Jellyfin and Emby.
func serverPath(u *url.URL) string {
	if base, ok := strings.CutSuffix(folderPath(u), "/web/"); ok {
		return base + "/"
	}
	return folderPath(u)
}

// withPath is u with another path, which is escaped, and nothing behind it.
func withPath(u *url.URL, escaped string) string {
	at := *u
	at.RawQuery, at.ForceQuery, at.Fragment, at.RawFragment = "", false, "", ""
	at.Path, at.RawPath = escaped, escaped
	if plain, err := url.PathUnescape(escaped); err == nil {
		at.Path = plain
	}
	return at.String()
}

// isFile tells whether a path ends in the name of a file.
func isFile(p string) bool {
	const longest = 5 // letters of the end of a name
	end := strings.TrimPrefix(path.Ext(p), ".")
	return end != "" && len(end) <= longest && strings.Trim(end, "0123456789") != ""
}

func hostOf(address string) string {
	u, err := link.Parse(address)
	if err != nil {
		return ""
	}
	return text.Clean(u.Host)
}

// kindsNamed is err with what an interface may be besides a config, where something else
// came.
func kindsNamed(err *vod.Error) error {
	if err.Hint == "" || err.Cause == vod.CauseStatus && err.Status != http.StatusNotFound || !mayBeServer(err) {
		return err
	}
	advised := *err
	advised.Hint += "; besides a TVBox config, an interface may be a Stremio add-on, a folder, or a WebDAV, HTTP index, Jellyfin or Emby server"
	return &advised
}

// noManifest is err, of the address of an add-on, with what to do where something else
// came.
func noManifest(err *vod.Error) error {
	if !mayBeServer(err) || err.Cause == vod.CauseStatus {
		return err
	}
	advised := *err
	advised.Hint = "it is not the manifest of a Stremio add-on; open the add-on's page in a browser, and add the link that it gives"
	return &advised
}

// loginAdvised is err with how to give a login, where the server wants one.
func loginAdvised(err error) error {
	failed, ok := errors.AsType[*vod.Error](err)
	if !ok || failed.Cause != vod.CauseStatus || !slices.Contains([]int{http.StatusUnauthorized, http.StatusForbidden}, failed.Status) {
		return err
	}
	advised := *failed
	advised.Hint = "the server wants a login or refuses this network; where you have a login: " +
		"xship interfaces add URL --login NAME --password-stdin, or xship interfaces add URL --key-stdin"
	return &advised
}
