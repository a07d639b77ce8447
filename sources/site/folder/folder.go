package folder

import (
	"log/slog"
	"path/filepath"
	"time"

	"xship/sources"
	"xship/sources/site/files"
	"xship/sources/text"
)

// Type is the type of these sites.
const Type = "folder"

const (
	// maxAge is how long a search believes an index. To look for what has changed is
	// cheap.
	maxAge = time.Minute
	// missAge is its like for a search that finds nothing: what was just put there is to be
	// found.
	missAge = 2 * time.Second
	// wait is how long a search waits for the index to be brought up to date.
	wait = 1500 * time.Millisecond
)

// limits bound a walk. A folder is the user's own, so they only keep a mistake, such as
// the root of a whole machine, from going on for ever.
var limits = files.Limits{Depth: 24, Files: 1_000_000, Parallel: 4}

// Deps are what the sites need.
type Deps struct {
	Index   sources.Index    // nil: they cannot be asked
	Updates *files.Updates   // nil: an update ends with the searches that wait for it
	Now     func() time.Time // nil: time.Now
	Logger  *slog.Logger     // nil: silent
}

// New makes the site that spec describes, whose API is the absolute path of a folder. It
// is a sources.Indexer.
func New(spec sources.SiteSpec, d Deps) (sources.Site, error) {
	switch {
	case spec.Type != Type:
		return nil, sources.Errorf(sources.ClassUnsupported, "site type %q is not a folder", text.Clean(spec.Type))
	case !spec.Trusted:
		return nil, sources.Errorf(sources.ClassUnsupported, "a folder counts only in a config that lies on this machine")
	case !filepath.IsAbs(spec.API):
		return nil, sources.Errorf(sources.ClassUnsupported, "the api %q is not the absolute path of a folder", text.Clean(spec.API))
	case d.Index == nil:
		return nil, sources.Errorf(sources.ClassUnsupported, "a folder needs a store for its index, and there is none")
	}
	info := spec.SiteInfo
	info.Offline, info.Local = true, true
	dir := filepath.Clean(spec.API)
	return files.NewSite(info, &tree{dir: dir, now: sources.OrNow(d.Now), watch: watchOf(dir)}, files.Options{
		Index: d.Index, Updates: d.Updates, Now: d.Now, Logger: d.Logger, Own: true, Limits: limits, MaxAge: maxAge, MissAge: missAge, Wait: wait,
	}), nil
}
