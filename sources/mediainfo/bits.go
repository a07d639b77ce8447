package mediainfo

// bitReader reads big-endian bit fields. Behind the end it reads zeros and
// remembers that it did.
type bitReader struct {
	data []byte
	pos  int
	over bool
}

func (b *bitReader) bit() uint32 {
	if b.pos >= 8*len(b.data) {
		b.over = true
		return 0
	}
	v := b.data[b.pos/8] >> (7 - b.pos%8) & 1
	b.pos++
	return uint32(v)
}

func (b *bitReader) flag() bool { return b.bit() == 1 }

func (b *bitReader) bits(n int) uint32 {
	var v uint32
	for range n {
		v = v<<1 | b.bit()
	}
	return v
}

func (b *bitReader) skip(n int) {
	if n > 8*len(b.data)-b.pos {
		b.pos, b.over = 8*len(b.data), true
		return
	}
	b.pos += n
}

// ue reads an unsigned Exp-Golomb code.
func (b *bitReader) ue() uint32 {
	zeros := 0
	for !b.flag() {
		if zeros++; zeros > 31 || b.over {
			b.over = true
			return 0
		}
	}
	return 1<<zeros - 1 + b.bits(zeros)
}

// se reads a signed Exp-Golomb code.
func (b *bitReader) se() int32 {
	v := b.ue()
	if v&1 == 1 {
		return int32(v/2) + 1
	}
	return -int32(v / 2)
}
