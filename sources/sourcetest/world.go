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

// StartT4 starts a T4 server, in a world of its own that ends with the test.
func StartT4(tb testing.TB, c world.T4Config) *world.T4 {
	tb.Helper()
	t4, err := StartWorld(tb, world.Config{}).AddT4("t4", c)
	if err != nil {
		tb.Fatal(err)
	}
	return t4
}

// StartStremio starts a Stremio add-on, in a world of its own that ends with the test.
func StartStremio(tb testing.TB, c world.StremioConfig) *world.Stremio {
	tb.Helper()
	addon, err := StartWorld(tb, world.Config{}).AddStremio("addon", c)
	if err != nil {
		tb.Fatal(err)
	}
	return addon
}

// StartSite starts a MacCMS server, which answers in JSON and in XML, in a world
// of its own that ends with the test.
func StartSite(tb testing.TB, films []world.Film) *world.Site {
	tb.Helper()
	site, err := StartWorld(tb, world.Config{}).AddSite("site", world.SiteConfig{Films: films})
	if err != nil {
		tb.Fatal(err)
	}
	return site
}
