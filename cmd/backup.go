package cmd

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/config"
	"xship/sources/text"
)

func newBackupCmd(a *app) *cobra.Command {
	return newGroupCmd("backup", "Take preferences, interfaces and watchlist to another machine",
		newBackupExportCmd(a), newBackupImportCmd(a))
}

func newBackupExportCmd(a *app) *cobra.Command {
	var withSecrets bool
	cmd := &cobra.Command{
		Use:   "export FILE|-",
		Short: "Write preferences, interfaces and watchlist to a file",
		Long: `Write the failover mode, the order of the interfaces, the interfaces and the
watchlist to a file, or with - to standard output. Interfaces and members of groups whose URLs may hold a
secret, and the logins of servers, are left out unless --with-secrets is given.
Debrid accounts are never part of it.`,
		Example: `  xship backup export xship.json
  xship backup export - | ssh other xship backup import -`,
		Args: oneArg("a file, or - for standard output"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == stdinName && cmd.Flags().Changed("output") {
				return usagef("backup export takes - or --output, not both: standard output holds the backup")
			}
			return runBackupExport(cmd.Context(), a, args[0], withSecrets)
		},
	}
	cmd.Flags().BoolVar(&withSecrets, "with-secrets", false, "also the interfaces whose URLs may hold secrets, and the logins of servers")
	return cmd
}

func runBackupExport(ctx context.Context, a *app, file string, withSecrets bool) error {
	e, err := a.engineWith(ctx, nil)
	if err != nil {
		return err
	}
	b, leftOut, err := e.Export(ctx, withSecrets)
	if err != nil {
		return err
	}
	write, where := config.WriteBackup, file
	if file == stdinName {
		write, where = func(_ string, b config.Backup) error { return config.WriteBackupTo(a.Stdout, b) }, "standard output"
	}
	if err := backupFailed(write(file, b), "export"); err != nil {
		return err
	}
	doc := api.Backup{
		File: file, Interfaces: len(b.Interfaces), LeftOut: leftOut.Interfaces, Watchlist: len(b.Watchlist), Preferences: len(b.Preferences), WithSecrets: withSecrets,
		Logins: len(b.Logins), LoginsLeftOut: leftOut.Logins, MembersLeftOut: leftOut.Members,
	}
	if leftOut.Interfaces > 0 {
		a.warn("left out %s whose URL may hold a secret; --with-secrets exports them too", text.Plural(leftOut.Interfaces, "interface"))
	}
	for _, g := range b.Groups {
		if len(g.LeftOut) > 0 {
			a.warn("left out %s of the group %s, whose URLs may hold secrets; --with-secrets exports them too", strings.Join(g.LeftOut, ", "), strings.TrimSuffix(filepath.Base(g.URL), ".json"))
		}
	}
	if leftOut.Logins > 0 {
		a.warn("left out %s of servers; --with-secrets exports them too", text.Plural(leftOut.Logins, "login"))
	}
	if doc.Logins > 0 {
		a.note("exported %s of servers: the backup holds secrets", text.Plural(doc.Logins, "login"))
	}
	if withSecrets && file == stdinName {
		a.warn("warning: standard output may hold secrets: give it to no one, and keep no log of it")
	}
	a.note("exported %s, %s and %s to %s", text.Plural(doc.Interfaces, "interface"), text.Plural(doc.Watchlist, "watched title"), text.Plural(doc.Preferences, "preference"), where)
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	return nil
}

func newBackupImportCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "import FILE|-",
		Short: "Add what a file of xship backup export holds",
		Long: `Add the interfaces and the watchlist of a backup to those that are there, and
take over its failover mode and order; with - it is read from standard input. Nothing is deleted, and a server that has
a login keeps it. The logins and the interfaces come first, then the watchlist,
each of them whole or not at all, and the preferences last; an import that was
interrupted may be run again.`,
		Args: oneArg("a file, or - for standard input"),
		RunE: func(cmd *cobra.Command, args []string) error { return runBackupImport(cmd.Context(), a, args[0]) },
	}
}

// readBackup reads a backup from a file, or from standard input where it is called "-".
func (a *app) readBackup(ctx context.Context, file string) (config.Backup, error) {
	if file != stdinName {
		return config.ReadBackup(file)
	}
	raw, err := a.readInput(ctx, file, config.MaxBackup, "give the backup, and Ctrl-D behind it")
	if err != nil {
		return config.Backup{}, err
	}
	return config.ParseBackup(inputName(file), raw)
}

func runBackupImport(ctx context.Context, a *app, file string) error {
	b, err := a.readBackup(ctx, file)
	if err != nil {
		return backupFailed(err, "import")
	}
	e, err := a.engineWith(ctx, nil)
	if err != nil {
		return err
	}
	imported, err := e.Import(ctx, b, a.warnSkipped)
	if err != nil {
		return a.importFailed(err)
	}
	doc := api.Backup{
		File: file, Interfaces: imported.Interfaces, LeftOut: imported.LeftOut, Watchlist: imported.Watchlist, Preferences: imported.Preferences,
		WithSecrets: b.WithSecrets, Logins: imported.Logins,
	}
	if doc.Logins > 0 {
		a.note("imported %s of servers", text.Plural(doc.Logins, "login"))
	}
	a.note("imported %s, %s and %s", text.Plural(doc.Interfaces, "interface"), text.Plural(doc.Watchlist, "watched title"), text.Plural(doc.Preferences, "preference"))
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	return nil
}

// warnSkipped tells what of a backup is not taken over.
func (a *app) warnSkipped(s engine.Skipped) {
	switch {
	case s.Name != nil:
		a.warn("warning: %s keeps no name: %v", s.What, s.Name)
	case s.IsLogin:
		a.warn("warning: a login of the backup is left out: that for %s is none", text.Quote(s.What))
	case s.IsTitle:
		a.warn("warning: a title of the backup is left out: %s is none", text.Quote(text.Clean(s.What)))
	default:
		a.warn("warning: an interface of the backup is left out: %s is none", text.Quote(s.What))
	}
}

// importFailed tells how far an import that was interrupted has come.
func (a *app) importFailed(err error) error {
	failed, ok := errors.AsType[*engine.ImportError](err)
	if !ok || !failed.Interrupted {
		return err
	}
	a.warn("the import was interrupted: %s; run it again", failed.Done)
	return failed.Err
}
