package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"xship/config"
	"xship/sources/text"
)

func newConfigCmd(a *app) *cobra.Command {
	return newGroupCmd("config", "The settings", newConfigShowCmd(a), newConfigPathCmd(a))
}

// settingsDoc is the JSON document of xship config show.
type settingsDoc struct {
	Settings []settingDoc `json:"settings"`
}

type settingDoc struct {
	Key         string `json:"key"`
	Value       string `json:"value"`
	Origin      string `json:"origin"` // flag, environment, file or default
	Source      string `json:"source"` // the variable or the file, else ""
	Default     string `json:"default"`
	Env         string `json:"env"`
	Description string `json:"description"`
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
	keys := make(map[string]config.Key)
	for _, k := range config.Keys() {
		keys[k.Name] = k
	}
	var doc settingsDoc
	l := list{columns: []column{
		{name: "key"},
		{name: "value", shrink: 3, min: 8},
		{name: "origin"},
		{name: "source", shrink: 2, min: 12},
		{name: "description", shrink: 1, min: 16},
	}}
	for _, v := range settings.Values() {
		k := keys[v.Key]
		s := settingDoc{
			Key: v.Key, Value: text.Clean(v.Value), Origin: string(v.Origin), Source: text.Clean(v.Source),
			Default: k.Default, Env: k.Env, Description: k.Description,
		}
		doc.Settings = append(doc.Settings, s)
		l.rows = append(l.rows, []string{s.Key, s.Value, s.Origin, s.Source, s.Description})
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	return a.write(l)
}

// pathsDoc is the JSON document of xship config path.
type pathsDoc struct {
	Config       string `json:"config"`
	ConfigExists bool   `json:"config_exists"`
	DataDir      string `json:"data_dir"`
	Database     string `json:"database"`
	Preferences  string `json:"preferences"`
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
		return &hintError{err: errors.New("there is no home directory to have a settings file in"), hint: "name a file with --config"}
	}
	_, err := os.Stat(path)
	exists := !errors.Is(err, fs.ErrNotExist)
	if a.asJSON() {
		return a.writeJSON(pathsDoc{
			Config: path, ConfigExists: exists, DataDir: a.dataDir(), Database: a.databasePath(), Preferences: a.preferencesPath(),
		})
	}
	if !exists {
		a.note("the file does not exist: all settings have their defaults")
	}
	_, err = fmt.Fprintln(a.Stdout, path)
	return err
}
