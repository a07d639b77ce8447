package debrid_test

import (
	"context"
	"errors"
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
		if n := s.Calls(""); n != 1 {
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
			if n, want := s.Calls(""), []int{1, 1, 2}[i]; n != want {
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
		if n := s.Calls(""); n != 1 {
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
		if n := s.Calls(""); n != 2 {
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
		if n := s.Calls(""); n != 1 {
			t.Errorf("asked %d times, want once", n)
		}
	})
}
