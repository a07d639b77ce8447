package mediainfo

import (
	"cmp"
	"context"
	"encoding/binary"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

const (
	maxManifest   = 4 << 20
	maxDepth      = 2 // master, nested master, media
	maxVariants   = 3 // tried until one loads
	maxRenditions = 4 // looked into for what the manifest does not tell
)

// hls reads one HLS stream.
type hls struct {
	logger *slog.Logger
	seen   map[string]bool // manifests on the way here
}

// probe reads the playlist behind r, which lies depth playlists below the
// stream's own.
func (h *hls) probe(ctx context.Context, r *reader, info *sources.MediaInfo, depth int) error {
	if depth > maxDepth || h.seen[r.url] || h.seen[r.finalURL] {
		return sources.Errorf(sources.ClassHosterFault, "the playlist points to itself or to too many others")
	}
	h.seen[r.url], h.seen[r.finalURL] = true, true
	data, err := r.all(ctx, maxManifest)
	if err != nil {
		return err
	}
	info.Container = "hls"
	p := parsePlaylist(string(data))
	switch {
	case len(p.variants) > 0:
		return h.master(ctx, r, p, info, depth)
	case p.segments == 0:
		return sources.Errorf(sources.ClassHosterFault, "the playlist is empty")
	default:
		return h.media(ctx, r, p, info)
	}
}

// master reads the best variant that can be had.
func (h *hls) master(ctx context.Context, r *reader, p playlist, info *sources.MediaInfo, depth int) error {
	slices.SortStableFunc(p.variants, func(a, b variant) int {
		return cmp.Or(cmp.Compare(b.height, a.height), cmp.Compare(b.bandwidth, a.bandwidth))
	})
	var failed error
	for _, v := range p.variants[:min(len(p.variants), maxVariants)] {
		err := h.variant(ctx, r, p, v, info, depth)
		if err == nil || ctx.Err() != nil {
			return err
		}
		failed = cmp.Or(failed, err)
	}
	return failed
}

// variant reads v of the master playlist p. What the manifest does not tell is
// taken from the media.
func (h *hls) variant(ctx context.Context, r *reader, p playlist, v variant, info *sources.MediaInfo, depth int) error {
	told := v.describe(p.renditions)
	sub, err := h.open(r, segment{uri: v.uri})
	if err != nil {
		return err
	}
	if _, err := sub.start(ctx); err != nil {
		return err
	}
	if kind := sniff(sub.buffered(0)); kind != kindHLS {
		return textOr(kind, sub)
	}
	seen := maps.Clone(h.seen)
	var media sources.MediaInfo
	err = (&hls{logger: h.logger, seen: seen}).probe(ctx, sub, &media, depth+1)
	if err != nil {
		return err
	}
	told.merge(media)
	h.lookIntoRenditions(ctx, r, &told)
	*info = told.info
	info.DurationSeconds = media.DurationSeconds
	if info.BitrateBPS == 0 {
		info.BitrateBPS = media.BitrateBPS
	}
	return nil
}

// textOr is the error for a thing of kind k where a playlist should be.
func textOr(k kind, r *reader) error {
	if k == kindText {
		return r.pageError()
	}
	return sources.Errorf(sources.ClassHosterFault, "no playlist where one should be")
}

// description is what a master playlist tells of a variant.
type description struct {
	info       sources.MediaInfo
	renditions []rendition // of info.Audio, by index; with no URI where the variant itself holds it
}

func (v variant) describe(all []rendition) description {
	d := description{info: sources.MediaInfo{Container: "hls", BitrateBPS: v.bandwidth}}
	video := sources.VideoTrack{Width: v.width, Height: v.height, FPS: v.fps, HDR: v.hdr}
	var audio []string
	for entry := range strings.SplitSeq(v.codecs, ",") {
		switch codec, kind, dolby := manifestCodec(entry); kind {
		case codecVideo:
			video.Codec = codec
			if dolby {
				video.HDR = hdrDolbyVision
			}
		case codecAudio:
			audio = append(audio, codec)
		default: // subtitles are renditions
		}
	}
	if _, _, dolby := manifestCodec(v.supplemental); dolby {
		video.HDR = hdrDolbyVision
	}
	if video.Codec != "" || video.Width > 0 {
		d.info.Video = &video
	}
	for _, r := range all {
		switch {
		case r.kind == "AUDIO" && r.group == v.audio && v.audio != "" && len(d.renditions) < maxTracks:
			t := sources.AudioTrack{Channels: r.channels, Language: r.language}
			if len(audio) > 0 {
				t.Codec = audio[0]
			}
			d.info.Audio = append(d.info.Audio, t)
			d.renditions = append(d.renditions, r)
		case r.kind == "SUBTITLES" && (r.group == v.subtitles || v.subtitles == "") && len(d.info.Subtitles) < maxTracks:
			d.info.Subtitles = append(d.info.Subtitles, sources.SubtitleTrack{Codec: "webvtt", Language: r.language})
		}
	}
	if len(d.renditions) == 0 {
		for _, codec := range audio[:min(len(audio), 1)] {
			d.info.Audio = append(d.info.Audio, sources.AudioTrack{Codec: codec})
			d.renditions = append(d.renditions, rendition{})
		}
	}
	return d
}

// merge adds what the media of the variant themselves tell.
func (d *description) merge(media sources.MediaInfo) {
	switch v := d.info.Video; {
	case v == nil:
		d.info.Video = media.Video
	case media.Video != nil:
		v.Codec = cmp.Or(v.Codec, media.Video.Codec)
		if v.Width == 0 || v.Height == 0 {
			v.Width, v.Height = media.Video.Width, media.Video.Height
		}
		v.FPS = cmp.Or(v.FPS, media.Video.FPS)
		v.HDR = cmp.Or(v.HDR, media.Video.HDR)
	}
	if len(d.info.Audio) == 0 {
		d.info.Audio = media.Audio
		d.renditions = make([]rendition, len(media.Audio))
	}
	for i := range d.info.Audio {
		if d.renditions[i].uri == "" && len(media.Audio) > 0 {
			fillAudio(&d.info.Audio[i], media.Audio[min(i, len(media.Audio)-1)])
		}
	}
	if len(d.info.Subtitles) == 0 {
		d.info.Subtitles = media.Subtitles
	}
}

func fillAudio(t *sources.AudioTrack, from sources.AudioTrack) {
	// What a track holds is surer than what the manifest says of all of them.
	t.Codec = cmp.Or(from.Codec, t.Codec)
	t.Channels = cmp.Or(from.Channels, t.Channels)
	t.Language = cmp.Or(t.Language, from.Language)
}

// lookIntoRenditions reads the start of those audio renditions of which
// something is missing. One that cannot be read stays as it is.
func (h *hls) lookIntoRenditions(ctx context.Context, r *reader, d *description) {
	looked := 0
	for i := range d.info.Audio {
		t, uri := &d.info.Audio[i], d.renditions[i].uri
		if uri == "" || t.Codec != "" && t.Channels > 0 || looked == maxRenditions {
			continue
		}
		looked++
		sub, err := h.open(r, segment{uri: uri})
		if err == nil {
			_, err = sub.start(ctx)
		}
		var media sources.MediaInfo
		if err == nil {
			err = (&hls{logger: h.logger, seen: maps.Clone(h.seen)}).probe(ctx, sub, &media, maxDepth)
		}
		if err != nil {
			h.logger.DebugContext(ctx, "an audio rendition cannot be read", "url", link.Redact(r.url), "error", err)
			continue
		}
		if len(media.Audio) > 0 {
			fillAudio(t, media.Audio[0])
		}
	}
}

// media reads the start of a media playlist's first segment, or the last one of
// a live stream, whose first may be gone already.
func (h *hls) media(ctx context.Context, r *reader, p playlist, info *sources.MediaInfo) error {
	s := p.last
	if p.ended {
		info.DurationSeconds = p.duration
		s = p.first
	}
	if p.encryption != "" {
		h.logger.DebugContext(ctx, "the segments are encrypted", "url", link.Redact(r.url), "method", text.Clean(p.encryption))
		return nil
	}
	err := h.segment(ctx, r, p.init, s, info)
	switch class := sources.ClassOf(err); {
	case err == nil || ctx.Err() != nil:
		return err
	case p.ended && (class == sources.ClassHosterFault || class == sources.ClassDeadLink):
		return err
	default:
		// The playlist itself still tells something.
		h.logger.DebugContext(ctx, "a segment cannot be read", "url", link.Redact(r.url), "error", err)
		return nil
	}
}

// segment adds the tracks of s to info.
func (h *hls) segment(ctx context.Context, r *reader, init *segment, s segment, info *sources.MediaInfo) error {
	sr, err := h.open(r, s)
	if err != nil {
		return err
	}
	var tracks sources.MediaInfo
	if init != nil && init.uri != "" {
		ir, err := h.open(r, *init)
		if err != nil {
			return err
		}
		if err := probeInit(ctx, ir, sr, &tracks); err != nil {
			return err
		}
	} else {
		head, err := sr.start(ctx)
		if err != nil {
			return err
		}
		if err := probeSegment(ctx, sr, head, &tracks); err != nil {
			return err
		}
	}
	info.Video, info.Audio, info.Subtitles = tracks.Video, tracks.Audio, tracks.Subtitles
	if sr.total > 0 {
		info.BitrateBPS = bitrate(sr.total, s.duration)
	}
	return nil
}

// probeInit reads the tracks of an initialisation section, and the frame rate
// from the first segment behind it.
func probeInit(ctx context.Context, init, first *reader, info *sources.MediaInfo) error {
	head, err := init.start(ctx)
	if err != nil {
		return err
	}
	if kind := sniff(head); kind != kindMP4 {
		return textOr(kind, init)
	}
	m := &mp4{r: init, info: info}
	if err := m.walk(ctx); err != nil {
		return err
	}
	if head, err = first.start(ctx); err != nil {
		return err
	}
	if kind := sniff(head); kind == kindText {
		return first.pageError()
	}
	m.firstRates(head)
	m.fill()
	return nil
}

// firstRates takes frame rates from the first fragment in head.
func (m *mp4) firstRates(head []byte) {
	eachBox(head, func(kind string, b []byte) bool {
		if kind == "moof" {
			m.fragmentEnd(b, true)
		}
		return kind != "moof"
	})
}

func probeSegment(ctx context.Context, r *reader, head []byte, info *sources.MediaInfo) error {
	if f, ok := packedAudio(head); ok {
		info.Audio = []sources.AudioTrack{{Codec: f.codec, Channels: f.channels}}
		return nil
	}
	kind := sniff(head)
	if kind == kindText || kind == kindHLS || kind == kindDASH {
		return r.pageError()
	}
	return probeFile(ctx, r, kind, info)
}

// packedAudio reads a segment of bare frames, which begins with an ID3 tag (RFC
// 8216, 3.4).
func packedAudio(head []byte) (audioFrame, bool) {
	const tagHeader = 10
	if len(head) > tagHeader && string(head[:3]) == "ID3" {
		v := binary.BigEndian.Uint32(head[6:])
		size := tagHeader + int(v&0x7f|v>>1&0x3f80|v>>2&0x1fc000|v>>3&0xfe00000)
		head = head[min(size, len(head)):]
	}
	for _, parse := range []func([]byte) (audioFrame, bool){adtsFrame, dolbyFrame, mpegFrame} {
		f, ok := parse(head)
		if ok && f.size < len(head) {
			_, ok = parse(head[f.size:])
		}
		if ok {
			return f, true
		}
	}
	return audioFrame{}, false
}

// open makes a reader of s, a reference in the manifest behind r.
func (h *hls) open(r *reader, s segment) (*reader, error) {
	target, headers, err := resolve(r.finalURL, s.uri, r.headers)
	if err != nil {
		return nil, err
	}
	sr := newReader(r.budget, target, headers)
	sr.segment = true
	if s.n > 0 {
		sr.section(s.off, s.n)
	}
	return sr, nil
}

// resolve is ref in a manifest at base, with the headers to send there: another
// host does not get the credentials. A manifest from the network names only
// places in the network.
func resolve(base, ref string, headers map[string]string) (string, map[string]string, error) {
	b, err := url.Parse(base)
	if err != nil {
		return "", nil, damaged("the manifest's own URL cannot be read")
	}
	u, err := b.Parse(ref)
	if err != nil {
		return "", nil, damaged("the manifest holds a URL that cannot be read")
	}
	if u.Scheme != b.Scheme && u.Scheme != "http" && u.Scheme != "https" {
		return "", nil, damaged("the manifest refers to a %q URL", text.Clean(u.Scheme))
	}
	u.Fragment = ""
	if !strings.EqualFold(u.Host, b.Host) {
		headers = maps.Clone(headers)
		maps.DeleteFunc(headers, func(name, _ string) bool {
			return strings.EqualFold(name, "Authorization") || strings.EqualFold(name, "Cookie")
		})
	}
	return u.String(), headers, nil
}
