package sourcecache_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"xship/sourcecache"
	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/sourcetest"
)

func realDebrid(user int64) sources.CooldownKey {
	return sources.CooldownKey{User: user, Provider: "real_debrid"}
}

// longPatience is for tests in which the database always answers.
const longPatience = time.Minute

func (s *store) cooldowns() *sourcecache.Cooldowns {
	c := s.Cooldowns().(*sourcecache.Cooldowns)
	c.SetPatience(longPatience)
	return c
}

// another gives the cooldowns of another process.
func (s *store) another(tb testing.TB) *sourcecache.Cooldowns {
	tb.Helper()
	c := s.open(tb).Cooldowns().(*sourcecache.Cooldowns)
	c.SetPatience(longPatience)
	return c
}

func markFor(tb testing.TB, c sources.ProviderCooldown, key sources.CooldownKey, d time.Duration) {
	tb.Helper()
	_, err := c.MarkCooldown(tb.Context(), key, sources.CooldownMark{For: d, Reason: "429"})
	must(tb, err)
}

// remains is what remains of key's cooldown.
func remains(tb testing.TB, c sources.ProviderCooldown, key sources.CooldownKey) time.Duration {
	tb.Helper()
	got, err := c.IsCoolingDown(tb.Context(), key)
	must(tb, err)
	return got.Remaining
}

func beginCall(tb testing.TB, c sources.ProviderCooldown, key sources.CooldownKey) (sources.CooldownLease, time.Duration) {
	tb.Helper()
	l, wait, err := c.Begin(tb.Context(), key)
	must(tb, err)
	return l, wait.Remaining
}

func TestCooldowns_conformance(t *testing.T) {
	t.Parallel()
	sourcetest.RunCooldown(t, func(tb testing.TB) (sources.ProviderCooldown, func(time.Duration)) {
		s := newStore(tb)
		return s.cooldowns(), s.clock.Advance
	})
}

// TestCooldowns_conformanceBesideRedis has Redis before the database.
func TestCooldowns_conformanceBesideRedis(t *testing.T) {
	t.Parallel()
	sourcetest.RunCooldown(t, func(tb testing.TB) (sources.ProviderCooldown, func(time.Duration)) {
		s, server := newStore(tb), miniredis.RunT(tb)
		redis, err := cooldown.NewRedis(cooldown.RedisOptions{URL: "redis://" + server.Addr(), Timeout: longPatience, Now: s.clock.Now})
		must(tb, err)
		tb.Cleanup(func() { must(tb, redis.Close()) })
		return cooldown.NewMirrored(redis, s.cooldowns()), func(d time.Duration) {
			server.FastForward(d)
			s.clock.Advance(d)
		}
	})
}

// TestCooldowns_conformanceOfSeveral has three processes on one file make the
// calls in turns.
func TestCooldowns_conformanceOfSeveral(t *testing.T) {
	t.Parallel()
	sourcetest.RunCooldown(t, func(tb testing.TB) (sources.ProviderCooldown, func(time.Duration)) {
		s := newStore(tb)
		return &inTurns{all: []sources.ProviderCooldown{s.cooldowns(), s.another(tb), s.another(tb)}}, s.clock.Advance
	})
}

// inTurns makes each call through another one of several backends.
type inTurns struct {
	all   []sources.ProviderCooldown
	calls atomic.Int64
}

func (p *inTurns) next() sources.ProviderCooldown {
	return p.all[int(p.calls.Add(1))%len(p.all)]
}

func (p *inTurns) IsCoolingDown(ctx context.Context, key sources.CooldownKey) (sources.Cooldown, error) {
	return p.next().IsCoolingDown(ctx, key)
}

func (p *inTurns) MarkCooldown(ctx context.Context, key sources.CooldownKey, m sources.CooldownMark) (sources.Cooldown, error) {
	return p.next().MarkCooldown(ctx, key, m)
}

func (p *inTurns) Begin(ctx context.Context, key sources.CooldownKey) (sources.CooldownLease, sources.Cooldown, error) {
	return p.next().Begin(ctx, key)
}

func (p *inTurns) End(ctx context.Context, l sources.CooldownLease, answered bool) error {
	return p.next().End(ctx, l, answered)
}

func (p *inTurns) Refused(ctx context.Context, key sources.CooldownKey, r sources.Refusal) (bool, error) {
	return p.next().Refused(ctx, key, r)
}

func (p *inTurns) Answered(ctx context.Context, key sources.CooldownKey) error {
	return p.next().Answered(ctx, key)
}

func (p *inTurns) Cooldowns(ctx context.Context) ([]sources.CooldownEntry, error) {
	return p.next().Cooldowns(ctx)
}

func (p *inTurns) Clear(ctx context.Context, key sources.CooldownKey) (int, error) {
	return p.next().Clear(ctx, key)
}

func TestCooldowns_outliveTheProcess(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	c := s.cooldowns()
	if s.cooldowns() != c {
		t.Error("two memories of one database")
	}
	markFor(t, c, realDebrid(1), 300*time.Second)
	must(t, s.Close())
	s.DB = s.open(t)
	s.clock.Advance(10 * time.Second)
	if got := remains(t, s.cooldowns(), realDebrid(1)); got != 290*time.Second {
		t.Errorf("%v remains after a restart, want 290 s", got)
	}
}

// TestCooldowns_oneLease has 50 calls of each of two processes at the end of a
// cooldown.
func TestCooldowns_oneLease(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	handles := []sources.ProviderCooldown{s.cooldowns(), s.another(t)}
	markFor(t, handles[0], realDebrid(1), time.Second)
	for _, step := range []struct {
		after time.Duration
		want  int64
		why   string
	}{
		{999 * time.Millisecond, 0, "in the cooldown"},
		{time.Millisecond, 1, "at its end"},
		{sources.CooldownLeaseOf - time.Millisecond, 0, "while the holder of the lease may live"},
		{time.Millisecond, 1, "after a holder that died"},
	} {
		s.clock.Advance(step.after)
		var first atomic.Int64
		var wg sync.WaitGroup
		for i := range 100 {
			wg.Go(func() {
				switch l, wait, err := handles[i%2].Begin(t.Context(), realDebrid(1)); {
				case err != nil:
					t.Error(err)
				case l.Token != "":
					first.Add(1)
				case wait.Remaining <= 0:
					t.Errorf("a call without lease may go %s", step.why)
				}
			})
		}
		wg.Wait()
		if got := first.Load(); got != step.want {
			t.Errorf("%d of 100 calls go first %s, want %d\n%s", got, step.why, step.want, s.log)
		}
	}
}

// TestCooldowns_clock sets the clock back and forth.
func TestCooldowns_clock(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		jump time.Duration
		want time.Duration
	}{
		{"none", 0, sources.MaxCooldown},
		{"back by the slack", -time.Second, sources.MaxCooldown},
		{"back by more", -time.Second - time.Millisecond, 0},
		{"back by a day", -24 * time.Hour, 0},
		{"on by a day", 24 * time.Hour, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t)
			for _, c := range []sources.ProviderCooldown{s.cooldowns(), s.another(t)} {
				markFor(t, c, realDebrid(1), time.Hour) // cut to the longest
				s.clock.Advance(tt.jump)
				if got := remains(t, c, realDebrid(1)); got != tt.want {
					t.Errorf("%v remains, want %v", got, tt.want)
				}
				l, wait := beginCall(t, c, realDebrid(1))
				if wait != tt.want || l.Token != "" {
					t.Errorf("a call has the lease %+v and %v to wait, want none and %v", l, wait, tt.want)
				}
				listed, err := c.Cooldowns(t.Context())
				if want := tt.want > 0; err != nil || (len(listed) > 0) != want {
					t.Errorf("listed: %+v, %v; want any %t", listed, err, want)
				}
				s.clock.Advance(-tt.jump)
			}
		})
	}
}

// A lease of an impossible length was given under another clock.
func TestCooldowns_clockOfALease(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	c := s.cooldowns()
	markFor(t, c, realDebrid(1), 5*time.Second)
	s.clock.Advance(time.Minute)
	if l, _ := beginCall(t, c, realDebrid(1)); l.Token == "" {
		t.Fatal("no lease after the cooldown")
	}
	s.clock.Advance(-50 * time.Second)
	if l, wait := beginCall(t, c, realDebrid(1)); l.Token == "" || wait != 0 {
		t.Errorf("lease %+v, %v to wait; want another lease", l, wait)
	}
}

// TestCooldowns_closed has a database that fails from some moment on.
func TestCooldowns_closed(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	c := s.cooldowns()
	markFor(t, c, realDebrid(1), 10*time.Second)
	markFor(t, s.another(t), realDebrid(2), 10*time.Second)
	remains(t, c, realDebrid(2)) // met in time
	must(t, s.Close())

	for user := range int64(2) {
		if got := remains(t, c, realDebrid(user+1)); got != 10*time.Second {
			t.Errorf("user %d: %v remains, want 10 s as before", user+1, got)
		}
	}
	if got := remains(t, c, realDebrid(3)); got != 0 {
		t.Errorf("nobody marked user 3, and %v remains", got)
	}
	markFor(t, c, realDebrid(3), 5*time.Second)
	if listed, err := c.Cooldowns(t.Context()); err != nil || len(listed) != 3 {
		t.Errorf("listed %+v, %v; want what memory knows", listed, err)
	}
	s.clock.Advance(5 * time.Second)
	first, _ := beginCall(t, c, realDebrid(3))
	if _, wait := beginCall(t, c, realDebrid(3)); first.Token == "" || wait != sources.CooldownLeaseOf {
		t.Errorf("lease %+v, the second call waits %v; want one call to go first", first, wait)
	}
	must(t, c.End(t.Context(), first, true))
	if l, wait := beginCall(t, c, realDebrid(3)); l.Token != "" || wait != 0 {
		t.Errorf("lease %+v, %v to wait after an answer, want neither", l, wait)
	}
	if _, err := c.Clear(t.Context(), sources.CooldownKey{}); err == nil {
		t.Error("nothing was cleared in the database, and no error says so")
	}
	if n := strings.Count(s.log.String(), "\n"); n != 1 || !strings.Contains(s.log.String(), "level=WARN") {
		t.Errorf("want one line in the log:\n%s", s.log)
	}
}

func TestCooldowns_cancelled(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	c := s.cooldowns()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.MarkCooldown(ctx, realDebrid(1), sources.CooldownMark{For: time.Second}); err != nil {
		t.Errorf("a mark after the end of its call: %v", err)
	}
	if got := remains(t, s.another(t), realDebrid(1)); got != time.Second {
		t.Errorf("%v remains, want the mark of a cancelled call stored", got)
	}
	s.clock.Advance(time.Second)
	l, _ := beginCall(t, c, realDebrid(1))
	must(t, c.End(ctx, l, true))
	if l, wait := beginCall(t, c, realDebrid(1)); l.Token != "" || wait != 0 {
		t.Errorf("lease %+v, %v to wait after a cancelled call was answered", l, wait)
	}
	if _, err := c.IsCoolingDown(ctx, realDebrid(1)); err == nil {
		t.Error("a cancelled check gives no error")
	}
	if _, _, err := c.Begin(ctx, realDebrid(1)); err == nil {
		t.Error("a cancelled call begins")
	}
	if s.log.Len() > 0 {
		t.Errorf("log: %s", s.log)
	}
}

func BenchmarkCooldowns(b *testing.B) {
	s := newStore(b)
	c := s.cooldowns()
	markFor(b, c, realDebrid(1), sources.MaxCooldown)
	keys := map[string]sources.CooldownKey{"free": realDebrid(2), "cooling": realDebrid(1)}
	for _, name := range []string{"free", "cooling"} {
		key := keys[name]
		b.Run("IsCoolingDown "+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				remains(b, c, key)
			}
		})
		b.Run("Begin "+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				beginCall(b, c, key)
			}
		})
	}
	b.Run("MarkCooldown", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.clock.Advance(time.Millisecond)
			markFor(b, c, realDebrid(3), sources.MaxCooldown)
		}
	})
	b.Run("lease and answer", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			markFor(b, c, realDebrid(4), time.Millisecond)
			s.clock.Advance(time.Millisecond)
			l, _ := beginCall(b, c, realDebrid(4))
			must(b, c.End(b.Context(), l, true))
		}
	})
}
