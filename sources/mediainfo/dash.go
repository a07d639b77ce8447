package mediainfo

import (
	"cmp"
	"context"
	"encoding/xml"
	"math/bits"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"xship/sources"
	"xship/sources/text"
)

// mpd is the part of a DASH manifest (ISO/IEC 23009-1) that is of use here.
type mpd struct {
	XMLName  xml.Name `xml:"MPD"`
	Type     string   `xml:"type,attr"`
	Duration string   `xml:"mediaPresentationDuration,attr"`
	Periods  []struct {
		Duration string          `xml:"duration,attr"`
		Sets     []adaptationSet `xml:"AdaptationSet"`
	} `xml:"Period"`
}

// mpdCommon may stand at a set or at a representation of it.
type mpdCommon struct {
	MIME         string          `xml:"mimeType,attr"`
	Codecs       string          `xml:"codecs,attr"`
	Width        int             `xml:"width,attr"`
	Height       int             `xml:"height,attr"`
	FrameRate    string          `xml:"frameRate,attr"`
	Channels     []mpdDescriptor `xml:"AudioChannelConfiguration"`
	Supplemental []mpdDescriptor `xml:"SupplementalProperty"`
	Essential    []mpdDescriptor `xml:"EssentialProperty"`
}

type mpdDescriptor struct {
	Scheme string `xml:"schemeIdUri,attr"`
	Value  string `xml:"value,attr"`
}

type adaptationSet struct {
	mpdCommon
	ContentType     string           `xml:"contentType,attr"`
	Language        string           `xml:"lang,attr"`
	Representations []representation `xml:"Representation"`
}

type representation struct {
	mpdCommon
	Bandwidth int64 `xml:"bandwidth,attr"`
}

func probeDASH(ctx context.Context, r *reader, info *sources.MediaInfo) error {
	data, err := r.all(ctx, maxManifest)
	if err != nil {
		return err
	}
	return parseMPD(data, info)
}

func parseMPD(data []byte, info *sources.MediaInfo) error {
	info.Container = "dash"
	var m mpd
	if err := xml.Unmarshal(data, &m); err != nil {
		return damaged("the manifest is not well-formed: %s", text.Clean(err.Error()))
	}
	if m.Type != "dynamic" {
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
	if len(s.Representations) == 0 {
		return
	}
	best := s.Representations[0]
	for _, r := range s.Representations[1:] {
		if cmp.Or(cmp.Compare(r.Height, best.Height), cmp.Compare(r.Bandwidth, best.Bandwidth)) > 0 {
			best = r
		}
	}
	best.inherit(s.mpdCommon)
	bandwidth := min(max(best.Bandwidth, 0), 1<<40)
	codec, kind, dolby := manifestCodec(best.firstCodec())
	switch content := cmp.Or(s.ContentType, best.contentType()); {
	case content == "video" || content == "" && kind == codecVideo:
		v := &sources.VideoTrack{Codec: codec, Width: best.Width, Height: best.Height, FPS: fraction(best.FrameRate), HDR: best.hdr(dolby)}
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

// inherit fills what only the set tells.
func (c *mpdCommon) inherit(set mpdCommon) {
	c.MIME, c.Codecs, c.FrameRate = cmp.Or(c.MIME, set.MIME), cmp.Or(c.Codecs, set.Codecs), cmp.Or(c.FrameRate, set.FrameRate)
	c.Width, c.Height = min(max(cmp.Or(c.Width, set.Width), 0), 1<<16), min(max(cmp.Or(c.Height, set.Height), 0), 1<<16)
	if len(c.Channels) == 0 {
		c.Channels = set.Channels
	}
	c.Supplemental = append(c.Supplemental, set.Supplemental...)
	c.Essential = append(c.Essential, set.Essential...)
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
