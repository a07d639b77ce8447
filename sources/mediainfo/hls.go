package mediainfo

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"io"
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
	maxVariants   = 5 // tried until one loads
	maxRenditions = 4 // looked into for what the manifest does not tell
)

// hls reads one HLS stream.
type hls struct {
	logger    *slog.Logger
	seen      map[string]bool   // manifests on the way here
	variables map[string]string // of the master playlist
	failed    map[string]error  // keys and initialisations that cannot be had
	keys      map[string][]byte
}

func newHLS(logger *slog.Logger, seen map[string]bool, variables map[string]string) *hls {
	return &hls{logger: logger, seen: seen, variables: variables, failed: map[string]error{}, keys: map[string][]byte{}}
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
	var query url.Values
	if u, err := r.address(); err == nil {
		query = u.Query()
	}
	p := parsePlaylist(data, query, h.variables)
	switch {
	case p.undefined != "":
		return unplayable("the playlist uses the variable %q and does not define it", text.Clean(p.undefined))
	case len(p.variants) > 0:
		return h.master(ctx, r, p, info, depth)
	case len(p.segments) == 0:
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
	var failed []error
	tried := map[string]bool{}
	for i, v := range p.variants {
		if tried[v.uri] || len(tried) == maxVariants-1 && i < len(p.variants)-1 { // the last one tried is the least
			continue
		}
		tried[v.uri] = true
		err := h.variant(ctx, r, p, v, info, depth)
		if err == nil || ctx.Err() != nil {
			return err
		}
		failed = append(failed, err)
	}
	return worst(failed)
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
	var media sources.MediaInfo
	err = newHLS(h.logger, maps.Clone(h.seen), p.variables).probe(ctx, sub, &media, depth+1)
	if err != nil {
		return err
	}
	told.merge(media)
	if !r.brief {
		h.lookIntoRenditions(ctx, r, &told)
	}
	*info = told.info
	info.DurationSeconds, info.Notes = media.DurationSeconds, media.Notes
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
			err = newHLS(h.logger, maps.Clone(h.seen), h.variables).probe(ctx, sub, &media, maxDepth)
		}
		if err != nil {
			h.logger.DebugContext(ctx, "an audio rendition cannot be read", "url", address(r.url), "error", err)
			continue
		}
		if len(media.Audio) > 0 {
			fillAudio(t, media.Audio[0])
		}
	}
}

// media reads the start of a segment of a media playlist: of the first one, or the
// last one of a live stream, whose first may be gone already, and where that cannot
// be had, of others. One that breaks off is a fault whatever the others are.
func (h *hls) media(ctx context.Context, r *reader, p playlist, info *sources.MediaInfo) error {
	if p.ended {
		info.DurationSeconds = p.duration
	}
	var failed []error
	for _, i := range p.tried() {
		err := h.segment(ctx, r, p, i, info)
		switch {
		case err == nil || ctx.Err() != nil:
			return err
		case errors.Is(err, io.ErrUnexpectedEOF):
			return err // players show what came, and do not go on with another one in its place
		case isUnread(err):
			// It came, and the playlist itself still tells something.
			h.logger.DebugContext(ctx, "a segment cannot be read", "url", address(r.url), "error", err)
			return nil
		}
		failed = append(failed, err)
	}
	return worst(failed)
}

// texts are the kinds of what is no segment.
var texts = []kind{kindText, kindHLS, kindDASH, kindSmooth}

// segment adds the tracks of segment i to info.
func (h *hls) segment(ctx context.Context, r *reader, p playlist, i int, info *sources.MediaInfo) error {
	s := p.segments[i]
	sr, err := h.open(r, s)
	if err != nil {
		return err
	}
	key, err := h.key(ctx, r, s.key)
	if err != nil {
		return err
	}
	var init *reader
	if s.init != nil && s.init.uri != "" {
		if init, err = h.initialisation(ctx, r, *s.init); err != nil {
			return err
		}
	}
	head, err := sr.start(ctx)
	if err != nil {
		return err
	}
	if kind := sniff(head); slices.Contains(texts, kind) {
		return sr.pageError()
	}
	var tracks sources.MediaInfo
	if media := decrypted(sr, s.key, key, p.sequence+int64(i)); init != nil {
		err = probeInit(ctx, init, media, &tracks)
	} else {
		err = probeSegment(ctx, media, media.buffered(0), &tracks)
	}
	if err != nil && (!isUnread(err) || !hasTracks(&tracks)) {
		return err
	}
	info.Video, info.Audio, info.Subtitles, info.Notes = tracks.Video, tracks.Audio, tracks.Subtitles, tracks.Notes
	if sr.total > 0 {
		info.BitrateBPS = bitrate(sr.total, s.duration)
	}
	return nil
}

// initialisation reads the start of the initialisation section s. One that fails is
// asked for once.
func (h *hls) initialisation(ctx context.Context, r *reader, s segment) (*reader, error) {
	if err := h.failed[s.uri]; err != nil {
		return nil, err
	}
	sr, err := h.open(r, s)
	if err != nil {
		return nil, err
	}
	key, err := h.key(ctx, r, s.key)
	if err == nil {
		_, err = sr.start(ctx)
	}
	if err == nil && sniff(sr.buffered(0)) == kindText {
		err = sr.pageError()
	}
	if err != nil {
		h.failed[s.uri] = err
		return nil, err
	}
	return decrypted(sr, s.key, key, 0), nil
}

// probeInit reads the tracks of an initialisation section, and the frame rate
// from the first segment behind it. Only one of mp4 has tracks: of other kinds of
// media the segment tells.
func probeInit(ctx context.Context, init, first *reader, info *sources.MediaInfo) error {
	head := first.buffered(0)
	if sniff(init.buffered(0)) != kindMP4 {
		return probeSegment(ctx, first, head, info)
	}
	m := &mp4{r: init, info: info}
	if err := m.walk(ctx); err != nil {
		return err
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
	return probeFile(ctx, r, sniff(head), info)
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
	base, err := r.address()
	if err != nil {
		return nil, err
	}
	sr, err := r.refer(base, s.uri)
	if err != nil {
		return nil, err
	}
	if s.n > 0 {
		sr.section(s.off, s.n)
	}
	return sr, nil
}

// refer makes a reader of ref, which the manifest behind r names and base is for. The
// host of the manifest gets back the cookies that it set; another one gets none, nor
// other credentials.
func (r *reader) refer(base *url.URL, ref string) (*reader, error) {
	u, err := resolve(base, ref)
	if err != nil {
		return nil, err
	}
	own, err := r.address()
	if err != nil {
		return nil, err
	}
	headers := r.headers
	switch {
	case !strings.EqualFold(u.Host, own.Host):
		headers = maps.Clone(headers)
		maps.DeleteFunc(headers, func(name, _ string) bool {
			return strings.EqualFold(name, "Authorization") || strings.EqualFold(name, "Cookie")
		})
	case r.cookie != "" && u.Scheme == own.Scheme:
		headers = maps.Clone(headers)
		if headers == nil {
			headers = make(map[string]string, 1)
		}
		headers["Cookie"] = r.cookie
	}
	sr := newReader(r.budget, u.String(), headers)
	sr.segment, sr.media = true, true
	return sr, nil
}

// resolve is ref in a manifest at base. A manifest from the network names only places
// in the network.
func resolve(base *url.URL, ref string) (*url.URL, error) {
	u, err := link.Parse(ref)
	if err != nil {
		return nil, unplayable("the manifest holds a URL that cannot be read")
	}
	u = base.ResolveReference(u)
	if u.Scheme != base.Scheme && u.Scheme != "http" && u.Scheme != "https" {
		return nil, unplayable("the manifest refers to a %q URL, which cannot be asked for", text.Clean(u.Scheme))
	}
	u.Fragment = ""
	return u, nil
}
