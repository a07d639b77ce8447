package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/cmd/engine"
	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/sourcetest/world"
)

// hosterList is a list of sources with the ids a, b, c ... at a hoster each, as it would
// be with the given hosters failing and sources dead.
func hosterList(o sources.ListOptions, failing, dead string, media map[string]sources.MediaInfo) *engine.List {
	health := sources.HosterSnapshot{}
	var all []sources.Source
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		src := sources.Source{
			ID: id, Site: "m", Name: "film " + id, Hoster: id + ".example", URL: "https://" + id + ".example/film.mp4",
			Quality: sources.Quality1080p, State: sources.StateFound, Priority: sources.PriorityDefault,
		}
		if strings.Contains(dead, id) {
			src.State = sources.StateDead
		}
		if _, ok := media[id]; ok {
			src.State = sources.StateProbed
		}
		if strings.Contains(failing, id) {
			health[src.Hoster] = sources.HosterHealth{ConsecutiveFails: 1}
		}
		all = append(all, src)
	}
	o.Media, o.Now = media, time.Unix(1000, 0)
	all = o.Judge(all)
	return &engine.List{
		Scan:    engine.Scan{ScanResult: sources.ScanResult{Sources: all}},
		Listing: sources.Filter(nil, all, health, o), Health: health, Options: o,
	}
}

// picture is what a stream of a height holds.
func picture(height int) sources.MediaInfo {
	return sources.MediaInfo{Container: "mp4", Video: &sources.VideoTrack{Codec: "h264", Width: height * 16 / 9, Height: height}, ProbedAt: 999}
}

// shown are the rows of a list, a line each.
func shown(live *engine.LiveList) []string {
	var lines []string
	for _, row := range live.Rows() {
		line := fmt.Sprintf("%d %s %s %s", row.N, row.ID, row.Quality, row.Step)
		if row.Claimed != "" {
			line += " claimed " + string(row.Claimed)
		}
		if row.Why != "" {
			line += " (" + row.Why + ")"
		}
		lines = append(lines, strings.TrimSpace(line))
	}
	return lines
}

// TestLiveList fills a list in while it is probed, and has it in its new order at the end:
// the numbers are those of the list as it is then.
func TestLiveList(t *testing.T) {
	fault := sources.Errorf(sources.ClassHosterFault, "no")
	began := func(id string) sources.ProbeOutcome {
		return sources.ProbeOutcome{ID: id, Step: sources.ProbeBegan}
	}
	works := func(id string, height int) sources.ProbeOutcome {
		return sources.ProbeOutcome{ID: id, Step: sources.ProbeWorks, Media: picture(height)}
	}
	failed := func(id string, err error) sources.ProbeOutcome {
		return sources.ProbeOutcome{ID: id, Step: sources.ProbeFailed, Err: err}
	}
	none := sources.ListOptions{}
	for _, c := range []struct {
		name     string
		options  sources.ListOptions
		hidden   string // before
		outcomes []sources.ProbeOutcome
		during   []string
		failing  string // at the end
		dead     string
		end      []string
		summary  string
	}{
		{
			"nothing yet", none, "de", nil,
			[]string{"1 a 1080p", "2 b 1080p", "3 c 1080p"},
			"de", "",
			[]string{"1 a 1080p", "2 b 1080p", "3 c 1080p"},
			"",
		},
		{
			"under way, and broken off", none, "de",
			[]sources.ProbeOutcome{began("a"), began("b"), {ID: "b", Step: sources.ProbeLeft}},
			[]string{"1 a 1080p began", "2 b 1080p", "3 c 1080p"},
			"de", "",
			[]string{"1 a 1080p", "2 b 1080p", "3 c 1080p"},
			"",
		},
		{
			"a label that is wrong, a hoster that fails, a link that is gone", none, "de",
			[]sources.ProbeOutcome{works("a", 720), failed("b", fault), failed("c", sources.Errorf(sources.ClassDeadLink, "404"))},
			[]string{"1 a 720p works claimed 1080p", "2 b 1080p failed (no film there)", "3 c 1080p failed (gone)"},
			"bde", "c",
			[]string{"1 a 720p works claimed 1080p", "0 b 1080p failed (no film there)", "0 c 1080p failed (gone)"},
			"2 of 3 failed: 1 no film there (b.example), 1 gone (c.example)",
		},
		{
			"those that work come first", none, "de",
			[]sources.ProbeOutcome{failed("a", sources.Errorf(sources.ClassUnsupported, "?")), works("c", 1080)},
			[]string{"1 a 1080p failed (not supported)", "2 b 1080p", "3 c 1080p works"},
			"de", "",
			[]string{"1 c 1080p works", "2 a 1080p failed (not supported)", "3 b 1080p"},
			"1 of 2 failed: 1 not supported (a.example, row 2)",
		},
		{
			"hidden ones join", none, "cde",
			[]sources.ProbeOutcome{began("c"), began("d"), works("d", 2160), failed("c", fault), failed("e", fault)},
			[]string{"1 a 1080p", "2 b 1080p", "0 d 4K works claimed 1080p"},
			"ce", "",
			[]string{"1 d 4K works claimed 1080p", "2 a 1080p", "3 b 1080p"},
			"",
		},
		{
			"better than wanted",
			sources.ListOptions{Quality: sources.Quality1080p},
			"de",
			[]sources.ProbeOutcome{works("a", 2160), works("d", 2160)},
			[]string{"1 a 4K works claimed 1080p", "2 b 1080p", "3 c 1080p"},
			"de", "",
			[]string{"1 b 1080p", "2 c 1080p", "0 a 4K works claimed 1080p (better than 1080p)"},
			"",
		},
		{
			"its hoster fails by now, another one is skipped", none, "de",
			[]sources.ProbeOutcome{works("a", 1080), {ID: "b", Step: sources.ProbeSkipped, Err: sources.ErrHosterResting}},
			[]string{"1 a 1080p works", "2 b 1080p skipped (hoster rests)", "3 c 1080p"},
			"ade", "",
			[]string{"1 b 1080p skipped (hoster rests)", "2 c 1080p", "0 a 1080p works (its hoster fails)"},
			"",
		},
		{
			"all gone",
			sources.ListOptions{Limit: 2},
			"de",
			[]sources.ProbeOutcome{failed("a", fault), failed("b", fault)},
			[]string{"1 a 1080p failed (no film there)", "2 b 1080p failed (no film there)"},
			"abcde", "",
			[]string{"0 a 1080p failed (no film there)", "0 b 1080p failed (no film there)"},
			"2 of 2 failed: 2 no film there (a.example, b.example)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := hosterList(c.options, c.hidden, "", nil)
			live := before.Live()
			live.Expect(before.Unproven())
			for _, o := range c.outcomes {
				live.Outcome(o)
			}
			if diff := cmp.Diff(c.during, shown(live)); diff != "" {
				t.Errorf("during the probe (-want +got):\n%s", diff)
			}
			live.End(hosterList(c.options, c.failing, c.dead, live.Works()))
			if diff := cmp.Diff(c.end, shown(live)); diff != "" {
				t.Errorf("at the end (-want +got):\n%s", diff)
			}
			if got := live.Failed(); got != c.summary {
				t.Errorf("failed %q, want %q", got, c.summary)
			}
		})
	}
}

// TestLiveList_all numbers the rows of a list of all as play picks them, which knows
// nothing of what is hidden.
func TestLiveList_all(t *testing.T) {
	for all, want := range map[bool]string{true: "a 0, b 1, c 0, d 2, e 3", false: "b 1, d 2, e 3"} {
		var got []string
		for _, row := range hosterList(sources.ListOptions{All: all}, "ac", "", nil).Live().Rows() {
			got = append(got, fmt.Sprintf("%s %d", row.ID, row.Pick))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("all %t: %q, want %s", all, got, want)
		}
	}
}

// TestLiveList_provider shows who served a source, whose media the store does not keep.
func TestLiveList_provider(t *testing.T) {
	before := hosterList(sources.ListOptions{}, "", "", nil)
	live := before.Live()
	live.Expect(before.Unproven())
	live.Outcome(sources.ProbeOutcome{ID: "b", Step: sources.ProbeWorks, Media: picture(720), Provider: "real_debrid"})
	if works := live.Works(); len(works) != 0 {
		t.Errorf("works by itself: %v", works)
	}
	live.End(before)
	row := live.Rows()[1]
	if row.N != 2 || row.Provider != "real_debrid" || row.Media == nil || row.Quality != sources.Quality720p {
		t.Errorf("row %+v", row)
	}
}

// TestShortWhy says each kind of failure in a few words.
func TestShortWhy(t *testing.T) {
	request := func(reason fetch.Reason, status int) error {
		return fmt.Errorf("resolve: %w", &fetch.Error{URL: "https://h.example/", Reason: reason, Status: status, Err: fs.ErrInvalid})
	}
	skipped := &sources.SkippedError{Provider: "real_debrid", Kind: sources.ClassProviderCooling}
	for want, errs := range map[string][]error{
		"timeout":                         {request(fetch.ReasonTimeout, 0), request(fetch.ReasonBusy, 0), context.DeadlineExceeded},
		"HTTP 503":                        {request(fetch.ReasonStatus, 503)},
		"gone (404)":                      {request(fetch.ReasonStatus, 404)},
		"gone":                            {sources.Errorf(sources.ClassDeadLink, "removed")},
		"no such host":                    {request(fetch.ReasonDNS, 0)},
		"no connection":                   {request(fetch.ReasonDial, 0)},
		"TLS failed":                      {request(fetch.ReasonTLS, 0)},
		"broken off":                      {request(fetch.ReasonRead, 0), request(fetch.ReasonRange, 0)},
		"bad redirect":                    {request(fetch.ReasonRedirect, 0)},
		"private address":                 {request(fetch.ReasonPrivate, 0)},
		"hoster rests":                    {request(fetch.ReasonPaused, 0), sources.ErrHosterResting},
		"proxy failed":                    {request(fetch.ReasonProxy, 0)},
		"not supported":                   {request(fetch.ReasonForm, 0), sources.Errorf(sources.ClassUnsupported, "?")},
		"network down":                    {sources.ErrNetworkDown},
		"a web page":                      {fmt.Errorf("it is: %w", sources.ErrPage)},
		"a message, no film":              {fmt.Errorf("it is: %w", sources.ErrMessage)},
		"needs " + sources.NeedsAccount:   {&sources.NeedsError{Needs: sources.NeedsAccount, Err: sources.ErrPage}},
		"no film there":                   {sources.Errorf(sources.ClassHosterFault, "cut short")},
		"a bug of xship":                  {errors.New("oops")},
		"failed":                          {context.Canceled},
		"Real-Debrid rests":               {skipped, &sources.AccountsError{Errs: []error{skipped}}},
		"Real-Debrid quota used up":       {&sources.ProviderStreamUnavailableError{Provider: "real_debrid", Kind: sources.ClassProviderQuota}},
		"Real-Debrid refuses the account": {&sources.ProviderStreamUnavailableError{Provider: "real_debrid", Kind: sources.ClassProviderAuth}},
	} {
		for _, err := range errs {
			if got := engine.ShortWhy(err); got != want {
				t.Errorf("%v: %q, want %q", err, got, want)
			}
		}
	}
}

// TestEngine_Relist has the list after a probe be the one that a scan from the cache
// gives then, and that play picks from: without a source that is gone, and with those of
// a hoster that was hidden and works.
func TestEngine_Relist(t *testing.T) {
	r := newRig(t, nil)
	r.add(r.story.Good)
	cobalt := r.story.Hosters[2].IP()
	r.store.Block(cobalt, time.Now().Add(time.Hour))
	r.story.Hosters[0].Remove("Paper.Submarines.2016.1080p.WEB-DL.H264.AAC.mp4")
	list := r.list(r.scan(engine.ScanRequest{Title: r.story.Film}), engine.ListRequest{Explain: true})
	r.store.Block(cobalt, time.Now().Add(-time.Second))
	live := list.Live()
	all := list.Unproven()
	live.Expect(all)
	if _, err := r.Probe(t.Context(), all, engine.ProbeRequest{User: 1, Progress: live.Progress, Outcome: live.Outcome}); err != nil {
		t.Fatal(err)
	}
	if p := live.Probe(); p.Total == 0 || p.Done != p.Total {
		t.Errorf("progress %+v", p)
	}
	final, err := r.Relist(t.Context(), list, live.Works())
	if err != nil {
		t.Fatal(err)
	}
	live.End(final)
	again := r.list(r.scan(engine.ScanRequest{Title: r.story.Film}), engine.ListRequest{})
	var want, got []string
	for _, src := range again.Listing.Sources {
		want = append(want, src.ID)
	}
	joined := false
	for _, row := range live.Rows() {
		if row.Pick > 0 {
			got = append(got, row.ID)
			joined = joined || row.Hoster == cobalt
			if len(row.Place) == 0 {
				t.Errorf("row %d is not explained", row.N)
			}
		}
	}
	if !slices.Equal(got, want) || len(got) == 0 || !joined {
		t.Errorf("the rows are %v, a scan from the cache has %v (joined: %t)", got, want, joined)
	}
	for n, id := range got {
		if played := r.play(engine.PlayRequest{ScanRequest: engine.ScanRequest{Title: r.story.Film}, User: 1, Pick: n + 1}); played.Source.ID != id {
			t.Errorf("row %d is %s, play picks %s", n+1, id, played.Source.ID)
		}
	}
}

// TestEngine_Relist_wrongLabel has a source whose site says 4K of a stream of 720p stand
// behind one of 1080p, once the probe found that out, and from the cache at once.
func TestEngine_Relist_wrongLabel(t *testing.T) {
	r := newRig(t, nil)
	h := r.story.Hosters[0]
	site, err := r.story.AddSite("boaster", world.SiteConfig{Films: []world.Film{{
		Name: "Tin Lighthouse", Year: 2020, Type: "Film", Groups: []world.Group{{From: "mp4", Items: []world.Item{
			{Label: "4K", URL: h.URL("tin-lighthouse.mp4")}, {Label: "1080P", URL: h.URL("tin-lighthouse-1080p.mp4")},
		}}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	boasting, err := r.story.AddInterface("boasting", world.InterfaceConfig{Entries: []world.Entry{site.Entry()}})
	if err != nil {
		t.Fatal(err)
	}
	r.add(boasting)
	request := engine.ScanRequest{Title: sources.Title{Kind: sources.KindMovie, Name: "Tin Lighthouse"}}
	list := r.list(r.scan(request), engine.ListRequest{})
	live := list.Live()
	want := func(when string, live *engine.LiveList, want ...string) {
		t.Helper()
		var got []string
		for _, row := range live.Rows() {
			got = append(got, strings.TrimSpace(fmt.Sprintf("%d %s %s", row.N, row.Quality, row.Claimed)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	want("at first", live, "1 4K", "2 1080p")
	all := list.Unproven()
	live.Expect(all)
	if _, err := r.Probe(t.Context(), all, engine.ProbeRequest{User: 1, Outcome: live.Outcome}); err != nil {
		t.Fatal(err)
	}
	want("after the probe", live, "1 720p 4K", "2 1080p")
	final, err := r.Relist(t.Context(), list, live.Works())
	if err != nil {
		t.Fatal(err)
	}
	live.End(final)
	want("at the end", live, "1 1080p", "2 720p 4K")
	cached := r.list(r.scan(request), engine.ListRequest{}).Live()
	want("from the cache", cached, "1 1080p", "2 720p 4K")
	if media := cached.Rows()[1].Media; media == nil || media.Video.Height != 720 {
		t.Errorf("from the cache: %+v", media)
	}
}

// TestLiveList_Failed tells in a few words which rows failed, however many of them did.
func TestLiveList_Failed(t *testing.T) {
	gone, down := sources.Errorf(sources.ClassDeadLink, "404"), sources.Errorf(sources.ClassHosterFault, "x")
	for _, c := range []struct {
		gone, down string
		want       string
	}{
		{"", "", ""},
		{"d", "", "1 of 1 failed: 1 gone (d.example, row 4)"},
		{"de", "", "2 of 2 failed: 2 gone (d.example, e.example, rows 4 and 5)"},
		{"abcde", "", "5 of 5 failed: 5 gone (a.example, b.example, c.example +2, rows 1-5)"},
		{"b", "acde", "5 of 5 failed: 4 " + engine.ShortWhy(down) + " (a.example, c.example, d.example +1, rows 1 and 3-5), 1 gone (b.example, row 2)"},
	} {
		list := hosterList(sources.ListOptions{}, "", "", nil)
		live := list.Live()
		live.Expect(list.Sources)
		for step, err := range map[string]error{c.gone: gone, c.down: down} {
			for _, id := range step {
				live.Outcome(sources.ProbeOutcome{ID: string(id), Step: sources.ProbeFailed, Err: err})
			}
		}
		if got := live.Failed(); got != c.want {
			t.Errorf("%s gone, %s down: %q, want %q", c.gone, c.down, got, c.want)
		}
	}
}
