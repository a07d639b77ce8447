package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// GroupedInterfaces tells what became of a group of interfaces.
type GroupedInterfaces struct {
	AddedInterface // Added is false where a group of that name was there
	Members        []config.GroupMember
	Logins         []string // as in RemovedInterface, of members that it had
}

// mostMembers is how many members a group has at most: a scan asks them all.
const mostMembers = 100

// memberKinds are the kinds of interfaces that can be members.
var memberKinds = []loader.Kind{
	loader.KindStremio, loader.KindFolder, loader.KindWebDAV, loader.KindHTTPIndex, loader.KindJellyfin, loader.KindEmby,
}

// GroupInterfaces makes an interface of several: members are named by the URL, path or
// name of an interface of the list, or by a URL or path that is not in it, and are loaded to see
// what they are. The group of that name that is there gets these members in the place
// of its own; logins and indexes that no interface uses then are removed.
func (e *Engine) GroupInterfaces(ctx context.Context, name string, refs []string) (GroupedInterfaces, error) {
	var g GroupedInterfaces
	interfaces, err := e.loader.get()
	if err != nil {
		return g, err
	}
	before, err := e.cfg.Store.Interfaces(ctx)
	if err != nil {
		return g, err
	}
	if g.Interface, err = e.groupNamed(name, before); err != nil {
		return g, err
	}
	rows, err := e.memberRows(ctx, interfaces, refs)
	if err != nil {
		return g, err
	}
	checks := atOnce(rows, checksAtOnce, nil, func(row sources.Interface) InterfaceCheck { return e.checkInterface(ctx, interfaces, row) })
	if err := ctx.Err(); err != nil {
		return g, err
	}
	logins, forgetIndexes := e.loginsOf(g.Interface), e.unusedIndexes(ctx, interfaces, g.Interface.URL)
	if err := config.ChangeGroups(e.cfg.DataDir, func() error { return e.storeGroup(ctx, &g, checks, refs) }); err != nil {
		return g, err
	}
	if g.Logins, err = e.forgetLogins(ctx, logins); err != nil {
		return g, err
	}
	forgetIndexes()
	_, g.Current, err = interfaces.Interfaces(ctx)
	return g, err
}

// storeGroup stores a group with the members that were checked, as refs name them.
func (e *Engine) storeGroup(ctx context.Context, g *GroupedInterfaces, checks []InterfaceCheck, refs []string) error {
	was, readErr := config.ReadGroup(g.Interface.URL)
	keys := memberKeys{before: was, taken: make(map[string]bool)}
	for i, c := range checks {
		m, err := memberOf(c, keys)
		if err != nil {
			return loader.Missed(err, refs[i])
		}
		g.Members = append(g.Members, m)
	}
	err := config.WriteGroup(g.Interface.URL, g.Members)
	if err != nil {
		return err
	}
	if g.Added, err = e.cfg.Store.AddInterface(ctx, g.Interface.URL, g.Interface.Name); err != nil {
		return errors.Join(err, restoreGroup(g.Interface.URL, was, readErr))
	}
	return nil
}

// restoreGroup puts the file of a group back as it was read.
func restoreGroup(path string, was []config.GroupMember, readErr error) error {
	if readErr != nil {
		return config.RemoveGroup(path)
	}
	return config.WriteGroup(path, was)
}

// groupNamed is the interface that the group of a name is. One that is there keeps its
// file, however its name was written.
func (e *Engine) groupNamed(name string, all []sources.Interface) (sources.Interface, error) {
	path, err := config.GroupPath(e.cfg.DataDir, name)
	if err != nil {
		return sources.Interface{}, &RequestError{Text: fmt.Sprintf("%s cannot be a group: %v", text.Quote(text.Clean(name)), err)}
	}
	for _, row := range all {
		if _, isGroup := config.GroupOf(e.cfg.DataDir, row.URL); isGroup && row.Name != "" && foldName(row.Name) == foldName(name) {
			return row, nil
		}
	}
	name, err = newInterfaceNames(all).take(path, name)
	return sources.Interface{URL: path, Name: name}, err
}

// memberRows are the interfaces that refs name, each once. None of them is of a kind that
// its address alone tells that it cannot be a member.
func (e *Engine) memberRows(ctx context.Context, interfaces *loader.Loader, refs []string) ([]sources.Interface, error) {
	if len(refs) > mostMembers {
		return nil, &RequestError{Text: fmt.Sprintf("a group has %d members at most, and these are %d", mostMembers, len(refs))}
	}
	var rows []sources.Interface
	for _, ref := range refs {
		if loader.IsBuiltin(strings.TrimSpace(ref)) {
			return nil, refusedMember("the built-in interface", "it is not your own")
		}
		row, err := interfaces.Active(ctx, ref)
		if err != nil {
			return nil, err
		}
		if row.URL, err = InterfaceURL(row.URL); err != nil {
			return nil, err
		}
		switch _, isGroup := config.GroupOf(e.cfg.DataDir, row.URL); {
		case isGroup:
			return nil, refusedMember(InterfaceTitle(row), "it is a group itself")
		case slices.ContainsFunc(rows, func(r sources.Interface) bool { return r.URL == row.URL }):
			return nil, &RequestError{Text: InterfaceTitle(row) + " is named twice"}
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// refusedMember is the error of what cannot be a member.
func refusedMember(what, why string) error {
	return &RequestError{
		Text: fmt.Sprintf("%s cannot be a member of a group: %s", what, why),
		Hint: "members of a group are Stremio add-ons, folders, and WebDAV, HTTP index, Jellyfin and Emby servers; TVBox configs stay interfaces of their own, between which failover chooses",
	}
}

// memberKeys are the keys that members cannot have: those of others, and those by which
// what another one answered is stored.
type memberKeys struct {
	before []config.GroupMember // that the group had
	taken  map[string]bool      // as foldName has them
}

// take gives m, which has a name, a key that is like its name.
func (k memberKeys) take(m *config.GroupMember) {
	anothers := func(was config.GroupMember) bool {
		return foldName(was.Key) == foldName(m.Key) && (was.Type != m.Type || was.API != m.API)
	}
	m.Key = m.Name
	for n := 2; k.taken[foldName(m.Key)] || slices.ContainsFunc(k.before, anothers); n++ {
		m.Key = fmt.Sprintf("%s %d", m.Name, n)
	}
	k.taken[foldName(m.Key)] = true
}

// memberOf is the member that an interface is, by how it was loaded.
func memberOf(c InterfaceCheck, keys memberKeys) (config.GroupMember, error) {
	title := InterfaceTitle(c.Interface)
	if c.Err != nil {
		return config.GroupMember{}, fmt.Errorf("%s cannot be a member of a group, since it cannot be loaded: %w", title, c.Err)
	}
	content := c.Result.Content
	switch {
	case content.Kind == loader.KindTVBox:
		return config.GroupMember{}, refusedMember(title, "it is a TVBox config")
	case content.Kind == loader.KindDepot:
		return config.GroupMember{}, refusedMember(title, "it is a depot of TVBox configs")
	case !slices.Contains(memberKinds, content.Kind) || len(content.Sites) != 1:
		return config.GroupMember{}, refusedMember(title, "it is neither an add-on nor a folder nor a server")
	}
	site := content.Sites[0]
	if site.Unsupported != "" {
		return config.GroupMember{}, refusedMember(title, "it cannot be asked: "+text.Clean(site.Unsupported))
	}
	if u, err := link.Parse(site.API); err == nil && u.User != nil {
		return config.GroupMember{}, &RequestError{
			Text: title + " cannot be a member of a group: its address holds a login",
			Hint: "keep the login, and group the address without it: xship interfaces add URL --login NAME --password-stdin",
		}
	}
	m := config.GroupMember{Name: text.Clean(site.Name), Type: string(content.Kind), API: site.API}
	for _, said := range []string{content.Name, c.Interface.ShownName()} {
		if said = text.Clean(said); said != "" {
			m.Name = said
		}
	}
	if m.Name == "" {
		m.Name = m.Type
	}
	keys.take(&m)
	return m, nil
}
