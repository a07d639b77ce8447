package api

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// Hosters is the JSON document of xship hosters stats. Times are Unix seconds, 0 =
// never.
type Hosters struct {
	Guard   Guard    `json:"guard"`
	Hosters []Hoster `json:"hosters"`
}

// Guard is the network-outage guard.
type Guard struct {
	LastSuccessAt int64  `json:"last_success_at"`
	Network       string `json:"network"`
}

// Hoster is what is known of a hoster.
type Hoster struct {
	Name                    string `json:"name"`
	ConsecutiveFails        int    `json:"consecutive_fails"`
	BackoffUntil            int64  `json:"backoff_until"`
	BackoffRemainingSeconds int64  `json:"backoff_remaining_seconds"`
	Healthy                 bool   `json:"healthy"`
	Available               bool   `json:"available"`
	OKCount                 int64  `json:"ok_count"`
	FailCount               int64  `json:"fail_count"`
	LastSuccessAt           int64  `json:"last_success_at"`
	LastFailAt              int64  `json:"last_fail_at"`
	LastError               string `json:"last_error"`
	LastErrorClass          string `json:"last_error_class"`
	State                   string `json:"state"`
	SuccessRate             *int   `json:"success_rate_percent"` // of all attempts, null where there was none

	Why          []string     `json:"why"`           // what else decides about it, see the constants below
	Hours        []HosterHour `json:"hours"`         // the last day, the earliest first; those without an attempt are left out
	LastProof    string       `json:"last_proof"`    // the last link that worked, without its secrets, "" = none
	SuspectLinks int          `json:"suspect_links"` // that failed again and again while it worked with others
}

// HosterHour is how the attempts of an hour ended, counted or not.
type HosterHour struct {
	At   int64 `json:"at"` // its beginning, in Unix seconds
	OK   int64 `json:"ok"`
	Fail int64 `json:"fail"`
}

// SetHours adds the hours of hosters, by name.
func (doc *Hosters) SetHours(hours map[string][]sources.HosterHour) {
	for i := range doc.Hosters {
		h := &doc.Hosters[i]
		for _, hour := range hours[h.Name] {
			h.Hours = append(h.Hours, HosterHour{At: Unix(hour.At), OK: hour.OK, Fail: hour.Fail})
		}
	}
}

// What else decides about a hoster.
const (
	WhyProvisional = "provisional"   // its fails are taken back if the network turns out to be down
	WhyAwaits      = "awaits canary" // its last fail counts if the link works that is being tested
	WhyLeased      = "leased"        // an attempt has it for itself
	WhyRetestDue   = "re-test due"
	WhySuspect     = "suspect link" // a link of it failed again and again, which does not count
	WhyOutage      = "in outage"    // the network is down: nothing counts
)

// NewHosters is the document of the hoster table at now, those in most trouble first.
func NewHosters(all []sources.HosterHealth, guard sources.GuardState, now time.Time) Hosters {
	doc := Hosters{
		Guard:   Guard{LastSuccessAt: Unix(guard.LastSuccessAt), Network: string(guard.Network)},
		Hosters: make([]Hoster, 0, len(all)),
	}
	for _, h := range all {
		doc.Hosters = append(doc.Hosters, NewHoster(h, guard, now))
	}
	slices.SortStableFunc(doc.Hosters, byTrouble)
	return doc
}

// byTrouble orders hosters: most fails first, then the longest block, then the
// worst record.
func byTrouble(a, b Hoster) int {
	return cmp.Or(
		cmp.Compare(b.ConsecutiveFails, a.ConsecutiveFails),
		cmp.Compare(b.BackoffRemainingSeconds, a.BackoffRemainingSeconds),
		cmp.Compare(a.rate(), b.rate()),
		cmp.Compare(a.Name, b.Name),
	)
}

// rate is the success rate in percent; a hoster that was never tried is good.
func (h Hoster) rate() int {
	if h.SuccessRate == nil {
		return 100
	}
	return *h.SuccessRate
}

// NewHoster is the document of a hoster at now.
func NewHoster(h sources.HosterHealth, guard sources.GuardState, now time.Time) Hoster {
	remaining := h.BackoffUntil.Sub(now)
	doc := Hoster{
		Name:                    text.Clean(h.Name),
		ConsecutiveFails:        h.ConsecutiveFails,
		BackoffUntil:            Unix(h.BackoffUntil),
		BackoffRemainingSeconds: text.WholeSeconds(remaining),
		Healthy:                 h.Healthy(),
		Available:               remaining <= 0,
		OKCount:                 h.OKCount,
		FailCount:               h.FailCount,
		LastSuccessAt:           Unix(h.LastSuccessAt),
		LastFailAt:              Unix(h.LastFailAt),
		LastError:               text.Clean(h.LastError),
		State:                   hosterState(h, now),
		Why:                     hosterWhy(h, guard, now),
		Hours:                   []HosterHour{},
		LastProof:               link.Redact(h.GoodLink),
		SuspectLinks:            h.SuspectLinks,
	}
	if doc.LastError != "" {
		doc.LastErrorClass = string(sources.ClassHosterFault) // nothing else touches a hoster
	}
	if n := h.OKCount + h.FailCount; n > 0 {
		rate := int(100 * h.OKCount / n)
		doc.SuccessRate = &rate
	}
	return doc
}

// hosterState is the health of a hoster in words. One that has no fail that counts is
// listed, which says nothing good of it where it never worked.
func hosterState(h sources.HosterHealth, now time.Time) string {
	switch remaining := h.BackoffUntil.Sub(now); {
	case h.Healthy() && h.OKCount == 0 && h.FailCount > 0:
		return "never worked here"
	case h.Healthy() && h.OKCount == 0:
		return "not tried yet"
	case h.Healthy():
		return "healthy"
	case remaining <= 0:
		return "hidden, waiting for a probe"
	default:
		return fmt.Sprintf("hidden, backing off until %s (%d s)", h.BackoffUntil.In(now.Location()).Format(time.TimeOnly), text.WholeSeconds(remaining))
	}
}

// hosterWhy says what else decides about a hoster.
func hosterWhy(h sources.HosterHealth, guard sources.GuardState, now time.Time) []string {
	why := []string{}
	for _, w := range []struct {
		holds bool
		what  string
	}{
		{guard.Network == sources.NetworkOutage, WhyOutage},
		{h.Provisional, WhyProvisional},
		{h.Awaiting, WhyAwaits},
		{h.LeasedUntil.After(now), WhyLeased},
		{h.RetestDue, WhyRetestDue},
		{h.SuspectLinks > 0, WhySuspect},
	} {
		if w.holds {
			why = append(why, w.what)
		}
	}
	return why
}

// HosterLog is the JSON document of xship hosters log.
type HosterLog struct {
	Hoster string        `json:"hoster"`
	Events []HosterEvent `json:"events"` // newest first
}

// HosterEvent is what became of an attempt.
type HosterEvent struct {
	At             int64  `json:"at"`   // Unix seconds
	Link           string `json:"link"` // without its secrets, "" = not known
	Class          string `json:"class"`
	Effect         string `json:"effect"`
	Fails          int    `json:"fails"` // in a row, afterwards
	BackoffSeconds int64  `json:"backoff_seconds"`
}

// NewHosterLog is the document of the events of a hoster.
func NewHosterLog(name string, events []sources.HosterEvent) HosterLog {
	doc := HosterLog{Hoster: text.Clean(name), Events: make([]HosterEvent, 0, len(events))}
	for _, e := range events {
		doc.Events = append(doc.Events, HosterEvent{
			At: Unix(e.At), Link: link.Redact(e.Link), Class: string(e.Class), Effect: e.Effect,
			Fails: e.Fails, BackoffSeconds: int64(e.Backoff / time.Second),
		})
	}
	return doc
}

// HostersReset is the JSON document of xship hosters reset.
type HostersReset struct {
	Reset   int      `json:"reset"`
	Unknown []string `json:"unknown"`
}
