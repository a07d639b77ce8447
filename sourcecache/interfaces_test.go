package sourcecache_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache"
)

func (s *store) add(tb testing.TB, url, name string) bool {
	tb.Helper()
	added, err := s.AddInterface(tb.Context(), url, name)
	must(tb, err)
	return added
}

func (s *store) current(tb testing.TB) string {
	tb.Helper()
	url, err := s.CurrentInterface(tb.Context())
	must(tb, err)
	return url
}

func TestDB_Interfaces(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	if got := s.current(t); got != "" {
		t.Errorf("in use at first: %q", got)
	}
	start := s.clock.Now()
	if !s.add(t, "https://a.example", "A") {
		t.Error("the first one is not new")
	}
	s.clock.Advance(time.Minute)
	s.add(t, "https://b.example", "")
	s.add(t, "https://c.example", "C")
	if s.add(t, "https://a.example", "") || s.add(t, "https://b.example", "B") {
		t.Error("one that was there is new")
	}
	s.exec(t, `INSERT INTO config (type, time, url, name) VALUES (1, 9999999999, 'https://live.example', 'live')`)

	got, err := s.Interfaces(t.Context())
	must(t, err)
	later := start.Add(time.Minute)
	want := []sourcecache.InterfaceRow{
		{URL: "https://c.example", Name: "C", Time: later},
		{URL: "https://b.example", Name: "B", Time: later},
		{URL: "https://a.example", Name: "A", Time: start},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("interfaces (-want +got):\n%s", diff)
	}
	if got := s.current(t); got != "https://a.example" {
		t.Errorf("in use: %q, want the first one added", got)
	}
}

func TestDB_RecordInterfaceLoad(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.add(t, "https://a.example", "A")
	added := s.clock.Now()
	loaded := added.Add(time.Hour)
	load := func(at time.Time, loadErr string) {
		t.Helper()
		must(t, s.RecordInterfaceLoad(t.Context(), "https://a.example", at, loadErr))
		must(t, s.RecordInterfaceLoad(t.Context(), "builtin:open", at, loadErr))
	}
	check := func(want sourcecache.InterfaceRow) {
		t.Helper()
		want.URL, want.Name = "https://a.example", "A"
		got, err := s.Interfaces(t.Context())
		must(t, err)
		if diff := cmp.Diff([]sourcecache.InterfaceRow{want}, got); diff != "" {
			t.Errorf("interfaces (-want +got):\n%s", diff)
		}
	}
	load(added.Add(time.Minute), "answered 500")
	check(sourcecache.InterfaceRow{Time: added, LastError: "answered 500"})
	load(loaded, "")
	check(sourcecache.InterfaceRow{Time: loaded, LastLoadedAt: loaded})
	load(loaded.Add(time.Minute), "answered 404")
	check(sourcecache.InterfaceRow{Time: loaded, LastLoadedAt: loaded, LastError: "answered 404"})
}

func TestDB_RemoveInterface(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.add(t, "https://a.example", "A")
	s.add(t, "https://b.example", "B")
	must(t, s.PutConfig(t.Context(), "https://a.example", sourcecache.CachedConfig{Body: []byte("{}")}))
	must(t, s.SetCurrentInterface(t.Context(), "https://b.example"))

	remove := func(url string, want bool, current string) {
		t.Helper()
		if removed, err := s.RemoveInterface(t.Context(), url); err != nil || removed != want {
			t.Errorf("remove %s: %t, %v; want %t", url, removed, err, want)
		}
		if got := s.current(t); got != current {
			t.Errorf("after removing %s: %q in use, want %q", url, got, current)
		}
	}
	remove("https://nobody.example", false, "https://b.example")
	remove("https://a.example", true, "https://b.example")
	remove("https://b.example", true, "")
	if c, err := s.CachedConfig(t.Context(), "https://a.example"); err != nil || c != nil {
		t.Errorf("stored answer left: %v, %v", c, err)
	}
	s.add(t, "https://c.example", "C")
	if got := s.current(t); got != "https://c.example" {
		t.Errorf("in use: %q, want the only one", got)
	}
}

func TestDB_CachedConfig(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const url = "https://a.example/config.json?token=1"
	if c, err := s.CachedConfig(t.Context(), url); err != nil || c != nil {
		t.Errorf("at first: %v, %v; want nothing", c, err)
	}
	for _, want := range []sourcecache.CachedConfig{
		{
			Body: []byte("{\"sites\":[\x00\xff]}"), FinalURL: url + "&x", ContentType: "text/plain",
			ETag: `W/"1"`, LastModified: "Tue, 14 Nov 2023 22:13:20 GMT", FetchedAt: s.clock.Now(),
		},
		{FetchedAt: s.clock.Now().Add(time.Hour)},
	} {
		must(t, s.PutConfig(t.Context(), url, want))
		got, err := s.CachedConfig(t.Context(), url)
		must(t, err)
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("config (-want +got):\n%s", diff)
		}
	}
}

func TestDB_TouchConfig(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const url = "https://a.example/"
	want := sourcecache.CachedConfig{Body: []byte("{}"), FinalURL: url, ContentType: "text/plain", ETag: `"1"`, LastModified: "then", FetchedAt: s.clock.Now()}
	must(t, s.PutConfig(t.Context(), url, want))
	want.FetchedAt = s.clock.Now().Add(time.Hour)
	for _, touched := range []string{url, "https://b.example/"} {
		must(t, s.TouchConfig(t.Context(), touched, want.FetchedAt))
	}
	got, err := s.CachedConfig(t.Context(), url)
	must(t, err)
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
	if got := s.count(t, "config_cache"); got != "1" {
		t.Errorf("%s configs, want the one that was stored", got)
	}
}
