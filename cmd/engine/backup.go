package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/config/failover"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// LeftOut counts what a backup has not, since it holds secrets.
type LeftOut struct {
	Interfaces int // whose URLs may hold one, and groups of such members alone
	Members    int // of groups that are not left out
	Logins     int // of servers
}

// Export makes a backup of preferences, interfaces and watchlist, and counts what is
// left out: the interfaces whose URLs hold a secret, and the logins of servers, unless
// withSecrets is set. Debrid accounts are never part of it.
func (e *Engine) Export(ctx context.Context, withSecrets bool) (b config.Backup, leftOut LeftOut, err error) {
	preferences, err := config.OpenPreferences(config.PreferencesPath(e.cfg.DataDir))
	if err != nil {
		return b, leftOut, err
	}
	b = config.Backup{CreatedAt: e.cfg.Now().Unix(), WithSecrets: withSecrets}
	all, err := e.cfg.Store.Interfaces(ctx)
	if err != nil {
		return b, leftOut, err
	}
	current, err := e.cfg.Store.CurrentInterface(ctx)
	if err != nil {
		return b, leftOut, err
	}
	var left []string // groups
	for _, row := range all {
		if !withSecrets && link.HoldsSecret(row.URL) {
			leftOut.Interfaces++
			continue
		}
		group := e.exportedGroup(row.URL, withSecrets)
		switch {
		case group != nil && len(group.Members) == 0:
			leftOut.Interfaces++
			left = append(left, row.URL)
			continue
		case group != nil:
			b.Groups = append(b.Groups, *group)
			leftOut.Members += len(group.LeftOut)
		}
		b.Interfaces = append(b.Interfaces, config.BackupInterface{URL: row.URL, Name: row.ShownName(), Current: row.URL == current})
	}
	if b.Preferences, err = exportedPreferences(preferences, withSecrets, left); err != nil {
		return b, leftOut, err
	}
	if !withSecrets {
		leftOut.Logins = len(e.logins.stored())
	} else if b.Logins, err = e.exportedLogins(); err != nil {
		return b, leftOut, err
	}
	entries, err := e.cfg.Store.Watchlist(ctx)
	if err != nil {
		return b, leftOut, err
	}
	for _, entry := range entries {
		b.Watchlist = append(b.Watchlist, backupTitle(entry))
	}
	return b, leftOut, nil
}

// exportedGroup is the group whose file is at path, with the members that a backup may
// have; nil where there is no group. One that cannot be read is left to the backup as the
// path that it is, with a warning.
func (e *Engine) exportedGroup(path string, withSecrets bool) *config.BackupGroup {
	if _, isGroup := config.GroupOf(e.cfg.DataDir, path); !isGroup {
		return nil
	}
	members, err := config.ReadGroup(path)
	if err != nil {
		e.cfg.Warn(fmt.Sprintf("the members of the group are not in the backup: %v", err))
		return nil
	}
	group := &config.BackupGroup{URL: path}
	for _, m := range members {
		if !withSecrets && link.HoldsSecret(m.API) {
			group.LeftOut = append(group.LeftOut, text.Clean(m.Key))
		} else {
			group.Members = append(group.Members, m)
		}
	}
	return group
}

// exportedLogins gives the logins of a backup that holds secrets.
func (e *Engine) exportedLogins() (all []config.StoredLogin, err error) {
	logins, _, err := e.logins.file.Read()
	for _, login := range logins {
		all = append(all, config.StoredLogin(login))
	}
	return all, err
}

// exportedPreferences gives the preferences of a backup. The order names
// interfaces: those that are left out are left out there too.
func exportedPreferences(preferences *config.Preferences, withSecrets bool, left []string) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	mode, err := preferences.Get(failover.ModeKey)
	if err != nil {
		return nil, err
	}
	if mode != nil {
		out[failover.ModeKey] = mode
	}
	order, err := failover.NewInterfaceOrderStore(preferences).Order()
	if err != nil {
		return nil, err
	}
	order = slices.DeleteFunc(order, func(url string) bool {
		return !withSecrets && link.HoldsSecret(url) || slices.Contains(left, url)
	})
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

// Imported tells what of a backup was taken over.
type Imported struct {
	Interfaces  int
	Watchlist   int
	Preferences int
	Logins      int
	LeftOut     int // interfaces that are none
}

// Skipped is something of a backup that is not taken over.
type Skipped struct {
	IsTitle bool   // a title; else an interface
	IsLogin bool   // the login of a server
	What    string // its name or its URL, without secrets
	Name    error  // why the interface is taken over without its name, nil where it is left out
}

// ImportError is an import that came to no good end.
type ImportError struct {
	Done        string // how far it came
	Interrupted bool   // by the user
	Err         error
}

func (e *ImportError) Error() string { return fmt.Sprintf("import the backup: %v; %s", e.Err, e.Done) }

func (e *ImportError) Unwrap() error { return e.Err }

// Import adds the logins, the interfaces and the watchlist of a backup to those that are
// there, each of them whole or not at all, and takes over its failover mode and order. A
// server that has a login keeps it. The error is an *ImportError, or that of storing a preference. skipped is told what is
// not taken over, before anything is.
func (e *Engine) Import(ctx context.Context, b config.Backup, skipped func(Skipped)) (Imported, error) {
	var done Imported
	before, err := e.cfg.Store.Interfaces(ctx)
	if err != nil {
		return done, err
	}
	groups := e.groupsOfBackup(b, skipped)
	listed := len(b.Interfaces)
	b = placed(b, groups)
	all, current := interfacesOf(b, before, skipped)
	done.LeftOut = listed - len(all)
	entries := watchlistOf(b, skipped)
	logins := e.loginsOfBackup(b, skipped)
	failed := func(err error, how string) error {
		if ctx.Err() != nil {
			return &ImportError{Done: how, Interrupted: true, Err: ctx.Err()}
		}
		return &ImportError{Done: how, Err: err}
	}
	if err := e.importLogins(logins); err != nil {
		return done, failed(err, "nothing was imported")
	}
	made, err := writeGroups(groups)
	if err == nil {
		_, err = e.cfg.Store.AddInterfaces(ctx, all, current)
	}
	if err != nil {
		for _, path := range made {
			err = errors.Join(err, config.RemoveGroup(path))
		}
		return done, failed(err, "nothing was imported but logins of servers")
	}
	if err := e.cfg.Store.AddWatchlist(ctx, entries); err != nil {
		return done, failed(err, "the interfaces were imported, the watchlist and the preferences were not")
	}
	if err := ctx.Err(); err != nil {
		return done, failed(err, "the interfaces and the watchlist were imported, the preferences were not")
	}
	done.Interfaces, done.Watchlist, done.Preferences, done.Logins = len(all), len(entries), len(b.Preferences), len(logins)
	return done, e.importPreferences(b.Preferences)
}

// placedGroup is a group of a backup at the place that it has here.
type placedGroup struct {
	path    string // "" where it has none
	members []config.GroupMember
	there   bool // with these members, and maybe others
}

// groupsOfBackup gives the groups of a backup, by the URL that they have in it. A group that
// is here keeps its members: where the backup's has others, it gets another file.
func (e *Engine) groupsOfBackup(b config.Backup, skipped func(Skipped)) map[string]placedGroup {
	groups := make(map[string]placedGroup)
	for _, g := range b.Groups {
		if !slices.ContainsFunc(b.Interfaces, func(i config.BackupInterface) bool { return i.URL == g.URL }) {
			continue
		}
		var p placedGroup
		for _, m := range g.Members {
			if !slices.Contains(memberKinds, loader.Kind(m.Type)) || m.Key == "" || m.API == "" {
				skipped(Skipped{What: link.RedactInterface(m.API)})
				continue
			}
			p.members = append(p.members, m)
		}
		name := strings.TrimSuffix(g.URL[strings.LastIndexAny(g.URL, `/\`)+1:], ".json")
		e.place(&p, name, groups)
		if p.path == "" {
			skipped(Skipped{What: link.RedactInterface(g.URL)})
		}
		groups[g.URL] = p
	}
	return groups
}

// place finds the file for a group of a name: that of a group that has the members, and
// maybe others, which the backup may have left out, or one that is not there; one that cannot be read stays as it is. A group without members,
// or a name that none can have, has no place.
func (e *Engine) place(p *placedGroup, name string, others map[string]placedGroup) {
	const mostOfOneName = 100
	for n := 1; n <= mostOfOneName && len(p.members) > 0; n++ {
		numbered := name
		if n > 1 {
			numbered = fmt.Sprintf("%s %d", name, n)
		}
		path, err := config.GroupPath(e.cfg.DataDir, numbered)
		if err != nil {
			return
		}
		taken := false
		for _, other := range others {
			taken = taken || other.path == path
		}
		if taken {
			continue
		}
		members, err := config.ReadGroup(path)
		lacks := func(m config.GroupMember) bool { return !slices.Contains(members, m) }
		switch {
		case errors.Is(err, fs.ErrNotExist):
			p.path = path
			return
		case err == nil && !slices.ContainsFunc(p.members, lacks):
			p.path, p.there = path, true
			return
		}
	}
}

// placed is b with the groups at their places, and without those that have none.
func placed(b config.Backup, groups map[string]placedGroup) config.Backup {
	var rows []config.BackupInterface
	for _, row := range b.Interfaces {
		if g, isGroup := groups[row.URL]; isGroup {
			if g.path == "" {
				continue
			}
			row.URL = g.path
		}
		rows = append(rows, row)
	}
	b.Interfaces = rows
	order := failover.ParseOrder(b.Preferences[failover.OrderKey])
	if len(order) == 0 || len(groups) == 0 {
		return b
	}
	for i, url := range order {
		if g := groups[url]; g.path != "" {
			order[i] = g.path
		}
	}
	b.Preferences = maps.Clone(b.Preferences)
	b.Preferences[failover.OrderKey], _ = json.Marshal(order) // texts
	return b
}

// writeGroups writes the groups that are not there, and gives their files, also where it
// fails.
func writeGroups(groups map[string]placedGroup) (made []string, err error) {
	for _, g := range groups {
		if g.path == "" || g.there {
			continue
		}
		if err := config.WriteGroup(g.path, g.members); err != nil {
			return made, err
		}
		made = append(made, g.path)
	}
	return made, nil
}

// interfacesOf gives the interfaces of a backup, in its order, and the one that was
// in use, "" where none of them was. A name that is taken is no name.
func interfacesOf(b config.Backup, before []sources.Interface, skipped func(Skipped)) (all []sources.Interface, current string) {
	names := newInterfaceNames(before)
	for _, i := range b.Interfaces {
		url, err := InterfaceURL(i.URL)
		if err != nil {
			skipped(Skipped{What: link.RedactInterface(i.URL)})
			continue
		}
		name, err := names.take(url, i.Name)
		if err != nil {
			skipped(Skipped{What: link.RedactInterface(url), Name: err})
		}
		all = append(all, sources.Interface{URL: url, Name: name})
		if i.Current {
			current = url
		}
	}
	return all, current
}

// loginsOfBackup gives the logins of a backup for servers that have none yet.
func (e *Engine) loginsOfBackup(b config.Backup, skipped func(Skipped)) (logins []config.Login) {
	stored := e.logins.stored()
	for _, l := range b.Logins {
		login := config.Login(l)
		if login.Validate() != nil {
			skipped(Skipped{IsLogin: true, What: link.Redact(login.Origin)})
		} else if _, has := stored[login.Origin]; !has {
			logins = append(logins, login)
		}
	}
	return logins
}

func (e *Engine) importLogins(logins []config.Login) error {
	if len(logins) == 0 {
		return nil
	}
	defer e.logins.forget()
	return e.logins.file.Put(logins...)
}

// watchlistOf gives the titles of a backup.
func watchlistOf(b config.Backup, skipped func(Skipped)) []sources.WatchEntry {
	var entries []sources.WatchEntry
	for _, t := range b.Watchlist {
		title := sources.Title{
			Kind: sources.Kind(t.Kind), Name: strings.TrimSpace(t.Name), OriginalName: t.OriginalName, Year: t.Year, IMDb: t.IMDb, Aliases: t.Aliases,
		}
		if t.Season != nil && t.Episode != nil {
			title.Season, title.Episode = *t.Season, *t.Episode
		}
		if err := title.Validate(); err != nil || (title.Kind == sources.KindEpisode) != (t.Season != nil && t.Episode != nil) {
			skipped(Skipped{IsTitle: true, What: t.Name})
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
func (e *Engine) importPreferences(preferences map[string]json.RawMessage) error {
	if len(preferences) == 0 {
		return nil
	}
	order, err := e.order.get()
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
