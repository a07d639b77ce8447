package mediainfo_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"net/http"
	"testing"
	"time"
)

// mp4box is a box with the parts as content.
func mp4box(kind string, parts ...[]byte) []byte {
	content := bytes.Join(parts, nil)
	return append(append(u32(len(content)+8), kind...), content...)
}

func u32(v int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(v)) }

// sampleDescriptions are the stsd boxes of the picture and the two sounds of
// the sample.
func sampleDescriptions(tb testing.TB) [][]byte {
	tb.Helper()
	data := readMedia(tb, "faststart.mp4")
	var all [][]byte
	for {
		i := bytes.Index(data, []byte("stsd"))
		if i < 4 {
			break
		}
		size := binary.BigEndian.Uint32(data[i-4:])
		all = append(all, data[i-4:i-4+int(size)])
		data = data[i+4:]
	}
	if len(all) != 3 {
		tb.Fatalf("got %d sample descriptions, want 3", len(all))
	}
	return all
}

// longMovie is a moov box of two hours in three tracks: 25 pictures and 47
// frames of sound a second.
func longMovie(tb testing.TB) []byte {
	const seconds = 7200
	parts := [][]byte{mp4box("mvhd", make([]byte, 12), u32(1000), u32(seconds*1000), make([]byte, 76), u32(4))}
	handlers := []string{"vide", "soun", "soun"}
	for i, stsd := range sampleDescriptions(tb) {
		samples := 25 * seconds
		if i > 0 {
			samples = 47 * seconds
		}
		tables := [][]byte{
			stsd,
			mp4box("stts", u32(0), u32(1), u32(samples), u32(seconds*48000/samples)),
			mp4box("stsc", u32(0), u32(1), u32(1), u32(1), u32(1)),
			mp4box("stsz", u32(0), u32(0), u32(samples), make([]byte, 4*samples)),
			mp4box("co64", u32(0), u32(samples), make([]byte, 8*samples)),
		}
		if i == 0 {
			tables = append(tables[:2:2], append([][]byte{mp4box("ctts", u32(0), u32(samples), make([]byte, 8*samples))}, tables[2:]...)...)
		}
		parts = append(parts, mp4box("trak",
			mp4box("tkhd", make([]byte, 12), u32(i+1), make([]byte, 68)),
			mp4box("mdia",
				mp4box("mdhd", make([]byte, 12), u32(48000), u32(seconds*48000), []byte{0x15, 0xc7, 0, 0}), // "eng"
				mp4box("hdlr", make([]byte, 8), []byte(handlers[i]), make([]byte, 13)),
				mp4box("minf", mp4box("stbl", tables...)),
			),
		))
	}
	return mp4box("moov", parts...)
}

// sparse is a large file of which only some places are not zero.
type sparse struct {
	size   int64
	places []place
}

type place struct {
	off  int64
	data []byte
}

func (s sparse) ReadAt(p []byte, off int64) (int, error) {
	if off >= s.size {
		return 0, io.EOF
	}
	n := int(min(int64(len(p)), s.size-off))
	clear(p[:n])
	for _, q := range s.places {
		if q.off < off+int64(n) && q.off+int64(len(q.data)) > off {
			from := max(q.off, off)
			copy(p[from-off:n], q.data[from-q.off:])
		}
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (s sparse) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(s, 0, s.size))
}

// longFile is a film of two hours and 5 GB with its movie box before or behind
// the media.
func longFile(tb testing.TB, faststart bool) sparse {
	const media = 5 << 30
	ftyp := mp4box("ftyp", []byte("isom"), u32(512), []byte("isomavc1"))
	moov := longMovie(tb)
	mdat := append(append(u32(1), "mdat"...), binary.BigEndian.AppendUint64(nil, media+16)...)
	s := sparse{size: int64(len(ftyp)+len(moov)+len(mdat)) + media}
	if faststart {
		at := int64(len(ftyp) + len(moov))
		s.places = []place{{0, ftyp}, {int64(len(ftyp)), moov}, {at, mdat}}
	} else {
		at := int64(len(ftyp))
		s.places = []place{{0, ftyp}, {at, mdat}, {at + 16 + media, moov}}
	}
	return s
}

// movieAtEnd is a file with n bytes of media before the movie box.
func movieAtEnd(tb testing.TB, n int) []byte {
	return bytes.Join([][]byte{mp4box("ftyp", []byte("isom"), u32(512)), mp4box("mdat", make([]byte, n)), longMovie(tb)[:4096]}, nil)
}
