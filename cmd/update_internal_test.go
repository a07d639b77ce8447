package cmd

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"xship/sourcecache"
)

func TestUpdateNotes(t *testing.T) {
	t.Parallel()
	var told []string
	tell := updateNotes(func(format string, args ...any) { told = append(told, fmt.Sprintf(format, args...)) })
	for tenths := range 130 {
		tell(sourcecache.Progress{Version: 6, Copying: tenths < 40, Done: int64(tenths) << 20, Total: 300 << 20, Elapsed: time.Duration(tenths) * 100 * time.Millisecond})
	}
	want := []string{
		"the database of an older xship is copied before its update (10 of 300 MB)",
		"the database is brought to version 6 (6 s so far)",
		"the database is brought to version 6 (11 s so far)",
	}
	if !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}
