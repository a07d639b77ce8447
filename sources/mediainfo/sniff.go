package mediainfo

import (
	"bytes"
	"unicode/utf8"
)

// kind is what the first bytes of a stream say that it is.
type kind int

const (
	kindUnknown kind = iota
	kindMP4
	kindMatroska
	kindTS
	kindHLS
	kindDASH
	kindText
)

// mp4Boxes may be the first of a file.
var mp4Boxes = []string{"ftyp", "styp", "moov", "mdat", "free", "skip", "wide", "moof", "sidx", "emsg", "prft", "pnot", "uuid"}

func sniff(head []byte) kind {
	text := bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
	switch {
	case bytes.HasPrefix(text, []byte("#EXTM3U")):
		return kindHLS
	case bytes.HasPrefix(head, []byte("\x1a\x45\xdf\xa3")):
		return kindMatroska
	case len(head) >= 8 && isMP4Box(string(head[4:8])):
		return kindMP4
	case isText(text):
		if isMPD(text) {
			return kindDASH
		}
		return kindText
	}
	if _, ok := findPackets(head); ok {
		return kindTS
	}
	return kindUnknown
}

func isMP4Box(name string) bool {
	for _, b := range mp4Boxes {
		if name == b {
			return true
		}
	}
	return false
}

// isText tells whether b starts as text does, without control characters.
func isText(b []byte) bool {
	const looked = 512
	cut := len(b) > looked
	b = b[:min(len(b), looked)]
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && size <= 1:
			// The last rune may be cut; a page in another encoding still has markup.
			return cut && len(b) < utf8.UTFMax
		case r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f':
			return false
		}
		b = b[size:]
	}
	return true
}

// isMPD tells whether the root element of text is MPD.
func isMPD(text []byte) bool {
	for bytes.HasPrefix(text, []byte("<?")) || bytes.HasPrefix(text, []byte("<!--")) {
		stop := []byte("?>")
		if text[1] == '!' {
			stop = []byte("-->")
		}
		_, rest, ok := bytes.Cut(text, stop)
		if !ok {
			return false
		}
		text = bytes.TrimSpace(rest)
	}
	if !bytes.HasPrefix(text, []byte("<")) {
		return false
	}
	name, _, _ := bytes.Cut(text[1:min(len(text), 64)], []byte(">"))
	if fields := bytes.Fields(name); len(fields) > 0 {
		_, local, ok := bytes.Cut(fields[0], []byte(":"))
		return bytes.Equal(fields[0], []byte("MPD")) || ok && bytes.Equal(local, []byte("MPD"))
	}
	return false
}
