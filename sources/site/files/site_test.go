package files_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/site/files"
	"xship/sources/sourcetest"
)

// slowTree is a tree each folder of which takes a while.
type slowTree struct {
	*fakeTree
	takes time.Duration
	lists atomic.Int64
}

func (t *slowTree) List(ctx context.Context, folder string) ([]files.Entry, error) {
	t.lists.Add(1)
	select {
	case <-time.After(t.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return t.fakeTree.List(ctx, folder)
}

const (
	maxAge = time.Minute
	wait   = 1500 * time.Millisecond
)

// siteOver is a site over tree, with an index of its own.
func siteOver(tree files.Tree, updates *files.Updates) *files.Site {
	return files.NewSite(sources.SiteInfo{Key: "k", Name: "n", Type: "fake"}, tree, files.Options{
		Index: sourcetest.NewMemory(time.Now), Updates: updates, Own: true, MaxAge: maxAge, Wait: wait,
	})
}

// count is how many sources site yields for t, and how long that takes.
func count(ctx context.Context, site sources.Site, t sources.Title) (n int, took time.Duration, err error) {
	begin := time.Now()
	err = site.Search(ctx, t, func(sources.Source) { n++ })
	return n, time.Since(begin), err
}

func TestSearchUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := &slowTree{fakeTree: newTree("one/Film A.mkv"), takes: time.Second}
		tree.stamps = false
		site := siteOver(tree, nil)
		for _, tt := range []struct {
			name  string
			after time.Duration
			lists int64
			took  time.Duration
		}{
			{"never walked", 0, 2, 2 * time.Second},
			{"walked just now", maxAge / 2, 0, 0},
			{"walked long ago", maxAge, 2, wait},
			{"walked long ago, not to the end", maxAge, 2, wait},
		} {
			time.Sleep(tt.after)
			tree.lists.Store(0)
			n, took, err := count(t.Context(), site, film("Film A", 0))
			if n != 1 || err != nil || took != tt.took || tree.lists.Load() != tt.lists {
				t.Errorf("%s: %d found after %v with %d lists, %v; want %v with %d", tt.name, n, took, tree.lists.Load(), err, tt.took, tt.lists)
			}
		}
	})
}

// lookerTree is a tree that tells whether a file is gone.
type lookerTree struct{ *fakeTree }

func (t lookerTree) Gone(_ context.Context, file string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, there := t.files[file]
	return !there
}

// A search that comes to nothing, or to a file that is gone, looks whether that is still
// so, and one of a refreshed scan looks in any case.
func TestSearchLooksAgain(t *testing.T) {
	for name, c := range map[string]struct {
		looks   bool // the tree tells what is gone, and a miss has an age
		refresh bool
		after   time.Duration
		renamed bool // the file, or else another one is added
		want    string
		note    string
	}{
		"added just now":                {true, false, time.Second, false, "", ""},
		"added":                         {true, false, 2 * time.Second, false, "Film B.mkv", ""},
		"added to a server":             {false, false, 2 * time.Second, false, "", ""},
		"added to a server a while ago": {false, false, 30 * time.Minute, false, "", "its files were listed 30m ago; --refresh lists them again"},
		"added, and refreshed":          {false, true, time.Millisecond, false, "Film B.mkv", ""},
		"renamed":                       {true, false, time.Millisecond, true, "Film A 720p.mkv", ""},
		"renamed on a server":           {false, false, time.Millisecond, true, "Film A.mkv", ""},
		"renamed, and refreshed":        {false, true, time.Millisecond, true, "Film A 720p.mkv", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fake := newTree("Film A.mkv")
				fake.stamps = false
				o := files.Options{Index: sourcetest.NewMemory(time.Now), Own: true, Fresh: time.Hour, MaxAge: time.Hour, Wait: wait}
				var tree files.Tree = fake
				if c.looks {
					tree, o.MissAge, o.Fresh = lookerTree{fake}, 2*time.Second, 0
				}
				site := files.NewSite(sources.SiteInfo{Key: "k", Name: "n", Type: "fake"}, tree, o)
				if _, err := site.UpdateIndex(t.Context(), nil); err != nil {
					t.Fatal(err)
				}
				wanted := film("Film A", 0)
				if c.renamed {
					delete(fake.files, "Film A.mkv")
					fake.files["Film A 720p.mkv"] = ""
				} else {
					wanted = film("Film B", 0)
					fake.files["Film B.mkv"] = ""
				}
				time.Sleep(c.after)
				s := sources.Scanner{Now: time.Now}
				got, err := s.Scan(t.Context(), wanted, sources.Interface{}, []sources.Site{site}, sources.ScanOptions{Refresh: c.refresh})
				if err != nil {
					t.Fatal(err)
				}
				var names []string
				for _, src := range got.Sources {
					names = append(names, src.Name)
				}
				if found := strings.Join(names, " "); found != c.want || got.Sites[0].Note != c.note {
					t.Errorf("found %q with the note %q, want %q with %q", found, got.Sites[0].Note, c.want, c.note)
				}
			})
		})
	}
}

// Where a walk takes long, searches that find nothing look less often.
func TestSearchLooksAgain_manyFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake, index := newTree("Film A.mkv"), sourcetest.NewMemory(time.Now)
		fake.stamps = false
		site := files.NewSite(sources.SiteInfo{Key: "k", Name: "n", Type: "fake"}, lookerTree{fake},
			files.Options{Index: index, Own: true, MaxAge: time.Hour, MissAge: 2 * time.Second, Wait: wait})
		if _, err := site.UpdateIndex(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if err := index.EndWalk(t.Context(), fake.Root(), sources.IndexedRoot{WalkedAt: time.Now(), Files: 50_000}); err != nil {
			t.Fatal(err)
		}
		fake.files["Film B.mkv"] = ""
		for _, c := range []struct {
			after time.Duration
			want  int
		}{{9 * time.Second, 0}, {time.Second, 1}} {
			time.Sleep(c.after)
			if n, _, err := count(t.Context(), site, film("Film B", 0)); err != nil || n != c.want {
				t.Errorf("%s later: %d found, %v, want %d", c.after, n, err, c.want)
			}
		}
	})
}

// What a search does not wait for goes on, for all who ask.
func TestUpdatesGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := &slowTree{fakeTree: newTree("one/two/three/Film A.mkv"), takes: time.Second}
		updates := files.NewUpdates()
		site := siteOver(tree, updates)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		n, took, err := count(ctx, site, film("Film A", 0))
		var timeout interface{ Timeout() bool }
		if n != 0 || took != wait || sources.ClassOf(err) != sources.ClassHosterFault || !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("%d found after %v, %v", n, took, err)
		}
		n, took, err = count(t.Context(), site, film("Film A", 0))
		if n != 1 || took != 2500*time.Millisecond || err != nil || tree.lists.Load() != 4 {
			t.Errorf("%d found after %v, %v, with %d lists", n, took, err, tree.lists.Load())
		}
		time.Sleep(maxAge)
		tree.files["four/Film B.mkv"] = ""
		if n, _, err := count(t.Context(), site, film("Film A", 0)); n != 1 || err != nil {
			t.Errorf("%d found, %v", n, err)
		}
		begin := time.Now()
		if err := updates.Close(); err != nil || time.Since(begin) != 0 {
			t.Errorf("closed after %v, %v", time.Since(begin), err)
		}
		if n, took, err := count(t.Context(), site, film("Film A", 0)); n != 1 || took != 0 || sources.ClassOf(err) != sources.ClassCancelled {
			t.Errorf("when all ends: %d found after %v, %v", n, took, err)
		}
	})
}

// Searches share an update, which ends with the last of them.
func TestSearchesShareAnUpdate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := &slowTree{fakeTree: newTree("one/Film A.mkv"), takes: time.Second}
		tree.stamps = false
		site := siteOver(tree, nil)
		short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				ctx := t.Context()
				if i == 0 {
					ctx = short
				}
				n, _, err := count(ctx, site, film("Film A", 0))
				if (n == 1) != (i > 0) || (err == nil) != (i > 0) {
					t.Errorf("search %d: %d found, %v", i, n, err)
				}
			})
		}
		wg.Wait()
		if n := tree.lists.Load(); n != 2 {
			t.Errorf("the folders were listed %d times, want 2", n)
		}
		time.Sleep(maxAge)
		left, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Millisecond)
			cancel()
		}()
		if _, took, err := count(left, site, film("Film A", 0)); took != time.Millisecond || !errors.Is(err, context.Canceled) {
			t.Errorf("a search that is left ends after %v with %v", took, err)
		}
	})
}

func TestSearchOfATreeThatBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := newTree("one/Film A.mkv", "two/Film B.mkv")
		tree.stamps = false
		site := siteOver(tree, nil)
		tree.errs["one"] = errBroken
		if n, _, err := count(t.Context(), site, film("Film A", 0)); n != 0 || !errors.Is(err, errBroken) {
			t.Errorf("%d found, %v", n, err)
		}
		delete(tree.errs, "one")
		if n, _, err := count(t.Context(), site, film("Film A", 0)); n != 1 || err != nil {
			t.Errorf("%d found, %v", n, err)
		}
		time.Sleep(maxAge)
		tree.errs[""] = errBroken
		if n, _, err := count(t.Context(), site, film("Film A", 0)); n != 1 || !errors.Is(err, errBroken) {
			t.Errorf("what is indexed: %d found, %v", n, err)
		}
	})
}

// A store that fails is no reason to say that there is nothing.
func TestSearchWithoutItsIndex(t *testing.T) {
	for _, method := range []string{"IndexedRoot", "IndexedFolders", "PutFolders", "FindFiles"} {
		index := sourcetest.NewMemory(nil)
		broken := errors.New("the store is broken")
		index.SetError(broken, method)
		site := files.NewSite(sources.SiteInfo{Key: "k", Name: "n", Type: "fake"}, newTree("Film A.mkv"), files.Options{Index: index})
		n, _, err := count(t.Context(), site, film("Film A", 0))
		if n != 0 || !errors.Is(err, broken) {
			t.Errorf("without %s: %d found, %v", method, n, err)
		}
		if class := sources.ClassOf(err); class == sources.ClassBug || class == sources.ClassHosterFault {
			t.Errorf("without %s the site is to blame: %s", method, class)
		}
	}
}
