package loader_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"xship/cmd/engine/loader"
	"xship/config/failover"
	"xship/config/vod"
	"xship/sources/site/openfilms"
	"xship/sources/sourcetest/world"
)

func TestURLOf(t *testing.T) {
	t.Parallel()
	abs := func(path string) string {
		path, err := filepath.Abs(filepath.FromSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct{ ref, want string }{ // "": an error
		{"", ""},
		{" ", ""},
		{"vod.json", abs("vod.json")},
		{" ./a/../vod.json ", abs("vod.json")},
		{openfilms.InterfaceURL, openfilms.InterfaceURL},
		{"https://a.example", "https://a.example"},
		{"http://a.example/ä b.json?x=1", "http://a.example/ä b.json?x=1"},
		{"http://影视.example/", "http://影视.example/"},
		{"http://[::1]:8080/", "http://[::1]:8080/"},
		{"http://", ""},
		{"HTTPS:///vod.json", ""},
		{"http://:8080/vod.json", ""},
		{"http://user@/vod.json", ""},
		{"file:///tmp/x.json", filepath.FromSlash("/tmp/x.json")},
		{"FILE://localhost/tmp/a/../x%20y.json", filepath.FromSlash("/tmp/x y.json")},
		{"file://elsewhere/x.json", "file://elsewhere/x.json"},
		{"file://", "file://"},
		{"clan://x", "clan://x"},
		{"http://a.example/%zz", "http://a.example/%zz"},
	} {
		got, err := loader.URLOf(c.ref)
		if got != c.want || (err != nil) != (c.want == "") || err != nil && !errors.Is(err, loader.ErrNoRef) {
			t.Errorf("URLOf(%q) = %q, %v; want %q", c.ref, got, err, c.want)
		}
	}
}

// TestMisspelt: what is neither an interface nor a file is made up for by no other
// interface, whatever the mode.
func TestMisspelt(t *testing.T) {
	for _, mode := range []failover.Mode{failover.Off, failover.Auto, failover.Manual} {
		r := newRig(t, world.ModeOK, world.ModeOK)
		r.mode(mode)
		_, err := r.Load(t.Context(), loader.Request{Ref: "nope"})
		failed, ok := errors.AsType[*vod.Error](err)
		if !ok || failed.URL != "nope" || failed.Cause != vod.CauseFile || failed.Hint == "" {
			t.Errorf("%s: %v", mode, err)
		}
		r.requests(0, 0)
	}
}

// TestFileURL: a file is the same interface by path and by file:// URL.
func TestFileURL(t *testing.T) {
	r := newRig(t)
	path := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(path, []byte(`{"sites": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Store.AddInterface(t.Context(), path, "mine"); err != nil {
		t.Fatal(err)
	}
	if row, err := r.Active(t.Context(), "file://"+filepath.ToSlash(path)); err != nil || row.Name != "mine" {
		t.Errorf("%+v, %v", row, err)
	}
}

// TestDefaultOrder: interfaces that nobody has ordered are tried as they were added,
// also after each was looked at; only one that is put in use comes to the front.
func TestDefaultOrder(t *testing.T) {
	r := newRig(t, world.Mode500, world.ModeOK, world.ModeOK)
	if err := r.Order.SetOrder(nil); err != nil {
		t.Fatal(err)
	}
	order := func(want string) {
		t.Helper()
		rows, _, err := r.Interfaces(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, row := range rows {
			got += row.Name
		}
		if got != want {
			t.Errorf("order %s, want %s", got, want)
		}
	}
	for _, name := range []string{"c", "b"} {
		if _, err := r.Check(t.Context(), r.servers[name].URL()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Load(t.Context(), loader.Request{Ref: "c", Refresh: true}); err != nil { // for one run only
		t.Fatal(err)
	}
	order("abc")
	result, err := r.Load(t.Context(), loader.Request{Refresh: true})
	if err != nil || result.Interface.Name != "b" {
		t.Errorf("%+v, %v; want the one added after the first", result.Interface, err)
	}
	order("bac")
}
