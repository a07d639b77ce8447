//go:build unix

package cmd_test

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// daemon is a precacher that runs a cycle each second, in a process of its own.
type daemon struct {
	testing.TB
	cmd  *exec.Cmd
	dir  string
	logs *bufio.Scanner
	read *os.File
}

// startDaemon starts it by a shell, after what that is to do first, and waits until it
// runs, which it says on stderr, or in the file log where one is named. What the tests
// themselves were started to ignore, it does not: a signal that is handled here comes to
// a new program as it is by default. It is killed where it does not end in time.
func startDaemon(tb testing.TB, first, log string) *daemon {
	tb.Helper()
	handled := make(chan os.Signal, 1)
	signal.Notify(handled, syscall.SIGHUP, os.Interrupt)
	defer signal.Stop(handled)
	ctx, cancel := context.WithTimeout(tb.Context(), 2*time.Minute)
	tb.Cleanup(cancel)
	read, write, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	d := &daemon{TB: tb, dir: usedData(tb), read: read, logs: bufio.NewScanner(read)}
	d.cmd = exec.CommandContext(ctx, "/bin/sh", "-c", first+` exec xship precache --schedule '@every 1s' "$@"`, "sh")
	if log != "" {
		d.cmd.Args = append(d.cmd.Args, "--log-file", log)
	}
	d.cmd.Stderr = write
	d.cmd.Env = append(os.Environ(), "XSHIP_REQUIRE_REAL=", "XSHIP_RESOLVE_YTDLP=off", idsVariable+"=false", archiveVariable+"=false", "XSHIP_DATA_DIR="+d.dir, "XDG_CONFIG_HOME="+d.dir)
	if err := d.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	_ = write.Close()
	if log != "" {
		awaitIn(tb, log, "the precacher runs")
		return d
	}
	for d.logs.Scan() {
		if strings.Contains(d.logs.Text(), "the precacher runs") {
			return d
		}
	}
	tb.Fatalf("it did not start: %v", d.logs.Err())
	return nil
}

func (d *daemon) signal(s os.Signal) {
	d.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		d.Fatal(err)
	}
}

// cycle is the number of the last cycle, 0 where there was none.
func (d *daemon) cycle() (n int) {
	d.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(d.dir, "xship.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		d.Fatal(err)
	}
	defer db.Close()
	_ = db.QueryRowContext(d.Context(), `SELECT value FROM state WHERE key = 'cycle'`).Scan(&n) // a moment ago there was no table
	return n
}

// goesOn waits for two more cycles.
func (d *daemon) goesOn() {
	d.Helper()
	now := d.cycle()
	if !eventually(func() bool { return d.cycle() >= now+2 }) {
		d.Fatalf("no cycle comes after the %d.", now)
	}
}

// ends waits for its end and wants its last words.
func (d *daemon) ends(want string) {
	d.Helper()
	var all []string
	for d.logs.Scan() {
		all = append(all, d.logs.Text())
	}
	err := d.cmd.Wait()
	if text := strings.Join(all, "\n"); err != nil || !strings.Contains(text, want) {
		d.Errorf("it ended with %v; it said:\n%s", err, text)
	}
}

// TestMain_hangup ends a precacher whose terminal goes away, in good order, but not one
// that was started to outlive it.
func TestMain_hangup(t *testing.T) {
	t.Run("the terminal goes", func(t *testing.T) {
		d := startDaemon(t, "", "")
		d.signal(syscall.SIGHUP)
		d.ends("the precacher ends")
	})
	for _, ignored := range []struct {
		name, first string
		signal      os.Signal
	}{
		{"nohup", "trap '' HUP;", syscall.SIGHUP},
		{"of a background", "trap '' INT;", os.Interrupt},
	} {
		t.Run(ignored.name, func(t *testing.T) {
			d := startDaemon(t, ignored.first, "")
			d.signal(ignored.signal)
			d.goesOn()
			d.signal(syscall.SIGTERM)
			d.ends("the precacher ends")
		})
	}
}

// awaitIn waits until a file holds a text.
func awaitIn(tb testing.TB, path, want string) {
	tb.Helper()
	holds := func() bool {
		got, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(got), want)
	}
	if !eventually(holds) {
		tb.Fatalf("no %q in %s", want, path)
	}
}

// TestMain_rotation has a precacher go on in a new log file when its old one was moved
// away, also where it was started to outlive its terminal.
func TestMain_rotation(t *testing.T) {
	for name, first := range map[string]string{"SIGHUP": "", "nohup": "trap '' HUP;"} {
		t.Run(name, func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "x.log")
			d := startDaemon(t, first, log)
			for n := range 2 {
				if err := os.Rename(log, fmt.Sprintf("%s.%d", log, n)); err != nil {
					t.Fatal(err)
				}
				d.signal(syscall.SIGHUP)
				awaitIn(t, log, "precache cycle done")
			}
			d.signal(syscall.SIGTERM)
			d.ends("")
			awaitIn(t, log, "the precacher ends")
		})
	}
}

// TestMain_nobodyReads has a precacher go on whose log nobody reads any more.
func TestMain_nobodyReads(t *testing.T) {
	d := startDaemon(t, "", "")
	if err := d.read.Close(); err != nil {
		t.Fatal(err)
	}
	d.goesOn()
	d.signal(syscall.SIGTERM)
	if err := d.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// TestMain_readerOfResultsGone ends a command whose results nobody reads, as any
// program is.
func TestMain_readerOfResultsGone(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = read.Close()
	cmd := exec.CommandContext(t.Context(), "xship", "config", "show")
	cmd.Stdout, cmd.Env = write, append(os.Environ(), "XSHIP_REQUIRE_REAL=", "XDG_CONFIG_HOME="+t.TempDir())
	err = cmd.Run()
	_ = write.Close()
	if _, ok := errors.AsType[*exec.ExitError](err); !ok {
		t.Errorf("it ended with %v", err)
	}
}
