package engine

import (
	"context"
	"os/exec"
	"path/filepath"

	"xship/config"
	"xship/sources"
	"xship/sources/all"
	"xship/sources/fetch"
	"xship/sources/mediainfo"
	"xship/sources/resolver/direct"
	"xship/sources/resolver/ytdlp"
	"xship/sources/site/archive"
	"xship/sources/site/files"
	"xship/sources/site/t4"
)

// resolving is what turns sources into streams and reads what these hold.
type resolving struct {
	sites    all.Deps
	accounts *sources.Accounts // nil: none
	streams  *sources.StreamResolve
	prober   sources.Prober
	pages    bool // links to web pages can be resolved without an account
}

func (e *Engine) openResolving() (*resolving, error) {
	links := direct.New(e.network.Client, e.cfg.Now)
	accounts, err := e.accountsForLinks(links.Check)
	if err != nil {
		return nil, err
	}
	prober := mediainfo.New(mediainfo.Options{Range: readRange(e.network.Client), Now: e.cfg.Now, FFprobe: onPath("ffprobe"), Logger: e.cfg.Logger})
	pageResolver := ytdlpPath(e.cfg.Settings.Resolve)
	updates := files.NewUpdates()
	e.closeLater(updates)
	return &resolving{
		sites: all.Deps{
			Fetch: e.network.Client, Exts: t4.NewExts(e.network.Client, e.cfg.Settings.Interfaces.MaxAge, e.cfg.Now), Archive: e.archiveClient(),
			Files: updates, Index: e.cfg.Store, Answers: e.answers(), Now: e.cfg.Now, Logger: e.cfg.Logger,
		},
		accounts: accounts,
		pages:    pageResolver != "" && !e.network.DeniesPrivate(),
		streams: &sources.StreamResolve{
			Resolvers: all.Resolvers(all.ResolverDeps{Fetch: e.network.Client, YTDLP: pageResolver, Now: e.cfg.Now}),
			Accounts:  accounts,
			Attempts: &sources.Attempts{
				Store: &holding{HosterStore: e.cfg.Store, now: e.cfg.Now}, Books: e.books, Check: links.CheckLink,
				Observer: e.observer, Now: e.cfg.Now, Logger: e.cfg.Logger,
			},
			Streams:  e.cfg.Store,
			Books:    e.books,
			Check:    links.Check,
			Manifest: prober.Check,
			Now:      e.cfg.Now,
			Logger:   e.cfg.Logger,
			TTL:      e.cfg.Settings.Precache.StreamTTL,

			OwnContext: func(ctx context.Context, src sources.Source) context.Context { return fetch.WithLoginsOf(ctx, src.URL) },
		},
		prober: prober,
	}, nil
}

// archiveClient asks the Internet Archive, for all sites that are it.
func (e *Engine) archiveClient() *archive.Client {
	return archive.NewClient(archive.Options{
		Fetch: e.network.Client, Answers: e.answers(), Now: e.cfg.Now, Logger: e.cfg.Logger,
		Agent: e.cfg.Agent, Region: archive.Region(e.cfg.Settings.Archive.RightsRegion),
		Announce: func(ctx context.Context) {
			e.noticeOnce(ctx, archive.Type, "asking the Internet Archive too; archive.enabled: false turns that off")
		},
	})
}

// ytdlpPath is the yt-dlp that the settings mean, "" where there is none.
func ytdlpPath(s config.Resolve) string {
	if s.YTDLP == "off" {
		return ""
	}
	return ytdlp.Find(s.YTDLP)
}

// onPath is the path of a program, "" where it is not installed.
func onPath(program string) string {
	path, err := exec.LookPath(program)
	if err != nil {
		return ""
	}
	return path
}

// readRange reads streams for a prober: over HTTP, or files of this machine.
func readRange(client *fetch.Client) mediainfo.RangeFunc {
	return func(ctx context.Context, url string, headers map[string]string, off, n int64) (mediainfo.Part, error) {
		if filepath.IsAbs(url) {
			data, size, err := direct.ReadFile(ctx, url, off, n)
			return mediainfo.Part{Data: data, Off: off, Total: size, Partial: true, FinalURL: url}, err
		}
		part, err := client.GetRange(ctx, fetch.Request{URL: url, Headers: headers}, off, n)
		if err != nil {
			return mediainfo.Part{}, err
		}
		return mediainfo.Part{
			Data: part.Data, Off: part.Off, Total: part.Total, Partial: part.Partial, Header: part.Header, FinalURL: part.FinalURL,
			Cookie: part.Cookie,
		}, nil
	}
}
