//go:build unix

package folder_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"xship/sources"
)

func symlink(tb testing.TB, target, link string) {
	tb.Helper()
	if err := os.Symlink(target, link); err != nil {
		tb.Fatal(err)
	}
}

func TestLinks(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "films")
	write(t, base, "outside/Film X.mkv", "films/store/Film A.mkv", "films/more/Film B.mkv", "films/.hidden/c", "filmsbeside/Film X.mkv")
	symlink(t, filepath.Join(base, "outside"), filepath.Join(dir, "out"))
	symlink(t, "../../outside/Film X.mkv", filepath.Join(dir, "more", "Film X.mkv"))
	symlink(t, "../filmsbeside", filepath.Join(dir, "beside"))
	symlink(t, "/etc/passwd", filepath.Join(dir, "Film X.mkv"))
	symlink(t, "nowhere", filepath.Join(dir, "Film Y.mkv"))
	symlink(t, ".", filepath.Join(dir, "loop"))
	symlink(t, dir, filepath.Join(dir, "store", "loop"))
	symlink(t, "self", filepath.Join(dir, "self"))
	symlink(t, "../more", filepath.Join(dir, "store", "more"))
	symlink(t, filepath.Join(dir, "store"), filepath.Join(dir, "more", "store"))
	symlink(t, "../.hidden/c", filepath.Join(dir, "more", "Film C.mkv"))
	symlink(t, filepath.Join(dir, ".hidden", "c"), filepath.Join(dir, "more", "Film D.mkv"))
	site := newSite(t, dir)
	expect(t, site, dir, film("Film X"))
	expect(t, site, dir, film("Film Y"))
	expect(t, site, dir, film("Film A"), "more/store/Film A.mkv", "store/Film A.mkv")
	expect(t, site, dir, film("Film B"), "more/Film B.mkv", "store/more/Film B.mkv")
	expect(t, site, dir, film("Film C"), "more/Film C.mkv", "store/more/Film C.mkv")
	expect(t, site, dir, film("Film D"), "more/Film D.mkv", "store/more/Film D.mkv")

	// The folder itself may be a link.
	linked := filepath.Join(base, "linked")
	symlink(t, dir, linked)
	expect(t, newSite(t, linked), linked, film("Film D"), "more/Film D.mkv", "store/more/Film D.mkv")
}

func TestWhatIsNoFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "Film A.mkv", "Film B.mkv/x")
	if err := syscall.Mkfifo(filepath.Join(dir, "Film C.mkv"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "Film A.nfo"), 0o600); err != nil {
		t.Fatal(err)
	}
	symlink(t, "Film C.mkv", filepath.Join(dir, "Film D.mkv"))
	symlink(t, "/dev/null", filepath.Join(dir, "Film E.mkv"))
	site := newSite(t, dir)
	expect(t, site, dir, film("Film A"), "Film A.mkv")
	for _, name := range []string{"Film B", "Film C", "Film D", "Film E"} {
		expect(t, site, dir, film(name))
	}
}

func TestUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	dir := t.TempDir()
	write(t, dir, "one/Film A.mkv", "two/Film B.mkv")
	closed := filepath.Join(dir, "one")
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(closed, 0o700) })
	site := newSite(t, dir)
	root, err := site.UpdateIndex(t.Context(), nil)
	if err != nil || root.Left != "1 folder that cannot be read" {
		t.Errorf("walked as %+v, %v", root, err)
	}
	expect(t, site, dir, film("Film B"), "two/Film B.mkv")
	if _, err := newSite(t, closed).UpdateIndex(t.Context(), nil); sources.ClassOf(err) != sources.ClassUnsupported || !strings.Contains(err.Error(), "permission denied") {
		t.Errorf("a folder that may not be read gives %v", err)
	}
}

func TestNamesThatAreNotUTF8(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "in\xff/Film \xe9t\xe9 (2008).mkv")
	site := newSite(t, dir)
	title := sources.Title{Kind: sources.KindMovie, Name: "Film \ufffdt\ufffd", Year: 2008}
	expect(t, site, dir, title, "in\xff/Film \xe9t\xe9 (2008).mkv")
	err := site.Search(t.Context(), title, func(src sources.Source) {
		if src.Name != "Film \ufffdt\ufffd (2008).mkv" {
			t.Errorf("it is called %q", src.Name)
		}
		if _, err := os.Stat(src.URL); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
