package loader

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"xship/config/vod"
)

// TestFolder_hang: a disk that hangs costs a load two seconds, and holds up one goroutine
// however many loads there are.
func TestFolder_hang(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		release := make(chan struct{})
		f := &folders{see: func(string) glance {
			asked.Add(1)
			<-release
			return glance{isFolder: true}
		}}
		for range 3 {
			began := time.Now()
			_, err := local{}.load(t.Context(), "/mnt/nas", access{folders: f})
			failed, ok := errors.AsType[*vod.Error](err)
			if took := time.Since(began); !ok || failed.Cause != vod.CauseTimeout || !strings.Contains(err.Error(), "/mnt/nas: the disk did not answer within 2 s") || took != 2*time.Second {
				t.Errorf("%v after %s", err, took)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := (local{}).load(ctx, "/mnt/nas", access{folders: f}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		if n := asked.Load(); n != 1 {
			t.Errorf("%d looks at once", n)
		}
		close(release)
		if l, err := (local{}).load(t.Context(), "/mnt/nas", access{folders: f}); err != nil || l.Kind != KindFolder {
			t.Errorf("%+v, %v", l, err)
		}
	})
}
