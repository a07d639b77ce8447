package api

import (
	"time"

	"xship/cmd/engine"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// Status is the JSON document of xship status. Times are Unix seconds, 0 = not known, or
// never.
type Status struct {
	Daemon    StatusDaemon    `json:"daemon"`
	Titles    StatusTitles    `json:"titles"`
	Hosters   StatusHosters   `json:"hosters"`
	Network   string          `json:"network"` // ok, suspect, outage or unknown
	Interface StatusInterface `json:"interface"`
	Accounts  []StatusAccount `json:"accounts"`
	Unread    bool            `json:"unread"`   // what is stored could not be read, or not all of it: a number of 0 says nothing
	Problems  []string        `json:"problems"` // the exit code is 1 where there are some
}

// StatusDaemon is what the precacher of the data directory does.
type StatusDaemon struct {
	Running     bool   `json:"running"`
	Once        bool   `json:"once"`  // it runs a single cycle
	Older       bool   `json:"older"` // it is of an older xship, which tells of no cycle
	PID         int    `json:"pid"`   // 0 = not known, or none runs
	Since       int64  `json:"since"`
	Schedule    string `json:"schedule"`    // by which it works, or would
	CycleSince  int64  `json:"cycle_since"` // the cycle that runs now began
	LastCycle   *Cycle `json:"last_cycle"`  // that ended, null where none did
	NextCycleAt int64  `json:"next_cycle_at"`
}

// Cycle is what a cycle of the precacher did.
type Cycle struct {
	BegunAt         int64  `json:"begun_at"`
	EndedAt         int64  `json:"ended_at"`
	DurationSeconds int64  `json:"duration_seconds"`
	Titles          int    `json:"titles"` // scanned
	TitlesFailed    int    `json:"titles_failed"`
	Resolved        int    `json:"resolved"`
	Probed          int    `json:"probed"`
	Failed          int    `json:"failed"`
	Skipped         int    `json:"skipped"`
	Error           string `json:"error"` // why it did not run to its end, "" where it did
	Interrupted     bool   `json:"interrupted"`
}

// StatusTitles counts the watchlist.
type StatusTitles struct {
	Total         int             `json:"total"`
	Ready         int             `json:"ready"`
	WithoutSource int             `json:"without_source"`
	Waiting       []StatusWaiting `json:"waiting"` // those without a source, those watched soonest first
}

// StatusWaiting is a watched title without a source that is proven to play.
type StatusWaiting struct {
	ID        int64  `json:"id"`
	Title     Title  `json:"title"`
	Since     int64  `json:"since"`      // 0 = some are proven, and can only not be used now
	Hidden    int    `json:"hidden"`     // that are proven, and hidden for their hoster
	CheckedAt int64  `json:"checked_at"` // when it was last looked for
	NextAt    int64  `json:"next_at"`    // when it is looked for next
	AirsOn    string `json:"airs_on"`    // "2026-12-24", "" = it was broadcast, or that is not known
}

// StatusHosters counts the hosters.
type StatusHosters struct {
	Total     int      `json:"total"`
	Failing   int      `json:"failing"`
	InTrouble []string `json:"in_trouble"` // their names, most fails first
}

// StatusInterface is the interface in use.
type StatusInterface struct {
	URL            string   `json:"url"`
	Name           string   `json:"name"`
	FailedOverFrom []string `json:"failed_over_from"` // those in whose place it came into use, as they could not be loaded
	How            string   `json:"how"`              // builtin, first, chosen, switched, removed; "" = not known
	Since          int64    `json:"since"`            // it is in use
	LastLoadedAt   int64    `json:"last_loaded_at"`
	LastError      string   `json:"last_error"`
}

// StatusAccount is an account, as far as is known without asking its provider.
type StatusAccount struct {
	User             int64  `json:"user"`
	Provider         string `json:"provider"`
	State            string `json:"state"`   // ok, refused, quota, cooling, expired or free
	EndsAt           int64  `json:"ends_at"` // of what is paid for, 0 = not known, or it does not end
	Reason           string `json:"reason"`
	RemainingSeconds int64  `json:"remaining_seconds"` // until it is asked again, 0 = not known
}

// HowBuiltin is how the built-in interface came into use: there is no other.
const HowBuiltin = "builtin"

// NewStatus is the document of how things stand.
func NewStatus(s *engine.Status) Status {
	doc := Status{
		Daemon: newStatusDaemon(s.Daemon), Titles: newStatusTitles(s), Network: string(s.Network), Interface: newStatusInterface(s),
		Hosters:  StatusHosters{Total: s.Hosters, Failing: len(s.Failing), InTrouble: make([]string, 0, len(s.Failing))},
		Accounts: make([]StatusAccount, 0, len(s.Accounts)), Problems: make([]string, 0, len(s.Problems)), Unread: s.Unread,
	}
	for _, h := range s.Failing {
		doc.Hosters.InTrouble = append(doc.Hosters.InTrouble, text.Clean(h.Name))
	}
	for _, a := range s.Accounts {
		doc.Accounts = append(doc.Accounts, StatusAccount{
			User: a.User, Provider: text.Clean(a.Provider), State: string(a.Rest.State), EndsAt: Unix(a.EndsAt),
			Reason: text.Clean(a.Rest.Reason), RemainingSeconds: text.WholeSeconds(a.Rest.Remaining),
		})
	}
	for _, p := range s.Problems {
		doc.Problems = append(doc.Problems, text.Clean(p))
	}
	return doc
}

func newStatusDaemon(d engine.DaemonState) StatusDaemon {
	doc := StatusDaemon{
		Running: d.Running, Once: d.Once, Older: d.Older, PID: d.PID, Since: Unix(d.Since), Schedule: text.Clean(d.Schedule),
		CycleSince: Unix(d.CycleSince), NextCycleAt: Unix(d.Next),
	}
	if d.Last != nil {
		last := NewCycle(*d.Last)
		doc.LastCycle = &last
	}
	return doc
}

// NewCycle is the document of a cycle.
func NewCycle(c sources.CycleRecord) Cycle {
	return Cycle{
		BegunAt: Unix(c.BegunAt), EndedAt: Unix(c.EndedAt), DurationSeconds: int64(c.Duration / time.Second),
		Titles: c.Titles, TitlesFailed: c.TitlesFailed, Resolved: c.Resolved, Probed: c.Probed, Failed: c.Failed, Skipped: c.Skipped,
		Error: text.Clean(c.Error), Interrupted: c.Interrupted,
	}
}

func newStatusTitles(s *engine.Status) StatusTitles {
	doc := StatusTitles{Total: s.Titles, Ready: s.Titles - len(s.Waiting), WithoutSource: len(s.Waiting), Waiting: make([]StatusWaiting, 0, len(s.Waiting))}
	for _, t := range s.Waiting {
		doc.Waiting = append(doc.Waiting, StatusWaiting{
			ID: t.ID, Title: NewTitle(t.Title), Since: Unix(t.WaitsSince), Hidden: t.Hidden,
			CheckedAt: Unix(t.CheckedAt()), NextAt: Unix(t.NextAt), AirsOn: t.AirDate,
		})
	}
	return doc
}

func newStatusInterface(s *engine.Status) StatusInterface {
	doc := StatusInterface{
		URL: link.RedactInterface(s.Interface.URL), Name: s.Interface.ShownName(), FailedOverFrom: []string{},
		How: string(s.Use.How), Since: Unix(s.Use.At), LastLoadedAt: Unix(s.Interface.LastLoadedAt), LastError: text.Clean(s.LoadError),
	}
	if s.Builtin() {
		doc.How = HowBuiltin
	}
	if s.Use.How == sources.UseSwitched {
		for _, url := range s.Use.From {
			doc.FailedOverFrom = append(doc.FailedOverFrom, link.RedactInterface(url))
		}
	}
	return doc
}
