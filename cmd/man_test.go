package cmd_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

// writeMan writes the manual pages to a folder, and gives them by their names.
func writeMan(t *testing.T) (dir string, pages map[string]string) {
	t.Helper()
	m := newMachine(t)
	m.env["SOURCE_DATE_EPOCH"] = "1700000000"
	dir = t.TempDir()
	m.run(t, 0, "man", dir)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	pages = make(map[string]string)
	for _, entry := range entries {
		page, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		pages[strings.TrimSuffix(entry.Name(), ".1")] = string(page)
	}
	return dir, pages
}

func TestMan(t *testing.T) {
	t.Parallel()
	_, pages := writeMan(t)
	_, again := writeMan(t)
	if len(pages) < 40 {
		t.Errorf("%d pages", len(pages))
	}
	for name, page := range pages {
		if page != again[name] {
			t.Errorf("%s is another one the second time", name)
		}
		for _, r := range page {
			if r > '~' || r < ' ' && r != '\n' {
				t.Errorf("%s holds %q", name, r)
			}
		}
		if !strings.HasPrefix(page, `.TH "`+strings.ReplaceAll(strings.ToUpper(name), "-", `\-`)+`" "1" "2023\-11\-14" "xship `) {
			t.Errorf("%s begins with %.80q", name, page)
		}
		for _, section := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"} {
			if strings.Count(page, ".SH \""+section+"\"\n") != 1 {
				t.Errorf("%s has not one section %s", name, section)
			}
		}
		for _, other := range regexp.MustCompile(`(?m)^\.BR "([^"]+)" "\(1\),?"$`).FindAllStringSubmatch(page, -1) {
			if _, ok := pages[strings.ReplaceAll(other[1], `\-`, "-")]; !ok {
				t.Errorf("%s names the page %s, which is none", name, other[1])
			}
		}
		if strings.Contains(page, "`") {
			t.Errorf("%s holds marks of the help", name)
		}
	}
	for _, want := range []string{
		".SH \"FILES\"", ".SH \"ENVIRONMENT\"", ".SH \"TITLES\"", ".SH \"HEALTH\"", `130  interrupted`, `\fBXSHIP_SCAN_TIMEOUT\fR`, `\fBaccounts.json\fR`,
		`\fBXSHIP_DATA_DIR\fR`, `\fBCLICOLOR_FORCE\fR`, `\fBVISUAL, EDITOR\fR`,
	} {
		if !strings.Contains(pages["xship"], want) {
			t.Errorf("xship.1 has no %s", want)
		}
	}
}

// TestMan_folders has pages written where they cannot be.
func TestMan_folders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	taken := filepath.Join(dir, "taken")
	if err := os.MkdirAll(filepath.Join(taken, "xship.1"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"missing":       {[]string{"man", filepath.Join(dir, "none")}, 1, "hint: make it first: mkdir -p "},
		"a file":        {[]string{"man", file}, 1, "is a file, and the pages are written to a folder"},
		"not to write":  {[]string{"man", taken}, 1, "hint: name a folder that you may write to"},
		"no folder":     {[]string{"man"}, 2, "hint: usage: xship man DIR"},
		"two folders":   {[]string{"man", dir, dir}, 2, "takes one argument"},
		"with json":     {[]string{"man", filepath.Join(dir, "none"), "-o", "json"}, 1, `"hint":"make it first`},
		"no number":     {[]string{"man", dir}, 2, `SOURCE_DATE_EPOCH="today" is no time`},
		"a sum of time": {[]string{"man", dir}, 2, "is no time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			switch name {
			case "no number":
				m.env["SOURCE_DATE_EPOCH"] = "today"
			case "a sum of time":
				m.env["SOURCE_DATE_EPOCH"] = "99999999999999999999"
			}
			m.run(t, c.code, c.args...)
			if !strings.Contains(m.err.String(), c.want) {
				t.Errorf("stderr: %s", m.err)
			}
		})
	}
}

// TestMan_date dates pages by the clock where nothing else is known: a program of tests
// knows no commit.
func TestMan_date(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.Now = func() time.Time { return time.Date(2031, time.May, 4, 0, 0, 0, 0, time.UTC) }
	dir := t.TempDir()
	m.run(t, 0, "man", dir)
	page, err := os.ReadFile(filepath.Join(dir, "xship.1"))
	if err != nil || !strings.Contains(string(page), `"2031\-05\-04"`) {
		t.Errorf("%.100q, %v", page, err)
	}
}

// TestMan_rendered has man render each page, which may say nothing against it.
func TestMan_rendered(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the man of other systems has other options")
	}
	man := realCommand(t, "man")
	dir, pages := writeMan(t)
	args := []string{"--warnings=w", "-E", "UTF-8", "-l", "-Tutf8", "-Z"}
	for name := range pages {
		args = append(args, filepath.Join(dir, name+".1"))
	}
	var warnings bytes.Buffer
	cmd := exec.CommandContext(t.Context(), man, args...)
	cmd.Stderr = &warnings
	if out, err := cmd.Output(); err != nil || warnings.Len() > 0 || len(out) < 1000 {
		t.Errorf("man: %v, %s", err, &warnings)
	}
	cmd = exec.CommandContext(t.Context(), man, "-l", "-P", "cat", "-E", "UTF-8", filepath.Join(dir, "xship-play.1"))
	cmd.Env = append(os.Environ(), "MANWIDTH=80", "LC_ALL=C.UTF-8", "MAN_KEEP_FORMATTING=")
	out, err := cmd.Output()
	for _, want := range []string{"xship-play - Print a stream", `mpv "$(xship play "Big Buck Bunny")"`, "--exec COMMAND", "SEE ALSO"} {
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("no %q (%v) in\n%s", want, err, out)
		}
	}
}

// realCommand gives the path of a program that a test needs. Where it is missing the test
// is skipped, or fails where XSHIP_REQUIRE_REAL=1.
func realCommand(tb testing.TB, name string) string {
	tb.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		notInstalled(tb, name)
	}
	return path
}

func notInstalled(tb testing.TB, what string) {
	tb.Helper()
	if os.Getenv("XSHIP_REQUIRE_REAL") == "1" {
		tb.Fatalf("%s is not installed, and XSHIP_REQUIRE_REAL=1 wants it", what)
	}
	tb.Skipf("%s is not installed", what)
}
