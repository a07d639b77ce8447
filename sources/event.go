package sources

import "time"

// Event is what an Observer is told: one of the types of this file.
type Event interface{ event() }

// AttemptEnded says that a try at a hoster is over, whenever that is reported.
type AttemptEnded struct {
	Attempt
	Source  string // its ID
	Class   Class
	Detail  string // what was wrong, for people
	Elapsed time.Duration
}

// SiteDone says that a site which a scan asked has answered, failed, or was still
// out when the scan ended.
type SiteDone struct {
	Interface Interface
	Title     Title
	Report    SiteReport
	Class     Class // of the outcome; ClassCancelled where the scan ended before
}

// RequestMade says that an HTTP request has come to its end, redirects included. One
// that cannot be written, or was not made for its host's sake, is none.
type RequestMade struct {
	Method  string
	Link    string        // asked for, with its secrets, of which any part may be one: see link.RedactText
	Status  int           // of the answer, 0 where none came
	Hops    int           // redirects that were followed
	Elapsed time.Duration // without the wait for other requests to the host
	Err     error         // classified; nil: a whole answer with a status that was wanted
}

// InterfaceTried says that one interface was loaded, or could not be. One whose
// config was at hand was not tried.
type InterfaceTried struct {
	Interface Interface
	Requests  int
	Elapsed   time.Duration
	Err       error // nil: it was loaded
}

// InterfaceSwitched says that a load goes on with another interface.
type InterfaceSwitched struct {
	From, To Interface
	Cause    error // why From could not be loaded
	Attended bool  // a user is told, or chose it
}

// InterfaceLoaded says how a load came to its end which took more than what is at
// hand, once for all who waited for it. One that was cancelled, or that another choice
// of the user's ended, has no end to tell.
type InterfaceLoaded struct {
	Origin         Interface
	Interface      Interface // that was loaded; zero where none could be
	FailedOverFrom []string  // URLs of those that were tried before, in order
	Switched       bool      // Interface is in use now in the place of another one
	Err            error     // why nothing could be loaded; with an Interface that is an older copy
	StaleFrom      time.Time // of the older copy
	Attended       bool      // a user is told
}

// CooldownMarked says that a provider is not called for a user now.
type CooldownMarked struct {
	Key CooldownKey
	Cooldown
}

// CycleEnded says what a cycle of the precacher did.
type CycleEnded struct {
	CycleSummary
	Hosters     []HosterCycle // that were tried, or are blocked, by name
	Err         error         // why it did not run to its end
	Interrupted bool          // Err is that it was to end
	Next        time.Time     // when the next one begins, zero where none does
}

// TitleReady says that a title of the watchlist has a source that was proven to play,
// which it had not before.
type TitleReady struct {
	Title   Title
	Quality Quality // the best of those that were proven
}

// AccountEnding says that what a user pays a provider for ends soon, or has ended: once a
// day for each account.
type AccountEnding struct {
	User     int64
	Provider string // such as "real_debrid"
	EndsAt   time.Time
}

// CycleSummary counts what a cycle did. What was under way when it was cancelled is
// in none of the counts.
type CycleSummary struct {
	Titles       int // scanned
	TitlesFailed int // whose scan failed
	Resolved     int // sources that have a stream now
	Probed       int // of those, whose stream was read
	Failed       int // resolves and probes that did not work, whosever fault
	Skipped      int // sources whose hoster turned out to be in its backoff, or whose provider is not asked now
	Duration     time.Duration
}

// Add adds the counts of o.
func (s *CycleSummary) Add(o CycleSummary) {
	s.Titles += o.Titles
	s.TitlesFailed += o.TitlesFailed
	s.Resolved += o.Resolved
	s.Probed += o.Probed
	s.Failed += o.Failed
	s.Skipped += o.Skipped
}

// HosterCycle is how a hoster did in a cycle.
type HosterCycle struct {
	Name             string
	OK, Fail         int // attempts
	ConsecutiveFails int // after it
}

func (AttemptEnded) event()      {}
func (SiteDone) event()          {}
func (RequestMade) event()       {}
func (InterfaceTried) event()    {}
func (InterfaceSwitched) event() {}
func (InterfaceLoaded) event()   {}
func (CooldownMarked) event()    {}
func (CycleEnded) event()        {}
func (TitleReady) event()        {}
func (AccountEnding) event()     {}
