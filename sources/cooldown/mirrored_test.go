package cooldown_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/sourcetest"
)

// machine is one with a store of its own and a Redis. Its processes come and go.
type machine struct {
	url   string
	own   *cooldown.Memory
	clock *clock
}

func newMachine(url string) *machine {
	c := newClock()
	return &machine{url: url, own: cooldown.NewMemory(c.Now), clock: c}
}

// process starts a new one, which knows what the stores know.
func (m *machine) process(t testing.TB) mirror {
	t.Helper()
	redis, err := cooldown.NewRedis(cooldown.RedisOptions{URL: m.url, Timeout: time.Minute, Now: m.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	mirrored := cooldown.NewMirrored(redis, m.own)
	t.Cleanup(func() { _ = mirrored.Close() })
	return mirror{mirrored}
}

// mirror is a Mirrored whose errors are failures.
type mirror struct{ *cooldown.Mirrored }

func (m mirror) mark(t testing.TB, key sources.CooldownKey, mark sources.CooldownMark) time.Duration {
	t.Helper()
	c, err := m.MarkCooldown(t.Context(), key, mark)
	if err != nil {
		t.Error(err)
	}
	return c.Remaining
}

func (m mirror) markFor(t testing.TB, key sources.CooldownKey, d time.Duration) {
	t.Helper()
	m.mark(t, key, sources.CooldownMark{For: d, Reason: "limited"})
}

// wantCooling checks, begins and lists.
func (m mirror) wantCooling(t testing.TB, what string, key sources.CooldownKey, want time.Duration) {
	t.Helper()
	c, err := m.IsCoolingDown(t.Context(), key)
	if err != nil || !near(c.Remaining, want) && c.Remaining != want {
		t.Errorf("%s: %+v remains, %v; want %v", what, c, err, want)
	}
	l, c, err := m.Begin(t.Context(), key)
	if err != nil || !near(c.Remaining, want) && c.Remaining != want || want > 0 && l.Token != "" {
		t.Errorf("%s: a call begins with %+v and %+v, %v; want to wait %v", what, l, c, err, want)
	}
	listed := false
	all, err := m.Cooldowns(t.Context())
	for _, e := range all {
		listed = listed || e.CooldownKey == key
	}
	if err != nil || listed != (want > 0) {
		t.Errorf("%s: lists %+v, %v", what, all, err)
	}
}

func TestMirrored(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB, *machine) sources.ProviderCooldown{
		"one process":             func(tb testing.TB, m *machine) sources.ProviderCooldown { return m.process(tb) },
		"a process for each call": func(tb testing.TB, m *machine) sources.ProviderCooldown { return commands{tb, m} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sourcetest.RunCooldown(t, func(tb testing.TB) (sources.ProviderCooldown, func(time.Duration)) {
				server := miniredis.RunT(tb)
				m := newMachine("redis://" + server.Addr())
				return start(tb, m), func(d time.Duration) {
					server.FastForward(d)
					m.clock.Advance(d)
				}
			})
		})
	}
}

// commands makes each call in a process of its own.
type commands struct {
	tb testing.TB
	m  *machine
}

func (c commands) IsCoolingDown(ctx context.Context, key sources.CooldownKey) (sources.Cooldown, error) {
	return c.m.process(c.tb).IsCoolingDown(ctx, key)
}

func (c commands) MarkCooldown(ctx context.Context, key sources.CooldownKey, m sources.CooldownMark) (sources.Cooldown, error) {
	return c.m.process(c.tb).MarkCooldown(ctx, key, m)
}

func (c commands) Begin(ctx context.Context, key sources.CooldownKey) (sources.CooldownLease, sources.Cooldown, error) {
	return c.m.process(c.tb).Begin(ctx, key)
}

func (c commands) End(ctx context.Context, l sources.CooldownLease, answered bool) error {
	return c.m.process(c.tb).End(ctx, l, answered)
}

func (c commands) Refused(ctx context.Context, key sources.CooldownKey, r sources.Refusal) (bool, error) {
	return c.m.process(c.tb).Refused(ctx, key, r)
}

func (c commands) Answered(ctx context.Context, key sources.CooldownKey) error {
	return c.m.process(c.tb).Answered(ctx, key)
}

func (c commands) Cooldowns(ctx context.Context) ([]sources.CooldownEntry, error) {
	return c.m.process(c.tb).Cooldowns(ctx)
}

func (c commands) Clear(ctx context.Context, key sources.CooldownKey) (int, error) {
	return c.m.process(c.tb).Clear(ctx, key)
}

// TestMirroredDown runs the suite on what remains when no server is there.
func TestMirroredDown(t *testing.T) {
	t.Parallel()
	sourcetest.RunCooldown(t, func(tb testing.TB) (sources.ProviderCooldown, func(time.Duration)) {
		m := newMachine("redis://" + refusing(tb))
		return lostClear{m.process(tb)}, m.clock.Advance
	})
}

// lostClear takes a clear of this machine alone for one.
type lostClear struct{ mirror }

func (c lostClear) Clear(ctx context.Context, key sources.CooldownKey) (int, error) {
	n, err := c.mirror.Clear(ctx, key)
	var lost *cooldown.RedisError
	if errors.As(err, &lost) {
		return n, nil
	}
	return n, errors.Join(err, errors.New("a clear that reached nobody else is told to have worked"))
}

// TestMirrored_outage has the server go away, and come back with and without
// what it knew.
func TestMirrored_outage(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	addr := server.Addr()
	here, there := newMachine("redis://"+addr), newMachine("redis://"+addr)
	marked, met, alone := realDebrid(1), realDebrid(2), realDebrid(3)
	here.process(t).markFor(t, marked, 200*time.Second)
	there.process(t).markFor(t, met, 200*time.Second)
	here.process(t).wantCooling(t, "met in time", met, 200*time.Second)

	server.Close()
	here.process(t).wantCooling(t, "while it is away", marked, 200*time.Second)
	here.process(t).wantCooling(t, "while it is away", met, 200*time.Second)
	here.process(t).markFor(t, alone, 100*time.Second)
	here.process(t).wantCooling(t, "marked without it", alone, 100*time.Second)

	if err := server.Restart(); err != nil {
		t.Fatal(err)
	}
	here.process(t).wantCooling(t, "when it is back", alone, 100*time.Second)
	there.process(t).wantCooling(t, "elsewhere", alone, 100*time.Second)
	server.FlushAll()
	here.process(t).wantCooling(t, "when it lost everything", marked, 200*time.Second)
	there.process(t).wantCooling(t, "elsewhere", marked, 200*time.Second)
}

// TestMirrored_aloneAfterAnother has marks made while the server was away, when it
// still remembers a cooldown that is over.
func TestMirrored_aloneAfterAnother(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	m, key := newMachine("redis://"+server.Addr()), realDebrid(1)
	m.process(t).markFor(t, key, 30*time.Second)
	server.FastForward(40 * time.Second)
	m.clock.Advance(40 * time.Second)
	server.SetError("LOADING Redis is loading the dataset in memory")
	grow := sources.CooldownMark{For: 30 * time.Second, Grow: true}
	if got := m.process(t).mark(t, key, grow); got != 45*time.Second {
		t.Errorf("%v remains, want it to grow to 45 s", got)
	}
	server.SetError("")
	m.process(t).wantCooling(t, "when it is back", key, 45*time.Second)
	if ttl := server.TTL("cooldown:1:real_debrid"); ttl != 45*time.Second {
		t.Errorf("the server has %v of it, want 45 s", ttl)
	}
}

// TestMirrored_endWithoutServer has a cooldown end while the server is away: one
// call goes first, whatever process it is of.
func TestMirrored_endWithoutServer(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	m, key := newMachine("redis://"+server.Addr()), realDebrid(1)
	m.process(t).markFor(t, key, 30*time.Second)
	server.Close()
	m.clock.Advance(30 * time.Second)
	first, c, err := m.process(t).Begin(t.Context(), key)
	if first.Token == "" || c.Remaining != 0 || err != nil {
		t.Fatalf("the first call begins with %+v, %+v, %v", first, c, err)
	}
	if l, c, err := m.process(t).Begin(t.Context(), key); l.Token != "" || c.Remaining <= 0 || err != nil {
		t.Errorf("the second call begins with %+v, %+v, %v", l, c, err)
	}
	if err := m.process(t).End(t.Context(), first, true); err != nil {
		t.Error(err)
	}
	m.process(t).wantCooling(t, "after an answer", key, 0)
}

// TestMirrored_endedElsewhere has one machine end what the other has a copy of.
func TestMirrored_endedElsewhere(t *testing.T) {
	t.Parallel()
	key := realDebrid(1)
	for name, end := range map[string]func(t *testing.T, server *miniredis.Miniredis, there mirror){
		"cleared": func(t *testing.T, _ *miniredis.Miniredis, there mirror) {
			if n, err := there.Clear(t.Context(), key); n != 1 || err != nil {
				t.Errorf("clears %d, %v", n, err)
			}
		},
		"all cleared": func(t *testing.T, _ *miniredis.Miniredis, there mirror) {
			if n, err := there.Clear(t.Context(), sources.CooldownKey{}); n != 1 || err != nil {
				t.Errorf("clears %d, %v", n, err)
			}
		},
		"ended by hand and answered": func(t *testing.T, server *miniredis.Miniredis, there mirror) {
			server.Del("cooldown:1:real_debrid")
			l, c, err := there.Begin(t.Context(), key)
			if err != nil || l.Token == "" {
				t.Fatalf("begins with %+v, %+v, %v", l, c, err)
			}
			if err := there.End(t.Context(), l, true); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := miniredis.RunT(t)
			here, there := newMachine("redis://"+server.Addr()), newMachine("redis://"+server.Addr())
			here.process(t).markFor(t, key, 200*time.Second)
			there.process(t).wantCooling(t, "elsewhere", key, 200*time.Second)
			end(t, server, there.process(t))
			there.process(t).wantCooling(t, "where it was ended", key, 0)
			here.process(t).wantCooling(t, "here", key, 0)
			server.Close()
			here.process(t).wantCooling(t, "without the server", key, 0)
		})
	}
}

// TestMirrored_leases has the server go away while a call of this machine goes
// first.
func TestMirrored_leases(t *testing.T) {
	t.Parallel()
	server := miniredis.RunT(t)
	m, key := newMachine("redis://"+server.Addr()), realDebrid(1)
	p := m.process(t)
	p.markFor(t, key, 10*time.Second)
	server.FastForward(10 * time.Second)
	m.clock.Advance(10 * time.Second)
	first, _, err := p.Begin(t.Context(), key)
	if err != nil || first.Token == "" {
		t.Fatalf("no lease: %+v, %v", first, err)
	}
	server.Close()
	if l, c, err := p.Begin(t.Context(), key); l.Token != "" || c.Remaining <= 0 || err != nil {
		t.Errorf("a second call goes first: %+v, %+v, %v", l, c, err)
	}
	if err := p.End(t.Context(), first, true); err != nil {
		t.Error(err)
	}
	if l, c, err := p.Begin(t.Context(), key); l.Token != "" || c.Remaining != 0 || err != nil {
		t.Errorf("after an answer a call begins with %+v, %+v, %v", l, c, err)
	}
	if l, c, err := m.process(t).Begin(t.Context(), key); l.Token != "" || c.Remaining != 0 || err != nil {
		t.Errorf("after an answer a call of another process begins with %+v, %+v, %v", l, c, err)
	}
}

// TestMirroredRoundTrips wants one with the server, also while it cools down.
func TestMirroredRoundTrips(t *testing.T) {
	t.Parallel()
	addr, requests := counting(t, miniredis.RunT(t).Addr())
	p := newMachine("redis://" + addr).process(t)
	free, cooling := realDebrid(1), realDebrid(2)
	p.markFor(t, cooling, time.Minute)
	for name, op := range map[string]func(){
		"mark":          func() { p.markFor(t, cooling, time.Minute) },
		"check free":    func() { _, _ = p.IsCoolingDown(t.Context(), free) },
		"check cooling": func() { _, _ = p.IsCoolingDown(t.Context(), cooling) },
		"begin free":    func() { _, _, _ = p.Begin(t.Context(), free) },
		"begin cooling": func() { _, _, _ = p.Begin(t.Context(), cooling) },
	} {
		op() // teaches the server the script
		before := requests.Load()
		if op(); requests.Load() != before+1 {
			t.Errorf("%s takes %d round trips, want 1", name, requests.Load()-before)
		}
	}
}

// TestMirrored_foreign has another program set cooldowns, and end them as it likes: no
// copy outlives that.
func TestMirrored_foreign(t *testing.T) {
	t.Parallel()
	const name = "cooldown:1:real_debrid"
	for what, c := range map[string]struct {
		lives time.Duration // 0 = for ever
		want  time.Duration
	}{
		"an hour":       {time.Hour, time.Hour},
		"a minute":      {time.Minute, time.Minute},
		"for ever":      {0, sources.MaxCooldown},
		"after a while": {30 * time.Minute, 30 * time.Minute},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			server := miniredis.RunT(t)
			m := newMachine("redis://" + server.Addr())
			pass := func(d time.Duration) {
				server.FastForward(d)
				m.clock.Advance(d)
			}
			if err := server.Set(name, "1"); err != nil {
				t.Fatal(err)
			}
			left := c.want // also later, of one that lives for ever
			if c.lives > 0 {
				server.SetTTL(name, c.lives)
				left -= time.Second
			}
			for range 3 {
				m.process(t).wantCooling(t, "while it lives", realDebrid(1), c.want)
			}
			pass(time.Second)
			m.process(t).markFor(t, realDebrid(1), 30*time.Second) // of a call that was under way
			m.process(t).wantCooling(t, "after a mark of ours", realDebrid(1), left)
			server.Del(name)
			m.process(t).wantCooling(t, "ended by the other program", realDebrid(1), 0)
			if server.Exists(name) {
				t.Error("what the other program ended is back")
			}
		})
	}
}
