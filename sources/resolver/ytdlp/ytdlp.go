package ytdlp

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/link"
)

// DefaultTimeout bounds one run.
const DefaultTimeout = 30 * time.Second

const (
	maxOutput = 8 << 20  // of JSON
	maxErrors = 16 << 10 // of messages
	// waitForPipes bounds the wait for children that outlive yt-dlp.
	waitForPipes = time.Second
)

// Options configure a Resolver.
type Options struct {
	Path    string                                            // of yt-dlp, see Find
	Timeout time.Duration                                     // of one run, default DefaultTimeout
	Check   func(ctx context.Context, s sources.Stream) error // reads the first bytes of what yt-dlp found; nil: trusts it
	Now     func() time.Time                                  // default time.Now
	// Proxy is the proxy for a link, "" = none; decided is false where that is for
	// yt-dlp to find out; nil: always so.
	Proxy func(link string) (proxy string, decided bool, err error)
}

// Resolver implements sources.Resolver. It is safe for concurrent use.
type Resolver struct{ o Options }

var _ sources.Resolver = (*Resolver)(nil)

// Find gives the path of yt-dlp: the configured one, or where that is "" the
// one on PATH. It is "" where there is none.
func Find(configured string) string {
	name := configured
	if name == "" {
		name = "yt-dlp"
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return found
}

// New makes a Resolver.
func New(o Options) *Resolver {
	o.Timeout = sources.OrDefault(o.Timeout, DefaultTimeout)
	o.Now = sources.OrNow(o.Now)
	return &Resolver{o: o}
}

// Name implements sources.Resolver.
func (r *Resolver) Name() string { return "yt-dlp" }

// Resolve implements sources.Resolver. It is responsible for http and https
// links that are pages: by their ending, by their site, or because the site
// that gave them says that no player can take them.
func (r *Resolver) Resolve(ctx context.Context, src sources.Source) (sources.Stream, error) {
	address, own := link.SplitHeaders(src.URL)
	if !isPage(address, src.Unplayable != "" && !src.Own) { // what is the user's own is a file
		return sources.Stream{}, sources.ErrNotResponsible
	}
	output, err := r.run(ctx, address, referer(src.Headers, own))
	if err != nil {
		return sources.Stream{}, err
	}
	stream, err := parse(output)
	if err != nil {
		return sources.Stream{}, fmt.Errorf("yt-dlp %s: %w", link.Redact(address), err)
	}
	stream.ExpiresAt = link.Expiry(stream.URL, r.o.Now())
	if r.o.Check != nil {
		if err := r.o.Check(ctx, stream); err != nil {
			return sources.Stream{}, fmt.Errorf("what yt-dlp found: %w", err)
		}
	}
	return stream, nil
}

// run gives what yt-dlp says about link. Whatever it started is gone when run
// returns.
func (r *Resolver) run(ctx context.Context, address, referer string) ([]byte, error) {
	own, cancel := context.WithTimeout(ctx, r.o.Timeout)
	defer cancel()
	stdout, stderr := &capped{max: maxOutput, full: cancel}, &capped{max: maxErrors, full: func() {}}
	secrets, err := r.secrets(address, referer)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(own, r.o.Path, arguments...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(secrets), stdout, stderr
	cmd.WaitDelay = waitForPipes
	ownGroup(cmd)
	err = cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) { // it left children behind
		killGroup(cmd)
	}

	fail := func(class sources.Class, format string, args ...any) error {
		return sources.Errorf(class, "yt-dlp %s: "+format, append([]any{link.Redact(address)}, args...)...)
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case stdout.overflowed:
		return nil, fail(sources.ClassUnsupported, "it says more than %d MiB about it", maxOutput>>20)
	case own.Err() != nil:
		return nil, fail(sources.ClassHosterFault, "no answer within %s", r.o.Timeout)
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return stdout.data, nil
	case errors.As(err, &exit):
		class, message := classify(string(stderr.data), address)
		return nil, fail(class, "%s", message)
	default:
		return nil, fail(sources.ClassUnsupported, "it cannot be run: %w", err)
	}
}

// arguments ask for one format that has picture and sound, as JSON. All users of the
// machine can see the arguments of a program: what may hold a secret comes by standard
// input.
var arguments = []string{
	"--ignore-config", "--no-warnings", "--no-playlist", "--no-cache-dir", "--no-progress", "--playlist-items", "1",
	"--socket-timeout", "10", "--retries", "0", "--extractor-retries", "0",
	"--format", "best[protocol^=http]/best[protocol^=m3u8]/best", "--dump-single-json", "--config-locations", "-",
}

// secrets are further arguments, as a configuration of yt-dlp: one a line, quoted as
// for a shell.
func (r *Resolver) secrets(address, referer string) (string, error) {
	var args []string
	if r.o.Proxy != nil {
		proxy, decided, err := r.o.Proxy(address)
		if err != nil {
			return "", err
		}
		if decided {
			args = append(args, "--proxy", proxy)
		}
	}
	if referer != "" {
		args = append(args, "--add-header", "Referer:"+referer)
	}
	var b strings.Builder
	for _, arg := range append(args, address) { // which begins with its scheme
		b.WriteString("'" + strings.ReplaceAll(arg, "'", `'"'"'`) + "'\n")
	}
	return b.String(), nil
}

// referer is the one header that is handed on.
func referer(headers, own map[string]string) string {
	value := own["Referer"]
	for name, v := range headers {
		if value == "" && strings.EqualFold(name, "Referer") {
			value = v
		}
	}
	if strings.ContainsAny(value, "\r\n\x00") {
		return ""
	}
	return value
}

// pageHosters are platforms whose links are pages of their own player.
var pageHosters = []string{"youtube.com", "youtu.be", "vimeo.com", "dailymotion.com", "dai.ly", "twitch.tv"}

func isPage(address string, unplayable bool) bool {
	u, err := link.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	ext := strings.ToLower(path.Ext(u.Path))
	return unplayable || ext == ".html" || ext == ".htm" || slices.Contains(pageHosters, link.Hoster(address))
}

// capped keeps the first max bytes that are written to it.
type capped struct {
	max        int
	full       func() // called when there are more
	data       []byte
	overflowed bool
}

func (c *capped) Write(p []byte) (int, error) {
	n := min(len(p), c.max-len(c.data))
	c.data = append(c.data, p[:n]...)
	if n < len(p) && !c.overflowed {
		c.overflowed = true
		c.full()
	}
	return len(p), nil
}
