package mediainfo_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/mediainfo"
	"xship/sources/resolver/direct"
)

// TestTrueFaults has, for each kind of oddity that is read, the fault that looks like
// it: that is still counted, by a probe and by the check of a stream just found.
func TestTrueFaults(t *testing.T) {
	mp4, ts, long := readMedia(t, "faststart.mp4"), readMedia(t, "aac.ts"), readMedia(t, "odd/long.mp4")
	vod := segments("a.ts", "b.ts", "c.ts", "d.ts")
	keyed := strings.Replace(vod, "#EXTINF", "#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF", 1)
	page := sends("text/html", []byte("<!DOCTYPE html><html><title>Welcome</title><p>Please sign in"))
	fault, dead := sources.ClassHosterFault, sources.ClassDeadLink
	for _, tt := range []struct {
		name string
		path string
		h    http.Handler
		want sources.Class
	}{
		{"cuts every body", "/film.mp4", cut(mp4, len(mp4)/2), fault},
		{"cuts every body at its very end", "/film.mp4", cut(long, len(long)-1), fault},
		{"cuts every segment", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte(vod)), "": cut(ts, 4000).ServeHTTP}, fault},
		{"cuts the list itself", "/v.m3u8", cut([]byte(vod), 60), fault},
		{"cuts every range", "/film.mp4", hoster{"": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(mp4)-1, len(mp4)))
			w.Header().Set("Content-Length", strconv.Itoa(len(mp4)))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(mp4[:100])
			panic(http.ErrAbortHandler)
		}}, fault},
		{"gives a capped range, and then nothing", "/film.mp4", hoster{"": func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.Header.Get("Range"), "bytes=0-") {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			capped(mp4, 512, strconv.Itoa(len(mp4)))(w, r)
		}}, fault},
		{"stores only the start of files", "/film.mp4", hoster{"": sends("video/mp4", long[:len(long)/5])}, fault},
		{"stores files without what tells how to play them", "/film.mp4", hoster{"": sends("video/mp4", readMedia(t, "plain.mp4")[:9000])}, fault},
		{"cuts what it encodes", "/film.mp4", hoster{"": coded("gzip", sends("video/mp4", gzipped(mp4)[:3000]))}, fault},
		{"encodes what it then breaks", "/film.mp4", hoster{"": coded("gzip", sends("video/mp4", random(5000)))}, fault},
		{"answers pages", "/film.mp4", hoster{"": page}, fault},
		{"answers pages for segments", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte(vod)), "": page}, fault},
		{"answers pages for keys", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte(keyed)), "": page}, fault},
		{"answers pages for variants", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nx.m3u8\n")), "": page}, fault},
		{"answers pages for what a manifest names", "/dash/manifest.mpd", hoster{"/dash/manifest.mpd": sends("", readMedia(t, "dash/manifest.mpd")), "": page}, fault},
		{"all segments gone", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte(vod))}, dead},
		{"all segments fail", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte(vod)), "": status(502)}, fault},
		{"all segments gone but one, which fails", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte(vod)), "/d.ts": status(500)}, fault},
		{"all that a manifest names gone", "/dash/manifest.mpd", hoster{"/dash/manifest.mpd": sends("", readMedia(t, "dash/manifest.mpd"))}, dead},
		{"all that a manifest names fails", "/dash/manifest.mpd", hoster{"/dash/manifest.mpd": sends("", readMedia(t, "dash/manifest.mpd")), "": status(500)}, fault},
		{"a list of no segments", "/v.m3u8", hoster{"": sends(mimeHLS, []byte("#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXT-X-ENDLIST\n"))}, fault},
		{"a list that names itself", "/v.m3u8", hoster{"": sends(mimeHLS, []byte("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n"))}, fault},
		{"all variants gone", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nx.m3u8\n"))}, dead},
		{"empty segments", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte(vod)), "": sends("video/mp2t", nil)}, fault},
		{"refuses segments", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte(vod)), "": status(403)}, fault},
		{"refuses keys", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte(keyed)), "/k": status(403), "": sends("video/mp2t", ts)}, fault},
		{"fails at keys", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte(keyed)), "/k": status(500), "": sends("video/mp2t", ts)}, fault},
		{"the key gone", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte(keyed)), "/k": http.NotFound, "": sends("video/mp2t", ts)}, dead},
		{"the initialisation gone", "/v.m3u8", hoster{
			"/v.m3u8": sends(mimeHLS, []byte(strings.Replace(vod, "#EXTINF", "#EXT-X-MAP:URI=\"i\"\n#EXTINF", 1))), "/i": http.NotFound, "": sends("video/mp2t", ts),
		}, dead},
		{"a manifest cut in the middle", "/manifest.mpd", hoster{"": sends("", readMedia(t, "dash/manifest.mpd")[:700])}, sources.ClassUnsupported},
		{"a manifest of nothing", "/manifest.mpd", hoster{"": sends("", []byte(`<?xml version="1.0"?><MPD type="static"></MPD>`))}, sources.ClassUnsupported},
		{"a cookie that never lets in", "/film.mp4", hoster{"": func(w http.ResponseWriter, r *http.Request) {
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "1"})
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		}}, fault},
		{"refuses every range and everything", "/film.mp4", hoster{"": status(416)}, fault},
		{"hangs", "/film.mp4", hoster{"": func(_ http.ResponseWriter, r *http.Request) { hang(r) }}, fault},
		{"hangs within the body", "/film.mp4", hoster{"": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(mp4)))
			_, _ = w.Write(mp4[:100])
			_ = http.NewResponseController(w).Flush()
			hang(r)
		}}, fault},
		{"hangs at segments", "/v.m3u8", hoster{"/v.m3u8": sends(mimeHLS, []byte(vod)), "": func(_ http.ResponseWriter, r *http.Request) { hang(r) }}, fault},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			timeout := time.Minute
			if strings.HasPrefix(tt.name, "hangs") {
				timeout = time.Second / 2
			}
			client := fetch.New(fetch.Options{Timeout: timeout})
			t.Cleanup(client.CloseIdleConnections)
			url := serve(t, tt.h) + tt.path
			stream, err := direct.New(client, nil).Resolve(t.Context(), sources.Source{URL: url})
			if err == nil {
				prober := mediainfo.New(mediainfo.Options{Range: ranges(client)})
				_, err = prober.Probe(t.Context(), stream)
				if checked := prober.Check(t.Context(), stream); sources.ClassOf(checked) != tt.want {
					t.Errorf("the check: got %s %v, want %s", sources.ClassOf(checked), checked, tt.want)
				}
			}
			if got := sources.ClassOf(err); got != tt.want {
				t.Errorf("got %s %v, want %s", got, err, tt.want)
			}
		})
	}
}

// TestTrueFaults_worked has hosters that served media once: what they answer in their
// place is their fault, also where the link does not name media.
func TestTrueFaults_worked(t *testing.T) {
	mp4 := readMedia(t, "faststart.mp4")
	for name, tt := range map[string]struct {
		then answer
		want sources.Class
	}{
		"pages":  {sends("text/html", []byte("<html><title>Welcome</title>Sign in")), sources.ClassHosterFault},
		"gone":   {sends("text/html", []byte("<html><h1>File not found")), sources.ClassDeadLink},
		"errors": {status(500), sources.ClassHosterFault},
		"cut":    {cut(mp4, 100).ServeHTTP, sources.ClassHosterFault},
	} {
		t.Run(name, func(t *testing.T) {
			now := sends("video/mp4", mp4)
			url := serve(t, hoster{"": func(w http.ResponseWriter, r *http.Request) { now(w, r) }}) + "/d/abc"
			client := fetch.New(fetch.Options{})
			t.Cleanup(client.CloseIdleConnections)
			links := direct.New(client, nil)
			stream, err := links.Resolve(t.Context(), sources.Source{URL: url})
			if err != nil {
				t.Fatal(err)
			}
			now = tt.then
			_, probed := mediainfo.New(mediainfo.Options{Range: ranges(client)}).Probe(t.Context(), stream)
			for what, err := range map[string]error{"the check": links.Check(t.Context(), stream), "the probe": probed} {
				if got := sources.ClassOf(err); got != tt.want {
					t.Errorf("%s: got %s %v, want %s", what, got, err, tt.want)
				}
			}
		})
	}
}

// TestCheck asks for no more than it takes to see that a manifest's media can be had.
func TestCheck(t *testing.T) {
	files := http.FileServer(http.Dir(mediaDir))
	for path, most := range map[string]int64{"/hls/master.m3u8": 3, "/hlsmp4/master.m3u8": 4, "/dash/manifest.mpd": 3} {
		t.Run(path, func(t *testing.T) {
			var asked atomic.Int64
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				files.ServeHTTP(w, r)
			}))
			if err := newProber(mediainfo.Options{}).Check(t.Context(), sources.Stream{URL: url + path}); err != nil || asked.Load() > most {
				t.Errorf("got %v after %d requests, want none and at most %d", err, asked.Load(), most)
			}
		})
	}
	few := newProber(mediainfo.Options{MaxRequests: 1})
	if err := few.Check(t.Context(), sources.Stream{URL: serve(t, files) + "/hls/master.m3u8"}); err != nil {
		t.Errorf("of what was not asked for: %v", err)
	}
}
