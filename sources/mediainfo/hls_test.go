package mediainfo_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xship/sources"
	"xship/sources/mediainfo"
)

func TestProbe_HLS(t *testing.T) {
	h264 := &sources.VideoTrack{Codec: "h264", Width: 128, Height: 72, FPS: 25}
	both := []sources.AudioTrack{{Codec: "aac", Channels: 2, Language: "en"}, {Codec: "aac", Channels: 1, Language: "de"}}
	const master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=500000,AVERAGE-BANDWIDTH=400000"
	vod := func(segment string) string {
		return "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6.0,\n" + segment + "\n#EXTINF:5.5,\nmore.ts\n#EXT-X-ENDLIST\n"
	}
	ts, mp4 := string(readMedia(t, "aac.ts")), string(readMedia(t, "fragmented.mp4"))
	init := mp4[:strings.Index(mp4, "moof")-4]
	tests := []struct {
		name  string
		files map[string]string
		want  sources.MediaInfo
	}{
		{
			"no CODECS, no RESOLUTION: the first segment tells",
			map[string]string{"/file": master + "\nv/media.m3u8\n", "/v/media.m3u8": vod("a.ts"), "/v/a.ts": ts},
			sources.MediaInfo{DurationSeconds: 11.5, BitrateBPS: 400000, Video: h264, Audio: both},
		},
		{
			"a media playlist alone",
			map[string]string{"/file": vod("a.ts"), "/a.ts": ts},
			sources.MediaInfo{DurationSeconds: 11.5, BitrateBPS: int64(len(ts)) * 8 / 6, Video: h264, Audio: both},
		},
		{
			"live",
			map[string]string{"/file": "#EXTM3U\n#EXTINF:6,\ngone.ts\n#EXTINF:6,\na.ts\n", "/a.ts": ts},
			sources.MediaInfo{BitrateBPS: int64(len(ts)) * 8 / 6, Video: h264, Audio: both},
		},
		{
			"segments of a file by byte range, behind an initialisation section",
			map[string]string{
				"/file":    fmt.Sprintf("#EXTM3U\n#EXT-X-MAP:URI=\"all.mp4\",BYTERANGE=\"%d@0\"\n#EXTINF:1,\n#EXT-X-BYTERANGE:2000@%d\nall.mp4\n#EXT-X-ENDLIST\n", len(init), len(init)),
				"/all.mp4": mp4,
			},
			sources.MediaInfo{DurationSeconds: 1, BitrateBPS: 16000, Video: h264, Audio: both},
		},
		{
			"HDR and languages from the manifest, encrypted",
			map[string]string{
				"/file": "#EXTM3U\n" +
					`#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="E",LANGUAGE="en-US",CHANNELS="6",URI="e.m3u8"` + "\n" +
					`#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="D, 7.1",LANGUAGE="ger",CHANNELS="16/JOC",URI="d.m3u8"` + "\n" +
					`#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="other",NAME="X",LANGUAGE="fr",URI="x.m3u8"` + "\n" +
					`#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="F",LANGUAGE="fra",URI="f.m3u8"` + "\n" +
					`#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=640x360,CODECS="avc1.64001f,mp4a.40.2"` + "\nsmall.m3u8\n" +
					`#EXT-X-STREAM-INF:BANDWIDTH=9000000,RESOLUTION=3840x2160,FRAME-RATE=23.976,VIDEO-RANGE=PQ,CODECS="hvc1.2.4.L153.b0,ec-3",AUDIO="a",SUBTITLES="s"` + "\nbig.m3u8\n",
				"/big.m3u8": "#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXTINF:4,\ne.ts\n#EXT-X-ENDLIST\n",
				"/k":        strings.Repeat("k", 16), "/e.ts": string(random(640)),
			},
			sources.MediaInfo{
				DurationSeconds: 4, BitrateBPS: 9000000,
				Video:     &sources.VideoTrack{Codec: "hevc", Width: 3840, Height: 2160, FPS: 23.976, HDR: "HDR10"},
				Audio:     []sources.AudioTrack{{Codec: "eac3", Channels: 6, Language: "en"}, {Codec: "eac3", Channels: 16, Language: "de"}},
				Subtitles: []sources.SubtitleTrack{{Codec: "webvtt", Language: "fr"}},
			},
		},
		{
			"the best variant is gone",
			map[string]string{
				"/file":   master + ",RESOLUTION=1920x1080\ngone.m3u8\n" + strings.TrimPrefix(master, "#EXTM3U\n") + ",RESOLUTION=128x72\nb.m3u8\n",
				"/b.m3u8": vod("a.ts"), "/a.ts": ts,
			},
			sources.MediaInfo{DurationSeconds: 11.5, BitrateBPS: 400000, Video: h264, Audio: both},
		},
		{
			"Dolby Vision, and a segment that nobody can read",
			map[string]string{
				"/file":   master + ",RESOLUTION=1920x1080,CODECS=\"dvh1.05.06\"\nb.m3u8\n",
				"/b.m3u8": vod("a.bin"), "/a.bin": "\x00\x01\x02\x03\xff\xfe\xfd",
			},
			sources.MediaInfo{DurationSeconds: 11.5, BitrateBPS: 400000, Video: &sources.VideoTrack{Codec: "hevc", Width: 1920, Height: 1080, HDR: "Dolby Vision"}},
		},
		{
			"segments disguised as pictures",
			map[string]string{"/file": vod("a.png"), "/a.png": "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00\x47\xff", 70) + ts},
			sources.MediaInfo{
				DurationSeconds: 11.5, BitrateBPS: int64(len(ts)+218) * 8 / 6, Video: h264, Audio: both,
				Notes: []string{"behind a picture: some players show black"},
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := newProber(mediainfo.Options{}).Probe(t.Context(), sources.Stream{URL: serve(t, pages(tt.files)) + "/file"})
			if err != nil {
				t.Fatal(err)
			}
			tt.want.Container, tt.want.ProbedAt = "hls", probedAt
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// References are relative to where the manifest came from, and credentials
// stay with the host that they are for.
func TestProbe_HLS_redirect(t *testing.T) {
	ts := readMedia(t, "aac.ts")
	var mu sync.Mutex
	var asked []string
	record := func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Path+" "+r.Header.Get("Referer")+" "+r.Header.Get("Authorization"))
	}
	other := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		record(r)
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(ts)))
	}))
	manifest := "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nmedia.m3u8\n"
	base := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		record(r)
		switch r.URL.Path {
		case "/file":
			http.Redirect(w, r, "/deep/er/master.m3u8", http.StatusFound)
		case "/deep/er/master.m3u8":
			_, _ = w.Write([]byte(manifest))
		case "/deep/er/media.m3u8":
			_, _ = w.Write([]byte("#EXTM3U\n#EXTINF:1,\n" + other + "/a.ts\n#EXT-X-ENDLIST\n"))
		default:
			http.NotFound(w, r)
		}
	}))
	s := sources.Stream{URL: base + "/file", Headers: map[string]string{"Referer": "r", "Authorization": "secret"}}
	if _, err := newProber(mediainfo.Options{}).Probe(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	want := []string{"/file r secret", "/deep/er/master.m3u8 r secret", "/deep/er/media.m3u8 r secret", "/a.ts r "}
	if !slices.Equal(asked, want) {
		t.Errorf("got %q, want %q", asked, want)
	}
}

// A manifest from the network cannot make anything read local files.
func TestProbe_HLS_localFile(t *testing.T) {
	c := new(client)
	files := map[string]string{"/file": "#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n"}
	got, err := newProber(mediainfo.Options{Range: c.get}).Probe(t.Context(), sources.Stream{URL: serve(t, pages(files)) + "/file"})
	if sources.ClassOf(err) != sources.ClassUnsupported || c.requests.Load() != 1 {
		t.Errorf("got %+v, %v after %d requests", got, err, c.requests.Load())
	}
}
