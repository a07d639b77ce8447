package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/config/failover"
	"xship/sources"
)

func newBackupCmd(a *app) *cobra.Command {
	return newGroupCmd("backup", "Take preferences, interfaces and watchlist to another machine",
		newBackupExportCmd(a), newBackupImportCmd(a))
}

// backupDoc is the JSON document of xship backup.
type backupDoc struct {
	File        string `json:"file"`
	Interfaces  int    `json:"interfaces"`
	LeftOut     int    `json:"left_out"` // interfaces whose URLs may hold secrets, or that were refused
	Watchlist   int    `json:"watchlist"`
	Preferences int    `json:"preferences"`
	WithSecrets bool   `json:"with_secrets"`
}

func newBackupExportCmd(a *app) *cobra.Command {
	var withSecrets bool
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write preferences, interfaces and watchlist to a file",
		Long: `Write the failover mode, the order of the interfaces, the interfaces and the
watchlist to a file. Interfaces whose URLs may hold a secret are left out unless
--with-secrets is given. Debrid accounts are never part of it.`,
		Args: oneArg("a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkBackupFile(args[0]); err != nil {
				return err
			}
			return runBackupExport(cmd.Context(), a, args[0], withSecrets)
		},
	}
	cmd.Flags().BoolVar(&withSecrets, "with-secrets", false, "also the interfaces whose URLs may hold secrets")
	return cmd
}

func runBackupExport(ctx context.Context, a *app, file string, withSecrets bool) error {
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	prefs, err := config.OpenPreferences(a.preferencesPath())
	if err != nil {
		return err
	}
	b := config.Backup{CreatedAt: a.Now().Unix(), WithSecrets: withSecrets, Preferences: map[string]json.RawMessage{}}
	rows, err := store.Interfaces(ctx)
	if err != nil {
		return err
	}
	chosen, err := store.CurrentInterface(ctx)
	if err != nil {
		return err
	}
	doc := backupDoc{File: file, WithSecrets: withSecrets}
	for _, row := range rows {
		if !withSecrets && loader.RedactURL(row.URL) != row.URL {
			doc.LeftOut++
			continue
		}
		b.Interfaces = append(b.Interfaces, config.BackupInterface{URL: row.URL, Name: row.Name, Current: row.URL == chosen})
	}
	if b.Preferences, err = exportedPreferences(prefs, withSecrets); err != nil {
		return err
	}
	entries, err := store.Watchlist(ctx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		b.Watchlist = append(b.Watchlist, backupTitle(e))
	}
	if err := config.WriteBackup(file, b); err != nil {
		return err
	}
	doc.Interfaces, doc.Watchlist, doc.Preferences = len(b.Interfaces), len(b.Watchlist), len(b.Preferences)
	if doc.LeftOut > 0 {
		a.warn("left out %s whose URL may hold a secret; --with-secrets exports them too", plural(doc.LeftOut, "interface"))
	}
	a.note("exported %s, %s and %s to %s", plural(doc.Interfaces, "interface"), plural(doc.Watchlist, "watched title"), plural(doc.Preferences, "preference"), file)
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	return nil
}

// exportedPreferences gives the preferences of a backup. The order names
// interfaces: those that are left out are left out there too.
func exportedPreferences(prefs *config.Preferences, withSecrets bool) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	mode, err := prefs.Get(failover.ModeKey)
	if err != nil {
		return nil, err
	}
	if mode != nil {
		out[failover.ModeKey] = mode
	}
	order, err := failover.NewInterfaceOrderStore(prefs).Order()
	if err != nil {
		return nil, err
	}
	if !withSecrets {
		order = slices.DeleteFunc(order, func(url string) bool { return loader.RedactURL(url) != url })
	}
	if len(order) == 0 {
		return out, nil
	}
	out[failover.OrderKey], err = json.Marshal(order)
	return out, err
}

func backupTitle(e sources.WatchEntry) config.BackupTitle {
	t := config.BackupTitle{
		Kind: string(e.Title.Kind), Name: e.Title.Name, OriginalName: e.Title.OriginalName, Year: e.Title.Year, IMDb: e.Title.IMDb,
		Aliases: e.Title.Aliases, Origin: string(e.Origin),
	}
	if e.Title.Kind == sources.KindEpisode {
		t.Season, t.Episode = &e.Title.Season, &e.Title.Episode
	}
	return t
}

func newBackupImportCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE",
		Short: "Add what a file of xship backup export holds",
		Long: `Add the interfaces and the watchlist of a backup to those that are there, and
take over its failover mode and order. Nothing is deleted. The interfaces come
first, then the watchlist, each of them whole or not at all, and the preferences
last; an import that was interrupted may be run again.`,
		Args: oneArg("a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkBackupFile(args[0]); err != nil {
				return err
			}
			return runBackupImport(cmd.Context(), a, args[0])
		},
	}
}

// checkBackupFile refuses the name by which other programs mean a stream.
func checkBackupFile(file string) error {
	if file == "-" {
		return &usageError{msg: "a backup is a file, not a stream", hint: "name a file; one that is called - is ./-"}
	}
	return nil
}

func runBackupImport(ctx context.Context, a *app, file string) error {
	b, err := config.ReadBackup(file)
	if err != nil {
		return err
	}
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	before, err := store.Interfaces(ctx)
	if err != nil {
		return err
	}
	rows, current, leftOut := interfacesOf(a, b, before)
	entries := watchOf(a, b)
	doc := backupDoc{
		File: file, Interfaces: len(rows), LeftOut: leftOut, Watchlist: len(entries), Preferences: len(b.Preferences), WithSecrets: b.WithSecrets,
	}
	if _, err := store.AddInterfaces(ctx, rows, current); err != nil {
		return a.importFailed(ctx, err, "nothing was imported")
	}
	if err := store.AddWatchlist(ctx, entries); err != nil {
		return a.importFailed(ctx, err, "the interfaces were imported, the watchlist and the preferences were not")
	}
	if err := ctx.Err(); err != nil {
		return a.importFailed(ctx, err, "the interfaces and the watchlist were imported, the preferences were not")
	}
	if err := a.importPreferences(b.Preferences); err != nil {
		return err
	}
	a.note("imported %s, %s and %s", plural(doc.Interfaces, "interface"), plural(doc.Watchlist, "watched title"), plural(doc.Preferences, "preference"))
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	return nil
}

// importFailed tells how far an import that failed or was interrupted has come.
func (a *app) importFailed(ctx context.Context, err error, done string) error {
	if ctx.Err() != nil {
		a.warn("the import was interrupted: %s; run it again", done)
		return ctx.Err()
	}
	return fmt.Errorf("import the backup: %w; %s", err, done)
}

// interfacesOf gives the interfaces of a backup, in its order, and the one that was
// in use, "" where none of them was. Those that are none are left out, and a name
// that is taken is no name.
func interfacesOf(a *app, b config.Backup, before []sources.Interface) (rows []sources.Interface, current string, leftOut int) {
	known := newInterfaceNames(before)
	for _, i := range b.Interfaces {
		url, err := loader.URLOf(i.URL)
		if err != nil || url == loader.Builtin().URL {
			a.warn("warning: an interface of the backup is left out: %q is none", loader.RedactURL(i.URL))
			leftOut++
			continue
		}
		name, err := known.take(url, i.Name)
		if err != nil {
			a.warn("warning: %s keeps no name: %v", loader.RedactURL(url), err)
		}
		rows = append(rows, sources.Interface{URL: url, Name: name})
		if i.Current {
			current = url
		}
	}
	return rows, current, leftOut
}

// watchOf gives the titles of a backup; those that are none are left out.
func watchOf(a *app, b config.Backup) []sources.WatchEntry {
	var entries []sources.WatchEntry
	for _, t := range b.Watchlist {
		title := sources.Title{
			Kind: sources.Kind(t.Kind), Name: strings.TrimSpace(t.Name), OriginalName: t.OriginalName, Year: t.Year, IMDb: t.IMDb, Aliases: t.Aliases,
		}
		if t.Season != nil && t.Episode != nil {
			title.Season, title.Episode = *t.Season, *t.Episode
		}
		if err := title.Validate(); err != nil || (title.Kind == sources.KindEpisode) != (t.Season != nil && t.Episode != nil) {
			a.warn("warning: a title of the backup is left out: %q is none", t.Name)
			continue
		}
		origin := sources.WatchUser
		if t.Origin == string(sources.WatchNext) {
			origin = sources.WatchNext
		}
		entries = append(entries, sources.WatchEntry{Title: title, Origin: origin})
	}
	return entries
}

// importPreferences takes over the preferences of a backup; all others stay.
func (a *app) importPreferences(preferences map[string]json.RawMessage) error {
	if len(preferences) == 0 {
		return nil
	}
	order, err := a.openOrder()
	if err != nil {
		return err
	}
	if mode, ok := preferences[failover.ModeKey]; ok {
		if err := order.SetMode(failover.ParseMode(mode)); err != nil {
			return fmt.Errorf("import the failover mode: %w", err)
		}
	}
	if urls := failover.ParseOrder(preferences[failover.OrderKey]); len(urls) > 0 {
		if err := order.SetOrder(urls); err != nil {
			return fmt.Errorf("import the order of the interfaces: %w", err)
		}
	}
	return nil
}
