package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/sources"
	"xship/sources/sourcetest"
)

func TestMemberOf(t *testing.T) {
	loaded := func(url, name string, kind loader.Kind, self string, sites ...sources.SiteSpec) InterfaceCheck {
		return InterfaceCheck{Interface: sources.Interface{URL: url, Name: name}, Result: loader.Result{Content: loader.Content{Kind: kind, Name: self, Sites: sites}}}
	}
	site := func(api, name string) sources.SiteSpec {
		return sources.SiteSpec{SiteInfo: sources.SiteInfo{Name: name}, API: api}
	}
	broken := site("http://a.example/manifest.json", "A")
	broken.Unsupported = "it has no streams\x1b[31m"
	for _, tt := range []struct {
		name  string
		check InterfaceCheck
		want  config.GroupMember // its zero value: refused
		says  string
	}{
		{"by the name in the list", loaded("/films", "mine", loader.KindFolder, "films", site("/films", "films")), config.GroupMember{Key: "mine", Name: "mine", Type: "folder", API: "/films"}, ""},
		{"by its own name", loaded("stremio://a.example/x", "", loader.KindStremio, "Paper", site("https://a.example/x%2Fy/manifest.json", "a.example")), config.GroupMember{Key: "Paper", Name: "Paper", Type: "stremio", API: "https://a.example/x%2Fy/manifest.json"}, ""},
		{"by its host", loaded("http://nas.example/", "", loader.KindJellyfin, "", site("http://nas.example", "nas.example")), config.GroupMember{Key: "nas.example", Name: "nas.example", Type: "jellyfin", API: "http://nas.example"}, ""},
		{"by its kind", loaded("http://nas.example/", "", loader.KindEmby, "", site("http://nas.example", "")), config.GroupMember{Key: "emby", Name: "emby", Type: "emby", API: "http://nas.example"}, ""},
		{"the same name again", loaded("/more/films", "", loader.KindFolder, "Mine", site("/more/films", "")), config.GroupMember{Key: "Mine 2", Name: "Mine", Type: "folder", API: "/more/films"}, ""},
		{"and again", loaded("/a/mine", "", loader.KindFolder, "mine", site("/a/mine", "")), config.GroupMember{Key: "mine 3", Name: "mine", Type: "folder", API: "/a/mine"}, ""},
		{"one that was there", loaded("/stays", "", loader.KindFolder, "Stays", site("/stays", "")), config.GroupMember{Key: "Stays", Name: "Stays", Type: "folder", API: "/stays"}, ""},
		{"the name of one that was elsewhere", loaded("/new", "", loader.KindFolder, "moved", site("/new", "")), config.GroupMember{Key: "moved 3", Name: "moved", Type: "folder", API: "/new"}, ""},
		{"the name of one of another type", loaded("http://nas.example/", "nas", loader.KindWebDAV, "", site("http://nas.example/", "")), config.GroupMember{Key: "nas 2", Name: "nas", Type: "webdav", API: "http://nas.example/"}, ""},
		{"a config of one site", loaded("http://a.example/tv.json", "", loader.KindTVBox, "", site("http://a.example/", "A")), config.GroupMember{}, "it is a TVBox config"},
		{"a depot", loaded("http://a.example/tv.json", "", loader.KindDepot, "", site("http://a.example/", "A")), config.GroupMember{}, "it is a depot"},
		{"the built-in one", loaded("builtin:open", "", loader.KindBuiltin, "", site("", "A")), config.GroupMember{}, "neither an add-on"},
		{"an add-on that cannot be asked", loaded("http://a.example/manifest.json", "", loader.KindStremio, "", broken), config.GroupMember{}, "it cannot be asked: it has no streams"},
		{"a login in the address", loaded("http://a.example/", "nas", loader.KindWebDAV, "", site("http://me:passw0rd@a.example/", "A")), config.GroupMember{}, "its address holds a login"},
		{"what cannot be loaded", InterfaceCheck{Interface: sources.Interface{URL: "http://a.example/"}, Err: errors.New("it is off")}, config.GroupMember{}, "since it cannot be loaded: it is off"},
	} {
		taken := map[string]bool{}
		before := []config.GroupMember{
			{Key: "Stays", Type: "folder", API: "/stays"}, {Key: "MOVED", Type: "folder", API: "/old"}, {Key: "moved 2", Type: "folder", API: "/older"}, {Key: "nas", Type: "httpindex", API: "http://nas.example/"},
		}
		if tt.name == "the same name again" || tt.name == "and again" {
			taken["mine"] = true
			taken["mine 2"] = tt.name == "and again"
		}
		got, err := memberOf(tt.check, memberKeys{before, taken})
		if diff := cmp.Diff(tt.want, got); diff != "" || (err != nil) != (tt.says != "") {
			t.Errorf("%s: %v\n%s", tt.name, err, diff)
		}
		if err != nil && (!strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "passw0rd") || strings.ContainsRune(err.Error(), '\x1b')) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
}

// fullStore takes no interface.
type fullStore struct{ sources.Store }

var errFull = errors.New("the disk is full")

func (fullStore) AddInterface(context.Context, string, string) (bool, error) { return false, errFull }

func (fullStore) AddInterfaces(context.Context, []sources.Interface, string) (int, error) {
	return 0, errFull
}

// A group that cannot be stored leaves its file as it was.
func TestGroup_notStored(t *testing.T) {
	dir, films := t.TempDir(), t.TempDir()
	e, err := Open(Config{Store: fullStore{sourcetest.NewMemory(time.Now)}, DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	path, err := config.GroupPath(dir, "home")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.GroupInterfaces(t.Context(), "home", []string{films}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there: %v", err)
	}
	was := []config.GroupMember{{Key: "a", Name: "A", Type: "folder", API: "/a"}}
	if err := config.WriteGroup(path, was); err != nil {
		t.Fatal(err)
	}
	if _, err := e.GroupInterfaces(t.Context(), "home", []string{films}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	if got, err := config.ReadGroup(path); err != nil || !cmp.Equal(got, was) {
		t.Errorf("the file holds %+v, %v", got, err)
	}

	backup := config.Backup{
		Interfaces: []config.BackupInterface{{URL: "/old/groups/home.json", Name: "home"}},
		Groups:     []config.BackupGroup{{URL: "/old/groups/home.json", Members: []config.GroupMember{{Key: "b", Name: "B", Type: "folder", API: "/b"}}}},
	}
	if _, err := e.Import(t.Context(), backup, func(Skipped) {}); !errors.Is(err, errFull) {
		t.Errorf("import: got %v", err)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("the import left %v, %v", entries, err)
	}
}

// A group whose file is damaged keeps no other interface from a backup or an import.
func TestGroup_damaged(t *testing.T) {
	dir := t.TempDir()
	var warnings []string
	e, err := Open(Config{Store: sourcetest.NewMemory(time.Now), DataDir: dir, Warn: func(w string) { warnings = append(warnings, w) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	for _, name := range []string{"good", "bad"} {
		if _, err := e.GroupInterfaces(t.Context(), name, []string{t.TempDir()}); err != nil {
			t.Fatal(err)
		}
	}
	bad, err := config.GroupPath(dir, "bad")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bad, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	backup, _, err := e.Export(t.Context(), false)
	if err != nil || len(backup.Interfaces) != 2 || len(backup.Groups) != 1 {
		t.Errorf("exported %+v, %v", backup, err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], bad) {
		t.Errorf("warnings %q", warnings)
	}
	backup = config.Backup{
		Interfaces: []config.BackupInterface{{URL: "/old/groups/bad.json", Name: "mended"}},
		Groups:     []config.BackupGroup{{URL: "/old/groups/bad.json", Members: []config.GroupMember{{Key: "b", Name: "B", Type: "folder", API: "/b"}}}},
	}
	if _, err := e.Import(t.Context(), backup, func(s Skipped) { t.Errorf("skipped %+v", s) }); err != nil {
		t.Error(err)
	}
	if members, err := config.ReadGroup(filepath.Join(filepath.Dir(bad), "bad 2.json")); err != nil || len(members) != 1 {
		t.Errorf("imported %+v, %v", members, err)
	}
	if text, err := os.ReadFile(bad); err != nil || string(text) != "{" {
		t.Errorf("the damaged file holds %q, %v", text, err)
	}
}

// lockedStore tells whether the groups are locked while an interface is added or removed.
type lockedStore struct {
	*sourcetest.Memory
	lock string
	seen map[string]bool // by what is done
}

func (s lockedStore) look(what string) {
	lock := flock.New(s.lock)
	free, err := lock.TryLock()
	s.seen[what] = err == nil && !free
	if free {
		_ = lock.Unlock()
	}
}

func (s lockedStore) AddInterface(ctx context.Context, url, name string) (bool, error) {
	s.look("add")
	return s.Memory.AddInterface(ctx, url, name)
}

func (s lockedStore) RemoveInterface(ctx context.Context, url, next string) (bool, error) {
	s.look("remove")
	return s.Memory.RemoveInterface(ctx, url, next)
}

// A group and its file are made and removed while no other process does so: else one that
// is made while the one of its name is removed could be listed without its file.
func TestGroup_locked(t *testing.T) {
	dir, films := t.TempDir(), t.TempDir()
	store := lockedStore{sourcetest.NewMemory(time.Now), filepath.Join(dir, "groups.lock"), map[string]bool{}}
	e, err := Open(Config{Store: store, DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	if _, err := e.GroupInterfaces(t.Context(), "home", []string{films}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.RemoveInterface(t.Context(), "home"); err != nil {
		t.Error(err)
	}
	if !store.seen["add"] || !store.seen["remove"] {
		t.Errorf("locked: %v", store.seen)
	}
}
