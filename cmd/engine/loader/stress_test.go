package loader_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"xship/cmd/engine/loader"
	"xship/config/failover"
)

// TestManyCallers has 64 callers load, choose, order, change the mode and leave at
// random, over interfaces that break and hang. Each gets an answer of its own
// question, in its own time, and nothing is left behind.
func TestManyCallers(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	modes := []failover.Mode{failover.Auto, failover.Auto, failover.Manual, failover.Off}
	rounds := 300
	if testing.Short() {
		rounds = 50
	}
	synctest.Test(t, func(t *testing.T) {
		c := newCrowd(t, names...)
		c.MaxAge = 2 * time.Second
		var wg sync.WaitGroup
		for seed := range uint64(64) {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(seed, 1))
				name := func() string { return names[r.IntN(len(names))] }
				for range rounds {
					switch r.IntN(12) {
					case 0:
						c.use(name())
					case 1:
						c.mode(modes[r.IntN(len(modes))])
					case 2:
						_ = c.Order.SetOrder([]string{c.url(name()), c.url(name()), c.url(name())})
					case 3:
						c.breaks(name())
					case 4, 5:
						c.mends(name())
					case 6:
						at := name()
						release := c.hold(at)
						time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond)
						release()
					default:
						c.loadAtRandom(r, name)
					}
					time.Sleep(time.Duration(r.IntN(300)) * time.Millisecond) // of the bubble
				}
			})
		}
		wg.Wait()
		if n := c.Waiting(); n != 0 {
			t.Errorf("%d still wait", n)
		}
		if err := c.Books.Close(); err != nil {
			t.Error(err)
		}
	}) // which fails where a goroutine is left
}

// loadAtRandom makes a load, and checks that what comes is its own.
func (c *crowd) loadAtRandom(r *rand.Rand, name func() string) {
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	req := loader.Request{Refresh: r.IntN(3) == 0}
	longest := time.Hour
	switch r.IntN(4) {
	case 0:
		longest = time.Duration(1+r.IntN(4000)) * time.Millisecond
		time.AfterFunc(longest, cancel)
	case 1:
		longest = time.Duration(1+r.IntN(4000)) * time.Millisecond
		req.Limit = longest
	case 2:
		req.Ref = name()
	}
	if r.IntN(2) == 0 {
		thinks, chosen := time.Duration(r.IntN(2000))*time.Millisecond, r.IntN(3)
		req.Ask = func(ctx context.Context, q loader.Question) (loader.Answer, error) {
			select {
			case <-time.After(thinks):
			case <-ctx.Done():
				return loader.Answer{}, ctx.Err()
			}
			if chosen >= len(q.Candidates) {
				return loader.Answer{Cancel: true}, nil
			}
			return loader.Answer{URL: q.Candidates[chosen].URL}, nil
		}
	}
	returned := false
	var told []loader.Event
	req.Loaded = func(e loader.Event) { told = append(told, e) }
	req.Announce = func(loader.Switch) {
		if returned {
			c.Error("a switch was announced to one who had left")
		}
	}
	began := time.Now()
	result, err := c.Load(ctx, req)
	returned = true
	waited := time.Since(began) - result.Waited
	switch {
	case ctx.Err() != nil || errors.Is(err, loader.ErrRetired):
		if len(told) > 0 || !errors.Is(err, context.Canceled) {
			c.Errorf("left with %v, told %d ends", err, len(told))
		}
		return
	case len(told) != 1:
		c.Errorf("told %d ends", len(told))
	case err == nil && (len(result.Sites) != 1 || result.Sites[0].Key != result.Interface.URL):
		c.Errorf("the interface %s has the sites %+v", result.Interface.URL, result.Sites)
	case err == nil && req.Ref != "" && result.Interface.Name != req.Ref && !slices.Contains(result.FailedOverFrom, c.url(req.Ref)):
		c.Errorf("asked for %s, got %s", req.Ref, result.Interface.Name)
	case err != nil && !strings.Contains(err.Error(), "HTTP status 503") && !strings.Contains(err.Error(), "in time") && !strings.Contains(err.Error(), "got no answer within"):
		c.Errorf("got %v", err)
	}
	if err == nil && waited > longest {
		c.Errorf("took %s of %s", waited, longest)
	}
}
