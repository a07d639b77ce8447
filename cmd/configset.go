package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/config"
	"xship/sources/text"
)

// changedFile is the settings file that commands change.
func (a *app) changedFile() (config.SettingsFile, error) {
	path, _ := a.settingsFile()
	if path == "" {
		return config.SettingsFile{}, errNoSettingsFile
	}
	return config.SettingsFile{Path: path, Check: engine.CheckSchedule}, nil
}

// errNoSettingsFile says that there is no place for a settings file.
var errNoSettingsFile = text.WithHint(errors.New("there is no home directory to have a settings file in"), "name a file with --config")

func newConfigInitCmd(a *app) *cobra.Command {
	var show bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Make a settings file that explains every setting",
		Long: `Make a settings file in which every setting stands with its default, its meaning and
the name of its variable, all of it commented out: it changes nothing until you do. A
file that is there stays as it is; with --print the new one is written to standard
output instead.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if show {
				_, err := a.Stdout.Write(config.Template())
				return err
			}
			return runConfigInit(a)
		},
	}
	cmd.Flags().BoolVar(&show, "print", false, "write it to standard output, and make no file")
	return cmd
}

func runConfigInit(a *app) error {
	file, err := a.changedFile()
	if err != nil {
		return err
	}
	switch err := config.InitFile(file.Path); {
	case errors.Is(err, fs.ErrExist):
		return text.WithHint(fmt.Errorf("the settings file %s is there already", file.Path),
			"change it with xship config set or xship config edit; xship config init --print shows what a new one holds")
	case err != nil:
		return text.WithHint(err, "name another file with --config")
	}
	a.note("made %s; every setting is explained in it, and has its default until you change it", file.Path)
	if a.asJSON() {
		return a.writeJSON(api.SettingsFile{Config: file.Path, Made: true, Changed: true})
	}
	return nil
}

func newConfigSetCmd(a *app) *cobra.Command {
	var unset bool
	cmd := &cobra.Command{
		Use:   "set KEY VALUE | KEY --unset",
		Short: "Change a setting in the settings file",
		Long: `Change a setting in the settings file, which is made where it is missing. The value is
checked first, and all else in the file stays as it is, comments too. A list is given
with commas, or as several values. With - the value is read from standard input, of a
list an item a line, so that a secret does not stay in the history of the shell. With
--unset the default counts again. A variable of the environment and a flag go before the
file.`,
		Example: `  xship config set scan.quality 1080p
  xship config set scan.languages de,en
  xship config set precache.schedule "*/30 * * * *"
  xship config set redis.url - < url.txt
  xship config set scan.quality --unset`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := settingArgs(cmd, args); err != nil || !unset && len(args) > 1 {
				return err
			}
			key, value, equals := strings.Cut(args[0], "=")
			switch {
			case unset && len(args) > 1:
				return usagef("config set takes a value or --unset, not both")
			case unset:
				return nil
			case equals:
				return &usageError{msg: "config set takes a key and a value, not an equation", hint: fmt.Sprintf("xship config set %s %s", text.Clean(key), shownValue(key, value))}
			}
			return &usageError{msg: "config set " + text.Clean(args[0]) + " needs a value", hint: "with --unset the default counts again; the empty text is ''"}
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runConfigSet(cmd.Context(), a, args[0], args[1:], unset)
		},
	}
	cmd.Flags().BoolVar(&unset, "unset", false, "take the setting out of the file, so that its default counts")
	return cmd
}

// settingArgs wants the name of a setting.
func settingArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || strings.TrimSpace(args[0]) == "" {
		return &usageError{msg: commandName(cmd) + " needs the name of a setting and a value", hint: "xship config show lists all; usage: " + cmd.UseLine()}
	}
	return nil
}

// shownValue is a value of a key as a hint may repeat it.
func shownValue(key, value string) string {
	if k, err := config.KeyNamed(key); err != nil || k.Secret() {
		return "VALUE"
	}
	return text.ShellWord(text.Clean(value))
}

func runConfigSet(ctx context.Context, a *app, name string, values []string, unset bool) error {
	file, err := a.changedFile()
	if err != nil {
		return err
	}
	key, err := config.KeyNamed(name)
	if err != nil {
		return err
	}
	if len(values) == 1 && values[0] == "-" {
		value, err := a.readSecret(ctx, secretQuestion{
			noun: "value", prompt: "value of " + key.Name + ", which is not shown: ", command: "xship config set " + key.Name + " -", read: a.readValue,
		})
		if err != nil {
			return err
		}
		if values = []string{value}; !strings.HasPrefix(value, "[") { // else a list as the file has it
			values = valueLines(value)
		}
	}
	var change config.Change
	if unset {
		change, err = file.Unset(key)
	} else {
		change, err = file.Set(key, values)
	}
	if err != nil {
		return err
	}
	return a.settingChanged(file, change)
}

// maxValue bounds a value that is read, in bytes.
const maxValue = 64 << 10

// readValue reads all of stdin: the items of a list may be lines.
func (a *app) readValue() (string, error) {
	value, err := io.ReadAll(io.LimitReader(a.Stdin, maxValue+1))
	if err == nil && len(value) > maxValue {
		err = fmt.Errorf("it is larger than %d KiB", maxValue>>10)
	}
	return string(value), err
}

// valueLines are the lines of a value, without blank ones.
func valueLines(value string) []string {
	var lines []string
	for line := range strings.SplitSeq(strings.ReplaceAll(value, "\r", "\n"), "\n") {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// settingChanged tells what became of a setting, and what goes before the file.
func (a *app) settingChanged(file config.SettingsFile, c config.Change) error {
	for _, w := range c.Warnings {
		a.warn("warning: %s", w)
	}
	doc := api.SettingChanged{
		Key: c.Key.Name, Value: text.Clean(c.Value), Before: text.Clean(c.Before), Set: c.Is, Config: file.Path, Made: c.Made,
	}
	a.note("%s", changedNote(doc, c))
	if override := a.getenv(c.Key.Env); override != "" {
		doc.OverriddenBy = c.Key.Env
		a.warn("warning: the variable %s is set and goes before the file", c.Key.Env)
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	return nil
}

// changedNote says what became of a setting.
func changedNote(doc api.SettingChanged, c config.Change) string {
	shown := func(value string) string {
		if value == "" {
			return "empty"
		}
		return value
	}
	switch {
	case !c.Is && !c.Was:
		return fmt.Sprintf("%s is not set in %s: it is %s, the default", doc.Key, doc.Config, shown(doc.Value))
	case !c.Is:
		return fmt.Sprintf("%s is %s again, the default; %s sets it no more", doc.Key, shown(doc.Value), doc.Config)
	case c.Same:
		return fmt.Sprintf("%s is %s in %s, as it was", doc.Key, shown(doc.Value), doc.Config)
	default:
		return fmt.Sprintf("%s is %s now, in %s; it was %s", doc.Key, shown(doc.Value), doc.Config, shown(doc.Before))
	}
}
