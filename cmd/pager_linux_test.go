//go:build linux

package cmd_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPagerClosed writes to a reader that is gone, as head and a pager that was left are:
// the program ends as other programs do, and says nothing of it.
func TestPagerClosed(t *testing.T) {
	t.Parallel()
	s := startStory(t)
	m := newMachine(t)
	m.run(t, 0, "interfaces", "add", s.Good.URL())
	m.run(t, 0, "watch", "add", s.Film.Name)
	for _, args := range [][]string{
		{"scan", s.Film.Name, "-q"},
		{"scan", s.Film.Name, "-q", "-o", "table"},
		{"scan", s.Film.Name, "-q", "-o", "json"},
		{"watch", "list", "-q"},
		{"interfaces", "list"},
		{"config", "show"},
		{"--help"},
		{"help", "health"},
		{"completion", "bash"},
		{"version"},
	} {
		reader, writer, err := os.Pipe()
		if err == nil {
			err = reader.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		run := exec.CommandContext(t.Context(), "xship", args...)
		run.Stdout, run.Stderr = writer, &said
		run.Env = append(os.Environ(), "XSHIP_REQUIRE_REAL=", "XSHIP_DATA_DIR="+m.env["XSHIP_DATA_DIR"], "XDG_CONFIG_HOME="+filepath.Dir(m.env["XSHIP_DATA_DIR"]),
			idsVariable+"=false", archiveVariable+"=false", "XSHIP_SCAN_SITE_TIMEOUT="+patience.String())
		err = run.Run()
		if err := writer.Close(); err != nil {
			t.Error(err)
		}
		_, ended := errors.AsType[*exec.ExitError](err)
		if status, _ := run.ProcessState.Sys().(syscall.WaitStatus); !ended || status.Signal() != syscall.SIGPIPE || said.Len() > 0 {
			t.Errorf("%q: it ends with %v and says %q", args, err, &said)
		}
	}
}
