package sourcetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

// RunAccounts checks that a store keeps the contract of sources.AccountStore and
// sources.ProviderHosterStore.
func RunAccounts(t *testing.T, newStore StoreBackend) {
	t.Helper()
	runStoreChecks(t, newStore, []storeCheck{
		{"an account works until said otherwise", checkAccountDefault},
		{"states", checkAccountStates},
		{"a state ends", checkAccountUntil},
		{"another key is another account", checkAccountKeys},
		{"rests of hosters", checkHosterRests},
		{"a rest for all users", checkRestForAll},
		{"rests only extend", checkRestExtends},
		{"rests end on the second", checkRestSeconds},
		{"lists the rests", checkRestList},
		{"clears rests by user and provider", checkRestClear},
		{"rests and a clock that was set back", checkRestClock},
		{"unlocked streams", checkUnlocked},
		{"hosters of a provider", checkProviderHosters},
		{"forgets an account", checkForgetAccount},
	})
}

func userKey(user int64) sources.CooldownKey { return realDebrid(user) }

func storeAccount(user int64) sources.Account {
	return sources.Account{User: user, Provider: "real_debrid", Key: "key of user"}
}

func (s *storeSubject) accountState(a sources.Account) sources.AccountState {
	s.Helper()
	state, err := s.AccountState(s.Context(), a)
	s.must(err)
	return state
}

func (s *storeSubject) rest(key sources.CooldownKey, hoster string) sources.Cooldown {
	s.Helper()
	c, err := s.ProviderHosterRest(s.Context(), key, hoster)
	s.must(err)
	return c
}

func (s *storeSubject) restFor(key sources.CooldownKey, hoster string, d time.Duration, reason string) {
	s.Helper()
	s.must(s.RestProviderHoster(s.Context(), key, hoster, sources.Cooldown{Remaining: d, Reason: reason}))
}

func checkAccountDefault(s *storeSubject) {
	s.want("state", s.accountState(storeAccount(1)), sources.AccountState{Class: sources.ClassOK})
}

func checkAccountStates(s *storeSubject) {
	a := storeAccount(1)
	state := sources.AccountState{Class: sources.ClassProviderAuth, Reason: "bad token \"x\" – ä", Since: s.now().Add(-time.Hour)}
	s.must(s.SetAccountState(s.Context(), a, state))
	s.want("state", s.accountState(a), state)
	s.want("of another user", s.accountState(storeAccount(2)).Class, sources.ClassOK)
	other := a
	other.Provider = "all_debrid"
	s.want("at another provider", s.accountState(other).Class, sources.ClassOK)
	s.must(s.SetAccountState(s.Context(), a, sources.AccountState{Class: sources.ClassProviderQuota}))
	s.want("without a start", s.accountState(a).Since, s.now())
	s.must(s.SetAccountState(s.Context(), a, sources.AccountState{Class: sources.ClassOK}))
	s.want("forgotten", s.accountState(a), sources.AccountState{Class: sources.ClassOK})
}

func checkAccountUntil(s *storeSubject) {
	a := storeAccount(1)
	s.must(s.SetAccountState(s.Context(), a, sources.AccountState{Class: sources.ClassProviderQuota, Until: s.now().Add(time.Hour)}))
	s.advance(time.Hour - time.Second)
	s.want("before its end", s.accountState(a).Class, sources.ClassProviderQuota)
	s.advance(time.Second)
	s.want("at its end", s.accountState(a).Class, sources.ClassOK)
	s.must(s.SetAccountState(s.Context(), a, sources.AccountState{Class: sources.ClassProviderAuth}))
	s.advance(-time.Second)
	s.want("of the future", s.accountState(a).Class, sources.ClassOK)
}

func checkAccountKeys(s *storeSubject) {
	a := storeAccount(1)
	s.must(s.SetAccountState(s.Context(), a, sources.AccountState{Class: sources.ClassProviderAuth}))
	b := a
	b.Key = "another key"
	s.want("with another key", s.accountState(b).Class, sources.ClassOK)
	s.must(s.SetAccountState(s.Context(), b, sources.AccountState{Class: sources.ClassOK}))
	s.want("with the first key", s.accountState(a).Class, sources.ClassProviderAuth)
}

func checkHosterRests(s *storeSubject) {
	s.want("at first", s.rest(userKey(1), "h.example"), sources.Cooldown{})
	s.restFor(userKey(1), "h.example", time.Minute, "overloaded")
	s.want("resting", s.rest(userKey(1), "h.example"), sources.Cooldown{Remaining: time.Minute, Reason: "overloaded"})
	s.want("another hoster", s.rest(userKey(1), "i.example"), sources.Cooldown{})
	s.want("another user", s.rest(userKey(2), "h.example"), sources.Cooldown{})
	s.want("another provider", s.rest(sources.CooldownKey{User: 1, Provider: "all_debrid"}, "h.example"), sources.Cooldown{})
	for _, d := range []time.Duration{0, -time.Hour} {
		s.restFor(userKey(1), "i.example", d, "nothing")
		s.want("for nothing", s.rest(userKey(1), "i.example"), sources.Cooldown{})
	}
}

func checkRestForAll(s *storeSubject) {
	s.restFor(userKey(0), "h.example", time.Minute, "all")
	s.want("of any user", s.rest(userKey(7), "h.example"), sources.Cooldown{Remaining: time.Minute, Reason: "all"})
	s.restFor(userKey(7), "h.example", time.Hour, "own")
	s.want("the longer one", s.rest(userKey(7), "h.example"), sources.Cooldown{Remaining: time.Hour, Reason: "own"})
	s.restFor(userKey(0), "h.example", 2*time.Hour, "all")
	s.want("the longer one", s.rest(userKey(7), "h.example"), sources.Cooldown{Remaining: 2 * time.Hour, Reason: "all"})
}

func checkRestExtends(s *storeSubject) {
	s.restFor(userKey(1), "h.example", time.Hour, "long")
	s.restFor(userKey(1), "h.example", time.Minute, "short")
	s.want("after a shorter one", s.rest(userKey(1), "h.example"), sources.Cooldown{Remaining: time.Hour, Reason: "long"})
	s.restFor(userKey(1), "h.example", 2*time.Hour, "longer")
	s.want("after a longer one", s.rest(userKey(1), "h.example"), sources.Cooldown{Remaining: 2 * time.Hour, Reason: "longer"})
}

func checkRestSeconds(s *storeSubject) {
	s.advance(300 * time.Millisecond)
	s.restFor(userKey(1), "h.example", 2*time.Second, "")
	s.want("at first", s.rest(userKey(1), "h.example").Remaining, 2*time.Second)
	s.advance(2*time.Second - time.Millisecond)
	s.want("just before its end", s.rest(userKey(1), "h.example").Remaining, time.Second)
	s.advance(time.Second)
	s.want("over", s.rest(userKey(1), "h.example").Remaining, time.Duration(0))
}

// rested makes four rests, and one that is over.
func (s *storeSubject) rested() []sources.ProviderHosterRest {
	s.Helper()
	var all []sources.ProviderHosterRest
	for _, e := range []struct {
		user             int64
		provider, hoster string
	}{{0, "real_debrid", "h.example"}, {1, "all_debrid", "i.example"}, {1, "real_debrid", "a.example"}, {1, "real_debrid", "b.example"}, {2, "all_debrid", "h.example"}} {
		r := sources.ProviderHosterRest{Hoster: e.hoster}
		r.CooldownKey = sources.CooldownKey{User: e.user, Provider: e.provider}
		r.Cooldown = sources.Cooldown{Remaining: time.Duration(len(all)+1) * time.Minute, Reason: e.hoster}
		all = append(all, r)
	}
	for i := range all {
		r := all[len(all)-1-i]
		s.restFor(r.CooldownKey, r.Hoster, r.Remaining+time.Second, r.Reason)
	}
	s.restFor(userKey(3), "over.example", time.Second, "")
	s.advance(time.Second)
	return all
}

func checkRestList(s *storeSubject) {
	want := s.rested()
	got, err := s.ProviderHosterRests(s.Context())
	s.must(err)
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("rests (-want +got):\n%s", diff)
	}
}

func checkRestClear(s *storeSubject) {
	s.rested()
	for _, tt := range []struct {
		key        sources.CooldownKey
		want, left int
	}{
		{sources.CooldownKey{User: 3, Provider: "all_debrid"}, 0, 5}, // it is over
		{sources.CooldownKey{User: 1, Provider: "torbox"}, 0, 5},
		{sources.CooldownKey{User: 2, Provider: "real_debrid"}, 1, 4}, // the one for all users
		{userKey(1), 2, 2},
		{sources.CooldownKey{Provider: "all_debrid"}, 2, 0},
		{sources.CooldownKey{}, 0, 0},
	} {
		n, err := s.ClearProviderHosterRests(s.Context(), tt.key)
		s.must(err)
		left, err := s.ProviderHosterRests(s.Context())
		s.must(err)
		if n != tt.want || len(left) != tt.left {
			s.Errorf("clearing %+v: %d, leaving %d, want %d, leaving %d", tt.key, n, len(left), tt.want, tt.left)
		}
	}
}

func checkRestClock(s *storeSubject) {
	s.restFor(userKey(1), "h.example", time.Minute, "of the future")
	s.advance(-time.Hour)
	s.want("of the future", s.rest(userKey(1), "h.example"), sources.Cooldown{})
	s.restFor(userKey(1), "h.example", time.Second, "now")
	s.want("now", s.rest(userKey(1), "h.example"), sources.Cooldown{Remaining: time.Second, Reason: "now"})
}

func checkUnlocked(s *storeSubject) {
	ctx, stream := s.Context(), sources.Stream{
		URL: "https://cdn.example/a", Headers: map[string]string{"Referer": "x"}, MIME: "video/mp4", ExpiresAt: s.now().Add(time.Hour),
	}
	s.must(s.PutUnlockedStream(ctx, userKey(1), "a", stream))
	get := func(key sources.CooldownKey, id string) *sources.StoredStream {
		got, err := s.UnlockedStream(ctx, key, id)
		s.must(err)
		return got
	}
	if diff := cmp.Diff(&sources.StoredStream{Stream: stream, ResolvedAt: s.now()}, get(userKey(1), "a")); diff != "" {
		s.Errorf("unlocked (-want +got):\n%s", diff)
	}
	for name, got := range map[string]*sources.StoredStream{
		"another source": get(userKey(1), "b"), "another user": get(userKey(2), "a"),
		"another provider": get(sources.CooldownKey{User: 1, Provider: "all_debrid"}, "a"),
	} {
		if got != nil {
			s.Errorf("%s has %+v", name, got)
		}
	}
	s.advance(time.Minute)
	s.must(s.PutUnlockedStream(ctx, userKey(1), "a", sources.Stream{URL: "https://cdn.example/b"}))
	if diff := cmp.Diff(&sources.StoredStream{Stream: sources.Stream{URL: "https://cdn.example/b"}, ResolvedAt: s.now()}, get(userKey(1), "a")); diff != "" {
		s.Errorf("unlocked anew (-want +got):\n%s", diff)
	}
	if s.stream("a") != nil {
		s.Error("what an account unlocked is a stream for all")
	}
	s.must(s.DropUnlockedStream(ctx, userKey(1), "a"))
	if got := get(userKey(1), "a"); got != nil {
		s.Errorf("dropped, but there is %+v", got)
	}
}

func checkProviderHosters(s *storeSubject) {
	hosters, at, err := s.ProviderHosters(s.Context(), userKey(1))
	s.must(err)
	if hosters != nil || !at.IsZero() {
		s.Errorf("at first %q of %v", hosters, at)
	}
	for _, list := range [][]string{{"b.example", "a.example"}, {}} {
		s.must(s.PutProviderHosters(s.Context(), userKey(1), list, s.now()))
		hosters, at, err = s.ProviderHosters(s.Context(), userKey(1))
		s.must(err)
		if diff := cmp.Diff(list, hosters); diff != "" || !at.Equal(s.now()) {
			s.Errorf("of %v (-want +got):\n%s", at, diff)
		}
	}
	hosters, _, err = s.ProviderHosters(s.Context(), userKey(2))
	s.must(err)
	if hosters != nil {
		s.Errorf("another user has %q", hosters)
	}
}

func checkForgetAccount(s *storeSubject) {
	ctx := s.Context()
	for _, user := range []int64{0, 1, 2} {
		s.must(s.SetAccountState(ctx, storeAccount(user), sources.AccountState{Class: sources.ClassProviderAuth}))
		s.restFor(userKey(user), "h.example", time.Hour, "resting")
		s.must(s.PutUnlockedStream(ctx, userKey(user), "a", sources.Stream{URL: "https://cdn.example/a"}))
		s.must(s.PutProviderHosters(ctx, userKey(user), []string{"h.example"}, s.now()))
		_, err := s.Cooldowns().MarkCooldown(ctx, userKey(user), sources.CooldownMark{For: time.Minute})
		s.must(err)
	}
	s.restFor(userKey(1), "own.example", time.Hour, "resting")
	s.must(s.ForgetAccount(ctx, userKey(1)))
	for _, user := range []int64{1, 2} {
		known := user == 2
		unlocked, err := s.UnlockedStream(ctx, userKey(user), "a")
		s.must(err)
		hosters, _, err := s.ProviderHosters(ctx, userKey(user))
		s.must(err)
		cooling, err := s.Cooldowns().IsCoolingDown(ctx, userKey(user))
		s.must(err)
		if (s.accountState(storeAccount(user)).Class != sources.ClassOK) != known || (unlocked != nil) != known || (hosters != nil) != known {
			s.Errorf("user %d: state %+v, unlocked %+v, hosters %q, want them known: %t", user, s.accountState(storeAccount(user)), unlocked, hosters, known)
		}
		if s.rest(userKey(user), "h.example").Remaining == 0 || cooling.Remaining == 0 {
			s.Errorf("user %d: the rest for all users and the cooldown have to stay", user)
		}
	}
	s.want("the user's own rest", s.rest(userKey(1), "own.example"), sources.Cooldown{})
}
