package mediainfo_test

import (
	"testing"

	"xship/sources"
	"xship/sources/mediainfo"
)

var longCases = []struct {
	name      string
	faststart bool
	requests  int64
}{
	{"faststart", true, 3},
	{"plain", false, 4},
}

// A film of two hours with three tracks costs few requests and little data.
func TestProbe_longMP4(t *testing.T) {
	for _, tt := range longCases {
		t.Run(tt.name, func(t *testing.T) {
			url := serve(t, longFile(t, tt.faststart)) + "/film.mp4"
			c := new(client)
			got, err := newProber(mediainfo.Options{Range: c.get}).Probe(t.Context(), sources.Stream{URL: url})
			if err != nil {
				t.Fatal(err)
			}
			if c.requests.Load() > tt.requests || c.bytes.Load() > 1<<20 {
				t.Errorf("took %d requests and %d bytes, want at most %d and 1 MiB", c.requests.Load(), c.bytes.Load(), tt.requests)
			}
			if got.DurationSeconds != 7200 || got.Video == nil || got.Video.FPS != 25 || len(got.Audio) != 2 || got.Audio[1].Channels != 1 {
				t.Errorf("got %+v %+v", got, got.Video)
			}
		})
	}
}

func BenchmarkLongMP4(b *testing.B) {
	for _, bb := range longCases {
		b.Run(bb.name, func(b *testing.B) {
			url := serve(b, longFile(b, bb.faststart)) + "/film.mp4"
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
}
