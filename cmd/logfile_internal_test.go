package cmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"xship/cmd/term"
	"xship/sources/text"
)

// appWithLog is a run that logs to a file.
func appWithLog(t *testing.T, path string) (a *app, stderr *bytes.Buffer, err error) {
	t.Helper()
	stderr = new(bytes.Buffer)
	a = newApp(System{Stderr: term.Stream{Writer: stderr}, Stdout: term.Stream{Writer: io.Discard}})
	a.flags.logFile = path
	err = a.openLogFile()
	if err == nil {
		t.Cleanup(a.closeLogFile)
	}
	return a, stderr, err
}

func TestLogFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	if err := os.WriteFile(path, []byte("before\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	a, stderr, err := appWithLog(t, path)
	if err != nil {
		t.Fatal(err)
	}
	say := func(what string) {
		t.Helper()
		if _, err := fmt.Fprintln(a.logFile, what); err != nil {
			t.Error(err)
		}
	}
	want := func(path, content string) {
		t.Helper()
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%s holds %q, %v; want %q", path, got, err, content)
		}
	}
	say("one")
	want(path, "before\none\n")
	// Rotated by a copy: what is appended begins at the new end.
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	say("two")
	want(path, "two\n")
	if runtime.GOOS == "windows" {
		return // which moves no open file
	}
	// Rotated by a rename.
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	say("three")
	want(path+".1", "two\nthree\n")
	a.logFile.reopen()
	say("four")
	want(path, "four\n")
	want(path+".1", "two\nthree\n")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the new file: %v, %v", info.Mode(), err)
	}
	// It cannot be opened anew: the log goes on where it is, and that is said.
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	a.logFile.reopen()
	say("five")
	want(path+".1", "four\nfive\n")
	if got := stderr.String(); !strings.Contains(got, "is a folder; the log goes on in the file that was open") {
		t.Errorf("stderr: %q", got)
	}
}

// TestLogFile_atOnce wants each line whole, and in one of the files, while it is rotated
// under those who write.
func TestLogFile_atOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("which moves no open file")
	}
	const writers, lines, rotations = 8, 200, 20
	path := filepath.Join(t.TempDir(), "x.log")
	a, stderr, err := appWithLog(t, path)
	if err != nil {
		t.Fatal(err)
	}
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for n := range lines {
				_, _ = fmt.Fprintf(a.logFile, "line %d of %d\n", n, w)
			}
		})
	}
	for n := range rotations {
		if err := os.Rename(path, fmt.Sprintf("%s.%d", path, n)); err != nil {
			t.Fatal(err)
		}
		a.logFile.reopen()
	}
	writing.Wait()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) != rotations+1 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	seen := make(map[string]int)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(content)) {
			seen[line]++
		}
	}
	for w := range writers {
		for n := range lines {
			if line := fmt.Sprintf("line %d of %d\n", n, w); seen[line] != 1 {
				t.Fatalf("%q is there %d times", line, seen[line])
			}
		}
	}
	if len(seen) != writers*lines || stderr.Len() > 0 {
		t.Errorf("%d lines; stderr %q", len(seen), stderr)
	}
}

// TestLogFile_relative wants the file reopened that was opened, wherever the process went.
func TestLogFile_relative(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("which moves no open file")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	a, _, err := appWithLog(t, "x.log")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Remove(filepath.Join(dir, "x.log")); err != nil {
		t.Fatal(err)
	}
	a.logFile.reopen()
	if _, err := os.Stat(filepath.Join(dir, "x.log")); err != nil {
		t.Error(err)
	}
}

// A line that another run left unfinished stays one of its own.
func TestLogFile_torn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	if err := os.WriteFile(path, []byte("whole\nha"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, _, err := appWithLog(t, path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"one", "two"} {
		if _, err := fmt.Fprintln(a.logFile, line); err != nil {
			t.Error(err)
		}
		a.logFile.reopen()
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "whole\nha\none\ntwo\n" {
		t.Errorf("%q, %v", got, err)
	}
}

// TestOpenLogFile_wrong says what is wrong with a file, and waits for nobody.
func TestOpenLogFile_wrong(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, want, hint string }{
		{"empty", "", "--log-file names no file", "leave --log-file out"},
		{"dash", "-", "--log-file - is no file", "leave --log-file out"},
		{"a folder", dir, "the log file " + dir + " is a folder", "name a file in it"},
		{"no folder", filepath.Join(dir, "a", "b.log"), "there is no folder " + filepath.Join(dir, "a"), "make it first"},
		{"in a file", filepath.Join(file, "b.log"), "there is no folder " + file, "make it first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, _, err := appWithLog(t, c.path)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(text.HintOf(err), c.hint) {
				t.Errorf("%v; hint %q; want %q, %q", err, text.HintOf(err), c.want, c.hint)
			}
			if a.logFile != nil {
				t.Error("it is used all the same")
			}
		})
	}
	t.Run("read only", func(t *testing.T) {
		if err := os.Chmod(file, 0o400); err != nil {
			t.Fatal(err)
		}
		if f, err := os.OpenFile(file, os.O_WRONLY, 0); err == nil {
			_ = f.Close()
			t.Skip("this user may write everything")
		}
		if _, _, err := appWithLog(t, file); err == nil || !strings.Contains(text.HintOf(err), "writable") {
			t.Errorf("%v, hint %q", err, text.HintOf(err))
		}
	})
}
