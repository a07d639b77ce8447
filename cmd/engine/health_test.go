package engine_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xship/cmd/engine"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/sourcetest/world"
)

// proven is a rig whose hosters have all worked a moment ago.
func proven(t *testing.T, settings map[string]any) *rig {
	t.Helper()
	r := newRig(t, settings)
	r.add(r.story.Good)
	r.probeAll()
	for _, h := range r.story.Hosters {
		if row := r.store.Hoster(h.IP()); row.OKCount == 0 || row.GoodLink == "" {
			t.Fatalf("%s was not proven: %+v", h.IP(), row)
		}
	}
	return r
}

func (r *rig) probeAll() engine.Probed {
	r.Helper()
	list := r.list(r.scan(engine.ScanRequest{Title: r.story.Film}), engine.ListRequest{})
	probed, err := r.Probe(r.Context(), list.Unproven(), engine.ProbeRequest{User: 1})
	if err != nil {
		r.Fatal(err)
	}
	return probed
}

// falter makes hosters fail as often as told, with blocks that have just ended.
func (r *rig) falter(fails int64, hosters ...*world.Hoster) {
	for _, h := range hosters {
		row := r.store.Hoster(h.IP())
		row.ConsecutiveFails, row.BackoffUntil = fails, time.Now().Unix()
		r.store.SetHoster(h.IP(), row)
	}
}

// listed are the hosters of a list.
func listed(l *engine.List) (hosters []string) {
	for _, src := range l.Listing.Sources {
		if !slices.Contains(hosters, src.Hoster) {
			hosters = append(hosters, src.Hoster)
		}
	}
	return hosters
}

// A list has the hosters whose block has ended and that work again: they are tested
// while the scan goes on. Those that still fail stay hidden, and where none is hidden
// nothing is asked.
func TestEngine_Scan_testsFirst(t *testing.T) {
	t.Parallel()
	r := proven(t, nil)
	back, down := r.story.Hosters[0], r.story.Hosters[1]
	asked := func() int {
		return r.story.Hosters[0].Requests() + r.story.Hosters[1].Requests() + r.story.Hosters[2].Requests()
	}
	before := asked()
	for _, refresh := range []bool{false, true} {
		r.scan(engine.ScanRequest{Title: r.story.Film, Refresh: refresh})
	}
	if n := asked() - before; n != 0 {
		t.Errorf("%d requests at hosters that all work", n)
	}
	for _, refresh := range []bool{false, true} {
		down.SetMode(world.ModeReset)
		r.falter(1, back, down)
		list := r.list(r.scan(engine.ScanRequest{Title: r.story.Film, Refresh: refresh}), engine.ListRequest{})
		if got := listed(list); !slices.Contains(got, back.IP()) || slices.Contains(got, down.IP()) {
			t.Errorf("refreshed %t: the list has %v; %s works again, %s does not", refresh, got, back.IP(), down.IP())
		}
	}
}

// In an outage one link is tested before a probe; where that fails too nothing else is
// asked but files of the user's own, and where it works everything is. No hidden hoster is tested before a list.
func TestEngine_Probe_outage(t *testing.T) {
	t.Parallel()
	r := proven(t, nil)
	list := r.list(r.scan(engine.ScanRequest{Title: r.story.Film}), engine.ListRequest{})
	for _, h := range r.story.Hosters {
		h.SetMode(world.ModeReset)
	}
	probed := r.probeAll()
	if guard, err := r.store.Guard(t.Context()); err != nil || guard.Network != sources.NetworkOutage || probed.OK != 0 {
		t.Fatalf("network %s, %v, probed %+v", guard.Network, err, probed)
	}
	if failing, _, err := r.Hosters(t.Context(), true); err != nil || len(failing) != 0 {
		t.Errorf("%d hosters are hidden by an outage, %v", len(failing), err)
	}
	r.falter(1, r.story.Hosters[0])
	before := 0
	for _, h := range r.story.Hosters {
		before += h.Requests()
	}
	r.scan(engine.ScanRequest{Title: r.story.Film})
	probed, err := r.Probe(t.Context(), list.Unproven(), engine.ProbeRequest{User: 1})
	path, pathErr := filepath.Abs(filepath.Join("..", "..", "testdata", "media", "plain.mp4"))
	if pathErr != nil {
		t.Fatal(pathErr)
	}
	own := sources.Source{ID: "own", URL: path, Hoster: link.HosterLocal, Own: true}
	if mine, err := r.Probe(t.Context(), append(list.Unproven(), own), engine.ProbeRequest{User: 1}); err != nil || mine.OK != 1 || mine.Failed != 0 || mine.Outage {
		t.Errorf("probed %+v, %v; want the user's own alone", mine, err)
	}
	after := 0
	for _, h := range r.story.Hosters {
		after += h.Requests()
		h.SetMode(world.ModeOK)
	}
	if err != nil || !probed.Outage || after-before != 2 {
		t.Errorf("probed %+v with %d requests, %v; want one test of the network in each probe", probed, after-before, err)
	}
	probed = r.probeAll()
	if guard, err := r.store.Guard(t.Context()); err != nil || guard.Network != sources.NetworkOK || probed.Outage {
		t.Errorf("network %s, %v, probed %+v when it is back", guard.Network, err, probed)
	}
}

// A probe tests hidden hosters elsewhere too, and those that failed once more when
// their block ends.
func TestEngine_Probe_comesBack(t *testing.T) {
	t.Parallel()
	r := proven(t, nil)
	away, flaky := r.story.Hosters[0], r.story.Hosters[1]
	r.falter(1, away)
	list := r.list(r.scan(engine.ScanRequest{Title: r.story.Film}), engine.ListRequest{})
	r.falter(1, away)
	var others []sources.Source
	for _, src := range list.Unproven() {
		if src.Hoster != away.IP() {
			src.State = sources.StateFound
			others = append(others, src)
		}
	}
	flaky.SetMode(world.Mode503)
	probes := make(chan engine.Probed)
	go func() {
		probed, err := r.Probe(t.Context(), others, engine.ProbeRequest{User: 1})
		if err != nil {
			t.Error(err)
		}
		probes <- probed
	}()
	for r.store.Hoster(flaky.IP()).ConsecutiveFails == 0 {
		time.Sleep(time.Millisecond)
	}
	flaky.SetMode(world.ModeOK)
	if probed := <-probes; probed.Failed == 0 {
		t.Errorf("probed %+v; want that %s failed", probed, flaky.IP())
	}
	for _, h := range []*world.Hoster{away, flaky} {
		if row := r.store.Hoster(h.IP()); !row.Healthy() {
			t.Errorf("%s did not come back: %+v", h.IP(), row)
		}
	}
}

// A list that would be short is filled up with hidden sources, marked, and the reason
// of each is told.
func TestEngine_List_floor(t *testing.T) {
	t.Parallel()
	r := proven(t, map[string]any{"hosters.floor": 2})
	for i, h := range r.story.Hosters {
		row := r.store.Hoster(h.IP())
		row.ConsecutiveFails, row.BackoffUntil = int64(3-i), time.Now().Unix()+5
		r.store.SetHoster(h.IP(), row)
	}
	list := r.list(r.scan(engine.ScanRequest{Title: r.story.Film}), engine.ListRequest{Explain: true})
	if len(list.Listing.Sources) != 2 || listed(list)[0] != r.story.Hosters[2].IP() || list.Listing.Sources[0].Healthy || list.Mark(list.Listing.Sources[0]) == "" {
		t.Fatalf("listed %+v", list.Listing.Sources)
	}
	if why := strings.Join(list.Why(0), "; "); !strings.Contains(why, "hosters.floor") || !strings.Contains(why, "1 fail") {
		t.Errorf("why: %s", why)
	}
	left := list.NotListed()
	if len(left) == 0 || len(left)+2 != len(list.Sources) {
		t.Errorf("%d of %d sources are explained", len(left), len(list.Sources))
	}
	for _, e := range left {
		if len(e.Why) != 1 || e.Trailer != strings.Contains(e.Why[0], "trailer") || !e.Trailer && !strings.HasPrefix(e.Why[0], "hidden: ") {
			t.Errorf("%s: %q", e.Name, e.Why)
		}
	}
}

// Of a source that is not listed the reason is told that keeps it from the list: what a
// provider serves is not hidden with its hoster.
func TestList_NotListed(t *testing.T) {
	t.Parallel()
	named := func(id, hoster, url string) sources.Source {
		return sources.Source{ID: id, Hoster: hoster, URL: url, Quality: sources.Quality1080p}
	}
	all := []sources.Source{
		named("first", "good.example", "https://good.example/1.mp4"),
		named("served", "down.example", "https://down.example/page"),
		named("hidden", "down.example", "https://down.example/2.mp4"),
		named("cut off", "good.example", "https://good.example/3.mp4"),
		named("dead", "good.example", "https://good.example/4.mp4"),
		named("page", "good.example", "https://good.example/page"),
		named("better", "good.example", "https://good.example/5.mp4"),
		named("french", "good.example", "https://good.example/6.mp4"),
	}
	all[1].Needs = sources.NeedsAccount
	all[4].State, all[5].Unplayable, all[6].Quality, all[7].Language = sources.StateDead, "a parser is needed", sources.Quality4K, "fr"
	l := &engine.List{
		Health: sources.HosterSnapshot{"down.example": {Name: "down.example", ConsecutiveFails: 2}},
		Options: sources.ListOptions{
			Limit: 1, Quality: sources.Quality1080p, Languages: []string{"de"}, Now: time.Now(), Served: map[string]string{"down.example": "torbox"},
		},
	}
	l.Sources = all
	l.Listing = sources.Filter(nil, all, l.Health, l.Options)
	want := map[string]string{
		"served": "beyond scan.limit 1", "hidden": "hidden: ", "cut off": "beyond scan.limit 1", "dead": "its link is gone; ",
		"page": "no player can take it: a parser is needed", "better": "4K is better than scan.quality 1080p",
		"french": "its language fr is not in scan.languages de",
	}
	got := l.NotListed()
	for _, e := range got {
		if len(e.Why) != 1 || want[e.ID] == "" || !strings.HasPrefix(e.Why[0], want[e.ID]) {
			t.Errorf("%s: %q, want %q", e.ID, e.Why, want[e.ID])
		}
		if served := e.ID == "served"; e.Healthy == (e.ID == "hidden") || (e.Provider == "torbox") != served || e.Needs != "" {
			t.Errorf("%s: healthy %t, provider %q, needs %q", e.ID, e.Healthy, e.Provider, e.Needs)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d are not listed, want %d", len(got), len(want))
	}
}

// A test before a list that takes too long is broken off, and leaves nothing behind that
// keeps others from the hoster.
func TestEngine_Scan_testsFirst_hanging(t *testing.T) {
	t.Parallel()
	r := proven(t, map[string]any{"scan.timeout": "1s"})
	hoster := r.story.Hosters[0]
	hoster.SetMode(world.ModeHang)
	r.falter(1, hoster)
	list := r.list(r.scan(engine.ScanRequest{Title: r.story.Film}), engine.ListRequest{})
	if row := r.store.Hoster(hoster.IP()); row.LeaseUntil != 0 || slices.Contains(listed(list), hoster.IP()) {
		t.Errorf("after a test that hung: %+v", row)
	}
	hoster.SetMode(world.ModeOK)
	if list = r.list(r.scan(engine.ScanRequest{Title: r.story.Film}), engine.ListRequest{}); !slices.Contains(listed(list), hoster.IP()) {
		t.Errorf("the next list has %v", listed(list))
	}
}
