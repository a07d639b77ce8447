package engine

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/sources"
	"xship/sources/sourcetest"
)

// indexed is a site with an index.
type indexed struct {
	plain
	update func(ctx context.Context, progress func(folders, files int)) (sources.IndexedRoot, error)
}

func (i indexed) Root() string { return i.name }

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

// TestForgetIndexes removes the index of a folder or server with the last interface that
// answers from it, be that the folder itself, a group, or a config of the user's, and
// when a group gets other members.
func TestForgetIndexes(t *testing.T) {
	ctx := t.Context()
	dav := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != "PROPFIND" {
			http.Error(w, "no", http.StatusMethodNotAllowed)
			return
		}
		w.WriteHeader(http.StatusMultiStatus)
		_, _ = io.WriteString(w, `<D:multistatus xmlns:D="DAV:"><D:response><D:href>`+r.URL.Path+`</D:href><D:propstat><D:prop><D:resourcetype><D:collection/></D:resourcetype></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response></D:multistatus>`)
	}))
	t.Cleanup(dav.Close)
	dir, films, series := t.TempDir(), t.TempDir(), t.TempDir()
	store := sourcetest.NewMemory(time.Now)
	e, err := Open(Config{Store: store, DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	if err := os.WriteFile(config.AccountsPath(dir), []byte("{"), 0o600); err != nil { // which are nobody's affair here
		t.Fatal(err)
	}
	server, roots := dav.URL+"/dav/", map[string]string{films: "folder:" + films, series: "folder:" + series}
	roots[server] = "webdav " + dav.URL + "/dav"
	index := func(url string) {
		t.Helper()
		if err := store.EndWalk(ctx, roots[url], sources.IndexedRoot{WalkedAt: time.Now(), Files: 1}); err != nil {
			t.Fatal(err)
		}
	}
	wantIndexed := func(what string, want ...string) {
		t.Helper()
		for url, root := range roots {
			r, err := store.IndexedRoot(ctx, root)
			if err != nil || r.WalkedAt.IsZero() == slices.Contains(want, url) {
				t.Errorf("%s: the index of %s is %+v, %v; wanted are those of %q", what, url, r, err, want)
			}
		}
	}
	add := func(ref string) {
		t.Helper()
		added, err := e.AddInterface(ctx, ref, "")
		if err != nil {
			t.Fatal(err)
		}
		if c := e.CheckInterface(ctx, added.Interface, ref); c.Err != nil {
			t.Fatal(c.Err)
		}
	}
	group := func(members ...string) {
		t.Helper()
		if _, err := e.GroupInterfaces(ctx, "home", members); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(ref string) {
		t.Helper()
		if _, err := e.RemoveInterface(ctx, ref); err != nil {
			t.Fatal(err)
		}
	}
	add(films)
	add(server)
	group(films, series, server)
	for url := range roots {
		index(url)
	}
	remove(server)
	remove(films)
	wantIndexed("a group has them all", films, series, server)
	group(films, series)
	wantIndexed("the group has the server no longer", films, series)
	file := filepath.Join(dir, "tv.json")
	if err := os.WriteFile(file, []byte(`{"sites":[{"key":"a","name":"A","type":"folder","api":"`+films+`"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	add(file)
	remove("home")
	wantIndexed("a config names the folder", films)
	remove(file)
	wantIndexed("nothing names it")

	add(server)
	index(server)
	add(films)
	index(films)
	if err := os.Remove(films); err != nil {
		t.Fatal(err)
	}
	remove(films)
	wantIndexed("the folder is gone", server)
	remove(server)
	wantIndexed("none is left")
}

// slowIndex takes long to remove what is indexed.
type slowIndex struct{ *sourcetest.Memory }

func (slowIndex) ForgetRoot(ctx context.Context, _ string) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestForgetIndexes_large: nobody waits for long for the index of a large folder to be
// removed, and is told nothing of what is left.
func TestForgetIndexes_large(t *testing.T) {
	films := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		e, err := Open(Config{Store: slowIndex{sourcetest.NewMemory(time.Now)}, DataDir: t.TempDir(), Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if _, err := e.AddInterface(t.Context(), films, ""); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if _, err := e.RemoveInterface(t.Context(), films); err != nil || time.Since(began) != forgetTime || log.Len() > 0 {
			t.Errorf("%v after %s, log %s", err, time.Since(began), log.String())
		}
	})
}
