package stremio

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/text"
)

// Bounds of what is asked.
const (
	maxManifest = 8 << 20 // as much as an interface may have
	maxStreams  = 32 << 20
	maxMeta     = 4 << 20
	// manifestAge is how old a manifest may be before it is asked for again.
	manifestAge = 12 * time.Hour
	// manifestWait is how long a search waits for another one in the place of an old one, at
	// most half of its time.
	manifestWait = 2 * time.Second
)

// Deps are what a site needs.
type Deps struct {
	Fetch   *fetch.Client
	Answers sources.Answers  // keeps manifests; nil: each site for itself
	Now     func() time.Time // nil: time.Now
	Logger  *slog.Logger     // nil: silent
}

// New makes the site that spec describes. Its API is the address of a manifest, which
// may stand in Ext as well: then it is not asked for. The errors are of
// ClassUnsupported.
func New(spec sources.SiteSpec, d Deps) (sources.Site, error) {
	if spec.Type != Type {
		return nil, sources.Errorf(sources.ClassUnsupported, "site type %q is not a Stremio add-on", text.Clean(spec.Type))
	}
	address, _ := ManifestURL(spec.API)
	addon := webURL(address)
	if addon == nil {
		return nil, sources.Errorf(sources.ClassUnsupported, "%s is not the address of a Stremio add-on: it must be on the web and end in %s", link.Redact(spec.API), manifestPath)
	}
	d.Now, d.Logger = sources.OrNow(d.Now), sources.OrSilent(d.Logger)
	spec.WantsIMDb = true
	s := &site{Deps: d, spec: spec, address: address, addon: addon, turn: make(chan struct{}, 1)}
	if m, err := ReadManifest([]byte(spec.Ext)); err == nil {
		if reason := m.Unusable(); reason != "" {
			return nil, sources.Errorf(sources.ClassUnsupported, "%s", reason)
		}
		s.manifest, s.given = &m, true
	}
	return s, nil
}

type site struct {
	Deps
	spec    sources.SiteSpec
	address string   // of the manifest, as it was typed
	addon   *url.URL // the same

	turn     chan struct{} // has whoever reads or writes what follows
	manifest *Manifest     // nil: it is not known
	given    bool          // by the interface
	at       time.Time     // when it was asked for
}

// Info implements sources.Site.
func (s *site) Info() sources.SiteInfo { return s.spec.SiteInfo }

// Search implements sources.Site. Trailers come last, and what keeps them from coming
// spoils nothing.
func (s *site) Search(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
	if t.IMDb == "" {
		return sources.Errorf(sources.ClassCancelled, "no IMDb id is known of %s (give it with --imdb)", t)
	}
	m, err := s.known(ctx)
	if err != nil {
		return err
	}
	if reason := m.Unusable(); reason != "" {
		return sources.Errorf(sources.ClassUnsupported, "%s", reason)
	}
	kind, id := typeMovie, t.IMDb
	if t.Kind == sources.KindEpisode {
		kind, id = typeSeries, fmt.Sprintf("%s:%d:%d", t.IMDb, t.Season, t.Episode)
	}
	if !m.Takes(resourceStream, kind, id) {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	described := s.askMeta(ctx, m, kind, t.IMDb)
	q := &search{site: s, manifest: m, title: t, yield: yield}
	err = q.streams(ctx, s.request(resourceStream, kind, id, maxStreams))
	if sources.ClassOf(err) == sources.ClassOK {
		q.takeMeta(ctx, described)
	}
	return err
}

// request asks for a resource of the add-on: its path stands in the place of that of the
// manifest, wherever the address has that, as Stremio does it.
func (s *site) request(resource, kind, id string, maxBody int64) fetch.Request {
	return s.get(strings.ReplaceAll(s.address, manifestPath, "/"+resource+"/"+kind+"/"+escape(id)+".json"), maxBody)
}

func (s *site) get(address string, maxBody int64) fetch.Request {
	headers := maps.Clone(s.spec.Headers)
	if headers == nil {
		headers = make(map[string]string, 1)
	}
	headers[HopHeader] = "1"
	return fetch.Request{URL: exact(address), Headers: headers, MaxBody: maxBody}
}

// unescaped is what link.Escape leaves and a path must not hold.
var unescaped = strings.NewReplacer("{", "%7B", "}", "%7D", "^", "%5E", "`", "%60", `\`, "%5C")

// exact escapes what would have the client write the whole path anew, and by that change
// what is escaped in it.
func exact(address string) string {
	path, query, hasQuery := strings.Cut(link.Escape(address), "?")
	path = unescaped.Replace(path)
	if hasQuery {
		path += "?" + query
	}
	return path
}

// escape escapes an id as a component of a URL, like the clients of Stremio.
func escape(id string) string {
	var b strings.Builder
	for i := range len(id) {
		if c := id[i]; text.IsAlnum(c) || strings.IndexByte("-_.!~*'()", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// known is the manifest of the add-on. An old one serves where a new one does not come.
func (s *site) known(ctx context.Context) (Manifest, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return Manifest{}, ctx.Err()
	}
	if s.manifest == nil {
		s.recall(ctx)
	}
	if age := s.Now().Sub(s.at); s.manifest != nil && (s.given || age >= 0 && age < manifestAge) {
		return *s.manifest, nil
	}
	asking := ctx
	if s.manifest != nil {
		wait := manifestWait
		if end, ok := ctx.Deadline(); ok {
			wait = min(wait, time.Until(end)/2)
		}
		var cancel context.CancelFunc
		asking, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	m, err := s.ask(asking)
	if err != nil {
		if s.manifest != nil && ctx.Err() == nil {
			return *s.manifest, nil
		}
		return Manifest{}, err
	}
	s.manifest, s.at = &m, s.Now()
	if err := s.keep(ctx, m); err != nil && ctx.Err() == nil {
		s.Logger.Warn("the manifest of an add-on could not be kept", "site", s.spec.Key, "error", err)
	}
	return m, nil
}

// keep stores what is used of the manifest: the rest may be large.
func (s *site) keep(ctx context.Context, m Manifest) error {
	if s.Answers == nil {
		return nil
	}
	body, err := m.encode()
	if err != nil {
		return err
	}
	return s.Answers.PutAnswer(ctx, s.key(), body)
}

// recall takes the manifest that was kept before.
func (s *site) recall(ctx context.Context) {
	if s.Answers == nil {
		return
	}
	body, at, err := s.Answers.Answer(ctx, s.key())
	if err != nil && ctx.Err() == nil {
		s.Logger.Warn("the manifest of an add-on could not be read", "site", s.spec.Key, "error", err)
	}
	if m, err := ReadManifest(body); err == nil {
		s.manifest, s.at = &m, at
	}
}

// key is where the manifest is kept. What its address has of secrets is in it no more.
func (s *site) key() string {
	sum := sha256.Sum256([]byte(s.address))
	return "stremio/manifest/" + hex.EncodeToString(sum[:])
}

func (s *site) ask(ctx context.Context) (Manifest, error) {
	req := s.get(s.address, maxManifest)
	resp, err := s.Fetch.Get(ctx, req)
	if err != nil {
		return Manifest{}, err
	}
	m, err := ReadManifest(resp.Body)
	if err != nil {
		return Manifest{}, badAnswer(req, resp.Body, err.Error())
	}
	return m, nil
}
