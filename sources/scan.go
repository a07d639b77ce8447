package sources

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"xship/sources/link"
	"xship/sources/text"
)

// Defaults of a Scanner whose fields are zero.
const (
	defaultScanTimeout = 30 * time.Second
	defaultSiteTimeout = 10 * time.Second
	defaultWorkers     = 20
)

const (
	// keptFor is how long the stored answer of a site stands in for a new one
	// that did not come or was empty.
	keptFor = 6 * time.Hour
	// fairChance is how long a site must have had before the end of the whole
	// scan counts against it.
	fairChance = time.Second
	// storeTimeout bounds a write to the store.
	storeTimeout = 2 * time.Second
)

// Scanner asks the sites of an interface for a title.
type Scanner struct {
	Store    ScanStore        // nil: nothing is remembered
	Books    *Bookkeeper      // makes the writes to Store; nil: they are part of the scan
	Now      func() time.Time // nil: time.Now
	Logger   *slog.Logger     // nil: silent
	Observer Observer         // told of each site that was asked; nil: nobody
	Describe func(*Source)    // fills in what a source's name tells; called concurrently; may be nil
	// Likeness tells how much what sites come across is like a title: of too much, what is
	// least like it is forgotten. What it gives is called concurrently. nil: nobody wants
	// to know what they come across.
	Likeness    func(Title) func(Sighting) float64
	Workers     int           // sites asked at once
	Timeout     time.Duration // the whole scan; what has arrived by then is the answer
	SiteTimeout time.Duration // one site; a shorter timeout of its own wins
	CacheTTL    time.Duration // a stored scan younger than this is the answer; 0 = never
	// Facts finds out what is known of the title, for sites that want its IMDb id. It is
	// called once a scan, when such a site is to be asked and the title has none, and has
	// three seconds. Without an id these sites are skipped. nil: nothing is known.
	Facts func(context.Context) (TitleFacts, error)
	// Choose lets the user choose between what Facts found and its Others, and gives what
	// is known of that one. The scan's clock stands still meanwhile. nil: nobody is there.
	Choose func(context.Context, TitleFacts) (TitleFacts, error)
}

// ScanOptions are the wishes for one scan.
type ScanOptions struct {
	// Refresh asks the sites even where the store has an answer or a site rests.
	Refresh bool
	// Progress is told what has arrived, by the goroutine that called, and keeps nothing
	// of what it is given. While it takes its time the scan goes on; what it hears of
	// after that is the latest.
	Progress func(ScanProgress)
}

// ScanProgress is the state of a running scan.
type ScanProgress struct {
	Sources []Source // so far, in order of arrival, duplicates included
	Waiting []string // names of the sites asked and not done
	Done    int      // sites done
	Total   int      // sites asked
}

// ScanResult is the answer of a scan.
type ScanResult struct {
	Title     Title
	Interface Interface
	// FailedOverFrom are the URLs of the interfaces that were tried before, in order.
	// It is set by who loaded the interface.
	FailedOverFrom []string
	FromCache      bool
	Elapsed        time.Duration // without Waited
	Waited         time.Duration // for the user to choose a title
	Facts          *TitleFacts   // of the title, that sites were asked with; nil: of none
	Sources        []Source      // all of them, without duplicates, best first
	Sites          []SiteReport  // in the order of the interface
}

// NoAnswerError says that no site gave a usable answer, which is not the same
// as a title that nobody has.
type NoAnswerError struct {
	Title Title
	Sites []SiteReport
}

func (e *NoAnswerError) Error() string {
	if len(e.Sites) == 0 {
		return fmt.Sprintf("no site could be asked for %s: the interface has none", e.Title)
	}
	reasons := make([]string, 0, len(e.Sites))
	for _, s := range e.Sites {
		reasons = append(reasons, fmt.Sprintf("%s: %s: %s", s.Name, s.Status, s.Error))
	}
	return fmt.Sprintf("none of %s gave a usable answer for %s: %s", text.Plural(len(e.Sites), "site"), e.Title, strings.Join(reasons, "; "))
}

// ErrorCode implements text.Coded.
func (*NoAnswerError) ErrorCode() string { return "no_answer" }

// Scan asks sites for t and gives all sources found, or those stored less than
// CacheTTL ago. It returns at Timeout at the latest, whatever the sites do. A
// site that did not answer, or had nothing, keeps what it gave within the last
// six hours.
//
// When ctx is cancelled, Scan returns at once with what has arrived and the
// error of ctx. When no site gave a usable answer the error is a
// *NoAnswerError. A failing store is logged and costs only the memory of it.
func (s *Scanner) Scan(ctx context.Context, t Title, iface Interface, sites []Site, o ScanOptions) (ScanResult, error) {
	return new(ScanGroup).Scan(ctx, s, t, iface, sites, o)
}

// newRun prepares a scan. It ends when its context does.
func (s *Scanner) newRun(t Title, iface Interface, sites []Site, refresh bool) *scanRun {
	r := &scanRun{
		Scanner: s, title: t, titleKey: t.Key(), trailerTitle: s.namesTrailer(t), iface: iface, sites: sites, refresh: refresh, progress: newAudience(),
		started: s.now(), order: siteOrder(sites), reports: make([]SiteReport, len(sites)), found: make([][]Source, len(sites)),
		yielded: make([]siteSources, len(sites)), peeks: make(chan peek),
	}
	if s.Likeness != nil {
		r.likeness = s.Likeness(t)
	}
	for i, site := range sites {
		r.reports[i] = SiteReport{SiteInfo: site.Info()}
		r.yielded[i].seen.likeness = r.likeness
	}
	return r
}

// run is the whole scan.
func (r *scanRun) run(ctx context.Context) (ScanResult, error) {
	defer r.pauses.wait() // a question that is on screen is gone when the scan ends
	r.load(ctx)
	fromCache := false
	if stored, ok := r.fresh(); ok && !r.refresh && !r.learned(ctx, stored) {
		local := r.localSites()
		if len(local) == 0 {
			return r.result(stored, r.found, true), nil
		}
		if fromCache = len(local) < len(r.sites); fromCache {
			r.askAgain(ctx, stored, local)
		}
	}
	if !fromCache {
		r.ask(ctx)
	}
	r.during(nil, func() { r.touch(ctx) })
	if wasCancelled(ctx) {
		return r.result(r.reports, r.found, fromCache), context.Canceled
	}
	if fromCache {
		r.during(nil, func() { r.save(ctx, r.stored.ScannedAt) })
		return r.result(r.reports, r.found, true), nil
	}
	result, err := r.answer(r.reports, r.found)
	if err == nil && slices.ContainsFunc(r.reports, func(r SiteReport) bool { return r.Status.Answered() }) {
		r.during(nil, func() { r.save(ctx, r.now()) })
	}
	return result, err
}

// answer is the result of a scan that was not cancelled.
func (r *scanRun) answer(reports []SiteReport, found [][]Source) (ScanResult, error) {
	useful := func(s SiteReport) bool { return s.Status.Answered() || s.Sources > 0 }
	if !slices.ContainsFunc(reports, useful) {
		return r.result(reports, found, false), &NoAnswerError{Title: r.title, Sites: reports}
	}
	return r.result(reports, found, false), nil
}

func (s *Scanner) now() time.Time { return OrNow(s.Now)() }

func (s *Scanner) logger() *slog.Logger { return OrSilent(s.Logger) }

func siteOrder(sites []Site) map[string]int {
	order := make(map[string]int, len(sites))
	for i, site := range sites {
		if key := site.Info().Key; key != "" {
			if _, ok := order[key]; !ok {
				order[key] = i
			}
		}
	}
	return order
}

// scanRun is one scan: owned by the goroutine that runs it.
type scanRun struct {
	*Scanner
	title    Title
	titleKey string
	iface    Interface
	sites    []Site
	refresh  bool
	progress *audience
	asked    int       // how many sites are asked now, or were last
	peeks    chan peek // callers that leave and want what has arrived
	started  time.Time
	order    map[string]int // index of each site by key
	stored   *StoredScan    // nil where nothing is stored
	reports  []SiteReport   // by site
	yielded  []siteSources  // by site, on its way to found
	found    [][]Source     // by site, what it gave now
	hosters  hosters
	arrived  []Source // in order of arrival, for progress
	outcomes []SiteOutcome
	cut      bool // the time was over before all sites were done
	lookup   lookup
	pauses   pauses
	likeness func(Sighting) float64 // to the title, nil where nobody wants to know what is seen

	trailerTitle bool // a name of the title reads like that of a trailer, so that only sites tell
}

func (r *scanRun) load(ctx context.Context) {
	if r.Store == nil {
		return
	}
	var stored *StoredScan
	var err error
	r.during(r.allSites(), func() { stored, err = r.Store.LoadScan(ctx, r.iface.URL, r.title) })
	if err != nil && ctx.Err() == nil {
		r.logger().Warn("the stored list could not be read", "title", r.title.String(), "error", err)
	}
	r.stored = stored
}

// during calls the store, and gives what has arrived to callers that leave meanwhile;
// waiting are the sites to be asked after that.
func (r *scanRun) during(waiting []int, call func()) {
	done := make(chan struct{})
	var moved *MovedPanic
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				moved = MovePanic(p)
			}
		}()
		call()
	}()
	for {
		select {
		case <-r.progress.joined:
			r.tell(nil, nil)
		case p := <-r.peeks:
			p.reply <- r.soFar(p.cancelled, waiting, nil)
		case <-done:
			if moved != nil {
				panic(moved)
			}
			return
		}
	}
}

func (r *scanRun) allSites() []int {
	all := make([]int, len(r.sites))
	for i := range all {
		all[i] = i
	}
	return all
}

// fresh gives the reports of the stored scan where it is young enough to be
// the answer and asked the very sites that the interface has now. A stored scan
// from the future is old.
func (r *scanRun) fresh() ([]SiteReport, bool) {
	if r.stored == nil || len(r.stored.Answers) == 0 || !r.sameSites() || r.missedBeside() {
		return nil, false
	}
	age := r.started.Sub(r.stored.ScannedAt)
	return r.stored.Sites, age >= 0 && age < r.CacheTTL
}

func (r *scanRun) sameSites() bool {
	asked := make(map[string]bool, len(r.stored.Sites))
	for _, report := range r.stored.Sites {
		if _, ok := r.order[report.Key]; !ok {
			return false
		}
		asked[report.Key] = true
	}
	return len(asked) == len(r.order)
}

// localSites are the sites that are Local, which a stored scan does not stand for.
func (r *scanRun) localSites() []int {
	return slices.DeleteFunc(r.allSites(), func(i int) bool { return !r.sites[i].Info().Local })
}

// askAgain asks the local sites. What the others answered is that of the stored scan.
func (r *scanRun) askAgain(ctx context.Context, stored []SiteReport, local []int) {
	for _, report := range stored {
		r.reports[r.order[report.Key]] = report
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.fanOut(ctx, local)
}

// missedBeside tells whether a site that is asked beside the others did not answer the
// stored scan: the others' answer would stand in its place for as long as scans do.
func (r *scanRun) missedBeside() bool {
	return slices.ContainsFunc(r.stored.Sites, func(report SiteReport) bool {
		return r.sites[r.order[report.Key]].Info().Beside && report.Status.Missed()
	})
}

// ask asks all sites but those that rest; where that leaves none that xship
// can ask, it asks those as well.
func (r *scanRun) ask(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var active, resting []int
	rests := r.rests(ctx)
	for i := range r.sites {
		if rest, ok := rests[r.reports[i].Key]; ok {
			resting = append(resting, i)
			r.reports[i].Status = SiteSkipped
			r.reports[i].Error = fmt.Sprintf("rests for another %s after failing: %s", rest.Until.Sub(r.started).Round(time.Second), rest.Reason)
			r.reports[i].Seen = r.seen(i, SiteSkipped)
			continue
		}
		active = append(active, i)
	}
	r.fanOut(ctx, r.takeTurns(active))
	if !slices.ContainsFunc(active, func(i int) bool { return r.reports[i].Status != SiteUnsupported }) {
		r.fanOut(ctx, resting)
	}
}

// takeTurns orders the sites to be asked. Where they are more than can be asked
// at once, another group of them is first from second to second, so that those
// behind many that hang have their turn.
func (r *scanRun) takeTurns(indices []int) []int {
	workers := OrDefault(r.Workers, defaultWorkers)
	groups := (len(indices) + workers - 1) / workers
	if groups < 2 {
		return indices
	}
	first := int(r.started.Unix()%int64(groups)) * workers
	return slices.Concat(indices[first:], indices[:first])
}

func (r *scanRun) rests(ctx context.Context) map[string]SiteRest {
	if r.Store == nil || r.refresh {
		return nil
	}
	var rests map[string]SiteRest
	var err error
	r.during(r.allSites(), func() { rests, err = r.Store.RestingSites(ctx, r.iface.URL) })
	if err != nil && ctx.Err() == nil {
		r.logger().Warn("resting sites could not be read, asking all", "error", err)
	}
	return rests
}

// siteEvent is what a site's goroutine tells the scan: that it starts, that it
// yielded something, or its end.
type siteEvent struct {
	site   int
	starts bool
	report *SiteReport
	class  Class // of the outcome, with report
}

// siteSources holds what a site yielded, and what that has in common.
type siteSources struct {
	site  string
	key   []byte // of sourceID: that of the title, a zero byte, and the last link
	title int    // how much of key is the title's
	src   Source // the last one

	mu     sync.Mutex
	all    []Source
	seen   seenTitles
	closed bool
}

// saw keeps what the site came across, unless that has been taken for good.
func (s *siteSources) saw(n Sighting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.seen.add(n)
	}
}

// sightings are what the site came across so far.
func (s *siteSources) sightings() []Sighting {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.all()
}

// add keeps the last source, unless what was yielded has been taken for good.
func (s *siteSources) add() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if s.all == nil {
		s.all = make([]Source, 0, 16)
	}
	s.all = append(s.all, s.src)
}

// take is what was yielded so far. With last, nothing is added any more.
func (s *siteSources) take(last bool) []Source {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = s.closed || last
	return slices.Clip(s.all)
}

// fanOut asks the sites with the given indices, Workers at once, and returns
// when all are done or ctx ends.
func (r *scanRun) fanOut(ctx context.Context, indices []int) {
	events := make(chan siteEvent)
	queue := make(chan int, len(indices))
	var wanting []int // for which the others do not wait
	for _, i := range indices {
		r.reports[i] = SiteReport{SiteInfo: r.sites[i].Info()}
		if r.wantsFacts(i) {
			wanting = append(wanting, i)
			continue
		}
		queue <- i
	}
	if len(wanting) == 0 {
		close(queue)
	} else {
		go func() {
			defer close(queue)
			_, _ = r.lookUp(ctx) // which keeps what it comes to
			for _, i := range wanting {
				queue <- i
			}
		}()
	}
	for range min(OrDefault(r.Workers, defaultWorkers), len(indices)) {
		go func() {
			for i := range queue {
				if ctx.Err() != nil {
					return
				}
				r.runSite(ctx, i, events)
			}
		}()
	}
	startedAt := make(map[int]time.Time, len(indices))
	waiting := slices.Clone(indices)
	r.asked = len(indices)
	for len(waiting) > 0 {
		select {
		case <-ctx.Done():
			r.giveUp(ctx, waiting, startedAt)
			return
		case <-r.progress.joined:
			r.tell(waiting, startedAt)
		case p := <-r.peeks:
			p.reply <- r.soFar(p.cancelled, waiting, startedAt)
		case e := <-events:
			if e.starts {
				startedAt[e.site] = r.now()
				r.tell(waiting, startedAt)
				continue
			}
			r.take(e.site, e.report != nil)
			if e.report != nil {
				waiting = slices.DeleteFunc(waiting, func(i int) bool { return i == e.site })
				r.finish(ctx, e, startedAt[e.site])
			}
			r.tell(waiting, startedAt)
		}
	}
}

// take adds what site i yielded to what was found; last tells that it is all.
func (r *scanRun) take(i int, last bool) {
	all := r.yielded[i].take(last)
	switch {
	case !r.progress.any():
		r.arrived = nil
	case r.arrived == nil: // the first who wants to hear of it
		r.arrived = slices.Concat(r.found...)
		fallthrough
	default:
		r.arrived = append(r.arrived, all[len(r.found[i]):]...)
	}
	r.found[i] = all
}

// tell tells everybody how the scan goes, once sites are asked.
func (r *scanRun) tell(waiting []int, startedAt map[int]time.Time) {
	if r.asked == 0 || !r.progress.any() {
		return
	}
	if r.arrived == nil { // who listens came after the last source
		r.arrived = slices.Concat(r.found...)
	}
	p := ScanProgress{Sources: r.arrived, Done: r.asked - len(waiting), Total: r.asked}
	for _, i := range waiting {
		if _, ok := startedAt[i]; ok {
			p.Waiting = append(p.Waiting, r.reports[i].Name)
		}
	}
	r.progress.tell(p)
}

// finish notes the end of a site and what it means for the site's rest. A bug
// of ours, a site that asks nobody, and one that failed beside the others mean nothing.
func (r *scanRun) finish(ctx context.Context, e siteEvent, started time.Time) {
	report := *e.report
	report.Sources, report.Seen = len(r.found[e.site]), r.seen(e.site, report.Status)
	if report.Status == SiteEmpty && report.Sources > 0 {
		report.Status = SiteOK
	}
	r.done(ctx, e.site, report, e.class)
	switch {
	case report.Offline, e.class == ClassBug:
	case report.Status.Answered():
		r.outcomes = append(r.outcomes, SiteOutcome{Site: report.Key, Started: started, OK: true})
	case report.Beside:
	case report.Status == SiteError, report.Status == SiteTimeout:
		r.outcomes = append(r.outcomes, SiteOutcome{Site: report.Key, Started: started, Error: report.Error})
	}
}

// seen is what site i came across. Where it gave no answer that counts for all, what it
// told the stored scan stands beside that, as its sources do.
func (r *scanRun) seen(i int, status SiteStatus) []Sighting {
	now := r.yielded[i].sightings()
	if status.Answered() || r.likeness == nil || r.stored == nil || r.now().Sub(r.stored.ScannedAt) >= keptFor {
		return now
	}
	for _, before := range r.stored.Sites {
		if r.order[before.Key] != i || before.Key != r.reports[i].Key || len(before.Seen) == 0 {
			continue
		}
		both := seenTitles{likeness: r.likeness}
		for _, s := range slices.Concat(now, before.Seen) {
			both.add(s)
		}
		return both.all()
	}
	return now
}

// done notes what became of site i.
func (r *scanRun) done(ctx context.Context, i int, report SiteReport, class Class) {
	r.reports[i] = report
	if r.Observer != nil {
		r.Observer.Observe(ctx, SiteDone{Interface: r.iface, Title: r.title, Report: report, Class: class})
	}
}

// giveUp ends the scan with the given sites still out: it was cancelled or its time
// is over.
func (r *scanRun) giveUp(ctx context.Context, waiting []int, startedAt map[int]time.Time) {
	r.cut = true
	cancelled := wasCancelled(ctx)
	for _, i := range waiting {
		r.take(i, true)
		started, asked := startedAt[i]
		report := r.unfinished(i, cancelled, started, asked)
		if !asked {
			r.reports[i] = report
			continue
		}
		r.done(ctx, i, report, ClassCancelled)
		if report.Status == SiteTimeout && report.Elapsed >= fairChance && !report.Beside {
			r.outcomes = append(r.outcomes, SiteOutcome{Site: report.Key, Started: started, Error: report.Error})
		}
	}
}

// unfinished is the report of a site that is still out when its scan ends.
func (r *scanRun) unfinished(i int, cancelled bool, started time.Time, asked bool) SiteReport {
	report := r.reports[i]
	report.Sources, report.Seen = len(r.found[i]), r.seen(i, SiteSkipped)
	if asked {
		report.Elapsed = r.now().Sub(started)
	}
	switch {
	case cancelled:
		report.Status, report.Error = SiteSkipped, "cancelled"
	case !asked:
		report.Status, report.Error = SiteSkipped, "not asked: the time of the scan was over"
	default:
		report.Status = SiteTimeout
		report.Error = fmt.Sprintf("no answer when the time of the scan was over, after %s", report.Elapsed.Round(time.Millisecond))
	}
	return report
}

// soFar is what one caller gets who leaves while the scan goes on for others.
func (r *scanRun) soFar(cancelled bool, waiting []int, startedAt map[int]time.Time) scanOutcome {
	reports, found := slices.Clone(r.reports), make([][]Source, len(r.found))
	for _, i := range waiting {
		r.take(i, false)
		started, asked := startedAt[i]
		reports[i] = r.unfinished(i, cancelled, started, asked)
	}
	for i, sources := range r.found {
		found[i] = slices.Clone(sources) // the sites go on with theirs
	}
	if cancelled {
		return scanOutcome{result: r.result(reports, found, false), err: context.Canceled}
	}
	result, err := r.answer(reports, found)
	return scanOutcome{result: result, err: err}
}

// runSite asks a site and reports. It leaves a site that does not heed its
// context behind.
func (r *scanRun) runSite(ctx context.Context, i int, events chan<- siteEvent) {
	send := func(e siteEvent) {
		select {
		case events <- e:
		case <-ctx.Done():
		}
	}
	send(siteEvent{site: i, starts: true})

	info := r.sites[i].Info()
	limit := OrDefault(r.SiteTimeout, defaultSiteTimeout)
	if info.Timeout > 0 && info.Timeout < limit {
		limit = info.Timeout
	}
	siteCtx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	started := r.now()
	done := make(chan error, 1)
	go func() {
		yielded := &r.yielded[i]
		siteCtx := siteCtx
		if r.likeness != nil {
			siteCtx = WithSightings(siteCtx, yielded.saw)
		}
		yielded.site, yielded.key, yielded.title = info.Key, append([]byte(r.titleKey), 0), len(r.titleKey)+1
		done <- r.search(siteCtx, i, func(src Source) {
			if siteCtx.Err() != nil {
				return
			}
			yielded.src = src
			r.prepare(yielded)
			yielded.add()
			if !r.progress.any() {
				return // it is all the same until the site is done
			}
			select {
			case events <- siteEvent{site: i}:
			default: // the scan is busy and will look when it has time
			}
		})
	}()
	var err error
	select {
	case err = <-done:
	case <-siteCtx.Done():
		err = siteCtx.Err()
	}
	if err != nil && ctx.Err() != nil { // the scan ends, and says itself what that means
		return
	}
	report := SiteReport{SiteInfo: info, Elapsed: r.now().Sub(started)}
	report.Status, report.Error = statusOf(err, limit)
	var note *NoteError
	if errors.As(err, &note) {
		report.Note = siteError(note)
	}
	send(siteEvent{site: i, report: &report, class: ClassOf(err)})
}

// search is Search of site i with a panic turned into an error.
func (r *scanRun) search(ctx context.Context, i int, yield func(Source)) error {
	if r.refresh {
		ctx = context.WithValue(ctx, refreshKey{}, true)
	}
	title, err := r.titleFor(ctx, i)
	if err != nil {
		return err
	}
	site := r.sites[i]
	return Contain(r.logger(), "reading this site", func() error { return site.Search(ctx, title, yield) }, "site", site.Info().Key)
}

// statusOf says what the error of a search means; limit is the time it had.
func statusOf(err error, limit time.Duration) (SiteStatus, string) {
	var timeout interface{ Timeout() bool }
	switch class := ClassOf(err); {
	case class == ClassOK:
		return SiteEmpty, ""
	case class == ClassUnsupported:
		return SiteUnsupported, siteError(err)
	case class == ClassCancelled && !errors.Is(err, context.Canceled): // it could not be asked
		return SiteSkipped, siteError(err)
	case class == ClassCancelled:
		return SiteSkipped, "cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		return SiteTimeout, fmt.Sprintf("no answer within %s", limit)
	case errors.As(err, &timeout) && timeout.Timeout():
		return SiteTimeout, siteError(err)
	default:
		return SiteError, siteError(err)
	}
}

// siteError is the text of an error or note of a site, whose address stands in the config of an
// interface and may hold secrets like that of the interface itself.
func siteError(err error) string { return link.RedactInterfaceText(text.Clean(err.Error())) }

// prepare fills in what every source has.
func (r *scanRun) prepare(s *siteSources) {
	src := &s.src
	src.Site = s.site
	src.Name = text.Clean(src.Name)
	src.URL = strings.TrimSpace(src.URL)
	if u, err := url.Parse(src.URL); err == nil && u.Host != "" && !strings.Contains(src.URL, "|") {
		s.key = link.AppendCanonical(s.key[:s.title], u)
		src.Hoster = r.hosters.of(u)
	} else {
		s.key = append(s.key[:s.title], link.Canonical(src.URL)...)
		src.Hoster = link.Hoster(src.URL)
	}
	src.ID = sourceID(s.key)
	src.State = StateFound
	if src.Priority == 0 {
		src.Priority = PriorityDefault
	}
	if r.Describe != nil {
		trailer := src.Trailer
		r.Describe(src)
		src.Trailer = trailer || src.Trailer && !r.trailerTitle
	}
}

// namesTrailer tells whether a name of t reads like that of a trailer, as "死亡预告" does.
func (s *Scanner) namesTrailer(t Title) bool {
	return s.Describe != nil && slices.ContainsFunc(append([]string{t.Name, t.OriginalName}, t.Aliases...), func(name string) bool {
		src := Source{Name: name}
		s.Describe(&src)
		return src.Trailer
	})
}

// hosters remembers the hosters of a scan by host: hundreds of links have one.
type hosters struct {
	mu     sync.Mutex
	byHost map[string]string
}

// of is link.HosterOf.
func (h *hosters) of(u *url.URL) string {
	if u.Scheme != "http" && u.Scheme != "https" {
		return link.HosterOf(u)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	hoster, known := h.byHost[u.Host]
	if !known {
		hoster = link.HosterOf(u)
		if h.byHost == nil {
			h.byHost = make(map[string]string)
		}
		h.byHost[u.Host] = hoster
	}
	return hoster
}

// touch reports how the sites fared, also when the scan was cancelled: what is
// known by then is true.
func (r *scanRun) touch(ctx context.Context) {
	if r.Store == nil || len(r.outcomes) == 0 {
		return
	}
	// Successes first: they are what makes a fail of the same scan count.
	slices.SortStableFunc(r.outcomes, func(a, b SiteOutcome) int {
		switch {
		case a.OK == b.OK:
			return 0
		case a.OK:
			return -1
		default:
			return 1
		}
	})
	r.Books.Write(ctx, r.left(), storeTimeout, func(ctx context.Context) {
		if err := r.Store.SiteTouch(ctx, r.iface.URL, r.outcomes); err != nil {
			r.logger().Warn("the health of sites could not be stored", "error", err)
		}
	})
}

// left is what the scan has left of its time, for its list to wait for the store.
func (r *scanRun) left() time.Duration {
	if r.cut {
		return 0
	}
	return OrDefault(r.Timeout, defaultScanTimeout) - r.now().Sub(r.started) + r.pauses.total()
}

// save stores the answers that hold sources. A broken answer is stored only
// where there is none to spoil. A scan that found nothing is not stored: the
// next one asks again. scannedAt is when the sites that are not local were asked.
func (r *scanRun) save(ctx context.Context, scannedAt time.Time) {
	if r.Store == nil {
		return
	}
	now := r.now()
	scan := StoredScan{ScannedAt: scannedAt, Sites: slices.Clone(r.reports), Refreshed: r.refresh} // a copy, as the list does not wait
	if r.cut {
		scan.ScannedAt = now.Add(-r.CacheTTL) // kept, and not the answer of the next scan
	}
	for i, found := range r.found {
		if len(found) > 0 && (r.reports[i].Status == SiteOK || len(r.kept(i, now)) == 0) {
			scan.Answers = append(scan.Answers, SiteAnswer{Site: r.reports[i].Key, SeenAt: now, Sources: slices.Clone(found)})
		}
	}
	if len(scan.Answers) == 0 && !r.nobodyHas(now) {
		return
	}
	r.Books.Keep(ctx, r.left(), storeTimeout, func(ctx context.Context) {
		if err := r.Store.SaveScan(ctx, r.iface.URL, r.title, scan); err != nil {
			r.logger().Warn("the list could not be stored", "title", r.title.String(), "error", err)
		}
	})
}

// nobodyHas tells whether each site that can be asked answered that it has
// nothing, and none gave anything lately.
func (r *scanRun) nobodyHas(at time.Time) bool {
	for i, report := range r.reports {
		if report.Status != SiteEmpty && report.Status != SiteUnsupported || len(r.kept(i, at)) > 0 {
			return false
		}
	}
	return !r.cut
}

// sameClock is how far after at a site may have answered, to somebody else: what it
// gave later than that was recorded under another clock.
const sameClock = time.Minute

// kept is what site i gave before, and less than keptFor before at.
func (r *scanRun) kept(i int, at time.Time) []Source {
	if r.stored == nil {
		return nil
	}
	var kept []Source
	for _, answer := range r.stored.Answers {
		age := at.Sub(answer.SeenAt)
		if j, known := r.order[answer.Site]; known && j == i && age > -sameClock && age < keptFor {
			kept = append(kept, answer.Sources...)
		}
	}
	return kept
}

// result joins what was found with what is stored of the sites that did not
// answer well.
func (r *scanRun) result(reports []SiteReport, found [][]Source, fromCache bool) ScanResult {
	at := r.started
	if fromCache {
		at = r.stored.ScannedAt
	}
	r.restoreStates(found)
	bySite := make([][]Source, 0, 2*len(found))
	for i, site := range found {
		bySite = append(bySite, site)
		if r.sites[i].Info().Local && reports[i].Status.Answered() {
			continue
		}
		if fromCache || len(site) == 0 || reports[i].Status != SiteOK {
			bySite = append(bySite, r.kept(i, at))
		}
	}
	waited := r.pauses.total()
	return ScanResult{
		Title: r.title, Interface: r.iface, FromCache: fromCache, Elapsed: r.now().Sub(r.started) - waited, Waited: waited, Facts: r.lookup.known.Load(),
		Sources: Sort(Deduplicate(bySite...)), Sites: reports,
	}
}

// restoreStates gives links that are found again the state that is stored, and what
// they are known to need. A refreshed scan has dead ones asked again, and a file of the
// user's own that a local site sees is not gone.
func (r *scanRun) restoreStates(found [][]Source) {
	if r.stored == nil {
		return
	}
	stored := make(map[string]*Source)
	for _, answer := range r.stored.Answers {
		for i := range answer.Sources {
			stored[answer.Sources[i].ID] = &answer.Sources[i]
		}
	}
	for i, site := range found {
		local := r.sites[i].Info().Local
		for j := range site {
			src := &site[j]
			before := stored[src.ID]
			if before == nil {
				continue
			}
			if revived := r.refresh || local && src.Own; before.State != StateDead || !revived {
				src.State = before.State
			}
			if src.URL == before.URL {
				src.Needs = before.Needs
			}
		}
	}
}
