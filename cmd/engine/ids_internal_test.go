package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"xship/config"
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/ids"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

// idsRig is an engine beside an id service.
type idsRig struct {
	*Engine
	testing.TB
	store   *sourcetest.Memory
	service *world.IDs
	notices []string
}

// newIDsRig starts an engine and an id service that knows the titles. Settings are given
// beside those of the service.
func newIDsRig(t *testing.T, settings map[string]any, titles ...world.IDTitle) *idsRig {
	t.Helper()
	w, err := world.Start(t.Context(), world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	r := &idsRig{TB: t, store: sourcetest.NewMemory(time.Now)}
	if r.service, err = w.AddIDs("ids", titles...); err != nil {
		t.Fatal(err)
	}
	r.open(t, settings)
	return r
}

// open opens the engine, as another process would where there is one already.
func (r *idsRig) open(t *testing.T, settings map[string]any) {
	t.Helper()
	overrides := map[string]any{"ids.url": r.service.URL(), "resolve.ytdlp": "off"}
	maps.Copy(overrides, settings)
	loaded, err := config.Load(config.LoadOptions{Overrides: overrides})
	if err != nil {
		t.Fatal(err)
	}
	r.Engine, err = Open(Config{Settings: loaded, Store: r.store, DataDir: t.TempDir(), Notice: func(n string) { r.notices = append(r.notices, n) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
}

// scanWith scans with a site that wants an IMDb id, and gives what that was asked for.
func (r *idsRig) scanWith(ctx context.Context, req ScanRequest) (sources.ScanResult, []string) {
	r.Helper()
	site := sourcetest.NewFakeSite("addon", sourcetest.Answer(sources.Source{URL: "https://h.example/a.mp4", Name: "a"}))
	site.SiteInfo.WantsIMDb = true
	scanner := &sources.Scanner{Store: r.store, CacheTTL: time.Hour, Facts: r.facts(req), Choose: r.choose(ctx, req)}
	result, err := scanner.Scan(ctx, req.Title, sources.Interface{URL: "http://if.example"}, []sources.Site{site}, sources.ScanOptions{Refresh: req.Refresh})
	if noAnswer := new(sources.NoAnswerError); err != nil && !errors.As(err, &noAnswer) {
		r.Fatal(err)
	}
	var asked []string
	for _, t := range site.Calls() {
		asked = append(asked, t.IMDb)
	}
	return result, asked
}

func lanterns() []world.IDTitle {
	return []world.IDTitle{
		{ID: "tt9900001", Name: "Paper Lanterns", ReleaseInfo: "2014", Runtime: "94 min"},
		{ID: "tt9900002", Name: "Paper Lanterns", ReleaseInfo: "1988", Runtime: "1h 20min"},
		{ID: "tt9900003", Name: "Tin Whistle", ReleaseInfo: "1999", OriginalName: "Blechflöte"},
	}
}

func movie(name string, year int) sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: name, Year: year}
}

// TestFacts asks the id service for what a scan wants, and tells the user once.
func TestFacts(t *testing.T) {
	r := newIDsRig(t, nil, lanterns()...)
	for _, c := range []struct {
		title   sources.Title
		want    string
		guessed bool
		minutes int
	}{
		{movie("Tin Whistle", 0), "tt9900003", false, 0},
		{movie("Paper Lanterns", 1988), "tt9900002", false, 80},
		{movie("Paper Lanterns", 0), "tt9900001", true, 94},
		{movie("Paper Lanterns", 2015), "tt9900001", true, 94},
		{movie("Nobody's Film", 0), "", false, 0},
	} {
		result, asked := r.scanWith(t.Context(), ScanRequest{Title: c.title})
		if c.want == "" {
			if len(asked) != 0 || !strings.HasPrefix(result.Sites[0].Error, "no IMDb id is known") || result.Facts != nil {
				t.Errorf("%s: asked %q, %+v", c.title, asked, result.Sites)
			}
			continue
		}
		if !slices.Equal(asked, []string{c.want}) || result.Facts == nil || result.Facts.IMDb != c.want || guessed(c.title, result.Facts) != c.guessed {
			t.Errorf("%s: asked %q, %+v", c.title, asked, result.Facts)
			continue
		}
		if got := int(result.Facts.Runtime.Minutes()); got != c.minutes || result.Facts.Exact {
			t.Errorf("%s: %+v", c.title, result.Facts)
		}
	}
	if len(r.notices) != 1 || !strings.Contains(r.notices[0], r.service.IP()) || !strings.Contains(r.notices[0], "ids.enabled: false turns that off") {
		t.Errorf("told: %q", r.notices)
	}
	// Another process knows what was said, and what was answered.
	before := r.service.Requests()
	r.open(t, nil)
	if _, asked := r.scanWith(t.Context(), ScanRequest{Title: movie("Paper Lanterns", 1988), Refresh: true}); !slices.Equal(asked, []string{"tt9900002"}) || r.service.Requests() != before {
		t.Errorf("asked %q after %d more requests", asked, r.service.Requests()-before)
	}
	if _, asked := r.scanWith(t.Context(), ScanRequest{Title: movie("Another", 0)}); len(asked) != 0 || r.service.Requests() == before || len(r.notices) != 1 {
		t.Errorf("asked %q, told %q", asked, r.notices)
	}
}

// TestFacts_off asks nobody where the settings say so, and tells why a site is left out.
func TestFacts_off(t *testing.T) {
	r := newIDsRig(t, map[string]any{"ids.enabled": false}, lanterns()...)
	result, asked := r.scanWith(t.Context(), ScanRequest{Title: movie("Tin Whistle", 0)})
	if len(asked) != 0 || result.Sites[0].Status != sources.SiteSkipped || !strings.HasPrefix(result.Sites[0].Error, "ids.enabled is false") {
		t.Errorf("asked %q, %+v", asked, result.Sites)
	}
	withID := movie("Tin Whistle", 0)
	withID.IMDb = "tt9900003"
	if _, asked := r.scanWith(t.Context(), ScanRequest{Title: withID}); !slices.Equal(asked, []string{"tt9900003"}) {
		t.Errorf("asked %q for a title with an id", asked)
	}
	if n := r.service.Requests(); n != 0 || len(r.notices) != 0 {
		t.Errorf("%d requests, told %q", n, r.notices)
	}
}

// TestFacts_fails leaves the site out while the service fails, and asks it no more for a
// while.
func TestFacts_fails(t *testing.T) {
	r := newIDsRig(t, nil, lanterns()...)
	r.service.SetMode(world.Mode500)
	for range 2 {
		result, asked := r.scanWith(t.Context(), ScanRequest{Title: movie("Tin Whistle", 0)})
		if len(asked) != 0 || !strings.Contains(result.Sites[0].Error, "id service") || !strings.HasSuffix(result.Sites[0].Error, "give the IMDb id with --imdb") {
			t.Errorf("asked %q, %+v", asked, result.Sites)
		}
	}
	if n := r.service.Requests(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestFacts_hangs keeps an id that was chosen where the service has no time to tell more.
func TestFacts_hangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := sourcetest.NewMemory(time.Now)
		service := ids.New(ids.Options{Answers: store, Get: func(ctx context.Context, _ fetch.Request) (*fetch.Response, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}})
		title := movie("Paper Lanterns", 0)
		if err := service.Choose(t.Context(), title, "tt9900001"); err != nil {
			t.Fatal(err)
		}
		e := &Engine{ids: onceOf(func() (*ids.Service, error) { return service, nil })}
		site := sourcetest.NewFakeSite("addon", sourcetest.Answer(sources.Source{URL: "https://h.example/a.mp4", Name: "a"}))
		site.SiteInfo.WantsIMDb = true
		scanner := &sources.Scanner{Facts: e.facts(ScanRequest{Title: title})}
		result, err := scanner.Scan(t.Context(), title, sources.Interface{URL: "http://if.example"}, []sources.Site{site}, sources.ScanOptions{})
		if err != nil || result.Facts == nil || result.Facts.IMDb != "tt9900001" || !result.Facts.Exact || result.Elapsed >= 3*time.Second {
			t.Errorf("%+v after %s, %v", result.Facts, result.Elapsed, err)
		}
	})
}

// TestChoose asks the user which title is meant, once, until all is asked again.
func TestChoose(t *testing.T) {
	r := newIDsRig(t, nil, lanterns()...)
	title := movie("Paper Lanterns", 0)
	asks := 0
	user := func(pick int, err error) ScanRequest {
		return ScanRequest{Title: title, Choose: func(_ context.Context, found []sources.TitleFacts) (sources.TitleFacts, bool, error) {
			asks++
			if len(found) != 2 || found[0].IMDb != "tt9900001" || found[1].IMDb != "tt9900002" {
				t.Errorf("asked to choose from %+v", found)
			}
			if pick < 0 {
				return sources.TitleFacts{}, false, err
			}
			return found[pick], true, err
		}}
	}
	for i, step := range []struct {
		req  ScanRequest
		want string // id, "" = the stored list
		asks int    // so far
	}{
		{user(-1, nil), "tt9900001", 1},                            // no choice is made
		{user(-1, errors.New("no terminal")), "", 2},               // the list of the best one is there
		{user(1, nil), "tt9900002", 3},                             // another one is
		{user(0, nil), "", 3},                                      // that is known now
		{ScanRequest{Title: title, Refresh: true}, "tt9900002", 3}, // also where nobody can be asked
		{func() ScanRequest { req := user(0, nil); req.Refresh = true; return req }(), "tt9900001", 4},
	} {
		result, asked := r.scanWith(t.Context(), step.req)
		if strings.Join(asked, " ") != step.want || asks != step.asks {
			t.Errorf("step %d: the site was asked for %q, the user %d times", i, asked, asks)
		}
		if chosen := i >= 2; result.Facts != nil && (result.Facts.Exact != chosen || guessed(title, result.Facts) == chosen) {
			t.Errorf("step %d: %+v", i, result.Facts)
		}
	}
}

// TestChoose_leaves ends the question of a user who leaves, though the scan goes on.
func TestChoose_leaves(t *testing.T) {
	r := newIDsRig(t, nil, lanterns()...)
	caller, leave := context.WithCancel(t.Context())
	choose := r.choose(caller, ScanRequest{Title: movie("Paper Lanterns", 0), Choose: func(ctx context.Context, _ []sources.TitleFacts) (sources.TitleFacts, bool, error) {
		leave()
		<-ctx.Done()
		return sources.TitleFacts{}, false, ctx.Err()
	}})
	if _, err := choose(t.Context(), sources.TitleFacts{IMDb: "tt9900001"}); !errors.Is(err, context.Canceled) {
		t.Errorf("it ends with %v", err)
	}
}

// TestKnownFacts tells what is known already, and asks nobody for it.
func TestKnownFacts(t *testing.T) {
	r := newIDsRig(t, nil, lanterns()...)
	typed := movie("Anything", 0)
	typed.IMDb = "tt9900001"
	wanting := sourcetest.NewFakeSite("addon", nil)
	wanting.SiteInfo.WantsIMDb = true
	want := func(t *testing.T, title sources.Title, site *sourcetest.FakeSite, id string) {
		t.Helper()
		before := r.service.Requests()
		f := r.knownFacts(t.Context(), title, []sources.Site{site})
		if known := f != nil; known != (id != "") || known && f.IMDb != id {
			t.Errorf("%s: %+v, want %q", title, f, id)
		}
		if r.service.Requests() != before {
			t.Error("the service was asked")
		}
	}
	plain := sourcetest.NewFakeSite("plain", nil)
	want(t, typed, plain, "")
	want(t, movie("Paper Lanterns", 2014), wanting, "")
	r.scanWith(t.Context(), ScanRequest{Title: movie("Paper Lanterns", 2014)})
	want(t, typed, plain, "tt9900001")
	want(t, movie("Paper Lanterns", 2014), wanting, "tt9900001")
	want(t, movie("Paper Lanterns", 2014), plain, "")
	if f := r.knownFacts(t.Context(), typed, nil); !f.Exact || f.Runtime != 94*time.Minute {
		t.Errorf("of a typed id: %+v", f)
	}
	r.open(t, map[string]any{"ids.enabled": false})
	want(t, typed, plain, "")
}

// TestNoticeOnce tells of each thing once, for all who use the store, and again where
// that is not known.
func TestNoticeOnce(t *testing.T) {
	r := newIDsRig(t, nil)
	say := func() {
		for _, what := range []string{"a", "b", "a"} {
			r.noticeOnce(t.Context(), what, "told of "+what)
		}
	}
	say()
	r.open(t, nil)
	say()
	if got := fmt.Sprint(r.notices); got != "[told of a told of b]" {
		t.Errorf("told: %s", got)
	}
	r.open(t, nil)
	r.store.SetError(errors.New("the database is locked"), "FirstTime")
	say()
	if got := len(r.notices); got != 4 {
		t.Errorf("told: %q", r.notices)
	}
}
