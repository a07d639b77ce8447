package stremio_test

import (
	"slices"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/site/stremio"
	"xship/sources/sourcetest"
)

// An add-on tells the title that it has, by its own description of it where there is one:
// of that the episodes that have come out.
func TestSearch_seen(t *testing.T) {
	const streams, none = `{"streams":[{"url":"https://h.example/a.mp4"}]}`, `{"streams":[]}`
	now := time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC)
	episode := sources.Title{Kind: sources.KindEpisode, Name: "Harbor 9", IMDb: "tt9000010", Season: 1, Episode: 2}
	for name, tt := range map[string]struct {
		title         sources.Title
		streams, meta string
		want          []string
	}{
		"no description":       {film, streams, `{"meta":null}`, []string{"Paper Submarines (2016) movie tt9000001"}},
		"neither":              {film, none, `<html>`, nil},
		"a film":               {film, none, `{"meta":{"name":"Paper \u001b[31mSubmarines","year":2016,"videos":[{"season":1,"episode":1}]}}`, []string{"Paper Submarines (2016) movie tt9000001"}},
		"a film, other name":   {film, streams, `{"meta":{"name":"U-Boote aus Papier","releaseInfo":"2016"}}`, []string{"U-Boote aus Papier|Paper Submarines (2016) movie tt9000001"}},
		"a series":             {episode, streams, `{"meta":{"name":"Harbour Nine","releaseInfo":"2018–2020","videos":[{"season":1,"episode":2},{"season":1,"number":1},{"season":0,"episode":1}]}}`, []string{"Harbour Nine|Harbor 9 (2018) episode tt9000010: 0x1 1x1 1x2"}},
		"it lacks the episode": {episode, none, `{"meta":{"name":"Harbour Nine","videos":[{"season":1,"episode":1}]}}`, []string{"Harbour Nine|Harbor 9 episode tt9000010: 1x1"}},
		"episodes to come": {
			episode, none, `{"meta":{"name":"Harbour Nine","videos":[
			{"season":1,"episode":1,"released":"2019-12-31T00:00:00.000Z"},{"season":1,"episode":3,"released":"2020-01-09T00:00:00.000Z"},{"season":1,"episode":4,"released":"soon"}]}}`,
			[]string{"Harbour Nine|Harbor 9 episode tt9000010: 1x1 1x4"},
		},
		"streams of an episode that is not described": {episode, streams, `{"meta":{"name":"Harbour Nine","videos":[{"season":1,"episode":1},{"season":"x"},null,{"season":-1,"episode":1}]}}`, []string{"Harbour Nine|Harbor 9 episode tt9000010: 1x1 1x2"}},
		"no list of episodes":                         {episode, streams, `{"meta":{"name":"Harbour Nine","videos":"x"}}`, []string{"Harbour Nine|Harbor 9 episode tt9000010: 1x2"}},
	} {
		t.Run(name, func(t *testing.T) {
			a := startAddon(t, tt.streams)
			a.on("/meta/", write("application/json", tt.meta))
			got, err := sourcetest.Seen(t.Context(), newSite(t, a.url(), stremio.Deps{Now: func() time.Time { return now }}), tt.title)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
