package engine

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"

	"xship/config"
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/site/jellyfin"
)

// LoginsFileName is where the logins of servers are.
const LoginsFileName = "logins.json"

// logins are those that are stored, for requests of what is the user's own. Their file is
// read when it was changed, by this process or another one. It is safe for concurrent use.
type logins struct {
	file   *config.LoginsFile
	path   string
	device jellyfin.Device
	warn   func(warning string)

	mu   sync.Mutex
	seen fs.FileInfo // of the file that was read last, nil where there was none
	read bool
	all  map[string]config.Login // by origin
}

func newLogins(c Config) *logins {
	l := &logins{path: config.LoginsPath(c.DataDir), warn: c.Warn, device: deviceOf(c)}
	l.file = config.NewLoginsFile(l.path)
	l.file.Warn = c.Warn
	return l
}

// deviceOf is what servers are told of who asks: the same for all that a user does with
// one data directory, which it does not tell.
func deviceOf(c Config) jellyfin.Device {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	sum := sha256.Sum256([]byte("xship\x00" + host + "\x00" + c.DataDir))
	return jellyfin.Device{ID: hex.EncodeToString(sum[:16]), Version: cmp.Or(c.Version, "dev")}
}

// stored gives the logins by origin. Where their file cannot be read it warns, once for
// each state of the file, and has none.
func (l *logins) stored() map[string]config.Login {
	l.mu.Lock()
	defer l.mu.Unlock()
	info, err := os.Stat(l.path)
	if err != nil {
		info = nil
	}
	if l.read && unchanged(l.seen, info) {
		return l.all
	}
	l.seen, l.read, l.all = info, true, nil
	all, warnings, err := l.file.Read()
	for _, w := range warnings {
		l.warn(w)
	}
	if err != nil {
		l.warn("the logins of servers are not used: " + err.Error())
		return nil
	}
	l.all = make(map[string]config.Login, len(all))
	for _, login := range all {
		l.all[login.Origin] = login
	}
	return l.all
}

// unchanged tells whether a file is the one that was seen before, nil being none.
func unchanged(before, now fs.FileInfo) bool {
	if before == nil || now == nil {
		return before == nil && now == nil
	}
	return os.SameFile(before, now) && before.ModTime().Equal(now.ModTime()) && before.Size() == now.Size() && before.Mode() == now.Mode()
}

// forget has the file read anew.
func (l *logins) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read = false
}

func basicLogin(login config.Login) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(login.Name+":"+login.Password))
}

// header is the login for a request for u, nil where none is stored for its scheme, host
// and port.
func (l *logins) header(u *url.URL) http.Header {
	login, ok := l.stored()[link.Origin(u)]
	if !ok {
		return nil
	}
	if login.Kind == config.LoginBasic {
		return http.Header{"Authorization": {basicLogin(login)}}
	}
	return jellyfin.Header(string(login.Kind), sources.Secret(login.Token), l.device)
}

// has tells whether a login is stored for the server of an address.
func (l *logins) has(address string) bool {
	_, ok := l.stored()[link.OriginOf(address)]
	return ok
}

// forPlayer is a stream with what a player has to send with it: where it is the user's
// own, the login of its server too, but of no other that it leads to. That is the last
// that is done with it: nothing stores it so.
func (l *logins) forPlayer(src sources.Source, stream sources.Stream) (_ sources.Stream, loggedIn bool) {
	u, err := link.Parse(stream.URL)
	if err != nil || !src.Own {
		return stream, false
	}
	if from, err := link.Parse(src.URL); err != nil || link.Origin(from) == "" || !fetch.SameServer(from, u) {
		return stream, false
	}
	login := l.header(u)
	if len(login) == 0 {
		return stream, false
	}
	headers := make(map[string]string, len(stream.Headers)+len(login))
	for name, value := range stream.Headers {
		if len(login.Values(name)) == 0 {
			headers[name] = value
		}
	}
	for name := range login {
		headers[name] = login.Get(name)
	}
	stream.Headers = headers
	return stream, true
}

// withoutStrangers is specs, with those unsupported that a config from elsewhere names on
// a server that a login is stored for: it must not find out what lies there.
func (l *logins) withoutStrangers(specs []sources.SiteSpec) []sources.SiteSpec {
	stored := l.stored()
	if len(stored) == 0 {
		return specs
	}
	specs = slices.Clone(specs)
	for i, s := range specs {
		for _, address := range []string{s.API, s.Ext} {
			if _, ok := stored[link.OriginOf(address)]; ok && !s.Trusted && s.Unsupported == "" {
				specs[i].Unsupported = "a login is stored for its server, which only an interface of your own may use"
			}
		}
	}
	return specs
}
