package cmd

import (
	"context"
	"os/exec"
	"path/filepath"
	"slices"

	"xship/config"
	"xship/sourcecache"
	"xship/sources"
	"xship/sources/all"
	"xship/sources/direct"
	"xship/sources/fetch"
	"xship/sources/mediainfo"
	"xship/sources/release"
	"xship/sources/ytdlp"
)

// pipeline is the way from a title to streams that play, as the commands have
// it in common: the settings, the store, and what works on them.
type pipeline struct {
	app      *app
	settings *config.Settings
	store    *sourcecache.DB
	network  *network
	streams  *sources.StreamResolve
	prober   sources.Prober
	pages    bool // whether links to web pages can be resolved
}

// openPipeline opens what the pipeline needs; overrides are settings that flags
// gave, by key.
func (a *app) openPipeline(ctx context.Context, overrides map[string]any) (*pipeline, error) {
	settings, err := a.settings(overrides)
	if err != nil {
		return nil, err
	}
	store, err := a.openStoreFor(ctx, settings)
	if err != nil {
		return nil, err
	}
	net := newNetwork(settings)
	links := direct.New(net.Client, a.Now)
	pageResolver := ytdlpPath(settings.Resolve)
	return &pipeline{
		app: a, settings: settings, store: store, network: net, pages: pageResolver != "" && !net.DeniesPrivate(),
		streams: &sources.StreamResolve{
			Resolvers: all.Resolvers(all.ResolverDeps{Fetch: net.Client, YTDLP: pageResolver, Now: a.Now}),
			Attempts:  &sources.Attempts{Store: store, Check: links.CheckLink, Logger: a.logger},
			Streams:   store,
			Check:     links.Check,
			Now:       a.Now,
			Logger:    a.logger,
			TTL:       settings.Precache.StreamTTL,
		},
		prober: mediainfo.New(mediainfo.Options{Range: readRange(net.Client), Now: a.Now, FFprobe: onPath("ffprobe"), Logger: a.logger}),
	}, nil
}

func (p *pipeline) close() { p.network.CloseIdleConnections() }

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
			data, size, err := direct.ReadFile(url, off, n)
			return mediainfo.Part{Data: data, Off: off, Total: size, Partial: true, FinalURL: url}, err
		}
		part, err := client.GetRange(ctx, fetch.Request{URL: url, Headers: headers}, off, n)
		if err != nil {
			return mediainfo.Part{}, err
		}
		return mediainfo.Part{
			Data: part.Data, Off: part.Off, Total: part.Total, Partial: part.Partial, ContentType: part.ContentType, FinalURL: part.FinalURL,
		}, nil
	}
}

// scanRequest says how one title is scanned.
type scanRequest struct {
	iface    string // URL, path or name of the interface, "" = the one in use
	refresh  bool
	progress func(sources.ScanProgress) // nil = none
}

// scan loads the interface and asks its sites for a title.
func (p *pipeline) scan(ctx context.Context, title sources.Title, req scanRequest) (sources.ScanResult, error) {
	iface, err := activeInterface(ctx, p.store, req.iface)
	if err != nil {
		return sources.ScanResult{}, err
	}
	specs, err := p.app.newLoader(p.store, p.network, p.settings.Interfaces).load(ctx, iface.URL, req.refresh)
	if err != nil {
		return sources.ScanResult{}, err
	}
	s := p.settings.Scan
	scanner := &sources.Scanner{
		Store: p.store, Now: p.app.Now, Logger: p.app.logger, Describe: release.Describe,
		Workers: s.Workers, Timeout: s.Timeout, SiteTimeout: s.SiteTimeout, CacheTTL: s.CacheTTL,
	}
	return scanner.Scan(ctx, title, iface, all.Sites(specs, all.Deps{Fetch: p.network.Client}), sources.ScanOptions{
		Refresh: req.refresh, Progress: req.progress,
	})
}

// scanShown is scan with its progress on stderr where a person is looking.
func (p *pipeline) scanShown(ctx context.Context, title sources.Title, req scanRequest) (sources.ScanResult, error) {
	update, stop := p.app.startProgress(ctx)
	defer stop()
	req.progress = update
	return p.scan(ctx, title, req)
}

// listOptions are those of a list as the settings want it.
func (p *pipeline) listOptions() sources.ListOptions {
	s := p.settings.Scan
	return sources.ListOptions{Quality: sources.Quality(s.Quality), Languages: s.Languages, Limit: s.Limit, Now: p.app.Now()}
}

// watchNext puts the episode after t on the watchlist, where the settings want
// that and there is one. It is no part of the command's work: a store that
// fails is logged.
func (p *pipeline) watchNext(ctx context.Context, t sources.Title) {
	if !p.settings.Precache.NextEpisode || t.Kind != sources.KindEpisode {
		return
	}
	next := episodeAfter(t)
	_, added, err := p.store.AddWatch(context.WithoutCancel(ctx), next, sources.WatchNext)
	switch {
	case err != nil:
		p.app.logger.Warn("the next episode could not be put on the watchlist", "title", next.String(), "error", err)
	case added:
		p.app.logger.Debug("the next episode is on the watchlist", "title", next.String())
	}
}

// episodeAfter is the episode after t in its season.
func episodeAfter(t sources.Title) sources.Title {
	t.Aliases = slices.Clone(t.Aliases)
	t.Episode++
	return t
}
