package sources_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/sourcetest"
)

// lockable is a store whose writes wait while it is locked, as those of a database do.
type lockable struct {
	*sourcetest.Memory
	free chan struct{} // closed: it is not locked
}

func newLocked() *lockable {
	return &lockable{Memory: sourcetest.NewMemory(time.Now), free: make(chan struct{})}
}

func (l *lockable) wait(ctx context.Context) error {
	select {
	case <-l.free:
		return nil
	case <-ctx.Done():
		return errors.New("database is locked")
	}
}

func (l *lockable) SiteTouch(ctx context.Context, interfaceURL string, outcomes []sources.SiteOutcome) error {
	if err := l.wait(ctx); err != nil {
		return err
	}
	return l.Memory.SiteTouch(ctx, interfaceURL, outcomes)
}

func (l *lockable) SaveScan(ctx context.Context, interfaceURL string, t sources.Title, scan sources.StoredScan) error {
	if err := l.wait(ctx); err != nil {
		return err
	}
	return l.Memory.SaveScan(ctx, interfaceURL, t, scan)
}

func (l *lockable) PutStream(ctx context.Context, sourceID string, s sources.Stream) error {
	if err := l.wait(ctx); err != nil {
		return err
	}
	return l.Memory.PutStream(ctx, sourceID, s)
}

func (l *lockable) EndAttempt(ctx context.Context, a sources.Attempt, class sources.Class, detail string) (*sources.Canary, error) {
	if err := l.wait(ctx); err != nil {
		return nil, err
	}
	return l.Memory.EndAttempt(ctx, a, class, detail)
}

func TestBookkeeper_Write(t *testing.T) {
	const limit = 2 * time.Second
	tests := []struct {
		name        string
		books       *sources.Bookkeeper
		wait, takes time.Duration
		want        time.Duration
	}{
		{"quick", new(sources.Bookkeeper), time.Minute, 100 * time.Millisecond, 100 * time.Millisecond},
		{"slow", new(sources.Bookkeeper), time.Minute, time.Second, 250 * time.Millisecond},
		{"late answer", new(sources.Bookkeeper), -time.Second, time.Second, 0},
		{"part of the answer", nil, 0, time.Second, time.Second},
		{"part of the answer, locked", nil, 0, time.Hour, limit},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				ctx, cancel := context.WithCancel(t.Context())
				cancel() // whether it ends or not
				var took time.Duration
				tt.books.Write(ctx, tt.wait, limit, func(ctx context.Context) {
					select {
					case <-time.After(tt.takes):
					case <-ctx.Done():
					}
					took = time.Since(start)
				})
				if got := time.Since(start); got != tt.want {
					t.Errorf("waited %s, want %s", got, tt.want)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				if want := min(tt.takes, limit); took != want {
					t.Errorf("the write took %s, want %s", took, want)
				}
			})
		})
	}
}

// Where nobody waits for an answer, a store that is slow loses no write.
func TestBookkeeper_Write_asLongAsTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		start := time.Now()
		var books *sources.Bookkeeper
		books.Write(ctx, 0, 2*time.Second, func(ctx context.Context) { <-ctx.Done() })
		if got, want := time.Since(start), time.Minute+2*time.Second; got != want {
			t.Errorf("the write had %s, want %s", got, want)
		}
	})
}

// A bug in a write ends neither the process nor the writes after it.
func TestBookkeeper_Write_panic(t *testing.T) {
	var log bytes.Buffer
	books := sources.Bookkeeper{Logger: slog.New(slog.NewTextHandler(&log, nil))}
	books.Write(t.Context(), time.Second, time.Second, func(context.Context) { panic("the store broke") })
	written := false
	books.Write(t.Context(), time.Second, time.Second, func(context.Context) { written = true })
	if err := books.Close(); err != nil || !written || !strings.Contains(log.String(), "the store broke") {
		t.Errorf("written %t, %v, log %q", written, err, log.String())
	}
}

// Close waits until a write has heeded that it was broken off, though not for ever.
func TestBookkeeper_Close_heeded(t *testing.T) {
	for heeds, want := range map[time.Duration]time.Duration{100 * time.Millisecond: 350 * time.Millisecond, time.Minute: 500 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			var books sources.Bookkeeper
			books.Write(t.Context(), 0, time.Hour, func(ctx context.Context) {
				<-ctx.Done()
				time.Sleep(heeds)
			})
			start := time.Now()
			if err := books.Close(); err != nil || time.Since(start) != want {
				t.Errorf("closed after %s, want %s; %v", time.Since(start), want, err)
			}
			time.Sleep(time.Hour) // all has ended
		})
	}
}

// suspicious is a store that gives a canary for each fail, after a while.
type suspicious struct {
	*sourcetest.Memory
	takes time.Duration
	ended []sources.Class // of canaries
}

func (s *suspicious) EndAttempt(context.Context, sources.Attempt, sources.Class, string) (*sources.Canary, error) {
	time.Sleep(s.takes)
	return &sources.Canary{Link: "http://canary.example/"}, nil
}

func (s *suspicious) EndCanary(_ context.Context, _ sources.Canary, class sources.Class) (*sources.Canary, error) {
	s.ended = append(s.ended, class)
	return nil, nil
}

// A canary is tested, and given back where the report that got it fell behind.
func TestAttempts_canaryBehind(t *testing.T) {
	for takes, want := range map[time.Duration]sources.Class{0: sources.ClassOK, time.Second: sources.ClassCancelled} {
		synctest.Test(t, func(t *testing.T) {
			store := &suspicious{Memory: sourcetest.NewMemory(time.Now), takes: takes}
			a := &sources.Attempts{Store: store, Books: new(sources.Bookkeeper), Check: func(context.Context, string) error { return nil }}
			src := sources.Source{ID: "a", URL: "http://a.example/", Hoster: "a.example"}
			_ = a.Do(t.Context(), src, false, func(context.Context) error { return errors.New("failed") })
			time.Sleep(time.Minute)
			synctest.Wait()
			if len(store.ended) != 1 || store.ended[0] != want {
				t.Errorf("a report of %s: canaries ended %v, want %s", takes, store.ended, want)
			}
		})
	}
}

func TestBookkeeper_behind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var books sources.Bookkeeper
		start := time.Now()
		var written atomic.Int32
		for range 3 {
			books.Write(t.Context(), time.Minute, time.Minute, func(context.Context) {
				time.Sleep(time.Second)
				written.Add(1)
			})
		}
		if got := time.Since(start); got != 250*time.Millisecond {
			t.Errorf("waited %s, want a moment for the first write alone", got)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		start = time.Now()
		books.Write(t.Context(), time.Minute, time.Minute, func(context.Context) { time.Sleep(100 * time.Millisecond) })
		if got := time.Since(start); got != 100*time.Millisecond || written.Load() != 3 {
			t.Errorf("waited %s, want for the write, as none is behind; %d were made before", got, written.Load())
		}
	})
}

func TestBookkeeper_Close(t *testing.T) {
	tests := []struct {
		name        string
		write, keep time.Duration // how long they take
		want        time.Duration
		ends        string // how they ended, in that order
	}{
		{"in time", 100 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond, "written kept"},
		{"broken off", time.Minute, 100 * time.Millisecond, 250 * time.Millisecond, "kept broken"},
		{"kept", time.Minute, 2 * time.Second, 2 * time.Second, "broken kept"},
		{"not kept for ever", time.Minute, time.Hour, 4 * time.Second, "broken given-up"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var books sources.Bookkeeper
				ends := make(chan string, 2)
				writing := func(takes time.Duration, done, broken string) func(context.Context) {
					return func(ctx context.Context) {
						select {
						case <-time.After(takes):
							ends <- done
						case <-ctx.Done():
							ends <- broken
						}
					}
				}
				start := time.Now()
				books.Write(t.Context(), 0, time.Hour, writing(tt.write, "written", "broken"))
				books.Keep(t.Context(), time.Second, 4*time.Second, writing(tt.keep, "kept", "given-up"))
				if err := books.Close(); err != nil {
					t.Fatal(err)
				}
				if got := time.Since(start); got != tt.want {
					t.Errorf("closing took %s, want %s", got, tt.want)
				}
				if first, second := <-ends, <-ends; first+" "+second != tt.ends {
					t.Errorf("ended as %s, %s, want %s", first, second, tt.ends)
				}
				start = time.Now()
				books.Write(t.Context(), 0, time.Hour, func(ctx context.Context) { <-ctx.Done() })
				if got := time.Since(start); got != 250*time.Millisecond {
					t.Errorf("a write after the end had %s", got)
				}
			})
		})
	}
}

// Writes in turn are made in their order, one at a time, each with its own limit; a bug
// in one ends no other, and nothing waits for them.
func TestBookkeeper_InTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var books sources.Bookkeeper
		var made []string
		writing := func(name string, takes time.Duration) func(context.Context) {
			return func(ctx context.Context) {
				select {
				case <-time.After(takes):
				case <-ctx.Done():
					name += " given up"
				}
				made = append(made, name)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		start := time.Now()
		for _, write := range []func(context.Context){
			writing("slow", 2*time.Second), func(context.Context) { panic("the store broke") }, writing("locked", time.Hour), writing("quick", time.Second),
		} {
			if !books.InTurn(ctx, 3*time.Second, write) {
				t.Error("a write was not taken")
			}
		}
		cancel() // whether it ends or not
		books.Write(t.Context(), time.Minute, time.Minute, func(context.Context) { time.Sleep(100 * time.Millisecond) })
		if got := time.Since(start); got != 100*time.Millisecond {
			t.Errorf("an answer waited %s, want for its own write alone", got)
		}
		if err := books.Wait(t.Context()); err != nil || time.Since(start) != 6*time.Second {
			t.Errorf("all made after %s, %v", time.Since(start), err)
		}
		if want := []string{"slow", "locked given up", "quick"}; !slices.Equal(made, want) {
			t.Errorf("made %q, want %q", made, want)
		}
		if err := books.Wait(ctx); err != nil {
			t.Errorf("waited for nothing: %v", err)
		}
	})
}

// Of those that wait too many are not taken. Close breaks off what is not made.
func TestBookkeeper_InTurn_many(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var books sources.Bookkeeper
		taken := 0
		locked := func(ctx context.Context) { <-ctx.Done() }
		for range 300 {
			if books.InTurn(t.Context(), time.Hour, locked) {
				taken++
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := books.Wait(ctx); taken != 256 || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%d are taken, waited for with %v", taken, err)
		}
		start := time.Now()
		if err := books.Close(); err != nil || time.Since(start) != 250*time.Millisecond {
			t.Errorf("closed after %s, %v", time.Since(start), err)
		}
		if err := books.Wait(ctx); err != nil {
			t.Errorf("not all were broken off: %v", err)
		}
		if books.InTurn(t.Context(), time.Hour, locked) {
			t.Error("a write was taken after the end")
		}
	})
}

// Where nobody keeps the books, a write in turn is part of the answer.
func TestBookkeeper_InTurn_nobody(t *testing.T) {
	var books *sources.Bookkeeper
	made := false
	if taken := books.InTurn(t.Context(), time.Second, func(context.Context) { made = true }); !taken || !made || books.Wait(t.Context()) != nil {
		t.Error("the write was not made")
	}
}

// TestScanner_locked has a list come while the store is locked, and the store hear of
// it afterwards.
func TestScanner_locked(t *testing.T) {
	answer := sourcetest.Answer(linkAt("a", "hd", sources.Quality720p))
	tests := []struct {
		name string
		site sourcetest.SearchFunc
		want time.Duration
		list string
	}{
		{"answered", answer, 250 * time.Millisecond, "hd sd"},
		{"just before the deadline", sourcetest.After(1900*time.Millisecond, answer), 2 * time.Second, "hd sd"},
		{"at the deadline", sourcetest.Hang(), 2 * time.Second, "sd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				store, books := newLocked(), new(sources.Bookkeeper)
				s := newScanner(store)
				s.Books, s.Timeout = books, 2*time.Second
				start := time.Now()
				got := scan(t, s, sources.ScanOptions{}, sourcetest.NewFakeSite("a", tt.site), sourcetest.NewFakeSite("b", sourcetest.Answer(linkAt("b", "sd", sources.QualitySD))))
				if took := time.Since(start); took != tt.want || names(got) != tt.list {
					t.Errorf("%q after %s, want %q at %s", names(got), took, tt.list, tt.want)
				}
				if stored, err := store.LoadScan(t.Context(), iface.URL, film); stored != nil || err != nil {
					t.Errorf("stored already: %v, %v", stored, err)
				}
				close(store.free)
				if err := books.Close(); err != nil {
					t.Fatal(err)
				}
				if stored, err := store.LoadScan(t.Context(), iface.URL, film); stored == nil || err != nil {
					t.Errorf("nothing was stored: %v", err)
				}
			})
		})
	}
}

func TestStreamResolve_locked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, books := newLocked(), new(sources.Bookkeeper)
		r := &sources.StreamResolve{
			Resolvers: []sources.Resolver{&sourcetest.FakeResolver{ResolveFunc: answers}},
			Attempts:  &sources.Attempts{Store: store, Books: books}, Streams: store, Books: books,
		}
		start := time.Now()
		stream, row, _, err := sources.Resolve(t.Context(), r, list("fault", "ok"), 0, sources.ResolveOptions{})
		if took := time.Since(start); err != nil || row != 1 || stream.URL == "" || took != 250*time.Millisecond {
			t.Errorf("row %d, %v after %s, want row 1 after a moment", row, err, took)
		}
		if n := len(store.Reports()); n != 0 {
			t.Errorf("%d reports of a locked store", n)
		}
		close(store.free)
		if err := books.Close(); err != nil {
			t.Fatal(err)
		}
		if n := len(store.Reports()); n != 2 {
			t.Errorf("%d reports, want both", n)
		}
	})
}
