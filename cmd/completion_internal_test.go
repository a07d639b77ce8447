package cmd

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xship/cmd/term"
	"xship/config"
)

// What a place of a command line completes to where that is no words of ours.
const (
	completesFiles   = "files"
	completesFolders = "folders"
)

// namesOfFiles are the places where files and folders are meant: commands by their names,
// flags behind those, or alone where all commands have them.
var namesOfFiles = map[string]string{
	"interfaces add":   completesFiles,
	"interfaces check": completesFiles,
	"interfaces group": completesFiles, // its members
	"watch import":     completesFiles,
	"backup export":    completesFiles,
	"backup import":    completesFiles,
	"man":              completesFolders,
	"--interface":      completesFiles,
	"--config":         completesFiles,
	"--log-file":       completesFiles,
	"--data-dir":       completesFolders,
}

// completed runs a completion as a shell does, and gives its words and its directive.
func completed(t *testing.T, args ...string) (words []string, directive cobra.ShellCompDirective) {
	t.Helper()
	var out bytes.Buffer
	dir := t.TempDir()
	a := newApp(System{
		Stdout: term.Stream{Writer: &out}, Stderr: term.Stream{Writer: new(bytes.Buffer)}, Now: time.Now,
		LookupEnv: func(name string) (string, bool) { return dir, name == "XSHIP_DATA_DIR" || name == "XDG_CONFIG_HOME" },
	})
	if code := a.run(t.Context(), append([]string{cobra.ShellCompRequestCmd}, args...)); code != 0 {
		t.Fatalf("%q: exit code %d: %s", args, code, &out)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	last := lines[len(lines)-1]
	for _, digit := range strings.TrimPrefix(last, ":") {
		directive = directive*10 + cobra.ShellCompDirective(digit-'0')
	}
	return lines[:len(lines)-1], directive
}

// kindOf is what a directive has a shell complete to beside words.
func kindOf(directive cobra.ShellCompDirective) string {
	switch {
	case directive&cobra.ShellCompDirectiveError != 0:
		return "an error"
	case directive&cobra.ShellCompDirectiveFilterDirs != 0:
		return completesFolders
	case directive&cobra.ShellCompDirectiveNoFileComp == 0:
		return completesFiles
	default:
		return ""
	}
}

// TestCompletion_tables walks all commands: each argument and each flag with a value is
// decided on in the tables, and names of files are offered only where they are meant.
func TestCompletion_tables(t *testing.T) {
	t.Parallel()
	for _, cmd := range withSubcommands(newRootCmd(newApp(System{Now: time.Now}))) {
		name := commandName(cmd)
		path := strings.Fields(cmd.CommandPath())[1:]
		_, decided := argumentWords[name]
		if takes := strings.Contains(strings.ReplaceAll(cmd.Use, " [flags]", ""), " "); takes != decided {
			t.Errorf("%s: arguments %v, and in the table of completions %v", cmd.Use, takes, decided)
		}
		given := slices.Clone(path)
		if name == "interfaces group" {
			given = append(given, "home")
		}
		if cmd.Runnable() || cmd.HasSubCommands() {
			if _, directive := completed(t, append(given, "")...); kindOf(directive) != namesOfFiles[name] {
				t.Errorf("%s completes to %q, want %q", name, kindOf(directive), namesOfFiles[name])
			}
			if _, directive := completed(t, append(given, "a", "b", "c", "")...); kindOf(directive) != "" && kindOf(directive) != namesOfFiles[name] {
				t.Errorf("%s completes more arguments to %q", name, kindOf(directive))
			}
		}
		check := func(f *pflag.Flag) {
			if f.NoOptDefVal != "" {
				return
			}
			_, all := flagWords[f.Name]
			if _, own := flagWords[name+" --"+f.Name]; !all && !own {
				t.Errorf("%s --%s is not in the table of completions", name, f.Name)
			}
			want, ok := namesOfFiles[name+" --"+f.Name]
			if !ok {
				want = namesOfFiles["--"+f.Name]
			}
			if _, directive := completed(t, append(slices.Clone(path), "--"+f.Name, "")...); kindOf(directive) != want {
				t.Errorf("%s --%s completes to %q, want %q", name, f.Name, kindOf(directive), want)
			}
		}
		cmd.LocalFlags().VisitAll(check)
	}
}

// TestCompletion_descriptions walks all commands: no mark of the help is in what a shell
// shows, and each word has one line.
func TestCompletion_descriptions(t *testing.T) {
	t.Parallel()
	for _, cmd := range withSubcommands(newRootCmd(newApp(System{Now: time.Now}))) {
		path := strings.Fields(cmd.CommandPath())[1:]
		for _, typed := range []string{"", "-", "--"} {
			words, _ := completed(t, append(slices.Clone(path), typed)...)
			for _, word := range words {
				if _, meaning, _ := strings.Cut(word, "\t"); strings.ContainsAny(meaning, "`\t\x1b") || len(words) > mostWords {
					t.Errorf("%s %s: %q", cmd.CommandPath(), typed, word)
				}
			}
		}
	}
}

// TestCompletion_settings has the values of settings agree with what the settings take.
func TestCompletion_settings(t *testing.T) {
	t.Parallel()
	values := func(key string) (words []string) {
		all, _ := settingValues(place{given: []string{key}})
		for _, c := range all {
			word, _, _ := strings.Cut(c, "\t")
			words = append(words, word)
		}
		return words
	}
	for _, k := range config.Keys() {
		for _, word := range values(k.Name) {
			if _, err := config.Load(config.LoadOptions{Overrides: map[string]any{k.Name: word, "redis.url": "redis://127.0.0.1"}}); err != nil {
				t.Errorf("%s %s: %v", k.Name, word, err)
			}
		}
		_, err := config.Load(config.LoadOptions{Overrides: map[string]any{k.Name: "no such word"}})
		if err == nil {
			continue
		}
		_, known, _ := strings.Cut(err.Error(), "use one of ")
		known, _, _ = strings.Cut(known, "\n")
		if known != "" && known != strings.Join(values(k.Name), ", ") {
			t.Errorf("%s is one of %s, and completes to %q", k.Name, known, values(k.Name))
		}
		if strings.Contains(err.Error(), "use true or false") && !slices.Equal(values(k.Name), []string{"true", "false"}) {
			t.Errorf("%s completes to %q", k.Name, values(k.Name))
		}
	}
	for key := range settingWords {
		if !slices.ContainsFunc(config.Keys(), func(k config.Key) bool { return k.Name == key }) {
			t.Errorf("there is no setting %s", key)
		}
	}
}

// TestWriteScript_changed tells where cobra's script is another one than was changed.
func TestWriteScript_changed(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	a := newApp(System{Stdout: term.Stream{Writer: &out}})
	root := newRootCmd(a)
	bash, _, err := root.Find([]string{"completion", "bash"})
	if err != nil {
		t.Fatal(err)
	}
	err = a.writeScript(root.GenBashCompletionV2, []scriptChange{{"no such line", ""}}, "")(bash, nil)
	if err == nil || out.Len() > 0 {
		t.Errorf("error %v, script %q", err, &out)
	}
}
