package config

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofrs/flock"
)

// another takes the lock of a file as another process does.
func another(t *testing.T, path string) (unlock func()) {
	t.Helper()
	lock := flock.New(path + ".lock")
	if free, err := lock.TryLock(); !free || err != nil {
		t.Fatalf("the lock is not free: %v", err)
	}
	return func() {
		if err := lock.Unlock(); err != nil {
			t.Error(err)
		}
	}
}

// TestExclusively_waitsForAWhile has another process hold the lock: all who stand in line
// meanwhile give up when it has held it for as long as each would wait, who comes later
// waits anew, and all goes on when it is free.
func TestExclusively_waitsForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "preferences.json")
		const wait = 2 * time.Second
		locked := func() {
			err := exclusively(path, wait, func() error { return errors.New("ran") })
			if e, ok := errors.AsType[*LockedError](err); !ok || e.Path != path+".lock" {
				t.Errorf("while it is locked: %v", err)
			}
		}
		unlock := another(t, path)
		began := time.Now()
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(locked)
		}
		wg.Wait()
		if took := time.Since(began); took != wait {
			t.Errorf("ten wait for %s, want %s", took, wait)
		}
		time.Sleep(time.Minute)
		began = time.Now()
		locked()
		if took := time.Since(began); took != wait {
			t.Errorf("one who comes later waits for %s, want %s", took, wait)
		}
		time.AfterFunc(wait/2, unlock)
		if err := exclusively(path, wait, func() error { return nil }); err != nil {
			t.Errorf("when it is let go: %v", err)
		}
		defer another(t, path)()
	})
}

// TestExclusively_slow has many goroutines of this process change a file that takes its
// time: each comes to its turn, and no other process is blamed.
func TestExclusively_slow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "preferences.json")
		var wg sync.WaitGroup
		ran := 0
		for range 64 {
			wg.Go(func() {
				err := exclusively(path, 2*time.Second, func() error {
					time.Sleep(time.Second)
					ran++
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if ran != 64 {
			t.Errorf("%d changes were made, want 64", ran)
		}
	})
}

// TestExclusively_inTurn has who waits for a goroutine go before who comes later: one
// that only looked now and then could find the file locked each time.
func TestExclusively_inTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "preferences.json")
		var ran []string
		change := func(name string) {
			if err := exclusively(path, time.Minute, func() error { ran = append(ran, name); return nil }); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		err := exclusively(path, time.Minute, func() error {
			go change("first")
			synctest.Wait()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		change("second")
		synctest.Wait()
		if want := []string{"first", "second"}; !slices.Equal(ran, want) {
			t.Errorf("ran %q, want %q", ran, want)
		}
	})
}

func TestWritePrivate_regularFilesOnly(t *testing.T) {
	if _, err := writePrivate(t.TempDir(), 1); err == nil {
		t.Error("a directory was replaced")
	}
	if runtime.GOOS == "windows" {
		return
	}
	before, err := os.Stat(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writePrivate(os.DevNull, 1); err == nil {
		t.Errorf("%s was replaced", os.DevNull)
	}
	if after, err := os.Stat(os.DevNull); err != nil || after.Mode() != before.Mode() {
		t.Errorf("%s is %v, %v", os.DevNull, after.Mode(), err)
	}
}

// mounts has no file moved or replaced, as one that is a mount of its own.
func mounts(t *testing.T) {
	t.Helper()
	replace, rename := replaceFile, renameFile
	t.Cleanup(func() { replaceFile, renameFile = replace, rename })
	busy := func(from, to string) error {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EBUSY}
	}
	replaceFile, renameFile = busy, busy
}

// TestMount has each file of ours written where it is a mount of its own, with a word
// about it, nothing left beside it, and what was damaged put aside.
func TestMount(t *testing.T) {
	mounts(t)
	damaged := filepath.Join(t.TempDir(), "preferences.json")
	tests := map[string]struct {
		path, before string
		change       func(path string, warn func(string)) error
		aside        string // what is put aside
	}{
		"preferences": {
			filepath.Join(t.TempDir(), "preferences.json"), `{"kept":1}`,
			func(path string, warn func(string)) error { return changed(path, warn) }, "",
		},
		"damaged preferences": {
			damaged, `{"kept":`,
			func(path string, warn func(string)) error { return changed(path, warn) }, damaged + ".corrupt",
		},
		"accounts": {
			filepath.Join(t.TempDir(), "accounts.json"), `{"kept":1}`,
			func(path string, warn func(string)) error {
				f := NewAccountsFile(path)
				f.Warn = warn
				return f.Put(DebridAccount{User: 1, Provider: "torbox", APIKey: "key"})
			}, "",
		},
		"backup": {
			filepath.Join(t.TempDir(), "backup.json"), `old`,
			func(path string, warn func(string)) error {
				warn(path + " is a mount")
				return WriteBackup(path, Backup{})
			}, "",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile(tt.path, []byte(tt.before), 0o644); err != nil {
				t.Fatal(err)
			}
			before, err := os.Stat(tt.path)
			if err != nil {
				t.Fatal(err)
			}
			var warned []string
			if err := tt.change(tt.path, func(w string) { warned = append(warned, w) }); err != nil {
				t.Fatal(err)
			}
			after, err := os.Stat(tt.path)
			if err != nil || !os.SameFile(before, after) || runtime.GOOS != "windows" && after.Mode() != 0o600 {
				t.Errorf("the file is another one, or %v, %v", after.Mode(), err)
			}
			if len(warned) != 1 || !strings.Contains(warned[0], tt.path) {
				t.Errorf("warned %q", warned)
			}
			text, err := os.ReadFile(tt.path)
			if err != nil || !isObject(plain(text)) || tt.before == `{"kept":1}` && !strings.Contains(string(text), "kept") {
				t.Errorf("it holds %s, %v", text, err)
			}
			files, err := filepath.Glob(tt.path + "?*")
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range files {
				if f != tt.path+".lock" && f != tt.aside {
					t.Errorf("%s is left over", f)
				}
			}
			if aside, _ := os.ReadFile(tt.aside); tt.aside != "" && string(aside) != tt.before {
				t.Errorf("put aside: %q", aside)
			}
		})
	}
}

func changed(path string, warn func(string)) error {
	p := &Preferences{path: path, Warn: warn}
	return p.Update(func(values map[string]json.RawMessage) { values["mode"] = json.RawMessage("0") })
}

// TestMount_brokenOff has a file whose writing in place did not come to its end read
// as it was before.
func TestMount_brokenOff(t *testing.T) {
	for _, half := range []string{"", `{"mode":`, "\x00\x00"} {
		path := filepath.Join(t.TempDir(), "preferences.json")
		for name, text := range map[string]string{path: half, path + inPlaceCopy: "\ufeff{\"mode\":1}\n"} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p := &Preferences{path: path}
		if mode, err := p.Get("mode"); string(mode) != "1" || err != nil || p.Warning() != nil {
			t.Errorf("%q: mode %s, %v, %v", half, mode, err, p.Warning())
		}
		mounts(t)
		if err := changed(path, nil); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), `"mode": 0`) {
			t.Errorf("%q became %s, %v", half, text, err)
		}
	}
}

// TestMount_settings writes settings in place too, with the mode that they had.
func TestMount_settings(t *testing.T) {
	mounts(t)
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := errors.Join(os.WriteFile(path, []byte("# mine\nscan.limit: 5\n"), 0o600), os.Chmod(path, 0o640)); err != nil {
		t.Fatal(err)
	}
	key, err := KeyNamed("scan.limit")
	if err != nil {
		t.Fatal(err)
	}
	change, err := SettingsFile{Path: path}.Set(key, []string{"7"})
	if err != nil || !slices.Equal(change.Warnings, []string{mountedWarning(path)}) {
		t.Errorf("%+v, %v", change, err)
	}
	text, err := os.ReadFile(path)
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || string(text) != "# mine\nscan.limit: 7\n" || runtime.GOOS != "windows" && info.Mode() != 0o640 {
		t.Errorf("%q %v, %v %v", text, info.Mode(), err, statErr)
	}
	if _, err := os.Stat(path + inPlaceCopy); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy is left: %v", err)
	}
}

// TestMount_otherErrors has an error that says nothing of a mount stay one.
func TestMount_otherErrors(t *testing.T) {
	mounts(t)
	path := filepath.Join(t.TempDir(), "preferences.json")
	if err := os.WriteFile(path, []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	replaceFile = func(from, to string) error { return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EIO} }
	if err := changed(path, nil); !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(path); string(text) != `{}` {
		t.Errorf("it holds %s, %v", text, err)
	}
	if left, _ := filepath.Glob(path + "[0-9]*"); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}
