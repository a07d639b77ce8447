package mediainfo

import (
	"context"
	"encoding/binary"
	"testing"

	"xship/sources"
)

// A movie box without a size reaches to the end of the file, of known length or
// not.
func TestProbeMP4_openEnded(t *testing.T) {
	data := append(binary.BigEndian.AppendUint32(nil, 0), "moov"...)
	data = append(data, "\x00\x00\x00\x08free"...)
	for _, total := range []int64{int64(len(data)), -1} {
		get := func(_ context.Context, _ string, _ map[string]string, off, n int64) (Part, error) {
			return Part{Data: data[min(off, int64(len(data))):min(off+n, int64(len(data)))], Off: off, Total: total, Partial: true}, nil
		}
		_, err := New(Options{Range: get}).Probe(t.Context(), sources.Stream{URL: "http://hoster.example/a"})
		if got := sources.ClassOf(err); got != sources.ClassUnsupported {
			t.Errorf("total %d: got %s (%v)", total, got, err)
		}
	}
}

func TestLastEntry(t *testing.T) {
	tfra := make([]byte, 16)
	binary.BigEndian.PutUint32(tfra[12:], 2)
	entry := func(v uint32) []byte {
		b := binary.BigEndian.AppendUint32(nil, 9) // time
		b = binary.BigEndian.AppendUint32(b, v)
		return append(b, 1, 1, 1)
	}
	tfra = append(append(tfra, entry(100)...), entry(4242)...)
	if got := lastEntry(tfra); got != 4242 {
		t.Errorf("got %d, want 4242", got)
	}
	if got := lastEntry(tfra[:30]); got != 0 {
		t.Errorf("cut: got %d, want 0", got)
	}
}
