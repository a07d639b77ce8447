package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"xship/cmd/engine"
	"xship/cmd/engine/loader"
	"xship/config"
	"xship/config/failover"
	"xship/sources"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
	"xship/sources/text"
)

// rig is an engine over a store in memory and a world of real servers.
type rig struct {
	*engine.Engine
	testing.TB
	story   *world.Story
	store   *sourcetest.Memory
	dataDir string
}

func newRig(tb testing.TB, settings map[string]any) *rig {
	tb.Helper()
	story, err := world.StartStory(tb.Context(), world.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(story.Close)
	story.Hanging.SetMode(world.ModeOK)
	overrides := map[string]any{"resolve.ytdlp": "off", "ids.enabled": false, "archive.enabled": false}
	for key, value := range settings {
		overrides[key] = value
	}
	loaded, err := config.Load(config.LoadOptions{Overrides: overrides})
	if err != nil {
		tb.Fatal(err)
	}
	r := &rig{TB: tb, story: story, store: sourcetest.NewMemory(time.Now), dataDir: tb.TempDir()}
	r.Engine, err = engine.Open(engine.Config{Settings: loaded, Store: r.store, DataDir: r.dataDir})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(r.Close)
	return r
}

// add adds interfaces, in their order.
func (r *rig) add(all ...*world.Interface) {
	r.Helper()
	for _, i := range all {
		if _, err := r.AddInterface(r.Context(), i.URL(), i.Name()); err != nil {
			r.Fatal(err)
		}
	}
}

func (r *rig) scan(req engine.ScanRequest) engine.Scan {
	r.Helper()
	scan, err := r.Scan(r.Context(), req)
	if err != nil {
		r.Fatal(err)
	}
	return scan
}

func (r *rig) list(scan engine.Scan, req engine.ListRequest) *engine.List {
	r.Helper()
	list, err := r.List(r.Context(), scan, req)
	if err != nil {
		r.Fatal(err)
	}
	return list
}

func (r *rig) play(req engine.PlayRequest) engine.Played {
	r.Helper()
	played, err := r.Play(r.Context(), req)
	if err != nil {
		r.Fatal(err)
	}
	return played
}

// TestEngine_Scan finds a film through an interface that fails over, and tells all of
// it to the caller of this scan.
func TestEngine_Scan(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Broken, r.story.Good)
	var told []string
	scan := r.scan(engine.ScanRequest{
		Title: r.story.Film,
		Caller: loader.Caller{
			Announce: func(s loader.Switch) { told = append(told, "to "+s.To.Name) },
			Loaded:   func(e loader.Event) { told = append(told, "loaded "+e.Result.Interface.Name) },
		},
		Progress: func(p sources.ScanProgress) {
			if p.Total == 0 {
				told = append(told, "asking")
			}
		},
	})
	if want := []string{"to good", "loaded good", "asking"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if scan.Interface.Name != "good" || !slices.Equal(scan.FailedOverFrom, []string{r.story.Broken.URL()}) || scan.FromCache {
		t.Errorf("scanned %+v, failed over from %q", scan.Interface, scan.FailedOverFrom)
	}
	list := r.list(scan, engine.ListRequest{User: 1})
	if len(list.Listing.Sources) == 0 || list.Verdict() != nil || list.Row(list.Listing.Sources[0].ID) != 1 || list.Row("none") != 0 {
		t.Errorf("the list has %d sources, verdict %v", len(list.Listing.Sources), list.Verdict())
	}
	if again := r.scan(engine.ScanRequest{Title: r.story.Film}); !again.FromCache || len(again.Sources) != len(scan.Sources) {
		t.Errorf("again: from the cache %t, %d sources, want %d", again.FromCache, len(again.Sources), len(scan.Sources))
	}
	if _, err := r.Scan(t.Context(), engine.ScanRequest{Title: r.story.Film, Interface: " "}); err == nil || !errors.Is(err, loader.ErrNoRef) {
		t.Errorf("an interface without a name: %v", err)
	}
}

// TestEngine_manyScans has many users scan at once: the interface is asked once, and
// none of them ends for another.
func TestEngine_manyScans(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	var wg sync.WaitGroup
	for _, title := range []sources.Title{r.story.Film, r.story.Episode} {
		for range 8 {
			wg.Go(func() {
				if scan, err := r.Scan(t.Context(), engine.ScanRequest{Title: title}); err != nil || scan.Title.Key() != title.Key() {
					t.Errorf("%s: %s, %v", title, scan.Title, err)
				}
			})
		}
	}
	wg.Wait()
	if n := r.story.Good.Requests(); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestEngine_hidden hides sources of failing hosters, and says so where nothing is left.
func TestEngine_hidden(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	scan := r.scan(engine.ScanRequest{Title: r.story.Film})
	for _, h := range r.story.Hosters {
		r.store.Block(h.IP(), time.Now().Add(time.Minute))
	}
	list := r.list(scan, engine.ListRequest{})
	err := list.Verdict()
	nothing, ok := errors.AsType[*engine.NothingPlayableError](err)
	if !ok || len(list.Listing.Sources) > 0 || !strings.Contains(nothing.Text, "hidden on failing hosters: ") {
		t.Errorf("%d sources, verdict %v", len(list.Listing.Sources), err)
	}
	all := r.list(scan, engine.ListRequest{All: true})
	if all.Verdict() != nil || len(all.Listing.Sources) == 0 || all.Mark(all.Listing.Sources[0]) == "" {
		t.Errorf("with all: %d sources, verdict %v", len(all.Listing.Sources), all.Verdict())
	}
	if len(list.Unproven()) == 0 {
		t.Error("hidden sources are not probed")
	}
	reset, unknown, err := r.ResetHosters(t.Context(), []string{strings.ToUpper(r.story.Hosters[0].IP()), "nobody.example"})
	if err != nil || reset != 1 || !slices.Equal(unknown, []string{"nobody.example"}) {
		t.Errorf("reset %d, unknown %q, %v", reset, unknown, err)
	}
	if failing, _, err := r.Hosters(t.Context(), true); err != nil || len(failing) != len(r.story.Hosters)-1 {
		t.Errorf("%d hosters in trouble, %v", len(failing), err)
	}
}

func TestEngine_Play(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	request := engine.PlayRequest{ScanRequest: engine.ScanRequest{Title: r.story.Film}, User: 1}
	removed := r.story.Hosters[2]
	removed.Remove(world.BestFile)
	list := r.list(r.scan(request.ScanRequest), engine.ListRequest{User: 1})
	dead := 1 + slices.IndexFunc(list.Listing.Sources, func(src sources.Listed) bool {
		return src.Hoster == removed.IP() && strings.HasSuffix(src.URL, world.BestFile)
	})
	resolving := 0
	request.Resolving = func() func() { resolving++; return func() { resolving += 10 } }
	request.Pick = dead
	played := r.play(request)
	if played.Stream.URL == "" || played.Row != dead+1 || len(played.Tried) != 1 || played.Tried[0].Row != dead || played.Tried[0].Class != sources.ClassDeadLink || resolving != 11 {
		t.Errorf("row %d plays after %+v, resolving %d; want the row behind the dead row %d", played.Row, played.Tried, resolving, dead)
	}
	if played.Source.State != sources.StateResolved || !played.Source.Healthy {
		t.Errorf("plays %+v", played.Source)
	}
	request.Pick = 0
	if first := r.play(request); first.Row != 1 && dead != 1 || len(first.Tried) != 0 {
		t.Errorf("row %d plays, tried %+v", first.Row, first.Tried)
	}
	request.Source = played.Source.ID
	if again := r.play(request); again.Source.ID != played.Source.ID {
		t.Errorf("source %s plays, want %s", again.Source.ID, played.Source.ID)
	}
	for name, change := range map[string]func(*engine.PlayRequest){
		"no such row":    func(q *engine.PlayRequest) { q.Pick = 1000 },
		"no such source": func(q *engine.PlayRequest) { q.Source = "none" },
		"no trailer":     func(q *engine.PlayRequest) { q.Title, q.Trailer = r.story.Unknown, true },
		"nobody has it":  func(q *engine.PlayRequest) { q.Title = r.story.Unknown },
	} {
		q := engine.PlayRequest{ScanRequest: engine.ScanRequest{Title: r.story.Film}, User: 1}
		change(&q)
		if _, err := r.Play(t.Context(), q); !isNothingPlayable(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func isNothingPlayable(err error) bool {
	_, ok := errors.AsType[*engine.NothingPlayableError](err)
	return ok
}

// TestEngine_Play_manifest does not hand out a list whose media cannot be had.
func TestEngine_Play_manifest(t *testing.T) {
	var url string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/config":
			_, _ = fmt.Fprintf(w, `{"sites":[{"key":"a","name":"a","type":1,"api":"%s/api","searchable":1}]}`, url)
		case "/api":
			_, _ = fmt.Fprintf(w, `{"code":1,"list":[{"vod_id":1,"vod_name":"Gone Segments","vod_play_from":"m","vod_play_url":"HD$%s/film.m3u8"}]}`, url)
		case "/film.m3u8":
			_, _ = fmt.Fprint(w, "#EXTM3U\n#EXT-X-TARGETDURATION:5\n#EXTINF:5,\na.ts\n#EXT-X-ENDLIST\n")
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(server.Close)
	url = server.URL
	r := newRig(t, nil)
	if _, err := r.AddInterface(t.Context(), url+"/config", "a"); err != nil {
		t.Fatal(err)
	}
	title := sources.Title{Kind: sources.KindMovie, Name: "Gone Segments"}
	played, err := r.Play(t.Context(), engine.PlayRequest{ScanRequest: engine.ScanRequest{Title: title}, User: 1})
	if !isNothingPlayable(err) || len(played.Tried) != 1 || played.Tried[0].Class != sources.ClassHosterFault {
		t.Errorf("plays %+v, %v", played, err)
	}
}

// TestEngine_Probe learns from a list which hosters work.
func TestEngine_Probe(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	list := r.list(r.scan(engine.ScanRequest{Title: r.story.Film}), engine.ListRequest{})
	var last sources.ProbeProgress
	probed, err := r.Probe(t.Context(), list.Unproven(), engine.ProbeRequest{User: 1, Progress: func(p sources.ProbeProgress) { last = p }})
	if err != nil || probed.Total != len(list.Unproven()) || probed.OK == 0 || last.OK != probed.OK || last.Total != probed.Total {
		t.Errorf("probed %+v, last progress %+v, %v", probed, last, err)
	}
	again := r.list(r.scan(engine.ScanRequest{Title: r.story.Film}), engine.ListRequest{})
	if len(again.Options.Media) != probed.OK {
		t.Errorf("the media of %d sources are known, want %d", len(again.Options.Media), probed.OK)
	}
}

// TestEngine_series watches a series: the episode after one that plays joins the
// watchlist once, and an entry moves on to the next season where a season ends.
func TestEngine_series(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	episode := r.story.Episode
	for range 2 {
		r.play(engine.PlayRequest{ScanRequest: engine.ScanRequest{Title: episode}, User: 1})
	}
	entries, err := r.Watchlist(t.Context())
	if err != nil || len(entries) != 1 || entries[0].Origin != sources.WatchNext || entries[0].Title.Episode != episode.Episode+1 {
		t.Fatalf("the watchlist has %+v, %v", entries, err)
	}
	first := episode
	first.Season, first.Episode = 1, 100 // the last of its season
	entry, added, err := r.Watch(t.Context(), first)
	if err != nil || !added {
		t.Fatalf("%+v, %t, %v", entry, added, err)
	}
	moved, err := r.MoveOn(t.Context(), entry.ID, func(title sources.Title) (sources.ScanResult, error) {
		scan, err := r.Scan(t.Context(), engine.ScanRequest{Title: title})
		return scan.ScanResult, err
	})
	if err != nil || moved.Unsure != nil || moved.Entry.Title.Season != 2 || moved.Entry.Title.Episode != 1 || !moved.Added {
		t.Errorf("moved on to %+v, unsure %v, %v", moved.Entry, moved.Unsure, err)
	}
	failed := errors.New("no network")
	unsure, err := r.MoveOn(t.Context(), entry.ID, func(sources.Title) (sources.ScanResult, error) { return sources.ScanResult{}, failed })
	if err != nil || !errors.Is(unsure.Unsure, failed) || unsure.Entry.Title.Episode != 2 || unsure.Added {
		t.Errorf("without a scan it moved on to %+v, added %t, unsure %v, %v; want the entry for episode 2 that was there", unsure.Entry, unsure.Added, unsure.Unsure, err)
	}
	film, _, err := r.Watch(t.Context(), r.story.Film)
	if err != nil {
		t.Fatal(err)
	}
	for name, id := range map[string]int64{"a film": film.ID, "nothing": 1 << 40} {
		if _, err := r.MoveOn(t.Context(), id, nil); err == nil {
			t.Errorf("%s moved on", name)
		}
	}
	number := strconv.FormatInt(film.ID, 10)
	if removed, err := r.Unwatch(t.Context(), []string{number, film.Title.Name}); err != nil || len(removed) != 1 || removed[0].ID != film.ID {
		t.Errorf("%+v, %v", removed, err)
	}
	if _, err := r.Unwatch(t.Context(), []string{number}); err == nil || text.HintOf(err) == "" {
		t.Errorf("taken off twice: %v", err)
	}
}

func TestEngine_interfaces(t *testing.T) {
	r := newRig(t, nil)
	if all, current, err := r.Interfaces(t.Context()); err != nil || len(all) != 1 || all[0] != current || current.URL != loader.Builtin().URL {
		t.Errorf("without any: %+v, %+v, %v", all, current, err)
	}
	if err := r.OrderInterfacesBy(t.Context(), nil); !errors.Is(err, engine.ErrNothingToOrder) {
		t.Errorf("ordered nothing: %v", err)
	}
	r.add(r.story.Broken, r.story.Good)
	if err := r.OrderInterfaces(t.Context(), []string{"good"}); err != nil {
		t.Fatal(err)
	}
	names := func() string {
		all, current, err := r.Interfaces(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, i := range all {
			name := i.Name
			if i.URL == current.URL {
				name = "[" + name + "]"
			}
			names = append(names, name)
		}
		return strings.Join(names, " ")
	}
	if got := names(); got != "good [broken]" {
		t.Errorf("ordered: %s", got)
	}
	if err := r.OrderInterfacesBy(t.Context(), func(all []sources.Interface, _ sources.Interface) ([]sources.Interface, error) {
		slices.Reverse(all)
		return all, nil
	}); err != nil || names() != "[broken] good" {
		t.Errorf("ordered by hand: %s, %v", names(), err)
	}
	if _, err := r.UseInterface(t.Context(), "GOOD"); err != nil || names() != "broken [good]" {
		t.Errorf("used: %s, %v", names(), err)
	}
	all, err := r.CheckedInterfaces(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	checks, err := r.CheckInterfaces(t.Context(), all, func(done int) { counted = done })
	if err != nil || counted != 2 || checks[0].Err == nil || checks[1].Err != nil || checks[1].Result.Usable != len(r.story.Sites) {
		t.Errorf("checked %d: %+v, %v", counted, checks, err)
	}
	removed, err := r.RemoveInterface(t.Context(), r.story.Good.URL())
	if err != nil || !removed.WasInUse || removed.Current.Name != "broken" || names() != "[broken]" {
		t.Errorf("removed %+v: %s, %v", removed, names(), err)
	}
	removed, err = r.RemoveInterface(t.Context(), "broken")
	if err != nil || removed.Current.URL != loader.Builtin().URL {
		t.Errorf("the last one removed: %+v, %v", removed, err)
	}
	for name, do := range map[string]func() error{
		"add nothing":      func() error { _, err := r.AddInterface(t.Context(), " ", ""); return err },
		"add the built-in": func() error { _, err := r.AddInterface(t.Context(), loader.Builtin().URL, ""); return err },
		"a name that is a URL": func() error {
			_, err := r.AddInterface(t.Context(), "http://a.example", "http://b.example")
			return err
		},
	} {
		if _, ok := text.FindCode(do(), "usage"); !ok {
			t.Errorf("%s is no usage error", name)
		}
	}
	if _, err := r.UseInterface(t.Context(), "nobody"); err == nil || text.HintOf(err) == "" {
		t.Errorf("used what is not there: %v", err)
	}
}

// choosing is a store in which something else happens right before an interface is put
// in use, and before and after one is removed.
type choosing struct {
	*sourcetest.Memory
	before, after func()
}

func (s choosing) RemoveInterface(ctx context.Context, url, next string) (bool, error) {
	s.before()
	defer s.after()
	return s.Memory.RemoveInterface(ctx, url, next)
}

func (s choosing) SetCurrentInterface(ctx context.Context, url string) error {
	s.before()
	return s.Memory.SetCurrentInterface(ctx, url)
}

// TestEngine_UseInterface_removed wants an interface that is removed at that moment to
// be told as one that was never there.
func TestEngine_UseInterface_removed(t *testing.T) {
	const a, b = "http://a.example/", "http://b.example/"
	store := sourcetest.NewMemory(time.Now)
	e, err := engine.Open(engine.Config{DataDir: t.TempDir(), Store: choosing{store, func() { _, _ = store.RemoveInterface(t.Context(), b, "") }, nil}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, url := range []string{a, b} {
		if _, err := e.AddInterface(t.Context(), url, ""); err != nil {
			t.Fatal(err)
		}
	}
	_, err = e.UseInterface(t.Context(), b)
	_, never := e.UseInterface(t.Context(), b)
	if err == nil || never == nil || err.Error() != never.Error() || text.HintOf(err) == "" {
		t.Errorf("got %v, want %v", err, never)
	}
	if _, current, err := e.Interfaces(t.Context()); err != nil || current.URL != a {
		t.Errorf("in use: %+v, %v", current, err)
	}
}

// TestEngine_RemoveInterface_chosen wants what a user chooses at that moment, in another
// process perhaps, to stay in use.
func TestEngine_RemoveInterface_chosen(t *testing.T) {
	const a, b, c = "http://a.example/", "http://b.example/", "http://c.example/"
	for name, test := range map[string]struct{ chosenBefore, chosenAfter, goneBefore, want string }{
		"nothing else":      {"", "", "", b},
		"chosen before":     {c, "", "", c},
		"chosen after":      {"", c, "", c},
		"the next one gone": {"", "", b, c},
		"itself gone":       {"", "", a, c},
	} {
		t.Run(name, func(t *testing.T) {
			store := sourcetest.NewMemory(time.Now)
			use := func(url string) {
				if url == "" {
					return
				}
				if err := store.SetCurrentInterface(t.Context(), url); err != nil {
					t.Error(err)
				}
			}
			gone := func(url string) {
				if _, err := store.RemoveInterface(t.Context(), url, c); err != nil {
					t.Error(err)
				}
			}
			e, err := engine.Open(engine.Config{DataDir: t.TempDir(), Store: choosing{
				store,
				func() { use(test.chosenBefore); gone(test.goneBefore) },
				func() { use(test.chosenAfter) },
			}})
			if err != nil {
				t.Fatal(err)
			}
			defer e.Close()
			for _, url := range []string{a, b, c} {
				if _, err := e.AddInterface(t.Context(), url, ""); err != nil {
					t.Fatal(err)
				}
			}
			removed, err := e.RemoveInterface(t.Context(), a)
			if err != nil || removed.Current.URL != test.want {
				t.Errorf("removed: %+v, %v", removed, err)
			}
			if _, current, err := e.Interfaces(t.Context()); err != nil || current.URL != test.want {
				t.Errorf("in use: %+v, %v", current, err)
			}
		})
	}
}

// TestEngine_mode needs no store: the failover mode is a preference.
func TestEngine_mode(t *testing.T) {
	e, err := engine.Open(engine.Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if mode, err := e.FailoverMode(); err != nil || mode != failover.Auto {
		t.Errorf("mode %v, %v", mode, err)
	}
	if err := e.SetFailoverMode(failover.Manual); err != nil {
		t.Fatal(err)
	}
	if mode, err := e.FailoverMode(); err != nil || mode != failover.Manual {
		t.Errorf("mode %v, %v", mode, err)
	}
}

// TestEngine_backup takes what one engine has to another one.
func TestEngine_backup(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	if _, err := r.AddInterface(t.Context(), "http://secret.example/?token=s3cr3t", "secret"); err != nil {
		t.Fatal(err)
	}
	if err := r.SetFailoverMode(failover.Off); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Watch(t.Context(), r.story.Episode); err != nil {
		t.Fatal(err)
	}
	b, leftOut, err := r.Export(t.Context(), false)
	if err != nil || leftOut != (engine.LeftOut{Interfaces: 1}) || len(b.Interfaces) != 1 || len(b.Watchlist) != 1 {
		t.Fatalf("exported %+v, left out %+v, %v", b, leftOut, err)
	}
	b.Interfaces = append(b.Interfaces, config.BackupInterface{URL: "http://"}, config.BackupInterface{URL: "http://c.example", Name: "GOOD"})
	b.Watchlist = append(b.Watchlist, config.BackupTitle{Kind: "movie", Name: "..."})
	other := newRig(t, nil)
	var skipped []string
	skip := func(s engine.Skipped) {
		skipped = append(skipped, fmt.Sprintf("%t %s %t", s.IsTitle, s.What, s.Name != nil))
	}
	imported, err := other.Import(t.Context(), b, skip)
	if err != nil || imported.Interfaces != 2 || imported.Watchlist != 1 || imported.LeftOut != 1 {
		t.Errorf("imported %+v, %v", imported, err)
	}
	if want := []string{"false http:// false", "false http://c.example true", "true ... false"}; !slices.Equal(skipped, want) {
		t.Errorf("skipped %q, want %q", skipped, want)
	}
	if mode, err := other.FailoverMode(); err != nil || mode != failover.Off {
		t.Errorf("mode %v, %v", mode, err)
	}
	if _, current, err := other.Interfaces(t.Context()); err != nil || current.URL != r.story.Good.URL() {
		t.Errorf("in use: %+v, %v", current, err)
	}
	broken := errors.New("no room")
	other.store.SetError(broken, "AddWatchlist")
	_, err = other.Import(t.Context(), b, skip)
	failed, ok := errors.AsType[*engine.ImportError](err)
	if !ok || failed.Interrupted || !errors.Is(err, broken) || !strings.Contains(failed.Done, "the interfaces were imported") {
		t.Errorf("an import that fails: %v", err)
	}
}

// TestEngine_PrecacheOnce works through the watchlist, one process at a time.
func TestEngine_PrecacheOnce(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	if _, _, err := r.Watch(t.Context(), r.story.Film); err != nil {
		t.Fatal(err)
	}
	lock, err := engine.LockPrecacher(r.dataDir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.LockPrecacher(r.dataDir, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "a precacher runs on ") {
		t.Errorf("a second lock: %v", err)
	}
	if err := r.PrecacheOnce(t.Context(), engine.PrecacheRequest{}); err != nil {
		t.Fatal(err)
	}
	if err := lock.Release(); err != nil {
		t.Error(err)
	}
	played := r.play(engine.PlayRequest{ScanRequest: engine.ScanRequest{Title: r.story.Film}, User: 1})
	if played.Media == nil || played.Source.State != sources.StateProbed {
		t.Errorf("what was precached plays as %s, media %v", played.Source.State, played.Media)
	}
}

// TestEngine_NewAccount adds and removes an account while the Engine is in use.
func TestEngine_NewAccount(t *testing.T) {
	e, err := engine.Open(engine.Config{Store: sourcetest.NewMemory(time.Now), DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	count := func() int {
		all, err := e.Accounts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	if n := count(); n != 0 {
		t.Fatalf("%d accounts before one was added", n)
	}
	a, err := e.NewAccount(3, "torbox", "")
	if err != nil {
		t.Fatal(err)
	}
	a.UseKey("key")
	if err := a.Store(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 1 {
		t.Errorf("%d accounts after one was added", n)
	}
	if _, err := e.RemoveAccount(3, "torbox"); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 0 {
		t.Errorf("%d accounts after it was removed", n)
	}
	for _, bad := range []struct {
		user              int64
		provider, baseURL string
	}{
		{0, "torbox", ""},
		{-1, "torbox", ""},
		{1, "", ""},
		{1, "nobody", ""},
		{1, "torbox", "ftp://api.example"},
		{1, "torbox", "https://user@api.example"},
	} {
		_, err := e.NewAccount(bad.user, bad.provider, bad.baseURL)
		if refused, ok := errors.AsType[*engine.RequestError](err); !ok || refused.Hint == "" {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}

// TestEngine_accounts tells strictly what it cannot read, and plays without.
func TestEngine_accounts(t *testing.T) {
	var warned []string
	dir := t.TempDir()
	accounts := config.NewAccountsFile(filepath.Join(dir, "accounts.json"))
	if err := accounts.Put(config.DebridAccount{User: 2, Provider: "torbox", APIKey: "key", BaseURL: "http://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(engine.Config{Store: sourcetest.NewMemory(time.Now), DataDir: dir, Warn: func(w string) { warned = append(warned, w) }})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	all, err := e.Accounts(t.Context())
	if err != nil || len(all) != 1 || all[0].User != 2 || all[0].Origin != engine.OriginFile || all[0].Rest.State != engine.RestNone {
		t.Errorf("accounts %+v, %v", all, err)
	}
	if _, err := e.AccountsToCheck(1, ""); !errors.Is(err, engine.ErrNoSuchAccount) {
		t.Errorf("the accounts of user 1: %v", err)
	}
	chosen, err := e.AccountsToCheck(2, "torbox")
	if err != nil || len(chosen) != 1 {
		t.Fatalf("chosen %v, %v", chosen, err)
	}
	checks, err := e.CheckAccounts(t.Context(), chosen, nil)
	if err != nil || checks[0].Err == nil || checks[0].Rest.State != engine.RestCooling {
		t.Errorf("a provider that nobody answers for: %+v, %v", checks, err)
	}
	running, _, err := e.Cooldowns(t.Context())
	if err != nil || len(running) != 1 {
		t.Errorf("cooldowns %+v, %v", running, err)
	}
	if cleared, err := e.ClearCooldowns(t.Context(), sources.CooldownKey{}); err != nil || cleared != (engine.Cleared{Cooldowns: 1}) {
		t.Errorf("cleared %+v, %v", cleared, err)
	}
	if inSettings, err := e.RemoveAccount(2, "torbox"); err != nil || inSettings {
		t.Errorf("removed, in the settings %t, %v", inSettings, err)
	}
	if err := e.ForgetAccount(t.Context(), 2, "torbox"); err != nil {
		t.Error(err)
	}
	if _, err := e.RemoveAccount(2, "torbox"); err == nil || text.HintOf(err) == "" {
		t.Errorf("removed twice: %v", err)
	}
	if len(warned) > 0 {
		t.Errorf("warned %q", warned)
	}
}

// TestEngine_unreadable asks and changes nothing where the preferences cannot be read,
// and goes on once they can.
func TestEngine_unreadable(t *testing.T) {
	r := newRig(t, nil)
	preferences := config.PreferencesPath(r.dataDir)
	if err := os.Mkdir(preferences, 0o700); err != nil {
		t.Fatal(err)
	}
	entry, _, err := r.Watch(t.Context(), r.story.Episode)
	if err != nil {
		t.Fatal(err)
	}
	scan := func(sources.Title) (sources.ScanResult, error) { return sources.ScanResult{}, nil }
	for name, do := range map[string]func() error{
		"scan":     func() error { _, err := r.Scan(t.Context(), engine.ScanRequest{Title: r.story.Film}); return err },
		"move on":  func() error { _, err := r.MoveOn(t.Context(), entry.ID, scan); return err },
		"precache": func() error { return r.Precache(t.Context(), engine.PrecacheRequest{}) },
		"once":     func() error { return r.PrecacheOnce(t.Context(), engine.PrecacheRequest{}) },
	} {
		if err := do(); err == nil || !strings.HasPrefix(err.Error(), "read preferences ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, err := r.Watchlist(t.Context())
	if err != nil || len(entries) != 1 || entries[0].Title.Key() != r.story.Episode.Key() {
		t.Errorf("the watchlist is %+v, %v", entries, err)
	}
	if err := os.Remove(preferences); err != nil {
		t.Fatal(err)
	}
	r.add(r.story.Good)
	r.scan(engine.ScanRequest{Title: r.story.Film})
}

// TestEngine_Scan_joined has many clients want one title at once: each site is asked
// once.
func TestEngine_Scan_joined(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	r.scan(engine.ScanRequest{Title: r.story.Unknown}) // the interface is loaded
	before := r.story.Sites[0].Requests()
	const clients = 32
	var wg sync.WaitGroup
	var found [clients]int
	for i := range clients {
		wg.Go(func() {
			scan, err := r.Scan(t.Context(), engine.ScanRequest{Title: r.story.Film, Refresh: false})
			if err != nil {
				t.Error(err)
			}
			found[i] = len(scan.Sources)
		})
	}
	wg.Wait()
	for i, n := range found {
		if n == 0 || n != found[0] {
			t.Errorf("client %d got %d sources, the first one %d", i, n, found[0])
		}
	}
	if n := r.story.Sites[0].Requests() - before; n > 2 { // a search, and its details
		t.Errorf("a site was asked %d times for %d clients", n, clients)
	}
}
