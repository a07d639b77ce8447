package mediainfo_test

import (
	"net/http"
	"os/exec"
	"path"
	"testing"

	"xship/sources"
	"xship/sources/mediainfo"
)

var benchmarked = map[string]bool{
	"faststart.mp4": true, "plain.mp4": true, "fragmented.mp4": true, "tracks.mkv": true, "vp9.webm": true, "aac.ts": true, "hls/master.m3u8": true,
}

// serveBenchmarks makes the samples of both benchmarks, 20 s of 640x360.
func serveBenchmarks(b *testing.B, run func(b *testing.B, url string)) {
	dir := b.TempDir()
	base := serve(b, http.FileServer(http.Dir(dir)))
	for _, r := range recipes() {
		if !benchmarked[r.name] {
			continue
		}
		makeMedia(b, dir, r, 20, "640x360")
		name := r.name
		if path.Dir(name) != "." {
			name = path.Dir(name)
		}
		b.Run(name, func(b *testing.B) { run(b, base+"/"+r.name) })
	}
}

func BenchmarkProbe(b *testing.B) {
	serveBenchmarks(b, func(b *testing.B, url string) {
		c := new(client)
		p := newProber(mediainfo.Options{Range: c.get})
		for b.Loop() {
			if _, err := p.Probe(b.Context(), sources.Stream{URL: url}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(c.requests.Load())/float64(b.N), "requests/op")
		b.ReportMetric(float64(c.bytes.Load())/float64(b.N), "fetched-B/op")
	})
}

func BenchmarkFFprobe(b *testing.B) {
	program := needTool(b, "ffprobe")
	serveBenchmarks(b, func(b *testing.B, url string) {
		for b.Loop() {
			cmd := exec.CommandContext(b.Context(), program, "-v", "error", "-print_format", "json", "-show_format", "-show_streams", url)
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("ffprobe: %v\n%s", err, out)
			}
		}
	})
}
