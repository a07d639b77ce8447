package mediainfo

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// mpd is the part of a DASH manifest (ISO/IEC 23009-1) that is of use here. Numbers
// are text: many writers put decimals where there should be none.
type mpd struct {
	XMLName  xml.Name    `xml:"MPD"`
	Type     string      `xml:"type,attr"`
	Duration string      `xml:"mediaPresentationDuration,attr"`
	Begin    string      `xml:"availabilityStartTime,attr"`
	Depth    string      `xml:"timeShiftBufferDepth,attr"`
	Delay    string      `xml:"suggestedPresentationDelay,attr"`
	BaseURLs []string    `xml:"BaseURL"`
	Periods  []mpdPeriod `xml:"Period"`
}

func (m *mpd) live() bool { return m.Type == "dynamic" }

type mpdPeriod struct {
	XMLName  xml.Name        `xml:"Period"`
	Remote   string          `xml:"href,attr"` // XLink: where its content lies
	Start    string          `xml:"start,attr"`
	Duration string          `xml:"duration,attr"`
	Sets     []adaptationSet `xml:"AdaptationSet"`
	mpdSegments
}

// mpdCommon may stand at a set or at a representation of it.
type mpdCommon struct {
	MIME         string          `xml:"mimeType,attr"`
	Codecs       string          `xml:"codecs,attr"`
	Width        string          `xml:"width,attr"`
	Height       string          `xml:"height,attr"`
	FrameRate    string          `xml:"frameRate,attr"`
	Channels     []mpdDescriptor `xml:"AudioChannelConfiguration"`
	Supplemental []mpdDescriptor `xml:"SupplementalProperty"`
	Essential    []mpdDescriptor `xml:"EssentialProperty"`
	Protection   []mpdDescriptor `xml:"ContentProtection"`
}

type mpdDescriptor struct {
	Scheme string `xml:"schemeIdUri,attr"`
	Value  string `xml:"value,attr"`
}

type adaptationSet struct {
	mpdCommon
	mpdSegments
	ContentType     string           `xml:"contentType,attr"`
	Language        string           `xml:"lang,attr"`
	Representations []representation `xml:"Representation"`
}

type representation struct {
	mpdCommon
	mpdSegments
	ID        string `xml:"id,attr"`
	Bandwidth string `xml:"bandwidth,attr"`
}

func (r *representation) height() int64 { return wholeNumber(r.Height) }

func (r *representation) bandwidth() int64 { return min(wholeNumber(r.Bandwidth), 1<<40) }

// wholeNumber reads a number that should be whole, 0 where it is none.
func wholeNumber(s string) int64 { return int64(decimalUpTo(s, 1<<50)) }

// probeDASH reads the manifest behind r. now is the time where its server does not tell
// its own.
func probeDASH(ctx context.Context, r *reader, now time.Time, info *sources.MediaInfo) error {
	data, err := r.all(ctx, maxManifest)
	if err != nil {
		return err
	}
	m, err := parseMPD(data)
	if err != nil {
		return err
	}
	if err := m.resolvePeriod(ctx, r); err != nil {
		return err
	}
	if err := m.describe(info); err != nil {
		return err
	}
	return m.look(ctx, r, now)
}

// parseMPD reads a manifest in whatever encoding and version of XML it is.
func parseMPD(data []byte) (*mpd, error) {
	m := new(mpd)
	if err := lenientXML(data).Decode(m); err != nil {
		return nil, damaged("the manifest is not well-formed: %s", text.Clean(err.Error()))
	}
	return m, nil
}

// plainXML is a document of XML as UTF-8 without the declaration at its start, which
// says how it is written.
func plainXML(data []byte) []byte {
	data = bytes.TrimSpace(link.ManifestText(data))
	var declaration []byte
	rest := data
	if bytes.HasPrefix(data, []byte("<?xml")) {
		declaration, rest, _ = bytes.Cut(data, []byte("?>"))
	}
	if m := xmlEncoding().FindSubmatch(declaration); m != nil && !utf8.Valid(rest) {
		e, err := htmlindex.Get(string(m[1]))
		if err != nil {
			e = charmap.Windows1252
		}
		if decoded, err := e.NewDecoder().Bytes(rest); err == nil {
			return decoded
		}
	}
	return bytes.ToValidUTF8(rest, []byte("\ufffd"))
}

// xmlEncoding finds the name of an encoding in a declaration.
var xmlEncoding = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`encoding\s*=\s*["']([^"']+)`) })

// describe writes what the manifest tells to info.
func (m *mpd) describe(info *sources.MediaInfo) error {
	info.Container = "dash"
	if !m.live() {
		info.DurationSeconds = isoDuration(m.Duration)
		for _, p := range m.Periods {
			if m.Duration == "" {
				info.DurationSeconds += isoDuration(p.Duration)
			}
		}
	}
	var video, audio int64 // bandwidth
	for _, p := range m.Periods {
		for _, set := range p.Sets {
			set.add(info, &video, &audio)
		}
		if hasTracks(info) {
			break // later periods are the same film going on, or advertisements
		}
	}
	if !hasTracks(info) {
		return damaged("the manifest has no tracks")
	}
	info.BitrateBPS = video + audio
	return nil
}

// add adds the best representation of the set to info.
func (s adaptationSet) add(info *sources.MediaInfo, video, audio *int64) {
	best, ok := s.best()
	if !ok {
		return
	}
	bandwidth := best.bandwidth()
	codec, kind, dolby := manifestCodec(best.firstCodec())
	switch content := cmp.Or(s.ContentType, best.contentType()); {
	case content == "video" || content == "" && kind == codecVideo:
		width, height := min(wholeNumber(best.Width), 1<<16), min(best.height(), 1<<16)
		v := &sources.VideoTrack{Codec: codec, Width: int(width), Height: int(height), FPS: fraction(best.FrameRate), HDR: best.hdr(dolby)}
		if info.Video == nil || v.Height > info.Video.Height {
			info.Video, *video = v, bandwidth
		}
	case content == "audio" || content == "" && kind == codecAudio:
		if len(info.Audio) == 0 {
			*audio = bandwidth
		}
		if len(info.Audio) < maxTracks {
			info.Audio = append(info.Audio, sources.AudioTrack{Codec: codec, Channels: best.channels(), Language: languageCode(s.Language)})
		}
	case content == "text" || kind == codecText:
		if codec == "" {
			codec = "webvtt"
			if strings.Contains(best.MIME, "ttml") {
				codec = "ttml"
			}
		}
		if len(info.Subtitles) < maxTracks {
			info.Subtitles = append(info.Subtitles, sources.SubtitleTrack{Codec: codec, Language: languageCode(s.Language)})
		}
	}
}

// best is the best representation of the set, with what only the set tells.
func (s adaptationSet) best() (best representation, ok bool) {
	for i, r := range s.Representations {
		if i == 0 || cmp.Or(cmp.Compare(r.height(), best.height()), cmp.Compare(r.bandwidth(), best.bandwidth())) > 0 {
			best, ok = r, true
		}
	}
	best.inherit(s.mpdCommon)
	return best, ok
}

// inherit fills what only the set tells.
func (c *mpdCommon) inherit(set mpdCommon) {
	c.MIME, c.Codecs, c.FrameRate = cmp.Or(c.MIME, set.MIME), cmp.Or(c.Codecs, set.Codecs), cmp.Or(c.FrameRate, set.FrameRate)
	c.Width, c.Height = cmp.Or(c.Width, set.Width), cmp.Or(c.Height, set.Height)
	if len(c.Channels) == 0 {
		c.Channels = set.Channels
	}
	c.Supplemental = append(c.Supplemental, set.Supplemental...)
	c.Essential = append(c.Essential, set.Essential...)
	c.Protection = append(c.Protection, set.Protection...)
}

func (c *mpdCommon) firstCodec() string {
	first, _, _ := strings.Cut(c.Codecs, ",")
	return first
}

func (c *mpdCommon) contentType() string {
	top, sub, _ := strings.Cut(c.MIME, "/")
	if top == "application" {
		if strings.Contains(sub, "ttml") {
			return "text"
		}
		return ""
	}
	return top
}

func (c *mpdCommon) hdr(dolby bool) string {
	if dolby {
		return hdrDolbyVision
	}
	for _, p := range append(c.Supplemental, c.Essential...) {
		if p.Scheme == "urn:mpeg:mpegB:cicp:TransferCharacteristics" {
			if n, err := strconv.Atoi(p.Value); err == nil {
				return transferHDR(n)
			}
		}
	}
	return ""
}

// channels reads the schemes of MPEG and of Dolby.
func (c *mpdCommon) channels() int {
	for _, d := range c.Channels {
		switch {
		case strings.HasPrefix(d.Scheme, "urn:mpeg:dash:23003:3:"):
			return int(number(d.Value, 64))
		case d.Scheme == "urn:mpeg:mpegB:cicp:ChannelConfiguration":
			return aacChannels(int(number(d.Value, 64)))
		case strings.HasPrefix(d.Scheme, "tag:dolby.com,") || strings.HasPrefix(d.Scheme, "urn:dolby:"):
			const pairs = 0x0400 | 0x0200 | 0x0040 | 0x0020 | 0x0010
			if mask, err := strconv.ParseUint(d.Value, 16, 16); err == nil {
				return bits.OnesCount64(mask) + bits.OnesCount64(mask&pairs)
			}
		}
	}
	return 0
}

// isoForm is an xs:duration; years and months, which have no length, are 0.
// It is costly to compile, and few streams are DASH.
var isoForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^P(?:0+Y)?(?:0+M)?(?:(\d{1,5})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,8})M)?(?:(\d{1,9}(?:\.\d{1,9})?)S)?)?$`)
})

// isoDuration is s in seconds, 0 where it cannot be read.
func isoDuration(s string) float64 {
	m := isoForm().FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return 0
	}
	var total float64
	for i, unit := range []float64{86400, 3600, 60, 1} {
		total += unit * decimal(m[i+1])
	}
	return total
}
