package mediainfo

// audioFrame is what the header of a frame of sound says.
type audioFrame struct {
	codec    string
	channels int // 0 = not told
	size     int // bytes of the frame
	samples  int // a channel
	rate     int // samples a second
}

var aacRates = [...]int{96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350}

// aacChannels is by channel configuration.
func aacChannels(configuration int) int {
	switch configuration {
	case 7, 12, 14:
		return 8
	case 11:
		return 7
	case 1, 2, 3, 4, 5, 6:
		return configuration
	default:
		return 0
	}
}

// aacConfig reads an AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
func aacConfig(b []byte) (audioFrame, bool) {
	const parametricStereo, layer3 = 29, 34
	r := &bitReader{data: b}
	object := r.bits(5)
	if object == 31 {
		object = 32 + r.bits(6)
	}
	if r.bits(4) == 15 {
		r.skip(24)
	}
	f := audioFrame{codec: "aac", channels: aacChannels(int(r.bits(4)))}
	switch object {
	case parametricStereo:
		f.channels = 2
	case layer3 - 2, layer3 - 1, layer3:
		f.codec = "mp3"
	}
	return f, !r.over
}

// adtsFrame reads the header of an AAC frame (ISO/IEC 14496-3, 1.A.2.2).
func adtsFrame(b []byte) (audioFrame, bool) {
	if len(b) < 7 || b[0] != 0xff || b[1]&0xf6 != 0xf0 {
		return audioFrame{}, false
	}
	rate := int(b[2] >> 2 & 15)
	size := int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5])>>5
	if rate >= len(aacRates) || size < 7 {
		return audioFrame{}, false
	}
	return audioFrame{
		codec: "aac", channels: aacChannels(int(b[2]&1)<<2 | int(b[3]>>6)), size: size,
		samples: 1024 * (int(b[6]&3) + 1), rate: aacRates[rate],
	}, true
}

var (
	mpegRates    = [...]int{44100, 48000, 32000}
	mpegBitrates = [2][3][15]int{ // by version (1, 2), layer (I, II, III) and index, kbit/s
		{
			{0, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448},
			{0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384},
			{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320},
		},
		{
			{0, 32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256},
			{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
			{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160},
		},
	}
)

// mpegFrame reads the header of an MPEG audio frame (ISO/IEC 11172-3, 13818-3).
func mpegFrame(b []byte) (audioFrame, bool) {
	if len(b) < 4 || b[0] != 0xff || b[1]&0xe0 != 0xe0 {
		return audioFrame{}, false
	}
	version, layer := b[1]>>3&3, 4-int(b[1]>>1&3) // version 3 is MPEG-1, 2 MPEG-2, 0 MPEG-2.5
	index, rate := int(b[2]>>4), int(b[2]>>2&3)
	if version == 1 || layer == 4 || index == 0 || index == 15 || rate == 3 {
		return audioFrame{}, false
	}
	f := audioFrame{channels: 2, rate: mpegRates[rate]}
	table := 0
	switch version {
	case 2:
		f.rate, table = f.rate/2, 1
	case 0:
		f.rate, table = f.rate/4, 1
	}
	if b[3]>>6 == 3 {
		f.channels = 1
	}
	bits := mpegBitrates[table][layer-1][index] * 1000
	padding := int(b[2] >> 1 & 1)
	switch layer {
	case 1:
		f.codec, f.samples, f.size = "mp1", 384, (12*bits/f.rate+padding)*4
	case 2:
		f.codec, f.samples, f.size = "mp2", 1152, 144*bits/f.rate+padding
	default:
		f.codec, f.samples = "mp3", 1152
		if table == 1 {
			f.samples = 576
		}
		f.size = f.samples/8*bits/f.rate + padding
	}
	return f, f.size >= 4
}

// ac3Channels is by audio coding mode, without the LFE channel.
var ac3Channels = [...]int{2, 1, 2, 3, 3, 4, 4, 5}

var ac3Rates = [...]int{48000, 44100, 32000}

// ac3Bitrates are by half the frame size code, kbit/s.
var ac3Bitrates = [...]int{32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640}

// dolbyFrame reads the header of an AC-3 or E-AC-3 frame (ETSI TS 102 366).
func dolbyFrame(b []byte) (audioFrame, bool) {
	if len(b) < 8 || b[0] != 0x0b || b[1] != 0x77 {
		return audioFrame{}, false
	}
	if b[5]>>3 > 10 { // bsid
		return enhancedFrame(b)
	}
	rate, size := int(b[4]>>6), int(b[4]&63)
	if rate == 3 || size/2 >= len(ac3Bitrates) {
		return audioFrame{}, false
	}
	r := &bitReader{data: b[6:]}
	mode := r.bits(3)
	if mode&1 != 0 && mode != 1 {
		r.skip(2)
	}
	if mode&4 != 0 {
		r.skip(2)
	}
	if mode == 2 {
		r.skip(2)
	}
	f := audioFrame{codec: "ac3", channels: ac3Channels[mode] + int(r.bit()), samples: 1536, rate: ac3Rates[rate]}
	f.size = ac3Bitrates[size/2] * 1000 / 8 * 1536 / f.rate
	if rate == 1 {
		f.size = 2 * (ac3Bitrates[size/2] * 1000 / 8 * 1536 / 44100 / 2)
		if size&1 == 1 {
			f.size += 2
		}
	}
	return f, true
}

func enhancedFrame(b []byte) (audioFrame, bool) {
	blocks := [...]int{1, 2, 3, 6}
	r := &bitReader{data: b[2:]}
	dependent := r.bits(2) == 1
	r.skip(3)
	f := audioFrame{codec: "eac3", size: 2 * (int(r.bits(11)) + 1)}
	rate, count := r.bits(2), 6
	if rate == 3 {
		half := r.bits(2)
		if half == 3 {
			return audioFrame{}, false
		}
		f.rate = ac3Rates[half] / 2
	} else {
		f.rate, count = ac3Rates[rate], blocks[r.bits(2)]
	}
	f.channels = ac3Channels[r.bits(3)] + int(r.bit())
	f.samples = 256 * count
	if dependent { // it only adds channels to the frame before
		f.channels, f.samples = 0, 0
	}
	return f, !r.over
}

// dac3Channels reads an AC3SpecificBox.
func dac3Channels(b []byte) int {
	if len(b) < 3 {
		return 0
	}
	r := &bitReader{data: b}
	r.skip(2 + 5 + 3)
	return ac3Channels[r.bits(3)] + int(r.bit())
}

// dec3Channels reads an EC3SpecificBox: the first independent substream with
// what its dependent ones add.
func dec3Channels(b []byte) int {
	if len(b) < 5 {
		return 0
	}
	r := &bitReader{data: b}
	r.skip(13 + 3 + 2 + 5 + 1 + 1 + 3)
	channels := ac3Channels[r.bits(3)] + int(r.bit())
	r.skip(3)
	if r.bits(4) == 0 {
		return channels
	}
	// Each bit is a place or a pair of places.
	for _, n := range []int{1, 2, 2, 2, 2, 1, 1, 2, 2} { // from LFE2 down to Lc/Rc
		if r.flag() {
			channels += n
		}
	}
	return channels
}
