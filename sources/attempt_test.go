package sources_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/sourcetest"
)

// at is a source on a hoster.
func at(hoster, name string) sources.Source {
	return sources.Source{ID: hoster + "/" + name, Hoster: hoster, URL: "https://" + hoster + "/" + name}
}

func TestAttemptsReportOnce(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want sources.Class
	}{
		{"ok", nil, sources.ClassOK},
		{"fault", sources.Errorf(sources.ClassHosterFault, "503"), sources.ClassHosterFault},
		{"dead", sources.Errorf(sources.ClassDeadLink, "404"), sources.ClassDeadLink},
		{"unsupported", sources.Errorf(sources.ClassUnsupported, "captcha"), sources.ClassUnsupported},
		{"own deadline", context.DeadlineExceeded, sources.ClassHosterFault},
		{"not classified", errors.New("oops"), sources.ClassBug},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hosters := sourcetest.NewMemory(time.Now)
			a := &sources.Attempts{Store: hosters}
			err := a.Do(t.Context(), at("h.example", "a"), false, func(context.Context) error { return tt.err })
			if !errors.Is(err, tt.err) {
				t.Errorf("got %v, want %v", err, tt.err)
			}
			want := sourcetest.Report{Hoster: "h.example", Class: tt.want}
			if tt.err != nil {
				want.Detail = tt.err.Error()
			}
			if got := hosters.Reports(); !slices.Equal(got, []sourcetest.Report{want}) {
				t.Errorf("reported %+v, want %+v", got, want)
			}
			if hosters.Open() != 0 {
				t.Error("the attempt was not ended")
			}
		})
	}
}

func TestAttemptsTouchNothing(t *testing.T) {
	hosters := sourcetest.NewMemory(time.Now)
	fault := sources.Errorf(sources.ClassHosterFault, "503")
	for name, a := range map[string]*sources.Attempts{"nil": nil, "zero": {}, "store": {Store: hosters}} {
		for _, hoster := range []string{"", link.HosterLocal} {
			if err := a.Do(t.Context(), sources.Source{Hoster: hoster}, false, func(context.Context) error { return fault }); !errors.Is(err, fault) {
				t.Errorf("%s, hoster %q: got %v", name, hoster, err)
			}
		}
	}
	if got := hosters.Reports(); len(got) > 0 {
		t.Errorf("reported %+v", got)
	}
}

func TestAttemptsOfRestingHoster(t *testing.T) {
	hosters := sourcetest.NewMemory(time.Now)
	hosters.Block("h.example", time.Now().Add(time.Minute))
	a := &sources.Attempts{Store: hosters}
	tries := 0
	try := func(context.Context) error { tries++; return nil }
	if err := a.Do(t.Context(), at("h.example", "a"), false, try); !errors.Is(err, sources.ErrHosterResting) || tries != 0 {
		t.Errorf("got %v after %d tries", err, tries)
	}
	if err := a.Do(t.Context(), at("h.example", "a"), true, try); err != nil || tries != 1 {
		t.Errorf("forced: got %v after %d tries", err, tries)
	}
	if got := hosters.Reports(); len(got) != 1 || got[0].Class != sources.ClassOK {
		t.Errorf("reported %+v", got)
	}
}

// TestAttemptsCancelled checks that the caller's end is nobody's fault, whatever
// it looks like from inside.
func TestAttemptsCancelled(t *testing.T) {
	hosters := sourcetest.NewMemory(time.Now)
	a := &sources.Attempts{Store: hosters}
	ctx, cancel := context.WithCancel(t.Context())
	_ = a.Do(ctx, at("h.example", "a"), false, func(context.Context) error {
		cancel()
		return sources.Errorf(sources.ClassHosterFault, "connection reset")
	})
	if got := hosters.Reports(); len(got) != 1 || got[0].Class != sources.ClassCancelled {
		t.Errorf("reported %+v", got)
	}
	if err := a.Do(ctx, at("h.example", "a"), false, func(context.Context) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("already cancelled: got %v", err)
	}
	if hosters.Open() != 0 {
		t.Error("an attempt was not ended")
	}
}

func TestAttemptsPanic(t *testing.T) {
	hosters := sourcetest.NewMemory(time.Now)
	a := &sources.Attempts{Store: hosters}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = a.Do(t.Context(), at("h.example", "a"), false, func(context.Context) error { panic("oops") })
	}()
	if got := hosters.Reports(); len(got) != 1 || got[0].Class != sources.ClassBug {
		t.Errorf("reported %+v", got)
	}
}

func TestAttemptsFailingStore(t *testing.T) {
	hosters := sourcetest.NewMemory(time.Now)
	hosters.SetError(errors.New("disk is full"))
	var log bytes.Buffer
	a := &sources.Attempts{Store: hosters, Logger: slog.New(slog.NewTextHandler(&log, nil))}
	tried := false
	if err := a.Do(t.Context(), at("h.example", "a"), false, func(context.Context) error { tried = true; return nil }); err != nil || !tried {
		t.Errorf("got %v, tried %t", err, tried)
	}
	hosters.SetError(nil)
	err := a.Do(t.Context(), at("h.example", "a"), false, func(context.Context) error {
		hosters.SetError(errors.New("disk is full"))
		return nil
	})
	if err != nil {
		t.Errorf("the attempt fails with its report: %v", err)
	}
	if got := log.String(); strings.Count(got, "disk is full") != 2 || strings.Count(got, "level=WARN") != 2 {
		t.Errorf("logged:\n%s", got)
	}
}

func TestAttemptsCanary(t *testing.T) {
	canary := sources.Canary{Hoster: "good.example", Link: "https://good.example/a"}
	hang := func(ctx context.Context, _ string) error {
		<-ctx.Done()
		return ctx.Err()
	}
	tests := []struct {
		name   string
		check  func(context.Context, string) error
		cancel bool // during the check
		want   sources.Class
		took   time.Duration
	}{
		{"works", func(context.Context, string) error { return nil }, false, sources.ClassOK, 0},
		{"fails", func(context.Context, string) error { return sources.Errorf(sources.ClassHosterFault, "no route") }, false, sources.ClassHosterFault, 0},
		{"hangs", hang, false, sources.ClassHosterFault, 5 * time.Second},
		{"cancelled", hang, true, sources.ClassCancelled, time.Second},
		{"nobody to test it", nil, false, sources.ClassCancelled, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hosters := sourcetest.NewMemory(time.Now)
				hosters.SetCanary(canary)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				a := &sources.Attempts{Store: hosters}
				if tt.check != nil {
					a.Check = func(ctx context.Context, link string) error {
						if link != canary.Link {
							t.Errorf("%q is tested", link)
						}
						return tt.check(ctx, link)
					}
				}
				if tt.cancel {
					time.AfterFunc(time.Second, cancel)
				}
				start := time.Now()
				fault := sources.Errorf(sources.ClassHosterFault, "timeout")
				if err := a.Do(ctx, at("h.example", "a"), false, func(context.Context) error { return fault }); !errors.Is(err, fault) {
					t.Errorf("got %v", err)
				}
				if got := hosters.Canaries(); !slices.Equal(got, []sources.Class{tt.want}) {
					t.Errorf("canaries %v, want %s", got, tt.want)
				}
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %s, want %s", took, tt.took)
				}
			})
		})
	}
}

// Canaries of several hosters are tested one after the other, until one works. Where all
// of them hang, whoever made the attempt waits for them for ten seconds.
func TestAttempts_canaries(t *testing.T) {
	for _, tt := range []struct {
		name  string
		works string // the canary that does; the others hang
		want  []sources.Class
		took  time.Duration
	}{
		{"the first", "c", []sources.Class{sources.ClassOK}, 0},
		{"the last", "a", []sources.Class{sources.ClassHosterFault, sources.ClassHosterFault, sources.ClassOK}, 7500 * time.Millisecond},
		{"none", "", []sources.Class{sources.ClassHosterFault, sources.ClassHosterFault, sources.ClassHosterFault}, 10 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hosters := sourcetest.NewMemory(time.Now)
				works := func(context.Context) error { return nil }
				a := &sources.Attempts{Store: hosters, Check: func(ctx context.Context, link string) error {
					if link == at(tt.works+".example", tt.works).URL {
						return nil
					}
					<-ctx.Done()
					return ctx.Err()
				}}
				for _, name := range []string{"a", "b", "c"} { // c worked last, so it comes first
					if err := a.Do(t.Context(), at(name+".example", name), false, works); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Second)
				}
				fails := func(context.Context) error { return sources.Errorf(sources.ClassHosterFault, "no answer") }
				_ = a.Do(t.Context(), at("bad.example", "bad"), false, fails)
				start := time.Now()
				_ = a.Do(t.Context(), at("worse.example", "worse"), false, fails)
				if got := hosters.Canaries(); !slices.Equal(got, tt.want) {
					t.Errorf("canaries %v, want %v", got, tt.want)
				}
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %s, want %s", took, tt.took)
				}
			})
		})
	}
}

// storeOfCanary stores nothing and wants a canary tested.
type storeOfCanary struct {
	*sourcetest.Memory
	canary sources.Canary
}

var errFull = errors.New("disk is full")

func (s storeOfCanary) EndAttempt(context.Context, sources.Attempt, sources.Class, string) (*sources.Canary, error) {
	return &s.canary, errFull
}

// A report that was held back has its canary tested, which nobody else is asked for,
// and tells what the store says.
func TestAttempts_End(t *testing.T) {
	store := storeOfCanary{sourcetest.NewMemory(time.Now), sources.Canary{Hoster: "good.example", Link: "https://good.example/a"}}
	a := &sources.Attempts{Store: store, Check: func(context.Context, string) error { return nil }}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, want := range []sources.Class{sources.ClassOK, sources.ClassCancelled} {
		if err := a.End(ctx, sources.Attempt{Hoster: "h.example"}, sources.ClassHosterFault, "503"); !errors.Is(err, errFull) {
			t.Errorf("End() = %v, want the error of the store", err)
		}
		if got := store.Canaries(); got[len(got)-1] != want {
			t.Errorf("canaries %v, want the last one %s", got, want)
		}
		cancel()
	}
}
