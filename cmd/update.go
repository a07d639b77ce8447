package cmd

import (
	"time"

	"xship/sourcecache"
)

// How soon and how often the update of a database is told of.
const (
	updateFirst = time.Second
	updateNext  = 5 * time.Second
)

// updateNotes tells of the update of a database that takes a while.
func updateNotes(note func(format string, args ...any)) func(sourcecache.Progress) {
	due := updateFirst
	return func(p sourcecache.Progress) {
		if p.Elapsed < due {
			return
		}
		due = p.Elapsed + updateNext
		if p.Copying {
			note("the database of an older xship is copied before its update (%d of %d MB)", p.Done>>20, p.Total>>20)
			return
		}
		note("the database is brought to version %d (%d s so far)", p.Version, int(p.Elapsed.Seconds()))
	}
}
