package api

import "xship/sources"

// WatchEntry is an entry of the watchlist. Times are Unix seconds.
type WatchEntry struct {
	ID       int64  `json:"id"`
	Title    Title  `json:"title"`
	Origin   string `json:"origin"` // user, or next: it came after an episode that was scanned or played
	AddedAt  int64  `json:"added_at"`
	WantedAt int64  `json:"wanted_at"` // the latest is watched soonest
}

// NewWatchEntry is the document of an entry.
func NewWatchEntry(e sources.WatchEntry) WatchEntry {
	return WatchEntry{ID: e.ID, Title: NewTitle(e.Title), Origin: string(e.Origin), AddedAt: Unix(e.AddedAt), WantedAt: Unix(e.WantedAt)}
}

// WatchChanged is the JSON document of the commands that change an entry.
type WatchChanged struct {
	WatchEntry
	Added   bool   `json:"added"`             // false: it was on the watchlist already
	Ended   bool   `json:"ended,omitempty"`   // it stays as it is: nothing follows its episode
	Unaired bool   `json:"unaired,omitempty"` // its episode is yet to be broadcast
	AirsOn  string `json:"airs_on,omitempty"` // "2026-12-24", where that is known
}

// Watchlist is the JSON document of xship watch list.
type Watchlist struct {
	Watchlist []WatchEntry `json:"watchlist"`
}

// NewWatchlist is the document of the watchlist.
func NewWatchlist(entries []sources.WatchEntry) Watchlist {
	doc := Watchlist{Watchlist: make([]WatchEntry, 0, len(entries))}
	for _, e := range entries {
		doc.Watchlist = append(doc.Watchlist, NewWatchEntry(e))
	}
	return doc
}

// WatchRemoved is the JSON document of xship watch remove.
type WatchRemoved struct {
	Removed int64 `json:"removed"`
}
