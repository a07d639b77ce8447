package loader_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xship/cmd/engine/loader"
	"xship/config/failover"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/site/openfilms"
	"xship/sources/sourcetest/world"
)

func TestURLOf(t *testing.T) {
	t.Parallel()
	abs := func(path string) string {
		path, err := filepath.Abs(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct{ ref, want string }{ // "": an error
		{"", ""},
		{" ", ""},
		{"vod.json", abs("vod.json")},
		{" ./a/../vod.json ", abs("vod.json")},
		{openfilms.InterfaceURL, openfilms.InterfaceURL},
		{"https://a.example", "https://a.example"},
		{"http://a.example/ä b.json?x=1", "http://a.example/ä b.json?x=1"},
		{"http://影视.example/", "http://影视.example/"},
		{"http://[::1]:8080/", "http://[::1]:8080/"},
		{"http://", ""},
		{"HTTPS:///vod.json", ""},
		{"http://:8080/vod.json", ""},
		{"http://user@/vod.json", ""},
		{"file:///tmp/x.json", filepath.FromSlash("/tmp/x.json")},
		{"FILE://localhost/tmp/a/../x%20y.json", filepath.FromSlash("/tmp/x y.json")},
		{"file://elsewhere/x.json", "file://elsewhere/x.json"},
		{"file://", "file://"},
		{"clan://x", "clan://x"},
		{"stremio://a.example/%7B%22k%22%3A%22a%2Fb%22%7D/manifest.json?x=%2F", "stremio://a.example/%7B%22k%22%3A%22a%2Fb%22%7D/manifest.json?x=%2F"},
		{"stremio://", ""},
		{"http://a.example/%zz", "http://a.example/%zz"},
	} {
		got, err := loader.URLOf(c.ref)
		if got != c.want || (err != nil) != (c.want == "") || err != nil && !errors.Is(err, loader.ErrNoRef) {
			t.Errorf("URLOf(%q) = %q, %v; want %q", c.ref, got, err, c.want)
		}
	}
}

// TestMisspelt: what is neither an interface nor a file is made up for by no other
// interface, whatever the mode.
func TestMisspelt(t *testing.T) {
	for _, mode := range []failover.Mode{failover.Off, failover.Auto, failover.Manual} {
		r := newRig(t, world.ModeOK, world.ModeOK)
		r.mode(mode)
		_, err := r.Load(t.Context(), loader.Request{Ref: "nope"})
		failed, ok := errors.AsType[*vod.Error](err)
		if !ok || failed.URL != "nope" || failed.Cause != vod.CauseFile || failed.Hint == "" {
			t.Errorf("%s: %v", mode, err)
		}
		r.requests(0, 0)
	}
}

// TestFileURL: a file is the same interface by path and by file:// URL.
func TestFileURL(t *testing.T) {
	r := newRig(t)
	path := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(path, []byte(`{"sites": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Store.AddInterface(t.Context(), path, "mine"); err != nil {
		t.Fatal(err)
	}
	if row, err := r.Active(t.Context(), "file://"+filepath.ToSlash(path)); err != nil || row.Name != "mine" {
		t.Errorf("%+v, %v", row, err)
	}
}

// TestDefaultOrder: interfaces that nobody has ordered are tried as they were added,
// also after each was looked at; only one that is put in use comes to the front.
func TestDefaultOrder(t *testing.T) {
	r := newRig(t, world.Mode500, world.ModeOK, world.ModeOK)
	if err := r.Order.SetOrder(nil); err != nil {
		t.Fatal(err)
	}
	order := func(want string) {
		t.Helper()
		rows, _, err := r.Interfaces(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, row := range rows {
			got += row.Name
		}
		if got != want {
			t.Errorf("order %s, want %s", got, want)
		}
	}
	for _, name := range []string{"c", "b"} {
		if _, err := r.Check(t.Context(), r.servers[name].URL()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Load(t.Context(), loader.Request{Ref: "c", Refresh: true}); err != nil { // for one run only
		t.Fatal(err)
	}
	order("abc")
	result, err := r.Load(t.Context(), loader.Request{Refresh: true})
	if err != nil || result.Interface.Name != "b" {
		t.Errorf("%+v, %v; want the one added after the first", result.Interface, err)
	}
	order("bac")
}

// TestFind_shown: what a list shows of an interface finds it, where nothing else is
// shown so; two that look the same are told apart by nothing but their addresses.
func TestFind_shown(t *testing.T) {
	t.Parallel()
	addresses := []string{
		"https://a.example/片库/影视 仓.json", "https://a.example/%E7%89%87.json?v=2#x", "https://a.example/a|b;c.json", "HTTP://A.Example/TV.JSON",
		"https://a.example/ProfessionalEdition20240712.json", "https://gh.example/https://raw.githubusercontent.com/u/r/main/tv.json",
		"/tmp/x/my file.json", "/tmp/x/a  b\u3000c.json", "/tmp/x/目录/片库.json", "/tmp/x/100%#1?.json", "/tmp/caf\xe9.json", "/tmp/\x1b[31mred.json",
		"https://a.example/tv.json?token=s3cr3t", "http://admin:p%ssw0rd@h.example/x.json", "http://h.example/c.json;pk;s3cr3t",
		"https://a.example/0eb052d0-fd51-43e6-aa33-ecdbf77a5d40/tv.json",
	}
	rows := make([]sources.Interface, 0, len(addresses))
	for _, address := range addresses {
		rows = append(rows, sources.Interface{URL: address})
	}
	for _, row := range rows {
		if found, ok := loader.Find(rows, link.RedactInterface(row.URL)); !ok || found.URL != row.URL {
			t.Errorf("%q, shown as %q, finds %q, %v", row.URL, link.RedactInterface(row.URL), found.URL, ok)
		}
	}
	twins := []sources.Interface{{URL: "https://a.example/?token=a"}, {URL: "https://a.example/?token=b"}}
	if found, ok := loader.Find(twins, "https://a.example/?token=REDACTED"); ok {
		t.Errorf("one of two is found: %+v", found)
	}
	if found, ok := loader.Find(rows, ""); ok {
		t.Errorf("nothing finds %+v", found)
	}
}

func TestForeignScheme(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{
		"http://h.example": "", "HTTPS://h.example": "", "file:///tmp/x.json": "", "/tmp/x.json": "", "x.json": "", "a:b.json": "", `C:\x.json`: "",
		"h.example:8080/tv.json": "", "gh.example/https://raw.example/tv.json": "", "": "",
		"ftp://h.example/x": "ftp://", "clan://localhost/x": "clan://", "assets://x": "assets://", "proxy://x": "proxy://", "rtmp://h.example/x": "rtmp://",
		"htp://h.example": "htp://", "magnet:?xt=x": "magnet:", "data:application/json,{}": "data:", "JavaScript:x": "JavaScript:",
	} {
		if got := loader.ForeignScheme(ref); got != want {
			t.Errorf("%q: %q, want %q", ref, got, want)
		}
	}
}

func TestWebForms(t *testing.T) {
	t.Parallel()
	for ref, want := range map[string]string{
		"h.example":                       "https://h.example http://h.example",
		"h.example/tv.json":               "https://h.example/tv.json http://h.example/tv.json",
		"饭太硬.example/tv":                  "https://饭太硬.example/tv http://饭太硬.example/tv",
		"192.168.1.5:9978/tv":             "https://192.168.1.5:9978/tv http://192.168.1.5:9978/tv",
		"tvbox:5000":                      "https://tvbox:5000 http://tvbox:5000",
		"localhost/tv.json":               "https://localhost/tv.json http://localhost/tv.json",
		"//h.example/tv.json":             "https://h.example/tv.json http://h.example/tv.json",
		"http:/h.example/tv.json":         "http://h.example/tv.json",
		"https//h.example/tv.json":        "https://h.example/tv.json",
		`http:\\h.example\tv.json`:        "http://h.example/tv.json",
		"https:h.example":                 "https://h.example",
		"gh.example/https://r.example/tv": "https://gh.example/https://r.example/tv http://gh.example/https://r.example/tv",
		"h.example/tv.json?token=abc":     "https://h.example/tv.json?token=REDACTED http://h.example/tv.json?token=REDACTED",
		"me:pw@h.example/tv.json":         "https://REDACTED@h.example/tv.json http://REDACTED@h.example/tv.json",
		"vod.json":                        "",
		"my file.json":                    "",
		"box/vod.json":                    "",
		"./h.example/tv.json":             "",
		"/h.example/tv.json":              "",
		"goood":                           "",
		"":                                "",
	} {
		if got := strings.Join(loader.WebForms(ref), " "); got != want {
			t.Errorf("%q: %q, want %q", ref, got, want)
		}
	}
}
