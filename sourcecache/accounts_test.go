package sourcecache_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

const fakeKey = "FAKEKEY-0123456789ABCDEF"

func account(user int64, key string) sources.Account {
	return sources.Account{User: user, Provider: "real_debrid", Key: sources.Secret(key)}
}

func (s *store) accountState(tb testing.TB, a sources.Account) sources.AccountState {
	tb.Helper()
	state, err := s.AccountState(tb.Context(), a)
	must(tb, err)
	return state
}

func TestDB_AccountState(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	works := sources.AccountState{Class: sources.ClassOK}
	check := func(a sources.Account, want sources.AccountState) {
		t.Helper()
		if diff := cmp.Diff(want, s.accountState(t, a)); diff != "" {
			t.Errorf("state of user %d (-want +got):\n%s", a.User, diff)
		}
	}
	mine := account(1, fakeKey)
	check(mine, works)

	bad := sources.AccountState{Class: sources.ClassProviderAuth, Reason: "bad token"}
	must(t, s.SetAccountState(t.Context(), mine, bad))
	bad.Since = s.clock.Now()
	s.clock.Advance(365 * 24 * time.Hour)
	check(mine, bad) // no time mends it
	check(account(2, fakeKey), works)
	check(account(1, "another"), works)
	check(sources.Account{User: 1, Provider: "all_debrid", Key: fakeKey}, works)
	must(t, s.SetAccountState(t.Context(), account(1, "another"), works))
	check(mine, bad)
	must(t, s.SetAccountState(t.Context(), mine, works))
	check(mine, works)

	quota := sources.AccountState{Class: sources.ClassProviderQuota, Reason: "traffic", Since: s.clock.Now(), Until: s.clock.Now().Add(time.Hour)}
	must(t, s.SetAccountState(t.Context(), mine, bad))
	must(t, s.SetAccountState(t.Context(), mine, quota))
	s.clock.Advance(time.Hour - time.Second)
	check(mine, quota)
	s.clock.Advance(time.Second)
	check(mine, works)
	s.clock.Advance(-2 * time.Hour) // it began under another clock
	check(mine, works)

	s.clock.Advance(300 * time.Millisecond)
	must(t, s.SetAccountState(t.Context(), mine, sources.AccountState{Class: sources.ClassProviderQuota, Until: s.clock.Now().Add(time.Hour)}))
	if rest := s.accountState(t, mine).Until.Sub(s.clock.Now()); rest > time.Hour || rest < time.Hour-time.Second {
		t.Errorf("an hour's rest is %v", rest)
	}
}

// TestDB_noKeyIsStored looks for a key in all that the database writes.
func TestDB_noKeyIsStored(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	a := account(1, fakeKey)
	must(t, s.SetAccountState(t.Context(), a, sources.AccountState{Class: sources.ClassProviderAuth, Reason: "bad token"}))
	markFor(t, s.cooldowns(), realDebrid(1), time.Minute)
	must(t, s.Close())
	if bytes.Contains(readFile(t, s.path), []byte(fakeKey)) {
		t.Error("the file holds the key")
	}
}

func TestDB_ProviderHosterRest(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	check := func(user int64, hoster string, want sources.Cooldown) {
		t.Helper()
		got, err := s.ProviderHosterRest(t.Context(), realDebrid(user), hoster)
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rest of %s for user %d (-want +got):\n%s", hoster, user, diff)
		}
	}
	rest := func(user int64, d time.Duration, reason string) {
		t.Helper()
		must(t, s.RestProviderHoster(t.Context(), realDebrid(user), "a.example", sources.Cooldown{Remaining: d, Reason: reason}))
	}
	none := sources.Cooldown{}
	check(1, "a.example", none)
	rest(1, 0, "nothing")
	rest(1, -time.Second, "nothing")
	check(1, "a.example", none)

	rest(1, 10*time.Minute, "down")
	check(1, "a.example", sources.Cooldown{Remaining: 10 * time.Minute, Reason: "down"})
	check(2, "a.example", none)
	check(1, "b.example", none)
	if got, err := s.ProviderHosterRest(t.Context(), sources.CooldownKey{User: 1, Provider: "all_debrid"}, "a.example"); err != nil || got != none {
		t.Errorf("rest at another provider: %+v, %v", got, err)
	}

	rest(1, time.Minute, "shorter")
	check(1, "a.example", sources.Cooldown{Remaining: 10 * time.Minute, Reason: "down"})
	rest(0, 20*time.Minute, "down for all")
	for user := range int64(3) {
		check(user, "a.example", sources.Cooldown{Remaining: 20 * time.Minute, Reason: "down for all"})
	}
	s.clock.Advance(20*time.Minute - 300*time.Millisecond)
	check(2, "a.example", sources.Cooldown{Remaining: time.Second, Reason: "down for all"})
	s.clock.Advance(300 * time.Millisecond)
	check(1, "a.example", none)

	// A rest of another clock gives way.
	s.clock.Advance(time.Hour)
	rest(1, time.Hour, "later")
	s.clock.Advance(-10 * time.Minute)
	check(1, "a.example", none)
	rest(1, time.Minute, "now")
	check(1, "a.example", sources.Cooldown{Remaining: time.Minute, Reason: "now"})

	s.clock.Advance(100 * time.Millisecond)
	rest(5, 300*time.Millisecond, "short") // rounded up to the second
	check(5, "a.example", sources.Cooldown{Remaining: time.Second, Reason: "short"})
	rest(6, 8*time.Hour, "long") // began within a second, which adds none
	check(6, "a.example", sources.Cooldown{Remaining: 8 * time.Hour, Reason: "long"})
}

// TestDB_ProviderHosterRests lists rests and ends them.
func TestDB_ProviderHosterRests(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	entry := func(user int64, provider, hoster string, d time.Duration) sources.ProviderHosterRest {
		return sources.ProviderHosterRest{Hoster: hoster, CooldownEntry: sources.CooldownEntry{
			CooldownKey: sources.CooldownKey{User: user, Provider: provider}, Cooldown: sources.Cooldown{Remaining: d, Reason: "down"},
		}}
	}
	check := func(want ...sources.ProviderHosterRest) {
		t.Helper()
		got, err := s.ProviderHosterRests(t.Context())
		must(t, err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("rests (-want +got):\n%s", diff)
		}
	}
	end := func(user int64, provider string, want int) {
		t.Helper()
		got, err := s.ClearProviderHosterRests(t.Context(), sources.CooldownKey{User: user, Provider: provider})
		if err != nil || got != want {
			t.Errorf("cleared %d for user %d at %q, %v; want %d", got, user, provider, err, want)
		}
	}
	check()
	end(0, "", 0)
	s.clock.Advance(300 * time.Millisecond)
	all := []sources.ProviderHosterRest{
		entry(0, "all_debrid", "a.example", 8*time.Hour), entry(1, "real_debrid", "a.example", time.Minute),
		entry(1, "real_debrid", "b.example", time.Minute), entry(2, "real_debrid", "a.example", 10*time.Minute),
	}
	for _, e := range []int{3, 1, 0, 2} {
		must(t, s.RestProviderHoster(t.Context(), all[e].CooldownKey, all[e].Hoster, all[e].Cooldown))
	}
	check(all...)
	end(2, "all_debrid", 1) // those for all users keep user 2 waiting too
	check(all[1:]...)
	end(1, "", 2)
	check(all[3])
	s.clock.Advance(10*time.Minute + time.Second)
	end(0, "real_debrid", 0) // it is over
	check()
}

// TestDB_ForgetAccount has two accounts, of which one goes.
func TestDB_ForgetAccount(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.save(t, title, answer(title, s.clock.Now(), "one", "a"))
	id := sourceAt(title, "one", "a").ID
	for user := range int64(3) {
		must(t, s.SetAccountState(t.Context(), account(user, fakeKey), sources.AccountState{Class: sources.ClassProviderAuth}))
		must(t, s.RestProviderHoster(t.Context(), realDebrid(user), "a.example", sources.Cooldown{Remaining: time.Minute}))
		must(t, s.PutUnlockedStream(t.Context(), realDebrid(user), id, sources.Stream{URL: "u"}))
		must(t, s.PutProviderHosters(t.Context(), realDebrid(user), []string{"a.example"}, s.clock.Now()))
		markFor(t, s.cooldowns(), realDebrid(user), time.Minute)
	}
	must(t, s.ForgetAccount(t.Context(), sources.CooldownKey{User: 1, Provider: "torbox"}))
	must(t, s.ForgetAccount(t.Context(), realDebrid(1)))
	for table, want := range map[string]string{
		"account_state": "0 2", "provider_hoster": "0 2", "unlocked_stream": "0 2", "provider_hosters": "0 2", "cooldown": "0 1 2",
	} {
		if got := strings.Join(s.query(t, `SELECT user FROM `+table+` ORDER BY user`), " "); got != want {
			t.Errorf("%s has rows of users %s, want %s", table, got, want)
		}
	}
}

func TestDB_UnlockedStream(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	id := sourceAt(title, "one", "a").ID
	s.save(t, title, answer(title, s.clock.Now(), "one", "a", "b"))
	get := func(user int64, sourceID string) *sources.StoredStream {
		t.Helper()
		got, err := s.UnlockedStream(t.Context(), realDebrid(user), sourceID)
		must(t, err)
		return got
	}
	put := func(user int64, sourceID string, stream sources.Stream) {
		t.Helper()
		must(t, s.PutUnlockedStream(t.Context(), realDebrid(user), sourceID, stream))
	}
	if got := get(1, id); got != nil {
		t.Errorf("unlocked before it was: %+v", got)
	}
	put(1, id, sources.Stream{URL: "https://old.example/"})
	stream := sources.Stream{URL: "https://rd.example/a?sig=1", Headers: map[string]string{"A": "b"}, MIME: "video/mp4", ExpiresAt: s.clock.Now().Add(time.Hour)}
	put(1, id, stream)
	want := &sources.StoredStream{Stream: stream, ResolvedAt: s.clock.Now()}
	if diff := cmp.Diff(want, get(1, id)); diff != "" {
		t.Errorf("stream (-want +got):\n%s", diff)
	}
	if got := get(2, id); got != nil {
		t.Errorf("another user has %+v", got)
	}
	if got, err := s.UnlockedStream(t.Context(), sources.CooldownKey{User: 1, Provider: "torbox"}, id); err != nil || got != nil {
		t.Errorf("another provider has %+v, %v", got, err)
	}
	if got := s.stream(t, id); got != nil {
		t.Errorf("everybody has %+v", got)
	}

	s.exec(t, `UPDATE unlocked_stream SET headers = '{'`)
	if got := get(1, id); got != nil {
		t.Errorf("a damaged row is %+v", got)
	}
	put(1, id, stream)
	must(t, s.DropUnlockedStream(t.Context(), realDebrid(2), id))
	if get(1, id) == nil {
		t.Error("another user dropped it")
	}
	must(t, s.DropUnlockedStream(t.Context(), realDebrid(1), id))
	if got := get(1, id); got != nil {
		t.Errorf("dropped, and there is %+v", got)
	}

	put(1, id, stream)
	s.save(t, title, answer(title, s.clock.Now(), "one", "b"))
	if got := get(1, id); got != nil {
		t.Errorf("%+v outlives its source", got)
	}
}

// TestDB_DeleteExpired_accounts has rows of accounts that nobody needs any more.
func TestDB_DeleteExpired_accounts(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	title := movie()
	s.save(t, title, answer(title, s.clock.Now(), "one", "a"))
	fill := func(user int64) {
		t.Helper()
		must(t, s.SetAccountState(t.Context(), account(user, fakeKey), sources.AccountState{Class: sources.ClassProviderAuth}))
		must(t, s.RestProviderHoster(t.Context(), realDebrid(user), "a.example", sources.Cooldown{Remaining: time.Minute}))
		must(t, s.PutUnlockedStream(t.Context(), realDebrid(user), sourceAt(title, "one", "a").ID, sources.Stream{URL: "u"}))
		markFor(t, s.cooldowns(), realDebrid(user), time.Minute)
	}
	fill(1)
	must(t, s.PutUnlockedStream(t.Context(), realDebrid(2), "nobody", sources.Stream{URL: "u"}))
	s.clock.Advance(time.Hour)
	s.save(t, title, answer(title, s.clock.Now(), "one", "a"))
	fill(2)
	if _, err := s.DeleteExpired(t.Context(), s.clock.Now().Add(-30*time.Minute)); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"account_state", "provider_hoster", "unlocked_stream", "cooldown"} {
		if got := s.query(t, `SELECT user FROM `+table); len(got) != 1 || got[0] != "2" {
			t.Errorf("%s has rows of users %q, want 2 alone", table, got)
		}
	}
}
