package sources

import (
	"context"
	"time"
)

// ScanStore keeps what scans found, and which sites rest. The store is shared
// with other processes.
type ScanStore interface {
	// LoadScan gives what is stored for t at the interface, and nil where that
	// is nothing.
	LoadScan(ctx context.Context, interfaceURL string, t Title) (*StoredScan, error)
	// SaveScan stores a scan. The answer of each site in scan replaces that
	// site's own rows; sites that are not in it keep theirs. One without answers
	// says that nobody has the title.
	SaveScan(ctx context.Context, interfaceURL string, t Title, scan StoredScan) error
	// RestingSites gives the sites of the interface that rest now, by key.
	RestingSites(ctx context.Context, interfaceURL string) (map[string]SiteRest, error)
	// SiteTouch records how sites of the interface fared. A success ends a
	// site's rest, a fail lengthens it, by the ladder of hosters up to 300 s. A
	// fail counts only if some site or hoster succeeded within 30 s.
	SiteTouch(ctx context.Context, interfaceURL string, outcomes []SiteOutcome) error
}

// StoredScan is one title's list as stored.
type StoredScan struct {
	ScannedAt time.Time    // end of the last scan that found something
	Sites     []SiteReport // how that scan went, in site order
	Answers   []SiteAnswer // of these sites, in site order
}

// SiteAnswer is what one site gave, in its order.
type SiteAnswer struct {
	Site    string
	SeenAt  time.Time // when the site gave it
	Sources []Source  // with the state that later attempts gave them
}

// SiteRest tells how long a site rests, and why.
type SiteRest struct {
	Until  time.Time
	Reason string
}

// SiteOutcome is how one site fared.
type SiteOutcome struct {
	Site    string
	Started time.Time // of the request
	OK      bool      // it answered, an empty answer included
	Error   string    // why not, for people
}
