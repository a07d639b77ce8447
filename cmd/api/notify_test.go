package api_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"xship/cmd/api"
	"xship/sources"
)

// TestNotification holds the documents to the letter, without secrets and without what
// moves a cursor.
func TestNotification(t *testing.T) {
	at := time.Unix(1_700_000_000, 0).UTC()
	film := sources.Title{Kind: sources.KindMovie, Name: "Paper\x1b[2J Lanterns", Year: 2014, IMDb: "tt9900001"}
	episode := sources.Title{Kind: sources.KindEpisode, Name: "Harbour Nine", Season: 0, Episode: 3}
	broken := sources.Interface{URL: "https://u:s3cret@if.example/a.json?token=s3cret", Name: "broken\x07"}
	good := sources.Interface{URL: "https://if.example/b.json"}
	for _, c := range []struct {
		name string
		doc  api.Notification
		want string
	}{
		{
			"film", api.NewTitleReady(sources.TitleReady{Title: film, Quality: sources.Quality1080p}, at),
			`{"event":"title_ready","at":1700000000,"title":{"kind":"movie","name":"Paper Lanterns","year":2014,"imdb":"tt9900001","season":null,"episode":null,"quality":"1080p"},"message":"Paper Lanterns (2014) is ready in 1080p"}`,
		},
		{
			"episode of unknown quality", api.NewTitleReady(sources.TitleReady{Title: episode}, at),
			`{"event":"title_ready","at":1700000000,"title":{"kind":"episode","name":"Harbour Nine","year":null,"imdb":null,"season":0,"episode":3,"quality":""},"message":"Harbour Nine S00E03 is ready"}`,
		},
		{
			"account", api.NewAccountEnding(sources.AccountEnding{User: 2, Provider: "real_debrid", EndsAt: at.Add(73 * time.Hour)}, at),
			`{"event":"account_ending","at":1700000000,"account":{"user":2,"provider":"real_debrid","ends_at":1700262800},"message":"the account of user 2 at Real-Debrid ends in 3 days, on 2023-11-17"}`,
		},
		{
			"account today", api.NewAccountEnding(sources.AccountEnding{User: 1, Provider: "torbox", EndsAt: at.Add(time.Minute)}, at),
			`{"event":"account_ending","at":1700000000,"account":{"user":1,"provider":"torbox","ends_at":1700000060},"message":"the account of user 1 at TorBox ends within a day, on 2023-11-14"}`,
		},
		{
			"account that ended", api.NewAccountEnding(sources.AccountEnding{User: 1, Provider: "torbox", EndsAt: at}, at),
			`{"event":"account_ending","at":1700000000,"account":{"user":1,"provider":"torbox","ends_at":1700000000},"message":"the account of user 1 at TorBox ended on 2023-11-14"}`,
		},
		{
			"switch", api.NewInterfaceSwitched(sources.InterfaceLoaded{Origin: broken, Interface: good, Switched: true}, at),
			`{"event":"interface_switched","at":1700000000,"interface":{"url":"https://if.example/b.json","name":"","from":{"url":"https://REDACTED@if.example/a.json?token=REDACTED","name":"broken"}},"message":"the interface broken could not be loaded, https://if.example/b.json is in use now"}`,
		},
		{
			"cycle", api.NewCycleFailed(errors.New("GET https://if.example/x?token=s3cret\x1b[2J: the disk is full"), at),
			`{"event":"cycle_failed","at":1700000000,"message":"the precacher could not work: GET https://if.example/REDACTED the disk is full"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b strings.Builder
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(c.doc); err != nil {
				t.Fatal(err)
			}
			if got := strings.TrimSpace(b.String()); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if strings.Contains(b.String(), "s3cret") {
				t.Error("it holds a secret")
			}
		})
	}
}
