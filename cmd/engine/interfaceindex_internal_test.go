package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"xship/cmd/engine/loader"
	"xship/sources"
	"xship/sources/sourcetest"
)

// indexed is a site with an index.
type indexed struct {
	plain
	update func(ctx context.Context, progress func(folders, files int)) (sources.IndexedRoot, error)
}

func (i indexed) UpdateIndex(ctx context.Context, progress func(folders, files int)) (sources.IndexedRoot, error) {
	return i.update(ctx, progress)
}

// plain is a site without one.
type plain struct{ name string }

func (p plain) Info() sources.SiteInfo { return sources.SiteInfo{Key: p.name, Name: p.name} }

func (plain) Search(context.Context, sources.Title, func(sources.Source)) error { return nil }

// TestIndexSites indexes those that have an index, whatever the others do, until it is
// cancelled.
func TestIndexSites(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	broken := errors.New("broken")
	sites := []sources.Site{
		plain{"config"},
		indexed{plain{"broken"}, func(context.Context, func(int, int)) (sources.IndexedRoot, error) {
			return sources.IndexedRoot{}, broken
		}},
		indexed{plain{"good"}, func(_ context.Context, progress func(int, int)) (sources.IndexedRoot, error) {
			progress(1, 0)
			progress(2, 5)
			return sources.IndexedRoot{Files: 5, Left: "1 link"}, nil
		}},
		indexed{plain{"long"}, func(ctx context.Context, progress func(int, int)) (sources.IndexedRoot, error) {
			progress(1, 3)
			cancel()
			return sources.IndexedRoot{Files: 3}, ctx.Err()
		}},
		indexed{plain{"never"}, func(context.Context, func(int, int)) (sources.IndexedRoot, error) {
			t.Error("it went on after its end")
			return sources.IndexedRoot{}, nil
		}},
	}
	var told []IndexProgress
	got, err := indexSites(ctx, sites, func(p IndexProgress) { told = append(told, p) })
	if !errors.Is(err, context.Canceled) || !slices.Equal(told, []IndexProgress{{"good", 1, 0}, {"good", 2, 5}, {"long", 1, 3}}) {
		t.Errorf("%v, progress %v", err, told)
	}
	want := []SiteIndex{
		{Site: "broken", Err: broken},
		{Site: "good", Root: sources.IndexedRoot{Files: 5, Left: "1 link"}},
		{Site: "long", Root: sources.IndexedRoot{Files: 3}, Err: context.Canceled},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if _, err := indexSites(t.Context(), sites[2:3], nil); err != nil {
		t.Errorf("with nobody to tell: %v", err)
	}
}

// TestNameInterface names what has no name as it calls itself, where that can be a name
// and is free.
func TestNameInterface(t *testing.T) {
	store := sourcetest.NewMemory(time.Now)
	e, err := Open(Config{Store: store, DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	for _, url := range []string{"http://a.example/", "http://b.example/", "http://c.example/"} {
		if _, err := store.AddInterface(t.Context(), url, ""); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ url, name, calls, want string }{
		{"http://a.example/", "", "Films", "Films"},
		{"http://b.example/", "", "FILMS", ""},
		{"http://b.example/", "mine", "Others", "mine"},
		{"http://b.example/", "", "", ""},
		{"http://b.example/", "", "https://h.example/", ""},
		{"http://b.example/", "", "/", ""},
		{"http://b.example/", "", strings.Repeat("x", 61), ""},
		{"http://c.example/", "", "Others \x1b", "Others"},
	} {
		row, err := e.NameInterface(t.Context(), sources.Interface{URL: c.url, Name: c.name}, loader.Content{Name: c.calls})
		if err != nil || row.Name != c.want {
			t.Errorf("%s that calls itself %q: %q, %v; want %q", c.url, c.calls, row.Name, err, c.want)
		}
	}
	rows, err := store.Interfaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if want := map[string]string{"http://a.example/": "Films", "http://c.example/": "Others"}[row.URL]; row.Name != want {
			t.Errorf("%s is stored as %q, want %q", row.URL, row.Name, want)
		}
	}
}

func TestForeignHint(t *testing.T) {
	for scheme, want := range map[string]string{"davs://": "write https:// in place of davs://", "DAV://": "write http:// in place of DAV://"} {
		if got := foreignHint(scheme); got != want {
			t.Errorf("%s: %q, want %q", scheme, got, want)
		}
	}
}
