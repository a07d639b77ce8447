package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/config"
	"xship/config/failover"
)

// What the modes and the order are stored in.
var _ failover.Preferences = (*config.Preferences)(nil)

// preferencesFile writes a preferences file.
func preferencesFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "preferences.json")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustOpen(t *testing.T, path string) *config.Preferences {
	t.Helper()
	p, err := config.OpenPreferences(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustRead(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// set stores one value.
func set(p *config.Preferences, key, value string) error {
	return p.Update(func(values map[string]json.RawMessage) { values[key] = json.RawMessage(value) })
}

func mustSet(t *testing.T, p *config.Preferences, key, value string) {
	t.Helper()
	if err := set(p, key, value); err != nil {
		t.Fatal(err)
	}
}

// get is the text of a value, "" if there is none.
func get(t *testing.T, p *config.Preferences, key string) string {
	t.Helper()
	raw, err := p.Get(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestPreferences_Get(t *testing.T) {
	tests := []struct {
		stored, want string
	}{
		{``, ``},
		{`{}`, ``},
		{`null`, ``},
		{`{"other":1}`, ``},
		{`{"key":1.0}`, `1.0`},
		{`{"key":null}`, `null`},
		{"\ufeff {\"key\":[\"a\"]}\n", `["a"]`},
		{`{"key":`, ``},
		{"\xff\xfe{\x00\"\x00k\x00e\x00y\x00\"\x00:\x001\x00}\x00\n\x00", `1`},
		{"\xfe\xff\x00{\x00\"\x00k\x00e\x00y\x00\"\x00:\x002\x00}", `2`},
	}
	for _, tt := range tests {
		t.Run(tt.stored, func(t *testing.T) {
			p := mustOpen(t, preferencesFile(t, tt.stored))
			raw, err := p.Get("key")
			if string(raw) != tt.want || err != nil || (raw == nil) != (tt.want == "") {
				t.Errorf("Get = %q, %v; want %q", raw, err, tt.want)
			}
		})
	}
}

func TestPreferences_newFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "preferences.json")
	p := mustOpen(t, path)
	if get(t, p, "mode") != "" || p.Warning() != nil {
		t.Errorf("without a file: %q, %v", get(t, p, "mode"), p.Warning())
	}
	mustSet(t, p, "order", `["https://h.example/?a=1&b=<2>","/dir/x.json"]`)
	mustSet(t, p, "mode", `0`)
	want := `{
  "mode": 0,
  "order": [
    "https://h.example/?a=1&b=<2>",
    "/dir/x.json"
  ]
}
`
	if diff := cmp.Diff(want, mustRead(t, path)); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	checkPrivate(t, path)
	if got := get(t, mustOpen(t, path), "mode"); got != "0" {
		t.Errorf("read again: %s", got)
	}
}

// checkPrivate checks that only the owner can read a file, and that beside it is
// nothing but its lock and damaged files that were put aside.
func checkPrivate(t *testing.T, path string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		rest, ok := strings.CutPrefix(f.Name(), filepath.Base(path))
		if !ok || rest != "" && rest != ".lock" && !strings.HasPrefix(rest, ".corrupt") {
			t.Errorf("%s is left over", f.Name())
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, name := range []string{path, path + ".lock"} {
		info, err := os.Lstat(name)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", name, info.Mode())
		}
	}
}

func TestPreferences_keepsUnknownKeys(t *testing.T) {
	path := preferencesFile(t, "\ufeff{\"z\":{\"deep\":[1.0,12345678901234567890]},\"a\":\"<&>\",\"order\":\"[\\\"x\\\"]\",\"mode\":7}")
	p := mustOpen(t, path)
	mustSet(t, p, "order", `["b"]`)
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(mustRead(t, path)), &got); err != nil {
		t.Fatal(err)
	}
	var compact []string
	for _, key := range []string{"z", "a", "order", "mode"} {
		compact = append(compact, strings.Join(strings.Fields(string(got[key])), ""))
	}
	want := []string{`{"deep":[1.0,12345678901234567890]}`, `"<&>"`, `["b"]`, `7`}
	if diff := cmp.Diff(want, compact); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	checkPrivate(t, path)

	if err := p.Update(func(values map[string]json.RawMessage) { delete(values, "order") }); err != nil {
		t.Fatal(err)
	}
	if text := mustRead(t, path); strings.Contains(text, "order") || !strings.Contains(text, `"z"`) {
		t.Errorf("after removing the order: %s", text)
	}
}

func TestPreferences_corrupt(t *testing.T) {
	for _, text := range []string{`{"mode":0`, "[1]", "nonsense", "5", "\x00\x00"} {
		t.Run(text, func(t *testing.T) {
			path := preferencesFile(t, text)
			p := mustOpen(t, path)
			if got := get(t, p, "mode"); got != "" {
				t.Errorf("got %q, want nothing", got)
			}
			w := p.Warning()
			if w == nil || !strings.Contains(w.Error(), path) || !strings.Contains(w.Error(), "preferences.json.corrupt") || strings.Contains(w.Error(), "Go value") {
				t.Errorf("warning %v", w)
			}
			if got := mustRead(t, path); got != text {
				t.Errorf("reading changed the file to %q", got)
			}
			mustSet(t, p, "mode", `2`)
			if got := mustRead(t, path+".corrupt"); got != text {
				t.Errorf("put aside: %q, want %q", got, text)
			}
			if p.Warning() != nil || get(t, p, "mode") != "2" {
				t.Errorf("after the change: %v, %q", p.Warning(), get(t, p, "mode"))
			}
		})
	}
}

func TestPreferences_corruptTwice(t *testing.T) {
	path := preferencesFile(t, "")
	for i := range 3 {
		if err := os.WriteFile(path, fmt.Appendf(nil, "broken %d", i), 0o600); err != nil {
			t.Fatal(err)
		}
		mustSet(t, mustOpen(t, path), "mode", `0`)
	}
	for i, name := range []string{".corrupt", ".corrupt.2", ".corrupt.3"} {
		if got, want := mustRead(t, path+name), fmt.Sprintf("broken %d", i); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	checkPrivate(t, path)
}

func TestPreferences_emptyFile(t *testing.T) {
	for _, text := range []string{"", " \n", "null"} {
		path := preferencesFile(t, text)
		p := mustOpen(t, path)
		if err := set(p, "mode", `0`); err != nil || p.Warning() != nil {
			t.Errorf("%q: %v, %v", text, err, p.Warning())
		}
		if _, err := os.Stat(path + ".corrupt"); err == nil {
			t.Errorf("%q was put aside", text)
		}
	}
}

func TestPreferences_errors(t *testing.T) {
	dir := t.TempDir()
	if _, err := config.OpenPreferences(dir); err == nil {
		t.Error("a directory was opened")
	}
	file := preferencesFile(t, `{"mode":1}`)
	if _, err := config.OpenPreferences(filepath.Join(file, "preferences.json")); err == nil {
		t.Error("a path through a file was opened")
	}
	p := mustOpen(t, file)
	if err := set(p, "mode", `broken`); err == nil || get(t, p, "mode") != "1" {
		t.Errorf("value that is no JSON: %v, %s", err, get(t, p, "mode"))
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := set(p, "mode", `0`); err == nil || p.Warning() == nil {
		t.Errorf("change of a directory: %v, %v", err, p.Warning())
	}
	if _, err := p.Get("mode"); err == nil {
		t.Error("a value of a directory")
	}
}

func TestPreferences_link(t *testing.T) {
	target := preferencesFile(t, `{"kept":true}`)
	link := filepath.Join(t.TempDir(), "preferences.json")
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no links here:", err)
	}
	mustSet(t, mustOpen(t, link), "mode", `0`)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if got := mustRead(t, target); !strings.Contains(got, "kept") || !strings.Contains(got, "mode") {
		t.Errorf("target holds %s", got)
	}
	checkPrivate(t, target)
}

// Each of two users of a file sees at once what the other one wrote.
func TestPreferences_freshest(t *testing.T) {
	path := preferencesFile(t, `{}`)
	first, second := mustOpen(t, path), mustOpen(t, path)
	mustSet(t, first, "mode", `2`)
	if got := get(t, second, "mode"); got != "2" {
		t.Errorf("second sees mode %s", got)
	}
	mustSet(t, second, "order", `["a"]`)
	if last := mustOpen(t, path); get(t, last, "mode") != "2" || get(t, last, "order") == "" {
		t.Errorf("file holds %s", mustRead(t, path))
	}
}

func TestPreferences_concurrent(t *testing.T) {
	path := preferencesFile(t, `{"kept":1}`)
	p := mustOpen(t, path)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 5 {
				if err := set(p, fmt.Sprintf("key%d.%d", i, j), `1`); err != nil {
					t.Error(err)
				}
				if _, err := p.Get("kept"); err != nil || p.Warning() != nil {
					t.Errorf("reading meanwhile: %v, %v", err, p.Warning())
				}
			}
		})
	}
	wg.Wait()
	if got := strings.Count(mustRead(t, path), ":"); got != 21 {
		t.Errorf("file holds %s", mustRead(t, path))
	}
}

// 12.1, points 1 to 3: a new order is saved at once, by whoever asks for it next.
func TestPreferences_order(t *testing.T) {
	path := preferencesFile(t, `{"kept":1,"interface_failover_mode":0}`)
	store := failover.NewInterfaceOrderStore(mustOpen(t, path))
	if err := store.SetOrder([]string{"b", "a"}); err != nil {
		t.Fatal(err)
	}
	other := failover.NewInterfaceOrderStore(mustOpen(t, path))
	order, err := other.Order()
	if err != nil || !cmp.Equal(order, []string{"b", "a"}) {
		t.Errorf("order %q, %v", order, err)
	}
	if m, err := other.Mode(); m != failover.Off || err != nil {
		t.Errorf("mode %v, %v", m, err)
	}
}

func FuzzPreferences(f *testing.F) {
	for _, seed := range []string{`{}`, `{"mode":"0","order":"[\"a\"]"}`, `{"kept":["a","a",1]}`, `null`, `[`, `{"kept":1,"kept":2}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := preferencesFile(t, text)
		p := mustOpen(t, path)
		before := map[string]json.RawMessage{}
		change := func(values map[string]json.RawMessage) {
			for key, value := range values {
				before[key] = value
			}
			values["mode"] = json.RawMessage(`0`)
		}
		if err := p.Update(change); err != nil {
			t.Fatal(err)
		}
		if p.Warning() != nil || get(t, p, "mode") != "0" {
			t.Errorf("%q became %q", text, mustRead(t, path))
		}
		for key, value := range before {
			if key != "mode" && !sameJSON(t, string(value), get(t, p, key)) {
				t.Errorf("%q: %s = %s became %s", text, key, value, get(t, p, key))
			}
		}
	})
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	return cmp.Equal(x, y)
}
