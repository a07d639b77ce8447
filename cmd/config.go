package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

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
	l := term.List{Columns: []term.Column{
		{Name: "key", Exact: true},
		{Name: "value", Shrink: 3, Min: 8, Exact: true},
		{Name: "origin"},
		{Name: "source", Shrink: 2, Min: 12, Exact: true},
		{Name: "description", Shrink: 1, Min: 16},
	}}
	for _, s := range doc.Settings {
		l.Rows = append(l.Rows, []string{s.Key, s.Value, s.Origin, s.Source, s.Description})
	}
	return a.write(l)
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
