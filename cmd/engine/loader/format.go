package loader

import (
	"context"
	"strings"

	"xship/config/vod"
	"xship/sources"
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

// format is a kind of interface: how it is told from others, and how it is read.
type format interface {
	// recognises tells by its address whether an interface is of this format.
	recognises(url string) bool
	// load reads the interface at url, and gets what stands at web addresses through
	// get alone. Its error is a *vod.Error or that of ctx.
	load(ctx context.Context, url string, get vod.FetchFunc, o vod.LoadOptions) (*loaded, error)
}

// loaded is an interface as its format read it.
type loaded struct {
	Content
	documents []vod.Document // that led to it, worth keeping
	trusted   []string       // addresses that the operator named in it
}

// formats are all formats. The first one that recognises an interface reads it; the
// last one recognises all.
func (o *Options) formats() []format { return []format{builtin{archive: o.Archive}, tvbox{}} }

// formatOf is the format of the interface at url.
func (o *Options) formatOf(url string) format {
	for _, f := range o.formats() {
		if f.recognises(url) {
			return f
		}
	}
	return tvbox{}
}

// builtin is the interface that xship brings along: the open films, and beside them the
// Internet Archive at an address, "" = without it.
type builtin struct{ archive string }

func (builtin) recognises(url string) bool { return url == openfilms.InterfaceURL }

func (b builtin) load(context.Context, string, vod.FetchFunc, vod.LoadOptions) (*loaded, error) {
	l := &loaded{Content: Content{Kind: KindBuiltin, Name: openfilms.InterfaceName, Sites: []sources.SiteSpec{openfilms.Spec()}, Types: map[string]int{openfilms.Type: 1}}}
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

// tvbox are TVBox configs, and depots, which list such configs.
type tvbox struct{}

func (tvbox) recognises(string) bool { return true }

func (tvbox) load(ctx context.Context, url string, get vod.FetchFunc, o vod.LoadOptions) (*loaded, error) {
	cfg, err := vod.Load(ctx, url, get, o)
	if err != nil {
		return nil, err
	}
	l := &loaded{
		Content:   Content{Kind: KindTVBox, Sites: make([]sources.SiteSpec, 0, len(cfg.Sites)), Usable: cfg.Usable(), Types: cfg.Count()},
		documents: cfg.Documents,
	}
	if cfg.Depot != "" {
		l.Kind, l.Depot = KindDepot, cfg.URL
	}
	for _, w := range cfg.Warnings {
		l.Warnings = append(l.Warnings, w.String())
	}
	local := strings.HasPrefix(cfg.URL, "file://") // a remote config is not the operator's, whoever lists it
	for _, s := range cfg.Sites {
		l.Sites = append(l.Sites, sources.SiteSpec{
			SiteInfo: sources.SiteInfo{
				Key: s.Key, Name: s.Name, Type: s.Type, Timeout: s.Timeout, Offline: s.Type == openfilms.Type || s.Type == string(KindFolder),
			},
			API:         s.API,
			Ext:         s.Ext,
			Headers:     s.Headers,
			Categories:  s.Categories,
			PlayURL:     s.PlayURL,
			Searchable:  s.Searchable,
			Trusted:     local,
			Unsupported: s.Unsupported,
		})
		if local {
			l.trusted = append(l.trusted, s.API, s.Ext)
		}
	}
	return l, nil
}
