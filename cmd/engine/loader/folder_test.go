package loader_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xship/cmd/engine/loader"
	"xship/config/vod"
)

// TestFolder: a folder is an interface by its path, and one site.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	films, empty := filepath.Join(dir, "my films"), filepath.Join(dir, "empty")
	for _, folder := range []string{films, empty, filepath.Join(films, "sub")} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	linked := filepath.Join(dir, "linked")
	if err := os.Symlink(films, linked); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	for _, c := range []struct {
		path, name string
		warned     bool
	}{
		{films, "my films", false},
		{empty, "empty", true},
		{linked, "linked", false},
	} {
		r := newRig(t)
		r.add(c.path)
		for range 2 {
			result, err := r.load()
			if err != nil || result.Kind != loader.KindFolder || len(result.Sites) != 1 || result.Usable != 1 || (len(result.Warnings) > 0) != c.warned {
				t.Fatalf("%s: %+v, %v", c.path, result.Content, err)
			}
			spec := result.Sites[0]
			if spec.API != c.path || spec.Name != c.name || spec.Type != "folder" || !spec.Trusted || !spec.Offline || !spec.Searchable || spec.Unsupported != "" {
				t.Errorf("%s: %+v", c.path, spec)
			}
		}
		if err := os.RemoveAll(c.path); err != nil {
			t.Fatal(err)
		}
		if _, err := r.load(); cause(err) != vod.CauseFile || !strings.Contains(err.Error(), "there is no such file") {
			t.Errorf("%s is gone: %v", c.path, err)
		}
		if err := os.MkdirAll(filepath.Join(films, "sub"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFolder_unreadable says that xship may not read a folder.
func TestFolder_unreadable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "private")
	if err := os.Mkdir(dir, 0o300); err != nil {
		t.Fatal(err)
	}
	if f, err := os.Open(dir); err == nil {
		_ = f.Close()
		t.Skip("everything can be read here")
	}
	if _, err := newRig(t).Check(t.Context(), dir); cause(err) != vod.CauseFile || !strings.Contains(err.Error(), "cannot read the folder") {
		t.Errorf("%v", err)
	}
}
