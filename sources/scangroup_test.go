package sources_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/sourcetest"
)

// group is a ScanGroup with sites that answer after 1, 5 and 9 seconds.
type group struct {
	sources.ScanGroup
	t     *testing.T
	store *sourcetest.Memory
	slow  string              // what of the store takes a minute, "" for nothing
	books *sources.Bookkeeper // of those who come
	sites []*sourcetest.FakeSite
	wg    sync.WaitGroup
}

func newGroup(t *testing.T) *group {
	g := &group{t: t, store: sourcetest.NewMemory(time.Now)}
	for i, key := range []string{"one", "five", "nine"} {
		g.sites = append(g.sites, sourcetest.NewFakeSite(key, sourcetest.After(time.Duration(4*i+1)*time.Second, sourcetest.Answer(linkAt(key, key, "")))))
	}
	return g
}

// outcome is what one caller got, and when.
type outcome struct {
	names, statuses string
	err             error
	took            time.Duration
	heard           []int // sources, as they came
}

// caller scans after a while, for at most so long, on a goroutine of its own.
func (g *group) caller(ctx context.Context, after, timeout time.Duration, change ...func(*sources.Title, *sources.ScanOptions)) *outcome {
	var out outcome
	books := g.books
	g.wg.Go(func() {
		time.Sleep(after)
		title, o := film, sources.ScanOptions{Progress: func(p sources.ScanProgress) {
			if n := len(p.Sources); len(out.heard) == 0 && n > 0 || len(out.heard) > 0 && out.heard[len(out.heard)-1] != n {
				out.heard = append(out.heard, n)
			}
		}}
		for _, c := range change {
			c(&title, &o)
		}
		var sites []sources.Site
		for _, s := range g.sites {
			sites = append(sites, s)
		}
		s := newScanner(slowStore{g.store, g.slow})
		s.Timeout, s.Books = timeout, books
		started := time.Now()
		result, err := g.Scan(ctx, s, title, iface, sites, o)
		out.names, out.statuses, out.err, out.took = names(result), statuses(result.Sites), err, time.Since(started)
	})
	return &out
}

func (g *group) asked(want int) {
	g.t.Helper()
	for _, s := range g.sites {
		if n := len(s.Calls()); n != want {
			g.t.Errorf("site %s was asked %d times, want %d", s.SiteInfo.Key, n, want)
		}
	}
}

// TestScanGroup_joins wants one scan for callers of one moment, who all hear of it.
func TestScanGroup_joins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t)
		first, late := g.caller(t.Context(), 0, 30*time.Second), g.caller(t.Context(), 3*time.Second, 30*time.Second)
		silent := g.caller(t.Context(), 4*time.Second, 30*time.Second, func(_ *sources.Title, o *sources.ScanOptions) { o.Progress = nil })
		g.wg.Wait()
		g.asked(1)
		for name, out := range map[string]*outcome{"first": first, "late": late, "silent": silent} {
			if out.err != nil || out.names != "one five nine" || out.statuses != "one=ok five=ok nine=ok" {
				t.Errorf("%s: %+v", name, out)
			}
		}
		if first.took != 9*time.Second || late.took != 6*time.Second {
			t.Errorf("they took %v and %v", first.took, late.took)
		}
		if want := []int{1, 2, 3}; !slices.Equal(first.heard, want) || !slices.Equal(late.heard, want) {
			t.Errorf("they heard of %v and %v sources", first.heard, late.heard)
		}
	})
}

// A caller that takes its time to hear how a scan goes, or has a bug in that, holds up
// neither the scan nor others. Who comes late hears at once how it stands.
func TestScanGroup_slowListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t)
		listener := func(hear func(sources.ScanProgress)) func(*sources.Title, *sources.ScanOptions) {
			return func(_ *sources.Title, o *sources.ScanOptions) { o.Progress = hear }
		}
		var heard []string
		slow := g.caller(t.Context(), 0, time.Hour, listener(func(p sources.ScanProgress) {
			if p.Done > 0 {
				heard = append(heard, fmt.Sprintf("%d/%d", p.Done, p.Total))
				time.Sleep(20 * time.Second)
			}
		}))
		broken := g.caller(t.Context(), 0, time.Hour, listener(func(sources.ScanProgress) { panic("no terminal") }))
		quick := g.caller(t.Context(), 0, time.Hour)
		var late time.Duration
		began := time.Now()
		g.caller(t.Context(), 7*time.Second, time.Hour, listener(func(p sources.ScanProgress) {
			if late == 0 && len(p.Sources) == 2 && len(p.Waiting) == 1 {
				late = time.Since(began)
			}
		}))
		g.wg.Wait()
		g.asked(1)
		for name, out := range map[string]*outcome{"quick": quick, "broken": broken, "slow": slow} {
			if out.err != nil || out.names != "one five nine" || name != "slow" && out.took != 9*time.Second {
				t.Errorf("%s: %+v", name, out)
			}
		}
		if !slices.Equal(heard, []string{"1/3", "3/3"}) {
			t.Errorf("the slow one heard of %v", heard)
		}
		if late != 7*time.Second {
			t.Errorf("the late one heard how it stands after %s", late)
		}
	})
}

// TestScanGroup_apart wants a scan each for what is not the same question.
func TestScanGroup_apart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t)
		g.caller(t.Context(), 0, 30*time.Second)
		g.caller(t.Context(), 0, 30*time.Second, func(_ *sources.Title, o *sources.ScanOptions) { o.Refresh = true })
		g.caller(t.Context(), 0, 30*time.Second, func(title *sources.Title, _ *sources.ScanOptions) { title.Year++ })
		g.wg.Wait()
		g.asked(3)
	})
}

// TestScanGroup_ownTime wants a caller's time to end its own waiting alone, with what
// has arrived by then.
func TestScanGroup_ownTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t)
		short, long := g.caller(t.Context(), 0, 6*time.Second), g.caller(t.Context(), time.Second/2, 30*time.Second)
		shortest := g.caller(t.Context(), 0, time.Second/2)
		g.wg.Wait()
		g.asked(1)
		if short.err != nil || short.names != "one five" || short.statuses != "one=ok five=ok nine=timeout" || short.took != 6*time.Second {
			t.Errorf("6 s: %+v", short)
		}
		if long.err != nil || long.names != "one five nine" || long.took != 8500*time.Millisecond {
			t.Errorf("30 s: %+v", long)
		}
		if _, ok := errors.AsType[*sources.NoAnswerError](shortest.err); !ok || shortest.took != time.Second/2 {
			t.Errorf("0.5 s: %+v", shortest)
		}
		if resting, err := g.store.RestingSites(t.Context(), iface.URL); err != nil || len(resting) > 0 {
			t.Errorf("a caller's own end counts against %v, %v", resting, err)
		}
	})
}

// TestScanGroup_lastTime wants the last caller's time to end the scan, which is stored
// as far as it came.
func TestScanGroup_lastTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t)
		a, b := g.caller(t.Context(), 0, 2*time.Second), g.caller(t.Context(), 0, 6*time.Second)
		g.wg.Wait()
		if a.names != "one" || b.names != "one five" || b.statuses != "one=ok five=ok nine=timeout" || b.err != nil {
			t.Errorf("%+v and %+v", a, b)
		}
		stored, err := g.store.LoadScan(t.Context(), iface.URL, film)
		if err != nil || stored == nil || len(stored.Answers) != 2 {
			t.Errorf("stored %+v, %v", stored, err)
		}
		synctest.Wait()
	})
}

// TestScanGroup_cancel wants a caller that is cancelled to leave at once, and the
// scan to end with the last one.
func TestScanGroup_cancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t)
		ended := make(chan struct{}, 2)
		hang := sourcetest.NewFakeSite("hang", func(ctx context.Context, _ sources.Title, _ func(sources.Source)) error {
			<-ctx.Done()
			ended <- struct{}{}
			return ctx.Err()
		})
		g.sites = append(g.sites, hang)
		ctx, cancel := context.WithCancel(t.Context())
		gone, last := g.caller(ctx, 0, 30*time.Second), g.caller(ctx, time.Second, 30*time.Second)
		own, cancelOwn := context.WithCancel(t.Context())
		early := g.caller(own, 0, 30*time.Second)
		time.Sleep(2 * time.Second)
		cancelOwn()
		synctest.Wait()
		if !errors.Is(early.err, context.Canceled) || early.names != "one" || early.statuses != "one=ok five=skipped nine=skipped hang=skipped" {
			t.Errorf("the one who left: %+v", early)
		}
		if len(ended) > 0 {
			t.Error("the scan ended while others waited")
		}
		time.Sleep(4 * time.Second)
		cancel()
		g.wg.Wait()
		for name, out := range map[string]*outcome{"first": gone, "last": last} {
			if !errors.Is(out.err, context.Canceled) || out.names != "one five" {
				t.Errorf("%s: %+v", name, out)
			}
		}
		<-ended
		if stored, err := g.store.LoadScan(t.Context(), iface.URL, film); err != nil || stored != nil {
			t.Errorf("a cancelled scan is stored: %+v, %v", stored, err)
		}
		again := g.caller(t.Context(), 0, 3*time.Second)
		g.wg.Wait()
		if again.names != "one" || again.err != nil {
			t.Errorf("the next one: %+v", again)
		}
	})
}

// breaking is a store that has a bug.
type breaking struct{ *sourcetest.Memory }

func (breaking) LoadScan(context.Context, string, sources.Title) (*sources.StoredScan, error) {
	panic("the store broke")
}

// A bug is an error for all who wait, and no end of the process.
func TestScanGroup_panic(t *testing.T) {
	var g sources.ScanGroup
	for range 2 { // and of that scan only
		s := newScanner(breaking{sourcetest.NewMemory(time.Now)})
		_, err := g.Scan(t.Context(), s, film, iface, nil, sources.ScanOptions{})
		if sources.ClassOf(err) != sources.ClassBug {
			t.Errorf("error %v", err)
		}
	}
}

// A caller leaves when it wants to, and at the end of its time, also while the scan
// waits for the store, for others.
func TestScanGroup_leavesASlowStore(t *testing.T) {
	for _, held := range []string{"load", "resting", "touch", "save"} {
		t.Run(held, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGroup(t)
				g.slow = held
				patient := g.caller(t.Context(), 0, time.Hour)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(20*time.Second, cancel)
				gone := g.caller(ctx, time.Second, time.Hour)
				late := g.caller(t.Context(), time.Second, 25*time.Second)
				g.wg.Wait()
				if !errors.Is(gone.err, context.Canceled) || gone.took != 19*time.Second {
					t.Errorf("who was cancelled left after %s with %v", gone.took, gone.err)
				}
				if late.took != 25*time.Second {
					t.Errorf("whose time was over left after %s with %v", late.took, late.err)
				}
				if patient.err != nil || patient.names != "one five nine" || patient.took < time.Minute {
					t.Errorf("who waited got %q after %s, %v", patient.names, patient.took, patient.err)
				}
				g.asked(1)
			})
		})
	}
}

// slowStore is a store one method of which takes a minute.
type slowStore struct {
	*sourcetest.Memory
	slow string
}

func (s slowStore) wait(what string) {
	if s.slow == what {
		time.Sleep(time.Minute)
	}
}

func (s slowStore) LoadScan(ctx context.Context, url string, t sources.Title) (*sources.StoredScan, error) {
	s.wait("load")
	return s.Memory.LoadScan(ctx, url, t)
}

func (s slowStore) RestingSites(ctx context.Context, url string) (map[string]sources.SiteRest, error) {
	s.wait("resting")
	return s.Memory.RestingSites(ctx, url)
}

func (s slowStore) SiteTouch(ctx context.Context, url string, outcomes []sources.SiteOutcome) error {
	s.wait("touch")
	return s.Memory.SiteTouch(ctx, url, outcomes)
}

func (s slowStore) SaveScan(ctx context.Context, url string, t sources.Title, scan sources.StoredScan) error {
	s.wait("save")
	return s.Memory.SaveScan(ctx, url, t, scan)
}

// Who needs all stored at the end does not join a scan that stores behind its answer.
func TestScanGroup_books(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGroup(t)
		g.slow = "save"
		books := new(sources.Bookkeeper)
		g.books = books
		quick := g.caller(t.Context(), 0, time.Hour)
		time.Sleep(time.Second)
		g.books = nil
		whole := g.caller(t.Context(), 0, time.Hour)
		g.wg.Wait()
		if quick.took >= 10*time.Second || whole.took < time.Minute {
			t.Errorf("took %s and %s", quick.took, whole.took)
		}
		if stored, err := g.store.LoadScan(t.Context(), iface.URL, film); stored == nil || err != nil {
			t.Errorf("nothing is stored: %v", err)
		}
		_ = books.Close()
	})
}
