package engine_test

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"xship/cmd/engine"
	"xship/config"
	"xship/sources"
	"xship/sources/sourcetest"
)

// standing is a store and an engine on it, whose clock stands still.
type standing struct {
	*testing.T
	store    *sourcetest.Memory
	now      time.Time
	settings *config.Settings
	dataDir  string
}

func newStanding(t *testing.T) *standing {
	t.Helper()
	settings, err := config.Load(config.LoadOptions{Overrides: map[string]any{"ids.enabled": false}})
	if err != nil {
		t.Fatal(err)
	}
	s := &standing{T: t, now: time.Unix(1_700_000_000, 0).UTC(), settings: settings, dataDir: t.TempDir()}
	s.store = sourcetest.NewMemory(func() time.Time { return s.now })
	return s
}

// must ends the test where a call failed.
func (s *standing) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *standing) status(req engine.StatusRequest) *engine.Status {
	s.Helper()
	c := engine.Config{Settings: s.settings, DataDir: s.dataDir, Now: func() time.Time { return s.now }}
	if s.store != nil {
		c.Store = s.store
	}
	e, err := engine.Open(c)
	s.must(err)
	defer e.Close()
	return e.Status(s.Context(), req)
}

// watch puts a title on the watchlist that has a source.
func (s *standing) watch(name string) (sources.Title, sources.Source) {
	s.Helper()
	t := sources.Title{Kind: sources.KindMovie, Name: name}
	_, _, err := s.store.AddWatch(s.Context(), t, sources.WatchUser)
	s.must(err)
	src := sources.Source{Site: "one", Hoster: "a.example", Name: name, URL: "https://a.example/" + name, Quality: sources.Quality720p}
	src.ID = sources.SourceID(t, src.URL)
	s.must(s.store.SaveScan(s.Context(), "builtin:open", t, sources.StoredScan{ScannedAt: s.now, Answers: []sources.SiteAnswer{{Site: "one", SeenAt: s.now, Sources: []sources.Source{src}}}}))
	return t, src
}

func (s *standing) prove(src sources.Source) {
	s.Helper()
	s.must(s.store.PutStream(s.Context(), src.ID, sources.Stream{URL: src.URL}))
	s.must(s.store.PutMediaInfo(s.Context(), src.ID, sources.MediaInfo{Container: "mp4"}))
}

// cycle records a cycle that ended so long ago.
func (s *standing) cycle(ago time.Duration, failed string) {
	s.Helper()
	at := s.now.Add(-ago)
	s.must(s.store.PutCycle(s.Context(), sources.CycleRecord{CycleSummary: sources.CycleSummary{Titles: 3}, BegunAt: at.Add(-time.Minute), EndedAt: at, Error: failed}))
}

func (s *standing) account(provider string) sources.Account {
	s.settings.Debrid.Accounts = append(s.settings.Debrid.Accounts, config.DebridAccount{User: 1, Provider: provider, APIKey: "k"})
	return sources.Account{User: 1, Provider: provider, Key: "k"}
}

// TestEngine_Status_problems has one thing wrong at a time, and some that are no problem.
func TestEngine_Status_problems(t *testing.T) {
	day := 24 * time.Hour
	plan := func(left time.Duration) func(*standing) {
		return func(s *standing) {
			s.must(s.store.SetAccountPlan(s.Context(), s.account("torbox"), sources.AccountPlan{Premium: true, EndsAt: s.now.Add(left)}))
		}
	}
	loaded := func(failed ...string) func(*standing) {
		return func(s *standing) {
			for i, why := range failed {
				url := fmt.Sprintf("https://i%d.example", i)
				_, err := s.store.AddInterface(s.Context(), url, "")
				s.must(err)
				s.must(s.store.RecordInterfaceLoad(s.Context(), url, s.now, why, true))
			}
		}
	}
	for _, c := range []struct {
		name string
		set  func(*standing)
		req  engine.StatusRequest
		want string // "" = no problem, else a part of the only one
	}{
		{name: "nothing at all", set: func(*standing) {}},
		{name: "nothing stored", set: func(s *standing) { s.store = nil }},
		{name: "settings", set: func(*standing) {}, req: engine.StatusRequest{SettingsErr: errors.New("unknown key scan.tiemout")}, want: "unknown key scan.tiemout"},
		{name: "schedule", set: func(s *standing) { s.settings.Precache.Schedule = "often" }, want: "precache.schedule"},
		{name: "preferences", set: func(s *standing) { s.must(os.Mkdir(config.PreferencesPath(s.dataDir), 0o700)) }, want: "preferences"},
		{name: "database", set: func(s *standing) { s.store = nil }, req: engine.StatusRequest{StoreErr: errors.New("it is newer")}, want: "the database cannot be used: it is newer"},
		{name: "a database that can only be read", set: func(*standing) {}, req: engine.StatusRequest{StoreErr: errors.New("this user may not write it")}, want: "may not write it"},
		{name: "database that fails later", set: func(s *standing) { s.store.SetError(errors.New("locked")) }, want: "the database cannot be used: locked"},
		{name: "an account ends", set: plan(13 * day), want: "the account of user 1 at TorBox ends in 13 days, on 2023-11-27; renew the plan"},
		{name: "an account ends today", set: plan(time.Hour), want: "ends within a day"},
		{name: "an account that ended", set: plan(-time.Hour), want: "ended on 2023-11-14"},
		{name: "an account ends later", set: plan(14*day + time.Hour)},
		{name: "an account that never ends", set: func(s *standing) {
			s.must(s.store.SetAccountPlan(s.Context(), s.account("torbox"), sources.AccountPlan{Premium: true}))
		}},
		{name: "an account is refused", set: func(s *standing) {
			s.must(s.store.SetAccountState(s.Context(), s.account("torbox"), sources.AccountState{Class: sources.ClassProviderAuth, Reason: "bad key"}))
		}, want: "is refused: bad key; xship accounts add torbox"},
		{name: "an account out of quota", set: func(s *standing) {
			s.must(s.store.SetAccountState(s.Context(), s.account("torbox"), sources.AccountState{Class: sources.ClassProviderQuota, Until: s.now.Add(time.Hour)}))
		}},
		{name: "a provider that cools down", set: func(s *standing) {
			_, err := s.store.Cooldowns().MarkCooldown(s.Context(), sources.CooldownKey{User: 1, Provider: s.account("torbox").Provider}, sources.CooldownMark{For: time.Minute})
			s.must(err)
		}},
		{name: "interfaces that fail", set: loaded("no route", "no answer"), want: "no interface could be loaded the last time: https://i0.example: no route"},
		{name: "one interface that fails", set: loaded("no route", "")},
		{name: "an interface that was never loaded", set: func(s *standing) { _, err := s.store.AddInterface(s.Context(), "https://i.example", ""); s.must(err) }},
		{name: "an older copy", set: func(s *standing) {
			loaded("no route")(s)
			s.must(s.store.PutConfig(s.Context(), "https://i0.example", sources.StoredConfig{Body: []byte(`{"sites":[{"key":"a","name":"A","type":1,"api":"https://a.example/api"}]}`), FetchedAt: s.now.Add(-time.Hour)}, ""))
		}},
		{name: "a watchlist, and no cycle", set: func(s *standing) { s.watch("film") }, want: "no cycle of the precacher has run to its end yet; xship precache"},
		{name: "a cycle, and then none", set: func(s *standing) { s.watch("film"); s.cycle(46*time.Minute, "") }, want: "the last cycle of the precacher ended 46 min ago"},
		{name: "a cycle within three intervals", set: func(s *standing) { s.watch("film"); s.cycle(44*time.Minute, "") }},
		{name: "cycles that break off", set: func(s *standing) { s.watch("film"); s.cycle(2*time.Hour, ""); s.cycle(time.Minute, "the disk is full") }, want: "(the last one was broken off: the disk is full)"},
		{name: "a rare schedule", set: func(s *standing) {
			s.settings.Precache.Schedule = "0 4 * * 1"
			s.watch("film")
			s.cycle(14*day, "")
		}},
		{name: "no watchlist, and no cycle", set: func(s *standing) { s.cycle(100*time.Hour, "") }},
		{name: "hosters in trouble, titles without a source", set: func(s *standing) {
			s.watch("film")
			s.cycle(time.Minute, "")
			s.store.Block("bad.example", s.now.Add(time.Minute))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStanding(t)
			c.set(s)
			status := s.status(c.req)
			got := status.Problems
			if unread := strings.HasPrefix(c.name, "database"); status.Unread != unread {
				t.Errorf("unread: %t, want %t", status.Unread, unread)
			}
			if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
				t.Errorf("problems %q, want %q", got, c.want)
			}
		})
	}
}

// TestEngine_Status tells what is stored, in an engine that asks nobody.
func TestEngine_Status(t *testing.T) {
	s := newStanding(t)
	_, ready := s.watch("ready")
	s.prove(ready)
	s.watch("waiting")
	_, hidden := s.watch("hidden")
	hidden.Hoster = "bad.example"
	other := sources.Title{Kind: sources.KindMovie, Name: "hidden"}
	s.must(s.store.SaveScan(t.Context(), "builtin:open", other, sources.StoredScan{ScannedAt: s.now, Answers: []sources.SiteAnswer{{Site: "one", SeenAt: s.now, Sources: []sources.Source{hidden}}}}))
	s.prove(hidden)
	s.store.Block("bad.example", s.now.Add(time.Hour))
	s.cycle(time.Minute, "")
	s.account("torbox")
	st := s.status(engine.StatusRequest{})
	if st.Titles != 3 || len(st.Waiting) != 2 || st.Waiting[0].Title.Name != "hidden" || st.Waiting[0].Hidden != 1 || st.Waiting[1].Title.Name != "waiting" {
		t.Errorf("titles %d, waiting %+v", st.Titles, st.Waiting)
	}
	if st.Hosters != 1 || len(st.Failing) != 1 || st.Failing[0].Name != "bad.example" || st.Network != sources.NetworkUnknown {
		t.Errorf("%d hosters, failing %+v, network %s", st.Hosters, st.Failing, st.Network)
	}
	if d := st.Daemon; d.Running || d.Last == nil || d.Last.Titles != 3 || !d.Next.IsZero() {
		t.Errorf("daemon %+v", d)
	}
	if len(st.Accounts) != 1 || st.Accounts[0].Rest.State != engine.RestNone || !st.Builtin() {
		t.Errorf("accounts %+v, interface %+v", st.Accounts, st.Interface)
	}
	entries, err := os.ReadDir(s.dataDir)
	if err != nil || len(entries) > 0 {
		t.Errorf("it made %v, %v", entries, err)
	}
}

// TestEngine_Status_daemon has a daemon run, and then be gone.
func TestEngine_Status_daemon(t *testing.T) {
	s := newStanding(t)
	s.settings.Precache.Schedule = "@every 1h" // which is the daemon's, and not that of others
	s.watch("film")
	lock, err := engine.LockPrecacher(s.dataDir, slog.New(slog.DiscardHandler))
	s.must(err)
	d := s.status(engine.StatusRequest{}).Daemon
	if !d.Running || !d.Once || d.PID != os.Getpid() || d.Since.IsZero() || !d.Next.IsZero() {
		t.Errorf("a single cycle: %+v", d)
	}
	_, err = s.store.BeginCycle(t.Context())
	s.must(err)
	begun := s.now
	e, err := engine.Open(engine.Config{Settings: s.settings, Store: s.store, DataDir: s.dataDir, Now: func() time.Time { return s.now }})
	s.must(err)
	defer e.Close()
	e.TellOthers(lock)
	s.settings.Precache.Schedule = "@every 15m"
	s.now = s.now.Add(10 * time.Minute)
	d = s.status(engine.StatusRequest{}).Daemon
	if !d.Running || d.Once || d.Schedule != "@every 1h" || !d.Since.Equal(begun) || !d.CycleSince.Equal(begun) || !d.Next.Equal(begun.Add(time.Hour)) {
		t.Errorf("a cycle runs: %+v", d)
	}
	s.cycle(0, "")
	s.now = s.now.Add(20 * time.Minute)
	d = s.status(engine.StatusRequest{}).Daemon
	if !d.CycleSince.IsZero() || !d.Next.Equal(begun.Add(time.Hour)) {
		t.Errorf("between cycles: %+v", d)
	}
	states, _, err := e.WatchStates(t.Context())
	if err != nil || len(states) != 1 || !states[0].NextAt.Equal(begun.Add(time.Hour)) {
		t.Errorf("the film is looked for next %+v, %v", states, err)
	}
	s.must(lock.Release())
	if d = s.status(engine.StatusRequest{}).Daemon; d.Running || d.PID != 0 || !d.Next.IsZero() {
		t.Errorf("after it: %+v", d)
	}
}

// A daemon that was started before the update of xship keeps no account of its cycles: that
// it runs is known, and that it has to be started again.
func TestEngine_Status_olderDaemon(t *testing.T) {
	s := newStanding(t)
	s.watch("film")
	lock, err := engine.LockPrecacher(s.dataDir, slog.New(slog.DiscardHandler))
	s.must(err)
	defer func() { s.must(lock.Release()) }()
	s.must(os.WriteFile(config.PrecacherLockPath(s.dataDir), []byte("4711\n"), 0o600))
	_, err = s.store.BeginCycle(t.Context())
	s.must(err)
	status := s.status(engine.StatusRequest{})
	d := status.Daemon
	if !d.Running || d.Once || !d.Older || d.PID != 4711 || d.Since.IsZero() || !d.CycleSince.IsZero() || !d.Next.IsZero() {
		t.Errorf("%+v", d)
	}
	if len(status.Problems) != 1 || !strings.Contains(status.Problems[0], "of an older xship, which tells of none; start it again") {
		t.Errorf("problems %q", status.Problems)
	}
}
