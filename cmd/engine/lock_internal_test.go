package engine

import (
	"errors"
	"os"
	"path/filepath"
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
