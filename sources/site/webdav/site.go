package webdav

import (
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/files"
)

// Type is what interfaces call these sites.
const Type = "webdav"

// New makes the site that spec describes: API is the address of a folder. Of o count what
// sites share: Index, Updates, Now and Logger. The errors are of ClassUnsupported.
func New(spec sources.SiteSpec, client *fetch.Client, o files.Options) (sources.Site, error) {
	if spec.Type != Type {
		return nil, sources.Errorf(sources.ClassUnsupported, "site type %q is not a WebDAV server (type %s)", spec.Type, Type)
	}
	if o.Index == nil {
		return nil, sources.Errorf(sources.ClassUnsupported, "a WebDAV server needs a database")
	}
	t, err := newTree(spec, client, o.Now)
	if err != nil {
		return nil, err
	}
	return files.NewSite(spec.SiteInfo, t, o.Bounded(spec)), nil
}
