package mediainfo

import (
	"context"
	"encoding/binary"
	"slices"
)

// soonSeconds of a film that is cut short have to be there: a player that breaks off
// before does not play it. The same are enough for a referee.
const soonSeconds = 10

// noteCut is what a user should know of a file that is shorter than its container says.
// Players play what is there.
const noteCut = "cut short: it breaks off before its end"

// checkCut tells what it means that the file ends within the media in mdat: it is the
// hoster's fault where that is within the first seconds.
func (m *mp4) checkCut(ctx context.Context, mdat box) error {
	cut := truncated("its %s box ends at byte %d of %d", mdat.kind, mdat.end, m.r.total)
	all := seconds(m.duration, m.timescale)
	for _, t := range m.tracks {
		all = max(all, seconds(t.duration, t.timescale))
	}
	share := float64(m.r.total-mdat.body) / float64(mdat.end-mdat.body)
	const unsure = 2 // how far the share of the bytes may be from that of the time
	soon := all*share < soonSeconds*unsure
	if soon {
		var err error
		var whole bool
		if soon, whole, err = m.isCutSoon(ctx, all*share < soonSeconds); err != nil || whole {
			return err
		}
	}
	if soon {
		return cut
	}
	m.info.Notes = append(m.info.Notes, noteCut)
	return nil
}

// cutAfter tells what it means that a fragmented file ends within what plays until then.
func (m *mp4) cutAfter(seconds float64) error {
	if seconds < soonSeconds {
		return truncated("it ends within a fragment, after %.1f s", seconds)
	}
	m.info.Notes = append(m.info.Notes, noteCut)
	return nil
}

// isCutSoon tells whether a sample that a player decodes in the first seconds is cut.
// Where the tables do not tell, soon is otherwise. whole says that no sample lies
// behind the end of the file: then it is the size of the box that is wrong.
func (m *mp4) isCutSoon(ctx context.Context, otherwise bool) (soon, whole bool, err error) {
	whole = true
	for i, t := range m.tracks {
		if t.handler != "vide" && t.handler != "soun" {
			continue
		}
		layout, err := m.sampleLayout(ctx, t)
		if err != nil || layout == nil {
			return otherwise, false, ignoreLimits(err)
		}
		index, cut, inside := layout.straddling(uint64(m.r.total))
		whole = whole && inside
		if slices.ContainsFunc(m.tracks[:i], func(o *mp4Track) bool { return o.handler == t.handler }) {
			continue // players take the first of a kind
		}
		soon = soon || cut && seconds(layout.start(index), t.timescale) < soonSeconds
	}
	return soon, whole, nil
}

// sampleLayout reads the tables of a track, nil where there are not all of them or they
// are long.
func (m *mp4) sampleLayout(ctx context.Context, t *mp4Track) (*sampleLayout, error) {
	tables := map[string][]byte{}
	err := m.children(ctx, t.samples, func(b box) (enough bool, err error) {
		switch b.kind {
		case "stts", "stsz", "stsc", "stco", "co64":
			if b.end-b.body > wholeUnder {
				return true, nil
			}
			tables[b.kind], err = m.r.at(ctx, b.body, b.end-b.body)
		}
		return false, err
	})
	if err != nil {
		return nil, err
	}
	return newSampleLayout(tables), nil
}

// sampleLayout is where the samples of a track lie, and when they play.
type sampleLayout struct {
	sizes  []byte // 4 bytes each
	size   uint32 // of each, 0 = see sizes
	count  uint32
	chunks []byte // offsets of wide bytes each
	wide   int
	runs   []byte // 12 bytes: first chunk, samples in each
	times  []byte // 8 bytes: samples, ticks of each
}

func newSampleLayout(tables map[string][]byte) *sampleLayout {
	const header = 8
	stsz, stsc, stts := tables["stsz"], tables["stsc"], tables["stts"]
	chunks, wide := tables["stco"], 4
	if chunks == nil {
		chunks, wide = tables["co64"], 8
	}
	if len(stsz) < header+4 || len(stsc) < header+12 || len(stts) < header || len(chunks) < header {
		return nil
	}
	l := &sampleLayout{
		sizes: stsz[header+4:], size: binary.BigEndian.Uint32(stsz[4:]), count: binary.BigEndian.Uint32(stsz[header:]),
		chunks: chunks[header:], wide: wide, runs: stsc[header:], times: stts[header:],
	}
	if l.size == 0 {
		l.count = min(l.count, uint32(len(l.sizes)/4))
	}
	return l
}

// straddling is the sample that begins before end and goes on behind it. inside says
// that none lies behind.
func (l *sampleLayout) straddling(end uint64) (index uint32, ok, inside bool) {
	n := uint32(0)
	inside = true
	for chunk := 0; (chunk+1)*l.wide <= len(l.chunks) && n < l.count; chunk++ {
		offset := uint64(binary.BigEndian.Uint32(l.chunks[chunk*l.wide:]))
		if l.wide == 8 {
			offset = binary.BigEndian.Uint64(l.chunks[chunk*l.wide:])
		}
		for range min(l.samplesIn(uint32(chunk)+1), l.count-n) {
			size := uint64(l.size)
			if size == 0 {
				size = uint64(binary.BigEndian.Uint32(l.sizes[4*n:]))
			}
			inside = inside && offset+size <= end
			if offset < end && offset+size > end {
				return n, true, false
			}
			offset += size
			n++
		}
	}
	return 0, false, inside
}

// samplesIn is how many samples the chunk of that number has.
func (l *sampleLayout) samplesIn(chunk uint32) uint32 {
	samples := uint32(0)
	for run := l.runs; len(run) >= 12 && binary.BigEndian.Uint32(run) <= chunk; run = run[12:] {
		samples = binary.BigEndian.Uint32(run[4:])
	}
	return samples
}

// start is when a sample plays, in ticks.
func (l *sampleLayout) start(index uint32) uint64 {
	var at uint64
	for run := l.times; len(run) >= 8 && index > 0; run = run[8:] {
		n := min(binary.BigEndian.Uint32(run), index)
		at += uint64(n) * uint64(binary.BigEndian.Uint32(run[4:]))
		index -= n
	}
	return at
}
