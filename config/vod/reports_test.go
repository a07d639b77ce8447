package vod_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"xship/config/vod"
)

// reportsServer serves what users of other programs had trouble with.
func reportsServer(t *testing.T) *httptest.Server {
	t.Helper()
	pages := map[string]string{
		"/brace":     `{"sites":[{"key":"k1","type":1,"api":"http://h.example/a","filterable":1}` + "\n" + `{"key":"k2"}]}`,
		"/missing":   `{"sites":[{"key":"k1","type":1,"api":"http://h.example/a","filterable":1]}`,
		"/m3u":       "#EXTM3U\n#EXTINF:-1,News\nhttp://h.example/news\n",
		"/genre":     "News,#genre#\nCCTV1,http://h.example/1\n",
		"/comments":  "// note\n{\"sites\":[\n{\"key\":\"a\",\"type\":1,\"api\":\"http://h/a//b#c\"},\n# x\n{\"key\":\"b\",\"type\":1,\"api\":\"http://b.example/\"}]}",
		"/type3":     `{"sites":[{"key":"a","type":3,"api":"csp_A"},{"key":"b","type":3,"api":"csp_B"}]}`,
		"/empty":     `{"spider":"./a.jar","sites":[]}`,
		"/aes":       "2423" + strings.Repeat("ab", 60),
		"/house":     `{"storeHouse":[{"sourceName":"S","sourceUrl":"/d.json"}]}`,
		"/d.json":    `{"urls":[{"url":"./comments","name":"C"}]}`,
		"/playurl":   `{"sites":[{"key":"a","type":1,"api":"http://a.example/","playurl":"http://wrong.example/?url=","PlayUrl":"x","APi":"y"}]}`,
		"/separator": `{"sites":[{"key":"-","name":"---"},{"key":"a","type":1,"api":"http://a.example/"}]}`,
	}
	mux := http.NewServeMux()
	for path, body := range pages {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
	}
	page := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<div id="repo">{"sites":[]}</div>`)
	}
	mux.HandleFunc("/repository", page)
	mux.HandleFunc("/login", page)
	mux.Handle("/guarded", http.RedirectHandler("/login", http.StatusFound))
	mux.HandleFunc("/problem", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"type":"about:blank","title":"Not Found","status":404,"sites":[{"key":"k","type":1,"api":"http://h.example/"}]}`)
	})
	mux.HandleFunc("/endless", func(w http.ResponseWriter, r *http.Request) {
		block := bytes.Repeat([]byte(`{"key":"k"},`), 4096)
		_, _ = io.WriteString(w, `{"sites":[`)
		for r.Context().Err() == nil {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// TestLoad_reports has public bug reports of programs that read such configs, in
// our own small inputs.
func TestLoad_reports(t *testing.T) {
	server := reportsServer(t)
	tests := []struct {
		name, path string
		cause      vod.Cause // "" = it is loaded
		want       string    // in the error, or in the warnings
		api        string    // of the first site
	}{
		{"missing comma (FongMi/TV 13)", "/brace", vod.CauseSyntax, "line 2, column 1: expected a comma or ']', found '{'", ""},
		{"missing brace (FongMi/TV 13)", "/missing", vod.CauseSyntax, "line 1, column 73: expected a comma or '}', found ']'", ""},
		{"repository page (gaotianliuyun/gao 146)", "/repository", vod.CauseHTML, "use the address of the raw file", ""},
		{"M3U (Guovin/iptv-api 398)", "/m3u", vod.CauseM3U, "list of live channels", ""},
		{"text list (Guovin/iptv-api 618)", "/genre", vod.CauseM3U, "list of live channels", ""},
		{"endless body (FongMi/TV 184)", "/endless", vod.CauseTooLarge, "more than 8 MiB", ""},
		{"problem document (power721/alist-tvbox 61)", "/problem", vod.CauseStatus, "HTTP status 404", ""},
		{"comments (power721/alist-tvbox 512)", "/comments", "", "", "http://h/a//b#c"},
		{"login page (Decohererk/DecoTV 7)", "/guarded", vod.CauseHTML, "(redirected to " + server.URL + "/login)", ""},
		{"spiders only (Decohererk/DecoTV 26)", "/type3", "", "0 of 2 sites can be asked", "csp_A"},
		{"no sites (Hiram-Wong/zyfun 481)", "/empty", vod.CauseNoSites, "the list of sites of the config is empty", ""},
		{"encrypted (Hiram-Wong/zyfun 428)", "/aes", vod.CauseEncoded, "encrypted config: bad key/padding", ""},
		{"nested depot (FongMi/TV 725)", "/house", "", "", "http://h/a//b#c"},
		{"playurl (liu673cn/box)", "/playurl", "", "", "http://a.example/"},
		{"separator rows", "/separator", "", "left out: it has no api", "http://a.example/"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			config, err := vod.Load(t.Context(), server.URL+tt.path, get, vod.LoadOptions{})
			if tt.cause != "" {
				e, ok := errors.AsType[*vod.Error](err)
				if !ok || e.Cause != tt.cause || !strings.Contains(err.Error(), tt.want) {
					t.Errorf("Load: %v; want cause %s, %q", err, tt.cause, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(texts(config.Warnings), "; "); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("warnings %q, want %q", got, tt.want)
			}
			if s := config.Sites[0]; s.API != tt.api || s.PlayURL != "" {
				t.Errorf("first site %+v, want api %q", s, tt.api)
			}
		})
	}
}
