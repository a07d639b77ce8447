package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

func TestExclusively_waitsForAWhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "preferences.json")
	err := exclusively(path, time.Minute, func() error {
		err := exclusively(path, 30*time.Millisecond, func() error { return errors.New("ran") })
		if e, ok := errors.AsType[*LockedError](err); !ok || e.Path != path+".lock" {
			t.Errorf("while it is locked: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := exclusively(path, time.Minute, func() error { return nil }); err != nil {
		t.Errorf("after that: %v", err)
	}
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
	if err := writePrivate(t.TempDir(), 1); err == nil {
		t.Error("a directory was replaced")
	}
	if runtime.GOOS == "windows" {
		return
	}
	before, err := os.Stat(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	if err := writePrivate(os.DevNull, 1); err == nil {
		t.Errorf("%s was replaced", os.DevNull)
	}
	if after, err := os.Stat(os.DevNull); err != nil || after.Mode() != before.Mode() {
		t.Errorf("%s is %v, %v", os.DevNull, after.Mode(), err)
	}
}
