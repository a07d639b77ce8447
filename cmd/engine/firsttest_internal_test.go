package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"xship/sourcecache/health"
	"xship/sources"
	"xship/sources/sourcetest"
)

// However many hosters of a list are due, all are tested, and never too many at once.
func TestEngine_retest_bound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := sourcetest.NewMemory(time.Now)
		const many = 3*retestsAtOnce + 1
		var listed []sources.Source
		for i := range many {
			name := fmt.Sprintf("h%d.example", i)
			store.SetHoster(name, health.Hoster{ConsecutiveFails: 1})
			listed = append(listed, sources.Source{Hoster: name, URL: "https://" + name + "/film.mp4"})
		}
		var mu sync.Mutex
		running, most, tests := 0, 0, 0
		e := &Engine{cfg: Config{Store: store, Logger: sources.OrSilent(nil)}}
		attempts := &sources.Attempts{Store: store, Check: func(context.Context, string) error {
			mu.Lock()
			running++
			tests++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			defer mu.Unlock()
			running--
			return nil
		}}
		e.retest(t.Context(), attempts, retestsOf(listed), many)
		if most != retestsAtOnce || tests != many {
			t.Errorf("%d tests, %d of them at once, want %d and %d", tests, most, many, retestsAtOnce)
		}
	})
}
