package sourcetest

import (
	"testing"

	"xship/sources/sourcetest/world"
)

// StartWorld starts a loopback world that ends with the test.
func StartWorld(tb testing.TB, c world.Config) *world.World {
	tb.Helper()
	w, err := world.Start(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(w.Close)
	return w
}

// StartSite starts a MacCMS server, in a world of its own that ends with the
// test.
func StartSite(tb testing.TB, films []world.Film) *world.Site {
	tb.Helper()
	site, err := StartWorld(tb, world.Config{}).AddSite("site", world.SiteConfig{Films: films})
	if err != nil {
		tb.Fatal(err)
	}
	return site
}
