package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

var (
	namedCommand = regexp.MustCompile(`\bxship((?: [a-z][a-z-]*)+)`)
	namedFlag    = regexp.MustCompile(`(?:^|[\s(\x60"'\[])--([a-z][a-z-]*)`)
)

// advice is a text of the program that names commands or flags.
type advice struct{ place, text string }

// advices are all texts of the sources below a folder, but for those of tests.
func advices(t *testing.T, root string) []advice {
	t.Helper()
	var all []advice
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "sourcetest") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err == nil && (namedCommand.MatchString(text) || namedFlag.MatchString(text)) {
				all = append(all, advice{files.Position(n.Pos()).String(), text})
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// hasFlag tells whether a user may give a flag to a command.
func hasFlag(cmd *cobra.Command, name string) bool {
	cmd.InitDefaultHelpFlag()
	return cmd.Flags().Lookup(name) != nil || cmd.InheritedFlags().Lookup(name) != nil || cmd.Root().PersistentFlags().Lookup(name) != nil
}

// anyHasFlag tells whether some command of a tree has a flag.
func anyHasFlag(cmd *cobra.Command, name string) bool {
	if hasFlag(cmd, name) {
		return true
	}
	for _, sub := range cmd.Commands() {
		if anyHasFlag(sub, name) {
			return true
		}
	}
	return false
}

// commandNamed finds the command that words begin with, and tells how many of them it
// takes.
func commandNamed(root *cobra.Command, words []string) (cmd *cobra.Command, n int) {
	for cmd = root; n < len(words); n++ {
		next := -1
		for i, sub := range cmd.Commands() {
			if sub.Name() == words[n] || sub.HasAlias(words[n]) {
				next = i
			}
		}
		if next < 0 {
			break
		}
		cmd = cmd.Commands()[next]
	}
	return cmd, n
}

// TestAdvice has each text that names a command, or a flag of one, name what there is:
// a hint that cannot be followed is worse than none.
func TestAdvice(t *testing.T) {
	root := newRootCmd(newApp(System{}))
	titled := []*cobra.Command{}
	for _, name := range []string{"scan", "play"} {
		cmd, _ := commandNamed(root, []string{name})
		titled = append(titled, cmd)
	}
	n := 0
	for _, folder := range []string{".", filepath.Join("..", "config"), filepath.Join("..", "sources"), filepath.Join("..", "sourcecache"), filepath.Join("..", "precacher")} {
		for _, a := range advices(t, folder) {
			if strings.Contains(a.place, "ytdlp.go") || strings.Contains(a.place, "player.go") || strings.Contains(a.place, "ffprobe.go") || a.text == "--version" || a.text == "--all lists them too" {
				continue // the last is of a scan alone // of programs that xship starts
			}
			n++
			checkAdvice(t, root, titled, a)
		}
	}
	if n < 50 {
		t.Errorf("%d texts name a command or a flag, want the many that do", n)
	}
}

func checkAdvice(t *testing.T, root *cobra.Command, titled []*cobra.Command, a advice) {
	t.Helper()
	for clause := range strings.SplitSeq(strings.NewReplacer("\n", ";", ", ", ";", ": ", ";").Replace(a.text), ";") {
		var cmd *cobra.Command
		if m := namedCommand.FindStringSubmatch(clause); m != nil {
			words := strings.Fields(m[1])
			found, taken := commandNamed(root, words)
			switch {
			case taken == 0 && isCommandWord(words[0]):
				t.Errorf("%s: there is no command xship %s: %q", a.place, words[0], a.text)
			case taken > 0:
				cmd = found
				if cmd.HasSubCommands() && taken < len(words) && cmd.Runnable() && cmd.Args != nil && cmd.Args(cmd, words[taken:]) != nil && isCommandWord(words[taken]) {
					t.Errorf("%s: there is no command xship %s: %q", a.place, strings.Join(words[:taken+1], " "), a.text)
				}
			}
		}
		for _, m := range namedFlag.FindAllStringSubmatch(clause, -1) {
			name := m[1]
			switch {
			case cmd != nil && !hasFlag(cmd, name):
				t.Errorf("%s: %s has no flag --%s: %q", a.place, cmd.CommandPath(), name, a.text)
			case cmd == nil && !strings.HasPrefix(a.place, "engine") && !strings.HasPrefix(a.place, ".."):
				if !anyHasFlag(root, name) {
					t.Errorf("%s: no command has a flag --%s: %q", a.place, name, a.text)
				}
			case cmd == nil: // it may come from any command that looks for a title, or those of its file
				file, _, _ := strings.Cut(filepath.Base(a.place), ".go")
				if own, n := commandNamed(root, []string{file}); n > 0 && own.HasSubCommands() {
					if !anyHasFlag(own, name) {
						t.Errorf("%s: no command of %s has a flag --%s: %q", a.place, own.CommandPath(), name, a.text)
					}
					continue
				}
				for _, c := range titled {
					if !hasFlag(c, name) {
						t.Errorf("%s: %s has no flag --%s: %q", a.place, c.CommandPath(), name, a.text)
					}
				}
			}
		}
	}
}

// isCommandWord tells whether a word behind xship is meant as a command: the sentences
// of the program speak of it, too.
func isCommandWord(word string) bool {
	for _, verb := range []string{
		"accounts", "add", "backup", "cooldowns", "config", "demo", "doctor", "hosters", "interfaces", "list", "play", "precache", "reset", "scan", "search",
		"serve", "stats", "status", "use", "version", "watch", "check", "clear", "remove", "order", "mode", "show", "path", "next", "export", "import",
	} {
		if word == verb {
			return true
		}
	}
	return false
}
