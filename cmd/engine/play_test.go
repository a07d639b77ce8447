package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"xship/cmd/engine"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/sourcetest/world"
	"xship/sources/text"
)

// TestEngine_Play_hidden plays a film whose other hosters fail, while one is hidden.
func TestEngine_Play_hidden(t *testing.T) {
	const others = 2 // hosters with the best sources
	blocked := func(r *rig, name string) { r.store.Block(name, time.Now().Add(time.Hour)) }
	free := func(r *rig, name string) {
		h := r.store.Hoster(name)
		h.BackoffUntil = time.Now().Add(-time.Minute).Unix()
		r.store.SetHoster(name, h)
	}
	for _, c := range []struct {
		name   string
		hidden int                       // of the hosters: the first ones, atlas before birch and cobalt
		before func(r *rig, name string) // to the hidden ones when the list is there, nil = nothing
		force  bool
		broken []string // hosters that give nothing
		plays  string
		row    int
		tried  int
		text   string
		hint   string
	}{
		{name: "whose block ends", hidden: 1, before: free, broken: []string{"birch", "cobalt"}, plays: "atlas", tried: 4},
		{name: "whose block goes on", hidden: 1, broken: []string{"birch", "cobalt"}, tried: 4, text: "4 sources failed; 3 sources on failing hosters not tried", hint: "xship play TITLE --force tries hidden sources too; "},
		{name: "forced", hidden: 1, force: true, broken: []string{"birch", "cobalt"}, plays: "atlas", tried: others},
		{name: "listed ones come first", hidden: 1, before: free, plays: "birch", row: 1},
		{name: "forced where it would stand", hidden: 2, force: true, plays: "birch"},
		{name: "all, blocks go on", hidden: 3, text: "nothing playable for Paper Submarines (2016): 7 sources hidden", hint: "--force tries hidden ones now"},
		{name: "all, forced", hidden: 3, force: true, plays: "birch"},
		{name: "all, forced, and none works", hidden: 3, force: true, broken: []string{"atlas", "birch", "cobalt"}, tried: 7, text: "7 sources failed", hint: "xship scan lists them"},
		{
			name: "that somebody tries", hidden: 1, broken: []string{"birch", "cobalt"}, tried: 4, text: "3 sources on failing hosters not tried", hint: "--force",
			before: func(r *rig, name string) {
				free(r, name)
				if _, began, err := r.store.BeginAttempt(r.Context(), name, "", false); !began || err != nil {
					r.Errorf("the other attempt began: %t, %v", began, err)
				}
			},
		},
		// The first of its links fails: the others wait for what comes of it.
		{name: "that fails again", hidden: 1, before: free, broken: []string{"atlas", "birch", "cobalt"}, tried: 5, text: "5 sources failed; 2 sources on failing hosters not tried", hint: "--force"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, nil)
			r.add(r.story.Good)
			r.scan(engine.ScanRequest{Title: r.story.Film})
			for _, h := range r.story.Hosters[:c.hidden] {
				blocked(r, h.IP())
			}
			for _, name := range c.broken {
				r.story.Hoster(name).SetMode(world.Mode503)
			}
			if c.hidden == 3 {
				c.before = nil
			}
			req := engine.PlayRequest{ScanRequest: engine.ScanRequest{Title: r.story.Film}, Force: c.force, User: 1}
			req.ChooseSource = func(context.Context, []engine.Candidate) (int, bool, error) {
				for _, h := range r.story.Hosters[:c.hidden] {
					if c.before != nil {
						c.before(r, h.IP())
					}
				}
				return 0, true, nil
			}
			played, err := r.Play(t.Context(), req)
			if len(played.Tried) != c.tried {
				t.Errorf("tried %+v, want %d", played.Tried, c.tried)
			}
			if c.plays != "" {
				if hoster := r.story.Hoster(c.plays); err != nil || played.Source.Hoster != hoster.IP() || played.Row != c.row {
					t.Errorf("%s plays in row %d, %v; want %s in row %d", played.Source.Hoster, played.Row, err, hoster.IP(), c.row)
				}
				return
			}
			nothing, ok := errors.AsType[*engine.NothingPlayableError](err)
			if !ok || !strings.Contains(nothing.Text, c.text) || !strings.Contains(nothing.Hint, c.hint) {
				t.Errorf("%v (%+v), want %q with a hint at %q", err, nothing, c.text, c.hint)
			}
		})
	}
}

// TestEngine_Play_choose begins where the user wants, among what the list shows.
func TestEngine_Play_choose(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	atlas := r.story.Hoster("atlas")
	r.scan(engine.ScanRequest{Title: r.story.Film})
	r.store.Block(atlas.IP(), time.Now().Add(time.Hour))
	var rows []int
	var marks []string
	chosen := 1
	req := engine.PlayRequest{ScanRequest: engine.ScanRequest{Title: r.story.Film}, User: 1}
	req.ChooseSource = func(_ context.Context, from []engine.Candidate) (int, bool, error) {
		rows, marks = nil, nil
		for _, c := range from {
			rows, marks = append(rows, c.Row), append(marks, c.Mark)
		}
		return chosen, chosen >= 0, nil
	}
	if played := r.play(req); played.Row != 2 || !slices.Equal(rows, []int{1, 2, 3, 4}) || strings.Join(marks, "") != "" {
		t.Errorf("row %d of %v, marked %q", played.Row, rows, marks)
	}
	req.Force, chosen = true, 2
	if played := r.play(req); played.Source.Hoster != atlas.IP() || !slices.Equal(rows, []int{1, 2, 0, 3, 0, 4, 0}) || !strings.Contains(marks[2], "fails") {
		t.Errorf("forced: %s plays, of %v, marked %q", played.Source.Hoster, rows, marks)
	}
	chosen = -1
	if _, err := r.Play(t.Context(), req); !isNothing(err, "no source of Paper Submarines (2016) was chosen") {
		t.Errorf("no choice: %v", err)
	}
	failed := errors.New("the terminal is gone")
	req.ChooseSource = func(context.Context, []engine.Candidate) (int, bool, error) { return 0, false, failed }
	if _, err := r.Play(t.Context(), req); !errors.Is(err, failed) {
		t.Errorf("a choice that fails: %v", err)
	}
}

func isNothing(err error, text string) bool {
	nothing, ok := errors.AsType[*engine.NothingPlayableError](err)
	return ok && strings.Contains(nothing.Text, text)
}

// TestEngine_PlayLinks resolves links as what a user clicks.
func TestEngine_PlayLinks(t *testing.T) {
	r := newRig(t, nil)
	atlas, birch, cobalt := r.story.Hosters[0], r.story.Hosters[1], r.story.Hosters[2]
	r.store.Block(atlas.IP(), time.Now().Add(time.Hour)) // a click is forced
	birch.Remove("gone.mp4")
	cobalt.SetFileMode("*.mkv", world.Mode503)
	links := []string{
		atlas.URL("a.mp4"), birch.URL("gone.mp4") + "?token=s3cr3t", cobalt.URL("b.mkv"), birch.URL("c.html"), birch.URL("My Film.1080p.mp4") + "|Referer=http://r.example/&X-Key=s3cr3t", atlas.URL("a.mp4"),
	}
	var got []string
	play := func() error {
		got = nil
		return r.PlayLinks(t.Context(), engine.LinksRequest{Links: links, User: 1, Ended: func(p engine.PlayedLink) error {
			if p.Err == nil {
				got = append(got, fmt.Sprint(p.Stream.URL, " ", p.Stream.Headers["Referer"], " ", p.Source.Quality, " ", p.Source.State))
				return nil
			}
			got = append(got, fmt.Sprint(p.Err, " ", len(p.Tried), " ", p.Source.State))
			if strings.Contains(p.Err.Error()+p.Tried[0].Error, "s3cr3t") {
				t.Errorf("a secret is in %q, %q", p.Err, p.Tried[0].Error)
			}
			return nil
		}})
	}
	want := []string{
		links[0] + "   resolved",
		link.Redact(links[1]) + " does not play: 404 Not Found: this file was deleted 1 dead",
		links[2] + " does not play: 503 Service Unavailable: Service Unavailable 1 found",
		links[3] + ` does not play: a web page, which needs a parser: HTML page "Welcome"; it needs an account that serves its hoster (xship accounts add PROVIDER), or yt-dlp 1 found`,
		birch.URL("My%20Film.1080p.mp4") + " http://r.example/ 1080p resolved",
		links[0] + "   resolved",
	}
	if err := play(); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, played\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if h := r.store.Hoster(atlas.IP()); h.ConsecutiveFails != 0 {
		t.Errorf("a link that plays leaves its hoster as %+v", h)
	}
	if stored, err := r.store.CachedStream(t.Context(), sources.LinkID(links[0])); err != nil || stored == nil {
		t.Errorf("stored is %+v, %v", stored, err)
	}
	if seen, err := r.Watchlist(t.Context()); err != nil || len(seen) != 0 {
		t.Errorf("the watchlist has %+v, %v", seen, err)
	}
	// What is stored is checked.
	before := atlas.Requests()
	if err := play(); err != nil || !slices.Equal(got, want) || atlas.Requests() == before {
		t.Errorf("again: %v, %d requests, played\n%s", err, atlas.Requests()-before, strings.Join(got, "\n"))
	}
	atlas.Remove("a.mp4")
	if err := play(); err != nil || !strings.Contains(got[0], "404") {
		t.Errorf("gone: %v, played\n%s", err, strings.Join(got, "\n"))
	}
	failed := errors.New("nobody reads")
	if err := r.PlayLinks(t.Context(), engine.LinksRequest{Links: links, Ended: func(engine.PlayedLink) error { return failed }}); !errors.Is(err, failed) {
		t.Errorf("an error of the reader: %v", err)
	}
}

// TestEngine_PlayLinks_many resolves a thousand links, tells them in their order, and ends
// in the middle when it is to.
func TestEngine_PlayLinks_many(t *testing.T) {
	r := newRig(t, nil)
	var links []string
	for i := range 1000 {
		links = append(links, r.story.Hosters[i*i%3].URL(fmt.Sprintf("%d.mp4", i)))
	}
	told := 0
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := func(p engine.PlayedLink) error {
		if p.Err != nil || p.Stream.URL != links[told] {
			t.Errorf("link %d is %q, %v", told, p.Stream.URL, p.Err)
		}
		if told++; told == 1500 {
			cancel()
		}
		return nil
	}
	if err := r.PlayLinks(ctx, engine.LinksRequest{Links: links, Ended: ended}); err != nil || told != len(links) {
		t.Errorf("%v, %d links were told", err, told)
	}
	for _, h := range r.story.Hosters {
		if n := h.PeakInFlight(); n > 2 {
			t.Errorf("%s was asked for %d at once", h.Name(), n)
		}
	}
	links = slices.Concat(links, links)
	told = 1000
	if err := r.PlayLinks(ctx, engine.LinksRequest{Links: links, Ended: ended}); !errors.Is(err, context.Canceled) || told != 1500 {
		t.Errorf("broken off: %v, %d links were told", err, told)
	}
}

// TestEngine_PlayLinks_silent leaves a hoster alone whose links fail in a row, and goes on
// with the others.
func TestEngine_PlayLinks_silent(t *testing.T) {
	r := newRig(t, nil)
	atlas, birch := r.story.Hosters[0], r.story.Hosters[1]
	atlas.SetMode(world.Mode503)
	var links []string
	for i := range 20 {
		links = append(links, atlas.URL(fmt.Sprintf("a%d.mp4?token=s3cr3t", i)), birch.URL(fmt.Sprintf("b%d.mp4", i)))
	}
	tried, told := 0, 0
	err := r.PlayLinks(t.Context(), engine.LinksRequest{Links: links, Ended: func(p engine.PlayedLink) error {
		switch failing := told%2 == 0; {
		case failing != (p.Err != nil):
			t.Errorf("link %d: %v", told, p.Err)
		case failing && len(p.Tried) > 0:
			tried++
		case failing && (!strings.Contains(p.Err.Error(), "was not tried: 3 links in a row of "+atlas.IP()+" failed") || strings.Contains(p.Err.Error(), "s3cr3t")):
			t.Errorf("link %d: %v", told, p.Err)
		}
		told++
		return nil
	}})
	if err != nil || told != len(links) || tried < 3 || tried > 4 { // two at a time
		t.Errorf("%v, %d links were told of, and %d of the failing hoster were tried", err, told, tried)
	}
}

func TestParseLink(t *testing.T) {
	for typed, want := range map[string]struct{ url, text string }{
		" https://h.example/a ":             {url: "https://h.example/a"},
		"h.example.com/a?b":                 {url: "https://h.example.com/a?b"},
		"Big Buck Bunny":                    {text: `"Big Buck Bunny" is no link`},
		"Bunny \x1b[31m token=s3cr3t":       {text: `"Bunny token=REDACTED" is no link`},
		"magnet:?xt=a&key=s3cr3t":           {text: "a torrent"},
		"https://h.example/s3cr3t.torrent":  {text: "a torrent"},
		"ftp://h/s3cr3t":                    {text: "an address of ftp"},
		"/home/s3cr3t.mkv":                  {text: "a file"},
		"Film https://h.example/?s3cr3t":    {text: "several links"},
		"hxxps://h.example/?token=s3cr3t":   {text: "not written as one"},
		"https%3A%2F%2Fh.example%2F?s3cr3t": {text: "not written as one"},
	} {
		url, err := engine.ParseLink(typed)
		if want.text == "" {
			if url != want.url || err != nil {
				t.Errorf("%q is %q, %v", typed, url, err)
			}
			continue
		}
		wrong, ok := errors.AsType[*engine.RequestError](err)
		if !ok || !strings.Contains(wrong.Text, want.text) || wrong.Hint == "" || strings.Contains(wrong.Text+wrong.Hint, "s3cr3t") {
			t.Errorf("%q: %+v, want %q", typed, wrong, want.text)
		}
	}
}

// A player is named for what players open, and for nothing else.
func TestParseLink_hint(t *testing.T) {
	for typed, want := range map[string]string{
		"rtsp://h/a":              "mpv rtsp://...",
		"javascript:play(1)":      "begins with http:// or https://",
		"stremio://h/a":           "begins with http:// or https://",
		"blob:https://h.example/": "the address of the page",
	} {
		_, err := engine.ParseLink(typed)
		if hint := text.HintOf(err); !strings.Contains(hint, want) || strings.Contains(want, "http") && strings.Contains(hint, "mpv") {
			t.Errorf("%q: %q, want %q", typed, hint, want)
		}
	}
}

// BenchmarkEngine_PlayLinks resolves a hundred links of three hosters that answer at once.
func BenchmarkEngine_PlayLinks(b *testing.B) {
	r := newRig(b, nil)
	for i := 0; b.Loop(); i++ {
		var links []string
		for n := range 100 {
			links = append(links, r.story.Hosters[n%3].URL(fmt.Sprintf("%d-%d.mp4", i, n)))
		}
		if err := r.PlayLinks(b.Context(), engine.LinksRequest{Links: links, Ended: func(p engine.PlayedLink) error { return p.Err }}); err != nil {
			b.Fatal(err)
		}
	}
}
