package mediainfo_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xship/sources"
	"xship/sources/mediainfo"
)

func picture(codec string, hdr ...string) *sources.VideoTrack {
	v := &sources.VideoTrack{Codec: codec, Width: 128, Height: 72, FPS: 25}
	if len(hdr) > 0 {
		v.HDR = hdr[0]
	}
	return v
}

func TestProbe_samples(t *testing.T) {
	aac := []sources.AudioTrack{{Codec: "aac", Channels: 2, Language: "en"}, {Codec: "aac", Channels: 1, Language: "de"}}
	dolby := []sources.AudioTrack{{Codec: "ac3", Channels: 6, Language: "en"}, {Codec: "eac3", Channels: 2, Language: "de"}}
	opus := []sources.AudioTrack{{Codec: "opus", Channels: 2, Language: "en"}, {Codec: "opus", Channels: 1, Language: "de"}}
	mp2 := []sources.AudioTrack{{Codec: "mp2", Channels: 2, Language: "en"}, {Codec: "mp2", Channels: 2, Language: "de"}}
	tests := []struct {
		file string
		want sources.MediaInfo
	}{
		{"faststart.mp4", sources.MediaInfo{Container: "mp4", Video: picture("h264"), Audio: aac}},
		{"plain.mp4", sources.MediaInfo{Container: "mp4", Video: picture("h264"), Audio: aac}},
		{"fragmented.mp4", sources.MediaInfo{Container: "mp4", Video: picture("h264"), Audio: aac}},
		{"indexed.mp4", sources.MediaInfo{Container: "mp4", Video: picture("h264"), Audio: aac}},
		{"hevc.mp4", sources.MediaInfo{Container: "mp4", Video: picture("hevc"), Audio: dolby}},
		{"hdr.mp4", sources.MediaInfo{Container: "mp4", Video: picture("hevc", "HDR10")}},
		{"av1.mp4", sources.MediaInfo{Container: "mp4", Video: picture("av1"), Audio: []sources.AudioTrack{{Codec: "opus", Channels: 2}}}},
		{"tracks.mkv", sources.MediaInfo{
			Container: "matroska", Video: picture("h264"), Audio: aac,
			Subtitles: []sources.SubtitleTrack{{Codec: "subrip", Language: "fr"}},
		}},
		{"hdr.mkv", sources.MediaInfo{Container: "matroska", Video: picture("hevc", "HDR10"), Audio: dolby}},
		{"vp9.webm", sources.MediaInfo{Container: "webm", Video: picture("vp9"), Audio: opus}},
		{"aac.ts", sources.MediaInfo{Container: "mpegts", Video: picture("h264"), Audio: aac}},
		{"hevc.ts", sources.MediaInfo{Container: "mpegts", Video: picture("hevc"), Audio: dolby}},
		{"mp2.ts", sources.MediaInfo{Container: "mpegts", Video: picture("mpeg2video"), Audio: mp2}},
		{"hls/master.m3u8", sources.MediaInfo{Container: "hls", Video: picture("h264"), Audio: aac}},
		{"hlsmp4/master.m3u8", sources.MediaInfo{Container: "hls", Video: picture("h264"), Audio: []sources.AudioTrack{{Codec: "aac", Channels: 2}}}},
		{"dash/manifest.mpd", sources.MediaInfo{Container: "dash", Video: picture("h264"), Audio: aac}},
	}
	base := serve(t, http.FileServer(http.Dir(mediaDir)))
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			got, err := newProber(mediainfo.Options{}).Probe(t.Context(), sources.Stream{URL: base + "/" + tt.file})
			if err != nil {
				t.Fatal(err)
			}
			measured := cmpopts.IgnoreFields(sources.MediaInfo{}, "DurationSeconds", "BitrateBPS", "SizeBytes", "ProbedAt")
			if diff := cmp.Diff(tt.want, got, measured, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.DurationSeconds < 0.95 || got.DurationSeconds > 1.1 {
				t.Errorf("duration: got %v s, want about 1 s", got.DurationSeconds)
			}
			if got.BitrateBPS < 10_000 || got.BitrateBPS > 1_000_000 {
				t.Errorf("bitrate: got %d", got.BitrateBPS)
			}
			manifest := got.Container == "hls" || got.Container == "dash"
			if (got.SizeBytes > 0) == manifest {
				t.Errorf("size: got %d", got.SizeBytes)
			}
			if got.ProbedAt != probedAt {
				t.Errorf("probed at: got %d, want %d", got.ProbedAt, probedAt)
			}
		})
	}
}

// A server without ranges serves the whole file to every request.
func TestProbe_withoutRanges(t *testing.T) {
	large := append(readMedia(t, "plain.mp4")[:0:0], movieAtEnd(t, 1<<20)...)
	tests := []struct {
		name string
		data []byte
		want string // codec of the picture
	}{
		{"faststart.mp4", readMedia(t, "faststart.mp4"), "h264"},
		{"tracks.mkv", readMedia(t, "tracks.mkv"), "h264"},
		{"aac.ts", readMedia(t, "aac.ts"), "h264"},
		{"the movie box is out of reach", large, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(tt.data) }))
			got, err := newProber(mediainfo.Options{}).Probe(t.Context(), sources.Stream{URL: url})
			if err != nil {
				t.Fatal(err)
			}
			codec := ""
			if got.Video != nil {
				codec = got.Video.Codec
			}
			if codec != tt.want || got.Container == "" {
				t.Errorf("got %+v, want codec %q", got, tt.want)
			}
		})
	}
}

func TestProbe_sendsHeaders(t *testing.T) {
	data := readMedia(t, "faststart.mp4")
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Referer") != "https://site.example/" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write(data)
	}))
	s := sources.Stream{URL: url, Headers: map[string]string{"Referer": "https://site.example/"}}
	if _, err := newProber(mediainfo.Options{}).Probe(t.Context(), s); err != nil {
		t.Error(err)
	}
}
