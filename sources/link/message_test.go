package link_test

import (
	"net/url"
	"testing"

	"xship/sources/link"
)

func TestShowsMessage(t *testing.T) {
	for address, want := range map[string]bool{
		"https://a.example/videos/failed_access_v2.mp4":               true,
		"https://a.example/videos/failed_too_big_v1.mp4":              true,
		"https://a.example/videos/downloading_v3.mp4":                 true,
		"https://files.example/x/limits_exceeded_v1.mp4":              true,
		"https://a.example/static/exceptions/need_premium.mp4":        true,
		"https://a.example/status_videos/TOO_MANY_REQUESTS.mp4":       true,
		"https://a.example/assets/uncached.mp4":                       true,
		"https://a.example/assets/proxylimit.mp4":                     true,
		"https://a.example/static/no_matching_file.mp4":               true,
		"https://a.example/v0/store/_/static/451.mp4":                 true,
		"https://a.example/static/500.mp4?x=1":                        true,
		"https://a.example/static/unauthorized.gif":                   true,
		"https://a.example/films/300.mp4":                             false,
		"https://a.example/films/451.mp4":                             false,
		"https://a.example/static/1917.mp4":                           false,
		"https://a.example/films/The.Limit.2018.mp4":                  false,
		"https://a.example/static/error.html":                         false,
		"https://a.example/films/downloading.mp4":                     false,
		"https://a.example/exceptions/films/paper-submarines.mp4":     false,
		"https://a.example/videos/paper-submarines-without-limits.mp": false,
		"https://a.example/":                                          false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := link.ShowsMessage(u); got != want {
			t.Errorf("ShowsMessage(%s) = %t", address, got)
		}
	}
}
