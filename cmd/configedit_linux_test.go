package cmd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestConfigEdit_again shows on a terminal what is wrong, and has the copy edited again, or
// leaves the file as it was.
func TestConfigEdit_again(t *testing.T) {
	const editor = `#!/bin/sh
if [ -e "$XSHIP_DATA_DIR/once" ]; then echo "scan.limit: 7" > "$1"; else echo "scan.limit: lots" > "$1"; fi
touch "$XSHIP_DATA_DIR/once"
`
	for name, c := range map[string]struct {
		keys  []string
		code  int
		wants string
		file  string
	}{
		"again":    {[]string{keyEnter}, 0, "wrote ", "scan.limit: 7\n"},
		"leave it": {[]string{keyDown, keyEnter}, 1, "your changes are kept in ", "scan.limit: 5\n"},
		"Esc":      {[]string{keyEsc}, 1, "the settings file stays as it was", "scan.limit: 5\n"},
		"Ctrl-C":   {[]string{keyCtrlC}, 130, "your changes are kept in ", "scan.limit: 5\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path, script := filepath.Join(dir, "xship", "config.yaml"), filepath.Join(dir, "edit.sh")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string]string{path: "scan.limit: 5\n", script: editor} {
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			s := startSession(t, dir, []string{"VISUAL=", "EDITOR=sh " + script, "TMPDIR=" + dir}, "config", "edit")
			s.await("scan.limit = ")
			s.await("The settings are not right yet")
			s.await("Edit them again")
			s.press(c.keys...)
			if code := s.end(); code != c.code {
				t.Errorf("exit code %d, want %d: %q", code, c.code, s.screen)
			}
			s.await(c.wants)
			if got, err := os.ReadFile(path); string(got) != c.file {
				t.Errorf("%q, %v, want %q", got, err, c.file)
			}
			drafts, _ := filepath.Glob(filepath.Join(dir, "xship-config-*"))
			if kept := strings.Contains(s.screen.String(), "are kept in"); kept != (len(drafts) == 1) {
				t.Errorf("%q on the disk, and on the screen: %q", drafts, s.screen)
			}
		})
	}
}
