package vod_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xship/config/vod"
)

const configs = "../../testdata/configs"

func fixture(t *testing.T, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join(configs, name))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

type goodFixture struct {
	file     string
	sites    []vod.Site
	warnings []string
}

// encodedFixture is the one site of the configs that are encoded.
func encodedFixture(file, key string) goodFixture {
	return goodFixture{file: file, sites: []vod.Site{
		{Key: key, Name: "资源 " + key, Type: "1", API: "https://h.example/dir/api.php/provide/vod/", Searchable: true},
	}}
}

func TestDecode_good(t *testing.T) {
	tests := []goodFixture{
		{
			file: "plain.json",
			sites: []vod.Site{
				{
					Key: "alpha", Name: "阿尔法资源", Type: "1", API: "https://alpha.example/api.php/provide/vod/",
					Timeout: 5 * time.Second, Searchable: true, Categories: []string{"电影", "剧集"},
				},
				{Key: "beta", Name: "Beta XML", Type: "0", API: "http://beta.example/api.php/provide/vod/at/xml/", PlayURL: "https://player.example/?url="},
				{
					Key: "gamma", Name: "Gamma T4", Type: "4", API: "https://gamma.example/vod?site=g", Ext: "https://gamma.example/ext.json", Searchable: true,
					Headers: map[string]string{"User-Agent": "okhttp/3.15", "Referer": "https://gamma.example/"},
				},
				{
					Key: "csp_Delta", Name: "Delta 蜘蛛", Type: "3", API: "csp_Delta", Ext: `{"site":"https://delta.example","filter":[1,2]}`,
					Unsupported: "type 3 spider csp_Delta: needs code execution",
				},
			},
		},
		{
			file: "comments.json",
			sites: []vod.Site{
				{Key: "one", Name: "One", Type: "1", API: "http://h.example/a//b#c", Searchable: true},
				{Key: "two", Name: "Two /* kept */", Type: "1", API: "http://two.example/", Searchable: true},
			},
		},
		{
			file: "quirks.json",
			sites: []vod.Site{
				{Key: "0821", Name: "Numbers as text", Type: "1", API: "http://a.example/", Timeout: 30 * time.Second},
				{Key: "bare", Name: "No quotes", Type: "1", API: "http://b.example/", Searchable: true},
				{
					Key: "8", Name: "8", Type: "4", API: "http://c.example/", Ext: "42", Searchable: true,
					Headers: map[string]string{"User-Agent": "okhttp", "Referer": "http://c.example/"},
				},
				{Key: "raw", Name: "Raw tab and line", Type: "0", API: "http://d.example/", Ext: `\d+`, Searchable: true},
				{Key: "playurl", Name: "Wrong case", Type: "1", API: "http://e.example/", Searchable: true},
			},
		},
		{
			file: "badsites.json",
			sites: []vod.Site{
				{Key: "good", Name: "Good", Type: "1", API: "http://good.example/", Searchable: true},
				{
					Key: "words", Name: "Type in words", Type: "one", API: "http://words.example/", Searchable: true,
					Unsupported: `site type "one" is not known; known are 0, 1, 4, archive, emby, folder, httpindex, jellyfin, openfilms, stremio and webdav`,
				},
				{Key: "odd", Name: "Odd but usable", Type: "1", API: "http://odd.example/", Searchable: true, Headers: map[string]string{"Good": "y"}},
				{Key: "last", Name: "Last", Type: "0", API: "http://last.example/", Searchable: true},
			},
			warnings: []string{
				`site 2 "----" (---- 分隔 ----): left out: it has no api`,
				`site 3 (No key): left out: it has no key`,
				`site 4 "words" (Type in words): cannot be asked: site type "one" is not known; ` +
					`known are 0, 1, 4, archive, emby, folder, httpindex, jellyfin, openfilms, stremio and webdav`,
				`site 5 "nested" (Type nested): left out: its type {"a":1} is neither a number such as 1 nor a word such as stremio`,
				`site 6: left out: it is not an object but "just text"`,
				`site 7: left out: it is not an object but null`,
				`site 8: left out: it is not an object but 17`,
				`site 9: left out: it is not an object but ["array"]`,
				`site 10 "good" (Same key): left out: an earlier site has the same key`,
				`site 11 "odd" (Odd but usable): ignored headers that cannot be sent (2, such as "Bad Name")`,
				`site 11 "odd" (Odd but usable): ignored timeout -3`,
				`site 11 "odd" (Odd but usable): ignored searchable "maybe"`,
			},
		},
		{
			file:  "duplicates.json",
			sites: []vod.Site{{Key: "first", Name: "First", Type: "1", API: "http://first.example/", Searchable: true}},
			warnings: []string{
				`the key "api" in line 2 is a duplicate, the first one is used`,
				`the key "sites" in line 3 is a duplicate, the first one is used`,
			},
		},
		{
			file:     "twodocuments.json",
			sites:    []vod.Site{{Key: "one", Name: "One", Type: "1", API: "http://one.example/", Searchable: true}},
			warnings: []string{"only the first JSON document is used, what follows it in line 2 is ignored"},
		},
		{
			file:  "onesite.json",
			sites: []vod.Site{{Key: "only", Name: "Only", Type: "1", API: "http://only.example/", Searchable: true}},
		},
		{
			file: "spiders.json",
			sites: []vod.Site{
				{
					Key: "drpy", Name: "drpy", Type: "3", API: "https://h.example/dir/lib/drpy2.min.js", Ext: "https://h.example/dir/js/some.js", Searchable: true,
					Unsupported: "type 3 spider https://h.example/dir/lib/drpy2.min.js: needs code execution",
				},
				{
					Key: "py", Name: "py", Type: "3", API: "https://h.example/py/some.py", Searchable: true,
					Unsupported: "type 3 spider https://h.example/py/some.py: needs code execution",
				},
				{Key: "csp", Name: "csp", Type: "3", API: "csp_XBPQ", Searchable: true, Unsupported: "type 3 spider csp_XBPQ: needs code execution"},
			},
			warnings: []string{"0 of 3 sites can be asked; use another interface"},
		},
		{
			file: "gson.json",
			sites: []vod.Site{
				{Key: "one", Name: "One; = and =>", Type: "1", API: "http://one.example/?a=1;b=2", Searchable: true},
				{Key: "two", Name: "Two", Type: "1", API: "http://two.example/", Searchable: true},
			},
		},
		{
			file: "ignored.json",
			sites: []vod.Site{
				{Key: "null", Name: "null", Type: "0", API: "http://null.example/", Searchable: true, Categories: []string{"7", "电影"}},
				{
					Key: "7", Name: "7.5", Type: "1", API: "http://numbers.example/", Ext: "true", Timeout: 7 * time.Second, Searchable: true,
					Categories: []string{"电影"},
				},
			},
			warnings: []string{`site 2 "7" (7.5): ignored header, which is not an object`},
		},
		{
			file: "addresses.json",
			sites: []vod.Site{
				{Key: "idn", Name: "IDN", Type: "1", API: "http://xn--sss604efuw.example:8080/%E7%94%B5%E5%BD%B1/api.php?wd=电影&x=%2F#f", Searchable: true},
				{
					Key: "upper", Name: "Upper case and full stops", Type: "4", API: "https://xn--bcher-kva.example/vod?site=g",
					Ext: "https://bücher.example/ext.json", Searchable: true,
				},
				{Key: "path", Name: "Path", Type: "1", API: "http://path.example/接口/api.php?a=1&a=2&b", Searchable: true},
				{Key: "query", Name: "Query", Type: "0", API: "https://h.example/dir/at/xml/?ac=list&from=a$b", Searchable: true},
				{Key: "bare", Name: "Bare question mark", Type: "1", API: "https://h.example/api.php?", Searchable: true},
				{Key: "long", Name: "Not a host", Type: "1", API: "http://ü_.example/", Searchable: true},
			},
		},
		encodedFixture("base64.txt", "base64"),
		encodedFixture("marker.txt", "marker"),
		encodedFixture("image.jpg", "jpeg"),
		encodedFixture("image.png", "png"),
		encodedFixture("image.gif", "gif"),
		encodedFixture("image.bmp", "bmp"),
		encodedFixture("aes.txt", "aes"),
		encodedFixture("aes.webp", "webp"),
		{
			file: "relative.json",
			sites: []vod.Site{
				{Key: "same", Name: "Same folder", Type: "4", API: "https://h.example/dir/api?site=x", Ext: "https://h.example/dir/ext.json", Searchable: true},
				{Key: "up", Name: "Up", Type: "1", API: "https://h.example/api.php", Searchable: true},
				{Key: "root", Name: "Root", Type: "1", API: "https://h.example/api.php", Ext: "/kept", Searchable: true},
				{Key: "absolute", Name: "Absolute", Type: "1", API: "https://other.example/api.php", Searchable: true},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			const address = "https://h.example/dir/config.json?x=1"
			config, err := decode(t, vod.Document{Body: fixture(t, "good/"+tt.file), FinalURL: address})
			if err != nil {
				t.Fatal(err)
			}
			if config.URL != address {
				t.Errorf("URL = %q", config.URL)
			}
			if diff := cmp.Diff(tt.sites, config.Sites); diff != "" {
				t.Errorf("sites (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.warnings, texts(config.Warnings)); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func texts(warnings []vod.Warning) []string {
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	return texts
}

func TestDecode_bad(t *testing.T) {
	const hintConfig = "an interface is a JSON document with a list named sites; check the address"
	const hintPlain = "use the address of the plain config"
	const hintKey = "it is damaged, or made for one app alone; " + hintPlain
	const hintLive = "add the address of a config for films and series (VOD)"
	const hintBroken = "tell its maintainer, or use another interface"
	tests := []struct {
		file         string
		cause        vod.Cause
		line, column int
		detail, hint string
	}{
		{
			"page.html", vod.CauseHTML, 0, 0, `got a web page (HTML) instead of a config, titled "box/tv.json at main · example/box"`,
			"use the address of the raw file, not of the page that shows it",
		},
		{"live.m3u", vod.CauseM3U, 0, 0, "got a list of live channels instead of a config with sites", hintLive},
		{"live.txt", vod.CauseM3U, 0, 0, "got a list of live channels instead of a config with sites", hintLive},
		{"feed.xml", vod.CauseNotConfig, 0, 0, "got XML instead of a config", hintConfig},
		{"aeskey.txt", vod.CauseEncoded, 0, 0, "got an encrypted config: bad key/padding (its key does not fit)", hintKey},
		{"aescut.txt", vod.CauseEncoded, 0, 0, "got an encrypted config: bad key/padding (it is cut off)", hintKey},
		{"marker.txt", vod.CauseEncoded, 0, 0, "got a base64 config behind a ** marker that cannot be decoded", hintPlain},
		{"base64.txt", vod.CauseEncoded, 0, 0, "got a base64 config that cannot be decoded", hintPlain},
		{"base64comma.txt", vod.CauseSyntax, 2, 25, `inside base64: got broken JSON: line 2, column 25: expected a comma or '}', found '"'`, hintBroken},
		{"image.jpg", vod.CauseEncoded, 0, 0, "got a JPEG image without a config behind it", hintPlain},
		{
			"imagepage.png", vod.CauseHTML, 0, 0, `inside a PNG image: got a web page (HTML) instead of a config, titled "403"`,
			"use the address of the raw file, not of the page that shows it",
		},
		{"compressed.gz", vod.CauseEncoded, 0, 0, "got gzip-compressed data", hintPlain},
		{"missingcomma.json", vod.CauseSyntax, 3, 32, `got broken JSON: line 3, column 32: expected a comma or '}', found '"'`, hintBroken},
		{"missingquote.json", vod.CauseSyntax, 3, 19, `got broken JSON: line 3, column 19: expected a comma or '}', found 'n'`, hintBroken},
		{"truncated.json", vod.CauseSyntax, 3, 53, "got broken JSON: line 3, column 53: the text ends inside the string that starts here", hintBroken},
		{"msg.json", vod.CauseMsg, 0, 0, `the config refuses service: "接口已关闭"`, "ask its maintainer, or use another interface"},
		{"emptysites.json", vod.CauseNoSites, 0, 0, "the list of sites of the config is empty", "check the address, or use another interface"},
		{"nullsites.json", vod.CauseNoSites, 0, 0, "the list of sites of the config is empty", "check the address, or use another interface"},
		{"livesonly.json", vod.CauseNoSites, 0, 0, "the config has live channels only, and no sites", hintLive},
		{"maccms.json", vod.CauseNoSites, 0, 0, "got the answer of a single site instead of a config with sites", hintConfig},
		{"problem.json", vod.CauseNoSites, 0, 0, "got JSON without a list of sites", hintConfig},
		{
			"unusable.json", vod.CauseNoSites, 0, 0,
			`none of the 2 sites of the config can be understood: site 1 "sep" (---- 分隔 ----): left out: it has no api`,
			"check the address, or use another interface",
		},
		{
			"depot.json", vod.CauseRequest, 0, 0,
			"none of 3 interfaces of the depot could be used: https://REDACTED@one.example/tv.json?token=REDACTED&x=1 (一号线路): nobody answers; " +
				"https://two.example/tv.json (Two): nobody answers; https://three.example/tv.json: nobody answers",
			"add another one of its interfaces: https://four.example/tv.json (Four)",
		},
		{
			"storehouse.json", vod.CauseRequest, 0, 0, "its interface http://h.example/d.json (S): nobody answers",
			"check the address and the network",
		},
		{
			"loop.json", vod.CauseRequest, 0, 0, "its interface https://h.example/loop.json (自己): nobody answers",
			"check the address and the network",
		},
		{"emptydepot.json", vod.CauseDepot, 0, 0, "got a depot, a list of interfaces, that is empty", "use another interface"},
		{"array.json", vod.CauseNotConfig, 0, 0, "got a JSON array instead of an object with sites", hintConfig},
		{"closed.txt", vod.CauseNotConfig, 0, 0, `got text instead of a config: "closed"`, hintConfig},
		{"blank.json", vod.CauseEmpty, 0, 0, "got an empty body", "check the address in a browser"},
		{"comments.json", vod.CauseNotConfig, 0, 0, "got nothing but comments", hintConfig},
	}
	covered := map[string]bool{}
	for _, tt := range tests {
		covered[tt.file] = true
		t.Run(tt.file, func(t *testing.T) {
			const address = "https://h.example/config.json"
			config, err := decode(t, vod.Document{Body: fixture(t, "bad/"+tt.file), FinalURL: address})
			e, ok := errors.AsType[*vod.Error](err)
			if !ok || config != nil {
				t.Fatalf("Decode = %v, %v; want an *Error", config, err)
			}
			e.Err = nil
			want := vod.Error{URL: address, Cause: tt.cause, Line: tt.line, Column: tt.column, Detail: tt.detail, Hint: tt.hint}
			if diff := cmp.Diff(want, *e); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if want := "load interface " + address + ": " + tt.detail + "; " + tt.hint; err.Error() != want {
				t.Errorf("Error() = %q, want %q", err, want)
			}
		})
	}
	files, err := os.ReadDir(filepath.Join(configs, "bad"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !covered[f.Name()] {
			t.Errorf("bad/%s is in no test", f.Name())
		}
	}
}

func TestDecode_recognises(t *testing.T) {
	tests := []struct {
		name, body, contentType string
		cause                   vod.Cause
	}{
		{"no bytes", "", "", vod.CauseEmpty},
		{"only a byte order mark", "\ufeff", "", vod.CauseEmpty},
		{"HTML fragment by content type", "<div>403</div>", "text/html; charset=utf-8", vod.CauseHTML},
		{"HTML behind a comment", "<!-- x -->\n<HTML>", "", vod.CauseHTML},
		{"JSON called HTML", `{"sites":[]}`, "text/html", vod.CauseNoSites},
		{"M3U with a byte order mark", "\ufeff#EXTM3U\n", "", vod.CauseM3U},
		{"M3U without its header", "#EXTINF:-1,A\nhttp://h.example/a", "", vod.CauseM3U},
		{"UTF-16", "\xff\xfe{\x00}\x00", "", vod.CauseNoSites},
		{"a text in no character set", "{\"sites\":[{\"key\":\"k\",\"type\":1,\"api\":\"http://h.example/\",\"name\":\"\xff\xfe\xfd\xfc\x80\"}]}", "", vod.CauseEncoded},
		{"text in GBK", "\xd5\xbe\xb5\xe3\xd2\xd1\xb9\xd8\xb1\xd5", "text/plain; charset=gbk", vod.CauseNotConfig},
		{"text in GBK that starts like a bitmap", "BM\xd5\xbe\xb5\xe3\xd2\xd1\xb9\xd8\xb1\xd5", "", vod.CauseNotConfig},
		{"Markdown with bold words", "# TV\n\nThe important**configuration** of this television is **here**, do read it.\n", "", vod.CauseNotConfig},
		{"Markdown with long bold words", "Welcomes**internationalization** to all", "", vod.CauseNotConfig},
		{"Markdown in bold", "**Important**\n\n1. read this\n2. **Do it**\n", "", vod.CauseNotConfig},
		{"Markdown that starts with a link", "[the list](https://h.example/) of **interfaces**", "", vod.CauseNotConfig},
		{"words without a sign", "eyes and ears only this is no configuration of any kind at all", "", vod.CauseNotConfig},
		{"settings with a heading", "[section]\nname=value\n", "", vod.CauseNotConfig},
		{"Markdown that starts with a page's tags", "<p align=\"center\">\n  <img src=\"a.png\">\n</p>\n\n# TV\n", "", vod.CauseHTML},
		{"broken base64 behind a marker", "important**eyJzaXRlcyI6W3sia2V5IjoiYSIsI%%%", "", vod.CauseEncoded},
		{"urls that are no list", `{"urls":{"a":"http://a.example/","b":"http://b.example/"}}`, "", vod.CauseNoSites},
		{"urls that are nothing", `{"urls":{}}`, "", vod.CauseNoSites},
		{"urls of something else", `{"urls":[{"href":"http://a.example/"}]}`, "", vod.CauseNoSites},
		{"urls that are a number", `{"urls":5}`, "", vod.CauseNoSites},
		{"an empty depot", `{"urls":[]}`, "", vod.CauseDepot},
		{"a depot of nothing", `{"urls":[{"url":"","name":"x"}]}`, "", vod.CauseDepot},
		{"a storeHouse that is no list", `{"storeHouse":{"a":"b"}}`, "", vod.CauseNoSites},
		{"compressed JSON behind an image", "\xff\xd8\xff\x00q7Ab3dE9**H4sIAAAAAAAAA6tWKs4sSS1WsoquVspOrQQA", "", vod.CauseEncoded},
		{"PNG", "\x89PNG\r\n\x1a\n\x00", "", vod.CauseEncoded},
		{"encrypted with a line end", strings.Repeat("24", 1) + "23" + strings.Repeat("ab", 4000) + "\n", "", vod.CauseEncoded},
		{"digits", "2423 is a number", "", vod.CauseNotConfig},
		{"binary", "\x01\x02\x00\xfe", "", vod.CauseNotConfig},
		{"text starting like a bitmap", "BMW dealers", "", vod.CauseNotConfig},
		{"cut in a character", strings.Repeat("a", 4095) + "文", "", vod.CauseNotConfig},
		{"open comment", "/* {", "", vod.CauseNotConfig},
		{"empty object", "{}", "", vod.CauseNoSites},
		{"empty msg", `{"msg":"","sites":[]}`, "", vod.CauseNoSites},
		{"msg that is a code", `{"msg":0,"sites":[]}`, "", vod.CauseNoSites},
		{"msg that says no", `{"msg":false,"sites":[]}`, "", vod.CauseNoSites},
		{"msg before a depot", `{"urls":[{"url":"http://h.example/"}],"msg":"no"}`, "", vod.CauseMsg},
		{"depot before sites", `{"sites":[{"key":"k","api":"a"}],"urls":[{"url":"http://h.example/"}]}`, "", vod.CauseRequest},
		{"null depot", `{"urls":null,"sites":[]}`, "", vod.CauseNoSites},
		{"sites in words", `{"sites":"none"}`, "", vod.CauseNoSites},
		{"nested too deep", `{"sites":` + strings.Repeat("[", 1<<20), "", vod.CauseSyntax},
		{"too large", strings.Repeat(" ", vod.MaxBody+1), "", vod.CauseTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := decode(t, vod.Document{Body: []byte(tt.body), ContentType: tt.contentType})
			e, ok := errors.AsType[*vod.Error](err)
			if !ok || e.Cause != tt.cause {
				t.Errorf("Decode: %v, want cause %s", err, tt.cause)
			}
			if ok && (e.Detail == "" || e.Hint == "") {
				t.Errorf("error says too little: %+v", e)
			}
		})
	}
}

func TestDecode_unsupported(t *testing.T) {
	const player = "the local server of another app"
	want := map[string]string{
		"spider":   "type 3 spider csp_XBPQ: needs code execution",
		"script":   "type 3 spider https://h.example/js/drpy2.min.js?token=REDACTED: needs code execution",
		"json":     `site type "2" is not known`,
		"class":    `its api "csp_AppYs" is not an http or https URL`,
		"clan":     "its api starts with clan://, only http and https are asked",
		"file":     "its api starts with file://, only http and https are asked",
		"assets":   "its api starts with assets://, only http and https are asked",
		"proxy":    "its api starts with PROXY://, only http and https are asked",
		"player":   "its api is " + player + " (127.0.0.1:9978)",
		"ext":      "its ext is on " + player + " (localhost:9980)",
		"extfile":  "its ext starts with file://, only http and https are fetched",
		"cms":      "",
		"loopback": "",
		"quiet":    "",
	}
	config, err := decode(t, vod.Document{Body: fixture(t, "good/unsupported.json"), FinalURL: "https://h.example/config.json"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range config.Sites {
		got[s.Key] = s.Unsupported
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unsupported (-want +got):\n%s", diff)
	}
	if config.Usable() != 2 || len(config.Warnings) > 0 {
		t.Errorf("%d sites can be asked, warnings %v; want 2 and none", config.Usable(), config.Warnings)
	}
	if diff := cmp.Diff(map[string]int{"0": 1, "1": 6, "2": 1, "3": 2, "4": 4}, config.Count()); diff != "" {
		t.Errorf("count (-want +got):\n%s", diff)
	}
}

func TestDecode_relativeToIDN(t *testing.T) {
	config, err := decode(t, vod.Document{
		Body:     []byte(`{"sites":[{"key":"k","type":4,"api":"./电影?a=b","ext":"./e.json"}]}`),
		FinalURL: "http://饭太硬.example/接口/tv",
	})
	if err != nil {
		t.Fatal(err)
	}
	const base = "http://xn--sss604efuw.example/%E6%8E%A5%E5%8F%A3/"
	if s := config.Sites[0]; s.API != base+"%E7%94%B5%E5%BD%B1?a=b" || s.Ext != base+"e.json" {
		t.Errorf("api %s, ext %s", s.API, s.Ext)
	}
}

func TestDecode_playerRunsHere(t *testing.T) {
	config, err := decode(t, vod.Document{
		Body:     []byte(`{"sites":[{"key":"k","type":1,"api":"./proxy?do=a"}]}`),
		FinalURL: "http://127.0.0.1:9978/config.json",
	})
	if err != nil || config.Sites[0].Unsupported != "" {
		t.Errorf("a site of the server that the config came from: %+v, %v", config, err)
	}
}

func TestDecode_manySites(t *testing.T) {
	body := bigConfig(12_000)
	config, err := decode(t, vod.Document{Body: body})
	if err != nil {
		t.Fatal(err)
	}
	if len(config.Sites) != 10_000 || config.Listed != 12_000 {
		t.Errorf("%d of %d sites, want 10000 of 12000", len(config.Sites), config.Listed)
	}
	if got, want := fmt.Sprint(config.Warnings), "[only the first 10000 of 12000 sites are used]"; got != want {
		t.Errorf("warnings %s, want %s", got, want)
	}
}

func TestDecode_atTheCap(t *testing.T) {
	body := bigConfig(3)
	body = append(body, strings.Repeat(" ", vod.MaxBody-len(body))...)
	if _, err := decode(t, vod.Document{Body: body}); err != nil {
		t.Error(err)
	}
}

func TestDecode_timeout(t *testing.T) {
	tests := []struct {
		timeout string
		want    time.Duration
	}{
		{"15", 15 * time.Second},
		{`"15"`, 15 * time.Second},
		{"1.5", 1500 * time.Millisecond},
		{"1e300", time.Hour},
		{"0", 0},
		{"0.2", 0},
		{`"NaN"`, 0},
		{`"soon"`, 0},
		{`""`, 0},
		{"null", 0},
		{"{}", 0},
	}
	for _, tt := range tests {
		t.Run(tt.timeout, func(t *testing.T) {
			config, err := decode(t, vod.Document{Body: []byte(`{"sites":[{"key":"k","type":1,"api":"http://h.example/","timeout":` + tt.timeout + `}]}`)})
			if err != nil {
				t.Fatal(err)
			}
			if got := config.Sites[0].Timeout; got != tt.want {
				t.Errorf("timeout %s: %v, want %v", tt.timeout, got, tt.want)
			}
		})
	}
}

// decode loads doc from its final URL, as an interface that leads nowhere else.
func decode(tb testing.TB, doc vod.Document) (*vod.Config, error) {
	tb.Helper()
	address := doc.FinalURL
	if !strings.HasPrefix(address, "http") {
		address = "https://h.example/config.json"
	}
	fetch := func(_ context.Context, url string) (vod.Document, error) {
		if url != address {
			return vod.Document{}, errors.New("nobody answers")
		}
		return doc, nil
	}
	return vod.Load(tb.Context(), address, fetch, vod.LoadOptions{})
}

func FuzzDecode(f *testing.F) {
	for _, dir := range []string{"good", "bad"} {
		files, err := os.ReadDir(filepath.Join(configs, dir))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			body, err := os.ReadFile(filepath.Join(configs, dir, file.Name()))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(body, "https://h.example/dir/config.json", "")
		}
	}
	f.Add([]byte(`{"sites":{"key":"k","api":"./a","ext":{},"type":"1","header":"{a:b}"}}`), "file:///tmp/x", "text/html")
	f.Fuzz(func(t *testing.T, body []byte, finalURL, contentType string) {
		config, err := decode(t, vod.Document{Body: body, FinalURL: finalURL, ContentType: contentType})
		if err != nil {
			if e, ok := errors.AsType[*vod.Error](err); !ok || e.Cause == "" || e.Detail == "" {
				t.Fatalf("error %#v says too little", err)
			}
			return
		}
		keys := map[string]bool{}
		for _, s := range config.Sites {
			isWhole := s.API != "" || s.Type == "archive" || s.Type == "openfilms"
			if s.Key == "" || s.Name == "" || !isWhole || s.Type == "" || s.Timeout < 0 || keys[s.Key] {
				t.Fatalf("bad site %+v", s)
			}
			keys[s.Key] = true
		}
		if len(config.Sites) == 0 || len(config.Sites) > config.Listed {
			t.Fatalf("%d sites of %d listed", len(config.Sites), config.Listed)
		}
	})
}

// TestDecode_bounds: what one site brings is bounded, and so is what is said of it.
func TestDecode_bounds(t *testing.T) {
	var headers, categories strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&headers, `"H%d": "v",`, i)
		fmt.Fprintf(&categories, `"C%d",`, i)
	}
	long := strings.Repeat("k", 10_000)
	body := `{"sites": [{"key": "` + long + `", "name": "` + long + `1"}, {"key": "a", "api": "http://a.example/", "header": {` + headers.String() + `}, "categories": [` + categories.String() + `]}]}`
	config, err := decode(t, vod.Document{Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	if s := config.Sites[0]; len(s.Headers) != 32 || len(s.Categories) != 1000 {
		t.Errorf("%d headers, %d categories", len(s.Headers), len(s.Categories))
	}
	got := texts(config.Warnings)
	if len(got) != 2 || len(got[0]) > 200 || got[1] != `site 2 "a": ignored 1968 more headers` {
		t.Errorf("warnings %q", got)
	}
}

// TestDecode_longSites has sites whose parts are too long for a list, a database or
// a server.
func TestDecode_longSites(t *testing.T) {
	long := func(n int) string { return strings.Repeat("长", n) }
	site := func(field, value string) string {
		members := map[string]any{"key": "k", "name": "n", "type": 1, "api": "http://h.example/", field: value}
		if field == "categories" || field == "header" {
			members[field] = json.RawMessage(value)
		}
		raw, err := json.Marshal(members)
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	plain := vod.Site{Key: "k", Name: "n", Type: "1", API: "http://h.example/", Searchable: true}
	with := func(change func(*vod.Site)) *vod.Site {
		s := plain
		change(&s)
		return &s
	}
	tests := []struct {
		name, site string
		want       *vod.Site // nil = it is left out
		warning    string
	}{
		{"key of 200 characters", site("key", long(200)), with(func(s *vod.Site) { s.Key = long(200) }), ""},
		{"key", site("key", long(1<<18)), nil, `site 1 "` + long(60) + `…" (n): left out: its key is longer than 200 characters`},
		{"name of 200 characters", site("name", long(200)), with(func(s *vod.Site) { s.Name = long(200) }), ""},
		{"name", site("name", long(1<<18)), with(func(s *vod.Site) { s.Name = long(199) + "…" }), ""},
		{"api", site("api", "http://h.example/"+long(1<<13)), nil, `site 1 "k" (n): left out: its api is longer than 8 KiB`},
		{"playUrl", site("playUrl", "http://h.example/"+long(1<<13)), nil, `site 1 "k" (n): left out: its playUrl is longer than 8 KiB`},
		{"ext of 900 KB", site("ext", long(300_000)), with(func(s *vod.Site) { s.Ext = long(300_000) }), ""},
		{"ext", site("ext", long(1<<20)), nil, `site 1 "k" (n): left out: its ext is longer than 1024 KiB`},
		{
			"categories", site("categories", `["a", "`+long(1<<18)+`", "`+long(200)+`"]`), with(func(s *vod.Site) { s.Categories = []string{"a", long(200)} }),
			`site 1 "k" (n): ignored category "` + long(39) + "…",
		},
		{
			"headers", site("header", `{"A": "`+strings.Repeat("v", 9<<10)+`", "`+strings.Repeat("B", 201)+`": "v", "C": "v"}`),
			with(func(s *vod.Site) { s.Headers = map[string]string{"C": "v"} }),
			`site 1 "k" (n): ignored headers that cannot be sent (2, such as "A")`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			other := `{"key":"other","type":1,"api":"http://h.example/"}`
			config, err := decode(t, vod.Document{Body: []byte(`{"sites":[` + tt.site + "," + other + `]}`), FinalURL: "http://h.example/"})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			if tt.warning != "" {
				want = []string{tt.warning}
			}
			if diff := cmp.Diff(want, texts(config.Warnings)); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			for _, w := range config.Warnings {
				if len(w.Key)+len(w.Name) > 2*3*200 {
					t.Errorf("the warning names the site with %d bytes", len(w.Key)+len(w.Name))
				}
			}
			var got *vod.Site
			if len(config.Sites) == 2 {
				got = &config.Sites[0]
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("site (-want +got):\n%.2000s", diff)
			}
		})
	}
}
