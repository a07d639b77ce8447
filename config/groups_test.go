package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/config"
)

func TestGroup(t *testing.T) {
	dir := t.TempDir()
	path, err := config.GroupPath(dir, "Wohnzimmer 2.0")
	if want := filepath.Join(dir, "groups", "Wohnzimmer 2.0.json"); err != nil || path != want {
		t.Fatalf("got %q, %v, want %q", path, err, want)
	}
	if _, err := config.ReadGroup(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a group that is not there: %v", err)
	}
	members := []config.GroupMember{
		{Key: "nas", Name: "NAS", Type: "webdav", API: "https://nas.example/dav/?a=1&b=<2>"}, {Key: "films", Name: "films", Type: "folder", API: "/srv/films"},
	}
	for range 2 {
		if err := config.WriteGroup(path, members); err != nil {
			t.Fatal(err)
		}
		got, err := config.ReadGroup(path)
		if diff := cmp.Diff(members, got); err != nil || diff != "" {
			t.Errorf("got %v\n%s", err, diff)
		}
		members = members[:1]
	}
	for name, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm()&^want != 0 {
			t.Errorf("%s has the mode %v, %v", name, info.Mode(), err)
		}
	}
	if text := mustRead(t, path); !strings.Contains(text, `"api": "https://nas.example/dav/?a=1&b=<2>"`) {
		t.Errorf("the file holds %s", text)
	}
	if name, ok := config.GroupOf(dir, path); !ok || name != "Wohnzimmer 2.0" {
		t.Errorf("got %q, %v", name, ok)
	}
	for range 2 {
		if err := config.RemoveGroup(path); err != nil {
			t.Errorf("remove: %v", err)
		}
	}
}

func TestGroupOf_others(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{
		"", "x.json", filepath.Join(dir, "x.json"), filepath.Join(dir, "groups"), filepath.Join(dir, "groups", "x"), filepath.Join(dir, "groups", ".json"),
		filepath.Join(dir, "groups", "deep", "x.json"), filepath.Join(dir, "groups", "..", "x.json"), filepath.Join("groups", "x.json"), "http://h.example/groups/x.json", "builtin:open",
	} {
		if name, ok := config.GroupOf(dir, path); ok {
			t.Errorf("%q is taken for the group %q", path, name)
		}
	}
}

func TestGroupPath(t *testing.T) {
	for _, name := range []string{
		"", " ", "a ", " a", ".", "..", ".a", "a.", "a/b", `a\b`, "../a", "a:b", "a*", "a?", `a"b`, "a<b", "a>b", "a|b", "a\nb", "a\x00b", "a\x1b[31m", "\xff", "a\u202eb", strings.Repeat("a", 51),
	} {
		if path, err := config.GroupPath("/data", name); err == nil {
			t.Errorf("%q is the file %s", name, path)
		}
	}
	for _, name := range []string{"a", "Mein Zuhause", "家", "a-b_c (2) & d's", strings.Repeat("家", 50)} {
		if _, err := config.GroupPath("/data", name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestReadGroup_broken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.json")
	for name, text := range map[string]string{"nothing": "", "a text": "no", "a list": "[]", "another type": `{"sites":{"key":1}}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if members, err := config.ReadGroup(path); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: got %v, %v", name, members, err)
		}
	}
	if members, err := config.ReadGroup(filepath.Dir(path)); err == nil {
		t.Errorf("a folder: got %v", members)
	}
}
