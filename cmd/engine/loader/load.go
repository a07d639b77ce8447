package loader

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"xship/config/failover"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
)

// recordTime bounds one write of what is recorded, behind whom nobody waits: it is
// longer than the store waits for others.
const recordTime = 30 * time.Second

// depotChildren is how many interfaces of a depot are tried in one load.
const depotChildren = 3

// Check loads the interface at url anew, without failover, and waits until the store
// has how that went. Its error is a *vod.Error or that of ctx.
func (l *Loader) Check(ctx context.Context, url string) (Result, error) {
	i := sources.Interface{URL: url}
	rows, _, err := l.Interfaces(ctx)
	if err != nil {
		return Result{}, err
	}
	content, err := l.loadOne(ctx, i, loadOptions{refresh: true, explore: true, timeout: l.Timeout, children: depotChildren, listed: isListed(rows, i)})
	if waitErr := l.Books.Wait(ctx); waitErr != nil {
		return Result{}, waitErr
	}
	if err != nil {
		return Result{}, err
	}
	return Result{Interface: i, Content: content.Content}, nil
}

// fresh is what the interface at url answered less than MaxAge ago, nil where that
// is nothing. It makes no request.
func (l *Loader) fresh(ctx context.Context, url string, mode failover.Mode) *loaded {
	if !IsURL(url) { // a file is read each time
		return nil
	}
	l.Trust(url)
	o := loadOptions{children: depotChildren}
	if mode == failover.Off {
		o.children = 1
	}
	content, err := l.newSession(url, o).fresh(ctx)
	if err != nil {
		return nil
	}
	l.accept(ctx, url, content)
	return content
}

// load loads one interface of a round.
func (r *round) load(ctx context.Context, i sources.Interface) (*loaded, error) {
	o := loadOptions{
		refresh: r.key.refresh, timeout: r.Timeout, children: depotChildren, used: !r.own, asked: r.asked, listed: isListed(r.rows, i),
	}
	if r.key.mode == failover.Off {
		o.children = 1
	} else {
		o.more = func() bool { return r.storedMode() != failover.Off }
	}
	return r.loadOne(ctx, i, o)
}

// cutShort is why an interface was not loaded by a caller whose time was over. It is
// the cause of the end of a round that nobody else waits for.
func cutShort(i sources.Interface, given time.Duration) *vod.Error {
	return &vod.Error{
		URL: link.RedactInterface(i.URL), Cause: vod.CauseTimeout,
		Detail: fmt.Sprintf("got no answer within %s, the time that the scan had left", roundedTime(given)),
		Hint:   "try again later, or give the scan more time: --timeout, or scan.timeout",
	}
}

// roundedTime is d for people.
func roundedTime(d time.Duration) time.Duration {
	if d > time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

// loadOptions say how one interface is loaded.
type loadOptions struct {
	refresh  bool // ask, however young the stored config is
	timeout  time.Duration
	children int
	explore  bool             // look for what it is, also where that is known
	used     bool             // the interface is in use then; false: it is only looked at, or for one run
	listed   bool             // among the user's interfaces
	more     func() bool      // asked before each further child of a depot; nil: always
	asked    map[string]reply // by vod.AddressKey, filled; nil: nothing is remembered
}

// reply is what an address answered.
type reply struct {
	doc vod.Document
	err error
}

// loadOne loads one interface: what it gave less than MaxAge ago, else by one
// request for it, and by one for each child of a depot that is tried. The
// interface, and the sites that a file of the operator's names itself, may be
// on private addresses.
func (l *Loader) loadOne(ctx context.Context, i sources.Interface, o loadOptions) (*loaded, error) {
	l.Trust(i.URL)
	s, began := l.newSession(i.URL, o), l.Now()
	content, err := s.load(ctx)
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		cut, ok := errors.AsType[*vod.Error](context.Cause(ctx)) // see cutShort
		if !ok {
			return nil, fmt.Errorf("load interface %s: %w", link.RedactInterface(i.URL), ctx.Err())
		}
		err = cut
	}
	switch {
	case s.requests > 0 || len(s.answers) == 0:
		l.observe(ctx, func() sources.Event {
			return sources.InterfaceTried{Interface: i, Requests: s.requests, Elapsed: l.Now().Sub(began), Err: err}
		})
		l.recordLoad(ctx, i.URL, o.used, err)
	case err == nil && o.used: // nobody was asked
		l.recordUse(ctx, i)
	}
	if err != nil {
		s.forgetValidators(ctx, i)
		return nil, err
	}
	s.keep(ctx, i, content)
	l.accept(ctx, i.URL, content)
	return content, nil
}

// observe tells of an event, which is made only where it is told.
func (l *Loader) observe(ctx context.Context, event func() sources.Event) {
	if l.Observer != nil {
		l.Observer.Observe(ctx, event())
	}
}

// accept trusts the addresses that the operator named in what was loaded from url,
// and logs what is wrong with it, which may be long.
func (l *Loader) accept(ctx context.Context, url string, content *loaded) {
	for _, address := range content.trusted {
		l.Trust(address)
	}
	if !l.Logger.Enabled(ctx, slog.LevelDebug) {
		return
	}
	shown := link.RedactInterface(url)
	for _, flaw := range content.Warnings {
		l.Logger.DebugContext(ctx, "the interface has a flaw", "interface", shown, "flaw", flaw)
	}
}

// recordLoad records how a load went. The built-in interface is not in the list.
func (l *Loader) recordLoad(ctx context.Context, url string, used bool, loadErr error) {
	if IsBuiltin(url) {
		return
	}
	failed := ""
	if loadErr != nil {
		failed = loadErr.Error()
		if cause, ok := errors.AsType[*vod.Error](loadErr); ok {
			failed = cause.Detail
		}
	}
	at := l.Now()
	if used && loadErr == nil {
		l.notes.using(url, at, time.Time{}) // which this record tells
	}
	l.Books.InTurn(ctx, recordTime, func(ctx context.Context) {
		if err := l.Store.RecordInterfaceLoad(ctx, url, at, failed, used); err != nil {
			l.unrecorded(ctx, "the load could not be recorded", url, err)
		}
	})
}

// recordUse records that an interface is used whose config was at hand.
func (l *Loader) recordUse(ctx context.Context, i sources.Interface) {
	at := l.Now()
	if IsBuiltin(i.URL) || !l.notes.using(i.URL, at, i.UsedAt) {
		return
	}
	l.Books.InTurn(ctx, recordTime, func(ctx context.Context) {
		if err := l.Store.RecordInterfaceUse(ctx, i.URL, at); err != nil {
			l.Logger.Debug("the use of the interface could not be recorded", "interface", link.RedactInterface(i.URL), "error", err)
		}
	})
}

// cached is what an address last answered, nil where that is not known.
func (l *Loader) cached(ctx context.Context, url string) (*sources.StoredConfig, error) {
	if c := l.notes.config(url); c != nil {
		return c, nil
	}
	return l.Store.CachedConfig(ctx, url)
}

// putConfig stores what an address answered; until that is done, cached gives it.
func (l *Loader) putConfig(ctx context.Context, url string, c sources.StoredConfig, put func(ctx context.Context) error) {
	stored := l.notes.keep(url, c)
	if !l.Books.InTurn(ctx, recordTime, func(ctx context.Context) {
		defer stored()
		if err := put(ctx); err != nil {
			l.unrecorded(ctx, "the config could not be stored", url, err)
		}
	}) {
		stored()
	}
}

// unrecorded logs that something could not be recorded. What closing gave up on is no
// news.
func (l *Loader) unrecorded(ctx context.Context, what, url string, err error) {
	level := slog.LevelWarn
	if errors.Is(ctx.Err(), context.Canceled) {
		level = slog.LevelDebug
	}
	l.Logger.Log(ctx, level, what, "interface", link.RedactInterface(url), "error", err)
}

// session is one load with its requests.
type session struct {
	*Loader
	loadOptions
	url      string
	requests int
	answers  map[string]answer // by the address asked
}

func (l *Loader) newSession(url string, o loadOptions) *session {
	return &session{Loader: l, loadOptions: o, url: url, answers: make(map[string]answer)}
}

// fresh reads the interface from what is stored. The child of a depot that is
// used may stand behind others that failed.
func (s *session) fresh(ctx context.Context) (*loaded, error) {
	c := s.copyOf(ctx, s.url)
	a := access{LoadOptions: vod.LoadOptions{Children: s.children}, get: s.stored, known: readMark(c), folders: &s.folders}
	switch {
	case a.known == nil:
	case s.young(c):
		s.answers[s.url] = answerStored
	case a.known.Kind != KindStremio: // of which the manifest is younger, or older
		return nil, errNotStored
	}
	return s.formatOf(s.url).load(ctx, s.url, a)
}

// load reads the interface: from what is stored, else by requests.
func (s *session) load(ctx context.Context) (content *loaded, err error) {
	ctx, cancel := context.WithTimeout(ctx, max(s.timeout, time.Nanosecond))
	defer cancel()
	if IsURL(s.url) && !s.refresh {
		if content, err = s.fresh(ctx); err == nil {
			return content, nil
		}
	}
	content, err = s.byRequests(ctx)
	if err != nil && s.requests == 0 && len(s.answers) > 0 && ctx.Err() == nil { // stored by a version that read it otherwise
		s.refresh = true
		content, err = s.byRequests(ctx)
	}
	return content, err
}

func (s *session) byRequests(ctx context.Context) (*loaded, error) {
	a := access{LoadOptions: vod.LoadOptions{Children: s.children, More: s.more}, get: s.fetch, call: s.call, folders: &s.folders}
	if IsURL(s.url) {
		c := s.copyOf(ctx, s.url)
		a.known, a.explore = readMark(c), s.explore || c == nil
	}
	return s.formatOf(s.url).load(ctx, s.url, a)
}

// answer is how an address answered.
type answer int

const (
	answerStored    answer = iota // not asked
	answerUnchanged               // 304
	answerNew
)

// stored is the vod.FetchFunc of a load without requests.
func (s *session) stored(ctx context.Context, url string) (vod.Document, error) {
	c := s.copyOf(ctx, url)
	if c == nil || isMark(c.ContentType) || !s.young(c) {
		return vod.Document{}, errNotStored
	}
	s.answers[url] = answerStored
	return documentOf(url, c), nil
}

// copyOf is what an address last answered, nil where that cannot be read.
func (s *session) copyOf(ctx context.Context, url string) *sources.StoredConfig {
	c, err := s.cached(ctx, url)
	if err != nil && ctx.Err() == nil {
		s.Logger.Warn("the stored config could not be read", "interface", link.RedactInterface(url), "error", err)
	}
	return c
}

// fetch is the vod.FetchFunc of a load.
func (s *session) fetch(ctx context.Context, url string) (vod.Document, error) {
	stored := s.copyOf(ctx, url)
	if stored != nil && isMark(stored.ContentType) {
		stored = nil
	}
	if stored != nil && !s.refresh && s.young(stored) {
		s.answers[url] = answerStored
		return documentOf(url, stored), nil
	}
	key := vod.AddressKey(url)
	if r, ok := s.asked[key]; ok {
		return r.doc, r.err
	}
	doc, err := s.ask(ctx, url, stored)
	if s.asked != nil && ctx.Err() == nil {
		s.asked[key] = reply{doc, err}
	}
	return doc, err
}

// ask makes the request for a config of which an older copy may be stored.
func (s *session) ask(ctx context.Context, url string, stored *sources.StoredConfig) (vod.Document, error) {
	ctx, cancel := s.share(ctx)
	defer cancel()
	s.requests++
	resp, err := s.Get(ctx, fetch.Request{URL: url, MaxBody: vod.MaxBody, Headers: conditions(stored)})
	if failed, ok := errors.AsType[*fetch.Error](err); ok {
		return vod.Document{}, loadError{failed}
	}
	if err != nil {
		return vod.Document{}, err
	}
	if resp.Status == http.StatusNotModified && stored != nil {
		s.answers[url] = answerUnchanged
		return documentOf(url, stored), nil
	}
	s.answers[url] = answerNew
	return documentFrom(url, resp), nil
}

// call makes requests, all at once, which share half of the time that is left where they
// are several, and gives how they ended, in order.
func (s *session) call(ctx context.Context, requests ...fetch.Request) []outcome {
	if deadline, ok := ctx.Deadline(); ok && len(requests) > 1 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(deadline)/2)
		defer cancel()
	}
	s.requests += len(requests)
	outcomes := make([]outcome, len(requests))
	var wg sync.WaitGroup
	for i, r := range requests {
		wg.Go(func() {
			outcomes[i].err = sources.Contain(s.Logger, "asking what an interface is", func() (err error) {
				outcomes[i].resp, err = s.Get(ctx, r)
				return err
			})
			if failed, ok := errors.AsType[*fetch.Error](outcomes[i].err); ok {
				outcomes[i].err = loadError{failed}
			}
		})
	}
	wg.Wait()
	for i, r := range requests {
		if outcomes[i].err == nil {
			s.answers[r.URL] = answerNew
		}
	}
	return outcomes
}

// share gives the next request its part of the time: the interface itself all of
// it, each child of a depot half of what is left, the last one the rest. So a
// child that hangs leaves time for the next one.
func (s *session) share(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok || s.requests == 0 || s.requests >= depotChildren {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(deadline)/2)
}

// young tells whether a stored config is used without asking. One from the
// future is not.
func (s *session) young(c *sources.StoredConfig) bool {
	age := s.Now().Sub(c.FetchedAt)
	return age >= 0 && age < s.MaxAge
}

func documentOf(url string, c *sources.StoredConfig) vod.Document {
	return vod.Document{
		URL: url, Body: c.Body, FinalURL: c.FinalURL, ContentType: c.ContentType, ETag: c.ETag, LastModified: c.LastModified,
	}
}

// maxValidator is the longest ETag or time that is sent back: servers refuse
// requests with long headers, also where they sent them.
const maxValidator = 1024

// conditions ask for an answer only if it has changed.
func conditions(c *sources.StoredConfig) map[string]string {
	headers := make(map[string]string, 2)
	if c != nil && c.ETag != "" && len(c.ETag) <= maxValidator {
		headers["If-None-Match"] = c.ETag
	}
	if c != nil && c.LastModified != "" && len(c.LastModified) <= maxValidator {
		headers["If-Modified-Since"] = c.LastModified
	}
	return headers
}

// isListed tells whether i is one of rows, which may be the built-in one alone.
func isListed(rows []sources.Interface, i sources.Interface) bool {
	return !IsBuiltin(i.URL) && slices.ContainsFunc(rows, func(row sources.Interface) bool { return row.URL == i.URL })
}

// storedFor is the interface with whose end a stored config ends, "" for none.
func (s *session) storedFor(i sources.Interface) string {
	if !s.listed {
		return ""
	}
	return i.URL
}

// keep stores what led to the config of i. What could not be used is not kept.
func (s *session) keep(ctx context.Context, i sources.Interface, content *loaded) {
	now := s.Now()
	if content.mark != nil && s.requests > 0 {
		s.keepMark(ctx, i, content.mark, now)
	}
	for _, doc := range content.documents {
		how, asked := s.answers[doc.URL]
		if !asked || how == answerStored {
			continue
		}
		c := sources.StoredConfig{
			Body: doc.Body, FinalURL: doc.FinalURL, ContentType: doc.ContentType, ETag: doc.ETag, LastModified: doc.LastModified, FetchedAt: now,
		}
		put := func(ctx context.Context) error { return s.Store.PutConfig(ctx, doc.URL, c, s.storedFor(i)) }
		if how == answerUnchanged {
			put = func(ctx context.Context) error { return s.Store.TouchConfig(ctx, doc.URL, now) }
		}
		s.putConfig(ctx, doc.URL, c, put)
	}
}

// keepMark stores what i was recognised as.
func (s *session) keepMark(ctx context.Context, i sources.Interface, m *mark, now time.Time) {
	c, err := m.stored(i.URL, now)
	if err != nil {
		s.unrecorded(ctx, "what the interface is could not be stored", i.URL, err)
		return
	}
	s.putConfig(ctx, i.URL, c, func(ctx context.Context) error { return s.Store.PutConfig(ctx, i.URL, c, s.storedFor(i)) })
}

// forgetValidators has the copies of a load of i that failed fetched anew the next time: one
// that cannot be read must not stay for as long as its server says that it is unchanged.
func (s *session) forgetValidators(ctx context.Context, i sources.Interface) {
	for url, how := range s.answers {
		c := s.copyOf(ctx, url)
		if how != answerUnchanged || c == nil {
			continue
		}
		c.ETag, c.LastModified = "", ""
		s.putConfig(ctx, url, *c, func(ctx context.Context) error { return s.Store.PutConfig(ctx, url, *c, s.storedFor(i)) })
	}
}

// errNotStored says that what an address answered is not at hand.
var errNotStored = errors.New("nothing is stored")

// stale gives what the interface answered earlier, however long ago, and nil
// where that is nothing.
func (l *Loader) stale(ctx context.Context, url string) (*loaded, time.Time) {
	if !IsURL(url) { // a file has no older copy
		return nil, time.Time{}
	}
	content, at := l.atHand(ctx, url)
	if at.IsZero() {
		return nil, at
	}
	return content, at
}

// Known is what the interface at url was when it was last loaded, or is on this machine,
// and nothing, of no kind, where that is not known. It makes no request.
func (l *Loader) Known(ctx context.Context, url string) Content {
	content, _ := l.atHand(ctx, url)
	if content == nil {
		return Content{}
	}
	return content.Content
}

// atHand is the interface at url without a request, nil where nothing is known of it, and
// how old that is, zero where it lies on this machine.
func (l *Loader) atHand(ctx context.Context, url string) (*loaded, time.Time) {
	var oldest time.Time
	note := func(c *sources.StoredConfig) {
		if oldest.IsZero() || c.FetchedAt.Before(oldest) {
			oldest = c.FetchedAt
		}
	}
	a := access{folders: &l.folders, get: func(ctx context.Context, url string) (vod.Document, error) {
		stored, err := l.cached(ctx, url)
		if err != nil {
			return vod.Document{}, err
		}
		if stored == nil || isMark(stored.ContentType) {
			return vod.Document{}, errNotStored
		}
		note(stored)
		return documentOf(url, stored), nil
	}}
	if c, err := l.cached(ctx, url); err == nil {
		if a.known = readMark(c); a.known != nil && a.known.Kind != KindStremio {
			note(c)
		}
	}
	content, err := l.formatOf(url).load(ctx, url, a)
	if err != nil {
		return nil, time.Time{}
	}
	return content, oldest
}

// loadError tells vod.Load what it wants to know of an error of fetch.
type loadError struct{ err *fetch.Error }

func (e loadError) Error() string   { return e.err.Error() }
func (e loadError) Unwrap() error   { return e.err }
func (e loadError) Timeout() bool   { return e.err.Timeout() }
func (e loadError) HTTPStatus() int { return e.err.Status }
func (e loadError) TooLarge() bool  { return e.err.Reason == fetch.ReasonTooLarge }
