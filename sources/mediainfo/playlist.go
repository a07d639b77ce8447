package mediainfo

import (
	"strconv"
	"strings"
)

// playlist is an HLS playlist (RFC 8216): a master one where it has variants,
// else a media one.
type playlist struct {
	variants   []variant
	renditions []rendition
	segments   int
	first      segment // of the media
	last       segment
	init       *segment // EXT-X-MAP of the first segment
	duration   float64  // seconds of all segments
	ended      bool     // nothing will be added: not live
	encryption string   // METHOD of the first segment's key, "" = none
}

// variant is an EXT-X-STREAM-INF.
type variant struct {
	uri           string
	bandwidth     int64
	width, height int
	fps           float64
	codecs        string
	supplemental  string
	hdr           string
	audio         string // group ids
	subtitles     string
}

// rendition is an EXT-X-MEDIA.
type rendition struct {
	kind, group, uri, language string
	channels                   int
}

// segment is a URI or a byte range of it.
type segment struct {
	uri      string
	off, n   int64 // n 0 = all
	duration float64
}

// parsePlaylist reads what is understood and skips the rest, as the RFC asks.
func parsePlaylist(text string) playlist {
	p := &playlistParser{}
	for line := range strings.Lines(text) {
		p.line(strings.TrimSpace(line))
	}
	return p.playlist
}

type playlistParser struct {
	playlist
	pending *variant // its URI is the next line
	next    segment
	ends    map[string]int64 // of the last byte range of a URI
}

func (p *playlistParser) line(line string) {
	if line == "" {
		return
	}
	if !strings.HasPrefix(line, "#") {
		p.uri(line)
		return
	}
	tag, value, _ := strings.Cut(line, ":")
	switch tag {
	case "#EXT-X-STREAM-INF":
		v := parseVariant(attributes(value))
		p.pending = &v
	case "#EXT-X-MEDIA":
		a := attributes(value)
		channels, _, _ := strings.Cut(a["CHANNELS"], "/")
		p.renditions = append(p.renditions, rendition{
			kind: a["TYPE"], group: a["GROUP-ID"], uri: a["URI"], language: languageCode(a["LANGUAGE"]), channels: int(number(channels, 64)),
		})
	case "#EXTINF":
		length, _, _ := strings.Cut(value, ",")
		p.next.duration = decimal(length)
	case "#EXT-X-BYTERANGE":
		p.next.off, p.next.n = byteRange(value)
	case "#EXT-X-MAP":
		if p.init == nil {
			a := attributes(value)
			p.init = &segment{uri: a["URI"]}
			p.init.off, p.init.n = byteRange(a["BYTERANGE"])
			p.init.off = max(p.init.off, 0)
		}
	case "#EXT-X-KEY":
		if m := attributes(value)["METHOD"]; p.segments == 0 && m != "NONE" {
			p.encryption = m
		}
	case "#EXT-X-ENDLIST":
		p.ended = true
	case "#EXT-X-PLAYLIST-TYPE":
		p.ended = p.ended || value == "VOD"
	}
}

func (p *playlistParser) uri(uri string) {
	if p.pending != nil {
		p.pending.uri = uri
		p.variants = append(p.variants, *p.pending)
		p.pending = nil
		return
	}
	s := p.next
	p.next = segment{}
	s.uri = uri
	if s.n > 0 {
		if s.off < 0 { // behind the range before
			s.off = p.ends[uri]
		}
		if p.ends == nil {
			p.ends = map[string]int64{}
		}
		p.ends[uri] = s.off + s.n
	}
	if p.segments == 0 {
		p.first = s
	}
	p.last = s
	p.segments++
	p.duration += s.duration
}

func parseVariant(a map[string]string) variant {
	v := variant{
		codecs: a["CODECS"], supplemental: a["SUPPLEMENTAL-CODECS"], audio: a["AUDIO"], subtitles: a["SUBTITLES"],
		fps: decimal(a["FRAME-RATE"]), bandwidth: number(a["AVERAGE-BANDWIDTH"], 1<<40),
	}
	if v.bandwidth == 0 {
		v.bandwidth = number(a["BANDWIDTH"], 1<<40)
	}
	w, h, _ := strings.Cut(a["RESOLUTION"], "x")
	v.width, v.height = int(number(w, 1<<16)), int(number(h, 1<<16))
	switch a["VIDEO-RANGE"] {
	case "PQ":
		v.hdr = hdr10
	case "HLG":
		v.hdr = hdrHLG
	}
	return v
}

// attributes reads an attribute list.
func attributes(s string) map[string]string {
	list := map[string]string{}
	for s != "" {
		name, rest, ok := strings.Cut(s, "=")
		if !ok {
			break
		}
		var value string
		if quoted, found := strings.CutPrefix(rest, `"`); found {
			value, rest, _ = strings.Cut(quoted, `"`)
			_, s, _ = strings.Cut(rest, ",")
		} else {
			value, s, _ = strings.Cut(rest, ",")
			value = strings.TrimSpace(value)
		}
		list[strings.TrimSpace(name)] = value
	}
	return list
}

// byteRange reads "n@off"; off is -1 where it is not told.
func byteRange(s string) (off, n int64) {
	const most = 1 << 50
	length, start, ok := strings.Cut(s, "@")
	if n = number(length, most); ok {
		return number(start, most), n
	}
	return -1, n
}

// number is a decimal integer, 0 where there is none up to most.
func number(s string, most int64) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
	if err != nil || n < 0 || n > most {
		return 0
	}
	return n
}

// decimal is a positive number that can be a time or a rate, else 0.
func decimal(s string) float64 {
	const most = 1e7
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(f > 0 && f < most) {
		return 0
	}
	return f
}
