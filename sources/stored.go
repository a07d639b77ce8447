package sources

import "time"

// StoredScan is one title's list as stored.
type StoredScan struct {
	ScannedAt time.Time    // end of the last scan that found something
	Sites     []SiteReport // how that scan went, in site order
	Answers   []SiteAnswer // of these sites, in site order
	Refreshed bool         // somebody wants all asked again: dead sources too, however long they are dead
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

// Inspection is what a look at a whole store found.
type Inspection struct {
	Version int      // of its schema
	Size    int64    // in bytes
	Flaws   []string // none: it is sound
	Damaged []string // rows that are left out, as their values are of a wrong type
}
