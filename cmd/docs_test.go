package cmd_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"xship/cmd"
)

// pages gives the pages for users, by their names.
func pages(t *testing.T) map[string]string {
	t.Helper()
	all := make(map[string]string)
	names, err := filepath.Glob(filepath.Join("..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(names, filepath.Join("..", "README.md")) {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = string(page)
	}
	return all
}

// TestPages_commands has the command lines of all pages be such as xship knows.
func TestPages_commands(t *testing.T) {
	t.Parallel()
	known := append(cmd.CommandNames(), "exit-codes")
	line := regexp.MustCompile("(?m)(?:^|[`(/ ])xship ([a-z]+)(?: ([a-z]+))?([^`\n|#;&<>]*)")
	flag := regexp.MustCompile(`(?:^| )--([a-z-]+)`)
	found := 0
	for name, page := range pages(t) {
		page = strings.ReplaceAll(page, "compose exec xship ", "") // a service of that name
		var code []string                                          // what is in code: blocks and words
		for i, part := range strings.Split(page, "```") {
			if language, block, _ := strings.Cut(part, "\n"); i%2 == 1 {
				if slices.Contains([]string{"sh", "crontab", "bat", "ini"}, language) {
					code = append(code, block)
				}
				continue
			}
			code = append(code, regexp.MustCompile("`xship [^`]+`").FindAllString(part, -1)...)
		}
		for _, words := range line.FindAllStringSubmatch(strings.Join(code, "\n"), -1) {
			command := words[1] + " " + words[2]
			if !slices.Contains(known, command) {
				command = words[1]
			}
			if group := words[2] == "" && slices.ContainsFunc(known, func(k string) bool { return strings.HasPrefix(k, words[1]+" ") }); group {
				continue
			}
			if found++; !slices.Contains(known, command) {
				t.Errorf("%s: there is no command %q", name, words[0])
				continue
			}
			for _, f := range flag.FindAllStringSubmatch(words[3], -1) {
				if !slices.Contains(cmd.CommandFlags(command), f[1]) {
					t.Errorf("%s: %s has no flag --%s", name, command, f[1])
				}
			}
		}
	}
	if found < 60 {
		t.Errorf("only %d command lines", found)
	}
}

// TestPages_links has links between pages, and within them, lead somewhere.
func TestPages_links(t *testing.T) {
	t.Parallel()
	all := pages(t)
	for name, page := range all {
		for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(page, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(link[1], "#")
			dir := filepath.Join("..", "docs")
			if name == "README.md" {
				dir = ".."
			}
			if _, err := os.Stat(filepath.Join(dir, file)); file != "" && err != nil {
				t.Errorf("%s: %s leads nowhere", name, link[0])
				continue
			}
			target := page
			if file != "" {
				target = all[filepath.Base(file)]
			}
			if anchor != "" && !slices.Contains(anchors(target), anchor) {
				t.Errorf("%s: %s leads to no heading", name, link[0])
			}
		}
	}
}

// anchors are the names by which the headings of a page are linked.
func anchors(page string) (names []string) {
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		name := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

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
