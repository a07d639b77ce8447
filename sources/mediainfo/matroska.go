package mediainfo

import (
	"context"
	"encoding/binary"
	"math"
	"math/bits"
	"strings"

	"xship/sources"
)

// Element ids of Matroska (RFC 9559).
const (
	idEBML            = 0x1a45dfa3
	idDocType         = 0x4282
	idSegment         = 0x18538067
	idSeekHead        = 0x114d9b74
	idSeek            = 0x4dbb
	idSeekID          = 0x53ab
	idSeekPosition    = 0x53ac
	idInfo            = 0x1549a966
	idTimestampScale  = 0x2ad7b1
	idDuration        = 0x4489
	idTracks          = 0x1654ae6b
	idTrackEntry      = 0xae
	idTrackType       = 0x83
	idCodecID         = 0x86
	idCodecPrivate    = 0x63a2
	idLanguage        = 0x22b59c
	idLanguageBCP47   = 0x22b59d
	idDefaultDuration = 0x23e383
	idVideo           = 0xe0
	idPixelWidth      = 0xb0
	idPixelHeight     = 0xba
	idColour          = 0x55b0
	idTransfer        = 0x55ba
	idAudio           = 0xe1
	idChannels        = 0x9f
	idBitDepth        = 0x6264
	idBlockAddition   = 0x41e4
	idBlockAddType    = 0x41e7
	idCluster         = 0x1f43b675
)

const (
	unknownSize = -1
	// maxElements are looked at on the level of the segment.
	maxElements = 512
	maxMaster   = 2 << 20
)

// element is an EBML element whose content lies at body..body+size.
type element struct {
	id         uint32
	body, size int64
}

// matroska reads a Matroska or WebM file.
type matroska struct {
	r        *reader
	info     *sources.MediaInfo
	segment  int64            // where its children begin
	end      int64            // of the segment, math.MaxInt64 unknown
	places   map[uint32]int64 // of elements, by the seek head
	done     map[uint32]bool
	scale    uint64  // nanoseconds a tick
	duration float64 // in ticks
}

func probeMatroska(ctx context.Context, r *reader, info *sources.MediaInfo) error {
	info.Container = "matroska"
	m := &matroska{r: r, info: info, places: map[uint32]int64{}, done: map[uint32]bool{}, scale: 1_000_000}
	if err := m.open(ctx); err != nil {
		return err
	}
	if err := m.walk(ctx); err != nil {
		return err
	}
	if !m.done[idTracks] {
		return truncated("it ends without a list of tracks")
	}
	if !hasTracks(info) && len(info.Subtitles) == 0 {
		return damaged("no tracks")
	}
	info.DurationSeconds = m.duration * float64(m.scale) / 1e9
	if m.end != math.MaxInt64 && r.total >= 0 && m.end > r.total && !r.segment { // players play what is there
		info.Notes = append(info.Notes, noteCut)
	}
	return nil
}

// open reads the EBML header and finds the segment.
func (m *matroska) open(ctx context.Context) error {
	e, err := m.element(ctx, 0)
	if err != nil {
		return err
	}
	data, err := m.content(ctx, e)
	if err != nil {
		return err
	}
	eachElement(data, func(id uint32, b []byte) {
		if id == idDocType && stringOf(b) == "webm" {
			m.info.Container = "webm"
		}
	})
	for range maxElements {
		if e, err = m.element(ctx, e.body+e.size); err != nil {
			return err
		}
		if e.id == idSegment {
			break
		}
		if e.size == unknownSize {
			return damaged("an element without a size before the segment")
		}
	}
	if e.id != idSegment {
		return damaged("no segment")
	}
	m.segment, m.end = e.body, math.MaxInt64
	if e.size != unknownSize {
		m.end = e.body + e.size
	}
	return nil
}

// walk reads the children of the segment until info and tracks were read. When
// the media begins before, the seek head says where they are.
func (m *matroska) walk(ctx context.Context) error {
	off := m.segment
	for range maxElements {
		if m.done[idInfo] && m.done[idTracks] || off >= m.end || m.r.total >= 0 && off >= m.r.total {
			return nil
		}
		e, err := m.element(ctx, off)
		if err != nil {
			return err
		}
		if e.id == idCluster || e.size == unknownSize {
			return m.seek(ctx)
		}
		if err := m.child(ctx, e); err != nil {
			return err
		}
		off = e.body + e.size
	}
	return damaged("more than %d elements before the tracks", maxElements)
}

// child reads e if it is of use.
func (m *matroska) child(ctx context.Context, e element) error {
	if e.id != idSeekHead && e.id != idInfo && e.id != idTracks || m.done[e.id] && e.id != idSeekHead {
		return nil
	}
	data, err := m.content(ctx, e)
	if err != nil {
		return err
	}
	m.done[e.id] = true
	switch e.id {
	case idSeekHead:
		eachElement(data, m.readSeek)
	case idInfo:
		eachElement(data, m.readInfo)
	default:
		eachElement(data, func(id uint32, b []byte) {
			if id == idTrackEntry {
				m.readTrack(b)
			}
		})
	}
	return nil
}

// seek reads what is still missing at the places that the seek head names,
// which may name a further seek head.
func (m *matroska) seek(ctx context.Context) error {
	for _, id := range []uint32{idSeekHead, idTracks, idInfo} {
		off, ok := m.places[id]
		if !ok || m.done[id] && id != idSeekHead {
			continue
		}
		e, err := m.element(ctx, off)
		if err != nil {
			return err
		}
		if e.id != id {
			return damaged("the seek head is wrong")
		}
		if err := m.child(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

// element reads the header of the element at off.
func (m *matroska) element(ctx context.Context, off int64) (element, error) {
	data, err := m.r.upTo(ctx, off, 12)
	if err != nil {
		return element{}, err
	}
	if len(data) < 2 {
		return element{}, truncated("an element at byte %d is missing", off)
	}
	id, size, n := elementHeader(data)
	if n == 0 {
		return element{}, damaged("no element at byte %d", off)
	}
	if size > math.MaxInt64-off-int64(n) {
		return element{}, damaged("an element at byte %d claims %d bytes", off, size)
	}
	return element{id: id, body: off + int64(n), size: size}, nil
}

func (m *matroska) content(ctx context.Context, e element) ([]byte, error) {
	if e.size < 0 || e.size > maxMaster {
		return nil, damaged("element %#x claims %d bytes", e.id, e.size)
	}
	return m.r.at(ctx, e.body, e.size)
}

// elementHeader reads id and size at the start of b, which take n bytes; 0 =
// there is no element.
func elementHeader(b []byte) (id uint32, size int64, n int) {
	if len(b) == 0 {
		return 0, 0, 0
	}
	idLen := bits.LeadingZeros8(b[0]) + 1
	if idLen > 4 || len(b) <= idLen {
		return 0, 0, 0
	}
	for _, c := range b[:idLen] {
		id = id<<8 | uint32(c)
	}
	sizeLen := bits.LeadingZeros8(b[idLen]) + 1
	n = idLen + sizeLen
	if sizeLen > 8 || len(b) < n {
		return 0, 0, 0
	}
	var v uint64
	for _, c := range b[idLen:n] {
		v = v<<8 | uint64(c)
	}
	mask := uint64(1)<<(7*sizeLen) - 1
	if v &= mask; v == mask {
		return id, unknownSize, n
	}
	return id, int64(v), n
}

// eachElement calls f for each element in data.
func eachElement(data []byte, f func(id uint32, content []byte)) {
	for len(data) > 0 {
		id, size, n := elementHeader(data)
		if n == 0 || size < 0 || size > int64(len(data)-n) {
			return
		}
		end := n + int(size)
		f(id, data[n:end])
		data = data[end:]
	}
}

func (m *matroska) readSeek(id uint32, b []byte) {
	if id != idSeek {
		return
	}
	var target uint32
	var place uint64
	eachElement(b, func(id uint32, b []byte) {
		switch id {
		case idSeekID:
			target = uint32(uintValue(b))
		case idSeekPosition:
			place = uintValue(b)
		}
	})
	if place > 0 && place < math.MaxInt64/2 {
		m.places[target] = m.segment + int64(place)
	}
}

func (m *matroska) readInfo(id uint32, b []byte) {
	switch id {
	case idTimestampScale:
		m.scale = uintValue(b)
	case idDuration:
		m.duration = floatValue(b)
	}
}

// mkvTrack is a TrackEntry. Its language has the default of RFC 9559.
type mkvTrack struct {
	kind       uint64
	codecID    string
	private    []byte
	language   string
	video      sources.VideoTrack
	transfer   int
	dolby      bool
	channels   int
	depth      uint64
	frameNanos uint64
}

func (m *matroska) readTrack(b []byte) {
	const video, audio, subtitle = 1, 2, 17
	t := &mkvTrack{language: "eng", channels: 1}
	bcp47 := ""
	eachElement(b, func(id uint32, b []byte) {
		switch id {
		case idTrackType:
			t.kind = uintValue(b)
		case idCodecID:
			t.codecID = stringOf(b)
		case idCodecPrivate:
			t.private = b
		case idLanguage:
			t.language = stringOf(b)
		case idLanguageBCP47:
			bcp47 = stringOf(b)
		case idDefaultDuration:
			t.frameNanos = uintValue(b)
		case idVideo:
			eachElement(b, t.readVideo)
		case idAudio:
			eachElement(b, t.readAudio)
		case idBlockAddition:
			eachElement(b, t.readBlockAddition)
		}
	})
	language := languageCode(t.language)
	if bcp47 != "" {
		language = languageCode(bcp47)
	}
	switch codec := t.codec(); t.kind {
	case video:
		if m.info.Video == nil {
			m.info.Video = t.picture(codec)
		}
	case audio:
		if len(m.info.Audio) < maxTracks {
			m.info.Audio = append(m.info.Audio, sources.AudioTrack{Codec: codec, Channels: t.sound(), Language: language})
		}
	case subtitle:
		if len(m.info.Subtitles) < maxTracks {
			m.info.Subtitles = append(m.info.Subtitles, sources.SubtitleTrack{Codec: codec, Language: language})
		}
	}
}

func (t *mkvTrack) readVideo(id uint32, b []byte) {
	switch id {
	case idPixelWidth:
		t.video.Width = int(min(uintValue(b), math.MaxInt32))
	case idPixelHeight:
		t.video.Height = int(min(uintValue(b), math.MaxInt32))
	case idColour:
		eachElement(b, func(id uint32, b []byte) {
			if id == idTransfer {
				t.transfer = int(min(uintValue(b), math.MaxInt32))
			}
		})
	}
}

func (t *mkvTrack) readAudio(id uint32, b []byte) {
	switch id {
	case idChannels:
		t.channels = int(min(uintValue(b), 64))
	case idBitDepth:
		t.depth = min(uintValue(b), 64)
	}
}

func (t *mkvTrack) readBlockAddition(id uint32, b []byte) {
	if id != idBlockAddType {
		return
	}
	switch uintValue(b) {
	case 0x64766343, 0x64767643, 0x64767743: // dvcC, dvvC, dvwC
		t.dolby = true
	}
}

// picture is the track for people.
func (t *mkvTrack) picture(codec string) *sources.VideoTrack {
	v := t.video
	v.Codec = codec
	if t.frameNanos > 0 {
		v.FPS = 1e9 / float64(t.frameNanos)
	}
	transfer := t.transfer
	if config := map[string]string{"h264": "avcC", "hevc": "hvcC"}[codec]; config != "" && transfer == 0 {
		transfer = configSPS(config, t.private).transfer
	}
	v.HDR = transferHDR(transfer)
	if t.dolby {
		v.HDR = hdrDolbyVision
	}
	return &v
}

// sound is the number of channels, by the codec's own configuration where that
// knows better.
func (t *mkvTrack) sound() int {
	if strings.HasPrefix(t.codecID, "A_AAC") && len(t.private) > 0 {
		if c, ok := aacConfig(t.private); ok && c.channels > 0 {
			return c.channels
		}
	}
	return t.channels
}

// matroskaCodecs are ffprobe's names of codec ids.
var matroskaCodecs = map[string]string{
	"V_MPEG4/ISO/AVC": "h264", "V_MPEGH/ISO/HEVC": "hevc", "V_MPEGI/ISO/VVC": "vvc", "V_AV1": "av1", "V_VP8": "vp8", "V_VP9": "vp9",
	"V_MPEG4/ISO/SP": "mpeg4", "V_MPEG4/ISO/ASP": "mpeg4", "V_MPEG4/ISO/AP": "mpeg4", "V_MPEG4/MS/V3": "msmpeg4v3",
	"V_MPEG1": "mpeg1video", "V_MPEG2": "mpeg2video", "V_THEORA": "theora", "V_PRORES": "prores", "V_MJPEG": "mjpeg", "V_FFV1": "ffv1",
	"A_AAC": "aac", "A_AC3": "ac3", "A_EAC3": "eac3", "A_OPUS": "opus", "A_VORBIS": "vorbis", "A_FLAC": "flac", "A_DTS": "dts",
	"A_TRUEHD": "truehd", "A_MLP": "mlp", "A_MPEG/L3": "mp3", "A_MPEG/L2": "mp2", "A_MPEG/L1": "mp1", "A_ALAC": "alac", "A_TTA1": "tta",
	"A_WAVPACK4": "wavpack", "S_TEXT/UTF8": "subrip", "S_TEXT/ASCII": "subrip", "S_TEXT/ASS": "ass", "S_ASS": "ass", "S_TEXT/SSA": "ass", "S_SSA": "ass",
	"S_TEXT/WEBVTT": "webvtt", "D_WEBVTT/SUBTITLES": "webvtt", "S_VOBSUB": "dvd_subtitle", "S_HDMV/PGS": "hdmv_pgs_subtitle",
	"S_HDMV/TEXTST": "hdmv_text_subtitle", "S_DVBSUB": "dvb_subtitle",
}

// codec is ffprobe's name, the id itself in lower case where there is none.
func (t *mkvTrack) codec() string {
	if c, ok := matroskaCodecs[t.codecID]; ok {
		return c
	}
	switch base, _, _ := strings.Cut(strings.TrimPrefix(t.codecID, "A_"), "/"); {
	case t.codecID == "V_MS/VFW/FOURCC" && len(t.private) >= 20:
		return mp4Codec(string(t.private[16:20]))
	case t.codecID == "A_PCM/INT/LIT":
		return pcmName("s", t.depth, "le")
	case t.codecID == "A_PCM/INT/BIG":
		return pcmName("s", t.depth, "be")
	case t.codecID == "A_PCM/FLOAT/IEEE":
		return pcmName("f", t.depth, "le")
	case base == "AAC" || base == "AC3" || base == "DTS":
		return strings.ToLower(base)
	}
	return strings.ToLower(t.codecID)
}

func pcmName(format string, depth uint64, order string) string {
	switch depth {
	case 8:
		return "pcm_u8"
	case 24:
		return "pcm_" + format + "24" + order
	case 32:
		return "pcm_" + format + "32" + order
	case 64:
		return "pcm_" + format + "64" + order
	default:
		return "pcm_" + format + "16" + order
	}
}

func uintValue(b []byte) uint64 {
	var v uint64
	for _, c := range b[:min(len(b), 8)] {
		v = v<<8 | uint64(c)
	}
	return v
}

func floatValue(b []byte) float64 {
	switch len(b) {
	case 4:
		return float64(math.Float32frombits(binary.BigEndian.Uint32(b)))
	case 8:
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	default:
		return 0
	}
}

// stringOf is a string element, which may be padded with zeros.
func stringOf(b []byte) string {
	s, _, _ := strings.Cut(string(b[:min(len(b), 256)]), "\x00")
	return s
}
