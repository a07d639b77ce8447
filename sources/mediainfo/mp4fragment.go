package mediainfo

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math"
	"slices"
)

const (
	// tailWindow is how much of the end is searched for the last fragment.
	tailWindow = 256 << 10
	// indexed is how much of a file its index must cover to be that of the file
	// and not of its first segment.
	indexed = 0.9
)

// fragments is what is known of the fragments of a movie.
type fragments struct {
	first   int64 // offset of the first moof, 0 = none was seen behind a movie box
	seconds float64
	index   float64 // seconds that sidx boxes cover
	covered int64   // end of the bytes that sidx boxes cover
}

// readExtends reads the boxes of mvex: the duration of the whole and what the
// samples of fragments have in common.
func (m *mp4) readExtends(ctx context.Context, b box) error {
	switch b.kind {
	case "mehd":
		data, err := m.content(ctx, b, 8)
		if err != nil {
			return err
		}
		ticks := uint64(binary.BigEndian.Uint32(data[4:]))
		if data[0] == 1 && len(data) >= 12 {
			ticks = binary.BigEndian.Uint64(data[4:])
		}
		m.fragments.seconds = seconds(ticks, m.timescale)
	case "trex":
		data, err := m.content(ctx, b, 24)
		if err != nil {
			return err
		}
		if t := m.track(binary.BigEndian.Uint32(data[4:])); t != nil {
			t.defaultDuration = binary.BigEndian.Uint32(data[12:])
		}
	}
	return nil
}

func (m *mp4) track(id uint32) *mp4Track {
	for _, t := range m.tracks {
		if t.id == id {
			return t
		}
	}
	return nil
}

// readIndex adds up a segment index box.
func (m *mp4) readIndex(ctx context.Context, b box) error {
	data, err := m.content(ctx, b, 32)
	if err != nil {
		return err
	}
	timescale := binary.BigEndian.Uint32(data[8:])
	at, offset := 20, uint64(binary.BigEndian.Uint32(data[16:]))
	if data[0] != 0 {
		at, offset = 28, binary.BigEndian.Uint64(data[20:])
	}
	if m.fragments.index > 0 || offset > math.MaxInt64/2 {
		return nil // further ones are of other tracks
	}
	var ticks uint64
	end := b.end + int64(offset)
	for i := at + 4; i+12 <= len(data); i += 12 {
		end += int64(binary.BigEndian.Uint32(data[i:]) &^ (1 << 31))
		ticks += uint64(binary.BigEndian.Uint32(data[i+4:]))
	}
	m.fragments.index, m.fragments.covered = seconds(ticks, timescale), end
	return nil
}

// readFragments finds the duration of a fragmented movie: that which its header
// or its index states, else the end of its last fragment, else what its start
// lets expect. The first fragment tells the frame rate.
func (m *mp4) readFragments(ctx context.Context) error {
	f := &m.fragments
	var firstEnd float64
	var firstSize int64
	if f.first > 0 {
		if moof, err := m.header(ctx, f.first, math.MaxInt64); err == nil {
			if data, err := m.content(ctx, moof, 8); err == nil {
				firstEnd = m.fragmentEnd(data, true)
				firstSize = m.mediaEnd(ctx, moof.end) - f.first
			}
		}
	}
	total := m.r.total
	if f.index > 0 && total >= 0 && f.covered > total && !m.r.segment {
		f.seconds = f.index
		return m.cutAfter(f.index * float64(total) / float64(f.covered))
	}
	if f.seconds > 0 {
		return nil
	}
	if f.index > 0 && (total < 0 || float64(f.covered) >= indexed*float64(total)) {
		f.seconds = f.index
		return nil
	}
	if total < 0 || m.r.segment {
		return nil // an endless stream has no duration
	}
	err := m.readLastFragment(ctx)
	switch {
	case f.seconds > 0:
	case f.index > 0 && f.covered > 0:
		f.seconds = f.index * float64(total) / float64(f.covered)
	case firstSize > 0:
		f.seconds = firstEnd * float64(total) / float64(firstSize)
	}
	if errors.Is(err, errNoRange) || errors.Is(err, errBudget) {
		return nil
	}
	return err
}

// mediaEnd is where the media data at off ends.
func (m *mp4) mediaEnd(ctx context.Context, off int64) int64 {
	b, err := m.header(ctx, off, math.MaxInt64)
	if err != nil || b.kind != "mdat" || b.end == math.MaxInt64 {
		return off
	}
	return b.end
}

// readLastFragment looks for the last moof box in the tail of the file, or
// where the random access index at the very end says that it is.
func (m *mp4) readLastFragment(ctx context.Context) error {
	from := max(m.r.total-tailWindow, 0)
	tail, err := m.r.upTo(ctx, from, tailWindow)
	if err != nil {
		return err
	}
	if i := lastMoof(tail); i >= 0 {
		end := i + int(binary.BigEndian.Uint32(tail[i:]))
		m.fragments.seconds = m.fragmentEnd(tail[i+8:end], false)
		if m.mediaEnd(ctx, from+int64(end)) > m.r.total {
			return m.cutAfter(m.fragments.seconds)
		}
		return nil
	}
	off, ok := lastIndexed(tail)
	if !ok || off >= from {
		return nil
	}
	moof, err := m.header(ctx, off, math.MaxInt64)
	if err != nil || moof.kind != "moof" {
		return err
	}
	data, err := m.content(ctx, moof, 8)
	if err != nil {
		return err
	}
	m.fragments.seconds = m.fragmentEnd(data, false)
	return nil
}

// lastMoof finds the last complete moof box in data, -1 = none. It begins with
// its mfhd box of 16 bytes.
func lastMoof(data []byte) int {
	for end := len(data); ; {
		i := bytes.LastIndex(data[:end], []byte("moof\x00\x00\x00\x10mfhd"))
		if i < 4 {
			return -1
		}
		if size := binary.BigEndian.Uint32(data[i-4:]); size >= 8 && int64(size) <= int64(len(data)-i+4) {
			return i - 4
		}
		end = i
	}
}

// lastIndexed is the greatest offset of a fragment that the mfra box at the end
// of tail names.
func lastIndexed(tail []byte) (off int64, ok bool) {
	if len(tail) < 16 || string(tail[len(tail)-12:len(tail)-8]) != "mfro" {
		return 0, false
	}
	size := int64(binary.BigEndian.Uint32(tail[len(tail)-4:]))
	if size < 8 || size > int64(len(tail)) {
		return 0, false
	}
	eachBox(tail[int64(len(tail))-size+8:], func(kind string, b []byte) bool {
		if kind == "tfra" && len(b) >= 16 {
			if o := lastEntry(b); o > off {
				off, ok = o, true
			}
		}
		return true
	})
	return off, ok
}

// lastEntry is the offset in the last entry of a tfra box.
func lastEntry(tfra []byte) int64 {
	lengths := binary.BigEndian.Uint32(tfra[8:])
	count := int64(binary.BigEndian.Uint32(tfra[12:]))
	word := int64(4)
	if tfra[0] == 1 {
		word = 8
	}
	entry := 2*word + 3 + int64(lengths>>4&3) + int64(lengths>>2&3) + int64(lengths&3)
	at := 16 + (count-1)*entry + word
	if count == 0 || at+word > int64(len(tfra)) {
		return 0
	}
	if word == 4 {
		return int64(binary.BigEndian.Uint32(tfra[at:]))
	}
	return int64(binary.BigEndian.Uint64(tfra[at:]) &^ (1 << 63))
}

// fragmentEnd is when the fragment in the moof box data ends, in seconds. With
// rate set it is the first one, and tells the frame rates of its tracks.
func (m *mp4) fragmentEnd(data []byte, rate bool) float64 {
	var end float64
	eachBox(data, func(kind string, traf []byte) bool {
		if kind != "traf" {
			return true
		}
		run := m.readRun(traf)
		if run.track == nil {
			return true
		}
		end = max(end, seconds(run.start+run.ticks, run.track.timescale))
		if rate && run.track.video.FPS == 0 && run.usual > 0 {
			run.track.video.FPS = float64(run.track.timescale) / float64(run.usual)
		}
		return true
	})
	return end
}

// run is the samples of one track in a fragment.
type run struct {
	track *mp4Track
	start uint64
	ticks uint64
	usual uint32 // duration of most samples
}

func (m *mp4) readRun(traf []byte) run {
	var r run
	var sample uint32
	eachBox(traf, func(kind string, b []byte) bool {
		switch {
		case kind == "tfhd" && len(b) >= 8:
			if r.track = m.track(binary.BigEndian.Uint32(b[4:])); r.track != nil {
				sample = r.track.defaultDuration
			}
			if d, ok := defaultDuration(b); ok {
				sample = d
			}
		case kind == "tfdt" && len(b) >= 12 && b[0] == 1:
			r.start = binary.BigEndian.Uint64(b[4:])
		case kind == "tfdt" && len(b) >= 8 && b[0] == 0:
			r.start = uint64(binary.BigEndian.Uint32(b[4:]))
		case kind == "trun" && len(b) >= 8:
			var ticks uint64
			ticks, r.usual = runDuration(b, sample)
			r.ticks += ticks
		}
		return true
	})
	return r
}

// defaultDuration is that of a sample by a tfhd box.
func defaultDuration(tfhd []byte) (d uint32, ok bool) {
	const baseOffset, description, duration = 1, 2, 8
	flags, at := tfhd[3], 8
	if flags&baseOffset != 0 {
		at += 8
	}
	if flags&description != 0 {
		at += 4
	}
	if flags&duration == 0 || len(tfhd) < at+4 {
		return 0, false
	}
	return binary.BigEndian.Uint32(tfhd[at:]), true
}

// runDuration adds up the samples of a trun box and tells how long the median
// one is; where the box does not say, all are as long as sample.
func runDuration(trun []byte, sample uint32) (ticks uint64, usual uint32) {
	const dataOffset, firstFlags = 1, 4              // in the lowest byte of the flags
	const duration, size, flags, offset = 1, 2, 4, 8 // in the second one
	per := trun[2]
	at, entry := 8, 0
	if trun[3]&dataOffset != 0 {
		at += 4
	}
	if trun[3]&firstFlags != 0 {
		at += 4
	}
	for _, f := range []byte{duration, size, flags, offset} {
		if per&f != 0 {
			entry += 4
		}
	}
	samples := uint64(binary.BigEndian.Uint32(trun[4:]))
	if per&duration == 0 {
		return samples * uint64(sample), sample
	}
	var durations []uint32
	for ; at+entry <= len(trun) && uint64(len(durations)) < samples; at += entry {
		d := binary.BigEndian.Uint32(trun[at:])
		durations = append(durations, d)
		ticks += uint64(d)
	}
	if len(durations) == 0 {
		return 0, 0
	}
	slices.Sort(durations)
	return ticks, durations[len(durations)/2]
}
