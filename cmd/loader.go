package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"xship/config"
	"xship/config/vod"
	"xship/sourcecache"
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/openfilms"
)

// loader turns the URL of an interface into its sites. It joins the store,
// which keeps loaded configs, with the client that fetches them.
type loader struct {
	store   *sourcecache.DB
	network *network
	now     func() time.Time
	logger  *slog.Logger
	timeout time.Duration // of one load
	maxAge  time.Duration // how long a loaded config is used without asking
}

func (a *app) newLoader(store *sourcecache.DB, net *network, s config.Interfaces) *loader {
	return &loader{store: store, network: net, now: a.Now, logger: a.logger, timeout: s.Timeout, maxAge: s.MaxAge}
}

// load gives the sites of an interface, from a config loaded less than maxAge
// ago unless refresh is set. Why it could not is a *vod.Error. The interface,
// and the sites that a file of the operator's names, may be on private addresses.
func (l *loader) load(ctx context.Context, url string, refresh bool) ([]sources.SiteSpec, error) {
	l.network.operator.add(url)
	specs, err := l.specs(ctx, url, refresh)
	if !isURL(url) {
		for _, spec := range specs {
			l.network.operator.add(spec.API)
		}
	}
	return specs, err
}

func (l *loader) specs(ctx context.Context, url string, refresh bool) ([]sources.SiteSpec, error) {
	if url == openfilms.InterfaceURL {
		return []sources.SiteSpec{openfilms.Spec()}, nil
	}
	if !refresh {
		if cfg := l.cached(ctx, url); cfg != nil {
			return siteSpecs(cfg), nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	var doc vod.Document
	cfg, err := vod.Load(ctx, url, func(ctx context.Context, url string) (vod.Document, error) {
		var err error
		doc, err = l.get(ctx, url)
		return doc, err
	})
	if errors.Is(err, context.Canceled) {
		return nil, fmt.Errorf("load interface %s: %w", redactInterface(url), context.Canceled)
	}
	err = redactLoadError(err)
	l.record(context.WithoutCancel(ctx), url, doc, err)
	if err != nil {
		return nil, err
	}
	for _, w := range cfg.Warnings {
		l.logger.Debug("the interface has a flaw", "interface", redactInterface(url), "flaw", w.String())
	}
	return siteSpecs(cfg), nil
}

// cached gives the stored config of a web address where it is young enough. A
// config from the future is old.
func (l *loader) cached(ctx context.Context, url string) *vod.Config {
	stored, err := l.store.CachedConfig(ctx, url)
	if err != nil {
		l.logger.Warn("the stored config could not be read", "interface", redactInterface(url), "error", err)
	}
	if stored == nil {
		return nil
	}
	if age := l.now().Sub(stored.FetchedAt); age < 0 || age >= l.maxAge {
		return nil
	}
	cfg, err := vod.Decode(vod.Document{Body: stored.Body, FinalURL: stored.FinalURL, ContentType: stored.ContentType})
	if err != nil { // stored by a version that read it otherwise
		return nil
	}
	return cfg
}

// record stores how a load went. A file (doc is empty) is read each time, so
// that what the user edits counts at once.
func (l *loader) record(ctx context.Context, url string, doc vod.Document, loadErr error) {
	failed := ""
	if loadErr != nil {
		failed = loadErr.Error()
		if cause, ok := errors.AsType[*vod.Error](loadErr); ok {
			failed = cause.Detail
		}
	}
	err := l.store.RecordInterfaceLoad(ctx, url, l.now(), failed)
	if loadErr == nil && doc.Body != nil {
		err = errors.Join(err, l.store.PutConfig(ctx, url, sourcecache.CachedConfig{
			Body: doc.Body, FinalURL: doc.FinalURL, ContentType: doc.ContentType, FetchedAt: l.now(),
		}))
	}
	if err != nil {
		l.logger.Warn("the load could not be recorded", "interface", redactInterface(url), "error", err)
	}
}

// get is the vod.FetchFunc of the program.
func (l *loader) get(ctx context.Context, url string) (vod.Document, error) {
	resp, err := l.network.Get(ctx, fetch.Request{URL: url, MaxBody: vod.MaxBody})
	if failed, ok := errors.AsType[*fetch.Error](err); ok {
		return vod.Document{}, loadError{failed}
	}
	if err != nil {
		return vod.Document{}, err
	}
	return vod.Document{Body: resp.Body, FinalURL: resp.FinalURL, ContentType: resp.Header.Get("Content-Type")}, nil
}

// loadError tells vod.Load what it wants to know of an error of fetch.
type loadError struct{ err *fetch.Error }

func (e loadError) Error() string   { return e.err.Error() }
func (e loadError) Unwrap() error   { return e.err }
func (e loadError) Timeout() bool   { return e.err.Timeout() }
func (e loadError) HTTPStatus() int { return e.err.Status }
func (e loadError) TooLarge() bool  { return e.err.Reason == fetch.ReasonTooLarge }

// siteSpecs gives the sites of a config as the sites' own packages want them.
func siteSpecs(cfg *vod.Config) []sources.SiteSpec {
	specs := make([]sources.SiteSpec, 0, len(cfg.Sites))
	for _, s := range cfg.Sites {
		specs = append(specs, sources.SiteSpec{
			SiteInfo:   sources.SiteInfo{Key: s.Key, Name: s.Name, Type: s.Type, Timeout: s.Timeout},
			API:        s.API,
			Ext:        s.Ext,
			Headers:    s.Headers,
			Categories: s.Categories,
			PlayURL:    s.PlayURL,
			Searchable: s.Searchable,
		})
	}
	return specs
}

// redactInterface is the URL of an interface for listings, logs and errors: what
// sources.RedactURL leaves of it, without the values of its parameters. There
// any parameter may be a token, whatever its name.
func redactInterface(rawURL string) string {
	head, query, ok := strings.Cut(sources.RedactURL(rawURL), "?")
	if !ok {
		return head
	}
	params := strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' })
	for i, param := range params {
		switch name, value, ok := strings.Cut(param, "="); {
		case !ok:
			params[i] = sources.Redacted
		case value != "":
			params[i] = name + "=" + sources.Redacted
		}
	}
	return head + "?" + strings.Join(params, "&")
}

// redactLoadError is err with the URLs in its texts as redactInterface shows
// them.
func redactLoadError(err error) error {
	failed, ok := errors.AsType[*vod.Error](err)
	if !ok {
		return err
	}
	shown := *failed
	for _, text := range []*string{&shown.URL, &shown.FinalURL, &shown.Detail, &shown.Hint} {
		*text = redactInterfacesIn(*text)
	}
	return &shown
}

// redactInterfacesIn redacts the URLs in a text.
func redactInterfacesIn(text string) string {
	words := strings.SplitAfter(text, " ")
	for i, word := range words {
		start := strings.Index(word, "://")
		if start < 0 {
			continue
		}
		start = strings.LastIndexAny(word[:start], "\"'(<") + 1
		end := len(strings.TrimRight(word, " \"')>,;:.…"))
		words[i] = word[:start] + redactInterface(word[start:end]) + word[end:]
	}
	return strings.Join(words, "")
}

// isURL tells a URL from a name and a path.
func isURL(ref string) bool {
	return ref == openfilms.InterfaceURL || strings.Contains(ref, "://")
}

// interfaceURL is what a URL or a path is stored as: paths are absolute.
func interfaceURL(ref string) (string, error) {
	ref = strings.TrimSpace(ref)
	if ref == "" {
		return "", usagef("an interface needs a URL or a path")
	}
	if isURL(ref) {
		return ref, nil
	}
	path, err := filepath.Abs(ref)
	if err != nil {
		return "", fmt.Errorf("make the path %q absolute: %w", ref, err)
	}
	return path, nil
}

// findInterface finds the interface that the user named by URL, name or path,
// in this order.
func findInterface(rows []sourcecache.InterfaceRow, ref string) (sourcecache.InterfaceRow, bool) {
	ref = strings.TrimSpace(ref)
	matches := []func(sourcecache.InterfaceRow) bool{
		func(r sourcecache.InterfaceRow) bool { return r.URL == ref },
		func(r sourcecache.InterfaceRow) bool { return r.Name != "" && r.Name == ref },
		func(r sourcecache.InterfaceRow) bool { return r.Name != "" && strings.EqualFold(r.Name, ref) },
	}
	if path, err := filepath.Abs(ref); err == nil && !isURL(ref) {
		matches = append(matches, func(r sourcecache.InterfaceRow) bool { return r.URL == path })
	}
	for _, match := range matches {
		if i := slices.IndexFunc(rows, match); i >= 0 {
			return rows[i], true
		}
	}
	return sourcecache.InterfaceRow{}, false
}

// builtinInterface is in use while the user has added none.
func builtinInterface() sourcecache.InterfaceRow {
	return sourcecache.InterfaceRow{URL: openfilms.InterfaceURL, Name: openfilms.InterfaceName}
}

// listedInterfaces gives all interfaces in order, and the one in use: that which
// was chosen, else the first. Where the user has added none, both are the
// built-in one.
func listedInterfaces(ctx context.Context, store *sourcecache.DB) (rows []sourcecache.InterfaceRow, current sourcecache.InterfaceRow, err error) {
	rows, err = store.Interfaces(ctx)
	if err != nil {
		return nil, current, err
	}
	if len(rows) == 0 {
		rows = []sourcecache.InterfaceRow{builtinInterface()}
		return rows, rows[0], nil
	}
	chosen, err := store.CurrentInterface(ctx)
	if err != nil {
		return nil, current, err
	}
	i := max(0, slices.IndexFunc(rows, func(r sourcecache.InterfaceRow) bool { return r.URL == chosen }))
	return rows, rows[i], nil
}

// activeInterface is the interface for one run: the one that ref names by URL,
// name or path, else the one in use.
func activeInterface(ctx context.Context, store *sourcecache.DB, ref string) (sources.Interface, error) {
	rows, row, err := listedInterfaces(ctx, store)
	if err != nil {
		return sources.Interface{}, err
	}
	if ref != "" {
		var listed bool
		if row, listed = findInterface(append(rows, builtinInterface()), ref); !listed {
			if row.URL, err = interfaceURL(ref); err != nil {
				return sources.Interface{}, err
			}
		}
	}
	return sources.Interface{URL: row.URL, Name: row.Name}, nil
}
