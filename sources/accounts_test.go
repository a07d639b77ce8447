package sources_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/link"
	"xship/sources/sourcetest"
)

const secretKey = "k3y-of-the-account-0123456789"

// accountsTest is a resolver with one account of user 1 and user 2 each at the
// provider real_debrid, and one of user 1 at all_debrid.
type accountsTest struct {
	*sources.StreamResolve
	rd, ad   *sourcetest.FakeProvider
	public   *sourcetest.FakeResolver
	hosters  *sourcetest.Memory
	store    *sourcetest.Memory
	cooldown sources.ProviderCooldown
	log      *bytes.Buffer
}

func unlocked(_ context.Context, a sources.Account, link string) (sources.Stream, error) {
	return sources.Stream{URL: fmt.Sprintf("https://cdn.example/%d%s", a.User, link[strings.LastIndexByte(link, '/'):])}, nil
}

func newAccountsTest(t *testing.T) *accountsTest {
	t.Helper()
	a := &accountsTest{
		rd:      &sourcetest.FakeProvider{ID: "real_debrid", Hosters: []string{"page.example"}, Answer: unlocked},
		ad:      &sourcetest.FakeProvider{ID: "all_debrid", Hosters: []string{"other.example"}, Answer: unlocked},
		public:  &sourcetest.FakeResolver{ResolveFunc: answers},
		hosters: sourcetest.NewMemory(time.Now),
		store:   sourcetest.NewMemory(time.Now), cooldown: cooldown.NewMemory(time.Now), log: &bytes.Buffer{},
	}
	logger := slog.New(slog.NewTextHandler(a.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	a.StreamResolve = &sources.StreamResolve{
		Resolvers: []sources.Resolver{a.public},
		Attempts:  &sources.Attempts{Store: a.hosters},
		Streams:   sourcetest.NewMemory(time.Now),
		Accounts: &sources.Accounts{
			List: []sources.Account{
				{User: 1, Provider: "real_debrid", Key: secretKey},
				{User: 2, Provider: "real_debrid", Key: secretKey + "2"},
				{User: 1, Provider: "all_debrid", Key: secretKey + "3"},
			},
			Providers: []sources.Provider{a.rd, a.ad}, Cooldown: a.cooldown, Store: a.store, Logger: logger,
		},
		Logger: logger,
	}
	return a
}

// fails makes the provider real_debrid fail with err.
func (a *accountsTest) fails(err sources.ProviderStreamUnavailableError) {
	err.Provider = "real_debrid"
	a.rd.Answer = func(context.Context, sources.Account, string) (sources.Stream, error) { return sources.Stream{}, &err }
}

func (a *accountsTest) resolve(t *testing.T, user int64, address string) (sources.Stream, error) {
	t.Helper()
	src := sources.Source{ID: address, URL: address, Hoster: link.Hoster(address)}
	return a.Resolve(t.Context(), src, sources.ResolveOptions{Force: true, User: user})
}

// next lets the memory of a failure pass, which answers repeated clicks.
func next() { time.Sleep(5 * time.Second) }

func TestAccountsWhoResolves(t *testing.T) {
	tests := []struct {
		name, link string
		user       int64
		want       string
		rd, ad     int
	}{
		{"a page of a served hoster", "https://page.example/a/ok", 1, "https://cdn.example/1/ok", 1, 0},
		{"each user by the own account", "https://page.example/a/ok", 2, "https://cdn.example/2/ok", 1, 0},
		{"the account that serves the hoster", "https://other.example/a/ok", 1, "https://cdn.example/1/ok", 0, 1},
		{"media is never sent to a provider", "https://page.example/film.mp4?x=/ok", 1, "https://page.example/film.mp4?x=/ok?stream", 0, 0},
		{"nor is a manifest", "https://page.example/film.M3U8?x=/ok", 1, "https://page.example/film.M3U8?x=/ok?stream", 0, 0},
		{"a hoster that no account serves", "https://free.example/a/ok", 1, "https://free.example/a/ok?stream", 0, 0},
		{"a user without accounts", "https://page.example/a/ok", 3, "https://page.example/a/ok?stream", 0, 0},
		{"nobody", "https://page.example/a/ok", 0, "https://page.example/a/ok?stream", 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newAccountsTest(t)
			s, err := a.resolve(t, tt.user, tt.link)
			if err != nil || s.URL != tt.want {
				t.Errorf("got %v, %v, want %s", s.URL, err, tt.want)
			}
			if rd, ad := len(a.rd.Calls()), len(a.ad.Calls()); rd != tt.rd || ad != tt.ad {
				t.Errorf("%d calls of Real-Debrid and %d of AllDebrid, want %d and %d", rd, ad, tt.rd, tt.ad)
			}
		})
	}
}

// TestAccountsOutcome checks what each class of failure marks, for whom, and how
// the next call fares.
func TestAccountsOutcome(t *testing.T) {
	seconds := func(n int) *time.Duration { d := time.Duration(n) * time.Second; return &d }
	const link, sibling = "https://page.example/a/1", "https://page.example/b/2"
	tests := []struct {
		name   string
		err    sources.ProviderStreamUnavailableError
		class  sources.Class
		rests  time.Duration // of the provider for user 1, 0 = none
		other  bool          // user 2 is affected too
		again  string        // the error of the next call for another link, "" = it works
		again2 string        // the same after 31 s
	}{
		{"429 with a word", sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderCooling, Cooldown: seconds(7), Message: "too many requests"}, sources.ClassProviderCooling, 7 * time.Second, false, "skipped: Real-Debrid cooling down, 2 s (too many requests)", ""},
		{"429 without a word", sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderCooling, Grow: true, Code: "34", Message: "slow down"}, sources.ClassProviderCooling, 30 * time.Second, false, "skipped: Real-Debrid cooling down, 25 s (slow down (code 34))", ""},
		{"a word of zero marks nothing", sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderCooling, Cooldown: seconds(0), Message: "try"}, sources.ClassProviderCooling, 0, false, "", ""},
		{"no answer", sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderCooling, Transport: true, Cooldown: seconds(30), Message: "no answer"}, sources.ClassProviderCooling, 30 * time.Second, false, "skipped: Real-Debrid cooling down, 25 s (no answer)", ""},
		{"the hoster, for all", sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderHoster, ForAll: true, Message: "hoster down"}, sources.ClassProviderHoster, 0, true, "skipped: Real-Debrid cannot serve this hoster now, 595 s (hoster down)", "skipped: Real-Debrid cannot serve this hoster now, 569 s (hoster down)"},
		{"the hoster, for one", sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderHoster, Cooldown: seconds(20), Message: "limit"}, sources.ClassProviderHoster, 0, false, "skipped: Real-Debrid cannot serve this hoster now, 15 s (limit)", ""},
		{"a dead link", sources.ProviderStreamUnavailableError{Kind: sources.ClassDeadLink, Message: "gone"}, sources.ClassDeadLink, 0, false, "", ""},
		{"the account", sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderAuth, Code: "8", Message: "bad token"}, sources.ClassProviderAuth, 0, false, "skipped: Real-Debrid refuses the account (bad token (code 8))", "skipped: Real-Debrid refuses the account (bad token (code 8))"},
		{"the quota", sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderQuota, Message: "traffic used up"}, sources.ClassProviderQuota, 0, false, "skipped: Real-Debrid account has used up its quota, 3595 s (traffic used up)", "skipped: Real-Debrid account has used up its quota, 3569 s (traffic used up)"},
		{"this link only", sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderItem, Message: "unknown code"}, sources.ClassProviderItem, 0, false, "", ""},
		{"a bug", sources.ProviderStreamUnavailableError{Kind: sources.ClassBug, Message: "missing argument"}, sources.ClassBug, 0, false, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAccountsTest(t)
				a.Resolvers = nil
				a.fails(tt.err)
				if _, err := a.resolve(t, 1, link); sources.ClassOf(err) != tt.class {
					t.Fatalf("got %s %v, want class %s", sources.ClassOf(err), err, tt.class)
				}
				c, err := a.cooldown.IsCoolingDown(t.Context(), sources.CooldownKey{User: 1, Provider: "real_debrid"})
				if err != nil || c.Remaining != tt.rests {
					t.Errorf("cools down for %s, %v, want %s", c.Remaining, err, tt.rests)
				}
				a.rd.Answer = unlocked
				next()
				check := func(user int64, link, want string) {
					t.Helper()
					got := ""
					if _, err := a.resolve(t, user, link); err != nil {
						got = err.Error()
					}
					if got != want {
						t.Errorf("user %d: got %q, want %q", user, got, want)
					}
				}
				calls := len(a.rd.Calls())
				check(1, sibling, tt.again)
				if tt.again != "" && len(a.rd.Calls()) != calls {
					t.Error("the provider was called although it rests")
				}
				other := ""
				if tt.other {
					other = tt.again
				}
				check(2, sibling, other)
				check(1, "https://other.example/x/3", "") // by AllDebrid
				time.Sleep(26 * time.Second)
				check(1, "https://page.example/c/4", tt.again2)
				if strings.Contains(a.log.String(), secretKey) {
					t.Errorf("the key is in the log: %s", a.log)
				}
				if got := a.hosters.Reports(); len(got) > 0 {
					t.Errorf("hosters were touched: %+v", got)
				}
			})
		})
	}
}

func TestAccountsNewKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAccountsTest(t)
		a.Resolvers = nil
		a.fails(sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderAuth, Message: "bad token"})
		_, _ = a.resolve(t, 1, "https://page.example/a/1")
		a.rd.Answer = unlocked
		next()
		a.Accounts.List[0].Key = "another key"
		if _, err := a.resolve(t, 1, "https://page.example/a/2"); err != nil {
			t.Errorf("a new key is not tried: %v", err)
		}
	})
}

func TestAccountsKeptLinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const link = "https://page.example/a/ok"
		a := newAccountsTest(t)
		var checkErr error
		a.Accounts.Check = func(context.Context, sources.Stream) error {
			err := checkErr
			checkErr = nil // the link that is unlocked next works
			return err
		}
		calls := func(want int) {
			t.Helper()
			if got := len(a.rd.Calls()); got != want {
				t.Errorf("%d calls, want %d", got, want)
			}
		}
		for range 20 {
			if s, err := a.resolve(t, 1, link); err != nil || s.Provider != "real_debrid" {
				t.Fatal(s, err)
			}
		}
		calls(1)
		if s, err := a.resolve(t, 2, link); err != nil || s.URL != "https://cdn.example/2/ok" {
			t.Errorf("another user got %q, %v", s.URL, err)
		}
		calls(2)
		key := sources.CooldownKey{User: 1, Provider: "real_debrid"}
		if _, err := a.cooldown.MarkCooldown(t.Context(), key, sources.CooldownMark{For: time.Minute}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.resolve(t, 1, link); err != nil {
			t.Errorf("a kept link is refused while the provider cools down: %v", err)
		}
		time.Sleep(time.Minute)
		checkErr = sources.Errorf(sources.ClassHosterFault, "509")
		if _, err := a.resolve(t, 1, link); err != nil {
			t.Errorf("not unlocked again: %v", err)
		}
		calls(3)
		time.Sleep(time.Hour)
		if _, err := a.resolve(t, 1, link); err != nil {
			t.Fatal(err)
		}
		calls(4) // an hour is its life
	})
}

// TestAccountsPageNamedLikeMedia checks the links of file hosters that end in the
// name of a film and are pages.
func TestAccountsPageNamedLikeMedia(t *testing.T) {
	page := sources.Errorf(sources.ClassHosterFault, "html: %w", sources.ErrPage)
	for name, tt := range map[string]struct {
		link  string
		err   error
		want  string // URL, "" = an error
		calls int
		class sources.Class // reported of the hoster
	}{
		"a page of a served hoster":    {"https://page.example/a/film.mkv", page, "https://cdn.example/1/film.mkv", 1, sources.ClassUnsupported},
		"media":                        {"https://page.example/a/film.mkv", nil, "https://page.example/a/film.mkv", 0, sources.ClassOK},
		"another fault":                {"https://page.example/a/film.mkv", sources.Errorf(sources.ClassHosterFault, "503"), "", 0, sources.ClassHosterFault},
		"a page of a hoster of nobody": {"https://free.example/a/film.mkv", page, "", 0, sources.ClassHosterFault},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccountsTest(t)
			a.Resolvers = []sources.Resolver{guesser{&sourcetest.FakeResolver{ResolveFunc: func(_ context.Context, src sources.Source) (sources.Stream, error) {
				return sources.Stream{URL: src.URL}, tt.err
			}}}}
			s, err := a.resolve(t, 1, tt.link)
			if s.URL != tt.want || (err == nil) != (tt.want != "") || len(a.rd.Calls()) != tt.calls {
				t.Errorf("got %q, %v after %d calls, want %q after %d", s.URL, err, len(a.rd.Calls()), tt.want, tt.calls)
			}
			if got := a.hosters.Reports(); len(got) != 1 || got[0].Class != tt.class {
				t.Errorf("reported %v, want %s", got, tt.class)
			}
		})
	}
}

// TestAccountsWithoutList checks that a provider which gives no list of its hosters
// is sent links all the same, and that the list's own troubles mark nothing.
func TestAccountsWithoutList(t *testing.T) {
	for name, tt := range map[string]struct {
		err  sources.ProviderStreamUnavailableError
		sent bool
	}{
		"removed":        {sources.ProviderStreamUnavailableError{Kind: sources.ClassDeadLink, Status: 404, Code: "7"}, true},
		"refused":        {sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderAuth, Status: 403, Code: "9"}, true},
		"limited":        {sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderCooling, Status: 429, Grow: true}, true},
		"broken":         {sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderCooling, Status: 500}, true},
		"not understood": {sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderItem, Status: 200}, true},
		"no answer":      {sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderCooling, Transport: true}, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccountsTest(t)
			a.Resolvers = nil
			a.rd.Hosters, a.rd.ListErr = nil, &tt.err
			if _, complete := a.Accounts.Served(t.Context(), 1, []string{"page.example"}); complete {
				t.Error("the hosters are known")
			}
			marked, err := a.cooldown.Cooldowns(t.Context())
			state, stateErr := a.store.AccountState(t.Context(), a.Accounts.List[0])
			if err != nil || stateErr != nil || (len(marked) == 0) != tt.sent || state.Class != sources.ClassOK {
				t.Errorf("marked %v and %s, %v, %v", marked, state.Class, err, stateErr)
			}
			if _, err := a.resolve(t, 1, "https://page.example/a/1"); (err == nil) != tt.sent {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestAccountsDeadUnlockedLink checks that what a provider gives is looked at before
// it plays, that one link that is gone is unlocked anew once, and whose fault it is.
func TestAccountsDeadUnlockedLink(t *testing.T) {
	a := newAccountsTest(t)
	a.Resolvers = []sources.Resolver{guesser{a.public}}
	dead := true
	a.Accounts.Check = func(context.Context, sources.Stream) error {
		if dead {
			return sources.Errorf(sources.ClassHosterFault, "GET https://cdn.example/s3cr3t: 404 Not Found")
		}
		return nil
	}
	list := []sources.Source{at("page.example", "captcha"), at("free.example", "ok")}
	_, row, tried, err := sources.Resolve(t.Context(), a.StreamResolve, list, 0, sources.ResolveOptions{User: 1})
	if err != nil || row != 1 || len(tried) != 1 || tried[0].Class != sources.ClassProviderItem || !strings.Contains(tried[0].Error, "the unlocked link does not work") {
		t.Errorf("row %d, tried %+v, %v", row, tried, err)
	}
	if len(a.rd.Calls()) != 1 {
		t.Errorf("unlocked %d times", len(a.rd.Calls()))
	}
	if marked, err := a.cooldown.Cooldowns(t.Context()); err != nil || len(marked) > 0 || len(a.hosters.Reports()) != 1 {
		t.Errorf("marked %v, %v, reported %v", marked, err, a.hosters.Reports())
	}
}

// TestAccountsThatWillNotTake checks that a link plays without an account whose
// provider will not take it for long, and that no hoster is blamed for its page.
func TestAccountsThatWillNotTake(t *testing.T) {
	for name, tt := range map[string]struct {
		kind    sources.Class
		guessed bool
	}{
		"refused":  {sources.ClassProviderAuth, true},
		"used up":  {sources.ClassProviderQuota, true},
		"hoster":   {sources.ClassProviderHoster, true},
		"limited":  {sources.ClassProviderCooling, false},
		"this one": {sources.ClassProviderItem, false},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccountsTest(t)
			a.Resolvers = []sources.Resolver{guesser{a.public}}
			a.fails(sources.ProviderStreamUnavailableError{Kind: tt.kind, Message: "no"})
			if _, err := a.resolve(t, 1, "https://page.example/a/ok"); (err == nil) != tt.guessed {
				t.Errorf("got %v", err)
			}
			reports := len(a.hosters.Reports())
			if _, err := a.resolve(t, 1, "https://page.example/a/fault"); sources.ClassOf(err) != tt.kind {
				t.Errorf("got %v, want the error of the account", err)
			}
			for _, r := range a.hosters.Reports()[reports:] {
				if r.Class != tt.kind {
					t.Errorf("reported %+v", r)
				}
			}
		})
	}
}

// TestAccountsTimeout checks that a call has the time that its provider needs, and
// that it is told while it runs.
func TestAccountsTimeout(t *testing.T) {
	for _, tt := range []struct {
		name    string
		timeout func(string) time.Duration
		takes   time.Duration
		works   bool
	}{
		{"as usual", nil, 29 * time.Second, true},
		{"too long", nil, 31 * time.Second, false},
		{"a provider that fetches first", func(string) time.Duration { return time.Minute }, 59 * time.Second, true},
		{"longer than that", func(string) time.Duration { return time.Minute }, 61 * time.Second, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAccountsTest(t)
				a.Resolvers, a.Accounts.Timeout = nil, tt.timeout
				rest := sources.DefaultCooldown
				a.rd.Answer = func(ctx context.Context, account sources.Account, link string) (sources.Stream, error) {
					select {
					case <-time.After(tt.takes):
						return unlocked(ctx, account, link)
					case <-ctx.Done():
						return sources.Stream{}, &sources.ProviderStreamUnavailableError{
							Provider: "real_debrid", Kind: sources.ClassProviderCooling, Transport: true, Cooldown: &rest,
						}
					}
				}
				var told []string
				_, _, _, err := sources.Resolve(t.Context(), a.StreamResolve, []sources.Source{at("page.example", "a")}, 0, sources.ResolveOptions{
					User: 1, Unlocking: func(provider string) func() {
						told = append(told, provider)
						return func() { told = append(told, "ended") }
					},
				})
				if (err == nil) != tt.works || strings.Join(told, " ") != "real_debrid ended" {
					t.Errorf("after %s: %v, told %v", tt.takes, err, told)
				}
				c, err := a.cooldown.IsCoolingDown(t.Context(), sources.CooldownKey{User: 1, Provider: "real_debrid"})
				if err != nil || (c.Remaining == 0) != tt.works {
					t.Errorf("after %s it rests %s, %v", tt.takes, c.Remaining, err)
				}
			})
		})
	}
}

// TestAccountsSuspect checks that what a provider says of one link in words that
// nobody can judge is that link's, and the provider's where the next link meets the
// same.
func TestAccountsSuspect(t *testing.T) {
	const works = 0
	type ask struct {
		link   string
		user   int64
		status int
		rests  bool // the provider for that user, afterwards
	}
	for name, asks := range map[string][]ask{
		"one link, again and again":       {{"a/1", 1, 451, false}, {"a/1", 1, 451, false}, {"a/1", 1, 451, false}},
		"the next link meets the same":    {{"a/1", 1, 451, false}, {"a/2", 1, 451, true}},
		"the next link meets another":     {{"a/1", 1, 451, false}, {"a/2", 1, 410, false}, {"a/3", 1, 451, false}},
		"a link between works":            {{"a/1", 1, 451, false}, {"a/2", 1, works, false}, {"a/3", 1, 451, false}},
		"each user has other links":       {{"a/1", 1, 451, false}, {"a/2", 2, 451, false}},
		"what one meets is the user's":    {{"a/1", 1, 451, false}, {"a/2", 2, 451, false}, {"a/3", 2, 451, true}, {"a/4", 1, works, false}},
		"after a rest it begins anew":     {{"a/1", 1, 451, false}, {"a/2", 1, 451, true}, {"a/3", 1, 451, true}},
		"one that is none stands between": {{"a/1", 1, 451, false}, {"a/2", 1, 404, false}, {"a/3", 1, 404, true}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAccountsTest(t)
				a.Resolvers = nil
				for i, ask := range asks {
					again := newAccountsTest(t) // each call in a process of its own
					again.Resolvers, again.Accounts.Cooldown, again.cooldown = nil, a.cooldown, a.cooldown
					a = again
					a.rd.Answer = unlocked
					if ask.status != works {
						a.fails(sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderItem, Status: ask.status, Suspect: true, Message: "no"})
					}
					_, err := a.resolve(t, ask.user, "https://page.example/"+ask.link)
					if (err == nil) != (ask.status == works) {
						t.Errorf("step %d: got %v", i, err)
					}
					c, err := a.cooldown.IsCoolingDown(t.Context(), sources.CooldownKey{User: ask.user, Provider: "real_debrid"})
					if err != nil || (c.Remaining > 0) != ask.rests {
						t.Errorf("step %d: it rests %s, %v, want %t", i, c.Remaining, err, ask.rests)
					}
					next()
				}
			})
		})
	}
}

// TestResolveTellsTheRest checks that also the call that met a limit says when to
// come back.
func TestResolveTellsTheRest(t *testing.T) {
	seven := 7 * time.Second
	for name, tt := range map[string]struct {
		err  sources.ProviderStreamUnavailableError
		want time.Duration
	}{
		"limited": {sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderCooling, Cooldown: &seven}, seven},
		"hoster":  {sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderHoster}, 10 * time.Minute},
		"quota":   {sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderQuota}, time.Hour},
		"account": {sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderAuth}, 0},
		"item":    {sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderItem}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := newAccountsTest(t)
				a.Resolvers = nil
				a.fails(tt.err)
				_, _, tried, err := sources.Resolve(t.Context(), a.StreamResolve, []sources.Source{at("page.example", "a")}, 0, sources.ResolveOptions{User: 1})
				if err == nil || len(tried) != 1 || tried[0].RetryIn != tt.want {
					t.Errorf("tried %+v, %v, want %s", tried, err, tt.want)
				}
			})
		})
	}
}

func TestAccountsFallBack(t *testing.T) {
	a := newAccountsTest(t)
	a.fails(sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderItem, Message: "later"})
	a.Resolvers = append(a.Resolvers, guesser{a.public})
	s, err := a.resolve(t, 1, "https://page.example/a/ok")
	if err != nil || s.URL != "https://page.example/a/ok?stream" {
		t.Errorf("got %v, %v, want what the page resolver gives", s, err)
	}
	_, err = a.resolve(t, 1, "https://page.example/a/captcha")
	if err == nil || err.Error() != "Real-Debrid: later" {
		t.Errorf("got %v, want the error of the account", err)
	}
	for _, src := range a.public.Calls() {
		if src.Headers["guessed"] != "" {
			t.Error("the page of an account's hoster was guessed at")
		}
	}
}

// guesser marks what it was asked.
type guesser struct{ *sourcetest.FakeResolver }

func (guesser) Guesses() {}

func (g guesser) Resolve(ctx context.Context, src sources.Source) (sources.Stream, error) {
	src.Headers = map[string]string{"guessed": "yes"}
	return g.FakeResolver.Resolve(ctx, src)
}

func TestAccountsCancelledMarksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAccountsTest(t)
		a.rd.Answer = func(ctx context.Context, _ sources.Account, _ string) (sources.Stream, error) {
			<-ctx.Done()
			return sources.Stream{}, &sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderCooling, Transport: true, Err: ctx.Err()}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		src := sources.Source{ID: "1", URL: "https://page.example/a", Hoster: "page.example"}
		if _, err := a.Resolve(ctx, src, sources.ResolveOptions{User: 1}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		synctest.Wait()
		if all, err := a.cooldown.Cooldowns(t.Context()); err != nil || len(all) > 0 {
			t.Errorf("marked %v, %v", all, err)
		}
	})
}

func TestAccountsOutageMarksNothing(t *testing.T) {
	a := newAccountsTest(t)
	a.Accounts.Network = func(context.Context) sources.NetworkState { return sources.NetworkOutage }
	a.fails(sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderCooling, Transport: true, Message: "no answer"})
	_, _ = a.resolve(t, 1, "https://page.example/a")
	if all, err := a.cooldown.Cooldowns(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("marked %v, %v", all, err)
	}
}

// brokenCooldown fails at everything.
type brokenCooldown struct{ sources.ProviderCooldown }

func (brokenCooldown) Begin(context.Context, sources.CooldownKey) (sources.CooldownLease, sources.Cooldown, error) {
	return sources.CooldownLease{}, sources.Cooldown{}, errors.New("down")
}

func (brokenCooldown) MarkCooldown(context.Context, sources.CooldownKey, sources.CooldownMark) (sources.Cooldown, error) {
	return sources.Cooldown{}, errors.New("down")
}

func (brokenCooldown) Refused(context.Context, sources.CooldownKey, sources.Refusal) (bool, error) {
	return false, errors.New("down")
}

func (brokenCooldown) Answered(context.Context, sources.CooldownKey) error { return errors.New("down") }

// TestAccountsFailOpen checks that neither a missing nor a broken store keeps
// anybody from playing.
func TestAccountsFailOpen(t *testing.T) {
	for name, change := range map[string]func(*accountsTest){
		"no cooldown":     func(a *accountsTest) { a.Accounts.Cooldown = nil },
		"no store":        func(a *accountsTest) { a.Accounts.Store = nil },
		"neither":         func(a *accountsTest) { a.Accounts.Store, a.Accounts.Cooldown = nil, nil },
		"broken cooldown": func(a *accountsTest) { a.Accounts.Cooldown = brokenCooldown{} },
		"broken store":    func(a *accountsTest) { a.store.SetError(errors.New("down")) },
	} {
		t.Run(name, func(t *testing.T) {
			a := newAccountsTest(t)
			change(a)
			if _, err := a.resolve(t, 1, "https://page.example/a/1"); err != nil {
				t.Error(err)
			}
			for _, kind := range []sources.Class{sources.ClassProviderCooling, sources.ClassProviderAuth, sources.ClassProviderHoster, sources.ClassProviderQuota} {
				a.fails(sources.ProviderStreamUnavailableError{Kind: kind, Message: "no"})
				if _, err := a.resolve(t, 1, "https://page.example/a/"+string(kind)); sources.ClassOf(err) != kind && sources.ClassOf(err) != sources.ClassProviderCooling && sources.ClassOf(err) != sources.ClassProviderAuth {
					t.Errorf("%s: got %s %v", kind, sources.ClassOf(err), err)
				}
			}
		})
	}
}

// TestAccountsOneGoesFirst checks the end of a cooldown: of 50 that ask at once
// one calls the provider.
func TestAccountsOneGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAccountsTest(t)
		a.Resolvers = nil
		key := sources.CooldownKey{User: 1, Provider: "real_debrid"}
		if _, err := a.cooldown.MarkCooldown(t.Context(), key, sources.CooldownMark{For: 7 * time.Second}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(7 * time.Second)
		a.rd.Answer = func(ctx context.Context, account sources.Account, link string) (sources.Stream, error) {
			time.Sleep(time.Second)
			return unlocked(ctx, account, link)
		}
		var wg sync.WaitGroup
		var played atomic.Int32
		for i := range 50 {
			wg.Go(func() {
				if _, err := a.resolve(t, 1, fmt.Sprintf("https://page.example/a/%d", i)); err == nil {
					played.Add(1)
				}
			})
		}
		wg.Wait()
		if got := len(a.rd.Calls()); got != 1 || played.Load() != 1 {
			t.Errorf("%d calls and %d streams, want one", got, played.Load())
		}
		next()
		if _, err := a.resolve(t, 1, "https://page.example/a/7"); err != nil {
			t.Errorf("the provider works, and is not called: %v", err)
		}
	})
}

func TestAccountsBackground(t *testing.T) {
	a := newAccountsTest(t)
	a.Resolvers = []sources.Resolver{guesser{a.public}}
	src := sources.Source{ID: "1", URL: "https://page.example/a/fault", Hoster: "page.example"}
	_, err := a.Resolve(t.Context(), src, sources.ResolveOptions{User: 1, Background: true})
	if want := "skipped: Real-Debrid is not asked (links are not unlocked ahead of time)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	if len(a.rd.Calls())+len(a.public.Calls()) > 0 {
		t.Error("something was asked")
	}
	a.Accounts.Ahead = true
	src.ID = "2"
	if _, err := a.Resolve(t.Context(), src, sources.ResolveOptions{User: 1, Background: true}); err != nil {
		t.Error(err)
	}
}

// TestAccountsBackgroundHosters checks that work in the background asks for the
// hosters of an account, so that it leaves no link that nobody serves.
func TestAccountsBackgroundHosters(t *testing.T) {
	a := newAccountsTest(t)
	a.rd.Unasked = true
	a.Resolvers = []sources.Resolver{guesser{a.public}}
	background := sources.ResolveOptions{User: 2, Background: true}
	if s, err := a.Resolve(t.Context(), at("free.example", "ok"), background); err != nil || s.URL == "" {
		t.Errorf("a link that no account serves: %v", err)
	}
	if _, err := a.Resolve(t.Context(), at("page.example", "ok"), background); !sources.WasSkipped(err) || len(a.rd.Calls()) > 0 {
		t.Errorf("a link that an account serves: %v, %d calls", err, len(a.rd.Calls()))
	}
}

// TestAccountsForegroundAfterBackground checks that what work in the background
// leaves alone is no answer for who clicks.
func TestAccountsForegroundAfterBackground(t *testing.T) {
	a := newAccountsTest(t)
	a.Resolvers = nil
	src := at("page.example", "ok")
	if _, err := a.Resolve(t.Context(), src, sources.ResolveOptions{User: 1, Background: true}); !sources.WasSkipped(err) {
		t.Fatal(err)
	}
	if _, err := a.Resolve(t.Context(), src, sources.ResolveOptions{User: 1, Force: true}); err != nil {
		t.Error(err)
	}
}

// TestAccountsSkipEnds checks that a provider is called as soon as its cooldown is
// over, also for a link that was skipped a moment before.
func TestAccountsSkipEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAccountsTest(t)
		a.Resolvers = nil
		key := sources.CooldownKey{User: 1, Provider: "real_debrid"}
		if _, err := a.cooldown.MarkCooldown(t.Context(), key, sources.CooldownMark{For: time.Second}); err != nil {
			t.Fatal(err)
		}
		if _, err := a.resolve(t, 1, "https://page.example/a/ok"); !sources.WasSkipped(err) {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		if _, err := a.resolve(t, 1, "https://page.example/a/ok"); err != nil {
			t.Error(err)
		}
	})
}

// TestAccountsAfterStoredStream checks that a stored stream which does not play
// keeps nobody from the account.
func TestAccountsAfterStoredStream(t *testing.T) {
	a := newAccountsTest(t)
	src := at("page.example", "ok")
	if err := a.Streams.PutStream(t.Context(), src.ID, sources.Stream{URL: "https://page.example/stored"}); err != nil {
		t.Fatal(err)
	}
	down := sources.Errorf(sources.ClassHosterFault, "503")
	a.Check = func(context.Context, sources.Stream) error { return down }
	if s, err := a.Resolve(t.Context(), src, sources.ResolveOptions{User: 1, Force: true}); err != nil || s.Provider != "real_debrid" {
		t.Errorf("got %+v, %v", s, err)
	}
	if _, err := a.Resolve(t.Context(), src, sources.ResolveOptions{User: 3, Force: true}); !errors.Is(err, down) {
		t.Errorf("a user without account got %v", err)
	}
	if reports := a.hosters.Reports(); len(reports) != 2 || len(a.public.Calls()) > 0 {
		t.Errorf("reported %+v, the public resolver was asked %d times", reports, len(a.public.Calls()))
	}
}

// unanswered is how a fetch fails that has no answer.
type unanswered struct{ error }

func (unanswered) Transport() bool { return true }

// TestAccountsUnreachedLink checks that a kept link outlives the moment in which
// it cannot be reached, and that its address is in no log.
func TestAccountsUnreachedLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAccountsTest(t)
		const link, signed = "https://page.example/a/ok", "https://cdn.example/1/ok"
		if _, err := a.resolve(t, 1, link); err != nil {
			t.Fatal(err)
		}
		checkErr := error(unanswered{errors.New("GET " + signed + ": no answer")})
		a.Accounts.Check = func(context.Context, sources.Stream) error {
			err := checkErr
			checkErr = nil // the link that is unlocked next works
			return err
		}
		a.fails(sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderCooling, Transport: true, Message: "no answer"})
		a.Resolvers = nil
		if _, err := a.resolve(t, 1, link); err == nil {
			t.Error("it played")
		}
		checkErr = nil
		next()
		if s, err := a.resolve(t, 1, link); err != nil || s.URL != signed {
			t.Errorf("got %q, %v, want the kept link", s.URL, err)
		}
		if log := a.log.String(); strings.Contains(log, signed) || !strings.Contains(log, "https://cdn.example/REDACTED") {
			t.Errorf("the log has the address, or nothing of it:\n%s", log)
		}
	})
}

// TestProbeOfUnlockedStream checks that the error of a probe does not hold the
// address, and keeps its class.
func TestProbeOfUnlockedStream(t *testing.T) {
	a := newAccountsTest(t)
	src := at("page.example", "ok")
	s, err := a.Resolve(t.Context(), src, sources.ResolveOptions{User: 1, Force: true})
	if err != nil {
		t.Fatal(err)
	}
	prober := &sourcetest.FakeProber{ProbeFunc: func(_ context.Context, s sources.Stream) (sources.MediaInfo, error) {
		return sources.MediaInfo{}, sources.Errorf(sources.ClassHosterFault, "GET %s: cut short", s.URL)
	}}
	_, err = a.Probe(t.Context(), prober, src, s, time.Second)
	if err == nil || strings.Contains(err.Error(), s.URL) || sources.ClassOf(err) != sources.ClassHosterFault {
		t.Errorf("got %v (%s)", err, sources.ClassOf(err))
	}
	if got := a.hosters.Reports(); len(got) > 0 {
		t.Errorf("the hoster was touched: %+v", got)
	}
}

func TestAccountsErrorClass(t *testing.T) {
	auth := &sources.SkippedError{Kind: sources.ClassProviderAuth}
	quota := &sources.SkippedError{Kind: sources.ClassProviderQuota, Remaining: time.Hour}
	cooling := &sources.SkippedError{Kind: sources.ClassProviderCooling, Remaining: time.Second}
	called := &sources.ProviderStreamUnavailableError{Kind: sources.ClassProviderItem}
	for _, tt := range []struct {
		errs []error
		want sources.Class
	}{
		{[]error{auth}, sources.ClassProviderAuth},
		{[]error{auth, quota, cooling}, sources.ClassProviderCooling},
		{[]error{cooling, quota, auth}, sources.ClassProviderCooling},
		{[]error{called, cooling}, sources.ClassProviderItem},
	} {
		if got := sources.ClassOf(&sources.AccountsError{Errs: tt.errs}); got != tt.want {
			t.Errorf("%v: class %s, want %s", tt.errs, got, tt.want)
		}
	}
}

// TestResolveSkips checks that a list goes on behind what cools down, without
// waiting, and says when the provider may be called again.
func TestResolveSkips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAccountsTest(t)
		key := sources.CooldownKey{User: 1, Provider: "real_debrid"}
		if _, err := a.cooldown.MarkCooldown(t.Context(), key, sources.CooldownMark{For: 42 * time.Second}); err != nil {
			t.Fatal(err)
		}
		all := []sources.Source{at("page.example", "captcha"), at("free.example", "ok")}
		began := time.Now()
		s, row, tried, err := sources.Resolve(t.Context(), a.StreamResolve, all, 0, sources.ResolveOptions{User: 1})
		if err != nil || row != 1 || time.Since(began) > 0 {
			t.Fatal(s, row, err, time.Since(began))
		}
		if len(tried) != 1 || tried[0].Error != "skipped: Real-Debrid cooling down, 42 s" || tried[0].RetryIn != 42*time.Second || tried[0].Class != sources.ClassProviderCooling {
			t.Errorf("tried %+v", tried)
		}
	})
}

func TestSecretIsNeverPrinted(t *testing.T) {
	a := sources.Account{User: 1, Provider: "real_debrid", Key: secretKey, Refresh: secretKey}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "account", a, "key", a.Key)
	for _, text := range []string{fmt.Sprint(a), fmt.Sprintf("%v %+v %#v %s %q", a, a, a, a.Key, a.Key), log.String()} {
		if strings.Contains(text, secretKey) {
			t.Errorf("the key is in %q", text)
		}
	}
	if a.Key.Reveal() != secretKey {
		t.Error("the key is lost")
	}
}
