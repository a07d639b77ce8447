//go:build linux

package cmd

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"xship/sources/text"
)

// TestLogFile_full wants a full disk said once, until it is not full any more, and a line
// that was torn by it ended.
func TestLogFile_full(t *testing.T) {
	a, stderr, err := appWithLog(t, "/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := fmt.Fprintln(a.logFile, "lost"); err != nil {
			t.Error(err)
		}
	}
	if got := stderr.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "warning: the log file /dev/full cannot be written: no space left on device") {
		t.Errorf("stderr: %q", got)
	}
	path := filepath.Join(t.TempDir(), "x.log")
	a.logFile.path, a.logFile.torn = path, true
	a.logFile.reopen()
	fmt.Fprintln(a.logFile, "one")
	a.logFile.torn = true
	fmt.Fprintln(a.logFile, "two")
	if got, err := os.ReadFile(path); err != nil || string(got) != "one\n\ntwo\n" {
		t.Errorf("%q, %v", got, err)
	}
	_ = a.logFile.file.Close()
	fmt.Fprintln(a.logFile, "lost")
	if got := stderr.String(); strings.Count(got, "\n") != 2 {
		t.Errorf("stderr after it failed anew: %q", got)
	}
}

// TestLogFile_pipe neither waits for the reader of a pipe, nor for one that does not read.
func TestLogFile_pipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := appWithLog(t, path); err == nil || !strings.Contains(err.Error(), "is a pipe that nobody reads") || !strings.Contains(text.HintOf(err), "start its reader first") {
		t.Errorf("%v, hint %q", err, text.HintOf(err))
	}
	reader, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	a, stderr, err := appWithLog(t, path)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(a.logFile, "a line")
	if line, err := bufio.NewReader(reader).ReadString('\n'); err != nil || line != "a line\n" {
		t.Errorf("%q, %v", line, err)
	}
	a.logFile.patience = time.Millisecond
	line := append(bytes.Repeat([]byte("x"), 4000), '\n')
	for range 100 { // far more than it holds
		if _, err := a.logFile.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if got := stderr.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "cannot be written") {
		t.Errorf("stderr: %q", got)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(a.logFile, "nobody is there") // and it lives on
}
