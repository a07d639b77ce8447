package engine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAcquireLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	lock, err := acquireLock(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		do   func() error
		pid  int
	}{
		{"before its name is written", func() error { return nil }, 0},
		{"after", lock.writePID, os.Getpid()},
	} {
		if err := c.do(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		_, err := acquireLock(path)
		if held, ok := errors.AsType[*lockHeldError](err); !ok || held.pid != c.pid {
			t.Errorf("%s: a second lock: %v; want it held by process %d", c.name, err, c.pid)
		}
	}
	if err := lock.release(); err != nil {
		t.Fatal(err)
	}
	if lock, err = acquireLock(path); err != nil {
		t.Fatalf("after the release: %v", err)
	}
	if err := lock.release(); err != nil {
		t.Error(err)
	}
}

func TestProcessLock_held(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"removed":  os.Remove,
		"moved":    func(path string) error { return os.Rename(path, path+".away") },
		"replaced": func(path string) error { return errors.Join(os.Remove(path), os.WriteFile(path, nil, 0o600)) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "lock")
			lock, err := acquireLock(path)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = lock.release() }()
			if !lock.held(path) {
				t.Error("it is not held")
			}
			if err := change(path); err != nil {
				t.Skip("not while it is open here:", err)
			}
			if lock.held(path) {
				t.Error("it is still held")
			}
		})
	}
}

// Who looks at a lock makes nothing, and is told of who holds it alone.
func TestLookAtLock(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing")
	if holder, err := lookAtLock(missing); holder != nil || err != nil {
		t.Errorf("a file that is not there: %v, %v", holder, err)
	}
	if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was made: %v", err)
	}
	killed := filepath.Join(dir, "killed")
	if err := os.WriteFile(killed, []byte("42\n1700000000\n@hourly\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if holder, err := lookAtLock(killed); holder != nil || err != nil {
		t.Errorf("one that was killed: %v, %v", holder, err)
	}
	if holder, err := lookAtLock(dir); holder != nil || err == nil {
		t.Errorf("a folder: %v, %v", holder, err)
	}

	path := filepath.Join(dir, "lock")
	lock, err := acquireLock(path)
	if err != nil {
		t.Fatal(err)
	}
	look := func(what string, want lockHolder) {
		t.Helper()
		got, err := lookAtLock(path)
		if err != nil || got == nil {
			t.Fatalf("%s: %v, %v", what, got, err)
		}
		if got.pid != want.pid || got.schedule != want.schedule || got.told != want.told || !want.since.IsZero() && !got.since.Equal(want.since) {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	look("before it names itself", lockHolder{})
	if err := lock.writePID(); err != nil {
		t.Fatal(err)
	}
	look("a single cycle", lockHolder{pid: os.Getpid(), told: true})
	daemon := lockHolder{told: true, pid: os.Getpid(), since: time.Unix(1_700_000_000, 0), schedule: "*/5 * * * *"}
	if err := lock.write(daemon); err != nil {
		t.Fatal(err)
	}
	look("a daemon", daemon)
	if err := os.WriteFile(path, []byte("42\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	look("an older xship", lockHolder{pid: 42})
	if err := os.WriteFile(path, []byte("what\x1b[2J\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	look("a file that is damaged", lockHolder{})
	if err := lock.release(); err != nil {
		t.Fatal(err)
	}
	if holder, err := lookAtLock(path); holder != nil || err != nil {
		t.Errorf("after the release: %v, %v", holder, err)
	}
}
