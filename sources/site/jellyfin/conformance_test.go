package jellyfin_test

import (
	"net/http"
	"net/url"
	"testing"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/site/jellyfin"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/jellyfinfake"
	"xship/sources/sourcetest/world"
)

const key = "0123456789abcdef0123456789abcdef"

func spec(siteType, api string) sources.SiteSpec {
	return sources.SiteSpec{SiteInfo: sources.SiteInfo{Key: "home", Name: "Home", Type: siteType}, API: api, Searchable: true, Trusted: true}
}

// newClient makes a client with the login for one server.
func newClient(tb testing.TB, siteType, address string, token sources.Secret) *fetch.Client {
	tb.Helper()
	c := fetch.New(fetch.Options{Login: func(u *url.URL) http.Header {
		if link.Origin(u) != link.OriginOf(address) || token == "" {
			return nil
		}
		return jellyfin.Header(siteType, token, jellyfin.Device{ID: "d1", Version: "v1"})
	}})
	tb.Cleanup(c.CloseIdleConnections)
	return c
}

func newFake(tb testing.TB, c jellyfinfake.Config) *jellyfinfake.Server {
	tb.Helper()
	c.Keys = append(c.Keys, key)
	server, err := jellyfinfake.Add(sourcetest.StartWorld(tb, world.Config{}), "home", c)
	if err != nil {
		tb.Fatal(err)
	}
	return server
}

func newSite(tb testing.TB, s sources.SiteSpec, client *fetch.Client) sources.Site {
	tb.Helper()
	site, err := jellyfin.New(s, client)
	if err != nil {
		tb.Fatal(err)
	}
	return site
}

func TestConformance(t *testing.T) {
	for name, tt := range map[string]struct {
		siteType string
		config   jellyfinfake.Config
	}{
		"jellyfin":      {jellyfin.Type, jellyfinfake.Config{}},
		"behind a path": {jellyfin.Type, jellyfinfake.Config{Base: "/media/jelly"}},
		"emby":          {jellyfin.TypeEmby, jellyfinfake.Config{Emby: true}},
	} {
		t.Run(name, func(t *testing.T) {
			sourcetest.RunSite(t, sourcetest.Harness{Start: func(tb testing.TB, films []world.Film) sourcetest.Instance {
				c := tt.config
				c.Films = films
				server := newFake(tb, c)
				client := newClient(tb, tt.siteType, server.URL(), key)
				return sourcetest.Instance{Site: newSite(tb, spec(tt.siteType, server.URL()), client), Server: server, Link: server.Link}
			}})
		})
	}
}
