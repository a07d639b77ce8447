package mediainfo_test

import (
	"encoding/json"
	"math"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xship/sources"
	"xship/sources/mediainfo"
)

// ffprobe is what the real ffprobe says of url.
func ffprobe(tb testing.TB, url string) sources.MediaInfo {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), needTool(tb, "ffprobe"), "-v", "error", "-print_format", "json", "-show_format", "-show_streams", url)
	out, err := cmd.Output()
	if err != nil {
		tb.Fatalf("ffprobe %s: %v", url, err)
	}
	var report struct {
		Streams []struct {
			Type     string            `json:"codec_type"`
			Codec    string            `json:"codec_name"`
			Width    int               `json:"width"`
			Height   int               `json:"height"`
			Channels int               `json:"channels"`
			Rate     string            `json:"avg_frame_rate"`
			RealRate string            `json:"r_frame_rate"`
			Transfer string            `json:"color_transfer"`
			Tags     map[string]string `json:"tags"`
		} `json:"streams"`
		Format struct {
			Duration string `json:"duration"`
		} `json:"format"`
	}
	if err := json.Unmarshal(out, &report); err != nil {
		tb.Fatal(err)
	}
	var info sources.MediaInfo
	info.DurationSeconds, _ = strconv.ParseFloat(report.Format.Duration, 64)
	for _, s := range report.Streams {
		language := map[string]string{"eng": "en", "deu": "de", "ger": "de", "fre": "fr"}[s.Tags["language"]]
		switch s.Type {
		case "video":
			if info.Video == nil || s.Height > info.Video.Height {
				rate, _, _ := strings.Cut(s.RealRate, "/")
				info.Video = &sources.VideoTrack{Codec: s.Codec, Width: s.Width, Height: s.Height}
				info.Video.FPS, _ = strconv.ParseFloat(rate, 64)
				if s.Transfer == "smpte2084" {
					info.Video.HDR = "HDR10"
				}
			}
		case "audio":
			// ffprobe lists a rendition once for each variant.
			if track := (sources.AudioTrack{Codec: s.Codec, Channels: s.Channels, Language: language}); !slices.Contains(info.Audio, track) {
				info.Audio = append(info.Audio, track)
			}
		case "subtitle":
			info.Subtitles = append(info.Subtitles, sources.SubtitleTrack{Codec: s.Codec, Language: language})
		}
	}
	return info
}

func TestProbe_matchesFFprobe(t *testing.T) {
	needTool(t, "ffprobe")
	dir := t.TempDir()
	base := serve(t, http.FileServer(http.Dir(dir)))
	for _, r := range recipes() {
		t.Run(r.name, func(t *testing.T) {
			makeMedia(t, dir, r, 5, "320x180")
			want := ffprobe(t, base+"/"+r.name)
			c := new(client)
			got, err := newProber(mediainfo.Options{Range: c.get}).Probe(t.Context(), sources.Stream{URL: base + "/" + r.name})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d requests, %d bytes, %.3f s (ffprobe %.3f s)", c.requests.Load(), c.bytes.Load(), got.DurationSeconds, want.DurationSeconds)
			tolerance := 0.1
			if r.name == "fragmented.mp4" || r.name == "indexed.mp4" {
				tolerance = 1
			}
			if d := math.Abs(got.DurationSeconds - want.DurationSeconds); d > tolerance {
				t.Errorf("duration: got %.3f s, ffprobe says %.3f s", got.DurationSeconds, want.DurationSeconds)
			}
			if diff := cmp.Diff(want.Video, got.Video); diff != "" {
				t.Errorf("picture (-ffprobe +got):\n%s", diff)
			}
			if diff := cmp.Diff(want.Audio, got.Audio, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("sound (-ffprobe +got):\n%s", diff)
			}
			if diff := cmp.Diff(want.Subtitles, got.Subtitles, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("subtitles (-ffprobe +got):\n%s", diff)
			}
		})
	}
}

// Where the last fragment is longer than what is read of the end, the random
// access index leads to it; without one the size of the first tells.
func TestProbe_longFragments(t *testing.T) {
	needTool(t, "ffprobe")
	dir := t.TempDir()
	base := serve(t, http.FileServer(http.Dir(dir)))
	large := []string{"-map", "0:v", "-c:v", "libx264", "-preset", "ultrafast", "-qp", "4", "-g", "100", "-movflags"}
	tests := []struct {
		recipe
		tolerance float64
	}{
		{recipe{"index.mp4", append(large[:len(large):len(large)], "+frag_keyframe+empty_moov+default_base_moof")}, 0.1},
		{recipe{"noindex.mp4", append(large[:len(large):len(large)], "+frag_keyframe+empty_moov+default_base_moof+skip_trailer")}, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			makeMedia(t, dir, tt.recipe, 16, "640x360")
			want := ffprobe(t, base+"/"+tt.name)
			c := new(client)
			got, err := newProber(mediainfo.Options{Range: c.get}).Probe(t.Context(), sources.Stream{URL: base + "/" + tt.name})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d requests, %d of %d bytes, %.3f s (ffprobe %.3f s)", c.requests.Load(), c.bytes.Load(), got.SizeBytes, got.DurationSeconds, want.DurationSeconds)
			if d := math.Abs(got.DurationSeconds - want.DurationSeconds); d > tt.tolerance {
				t.Errorf("duration: got %.3f s, ffprobe says %.3f s", got.DurationSeconds, want.DurationSeconds)
			}
		})
	}
}
