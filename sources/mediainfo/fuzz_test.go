package mediainfo_test

import (
	"bytes"
	"context"
	"math"
	"testing"

	"xship/sources"
	"xship/sources/mediainfo"
)

// memory is a RangeFunc over data.
func memory(data []byte, total int64) mediainfo.RangeFunc {
	return func(_ context.Context, url string, _ map[string]string, off, n int64) (mediainfo.Part, error) {
		if off >= int64(len(data)) && off > 0 {
			return mediainfo.Part{}, sources.Errorf(sources.ClassHosterFault, "416")
		}
		end := min(off+n, int64(len(data)))
		return mediainfo.Part{Data: data[off:end], Off: off, Total: total, Partial: true, FinalURL: url}, nil
	}
}

// fuzzProbe checks that no input makes a probe panic, go beyond its bounds,
// tell impossible things or fail without a class. Every request for a URL is
// answered with the same data, so that manifests meet themselves.
func fuzzProbe(f *testing.F, seeds [][]byte, prefix []byte) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !bytes.HasPrefix(data, prefix) {
			data = append(prefix[:len(prefix):len(prefix)], data...)
		}
		for _, total := range []int64{int64(len(data)), -1} {
			info, err := newProber(mediainfo.Options{Range: memory(data, total)}).Probe(t.Context(), sources.Stream{URL: "http://hoster.example/a/file"})
			if err != nil {
				if c := sources.ClassOf(err); c == sources.ClassBug || c == sources.ClassCancelled {
					t.Errorf("class %s: %v", c, err)
				}
				continue
			}
			if d := info.DurationSeconds; d < 0 || math.IsNaN(d) || math.IsInf(d, 0) || info.BitrateBPS < 0 {
				t.Errorf("impossible: %+v", info)
			}
			if v := info.Video; v != nil && (v.Width < 0 || v.Height < 0 || v.FPS < 0 || math.IsNaN(v.FPS)) {
				t.Errorf("impossible: %+v", v)
			}
			for _, a := range info.Audio {
				if a.Channels < 0 {
					t.Errorf("impossible: %+v", a)
				}
			}
		}
	})
}

func samples(f *testing.F, names ...string) [][]byte {
	var all [][]byte
	for _, name := range names {
		data := readMedia(f, name)
		all = append(all, data[:min(len(data), 6<<10)])
	}
	return all
}

func FuzzMP4(f *testing.F) {
	fuzzProbe(f, samples(f, "faststart.mp4", "plain.mp4", "fragmented.mp4", "indexed.mp4", "hdr.mp4", "av1.mp4"), nil)
}

func FuzzMatroska(f *testing.F) {
	fuzzProbe(f, samples(f, "tracks.mkv", "hdr.mkv", "vp9.webm"), []byte("\x1a\x45\xdf\xa3"))
}

func FuzzTS(f *testing.F) {
	fuzzProbe(f, samples(f, "aac.ts", "hevc.ts", "mp2.ts"), nil)
}

func FuzzHLS(f *testing.F) {
	fuzzProbe(f, append(samples(f, "hls/master.m3u8", "hls/s2.m3u8", "hlsmp4/s.m3u8"),
		[]byte("#EXTM3U\n#EXT-X-MAP:URI=\"i.mp4\",BYTERANGE=\"800@0\"\n#EXTINF:4,\n#EXT-X-BYTERANGE:100@800\ni.mp4\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n#EXT-X-ENDLIST\n")), []byte("#EXTM3U"))
}

func FuzzDASH(f *testing.F) {
	fuzzProbe(f, samples(f, "dash/manifest.mpd"), []byte("<MPD"))
}
