package all

import (
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/resolver/direct"
	"xship/sources/resolver/ytdlp"
)

// ResolverDeps are what resolvers need.
type ResolverDeps struct {
	Fetch *fetch.Client
	YTDLP string           // path of yt-dlp, "" = do without; see ytdlp.Find
	Now   func() time.Time // nil: time.Now
}

// Resolvers lists the resolvers in the order in which they are asked. yt-dlp
// dials by itself, so that it is left out where private addresses are refused.
func Resolvers(d ResolverDeps) []sources.Resolver {
	media := direct.New(d.Fetch, d.Now)
	if d.YTDLP == "" || d.Fetch.DeniesPrivate() {
		return []sources.Resolver{media}
	}
	return []sources.Resolver{ytdlp.New(ytdlp.Options{Path: d.YTDLP, Check: media.Check, Now: d.Now, Proxy: d.Fetch.ProxyOf}), media}
}
