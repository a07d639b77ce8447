package sources

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"xship/sources/link"
	"xship/sources/text"
)

// ErrNotResponsible is what a Resolver answers for a source that is not of its
// kind. The next one in the chain is asked.
var ErrNotResponsible = errors.New("not a source of this resolver's kind")

// ErrPage is, by errors.Is, what a Resolver answers for a web page where media
// should be.
var ErrPage = errors.New("a web page where media should be")

// ErrMessage is, by errors.Is, what a Resolver answers where a link led to a video that
// shows a message in the place of the film.
var ErrMessage = errors.New("a video that tells why the film does not come")

// ResolveOptions say for whom a source is resolved, and how.
type ResolveOptions struct {
	Force      bool  // also where the hoster is in its backoff; what a user clicks is forced
	User       int64 // whose accounts are used, 0 = nobody's
	Background bool  // nobody waits for it
	// Unlocking is told the provider that is called for a link; what it gives is called
	// when the call has ended. nil: nobody is told.
	Unlocking func(provider string) (ended func())
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

// Bounds of a StreamResolve whose fields are zero.
const (
	defaultResolveTimeout = 30 * time.Second
)

// StreamResolve is the port of the StreamResolve use case: it turns a source
// into a stream, from the store where that is fresh and still answers, else
// through an account of the user's that serves the hoster, else through the first
// resolver that is responsible.
//
// Identical concurrent calls are one attempt, which goes on while one of the
// callers waits; a failure is remembered for five seconds, since players ask
// several times for one click. It is safe for concurrent use, and must not be
// copied; With makes another one of its parts.
type StreamResolve struct {
	Resolvers []Resolver
	Accounts  *Accounts // nil: none
	Attempts  *Attempts
	Streams   StreamStore                               // nil: nothing is remembered
	Books     *Bookkeeper                               // makes the writes to Streams; nil: they are part of the call
	Check     func(ctx context.Context, s Stream) error // reads the first bytes of a stored stream; nil: trusts it
	Manifest  func(ctx context.Context, s Stream) error // asks for media that a manifest just found names; nil: trusts it
	Now       func() time.Time                          // nil: time.Now
	Logger    *slog.Logger                              // nil: silent
	Timeout   time.Duration                             // one attempt
	TTL       time.Duration                             // life of a stream that does not tell its own
	// OwnContext is what the requests for a source of the user's own are made with, so
	// that they may use what is his where it lies; nil: as all others.
	OwnContext func(ctx context.Context, src Source) context.Context

	flights flightGroup
}

// With gives a use case with the parts of r that keeps what it learns in other
// stores. The two share no running call and no remembered failure: what they
// would answer need not be the same. Writes to them are part of a call.
func (r *StreamResolve) With(hosters HosterStore, streams StreamStore) *StreamResolve {
	return &StreamResolve{
		Resolvers: r.Resolvers, Accounts: r.Accounts, Attempts: r.Attempts.With(hosters), Streams: streams,
		Check: r.Check, Manifest: r.Manifest, Now: r.Now, Logger: r.Logger, Timeout: r.Timeout, TTL: r.TTL, OwnContext: r.OwnContext,
	}
}

// Resolve gives a stream for src. The hoster is touched by what is tried at it,
// never by what the store or a recent call already knew, nor by what a provider
// does. Unless forced, a hoster in its backoff is not tried and the error is
// ErrHosterResting.
func (r *StreamResolve) Resolve(ctx context.Context, src Source, o ResolveOptions) (Stream, error) {
	key := r.flightKey(src, o)
	resolve := func(ctx context.Context) (stream Stream, err error) {
		err = Contain(r.logger(), "resolving this source", func() (err error) {
			stream, err = r.resolve(ctx, src, o)
			return err
		}, "source", src.ID)
		return stream, err
	}
	stream, err := r.flights.do(ctx, key, r.now, resolve)
	if o.Force && errors.Is(err, ErrHosterResting) { // it joined a call that was not forced
		return r.flights.do(ctx, key, r.now, resolve)
	}
	return stream, err
}

// flightKey names the calls that are one attempt. What an account gives depends
// on the user, and on whether somebody waits.
func (r *StreamResolve) flightKey(src Source, o ResolveOptions) string {
	if !r.Accounts.mayConcern(src, o.User) {
		return src.ID
	}
	return fmt.Sprintf("%d %t %s", o.User, o.Background, src.ID)
}

// resolve is one call of Resolve. What it tries, each only where the one before gave
// no stream: the store, the accounts of the user, the resolvers.
func (r *StreamResolve) resolve(ctx context.Context, src Source, o ResolveOptions) (Stream, error) {
	stream, done, storedErr := r.stored(ctx, src, o.Force)
	switch {
	case done && storedErr == nil:
		return stream, nil
	case ctx.Err() != nil:
		return Stream{}, ctx.Err()
	}
	stream, accountsErr := r.Accounts.unlock(ctx, src, o)
	switch {
	case accountsErr == nil:
		return stream, nil
	case ctx.Err() != nil:
		return Stream{}, ctx.Err()
	case ClassOf(accountsErr) == ClassDeadLink:
		r.markDead(ctx, src)
		return Stream{}, accountsErr
	case done: // the hoster was tried
		return Stream{}, storedErr
	case errors.Is(accountsErr, ErrNotResponsible):
		accountsErr = nil
	}
	return r.resolveFresh(ctx, src, o, accountsErr)
}

// resolveFresh asks the resolvers, as one attempt at the hoster, and stores what
// comes of it. accountsErr says why the accounts that serve the hoster gave no
// stream, nil where none serves it.
func (r *StreamResolve) resolveFresh(ctx context.Context, src Source, o ResolveOptions, accountsErr error) (Stream, error) {
	resolvers := r.Resolvers
	if failed, ok := errors.AsType[*AccountsError](accountsErr); ok && !failed.mayGuess() {
		resolvers = withoutGuessers(resolvers)
	}
	if accountsErr != nil && len(resolvers) == 0 {
		return Stream{}, accountsErr
	}
	var stream Stream
	err := r.attempt(ctx, src, o.Force, "resolving", func(ctx context.Context) error {
		var err error
		stream, err = chain(ctx, resolvers, src)
		isPage := errors.Is(err, ErrPage)
		if err == nil {
			err = r.checkManifest(ctx, stream)
		}
		switch {
		case accountsErr != nil && err != nil:
			return accountsErr // the link is one for the accounts: that the resolvers failed is not the hoster's fault
		case isPage && r.Accounts.servePage(ctx, src, o.User):
			return errPageOfAccount
		}
		return err
	})
	switch {
	case err == nil:
		r.store(ctx, src, "stream", func(ctx context.Context) error { return r.Streams.PutStream(ctx, src.ID, stream) })
		return stream, nil
	case errors.Is(err, errPageOfAccount):
		if stream, err = r.Accounts.unlockPage(ctx, src, o); err == nil {
			return stream, nil
		}
	}
	if ctx.Err() == nil {
		r.keepVerdict(ctx, src, err)
	}
	return Stream{}, err
}

// checkManifest tells what is wrong with the media that a manifest names: its own first
// bytes prove nothing of them.
func (r *StreamResolve) checkManifest(ctx context.Context, stream Stream) error {
	if r.Manifest == nil || stream.MIME != link.MIMEHLS && stream.MIME != link.MIMEDASH {
		return nil
	}
	return r.Manifest(ctx, stream)
}

// keepVerdict stores with a source what its failure says of it.
func (r *StreamResolve) keepVerdict(ctx context.Context, src Source, err error) {
	if ClassOf(err) == ClassDeadLink {
		r.markDead(ctx, src)
		return
	}
	if needing, ok := errors.AsType[*NeedsError](err); ok && needing.Needs != src.Needs {
		r.store(ctx, src, "need of the source", func(ctx context.Context) error { return r.Streams.MarkNeeds(ctx, src.ID, needing.Needs) })
	}
}

// attempt runs try within Timeout as one attempt at src's hoster. A panic in it is
// an error of ClassBug.
func (r *StreamResolve) attempt(ctx context.Context, src Source, force bool, doing string, try func(context.Context) error) error {
	return r.Attempts.DoFirst(ctx, src, force, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(r.contextFor(ctx, src), OrDefault(r.Timeout, defaultResolveTimeout))
		defer cancel()
		return Contain(r.logger(), doing+" this source", func() error { return try(ctx) }, "source", src.ID)
	})
}

// contextFor is what the requests for src are made with.
func (r *StreamResolve) contextFor(ctx context.Context, src Source) context.Context {
	if !src.Own || r.OwnContext == nil {
		return ctx
	}
	return r.OwnContext(ctx, src)
}

// errPageOfAccount says that a link which is named like media is a page of a hoster
// that an account serves. That is no fault of the hoster.
var errPageOfAccount = Errorf(ClassUnsupported, "a page of a hoster that an account serves")

func (r *StreamResolve) markDead(ctx context.Context, src Source) {
	r.store(ctx, src, "dead mark", func(ctx context.Context) error { return r.Streams.MarkDead(ctx, src.ID) })
}

func withoutGuessers(resolvers []Resolver) []Resolver {
	return slices.DeleteFunc(slices.Clone(resolvers), func(r Resolver) bool {
		_, guesses := r.(Guesser)
		return guesses
	})
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
	if !s.Fresh(r.now(), OrDefault(r.TTL, DefaultStreamTTL)) {
		return Stream{}, false, nil
	}
	if r.Check == nil {
		return s.Stream, true, nil
	}
	gone := false
	err = r.attempt(ctx, src, force, "checking", func(ctx context.Context) error {
		err := r.Check(ctx, s.Stream)
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
func chain(ctx context.Context, resolvers []Resolver, src Source) (Stream, error) {
	for _, resolver := range resolvers {
		s, err := resolver.Resolve(ctx, src)
		if !errors.Is(err, ErrNotResponsible) {
			return s, err
		}
	}
	reason := src.Unplayable
	if reason == "" {
		reason = "no resolver knows this kind of link"
	}
	return Stream{}, Errorf(ClassUnsupported, "%s: %s", link.Redact(src.URL), reason)
}

func (r *StreamResolve) store(ctx context.Context, src Source, what string, put func(context.Context) error) {
	if r.Streams == nil {
		return
	}
	r.Books.Write(ctx, bookWait, reportTimeout, func(ctx context.Context) {
		if err := put(ctx); err != nil {
			r.logger().Warn("the "+what+" could not be stored", "source", src.ID, "error", err)
		}
	})
}

func (r *StreamResolve) now() time.Time { return OrNow(r.Now)() }

func (r *StreamResolve) logger() *slog.Logger { return OrSilent(r.Logger) }

// Tried tells what became of one source that did not play.
type Tried struct {
	N      int // its row in the list, from 1
	Source Source
	Class  Class
	Error  string
	// Message says that the service behind an add-on told why it has no film.
	Message bool
	// Page says that it is a web page that no account serves, and not media.
	Page bool
	// RetryIn is when a provider that was skipped may be called again, 0 where
	// something was tried.
	RetryIn time.Duration
}

func retryIn(err error) time.Duration {
	accounts, ok := errors.AsType[*AccountsError](err)
	if !ok {
		return 0
	}
	d, _ := accounts.RetryIn()
	return d
}

// needsAccount tells whether err says of a web page that an account or yt-dlp would play
// it.
func needsAccount(err error) bool {
	needing, ok := errors.AsType[*NeedsError](err)
	return ok && needing.Needs == NeedsAccount
}

// NothingPlaysError says that no source of a list could be resolved.
type NothingPlaysError struct {
	Tried []Tried
}

func (e *NothingPlaysError) Error() string {
	if len(e.Tried) == 0 {
		return "there is no source to play"
	}
	return fmt.Sprintf("none of %s could be resolved", text.Plural(len(e.Tried), "source"))
}

// Resolve plays a list: it gives the stream of the first source that resolves as o
// says, always forced, from row start (counted from 0) on, the row of that source, and
// what was tried before. What cools down is skipped, never waited for. The error
// is a *NothingPlaysError when none does, or that of ctx.
func Resolve(ctx context.Context, r *StreamResolve, list []Source, start int, o ResolveOptions) (Stream, int, []Tried, error) {
	o.Force = true
	return sourcesResolve(ctx, r, list, start, o)
}

// ResolveAvailable is Resolve of sources whose hosters failed before, which are tried
// last: none is forced. Those of a hoster that may not be tried at that moment, since it is
// in its backoff or somebody else is trying it, are not, and do not count as tried; nor do
// further ones of a hoster that fails again.
func ResolveAvailable(ctx context.Context, r *StreamResolve, list []Source, o ResolveOptions) (Stream, int, []Tried, error) {
	o.Force = false
	return sourcesResolve(ctx, r, list, 0, o)
}

// sourcesResolve is the port of sourcesResolve: the chosen source, then those
// below it, one bounded attempt each.
func sourcesResolve(ctx context.Context, r *StreamResolve, list []Source, start int, o ResolveOptions) (Stream, int, []Tried, error) {
	var tried []Tried
	failed := make(map[string]bool) // hosters, also where their fail does not count
	for i := start; i < len(list); i++ {
		if !o.Force && failed[list[i].Hoster] {
			continue
		}
		stream, err := r.Resolve(ctx, list[i], o)
		switch {
		case err == nil:
			return stream, i, tried, nil
		case ctx.Err() != nil:
			return Stream{}, 0, tried, ctx.Err()
		case !o.Force && errors.Is(err, ErrHosterResting):
			continue
		}
		class := ClassOf(err)
		if class == ClassHosterFault {
			failed[list[i].Hoster] = true
		}
		tried = append(tried, Tried{
			N: i + 1, Source: list[i], Class: class, Error: text.Clean(err.Error()),
			Message: errors.Is(err, ErrMessage), Page: needsAccount(err), RetryIn: retryIn(err),
		})
	}
	return Stream{}, 0, tried, &NothingPlaysError{Tried: tried}
}
