package mediainfo_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/mediainfo"
)

var update = flag.Bool("update", false, "make the files in testdata/media anew")

const mediaDir = "../../testdata/media"

// probedAt is the time of the tests' clock.
const probedAt = 1_700_000_000

// needTool skips a test without a program that it needs, or fails it where the
// real components are required.
func needTool(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return path
	case os.Getenv("XSHIP_REQUIRE_REAL") == "1":
		tb.Fatalf("%s is required (XSHIP_REQUIRE_REAL=1): %v", name, err)
	default:
		tb.Skipf("%s is not installed: %v", name, err)
	}
	return ""
}

// inputs are a picture and two sounds, one of them mono.
func inputs(seconds int, size string) []string {
	return []string{
		"-f", "lavfi", "-i", fmt.Sprintf("testsrc=size=%s:rate=25:duration=%d", size, seconds),
		"-f", "lavfi", "-i", fmt.Sprintf("sine=frequency=440:sample_rate=48000:duration=%d", seconds),
		"-f", "lavfi", "-i", fmt.Sprintf("sine=frequency=660:sample_rate=48000:duration=%d", seconds),
	}
}

var (
	mapped   = []string{"-map", "0:v", "-map", "1:a", "-map", "2:a"}
	tagged   = []string{"-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=deu"}
	h264     = []string{"-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "25", "-crf", "40"}
	hevc     = []string{"-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:info=0:keyint=25", "-pix_fmt", "yuv420p", "-crf", "40"}
	aac      = []string{"-c:a", "aac", "-b:a", "32k", "-ac:a:0", "2", "-ac:a:1", "1"}
	surround = []string{"-c:a:0", "ac3", "-ac:a:0", "6", "-b:a:0", "128k", "-c:a:1", "eac3", "-ac:a:1", "2", "-b:a:1", "64k"}
)

// recipe makes one sample with ffmpeg; of the files that come out the last
// element of args is the one to probe.
type recipe struct {
	name string // file
	args []string
}

func recipes() []recipe {
	hlsArgs := []string{"-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "-master_pl_name", "master.m3u8"}
	hdr := []string{
		"-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p10le", "-crf", "40",
		"-x265-params", "log-level=none:info=0:keyint=25:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc",
		"-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc",
	}
	return []recipe{
		{"faststart.mp4", slices.Concat(mapped, h264, aac, tagged, []string{"-movflags", "+faststart"})},
		{"plain.mp4", slices.Concat(mapped, h264, aac, tagged)},
		{"fragmented.mp4", slices.Concat(mapped, h264, aac, tagged, []string{"-movflags", "+frag_keyframe+empty_moov+default_base_moof"})},
		{"indexed.mp4", slices.Concat(mapped, h264, aac, tagged, []string{"-movflags", "+frag_keyframe+empty_moov+default_base_moof+global_sidx"})},
		{"hevc.mp4", slices.Concat(mapped, hevc, surround, tagged, []string{"-tag:v", "hvc1"})},
		{"hdr.mp4", slices.Concat([]string{"-map", "0:v"}, hdr, []string{"-tag:v", "hvc1"})},
		{"av1.mp4", slices.Concat([]string{"-map", "0:v", "-map", "1:a"}, []string{"-c:v", "libsvtav1", "-preset", "12", "-c:a", "libopus", "-b:a", "16k", "-ac", "2"})},
		{"tracks.mkv", slices.Concat(mapped, []string{"-map", "3:s"}, h264, aac, tagged, []string{"-c:s", "srt", "-metadata:s:s:0", "language=fre"})},
		{"hdr.mkv", slices.Concat(mapped, hdr, surround, tagged)},
		{"vp9.webm", slices.Concat(mapped, []string{"-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "60k", "-c:a", "libopus", "-b:a", "16k", "-ac:a:0", "2", "-ac:a:1", "1"}, tagged)},
		{"aac.ts", slices.Concat(mapped, h264, aac, tagged)},
		{"hevc.ts", slices.Concat(mapped, hevc, surround, tagged)},
		{"mp2.ts", slices.Concat(mapped, []string{"-c:v", "mpeg2video", "-b:v", "100k", "-c:a", "mp2", "-b:a", "64k", "-ac", "2"}, tagged)},
		{"hls/master.m3u8", slices.Concat(
			[]string{"-map", "0:v", "-map", "0:v", "-map", "1:a", "-map", "2:a"}, h264, []string{"-s:v:1", "128x72"}, aac, hlsArgs,
			[]string{"-var_stream_map", "v:0,agroup:a v:1,agroup:a a:0,agroup:a,language:eng,default:yes a:1,agroup:a,language:deu"}, []string{"s%v.m3u8"},
		)},
		{"hlsmp4/master.m3u8", slices.Concat([]string{"-map", "0:v", "-map", "1:a"}, h264, aac, hlsArgs, []string{"-hls_segment_type", "fmp4", "s.m3u8"})},
		{"dash/manifest.mpd", slices.Concat(mapped, h264, aac, tagged, []string{"-f", "dash", "-seg_duration", "1", "-adaptation_sets", "id=0,streams=v id=1,streams=1 id=2,streams=2"})},
	}
}

// otherRecipes are containers that only ffprobe reads.
func otherRecipes() []recipe {
	return []recipe{
		{"film.avi", slices.Concat([]string{"-map", "0:v", "-map", "1:a"}, []string{"-c:v", "mpeg4", "-c:a", "mp3"})},
		{"film.flv", slices.Concat([]string{"-map", "0:v", "-map", "1:a"}, h264, []string{"-c:a", "aac"})},
	}
}

// oddRecipes are files for the referee's corpus alone.
func oddRecipes() []recipe {
	film := func(name, video, audio string, more ...string) recipe {
		args := []string{"-map", "0:v", "-map", "1:a", "-c:v", video, "-b:v", "40k", "-c:a", audio, "-b:a", "32k", "-ac", "1"}
		return recipe{"odd/" + name, append(args, more...)}
	}
	sound := func(name, audio string, more ...string) recipe {
		return recipe{"odd/" + name, append([]string{"-map", "1:a", "-c:a", audio, "-b:a", "32k", "-ac", "1"}, more...)}
	}
	picture := func(name string, more ...string) recipe {
		return recipe{"odd/" + name, append([]string{"-map", "0:v", "-frames:v", "1", "-s", "16x16"}, more...)}
	}
	long := func(name string, more ...string) recipe {
		args := []string{"-map", "0:v", "-vf", "tpad=stop_mode=clone:stop_duration=24,fps=5,noise=alls=20:allf=t,scale=64:36", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "5", "-crf", "45"}
		return recipe{"odd/" + name, append(args, more...)}
	}
	return []recipe{
		film("film.avi", "mpeg4", "mp3"), film("film.flv", "flv", "mp3", "-ar", "44100"), film("film.wmv", "wmv2", "wmav2"),
		film("film.ogv", "libtheora", "libvorbis"), film("film.3gp", "h263", "aac", "-s", "128x96"), film("film.mov", "libx264", "aac", "-pix_fmt", "yuv420p"),
		film("film.mpg", "mpeg1video", "mp2"), film("film.vob", "mpeg2video", "mp2"), film("film.m2ts", "libx264", "ac3", "-pix_fmt", "yuv420p"),
		film("film.rm", "rv10", "ac3", "-s", "176x144"), film("film.nut", "mpeg4", "mp3"),
		film("live.mkv", "libx264", "aac", "-pix_fmt", "yuv420p", "-f", "matroska", "-live", "1"),
		sound("sound.mp3", "mp3"), sound("bare.mp3", "mp3", "-id3v2_version", "0", "-write_xing", "0"), sound("sound.aac", "aac"),
		sound("sound.ac3", "ac3"), sound("sound.flac", "flac", "-ar", "8000"), sound("sound.wav", "pcm_u8", "-ar", "8000"),
		sound("sound.ogg", "libvorbis"), sound("sound.opus", "libopus"), sound("sound.wma", "wmav2"), sound("sound.m4a", "aac"),
		{"odd/bare.h264", slices.Concat([]string{"-map", "0:v"}, h264, []string{"-f", "h264"})},
		{"odd/bare.m4v", []string{"-map", "0:v", "-c:v", "mpeg4", "-b:v", "40k", "-f", "m4v"}},
		picture("dot.png"), picture("dot.jpg", "-f", "mjpeg"), picture("dot.gif"),
		long("long.mp4", "-movflags", "+faststart"), long("fragments.mp4", "-movflags", "+frag_keyframe+empty_moov+default_base_moof"), long("long.mkv"), long("long.ts"),
		long("hls/list.m3u8", "-t", "6", "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "-hls_segment_filename", "s%d.ts", "list.m3u8"),
	}
}

// makeMedia makes r in dir.
func makeMedia(tb testing.TB, dir string, r recipe, seconds int, size string) {
	tb.Helper()
	ffmpeg := needTool(tb, "ffmpeg")
	target := filepath.Join(dir, filepath.FromSlash(r.name))
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		tb.Fatal(err)
	}
	subtitle := filepath.Join(tb.TempDir(), "s.srt")
	if err := os.WriteFile(subtitle, []byte("1\n00:00:00,100 --> 00:00:00,900\nBonjour\n"), 0o600); err != nil {
		tb.Fatal(err)
	}
	args := append([]string{"-v", "error", "-y", "-bitexact"}, inputs(seconds, size)...)
	args = append(args, "-i", subtitle)
	args = append(args, r.args...)
	if !strings.HasSuffix(r.name, ".m3u8") {
		args = append(args, filepath.Base(target))
	}
	cmd := exec.CommandContext(tb.Context(), ffmpeg, args...)
	cmd.Dir = filepath.Dir(target)
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("ffmpeg %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func TestUpdateMedia(t *testing.T) {
	if !*update {
		t.Skip("only with -update")
	}
	for _, r := range slices.Concat(recipes(), oddRecipes()) {
		makeMedia(t, mediaDir, r, 1, "128x72")
	}
}

// client is a RangeFunc over HTTP that counts.
type client struct {
	http     http.Client
	requests atomic.Int64
	bytes    atomic.Int64
}

func (c *client) get(ctx context.Context, url string, headers map[string]string, off, n int64) (mediainfo.Part, error) {
	c.requests.Add(1)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return mediainfo.Part{}, sources.Errorf(sources.ClassUnsupported, "%w", err)
	}
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, off+n-1))
	resp, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return mediainfo.Part{}, ctx.Err()
		}
		return mediainfo.Part{}, sources.Errorf(sources.ClassHosterFault, "%w", err)
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusNotFound:
		return mediainfo.Part{}, sources.Errorf(sources.ClassDeadLink, "404")
	case resp.StatusCode/100 != 2:
		return mediainfo.Part{}, sources.Errorf(sources.ClassHosterFault, "status %d", resp.StatusCode)
	}
	p := mediainfo.Part{Total: -1, Header: resp.Header, FinalURL: resp.Request.URL.String()}
	if p.Partial = resp.StatusCode == http.StatusPartialContent; p.Partial {
		span, total, _ := strings.Cut(resp.Header.Get("Content-Range"), "/")
		first, _, _ := strings.Cut(strings.TrimPrefix(span, "bytes "), "-")
		if p.Off, err = strconv.ParseInt(first, 10, 64); err != nil {
			p.Off = off
		}
		if p.Total, err = strconv.ParseInt(total, 10, 64); err != nil {
			p.Total = -1
		}
	} else {
		p.Total = resp.ContentLength
	}
	p.Data, _ = io.ReadAll(io.LimitReader(resp.Body, n))
	c.bytes.Add(int64(len(p.Data)))
	return p, nil
}

func newProber(o mediainfo.Options) *mediainfo.Prober {
	if o.Range == nil {
		o.Range = new(client).get
	}
	o.Now = func() time.Time { return time.Unix(probedAt, 0) }
	return mediainfo.New(o)
}

// serve serves handler on the loopback interface.
func serve(tb testing.TB, handler http.Handler) string {
	tb.Helper()
	s := httptest.NewServer(handler)
	tb.Cleanup(s.Close)
	return s.URL
}

func serveBytes(tb testing.TB, data []byte) string {
	return serve(tb, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(string(data)))
	})) + "/file"
}

func readMedia(tb testing.TB, name string) []byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join(mediaDir, name))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}
