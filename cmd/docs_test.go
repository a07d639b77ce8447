package cmd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestContributing_names checks that each documented name is found where CONTRIBUTING
// says, and that its comment names the document's.
func TestContributing_names(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "## The documented names")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([^`]+)`[^|]* \\| `([^`]+)` \\|$").FindAllStringSubmatch(section, -1)
	if len(rows) < 14 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		documented, name, file := row[1], row[2], row[3]
		code, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(file)))
		if err != nil {
			t.Error(err)
			continue
		}
		port := regexp.MustCompile(`// ` + name + ` is the port of( the)? (\w+\.)?` + documented + `\b`)
		declared := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type )` + name + `\b`)
		if !port.Match(code) || !declared.Match(code) {
			t.Errorf("%s: no %s that is the port of %s", file, name, documented)
		}
	}
}

// TestContributing_files checks that the files and folders that CONTRIBUTING names are
// there.
func TestContributing_files(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile("`((?:cmd|config|precacher|sources|sourcecache|testdata)/[^`<> ]*)`").FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(match[1]))); err != nil {
			t.Error(err)
		}
	}
}
