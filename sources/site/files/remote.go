package files

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/text"
)

const (
	// maxHrefs bounds the paths of which a Remote remembers how its server writes them.
	maxHrefs = 50_000
	// remoteDepth and remoteRequests bound a walk: a server may be large, and is somebody's.
	remoteDepth    = 4
	remoteRequests = 500
	remoteReads    = 200
	remoteParallel = 4
	// remoteAge is how long a listing is good: few servers tell what has changed.
	remoteAge = 24 * time.Hour
	// remoteWait is how long a search waits for the update of an old index.
	remoteWait = 3 * time.Second
)

// Bounded is o with the bounds of servers, for the site of spec.
func (o Options) Bounded(spec sources.SiteSpec) Options {
	o.Own = spec.Trusted
	o.Limits = Limits{Depth: remoteDepth, Requests: remoteRequests, Reads: remoteReads, Parallel: remoteParallel}
	o.Fresh, o.MaxAge, o.Wait = remoteAge, remoteAge, remoteWait
	return o
}

// Remote is a folder on a web server that is the root of a Tree: its address, and how
// its server is asked. It implements Tree but for List and Stamp, and is safe for
// concurrent use.
//
// A login in its address goes to that server with each request, and nowhere else: it is
// in no link. Requests of a trusted site may use the logins that are stored.
type Remote struct {
	client  *fetch.Client
	server  string // scheme and host
	path    string // of the root, escaped as it was named, from "/" to "/"
	parts   []string
	headers map[string]string
	trusted bool
	root    string

	mu    sync.Mutex
	hrefs map[string]string // the addresses of paths that the server writes otherwise than Link
}

// NewRemote reads the address of a site. The errors are of ClassUnsupported.
func NewRemote(spec sources.SiteSpec, client *fetch.Client) (*Remote, error) {
	u, err := link.Parse(strings.TrimSpace(spec.API))
	switch {
	case err != nil:
		return nil, sources.Errorf(sources.ClassUnsupported, "the address of the site is not a valid URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, sources.Errorf(sources.ClassUnsupported, "%s: the address of the site is not an http or https URL", link.Redact(spec.API))
	case u.RawQuery != "" || u.ForceQuery:
		return nil, sources.Errorf(sources.ClassUnsupported, "%s: an address with a query is not that of a folder", link.Redact(spec.API))
	}
	r := &Remote{client: client, trusted: spec.Trusted, headers: maps.Clone(spec.Headers), hrefs: make(map[string]string)}
	if r.headers == nil {
		r.headers = make(map[string]string)
	}
	if password, ok := u.User.Password(); ok {
		login := http.Request{Header: make(http.Header)}
		login.SetBasicAuth(u.User.Username(), password)
		r.headers["Authorization"] = login.Header.Get("Authorization")
	}
	r.server = u.Scheme + "://" + u.Host
	r.path = "/" + strings.Trim(u.EscapedPath(), "/") + "/"
	if r.path == "//" {
		r.path = "/"
	}
	if r.parts, err = segments(r.path); err != nil {
		return nil, sources.Errorf(sources.ClassUnsupported, "%s: %w", link.Redact(spec.API), err)
	}
	r.root = identity(spec.Type, r.server+"/"+strings.Join(r.parts, "/"), u.User.Username())
	return r, nil
}

// identity names a root by its address, unescaped: the name of its folder comes last. Its
// secrets are hashed, which tells them apart and cannot be read.
func identity(kind, address, user string) string {
	shown := link.RedactInterface(address)
	if shown == address && user == "" {
		return kind + " " + address
	}
	sum := sha256.Sum256([]byte(user + "\n" + address))
	return kind + " " + hex.EncodeToString(sum[:8]) + " " + shown
}

// Root implements Tree.
func (r *Remote) Root() string { return r.root }

// Link implements Tree.
func (r *Remote) Link(file string) string { return r.server + r.path + Escape(file) }

// Address is where a folder is listed.
func (r *Remote) Address(folder string) string {
	if folder == "" {
		return r.server + r.path
	}
	return r.address(folder) + "/"
}

// Read implements Tree.
func (r *Remote) Read(ctx context.Context, file string, most int64) ([]byte, error) {
	address := r.address(file)
	resp, err := r.ask(ctx, fetch.Request{URL: address, MaxBody: most})
	if err == nil {
		err = r.stayed(address, resp.FinalURL)
	}
	if err != nil {
		return nil, r.Unusable(file, err)
	}
	return resp.Body, nil
}

// List asks for the listing of a folder at address, which is Address of it or what that
// leads to. An answer from another server, or of another folder, is an error.
func (r *Remote) List(ctx context.Context, address string, req fetch.Request) (*fetch.Response, error) {
	req.URL = address
	resp, err := r.ask(ctx, req)
	if err != nil {
		return nil, err
	}
	return resp, r.stayed(address, resp.FinalURL)
}

// Unusable is err, of what lies at path, with the class that it has there: where the
// server answers, and what it answers for one of many folders and files is of no use, that
// one is so for good, and says nothing of the others. Of the root it says all.
func (r *Remote) Unusable(path string, err error) error {
	if path == "" || sources.ClassOf(err) != sources.ClassHosterFault {
		return err
	}
	if failed, ok := errors.AsType[*fetch.Error](err); ok && !isAnswer(failed) {
		return err
	}
	return sources.Errorf(sources.ClassUnsupported, "%w", err)
}

// isAnswer tells whether a server answered a request that failed, and would do so again.
func isAnswer(failed *fetch.Error) bool {
	switch failed.Reason {
	case fetch.ReasonTooLarge, fetch.ReasonRedirect, fetch.ReasonForm:
		return true
	case fetch.ReasonStatus:
		switch status := failed.Status; status {
		case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
			return false
		default:
			return status < http.StatusInternalServerError || status == http.StatusNotImplemented
		}
	default:
		return false
	}
}

func (r *Remote) ask(ctx context.Context, req fetch.Request) (*fetch.Response, error) {
	if r.trusted {
		ctx = fetch.WithLogins(ctx)
	}
	headers := maps.Clone(r.headers)
	maps.Copy(headers, req.Headers)
	req.Headers = headers
	resp, err := r.client.Get(ctx, req)
	if err != nil {
		return nil, r.advised(err)
	}
	return resp, nil
}

// loginAdvice is how a login is kept.
const loginAdvice = "xship interfaces add URL --login NAME --password-stdin"

// advised says what helps where a login is wanted.
func (r *Remote) advised(err error) error {
	switch status := fetch.Refusal(err); {
	case status == 0:
		return err
	case !r.trusted:
		return fmt.Errorf("%w; stored logins are used only for servers that you name yourself", err)
	case status == http.StatusUnauthorized:
		return text.WithHint(fmt.Errorf("%w; it wants a login, or another one: %s", err, loginAdvice), loginAdvice)
	default:
		return text.WithHint(fmt.Errorf("%w; it does not let this be read, or only with a login: %s", err, loginAdvice), loginAdvice)
	}
}

// stayed is the error of an answer that came from elsewhere. A slash at the end makes no
// difference.
func (r *Remote) stayed(asked, final string) error {
	from, err := link.Parse(asked)
	if err != nil {
		return sources.Errorf(sources.ClassBug, "%s: %w", link.Redact(asked), err)
	}
	to, err := link.Parse(final)
	if err == nil && origin(from) == origin(to) && strings.TrimSuffix(from.Path, "/") == strings.TrimSuffix(to.Path, "/") {
		return nil
	}
	return sources.Errorf(sources.ClassHosterFault, "%s: it leads to %s: where that is right, name that address", link.Redact(asked), link.Redact(final))
}

// origin is the key of the server of u.
func origin(u *url.URL) string {
	return link.Canonical((&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String())
}

// SameServer tells whether u is on the server of the root.
func (r *Remote) SameServer(u *url.URL) bool { return origin(u) == link.Canonical(r.server+"/") }

// Below tells what the path of an address, escaped as the server writes it, is in the
// listing of a folder: an entry without a name for the folder itself, and ok false for
// whatever does not lie directly in it. The server is asked for it as it writes it.
func (r *Remote) Below(folder, escaped string) (e Entry, ok bool) {
	parts, err := segments(escaped)
	if err != nil || !strings.HasPrefix(escaped, "/") {
		return e, false
	}
	base := r.parts
	if folder != "" {
		base = slices.Concat(base, strings.Split(folder, "/"))
	}
	e = Entry{Folder: strings.HasSuffix(escaped, "/"), Size: -1}
	switch {
	case len(parts) < len(base) || len(parts) > len(base)+1 || !slices.Equal(parts[:len(base)], base):
		return e, false
	case len(parts) == len(base):
		return e, true
	}
	e.Name = parts[len(base)]
	path := join(folder, e.Name)
	if escaped = strings.TrimSuffix(escaped, "/"); escaped != r.path+Escape(path) {
		e.Link = r.server + escaped
	}
	r.remember(path, e.Link)
	return e, true
}

// remember keeps how the server writes the address of a path, "" where it does as Link.
func (r *Remote) remember(path, address string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case address == "":
		delete(r.hrefs, path)
	case len(r.hrefs) < maxHrefs || r.hrefs[path] != "":
		r.hrefs[path] = address
	}
}

// address is where a path lies as the server wrote it, where it did.
func (r *Remote) address(path string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return cmp.Or(r.hrefs[path], r.Link(path))
}

// segments gives the decoded segments of an escaped path, without empty ones. It fails where
// they name other folders than they seem to.
func segments(escaped string) ([]string, error) {
	var parts []string
	for part := range strings.SplitSeq(escaped, "/") {
		if part == "" {
			continue
		}
		name, err := url.PathUnescape(part)
		if err != nil {
			return nil, errors.New("a part of its path cannot be read")
		}
		if name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
			return nil, errors.New("a part of its path leads elsewhere")
		}
		parts = append(parts, name)
	}
	return parts, nil
}

// plain are the characters beside letters and digits that stand in a path as they are. A
// "+" and a ";" do not: some servers take them for something else.
const plain = "-_.~!$&'()*,=:@/"

// Escape escapes a path so that every server takes it for the bytes that it is.
func Escape(path string) string {
	const hexDigits = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(path) + len(path)/8)
	for i := range len(path) {
		if c := path[i]; text.IsAlnum(c) || strings.IndexByte(plain, c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteByte(hexDigits[c>>4])
			b.WriteByte(hexDigits[c&15])
		}
	}
	return b.String()
}
