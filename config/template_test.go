package config_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xship/config"
)

// TestTemplate changes nothing as it is, and nothing either where all that is commented
// out counts: each line is the default, spelt as a file has it.
func TestTemplate(t *testing.T) {
	template := string(config.Template())
	setting := regexp.MustCompile(`(?m)^# ([a-z0-9_]+\.[a-z0-9_]+: .*)$`)
	for name, text := range map[string]string{"as it is": template, "all of it": setting.ReplaceAllString(template, "$1")} {
		s, err := config.Load(config.LoadOptions{File: settingsFile(t, text), Explicit: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := defaults()
		if name == "all of it" {
			want.Debrid.Timeout = s.Debrid.Timeout // of all providers, where a file says so
		}
		if diff := cmp.Diff(want, *s, cmpopts.IgnoreUnexported(config.Settings{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if n := len(setting.FindAllString(template, -1)); n != len(config.Keys()) {
		t.Errorf("%d settings of %d", n, len(config.Keys()))
	}
	for _, k := range config.Keys() {
		if !strings.Contains(template, "["+k.Env+"]") || k.Type() == "" {
			t.Errorf("%s: no variable, or no type", k.Name)
		}
	}
	for _, line := range strings.Split(template, "\n") {
		if line != "" && !strings.HasPrefix(line, "#") {
			t.Errorf("%q is no comment", line)
		}
	}
}

func TestInitFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "config.yaml")
	if err := config.InitFile(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(text, config.Template()) {
		t.Errorf("%q, %v", text, err)
	}
	for p, want := range map[string]fs.FileMode{path: 0o600, dir: 0o700 | fs.ModeDir} {
		if info, err := os.Stat(p); err != nil || runtime.GOOS != "windows" && info.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", p, info.Mode(), err, want)
		}
	}
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := config.InitFile(path); !errors.Is(err, fs.ErrExist) {
		t.Error(err)
	}
	if text, err := os.ReadFile(path); string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	if err := config.InitFile(filepath.Join(path, "config.yaml")); err == nil {
		t.Error("made below a file")
	}
}
