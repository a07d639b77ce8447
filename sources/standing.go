package sources

import "time"

// WatchState is an entry of the watchlist, and how it stands at an interface.
type WatchState struct {
	WatchEntry
	// Proven counts the sources that were read here, did not fail since, and are not
	// hidden for their hoster; Hidden those that are. Trailers and what cannot be played
	// are none.
	Proven, Hidden int
	Best           Quality   // of what was read of those that are proven
	ScannedAt      time.Time // the last scan that found something, zero where none did
	EmptiedAt      time.Time // the last one that found nothing, zero where that was before ScannedAt
	RestUntil      time.Time // it is not looked for before, as nothing was found, zero where it does not rest
	LookedAt       time.Time // the last NoteLooked, zero where there was none
	WaitsSince     time.Time // since when nothing is proven of it anywhere, zero where something is
}

// Ready tells whether it can be played.
func (s WatchState) Ready() bool { return s.Proven > 0 }

// CheckedAt is when it was last looked for, zero where it never was.
func (s WatchState) CheckedAt() time.Time {
	last := s.ScannedAt
	for _, at := range []time.Time{s.EmptiedAt, s.LookedAt} {
		if at.After(last) {
			last = at
		}
	}
	return last
}

// CycleRecord is what a cycle of the precacher did, as it is kept.
type CycleRecord struct {
	CycleSummary // its Duration is from BegunAt to EndedAt
	BegunAt      time.Time
	EndedAt      time.Time
	NextAt       time.Time // when the next one was to begin, zero where none was
	Error        string    // why it did not run to its end, "" where it did
	Interrupted  bool      // it was to end
}

// HosterHour is how the attempts of an hour at a hoster ended.
type HosterHour struct {
	At       time.Time // its beginning
	OK, Fail int64
}

// AccountPlan is what a provider last told of an account.
type AccountPlan struct {
	Plan      string    // in the provider's words
	Premium   bool      // it may unlock links of most hosters
	EndsAt    time.Time // of what is paid for; zero where that is not known, or it does not end
	CheckedAt time.Time // zero: it never told
}

// InterfaceHow is a way in which an interface comes into use.
type InterfaceHow string

// The ways.
const (
	UseUnknown  InterfaceHow = ""         // nobody recorded it
	UseFirst    InterfaceHow = "first"    // nobody chose yet: it was the first one
	UseChosen   InterfaceHow = "chosen"   // the user put it in use
	UseSwitched InterfaceHow = "switched" // the one before could not be loaded
	UseRemoved  InterfaceHow = "removed"  // the one before was removed
)

// InterfaceUse tells how the interface in use came to be that.
type InterfaceUse struct {
	URL  string // "" where none was chosen
	How  InterfaceHow
	From []string  // URLs of those that could not be loaded before it, the latest last
	At   time.Time // when, zero where that is not known
}
