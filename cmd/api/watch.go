package api

import (
	"xship/cmd/engine"
	"xship/sources"
)

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
	Watchlist []WatchListed `json:"watchlist"`
}

// WatchListed is an entry of the watchlist, and how it stands at the interface in use.
// Times are Unix seconds, 0 = never, or not known.
type WatchListed struct {
	WatchEntry
	Ready       bool   `json:"ready"`
	Proven      int    `json:"proven"`       // sources that were read here, and are not hidden
	Hidden      int    `json:"hidden"`       // those that are, for their hoster
	BestQuality string `json:"best_quality"` // of those that are proven
	CheckedAt   int64  `json:"checked_at"`   // when it was last looked for
	NextAt      int64  `json:"next_at"`      // when it is looked for next, 0 = the precacher does not run
	WaitsSince  int64  `json:"waits_since"`  // since when nothing is proven of it
	AirsOn      string `json:"airs_on"`      // "2026-12-24", "" = it was broadcast, or that is not known
}

// NewWatchlist is the document of the watchlist.
func NewWatchlist(states []engine.TitleState) Watchlist {
	doc := Watchlist{Watchlist: make([]WatchListed, 0, len(states))}
	for _, s := range states {
		doc.Watchlist = append(doc.Watchlist, WatchListed{
			WatchEntry: NewWatchEntry(s.WatchEntry), Ready: s.Ready(), Proven: s.Proven, Hidden: s.Hidden, BestQuality: string(s.Best),
			CheckedAt: Unix(s.CheckedAt()), NextAt: Unix(s.NextAt), WaitsSince: Unix(s.WaitsSince), AirsOn: s.AirDate,
		})
	}
	return doc
}

// WatchRemoved is the JSON document of xship watch remove.
type WatchRemoved struct {
	Removed int64   `json:"removed"` // the first of All
	All     []int64 `json:"all"`
}

// WatchImported is the JSON document of xship watch import.
type WatchImported struct {
	File    string        `json:"file"`
	Added   int           `json:"added"`
	Already int           `json:"already"` // on the watchlist before, or twice in the list
	LeftOut []LeftOutLine `json:"left_out"`
}

// LeftOutLine is a line of a list that holds no title.
type LeftOutLine struct {
	Line int    `json:"line"`
	Text string `json:"text"` // shortened
	Why  string `json:"why"`
}
