package loader

import (
	"strings"

	"xship/config/vod"
	"xship/sources"
	"xship/sources/site/openfilms"
	"xship/sources/site/stremio"
)

// configContent is what a TVBox config brings, and a depot that led to it.
func configContent(cfg *vod.Config) *loaded {
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
		if address, _ := stremio.ManifestURL(s.API); s.Type == stremio.Type && s.Unsupported == "" {
			s.API = address
		}
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
	return l
}
