package loader_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// TestTrusted: what a config on this machine names is the user's own, and what comes from
// elsewhere is not, whoever leads there.
func TestTrusted(t *testing.T) {
	const sites = `{"sites":[
		{"key":"folder","type":"folder","api":"films"},
		{"key":"dav","type":"webdav","api":"http://127.0.0.1:9/dav/","header":{"X-A":"b"}},
		{"key":"open","type":"openfilms"}]}`
	remote := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(sites)) }))
	t.Cleanup(remote.Close)
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		name, url string
		trusted   bool
	}{
		{"a file", file("mine.json", sites), true},
		{"a remote config", remote.URL + "/tv.json", false},
		{"a depot here that lists a remote config", file("depot.json", fmt.Sprintf(`{"urls":[{"url":%q}]}`, remote.URL+"/tv.json")), false},
		{"a depot here that lists a file", file("local.json", `{"urls":[{"url":"mine.json"}]}`), true},
	} {
		r := newRig(t)
		result, err := r.Check(t.Context(), c.url)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, s := range result.Sites {
			unsupported := s.Type == "folder" && !c.trusted
			if s.Trusted != c.trusted || (s.Unsupported != "") != unsupported || s.Offline != (s.Type != "webdav") {
				t.Errorf("%s: %+v", c.name, s)
			}
			if s.Type == "webdav" && s.Headers["X-A"] != "b" {
				t.Errorf("%s: headers %v", c.name, s.Headers)
			}
		}
		if folder := filepath.Join(dir, "films"); c.trusted && result.Sites[0].API != folder {
			t.Errorf("%s: %s, want %s", c.name, result.Sites[0].API, folder)
		}
	}
}
