// Package mediainfo reads what a stream holds from the stream itself:
// container, codecs, picture size, duration, audio languages. It asks for few
// and small byte ranges: a film of two hours costs a handful of requests and
// some hundred kilobytes.
//
// It reads mp4, Matroska and WebM, MPEG-TS, HLS and DASH. Other containers are
// left to ffprobe where that is configured.
package mediainfo

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"time"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// RangeFunc reads n bytes of url from offset off by one ranged GET. Its errors
// are classified.
type RangeFunc func(ctx context.Context, url string, headers map[string]string, off, n int64) (Part, error)

// Part is what a ranged GET brought. A server that does not know ranges
// answers with the whole file: then Partial is false, Off is 0, and Data holds
// up to n bytes of its start.
type Part struct {
	Data     []byte
	Off      int64       // of Data in the file
	Total    int64       // size of the file, -1 where unknown
	Partial  bool        // the answer was 206 Partial Content
	Header   http.Header // of the answer, nil for a file of this machine
	FinalURL string      // behind redirects
	Cookie   string      // for what else is asked of its host
}

// Bounds of one probe.
const (
	DefaultMaxBytes    = 8 << 20
	DefaultMaxRequests = 16
)

// Options configure a Prober. Only Range is required.
type Options struct {
	Range       RangeFunc
	Now         func() time.Time // default time.Now
	FFprobe     string           // path of ffprobe for other containers, "" = do without
	MaxBytes    int64            // read by one probe, default DefaultMaxBytes
	MaxRequests int              // made by one probe, default DefaultMaxRequests
	Logger      *slog.Logger     // default discards
}

// Prober implements sources.Prober. It is safe for concurrent use.
type Prober struct {
	get         RangeFunc
	now         func() time.Time
	ffprobe     string
	maxBytes    int64
	maxRequests int
	logger      *slog.Logger
}

var _ sources.Prober = (*Prober)(nil)

// New makes a Prober.
func New(o Options) *Prober {
	return &Prober{
		get: o.Range, now: sources.OrNow(o.Now), ffprobe: o.FFprobe, logger: sources.OrSilent(o.Logger),
		maxBytes: sources.OrDefault(o.MaxBytes, DefaultMaxBytes), maxRequests: sources.OrDefault(o.MaxRequests, DefaultMaxRequests),
	}
}

// Probe reads what s holds. Where a server has no ranges, or a bound is
// reached after tracks were found, it returns what is known until then. Its
// errors are classified: a page where media should be and a file cut short are
// the hoster's fault; a container that nobody here can read is unsupported.
func (p *Prober) Probe(ctx context.Context, s sources.Stream) (info sources.MediaInfo, err error) {
	err = sources.Contain(p.logger, "probing this stream", func() (err error) {
		info, err = p.read(ctx, s, false)
		return err
	}, "url", address(s.URL))
	return info, err
}

// Check asks whether what the manifest of s names can be had: a playlist of it, the key
// and the start of a segment. Its verdict is that of Probe, which asks for more.
func (p *Prober) Check(ctx context.Context, s sources.Stream) error {
	return sources.Contain(p.logger, "checking this stream", func() error {
		_, err := p.read(ctx, s, true)
		if errors.Is(err, errBudget) { // nothing is known to be wrong
			return nil
		}
		return err
	}, "url", address(s.URL))
}

// address is a URL that is redacted only where a line about it is written.
type address string

// LogValue implements slog.LogValuer.
func (a address) LogValue() slog.Value { return slog.StringValue(link.Redact(string(a))) }

func (p *Prober) read(ctx context.Context, s sources.Stream, brief bool) (info sources.MediaInfo, err error) {
	b := &budget{get: p.get, requests: p.maxRequests, bytes: p.maxBytes, brief: brief}
	r := newReader(b, s.URL, s.Headers)
	r.media = s.MIME != ""
	switch err = p.probe(ctx, r, &info); {
	case err == nil:
	case errors.Is(err, errNoRange) || errors.Is(err, errBudget) && hasTracks(&info):
		p.logger.DebugContext(ctx, "probe is incomplete", "url", address(s.URL), "error", err)
	case p.ffprobe != "" && (errors.As(err, new(*damagedError)) || errors.As(err, new(*unknownError))):
		if info, err = p.runFFprobe(ctx, r); err != nil {
			return sources.MediaInfo{}, fmt.Errorf("probe %s: %w", link.Redact(s.URL), err)
		}
	default:
		return sources.MediaInfo{}, fmt.Errorf("probe %s: %w", link.Redact(s.URL), err)
	}
	complete(&info, r)
	info.ProbedAt = p.now().Unix()
	return info, nil
}

// probe reads the stream behind r into info, by what its first bytes are.
func (p *Prober) probe(ctx context.Context, r *reader, info *sources.MediaInfo) error {
	head, err := r.start(ctx)
	if err != nil {
		return err
	}
	switch kind := sniff(head); kind {
	case kindHLS:
		return newHLS(p.logger, map[string]bool{}, nil).probe(ctx, r, info, 0)
	case kindDASH:
		return probeDASH(ctx, r, p.now(), info)
	case kindSmooth:
		return unplayable("a manifest of Smooth Streaming, which is not read here")
	case kindText:
		return r.pageError()
	default:
		return probeFile(ctx, r, kind, info)
	}
}

// probeFile reads a media file, or the part of one that a segment is.
func probeFile(ctx context.Context, r *reader, k kind, info *sources.MediaInfo) error {
	switch k {
	case kindMP4:
		return probeMP4(ctx, r, info)
	case kindMatroska:
		return probeMatroska(ctx, r, info)
	case kindTS:
		return probeTS(ctx, r, info)
	default:
		return &unknownError{contentType: r.header.Get("Content-Type")}
	}
}

func hasTracks(info *sources.MediaInfo) bool { return info.Video != nil || len(info.Audio) > 0 }

// complete fills what follows from the rest and takes out what cannot be.
func complete(info *sources.MediaInfo, r *reader) {
	if info.Container != "hls" && info.Container != "dash" {
		info.SizeBytes = max(r.total, 0)
	}
	if d := info.DurationSeconds; math.IsNaN(d) || math.IsInf(d, 0) || d < 0 {
		info.DurationSeconds = 0
	}
	info.DurationSeconds = round(info.DurationSeconds)
	if info.BitrateBPS == 0 && info.SizeBytes > 0 {
		info.BitrateBPS = bitrate(info.SizeBytes, info.DurationSeconds)
	}
	if v := info.Video; v != nil {
		if math.IsNaN(v.FPS) || v.FPS < 0 || v.FPS > 1000 {
			v.FPS = 0
		}
		v.FPS = round(v.FPS)
		v.Codec = text.Clean(v.Codec)
	}
	// In JSON no tracks are an empty list.
	info.Audio = append([]sources.AudioTrack{}, info.Audio...)
	info.Subtitles = append([]sources.SubtitleTrack{}, info.Subtitles...)
	for i := range info.Audio {
		info.Audio[i].Codec = text.Clean(info.Audio[i].Codec)
	}
	for i := range info.Subtitles {
		info.Subtitles[i].Codec = text.Clean(info.Subtitles[i].Codec)
	}
}

// bitrate is that of size bytes played in seconds, 0 where it cannot be known.
func bitrate(size int64, seconds float64) int64 {
	rate := float64(size) * 8 / seconds
	if seconds <= 0 || rate > math.MaxInt64/2 {
		return 0
	}
	return int64(rate)
}

// round keeps three decimals.
func round(f float64) float64 { return math.Round(f*1000) / 1000 }
