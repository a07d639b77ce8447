package sourcecache_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"xship/sourcecache"
	"xship/sources"
)

// filesIn are folders with so many files each.
func filesIn(folders, files int) []sources.IndexedFolder {
	all := make([]sources.IndexedFolder, folders)
	for i := range all {
		f := sources.IndexedFolder{Path: fmt.Sprintf("films/%c/Some Film %d (2008)", 'a'+i*26/folders, i), Stamp: fmt.Sprintf("%d-%d", int64(1_700_000_000_000_000_000)+int64(i), i)}
		for j := range files {
			f.Files = append(f.Files, sources.IndexedFile{
				Path:  fmt.Sprintf("%s/Some.Film.%d.Part.%d.2008.1080p.WEB-DL.mkv", f.Path, i, j),
				Keys:  []string{fmt.Sprint("film ", i), fmt.Sprintf("film %d part %d", i, j), fmt.Sprint("tt", 1_000_000+i*files+j), "all"}[:2+j%3],
				Facts: fmt.Appendf(nil, `{"size":%d,"mtime":%d,"quality":"1080p","episode":%d}`, 1<<30+j, 1_700_000_000+i, j),
			})
		}
		all[i] = f
	}
	return all
}

// indexRows are the rows of each table of the index.
func (s *store) indexRows(tb testing.TB) string {
	tb.Helper()
	var all string
	for _, table := range []string{"index_root", "index_folder", "index_file", "index_key"} {
		all += s.count(tb, table) + " "
	}
	return all
}

func (s *store) wantIndexRows(tb testing.TB, what, want string) {
	tb.Helper()
	if got := s.indexRows(tb); got != want+" " {
		tb.Errorf("%s: %srows, want %s", what, got, want)
	}
}

// TestDB_index_leavesNothing removes each row of what is not indexed any more.
func TestDB_index_leavesNothing(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	folders := filesIn(3, 3) // 9 keys a folder
	must(t, s.PutFolders(t.Context(), "/a", folders))
	must(t, s.PutFolders(t.Context(), "/b", folders))
	s.wantIndexRows(t, "indexed", "2 6 18 54")
	must(t, s.PutFolders(t.Context(), "/a", folders))
	s.wantIndexRows(t, "again", "2 6 18 54")
	fewer := folders[0]
	fewer.Files = fewer.Files[:1] // has two keys
	must(t, s.PutFolders(t.Context(), "/a", []sources.IndexedFolder{fewer}))
	s.wantIndexRows(t, "without two files", "2 6 16 47")
	must(t, s.DropFolders(t.Context(), "/a", []string{folders[0].Path, folders[1].Path}))
	s.wantIndexRows(t, "without two folders", "2 4 12 36")
	must(t, s.ForgetRoot(t.Context(), "/b"))
	s.wantIndexRows(t, "without a root", "1 1 3 9")
	must(t, s.ForgetRoot(t.Context(), "/a"))
	s.wantIndexRows(t, "without any", "0 0 0 0")
}

// TestDB_PutFolders_writesWhatDiffers leaves the rows of files alone that are as they
// were, and gives the numbers of those that are gone to others.
func TestDB_PutFolders_writesWhatDiffers(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	put := func(names ...string) {
		t.Helper()
		f := sources.IndexedFolder{Path: "f"}
		for _, name := range names {
			f.Files = append(f.Files, sources.IndexedFile{Path: name, Keys: []string{"k"}})
		}
		must(t, s.PutFolders(t.Context(), "/a", []sources.IndexedFolder{f}))
	}
	numbers := func(want string) {
		t.Helper()
		got := s.query(t, `SELECT group_concat(path || (id & 0xffffff), ' ') FROM (SELECT * FROM index_file ORDER BY path)`)[0]
		if got != want {
			t.Errorf("files %s, want %s", got, want)
		}
	}
	put("a", "b", "c")
	numbers("a0 b1 c2")
	put("c", "d", "a")
	numbers("a0 c2 d1")
	put("e", "f", "a", "b", "c", "d")
	numbers("a0 b5 c2 d1 e3 f4")
}

// TestDB_ForgetRoot_interrupted removes later what of a root was left behind, and does not
// give it to the same root when that is indexed anew.
func TestDB_ForgetRoot_interrupted(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	must(t, s.PutFolders(t.Context(), "/a", filesIn(3, 3)))
	s.exec(t, `UPDATE index_root SET root = NULL`)
	must(t, s.PutFolders(t.Context(), "/a", filesIn(1, 1)))
	found, err := s.FindFiles(t.Context(), "/a", []string{"film 0", "film 1", "film 2"}, 9)
	must(t, err)
	if len(found) != 1 {
		t.Errorf("found %v, want the one that was indexed anew", found)
	}
	title := movie()
	s.save(t, title, answer(title, s.clock.Now(), "one", "a"))
	s.wantIndexRows(t, "after a clean-up", "1 1 1 2")
}

// TestDB_index_expires forgets roots to which nobody has written for a month.
func TestDB_index_expires(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for _, root := range []string{"/walked", "/used", "/left"} {
		must(t, s.PutFolders(t.Context(), root, filesIn(1, 1)))
	}
	s.clock.Advance(sourcecache.Retention / 2)
	must(t, s.EndWalk(t.Context(), "/walked", sources.IndexedRoot{}))
	must(t, s.DropFolders(t.Context(), "/used", []string{"gone"}))
	s.clock.Advance(sourcecache.Retention/2 + time.Second)
	_, err := s.DeleteExpired(t.Context(), s.clock.Now().Add(-sourcecache.Retention))
	must(t, err)
	for root, want := range map[string]int{"/walked": 1, "/used": 1, "/left": 0} {
		folders, err := s.IndexedFolders(t.Context(), root)
		must(t, err)
		if len(folders) != want {
			t.Errorf("%s has %d folders, want %d", root, len(folders), want)
		}
	}
	s.wantIndexRows(t, "left", "2 2 2 4")
}

// TestDB_index_byTurns has others write while many files are removed.
func TestDB_index_byTurns(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	for i := range 5 {
		must(t, s.PutFolders(t.Context(), "/a", []sources.IndexedFolder{{Path: fmt.Sprint(i), Files: filesIn(1, 1000)[0].Files}}))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.DropFolders(ctx, "/a", []string{"0", "1"}); err == nil {
		t.Error("what was cancelled was done")
	}
	s.exec(t, `CREATE TRIGGER turn AFTER DELETE ON index_folder WHEN (SELECT count(*) FROM index_folder) = 2 BEGIN SELECT raise(ABORT, 'no turn'); END`)
	if err := s.ForgetRoot(t.Context(), "/a"); err == nil {
		t.Error("the trigger did not fire")
	}
	s.wantIndexRows(t, "by then", "1 3 3000 8997")
}

// TestDB_index_damagedFolder gives a folder another number in the place of one that is
// damaged.
func TestDB_index_damagedFolder(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	folders := filesIn(2, 2)
	must(t, s.PutFolders(t.Context(), "/a", folders))
	s.exec(t, `UPDATE index_folder SET id = 'x' || id`)
	must(t, s.PutFolders(t.Context(), "/a", append(folders, sources.IndexedFolder{Path: "new"})))
	if got := s.query(t, `SELECT group_concat(typeof(id)) FROM index_folder`)[0]; got != "integer,integer,integer" {
		t.Errorf("ids are of the types %s", got)
	}
}

// TestDB_PutAnswer_bound keeps to the bounds of all answers together.
func TestDB_PutAnswer_bound(t *testing.T) {
	t.Parallel()
	for what, size := range map[string]int{"many": 100, "large": 100_000} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			s.exec(t, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
				INSERT INTO answer (key, body, size, at) SELECT 'k' || i, 'a', ?, i FROM n`, size)
			for i := range 120 {
				must(t, s.PutAnswer(t.Context(), fmt.Sprint("new", i), []byte("b")))
			}
			var n, bytes int
			if _, err := fmt.Sscan(s.query(t, `SELECT count(*) || ' ' || sum(size) FROM answer`)[0], &n, &bytes); err != nil || n > 20_000 || bytes > 256<<20 || n < 19_000 && bytes < 200e6 {
				t.Errorf("%d answers of %d bytes, %v", n, bytes, err)
			}
			if left := s.query(t, `SELECT key FROM answer WHERE key IN ('k1', 'k20000')`); len(left) != 1 || left[0] != "k20000" {
				t.Errorf("%q are left of the first and the last one, want the last", left)
			}
		})
	}
}
