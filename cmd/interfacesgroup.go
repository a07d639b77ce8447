package cmd

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/engine/loader"
	"xship/sources/text"
)

func newInterfacesGroupCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "group NAME MEMBER...",
		Short: "Make one interface of several add-ons, folders and servers",
		Long: `Make an interface that asks several at once: Stremio add-ons, folders, and
WebDAV, HTTP index, Jellyfin and Emby servers, each named by its URL or path, or
by its name in the list. Each is loaded once to see what it is. The same NAME
again gives the group other members. A TVBox config, a depot or another group
cannot be a member. Logins of servers are kept apart, as interfaces add keeps
them.`,
		Example: "  xship interfaces group home ~/films https://nas.example/dav/ my-addon",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 2 {
				return &usageError{msg: "interfaces group needs a name and its members", hint: "xship interfaces group NAME URL|PATH|NAME..."}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return runInterfacesGroup(cmd.Context(), a, args[0], args[1:])
		},
	}
}

func runInterfacesGroup(ctx context.Context, a *app, name string, members []string) error {
	e, err := a.openEngine(ctx, nil)
	if err != nil {
		return err
	}
	g, err := e.GroupInterfaces(ctx, name, members)
	if err != nil {
		return err
	}
	doc := api.NewInterfaceGroup(g)
	for _, m := range doc.Members {
		a.note("%s: %s, %s", m.Key, kindTexts[loader.Kind(m.Type)], m.URL)
	}
	a.note("%s", groupNote(doc, g))
	for _, server := range g.Logins {
		a.note("removed the login for %s", server)
	}
	if doc.Indexed, err = a.indexGroup(ctx, e, g); err != nil {
		return err
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	return nil
}

// indexGroup has the files of a group indexed, and counts them.
func (a *app) indexGroup(ctx context.Context, e *engine.Engine, g engine.GroupedInterfaces) (files int, err error) {
	check := e.CheckInterface(ctx, g.Interface, g.Interface.URL)
	if check.Err != nil {
		return 0, check.Err
	}
	var indexed api.InterfaceAdded
	err = a.index(ctx, e, check.Result.Content, &indexed)
	return indexed.Indexed, err
}

func groupNote(doc api.InterfaceGroup, g engine.GroupedInterfaces) string {
	what := fmt.Sprintf("made the group %s of %s", doc.Name, text.Plural(len(doc.Members), "member"))
	if !doc.Added {
		what = fmt.Sprintf("the group %s has %s now", doc.Name, text.Plural(len(doc.Members), "member"))
	}
	if doc.InUse {
		return what + "; it is in use"
	}
	return fmt.Sprintf("%s; %s stays in use", what, engine.InterfaceTitle(g.Current))
}
