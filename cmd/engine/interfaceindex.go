package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"xship/cmd/engine/loader"
	"xship/sources"
	"xship/sources/all"
	"xship/sources/link"
	"xship/sources/text"
)

// IndexProgress tells how far the indexing of a site has come.
type IndexProgress struct {
	Site           string // its name
	Folders, Files int    // seen so far
}

// SiteIndex tells what the index of a site has.
type SiteIndex struct {
	Site string // its name
	Root sources.IndexedRoot
	Err  error // why not all of it could be indexed; nil: all was
}

// IndexInterface brings the indexes up to date that the user's own folders and servers
// answer from, among the sites of an interface. progress is told of it by the goroutine
// that called; nil: nobody. The error is that of ctx; what was seen before stays indexed.
func (e *Engine) IndexInterface(ctx context.Context, content loader.Content, progress func(IndexProgress)) ([]SiteIndex, error) {
	own := slices.DeleteFunc(slices.Clone(content.Sites), func(s sources.SiteSpec) bool {
		return !s.Trusted || s.Unsupported != "" || !s.Searchable
	})
	if len(own) == 0 {
		return nil, nil
	}
	resolving, err := e.resolving.get()
	if err != nil {
		return nil, err
	}
	return indexSites(ctx, all.Sites(own, resolving.sites), progress)
}

// indexSites indexes those of sites that have an index, one after the other.
func indexSites(ctx context.Context, sites []sources.Site, progress func(IndexProgress)) ([]SiteIndex, error) {
	var indexed []SiteIndex
	for _, site := range sites {
		indexer, ok := site.(sources.Indexer)
		if !ok {
			continue
		}
		i := SiteIndex{Site: site.Info().Name}
		i.Root, i.Err = indexer.UpdateIndex(ctx, func(folders, files int) {
			if progress != nil {
				progress(IndexProgress{Site: i.Site, Folders: folders, Files: files})
			}
		})
		indexed = append(indexed, i)
		if err := ctx.Err(); err != nil {
			return indexed, err
		}
	}
	return indexed, nil
}

// NameInterface gives an interface of the list that has no name the one that it gives
// itself, where that is short, no path, and free, and tells how it is called then. TVBox
// configs have none.
func (e *Engine) NameInterface(ctx context.Context, row sources.Interface, content loader.Content) (sources.Interface, error) {
	const longest = 60 // characters of a name that people type
	if row.Name != "" || content.Name == "" || text.Clip(content.Name, longest) != content.Name || strings.ContainsAny(content.Name, `/\`) {
		return row, nil
	}
	listed, err := e.cfg.Store.Interfaces(ctx)
	if err != nil {
		return row, err
	}
	name, err := newInterfaceNames(listed).take(row.URL, content.Name)
	if _, refused := errors.AsType[*RequestError](err); refused || name == "" {
		return row, nil // it stays without a name
	}
	if err != nil {
		return row, err
	}
	if _, err := e.cfg.Store.AddInterface(ctx, row.URL, name); err != nil {
		return row, err
	}
	row.Name = name
	return row, nil
}

// rootsOf names the indexes that the folders and servers of an interface answer from, as
// far as is known without a request. Of a path that cannot be loaded any more it is the
// one of the folder that may have been there.
func (e *Engine) rootsOf(ctx context.Context, interfaces *loader.Loader, url string) []string {
	content := interfaces.Known(ctx, url)
	if content.Kind == "" && !loader.IsURL(url) {
		content.Sites = []sources.SiteSpec{{SiteInfo: sources.SiteInfo{Type: string(loader.KindFolder)}, API: url, Searchable: true, Trusted: true}}
	}
	var roots []string
	for _, site := range all.Sites(content.Sites, all.Deps{Fetch: e.network.Client, Index: e.cfg.Store}) { // which nobody asks
		if indexer, ok := site.(sources.Indexer); ok {
			roots = append(roots, indexer.Root())
		}
	}
	return roots
}

// unusedIndexes finds the indexes that an interface answers from, before it is removed or
// changed; forget removes those that no interface answers from then. Nobody waits for
// that to go well: what is left of an index that is not used goes with time.
func (e *Engine) unusedIndexes(ctx context.Context, interfaces *loader.Loader, url string) (forget func()) {
	before := e.rootsOf(ctx, interfaces, url)
	if len(before) == 0 {
		return func() {}
	}
	return func() {
		rows, err := e.cfg.Store.Interfaces(ctx)
		for _, row := range rows {
			used := e.rootsOf(ctx, interfaces, row.URL)
			before = slices.DeleteFunc(before, func(root string) bool { return slices.Contains(used, root) })
		}
		for _, root := range before {
			if err == nil {
				err = e.forgetIndex(ctx, root)
			}
		}
		if err != nil && ctx.Err() == nil {
			e.cfg.Logger.Warn("indexes that are not used any more could not be removed", "interface", link.RedactInterface(url), "error", err)
		}
	}
}

// forgetTime is how long a user waits for the removal of an index. What is left of a large
// one is no longer found, and goes with what is old.
const forgetTime = time.Second

func (e *Engine) forgetIndex(ctx context.Context, root string) error {
	bounded, cancel := context.WithTimeout(ctx, forgetTime)
	defer cancel()
	err := e.cfg.Store.ForgetRoot(bounded, root)
	if bounded.Err() != nil && ctx.Err() == nil {
		return nil
	}
	return err
}
