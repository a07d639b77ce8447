package stremio_test

import (
	"bufio"
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/resolver/direct"
	"xship/sources/site/stremio"
	"xship/sources/sourcetest/world"
)

// startReal starts the add-on in testdata/stremio, which is made with the SDK of
// Stremio, and gives the address of its manifest. Its streams lie at media.
func startReal(t *testing.T, media string) string {
	t.Helper()
	missing := func(what string) {
		t.Helper()
		if os.Getenv("XSHIP_REQUIRE_REAL") == "1" {
			t.Fatal(what + ", and XSHIP_REQUIRE_REAL=1 wants it")
		}
		t.Skip(what)
	}
	node, err := exec.LookPath("node")
	if err != nil {
		missing("node is not installed (Debian package nodejs)")
	}
	dir := filepath.Join("..", "..", "..", "testdata", "stremio")
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "stremio-addon-sdk")); err != nil {
		missing("stremio-addon-sdk is not installed (npm ci --ignore-scripts, in testdata/stremio)")
	}
	cmd := exec.Command(node, "addon.js")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "MEDIA="+media)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe() // it ends with that, also where this process is killed
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close()
		_ = cmd.Wait()
	})
	kill := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the add-on does not start: %v: %s", err, stderr.String())
	}
	return strings.TrimSpace(line)
}

// TestRealAddon asks an add-on that is made with the SDK of Stremio, and resolves what
// it has.
func TestRealAddon(t *testing.T) {
	var referred atomic.Bool
	media := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Referer") == "https://player.example/" {
			referred.Store(true)
		}
		http.ServeContent(w, r, r.URL.Path, time.Time{}, bytes.NewReader(world.Media(r.URL.Path)))
	}))
	t.Cleanup(media.Close)
	address := startReal(t, media.URL)
	client := fetch.New(fetch.Options{})
	t.Cleanup(client.CloseIdleConnections)
	manifest, err := client.Get(t.Context(), fetch.Request{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	m, err := stremio.ReadManifest(manifest.Body)
	if err != nil || !stremio.IsManifest(manifest.Body) || m.Name != "Real add-on" || m.Unusable() != "" {
		t.Fatalf("manifest %+v, %v", m, err)
	}

	site := newSite(t, address, stremio.Deps{})
	found, err := search(t.Context(), site, film)
	want := []sources.Source{
		{
			Name: "Paper.Submarines.2016.1080p.WEB-DL.mp4", Label: "1080p", URL: media.URL + "/film.mp4", Language: "en", SizeBytes: 3 << 29, Group: "real|1080p",
			Headers: map[string]string{"Referer": "https://player.example/"}, Subtitles: []sources.Subtitle{{URL: media.URL + "/film.srt", Language: "en"}},
		},
		{Name: "Paper Submarines (2016) trailer", URL: "https://www.youtube.com/watch?v=abcdefghijk", Trailer: true},
	}
	if diff := cmp.Diff(want, found); diff != "" || sources.ClassOf(err) != sources.ClassOK || err.Error() != "1 torrent: xship fetches none" {
		t.Errorf("film: %v (-want +got):\n%s", err, diff)
	}
	for _, tt := range []struct {
		season, episode int
		file            string
	}{{0, 1, "/special.mp4"}, {2, 10, "/episode.mp4"}, {2, 11, ""}} {
		title := sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", IMDb: "tt9000010", Season: tt.season, Episode: tt.episode}
		episodes, err := search(t.Context(), site, title)
		if err != nil || (tt.file == "") != (len(episodes) == 0) || len(episodes) > 0 && episodes[0].URL != media.URL+tt.file {
			t.Errorf("%v: %+v, %v", title, episodes, err)
		}
		found = append(found, episodes...)
	}
	resolver := direct.New(client, time.Now)
	for _, src := range found {
		if src.Trailer {
			continue
		}
		if stream, err := resolver.Resolve(t.Context(), src); err != nil || stream.MIME != "video/mp4" {
			t.Errorf("%s: %+v, %v", src.URL, stream, err)
		}
	}
	if !referred.Load() {
		t.Error("the media were asked for without the header that the add-on names")
	}
	broken := film
	broken.IMDb = "tt9000500"
	if _, err := search(t.Context(), site, broken); sources.ClassOf(err) != sources.ClassHosterFault || !strings.Contains(err.Error(), "handler error") {
		t.Errorf("a handler that fails: %v", err)
	}
}
