package vod_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"xship/config/vod"
)

const (
	localConfig  = "file:///home/u/my%20configs/tv.json"
	remoteConfig = "https://h.example/dir/tv.json"
)

// TestDecode_ownTypes reads sites whose type is a word.
func TestDecode_ownTypes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of other systems")
	}
	const onlyLocal = "a folder counts only in a config that lies on this machine"
	for _, c := range []struct {
		name, config, siteType, api string
		wantType, wantAPI, reason   string // reason: the beginning of why it cannot be asked
	}{
		{"a manifest", remoteConfig, `"stremio"`, `"https://a.example/x%2Fy%3D/manifest.json?k=%41&l"`, "stremio", "https://a.example/x%2Fy%3D/manifest.json?k=%41&l", ""},
		{"its own scheme", remoteConfig, `"Stremio"`, `" STREMIO://a.example/%7B%22q%22:1%7D/manifest.json"`, "stremio", "STREMIO://a.example/%7B%22q%22:1%7D/manifest.json", ""},
		{"settings of an add-on", remoteConfig, `"stremio"`, `"https://a.example/c/configure"`, "stremio", "https://a.example/c/configure", ""},
		{"an add-on that is relative", remoteConfig, `"stremio"`, `"./a/manifest.json"`, "stremio", "https://h.example/dir/a/manifest.json", ""},
		{"an add-on that is no URL", remoteConfig, `"stremio"`, `"a.example"`, "stremio", "a.example", `its api "a.example" is not an http or https URL`},
		{"an add-on on a player's own server", remoteConfig, `"stremio"`, `"http://127.0.0.1:9978/manifest.json"`, "stremio", "http://127.0.0.1:9978/manifest.json", "its api is the local server of another app"},

		{"the same by its own scheme", remoteConfig, `"stremio"`, `"stremio://127.0.0.1:9978/manifest.json"`, "stremio", "stremio://127.0.0.1:9978/manifest.json", "its api is the local server of another app"},
		{"the scheme of an add-on elsewhere", remoteConfig, `"webdav"`, `"stremio://a.example/"`, "webdav", "stremio://a.example/", "its api starts with stremio://"},

		{"the Archive", remoteConfig, `"ARCHIVE"`, `null`, "archive", "", ""},
		{"another Archive", remoteConfig, `"archive"`, `"https://ia.example"`, "archive", "https://ia.example", ""},
		{"an Archive that is a file", remoteConfig, `"archive"`, `"file:///etc"`, "archive", "file:///etc", "its api starts with file://"},
		{"the open films", remoteConfig, `" openfilms "`, `""`, "openfilms", "", ""},

		{"WebDAV", remoteConfig, `"webdav"`, `"https://nas.example/dav/"`, "webdav", "https://nas.example/dav/", ""},
		{"WebDAV by its own scheme", localConfig, `"webdav"`, `"davs://nas.example/"`, "webdav", "davs://nas.example/", "its api starts with davs://"},
		{"an index", localConfig, `"httpindex"`, `"http://nas.example/films/"`, "httpindex", "http://nas.example/films/", ""},
		{"Jellyfin", localConfig, `"jellyfin"`, `"http://nas.example:8096"`, "jellyfin", "http://nas.example:8096", ""},
		{"Emby", remoteConfig, `"emby"`, `"http://影视.example/emby"`, "emby", "http://xn--p3t555g.example/emby", ""},
		{"a server without address", localConfig, `"jellyfin"`, `"nas"`, "jellyfin", "nas", `its api "nas" is not an http or https URL`},

		{"a folder", localConfig, `"folder"`, `"/srv/films/../films"`, "folder", "/srv/films", ""},
		{"a folder beside the config", localConfig, `"Folder"`, `"films"`, "folder", "/home/u/my configs/films", ""},
		{"the folder of the config", localConfig, `"folder"`, `"./"`, "folder", "/home/u/my configs", ""},
		{"a folder above", localConfig, `"folder"`, `"../films 50%?#"`, "folder", "/home/u/films 50%?#", ""},
		{"a folder by its address", localConfig, `"folder"`, `"file:///srv/my%20films"`, "folder", "/srv/my films", ""},
		{"a folder of the user", localConfig, `"folder"`, `"~/films"`, "folder", "~/films", `its api "~/films" starts with ~`},
		{"a folder elsewhere", localConfig, `"folder"`, `"smb://nas/films"`, "folder", "smb://nas/films", "its api starts with smb://"},
		{"a folder on the web", localConfig, `"folder"`, `"http://nas.example/films"`, "folder", "http://nas.example/films", "its api starts with http://"},
		{"a folder from elsewhere", remoteConfig, `"folder"`, `"/etc"`, "folder", "/etc", onlyLocal},
		{"in capital letters", remoteConfig, `"FOLDER"`, `"/etc"`, "folder", "/etc", onlyLocal},
		{"by its address from elsewhere", remoteConfig, `"folder"`, `"file:///etc"`, "folder", "/etc", onlyLocal},
		{"relative from elsewhere", remoteConfig, `"folder"`, `"../../etc"`, "folder", "../../etc", onlyLocal},
		{"from nowhere", "", `"folder"`, `"/etc"`, "folder", "/etc", onlyLocal},

		{"a type of tomorrow", localConfig, `"Plex"`, `"http://nas.example/"`, "plex", "http://nas.example/", `site type "plex" is not known; known are 0, 1, 4, archive, `},
		{"a number of tomorrow", localConfig, `"7"`, `"http://nas.example/"`, "7", "http://nas.example/", `site type "7" is not known`},
		{"a number as before", localConfig, `"1.0"`, `"http://nas.example/"`, "1", "http://nas.example/", ""},
	} {
		body := fmt.Sprintf(`{"sites":[{"key":"k","type":%s,"api":%s}]}`, c.siteType, c.api)
		config, err := decode(t, vod.Document{Body: []byte(body), FinalURL: c.config})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := config.Sites[0]
		if got.Type != c.wantType || got.API != c.wantAPI || (got.Unsupported != "") != (c.reason != "") || !strings.HasPrefix(got.Unsupported, c.reason) {
			t.Errorf("%s: type %q, api %q, unsupported %q", c.name, got.Type, got.API, got.Unsupported)
		}
		named := slices.ContainsFunc(config.Warnings, func(w vod.Warning) bool {
			return strings.HasPrefix(w.String(), `site 1 "k": cannot be asked: `+c.reason)
		})
		if byWord := strings.Trim(c.wantType, "0123456789") != ""; named != (byWord && c.reason != "") {
			t.Errorf("%s: warnings %v", c.name, config.Warnings)
		}
	}
}

// TestDecode_noType leaves out a site that has no type or no address, with the reason.
func TestDecode_noType(t *testing.T) {
	for _, c := range []struct{ site, want string }{
		{`"type":"folder"`, "left out: it has no api"},
		{`"type":"folder","api":"  "`, "left out: it has no api"},
		{`"type":"stremio","api":""`, "left out: it has no api"},
		{`"type":true,"api":"http://h.example/"`, "left out: its type true is neither a number such as 1 nor a word such as stremio"},
		{`"type":["folder"],"api":"/etc"`, `left out: its type ["folder"] is neither`},
		{`"type":"` + strings.Repeat("x", 41) + `","api":"/etc"`, "left out: its type "},
	} {
		_, err := decode(t, vod.Document{Body: []byte(`{"sites":[{"key":"k",` + c.site + `}]}`), FinalURL: localConfig})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.site, err, c.want)
		}
	}
}

// TestLoad_ownFolder resolves a folder against the folder of the config that names it.
func TestLoad_ownFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.json")
	if err := os.WriteFile(path, []byte(`{"sites":[{"key":"k","type":"folder","api":"films"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := vod.Load(t.Context(), path, nil, vod.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := config.Sites[0].API, filepath.Join(filepath.Dir(path), "films"); got != want || config.Sites[0].Unsupported != "" {
		t.Errorf("%+v, want %s", config.Sites[0], want)
	}
}
