//go:build linux

package cmd_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"xship/cmd/term/termtest"
	"xship/sourcecache"
	"xship/sources"
	"xship/sources/sourcetest/world"
)

// wholeSession is a run of the program on a terminal that has all of its streams, after
// the prompt of a shell.
type wholeSession struct {
	testing.TB
	cmd    *exec.Cmd
	master *os.File
	screen *termtest.Screen
	shown  sync.WaitGroup // all that was written is on the screen
}

func startWhole(tb testing.TB, columns, rows int, dataDir string, args ...string) *wholeSession {
	tb.Helper()
	return startWholeAs(tb, columns, rows, dataDir, append([]string{"xship"}, args...)...)
}

func startWholeAs(tb testing.TB, columns, rows int, dataDir string, command ...string) *wholeSession {
	tb.Helper()
	master, terminal := openTerminal(tb)
	s := &wholeSession{TB: tb, master: master, screen: termtest.NewScreen(columns, rows, true)}
	fmt.Fprint(s.screen, "$ xship scan\n")
	s.resize(columns, rows)
	s.cmd = exec.CommandContext(tb.Context(), command[0], command[1:]...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = terminal, terminal, terminal
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	s.cmd.Env = append(os.Environ(), "TERM=xterm", "LC_ALL=C.UTF-8", "ACCESSIBLE=", "XSHIP_REQUIRE_REAL=", "XSHIP_RESOLVE_YTDLP=off", idsVariable+"=false", archiveVariable+"=false",
		"XSHIP_SCAN_SITE_TIMEOUT="+patience.String(), "XSHIP_PROBE_TIMEOUT="+patience.String(), "XSHIP_PROBE_TOTAL="+patience.String(), "XSHIP_DATA_DIR="+dataDir, "XDG_CONFIG_HOME="+dataDir)
	if err := s.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	if err := terminal.Close(); err != nil {
		tb.Error(err)
	}
	s.shown.Go(func() { _, _ = io.Copy(s.screen, master) }) // ends with the terminal
	return s
}

func (s *wholeSession) resize(columns, rows int) {
	s.Helper()
	s.screen.Resize(columns, rows)
	control(s, s.master, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(rows), Col: uint16(columns)})
	})
}

func (s *wholeSession) await(text string) {
	s.Helper()
	if !eventually(func() bool { return strings.Contains(s.screen.String(), text) }) {
		s.Fatalf("no %q on the terminal:\n%s", text, s.screen)
	}
}

// press types keys.
func (s *wholeSession) press(keys string) {
	s.Helper()
	if _, err := s.master.WriteString(keys); err != nil {
		s.Fatal(err)
	}
}

// end waits for the end of the program, wants its exit code and gives what came on the
// terminal.
func (s *wholeSession) end(code int) string {
	s.Helper()
	if err := s.cmd.Wait(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			s.Fatal(err)
		}
	}
	s.shown.Wait()
	if got := s.cmd.ProcessState.ExitCode(); got != code {
		s.Errorf("exit code %d, want %d:\n%s", got, code, s.screen.All())
	}
	return s.screen.All()
}

// holdHosters keeps all hosters of a world from answering.
func holdHosters(story *world.Story) (release func()) {
	for _, h := range story.Hosters {
		h.Hold()
	}
	return func() {
		for _, h := range story.Hosters {
			h.Release()
		}
	}
}

// rowsOf counts the rows of a list by their marks.
func rowsOf(shown, mark string) int {
	return len(regexp.MustCompile(`(?m)^[ 0-9]+ `+mark+` (4K|[0-9]+p)!? `).FindAllString(shown, -1))
}

// TestScanLive fills a list in place on a real terminal, which is resized in the middle
// and on which somebody types. What stood above stays, and nothing of the list stands
// there twice.
func TestScanLive(t *testing.T) {
	t.Parallel()
	story := startStory(t)
	release := holdHosters(story)
	defer release()
	story.Hosters[0].Remove("Paper.Submarines.2016.1080p.WEB-DL.H264.AAC.mp4")
	s := startWhole(t, 100, 24, usedData(t), scanArgs(story)...)
	s.await("probing 0/7")
	s.await("7 … 720p")
	s.resize(44, 24)
	s.await("#   QUALITY  LANG  HOSTER     NAME\n")
	s.press("\r\rls")
	s.resize(38, 24)
	s.await("#   QUALITY  LANG  HOSTER\n    NAME\n")
	s.resize(110, 30)
	s.await("INFO\n")
	release()
	all := s.end(0)
	if !strings.HasPrefix(all, "$ xship scan\n#   QUALITY  LANG  HOSTER     SITE") || strings.Count(all, "QUALITY") != 1 {
		t.Errorf("on the terminal:\n%s", all)
	}
	if works, failed := rowsOf(all, "✓"), rowsOf(all, "✗"); works != 6 || failed != 1 {
		t.Errorf("%d rows work and %d fail:\n%s", works, failed, all)
	}
	for _, want := range []string{" 1920x1080 0:01 ", "probed 7 of 7 sources: 6 ok, 1 failed\n", "1 of 7 failed: 1 gone (404) (" + story.Hosters[0].IP() + ")\n"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	control(t, s.master, func(fd int) error {
		state, err := unix.IoctlGetTermios(fd, unix.TCGETS)
		if err == nil && state.Lflag&unix.ECHO == 0 {
			t.Error("what is typed is not shown any more")
		}
		return err
	})
}

// TestScanLive_interrupted leaves the list as it stands, and is no failure where it has a
// source.
func TestScanLive_interrupted(t *testing.T) {
	t.Parallel()
	story := startStory(t)
	release := holdHosters(story)
	defer release()
	s := startWhole(t, 100, 24, usedData(t), scanArgs(story)...)
	s.await("7 … 720p")
	s.press(keyCtrlC)
	all := s.end(0)
	if strings.Count(all, "QUALITY") != 1 || rowsOf(all, " ") != 7 || !strings.Contains(all, "probed 0 of 7 sources") {
		t.Errorf("on the terminal:\n%s", all)
	}
}

// TestScanLive_high fills the rows that fit, and has all of them at the end.
func TestScanLive_high(t *testing.T) {
	t.Parallel()
	story := startStory(t)
	release := holdHosters(story)
	defer release()
	s := startWhole(t, 100, 8, usedData(t), scanArgs(story)...)
	s.await("4 … 1080p")
	s.await("\n… and 3 more rows, shown at the end\nprobing 0/7")
	release()
	all := s.end(0)
	if strings.Count(all, "QUALITY") != 1 || rowsOf(all, "✓") != 7 || strings.Contains(all, "more rows") {
		t.Errorf("on the terminal:\n%s", all)
	}
}

// TestScanLive_joins scans a title whose sources are all hidden: they join the list when
// they turn out to work, and the exit code is that of the list then.
func TestScanLive_joins(t *testing.T) {
	t.Parallel()
	story := startStory(t)
	dir := usedData(t)
	failed := time.Now().Add(-time.Minute)
	store, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: filepath.Join(dir, "xship.db"), Now: func() time.Time { return failed }})
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range story.Hosters {
		worked := store.HosterTouch(t.Context(), "good.example", true)
		_, err := store.EndAttempt(t.Context(), sources.Attempt{Hoster: h.IP()}, sources.ClassHosterFault, "HTTP 503")
		if err := errors.Join(worked, err); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	release := holdHosters(story)
	defer release()
	s := startWhole(t, 100, 24, dir, scanArgs(story)...)
	s.await("Ctrl-C ends it")
	if shown := s.screen.String(); strings.Contains(shown, "QUALITY") {
		t.Errorf("listed though hidden:\n%s", shown)
	}
	release()
	all := s.end(0)
	if strings.Count(all, "QUALITY") != 1 || !regexp.MustCompile(`(?m)^7 . 720p`).MatchString(all) || strings.Contains(all, "hidden on failing") {
		t.Errorf("on the terminal:\n%s", all)
	}
}

// TestScanLive_gone ends in good order where the terminal goes away, also where the signal
// of that is ignored, as under nohup.
func TestScanLive_gone(t *testing.T) {
	t.Parallel()
	story := startStory(t)
	release := holdHosters(story)
	defer release()
	nohup := []string{"/bin/sh", "-c", `trap '' HUP; exec xship "$@"`, "sh"}
	for code, command := range map[int][]string{130: {"xship"}, 1: nohup} {
		s := startWholeAs(t, 100, 24, usedData(t), append(command, scanArgs(story)...)...)
		s.await("7 … 720p")
		if err := s.master.Close(); err != nil {
			t.Fatal(err)
		}
		s.end(code)
	}
}
