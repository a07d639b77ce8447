package cmd

import (
	"context"
	"fmt"
	"sync/atomic"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/engine/loader"
	"xship/sources/text"
)

// recognised tells what an interface that was added is, names it where it has no name,
// and has its files indexed. doc gets what it tells.
func (a *app) recognised(ctx context.Context, e *engine.Engine, added engine.AddedInterface, check engine.InterfaceCheck, doc *api.InterfaceAdded) error {
	content := check.Result.Content
	doc.Kind, doc.Sites, doc.Usable = string(content.Kind), len(content.Sites), content.Usable
	note := "recognised as " + kindText(content)
	if isOneSite(content.Kind) {
		note += fmt.Sprintf(", %d of %s can be used", content.Usable, text.Plural(len(content.Sites), "site"))
	}
	if added.Added {
		row, err := e.NameInterface(ctx, added.Interface, content)
		if err != nil {
			return err
		}
		if name := row.ShownName(); name != doc.Name {
			doc.Name = name
			note += "; it is called " + name
		}
	}
	a.note("%s", note)
	if !isOneSite(content.Kind) {
		a.note("it lists %s", sitesNote(check))
	} else {
		for _, w := range content.Warnings {
			a.warn("warning: %s", w)
		}
	}
	return a.index(ctx, e, content, doc)
}

// isOneSite tells whether an interface of the kind is one site itself.
func isOneSite(kind loader.Kind) bool {
	return kind != loader.KindTVBox && kind != loader.KindDepot
}

// kindTexts are the kinds of interfaces for people.
var kindTexts = map[loader.Kind]string{
	loader.KindBuiltin:   "the built-in interface",
	loader.KindTVBox:     "a TVBox config",
	loader.KindDepot:     "a depot of TVBox configs",
	loader.KindStremio:   "a Stremio add-on",
	loader.KindFolder:    "a folder",
	loader.KindWebDAV:    "a WebDAV server",
	loader.KindHTTPIndex: "an HTTP index",
	loader.KindJellyfin:  "a Jellyfin server",
	loader.KindEmby:      "an Emby server",
}

// kindText says what an interface is, and what it calls itself.
func kindText(c loader.Content) string {
	what := kindTexts[c.Kind]
	switch {
	case c.Kind == loader.KindFolder || c.Name == "" && c.Version == "":
		return what
	case c.Name == "" || c.Version == "":
		return fmt.Sprintf("%s (%s)", what, c.Name+c.Version)
	default:
		return fmt.Sprintf("%s (%s %s)", what, c.Name, c.Version)
	}
}

// sitesNote counts the sites of an interface, and says how many are of use.
func sitesNote(c engine.InterfaceCheck) string {
	total, usable := len(c.Result.Sites), c.Result.Usable
	note := text.Plural(total, "site")
	switch {
	case usable == 0:
		return note + ", of which xship can ask none: see xship interfaces check"
	case usable < total:
		return fmt.Sprintf("%s, of which xship can ask %d", note, usable)
	default:
		return note
	}
}

// index has the files of an interface indexed, and shows how far that is.
func (a *app) index(ctx context.Context, e *engine.Engine, content loader.Content, doc *api.InterfaceAdded) error {
	var seen atomic.Pointer[engine.IndexProgress]
	stop := a.live(ctx, func() []string {
		p := seen.Load()
		if p == nil {
			return nil
		}
		return []string{"indexing " + p.Site, text.Plural(p.Folders, "folder"), text.Plural(p.Files, "file")}
	})
	indexed, err := e.IndexInterface(ctx, content, func(p engine.IndexProgress) { seen.Store(&p) })
	stop()
	for _, i := range indexed {
		doc.Indexed += i.Root.Files
		a.noteIndex(i, len(content.Sites) > 1, err != nil)
	}
	return err
}

// noteIndex tells what the index of a site has, which is named where there are several;
// ended says that it was ended before all was seen.
func (a *app) noteIndex(i engine.SiteIndex, several, ended bool) {
	switch {
	case ended && i.Err != nil:
		a.note("the indexing of %s was ended: what was seen stays, and the next scan goes on with it", i.Site)
		return
	case i.Err != nil:
		a.warn("warning: %s could not be indexed: %s", i.Site, text.Clean(i.Err.Error()))
		return
	}
	note := fmt.Sprintf("indexed %s of films and series", text.Plural(i.Root.Files, "file"))
	if several {
		note = i.Site + ": " + note
	}
	if i.Root.Left != "" {
		note += "; left out: " + text.Clean(i.Root.Left)
	}
	a.note("%s", note)
}
