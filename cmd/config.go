package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/term"
	"xship/config"
	"xship/sources/text"
)

func newConfigCmd(a *app) *cobra.Command {
	return newGroupCmd("config", "The settings", newConfigShowCmd(a), newConfigPathCmd(a), newConfigInitCmd(a), newConfigSetCmd(a), newConfigEditCmd(a))
}

func newConfigShowCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Show all settings, and where each value comes from",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return runConfigShow(a) },
	}
}

func runConfigShow(a *app) error {
	settings, err := a.settings(nil)
	if err != nil {
		return err
	}
	doc := collectSettings(settings)
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	if a.format() == outputTable && a.Stdout.Columns() < settingsTableWidth {
		return a.writeLine(strings.Join(settingLines(doc.Settings, a.Stdout.Columns()), "\n"))
	}
	l := term.List{Columns: []term.Column{
		{Name: "key", Exact: true},
		{Name: "variable", NoTSV: true, Exact: true},
		{Name: "value", Shrink: 3, Min: 8, Exact: true},
		{Name: "origin"},
		{Name: "source", Shrink: 2, Min: 12, Exact: true},
		{Name: "description", Shrink: 1, Min: 16},
		{Name: "variable", TSVOnly: true, Exact: true},
	}}
	for _, s := range doc.Settings {
		l.Rows = append(l.Rows, []string{s.Key, s.Env, s.Value, s.Origin, s.Source, s.Description, s.Env})
	}
	return a.write(l)
}

// settingsTableWidth is how wide a terminal is on which settings are a table: a key and
// its variable alone take 70 columns.
const settingsTableWidth = 140

// settingLines are settings for a terminal that is narrower: the key with its value and
// where that comes from, then its variable and what it means.
func settingLines(settings []api.Setting, width int) []string {
	const margin = 4
	var lines []string
	for _, s := range settings {
		where := s.Origin
		if s.Source != "" {
			where += " " + s.Source
		}
		value := s.Value
		if value == "" {
			value = "(empty)"
		}
		lines = append(lines, term.Hanging("", margin, fmt.Sprintf("%s = %s (%s)", s.Key, value, where), width)...)
		lines = append(lines, term.Hanging(strings.Repeat(" ", margin), margin, s.Env+": "+s.Description, width)...)
	}
	return lines
}

func collectSettings(settings *config.Settings) api.Settings {
	keys := make(map[string]config.Key)
	for _, k := range config.Keys() {
		keys[k.Name] = k
	}
	var doc api.Settings
	for _, v := range settings.Values() {
		k := keys[v.Key]
		doc.Settings = append(doc.Settings, api.Setting{
			Key: v.Key, Value: text.Clean(v.Value), Origin: string(v.Origin), Source: text.Clean(v.Source),
			Default: k.Default, Env: k.Env, Description: k.Description,
		})
	}
	return doc
}

func newConfigPathCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Show the path of the settings file",
		Long:  "Show the path of the settings file; with -o json also those of the data directory and what is in it.",
		Args:  noArgs,
		RunE:  func(*cobra.Command, []string) error { return runConfigPath(a) },
	}
}

func runConfigPath(a *app) error {
	path, _ := a.settingsFile()
	if path == "" {
		return errNoSettingsFile
	}
	_, err := os.Stat(path)
	exists := !errors.Is(err, fs.ErrNotExist)
	if a.asJSON() {
		return a.writeJSON(api.Paths{
			Config: path, ConfigExists: exists, DataDir: a.dataDir(), Database: config.DatabasePath(a.dataDir()), Preferences: config.PreferencesPath(a.dataDir()),
		})
	}
	if !exists {
		a.note("the file does not exist: all settings have their defaults")
	}
	_, err = fmt.Fprintln(a.Stdout, path)
	return err
}
