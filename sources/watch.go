package sources

import (
	"errors"
	"time"
)

var (
	// ErrWatched says that a title is on the watchlist already.
	ErrWatched = errors.New("it is on the watchlist already")
	// ErrNotWatched says that the watchlist has no such entry.
	ErrNotWatched = errors.New("the watchlist has no such entry")
)

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
