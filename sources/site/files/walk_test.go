package files_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/site/files"
	"xship/sources/sourcetest"
)

var (
	errBroken = sources.Errorf(sources.ClassHosterFault, "the server is broken")
	errDenied = sources.Errorf(sources.ClassUnsupported, "permission denied")
	errGone   = sources.Errorf(sources.ClassDeadLink, "it is gone")
)

// walked is a tree with its index.
type walked struct {
	*fakeTree
	files.Walker
	tb testing.TB
}

func newWalked(tb testing.TB, paths ...string) *walked {
	tb.Helper()
	return &walked{fakeTree: newTree(paths...), Walker: files.Walker{Index: sourcetest.NewMemory(nil)}, tb: tb}
}

// update walks, and gives what was listed and read for it.
func (w *walked) update() (root sources.IndexedRoot, listed []string, err error) {
	w.tb.Helper()
	w.listed, w.reads = nil, nil
	root, err = w.Update(w.tb.Context(), w.fakeTree, nil)
	slices.Sort(w.listed)
	return root, w.listed, err
}

// mustUpdate is update where nothing fails.
func (w *walked) mustUpdate() (root sources.IndexedRoot, listed []string) {
	w.tb.Helper()
	root, listed, err := w.update()
	if err != nil {
		w.tb.Fatal(err)
	}
	return root, listed
}

// has tells which of the films called A to E are found.
func (w *walked) has() string {
	w.tb.Helper()
	var all strings.Builder
	for _, name := range []string{"A", "B", "C", "D", "E"} {
		found, err := files.Search(w.tb.Context(), w.Index, w.fakeTree, film("Film "+name, 0), true)
		if err != nil {
			w.tb.Fatal(err)
		}
		if len(found) > 0 {
			all.WriteString(name)
		}
	}
	return all.String()
}

func (w *walked) expect(want string) {
	w.tb.Helper()
	if got := w.has(); got != want {
		w.tb.Errorf("the films %q are found, want %q", got, want)
	}
}

func expectList(tb testing.TB, got []string, want ...string) {
	tb.Helper()
	if !slices.Equal(got, want) {
		tb.Errorf("listed %q, want %q", got, want)
	}
}

func TestUpdateListsWhatChanged(t *testing.T) {
	w := newWalked(t, "one/Film A.mkv", "one/deep/Film B.mkv", "two/Film C.mkv")
	root, listed := w.mustUpdate()
	expectList(t, listed, "", "one", "one/deep", "two")
	if root.Files != 3 || root.Left != "" || root.WalkedAt.IsZero() {
		t.Errorf("walked as %+v", root)
	}
	w.expect("ABC")

	root, listed = w.mustUpdate()
	expectList(t, listed)
	if root.Files != 3 {
		t.Errorf("without a change it has %d files", root.Files)
	}
	w.expect("ABC")

	delete(w.files, "one/deep/Film B.mkv")
	w.files["one/deep/Film D.mkv"] = ""
	_, listed = w.mustUpdate()
	expectList(t, listed, "one/deep")
	w.expect("ACD")

	delete(w.files, "two/Film C.mkv")
	w.files["three/Film E.mkv"] = ""
	root, listed = w.mustUpdate()
	expectList(t, listed, "", "three")
	w.expect("ADE")
	stored, err := w.Index.IndexedRoot(t.Context(), w.Root())
	if err != nil || stored.Files != 3 || root.Files != 3 {
		t.Errorf("stored as %+v, %v", stored, err)
	}
}

func TestUpdateWithoutStamps(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	w := newWalked(t, "one/Film A.mkv", "two/Film B.mkv")
	w.stamps = false
	w.Now, w.Fresh = func() time.Time { return at }, time.Hour
	w.mustUpdate()
	_, listed := w.mustUpdate()
	expectList(t, listed)
	at = at.Add(time.Hour)
	w.files["two/Film C.mkv"] = ""
	_, listed = w.mustUpdate()
	expectList(t, listed, "", "one", "two")
	w.expect("ABC")
	at = at.Add(-time.Minute) // another clock
	_, listed = w.mustUpdate()
	expectList(t, listed, "", "one", "two")
	w.Fresh = 0
	_, listed = w.mustUpdate()
	expectList(t, listed, "", "one", "two")
}

func TestUpdateSkipsWhatCannotBeRead(t *testing.T) {
	w := newWalked(t, "one/Film A.mkv", "one/deep/Film B.mkv", "two/Film C.mkv")
	w.errs["one"] = errDenied
	root, _ := w.mustUpdate()
	w.expect("C")
	if root.Left != "1 folder that cannot be read" || root.Files != 1 {
		t.Errorf("walked as %+v", root)
	}
	delete(w.errs, "one")
	w.mustUpdate()
	w.expect("ABC")

	for _, err := range []error{errDenied, errGone} {
		w.files["one/Film D.mkv"] = ""
		w.errs["one"] = err
		w.mustUpdate()
		w.expect("ABC") // as it was known
		delete(w.errs, "one")
		delete(w.files, "one/Film D.mkv")
		w.mustUpdate()
	}
}

// A panic at one folder spoils neither the others nor the walk, and never the process.
func TestUpdateContainsPanics(t *testing.T) {
	w := newWalked(t, "one/Film A.mkv", "two/Film B.mkv", "three/Film C.mkv")
	w.hook = func(folder string) {
		if folder == "two" {
			panic("a bug")
		}
	}
	root, _ := w.mustUpdate()
	w.expect("AC")
	if root.Left != "1 folder that cannot be read" {
		t.Errorf("left %q", root.Left)
	}
}

func TestUpdateOfATreeThatBreaks(t *testing.T) {
	w := newWalked(t, "one/Film A.mkv", "two/Film B.mkv")
	w.errs[""] = errBroken
	if _, _, err := w.update(); !errors.Is(err, errBroken) {
		t.Errorf("a broken root gives %v", err)
	}
	delete(w.errs, "")
	w.errs["one"] = errBroken
	_, _, err := w.update()
	if !errors.Is(err, errBroken) {
		t.Errorf("a broken folder gives %v", err)
	}
	w.expect("B") // what was found counts
	if root, err := w.Index.IndexedRoot(t.Context(), w.Root()); err != nil || !root.WalkedAt.IsZero() {
		t.Errorf("an unfinished walk was recorded: %+v, %v", root, err)
	}
	delete(w.errs, "one")
	_, listed := w.mustUpdate()
	expectList(t, listed, "one")
	w.expect("AB")

	// A tree that no longer answers is left alone soon.
	for i := range 20 {
		folder := fmt.Sprintf("many%02d", i)
		w.files[folder+"/x.mkv"] = ""
		w.errs[folder] = errBroken
	}
	_, listed, err = w.update()
	if !errors.Is(err, errBroken) || len(listed) != 4 {
		t.Errorf("a broken tree is listed %d times, with %v", len(listed), err)
	}
}

func TestUpdateOfATreeThatIsEmptyAtOnce(t *testing.T) {
	w := newWalked(t, "one/Film A.mkv")
	w.mustUpdate()
	w.files = map[string]string{}
	if _, _, err := w.update(); err == nil || !strings.Contains(err.Error(), "is its disk mounted?") {
		t.Errorf("an empty root gives %v", err)
	}
	w.expect("A")
	w = newWalked(t)
	w.mustUpdate()
	w.mustUpdate()
}

func TestUpdateThatIsCancelled(t *testing.T) {
	w := newWalked(t, "one/Film A.mkv", "two/Film B.mkv", "three/Film C.mkv")
	w.mustUpdate()
	w.files["one/Film D.mkv"], w.files["two/Film E.mkv"] = "", ""
	delete(w.files, "three/Film C.mkv")
	ctx, cancel := context.WithCancel(t.Context())
	w.hook = func(folder string) {
		if folder == "two" {
			cancel()
		}
	}
	if _, err := w.Update(ctx, w.fakeTree, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled walk gives %v", err)
	}
	w.expect("ABD")
	w.hook = nil
	_, listed := w.mustUpdate()
	expectList(t, listed, "two")
	w.expect("ABDE")
}

func TestLimits(t *testing.T) {
	paths := []string{"Film A.mkv", "one/Film B.mkv", "one/deep/Film C.mkv", "two/Film D.mkv", "two/Film E.mkv"}
	for _, tt := range []struct {
		limits files.Limits
		has    string
		left   string
	}{
		{files.Limits{}, "ABCDE", ""},
		{files.Limits{Depth: 2}, "ABDE", "1 folder too deep"},
		{files.Limits{Depth: 1}, "A", "2 folders too deep"},
		{files.Limits{Requests: 2}, "AB", "1 folder beyond the limit of requests"},
		{files.Limits{Files: 3}, "ABD", "2 files beyond the limit of files"},
		{files.Limits{Parallel: 3}, "ABCDE", ""},
	} {
		w := newWalked(t, paths...)
		w.Limits = tt.limits
		for range 2 { // the second one knows the same
			root, _ := w.mustUpdate()
			if root.Left != tt.left && tt.limits.Requests == 0 {
				t.Errorf("%+v: left %q, want %q", tt.limits, root.Left, tt.left)
			}
			if tt.limits.Requests > 0 {
				break // which goes on where the first one stopped
			}
			w.expect(tt.has)
		}
	}
}

func TestRequestsGoOn(t *testing.T) {
	w := newWalked(t, "one/Film A.mkv", "two/Film B.mkv", "three/Film C.mkv", "four/Film D.mkv")
	w.Limits.Requests = 2
	var seen []string
	for range 4 {
		root, _ := w.mustUpdate()
		seen = append(seen, w.has()+": "+root.Left)
	}
	if want := []string{"D: 3 folders beyond the limit of requests", "ACD: 1 folder beyond the limit of requests", "ABCD: ", "ABCD: "}; !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}
}

// A tree whose folders all list the same.
type mirrorTree struct{ *fakeTree }

func (t mirrorTree) List(ctx context.Context, _ string) ([]files.Entry, error) {
	return t.fakeTree.List(ctx, "")
}

func TestTreeThatListsItself(t *testing.T) {
	tree := mirrorTree{newTree("again/x", "Film A.mkv")}
	tree.files["./x"], tree.files["../x"], tree.files[strings.Repeat("x", 1<<20)+"/x"] = "", "", ""
	tree.files["Film "+strings.Repeat("B", 1<<20)+".mkv"] = ""
	w := files.Walker{Index: sourcetest.NewMemory(nil), Limits: files.Limits{Depth: 4, Requests: 100}}
	root, err := w.Update(t.Context(), tree, nil)
	if err != nil || root.Files != 4 || root.Left != "1 folder too deep" {
		t.Errorf("walked as %+v, %v", root, err)
	}
}

func TestUpdateTellsProgress(t *testing.T) {
	w := newWalked(t, "one/Film A.mkv", "two/Film B.mkv")
	var told []string
	if _, err := w.Update(t.Context(), w.fakeTree, func(folders, files int) { told = append(told, fmt.Sprint(folders, " ", files)) }); err != nil {
		t.Fatal(err)
	}
	if want := []string{"1 0", "2 1", "3 2"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

// What was read of other files is read again only where its listing changed.
func TestReadsOnce(t *testing.T) {
	content := map[string]string{
		"x.mkv": "", "x.nfo": "<movie><title>Film A</title></movie>",
		"Film B.strm":     "http://h.example/b.mp4",
		"show/tvshow.nfo": "<tvshow><title>Show</title></tvshow>", "show/Season 1/e01.mkv": "",
	}
	w := newWalked(t)
	w.files = content
	expectReads := func(want ...string) {
		t.Helper()
		slices.Sort(w.reads)
		if !slices.Equal(w.reads, want) {
			t.Errorf("read %q, want %q", w.reads, want)
		}
		w.expect("AB")
		if found, err := files.Search(t.Context(), w.Index, w.fakeTree, episode("Show", 1, 1), true); err != nil || len(found) != 1 {
			t.Errorf("the episode is found as %v, %v", found, err)
		}
	}
	w.mustUpdate()
	expectReads("Film B.strm", "show/tvshow.nfo", "x.nfo")
	w.files["new.mkv"], w.files["show/new.txt"] = "", ""
	w.mustUpdate()
	expectReads()
	w.files["x.nfo"] += " "
	w.files["newer.mkv"] = ""
	w.mustUpdate()
	expectReads("x.nfo")

	// A listing that tells nothing of a file has it read each time.
	w.bare = true
	w.files["newest.mkv"] = ""
	w.mustUpdate()
	expectReads("Film B.strm", "x.nfo")
}

func TestReadsAreBounded(t *testing.T) {
	w := newWalked(t)
	w.Limits.Reads = 2
	for _, name := range []string{"A", "B", "C", "D", "E"} {
		w.files["Film "+name+".strm"] = "http://h.example/" + name
	}
	var seen []string
	for range 4 {
		root, _ := w.mustUpdate()
		seen = append(seen, w.has()+": "+root.Left)
	}
	want := []string{"AB: 3 .nfo or .strm files not read", "ABCD: 1 .nfo or .strm file not read", "ABCDE: ", "ABCDE: "}
	if !slices.Equal(seen, want) {
		t.Errorf("got %q, want %q", seen, want)
	}
}

func TestReadThatFails(t *testing.T) {
	w := newWalked(t)
	w.files["x.mkv"], w.files["x.nfo"] = "", strings.Repeat("x", 300<<10)
	w.files["Film A.strm"] = strings.Repeat("#\n", 64<<10)
	w.files["Film B.strm"] = "plugin://x"
	root, _ := w.mustUpdate()
	if root.Files != 1 || root.Left != "2 .nfo or .strm files not read, 1 .strm file without an http link" {
		t.Errorf("walked as %+v", root)
	}
}

// A file that is not to be had spoils nothing that lies beside it, and what was known of
// it stays, until it is to be had again.
func TestReadThatIsNotAnswered(t *testing.T) {
	for _, failure := range []error{errBroken, errDenied, errGone} {
		w := newWalked(t, "Film A.mkv", "one/Film B.mkv")
		w.bare = true // each walk reads all
		w.files["show/tvshow.nfo"], w.files["show/e01.mkv"] = "<tvshow><title>Show</title></tvshow>", ""
		w.files["x.mkv"], w.files["x.nfo"] = "", "<movie><title>Film C</title></movie>"
		w.files["Film D.strm"] = "http://h.example/d.mp4"
		unreadable := []string{"show/tvshow.nfo", "x.nfo", "Film D.strm"}
		for _, known := range []bool{false, true} {
			for _, file := range unreadable {
				w.errs[file] = failure
			}
			w.files[fmt.Sprint("new-", known)], w.files[fmt.Sprint("show/new-", known)] = "", ""
			root, _ := w.mustUpdate()
			if root.Left != "3 .nfo or .strm files not read" || root.WalkedAt.IsZero() {
				t.Errorf("%v: walked as %+v", failure, root)
			}
			if known {
				w.expect("ABCD")
			} else {
				w.expect("AB")
			}
			clear(w.errs)
			w.files[fmt.Sprint("newer-", known)], w.files[fmt.Sprint("show/newer-", known)] = "", ""
			if root, _ = w.mustUpdate(); root.Left != "" {
				t.Errorf("%v: then walked as %+v", failure, root)
			}
			w.expect("ABCD")
			if found, err := files.Search(t.Context(), w.Index, w.fakeTree, episode("Show", 1, 1), true); err != nil || len(found) != 1 {
				t.Errorf("%v: the episode is found as %v, %v", failure, found, err)
			}
		}
	}
}

// A tree that answers no reads is soon asked for none, and the next walk looks again.
func TestReadsThatAreNotAnswered(t *testing.T) {
	w := newWalked(t, "Film A.mkv")
	for i := range 20 {
		name := fmt.Sprintf("Film %02d.strm", i)
		w.files[name], w.errs[name] = "http://h.example/x.mp4", errBroken
	}
	root, _ := w.mustUpdate()
	if len(w.reads) != 3 || root.Files != 1 || root.Left != "20 .nfo or .strm files not read" {
		t.Errorf("%d reads, walked as %+v", len(w.reads), root)
	}
	clear(w.errs)
	if root, _ = w.mustUpdate(); root.Files != 21 || root.Left != "" {
		t.Errorf("then walked as %+v", root)
	}
}

func TestIgnoredFolders(t *testing.T) {
	w := newWalked(t, "one/.nomedia", "one/Film A.mkv", "two/.ignore", "two/deep/Film B.mkv", "three/Film C.mkv")
	for range 2 {
		if root, _ := w.mustUpdate(); root.Left != "2 folders with .nomedia or .ignore" || root.Files != 1 {
			t.Errorf("walked as %+v", root)
		}
		w.expect("C")
	}
}

// A tvshow.nfo that changes changes the folders below.
func TestShowChanges(t *testing.T) {
	w := newWalked(t)
	w.files["show/tvshow.nfo"], w.files["show/Season 1/e01.mkv"] = "<tvshow><title>Film A</title></tvshow>", ""
	w.mustUpdate()
	w.files["show/tvshow.nfo"] = "<tvshow><title>Other</title></tvshow>"
	w.files["show/x"] = ""
	_, listed := w.mustUpdate()
	expectList(t, listed, "show", "show/Season 1")
	if found, err := files.Search(t.Context(), w.Index, w.fakeTree, episode("Other", 1, 1), true); err != nil || len(found) != 1 {
		t.Errorf("the episode is found as %v, %v", found, err)
	}
}
