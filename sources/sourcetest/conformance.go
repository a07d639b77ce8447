package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/match"
	"xship/sources/sourcetest/world"
)

// Harness tells the suite how to get at the sites it examines.
type Harness struct {
	// Start gives a fresh site for one check; what it needs ends with tb. A
	// site whose catalogue can be chosen has these films, in its own protocol.
	Start func(tb testing.TB, films []world.Film) Instance
	// Cases says what a site with a catalogue of its own has. Other years,
	// sequels and episodes of its films are added. None: the suite's own
	// cases for the films given to Start.
	Cases []Case
	// ByIMDb says that the site goes by IMDb ids: the titles of the suite's own cases have
	// some.
	ByIMDb bool
	// MaxRequests is how many requests one search may cost, 0 = 10.
	MaxRequests int
	// Indexed says that the site answers from an index, so that only its first search
	// must ask.
	Indexed bool
}

// Instance is a running site.
type Instance struct {
	Site sources.Site
	// Server is what the site asks. Nil means that it asks nobody: the checks
	// of faults, hangs and requests are not run.
	Server Server
	// Link is where the site has what lies at a link of the films given to Start. Nil: at
	// that link.
	Link func(link string) string
}

// Server is the far side of a site; *world.Site, *world.T4 and *world.Stremio are some.
type Server interface {
	SetMode(m world.Mode)
	SetModeAfter(n int, m world.Mode)
	SetBody(body []byte)
	Requests() int
}

const (
	defaultMaxRequests = 10
	// patience is how long a search that should end at once may still take: on a
	// busy machine long, and shorter than for ever.
	patience = 30 * time.Second
	// deadline is the time that a hanging site gets.
	deadline = 50 * time.Millisecond
)

// RunSite checks that the sites of h keep the contract of sources.Site, each
// point in a subtest of its own. Run it with -race.
func RunSite(t *testing.T, h Harness) {
	t.Helper()
	network := h.Start(t, Films()).Server != nil
	for _, c := range checks() {
		if c.server && !network {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			if err := c.run(t.Context(), h.subject(t, patience)); err != nil {
				t.Error(err)
			}
		})
	}
}

// subject is what one check examines.
type subject struct {
	site        sources.Site
	server      Server
	cases       []Case
	maxRequests int
	indexed     bool
	patience    time.Duration
}

func (h Harness) subject(tb testing.TB, patience time.Duration) subject {
	tb.Helper()
	in := h.Start(tb, Films())
	s := subject{site: in.Site, server: in.Server, cases: cases(), maxRequests: h.MaxRequests, indexed: h.Indexed, patience: patience}
	if h.ByIMDb {
		s.cases = withIDs(s.cases)
	}
	if len(h.Cases) > 0 {
		s.cases = neighbours(h.Cases)
	}
	if in.Link != nil {
		s.cases = linked(s.cases, in.Link)
	}
	if s.maxRequests == 0 {
		s.maxRequests = defaultMaxRequests
	}
	return s
}

// linked is cases with links in the place of theirs.
func linked(cases []Case, of func(link string) string) []Case {
	for i, c := range cases {
		cases[i].URLs = nil
		for _, address := range c.URLs {
			cases[i].URLs = append(cases[i].URLs, of(address))
		}
	}
	return cases
}

// check is one point of the contract.
type check struct {
	name   string
	server bool // needs a server
	run    func(ctx context.Context, s subject) error
}

func checks() []check {
	all := []check{
		{"describes itself", false, checkInfo},
		{"finds what it has and nothing else", false, checkCases},
		{"yields well-formed sources", false, checkSources},
		{"tells what it comes across", false, checkSightings},
		{"serves concurrent searches", false, checkConcurrent},
		{"heeds an ended context", false, checkEnded},
		{"bounds its requests", true, checkRequests},
		{"tells an empty answer from a broken one", true, checkEmpty},
		{"recovers with its server", true, checkRecovery},
		{"tells a failure midway from an empty answer", true, checkMidway},
		{"stops reading an endless answer", true, checkEndless},
		{"stops when cancelled", true, checkCancel},
		{"leaves no goroutine behind", true, checkGoroutines},
		{"keeps control characters out of errors", true, checkErrorText},
	}
	for _, m := range []world.Mode{world.Mode403, world.Mode429, world.Mode500, world.Mode503, world.ModeReset, world.ModeHTML, world.ModeLogin, world.ModeTruncated} {
		all = append(all, check{"blames the server for " + string(m), true, func(ctx context.Context, s subject) error {
			s.server.SetMode(m)
			return s.expectClass(ctx, sources.ClassHosterFault)
		}})
	}
	for _, m := range []world.Mode{world.Mode404, world.Mode410, world.ModeM3U, world.ModeBadJSON} {
		all = append(all, check{"fails on " + string(m), true, func(ctx context.Context, s subject) error {
			s.server.SetMode(m)
			return s.expectFault(ctx)
		}})
	}
	for _, m := range []world.Mode{world.ModeHang, world.ModeSlow} {
		all = append(all, check{"keeps its deadline in mode " + string(m), true, func(ctx context.Context, s subject) error {
			return checkDeadline(ctx, s, m)
		}})
	}
	for _, b := range []struct{ name, body string }{
		{"no body", ""}, {"plain text", "closed"}, {"garbage", "\x00\xff{["}, {"a number", "42"},
	} {
		all = append(all, check{"fails on " + b.name, true, func(ctx context.Context, s subject) error {
			s.server.SetBody([]byte(b.body))
			return s.expectFault(ctx)
		}})
	}
	return all
}

// search collects what the site yields. A search that outlives its context by
// more than patience is left behind.
func (s subject) search(ctx context.Context, t sources.Title) ([]sources.Source, error) {
	var mu sync.Mutex // a search that was left behind may still yield
	var found []sources.Source
	done := make(chan error, 1)
	go func() {
		done <- s.site.Search(ctx, t, func(src sources.Source) {
			mu.Lock()
			defer mu.Unlock()
			found = append(found, src)
		})
	}()
	select {
	case err := <-done:
		return found, err
	case <-ctx.Done():
	case <-time.After(10 * s.patience):
	}
	select {
	case err := <-done:
		return found, err
	case <-time.After(s.patience):
	}
	mu.Lock()
	defer mu.Unlock()
	return slices.Clone(found), errLate
}

// errLate is what search gives for a search that does not end.
var errLate = errors.New("the search did not end in time")

// outcome describes err for the message of a check.
func outcome(err error) string {
	if err == nil {
		return "no error"
	}
	return fmt.Sprintf("class %q (%s)", sources.ClassOf(err), err.Error())
}

// known is a title that the site has.
func (s subject) known() sources.Title {
	i := slices.IndexFunc(s.cases, func(c Case) bool { return c.Some || len(c.URLs) > 0 })
	return s.cases[max(i, 0)].Title
}

// verify searches for the title of c and compares.
func (s subject) verify(ctx context.Context, c Case) error {
	found, err := s.search(ctx, c.Title)
	if err != nil {
		return fmt.Errorf("%s: searching for %v failed: %w", c.Name, c.Title, err)
	}
	got := urls(found)
	if c.Some {
		if len(got) == 0 {
			return fmt.Errorf("%s: nothing yielded for %v", c.Name, c.Title)
		}
		return nil
	}
	want := slices.Clone(c.URLs)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s: for %v the site yields\n%q, want\n%q", c.Name, c.Title, got, want)
	}
	return nil
}

// urls are the distinct URLs of found, sorted.
func urls(found []sources.Source) []string {
	all := make([]string, len(found))
	for i, src := range found {
		all[i] = src.URL
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func checkInfo(_ context.Context, s subject) error {
	info := s.site.Info()
	if info.Key == "" || info.Name == "" || info.Type == "" {
		return fmt.Errorf("info lacks key, name or type: %+v", info)
	}
	if again := s.site.Info(); again != info {
		return fmt.Errorf("info changes from %+v to %+v", info, again)
	}
	return nil
}

func checkCases(ctx context.Context, s subject) error {
	var errs []error
	for _, c := range s.cases {
		errs = append(errs, s.verify(ctx, c))
	}
	return errors.Join(errs...)
}

func checkSources(ctx context.Context, s subject) error {
	var errs []error
	for _, c := range s.cases {
		found, err := s.search(ctx, c.Title)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.Name, err))
		}
		for _, src := range found {
			if err := wellFormed(src); err != nil {
				errs = append(errs, fmt.Errorf("%s: source %q: %w", c.Name, src.URL, err))
			}
		}
	}
	return errors.Join(errs...)
}

func wellFormed(src sources.Source) error {
	var errs []error
	if u, err := link.Parse(src.URL); err != nil {
		errs = append(errs, err)
	} else if u.Scheme == "" && !strings.HasPrefix(src.URL, "/") {
		errs = append(errs, errors.New("the URL is empty or relative"))
	}
	if strings.TrimSpace(src.Name) == "" {
		errs = append(errs, errors.New("it has no name"))
	}
	for _, text := range append([]string{src.URL, src.Name, src.Language, src.Unplayable}, src.Info...) {
		if !clean(text) {
			errs = append(errs, fmt.Errorf("%q holds control characters or the rest of an escape sequence", text))
		}
	}
	if src.SizeBytes < 0 {
		errs = append(errs, fmt.Errorf("its size is %d", src.SizeBytes))
	}
	return errors.Join(errs...)
}

// checkSightings wants a site that finds a title to have seen it, with the episode, by a
// name that is the title's, at the price of no further request.
func checkSightings(ctx context.Context, s subject) error {
	var errs []error
	for _, c := range s.cases {
		var mu sync.Mutex
		var seen []sources.Sighting
		wanted := sources.WithSightings(ctx, func(n sources.Sighting) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, n)
		})
		first, err := s.counted(wanted, c.Title)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: searching for %v failed: %w", c.Name, c.Title, err))
			continue
		}
		if first > s.maxRequests {
			errs = append(errs, fmt.Errorf("%s: %d requests, want %d at most", c.Name, first, s.maxRequests))
		}
		told := seen
		without, err := s.counted(ctx, c.Title)
		with, wantedErr := s.counted(wanted, c.Title)
		if err = errors.Join(err, wantedErr); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.Name, err))
		} else if with != without {
			errs = append(errs, fmt.Errorf("%s: to tell what it sees it makes %d requests in the place of %d", c.Name, with, without))
		}
		for _, n := range told {
			if !clean(n.Name+n.OriginalName) || n.Name == "" {
				errs = append(errs, fmt.Errorf("%s: it saw a title called %q, %q", c.Name, n.Name, n.OriginalName))
			}
		}
		if (c.Some || len(c.URLs) > 0) && !slices.ContainsFunc(told, func(n sources.Sighting) bool { return isSightingOf(n, c.Title) }) {
			errs = append(errs, fmt.Errorf("%s: it found %v and saw only %+v", c.Name, c.Title, told))
		}
	}
	return errors.Join(errs...)
}

// counted searches, and counts the requests.
func (s subject) counted(ctx context.Context, t sources.Title) (requests int, err error) {
	before := 0
	if s.server != nil {
		before = s.server.Requests()
	}
	if _, err = s.search(ctx, t); s.server != nil {
		requests = s.server.Requests() - before
	}
	return requests, err
}

// isSightingOf tells whether n is t, or the series of the episode t with that among
// its own.
func isSightingOf(n sources.Sighting, t sources.Title) bool {
	if n.Kind != t.Kind || t.Kind == sources.KindEpisode && !slices.Contains(n.Episodes, sources.EpisodeNumber{Season: t.Season, Episode: t.Episode}) {
		return false
	}
	return match.Title(t, match.Candidate{Names: []string{n.Name, n.OriginalName}, Year: n.Year, IMDb: n.IMDb}) != match.None
}

// clean tells whether text may be put on a terminal. The remains are those of
// the sequences in Films.
func clean(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	for _, remains := range []string{"[31m", "[0m", "[7m", "[2J", "]0;owned"} {
		if strings.Contains(text, remains) {
			return false
		}
	}
	return !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	})
}

func checkConcurrent(ctx context.Context, s subject) error {
	errs := make([]error, 2*len(s.cases))
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() { errs[i] = s.verify(ctx, s.cases[i%len(s.cases)]) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// checkEnded asks with a context that is already cancelled. A site that needs
// nobody may still answer; nobody may call it a fault.
func checkEnded(ctx context.Context, s subject) error {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	_, err := s.search(ctx, s.known())
	class := sources.ClassOf(err)
	if class == sources.ClassCancelled || (class == sources.ClassOK && s.server == nil) {
		return nil
	}
	return fmt.Errorf("a search with a cancelled context gives %s, want class %q", outcome(err), sources.ClassCancelled)
}

func checkRequests(ctx context.Context, s subject) error {
	var errs []error
	for i, c := range s.cases {
		before := s.server.Requests()
		if _, err := s.search(ctx, c.Title); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", c.Name, err))
		}
		least := 1
		if s.indexed && i > 0 {
			least = 0
		}
		if n := s.server.Requests() - before; n < least || n > s.maxRequests {
			errs = append(errs, fmt.Errorf("%s: %d requests for one search, want %d to %d", c.Name, n, least, s.maxRequests))
		}
	}
	return errors.Join(errs...)
}

func checkEmpty(ctx context.Context, s subject) error {
	s.server.SetMode(world.ModeEmpty)
	found, err := s.search(ctx, s.known())
	if err != nil || len(found) > 0 {
		return fmt.Errorf("a server without films gives %d sources and %s, want neither source nor error", len(found), outcome(err))
	}
	return nil
}

func checkRecovery(ctx context.Context, s subject) error {
	s.server.SetMode(world.Mode503)
	if err := s.expectClass(ctx, sources.ClassHosterFault); err != nil {
		return err
	}
	s.server.SetMode(world.ModeOK)
	found, err := s.search(ctx, s.known())
	if err != nil || len(found) == 0 {
		return fmt.Errorf("after its server recovered the site gives %d sources and %s", len(found), outcome(err))
	}
	return nil
}

// expectFault searches for a known title and wants an error that is neither a
// cancellation nor our own bug, soon, and within the bound of requests.
func (s subject) expectFault(ctx context.Context) error {
	_, err := s.faultClass(ctx)
	return err
}

// expectClass is expectFault for one class.
func (s subject) expectClass(ctx context.Context, want sources.Class) error {
	class, err := s.faultClass(ctx)
	if err == nil && class != want {
		return fmt.Errorf("the fault has class %q, want %q", class, want)
	}
	return err
}

func (s subject) faultClass(ctx context.Context) (sources.Class, error) {
	before, begin := s.server.Requests(), time.Now()
	_, err := s.search(ctx, s.known())
	class := sources.ClassOf(err)
	switch {
	case errors.Is(err, errLate):
		return class, err
	case class == sources.ClassOK:
		return class, errors.New("the fault is taken for an answer")
	case class == sources.ClassCancelled || class == sources.ClassBug:
		return class, fmt.Errorf("the fault has class %q: %w", class, err)
	}
	if d := time.Since(begin); d > s.patience {
		return class, fmt.Errorf("the fault took %v", d)
	}
	if n := s.server.Requests() - before; n > s.maxRequests {
		return class, fmt.Errorf("%d requests in the face of a fault, want %d at most", n, s.maxRequests)
	}
	return class, nil
}

func checkDeadline(ctx context.Context, s subject, m world.Mode) error {
	s.server.SetMode(m)
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	_, err := s.search(ctx, s.known())
	if sources.ClassOf(err) != sources.ClassHosterFault {
		return fmt.Errorf("the deadline gives %s, want class %q", outcome(err), sources.ClassHosterFault)
	}
	var timeout interface{ Timeout() bool }
	if !errors.Is(err, context.DeadlineExceeded) && (!errors.As(err, &timeout) || !timeout.Timeout()) {
		return fmt.Errorf("the deadline does not show in the error: %w", err)
	}
	return nil
}

// checkMidway has the server fail after each number of answers that a search
// takes. What the site yielded before may be worth more than the error, but
// with nothing yielded it must not say that there is nothing.
func checkMidway(ctx context.Context, s subject) error {
	var errs []error
	for _, c := range s.cases {
		if !c.Some && len(c.URLs) == 0 {
			continue
		}
		for n := 1; n <= s.maxRequests; n++ {
			before := s.server.Requests()
			s.server.SetMode(world.ModeOK)
			s.server.SetModeAfter(n, world.Mode500)
			found, err := s.search(ctx, c.Title)
			if s.server.Requests()-before <= n {
				break
			}
			switch class := sources.ClassOf(err); {
			case class == sources.ClassOK && len(found) == 0:
				errs = append(errs, fmt.Errorf("%s: a failure after %d answers is taken for nothing found", c.Name, n))
			case class == sources.ClassCancelled || class == sources.ClassBug:
				errs = append(errs, fmt.Errorf("%s: a failure after %d answers has class %q: %w", c.Name, n, class, err))
			}
		}
	}
	return errors.Join(errs...)
}

// checkEndless takes a while: all that the site is willing to read comes.
func checkEndless(ctx context.Context, s subject) error {
	s.server.SetMode(world.ModeEndless)
	if _, err := s.search(ctx, s.known()); sources.ClassOf(err) != sources.ClassHosterFault {
		return fmt.Errorf("an endless answer gives %s, want class %q", outcome(err), sources.ClassHosterFault)
	}
	return nil
}

// checkGoroutines counts those that are in our own code, but not in the server's.
func checkGoroutines(ctx context.Context, s subject) error {
	before := goroutines()
	if err := checkCancel(ctx, s); err != nil {
		return err
	}
	left := 0
	for end := time.Now().Add(s.patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if left = goroutines() - before; left <= 0 {
			return nil
		}
	}
	return fmt.Errorf("%d goroutines are left after a cancelled search", left)
}

func goroutines() int {
	buf := make([]byte, 64<<10)
	n := runtime.Stack(buf, true)
	for n == len(buf) {
		buf = make([]byte, 2*len(buf))
		n = runtime.Stack(buf, true)
	}
	count := 0
	for stack := range strings.SplitSeq(string(buf[:n]), "\n\n") {
		if strings.Contains(stack, "\nxship/") && !strings.Contains(stack, "\nxship/sources/sourcetest/world.") {
			count++
		}
	}
	return count
}

func checkCancel(ctx context.Context, s subject) error {
	s.server.SetMode(world.ModeHang)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	before := s.server.Requests()
	go func() {
		for s.server.Requests() == before && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := s.search(ctx, s.known()); sources.ClassOf(err) != sources.ClassCancelled {
		return fmt.Errorf("a cancelled search gives %s, want class %q", outcome(err), sources.ClassCancelled)
	}
	return nil
}

func checkErrorText(ctx context.Context, s subject) error {
	s.server.SetBody([]byte("\x1b[31mno permission\x1b[0m\x07"))
	_, err := s.search(ctx, s.known())
	if err == nil {
		return errors.New("plain text is taken for an answer")
	}
	if !clean(err.Error()) {
		return fmt.Errorf("the error shows what came: %q", err.Error())
	}
	return nil
}
