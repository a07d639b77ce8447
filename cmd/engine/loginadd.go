package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/site/jellyfin"
	"xship/sources/text"
)

// NewLogin is what a user gives for a server. Printed it shows no secret.
type NewLogin struct {
	Name   string         // "" where Secret is a key
	Secret sources.Secret // the password, or the key
}

func (n NewLogin) isKey() bool { return n.Name == "" }

// PreparedLogin is a login for the server of an interface, before it is stored.
type PreparedLogin struct {
	URL     string // of the interface, without what of the login was in it
	Taken   bool   // it was in the address
	Server  string // what the server is, for people
	Plain   bool   // it goes unencrypted to a server that is not of this network
	Replace bool   // one is stored for the server already

	engine *Engine
	login  config.Login
}

// ServerName is the server that the login is for, as people write it.
func (p *PreparedLogin) ServerName() string { return p.login.Origin }

// PrepareLogin makes a login for the server of the interface that ref names: of what the
// user gives, or, where that is nil, of what is in its address. It is nil where there is
// none. The server is asked what it is, without a login; name and password are exchanged
// for a token at a media server, and kept for any other that does not refuse them. Nothing
// is stored yet.
func (e *Engine) PrepareLogin(ctx context.Context, ref string, given *NewLogin) (*PreparedLogin, error) {
	address, err := InterfaceURL(ref)
	if err != nil {
		return nil, err
	}
	inAddress, bare, found := loginIn(address)
	origin := link.OriginOf(address)
	switch {
	case given == nil && !found:
		return nil, nil //nolint:nilnil // there is no login, and nothing wrong with that
	case given != nil && origin == "":
		return nil, &RequestError{Text: "a login is for a server, and " + text.Quote(link.RedactInterface(address)) + " is none", Hint: "give an http or https URL"}
	case given != nil && found && !inAddress.isKey():
		return nil, &RequestError{Text: "the address holds a login already", Hint: "take it out of the address, or give it there alone"}
	}
	p := &PreparedLogin{URL: bare, Taken: given == nil, engine: e, login: config.Login{Origin: origin}}
	if given == nil {
		given = &inAddress
	}
	siteType, err := e.recognise(ctx, e.network.Call, bare)
	_, elsewhere := errors.AsType[*RequestError](err)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case elsewhere:
		return nil, err
	case err == nil:
		if p.login, err = e.mediaLogin(ctx, siteType, bare, *given); err != nil {
			return nil, err
		}
		p.Server = map[string]string{jellyfin.Type: "Jellyfin", jellyfin.TypeEmby: "Emby"}[siteType]
	case p.Taken && given.isKey(): // of some other server, whose affair its address is
		return nil, nil //nolint:nilnil // as above
	case given.isKey() && errors.Is(err, jellyfin.ErrNoServer):
		return nil, &RequestError{
			Text: "a key is for Jellyfin and Emby, and what answers at " + link.RedactInterface(bare) + " is neither",
			Hint: "give the address of such a server, or a name and a password: xship interfaces add URL --login NAME --password-stdin",
		}
	case !p.Taken && !errors.Is(err, jellyfin.ErrNoServer):
		return nil, text.WithHint(fmt.Errorf("the server of the login cannot be asked what it is: %w", err), "nothing was stored; try again when it answers")
	default:
		p.login.Kind, p.login.Name, p.login.Password = config.LoginBasic, given.Name, given.Secret.Reveal()
	}
	if inAddress.isKey() && p.Server == "" { // the key of something else
		p.URL = address
	}
	if err := p.login.Validate(); err != nil {
		return nil, &RequestError{Text: "the login cannot be used: " + err.Error()}
	}
	if p.login.Kind == config.LoginBasic && e.refuses(ctx, bare, p.login) {
		return nil, text.WithHint(fmt.Errorf("%s refuses the name and password", link.RedactInterface(bare)), "nothing was stored; check them")
	}
	_, p.Replace = e.logins.stored()[origin]
	p.Plain = isPlainAbroad(origin)
	return p, nil
}

// Store stores the login, in place of the one for its server.
func (p *PreparedLogin) Store() error {
	err := p.engine.logins.file.Put(p.login)
	p.engine.logins.forget()
	return err
}

// recognise asks a server, without a login, of which type of media server it is. The
// error is jellyfin.ErrNoServer where it is none, and a *RequestError where it sends all to
// another address, as many send http to https.
func (e *Engine) recognise(ctx context.Context, call jellyfin.CallFunc, address string) (siteType string, err error) {
	e.network.operator.add(address)
	ctx, cancel := context.WithTimeout(ctx, e.cfg.Settings.Interfaces.Timeout)
	defer cancel()
	final := address
	info, err := jellyfin.Recognise(ctx, func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
		resp, err := call(ctx, r)
		if err == nil {
			final = resp.FinalURL
		}
		return resp, err
	}, address)
	if to := link.OriginOf(final); to != link.OriginOf(address) {
		return "", &RequestError{
			Text: fmt.Sprintf("%s redirects to %s, where no login for it goes", link.RedactInterface(address), to),
			Hint: "add the address that it redirects to",
		}
	}
	return info.Type, err
}

// refuses tells whether a server answers a name and a password by asking for them: one
// that took them before would be stored no more. In doubt it does not.
func (e *Engine) refuses(ctx context.Context, address string, login config.Login) bool {
	ctx, cancel := context.WithTimeout(ctx, e.cfg.Settings.Interfaces.Timeout)
	defer cancel()
	resp, err := e.network.Call(ctx, fetch.Request{Method: http.MethodHead, URL: address, Headers: map[string]string{"Authorization": basicLogin(login)}})
	return err == nil && resp.Status == http.StatusUnauthorized
}

// mediaLogin is the login at a media server: its key, or the token that it gives for a
// name and a password.
func (e *Engine) mediaLogin(ctx context.Context, siteType, address string, given NewLogin) (config.Login, error) {
	login := config.Login{Origin: link.OriginOf(address), Kind: config.LoginKind(siteType), Name: given.Name, Token: given.Secret.Reveal()}
	if given.isKey() {
		return login, nil
	}
	ctx, cancel := context.WithTimeout(ctx, e.cfg.Settings.Interfaces.Timeout)
	defer cancel()
	token, err := jellyfin.Login(ctx, e.network.Call, siteType, address, given.Name, given.Secret, e.logins.device)
	login.Token = token.Reveal()
	return login, err
}

// loginIn takes a login out of the address of an interface: user and password, or the key
// of a media server. bare is the address without it, and otherwise as it was.
func loginIn(address string) (login NewLogin, bare string, ok bool) {
	u, err := link.Parse(address)
	if err != nil || link.Origin(u) == "" {
		return login, address, false
	}
	if password, has := u.User.Password(); has && u.User.Username() != "" {
		scheme, rest, _ := strings.Cut(address, "://")
		authority := rest
		if i := strings.IndexAny(rest, "/?#"); i >= 0 {
			authority = rest[:i]
		}
		host := authority[strings.LastIndexByte(authority, '@')+1:]
		return NewLogin{Name: u.User.Username(), Secret: sources.Secret(password)}, scheme + "://" + host + rest[len(authority):], true
	}
	before, fragment, hasFragment := strings.Cut(address, "#")
	before, query, _ := strings.Cut(before, "?")
	params := slices.DeleteFunc(strings.Split(query, "&"), func(param string) bool {
		name, value, _ := strings.Cut(param, "=")
		if !strings.EqualFold(name, "ApiKey") && !strings.EqualFold(name, "api_key") {
			return false
		}
		if key, err := url.QueryUnescape(value); err == nil && key != "" {
			login.Secret = sources.Secret(key)
		}
		return true
	})
	if login.Secret == "" {
		return login, address, false
	}
	if query = strings.Join(params, "&"); query != "" {
		before += "?" + query
	}
	if hasFragment {
		before += "#" + fragment
	}
	return login, before, true
}

// privateEnds are those of names that are not of the public network.
var privateEnds = []string{".local", ".lan", ".home", ".internal", ".home.arpa", ".localhost", ".localdomain"}

// isPlainAbroad tells whether what goes to an origin can be read on the way through the
// public network.
func isPlainAbroad(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" {
		return false
	}
	host := u.Hostname()
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.Unmap().IsGlobalUnicast() && !addr.Unmap().IsPrivate()
	}
	return strings.Contains(host, ".") && !slices.ContainsFunc(privateEnds, func(end string) bool { return strings.HasSuffix(host, end) })
}

// loginsOf are the servers with a stored login that an interface uses: its own, or those
// that its file names.
func (e *Engine) loginsOf(row sources.Interface) []string {
	stored := e.logins.stored()
	if len(stored) == 0 {
		return nil
	}
	names := namedIn(row.URL)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(stored)), func(origin string) bool { return !names(origin) })
}

// namedIn tells of an origin whether the interface at an address is there, or its file
// names it. In doubt it does.
func namedIn(address string) func(origin string) bool {
	if loader.IsURL(address) {
		own := link.OriginOf(address)
		return func(origin string) bool { return origin == own }
	}
	written, ok := writtenIn(address)
	if !ok {
		return func(string) bool { return true }
	}
	return func(origin string) bool {
		u, err := url.Parse(origin)
		if err != nil {
			return true
		}
		host := u.Hostname()
		typed, err := idna.ToUnicode(host)
		return strings.Contains(written, host) || err == nil && strings.Contains(written, typed)
	}
}

// writtenIn is what is written in the file at a path, in lower case, "" where there is
// none. It is not ok where that cannot be told, as on a disk that hangs.
func writtenIn(path string) (written string, ok bool) {
	type answer struct {
		written string
		ok      bool
	}
	read := func() answer {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return answer{ok: true}
		}
		if info.Size() > vod.MaxBody {
			return answer{}
		}
		body, err := os.ReadFile(path)
		return answer{strings.ToLower(string(body)), err == nil}
	}
	answers := make(chan answer, 1)
	go func() { answers <- read() }()
	timer := time.NewTimer(loader.LookTime)
	defer timer.Stop()
	select {
	case a := <-answers:
		return a.written, a.ok
	case <-timer.C:
		return "", false
	}
}

// forgetLogins removes the logins for servers that no interface uses any more, and tells
// which.
func (e *Engine) forgetLogins(ctx context.Context, origins []string) (removed []string, err error) {
	if len(origins) == 0 {
		return nil, nil
	}
	rows, err := e.cfg.Store.Interfaces(ctx)
	if err != nil {
		return nil, err
	}
	defer e.logins.forget()
	for _, origin := range origins {
		if slices.ContainsFunc(rows, func(r sources.Interface) bool { return namedIn(r.URL)(origin) }) {
			continue
		}
		gone, err := e.logins.file.Remove(origin)
		if err != nil {
			return removed, err
		}
		if gone {
			removed = append(removed, origin)
		}
	}
	return removed, nil
}
