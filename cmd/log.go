package cmd

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"xship/sources/text"
)

// The levels and formats of log lines.
var (
	logLevels  = []string{"debug", "info", "warn", "error"}
	logFormats = []string{"text", "json"}
)

// logsAnnotation marks a command that tells what it does by its log alone.
const logsAnnotation = "logs"

// openLogger makes the logger that the flags ask for.
func (a *app) openLogger(cmd *cobra.Command) error {
	logs := cmd.Annotations[logsAnnotation] != ""
	level, err := a.logLevel(cmd.Flags().Changed("log-level"), logs)
	if err != nil {
		return err
	}
	if a.flags.logFormat != "text" && a.flags.logFormat != "json" {
		return notOneOf("log-format", a.flags.logFormat, "", logFormats)
	}
	if cmd.Flags().Changed("log-file") {
		if err := a.openLogFile(); err != nil {
			return err
		}
	}
	w := io.Writer(a.status)
	if a.logFile != nil {
		w = a.logFile
	}
	if a.flags.logFormat == "json" {
		a.logger = slog.New(newJSONHandler(w, level))
	} else {
		a.logger = slog.New(newTextHandler(w, level, a.logTimes(logs)))
	}
	return nil
}

// logLevel is the least level that is logged: the one that the user named, or info.
// Where the log goes to who reads the notes, --quiet makes that warnings, and so does a
// terminal, as the notes tell all else; but not for a command that has nothing but its log.
func (a *app) logLevel(named, logs bool) (level slog.Level, err error) {
	switch strings.ToLower(a.flags.logLevel) {
	case "debug", "info", "warn", "error":
		if err := level.UnmarshalText([]byte(a.flags.logLevel)); err != nil {
			return level, err
		}
	default:
		return level, notOneOf("log-level", a.flags.logLevel, "", logLevels)
	}
	if !named && a.flags.logFile == "" && (a.flags.quiet || a.Stderr.Terminal && !logs) {
		level = slog.LevelWarn
	}
	return level, nil
}

// logTimes is the form of the times before lines for people: with the date where they are
// kept, or the command runs for days, and none where the journal adds them.
func (a *app) logTimes(logs bool) string {
	switch {
	case a.logFile != nil:
		return time.DateTime
	case a.Undated || a.Stderr.Terminal && !logs:
		return time.TimeOnly
	case toJournal(a.Stderr.Writer, a.getenv("JOURNAL_STREAM")):
		return ""
	default:
		return time.DateTime
	}
}

// newJSONHandler writes lines for machines. Times are as RFC 3339 has them.
func newJSONHandler(w io.Writer, level slog.Level) slog.Handler {
	return slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: machineAttr})
}

// machineAttr is an attribute for machines: cleaned, and where it is a time or a duration
// its key says so. What took how long is counted in milliseconds, as in the documents.
func machineAttr(groups []string, attr slog.Attr) slog.Attr {
	attr.Value = attr.Value.Resolve()
	switch attr.Value.Kind() {
	case slog.KindString:
		attr.Value = slog.StringValue(text.Clean(attr.Value.String()))
	case slog.KindDuration:
		d := attr.Value.Duration()
		if attr.Key == "elapsed" {
			return slog.Int64("elapsed_ms", d.Milliseconds())
		}
		return slog.Float64(attr.Key+"_seconds", d.Round(time.Millisecond).Seconds())
	case slog.KindTime:
		if len(groups) > 0 || attr.Key != slog.TimeKey {
			return slog.Time(strings.TrimSuffix(attr.Key, "_at")+"_at", attr.Value.Time().Truncate(time.Second))
		}
	case slog.KindAny:
		if err, ok := attr.Value.Any().(error); ok {
			attr.Value = slog.StringValue(text.Clean(err.Error()))
		}
	default:
	}
	return attr
}

// textHandler writes lines for people: "2006-01-02 15:04:05 INFO message key=value".
type textHandler struct {
	mu     *sync.Mutex // guards w, shared by all that With made
	w      io.Writer
	level  slog.Level
	times  string // their form, "" = none
	attrs  string // of With, as written
	prefix string // of WithGroup
}

func newTextHandler(w io.Writer, level slog.Level, times string) *textHandler {
	return &textHandler{mu: new(sync.Mutex), w: w, level: level, times: times}
}

// Enabled implements slog.Handler.
func (h *textHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= h.level }

// Handle implements slog.Handler.
func (h *textHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	if !r.Time.IsZero() && h.times != "" {
		b.WriteString(r.Time.Format(h.times) + " ")
	}
	fmt.Fprintf(&b, "%s %s%s", r.Level, text.Clean(r.Message), h.attrs)
	r.Attrs(func(attr slog.Attr) bool {
		writeAttr(&b, h.prefix, attr, r.Time)
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
		writeAttr(&b, h.prefix, attr, time.Time{})
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

// writeAttr writes an attribute of a line that is written at a time, zero where that is
// not known.
func writeAttr(b *strings.Builder, prefix string, attr slog.Attr, at time.Time) {
	value := attr.Value.Resolve()
	if value.Kind() == slog.KindGroup {
		if attr.Key != "" {
			prefix += attr.Key + "."
		}
		for _, member := range value.Group() {
			writeAttr(b, prefix, member, at)
		}
		return
	}
	if attr.Key == "" {
		return
	}
	s := readable(value, at)
	if s == "" || strings.ContainsAny(s, " \"=") {
		s = strconv.Quote(s)
	}
	fmt.Fprintf(b, " %s%s=%s", prefix, attr.Key, s)
}

// readable is a value for people. A time of the day on which it is written has no date.
func readable(value slog.Value, at time.Time) string {
	switch value.Kind() {
	case slog.KindDuration:
		return elapsed(value.Duration())
	case slog.KindTime:
		t := value.Time().In(at.Location())
		if at.IsZero() {
			return t.Local().Format(time.DateTime)
		}
		if t.Format(time.DateOnly) == at.Format(time.DateOnly) {
			return t.Format(time.TimeOnly)
		}
		return t.Format(time.DateTime)
	default:
		return text.Clean(value.String())
	}
}
