package sourcecache_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"xship/sourcecache"
)

const (
	touches = 1000
	hosters = 50
)

func hosterNumber(i int) string { return fmt.Sprintf("hoster%02d.example", i%hosters) }

func childCommand(t *testing.T, job string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), childEnv+"="+job)
	return cmd
}

// runTogether runs the commands at the same time; all must succeed.
func runTogether(t *testing.T, cmds ...*exec.Cmd) {
	t.Helper()
	var wg sync.WaitGroup
	for _, cmd := range cmds {
		wg.Go(func() {
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	wg.Wait()
}

func TestDB_twoProcessesLoseNoTouch(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "xship.db")
	runTogether(t, childCommand(t, "touch", path), childCommand(t, "touch", path))

	db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path})
	must(t, err)
	defer db.Close()
	all, err := db.Hosters(t.Context())
	must(t, err)
	if len(all) != hosters {
		t.Errorf("%d hosters, want %d", len(all), hosters)
	}
	var ok, fail int64
	for _, h := range all {
		if n := h.OKCount + h.FailCount; n != 2*touches/hosters {
			t.Errorf("%s: %d touches, want %d", h.Name, n, 2*touches/hosters)
		}
		ok, fail = ok+h.OKCount, fail+h.FailCount
	}
	wantFail := int64(2 * ((touches + 2) / 3))
	if ok != 2*touches-wantFail || fail != wantFail {
		t.Errorf("%d ok and %d fail, want %d and %d", ok, fail, 2*touches-wantFail, wantFail)
	}
}

func TestOpen_processesAtOnce(t *testing.T) {
	t.Parallel()
	for range 3 {
		path := filepath.Join(t.TempDir(), "data", "xship.db")
		var cmds []*exec.Cmd
		for range 6 {
			cmds = append(cmds, childCommand(t, "open", path))
		}
		runTogether(t, cmds...)
		left, err := os.ReadDir(filepath.Dir(path))
		must(t, err)
		for _, file := range left { // the journal stays where the last two closed at once
			if !slices.Contains([]string{"xship.db", "xship.db-wal", "xship.db-shm"}, file.Name()) {
				t.Errorf("file left: %s", file.Name())
			}
		}
	}
}

// TestOpen_ordinaryUser sees what a user sees whom the system stops; root has
// another process do it.
func TestOpen_ordinaryUser(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permissions of Windows are not set by mode")
	}
	exe := copyOfTestBinary(t)
	tests := []struct {
		name      string
		dir, file os.FileMode
	}{
		{"file of somebody else", 0o777, 0o644},
		{"unreadable file", 0o777, 0o200},
		{"directory of somebody else", 0o755, 0o666},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(sharedDir(t), "xship.db")
			db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path})
			must(t, err)
			must(t, db.HosterTouch(t.Context(), "good.example", true))
			must(t, db.Close())
			must(t, os.Chmod(filepath.Dir(path), tt.dir))
			must(t, os.Chmod(path, tt.file))
			before := readFile(t, path)

			cmd := childCommand(t, "open", path)
			cmd.Path = exe
			if !asOrdinaryUser(cmd) {
				t.Skip("only root can become somebody else")
			}
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || !bytes.Contains(out, []byte("database "+path)) || !strings.Contains(string(out), "writable for this user") {
				t.Errorf("%v: %s", err, out)
			}
			if !bytes.Equal(before, readFile(t, path)) {
				t.Error("the file was changed")
			}
			if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
				t.Errorf("files left: %v, %v", left, err)
			}
		})
	}
}

// copyOfTestBinary is for users who may not enter the build's directory.
func copyOfTestBinary(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	name := filepath.Join(sharedDir(t), "sourcecache.test")
	// By another process: a file that this one has open for writing may be
	// inherited by any child that it starts meanwhile, and then cannot be run.
	if out, err := exec.CommandContext(t.Context(), "cp", exe, name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	must(t, os.Chmod(name, 0o755))
	return name
}

// sharedDir is a temporary directory that other users may enter.
func sharedDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.Chmod(filepath.Dir(dir), 0o755))
	must(t, os.Chmod(dir, 0o755))
	return dir
}

func readFile(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(name)
	must(tb, err)
	return b
}
