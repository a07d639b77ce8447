//go:build linux

package cmd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPrecache_terminal looks at a precacher on a real terminal: its log above one live
// line, and the end of both with the terminal.
func TestPrecache_terminal(t *testing.T) {
	story := startStory(t)
	dir := usedData(t)
	m := newMachine(t)
	m.env["XSHIP_DATA_DIR"] = dir
	m.run(t, 0, "interfaces", "add", story.Good.URL())
	m.run(t, 0, "watch", "add", story.Film.Name, "--year", "2016")

	t.Run("a line below the log", func(t *testing.T) {
		story.Hanging.Hold()
		s := startSession(t, dir, nil, "precache", "--schedule", "@every 1h")
		s.await("scanning titles 0/1 · " + story.Film.String() + " · ")
		story.Hanging.Release()
		s.await("next cycle at ")
		if got := s.screen.String(); !regexp.MustCompile(`\x1b\[K\d{4}-\d\d-\d\d \d\d:\d\d:\d\d INFO precache cycle done .*duration="\d.*next=`).MatchString(got) {
			t.Errorf("no log line above the live line: %q", got)
		}
		if _, last, _ := strings.Cut(s.screen.String(), "next cycle at "); !regexp.MustCompile(`^[0-9: -]+ · in (\d+ min|1 h)`).MatchString(last) {
			t.Errorf("next cycle at %q", last)
		}
		if _, err := s.keys.WriteString(keyCtrlC); err != nil {
			t.Fatal(err)
		}
		if code := s.end(); code != 130 {
			t.Errorf("exit code %d", code)
		}
	})
	t.Run("nothing but the log without one", func(t *testing.T) {
		m.run(t, 0, "precache", "--once")
		if got := m.err.String(); strings.ContainsAny(got, "\x1b\r") || strings.Contains(got, "scanning titles") || !strings.Contains(got, "precache cycle done") {
			t.Errorf("stderr: %q", got)
		}
	})
	t.Run("the terminal goes, though SIGHUP opens its log file anew", func(t *testing.T) {
		log := filepath.Join(t.TempDir(), "x.log")
		s := startSession(t, dir, nil, "precache", "--schedule", "@every 1h", "--log-file", log)
		s.await("next cycle at ")
		if got := s.screen.String(); strings.Contains(got, "INFO") {
			t.Errorf("log lines on the terminal: %q", got)
		}
		if err := s.keys.Close(); err != nil {
			t.Fatal(err)
		}
		if code := s.end(); code != 0 {
			t.Errorf("exit code %d", code)
		}
		if got, err := os.ReadFile(log); err != nil || !strings.Contains(string(got), "INFO the precacher ends") {
			t.Errorf("%v, log:\n%s", err, got)
		}
	})
}
