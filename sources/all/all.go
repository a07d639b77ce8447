// Package all lists the sites that xship knows how to ask: it turns what an
// interface says into sites, by an explicit switch over their types.
package all

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/site/archive"
	"xship/sources/site/files"
	"xship/sources/site/folder"
	"xship/sources/site/httpindex"
	"xship/sources/site/jellyfin"
	"xship/sources/site/maccms"
	"xship/sources/site/openfilms"
	"xship/sources/site/stremio"
	"xship/sources/site/t4"
	"xship/sources/site/webdav"
	"xship/sources/text"
)

// typeSpider is what interfaces call sites that are code.
const typeSpider = "3"

// Deps are what sites need.
type Deps struct {
	Fetch *fetch.Client
	Exts  *t4.Exts       // shared by the sites of type 4; nil: each one for itself
	Files *files.Updates // of the indexes of folders and servers; nil: each ends with its search
	// Archive is shared by the sites of type archive, which keep its manners together; nil:
	// each one for itself.
	Archive *archive.Client

	Index   sources.Index    // of the user's own folders and servers; nil: they cannot be asked
	Answers sources.Answers  // of services for everybody; nil: nothing is kept
	Now     func() time.Time // nil: time.Now
	Logger  *slog.Logger     // nil: silent
}

// Sites makes a site of each spec, in order. A spec that cannot be served
// becomes a site whose Search says why, with ClassUnsupported.
func Sites(specs []sources.SiteSpec, d Deps) []sources.Site {
	sites := make([]sources.Site, len(specs))
	for i, spec := range specs {
		site, err := newSite(spec, d)
		if err != nil {
			site = unsupported{info: spec.SiteInfo, err: err}
		}
		sites[i] = site
	}
	return sites
}

// AskedTypes are the types of sites that xship can ask.
func AskedTypes() []string {
	return []string{
		maccms.TypeXML, maccms.Type, t4.Type,
		archive.Type, jellyfin.TypeEmby, folder.Type, httpindex.Type, jellyfin.Type, openfilms.Type, stremio.Type, webdav.Type,
	}
}

func newSite(spec sources.SiteSpec, d Deps) (sources.Site, error) {
	if spec.Unsupported != "" {
		return nil, sources.Errorf(sources.ClassUnsupported, "%s", text.Clean(spec.Unsupported))
	}
	switch spec.Type {
	case openfilms.Type:
		return openfilms.New(spec)
	case typeSpider:
		return nil, sources.Errorf(sources.ClassUnsupported, "type 3 spider %s: needs code execution", spider(spec.API))
	}
	if !spec.Searchable {
		return nil, sources.Errorf(sources.ClassUnsupported, "not searchable: the interface says so")
	}
	switch spec.Type {
	case maccms.Type, maccms.TypeXML:
		return maccms.New(spec, d.Fetch)
	case t4.Type:
		return t4.New(spec, d.Fetch, d.Exts)
	case folder.Type:
		return folder.New(spec, folder.Deps{Index: d.Index, Updates: d.Files, Now: d.Now, Logger: d.Logger})
	case stremio.Type:
		return stremio.New(spec, stremio.Deps{Fetch: d.Fetch, Answers: d.Answers, Now: d.Now, Logger: d.Logger})
	case archive.Type:
		client := d.Archive
		if client == nil {
			client = archive.NewClient(archive.Options{Fetch: d.Fetch, Answers: d.Answers, Now: d.Now, Logger: d.Logger})
		}
		return archive.New(spec, client)
	case jellyfin.Type, jellyfin.TypeEmby:
		return jellyfin.New(spec, d.Fetch)
	case httpindex.Type:
		return httpindex.New(spec, d.Fetch, d.files())
	case webdav.Type:
		return webdav.New(spec, d.Fetch, d.files())
	default:
		return nil, sources.Errorf(sources.ClassUnsupported, "site type %q is not known", text.Clean(spec.Type))
	}
}

func (d Deps) files() files.Options {
	return files.Options{Index: d.Index, Updates: d.Files, Now: d.Now, Logger: d.Logger}
}

// spider names the code that a site of type 3 wants to run.
func spider(api string) string {
	if strings.Contains(api, "/") {
		return link.Redact(api)
	}
	return text.Clean(api)
}

// unsupported is a site that cannot be asked.
type unsupported struct {
	info sources.SiteInfo
	err  error
}

func (u unsupported) Info() sources.SiteInfo { return u.info }

func (u unsupported) Search(context.Context, sources.Title, func(sources.Source)) error { return u.err }
