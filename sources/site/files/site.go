package files

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// Options are what a Site is made of beside its tree.
type Options struct {
	Index   sources.Index
	Updates *Updates         // of all sites of the process; nil: an update ends with the searches that wait for it
	Now     func() time.Time // nil: time.Now
	Logger  *slog.Logger     // nil: silent
	Own     bool             // what it has is the user's own, as SiteSpec.Trusted says
	Limits  Limits           // of a walk
	Fresh   time.Duration    // as in Walker
	MaxAge  time.Duration    // an index that was walked longer ago is updated by a search
	// MissAge is its like for a search that finds nothing, and longer where there are very
	// many files; 0 = MaxAge. One that finds a file that is gone updates the index in any
	// case.
	MissAge time.Duration
	Wait    time.Duration // how long a search waits for that before it answers from what is indexed
}

// Site is a sources.Site over a tree, which answers from an index. A tree that was never
// walked to its end is walked by the first search, which answers with what that found in
// three quarters of its time.
type Site struct {
	info   sources.SiteInfo
	tree   Tree
	walker Walker
	o      Options
}

var _ sources.Indexer = (*Site)(nil)

// NewSite makes the site that has what lies in tree.
func NewSite(info sources.SiteInfo, tree Tree, o Options) *Site {
	if o.Updates == nil {
		o.Updates = NewUpdates()
		o.Updates.goOn = false
	}
	return &Site{info: info, tree: tree, walker: Walker{Index: o.Index, Now: o.Now, Logger: o.Logger, Limits: o.Limits, Fresh: o.Fresh}, o: o}
}

// Info implements sources.Site.
func (s *Site) Info() sources.SiteInfo { return s.info }

// Root implements sources.Indexer.
func (s *Site) Root() string { return s.tree.Root() }

// UpdateIndex implements sources.Indexer.
func (s *Site) UpdateIndex(ctx context.Context, progress func(folders, files int)) (sources.IndexedRoot, error) {
	w := s.walker
	w.Fresh = 0
	return w.Update(ctx, s.tree, progress)
}

// Search implements sources.Site. Where the tree does not answer, it yields what is
// indexed and fails with the reason.
func (s *Site) Search(ctx context.Context, t sources.Title, yield func(sources.Source)) error {
	walked, err := s.o.Index.IndexedRoot(ctx, s.tree.Root())
	if err != nil {
		return ofIndex(ctx, err)
	}
	maxAge := s.maxAge(walked)
	if sources.WantsRefresh(ctx) {
		maxAge = 0
	}
	updated, failed := s.refresh(ctx, walked, maxAge)
	if err := ctx.Err(); err != nil {
		return err
	}
	found, gone, err := s.find(ctx, t)
	if missAge := min(maxAge, s.missAge(walked)); err == nil && !updated && (gone || missAge > 0 && len(found) == 0) {
		if gone {
			missAge = 0
		}
		if updated, failed = s.refresh(ctx, walked, missAge); updated {
			found, _, err = s.find(ctx, t)
		}
	}
	if err != nil {
		return ofIndex(ctx, err)
	}
	for _, src := range found {
		yield(src)
	}
	if err := s.see(ctx, t); err != nil { // which is no reason to do without the sources
		sources.OrSilent(s.o.Logger).Debug("what an index has beside a title could not be read", "site", s.info.Key, "error", text.Clean(err.Error()))
	}
	if errors.Is(failed, unfinishedError{}) && (len(found) > 0 || !walked.WalkedAt.IsZero()) {
		failed = nil
	}
	if age := sources.OrNow(s.o.Now)().Sub(walked.WalkedAt); failed == nil && !updated && len(found) == 0 && age >= oldAge {
		return &sources.NoteError{Note: fmt.Sprintf("its files were listed %s ago; --refresh lists them again", strings.TrimSuffix(age.Round(time.Minute).String(), "0s"))}
	}
	return failed
}

// ofIndex is err, of the index, with its class: that a site could not be asked for it is
// nobody's fault but the store's.
func ofIndex(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return sources.Errorf(sources.ClassCancelled, "the index of its files cannot be used: %w", err)
}

const (
	// oldAge is how old an index is of which is said that it knows nothing newer.
	oldAge = 10 * time.Minute
	// mostLooked bounds how many files of one title are looked at, whether they are there.
	mostLooked = 20
)

// find gives what the index has of t, and whether a file of these is gone, where the
// tree can tell.
func (s *Site) find(ctx context.Context, t sources.Title) (found []sources.Source, gone bool, err error) {
	hits, err := search(ctx, s.o.Index, s.tree, t, s.o.Own)
	looker, looks := s.tree.(Looker)
	for i, h := range hits {
		found = append(found, h.src)
		gone = gone || looks && i < mostLooked && looker.Gone(ctx, h.file)
	}
	return found, gone, err
}

// refresh updates the index where it is older than maxAge, and tells whether it did or
// tried to. The error says why that failed, and is an unfinishedError where it takes
// longer than the search can wait.
func (s *Site) refresh(ctx context.Context, walked sources.IndexedRoot, maxAge time.Duration) (updated bool, err error) {
	now := sources.OrNow(s.o.Now)()
	wants := sources.WantsRefresh(ctx)
	wait := s.o.Wait
	if age := now.Sub(walked.WalkedAt); !walked.WalkedAt.IsZero() && age >= 0 && age < maxAge {
		return false, nil
	}
	if walked.WalkedAt.IsZero() || wants {
		const most = 10 * time.Second
		wait = most
		if end, ok := ctx.Deadline(); ok {
			wait = time.Until(end)
		}
		wait = wait * 3 / 4
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	u, leave := s.o.Updates.join(s.tree.Root(), func(ctx context.Context) error {
		w := s.walker
		if wants {
			w.Fresh = 0
		}
		_, err := w.Update(ctx, s.tree, nil)
		if err != nil && ctx.Err() == nil {
			sources.OrSilent(s.o.Logger).Warn("an index of files could not be updated", "site", s.info.Key, "error", text.Clean(err.Error()))
		}
		return err
	})
	defer leave()
	select {
	case <-u.done:
		return true, u.err
	case <-timer.C:
		return true, unfinishedError{}
	case <-ctx.Done():
		return true, ctx.Err()
	}
}

// missEach is what each file that a walk found adds to MissAge: some twenty times what
// it costs, so that a daemon which looks for much that is not there has time for the rest.
const missEach = 200 * time.Microsecond

// missAge is MissAge of an index that was walked so.
func (s *Site) missAge(walked sources.IndexedRoot) time.Duration {
	if s.o.MissAge == 0 {
		return 0
	}
	return max(s.o.MissAge, time.Duration(walked.Files)*missEach)
}

// goOnAfter is how long a walk rests that made as many requests as one may.
const goOnAfter = 10 * time.Minute

// maxAge is how old an index may be that was walked so.
func (s *Site) maxAge(walked sources.IndexedRoot) time.Duration {
	if strings.Contains(walked.Left, beyondRequests) {
		return min(goOnAfter, s.o.MaxAge)
	}
	return s.o.MaxAge
}

// unfinishedError says that a first walk is not at its end.
type unfinishedError struct{}

func (unfinishedError) Error() string {
	return "its files are still being indexed, and none of those seen so far is of this title; ask again in a minute"
}

// Class implements sources.Classifier.
func (unfinishedError) Class() sources.Class { return sources.ClassHosterFault }

// Timeout tells that time ran out.
func (unfinishedError) Timeout() bool { return true }
