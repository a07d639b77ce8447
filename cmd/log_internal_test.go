package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"xship/cmd/term"
	"xship/sources"
)

func TestTextHandler(t *testing.T) {
	var b bytes.Buffer
	log := slog.New(newTextHandler(&b, slog.LevelInfo, time.DateTime))
	log.Debug("not logged")
	log.With("site", "a b").WithGroup("g").Info("[sourcesFilter] 3 Quellen entfernt\x1b[2J\n", "n", 3, slog.Group("in", "k", "v\x07\nw"), "err", errors.New(""))
	line := b.String()
	if want := ` INFO [sourcesFilter] 3 Quellen entfernt site="a b" g.n=3 g.in.k="v w" g.err=""` + "\n"; !strings.HasSuffix(line, want) || len(line) != len(want)+len(time.DateTime) {
		t.Errorf("got %q, want a date, a time and %q", line, want)
	}
}

// TestTextHandler_times wants times and durations for people.
func TestTextHandler_times(t *testing.T) {
	zone := time.FixedZone("here", 3600)
	at := time.Date(2026, 12, 1, 15, 30, 0, 0, zone)
	for _, c := range []struct {
		times string
		attr  slog.Attr
		want  string
	}{
		{time.DateTime, slog.Duration("elapsed", 412*time.Millisecond), `2026-12-01 15:30:00 INFO m elapsed="412 ms"`},
		{time.TimeOnly, slog.Duration("duration", 83*time.Second), `15:30:00 INFO m duration="1m 23s"`},
		{"", slog.Any("duration", 83*time.Second), `INFO m duration="1m 23s"`},
		{"", slog.Time("next", at.Add(15*time.Minute)), `INFO m next=15:45:00`},
		{"", slog.Time("next", at.Add(15*time.Minute).UTC()), `INFO m next=15:45:00`},
		{"", slog.Time("next", at.Add(15*time.Hour)), `INFO m next="2026-12-02 06:30:00"`},
		{"", slog.Group("g", slog.Duration("d", time.Second)), `INFO m g.d="1.0 s"`},
	} {
		var b bytes.Buffer
		record := slog.NewRecord(at, slog.LevelInfo, "m", 0)
		record.AddAttrs(c.attr)
		if err := newTextHandler(&b, slog.LevelInfo, c.times).Handle(t.Context(), record); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(b.String()); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	var b bytes.Buffer
	slog.New(newTextHandler(&b, slog.LevelInfo, "")).With("since", at, "every", time.Minute).Info("m")
	if want := "INFO m since=\"" + at.Local().Format(time.DateTime) + "\" every=\"1m 0s\"\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// TestJSONHandler_units wants no time and no duration whose key does not say what it is,
// from whatever is logged anywhere.
func TestJSONHandler_units(t *testing.T) {
	at := time.Date(2026, 12, 1, 15, 45, 0, 123, time.UTC)
	var b bytes.Buffer
	log := slog.New(newJSONHandler(&b, slog.LevelDebug))
	logged := func(do func()) map[string]any {
		t.Helper()
		b.Reset()
		do()
		var doc map[string]any
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatalf("%v: %s", err, b.String())
		}
		if at, ok := doc["time"].(string); !ok {
			t.Errorf("no time in %s", b.String())
		} else if _, err := time.Parse(time.RFC3339, at); err != nil {
			t.Error(err)
		}
		delete(doc, "time")
		return doc
	}
	got := logged(func() {
		log.With("limit", 2*time.Second).WithGroup("g").Info("m\x1b[2J", "elapsed", 1412*time.Millisecond, "rest", 1500*time.Microsecond,
			"next", at, "ends_at", at, "time", at, slog.Group("in", slog.Any("budget", time.Hour)))
	})
	want := map[string]any{
		"level": "INFO", "msg": "m", "limit_seconds": 2.0,
		"g": map[string]any{
			"elapsed_ms": 1412.0, "rest_seconds": 0.002, "next_at": "2026-12-01T15:45:00Z", "ends_at": "2026-12-01T15:45:00Z", "time_at": "2026-12-01T15:45:00Z",
			"in": map[string]any{"budget_seconds": 3600.0},
		},
	}
	if g, w := mustJSON(t, got), mustJSON(t, want); g != w {
		t.Errorf("got  %s\nwant %s", g, w)
	}

	got = logged(func() {
		sources.EventLog{Logger: log}.Observe(t.Context(), sources.CycleEnded{CycleSummary: sources.CycleSummary{Duration: 83456 * time.Millisecond}, Next: at})
	})
	if got["duration_seconds"] != 83.456 || got["next_at"] != "2026-12-01T15:45:00Z" || got["duration"] != nil || got["next"] != nil {
		t.Errorf("a cycle: %v", got)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

// logOf runs a command that logs a line of each level, and gives what came on stderr.
func logOf(t *testing.T, sys System, stderr *bytes.Buffer, annotations map[string]string, args ...string) string {
	t.Helper()
	stderr.Reset()
	sys.Now = time.Now
	if sys.LookupEnv == nil {
		sys.LookupEnv = func(string) (string, bool) { return "", false }
	}
	a := newApp(sys)
	root := newRootCmd(a)
	root.AddCommand(&cobra.Command{Use: "say", Annotations: annotations, Run: func(*cobra.Command, []string) {
		for _, level := range []slog.Level{slog.LevelDebug, slog.LevelInfo, slog.LevelWarn} {
			a.logger.Log(context.Background(), level, "a line")
		}
	}})
	root.SetArgs(append(args, "say"))
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.closeLogFile()
	return stderr.String()
}

// TestOpenLogger says which lines come where, and with which times.
func TestOpenLogger(t *testing.T) {
	const timed, dated = `\d\d:\d\d:\d\d `, `\d{4}-\d\d-\d\d \d\d:\d\d:\d\d `
	daemon := map[string]string{logsAnnotation: "alone"}
	for _, c := range []struct {
		name     string
		terminal bool
		undated  bool
		daemon   bool
		args     []string
		want     string
	}{
		{name: "no terminal", want: dated + "INFO a line\n" + dated + "WARN a line\n"},
		{name: "terminal", terminal: true, want: timed + "WARN a line\n"},
		{name: "terminal, named", terminal: true, args: []string{"--log-level", "info"}, want: timed + "INFO a line\n" + timed + "WARN a line\n"},
		{name: "terminal, debug", terminal: true, args: []string{"--log-level", "DEBUG"}, want: timed + "DEBUG a line\n" + timed + "INFO a line\n" + timed + "WARN a line\n"},
		{name: "quiet", args: []string{"-q"}, want: dated + "WARN a line\n"},
		{name: "quiet, named", args: []string{"-q", "--log-level", "info"}, want: dated + "INFO a line\n" + dated + "WARN a line\n"},
		{name: "daemon", daemon: true, want: dated + "INFO a line\n" + dated + "WARN a line\n"},
		{name: "daemon on a terminal", daemon: true, terminal: true, want: dated + "INFO a line\n" + dated + "WARN a line\n"},
		{name: "quiet daemon", daemon: true, terminal: true, args: []string{"-q"}, want: dated + "WARN a line\n"},
		{name: "the demo", undated: true, want: timed + "INFO a line\n" + timed + "WARN a line\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			annotations := daemon
			if !c.daemon {
				annotations = nil
			}
			sys := System{Stderr: term.Stream{Writer: &out, Terminal: c.terminal}, Stdout: term.Stream{Writer: io.Discard}, Undated: c.undated}
			if got := logOf(t, sys, &out, annotations, c.args...); !regexp.MustCompile("^" + c.want + "$").MatchString(got) {
				t.Errorf("logged\n%swant %s", got, c.want)
			}
			path := filepath.Join(t.TempDir(), "x.log")
			args := append(c.args, "--log-file", path)
			if got := logOf(t, sys, &out, annotations, args...); got != "" {
				t.Errorf("on stderr beside a log file: %q", got)
			}
			want := dated + "INFO a line\n" + dated + "WARN a line\n"
			if strings.Contains(c.want, "DEBUG") {
				want = dated + "DEBUG a line\n" + want
			}
			if got, err := os.ReadFile(path); err != nil || !regexp.MustCompile("^"+want+"$").Match(got) {
				t.Errorf("%v; in the log file\n%swant %s", err, got, want)
			}
		})
	}
}
