package mediainfo

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// Bounds of a run of ffprobe.
const (
	ffprobeTimeout  = 20 * time.Second // when the caller has no deadline
	ffprobeRequests = 128
	ffprobeBytes    = 32 << 20
	ffprobeOutput   = 1 << 20
	relayWindow     = 256 << 10
)

// ffprobeFormats are the containers that ffprobe is let to read: plain files,
// no playlist that could send it elsewhere.
const ffprobeFormats = "avi,flv,asf,ogg,mpeg,mpegvideo,rm,mp3,flac,wav,w64,aac,ac3,eac3,dts,h264,hevc,nut,wtv,mxf,dv,ivf,aiff,ape,wv,tta,live_flv,mov,matroska,mpegts,m4v,amr,caf,truehd,vc1,obu"

// runFFprobe lets ffprobe read the stream behind r. It reads through a relay on
// the loopback interface, so that requests, headers and addresses stay under
// the rules of RangeFunc and no secret stands in a process list.
func (p *Prober) runFFprobe(ctx context.Context, r *reader) (sources.MediaInfo, error) {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, ffprobeTimeout)
		defer cancel()
	}
	b := &budget{get: p.get, requests: ffprobeRequests, bytes: ffprobeBytes}
	relay, err := startRelay(ctx, newReader(b, r.url, r.headers), p.logger)
	if err != nil {
		return sources.MediaInfo{}, err
	}
	defer relay.close()
	var stdout, stderr cappedBuffer
	cmd := exec.CommandContext(ctx, p.ffprobe, "-v", "error", "-hide_banner", "-print_format", "json", "-show_format", "-show_streams",
		"-protocol_whitelist", "http,tcp", "-format_whitelist", ffprobeFormats, "-i", relay.url)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	switch upstream := relay.failure(); {
	case ctx.Err() != nil:
		return sources.MediaInfo{}, fmt.Errorf("ffprobe: %w", ctx.Err())
	case upstream != nil && err != nil:
		return sources.MediaInfo{}, fmt.Errorf("ffprobe: %w", upstream)
	case err != nil:
		said := strings.ReplaceAll(stderr.String(), relay.url, "the stream")
		return sources.MediaInfo{}, sources.Errorf(sources.ClassUnsupported, "unknown container, also to ffprobe: %w: %s", err, text.Clean(said))
	}
	info, err := decodeFFprobe(stdout.Bytes())
	if err != nil {
		return sources.MediaInfo{}, err
	}
	r.total = relay.total()
	return info, nil
}

// cappedBuffer keeps the start of what is written to it.
type cappedBuffer struct{ bytes.Buffer }

func (b *cappedBuffer) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), max(ffprobeOutput-b.Len(), 0))])
	return len(p), nil
}

// relay serves a remote file on the loopback interface.
type relay struct {
	url    string
	server *http.Server

	mu     sync.Mutex // ffprobe may open a second connection before it closes the first
	reader *reader
	err    error
}

func startRelay(ctx context.Context, r *reader, logger *slog.Logger) (*relay, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, sources.Errorf(sources.ClassUnsupported, "ffprobe: no loopback relay: %w", err)
	}
	path := "/" + rand.Text()
	l := &relay{url: "http://" + listener.Addr().String() + path, reader: r}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+path, l.serve)
	l.server = &http.Server{
		Handler: mux, ReadHeaderTimeout: time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
	go func() { _ = l.server.Serve(listener) }()
	return l, nil
}

func (l *relay) close() { _ = l.server.Close() }

// failure is what kept the file from being read.
func (l *relay) failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

func (l *relay) total() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.reader.total
}

// window reads the bytes from off on; none = the end.
func (l *relay) window(ctx context.Context, off int64) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reader.spans = nil // ffprobe has its own buffer
	data, err := l.reader.upTo(ctx, off, relayWindow)
	if err != nil && l.err == nil && ctx.Err() == nil && !errors.Is(err, errBudget) && !errors.Is(err, errNoRange) {
		l.err = err
	}
	return data, err
}

func (l *relay) serve(w http.ResponseWriter, req *http.Request) {
	off, ranged := rangeStart(req.Header.Get("Range"))
	data, err := l.window(req.Context(), off)
	if err != nil {
		http.Error(w, "upstream", http.StatusBadGateway)
		return
	}
	total := l.total()
	if total >= 0 {
		w.Header().Set("Accept-Ranges", "bytes")
		w.Header().Set("Content-Length", strconv.FormatInt(max(total-off, 0), 10))
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	switch {
	case ranged && total >= 0 && off >= total:
		w.Header().Del("Content-Length")
		w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
		return
	case ranged && total >= 0:
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", off, total-1, total))
		w.WriteHeader(http.StatusPartialContent)
	}
	for len(data) > 0 && err == nil {
		if _, err = w.Write(data); err != nil {
			return
		}
		off += int64(len(data))
		data, err = l.window(req.Context(), off)
	}
}

// rangeStart reads "bytes=N-".
func rangeStart(header string) (off int64, ok bool) {
	spec, ok := strings.CutPrefix(header, "bytes=")
	first, _, _ := strings.Cut(spec, "-")
	off, err := strconv.ParseInt(first, 10, 64)
	if !ok || err != nil || off < 0 {
		return 0, false
	}
	return off, true
}

// ffprobeReport is the part of ffprobe's JSON that is of use here.
type ffprobeReport struct {
	Streams []struct {
		CodecType     string            `json:"codec_type"`
		CodecName     string            `json:"codec_name"`
		Width         int               `json:"width"`
		Height        int               `json:"height"`
		Channels      int               `json:"channels"`
		AvgFrameRate  string            `json:"avg_frame_rate"`
		ColorTransfer string            `json:"color_transfer"`
		Disposition   map[string]int    `json:"disposition"`
		Tags          map[string]string `json:"tags"`
	} `json:"streams"`
	Format struct {
		FormatName string `json:"format_name"`
		Duration   string `json:"duration"`
		BitRate    string `json:"bit_rate"`
	} `json:"format"`
}

func decodeFFprobe(data []byte) (sources.MediaInfo, error) {
	var report ffprobeReport
	if err := json.NewDecoder(io.LimitReader(bytes.NewReader(data), ffprobeOutput)).Decode(&report); err != nil {
		return sources.MediaInfo{}, sources.Errorf(sources.ClassUnsupported, "ffprobe's answer cannot be read: %w", err)
	}
	info := sources.MediaInfo{Container: text.Clean(report.Format.FormatName)}
	info.DurationSeconds, _ = strconv.ParseFloat(report.Format.Duration, 64)
	info.BitrateBPS, _ = strconv.ParseInt(report.Format.BitRate, 10, 64)
	for _, s := range report.Streams {
		language := languageCode(s.Tags["language"])
		switch {
		case s.CodecType == "video" && s.Disposition["attached_pic"] == 0 && info.Video == nil:
			v := &sources.VideoTrack{Codec: s.CodecName, Width: s.Width, Height: s.Height, FPS: fraction(s.AvgFrameRate)}
			switch s.ColorTransfer {
			case "smpte2084":
				v.HDR = hdr10
			case "arib-std-b67":
				v.HDR = hdrHLG
			}
			info.Video = v
		case s.CodecType == "audio":
			info.Audio = append(info.Audio, sources.AudioTrack{Codec: s.CodecName, Channels: s.Channels, Language: language})
		case s.CodecType == "subtitle":
			info.Subtitles = append(info.Subtitles, sources.SubtitleTrack{Codec: s.CodecName, Language: language})
		}
	}
	if !hasTracks(&info) {
		return sources.MediaInfo{}, sources.Errorf(sources.ClassUnsupported, "ffprobe found no picture and no sound")
	}
	return info, nil
}

// fraction reads "25/1" and "25", 0 where it is none.
func fraction(s string) float64 {
	n, d, ok := strings.Cut(s, "/")
	numerator, _ := strconv.ParseFloat(n, 64)
	if !ok {
		return numerator
	}
	denominator, _ := strconv.ParseFloat(d, 64)
	if denominator == 0 {
		return 0
	}
	return numerator / denominator
}
