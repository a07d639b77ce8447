package ids

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/text"
)

const (
	keptFor       = 12 * time.Hour      // an answer
	keptNothing   = time.Hour           // that nothing is known
	keptChoice    = 30 * 24 * time.Hour // what the user chose
	restsFor      = time.Minute         // the service after a fail
	restsAtMost   = time.Hour           // where it says itself for how long
	askTimeout    = 10 * time.Second    // one request
	fairChance    = time.Second         // that a request must have had for its end to be a fail
	maxBody       = 8 << 20
	maxQuery      = 200 // characters of a name that is looked for
	maxQueryNames = 2   // names of a title that are looked for
)

// Options configure a Service.
type Options struct {
	// Get makes a request, as fetch.Client does.
	Get     func(context.Context, fetch.Request) (*fetch.Response, error)
	URL     string           // of the service, without a slash at its end
	Answers sources.Answers  // keeps what it answered; nil: nothing is kept
	Now     func() time.Time // nil: time.Now
	Logger  *slog.Logger     // nil: silent
	// Announce is called before each request; nil: nobody wants to know.
	Announce func(context.Context)
}

// Service is one id service. It is asked one thing at a time, and safe for concurrent
// use.
type Service struct {
	Options
	keys string        // what its keys in Answers start with
	turn chan struct{} // holds one: who takes it may ask

	mu      sync.Mutex
	resting *RestingError // nil: it does not rest
}

// RestingError says that the service is not asked now, as it failed.
type RestingError struct {
	Until time.Time
	Err   error // how it failed
}

func (e *RestingError) Error() string {
	return fmt.Sprintf("the id service is not asked until %s, as it failed: %s", e.Until.Format(time.TimeOnly), e.Err)
}

func (e *RestingError) Unwrap() error { return e.Err }

// New makes a Service.
func New(o Options) *Service {
	o.Now, o.Logger = sources.OrNow(o.Now), sources.OrSilent(o.Logger)
	sum := sha256.Sum256([]byte(o.URL)) // which may hold a secret
	s := &Service{Options: o, keys: "ids/1/" + hex.EncodeToString(sum[:6]) + "/", turn: make(chan struct{}, 1)}
	s.turn <- struct{}{}
	return s
}

// Find gives the id of t, and what else a list of titles tells: the one that t has or the
// user chose, else that of the title that its name means best, with the others that it
// may mean. Where there is none, IMDb is "". With again what the user chose does not
// count. It waits until ctx ends.
func (s *Service) Find(ctx context.Context, t sources.Title, again bool) (sources.TitleFacts, error) {
	if t.IMDb != "" {
		return sources.TitleFacts{IMDb: t.IMDb, Kind: t.Kind, Exact: true}, nil
	}
	if id := s.chosen(ctx, t); id != "" && !again {
		return sources.TitleFacts{IMDb: id, Kind: t.Kind, Exact: true}, nil
	}
	for _, name := range queries(t) {
		fits := func(a answer) bool { return pick(t, a.Found).IMDb != "" }
		a, err := s.answer(ctx, s.searchKey(t.Kind, name), searchPath(t.Kind, name), fits)
		if err != nil || fits(a) {
			return pick(t, a.Found), err
		}
	}
	return sources.TitleFacts{}, nil
}

// Details gives f, which Find gave, with all that the service knows of its id. Where f
// is more than an id, it is the answer also where the service has no more or fails. Of
// an id that is not known IMDb is "". It waits until ctx ends.
func (s *Service) Details(ctx context.Context, f sources.TitleFacts) (sources.TitleFacts, error) {
	tells := func(a answer) bool { return a.tellsOf(f) }
	a, err := s.answer(ctx, s.metaKey(f.Kind, f.IMDb), metaPath(f.Kind, f.IMDb), tells)
	switch {
	case err == nil && a.tellsOf(f):
		return withDetails(f, *a.Facts), nil
	case f.Name == "":
		return sources.TitleFacts{}, err
	}
	if err != nil {
		s.Logger.Debug("the id service knows a title and tells no more of it", "imdb", f.IMDb, "error", err)
	}
	return f, nil
}

// withDetails is f with what is known of its id.
func withDetails(f, details sources.TitleFacts) sources.TitleFacts {
	details.IMDb, details.Kind, details.Exact, details.Others = f.IMDb, f.Kind, f.Exact, f.Others
	if details.Year == 0 {
		details.Year = f.Year
	}
	return details
}

// Known is Find with Details, without asking: what the service answered before, however
// long ago. Where that is nothing, IMDb is "".
func (s *Service) Known(ctx context.Context, t sources.Title) sources.TitleFacts {
	f := sources.TitleFacts{IMDb: t.IMDb, Kind: t.Kind, Exact: true}
	if t.IMDb == "" {
		f.IMDb = s.chosen(ctx, t)
	}
	for _, name := range queries(t) {
		if f.IMDb == "" {
			a, _ := s.kept(ctx, s.searchKey(t.Kind, name))
			f = pick(t, a.Found)
		}
	}
	if f.IMDb == "" {
		return sources.TitleFacts{}
	}
	a, _ := s.kept(ctx, s.metaKey(f.Kind, f.IMDb))
	if !a.tellsOf(f) {
		return sources.TitleFacts{}
	}
	return withDetails(f, *a.Facts)
}

// Choose keeps that the user means the title with the given id by t, and by all other
// episodes of its series.
func (s *Service) Choose(ctx context.Context, t sources.Title, id string) error {
	if s.Answers == nil {
		return nil
	}
	return s.Answers.PutAnswer(ctx, choiceKey(t), []byte(id))
}

// chosen is the id that the user chose for t, "" for none.
func (s *Service) chosen(ctx context.Context, t sources.Title) string {
	if s.Answers == nil {
		return ""
	}
	body, at, err := s.Answers.Answer(ctx, choiceKey(t))
	if err != nil || s.Now().Sub(at) >= keptChoice || !sources.IsIMDbID(string(body)) {
		return ""
	}
	return string(body)
}

// queries are the names by which a title is looked for.
func queries(t sources.Title) []string {
	var names []string
	for _, name := range t.Names() {
		if name = query(name); len(names) < maxQueryNames && name != "" {
			names = append(names, name)
		}
	}
	return names
}

func typeName(k sources.Kind) string {
	if k == sources.KindEpisode {
		return "series"
	}
	return "movie"
}

func (s *Service) searchKey(k sources.Kind, name string) string {
	return s.keys + "search/" + typeName(k) + "/" + text.NormalizeName(name)
}

func (s *Service) metaKey(k sources.Kind, id string) string {
	return s.keys + "meta/" + typeName(k) + "/" + id
}

// choiceKey is that of what the user means by t: it is the same for all episodes, and
// whichever service was asked.
func choiceKey(t sources.Title) string {
	t.Season, t.Episode = 0, 0
	sum := sha256.Sum256([]byte(t.Key()))
	return "ids/1/chosen/" + hex.EncodeToString(sum[:])
}

func searchPath(k sources.Kind, name string) string {
	escaped := strings.ReplaceAll(url.QueryEscape(name), "+", "%20")
	return "/catalog/" + typeName(k) + "/top/search=" + escaped + ".json"
}

func metaPath(k sources.Kind, id string) string {
	return "/meta/" + typeName(k) + "/" + id + ".json"
}

// answer gives what is kept under key where it is young enough, else what the service
// answers at path, and where it does not, what is kept all the same. useful tells whether
// an answer holds what is wanted; else it counts for a shorter time.
func (s *Service) answer(ctx context.Context, key, path string, useful func(answer) bool) (answer, error) {
	a, err := s.current(ctx, key, path, useful)
	if err == nil || errors.Is(ctx.Err(), context.Canceled) {
		return a, err
	}
	if old, _ := s.kept(context.WithoutCancel(ctx), key); useful(old) {
		s.Logger.Debug("the id service does not answer, what it said before counts", "key", key, "error", err)
		return old, nil
	}
	return answer{}, err
}

// current is an answer that is young enough.
func (s *Service) current(ctx context.Context, key, path string, useful func(answer) bool) (answer, error) {
	if a, ok := s.fresh(ctx, key, useful); ok {
		return a, nil
	}
	if err := s.rests(ctx); err != nil {
		return answer{}, err
	}
	select {
	case <-s.turn:
	case <-ctx.Done():
		return answer{}, ctx.Err()
	}
	defer func() { s.turn <- struct{}{} }()
	if a, ok := s.fresh(ctx, key, useful); ok { // somebody else asked it meanwhile
		return a, nil
	}
	if err := s.rests(ctx); err != nil {
		return answer{}, err
	}
	a, err := s.ask(ctx, path)
	if err == nil {
		s.keep(ctx, key, a)
	}
	return a, err
}

// kept is what is kept under key, and since when.
func (s *Service) kept(ctx context.Context, key string) (answer, time.Time) {
	var a answer
	if s.Answers == nil {
		return a, time.Time{}
	}
	body, at, err := s.Answers.Answer(ctx, key)
	if err != nil {
		s.Logger.Debug("what the id service answered could not be read", "key", key, "error", err)
		return a, time.Time{}
	}
	if body == nil || json.Unmarshal(body, &a) != nil {
		return answer{}, time.Time{}
	}
	return a, at
}

func (s *Service) fresh(ctx context.Context, key string, useful func(answer) bool) (answer, bool) {
	a, at := s.kept(ctx, key)
	if at.IsZero() {
		return a, false
	}
	limit := keptNothing
	if useful(a) {
		limit = keptFor
	}
	age := s.Now().Sub(at)
	return a, age >= 0 && age < limit
}

func (s *Service) keep(ctx context.Context, key string, a answer) {
	if s.Answers == nil {
		return
	}
	body, err := json.Marshal(a)
	if err == nil {
		err = s.Answers.PutAnswer(ctx, key, body)
	}
	if err != nil {
		s.Logger.Debug("what the id service answered could not be kept", "key", key, "error", err)
	}
}

// rests is a *RestingError while the service rests, also after a fail in another process.
func (s *Service) rests(ctx context.Context) error {
	s.mu.Lock()
	resting := s.resting
	s.mu.Unlock()
	if resting == nil {
		resting = s.keptRest(ctx)
	}
	if resting != nil {
		if left := resting.Until.Sub(s.Now()); left > 0 && left <= restsAtMost { // more: the clock was set back
			return resting
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.resting = nil
	return nil
}

// restRow is a rest as it is kept.
type restRow struct {
	Until time.Time `json:"until"`
	Error string    `json:"error"`
}

func (s *Service) restKey() string { return s.keys + "rest" }

// keptRest is the rest that is kept, nil where there is none.
func (s *Service) keptRest(ctx context.Context) *RestingError {
	if s.Answers == nil {
		return nil
	}
	var row restRow
	body, _, err := s.Answers.Answer(ctx, s.restKey())
	if err == nil && body != nil {
		err = json.Unmarshal(body, &row)
	}
	if err != nil {
		s.Logger.Debug("whether the id service rests could not be read", "error", err)
	}
	if row.Until.IsZero() {
		return nil
	}
	return &RestingError{Until: row.Until, Err: sources.Errorf(sources.ClassHosterFault, "%s", text.Clean(row.Error))}
}

// ask makes a request, whose turn it is.
func (s *Service) ask(ctx context.Context, path string) (answer, error) {
	if s.Announce != nil {
		s.Announce(ctx)
	}
	began := time.Now() // of the deadline, which is the clock's too
	asking, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	resp, err := s.Get(asking, fetch.Request{URL: s.URL + path, MaxBody: maxBody})
	if failed, ok := errors.AsType[*fetch.Error](err); ok && failed.HTTPStatus() == 404 {
		return answer{}, nil
	}
	var a answer
	if err == nil {
		if a, err = parse(resp.Body); err != nil {
			err = sources.Errorf(sources.ClassHosterFault, "%w", err)
		}
	}
	switch {
	case err == nil:
		return a, nil
	case errors.Is(ctx.Err(), context.Canceled), ctx.Err() != nil && time.Since(began) < fairChance:
		return answer{}, ctx.Err()
	}
	s.rest(ctx, err)
	return answer{}, fmt.Errorf("ask the id service: %w", err)
}

// rest keeps the service from being asked after a fail, by other processes too.
func (s *Service) rest(ctx context.Context, err error) {
	d := restsFor
	if failed, ok := errors.AsType[*fetch.Error](err); ok {
		d = min(max(d, failed.RetryAfter), restsAtMost)
	}
	s.Logger.Debug("the id service rests", "rest", d, "error", err)
	resting := &RestingError{Until: s.Now().Add(d), Err: err}
	s.mu.Lock()
	s.resting = resting
	s.mu.Unlock()
	if s.Answers == nil {
		return
	}
	body, failed := json.Marshal(restRow{Until: resting.Until, Error: err.Error()})
	if failed == nil {
		failed = s.Answers.PutAnswer(context.WithoutCancel(ctx), s.restKey(), body)
	}
	if failed != nil {
		s.Logger.Debug("that the id service rests could not be kept", "error", failed)
	}
}
