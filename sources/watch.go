package sources

import "time"

// WatchOrigin tells how a title came onto the watchlist.
type WatchOrigin string

// The origins of watchlist entries.
const (
	WatchUser WatchOrigin = "user" // asked for by name
	WatchNext WatchOrigin = "next" // the episode after one that was scanned or played
)

// WatchEntry is one title of the watchlist.
type WatchEntry struct {
	ID       int64
	Title    Title
	Origin   WatchOrigin
	AddedAt  time.Time
	WantedAt time.Time // last added, or moved on to this episode; the latest entry is watched soonest
}
