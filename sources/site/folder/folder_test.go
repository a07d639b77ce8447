package folder_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/site/folder"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

func spec(dir string) sources.SiteSpec {
	return sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: "k", Name: "My films", Type: folder.Type}, API: dir, Trusted: true, Searchable: true}
}

func newSite(tb testing.TB, dir string) sources.Indexer {
	tb.Helper()
	site, err := folder.New(spec(dir), folder.Deps{Index: sourcetest.NewMemory(nil)})
	if err != nil {
		tb.Fatal(err)
	}
	indexer, ok := site.(sources.Indexer)
	if !ok {
		tb.Fatal("a folder has no index")
	}
	return indexer
}

// write makes files of the given names below dir, each with its name in it, and dates the
// folders back, so that what changes later shows.
func write(tb testing.TB, dir string, names ...string) {
	tb.Helper()
	for _, name := range names {
		name, content, ok := strings.Cut(name, " = ")
		if !ok {
			content = name
		}
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	age(tb, dir, time.Now().Add(-time.Hour))
}

// age dates the folders below dir.
func age(tb testing.TB, dir string, at time.Time) {
	tb.Helper()
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		return os.Chtimes(path, at, at)
	})
	if err != nil {
		tb.Fatal(err)
	}
}

func film(name string) sources.Title {
	return sources.Title{Kind: sources.KindMovie, Name: name}
}

// found are the paths below dir that site yields for t.
func found(tb testing.TB, site sources.Site, dir string, t sources.Title) []string {
	tb.Helper()
	var all []string
	if err := site.Search(tb.Context(), t, func(src sources.Source) {
		all = append(all, strings.TrimPrefix(src.URL, dir+string(filepath.Separator)))
	}); err != nil {
		tb.Fatal(err)
	}
	return all
}

func expect(tb testing.TB, site sources.Site, dir string, t sources.Title, want ...string) {
	tb.Helper()
	if got := found(tb, site, dir, t); !slices.Equal(got, want) {
		tb.Errorf("%s: found %q, want %q", t, got, want)
	}
}

// The films of the suite lie there as .strm files, by which their links come out as they
// are.
func TestConformance(t *testing.T) {
	sourcetest.RunSite(t, sourcetest.Harness{Start: func(tb testing.TB, films []world.Film) sourcetest.Instance {
		tb.Helper()
		dir := tb.TempDir()
		var names []string
		for _, f := range films {
			in := f.Name
			if f.Year != 0 {
				in = filepath.Join(f.Name+" ("+strconv.Itoa(f.Year)+")", f.Name+" ("+strconv.Itoa(f.Year)+") - ")
			} else {
				in += string(filepath.Separator)
			}
			for i, group := range f.Groups {
				for _, item := range group.Items {
					names = append(names, in+strings.Repeat(" ", i)+item.Label+".strm = "+item.URL)
				}
			}
		}
		write(tb, dir, names...)
		return sourcetest.Instance{Site: newSite(tb, dir)}
	}})
}

func TestSpecs(t *testing.T) {
	dir := t.TempDir()
	remote, relative, other := spec(dir), spec("films"), spec(dir)
	remote.Trusted = false
	other.Type = "9"
	index := sourcetest.NewMemory(nil)
	for _, tt := range []struct {
		name  string
		spec  sources.SiteSpec
		index sources.Index
		err   string
	}{
		{"of a remote config", remote, index, "a folder counts only in a config that lies on this machine"},
		{"relative", relative, index, `the api "films" is not the absolute path of a folder`},
		{"of another type", other, index, `site type "9" is not a folder`},
		{"without a store", spec(dir), nil, "a folder needs a store for its index, and there is none"},
		{"its own", spec(dir), index, ""},
	} {
		site, err := folder.New(tt.spec, folder.Deps{Index: tt.index})
		switch {
		case tt.err == "" && (err != nil || !site.Info().Offline || site.Info().Key != "k"):
			t.Errorf("%s: %v", tt.name, err)
		case tt.err != "" && (sources.ClassOf(err) != sources.ClassUnsupported || err.Error() != tt.err):
			t.Errorf("%s: got %s %v, want %q", tt.name, sources.ClassOf(err), err, tt.err)
		}
	}
}

func TestNames(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "-rf.mkv", "$(reboot).mkv", "a|b.mkv", "100% c.mkv", "d?e#f.mkv", " g .mkv")
	site := newSite(t, dir)
	for name, file := range map[string]string{
		"rf": "-rf.mkv", "reboot": "$(reboot).mkv", "a b": "a|b.mkv", "100% c": "100% c.mkv", "d e f": "d?e#f.mkv", "g": " g .mkv",
	} {
		expect(t, site, dir, film(name), file)
	}
}

func TestSourcesAreTheUsersOwn(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "Film A.mkv", "Film A.strm = https://h.example/a.mp4", "Film A.de.srt")
	err := newSite(t, dir).Search(t.Context(), film("Film A"), func(src sources.Source) {
		own := filepath.IsAbs(src.URL)
		if src.Own != own || own && (src.SizeBytes != int64(len("Film A.mkv")) || len(src.Subtitles) != 1 || src.Subtitles[0].URL != filepath.Join(dir, "Film A.de.srt")) {
			t.Errorf("yields %+v", src)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestSearchSeesWhatChanged(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "one/Film A.mkv", "two/Film B.mkv")
	at := time.Now()
	site, err := folder.New(spec(dir), folder.Deps{Index: sourcetest.NewMemory(nil), Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, site, dir, film("Film A"), filepath.Join("one", "Film A.mkv"))
	if err := os.Rename(filepath.Join(dir, "one", "Film A.mkv"), filepath.Join(dir, "two", "Film C.mkv")); err != nil {
		t.Fatal(err)
	}
	at = at.Add(2 * time.Minute)
	expect(t, site, dir, film("Film A"))
	expect(t, site, dir, film("Film B"), filepath.Join("two", "Film B.mkv"))
	expect(t, site, dir, film("Film C"), filepath.Join("two", "Film C.mkv"))
	if err := os.RemoveAll(filepath.Join(dir, "two")); err != nil {
		t.Fatal(err)
	}
	at = at.Add(2 * time.Minute)
	expect(t, site, dir, film("Film B"))
}

// A file that was renamed, and one that a search did not find, do not wait for a minute.
func TestSearchSeesWhatItMisses(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "one/Film A.mkv")
	at := time.Now()
	site, err := folder.New(spec(dir), folder.Deps{Index: sourcetest.NewMemory(nil), Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	if !site.Info().Local {
		t.Error("a stored scan stands for a folder")
	}
	expect(t, site, dir, film("Film A"), filepath.Join("one", "Film A.mkv"))
	if err := os.Rename(filepath.Join(dir, "one", "Film A.mkv"), filepath.Join(dir, "one", "Film A 720p.mkv")); err != nil {
		t.Fatal(err)
	}
	expect(t, site, dir, film("Film A"), filepath.Join("one", "Film A 720p.mkv"))
	write(t, dir, "Film B.mkv")
	at = at.Add(2 * time.Second)
	expect(t, site, dir, film("Film B"), "Film B.mkv")
}

// What took the place of a file that was indexed is not played for it.
func TestSearchSeesWhatTookItsPlace(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.mkv")
	if err := os.WriteFile(outside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, replace := range map[string]func(path string) error{
		"a link that leads out": func(path string) error { return os.Symlink(outside, path) },
		"a folder":              func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, "Film A.mkv", "Film Z.mkv")
			at := time.Now()
			site, err := folder.New(spec(dir), folder.Deps{Index: sourcetest.NewMemory(nil), Now: func() time.Time { return at }})
			if err != nil {
				t.Fatal(err)
			}
			expect(t, site, dir, film("Film A"), "Film A.mkv")
			path := filepath.Join(dir, "Film A.mkv")
			if err := errors.Join(os.Remove(path), replace(path)); err != nil {
				t.Skip("this system makes none:", err)
			}
			expect(t, site, dir, film("Film A"))
		})
	}
}

// What changed in the same moment in which it was listed shows as well.
func TestSearchSeesWhatJustChanged(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "Film A.mkv")
	at := time.Now()
	age(t, dir, at)
	site, err := folder.New(spec(dir), folder.Deps{Index: sourcetest.NewMemory(nil), Now: func() time.Time { return at }})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, site, dir, film("Film A"), "Film A.mkv")
	if err := os.WriteFile(filepath.Join(dir, "Film B.mkv"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	age(t, dir, at)
	at = at.Add(2 * time.Minute)
	expect(t, site, dir, film("Film B"), "Film B.mkv")
}

func TestFolderThatIsNotThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "disk")
	site := newSite(t, dir)
	search := func() error { return site.Search(t.Context(), film("Film A"), func(sources.Source) {}) }
	if err := search(); sources.ClassOf(err) != sources.ClassHosterFault || !strings.Contains(err.Error(), "is its disk mounted?") {
		t.Errorf("a missing folder gives %s %v", sources.ClassOf(err), err)
	}
	write(t, dir, "Film A.mkv")
	expect(t, site, dir, film("Film A"), "Film A.mkv")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newSite(t, dir).UpdateIndex(t.Context(), nil); sources.ClassOf(err) != sources.ClassUnsupported || !strings.Contains(err.Error(), dir) {
		t.Errorf("a file for a folder gives %s %v", sources.ClassOf(err), err)
	}
}

func TestUpdateIndex(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "one/Film A.mkv", "Film B.mkv", "c.strm = /etc/passwd")
	folders, files := 0, 0
	root, err := newSite(t, dir).UpdateIndex(t.Context(), func(o, i int) { folders, files = o, i })
	if err != nil || root.Files != 2 || folders != 2 || files != 2 || root.Left != "1 .strm file without an http link" {
		t.Errorf("walked as %+v, %v, with %d folders and %d files", root, err, folders, files)
	}
}

// What is too large to be read, or is no file, spoils nothing that lies beside it.
func TestFilesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "Film A.mkv", "Film A.nfo = "+strings.Repeat("x", 300<<10), "Film B.mkv",
		"Film C.strm = "+strings.Repeat("\n", 100<<10)+"http://h.example/c.mp4", "Show/tvshow.nfo = "+strings.Repeat("x", 300<<10), "Show/Show S01E01.mkv")
	site := newSite(t, dir)
	root, err := site.UpdateIndex(t.Context(), nil)
	if err != nil || root.Files != 3 || root.Left != "3 .nfo or .strm files not read" {
		t.Errorf("walked as %+v, %v", root, err)
	}
	expect(t, site, dir, film("Film A"), "Film A.mkv")
	expect(t, site, dir, film("Film B"), "Film B.mkv")
}

// A folder tells films and whole series of the name, whatever was asked for.
func TestSearch_seen(t *testing.T) {
	dir := t.TempDir()
	write(t, dir,
		"Harbour Nine/Season 1/Harbour Nine S01E01.mkv", "Harbour Nine/Season 1/Harbour Nine S01E02E03.mkv", "Harbour Nine/Season 2/Harbour Nine S02E01.mkv",
		"Harbour Nine/Specials/Harbour Nine S00E01.mkv", "Harbour Nine/Season 1/Harbour Nine S01E01-trailer.mkv", "Harbour Nine (2001)/Harbour Nine (2001).mkv", "Elsewhere (2001).mkv",
	)
	site := newSite(t, dir)
	want := []string{"Harbour Nine (2001) movie", "Harbour Nine episode: 0x1 1x1 1x2 1x3 2x1"}
	for name, title := range map[string]sources.Title{
		"a film":              {Kind: sources.KindMovie, Name: "Harbour Nine", Year: 2001},
		"a name":              {Kind: sources.KindMovie, Name: "harbour nine"},
		"an episode":          {Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 1, Episode: 3},
		"an episode it lacks": {Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 7, Episode: 3},
	} {
		if got, err := sourcetest.Seen(t.Context(), site, title); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}
