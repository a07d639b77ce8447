package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/config/failover"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/site/t4"
	"xship/sources/text"
)

// checksAtOnce is how many interfaces, or accounts, are checked at once.
const checksAtOnce = 4

// getFunc makes a request, as fetch.Client.Get and Call do.
type getFunc = func(ctx context.Context, r fetch.Request) (*fetch.Response, error)

func (e *Engine) newLoader(get getFunc) (*loader.Loader, error) {
	order, err := e.order.get()
	if err != nil {
		return nil, err
	}
	s := e.cfg.Settings.Interfaces
	archive := ""
	if e.cfg.Settings.Archive.Enabled {
		archive = e.cfg.Settings.Archive.URL
	}
	return loader.New(loader.Options{
		Store: e.cfg.Store, Order: order, Get: get, Trust: e.network.operator.add, Books: e.books, Observer: e.observer,
		Now: e.cfg.Now, Logger: e.cfg.Logger, Timeout: s.Timeout, MaxAge: s.MaxAge, Archive: archive,
	}), nil
}

// FailoverMode is what happens where an interface cannot be loaded.
func (e *Engine) FailoverMode() (failover.Mode, error) {
	order, err := e.order.get()
	if err != nil {
		return failover.Auto, err
	}
	return order.Mode()
}

// SetFailoverMode stores the failover mode.
func (e *Engine) SetFailoverMode(m failover.Mode) error {
	order, err := e.order.get()
	if err != nil {
		return err
	}
	return order.SetMode(m)
}

// Interfaces gives all interfaces in the user's order, and the one in use. Where the
// user has added none, both are the built-in one.
func (e *Engine) Interfaces(ctx context.Context) (all []sources.Interface, current sources.Interface, err error) {
	interfaces, err := e.loader.get()
	if err != nil {
		return nil, current, err
	}
	return interfaces.Interfaces(ctx)
}

// InterfaceKinds tells of what kinds interfaces are, by their URLs, as far as that is
// known without a request.
func (e *Engine) InterfaceKinds(ctx context.Context, all []sources.Interface) (map[string]loader.Kind, error) {
	interfaces, err := e.loader.get()
	if err != nil {
		return nil, err
	}
	kinds := make(map[string]loader.Kind, len(all))
	for _, row := range all {
		kinds[row.URL] = interfaces.Known(ctx, row.URL).Kind
	}
	return kinds, ctx.Err()
}

// AddedInterface tells what became of an interface that was added.
type AddedInterface struct {
	Interface sources.Interface
	Added     bool              // false: it was in the list already
	Current   sources.Interface // the one in use now
}

// InterfaceURL is what the interface that ref names by URL or path is stored as. The
// error says why it can be none.
func InterfaceURL(ref string) (string, error) {
	url, err := loader.URLOf(ref)
	switch {
	case err != nil:
		return "", err
	case loader.IsBuiltin(url):
		return "", &RequestError{Text: "the built-in interface cannot be added: it is in use while no other is in the list"}
	}
	if scheme := loader.ForeignScheme(ref); scheme != "" {
		return "", &RequestError{
			Text: fmt.Sprintf("an address with %s cannot be an interface", text.Shorten(scheme, 20)),
			Hint: foreignHint(scheme),
		}
	}
	return url, nil
}

// foreignHint is what to write in place of an address with the scheme.
func foreignHint(scheme string) string {
	const forms = "an interface is a web address (http:// or https://), the stremio:// link of an add-on, or the path of a file or a folder"
	switch strings.ToLower(strings.TrimRight(scheme, ":/")) {
	case "dav", "webdav":
		return "write http:// in place of " + scheme
	case "davs", "webdavs":
		return "write https:// in place of " + scheme
	case "smb", "nfs", "ftp", "sftp", "afp":
		return forms + "; mount the server, and name the folder"
	default:
		return forms
	}
}

// AddInterface adds the interface that ref names by URL or path. The first one is in
// use. It is not loaded: see CheckInterface.
func (e *Engine) AddInterface(ctx context.Context, ref, name string) (AddedInterface, error) {
	var a AddedInterface
	var err error
	if a.Interface.URL, err = InterfaceURL(ref); err != nil {
		return a, err
	}
	interfaces, err := e.loader.get()
	if err != nil {
		return a, err
	}
	before, err := e.cfg.Store.Interfaces(ctx)
	if err != nil {
		return a, err
	}
	if a.Interface.Name, err = newInterfaceNames(before).take(a.Interface.URL, name); err != nil {
		return a, err
	}
	if a.Added, err = e.cfg.Store.AddInterface(ctx, a.Interface.URL, a.Interface.Name); err != nil {
		return a, err
	}
	_, a.Current, err = interfaces.Interfaces(ctx)
	return a, err
}

// UseInterface puts the interface of the list that ref names in use; the next request
// loads it.
func (e *Engine) UseInterface(ctx context.Context, ref string) (sources.Interface, error) {
	row, err := e.listedInterface(ctx, ref)
	if err != nil {
		return row, err
	}
	if err = e.cfg.Store.SetCurrentInterface(ctx, row.URL); errors.Is(err, sources.ErrNotListed) { // any more
		err = notListed(nil, ref)
	}
	return row, err
}

// RemovedInterface tells what became of an interface that was removed.
type RemovedInterface struct {
	Interface sources.Interface
	Current   sources.Interface // the one in use now
	WasInUse  bool
	Logins    []string // the servers, as scheme, host and port, whose logins went with it
}

// RemoveInterface removes the interface of the list that ref names, and where that is a
// group its file. Where it was in use, the next one in the list is, or the built-in one
// when none is left. Logins and indexes that no other interface uses go with it.
func (e *Engine) RemoveInterface(ctx context.Context, ref string) (RemovedInterface, error) {
	var r RemovedInterface
	interfaces, err := e.loader.get()
	if err != nil {
		return r, err
	}
	if r.Interface, err = e.listedInterface(ctx, ref); err != nil {
		return r, err
	}
	all, current, err := interfaces.Interfaces(ctx)
	if err != nil {
		return r, err
	}
	r.WasInUse = r.Interface.URL == current.URL
	logins, forgetIndexes := e.loginsOf(r.Interface), e.unusedIndexes(ctx, interfaces, r.Interface.URL)
	if err := e.removeListed(ctx, r.Interface.URL, nextInterface(all, r.Interface.URL)); err != nil {
		return r, err
	}
	if r.Logins, err = e.forgetLogins(ctx, logins); err != nil {
		return r, err
	}
	forgetIndexes()
	_, r.Current, err = interfaces.Interfaces(ctx)
	return r, err
}

// removeListed removes an interface from the list, in whose place next is in use, and
// the file of a group.
func (e *Engine) removeListed(ctx context.Context, url, next string) error {
	if _, isGroup := config.GroupOf(e.cfg.DataDir, url); !isGroup {
		_, err := e.cfg.Store.RemoveInterface(ctx, url, next)
		return err
	}
	return config.ChangeGroups(e.cfg.DataDir, func() error {
		if _, err := e.cfg.Store.RemoveInterface(ctx, url, next); err != nil {
			return err
		}
		return config.RemoveGroup(url)
	})
}

// nextInterface is the URL of the one after url in the list, and that of the first one
// after the last.
func nextInterface(all []sources.Interface, url string) string {
	i := slices.IndexFunc(all, func(r sources.Interface) bool { return r.URL == url })
	return all[(i+1)%len(all)].URL
}

// listedInterface finds an interface of the user's list.
func (e *Engine) listedInterface(ctx context.Context, ref string) (sources.Interface, error) {
	all, err := e.cfg.Store.Interfaces(ctx)
	if err != nil {
		return sources.Interface{}, err
	}
	row, ok := loader.Find(all, ref)
	switch {
	case ok:
		return row, nil
	case loader.IsBuiltin(strings.TrimSpace(ref)):
		return row, text.WithHint(errors.New("the built-in interface is in use only while the list is empty"),
			"for one scan: xship scan TITLE --interface "+loader.Builtin().URL)
	default:
		return row, notListed(all, ref)
	}
}

// notListed is the error of a ref that names none of the interfaces.
func notListed(all []sources.Interface, ref string) error {
	return text.WithHint(fmt.Errorf("no interface of the list has the URL, path or name %q", link.RedactInterface(ref)),
		loader.NearHint(all, ref, "see xship interfaces list"))
}

// OrderInterfaces stores the order that refs begin; the other interfaces stay behind
// them as they are.
func (e *Engine) OrderInterfaces(ctx context.Context, refs []string) error {
	all, _, err := e.Interfaces(ctx)
	if err != nil {
		return err
	}
	var first []sources.Interface
	for _, ref := range refs {
		row, err := e.listedInterface(ctx, ref)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(first, func(r sources.Interface) bool { return r.URL == row.URL }) {
			return &RequestError{Text: InterfaceTitle(row) + " is named twice"}
		}
		first = append(first, row)
	}
	return e.storeOrder(append(first, all...))
}

// ErrNothingToOrder says that the user has added no interface.
var ErrNothingToOrder = text.WithHint(errors.New("there are no interfaces to order"), "see xship interfaces add")

// OrderInterfacesBy stores the order that choose makes of the interfaces. Its error
// leaves the order as it was.
func (e *Engine) OrderInterfacesBy(
	ctx context.Context, choose func(all []sources.Interface, current sources.Interface) ([]sources.Interface, error),
) error {
	all, current, err := e.Interfaces(ctx)
	if err != nil {
		return err
	}
	if len(all) == 1 && loader.IsBuiltin(all[0].URL) {
		return ErrNothingToOrder
	}
	ordered, err := choose(all, current)
	if err != nil {
		return err
	}
	return e.storeOrder(ordered)
}

// storeOrder stores the order of interfaces, each once, but for the built-in one.
func (e *Engine) storeOrder(all []sources.Interface) error {
	order, err := e.order.get()
	if err != nil {
		return err
	}
	var urls []string
	for _, row := range all {
		if !loader.IsBuiltin(row.URL) && !slices.Contains(urls, row.URL) {
			urls = append(urls, row.URL)
		}
	}
	return order.SetOrder(urls)
}

// InterfaceCheck tells how loading an interface went.
type InterfaceCheck struct {
	Interface sources.Interface
	Result    loader.Result
	Err       error // nil: it was loaded
	Elapsed   time.Duration
}

// Failure is why the interface could not be loaded: the cause in a word, and what
// came, for people. Both are "" where it was loaded.
func (c InterfaceCheck) Failure() (cause, detail string) {
	if c.Err == nil {
		return "", ""
	}
	failed, ok := errors.AsType[*vod.Error](c.Err)
	if !ok {
		return "failure", c.Err.Error()
	}
	detail = failed.Detail
	if failed.FinalURL != "" {
		detail += " (redirected to " + failed.FinalURL + ")"
	}
	return string(failed.Cause), detail
}

// CheckInterface loads an interface that the user named by ref anew, without failover,
// and records how that went.
func (e *Engine) CheckInterface(ctx context.Context, row sources.Interface, ref string) InterfaceCheck {
	interfaces, err := e.loader.get()
	if err != nil {
		return InterfaceCheck{Interface: row, Err: err}
	}
	c := e.checkInterface(ctx, interfaces, row)
	c.Err = loader.Missed(c.Err, ref)
	return c
}

func (e *Engine) checkInterface(ctx context.Context, interfaces *loader.Loader, row sources.Interface) InterfaceCheck {
	c := InterfaceCheck{Interface: row}
	started := e.cfg.Now()
	c.Result, c.Err = interfaces.Check(ctx, row.URL)
	c.Elapsed = e.cfg.Now().Sub(started)
	if c.Err == nil {
		c.Result.Content = e.withoutStrangers(c.Result.Content)
	}
	if c.Err == nil && e.network.DeniesPrivate() {
		c.Result.Content = e.withoutRefused(ctx, c.Result.Content)
	}
	return c
}

// withoutStrangers is content without the sites that a scan would not ask, since a login is
// stored for their servers, among those that can be asked, and with a warning of each.
func (e *Engine) withoutStrangers(content loader.Content) loader.Content {
	specs := e.logins.withoutStrangers(content.Sites)
	content.Warnings = slices.Clone(content.Warnings)
	for i, s := range specs {
		if s.Unsupported == content.Sites[i].Unsupported {
			continue
		}
		if s.Searchable {
			content.Usable--
		}
		content.Warnings = append(content.Warnings, fmt.Sprintf("site %q (%s) is not asked: %s", s.Key, s.Name, s.Unsupported))
	}
	content.Sites = specs
	return content
}

// Bounds of looking for sites on private addresses: their names are resolved.
const (
	refusedTimeout = 3 * time.Second
	refusedAtOnce  = 16
)

// withoutRefused is content without the sites that a scan would not ask, since they are
// on private addresses, among those that can be asked, and with a warning of each.
func (e *Engine) withoutRefused(ctx context.Context, content loader.Content) loader.Content {
	ctx, cancel := context.WithTimeout(ctx, refusedTimeout)
	defer cancel()
	var asked []sources.SiteSpec
	for _, s := range content.Sites {
		if s.Searchable && s.Unsupported == "" {
			asked = append(asked, s)
		}
	}
	refused := atOnce(asked, refusedAtOnce, nil, func(s sources.SiteSpec) error {
		err := e.network.Refused(ctx, s.API)
		if err == nil && s.Type == t4.Type { // others send it along
			err = e.network.Refused(ctx, s.Ext)
		}
		return err
	})
	content.Warnings = slices.Clone(content.Warnings)
	for i, err := range refused {
		if err != nil {
			content.Usable--
			content.Warnings = append(content.Warnings, fmt.Sprintf("site %q (%s) is not asked: %v", asked[i].Key, asked[i].Name, err))
		}
	}
	return content
}

// CheckedInterfaces gives the interfaces that refs name, or all of the list. A folder
// that is not in the list and has configs in it stands for its files.
func (e *Engine) CheckedInterfaces(ctx context.Context, refs []string) ([]sources.Interface, error) {
	interfaces, err := e.loader.get()
	if err != nil {
		return nil, err
	}
	listed, _, err := interfaces.Interfaces(ctx)
	if err != nil || len(refs) == 0 {
		return listed, err
	}
	var all []sources.Interface
	for _, ref := range refs {
		row, err := interfaces.Active(ctx, ref)
		_, missing := errors.AsType[*vod.Error](err)
		switch {
		case missing && loader.NearHint(listed, ref, "") != "": // a misspelt name
			return nil, notListed(listed, ref)
		case err != nil && !missing: // else its check says so
			return nil, err
		}
		var files []string
		if !slices.ContainsFunc(listed, func(r sources.Interface) bool { return r.URL == row.URL }) {
			if files, err = folderFiles(ctx, interfaces, row.URL); err != nil {
				return nil, err
			}
		}
		if files == nil {
			all = append(all, row)
		}
		for _, file := range files {
			all = append(all, sources.Interface{URL: file, Name: filepath.Base(file)})
		}
	}
	return all, nil
}

// folderFiles lists the files of a folder of configs, at least one, and is nil where path
// is something else, such as a folder of films.
func folderFiles(ctx context.Context, interfaces *loader.Loader, path string) ([]string, error) {
	if !interfaces.IsFolder(ctx, path) { // loading it says what it is
		return nil, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("read the folder: %w", err)
	}
	var files []string
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	isConfig := func(file string) bool { return strings.EqualFold(filepath.Ext(file), ".json") }
	switch {
	case len(entries) == 0:
		return nil, fmt.Errorf("the folder %s has no files", path)
	case !slices.ContainsFunc(files, isConfig):
		return nil, nil
	}
	return files, nil
}

// CheckInterfaces loads interfaces, several at once, and gives how that went in their
// order. checked is told how many are done, never twice at once; nil: nobody.
func (e *Engine) CheckInterfaces(ctx context.Context, all []sources.Interface, checked func(done int)) ([]InterfaceCheck, error) {
	interfaces, err := e.loader.get()
	if err != nil {
		return nil, err
	}
	return eachAtOnce(all, checked, func(row sources.Interface) InterfaceCheck { return e.checkInterface(ctx, interfaces, row) }), nil
}

// eachAtOnce gives what do makes of each, checksAtOnce at a time.
func eachAtOnce[T, R any](all []T, ended func(done int), do func(T) R) []R {
	return atOnce(all, checksAtOnce, ended, do)
}

// atOnce gives what do makes of each, width at a time. ended is told how many are done,
// never twice at once; nil: nobody.
func atOnce[T, R any](all []T, width int, ended func(done int), do func(T) R) []R {
	var (
		mu    sync.Mutex
		done  int
		wg    sync.WaitGroup
		turns = make(chan struct{}, width)
	)
	results := make([]R, len(all))
	for i, item := range all {
		wg.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			results[i] = do(item)
			if ended != nil {
				mu.Lock()
				defer mu.Unlock()
				done++
				ended(done)
			}
		})
	}
	wg.Wait()
	return results
}

// InterfaceTitle names an interface in a sentence.
func InterfaceTitle(i sources.Interface) string {
	if name := i.ShownName(); name != "" {
		return fmt.Sprintf("%s (%s)", name, link.RedactInterface(i.URL))
	}
	return link.RedactInterface(i.URL)
}

// interfaceNames are the names by which commands tell interfaces apart.
type interfaceNames map[string]string // the URL by the name, without its case

func newInterfaceNames(all []sources.Interface) interfaceNames {
	names := make(interfaceNames, len(all))
	for _, r := range all {
		if r.Name != "" {
			names[foldName(r.Name)] = r.URL
		}
	}
	return names
}

// foldName is the same for all names that differ only in case.
func foldName(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// take gives the interface at url a name, cleaned for a terminal. Its error is a
// *RequestError.
func (n interfaceNames) take(url, name string) (string, error) {
	name = text.Clean(name)
	if name == "" {
		return "", nil
	}
	if loader.IsURL(name) || strings.ContainsAny(name, "/@;") && link.HoldsSecret(name) {
		return "", &RequestError{Text: fmt.Sprintf("--name %s is a URL, not a name", text.Quote(link.RedactInterface(name)))}
	}
	if shown := link.RedactInterfaceText(name); shown != name {
		return "", &RequestError{Text: fmt.Sprintf("--name %s holds the secret of an address", text.Quote(shown))}
	}
	folded := foldName(name)
	if owner, taken := n[folded]; taken && owner != url {
		return "", &RequestError{Text: fmt.Sprintf("another interface is called %q already", name)}
	}
	n[folded] = url
	return name, nil
}
