package engine

import (
	"errors"
	"strings"
	"testing"
	"time"

	"xship/sources"
)

// Rows are those that scan shows; links to web pages stand behind them.
func TestList_queue(t *testing.T) {
	listed := func(ids ...string) (all []sources.Listed) {
		for _, id := range ids {
			all = append(all, sources.Listed{Source: sources.Source{ID: id}})
		}
		return all
	}
	page := sources.Source{ID: "page", Unplayable: "a web page"}
	for _, c := range []struct {
		name   string
		listed []sources.Listed
		pick   int
		want   int // where to begin, -1 = there is no such row
	}{
		{"none", listed("a", "b"), 0, 0},
		{"the last row", listed("a", "b"), 2, 1},
		{"behind the list", listed("a", "b"), 3, -1},
		{"no list, no pick", nil, 0, 0},
		{"no list", nil, 1, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &List{Scan: Scan{ScanResult: sources.ScanResult{Sources: []sources.Source{page}}}, Listing: sources.Listing{Sources: c.listed}}
			q, err := l.queue(PlayRequest{Pick: c.pick}, true)
			if c.want < 0 {
				if _, ok := errors.AsType[*NothingPlayableError](err); !ok {
					t.Fatalf("%+v, %v; want an error", q, err)
				}
				return
			}
			if err != nil || q.start != c.want || len(q.sources) != len(c.listed)+1 || q.rows != len(c.listed) {
				t.Errorf("%+v, %v; want it to begin at %d of %d", q, err, c.want, len(c.listed)+1)
			}
		})
	}
}

// What is hidden comes last, or where it would stand.
func TestList_queue_hidden(t *testing.T) {
	src := func(id, hoster string) sources.Source {
		return sources.Source{ID: id, Hoster: hoster, URL: "https://" + hoster + "/" + id + ".mp4"}
	}
	page := func(id, hoster string, state sources.State) sources.Source {
		s := src(id, hoster)
		s.Unplayable, s.State = "a web page", state
		return s
	}
	all := []sources.Source{
		src("a", "good"), src("b", "bad"), src("c", "good"), page("p", "good", sources.StateFound), page("q", "bad", sources.StateFound), page("dead", "good", sources.StateDead),
		src("d", "bad"),
	}
	health := sources.HosterSnapshot{"bad": {ConsecutiveFails: 1}}
	for _, c := range []struct {
		req         PlayRequest
		noPages     bool
		tried, last string
		rows, start int
	}{
		{tried: "acp", last: "bdq", rows: 2},
		{noPages: true, tried: "ac", last: "bd", rows: 2},
		{req: PlayRequest{Pick: 2}, tried: "acp", last: "bdq", rows: 2, start: 1},
		{req: PlayRequest{Force: true}, tried: "abcdpq", rows: 4},
		{req: PlayRequest{Force: true}, noPages: true, tried: "abcd", rows: 4},
		{req: PlayRequest{Force: true, Pick: 2}, tried: "abcdpq", rows: 4, start: 2},
		{req: PlayRequest{Source: "c"}, tried: "acp", last: "bdq", rows: 2, start: 1},
		{req: PlayRequest{Source: "b"}, tried: "bcp", last: "dq"},
		{req: PlayRequest{Source: "d"}, tried: "d", last: "bq"},
		{req: PlayRequest{Source: "dead"}, tried: "dead", last: "bdq"},
		{req: PlayRequest{Source: "b", Force: true}, tried: "abcdpq", rows: 4, start: 1},
	} {
		l := &List{Scan: Scan{ScanResult: sources.ScanResult{Sources: all}}, Health: health, Listing: sources.Filter(nil, all, health, sources.ListOptions{})}
		q, err := l.queue(c.req, !c.noPages)
		ids := func(list []sources.Source) (joined string) {
			for _, src := range list {
				joined += src.ID
			}
			return joined
		}
		if err != nil || ids(q.sources) != c.tried || ids(q.last) != c.last || q.rows != c.rows || q.start != c.start {
			t.Errorf("%+v: %s from %d on, %d rows, then %s, %v; want %+v", c.req, ids(q.sources), q.start, q.rows, ids(q.last), err, c)
		}
	}
}

// What the last line says is decided by how everything ended that was tried.
func TestPlayVerdict(t *testing.T) {
	tried := func(class sources.Class, retryIn time.Duration) sources.Tried {
		return sources.Tried{Class: class, Error: "the reason of " + string(class), RetryIn: retryIn}
	}
	const (
		resting = "nothing plays for X now: every provider is resting, the first one for 7 s more"
		hosters = "nothing plays for X now: no provider can serve these hosters now"
	)
	cooling, quota := tried(sources.ClassProviderCooling, 9*time.Second), tried(sources.ClassProviderQuota, 7*time.Second)
	hoster, refused := tried(sources.ClassProviderHoster, 8*time.Second), tried(sources.ClassProviderAuth, 0)
	for _, c := range []struct {
		name string
		of   []sources.Tried
		want string
		hint string
	}{
		{"all rest", []sources.Tried{cooling, quota}, resting, "xship cooldowns list"},
		{"hosters", []sources.Tried{hoster, hoster}, hosters + ", the first one again in 8 s", "xship cooldowns list"},
		{"a hoster, nobody knows how long", []sources.Tried{tried(sources.ClassProviderHoster, 0)}, hosters, "xship cooldowns list"},
		{"a hoster and a provider", []sources.Tried{hoster, quota}, hosters + ", the first one again in 7 s", "xship cooldowns list"},
		{"refused", []sources.Tried{refused}, "nothing plays for X: 1 source could not be unlocked: the reason of provider_auth", "xship accounts list"},
		{"refused and cooling", []sources.Tried{refused, cooling}, "nothing plays for X: 2 sources could not be unlocked: the reason of provider_auth", "xship accounts list"},
		{"cooling that nobody knows the end of", []sources.Tried{tried(sources.ClassProviderCooling, 0)}, "nothing plays for X: 1 source could not be unlocked: the reason of provider_cooling", "xship accounts list"},
		{"one of them no provider's", []sources.Tried{cooling, tried(sources.ClassDeadLink, 0)}, "nothing plays for X: 2 sources failed", "xship hosters stats"},
		{"messages", []sources.Tried{{Class: sources.ClassUnsupported, Error: "a message", Message: true}}, "nothing plays for X: 1 source told why there is no film: a message", "configure the add-on"},
		{"a message and a page", []sources.Tried{{Class: sources.ClassUnsupported, Error: "a message", Message: true}, tried(sources.ClassUnsupported, 0)}, "nothing plays for X: 2 sources cannot be played as it is: a message", "yt-dlp"},
		{"own files", []sources.Tried{{Class: sources.ClassUnsupported, Error: "permission denied", Source: sources.Source{Own: true}}}, "nothing plays for X: 1 file cannot be played as it is: permission denied", "may read them"},
		{"nothing was tried", nil, "nothing plays for X: 0 sources failed", "xship scan"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := playVerdict(sources.Title{Kind: sources.KindMovie, Name: "X"}, &sources.NothingPlaysError{Tried: c.of})
			nothing, ok := errors.AsType[*NothingPlayableError](err)
			if !ok || nothing.Text != c.want || !strings.Contains(nothing.Hint, c.hint) {
				t.Errorf("%v, want %s with a hint at %s", err, c.want, c.hint)
			}
		})
	}
	if err := errors.New("another"); !errors.Is(playVerdict(sources.Title{}, err), err) {
		t.Error("another error was replaced")
	}
}

// TestTurns gives links in their order, but none of a hoster that is busy.
func TestTurns(t *testing.T) {
	var all []sources.Source
	for _, hoster := range []string{"a", "a", "a", "b", "a", "b"} {
		all = append(all, sources.Source{Hoster: hoster})
	}
	turns := newTurns(all, 2)
	want := func(link int) {
		t.Helper()
		if i, ok := turns.next(); i != link || !ok {
			t.Fatalf("link %d is next, %t; want %d", i, ok, link)
		}
	}
	want(0)
	want(1)
	want(3) // a is busy
	want(5)
	turns.done(1)
	want(2)
	waits := make(chan int)
	go func() {
		i, ok := turns.next()
		if !ok {
			i = -1
		}
		waits <- i
	}()
	turns.done(3) // b has no further link
	turns.done(0)
	if i := <-waits; i != 4 {
		t.Fatalf("link %d is next, want 4", i)
	}
	if i, ok := turns.next(); ok {
		t.Errorf("link %d is next, want none", i)
	}

	turns = newTurns(all[:2], 1)
	want(0)
	go func() {
		_, ok := turns.next()
		waits <- map[bool]int{true: 1, false: -1}[ok]
	}()
	turns.stop()
	if <-waits != -1 {
		t.Error("there is a next link after the end")
	}
	turns.done(0)
	if _, ok := turns.next(); ok {
		t.Error("there is a next link long after the end")
	}
}
