package loader

import (
	"context"

	"xship/config/vod"
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/site/archive"
	"xship/sources/site/openfilms"
)

// Kind is what an interface was recognised as. Those of one site are called as the type
// of that site is.
type Kind string

// The kinds.
const (
	KindBuiltin   Kind = "builtin"
	KindTVBox     Kind = "tvbox"     // a TVBox config
	KindDepot     Kind = "depot"     // a list of TVBox configs
	KindStremio   Kind = "stremio"   // a Stremio add-on
	KindFolder    Kind = "folder"    // a folder of this machine
	KindWebDAV    Kind = "webdav"    // a WebDAV server, or a folder there
	KindHTTPIndex Kind = "httpindex" // a web page that lists files
	KindJellyfin  Kind = "jellyfin"
	KindEmby      Kind = "emby"
)

// Content is what an interface brings, whatever its format. Those who loaded it
// share it, so nobody changes it.
type Content struct {
	Kind     Kind
	Name     string // what it calls itself, cleaned, "" where it does not
	Version  string // of what it is, cleaned, "" where it does not tell
	Sites    []sources.SiteSpec
	Usable   int            // of Sites, that can be asked
	Types    map[string]int // Sites by type
	Depot    string         // where the interface lists others, the URL of the one that was loaded; else ""
	Warnings []string       // what is wrong with it, for people
}

// format reads interfaces that are told from others by their addresses.
type format interface {
	// recognises tells whether an interface is of this format.
	recognises(url string) bool
	// load reads the interface at url. Its error is a *vod.Error or that of ctx.
	load(ctx context.Context, url string, a access) (*loaded, error)
}

// access is how a format gets at an interface.
type access struct {
	vod.LoadOptions
	// get gives what a web address answers: as it is stored, or by a request.
	get vod.FetchFunc
	// known is what the interface was recognised as by an earlier load, nil where that is
	// not to be used or not known.
	known *mark
	// call makes other requests, all at once, and gives their outcomes in order. It is nil
	// where no request may be made, and what is known counts.
	call func(ctx context.Context, requests ...fetch.Request) []outcome
	// explore allows to look for what it is, by requests beside the one for a config.
	explore bool
	folders *folders
}

// outcome is how a request ended.
type outcome struct {
	resp *fetch.Response
	err  error
}

// loaded is an interface as its format read it.
type loaded struct {
	Content
	documents []vod.Document // that led to it, worth keeping
	mark      *mark          // what it was recognised as, worth keeping; nil: its documents tell
	trusted   []string       // addresses that the operator named in it
}

// formats are all formats. The first one that recognises an interface reads it; the
// last one recognises all.
func (o *Options) formats() []format {
	return []format{builtin{archive: o.Archive}, local{}, web{}}
}

// formatOf is the format of the interface at url.
func (o *Options) formatOf(url string) format {
	for _, f := range o.formats() {
		if f.recognises(url) {
			return f
		}
	}
	return web{}
}

// builtin is the interface that xship brings along: the open films, and beside them the
// Internet Archive at an address, "" = without it.
type builtin struct{ archive string }

func (builtin) recognises(url string) bool { return url == openfilms.InterfaceURL }

func (b builtin) load(context.Context, string, access) (*loaded, error) {
	l := oneSite(KindBuiltin, openfilms.InterfaceName, openfilms.Spec())
	if b.archive != "" {
		l.Sites = append(l.Sites, archive.Spec(b.archive))
		l.Types[archive.Type] = 1
		if b.archive != archive.DefaultURL { // that one nobody named
			l.trusted = []string{b.archive}
		}
	}
	l.Usable = len(l.Sites)
	return l, nil
}

// Builtin is the interface in use while the user has added none. It is no candidate
// of failover, and no part of the list or its order.
func Builtin() sources.Interface {
	return sources.Interface{URL: openfilms.InterfaceURL, Name: openfilms.InterfaceName}
}

// IsBuiltin tells whether url is that of the built-in interface.
func IsBuiltin(url string) bool { return builtin{}.recognises(url) }

// oneSite is an interface that is one site itself.
func oneSite(kind Kind, name string, spec sources.SiteSpec) *loaded {
	l := &loaded{Content: Content{Kind: kind, Name: name, Sites: []sources.SiteSpec{spec}, Types: map[string]int{spec.Type: 1}}}
	if spec.Unsupported == "" {
		l.Usable = 1
	} else {
		l.Warnings = []string{"it cannot be asked: " + spec.Unsupported}
	}
	return l
}

// ownSite is the site that an interface of the user's is itself.
func ownSite(kind Kind, name, api string) sources.SiteSpec {
	return sources.SiteSpec{
		SiteInfo: sources.SiteInfo{Key: string(kind), Name: name, Type: string(kind)}, API: api, Searchable: true, Trusted: true,
	}
}
