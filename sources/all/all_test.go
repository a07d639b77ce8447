package all_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/all"
	"xship/sources/fetch"
	"xship/sources/site/archive"
	"xship/sources/site/folder"
	"xship/sources/site/httpindex"
	"xship/sources/site/maccms"
	"xship/sources/site/openfilms"
	"xship/sources/site/stremio"
	"xship/sources/site/t4"
	"xship/sources/site/webdav"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

func spec(key, siteType, api string) sources.SiteSpec {
	return sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: key, Name: key, Type: siteType}, API: api, Searchable: true}
}

func TestSites(t *testing.T) {
	const film = "Paper Submarines"
	films := []world.Film{
		{Name: film, IMDb: "tt9000001", Groups: []world.Group{{Items: []world.Item{{Label: "HD", URL: "https://h.example/a.mp4"}}}}},
	}
	server := sourcetest.StartSite(t, films)
	player, err := sourcetest.StartWorld(t, world.Config{}).AddT4("t4", world.T4Config{Films: films})
	if err != nil {
		t.Fatal(err)
	}
	addon := spec("addon", stremio.Type, sourcetest.StartStremio(t, world.StremioConfig{Films: films}).URL())
	addon.WantsIMDb = true
	items, err := sourcetest.StartWorld(t, world.Config{}).AddArchive("archive", world.ArchiveConfig{Items: world.ArchiveItems(films)})
	if err != nil {
		t.Fatal(err)
	}
	quiet := spec("quiet", maccms.Type, server.URL())
	quiet.Searchable = false
	jar := spec("jar", maccms.Type, server.URL())
	jar.Unsupported = "its api is a file of the app\x1b[31m"
	own := spec("folder", folder.Type, t.TempDir())
	own.Trusted, own.Offline, own.Local = true, true, true
	if err := os.WriteFile(filepath.Join(own.API, film+".mkv"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	shelf := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == "PROPFIND" {
			w.WriteHeader(http.StatusMultiStatus)
			_, _ = io.WriteString(w, `<multistatus xmlns="DAV:"><response><href>/Paper Submarines.mkv</href></response></multistatus>`)
			return
		}
		_, _ = io.WriteString(w, `<title>Index of /</title><a href="Paper%20Submarines.mkv">film</a>`)
	}))
	t.Cleanup(shelf.Close)
	client := fetch.New(fetch.Options{})
	t.Cleanup(client.CloseIdleConnections)
	tests := []struct {
		spec  sources.SiteSpec
		found int
		err   string // "" = it can be asked
	}{
		{spec("spider", "3", "csp_Alpha"), 0, "type 3 spider csp_Alpha: needs code execution"},
		{spec("script", "3", "https://h.example/a.js?token=s3cr3t-s3cr3t"), 0, "type 3 spider https://h.example/a.js?token=REDACTED: needs code execution"},
		{spec("cms", maccms.Type, server.URL()), 1, ""},
		{quiet, 0, "not searchable: the interface says so"},
		{spec("xml", maccms.TypeXML, server.XMLURL()), 1, ""},
		{spec("t4", t4.Type, player.URL()), 1, ""},
		{spec("t4 without address", t4.Type, "csp_Alpha"), 0, `the api "csp_Alpha" is not an http or https URL`},
		{addon, 1, ""},
		{spec("add-on without address", stremio.Type, "csp_Alpha"), 0, "csp_Alpha is not the address of a Stremio add-on: it must be on the web and end in /manifest.json"},
		{spec("archive", archive.Type, items.URL()), 1, ""},
		{spec("archive without scheme", archive.Type, "archive.org"), 0, "the address of the Internet Archive is no http or https URL: archive.org"},
		{jar, 0, "its api is a file of the app"},
		{spec("new", "9\x1b[31m", server.URL()), 0, `site type "9" is not known`},
		{spec("relative", maccms.Type, "./api.php"), 0, `the api "./api.php" is not an http or https URL`},
		{openfilms.Spec(), 0, ""},
		{own, 1, ""},
		{spec("folder of a remote config", folder.Type, own.API), 0, "a folder counts only in a config that lies on this machine"},
		{spec("index", httpindex.Type, shelf.URL), 1, ""},
		{spec("dav", webdav.Type, shelf.URL), 1, ""},
		{spec("no address", webdav.Type, "/films"), 0, "/films: the address of the site is not an http or https URL"},
	}
	specs := make([]sources.SiteSpec, len(tests))
	for i, tt := range tests {
		specs[i] = tt.spec
	}
	sites := all.Sites(specs, all.Deps{Fetch: client, Index: sourcetest.NewMemory(nil)})
	if len(sites) != len(specs) {
		t.Fatalf("%d sites for %d specs", len(sites), len(specs))
	}
	for i, tt := range tests {
		t.Run(tt.spec.Key, func(t *testing.T) {
			if got := sites[i].Info(); got != tt.spec.SiteInfo {
				t.Errorf("info %+v, want %+v", got, tt.spec.SiteInfo)
			}
			found := 0
			err := sites[i].Search(t.Context(), sources.Title{Kind: sources.KindMovie, Name: film, IMDb: "tt9000001"}, func(sources.Source) { found++ })
			if found != tt.found {
				t.Errorf("%d sources, want %d", found, tt.found)
			}
			switch {
			case tt.err == "" && err != nil:
				t.Errorf("unexpected error %v", err)
			case tt.err != "" && (sources.ClassOf(err) != sources.ClassUnsupported || err.Error() != tt.err):
				t.Errorf("got %s %v, want %q", sources.ClassOf(err), err, tt.err)
			}
		})
	}
}

func TestSitesShareExts(t *testing.T) {
	var asked atomic.Int64
	ext := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(ext.Close)
	player, err := sourcetest.StartWorld(t, world.Config{}).AddT4("t4", world.T4Config{})
	if err != nil {
		t.Fatal(err)
	}
	client := fetch.New(fetch.Options{})
	t.Cleanup(client.CloseIdleConnections)
	specs := make([]sources.SiteSpec, 3)
	for i := range specs {
		specs[i] = spec(fmt.Sprint("t4-", i), t4.Type, player.URL())
		specs[i].Ext = ext.URL
	}
	for _, tt := range []struct {
		name  string
		exts  *t4.Exts
		asked int64
	}{{"shared", t4.NewExts(client, time.Hour, nil), 1}, {"each for itself", nil, 6}} {
		asked.Store(0)
		for range 2 { // scans
			for _, site := range all.Sites(specs, all.Deps{Fetch: client, Exts: tt.exts}) {
				if err := site.Search(t.Context(), sources.Title{Kind: sources.KindMovie, Name: "Alpha"}, func(sources.Source) {}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n := asked.Load(); n != tt.asked {
			t.Errorf("%s: the ext was asked for %d times, want %d", tt.name, n, tt.asked)
		}
	}
}
