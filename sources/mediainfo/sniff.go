package mediainfo

import (
	"xship/sources/fetch"
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
	kindSmooth
	kindText
)

func sniff(head []byte) kind {
	manifest := link.ManifestOf(head)
	if manifest != "" || fetch.IsText(head) {
		switch link.InText(head) {
		case "":
		case "video/mp2t":
			return kindTS
		default:
			return kindUnknown
		}
	}
	switch manifest {
	case link.MIMEHLS:
		return kindHLS
	case link.MIMEDASH:
		return kindDASH
	case link.MIMESmooth:
		return kindSmooth
	}
	switch link.MagicOf(head) {
	case "video/x-matroska", "video/webm":
		return kindMatroska
	case "video/mp4", "video/quicktime", "audio/mp4":
		return kindMP4
	case "video/mp2t":
		return kindTS
	}
	if fetch.IsText(head) {
		return kindText
	}
	if _, ok := findPackets(head); ok {
		return kindTS
	}
	return kindUnknown
}
