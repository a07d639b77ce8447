package sources_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache/health"
	"xship/sources"
	"xship/sources/sourcetest"
)

// answers is a resolver that answers by the last part of a link: "ok", "dead",
// "fault", "captcha", "bug", "hang", or "other" for a link of another kind.
func answers(ctx context.Context, src sources.Source) (sources.Stream, error) {
	switch src.URL[strings.LastIndexByte(src.URL, '/')+1:] {
	case "ok":
		return sources.Stream{URL: src.URL + "?stream"}, nil
	case "dead":
		return sources.Stream{}, sources.Errorf(sources.ClassDeadLink, "404")
	case "fault":
		return sources.Stream{}, sources.Errorf(sources.ClassHosterFault, "\x1b[31m503")
	case "captcha":
		return sources.Stream{}, sources.Errorf(sources.ClassUnsupported, "captcha")
	case "bug":
		panic("oops")
	case "hang":
		<-ctx.Done()
		return sources.Stream{}, ctx.Err()
	default:
		return sources.Stream{}, sources.ErrNotResponsible
	}
}

func list(names ...string) []sources.Source {
	all := make([]sources.Source, len(names))
	for i, name := range names {
		all[i] = at("h"+string(rune('a'+i))+".example", name)
	}
	return all
}

func TestResolveFallsThrough(t *testing.T) {
	type tried struct {
		n     int
		class sources.Class
		text  string
	}
	tests := []struct {
		name  string
		list  []sources.Source
		start int
		row   int // -1: nothing plays
		tried []tried
		took  time.Duration
	}{
		{"the first plays", list("ok", "ok"), 0, 0, nil, 0},
		{
			"in order, each once", list("dead", "fault", "captcha", "bug", "other", "ok", "ok"), 0, 5,
			[]tried{
				{1, sources.ClassDeadLink, "404"},
				{2, sources.ClassHosterFault, "503"},
				{3, sources.ClassUnsupported, "captcha"},
				{4, sources.ClassBug, "xship has a bug in resolving this source: oops"},
				{5, sources.ClassUnsupported, "https://he.example/other: no resolver knows this kind of link"},
			},
			0,
		},
		{"from the chosen row on", list("ok", "dead", "ok"), 1, 2, []tried{{2, sources.ClassDeadLink, "404"}}, 0},
		{"each bounded", list("hang", "hang", "ok"), 0, 2, []tried{{1, sources.ClassHosterFault, "context deadline exceeded"}, {2, sources.ClassHosterFault, "context deadline exceeded"}}, 20 * time.Second},
		{"nothing plays", list("dead", "captcha"), 0, -1, []tried{{1, sources.ClassDeadLink, "404"}, {2, sources.ClassUnsupported, "captcha"}}, 0},
		{"nothing above is tried", list("ok", "dead"), 1, -1, []tried{{2, sources.ClassDeadLink, "404"}}, 0},
		{"nothing there", nil, 0, -1, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hosters := sourcetest.NewMemory(time.Now)
				r := newResolve(hosters, &sourcetest.FakeResolver{ResolveFunc: answers})
				r.Timeout = 10 * time.Second
				start := time.Now()
				stream, row, gotTried, err := sources.Resolve(t.Context(), r, tt.list, tt.start, sources.ResolveOptions{})
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %s, want %s", took, tt.took)
				}
				if tt.row < 0 {
					var nothing *sources.NothingPlaysError
					if !errors.As(err, &nothing) || len(nothing.Tried) != len(tt.tried) {
						t.Errorf("got %+v, %v", stream, err)
					}
				} else if err != nil || row != tt.row || stream.URL != tt.list[row].URL+"?stream" {
					t.Errorf("got row %d, %+v, %v, want row %d", row, stream, err, tt.row)
				}
				if len(gotTried) != len(tt.tried) {
					t.Fatalf("tried %+v, want %+v", gotTried, tt.tried)
				}
				var want []sourcetest.Report
				for i, x := range tt.tried {
					got := gotTried[i]
					if got.N != x.n || got.Class != x.class || got.Error != x.text || got.Source.ID != tt.list[x.n-1].ID {
						t.Errorf("tried %+v, want %+v", got, x)
					}
					want = append(want, sourcetest.Report{Hoster: tt.list[x.n-1].Hoster, Class: x.class, Detail: x.text})
				}
				if tt.row >= 0 {
					want = append(want, sourcetest.Report{Hoster: tt.list[tt.row].Hoster, Class: sources.ClassOK})
				}
				if diff := cmp.Diff(want, hosters.Reports()); diff != "" {
					t.Errorf("reports (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestResolveAvailable tries what may be tried, and no further source of a hoster that
// fails, also where its fail does not count.
func TestResolveAvailable(t *testing.T) {
	hosters := sourcetest.NewMemory(time.Now)
	hosters.Block("blocked.example", time.Now().Add(time.Hour))
	for _, name := range []string{"busy.example", "bad.example", "gone.example", "good.example"} {
		hosters.SetHoster(name, health.Hoster{ConsecutiveFails: 1})
	}
	if _, began, err := hosters.BeginAttempt(t.Context(), "busy.example", "", false); !began || err != nil {
		t.Fatalf("the other attempt began: %t, %v", began, err)
	}
	resolver := &sourcetest.FakeResolver{ResolveFunc: answers}
	all := []sources.Source{
		at("blocked.example", "ok"), at("busy.example", "ok"), at("bad.example", "fault"), at("bad.example", "ok"),
		at("gone.example", "dead"), at("gone.example", "captcha"),
	}
	r := newResolve(hosters, resolver)
	_, _, tried, err := sources.ResolveAvailable(t.Context(), r, all, sources.ResolveOptions{Force: true})
	if nothing, ok := errors.AsType[*sources.NothingPlaysError](err); !ok || len(nothing.Tried) != 3 || len(tried) != 3 || tried[0].N != 3 || tried[2].N != 6 {
		t.Errorf("tried %+v, %v", tried, err)
	}
	all = append(all, at("good.example", "ok"))
	r = newResolve(hosters, resolver) // which remembers no failure
	if stream, row, _, err := sources.ResolveAvailable(t.Context(), r, all, sources.ResolveOptions{}); err != nil || row != 6 || stream.URL == "" {
		t.Errorf("row %d, %+v, %v", row, stream, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := sources.ResolveAvailable(ctx, r, all, sources.ResolveOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("broken off: %v", err)
	}
}

func TestResolveListCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosters := sourcetest.NewMemory(time.Now)
		resolver := &sourcetest.FakeResolver{ResolveFunc: answers}
		r := newResolve(hosters, resolver)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second, cancel)
		start := time.Now()
		_, _, tried, err := sources.Resolve(ctx, r, list("dead", "hang", "ok"), 0, sources.ResolveOptions{})
		if !errors.Is(err, context.Canceled) || len(tried) != 1 || time.Since(start) != 3*time.Second {
			t.Errorf("got %v after %s, tried %+v", err, time.Since(start), tried)
		}
		if n := len(resolver.Calls()); n != 2 {
			t.Errorf("%d sources were tried, want 2", n)
		}
		if got := hosters.Reports(); len(got) != 2 || got[1].Class != sources.ClassCancelled {
			t.Errorf("reported %+v", got)
		}
	})
}

func TestNothingPlaysError(t *testing.T) {
	for n, want := range map[int]string{0: "there is no source to play", 1: "none of 1 source could be resolved", 2: "none of 2 sources could be resolved"} {
		if got := (&sources.NothingPlaysError{Tried: make([]sources.Tried, n)}).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestResolveChain(t *testing.T) {
	second := &sourcetest.FakeResolver{}
	r := &sources.StreamResolve{Resolvers: []sources.Resolver{&sourcetest.FakeResolver{ResolveFunc: answers}, second}}
	if s, err := r.Resolve(t.Context(), at("h.example", "other"), forced); err != nil || s.URL != "https://h.example/other" {
		t.Errorf("the second resolver gives %+v, %v", s, err)
	}
	if _, err := r.Resolve(t.Context(), at("h.example", "dead"), forced); sources.ClassOf(err) != sources.ClassDeadLink || len(second.Calls()) != 1 {
		t.Errorf("an error of the first: %v, and %d calls of the second", err, len(second.Calls()))
	}
	r = &sources.StreamResolve{}
	src := at("h.example", "a")
	src.URL += "?token=s3cr3t"
	src.Unplayable = "needs a parser"
	if _, err := r.Resolve(t.Context(), src, forced); sources.ClassOf(err) != sources.ClassUnsupported || err.Error() != "https://h.example/a?token=REDACTED: needs a parser" {
		t.Errorf("no resolver: %v", err)
	}
}

func TestResolveStores(t *testing.T) {
	streams := sourcetest.NewMemory(time.Now)
	r := &sources.StreamResolve{Resolvers: []sources.Resolver{&sourcetest.FakeResolver{ResolveFunc: answers}}, Streams: streams}
	for name, want := range map[string]sources.State{
		"ok": sources.StateResolved, "dead": sources.StateDead, "fault": sources.StateFound, "captcha": sources.StateFound, "bug": sources.StateFound,
	} {
		src := at("h.example", name)
		_, _ = r.Resolve(t.Context(), src, forced)
		if got := streams.State(src.ID); got != want {
			t.Errorf("%s: state %s, want %s", name, got, want)
		}
	}
}

// TestResolveManifest asks for the media of manifests, and of nothing else, before they
// are streams.
func TestResolveManifest(t *testing.T) {
	const hls, dash = "application/vnd.apple.mpegurl", "application/dash+xml"
	for name, tt := range map[string]struct {
		mime  string
		err   error
		asked int
		want  sources.Class
		state sources.State
	}{
		"HLS that plays":    {hls, nil, 1, sources.ClassOK, sources.StateResolved},
		"DASH that plays":   {dash, nil, 1, sources.ClassOK, sources.StateResolved},
		"media gone":        {hls, sources.Errorf(sources.ClassDeadLink, "404"), 1, sources.ClassDeadLink, sources.StateDead},
		"media refused":     {dash, sources.Errorf(sources.ClassHosterFault, "503"), 1, sources.ClassHosterFault, sources.StateFound},
		"a page for media":  {hls, sources.ErrPage, 1, sources.ClassOf(sources.ErrPage), sources.StateFound},
		"a film":            {"video/mp4", sources.Errorf(sources.ClassDeadLink, "404"), 0, sources.ClassOK, sources.StateResolved},
		"what nobody knows": {"", sources.Errorf(sources.ClassDeadLink, "404"), 0, sources.ClassOK, sources.StateResolved},
	} {
		t.Run(name, func(t *testing.T) {
			store := sourcetest.NewMemory(time.Now)
			asked := 0
			r := (&sources.StreamResolve{
				Resolvers: []sources.Resolver{&sourcetest.FakeResolver{ResolveFunc: func(_ context.Context, src sources.Source) (sources.Stream, error) {
					return sources.Stream{URL: src.URL, MIME: tt.mime}, nil
				}}},
				Attempts: &sources.Attempts{},
				Manifest: func(context.Context, sources.Stream) error {
					asked++
					return tt.err
				},
			}).With(store, store)
			src := at("h.example", "a")
			_, err := r.Resolve(t.Context(), src, forced)
			if got := sources.ClassOf(err); got != tt.want || asked != tt.asked || store.State(src.ID) != tt.state {
				t.Errorf("got %s %v, state %s, asked %d times, want %s, %s, %d", got, err, store.State(src.ID), asked, tt.want, tt.state, tt.asked)
			}
			if _, err := r.Resolve(t.Context(), src, forced); err == nil && asked != tt.asked {
				t.Errorf("a stored stream was asked for its media")
			}
		})
	}
}

func TestResolveFailingStore(t *testing.T) {
	streams := sourcetest.NewMemory(time.Now)
	streams.SetError(errors.New("disk is full"))
	var log bytes.Buffer
	r := &sources.StreamResolve{
		Resolvers: []sources.Resolver{&sourcetest.FakeResolver{}}, Streams: streams, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	}
	if _, err := r.Resolve(t.Context(), at("h.example", "a"), forced); err != nil {
		t.Errorf("got %v", err)
	}
	if got := log.String(); strings.Count(got, "disk is full") != 2 {
		t.Errorf("logged:\n%s", got)
	}
}

func TestResolveRestingHoster(t *testing.T) {
	hosters := sourcetest.NewMemory(time.Now)
	hosters.Block("h.example", time.Now().Add(time.Hour))
	resolver := &sourcetest.FakeResolver{}
	r := newResolve(hosters, resolver)
	src := at("h.example", "a")
	if _, err := r.Resolve(t.Context(), src, sources.ResolveOptions{}); !errors.Is(err, sources.ErrHosterResting) || len(resolver.Calls()) != 0 {
		t.Errorf("in the background: %v, %d calls", err, len(resolver.Calls()))
	}
	if _, err := r.Resolve(t.Context(), src, forced); err != nil || len(resolver.Calls()) != 1 {
		t.Errorf("forced: %v, %d calls", err, len(resolver.Calls()))
	}
}

// statusError is an answer of that status.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

func (e statusError) HTTPStatus() int { return int(e) }

func (e statusError) Class() sources.Class {
	if e == 404 {
		return sources.ClassDeadLink
	}
	return sources.ClassHosterFault
}

func TestResolveStoredStream(t *testing.T) {
	const old, fresh = "https://cdn.example/old", "https://h.example/a"
	answers := func(status int) func(context.Context, sources.Stream) error {
		return func(context.Context, sources.Stream) error { return statusError(status) }
	}
	hour := time.Hour
	tests := []struct {
		name    string
		expires time.Duration // from now, 0 = not known
		age     time.Duration
		check   func(context.Context, sources.Stream) error
		want    string
		checks  int
		classes []sources.Class // reported
	}{
		{"works", 0, time.Minute, func(context.Context, sources.Stream) error { return nil }, old, 1, []sources.Class{sources.ClassOK}},
		{"expires later", 2 * hour, 90 * time.Minute, func(context.Context, sources.Stream) error { return nil }, old, 1, []sources.Class{sources.ClassOK}},
		{"refused", 0, time.Minute, answers(403), fresh, 1, []sources.Class{sources.ClassDeadLink, sources.ClassOK}},
		{"gone", 0, time.Minute, answers(404), fresh, 1, []sources.Class{sources.ClassDeadLink, sources.ClassOK}},
		// These are faults of this attempt, and no reason to forget the stream.
		{"broken", 0, time.Minute, answers(503), "", 1, []sources.Class{sources.ClassHosterFault}},
		{"not asked", 0, time.Minute, func(context.Context, sources.Stream) error {
			return sources.Errorf(sources.ClassCancelled, "the host was busy")
		}, "", 1, []sources.Class{sources.ClassCancelled}},
		{"panic", 0, time.Minute, func(context.Context, sources.Stream) error { panic("oops") }, "", 1, []sources.Class{sources.ClassBug}},
		{"hangs", 0, time.Minute, func(ctx context.Context, _ sources.Stream) error {
			<-ctx.Done()
			return ctx.Err()
		}, "", 1, []sources.Class{sources.ClassHosterFault}},
		{"expired", -time.Second, time.Minute, nil, fresh, 0, []sources.Class{sources.ClassOK}},
		{"old", 0, hour, nil, fresh, 0, []sources.Class{sources.ClassOK}},
		{"not checked", 0, time.Minute, nil, old, 0, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				hosters := sourcetest.NewMemory(time.Now)
				resolver := &sourcetest.FakeResolver{}
				r := newResolve(hosters, resolver)
				src := at("h.example", "a")
				stored := sources.Stream{URL: old}
				if tt.expires != 0 {
					stored.ExpiresAt = time.Now().Add(tt.age + tt.expires)
				}
				if err := r.Streams.PutStream(t.Context(), src.ID, stored); err != nil {
					t.Fatal(err)
				}
				time.Sleep(tt.age)
				checks := 0
				if tt.check != nil {
					r.Check = func(ctx context.Context, s sources.Stream) error {
						checks++
						if s.URL != old {
							t.Errorf("%q is checked", s.URL)
						}
						return tt.check(ctx, s)
					}
				}
				s, err := r.Resolve(t.Context(), src, forced)
				if (err != nil) != (tt.want == "") || s.URL != tt.want {
					t.Errorf("got %+v, %v, want %q", s, err, tt.want)
				}
				if calls := len(resolver.Calls()); checks != tt.checks || (calls == 1) != (tt.want == fresh) {
					t.Errorf("%d checks and %d calls", checks, calls)
				}
				var classes []sources.Class
				for _, report := range hosters.Reports() {
					classes = append(classes, report.Class)
				}
				if !slices.Equal(classes, tt.classes) {
					t.Errorf("reported %v, want %v", classes, tt.classes)
				}
				kept, err := r.Streams.CachedStream(t.Context(), src.ID)
				want := tt.want
				if want == "" {
					want = old
				}
				if err != nil || kept == nil || kept.URL != want {
					t.Errorf("stored is %+v, %v, want %s", kept, err, want)
				}
			})
		})
	}
}

// TestResolveStoredStreamCancelled checks that a stream whose check the user
// ended is not forgotten.
func TestResolveStoredStreamCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosters := sourcetest.NewMemory(time.Now)
		resolver := &sourcetest.FakeResolver{ResolveFunc: answers}
		r := newResolve(hosters, resolver)
		src := at("h.example", "hang")
		if err := r.Streams.PutStream(t.Context(), src.ID, sources.Stream{URL: "https://cdn.example/a"}); err != nil {
			t.Fatal(err)
		}
		r.Check = func(ctx context.Context, _ sources.Stream) error {
			<-ctx.Done()
			return ctx.Err()
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := r.Resolve(ctx, src, forced); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if s, err := r.Streams.CachedStream(t.Context(), src.ID); err != nil || s == nil {
			t.Errorf("stored is %+v, %v", s, err)
		}
		if got := hosters.Reports(); len(got) == 0 || slices.ContainsFunc(got, func(x sourcetest.Report) bool { return x.Class != sources.ClassCancelled }) {
			t.Errorf("reported %+v", got)
		}
	})
}

func TestStoredStreamFresh(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	resolved := func(ago, expires time.Duration) *sources.StoredStream {
		s := &sources.StoredStream{ResolvedAt: now.Add(-ago)}
		if expires != 0 {
			s.ExpiresAt = now.Add(expires)
		}
		return s
	}
	tests := []struct {
		name string
		s    *sources.StoredStream
		want bool
	}{
		{"none", nil, false},
		{"young", resolved(time.Minute, 0), true},
		{"just too old", resolved(time.Hour, 0), false},
		{"from the future", resolved(-time.Minute, time.Hour), false},
		{"expires later", resolved(2*time.Hour, time.Second), true},
		{"expired", resolved(time.Minute, -time.Second), false},
	}
	for _, tt := range tests {
		if got := tt.s.Fresh(now, time.Hour); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}

// forced resolves what a user clicks.
var forced = sources.ResolveOptions{Force: true}

// TestResolve_needs keeps with a source what it turned out to need.
func TestResolve_needs(t *testing.T) {
	title := sources.Title{Kind: sources.KindMovie, Name: "A"}
	src := sources.Source{URL: "https://h.example/f", Hoster: "h.example"}
	src.ID = sources.SourceID(title, src.URL)
	for name, tt := range map[string]struct {
		err  error
		want string
	}{
		"a need":             {&sources.NeedsError{Needs: sources.NeedsAccount, Err: sources.ErrPage}, sources.NeedsAccount},
		"wrapped":            {fmt.Errorf("GET: %w", &sources.NeedsError{Needs: "a parser", Err: sources.ErrPage}), "a parser"},
		"else not supported": {sources.Errorf(sources.ClassUnsupported, "unknown data"), ""},
		"a fault":            {sources.Errorf(sources.ClassHosterFault, "503"), ""},
		"it works":           {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			store := sourcetest.NewMemory(time.Now)
			scan := sources.StoredScan{ScannedAt: time.Now(), Answers: []sources.SiteAnswer{{Site: "one", SeenAt: time.Now(), Sources: []sources.Source{src}}}}
			if err := store.SaveScan(t.Context(), "i", title, scan); err != nil {
				t.Fatal(err)
			}
			resolver := &sourcetest.FakeResolver{ResolveFunc: func(context.Context, sources.Source) (sources.Stream, error) {
				return sources.Stream{URL: "https://cdn.example/a"}, tt.err
			}}
			r := &sources.StreamResolve{Resolvers: []sources.Resolver{resolver}, Attempts: &sources.Attempts{Store: store}, Streams: store}
			if _, err := r.Resolve(t.Context(), src, sources.ResolveOptions{}); (err == nil) != (tt.err == nil) {
				t.Error(err)
			}
			stored, err := store.LoadScan(t.Context(), "i", title)
			if err != nil {
				t.Fatal(err)
			}
			if got := stored.Answers[0].Sources[0].Needs; got != tt.want {
				t.Errorf("it needs %q, want %q", got, tt.want)
			}
		})
	}
}
