package mediainfo

import (
	"cmp"
	"encoding/hex"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"xship/sources/link"
)

// playlist is an HLS playlist (RFC 8216): a master one where it has variants,
// else a media one.
type playlist struct {
	variants   []variant
	renditions []rendition
	segments   []segment // of the media
	jumps      []int     // indexes of the segments behind a discontinuity
	sequence   int64     // number of the first segment
	target     float64   // seconds that a segment has at most
	duration   float64   // seconds of all segments
	ended      bool      // nothing will be added: not live
	variables  map[string]string
	undefined  string // a variable that is used and not defined, "" = none
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
	gap      bool     // there is none, the playlist says
	init     *segment // EXT-X-MAP
	key      *segmentKey
}

// segmentKey is an EXT-X-KEY.
type segmentKey struct {
	method, uri, format string
	iv                  []byte // nil: the number of the segment
}

// Methods of encryption.
const (
	aes128    = "AES-128"
	sampleAES = "SAMPLE-AES"
)

// open tells whether whoever has the key can open the segment: no system of copy
// protection does that by itself.
func (k *segmentKey) open() bool {
	const licensed = "skd:" // FairPlay, also where the format is not told
	return (k.method == aes128 || k.method == sampleAES) && (k.format == "" || strings.EqualFold(k.format, "identity")) &&
		!strings.HasPrefix(strings.ToLower(k.uri), licensed)
}

// parsePlaylist reads what is understood and skips the rest, as the RFC asks. query are
// the parameters of its own URL, parent the variables of the master playlist.
func parsePlaylist(data []byte, query url.Values, parent map[string]string) playlist {
	p := &playlistParser{query: query, parent: parent}
	text := string(link.ManifestText(data))
	const believed = 4096 // of a count that the text itself tells
	p.segments = make([]segment, 0, min(strings.Count(text, "#EXTINF"), believed))
	for text != "" {
		end := strings.IndexAny(text, "\n\r")
		if end < 0 {
			end = len(text)
		}
		p.line(strings.Trim(text[:end], " \t\v\f\x00"))
		text = text[min(end+1, len(text)):]
	}
	p.duration += float64(p.untimed) * p.target
	return p.playlist
}

type playlistParser struct {
	playlist
	query    url.Values
	parent   map[string]string
	pending  *variant // its URI is the next line
	next     segment
	timed    bool // next has an EXTINF
	untimed  int  // segments without: their time is the target duration, as players have it
	jump     bool
	init     *segment
	key      *segmentKey
	freshKey bool             // no segment came since the last key
	ends     map[string]int64 // of the last byte range of a URI
}

func (p *playlistParser) line(line string) {
	if line == "" {
		return
	}
	if !strings.HasPrefix(line, "#") {
		p.uri(p.expand(line))
		return
	}
	tag, value, _ := strings.Cut(line, ":")
	switch tag {
	case "#EXT-X-DEFINE":
		p.define(attributes(value))
	case "#EXT-X-STREAM-INF":
		v := parseVariant(p.attributes(value))
		p.pending = &v
	case "#EXT-X-MEDIA":
		a := p.attributes(value)
		channels, _, _ := strings.Cut(a["CHANNELS"], "/")
		p.renditions = append(p.renditions, rendition{
			kind: a["TYPE"], group: a["GROUP-ID"], uri: a["URI"], language: languageCode(a["LANGUAGE"]), channels: int(number(channels, 64)),
		})
	case "#EXTINF":
		length, _, _ := strings.Cut(value, ",")
		p.next.duration, p.timed = decimal(length), true
	case "#EXT-X-BYTERANGE":
		p.next.off, p.next.n = byteRange(value)
	case "#EXT-X-GAP":
		p.next.gap = true
	case "#EXT-X-DISCONTINUITY":
		p.jump = true
	case "#EXT-X-MAP":
		a := p.attributes(value)
		p.init = &segment{uri: a["URI"], key: p.key}
		p.init.off, p.init.n = byteRange(a["BYTERANGE"])
		p.init.off = max(p.init.off, 0)
	case "#EXT-X-KEY":
		p.addKey(p.attributes(value))
	case "#EXT-X-MEDIA-SEQUENCE":
		p.sequence = number(value, 1<<62)
	case "#EXT-X-TARGETDURATION":
		p.target = decimal(value)
	case "#EXT-X-ENDLIST":
		p.ended = true
	case "#EXT-X-PLAYLIST-TYPE":
		p.ended = p.ended || value == "VOD"
	}
}

// addKey takes the key of the segments that follow. Of several, each for another system
// of copy protection, it is one that needs none.
func (p *playlistParser) addKey(a map[string]string) {
	if a["METHOD"] == "NONE" || a["METHOD"] == "" {
		p.key, p.freshKey = nil, false
		return
	}
	key := &segmentKey{method: a["METHOD"], uri: a["URI"], format: a["KEYFORMAT"]}
	if digits, ok := strings.CutPrefix(strings.ToLower(a["IV"]), "0x"); ok && len(digits) <= 32 {
		key.iv, _ = hex.DecodeString(strings.Repeat("0", 32-len(digits)) + digits)
	}
	if !p.freshKey || p.key == nil || !p.key.open() {
		p.key = key
	}
	p.freshKey = true
}

// define reads an EXT-X-DEFINE (RFC 8216bis, 4.4.2.3).
func (p *playlistParser) define(a map[string]string) {
	if p.variables == nil {
		p.variables = map[string]string{}
	}
	switch {
	case a["NAME"] != "":
		p.variables[a["NAME"]] = p.expand(a["VALUE"])
	case a["QUERYPARAM"] != "" && p.query.Has(a["QUERYPARAM"]):
		p.variables[a["QUERYPARAM"]] = p.query.Get(a["QUERYPARAM"])
	case a["IMPORT"] != "":
		if value, ok := p.parent[a["IMPORT"]]; ok {
			p.variables[a["IMPORT"]] = value
		}
	}
}

// attributes are those of a list, with the values of variables.
func (p *playlistParser) attributes(s string) map[string]string {
	list := attributes(s)
	if strings.Contains(s, "{$") {
		for name, value := range list {
			list[name] = p.expand(value)
		}
	}
	return list
}

// expand replaces each "{$name}" by the value of the variable.
func (p *playlistParser) expand(s string) string {
	before, rest, ok := strings.Cut(s, "{$")
	if !ok {
		return s
	}
	var b strings.Builder
	for {
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		value, known := p.variables[name]
		switch {
		case !closed:
			return b.String() + "{$" + rest
		case !known:
			p.undefined = cmp.Or(p.undefined, name)
		}
		b.WriteString(value)
		before, rest, ok = strings.Cut(after, "{$")
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
	s.uri, s.init, s.key = uri, p.init, p.key
	if s.n > 0 {
		if s.off < 0 { // behind the range before
			s.off = p.ends[uri]
		}
		if p.ends == nil {
			p.ends = map[string]int64{}
		}
		p.ends[uri] = s.off + s.n
	}
	if !p.timed {
		p.untimed++
	}
	if p.jump && len(p.segments) > 0 {
		p.jumps = append(p.jumps, len(p.segments))
	}
	p.segments = append(p.segments, s)
	p.duration += s.duration
	p.next, p.timed, p.jump, p.freshKey = segment{}, false, false, false
}

// tried are the indexes of the segments to look at until one can be read: those at the
// places where a player would start, or go on after what is missing. Only what is
// missing at all of them is gone.
func (p *playlist) tried() []int {
	last := len(p.segments) - 1
	order := []int{last, last - 2, last / 2, 0}
	if p.ended {
		order = []int{0, last / 2, last, 1, last / 4}
		if len(p.jumps) > 0 {
			order = slices.Insert(order, 1, p.jumps[0])
		}
	}
	var tried []int
	for _, i := range order {
		if i >= 0 && i <= last && !slices.Contains(tried, i) && !p.segments[i].gap {
			tried = append(tried, i)
		}
	}
	return tried
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
func decimal(s string) float64 { return decimalUpTo(s, 1e7) }

// decimalUpTo is a positive number below most, else 0.
func decimalUpTo(s string, most float64) float64 {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(f > 0 && f < most) {
		return 0
	}
	return f
}
