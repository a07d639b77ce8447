package engine

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

func TestAcquireLock_noFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	if err := os.Symlink(os.DevNull, path); err != nil {
		t.Skip("no links here:", err)
	}
	if _, err := acquireLock(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("locked a device: %v", err)
	}
}
