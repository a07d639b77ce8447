package mediainfo

import (
	"bytes"
	"unicode/utf8"

	"xship/sources/link"
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

func sniff(head []byte) kind {
	switch link.ManifestOf(head) {
	case link.MIMEHLS:
		return kindHLS
	case link.MIMEDASH:
		return kindDASH
	}
	switch link.MagicOf(head) {
	case "video/x-matroska", "video/webm":
		return kindMatroska
	case "video/mp4", "video/quicktime", "audio/mp4":
		return kindMP4
	}
	if isText(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))) {
		return kindText
	}
	if _, ok := findPackets(head); ok {
		return kindTS
	}
	return kindUnknown
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
