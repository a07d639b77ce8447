package debrid_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/debrid"
	"xship/sources/sourcetest/debridfake"
)

var hang = debridfake.Answer{Hang: true}

func TestServes(t *testing.T) {
	forServices(t, func(t *testing.T, s fakeService) {
		s.SetHosters("www.rapid.example", "files.turbo.example", "Rapid.Example", "", "no domain", "*.wild.example", "münchen.example")
		b := newBench(t, s)
		p := b.provider(t, s.name)
		if _, known := p.Serves(t.Context(), s.account(), "rapid.example"); known {
			t.Error("Serves knows without having asked")
		}
		for hoster, want := range map[string]bool{
			"rapid.example": true, "turbo.example": true, "wild.example": true, "xn--mnchen-3ya.example": true,
			"other.example": false, "": false, "example": false,
		} {
			got, err := p.Supports(t.Context(), s.account(), hoster)
			if err != nil || got != want {
				t.Errorf("Supports(%q) = %t, %v, want %t", hoster, got, err, want)
			}
			if serves, known := p.Serves(t.Context(), s.account(), hoster); !known || serves != want {
				t.Errorf("Serves(%q) = %t, %t, want %t, true", hoster, serves, known, want)
			}
		}
		if n := s.lists(); n != 1 {
			t.Errorf("asked %d times, want once", n)
		}
	})
}

func TestHostersAreKeptFor8Hours(t *testing.T) {
	forServices(t, func(t *testing.T, s fakeService) {
		b := newBench(t, s)
		p := b.provider(t, s.name)
		ask := func() {
			var wg sync.WaitGroup
			for range 50 {
				wg.Go(func() {
					if ok, err := p.Supports(t.Context(), s.account(), "rapid.example"); err != nil || !ok {
						t.Errorf("Supports = %t, %v", ok, err)
					}
				})
			}
			wg.Wait()
		}
		for i, wait := range []time.Duration{0, 8*time.Hour - time.Second, time.Second} {
			time.Sleep(wait)
			ask()
			if n, want := s.lists(), []int{1, 1, 2}[i]; n != want {
				t.Errorf("after another %s: asked %d times, want %d", wait, n, want)
			}
		}
	})
}

func TestHostersFailing(t *testing.T) {
	forServices(t, func(t *testing.T, s fakeService) {
		b := newBench(t, s)
		p := b.provider(t, s.name)
		s.Set("", debridfake.Answer{Status: 500})
		for range 3 {
			_, err := p.Supports(t.Context(), s.account(), "rapid.example")
			want{kind: cooling, cooldown: outage}.check(t, err)
		}
		if n := s.lists(); n != 1 {
			t.Errorf("asked %d times, want once: many links ask one after the other", n)
		}
		time.Sleep(10 * time.Second)
		s.Work()
		if ok, err := p.Supports(t.Context(), s.account(), "rapid.example"); err != nil || !ok {
			t.Fatalf("Supports = %t, %v, want true", ok, err)
		}
		time.Sleep(9 * time.Hour)
		s.Set("", debridfake.Answer{Status: 500})
		if ok, err := p.Supports(t.Context(), s.account(), "rapid.example"); err != nil || !ok {
			t.Errorf("Supports = %t, %v, want the old list", ok, err)
		}
		if _, known := p.Serves(t.Context(), s.account(), "rapid.example"); known {
			t.Error("Serves knows from a list that is too old")
		}
	})
}

// A failure is not told again once what it asked for is over, nor where the
// account may have been put in order meanwhile.
func TestHostersFailingForAMoment(t *testing.T) {
	forServices(t, func(t *testing.T, s fakeService) {
		b := newBench(t, s)
		p := b.provider(t, s.name)
		supports := func(want bool) {
			t.Helper()
			if ok, err := p.Supports(t.Context(), s.account(), "rapid.example"); ok != want || (err == nil) != want {
				t.Errorf("Supports = %t, %v, want %t", ok, err, want)
			}
		}
		s.Set("", debridfake.Answer{Status: 429, Header: http.Header{"Retry-After": {"7"}}})
		supports(false)
		s.Set("", debridfake.Answer{Status: 401})
		time.Sleep(6 * time.Second)
		supports(false)
		if n := s.lists(); n != 1 {
			t.Errorf("asked %d times within the 7 s, want once", n)
		}
		time.Sleep(time.Second)
		supports(false)
		s.Work()
		supports(true)
		if n := s.lists(); n != 3 {
			t.Errorf("asked %d times, want 3", n)
		}
		time.Sleep(9 * time.Hour)
		other := s.account()
		other.User++ // whose list is not known
		s.Set("", debridfake.Answer{Status: 403, Body: "{}"})
		for range 3 {
			_, err := p.Supports(t.Context(), other, "rapid.example")
			want{kind: badAuth}.check(t, err)
		}
		if n := s.lists(); n != 4 {
			t.Errorf("a list that is no more was asked for %d times, want once", n-3)
		}
	})
}

// countedHosters is a HosterCache that counts how often it is read.
type countedHosters struct {
	at    time.Time // of its list
	reads int
}

func (c *countedHosters) ProviderHosters(context.Context, sources.CooldownKey) ([]string, time.Time, error) {
	c.reads++
	return []string{"rapid.example"}, c.at, nil
}

func (*countedHosters) PutProviderHosters(context.Context, sources.CooldownKey, []string, time.Time) error {
	return nil
}

// The list is read once, not for each link.
func TestHosterCacheIsReadOnce(t *testing.T) {
	forServices(t, func(t *testing.T, s fakeService) {
		cache := &countedHosters{at: time.Now().Add(-time.Hour)}
		p := newBench(t, s, func(o *debrid.Options) { o.Hosters = cache }).provider(t, s.name)
		for range 100 {
			if serves, known := p.Serves(t.Context(), s.account(), "rapid.example"); !serves || !known {
				t.Fatalf("Serves = %t, %t", serves, known)
			}
		}
		time.Sleep(7 * time.Hour)
		if _, known := p.Serves(t.Context(), s.account(), "rapid.example"); known {
			t.Error("Serves knows from a list that is 8 h old")
		}
		if cache.reads != 2 || s.lists() != 0 {
			t.Errorf("read %d times and asked %d times, want 2 and 0", cache.reads, s.lists())
		}
	})
}

func TestNoHostersAreNotKept(t *testing.T) {
	forServices(t, func(t *testing.T, s fakeService) {
		s.SetHosters()
		b := newBench(t, s)
		p := b.provider(t, s.name)
		for range 3 {
			if ok, err := p.Supports(t.Context(), s.account(), "rapid.example"); err != nil || ok {
				t.Errorf("Supports = %t, %v, want false", ok, err)
			}
		}
		s.SetHosters("rapid.example")
		time.Sleep(10 * time.Second)
		if ok, err := p.Supports(t.Context(), s.account(), "rapid.example"); err != nil || !ok {
			t.Errorf("Supports = %t, %v, want true", ok, err)
		}
		if n := s.lists(); n != 2 {
			t.Errorf("asked %d times, want twice", n)
		}
	})
}

// brokenHosters is a HosterCache that fails.
type brokenHosters struct{}

func (brokenHosters) ProviderHosters(context.Context, sources.CooldownKey) ([]string, time.Time, error) {
	return nil, time.Time{}, errors.New("the disk is full")
}

func (brokenHosters) PutProviderHosters(context.Context, sources.CooldownKey, []string, time.Time) error {
	return errors.New("the disk is full")
}

func TestHosterCacheFailing(t *testing.T) {
	forServices(t, func(t *testing.T, s fakeService) {
		b := newBench(t, s, func(o *debrid.Options) { o.Hosters = brokenHosters{} })
		if ok, err := b.provider(t, s.name).Supports(t.Context(), s.account(), "rapid.example"); err != nil || !ok {
			t.Errorf("Supports = %t, %v, want true", ok, err)
		}
		if !strings.Contains(b.log.String(), "the disk is full") {
			t.Errorf("the log does not tell:\n%s", b.log)
		}
	})
}

// One who leaves does not end the request that others wait for.
func TestHostersSurviveTheFirst(t *testing.T) {
	forServices(t, func(t *testing.T, s fakeService) {
		release := make(chan struct{})
		b := newBench(t, s, func(o *debrid.Options) {
			next := o.Call
			o.Call = gated(next, release)
		})
		p := b.provider(t, s.name)
		ctx, leave := context.WithCancel(t.Context())
		first := make(chan error, 1)
		go func() {
			_, err := p.Supports(ctx, s.account(), "rapid.example")
			first <- err
		}()
		synctest.Wait()
		second := make(chan error, 1)
		go func() {
			_, err := p.Supports(t.Context(), s.account(), "rapid.example")
			second <- err
		}()
		synctest.Wait()
		leave()
		if err := <-first; !errors.Is(err, context.Canceled) {
			t.Errorf("the first got %v, want context.Canceled", err)
		}
		close(release)
		if err := <-second; err != nil {
			t.Errorf("the second got %v", err)
		}
		if n := s.lists(); n != 1 {
			t.Errorf("asked %d times, want once", n)
		}
	})
}
