package sources

import (
	"time"
)

// SiteInfo describes a site.
type SiteInfo struct {
	Key     string        // unique within its interface
	Name    string        // for people
	Type    string        // protocol as its interface names it: "0", "1", "4", "openfilms", "stremio"
	Timeout time.Duration // how long the interface grants it, 0 = no word
	Offline bool          // it asks nobody, so that its outcomes tell nothing of the network
	// Local says that it tells what lies on this machine now: it is asked also where a
	// stored scan is the answer, and what it gave before stands in for nothing.
	Local bool
	// WantsIMDb says that it finds nothing without an IMDb id: it is asked with that of
	// Scanner.Facts where the title has none.
	WantsIMDb bool
	// Beside says that it is asked beside the others, as one that nobody asked for: where
	// it does not answer within Timeout, or fails, that touches nothing. It does not rest,
	// no line tells of it, and a scan that it missed is no answer to the next one, which
	// asks again.
	Beside bool
}

// SiteSpec is a site as an interface describes it, before anything was asked.
type SiteSpec struct {
	SiteInfo
	API        string            // absolute URL, or the name of an embedded catalogue
	Ext        string            // protocol's extra parameter, verbatim
	Headers    map[string]string // for all calls to API
	Categories []string          // only these type names, empty = all
	PlayURL    string            // prefix for links, usually ""
	Searchable bool              // false: the site cannot be searched
	// Trusted says that the user named the site, or a config on this machine does: it may
	// read folders and use stored logins, and what it has is the user's own.
	Trusted bool
	// Unsupported is why the site cannot be asked, "" where it can.
	Unsupported string
}

// SiteStatus is the outcome of asking one site.
type SiteStatus string

// The outcomes.
const (
	SiteOK          SiteStatus = "ok"
	SiteEmpty       SiteStatus = "empty"       // it answered and has nothing
	SiteError       SiteStatus = "error"       // it failed
	SiteTimeout     SiteStatus = "timeout"     // it did not answer in time
	SiteUnsupported SiteStatus = "unsupported" // xship cannot ask it
	SiteSkipped     SiteStatus = "skipped"     // it rests after failing, or the scan ended before it was done
)

// Answered tells whether the site gave a usable answer, an empty one included.
func (s SiteStatus) Answered() bool { return s == SiteOK || s == SiteEmpty }

// Missed tells whether the site gave none, and might the next time.
func (s SiteStatus) Missed() bool { return !s.Answered() && s != SiteUnsupported }

// SiteReport tells how one site fared in a scan.
type SiteReport struct {
	SiteInfo
	Status  SiteStatus
	Sources int           // found, before duplicates are removed
	Elapsed time.Duration // until it was done or given up
	Error   string        // why it is not ok, for people; "" otherwise
	Note    string        // what its answer leaves out, for people; "" = nothing
	Seen    []Sighting    // titles that it came across, see Sighting; bounded
}
