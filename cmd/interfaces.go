package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xship/cmd/engine/loader"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/site/openfilms"
	"xship/sources/text"
)

func newInterfacesCmd(a *app) *cobra.Command {
	return newGroupCmd("interfaces", "The interfaces, which list the sites to ask",
		newInterfacesListCmd(a), newInterfacesAddCmd(a), newInterfacesUseCmd(a), newInterfacesRemoveCmd(a),
		newInterfacesOrderCmd(a), newInterfacesModeCmd(a), newInterfacesCheckCmd(a))
}

// interfacesDoc is the JSON document of xship interfaces list.
type interfacesDoc struct {
	Mode       string         `json:"mode"`
	Current    string         `json:"current"`
	Interfaces []interfaceDoc `json:"interfaces"`
}

type interfaceDoc struct {
	URL          string `json:"url"`
	Name         string `json:"name"`
	Position     int    `json:"position"`
	LastLoadedAt int64  `json:"last_loaded_at"` // Unix seconds, 0 = never
	LastError    string `json:"last_error"`
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
	interfaces, err := a.openLoader(ctx)
	if err != nil {
		return err
	}
	rows, current, err := interfaces.Interfaces(ctx)
	if err != nil {
		return err
	}
	shown := interfaceShower(showURLs)
	if a.asJSON() {
		mode, err := interfaces.Order.Mode()
		if err != nil {
			return err
		}
		doc := interfacesDoc{Mode: mode.String(), Current: shown(current.URL)}
		for i, r := range rows {
			doc.Interfaces = append(doc.Interfaces, interfaceDoc{
				URL: shown(r.URL), Name: text.Clean(r.Name), Position: i + 1, LastLoadedAt: unix(r.LastLoadedAt), LastError: text.Clean(r.LastError),
			})
		}
		return a.writeJSON(doc)
	}
	return a.write(interfacesList(rows, current, shown, a.Now()))
}

// interfacesList is the list of the interfaces. Their names shrink last: commands
// take them.
func interfacesList(rows []sources.Interface, current sources.Interface, shown func(url string) string, now time.Time) list {
	l := list{columns: []column{
		{name: "position", right: true, tsvOnly: true},
		{name: "#", right: true, noTSV: true},
		{name: "in use", shrink: 4, min: 6},
		{name: "name", shrink: 5, min: 12},
		{name: "url", shrink: 2, min: 24},
		{name: "last loaded", noTSV: true, shrink: 3, min: 8},
		{name: "last loaded at", tsvOnly: true},
		{name: "last error", shrink: 1, min: 16},
	}}
	for i, r := range rows {
		inUse, position := "", strconv.Itoa(i+1)
		if r.URL == current.URL {
			inUse = "yes"
		}
		loaded := "never"
		if !r.LastLoadedAt.IsZero() {
			loaded = shortDuration(now.Sub(r.LastLoadedAt)) + " ago"
		}
		l.rows = append(l.rows, []string{
			position, position, inUse, text.Clean(r.Name), shown(r.URL), loaded, strconv.FormatInt(unix(r.LastLoadedAt), 10), text.Clean(r.LastError),
		})
	}
	l.paint = func(row, _ int, cell string) string {
		if rows[row].URL == current.URL {
			return paint(colourGood, cell)
		}
		return cell
	}
	return l
}

// interfaceShower is urlShower for the URLs of interfaces.
func interfaceShower(secrets bool) func(string) string {
	if secrets {
		return text.Clean
	}
	return loader.RedactURL
}

// urlShower is how the URLs of a listing are written: without what they hold
// of secrets, unless the user asked for it.
func urlShower(secrets bool) func(string) string {
	if secrets {
		return text.Clean
	}
	return link.Redact
}

// interfaceAddedDoc is the JSON document of xship interfaces add.
type interfaceAddedDoc struct {
	URL   string `json:"url"`
	Name  string `json:"name"`
	Added bool   `json:"added"` // false: it was in the list already
	InUse bool   `json:"in_use"`
	Sites int    `json:"sites"` // 0 where it could not be loaded
	Error string `json:"error"` // why not, else ""
}

func newInterfacesAddCmd(a *app) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "add URL|PATH",
		Short: "Add an interface; the first one added is in use",
		Long: `Add the interface at a URL or in a file. It is stored, and loaded once to see
whether it works; where it does not, a warning says why and it stays stored.`,
		Args: oneArg("the URL or path of an interface"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runInterfacesAdd(cmd.Context(), a, args[0], name)
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "`NAME` that commands take in place of the URL")
	return cmd
}

func runInterfacesAdd(ctx context.Context, a *app, ref, name string) error {
	url, err := loader.URLOf(ref)
	if err != nil {
		return refError(err)
	}
	if url == openfilms.InterfaceURL {
		return usagef("the built-in interface cannot be added: it is in use while no other is in the list")
	}
	interfaces, err := a.openLoader(ctx)
	if err != nil {
		return err
	}
	rows, err := interfaces.Store.Interfaces(ctx)
	if err != nil {
		return err
	}
	if name, err = newInterfaceNames(rows).take(url, name); err != nil {
		return err
	}
	added, err := interfaces.Store.AddInterface(ctx, url, name)
	if err != nil {
		return err
	}
	_, current, err := interfaces.Interfaces(ctx)
	if err != nil {
		return err
	}
	doc := interfaceAddedDoc{URL: loader.RedactURL(url), Name: name, Added: added, InUse: current.URL == url}
	a.note("%s", addedNote(doc, current))
	result, err := interfaces.Check(ctx, url)
	failed, isLoadError := errors.AsType[*vod.Error](err)
	switch {
	case isLoadError:
		doc.Error = text.Clean(failed.Error())
		a.warn("warning: %s", failed.Error())
	case err != nil:
		return err
	default:
		doc.Sites = len(result.Sites)
		a.note("it lists %s", sitesNote(result))
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	return nil
}

// sitesNote counts the sites of an interface, and says where none is of use.
func sitesNote(r loader.Result) string {
	text := plural(len(r.Sites), "site")
	if r.Config != nil && r.Config.Usable() == 0 {
		text += ", of which xship can ask none: see xship interfaces check"
	}
	return text
}

func addedNote(doc interfaceAddedDoc, current sources.Interface) string {
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
	return fmt.Sprintf("%s; %s stays in use", what, interfaceTitle(current.Name, current.URL))
}

// interfaceNames are the names by which commands tell interfaces apart.
type interfaceNames map[string]string // the URL by the name, without its case

func newInterfaceNames(rows []sources.Interface) interfaceNames {
	names := make(interfaceNames, len(rows))
	for _, r := range rows {
		if r.Name != "" {
			names[foldName(r.Name)] = r.URL
		}
	}
	return names
}

// foldName is the same for all names that differ only in case.
func foldName(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// take gives the interface at url a name, cleaned for a terminal. Its error is a
// *usageError.
func (n interfaceNames) take(url, name string) (string, error) {
	name = text.Clean(name)
	if name == "" {
		return "", nil
	}
	if loader.IsURL(name) {
		return "", usagef("--name %q is a URL, not a name", loader.RedactURL(name))
	}
	folded := foldName(name)
	if owner, taken := n[folded]; taken && owner != url {
		return "", usagef("another interface is called %q already", name)
	}
	n[folded] = url
	return name, nil
}

// interfaceInUseDoc is the JSON document of the commands that change which
// interface is in use.
type interfaceInUseDoc struct {
	Current string `json:"current"`
	Removed string `json:"removed,omitempty"`
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
	store, err := a.openStore(ctx)
	if err != nil {
		return err
	}
	row, err := knownInterface(ctx, store, ref)
	if err != nil {
		return err
	}
	if err := store.SetCurrentInterface(ctx, row.URL); err != nil {
		return err
	}
	a.note("%s is in use", interfaceTitle(row.Name, row.URL))
	if a.asJSON() {
		return a.writeJSON(interfaceInUseDoc{Current: loader.RedactURL(row.URL)})
	}
	return nil
}

// knownInterface finds an interface of the user's list.
func knownInterface(ctx context.Context, store sources.InterfaceStore, ref string) (sources.Interface, error) {
	rows, err := store.Interfaces(ctx)
	if err != nil {
		return sources.Interface{}, err
	}
	row, ok := loader.Find(rows, ref)
	switch {
	case ok:
		return row, nil
	case strings.TrimSpace(ref) == openfilms.InterfaceURL:
		return row, &hintError{
			err:  errors.New("the built-in interface is in use only while the list is empty"),
			hint: "for one scan: xship scan TITLE --interface " + openfilms.InterfaceURL,
		}
	default:
		return row, &hintError{
			err:  fmt.Errorf("no interface of the list has the URL, path or name %q", loader.RedactURL(ref)),
			hint: "see xship interfaces list",
		}
	}
}

func newInterfacesRemoveCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "remove URL|PATH|NAME",
		Short: "Remove an interface from the list",
		Long: `Remove an interface from the list. Where it was in use, the next one in the
list is used from then on, and the built-in one when none is left.`,
		Args: oneArg("an interface"),
		RunE: func(cmd *cobra.Command, args []string) error { return runInterfacesRemove(cmd.Context(), a, args[0]) },
	}
}

func runInterfacesRemove(ctx context.Context, a *app, ref string) error {
	interfaces, err := a.openLoader(ctx)
	if err != nil {
		return err
	}
	store := interfaces.Store
	row, err := knownInterface(ctx, store, ref)
	if err != nil {
		return err
	}
	rows, current, err := interfaces.Interfaces(ctx)
	if err != nil {
		return err
	}
	if _, err := store.RemoveInterface(ctx, row.URL); err != nil {
		return err
	}
	a.note("removed %s", interfaceTitle(row.Name, row.URL))
	if row.URL == current.URL {
		current = loader.Builtin()
		if next, ok := nextInterface(rows, row.URL); ok {
			current = next
			if err := store.SetCurrentInterface(ctx, next.URL); err != nil {
				return err
			}
		}
		a.note("%s is in use now", interfaceTitle(current.Name, current.URL))
	}
	if a.asJSON() {
		return a.writeJSON(interfaceInUseDoc{Current: loader.RedactURL(current.URL), Removed: loader.RedactURL(row.URL)})
	}
	return nil
}

// nextInterface is the one after url in the list, the first one after the
// last. It is none where url is the only one.
func nextInterface(rows []sources.Interface, url string) (sources.Interface, bool) {
	i := slices.IndexFunc(rows, func(r sources.Interface) bool { return r.URL == url })
	if len(rows) < 2 || i < 0 {
		return sources.Interface{}, false
	}
	return rows[(i+1)%len(rows)], true
}
