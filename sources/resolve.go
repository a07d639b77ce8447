package sources

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"
)

// ErrNotResponsible is what a Resolver answers for a source that is not of its
// kind. The next one in the chain is asked.
var ErrNotResponsible = errors.New("not a source of this resolver's kind")

// Resolver turns sources of one kind into streams. Resolve proves that the
// stream is there, by its first bytes and never by a HEAD request alone. Its
// errors are classified; ErrNotResponsible means that nothing was tried.
type Resolver interface {
	Name() string
	Resolve(ctx context.Context, src Source) (Stream, error)
}

// StoredStream is a stream as stored for a source.
type StoredStream struct {
	Stream
	ResolvedAt time.Time
	MediaInfo  *MediaInfo // nil until it was probed
}

// Fresh tells whether the stream is still good at now by its own expiry, or,
// where it has none, for ttl from when it was resolved.
func (s *StoredStream) Fresh(now time.Time, ttl time.Duration) bool {
	if s == nil || s.ResolvedAt.After(now) {
		return false
	}
	if !s.ExpiresAt.IsZero() {
		return now.Before(s.ExpiresAt)
	}
	return now.Sub(s.ResolvedAt) < ttl
}

// StreamStore keeps what became of sources, by SourceID, on all interfaces.
type StreamStore interface {
	// CachedStream gives the stream of a source, and nil where none is stored.
	CachedStream(ctx context.Context, sourceID string) (*StoredStream, error)
	// PutStream stores a stream; the source's state becomes resolved.
	PutStream(ctx context.Context, sourceID string, s Stream) error
	// PutMediaInfo stores what a stream holds; the source's state becomes probed.
	PutMediaInfo(ctx context.Context, sourceID string, m MediaInfo) error
	// DropStream forgets a stream that no longer works; the source's state
	// becomes found.
	DropStream(ctx context.Context, sourceID string) error
	// MarkDead makes the source's state dead.
	MarkDead(ctx context.Context, sourceID string) error
}

// Bounds of a StreamResolve whose fields are zero.
const (
	defaultResolveTimeout = 30 * time.Second
	defaultStreamTTL      = time.Hour
)

// StreamResolve is the port of the StreamResolve use case: it turns a source
// into a stream, from the store where that is fresh and still answers, else
// through the first resolver that is responsible.
//
// Identical concurrent calls are one attempt, which goes on while one of the
// callers waits; a failure is remembered for five seconds, since players ask
// several times for one click. It is safe for concurrent use, and must not be
// copied.
type StreamResolve struct {
	Resolvers []Resolver
	Attempts  *Attempts
	Streams   StreamStore                               // nil: nothing is remembered
	Check     func(ctx context.Context, s Stream) error // reads the first bytes of a stored stream; nil: trusts it
	Now       func() time.Time                          // nil: time.Now
	Logger    *slog.Logger                              // nil: silent
	Timeout   time.Duration                             // one attempt
	TTL       time.Duration                             // life of a stream that does not tell its own

	flights flightGroup
}

// Resolve gives a stream for src. The hoster is touched by what is tried,
// never by what the store or a recent call already knew. Unless forced, a
// hoster in its backoff is not tried and the error is ErrHosterResting; what a
// user clicks is forced.
func (r *StreamResolve) Resolve(ctx context.Context, src Source, force bool) (Stream, error) {
	resolve := func(ctx context.Context) (Stream, error) { return r.resolve(ctx, src, force) }
	stream, err := r.flights.do(ctx, src.ID, r.now, resolve)
	if force && errors.Is(err, ErrHosterResting) { // it joined a call that was not forced
		return r.flights.do(ctx, src.ID, r.now, resolve)
	}
	return stream, err
}

func (r *StreamResolve) resolve(ctx context.Context, src Source, force bool) (Stream, error) {
	if s, done, err := r.stored(ctx, src, force); done {
		return s, err
	}
	var stream Stream
	err := r.Attempts.Do(ctx, src, force, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, orDefault(r.Timeout, defaultResolveTimeout))
		defer cancel()
		return contain(r.logger(), "resolving", src, func() error {
			var err error
			stream, err = r.chain(ctx, src)
			return err
		})
	})
	if err != nil {
		if ClassOf(err) == ClassDeadLink {
			r.store(ctx, src, "dead mark", func(ctx context.Context) error { return r.Streams.MarkDead(ctx, src.ID) })
		}
		return Stream{}, err
	}
	r.store(ctx, src, "stream", func(ctx context.Context) error { return r.Streams.PutStream(ctx, src.ID, stream) })
	return stream, nil
}

// stored gives the stored stream where it is fresh and its first bytes still
// come. done is false where there is none, and where it has expired: then it is
// forgotten, so that the source is resolved again, once, and the hoster is not to
// blame. Any other fault is the outcome of this attempt, and the stream stays.
func (r *StreamResolve) stored(ctx context.Context, src Source, force bool) (stream Stream, done bool, err error) {
	if r.Streams == nil {
		return Stream{}, false, nil
	}
	s, err := r.Streams.CachedStream(ctx, src.ID)
	if err != nil && ctx.Err() == nil {
		r.logger().Warn("the stored stream could not be read", "source", src.ID, "error", err)
	}
	if !s.Fresh(r.now(), orDefault(r.TTL, defaultStreamTTL)) {
		return Stream{}, false, nil
	}
	if r.Check == nil {
		return s.Stream, true, nil
	}
	gone := false
	err = r.Attempts.Do(ctx, src, force, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, orDefault(r.Timeout, defaultResolveTimeout))
		defer cancel()
		err := contain(r.logger(), "checking", src, func() error { return r.Check(ctx, s.Stream) })
		if gone = expired(err); gone {
			return Errorf(ClassDeadLink, "the stored stream: %w", err)
		}
		return err
	})
	if gone && ctx.Err() == nil {
		r.store(ctx, src, "end of a stream", func(ctx context.Context) error { return r.Streams.DropStream(ctx, src.ID) })
		return Stream{}, false, nil
	}
	if err != nil {
		return Stream{}, true, err
	}
	return s.Stream, true, nil
}

// expired tells whether err is how the link of a stream ends that was good for
// a while: it is gone, or it is refused.
func expired(err error) bool {
	var status interface{ HTTPStatus() int }
	if errors.As(err, &status) && (status.HTTPStatus() == 401 || status.HTTPStatus() == 403) {
		return true
	}
	return ClassOf(err) == ClassDeadLink
}

// chain asks the resolvers in their order.
func (r *StreamResolve) chain(ctx context.Context, src Source) (Stream, error) {
	for _, resolver := range r.Resolvers {
		s, err := resolver.Resolve(ctx, src)
		if !errors.Is(err, ErrNotResponsible) {
			return s, err
		}
	}
	reason := src.Unplayable
	if reason == "" {
		reason = "no resolver knows this kind of link"
	}
	return Stream{}, Errorf(ClassUnsupported, "%s: %s", RedactURL(src.URL), reason)
}

// contain turns a panic in what is done with src into an error.
func contain(logger *slog.Logger, doing string, src Source, fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			logger.Error("a panic while "+doing, "source", src.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = Errorf(ClassBug, "xship has a bug in %s this source: %v", doing, p)
		}
	}()
	return fn()
}

func (r *StreamResolve) store(ctx context.Context, src Source, what string, put func(context.Context) error) {
	if r.Streams == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reportTimeout)
	defer cancel()
	if err := put(ctx); err != nil {
		r.logger().Warn("the "+what+" could not be stored", "source", src.ID, "error", err)
	}
}

func (r *StreamResolve) now() time.Time { return timeOf(r.Now) }

func (r *StreamResolve) logger() *slog.Logger { return orSilent(r.Logger) }

// Tried tells what became of one source that did not play.
type Tried struct {
	N      int // its row in the list, from 1
	Source Source
	Class  Class
	Error  string
}

// NothingPlaysError says that no source of a list could be resolved.
type NothingPlaysError struct {
	Tried []Tried
}

func (e *NothingPlaysError) Error() string {
	if len(e.Tried) == 0 {
		return "there is no source to play"
	}
	return fmt.Sprintf("none of %d sources could be resolved", len(e.Tried))
}

// Resolve plays a list: it gives the stream of the first source that resolves,
// from row start (counted from 0) on, the row of that source, and what was tried
// before. The error is a *NothingPlaysError when none does, or that of ctx.
func Resolve(ctx context.Context, r *StreamResolve, list []Source, start int) (Stream, int, []Tried, error) {
	return sourcesResolve(ctx, r, list, start)
}

// sourcesResolve is the port of sourcesResolve: the chosen source, then those
// below it, one bounded attempt each.
func sourcesResolve(ctx context.Context, r *StreamResolve, list []Source, start int) (Stream, int, []Tried, error) {
	var tried []Tried
	for i := start; i < len(list); i++ {
		stream, err := r.Resolve(ctx, list[i], true)
		if err == nil {
			return stream, i, tried, nil
		}
		if ctx.Err() != nil {
			return Stream{}, 0, tried, ctx.Err()
		}
		tried = append(tried, Tried{N: i + 1, Source: list[i], Class: ClassOf(err), Error: CleanText(err.Error())})
	}
	return Stream{}, 0, tried, &NothingPlaysError{Tried: tried}
}
