package mediainfo

import "encoding/binary"

// sps is what a sequence parameter set tells.
type sps struct {
	width, height int
	transfer      int // ITU-T H.273, 0 = not told
}

// configSPS reads the first sequence parameter set of an avcC or hvcC box.
func configSPS(kind string, b []byte) sps {
	if kind == "avcC" {
		if len(b) < 8 || b[5]&31 == 0 {
			return sps{}
		}
		s, _ := h264SPS(prefixed(b[6:]))
		return s
	}
	const fixed, typeSPS = 23, 33
	if len(b) < fixed {
		return sps{}
	}
	arrays, b := int(b[fixed-1]), b[fixed:]
	for range arrays {
		if len(b) < 3 {
			break
		}
		kind, count := b[0]&63, int(binary.BigEndian.Uint16(b[1:]))
		b = b[3:]
		for range count {
			nal := prefixed(b)
			if kind == typeSPS {
				s, _ := hevcSPS(nal)
				return s
			}
			if len(b) < 2+len(nal) || len(nal) == 0 {
				return sps{}
			}
			b = b[2+len(nal):]
		}
	}
	return sps{}
}

// prefixed is the unit at the start of b, behind its length of two bytes.
func prefixed(b []byte) []byte {
	if len(b) < 2 {
		return nil
	}
	n := min(int(binary.BigEndian.Uint16(b)), len(b)-2)
	return b[2 : 2+n]
}

// payload is a NAL unit without its header of n bytes and without the bytes
// that prevent start codes.
func payload(nal []byte, n int) *bitReader {
	const most = 4096
	if len(nal) <= n {
		return &bitReader{}
	}
	nal = nal[n:min(len(nal), most)]
	out := make([]byte, 0, len(nal))
	zeros := 0
	for _, c := range nal {
		if zeros >= 2 && c == 3 {
			zeros = 0
			continue
		}
		if c == 0 {
			zeros++
		} else {
			zeros = 0
		}
		out = append(out, c)
	}
	return &bitReader{data: out}
}

// plausible bounds a picture's side; both codecs end below.
func plausible(width, height int) bool {
	return width > 0 && height > 0 && width <= 32768 && height <= 32768
}

// h264SPS reads a sequence parameter set with its header (ITU-T H.264, 7.3.2.1.1).
func h264SPS(nal []byte) (sps, bool) {
	r := payload(nal, 1)
	profile := r.bits(8)
	r.skip(16)
	r.ue()
	chroma := h264Chroma(r, profile)
	r.ue()
	skipPictureOrder(r)
	r.ue()
	r.skip(1)
	width, height := h264Size(r, chroma)
	s := sps{width: width, height: height}
	if r.over || !plausible(width, height) {
		return sps{}, false
	}
	if r.flag() {
		s.transfer = vuiTransfer(r)
	}
	return s, true
}

// h264Chroma reads what only some profiles have, and gives chroma_format_idc.
func h264Chroma(r *bitReader, profile uint32) uint32 {
	switch profile {
	case 100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135:
	default:
		return 1
	}
	chroma := r.ue()
	if chroma == 3 {
		r.skip(1)
	}
	r.ue()
	r.ue()
	r.skip(1)
	if r.flag() {
		skipScalingLists(r, chroma)
	}
	return chroma
}

// skipPictureOrder skips what pic_order_cnt_type brings along.
func skipPictureOrder(r *bitReader) {
	switch r.ue() {
	case 0:
		r.ue()
	case 1:
		r.skip(1)
		r.se()
		r.se()
		for range min(r.ue(), 255) {
			r.se()
		}
	}
}

// h264Size reads the size in macroblocks and what is cropped of it, and gives what
// is left in pixels.
func h264Size(r *bitReader, chroma uint32) (width, height int) {
	width, height = 16*(int(r.ue())+1), 16*(int(r.ue())+1)
	frames := 1
	if !r.flag() {
		frames = 2
		r.skip(1)
	}
	height *= frames
	r.skip(1)
	if r.flag() {
		unitX, unitY := 1, frames
		if chroma == 1 || chroma == 2 {
			unitX = 2
		}
		if chroma == 1 {
			unitY *= 2
		}
		width -= unitX * int(r.ue()+r.ue())
		height -= unitY * int(r.ue()+r.ue())
	}
	return width, height
}

func skipScalingLists(r *bitReader, chroma uint32) {
	lists := 8
	if chroma == 3 {
		lists = 12
	}
	for i := range lists {
		if !r.flag() {
			continue
		}
		size := 16
		if i >= 6 {
			size = 64
		}
		last, next := int32(8), int32(8)
		for range size {
			if next != 0 {
				next = (last + r.se() + 256) & 255
			}
			if next != 0 {
				last = next
			}
		}
	}
}

// vuiTransfer reads the start of the usability information, which is the same
// in both codecs.
func vuiTransfer(r *bitReader) int {
	const extended = 255
	if r.flag() && r.bits(8) == extended {
		r.skip(32)
	}
	if r.flag() {
		r.skip(1)
	}
	if !r.flag() {
		return 0
	}
	r.skip(4)
	if !r.flag() {
		return 0
	}
	r.skip(8)
	transfer := int(r.bits(8))
	if r.over {
		return 0
	}
	return transfer
}

// hevcSPS reads a sequence parameter set with its header (ITU-T H.265, 7.3.2.2.1).
func hevcSPS(nal []byte) (sps, bool) {
	r := payload(nal, 2)
	r.skip(4)
	layers := int(r.bits(3))
	r.skip(1)
	skipProfileTierLevel(r, layers)
	r.ue()
	chroma := r.ue()
	if chroma == 3 {
		r.skip(1)
	}
	width, height := int(r.ue()), int(r.ue())
	if r.flag() {
		unitX, unitY := 1, 1
		if chroma == 1 || chroma == 2 {
			unitX = 2
		}
		if chroma == 1 {
			unitY = 2
		}
		width -= unitX * int(r.ue()+r.ue())
		height -= unitY * int(r.ue()+r.ue())
	}
	if r.over || !plausible(width, height) {
		return sps{}, false
	}
	return sps{width: width, height: height, transfer: hevcTransfer(r, layers)}, true
}

func skipProfileTierLevel(r *bitReader, layers int) {
	r.skip(88 + 8)
	var profile, level [8]bool
	for i := range layers {
		profile[i], level[i] = r.flag(), r.flag()
	}
	if layers > 0 {
		r.skip(2 * (8 - layers))
	}
	for i := range layers {
		if profile[i] {
			r.skip(88)
		}
		if level[i] {
			r.skip(8)
		}
	}
}

// hevcTransfer goes from behind the conformance window to the usability
// information.
func hevcTransfer(r *bitReader, layers int) int {
	r.ue()
	r.ue()
	pocBits := int(r.ue()) + 4
	first := layers
	if r.flag() {
		first = 0
	}
	for range layers - first + 1 {
		r.ue()
		r.ue()
		r.ue()
	}
	for range 6 {
		r.ue()
	}
	if enabled := r.flag(); enabled && r.flag() {
		skipScalingListData(r)
	}
	r.skip(2)
	if r.flag() {
		r.skip(8)
		r.ue()
		r.ue()
		r.skip(1)
	}
	if !skipReferenceSets(r) {
		return 0
	}
	if r.flag() {
		for range min(r.ue(), 32) {
			r.skip(pocBits + 1)
		}
	}
	r.skip(2)
	if r.over || !r.flag() {
		return 0
	}
	return vuiTransfer(r)
}

func skipScalingListData(r *bitReader) {
	for size := range 4 {
		step := 1
		if size == 3 {
			step = 3
		}
		for matrix := 0; matrix < 6; matrix += step {
			if !r.flag() {
				r.ue()
				continue
			}
			if size > 1 {
				r.se()
			}
			for range min(64, 1<<(4+2*size)) {
				r.se()
			}
		}
	}
}

// skipReferenceSets skips the short-term reference picture sets (7.3.7).
func skipReferenceSets(r *bitReader) bool {
	const most = 64
	count := int(r.ue())
	if count > most {
		return false
	}
	pictures := 0 // of the set before
	for i := range count {
		if i > 0 && r.flag() {
			r.skip(1)
			r.ue()
			kept := 0
			for range pictures + 1 {
				if used := r.flag(); used || r.flag() {
					kept++
				}
			}
			pictures = kept
			continue
		}
		negative, positive := int(r.ue()), int(r.ue())
		if negative > most || positive > most || r.over {
			return false
		}
		pictures = negative + positive
		for range pictures {
			r.ue()
			r.skip(1)
		}
	}
	return !r.over
}
