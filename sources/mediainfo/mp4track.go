package mediainfo

import (
	"context"
	"encoding/binary"
	"slices"

	"xship/sources"
)

// mp4Track is a trak box.
type mp4Track struct {
	id        uint32
	handler   string // vide, soun, sbtl, ...
	timescale uint32
	duration  uint64
	language  string
	codec     string
	channels  int
	video     sources.VideoTrack
	samples   box // its tables of what lies where
	// defaultDuration is that of a sample of a fragment, in the track's scale.
	defaultDuration uint32
}

func (t *mp4Track) subtitle() bool {
	return slices.Contains([]string{"sbtl", "subt", "clcp", "subp", "text"}, t.handler) && t.codec != ""
}

func (m *mp4) readTrack(ctx context.Context, trak box) error {
	if len(m.tracks) >= maxTracks {
		return damaged("more than %d tracks", maxTracks)
	}
	t := &mp4Track{}
	m.tracks = append(m.tracks, t)
	return m.children(ctx, trak, func(b box) (bool, error) {
		switch b.kind {
		case "tkhd":
			data, err := m.content(ctx, b, 24)
			if err != nil {
				return false, err
			}
			at := 12
			if data[0] == 1 {
				at = 20
			}
			t.id = binary.BigEndian.Uint32(data[at:])
		case "mdia":
			return true, m.readMedia(ctx, b, t)
		}
		return false, nil
	})
}

func (m *mp4) readMedia(ctx context.Context, mdia box, t *mp4Track) error {
	return m.children(ctx, mdia, func(b box) (bool, error) {
		switch b.kind {
		case "mdhd":
			data, err := m.content(ctx, b, 24)
			if err != nil {
				return false, err
			}
			t.timescale, t.duration = headerTimes(data)
			t.language = packedLanguage(binary.BigEndian.Uint16(data[len(data)-4:]))
		case "elng":
			data, err := m.content(ctx, b, 4)
			if err != nil {
				return false, err
			}
			if l := languageCode(string(data[4:])); l != "" {
				t.language = l
			}
		case "hdlr":
			data, err := m.content(ctx, b, 12)
			if err != nil {
				return false, err
			}
			t.handler = string(data[8:12])
		case "minf":
			return true, m.children(ctx, b, func(c box) (bool, error) {
				if c.kind != "stbl" {
					return false, nil
				}
				return true, m.readSampleTable(ctx, c, t)
			})
		}
		return false, nil
	})
}

// packedLanguage reads three letters of five bits. Lower values are QuickTime's
// own codes, of which 0 is English.
func packedLanguage(v uint16) string {
	if v < 0x400 {
		return ""
	}
	return languageCode(string([]byte{byte(v>>10&31) + 0x60, byte(v>>5&31) + 0x60, byte(v&31) + 0x60}))
}

// readSampleTable reads what the samples are, not where they lie.
func (m *mp4) readSampleTable(ctx context.Context, stbl box, t *mp4Track) error {
	described := false
	t.samples = stbl
	return m.children(ctx, stbl, func(b box) (bool, error) {
		switch b.kind {
		case "stsd":
			data, err := m.content(ctx, b, 8)
			if err != nil {
				return false, err
			}
			t.describe(data[8:])
			described = true
			return t.handler != "vide", nil
		case "stts":
			return described, m.readFrameRate(ctx, b, t)
		}
		return false, nil
	})
}

// readFrameRate takes the rate from the start of the time-to-sample table.
func (m *mp4) readFrameRate(ctx context.Context, stts box, t *mp4Track) error {
	const most = 8 + 8*1024
	data, err := m.r.at(ctx, stts.body, min(stts.end-stts.body, most))
	if err != nil {
		return err
	}
	var samples, ticks uint64
	for i := 8; i+8 <= len(data); i += 8 {
		n := uint64(binary.BigEndian.Uint32(data[i:]))
		samples += n
		ticks += n * uint64(binary.BigEndian.Uint32(data[i+4:]))
	}
	if ticks > 0 && samples > 1 {
		t.video.FPS = float64(samples) * float64(t.timescale) / float64(ticks)
	}
	return nil
}

// describe reads the first sample entry.
func (t *mp4Track) describe(data []byte) {
	eachBox(data, func(kind string, entry []byte) bool {
		t.codec = mp4Codec(kind)
		switch t.handler {
		case "vide":
			t.describeVideo(kind, entry)
		case "soun":
			t.describeAudio(entry)
		case "text":
			if kind == "text" { // the chapters of QuickTime
				t.codec = ""
			}
		}
		return false
	})
}

func (t *mp4Track) describeVideo(kind string, entry []byte) {
	const fixed = 78
	v := &t.video
	v.Codec = t.codec
	if len(entry) < fixed {
		return
	}
	v.Width, v.Height = int(binary.BigEndian.Uint16(entry[24:])), int(binary.BigEndian.Uint16(entry[26:]))
	dolby := isDolbyVision(kind)
	var fromSPS, fromBox string
	eachBox(entry[fixed:], func(kind string, b []byte) bool {
		switch kind {
		case "avcC", "hvcC":
			sps := configSPS(kind, b)
			fromSPS = transferHDR(sps.transfer)
			if v.Width == 0 || v.Height == 0 {
				v.Width, v.Height = sps.width, sps.height
			}
		case "colr":
			if len(b) >= 10 && (string(b[:4]) == "nclx" || string(b[:4]) == "nclc") {
				fromBox = transferHDR(int(binary.BigEndian.Uint16(b[6:])))
			}
		case "dvcC", "dvvC", "dvwC":
			dolby = true
		case "esds":
			if c, _ := esdsAudio(b); c != "" {
				v.Codec = c
			}
		case "sinf":
			if c := originalFormat(b); c != "" {
				v.Codec = c
			}
		}
		return true
	})
	t.codec = v.Codec
	switch {
	case dolby:
		v.HDR = hdrDolbyVision
	case fromBox != "":
		v.HDR = fromBox
	default:
		v.HDR = fromSPS
	}
}

func (t *mp4Track) describeAudio(entry []byte) {
	fixed := 28
	if len(entry) < fixed {
		return
	}
	t.channels = int(binary.BigEndian.Uint16(entry[16:]))
	switch binary.BigEndian.Uint16(entry[8:]) { // QuickTime's version
	case 1:
		fixed = 44
	case 2:
		fixed = 64
		if len(entry) >= 44 {
			t.channels = int(min(binary.BigEndian.Uint32(entry[40:]), 64))
		}
	}
	if len(entry) < fixed {
		return
	}
	t.readAudioConfig(entry[fixed:], 0)
}

// readAudioConfig takes codec and channels from the codec's own box, which
// QuickTime puts into a wave box.
func (t *mp4Track) readAudioConfig(data []byte, depth int) {
	eachBox(data, func(kind string, b []byte) bool {
		channels := 0
		switch kind {
		case "wave":
			if depth == 0 {
				t.readAudioConfig(b, depth+1)
			}
		case "sinf":
			if c := originalFormat(b); c != "" {
				t.codec = c
			}
		case "esds":
			var codec string
			if codec, channels = esdsAudio(b); codec != "" {
				t.codec = codec
			}
		case "dac3":
			channels = dac3Channels(b)
		case "dec3":
			channels = dec3Channels(b)
		case "dOps":
			if len(b) >= 2 {
				channels = int(b[1])
			}
		}
		if channels > 0 {
			t.channels = channels
		}
		return true
	})
}

// originalFormat is the codec of an encrypted track.
func originalFormat(sinf []byte) (codec string) {
	eachBox(sinf, func(kind string, b []byte) bool {
		if kind == "frma" && len(b) >= 4 {
			codec = mp4Codec(string(b[:4]))
		}
		return codec == ""
	})
	return codec
}

// eachBox calls f for each box in data while it returns true. A box that
// claims more than there is ends with data.
func eachBox(data []byte, f func(kind string, content []byte) bool) {
	for len(data) >= 8 {
		size := uint64(binary.BigEndian.Uint32(data))
		if size == 0 || size > uint64(len(data)) {
			size = uint64(len(data))
		}
		if size < 8 || !f(string(data[4:8]), data[8:size]) {
			return
		}
		data = data[size:]
	}
}

// esdsAudio reads codec and, for AAC, channels of an ES descriptor (ISO/IEC
// 14496-1, 7.2.6.5) behind a full box header.
func esdsAudio(b []byte) (codec string, channels int) {
	const (
		esDescriptor, decoderConfig, decoderSpecific = 3, 4, 5
		esFixed, configFixed                         = 3, 13
	)
	if len(b) < 4 {
		return "", 0
	}
	tag, body := descriptor(b[4:])
	if tag == esDescriptor {
		if len(body) < esFixed {
			return "", 0
		}
		skip := esFixed
		if body[2]&0x80 != 0 {
			skip += 2
		}
		if body[2]&0x40 != 0 {
			if len(body) <= skip {
				return "", 0
			}
			skip += 1 + int(body[skip])
		}
		if body[2]&0x20 != 0 {
			skip += 2
		}
		if len(body) < skip {
			return "", 0
		}
		tag, body = descriptor(body[skip:])
	}
	if tag != decoderConfig || len(body) < configFixed {
		return "", 0
	}
	codec = objectTypes[body[0]]
	if tag, config := descriptor(body[configFixed:]); tag == decoderSpecific && codec == "aac" {
		if c, ok := aacConfig(config); ok {
			codec, channels = c.codec, c.channels
		}
	}
	return codec, channels
}

// descriptor reads the MPEG-4 descriptor at the start of b.
func descriptor(b []byte) (tag byte, body []byte) {
	if len(b) < 2 {
		return 0, nil
	}
	tag, b = b[0], b[1:]
	size := 0
	for i := range 4 {
		if i >= len(b) {
			return tag, nil
		}
		size = size<<7 | int(b[i]&0x7f)
		if b[i]&0x80 == 0 {
			b = b[i+1:]
			break
		}
	}
	return tag, b[:min(size, len(b))]
}
