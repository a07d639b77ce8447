package cmd_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"xship/sources/sourcetest/world"
)

// realMPV is a command line of mpv without picture and sound, which says how wide the
// picture is that it plays. Where XSHIP_REQUIRE_REAL=1, mpv must be installed.
func realMPV(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("mpv")
	switch {
	case err == nil:
		return path + ` --no-config --vo=null --ao=null --untimed --frames=3 "--term-playing-msg=width ${width} with ${audio-codec-name}"`
	case os.Getenv("XSHIP_REQUIRE_REAL") == "1":
		t.Fatalf("mpv is not installed, and XSHIP_REQUIRE_REAL=1 wants it: %v", err)
	default:
		t.Skipf("mpv is not installed: %v", err)
	}
	return ""
}

// TestMPV has the real player play what xship finds for a title.
func TestMPV(t *testing.T) {
	t.Parallel()
	mpv := realMPV(t)
	story := startStory(t)
	m := newMachine(t)
	m.run(t, 0, "interfaces", "add", story.Good.URL())
	m.run(t, 0, "play", story.Film.Name, "--year", "2016", "--exec", mpv)
	if !strings.Contains(m.out.String(), "width 3840 with aac") {
		t.Errorf("mpv played nothing:\n%s%s", m.out, m.err)
	}
	m.run(t, 1, "play", story.Hosters[0].URL("noise.bin.mp4"), "--exec", mpv+" --no-such-option")
	if !strings.Contains(m.err.String(), "mpv ended with exit code 1") {
		t.Errorf("stderr:\n%s", m.err)
	}
}

// TestMPV_headers has the real player send the headers that a link wants, with all that
// would end them in a list.
func TestMPV_headers(t *testing.T) {
	t.Parallel()
	mpv := realMPV(t)
	const key, referer = `fakekey-mpv, "a" %5%b`, "https://r.example/a,b"
	film := world.Media("/film.1080p.mp4")
	var played atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != key || r.Header.Get("Referer") != referer {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		if strings.Contains(r.UserAgent(), "mpv") || strings.Contains(r.UserAgent(), "Lavf") {
			played.Add(1)
		}
		http.ServeContent(w, r, "film.mp4", time.Time{}, bytes.NewReader(film))
	}))
	t.Cleanup(server.Close)
	link := server.URL + "/film.mp4"
	m := newMachine(t)
	m.run(t, 3, "play", link, "--exec", mpv)
	m.run(t, 0, "play", link+"|X-Key=fakekey-mpv%2C+%22a%22+%255%25b&Referer="+referer, "--exec", mpv)
	if !strings.Contains(m.out.String(), "width 1920 with aac") || played.Load() == 0 {
		t.Errorf("mpv asked %d times and played nothing:\n%s%s", played.Load(), m.out, m.err)
	}
	if strings.Contains(m.err.String()+m.out.String(), "fakekey") {
		t.Errorf("a header is told:\n%s%s", m.out, m.err)
	}
}
