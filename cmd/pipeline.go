package cmd

import (
	"context"
	"os/exec"
	"path/filepath"
	"time"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/sourcecache"
	"xship/sources"
	"xship/sources/all"
	"xship/sources/fetch"
	"xship/sources/mediainfo"
	"xship/sources/release"
	"xship/sources/resolver/direct"
	"xship/sources/resolver/ytdlp"
	"xship/sources/site/t4"
)

// pipeline is the way from a title to streams that play, as the commands have
// it in common: the settings, the store, and what works on them.
type pipeline struct {
	app       *app
	settings  *config.Settings
	store     *sourcecache.DB
	network   *network
	loader    *loader.Loader
	sites     all.Deps
	providers *providers
	accounts  *sources.Accounts // nil: none
	streams   *sources.StreamResolve
	prober    sources.Prober
	listBy    time.Time // when the list of the last scan has to be there
	pages     bool      // whether links to web pages can be resolved
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
	interfaces, err := a.newLoader(store, net, settings.Interfaces)
	if err != nil {
		return nil, err
	}
	links := direct.New(net.Client, a.Now)
	services, err := a.openProviders(settings, store, net)
	if err != nil {
		return nil, err
	}
	accounts := services.resolving(a, settings, store, links.Check)
	pageResolver := ytdlpPath(settings.Resolve)
	return &pipeline{
		app: a, settings: settings, store: store, network: net, loader: interfaces,
		sites:     all.Deps{Fetch: net.Client, Exts: t4.NewExts(net.Client, settings.Interfaces.MaxAge, a.Now)},
		providers: services, accounts: accounts, pages: pageResolver != "" && !net.DeniesPrivate(),
		streams: &sources.StreamResolve{
			Resolvers: all.Resolvers(all.ResolverDeps{Fetch: net.Client, YTDLP: pageResolver, Now: a.Now}),
			Accounts:  accounts,
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

func (p *pipeline) close() {
	p.providers.close()
	p.network.CloseIdleConnections()
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
	caller   loader.Caller
	progress func(sources.ScanProgress) // told once more, with nothing, when the interface is loaded; nil = none
}

// scan loads the interface and asks its sites for a title, all of it within
// scan.timeout.
func (p *pipeline) scan(ctx context.Context, title sources.Title, req scanRequest) (sources.ScanResult, error) {
	started := p.app.Now()
	loaded, err := p.loader.Load(ctx, loader.Request{Ref: req.iface, Refresh: req.refresh, Limit: p.settings.Scan.Timeout, Caller: req.caller})
	if err != nil {
		return sources.ScanResult{}, refError(err)
	}
	p.listBy = started.Add(p.settings.Scan.Timeout + loaded.Waited)
	return p.scanLoaded(ctx, title, loaded, started, req)
}

// scanLoaded asks the sites of a loaded interface for a title, within what
// scan.timeout has left since started.
func (p *pipeline) scanLoaded(ctx context.Context, title sources.Title, loaded loader.Result, started time.Time, req scanRequest) (sources.ScanResult, error) {
	if req.progress != nil {
		req.progress(sources.ScanProgress{})
	}
	s := p.settings.Scan
	scanner := &sources.Scanner{
		Store: p.store, Now: p.app.Now, Logger: p.app.logger, Describe: release.Describe,
		Workers: s.Workers, Timeout: scanTime(s.Timeout, p.app.Now().Sub(started), loaded.Waited), SiteTimeout: s.SiteTimeout, CacheTTL: s.CacheTTL,
	}
	result, err := scanner.Scan(ctx, title, loaded.Interface, all.Sites(loaded.Sites, p.sites), sources.ScanOptions{
		Refresh: req.refresh, Progress: req.progress,
	})
	result.FailedOverFrom = loaded.FailedOverFrom
	return result, err
}

// scanShown is scan with its progress on stderr where a person is looking.
func (p *pipeline) scanShown(ctx context.Context, title sources.Title, req scanRequest) (sources.ScanResult, error) {
	update, stop := p.app.startProgress(ctx)
	defer stop()
	req.progress, req.caller = update, p.app.caller()
	return p.scan(ctx, title, req)
}

// listOptions are those of a list as the settings want it.
func (p *pipeline) listOptions() sources.ListOptions {
	s := p.settings.Scan
	return sources.ListOptions{Quality: sources.Quality(s.Quality), Languages: s.Languages, Limit: s.Limit, Now: p.app.Now()}
}

// watchNext puts the episode after t on the watchlist, where the settings want
// that. It is no part of the command's work: a store that fails is logged.
func (p *pipeline) watchNext(ctx context.Context, t sources.Title) {
	if !p.settings.Precache.NextEpisode || t.Kind != sources.KindEpisode {
		return
	}
	next := t.NextEpisode()
	if err := p.advance(context.WithoutCancel(ctx), t, next); err != nil {
		p.app.logger.Warn("the next episode could not be put on the watchlist", "title", next.String(), "error", err)
		return
	}
	p.app.logger.Debug("the next episode is on the watchlist", "title", next.String())
}

// advance moves the entries that the series of t has for an episode to come on
// to next, so that one is left. Where it has none, next is added.
func (p *pipeline) advance(ctx context.Context, t, next sources.Title) error {
	entries, err := p.store.Watchlist(ctx)
	if err != nil {
		return err
	}
	moved := false
	for _, e := range entries {
		if e.Origin != sources.WatchNext || !e.Title.SameSeries(t) || e.Title.ComesAfter(t) {
			continue
		}
		if _, _, err := p.moveOn(ctx, e, next, sources.WatchNext); err != nil {
			return err
		}
		moved = true
	}
	if !moved {
		_, _, err = p.store.AddWatch(ctx, next, sources.WatchNext)
	}
	return err
}
