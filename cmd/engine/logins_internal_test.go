package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/site/jellyfin"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/jellyfinfake"
	"xship/sources/sourcetest/world"
)

// loginRig is an engine over a store in memory, and what it logs.
type loginRig struct {
	*Engine
	store *sourcetest.Memory
	dir   string
	log   *lockedBuffer
}

// lockedBuffer is what several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

func newLoginRig(t *testing.T) *loginRig {
	t.Helper()
	settings, err := config.Load(config.LoadOptions{Overrides: map[string]any{"resolve.ytdlp": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	r := &loginRig{store: sourcetest.NewMemory(time.Now), dir: t.TempDir(), log: &lockedBuffer{}}
	r.Engine, err = Open(Config{
		Settings: settings, Store: r.store, DataDir: r.dir,
		Logger: slog.New(slog.NewJSONHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

const homeKey = "0123456789abcdef0123456789abcdef"

func newHome(t *testing.T, c jellyfinfake.Config) *jellyfinfake.Server {
	t.Helper()
	c.Keys = append(c.Keys, homeKey)
	c.Users = map[string]string{"me": "pass w0rd"}
	c.Films = []world.Film{
		{Name: "Paper Submarines", Year: 2016, Groups: []world.Group{{Items: []world.Item{{Label: "720P", URL: "https://media.example.com/submarines.mp4"}}}}},
		{Name: "Harbour Nine", Type: "Series", Groups: []world.Group{{Items: []world.Item{{Label: "S01E01", URL: "https://media.example.com/h.mkv"}}}}},
	}
	server, err := jellyfinfake.Add(sourcetest.StartWorld(t, world.Config{}), "home", c)
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func homeSpec(siteType, api string, trusted bool) sources.SiteSpec {
	return sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: "home", Name: "Home", Type: siteType}, API: api, Searchable: true, Trusted: trusted}
}

var homeFilm = sources.Title{Kind: sources.KindMovie, Name: "Paper Submarines", Year: 2016}

// scanHome asks one site, as an interface of its own.
func (r *loginRig) scanHome(t *testing.T, spec sources.SiteSpec, title sources.Title) (Scan, error) {
	t.Helper()
	loaded := loader.Result{Interface: sources.Interface{URL: spec.API, Name: "home"}, Content: loader.Content{Sites: []sources.SiteSpec{spec}, Usable: 1}}
	result, err := r.scanLoaded(t.Context(), loaded, time.Now(), ScanRequest{Title: title, Refresh: true}, nil)
	return Scan{ScanResult: result, ListBy: time.Now().Add(time.Minute)}, err
}

// playHome plays the first of what was found.
func (r *loginRig) playHome(t *testing.T, scan Scan) Played {
	t.Helper()
	req := PlayRequest{ScanRequest: ScanRequest{Title: homeFilm}, User: 1}
	list, _, err := r.playlist(t.Context(), scan, req)
	if err != nil {
		t.Fatal(err)
	}
	queue, err := list.queue(req, true)
	if err != nil {
		t.Fatal(err)
	}
	played, err := r.playFrom(t.Context(), list, queue, req)
	if err != nil {
		t.Fatalf("%v: %+v", err, played.Tried)
	}
	return played
}

// TestLogins_play adds a media server with a login, finds a film there, resolves, probes
// and plays it: the player gets the login, and nothing else that is kept or told has it.
func TestLogins_play(t *testing.T) {
	for name, tt := range map[string]struct {
		siteType string
		config   jellyfinfake.Config
		given    NewLogin
		header   string
	}{
		"jellyfin, a key":      {jellyfin.Type, jellyfinfake.Config{}, NewLogin{Secret: homeKey}, "Authorization"},
		"jellyfin, a password": {jellyfin.Type, jellyfinfake.Config{Base: "/media"}, NewLogin{Name: "me", Secret: "pass w0rd"}, "Authorization"},
		"emby, a key":          {jellyfin.TypeEmby, jellyfinfake.Config{Emby: true}, NewLogin{Secret: homeKey}, "X-Emby-Token"},
		"emby, a password":     {jellyfin.TypeEmby, jellyfinfake.Config{Emby: true}, NewLogin{Name: "me", Secret: "pass w0rd"}, "X-Emby-Token"},
	} {
		t.Run(name, func(t *testing.T) {
			r, home := newLoginRig(t), newHome(t, tt.config)
			spec := homeSpec(tt.siteType, home.URL(), true)
			if _, err := r.scanHome(t, spec, homeFilm); err == nil {
				t.Fatal("it answers without a login")
			}
			prepared, err := r.PrepareLogin(t.Context(), home.URL(), &tt.given)
			if err != nil {
				t.Fatal(err)
			}
			if err := prepared.Store(); err != nil {
				t.Fatal(err)
			}
			tokens := home.Tokens()
			token := tokens[len(tokens)-1]
			scan, err := r.scanHome(t, spec, homeFilm)
			if err != nil || len(scan.Sources) != 1 || !scan.Sources[0].Own {
				t.Fatalf("found %+v, %v", scan.Sources, err)
			}
			if p, err := r.Probe(t.Context(), scan.Sources, ProbeRequest{User: 1}); err != nil || p.OK != 1 {
				t.Errorf("probed %+v, %v", p, err)
			}
			for range 2 { // resolved, and from the store
				played := r.playHome(t, scan)
				if !played.Login || !strings.Contains(played.Stream.Headers[tt.header], token) || strings.Contains(played.Stream.URL, token) || len(played.Source.Headers) > 0 {
					t.Errorf("played %+v", played)
				}
				if status, body := fetchAsPlayer(t, played.Stream); status != http.StatusPartialContent || !bytes.Equal(body, world.Media("/submarines.mp4")[:8]) {
					t.Errorf("a player gets %d %q", status, body)
				}
				if status, _ := fetchAsPlayer(t, sources.Stream{URL: played.Stream.URL}); status != http.StatusUnauthorized {
					t.Errorf("a player without the login gets %d", status)
				}
			}
			err = r.PlayLinks(t.Context(), LinksRequest{Links: []string{scan.Sources[0].URL}, User: 1, Ended: func(p PlayedLink) error {
				if p.Err != nil || !p.Login || !strings.Contains(p.Stream.Headers[tt.header], token) {
					t.Errorf("the link plays as %+v, %v", p, p.Err)
				}
				return nil
			}})
			if err != nil {
				t.Error(err)
			}
			stored, err := r.store.CachedStream(t.Context(), scan.Sources[0].ID)
			if err != nil || stored == nil || len(stored.Headers) > 0 {
				t.Errorf("stored %+v, %v", stored, err)
			}
			secrets := []string{token, "pass w0rd", "Basic "}
			wantNone(t, "log", r.log.String(), secrets...)
			wantNone(t, "sources", fmt.Sprintf("%+v", scan), secrets...)
			file := mustReadFile(t, filepath.Join(r.dir, LoginsFileName))
			if !strings.Contains(file, token) || strings.Contains(file, "pass w0rd") {
				t.Errorf("the file holds %s", file)
			}
			if table, err := r.store.Hosters(t.Context()); err != nil || len(table) > 0 {
				t.Errorf("hosters %+v, %v", table, err)
			}
		})
	}
}

func mustReadFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// wantNone checks that text shows none of secrets.
func wantNone(t *testing.T, what, text string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			t.Errorf("%s shows %q:\n%s", what, secret, text)
		}
	}
}

// fetchAsPlayer asks for the first bytes of a stream as players do.
func fetchAsPlayer(t *testing.T, s sources.Stream) (status int, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range s.Headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Range", "bytes=0-7")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}

// TestLogins_strangers scans a config from elsewhere that names the user's own server.
func TestLogins_strangers(t *testing.T) {
	r, home := newLoginRig(t), newHome(t, jellyfinfake.Config{})
	if err := r.logins.file.Put(config.Login{Origin: link.OriginOf(home.URL()), Kind: config.LoginJellyfin, Token: homeKey}); err != nil {
		t.Fatal(err)
	}
	for _, spec := range []sources.SiteSpec{
		homeSpec(jellyfin.Type, home.URL(), false),
		homeSpec("1", strings.Replace(home.URL(), "http://", "HTTP://x:y@", 1)+"/api.php", false),
		homeSpec("4", home.URL()+"/t4", false),
		{SiteInfo: sources.SiteInfo{Key: "home", Name: "Home", Type: "4"}, API: "http://127.0.0.1:9/", Ext: home.URL() + "/ext.json", Searchable: true},
	} {
		scan, err := r.scanHome(t, spec, homeFilm)
		if err == nil || len(scan.Sites) != 1 || scan.Sites[0].Status != sources.SiteUnsupported || !strings.Contains(scan.Sites[0].Error, "a login is stored for its server") {
			t.Errorf("%s %s: %+v, %v", spec.Type, spec.API, scan.Sites, err)
		}
	}
	if home.Requests() > 0 {
		t.Errorf("the server was asked: %+v", home.Log())
	}
	content := r.withoutStrangers(loader.Content{Usable: 2, Sites: []sources.SiteSpec{homeSpec("1", home.URL(), false), homeSpec("1", "http://other.example", false), homeSpec(jellyfin.Type, home.URL(), true)}})
	if content.Usable != 1 || len(content.Warnings) != 1 || content.Sites[2].Unsupported != "" {
		t.Errorf("content %+v", content)
	}
	// What a stranger's site names on the server gets no login either.
	stream := sources.Stream{URL: home.URL() + "/Videos/1/stream.mkv"}
	if s, loggedIn := r.logins.forPlayer(sources.Source{URL: stream.URL}, stream); loggedIn || len(s.Headers) > 0 {
		t.Errorf("a stranger's source has the login: %+v", s.Headers)
	}
}

// TestLogins_forPlayer adds the login to the headers that a stream has, for its very server.
func TestLogins_forPlayer(t *testing.T) {
	r := newLoginRig(t)
	if err := r.logins.file.Put(config.Login{Origin: "http://nas.example:80", Kind: config.LoginBasic, Name: "me", Password: "p\u00e4ss"}); err != nil {
		t.Fatal(err)
	}
	own := sources.Source{Own: true, URL: "http://nas.example/b.mkv"}
	before := map[string]string{"Referer": "r", "Authorization": "other"}
	s, ok := r.logins.forPlayer(own, sources.Stream{URL: "http://NAS.example/a.mkv", Headers: before})
	if !ok || s.Headers["Authorization"] != "Basic bWU6cMOkc3M=" || s.Headers["Referer"] != "r" || before["Authorization"] != "other" {
		t.Errorf("headers %v, and before %v", s.Headers, before)
	}
	for _, other := range []string{"https://nas.example/a.mkv", "http://nas.example:8080/a.mkv", "http://sub.nas.example/a.mkv", "http://nas.example@evil.example/a.mkv", "/home/me/a.mkv", "%"} {
		if s, ok := r.logins.forPlayer(own, sources.Stream{URL: other}); ok || len(s.Headers) > 0 {
			t.Errorf("%s: headers %v", other, s.Headers)
		}
	}
	// What is found in a file is not of who has the file.
	for _, file := range []string{"/home/me/a.mkv", "file:///home/me/a.mkv", "http://other.example/a.mkv", "https://nas.example/a.mkv", "", "%"} {
		if s, ok := r.logins.forPlayer(sources.Source{Own: true, URL: file}, sources.Stream{URL: "http://nas.example/a.mkv"}); ok || len(s.Headers) > 0 {
			t.Errorf("of %s: headers %v", file, s.Headers)
		}
	}
}

// TestLogins_file reads what this process and others change, and lives with a file that
// cannot be read.
func TestLogins_file(t *testing.T) {
	dir := t.TempDir()
	var warnings []string
	l := newLogins(Config{DataDir: dir, Warn: func(w string) { warnings = append(warnings, w) }})
	u := &url.URL{Scheme: "http", Host: "nas.example"}
	has := func(want bool) {
		t.Helper()
		for range 2 {
			if got := l.header(u); (got != nil) != want {
				t.Errorf("header %v, want one: %v", got, want)
			}
		}
	}
	has(false)
	other := config.NewLoginsFile(config.LoginsPath(dir))
	if err := other.Put(config.Login{Origin: "http://nas.example:80", Kind: config.LoginBasic, Name: "me", Password: "p"}); err != nil {
		t.Fatal(err)
	}
	has(true)
	if err := os.WriteFile(config.LoginsPath(dir), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	has(false)
	if len(warnings) != 1 || !strings.Contains(warnings[0], "damaged") {
		t.Errorf("warnings %q", warnings)
	}
	if err := os.Remove(config.LoginsPath(dir)); err != nil {
		t.Fatal(err)
	}
	has(false)
	if len(warnings) != 1 {
		t.Errorf("warnings %q", warnings)
	}
}

func TestLoginIn(t *testing.T) {
	for address, want := range map[string][3]string{ // name, secret, the rest
		"http://me:pw@nas.example/dav/":                              {"me", "pw", "http://nas.example/dav/"},
		"https://m%40e:p%3Aw%20@nas.example:8443/a%20b?x=1#y":        {"m@e", "p:w ", "https://nas.example:8443/a%20b?x=1#y"},
		"http://me:p@w@nas.example":                                  {"me", "p@w", "http://nas.example"},
		"http://nas.example:8096/?ApiKey=k%2B1":                      {"", "k+1", "http://nas.example:8096/"},
		"http://nas.example/emby?x=1&api_key=k1&y=2#z":               {"", "k1", "http://nas.example/emby?x=1&y=2#z"},
		"http://nas.example/emby?API_KEY=k1":                         {"", "k1", "http://nas.example/emby"},
		"http://me@nas.example/":                                     {"", "", "http://me@nas.example/"},
		"http://nas.example/?api_key=":                               {"", "", "http://nas.example/?api_key="},
		"http://nas.example/?token=k1":                               {"", "", "http://nas.example/?token=k1"},
		"/home/me:pw@nas/config.json?ApiKey=1":                       {"", "", "/home/me:pw@nas/config.json?ApiKey=1"},
		"http://a%zz:pw@nas.example/":                                {"", "", "http://a%zz:pw@nas.example/"},
		"http://nas.example/%7B%22k%22%3A1%7D/manifest.json?api_key": {"", "", "http://nas.example/%7B%22k%22%3A1%7D/manifest.json?api_key"},
	} {
		login, bare, ok := loginIn(address)
		if got := [3]string{login.Name, login.Secret.Reveal(), bare}; got != want || ok != (want[1] != "") {
			t.Errorf("%s: got %q %v, want %q", address, got, ok, want)
		}
	}
}

func TestIsPlainAbroad(t *testing.T) {
	for origin, want := range map[string]bool{
		"http://nas:80": false, "http://nas.local:80": false, "http://nas.fritz.box:80": true, "http://localhost:80": false, "http://192.168.1.5:8096": false,
		"http://10.0.0.1:80": false, "http://127.0.0.1:80": false, "http://[::1]:80": false, "http://[fd00::1]:80": false, "http://169.254.1.1:80": false,
		"http://93.184.216.34:80": true, "http://[2606:2800::1]:80": true, "http://media.example.com:80": true, "https://media.example.com:443": false,
	} {
		if got := isPlainAbroad(origin); got != want {
			t.Errorf("%s: %v, want %v", origin, got, want)
		}
	}
}

// TestPrepareLogin gives logins, and takes them out of addresses.
func TestPrepareLogin(t *testing.T) {
	r := newLoginRig(t)
	jelly, emby := newHome(t, jellyfinfake.Config{}), newHome(t, jellyfinfake.Config{Emby: true})
	w := sourcetest.StartWorld(t, world.Config{})
	dav, err := w.AddServer("dav", func(w http.ResponseWriter, r *http.Request, _ world.Mode) {
		if _, given, ok := r.BasicAuth(); ok && given != "pass w0rd" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		http.NotFound(w, r)
	})
	if err != nil {
		t.Fatal(err)
	}
	moved, err := w.AddServer("moved", func(w http.ResponseWriter, r *http.Request, _ world.Mode) {
		http.Redirect(w, r, jelly.URL()+r.URL.Path, http.StatusFound)
	})
	if err != nil {
		t.Fatal(err)
	}
	davURL, movedURL := "http://"+dav.Addr()+"/films/", "http://"+moved.Addr()
	with := func(address, user string) string { return strings.Replace(address, "://", "://"+user+"@", 1) }
	key, password := &NewLogin{Secret: homeKey}, &NewLogin{Name: "me", Secret: "pass w0rd"}
	for _, tt := range []struct {
		name, ref string
		given     *NewLogin
		kind      config.LoginKind // "" = an error
		url       string           // "" = none is prepared
		err       string
	}{
		{"no login", davURL, nil, "", "", ""},
		{"a path", "/etc/tv.json", password, "", "", "a login is for a server"},
		{"basic", davURL, password, config.LoginBasic, davURL, ""},
		{"basic in the address", with(davURL, "me:pass%20w0rd"), nil, config.LoginBasic, davURL, ""},
		{"basic, a wrong password", davURL, &NewLogin{Name: "me", Secret: "wr0ng"}, "", "", "refuses the name and password"},
		{"basic, a wrong password in the address", with(davURL, "me:wr0ng"), nil, "", "", "refuses the name and password"},
		{"both", with(davURL, "me:x"), password, "", "", "holds a login already"},
		{"a key for no media server", davURL, key, "", "", "neither"},
		{"a parameter of another server", davURL + "?api_key=x1", nil, "", "", ""},
		{"jellyfin, a key", jelly.URL(), key, config.LoginJellyfin, jelly.URL(), ""},
		{"jellyfin, a password", jelly.URL(), password, config.LoginJellyfin, jelly.URL(), ""},
		{"jellyfin, a wrong password", jelly.URL(), &NewLogin{Name: "me", Secret: "wr0ng"}, "", "", "refuses the name and password"},
		{"jellyfin, a password in the address", with(jelly.URL(), "me:pass%20w0rd"), nil, config.LoginJellyfin, jelly.URL(), ""},
		{"jellyfin, a key in the address", jelly.URL() + "/?ApiKey=" + homeKey, nil, config.LoginJellyfin, jelly.URL() + "/", ""},
		{"emby, a key in the address", emby.URL() + "/emby?api_key=" + homeKey + "&x=1", nil, config.LoginEmby, emby.URL() + "/emby?x=1", ""},
		{"emby, a password", emby.URL(), password, config.LoginEmby, emby.URL(), ""},
		{"a redirect to another server", movedURL, key, "", "", "neither"},
		{"nobody answers", "http://127.0.0.1:1/", password, "", "", "cannot be asked what it is"},
		{"nobody answers, in the address", "http://me:pw@127.0.0.1:1/", nil, config.LoginBasic, "http://127.0.0.1:1/", ""},
		{"a name that is none", davURL, &NewLogin{Name: "a\nb", Secret: "s3cr3t"}, "", "", "cannot be used"},
	} {
		p, err := r.PrepareLogin(t.Context(), tt.ref, tt.given)
		switch {
		case tt.err != "":
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: error %v, want %q", tt.name, err, tt.err)
			}
			if err != nil {
				wantNone(t, "the error", err.Error(), homeKey, "pass w0rd", "wr0ng", "s3cr3t")
			}
			continue
		case err != nil || (p == nil) != (tt.url == ""):
			t.Errorf("%s: %+v, %v", tt.name, p, err)
			continue
		case p == nil:
			continue
		}
		if p.URL != tt.url || p.login.Kind != tt.kind || p.ServerName() != link.OriginOf(tt.url) || p.login.Kind != config.LoginBasic && p.login.Password != "" {
			t.Errorf("%s: %s of %s, kind %s; want %s, kind %s", tt.name, p.URL, p.ServerName(), p.login.Kind, tt.url, tt.kind)
		}
		wantNone(t, "it", fmt.Sprintf("%+v %+v", p.login, tt.given), homeKey, "pass w0rd", "pw")
	}
	wantNone(t, "the log", r.log.String(), homeKey, "pass w0rd", "wr0ng", "s3cr3t")
	if _, err := os.Stat(filepath.Join(r.dir, LoginsFileName)); err == nil {
		t.Error("something was stored")
	}
}

// TestRecognise_moved asks a server that sends http to https: a login for the one is not
// sent to the other.
func TestRecognise_moved(t *testing.T) {
	r := newLoginRig(t)
	for status, body := range map[int]string{200: `{"ProductName":"Jellyfin Server","Version":"1","Id":"1"}`, 404: ""} {
		call := func(_ context.Context, r fetch.Request) (*fetch.Response, error) {
			return &fetch.Response{Status: status, Body: []byte(body), FinalURL: strings.Replace(r.URL, "http://", "https://", 1)}, nil
		}
		_, err := r.recognise(t.Context(), call, "http://nas.example/jelly?token=s3cr3t")
		if _, ok := errors.AsType[*RequestError](err); !ok || !strings.Contains(err.Error(), "redirects to https://nas.example:443, where no login for it goes") || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("status %d: %v", status, err)
		}
	}
}

// TestLogins_remove keeps a login as long as an interface may use it.
func TestLogins_remove(t *testing.T) {
	r := newLoginRig(t)
	var logins []config.Login
	for _, host := range []string{"one", "two", "three", "four", "xn--bcher-kva"} {
		logins = append(logins, config.Login{Origin: "http://" + host + ".example:80", Kind: config.LoginBasic, Name: "me", Password: "p"})
	}
	if err := r.logins.file.Put(logins...); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(r.dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	group := write("group.json", `{"sites":[{"key":"a","api":"http:\/\/three.example\/dav"},{"key":"b","api":"http://FOUR.example"},{"key":"c","api":"http://`+"B\u00fccher"+`.example/"}]}`)
	file := write("tv.json", `{"sites":[{"key":"a","type":"webdav","api":"http://four.example/"}]}`)
	for _, ref := range []string{"http://one.example/a", "http://one.example:80/b", "http://two.example/", "https://two.example/", group, file} {
		if _, err := r.AddInterface(t.Context(), ref, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		ref  string
		want []string
	}{
		{"http://one.example/a", nil}, // another one is there
		{"http://one.example:80/b", []string{"http://one.example:80"}},
		{"https://two.example/", nil}, // another server
		{"http://two.example/", []string{"http://two.example:80"}},
		{group, []string{"http://three.example:80", "http://xn--bcher-kva.example:80"}}, // the file names the other
		{file, []string{"http://four.example:80"}},
	} {
		removed, err := r.RemoveInterface(t.Context(), tt.ref)
		if err != nil || !slices.Equal(removed.Logins, tt.want) {
			t.Errorf("%s: removed %q, %v; want %q", tt.ref, removed.Logins, err, tt.want)
		}
	}
	if left, _, err := r.logins.file.Read(); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// TestLogins_backup takes logins along only with the other secrets.
func TestLogins_backup(t *testing.T) {
	r, other := newLoginRig(t), newLoginRig(t)
	a := config.Login{Origin: "http://a.example:80", Kind: config.LoginBasic, Name: "me", Password: "p"}
	b := config.Login{Origin: "http://b.example:80", Kind: config.LoginEmby, Token: "t"}
	if err := r.logins.file.Put(a, b); err != nil {
		t.Fatal(err)
	}
	without, leftOut, err := r.Export(t.Context(), false)
	if err != nil || len(without.Logins) > 0 || leftOut.Logins != 2 {
		t.Errorf("exported %+v, left out %+v, %v", without, leftOut, err)
	}
	with, leftOut, err := r.Export(t.Context(), true)
	if err != nil || len(with.Logins) != 2 || leftOut.Logins != 0 {
		t.Fatalf("exported %+v, left out %+v, %v", with, leftOut, err)
	}
	path := filepath.Join(t.TempDir(), "backup.json")
	if err := config.WriteBackup(path, with); err != nil {
		t.Fatal(err)
	}
	if with, err = config.ReadBackup(path); err != nil {
		t.Fatal(err)
	}
	with.Logins = append(with.Logins, config.StoredLogin{Origin: "http://c.example", Kind: "odd", Token: "s3cr3t"})
	b.Token = "newer"
	if err := other.logins.file.Put(b); err != nil {
		t.Fatal(err)
	}
	var skipped []Skipped
	imported, err := other.Import(t.Context(), with, func(s Skipped) { skipped = append(skipped, s) })
	if err != nil || imported.Logins != 1 || len(skipped) != 1 || !skipped[0].IsLogin {
		t.Errorf("imported %+v, %v, skipped %+v", imported, err, skipped)
	}
	got, _, err := other.logins.file.Read()
	if err != nil || !slices.Equal(got, []config.Login{b, a}) {
		t.Errorf("logins %v, %v", got, err)
	}
	if other.logins.header(&url.URL{Scheme: "http", Host: "a.example"}) == nil {
		t.Error("the imported login is not used")
	}
}
