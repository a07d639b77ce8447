//go:build unix

package vod_test

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"

	"xship/config/vod"
)

func TestLoad_fifo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip("no named pipes here:", err)
	}
	_, err := vod.Load(t.Context(), path, noFetch(t), vod.LoadOptions{})
	if e, ok := errors.AsType[*vod.Error](err); !ok || e.Cause != vod.CauseFile {
		t.Errorf("Load of a pipe that nobody writes: %v", err)
	}
}
