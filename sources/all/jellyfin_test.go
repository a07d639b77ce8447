package all_test

import (
	"net/http"
	"net/url"
	"testing"

	"xship/sources"
	"xship/sources/all"
	"xship/sources/fetch"
	"xship/sources/site/jellyfin"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/jellyfinfake"
	"xship/sources/sourcetest/world"
)

// TestSites_jellyfin makes sites of media servers.
func TestSites_jellyfin(t *testing.T) {
	const film = "Paper Submarines"
	films := []world.Film{{Name: film, Groups: []world.Group{{Items: []world.Item{{Label: "HD", URL: "https://h.example/a.mp4"}}}}}}
	for siteType, emby := range map[string]bool{jellyfin.Type: false, jellyfin.TypeEmby: true} {
		server, err := jellyfinfake.Add(sourcetest.StartWorld(t, world.Config{}), "home", jellyfinfake.Config{Emby: emby, Films: films, Keys: []string{"k"}})
		if err != nil {
			t.Fatal(err)
		}
		client := fetch.New(fetch.Options{Login: func(*url.URL) http.Header { return jellyfin.Header(siteType, "k", jellyfin.Device{}) }})
		t.Cleanup(client.CloseIdleConnections)
		home := spec("home", siteType, server.URL())
		home.Trusted = true
		found := 0
		sites := all.Sites([]sources.SiteSpec{home, spec("bad", siteType, "nas")}, all.Deps{Fetch: client})
		err = sites[0].Search(t.Context(), sources.Title{Kind: sources.KindMovie, Name: film}, func(sources.Source) { found++ })
		if err != nil || found != 1 || sites[0].Info() != home.SiteInfo {
			t.Errorf("%s: %d sources, %v", siteType, found, err)
		}
		err = sites[1].Search(t.Context(), sources.Title{Kind: sources.KindMovie, Name: film}, func(sources.Source) {})
		if sources.ClassOf(err) != sources.ClassUnsupported {
			t.Errorf("%s without an address: %v", siteType, err)
		}
	}
}
