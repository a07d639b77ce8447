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
)

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

func TestPreferences_Mode(t *testing.T) {
	tests := []struct {
		stored string
		want   config.FailoverMode
	}{
		{`{}`, config.FailoverAuto},
		{`{"interface_failover_mode":0}`, config.FailoverOff},
		{`{"interface_failover_mode":1}`, config.FailoverAuto},
		{`{"interface_failover_mode":2}`, config.FailoverManual},
		{`{"interface_failover_mode":7}`, config.FailoverAuto},
		{`{"interface_failover_mode":-1}`, config.FailoverAuto},
		{`{"interface_failover_mode":0.5}`, config.FailoverAuto},
		{`{"interface_failover_mode":1e400}`, config.FailoverAuto},
		{`{"interface_failover_mode":2.0}`, config.FailoverManual},
		{`{"interface_failover_mode":"0"}`, config.FailoverOff},
		{`{"interface_failover_mode":"off"}`, config.FailoverAuto},
		{`{"interface_failover_mode":""}`, config.FailoverAuto},
		{`{"interface_failover_mode":null}`, config.FailoverAuto},
		{`{"interface_failover_mode":[0]}`, config.FailoverAuto},
		{`{"interface_failover_mode":false}`, config.FailoverAuto},
	}
	for _, tt := range tests {
		t.Run(tt.stored, func(t *testing.T) {
			if got := mustOpen(t, preferencesFile(t, tt.stored)).Mode(); got != tt.want {
				t.Errorf("Mode = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestPreferences_Order(t *testing.T) {
	tests := []struct {
		stored string
		want   []string
	}{
		{`{}`, nil},
		{`{"interface_order_vod":["b","a"]}`, []string{"b", "a"}},
		{`{"interface_order_vod":"[\"b\",\"a\"]"}`, []string{"b", "a"}},
		{`{"interface_order_vod":["b"," ","a","","b",3,null," a "]}`, []string{"b", "a"}},
		{`{"interface_order_vod":"[\"b\""}`, nil},
		{`{"interface_order_vod":"b"}`, nil},
		{`{"interface_order_vod":""}`, nil},
		{`{"interface_order_vod":{"b":1}}`, nil},
		{`{"interface_order_vod":null}`, nil},
		{`{"interface_order_vod":5}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.stored, func(t *testing.T) {
			p := mustOpen(t, preferencesFile(t, tt.stored))
			if diff := cmp.Diff(tt.want, p.Order()); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
			if p.Warning() != nil {
				t.Errorf("warning %v", p.Warning())
			}
		})
	}
}

func TestPreferences_newFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "preferences.json")
	p := mustOpen(t, path)
	if p.Mode() != config.FailoverAuto || p.Order() != nil || p.Warning() != nil {
		t.Errorf("without a file: %v, %v, %v", p.Mode(), p.Order(), p.Warning())
	}
	if err := p.SetMode(config.FailoverOff); err != nil {
		t.Fatal(err)
	}
	if err := p.SetOrder([]string{"https://h.example/?a=1&b=<2>", "", "https://h.example/?a=1&b=<2>", "/dir/x.json"}); err != nil {
		t.Fatal(err)
	}
	want := `{
  "interface_failover_mode": 0,
  "interface_order_vod": [
    "https://h.example/?a=1&b=<2>",
    "/dir/x.json"
  ]
}
`
	if diff := cmp.Diff(want, mustRead(t, path)); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	checkPrivate(t, path)
	again := mustOpen(t, path)
	if again.Mode() != config.FailoverOff || len(again.Order()) != 2 {
		t.Errorf("read again: %v, %v", again.Mode(), again.Order())
	}
}

func checkPrivate(t *testing.T, path string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return
	}
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode() != 0o600 {
		t.Errorf("%s has mode %v, want 0600", path, info.Mode())
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), filepath.Base(path)) || f.Name() != filepath.Base(path) && !strings.Contains(f.Name(), ".corrupt") {
			t.Errorf("%s is left over", f.Name())
		}
	}
}

func TestPreferences_keepsUnknownKeys(t *testing.T) {
	path := preferencesFile(t, "\ufeff{\"z\":{\"deep\":[1.0,12345678901234567890]},\"a\":\"<&>\",\"interface_order_vod\":\"[\\\"x\\\"]\",\"interface_failover_mode\":7}")
	p := mustOpen(t, path)
	if err := p.SetOrder([]string{"b", "a"}); err != nil {
		t.Fatal(err)
	}
	var got map[string]json.RawMessage
	if err := json.Unmarshal([]byte(mustRead(t, path)), &got); err != nil {
		t.Fatal(err)
	}
	var compact []string
	for _, key := range []string{"z", "a", "interface_order_vod", "interface_failover_mode"} {
		compact = append(compact, strings.Join(strings.Fields(string(got[key])), ""))
	}
	want := []string{`{"deep":[1.0,12345678901234567890]}`, `"<&>"`, `"[\"b\",\"a\"]"`, `7`}
	if diff := cmp.Diff(want, compact); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	checkPrivate(t, path)

	if err := p.SetOrder(nil); err != nil {
		t.Fatal(err)
	}
	if text := mustRead(t, path); strings.Contains(text, "interface_order_vod") || !strings.Contains(text, `"z"`) {
		t.Errorf("after removing the order: %s", text)
	}
}

func TestPreferences_corrupt(t *testing.T) {
	for _, text := range []string{`{"interface_failover_mode":0`, "[1]", "nonsense", "5", "\x00\x00"} {
		t.Run(text, func(t *testing.T) {
			path := preferencesFile(t, text)
			p := mustOpen(t, path)
			if p.Mode() != config.FailoverAuto || p.Order() != nil {
				t.Errorf("got %v, %v; want defaults", p.Mode(), p.Order())
			}
			if w := p.Warning(); w == nil || !strings.Contains(w.Error(), path) || !strings.Contains(w.Error(), "preferences.json.corrupt") {
				t.Errorf("warning %v", w)
			}
			if got := mustRead(t, path); got != text {
				t.Errorf("reading changed the file to %q", got)
			}
			if err := p.SetMode(config.FailoverManual); err != nil {
				t.Fatal(err)
			}
			if got := mustRead(t, path+".corrupt"); got != text {
				t.Errorf("put aside: %q, want %q", got, text)
			}
			if p.Warning() != nil || mustOpen(t, path).Mode() != config.FailoverManual {
				t.Errorf("after the change: %v, %v", p.Warning(), mustOpen(t, path).Mode())
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
		if err := mustOpen(t, path).SetMode(config.FailoverOff); err != nil {
			t.Fatal(err)
		}
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
		if err := p.SetMode(config.FailoverOff); err != nil || p.Warning() != nil {
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
	file := preferencesFile(t, "{}")
	if _, err := config.OpenPreferences(filepath.Join(file, "preferences.json")); err == nil {
		t.Error("a path through a file was opened")
	}
	p := mustOpen(t, file)
	if err := p.SetMode(3); err == nil || p.Mode() != config.FailoverAuto {
		t.Errorf("SetMode(3): %v, %v", err, p.Mode())
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := p.SetMode(config.FailoverOff); err == nil || p.Mode() == config.FailoverOff {
		t.Errorf("SetMode over a directory: %v, %v", err, p.Mode())
	}
}

func TestPreferences_link(t *testing.T) {
	target := preferencesFile(t, `{"kept":true}`)
	link := filepath.Join(t.TempDir(), "preferences.json")
	if err := os.Symlink(target, link); err != nil {
		t.Skip("no links here:", err)
	}
	if err := mustOpen(t, link).SetMode(config.FailoverOff); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info, err)
	}
	if got := mustRead(t, target); !strings.Contains(got, "kept") || !strings.Contains(got, "interface_failover_mode") {
		t.Errorf("target holds %s", got)
	}
}

// Each of two users of a file sees what the other one wrote before.
func TestPreferences_freshest(t *testing.T) {
	path := preferencesFile(t, `{}`)
	first, second := mustOpen(t, path), mustOpen(t, path)
	if err := first.SetMode(config.FailoverManual); err != nil {
		t.Fatal(err)
	}
	if err := second.SetOrder([]string{"a"}); err != nil {
		t.Fatal(err)
	}
	if second.Mode() != config.FailoverManual {
		t.Errorf("second sees mode %v", second.Mode())
	}
	last := mustOpen(t, path)
	if last.Mode() != config.FailoverManual || len(last.Order()) != 1 {
		t.Errorf("file holds %v, %v", last.Mode(), last.Order())
	}
}

func TestPreferences_concurrent(t *testing.T) {
	path := preferencesFile(t, `{"kept":1}`)
	p := mustOpen(t, path)
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 5 {
				if err := p.SetOrder([]string{fmt.Sprint(i, j)}); err != nil {
					t.Error(err)
				}
				if err := p.SetMode(config.FailoverMode(j % 3)); err != nil {
					t.Error(err)
				}
				p.Order()
			}
		})
	}
	wg.Wait()
	if got := mustOpen(t, path); got.Warning() != nil || len(got.Order()) != 1 || !strings.Contains(mustRead(t, path), "kept") {
		t.Errorf("file holds %s", mustRead(t, path))
	}
}

func TestFailoverMode_String(t *testing.T) {
	for mode, want := range map[config.FailoverMode]string{0: "off", 1: "auto", 2: "manual", 9: "auto"} {
		if got := mode.String(); got != want {
			t.Errorf("FailoverMode(%d) = %q, want %q", int(mode), got, want)
		}
	}
}

func FuzzPreferences(f *testing.F) {
	for _, seed := range []string{`{}`, `{"interface_failover_mode":"0","interface_order_vod":"[\"a\"]"}`, `{"interface_order_vod":["a","a",1]}`, `null`, `[`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := preferencesFile(t, text)
		p := mustOpen(t, path)
		if m := p.Mode(); m < config.FailoverOff || m > config.FailoverManual {
			t.Errorf("mode %d", m)
		}
		order := p.Order()
		if err := p.SetMode(config.FailoverOff); err != nil {
			t.Fatal(err)
		}
		again := mustOpen(t, path)
		if again.Mode() != config.FailoverOff || again.Warning() != nil || !cmp.Equal(order, again.Order()) {
			t.Errorf("%q: order %q became %q", text, order, again.Order())
		}
	})
}
