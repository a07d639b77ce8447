package cmd

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"

	"xship/sources/text"
)

// openLogger makes the logger that the flags ask for. Quiet raises the default
// level to warnings; a level that the user named stays.
func (a *app) openLogger(levelNamed bool) error {
	var level slog.Level
	switch strings.ToLower(a.flags.logLevel) {
	case "debug", "info", "warn", "error":
		if err := level.UnmarshalText([]byte(a.flags.logLevel)); err != nil {
			return err
		}
	default:
		return usagef("--log-level %q is none of debug, info, warn, error", a.flags.logLevel)
	}
	if a.flags.quiet && !levelNamed {
		level = slog.LevelWarn
	}
	switch a.flags.logFormat {
	case "text":
		a.logger = slog.New(newTextHandler(a.status, level))
	case "json":
		a.logger = slog.New(slog.NewJSONHandler(a.status, &slog.HandlerOptions{Level: level, ReplaceAttr: cleanAttr}))
	default:
		return usagef("--log-format %q is neither text nor json", a.flags.logFormat)
	}
	return nil
}

func cleanAttr(_ []string, attr slog.Attr) slog.Attr {
	attr.Value = attr.Value.Resolve()
	switch attr.Value.Kind() {
	case slog.KindString:
		attr.Value = slog.StringValue(text.Clean(attr.Value.String()))
	case slog.KindAny:
		if err, ok := attr.Value.Any().(error); ok {
			attr.Value = slog.StringValue(text.Clean(err.Error()))
		}
	default:
	}
	return attr
}

// textHandler writes lines for people: "15:04:05 INFO message key=value".
type textHandler struct {
	mu     *sync.Mutex // guards w, shared by all that With made
	w      io.Writer
	level  slog.Level
	attrs  string // of With, as written
	prefix string // of WithGroup
}

func newTextHandler(w io.Writer, level slog.Level) *textHandler {
	return &textHandler{mu: new(sync.Mutex), w: w, level: level}
}

// Enabled implements slog.Handler.
func (h *textHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

// Handle implements slog.Handler.
func (h *textHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	if !r.Time.IsZero() {
		b.WriteString(r.Time.Format("15:04:05 "))
	}
	fmt.Fprintf(&b, "%s %s%s", r.Level, text.Clean(r.Message), h.attrs)
	r.Attrs(func(attr slog.Attr) bool {
		writeAttr(&b, h.prefix, attr)
		return true
	})
	b.WriteByte('\n')
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := io.WriteString(h.w, b.String())
	return err
}

// WithAttrs implements slog.Handler.
func (h *textHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	var b strings.Builder
	b.WriteString(h.attrs)
	for _, attr := range attrs {
		writeAttr(&b, h.prefix, attr)
	}
	with := *h
	with.attrs = b.String()
	return &with
}

// WithGroup implements slog.Handler.
func (h *textHandler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	with := *h
	with.prefix += name + "."
	return &with
}

func writeAttr(b *strings.Builder, prefix string, attr slog.Attr) {
	value := attr.Value.Resolve()
	if value.Kind() == slog.KindGroup {
		if attr.Key != "" {
			prefix += attr.Key + "."
		}
		for _, member := range value.Group() {
			writeAttr(b, prefix, member)
		}
		return
	}
	if attr.Key == "" {
		return
	}
	s := text.Clean(value.String())
	if s == "" || strings.ContainsAny(s, " \"=") {
		s = strconv.Quote(s)
	}
	fmt.Fprintf(b, " %s%s=%s", prefix, attr.Key, s)
}
