//go:build linux

package cmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"xship/cmd/term"
)

// TestOpenLogger_journal wants no times where the journal adds them, and nowhere else.
func TestOpenLogger_journal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stream")
	for name, c := range map[string]struct {
		stream func(own string) string
		args   []string
		want   string
	}{
		"its stream":     {func(own string) string { return own }, nil, `INFO a line\nWARN a line\n`},
		"another stream": {func(own string) string { return own + "1" }, nil, `\d{4}-.* INFO a line\n\d{4}-.* WARN a line\n`},
		"none":           {func(string) string { return "" }, nil, `\d{4}-.* INFO a line\n\d{4}-.* WARN a line\n`},
		"nonsense":       {func(string) string { return "journal" }, nil, `\d{4}-.* INFO a line\n\d{4}-.* WARN a line\n`},
		"logs as JSON":   {func(own string) string { return own }, []string{"--log-format", "json"}, `{"time":"\d{4}-.*\n{"time":"\d{4}-.*\n`},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Create(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			stream := c.stream(fileID(t, f))
			sys := System{Stderr: term.Stream{Writer: f}, Stdout: term.Stream{Writer: io.Discard}, LookupEnv: func(name string) (string, bool) {
				if name == "JOURNAL_STREAM" {
					return stream, stream != ""
				}
				return "", false
			}}
			logOf(t, sys, new(bytes.Buffer), nil, c.args...)
			got, err := os.ReadFile(path)
			if err != nil || !regexp.MustCompile("^"+c.want+"$").Match(got) {
				t.Errorf("%v; logged\n%swant %s", err, got, c.want)
			}
		})
	}
}

// fileID is a file as JOURNAL_STREAM names it.
func fileID(t *testing.T, f *os.File) string {
	t.Helper()
	var stat syscall.Stat_t
	if err := syscall.Fstat(int(f.Fd()), &stat); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d:%d", stat.Dev, stat.Ino)
}
