package mediainfo

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"xship/sources"
	"xship/sources/text"
)

const (
	maxBoxes  = 4096 // looked at on the top level and in moov
	maxTracks = 128
	maxTable  = 1 << 20 // of a box that is read as a whole
	// spareRequests may have been made when the box behind moov is still looked
	// at to see whether the file is complete.
	spareRequests = 2
)

// box is an ISO BMFF box at off; its content lies at body..end.
type box struct {
	kind           string
	off, body, end int64
}

// mp4 reads an ISO base media file (ISO/IEC 14496-12) or a QuickTime movie.
type mp4 struct {
	r          *reader
	info       *sources.MediaInfo
	boxes      int
	timescale  uint32 // of duration
	duration   uint64 // of the movie as mvhd or mehd says, 0 unknown
	lastTrack  uint32 // no track has a higher id
	tracks     []*mp4Track
	fragmented bool
	fragments  fragments
}

func probeMP4(ctx context.Context, r *reader, info *sources.MediaInfo) error {
	info.Container = "mp4"
	m := &mp4{r: r, info: info}
	err := m.walk(ctx)
	if err == nil && m.fragmented {
		err = m.readFragments(ctx)
	}
	m.fill()
	if err == nil && len(m.tracks) == 0 {
		return damaged("the movie has no tracks")
	}
	return err
}

// walk goes through the top level until the movie box, or the first fragment
// of a fragmented movie, was read.
func (m *mp4) walk(ctx context.Context) error {
	movie := false
	for off := int64(0); ; {
		b, err := m.header(ctx, off, math.MaxInt64)
		if errors.Is(err, errEndOfFile) {
			if movie {
				return nil
			}
			return truncated("it ends without a movie box")
		}
		if err != nil {
			return err
		}
		if m.isCut(b) && (b.kind == "moov" || b.kind == "moof" || b.kind == "mdat") { // what tells how to play the rest is missing
			return truncated("its %s box ends at byte %d of %d", b.kind, b.end, m.r.total)
		}
		switch b.kind {
		case "moov":
			if err := m.readMovie(ctx, b); err != nil {
				return err
			}
			movie = true
			if !m.fragmented {
				return m.checkNext(ctx, b.end)
			}
		case "sidx":
			if err := m.readIndex(ctx, b); err != nil {
				return err
			}
		case "moof":
			m.fragments.first = b.off
			return nil
		}
		if b.end == math.MaxInt64 {
			return nil
		}
		off = b.end
	}
}

// isCut tells whether the file ends before b does.
func (m *mp4) isCut(b box) bool {
	return m.r.total >= 0 && b.end != math.MaxInt64 && b.end > m.r.total
}

// checkNext looks at the box behind the movie box, where that costs little.
func (m *mp4) checkNext(ctx context.Context, off int64) error {
	for m.r.total < 0 || off < m.r.total {
		if len(m.r.buffered(off)) < 16 && (m.r.whole || m.r.used > spareRequests) {
			return nil
		}
		b, err := m.header(ctx, off, math.MaxInt64)
		if err != nil || b.kind == "mdat" || b.end == math.MaxInt64 {
			if err == nil && m.isCut(b) {
				err = m.checkCut(ctx, b)
			}
			if errors.Is(err, errEndOfFile) || errors.As(err, new(*damagedError)) {
				return nil // the movie box was fine
			}
			return err
		}
		off = b.end
	}
	return nil
}

// errEndOfFile: no box begins here, since the file ends.
var errEndOfFile = truncated("a box is missing")

// header reads the header of the box at off, which lies in one that ends at
// limit. A box without an end of its own ends there; so does one that claims
// more.
func (m *mp4) header(ctx context.Context, off, limit int64) (box, error) {
	if m.boxes++; m.boxes > maxBoxes {
		return box{}, damaged("more than %d boxes", maxBoxes)
	}
	if m.r.total >= 0 && off >= m.r.total && limit == math.MaxInt64 {
		return box{}, errEndOfFile
	}
	data, err := m.r.upTo(ctx, off, 16)
	if err != nil {
		return box{}, err
	}
	if len(data) < 8 {
		if limit == math.MaxInt64 {
			return box{}, errEndOfFile
		}
		return box{}, truncated("a box at byte %d is missing", off)
	}
	b := box{kind: string(data[4:8]), off: off, body: off + 8}
	switch size := uint64(binary.BigEndian.Uint32(data)); {
	case size == 0:
		b.end = limit
		if limit == math.MaxInt64 && m.r.total >= 0 {
			b.end = m.r.total
		}
		return b, nil
	case size == 1:
		if len(data) < 16 {
			return box{}, truncated("a box at byte %d is missing", off)
		}
		size = binary.BigEndian.Uint64(data[8:])
		b.body += 8
		if size < 16 || size > math.MaxInt64-uint64(off) {
			return box{}, damaged("box %q at byte %d claims %d bytes", b.kind, off, size)
		}
		b.end = off + int64(size)
	case size < 8:
		return box{}, damaged("box %q at byte %d claims %d bytes", b.kind, off, size)
	default:
		b.end = off + int64(size)
	}
	b.end = min(b.end, limit)
	return b, nil
}

// children calls f for each box in b, until it says that it has enough.
func (m *mp4) children(ctx context.Context, b box, f func(box) (enough bool, err error)) error {
	for off := b.body; off+8 <= b.end; {
		c, err := m.header(ctx, off, b.end)
		if errors.Is(err, errEndOfFile) {
			return nil // b is open-ended
		}
		if err != nil {
			return err
		}
		enough, err := f(c)
		if err != nil || enough {
			return err
		}
		off = c.end
	}
	return nil
}

// content returns what is in b, at least least bytes.
func (m *mp4) content(ctx context.Context, b box, least int64) ([]byte, error) {
	n := b.end - b.body
	if n < least || n > maxTable {
		return nil, damaged("box %q has %d bytes", b.kind, n)
	}
	return m.r.at(ctx, b.body, n)
}

func (m *mp4) readMovie(ctx context.Context, moov box) error {
	m.r.regionEnd = moov.end
	defer func() { m.r.regionEnd = 0 }()
	return m.children(ctx, moov, func(b box) (bool, error) {
		switch b.kind {
		case "mvhd":
			return false, m.readMovieHeader(ctx, b)
		case "trak":
			if err := m.readTrack(ctx, b); err != nil {
				return false, err
			}
			// The next box may be megabytes away, behind the sample tables.
			return m.allTracks() && len(m.r.buffered(b.end)) < 16, nil
		case "mvex":
			m.fragmented = true
			return false, m.children(ctx, b, func(c box) (bool, error) { return false, m.readExtends(ctx, c) })
		case "cmov":
			return false, damaged("the movie box is compressed")
		}
		return false, nil
	})
}

// allTracks tells whether every track id that the movie has given out was seen.
func (m *mp4) allTracks() bool {
	return m.lastTrack > 0 && uint64(len(m.tracks)) >= uint64(m.lastTrack)
}

func (m *mp4) readMovieHeader(ctx context.Context, b box) error {
	data, err := m.content(ctx, b, 100)
	if err != nil {
		return err
	}
	m.timescale, m.duration = headerTimes(data)
	m.lastTrack = binary.BigEndian.Uint32(data[len(data)-4:]) - 1
	return nil
}

// headerTimes reads the time scale and the duration of an mvhd or mdhd box of
// at least 24 bytes; 0 where the duration is unknown.
func headerTimes(data []byte) (timescale uint32, duration uint64) {
	if data[0] == 1 {
		if len(data) < 32 {
			return 0, 0
		}
		timescale, duration = binary.BigEndian.Uint32(data[20:]), binary.BigEndian.Uint64(data[24:])
		if duration == math.MaxUint64 {
			duration = 0
		}
		return timescale, duration
	}
	timescale, duration = binary.BigEndian.Uint32(data[12:]), uint64(binary.BigEndian.Uint32(data[16:]))
	if duration == math.MaxUint32 {
		duration = 0
	}
	return timescale, duration
}

// seconds is ticks in a time scale, 0 where that makes no sense.
func seconds(ticks uint64, timescale uint32) float64 {
	if timescale == 0 {
		return 0
	}
	return float64(ticks) / float64(timescale)
}

// fill writes what was found to info.
func (m *mp4) fill() {
	for _, t := range m.tracks {
		switch {
		case t.handler == "vide" && !slices.Contains(imageCodecs, t.video.Codec):
			if m.info.Video == nil {
				m.info.Video = &t.video
			}
		case t.handler == "soun":
			m.info.Audio = append(m.info.Audio, sources.AudioTrack{Codec: t.codec, Channels: t.channels, Language: t.language})
		case t.subtitle():
			m.info.Subtitles = append(m.info.Subtitles, sources.SubtitleTrack{Codec: t.codec, Language: t.language})
		}
	}
	d := seconds(m.duration, m.timescale)
	if d == 0 {
		for _, t := range m.tracks {
			d = max(d, seconds(t.duration, t.timescale))
		}
	}
	if m.fragmented {
		d = max(d, m.fragments.seconds)
	}
	m.info.DurationSeconds = d
}

// imageCodecs are those of cover pictures, which stand in files as if they were
// films of one frame.
var imageCodecs = []string{"mjpeg", "png", "bmp", "gif", "tiff", "webp"}

// fourCC is a code of four characters for an error or an unknown codec.
func fourCC(b []byte) string {
	s := text.Clean(string(b))
	if s == "" {
		return fmt.Sprintf("0x%x", b)
	}
	return s
}
