package cmd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

func newInterfacesCmd(a *app) *cobra.Command {
	return newGroupCmd("interfaces", "The interfaces, which list the sites to ask",
		newInterfacesListCmd(a), newInterfacesAddCmd(a), newInterfacesUseCmd(a), newInterfacesRemoveCmd(a),
		newInterfacesOrderCmd(a), newInterfacesModeCmd(a), newInterfacesCheckCmd(a), newInterfacesGroupCmd(a))
}

func newInterfacesListCmd(a *app) *cobra.Command {
	var showURLs bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the interfaces, the one in use marked",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runInterfacesList(cmd.Context(), a, showURLs) },
	}
	cmd.Flags().BoolVar(&showURLs, "show-urls", false, "show URLs with the secrets that they hold")
	return cmd
}

func runInterfacesList(ctx context.Context, a *app, showURLs bool) error {
	e, err := a.openEngine(ctx, nil)
	if err != nil {
		return err
	}
	return a.listInterfaces(ctx, e, showURLs)
}

func (a *app) listInterfaces(ctx context.Context, e *engine.Engine, showURLs bool) error {
	all, current, err := e.Interfaces(ctx)
	if err != nil {
		return err
	}
	shown := api.ShownURLs{Secrets: showURLs}
	if !a.asJSON() {
		return a.write(interfacesList(all, current, shown, a.Now()))
	}
	mode, err := e.FailoverMode()
	if err != nil {
		return err
	}
	kinds, err := e.InterfaceKinds(ctx, all)
	if err != nil {
		return err
	}
	return a.writeJSON(api.NewInterfaces(mode.String(), all, current, kinds, shown))
}

// interfacesList is the list of the interfaces. Their names shrink last: commands
// take them.
func interfacesList(rows []sources.Interface, current sources.Interface, shown api.ShownURLs, now time.Time) term.List {
	l := term.List{Columns: []term.Column{
		{Name: "position", Right: true, TSVOnly: true},
		{Name: "#", Right: true, NoTSV: true},
		{Name: "in use", Shrink: 4, Min: 6},
		{Name: "name", Shrink: 5, Min: 12},
		{Name: "url", Shrink: 2, Min: 24, Exact: true},
		{Name: "last loaded", NoTSV: true, Shrink: 3, Min: 8},
		{Name: "last loaded at", TSVOnly: true},
		{Name: "last error", Shrink: 1, Min: 16},
	}}
	for i, r := range rows {
		inUse, position := "", strconv.Itoa(i+1)
		if r.URL == current.URL {
			inUse = "yes"
		}
		loaded := "never"
		if !r.LastLoadedAt.IsZero() {
			loaded = text.ShortDuration(now.Sub(r.LastLoadedAt)) + " ago"
		}
		l.Rows = append(l.Rows, []string{
			position, position, inUse, r.ShownName(), shown.Interface(r.URL), loaded, strconv.FormatInt(api.Unix(r.LastLoadedAt), 10), text.Clean(r.LastError),
		})
	}
	l.Paint = func(row, _ int, cell string) string {
		if rows[row].URL == current.URL {
			return term.Paint(term.ColourGood, cell)
		}
		return cell
	}
	return l
}

func newInterfacesAddCmd(a *app) *cobra.Command {
	var name string
	var login loginOptions
	cmd := &cobra.Command{
		Use:   "add URL|PATH",
		Short: "Add an interface; the first one added is in use",
		Long: `Add the interface at a URL or a path: a TVBox config, a Stremio add-on, a folder
with films and series, or a WebDAV, HTTP index, Jellyfin or Emby server. It is stored,
and loaded once to see what it is and whether it works; where it does not, a warning
says why and it stays stored. The files of a folder or server are indexed; Ctrl-C ends
that, and what was seen stays.

A server that wants a login is given it with --login NAME, whose password is read
from standard input, or on a terminal asked for and not shown; one of Jellyfin or
Emby takes an API key too: --key-stdin. The login is kept in logins.json in the data
directory, for you only, and sent to that scheme, host and port alone. At Jellyfin
and Emby a password is exchanged for a token, and not kept. A login that is part of
the URL is taken out of it and kept likewise.`,
		Example: `  xship interfaces add https://example.com/tv.json
  xship interfaces add https://nas.example/dav/ --login me --password-stdin < password.txt
  xship interfaces add http://192.168.1.5:8096 --key-stdin < key.txt`,
		Args: oneArg("the URL or path of an interface"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := login.check(cmd.Flags(), a.Interactive); err != nil {
				return err
			}
			return runInterfacesAdd(cmd.Context(), a, args[0], name, login)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&name, "name", "", "`NAME` that commands take in place of the URL")
	login.addFlags(cmd.Flags())
	return cmd
}

func runInterfacesAdd(ctx context.Context, a *app, ref, name string, o loginOptions) error {
	if _, err := engine.InterfaceURL(ref); err != nil { // before anything is opened for it
		return err
	}
	e, err := a.openEngine(ctx, nil)
	if err != nil {
		return err
	}
	given, err := o.read(ctx, a)
	if err != nil {
		return err
	}
	login, err := a.prepareLogin(ctx, e, ref, given)
	if err != nil {
		return err
	}
	if login != nil {
		ref = login.URL
	}
	added, err := e.AddInterface(ctx, ref, name)
	if err != nil {
		return err
	}
	doc := api.InterfaceAdded{
		URL: link.RedactInterface(added.Interface.URL), Name: added.Interface.ShownName(), Added: added.Added, InUse: added.Current.URL == added.Interface.URL,
	}
	a.note("%s", addedNote(doc, added.Current))
	if login != nil {
		if err := a.storeLogin(login); err != nil {
			return err
		}
		doc.Login = login.ServerName()
	}
	check := e.CheckInterface(ctx, added.Interface, ref)
	failed, isLoadError := errors.AsType[*vod.Error](check.Err)
	switch {
	case isLoadError:
		doc.Error = text.Clean(failed.Error())
		a.warn("warning: %s", failed.Error())
	case check.Err != nil:
		return check.Err
	default:
		if err := a.recognised(ctx, e, added, check, &doc); err != nil {
			return err
		}
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	return nil
}

func addedNote(doc api.InterfaceAdded, current sources.Interface) string {
	what := "added " + doc.URL
	if !doc.Added {
		what = doc.URL + " is in the list already"
	}
	if doc.Name != "" {
		what += " as " + doc.Name
	}
	if doc.InUse {
		return what + "; it is in use"
	}
	return fmt.Sprintf("%s; %s stays in use", what, engine.InterfaceTitle(current))
}

func newInterfacesUseCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "use URL|PATH|NAME",
		Short: "Put an interface in use; the next command loads it",
		Args:  oneArg("an interface"),
		RunE:  func(cmd *cobra.Command, args []string) error { return runInterfacesUse(cmd.Context(), a, args[0]) },
	}
}

func runInterfacesUse(ctx context.Context, a *app, ref string) error {
	e, err := a.engineWith(ctx, nil)
	if err != nil {
		return err
	}
	used, err := e.UseInterface(ctx, ref)
	if err != nil {
		return err
	}
	a.note("%s is in use", engine.InterfaceTitle(used))
	if a.asJSON() {
		return a.writeJSON(api.InterfaceInUse{Current: link.RedactInterface(used.URL)})
	}
	return nil
}

func newInterfacesRemoveCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "remove URL|PATH|NAME",
		Short: "Remove an interface from the list",
		Long: `Remove an interface from the list. Where it was in use, the next one in the
list is used from then on, and the built-in one when none is left. The login of its
server and the index of its files go with it, unless another interface needs them.`,
		Args: oneArg("an interface"),
		RunE: func(cmd *cobra.Command, args []string) error { return runInterfacesRemove(cmd.Context(), a, args[0]) },
	}
}

func runInterfacesRemove(ctx context.Context, a *app, ref string) error {
	e, err := a.openEngine(ctx, nil)
	if err != nil {
		return err
	}
	removed, err := e.RemoveInterface(ctx, ref)
	if err != nil {
		return err
	}
	a.note("removed %s", engine.InterfaceTitle(removed.Interface))
	for _, server := range removed.Logins {
		a.note("removed the login for %s", server)
	}
	if removed.WasInUse {
		a.note("%s is in use now", engine.InterfaceTitle(removed.Current))
	}
	if a.asJSON() {
		return a.writeJSON(api.InterfaceInUse{
			Current: link.RedactInterface(removed.Current.URL), Removed: link.RedactInterface(removed.Interface.URL), LoginsRemoved: removed.Logins,
		})
	}
	return nil
}
