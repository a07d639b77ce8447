package engine

import (
	"strings"
	"testing"

	"xship/sources"
	"xship/sources/link"
)

// ownList is a list of files of the user's own, and one that is not, whose hosters fail.
func ownList(o sources.ListOptions) *List {
	failing := sources.HosterHealth{Name: "nas.example", ConsecutiveFails: 2, FailCount: 2}
	l := &List{
		Health: sources.HosterSnapshot{"nas.example": failing}, Options: o, hosters: sources.HosterSnapshot{"nas.example": failing},
	}
	l.Sources = []sources.Source{
		{ID: "server", Hoster: "nas.example", URL: "http://nas.example/a.mkv", Own: true},
		{ID: "local", Hoster: link.HosterLocal, URL: "file:///b.mkv", Own: true},
		{ID: "public", Hoster: "nas.example", URL: "http://nas.example/c.mkv"},
	}
	l.Listing = sources.Filter(nil, l.Sources, l.Health, o)
	return l
}

// What is the user's own is listed and explained as such, and no hoster is tested by it.
func TestList_own(t *testing.T) {
	t.Parallel()
	l := ownList(sources.ListOptions{})
	for row, src := range l.Listing.Sources {
		if why := strings.Join(l.Why(row), "; "); !strings.Contains(why, "your own") || strings.Contains(why, "fails") || l.Mark(src) != "" {
			t.Errorf("%s: marked %q, %s", src.ID, l.Mark(src), why)
		}
	}
	if left := l.NotListed(); len(l.Listing.Sources) != 2 || len(left) != 1 || left[0].ID != "public" {
		t.Errorf("listed %+v, not listed %+v", l.Listing.Sources, left)
	}
	if all := ownList(sources.ListOptions{Limit: 1}).Unproven(); len(all) != 2 || all[1].ID != "public" {
		t.Errorf("a probe looks at %+v; want the one that is listed, and the one that is hidden for its hoster", all)
	}
	tests := retestsOf(l.Sources)
	if len(tests) != 1 || tests[0].Hoster != "nas.example" || tests[0].Link != "http://nas.example/c.mkv" {
		t.Errorf("tests of %+v", tests)
	}
}
