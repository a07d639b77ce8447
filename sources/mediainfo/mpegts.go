package mediainfo

import (
	"context"
	"errors"
	"slices"

	"xship/sources"
	"xship/sources/link"
)

const (
	// tsHead is how much is read at most to find all tracks.
	tsHead = 1 << 20
	// pesMax is how much of a packet of a track is kept.
	pesMax = 64 << 10
	// parametersWithin a packet stand the parameters of its first picture.
	parametersWithin = 4 << 10
	// ptsKept are enough times for a frame rate.
	ptsKept = 64
	ptsHz   = 90000
	ptsWrap = 1 << 33
)

// packets is where the packets of a transport stream lie.
type packets struct{ start, size int }

// findPackets finds the packets of a transport stream, behind the picture perhaps that
// hosters of pictures want before it.
func findPackets(data []byte) (packets, bool) {
	start, size, ok := link.Packets(data)
	return packets{start, size}, ok
}

// notePicture is what a user should know of a film behind a picture.
const notePicture = "behind a picture: some players show black"

// ts reads an MPEG transport stream (ISO/IEC 13818-1).
type ts struct {
	layout   packets
	sections map[int][]byte // by PID, those not complete yet
	pmt      map[int]bool   // PIDs of program maps
	streams  []*tsStream
	byPID    map[int]*tsStream
	mapped   bool // a program map was read
	clock    int64
	clocked  bool // clock is the first time of any track
}

// tsStream is one track.
type tsStream struct {
	pid        int
	streamType byte
	codec      string
	kind       codecKind
	language   string
	channels   int
	sps        sps
	dolby      bool
	pes        []byte
	started    bool    // pes holds the start of a packet
	pts        int64   // of pes, relative to the stream's clock
	hasPTS     bool    // pts is set
	times      []int64 // of packets since the last seek
	first      int64
	end        int64   // the latest end of a packet
	timed      bool    // first and end are set
	frame      float64 // ticks between two pictures, 0 unknown
}

func probeTS(ctx context.Context, r *reader, info *sources.MediaInfo) error {
	info.Container = "mpegts"
	head := r.buffered(0)
	layout, ok := findPackets(head)
	if !ok {
		return damaged("no transport stream packets")
	}
	if _, ok := link.AfterPicture(head); ok {
		info.Notes = append(info.Notes, notePicture)
	}
	t := &ts{layout: layout, sections: map[int][]byte{}, pmt: map[int]bool{0: true}, byPID: map[int]*tsStream{}}
	err := t.readHead(ctx, r)
	if err != nil && !errors.Is(err, errNoRange) && !errors.Is(err, errBudget) {
		return err
	}
	if len(t.streams) == 0 {
		if err != nil {
			return err
		}
		return damaged("no program map in the first %d bytes", len(r.buffered(0)))
	}
	var duration float64
	if !r.segment && err == nil {
		duration, err = t.readTail(ctx, r)
	}
	t.fill(info)
	info.DurationSeconds = duration
	return err
}

// readHead reads packets until every track is known.
func (t *ts) readHead(ctx context.Context, r *reader) error {
	off := int64(t.layout.start)
	for {
		data := r.buffered(off)
		used := t.feed(data)
		off += int64(used)
		if t.known() || off >= tsHead {
			break
		}
		more, err := r.upTo(ctx, off, int64(len(data)-used+t.layout.size))
		if err != nil {
			t.flush()
			return err
		}
		if len(more) < t.layout.size {
			break
		}
	}
	t.flush()
	return nil
}

// known tells whether nothing is missing of any track but subtitles.
func (t *ts) known() bool {
	if !t.mapped {
		return false
	}
	for _, s := range t.streams {
		if s.lacking() && (s.kind == codecVideo || s.kind == codecAudio) {
			return false
		}
		if s.kind != codecText && !s.timed {
			return false
		}
	}
	return true
}

// feed reads the whole packets in data and returns how many bytes they are.
func (t *ts) feed(data []byte) int {
	n := 0
	for ; n+t.layout.size <= len(data); n += t.layout.size {
		const payloadSize = 188
		if data[n] != 0x47 {
			if next, ok := findPackets(data[n:]); ok && next.size == t.layout.size {
				n += next.start - t.layout.size
				continue
			}
			continue
		}
		t.packet(data[n : n+payloadSize])
	}
	return n
}

func (t *ts) packet(p []byte) {
	pid := int(p[1]&0x1f)<<8 | int(p[2])
	begins := p[1]&0x40 != 0
	scrambled, adaptation := p[3]>>6 != 0, p[3]>>4&3
	if p[1]&0x80 != 0 || adaptation&1 == 0 {
		return
	}
	body := p[4:]
	if adaptation == 3 {
		n := 1 + int(body[0])
		if n >= len(body) {
			return
		}
		body = body[n:]
	}
	if t.pmt[pid] {
		t.section(pid, body, begins)
		return
	}
	if s := t.byPID[pid]; s != nil && !scrambled {
		t.payload(s, body, begins)
	}
}

// section collects a table section and reads it once it is complete.
func (t *ts) section(pid int, body []byte, begins bool) {
	const most = 4096
	if begins {
		skip := 1 + int(body[0])
		if skip > len(body) {
			return
		}
		t.sections[pid] = nil
		body = body[skip:]
	} else if len(t.sections[pid]) == 0 {
		return
	}
	s := append(t.sections[pid], body...)
	t.sections[pid] = s
	if len(s) < 3 {
		return
	}
	size := 3 + (int(s[1]&0x0f)<<8 | int(s[2]))
	switch {
	case size > most:
		t.sections[pid] = nil
	case len(s) >= size:
		t.sections[pid] = nil
		if pid == 0 {
			t.readPAT(s[:size])
		} else {
			t.readPMT(s[:size])
		}
	}
}

func (t *ts) readPAT(s []byte) {
	if s[0] != 0 || len(s) < 12 {
		return
	}
	for e := s[8 : len(s)-4]; len(e) >= 4; e = e[4:] {
		if e[0] != 0 || e[1] != 0 { // 0 is the network, not a program
			t.pmt[int(e[2]&0x1f)<<8|int(e[3])] = true
		}
	}
}

func (t *ts) readPMT(s []byte) {
	if s[0] != 2 || len(s) < 16 || t.mapped {
		return
	}
	info := int(s[10]&0x0f)<<8 | int(s[11])
	if 12+info > len(s)-4 {
		return
	}
	t.mapped = true
	for e := s[12+info : len(s)-4]; len(e) >= 5 && len(t.streams) < maxTracks; {
		pid, n := int(e[1]&0x1f)<<8|int(e[2]), int(e[3]&0x0f)<<8|int(e[4])
		n = min(n, len(e)-5)
		stream := newTSStream(pid, e[0], e[5:5+n])
		e = e[5+n:]
		if stream.kind != codecOther && t.byPID[pid] == nil && !t.pmt[pid] {
			t.streams = append(t.streams, stream)
			t.byPID[pid] = stream
		}
	}
}

// streamTypes are the types of ISO/IEC 13818-1 table 2-34 and those that ATSC
// and Blu-ray added.
var streamTypes = map[byte]struct {
	codec string
	kind  codecKind
}{
	0x01: {"mpeg1video", codecVideo}, 0x02: {"mpeg2video", codecVideo}, 0x10: {"mpeg4", codecVideo}, 0x1b: {"h264", codecVideo},
	0x24: {"hevc", codecVideo}, 0x33: {"vvc", codecVideo}, 0xea: {"vc1", codecVideo}, 0xd2: {"avs2", codecVideo},
	0x03: {"mp3", codecAudio}, 0x04: {"mp3", codecAudio}, 0x0f: {"aac", codecAudio}, 0x11: {"aac_latm", codecAudio},
	0x81: {"ac3", codecAudio}, 0x82: {"dts", codecAudio}, 0x83: {"truehd", codecAudio}, 0x84: {"eac3", codecAudio},
	0x85: {"dts", codecAudio}, 0x86: {"dts", codecAudio}, 0x87: {"eac3", codecAudio}, 0x8a: {"dts", codecAudio},
	0xa1: {"eac3", codecAudio}, 0xa2: {"dts", codecAudio}, 0x90: {"hdmv_pgs_subtitle", codecText},
}

// registrations are the format identifiers of private streams.
var registrations = map[string]struct {
	codec string
	kind  codecKind
}{
	"AC-3": {"ac3", codecAudio}, "EAC3": {"eac3", codecAudio}, "AC-4": {"ac4", codecAudio}, "Opus": {"opus", codecAudio},
	"DTS1": {"dts", codecAudio}, "DTS2": {"dts", codecAudio}, "DTS3": {"dts", codecAudio}, "HEVC": {"hevc", codecVideo},
	"AV01": {"av1", codecVideo}, "VC-1": {"vc1", codecVideo},
}

func newTSStream(pid int, streamType byte, descriptors []byte) *tsStream {
	s := &tsStream{pid: pid, streamType: streamType}
	if known, ok := streamTypes[streamType]; ok {
		s.codec, s.kind = known.codec, known.kind
	}
	for d := descriptors; len(d) >= 2; {
		n := min(int(d[1]), len(d)-2)
		s.describe(d[0], d[2:2+n])
		d = d[2+n:]
	}
	return s
}

// describe reads one descriptor of the program map.
func (s *tsStream) describe(tag byte, b []byte) {
	private := func(codec string, k codecKind) {
		if s.kind == codecOther {
			s.codec, s.kind = codec, k
		}
	}
	switch tag {
	case 0x05:
		if len(b) >= 4 {
			name := string(b[:4])
			if known, ok := registrations[name]; ok {
				private(known.codec, known.kind)
			}
			s.dolby = s.dolby || name == "DOVI"
		}
	case 0x0a:
		s.setLanguage(b)
	case 0x56:
		private("dvb_teletext", codecText)
		s.setLanguage(b)
	case 0x59:
		private("dvb_subtitle", codecText)
		s.setLanguage(b)
	case 0x6a:
		private("ac3", codecAudio)
	case 0x7a:
		private("eac3", codecAudio)
	case 0x7b:
		private("dts", codecAudio)
	case 0x7f:
		if len(b) >= 2 && b[0] == 0x80 && s.codec == "opus" && b[1] <= 8 {
			s.channels = int(b[1])
		}
	case 0xb0:
		s.dolby = true
	}
}

func (s *tsStream) setLanguage(b []byte) {
	if len(b) >= 3 && s.language == "" {
		s.language = languageCode(string(b[:3]))
	}
}

// lacking tells whether its packets have not told yet what they can tell.
func (s *tsStream) lacking() bool {
	switch s.codec {
	case "h264", "hevc", "mpeg1video", "mpeg2video":
		return s.sps.width == 0
	case "aac", "ac3", "eac3", "mp2", "mp3":
		return s.channels == 0
	default:
		return false
	}
}

// payload takes what a packet brings for s.
func (t *ts) payload(s *tsStream, body []byte, begins bool) {
	if begins {
		t.finish(s)
		s.pes = s.pes[:0]
		s.started, s.hasPTS = true, false
		s.pes = append(s.pes, t.pesBody(s, body)...)
		return
	}
	if s.started && len(s.pes) < pesMax && s.kind != codecText {
		s.pes = append(s.pes, body...)
		if s.kind == codecVideo && len(s.pes) < parametersWithin && s.lacking() {
			s.inspectVideo()
		}
	}
}

// pesBody reads the header of a packetised elementary stream packet and returns
// what is behind it.
func (t *ts) pesBody(s *tsStream, b []byte) []byte {
	if len(b) < 9 || b[0] != 0 || b[1] != 0 || b[2] != 1 || b[6]&0xc0 != 0x80 {
		s.started = false
		return nil
	}
	body := b[min(9+int(b[8]), len(b)):]
	if b[7]&0x80 != 0 && len(b) >= 14 && b[8] >= 5 {
		pts := int64(b[9]>>1&7)<<30 | int64(b[10])<<22 | int64(b[11]>>1)<<15 | int64(b[12])<<7 | int64(b[13]>>1)
		if !t.clocked {
			t.clock, t.clocked = pts, true
		}
		s.pts, s.hasPTS = sinceClock(pts, t.clock), true
		if len(s.times) < ptsKept {
			s.times = append(s.times, s.pts)
		}
	}
	return body
}

// sinceClock is pts after clock, or shortly before it; the counter of 33 bits
// may have run over once.
func sinceClock(pts, clock int64) int64 {
	d := (pts - clock) & (ptsWrap - 1)
	if d > ptsWrap-600*ptsHz {
		d -= ptsWrap
	}
	return d
}

// finish reads the packet of s that is complete.
func (t *ts) finish(s *tsStream) {
	if !s.started {
		return
	}
	var length int64
	switch s.kind {
	case codecVideo:
		if s.lacking() {
			s.inspectVideo()
		}
	case codecAudio:
		length = s.inspectAudio()
	default:
	}
	if !s.hasPTS {
		return
	}
	if !s.timed {
		s.first, s.end, s.timed = s.pts, s.pts+length, true
	}
	s.first, s.end = min(s.first, s.pts), max(s.end, s.pts+length)
	s.hasPTS = false
}

// flush reads the packets that the end of the data cut.
func (t *ts) flush() {
	for _, s := range t.streams {
		t.finish(s)
		s.started = false
		s.measureFrame()
	}
}

// inspectVideo looks for a sequence header.
func (s *tsStream) inspectVideo() {
	const h264Type, hevcType, sequence = 7, 33, 0xb3
	for b := s.pes; ; {
		nal, rest := nextNAL(b)
		if nal == nil {
			return
		}
		if b = rest; len(nal) < 4 {
			continue
		}
		complete := len(rest) > 0 || len(nal) > 256
		var ok bool
		var found sps
		switch {
		case s.codec == "h264" && nal[0]&31 == h264Type && complete:
			found, ok = h264SPS(nal)
		case s.codec == "hevc" && nal[0]>>1&63 == hevcType && complete:
			found, ok = hevcSPS(nal)
		case (s.codec == "mpeg2video" || s.codec == "mpeg1video") && nal[0] == sequence:
			found = sps{width: int(nal[1])<<4 | int(nal[2])>>4, height: int(nal[2]&15)<<8 | int(nal[3])}
			ok = plausible(found.width, found.height)
		}
		if ok {
			s.sps = found
			return
		}
	}
}

// nextNAL returns the unit behind the first start code of b, and b from the
// next start code on, nil where there is none.
func nextNAL(b []byte) (nal, rest []byte) {
	i := startCode(b)
	if i < 0 {
		return nil, nil
	}
	b = b[i+3:]
	if j := startCode(b); j >= 0 {
		return b[:j], b[j:]
	}
	return b, nil
}

func startCode(b []byte) int {
	for i := 0; i+3 <= len(b); i++ {
		if b[i] == 0 && b[i+1] == 0 && b[i+2] == 1 {
			return i
		}
	}
	return -1
}

// inspectAudio reads the frame headers of a packet and returns how long it
// plays, in ticks.
func (s *tsStream) inspectAudio() int64 {
	parse := mpegFrame
	switch s.codec {
	case "aac":
		parse = adtsFrame
	case "ac3", "eac3":
		parse = dolbyFrame
	case "mp2", "mp3", "mp1":
	default:
		return 0
	}
	var length int64
	skipped := false
	for b := s.pes; len(b) > 0; {
		f, ok := parse(b)
		if ok && skipped && f.size < len(b) {
			_, ok = parse(b[f.size:]) // or it only looks like a header
		}
		if !ok {
			if length > 0 {
				break
			}
			b, skipped = b[1:], true // the packet begins with the end of a frame
			continue
		}
		if f.channels > 0 && s.channels == 0 {
			s.codec, s.channels = f.codec, f.channels
		}
		length += int64(f.samples) * ptsHz / int64(f.rate)
		b = b[min(f.size, len(b)):]
	}
	return length
}

// readTail finds when the stream ends and returns how long it plays, 0 where
// that is unknown.
func (t *ts) readTail(ctx context.Context, r *reader) (float64, error) {
	if r.total < 0 {
		return 0, nil
	}
	for _, n := range []int64{128 << 10, tsHead} {
		size := int64(t.layout.size)
		from := max(r.total-n, int64(t.layout.start))
		from -= (from - int64(t.layout.start)) % size
		data, err := r.upTo(ctx, from, r.total-from)
		if err != nil {
			return 0, ignoreLimits(err)
		}
		for _, s := range t.streams {
			s.times = nil
		}
		t.feed(data)
		t.flush()
		if t.timedAgain() {
			break
		}
	}
	return t.duration(), nil
}

// duration is from the first time of any track to the last end of one.
func (t *ts) duration() float64 {
	var first, end int64
	timed := false
	for _, s := range t.streams {
		if !s.timed || s.kind == codecText {
			continue
		}
		if !timed {
			first, end, timed = s.first, s.end, true
		}
		first, end = min(first, s.first), max(end, s.end+int64(s.frame))
	}
	return float64(end-first) / ptsHz
}

func (t *ts) fill(info *sources.MediaInfo) {
	for _, s := range t.streams {
		switch s.kind {
		case codecVideo:
			if info.Video == nil {
				info.Video = s.video()
			}
		case codecAudio:
			info.Audio = append(info.Audio, sources.AudioTrack{Codec: s.codec, Channels: s.channels, Language: s.language})
		case codecText:
			info.Subtitles = append(info.Subtitles, sources.SubtitleTrack{Codec: s.codec, Language: s.language})
		default:
		}
	}
}

func (s *tsStream) video() *sources.VideoTrack {
	v := &sources.VideoTrack{Codec: s.codec, Width: s.sps.width, Height: s.sps.height, HDR: transferHDR(s.sps.transfer)}
	if s.dolby {
		v.HDR = hdrDolbyVision
	}
	if s.frame > 0 {
		v.FPS = ptsHz / s.frame
	}
	return v
}

// measureFrame takes the time between two pictures from those in times, whose
// order is that of decoding.
func (s *tsStream) measureFrame() {
	const least = 4
	if s.kind != codecVideo || len(s.times) < least || s.frame > 0 {
		return
	}
	times := slices.Sorted(slices.Values(s.times))
	for i := len(times) - 1; i > 0; i-- {
		times[i] -= times[i-1]
	}
	steps := times[1:]
	slices.Sort(steps)
	// Whole ticks are only near the true distance, and the pictures at the edge
	// of what was read lack neighbours.
	var sum, n int64
	for _, d := range steps {
		if off := d - steps[len(steps)/2]; off >= -2 && off <= 2 {
			sum += d
			n++
		}
	}
	s.frame = float64(sum) / float64(n)
}

// ignoreLimits makes no error of what only keeps the end of a file from being
// read.
func ignoreLimits(err error) error {
	if errors.Is(err, errNoRange) || errors.Is(err, errBudget) {
		return nil
	}
	return err
}

// timedAgain tells whether the tail held a time of the picture, or of anything
// where there is no picture.
func (t *ts) timedAgain() bool {
	video := slices.ContainsFunc(t.streams, func(s *tsStream) bool { return s.kind == codecVideo })
	return slices.ContainsFunc(t.streams, func(s *tsStream) bool {
		return len(s.times) > 0 && (s.kind == codecVideo || !video && s.kind == codecAudio)
	})
}
