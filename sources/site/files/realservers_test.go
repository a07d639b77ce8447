//go:build unix

package files_test

import (
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/resolver/direct"
	"xship/sources/site/files"
	"xship/sources/site/httpindex"
	"xship/sources/site/webdav"
	"xship/sources/sourcetest"
)

// The starts of media files.
const (
	mkv = "\x1a\x45\xdf\xa3\xa3\x42\x86\x81\x01\x42\x82\x88matroska"
	mp4 = "\x00\x00\x00\x20ftypisom\x00\x00\x02\x00"
)

// served is what lies on the servers, with the title that each file is of.
var served = map[string]sources.Title{
	"Paper Submarines (2016)/Paper Submarines (2016) - 1080p [x265].mkv": film("Paper Submarines", 2016),
	"Größe & Güte (2019)/Größe & Güte (2019).mkv":                        film("Größe & Güte", 2019),
	"Seven #1 (2003).mp4":                                          film("Seven #1", 2003),
	"Who, Me? (2004).mkv":                                          film("Who, Me?", 2004),
	"100% Cotton (2005).mkv":                                       film("100% Cotton", 2005),
	"50%25 Wool (2006).mkv":                                        film("50%25 Wool", 2006),
	"Salt + Pepper (2007)/Salt + Pepper (2007).mkv":                film("Salt + Pepper", 2007),
	"Semi;Colon = Sign (2008).mkv":                                 film("Semi;Colon = Sign", 2008),
	"It's \"Quoted\" @ Home (2009).mkv":                            film("It's \"Quoted\" @ Home", 2009),
	"钟表匠的风筝 (2021).mkv":                                            film("钟表匠的风筝", 2021),
	"Less < More > Caret ^ (2010).mkv":                             film("Less < More > Caret ^", 2010),
	"Pipe | `Tick` {x}/Within a Pipe (2014).mkv":                   film("Within a Pipe", 2014),
	"Harbour Nine/Season 1/Harbour Nine S01E01.mkv":                episode("Harbour Nine", 1, 1),
	"Harbour Nine/Season 1/Harbour Nine S01E02 - Über Bord #2.mkv": episode("Harbour Nine", 1, 2),
	"Harbour Nine/Specials/Harbour Nine S00E01.mkv":                episode("Harbour Nine", 0, 1),
	"Very/Deep/Folders/Well Below (2011).mkv":                      film("Well Below", 2011),
	"x + #1/x.mkv":                                                 film("Told by a File", 2015),
	"-rf (2012).mkv":                                               film("-rf", 2012),
	"\xdcber Latin (2013).mkv":                                     {},
}

// serverDir is a folder that servers may read as whoever they are, with the files in
// "films" and a password file.
func serverDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, content string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path := range served {
		head := mkv
		if strings.HasSuffix(path, ".mp4") {
			head = mp4
		}
		write(filepath.Join("films", path), head+strings.Repeat("\x00", 20_000))
	}
	write("films/readme.txt", "no film")
	write("films/x + #1/movie.nfo", "<movie><title>Told by a File</title><year>2015</year></movie>")
	sum := sha1.Sum([]byte("pass word"))
	write("passwords", "me:{SHA}"+base64.StdEncoding.EncodeToString(sum[:])+"\n")
	return dir
}

// command finds a program, in the folders of the system too.
func command(t *testing.T, name, packageName string) string {
	t.Helper()
	for _, name := range []string{name, "/usr/sbin/" + name, "/usr/local/bin/" + name, filepath.Join(os.Getenv("HOME"), "go/bin", name)} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("XSHIP_REQUIRE_REAL") == "1" {
		t.Fatalf("%s is not installed (%s), and XSHIP_REQUIRE_REAL=1 wants it", name, packageName)
	}
	t.Skipf("%s is not installed (%s)", name, packageName)
	return ""
}

// freePort is a port of the loopback address that nobody listens on.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}

// runServer runs a server until the test ends, with its output in the log of a test that
// fails, and gives its address.
func runServer(t *testing.T, dir, port, path string, args ...string) string {
	t.Helper()
	output, err := os.Create(filepath.Join(dir, "output"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = output, output
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // workers too
		<-ended
		_ = output.Close()
		if t.Failed() {
			said, _ := os.ReadFile(output.Name())
			t.Logf("%s said:\n%s", filepath.Base(path), said)
		}
	})
	address := "127.0.0.1:" + port
	for end := time.Now().Add(time.Minute); ; {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			_ = conn.Close()
			return "http://" + address
		}
		select {
		case <-ended:
			t.Fatalf("%s ended", path)
		case <-time.After(20 * time.Millisecond):
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not listen: %v", path, err)
		}
	}
}

func writeConfig(t *testing.T, dir, name, content string, values ...string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	content = strings.NewReplacer(append([]string{"DIR", dir}, values...)...).Replace(content)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func startNginx(t *testing.T) (address string) {
	path := command(t, "nginx", "Debian packages nginx and libnginx-mod-http-dav-ext")
	const module = "/usr/lib/nginx/modules/ngx_http_dav_ext_module.so"
	if _, err := os.Stat(module); err != nil && os.Getenv("XSHIP_REQUIRE_REAL") != "1" {
		t.Skip("nginx has no WebDAV module (Debian package libnginx-mod-http-dav-ext)")
	}
	dir, port := serverDir(t), freePort(t)
	config := writeConfig(t, dir, "nginx.conf", `load_module MODULE;
daemon off; master_process off; pid DIR/pid; error_log stderr warn;
events {}
http {
  access_log off; types { video/mp4 mp4; video/x-matroska mkv; }
  client_body_temp_path DIR/t1; proxy_temp_path DIR/t2; fastcgi_temp_path DIR/t3; uwsgi_temp_path DIR/t4; scgi_temp_path DIR/t5;
  server {
    listen 127.0.0.1:PORT;
    location /html/ { alias DIR/films/; autoindex on; }
    location /exact/ { alias DIR/films/; autoindex on; autoindex_exact_size off; autoindex_localtime on; }
    location /json/ { alias DIR/films/; autoindex on; autoindex_format json; }
    location /dav/ { alias DIR/films/; dav_ext_methods PROPFIND OPTIONS; }
    location /locked/ { alias DIR/films/; autoindex on; auth_basic "films"; auth_basic_user_file DIR/passwords; }
    location /lockeddav/ { alias DIR/films/; dav_ext_methods PROPFIND OPTIONS; auth_basic "films"; auth_basic_user_file DIR/passwords; }
  }
}
`, "PORT", port, "MODULE", module)
	return runServer(t, dir, port, path, "-p", dir, "-e", "stderr", "-c", config)
}

func startApache(t *testing.T) (address string) {
	path := command(t, "apache2", "Debian package apache2")
	dir, port := serverDir(t), freePort(t)
	config := writeConfig(t, dir, "apache.conf", `ServerRoot DIR
ServerName localhost
Listen 127.0.0.1:PORT
PidFile DIR/pid
ErrorLog /dev/stderr
Mutex file:DIR
User nobody
Group nogroup
LoadModule mpm_event_module MODULES/mod_mpm_event.so
LoadModule alias_module MODULES/mod_alias.so
LoadModule dir_module MODULES/mod_dir.so
LoadModule autoindex_module MODULES/mod_autoindex.so
LoadModule authn_core_module MODULES/mod_authn_core.so
LoadModule authn_file_module MODULES/mod_authn_file.so
LoadModule authz_core_module MODULES/mod_authz_core.so
LoadModule authz_user_module MODULES/mod_authz_user.so
LoadModule auth_basic_module MODULES/mod_auth_basic.so
LoadModule dav_module MODULES/mod_dav.so
LoadModule dav_fs_module MODULES/mod_dav_fs.so
DavLockDB DIR/locks
Alias /plain DIR/films
Alias /fancy DIR/films
Alias /table DIR/films
Alias /dav DIR/films
Alias /lockeddav DIR/films
Alias /locked DIR/films
<Directory DIR/films>
  Options Indexes
  Require all granted
</Directory>
<Location /fancy>
  IndexOptions FancyIndexing NameWidth=20
</Location>
<Location /table>
  IndexOptions FancyIndexing HTMLTable Charset=UTF-8
</Location>
<Location /dav>
  Dav On
</Location>
<Location /lockeddav>
  Dav On
  AuthType Basic
  AuthName films
  AuthUserFile DIR/passwords
  Require valid-user
</Location>
<Location /locked>
  AuthType Basic
  AuthName films
  AuthUserFile DIR/passwords
  Require valid-user
</Location>
`, "PORT", port, "MODULES", "/usr/lib/apache2/modules")
	return runServer(t, dir, port, path, "-D", "FOREGROUND", "-f", config)
}

func startCaddy(t *testing.T) (address string) {
	path := command(t, "caddy", "go install github.com/caddyserver/caddy/v2/cmd/caddy@v2.11.9")
	dir, port := serverDir(t), freePort(t)
	config := writeConfig(t, dir, "Caddyfile", `{
	admin off
	auto_https off
	persist_config off
}
http://127.0.0.1:PORT {
	handle_path /html/* {
		request_header -Accept
		root * DIR/films
		file_server browse
	}
	handle_path /json/* {
		root * DIR/films
		file_server browse
	}
}
`, "PORT", port)
	return runServer(t, dir, port, path, "run", "--config", config, "--adapter", "caddyfile")
}

func startPython(t *testing.T) (address string) {
	path, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	dir, port := serverDir(t), freePort(t)
	return runServer(t, dir, port, path, "-m", "http.server", "--bind", "127.0.0.1", "--directory", filepath.Join(dir, "films"), port)
}

// TestRealServers finds all that lies on servers as people run them, and opens it.
func TestRealServers(t *testing.T) {
	for name, server := range map[string]struct {
		start                     func(t *testing.T) string
		indexes, davs             []string
		lockedIndexes, lockedDAVs []string
	}{
		"nginx":  {startNginx, []string{"html", "exact", "json"}, []string{"dav"}, []string{"locked"}, []string{"lockeddav"}},
		"Apache": {startApache, []string{"plain", "fancy", "table"}, []string{"dav"}, []string{"locked"}, []string{"lockeddav"}},
		"Caddy":  {startCaddy, []string{"html", "json"}, nil, nil, nil},
		"Python": {startPython, []string{""}, nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			address := server.start(t)
			for _, folder := range append(server.indexes, server.lockedIndexes...) {
				t.Run("index "+folder, func(t *testing.T) {
					checkServer(t, httpindex.Type, address+"/"+folder, strings.HasPrefix(folder, "locked"))
				})
			}
			for _, folder := range append(server.davs, server.lockedDAVs...) {
				t.Run("WebDAV "+folder, func(t *testing.T) {
					checkServer(t, webdav.Type, address+"/"+folder, strings.HasPrefix(folder, "locked"))
				})
			}
			if len(server.davs) == 0 {
				t.Run("no WebDAV", func(t *testing.T) {
					site := realSite(t, webdav.Type, address, fetch.New(fetch.Options{}))
					if err := site.Search(t.Context(), film("Well Below", 2011), func(sources.Source) {}); err == nil {
						t.Error("it is taken for a WebDAV server")
					} else {
						t.Log(err)
					}
				})
			}
		})
	}
}

func realSite(t *testing.T, kind, api string, client *fetch.Client) sources.Site {
	t.Helper()
	t.Cleanup(client.CloseIdleConnections)
	spec := sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: "k", Name: "n", Type: kind}, API: api, Searchable: true, Trusted: true}
	o := files.Options{Index: sourcetest.NewMemory(time.Now)}
	build := httpindex.New
	if kind == webdav.Type {
		build = webdav.New
	}
	site, err := build(spec, client, o)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func checkServer(t *testing.T, kind, api string, locked bool) {
	if locked {
		site := realSite(t, kind, api, fetch.New(fetch.Options{}))
		err := site.Search(t.Context(), film("Well Below", 2011), func(sources.Source) {})
		if err == nil || !strings.Contains(err.Error(), "xship interfaces add URL --login NAME --password-stdin") {
			t.Errorf("without a login: %v", err)
		}
	}
	client := fetch.New(fetch.Options{Login: func(u *url.URL) http.Header {
		if !locked || !strings.HasPrefix(api, "http://"+u.Host+"/") {
			return nil
		}
		r := http.Request{Header: http.Header{}}
		r.SetBasicAuth("me", "pass word")
		return r.Header
	}})
	site := realSite(t, kind, api, client)
	resolver := direct.New(client, nil)
	for path, title := range served {
		if title.Name == "" {
			continue
		}
		var found []sources.Source
		if err := site.Search(t.Context(), title, func(s sources.Source) { found = append(found, s) }); err != nil {
			t.Fatal(err)
		}
		if len(found) != 1 {
			t.Errorf("%s: found %d sources", path, len(found))
			continue
		}
		checkSource(t, resolver, found[0], path)
	}
	root, err := site.(sources.Indexer).UpdateIndex(t.Context(), nil)
	if err != nil || root.Files != len(served) || root.Left != "" {
		t.Errorf("got %+v, %v, want %d files", root, err, len(served))
	}
}

// checkSource resolves what was found of a file.
func checkSource(t *testing.T, resolver *direct.Resolver, src sources.Source, path string) {
	t.Helper()
	if !src.Own || strings.Contains(src.URL, "@127") || len(src.Headers) > 0 || link.Hoster(src.URL) != "127.0.0.1" {
		t.Errorf("%s: the source is %+v", path, src)
	}
	stream, err := resolver.Resolve(fetch.WithLogins(t.Context()), src)
	want := "video/x-matroska"
	if strings.HasSuffix(path, ".mp4") {
		want = "video/mp4"
	}
	if err != nil || stream.MIME != want {
		t.Errorf("%s: %s resolves to %+v, %v", path, src.URL, stream, err)
	}
}
