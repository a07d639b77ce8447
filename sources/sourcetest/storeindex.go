package sourcetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

// RunIndex checks that a store keeps the contract of sources.Index.
func RunIndex(t *testing.T, newStore StoreBackend) {
	t.Helper()
	runStoreChecks(t, newStore, []storeCheck{
		{"nothing", checkNoIndex},
		{"how a root was walked", checkIndexedRoot},
		{"a walk under another clock", checkIndexedRootClock},
		{"what is stored comes back", checkIndexRoundTrip},
		{"a folder in the place of the one before", checkIndexReplaced},
		{"folders and files that are named twice", checkIndexTwice},
		{"folders dropped", checkIndexDropped},
		{"files by path, within a limit", checkIndexOrder},
		{"each file once", checkIndexOnce},
		{"roots apart", checkIndexRoots},
		{"a root forgotten", checkIndexForgotten},
		{"bounds of a file", checkIndexBounds},
		{"odd names", checkIndexNames},
		{"many files", checkIndexMany},
		{"callers keep their copies of files", checkIndexCopies},
	})
}

const (
	storeRoot = "/home/user/films"
	otherRoot = "https://dav.example/films/"
)

// indexed is a file with the given keys.
func indexed(path string, keys ...string) sources.IndexedFile {
	return sources.IndexedFile{Path: path, Keys: keys, Facts: []byte("facts of " + path)}
}

// index stores folders of storeRoot.
func (s *storeSubject) index(folders ...sources.IndexedFolder) {
	s.Helper()
	s.must(s.PutFolders(s.Context(), storeRoot, folders))
}

func folderOf(path string, files ...sources.IndexedFile) sources.IndexedFolder {
	return sources.IndexedFolder{Path: path, Stamp: "of " + path, Files: files}
}

// find gives the files of storeRoot that have one of keys.
func (s *storeSubject) find(keys ...string) []sources.IndexedFile {
	s.Helper()
	found, err := s.FindFiles(s.Context(), storeRoot, keys, 1000)
	s.must(err)
	return found
}

// finds compares the paths of the files that have one of keys.
func (s *storeSubject) finds(what, want string, keys ...string) {
	s.Helper()
	s.want(what, pathsOf(s.find(keys...)), want)
}

func pathsOf(files []sources.IndexedFile) string {
	paths := make([]string, len(files))
	for i, f := range files {
		paths[i] = f.Path
	}
	return strings.Join(paths, " ")
}

func (s *storeSubject) indexedFolders(root string) map[string]string {
	s.Helper()
	stamps, err := s.IndexedFolders(s.Context(), root)
	s.must(err)
	return stamps
}

func (s *storeSubject) indexedRoot(root string) sources.IndexedRoot {
	s.Helper()
	r, err := s.IndexedRoot(s.Context(), root)
	s.must(err)
	return r
}

func checkNoIndex(s *storeSubject) {
	s.want("walked", s.indexedRoot(storeRoot), sources.IndexedRoot{})
	s.want("folders", s.indexedFolders(storeRoot), map[string]string{})
	s.finds("files", "", "a")
	s.finds("without a key", "")
	s.must(s.PutFolders(s.Context(), storeRoot, nil))
	s.must(s.DropFolders(s.Context(), storeRoot, nil))
	s.must(s.DropFolders(s.Context(), storeRoot, []string{"nothing"}))
	s.must(s.ForgetRoot(s.Context(), storeRoot))
	s.want("walked", s.indexedRoot(storeRoot), sources.IndexedRoot{})
}

func checkIndexedRoot(s *storeSubject) {
	for _, r := range []sources.IndexedRoot{
		{WalkedAt: s.now(), Files: 3, Left: "2 samples"}, {WalkedAt: s.now().Add(-time.Hour)}, {Files: 1, Left: "it could not be read"},
	} {
		s.must(s.EndWalk(s.Context(), storeRoot, r))
		s.want("walked", s.indexedRoot(storeRoot), r)
	}
	s.want("of another one", s.indexedRoot(otherRoot), sources.IndexedRoot{})
	s.must(s.EndWalk(s.Context(), storeRoot, sources.IndexedRoot{WalkedAt: s.now().Add(-time.Second / 2)}))
	s.want("in whole seconds", s.indexedRoot(storeRoot).WalkedAt, s.now().Add(-time.Second))
}

func checkIndexedRootClock(s *storeSubject) {
	s.must(s.EndWalk(s.Context(), storeRoot, sources.IndexedRoot{WalkedAt: s.now(), Files: 3}))
	s.advance(-time.Second)
	s.want("set back", s.indexedRoot(storeRoot), sources.IndexedRoot{Files: 3})
}

func checkIndexRoundTrip(s *storeSubject) {
	files := []sources.IndexedFile{
		{Path: "Series/01.mkv", Keys: []string{"series", "tt0000001", "series s01e01"}, Facts: []byte{0, 255, '"', '\n'}},
		{Path: "Series/02.mkv", Keys: []string{"series", "", "系列\x1b[31m"}},
		{Path: "Series/03.mkv"},
	}
	s.index(folderOf("", indexed("film.mkv", "film")), sources.IndexedFolder{Path: "Series", Files: files}, folderOf("empty"))
	s.want("folders", s.indexedFolders(storeRoot), map[string]string{"": "of ", "Series": "", "empty": "of empty"})
	if diff := cmp.Diff(files[:2], s.find("series")); diff != "" {
		s.Errorf("files (-want +got):\n%s", diff)
	}
	s.finds("by another key", "Series/02.mkv", "系列\x1b[31m")
	s.finds("by an empty key", "Series/02.mkv", "")
	s.finds("by one of several", "Series/01.mkv film.mkv", "nothing", "film", "tt0000001")
	s.finds("by the beginning of a key", "", "serie")
}

func checkIndexReplaced(s *storeSubject) {
	s.index(folderOf("f", indexed("f/a", "one", "a"), indexed("f/b", "one", "b"), indexed("f/c", "one", "c")), folderOf("g", indexed("g/a", "one")))
	again := folderOf("f", indexed("f/c", "one", "c"), indexed("f/d", "two", "d"), indexed("f/b", "two", "b"), indexed("f/a", "one", "a"))
	again.Stamp, again.Files[3].Facts = "later", []byte("new")
	for range 2 {
		s.index(again)
		s.finds("the first key", "f/a f/c g/a", "one")
		s.finds("the second key", "f/b f/d", "two")
		s.want("the stamp", s.indexedFolders(storeRoot)["f"], "later")
		s.want("the facts", string(s.find("a")[0].Facts), "new")
	}
	s.index(folderOf("f", indexed("f/e", "e"), indexed("f/a", "one")))
	s.finds("what is left", "f/a f/e g/a", "one", "two", "a", "b", "c", "d", "e")
	s.index(folderOf("f"))
	s.finds("empty", "g/a", "one", "two", "a", "b", "c", "d", "e")
	s.want("it is known to be empty", s.indexedFolders(storeRoot)["f"], "of f")
}

func checkIndexTwice(s *storeSubject) {
	first := folderOf("f", indexed("f/a", "one"))
	first.Stamp = "first"
	s.index(first, folderOf("f", indexed("f/b", "one"), indexed("f/c", "one"), indexed("f/b", "two")))
	s.want("folders", s.indexedFolders(storeRoot), map[string]string{"f": "of f"})
	s.finds("the first key", "f/c", "one")
	s.finds("the second key", "f/b", "two")
}

func checkIndexDropped(s *storeSubject) {
	s.index(folderOf("", indexed("a", "k")), folderOf("f", indexed("f/a", "k")), folderOf("f/g", indexed("f/g/a", "k")), folderOf("f2", indexed("f2/a", "k")))
	s.must(s.DropFolders(s.Context(), storeRoot, []string{"f", "gone"}))
	s.finds("without one", "a f/g/a f2/a", "k")
	s.must(s.DropFolders(s.Context(), storeRoot, []string{"", "f2"}))
	s.want("folders", s.indexedFolders(storeRoot), map[string]string{"f/g": "of f/g"})
	s.index(folderOf("f", indexed("f/b", "k")))
	s.finds("there again", "f/b f/g/a", "k")
}

func checkIndexOrder(s *storeSubject) {
	s.index(folderOf("b", indexed("b/2", "k"), indexed("b/1", "k")), folderOf("", indexed("Z", "k"), indexed("a", "k"), indexed("é", "k")))
	s.finds("all", "Z a b/1 b/2 é", "k")
	for limit, want := range map[int]string{-1: "", 0: "", 1: "Z", 3: "Z a b/1"} {
		found, err := s.FindFiles(s.Context(), storeRoot, []string{"k"}, limit)
		s.must(err)
		s.want(fmt.Sprint("at most ", limit), pathsOf(found), want)
	}
}

func checkIndexOnce(s *storeSubject) {
	s.index(folderOf("", indexed("a", "one", "two", "one"), indexed("b", "two")))
	s.finds("by several keys", "a b", "two", "one", "one")
	s.want("its keys", s.find("one")[0].Keys, []string{"one", "two"})
}

func checkIndexRoots(s *storeSubject) {
	s.index(folderOf("f", indexed("f/a", "k")))
	s.must(s.PutFolders(s.Context(), otherRoot, []sources.IndexedFolder{{Path: "f", Stamp: "x", Files: []sources.IndexedFile{indexed("f/b", "k")}}}))
	s.must(s.EndWalk(s.Context(), otherRoot, sources.IndexedRoot{Files: 1}))
	s.finds("of this one", "f/a", "k")
	s.want("folders of the other one", s.indexedFolders(otherRoot), map[string]string{"f": "x"})
	s.must(s.DropFolders(s.Context(), storeRoot, []string{"f"}))
	found, err := s.FindFiles(s.Context(), otherRoot, []string{"k"}, 9)
	s.must(err)
	s.want("of the other one", pathsOf(found), "f/b")
	s.must(s.ForgetRoot(s.Context(), storeRoot))
	s.want("walks of the other one", s.indexedRoot(otherRoot).Files, 1)
}

func checkIndexForgotten(s *storeSubject) {
	for range 2 {
		s.index(folderOf("", indexed("a", "k")), folderOf("f", indexed("f/a", "k")))
		s.must(s.EndWalk(s.Context(), storeRoot, sources.IndexedRoot{WalkedAt: s.now(), Files: 2}))
		s.finds("indexed", "a f/a", "k")
		s.must(s.ForgetRoot(s.Context(), storeRoot))
		s.finds("forgotten", "", "k")
		s.want("folders", s.indexedFolders(storeRoot), map[string]string{})
		s.want("walked", s.indexedRoot(storeRoot), sources.IndexedRoot{})
	}
}

func checkIndexBounds(s *storeSubject) {
	many := indexed("many")
	for i := range sources.MaxIndexKeys + 1 {
		many.Keys = append(many.Keys, fmt.Sprint(i))
	}
	longest, tooLong := strings.Repeat("a", sources.MaxIndexKey), strings.Repeat("b", sources.MaxIndexKey+1)
	full, over := indexed("full", "k"), indexed("over", "k")
	full.Facts, over.Facts = make([]byte, sources.MaxIndexFacts), make([]byte, sources.MaxIndexFacts+1)
	s.index(folderOf("", many, indexed("key", longest, tooLong, "k"), full, over, indexed("after", "k")))
	s.finds("the last key that counts", "many", fmt.Sprint(sources.MaxIndexKeys-1))
	s.finds("the first one that does not", "", fmt.Sprint(sources.MaxIndexKeys))
	s.finds("the longest key", "key", longest)
	s.finds("a longer one", "", tooLong)
	s.finds("beside what is left out", "after full key", "k")
	s.want("the most facts", len(s.find("k")[1].Facts), sources.MaxIndexFacts)
}

func checkIndexNames(s *storeSubject) {
	names := []string{"\xff\xfe.mkv", "-rf.mkv", "a\x00b", "new\nline", "quote'\"%_", "沙丘/", strings.Repeat("x", 5000)}
	slices.Sort(names)
	for _, name := range names {
		s.index(sources.IndexedFolder{Path: name, Stamp: name, Files: []sources.IndexedFile{indexed(name+"/"+name, "k")}})
	}
	stamps, found := s.indexedFolders(storeRoot), s.find("k")
	s.want("folders", len(stamps), len(names))
	s.want("files", len(found), len(names))
	for i, f := range found {
		if f.Path != names[i]+"/"+names[i] || stamps[names[i]] != names[i] {
			s.Errorf("%q, stamp %q; want %q", f.Path, stamps[names[i]], names[i])
		}
	}
	s.must(s.DropFolders(s.Context(), storeRoot, names))
	s.finds("dropped", "", "k")
}

func checkIndexMany(s *storeSubject) {
	var folders []sources.IndexedFolder
	var paths []string
	for i := range 30 {
		f := folderOf(fmt.Sprintf("%02d", i))
		for j := range 100 {
			f.Files = append(f.Files, indexed(fmt.Sprintf("%s/%02d", f.Path, j), "all", fmt.Sprint("in ", i), fmt.Sprint("at ", j)))
		}
		folders, paths = append(folders, f), append(paths, f.Path)
	}
	s.index(folders...)
	count := func(what string, want int, keys ...string) {
		s.Helper()
		found, err := s.FindFiles(s.Context(), storeRoot, keys, 10_000)
		s.must(err)
		s.want(what, len(found), want)
	}
	count("all", 3000, "all")
	count("of a folder and of each one", 129, "in 7", "at 99")
	s.must(s.DropFolders(s.Context(), storeRoot, paths[:15]))
	count("half of them", 1500, "all")
	count("of a folder that was dropped", 0, "in 7")
	s.must(s.ForgetRoot(s.Context(), storeRoot))
	s.index(folders[7])
	count("after all were forgotten", 100, "all", "in 7")
}

func checkIndexCopies(s *storeSubject) {
	folders := []sources.IndexedFolder{folderOf("", indexed("a", "k"))}
	s.index(folders...)
	folders[0].Files[0].Keys[0], folders[0].Files[0].Facts[0] = "x", 'x'
	found := s.find("k")
	found[0].Keys[0], found[0].Facts[0] = "y", 'y'
	s.want("facts", string(s.find("k")[0].Facts), "facts of a")
	s.indexedFolders(storeRoot)[""] = "z"
	s.want("stamp", s.indexedFolders(storeRoot)[""], "of ")
}
