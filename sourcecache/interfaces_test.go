package sourcecache_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
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
	want := []sources.Interface{
		{URL: "https://a.example", Name: "A"},
		{URL: "https://b.example", Name: "B"},
		{URL: "https://c.example", Name: "C"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("interfaces (-want +got):\n%s", diff)
	}
	if got := s.current(t); got != "https://a.example" {
		t.Errorf("in use: %q, want the first one added", got)
	}

	// Those that were used come first; to be looked at is not to be used.
	for _, url := range []string{"https://a.example", "https://c.example", "https://b.example"} {
		s.clock.Advance(time.Second)
		must(t, s.RecordInterfaceLoad(t.Context(), url, s.clock.Now(), "", url != "https://b.example"))
	}
	s.add(t, "https://d.example", "")
	got, err = s.Interfaces(t.Context())
	must(t, err)
	var urls []string
	for _, row := range got {
		urls = append(urls, row.URL)
	}
	if want := []string{"https://c.example", "https://a.example", "https://b.example", "https://d.example"}; !slices.Equal(urls, want) {
		t.Errorf("order %q, want %q", urls, want)
	}
}

func TestDB_AddInterfaces(t *testing.T) {
	t.Parallel()
	rows := []sources.Interface{{URL: "https://a.example", Name: "A"}, {URL: "https://b.example"}, {URL: "https://a.example"}}
	for _, c := range []struct{ current, want string }{{"", "https://a.example"}, {"https://b.example", "https://b.example"}} {
		s := newStore(t)
		for _, added := range []int{2, 0} {
			if n, err := s.AddInterfaces(t.Context(), rows, c.current); err != nil || n != added {
				t.Errorf("added %d, %v; want %d", n, err, added)
			}
		}
		if got := s.current(t); got != c.want {
			t.Errorf("in use: %q, want %q", got, c.want)
		}
		got, err := s.Interfaces(t.Context())
		must(t, err)
		if diff := cmp.Diff(rows[:2], got); diff != "" {
			t.Errorf("interfaces (-want +got):\n%s", diff)
		}
	}
	s := newStore(t)
	s.add(t, "https://mine.example", "")
	if _, err := s.AddInterfaces(t.Context(), rows, "https://b.example"); err != nil || s.current(t) != "https://mine.example" {
		t.Errorf("in use: %q, %v; want what was in use", s.current(t), err)
	}
}

// TestDB_AddInterfaces_allOrNone breaks off in the middle.
func TestDB_AddInterfaces_allOrNone(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.exec(t, `CREATE TRIGGER full BEFORE INSERT ON config WHEN new.url = 'https://z.example' BEGIN SELECT raise(ABORT, 'full'); END`)
	rows := []sources.Interface{{URL: "https://a.example"}, {URL: "https://z.example"}}
	if n, err := s.AddInterfaces(t.Context(), rows, ""); err == nil || n != 0 {
		t.Errorf("added %d, %v; want an error", n, err)
	}
	if got := s.count(t, "config"); got != "0" || s.current(t) != "" {
		t.Errorf("%s interfaces, %q in use; want none", got, s.current(t))
	}
}

func TestDB_RecordInterfaceLoad(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.add(t, "https://a.example", "A")
	loaded := s.clock.Now().Add(time.Hour)
	load := func(at time.Time, loadErr string, used bool) {
		t.Helper()
		must(t, s.RecordInterfaceLoad(t.Context(), "https://a.example", at, loadErr, used))
		must(t, s.RecordInterfaceLoad(t.Context(), "builtin:open", at, loadErr, used))
	}
	check := func(want sources.Interface) {
		t.Helper()
		want.URL, want.Name = "https://a.example", "A"
		got, err := s.Interfaces(t.Context())
		must(t, err)
		if diff := cmp.Diff([]sources.Interface{want}, got); diff != "" {
			t.Errorf("interfaces (-want +got):\n%s", diff)
		}
	}
	load(loaded, "answered 500", true)
	check(sources.Interface{LastError: "answered 500"})
	load(loaded, "", false)
	check(sources.Interface{LastLoadedAt: loaded})
	later := loaded.Add(time.Minute)
	load(later, "", true)
	check(sources.Interface{UsedAt: later, LastLoadedAt: later})
	load(later.Add(time.Minute), "", false)
	check(sources.Interface{UsedAt: later, LastLoadedAt: later.Add(time.Minute)})
	load(later.Add(time.Hour), "answered 404", true)
	check(sources.Interface{UsedAt: later, LastLoadedAt: later.Add(time.Minute), LastError: "answered 404"})
}

func TestDB_RemoveInterface(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.add(t, "https://a.example", "A")
	s.add(t, "https://b.example", "B")
	must(t, s.PutConfig(t.Context(), "https://a.example", sources.StoredConfig{Body: []byte("{}")}, ""))
	must(t, s.SetCurrentInterface(t.Context(), "https://b.example"))

	remove := func(url string, want bool, current string) {
		t.Helper()
		if removed, err := s.RemoveInterface(t.Context(), url, ""); err != nil || removed != want {
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
	for _, want := range []sources.StoredConfig{
		{
			Body: []byte("{\"sites\":[\x00\xff]}"), FinalURL: url + "&x", ContentType: "text/plain",
			ETag: `W/"1"`, LastModified: "Tue, 14 Nov 2023 22:13:20 GMT", FetchedAt: s.clock.Now(),
		},
		{FetchedAt: s.clock.Now().Add(time.Hour)},
	} {
		must(t, s.PutConfig(t.Context(), url, want, ""))
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
	want := sources.StoredConfig{Body: []byte("{}"), FinalURL: url, ContentType: "text/plain", ETag: `"1"`, LastModified: "then", FetchedAt: s.clock.Now()}
	must(t, s.PutConfig(t.Context(), url, want, ""))
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
