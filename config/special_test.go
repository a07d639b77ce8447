//go:build linux

package config_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"xship/config"
)

// readersOf are all that opens a file of ours.
func readersOf(path string) map[string]func() error {
	return map[string]func() error{
		"settings": func() error {
			_, err := config.Load(config.LoadOptions{File: path, Explicit: true})
			return err
		},
		"preferences": func() error {
			_, err := config.OpenPreferences(path)
			return err
		},
		"accounts": func() error {
			_, _, err := config.NewAccountsFile(path).Read()
			return err
		},
		"backup": func() error {
			_, err := config.ReadBackup(path)
			return err
		},
		"lock": func() error {
			free := filepath.Join(filepath.Dir(path), "locked.json")
			if err := os.Symlink(path, free+".lock"); err != nil {
				return err
			}
			p, err := config.OpenPreferences(free)
			if err != nil {
				return err
			}
			return set(p, "mode", "0")
		},
	}
}

// TestSpecialFiles has no reader wait for a pipe that nobody writes, nor read a
// device: it says what it is.
func TestSpecialFiles(t *testing.T) {
	makers := map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"socket": func(path string) error { return syscall.Mknod(path, syscall.S_IFSOCK|0o600, 0) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
	}
	for kind, create := range makers {
		for name := range readersOf("") {
			if name == "lock" && kind != "pipe" {
				continue
			}
			t.Run(kind+" as "+name, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "file.json")
				if err := create(path); err != nil {
					t.Skip("cannot be made here:", err)
				}
				if err := readersOf(path)[name](); err == nil || !strings.Contains(err.Error(), "regular file") || !strings.Contains(err.Error(), filepath.Dir(path)) {
					t.Errorf("got %v", err)
				}
			})
		}
	}
}

// TestLoad_handedOver reads what a shell hands over in place of a file.
func TestLoad_handedOver(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.WriteString(w, "scan: {limit: 7}\n"); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	s, err := config.Load(config.LoadOptions{File: fmt.Sprintf("/dev/fd/%d", r.Fd()), Explicit: true})
	if err != nil || s.Scan.Limit != 7 {
		t.Errorf("got %+v, %v", s, err)
	}
}

// TestPreferences_readOnlyMount says that a mount cannot be written, and leaves nothing
// beside it.
func TestPreferences_readOnlyMount(t *testing.T) {
	source := preferencesFile(t, `{"kept":1}`)
	target := preferencesFile(t, ``)
	err := syscall.Mount(source, target, "", syscall.MS_BIND, "")
	if err != nil {
		t.Skip("no mounts here:", err)
	}
	defer func() { _ = syscall.Unmount(target, syscall.MNT_DETACH) }()
	if err := syscall.Mount("", target, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY, ""); err != nil {
		t.Skip("no mounts for reading here:", err)
	}
	if err := set(mustOpen(t, target), "mode", "2"); err == nil || !strings.Contains(err.Error(), "mount of its own that cannot be written") {
		t.Errorf("got %v", err)
	}
	if got := mustRead(t, target); got != `{"kept":1}` {
		t.Errorf("it holds %s", got)
	}
	if left, _ := filepath.Glob(target + ".[^l]*"); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}

// TestPreferences_bindMount writes a file that is mounted alone, which only root can.
func TestPreferences_bindMount(t *testing.T) {
	source := preferencesFile(t, `{"kept":1}`)
	target := preferencesFile(t, ``)
	if err := syscall.Mount(source, target, "", syscall.MS_BIND, ""); err != nil {
		t.Skip("no mounts here:", err)
	}
	defer func() { _ = syscall.Unmount(target, syscall.MNT_DETACH) }()
	p := mustOpen(t, target)
	var warned string
	p.Warn = func(w string) { warned = w }
	mustSet(t, p, "mode", "2")
	if got := mustRead(t, source); !strings.Contains(got, "kept") || !strings.Contains(got, `"mode": 2`) || !strings.Contains(warned, "mount its directory") {
		t.Errorf("the mounted file holds %s; warned %q", got, warned)
	}
	checkPrivate(t, target)
}
