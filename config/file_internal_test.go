package config

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
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
