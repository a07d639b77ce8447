//go:build unix

package cooldown_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"xship/sources"
	"xship/sources/cooldown"
)

// realRedis is a redis-server of the test's own.
type realRedis struct {
	addr string
	args []string
	cmd  *exec.Cmd
}

// startRedis starts a redis-server on a free loopback port.
func startRedis(t testing.TB, args ...string) *realRedis {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		if os.Getenv("XSHIP_REQUIRE_REAL") == "1" {
			t.Fatal("redis-server is not installed, and XSHIP_REQUIRE_REAL=1 wants it")
		}
		t.Skip("redis-server is not installed (Debian package redis-server)")
	}
	addr := refusing(t)
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Fatal(err)
	}
	r := &realRedis{addr: addr, args: append([]string{
		path, "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no", "--dir", t.TempDir(), "--loglevel", "warning",
	}, args...)}
	r.start(t)
	t.Cleanup(func() { r.kill() })
	return r
}

func (r *realRedis) start(t testing.TB) {
	t.Helper()
	r.cmd = exec.Command(r.args[0], r.args[1:]...)
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	poll(t, "redis-server listens", func() bool {
		conn, err := net.DialTimeout("tcp", r.addr, time.Second)
		if err != nil {
			return false
		}
		_ = conn.Close()
		return true
	})
}

func (r *realRedis) kill() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}

func (r *realRedis) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// wantBack waits until c uses the server again, moving its clock on.
func (c client) wantBack(t *testing.T) {
	t.Helper()
	poll(t, "the client uses the server again", func() bool {
		c.clock.Advance(2 * time.Second)
		c.check(t, sources.CooldownKey{User: 99, Provider: "none"})
		return strings.Contains(c.log.String(), "redis is back")
	})
}

// plain is a client that looks at what is stored.
func (r *realRedis) plain(t *testing.T, password string) *redis.Client {
	t.Helper()
	p := redis.NewClient(&redis.Options{Addr: r.addr, Password: password})
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func TestRealRedis(t *testing.T) {
	server := startRedis(t)
	a, b := newPatientClient(t, "redis://"+server.addr, "t:"), newPatientClient(t, "redis://"+server.addr, "t:")
	plain := server.plain(t, "")
	ctx := t.Context()

	t.Run("set and expire", func(t *testing.T) {
		key := realDebrid(1)
		a.mark(t, key, sources.CooldownMark{For: time.Minute, Reason: "limited"})
		const name = "t:cooldown:1:real_debrid"
		if v := plain.Get(ctx, name).Val(); v != "limited" {
			t.Errorf("%s holds %q", name, v)
		}
		if ttl := plain.PTTL(ctx, name).Val(); !near(ttl, time.Minute) {
			t.Errorf("%s lives %v", name, ttl)
		}
		if err := plain.PExpire(ctx, name, time.Millisecond).Err(); err != nil {
			t.Fatal(err)
		}
		poll(t, "the key expires", func() bool { return plain.Exists(ctx, name).Val() == 0 })
		for _, c := range []client{a, b} {
			if got := c.check(t, key); got.Remaining != 0 {
				t.Errorf("%v remains", got)
			}
		}
	})
	t.Run("any live key", func(t *testing.T) {
		key := realDebrid(7)
		const name = "t:cooldown:7:real_debrid"
		if err := plain.Do(ctx, "SETEX", name, 3600, 1).Err(); err != nil {
			t.Fatal(err)
		}
		const says = "set in Redis by another program"
		if got := a.check(t, key); !near(got.Remaining, time.Hour) || got.Reason != says {
			t.Errorf("%+v remains", got)
		}
		if l, got := b.begin(t, key); l.Token != "" || !near(got.Remaining, time.Hour) {
			t.Errorf("a call begins with %+v and %+v", l, got)
		}
		if got := b.mark(t, key, sources.CooldownMark{For: time.Minute, Reason: "limited"}); !near(got.Remaining, time.Hour) {
			t.Errorf("a shorter mark makes %+v", got)
		}
		all, err := a.Cooldowns(ctx)
		if i := slices.IndexFunc(all, func(e sources.CooldownEntry) bool { return e.CooldownKey == key }); err != nil || i < 0 || !near(all[i].Remaining, time.Hour) {
			t.Errorf("lists %+v, %v", all, err)
		}
		if n, err := a.Clear(ctx, key); n != 1 || err != nil {
			t.Errorf("clears %d, %v", n, err)
		}
		if got := b.check(t, key); got.Remaining != 0 {
			t.Errorf("%+v remains when it was cleared", got)
		}
	})
	t.Run("extend only", func(t *testing.T) {
		key := realDebrid(2)
		a.mark(t, key, sources.CooldownMark{For: 300 * time.Second, Reason: "long"})
		if got := b.mark(t, key, sources.CooldownMark{For: 30 * time.Second, Reason: "short"}); !near(got.Remaining, 300*time.Second) || got.Reason != "long" {
			t.Errorf("a shorter mark makes %+v", got)
		}
		if got := a.check(t, key); !near(got.Remaining, 300*time.Second) || got.Reason != "long" {
			t.Errorf("%+v remains", got)
		}
	})
	t.Run("two clients", func(t *testing.T) {
		key := realDebrid(3)
		a.mark(t, key, sources.CooldownMark{For: time.Minute, Reason: "limited"})
		if got := b.check(t, key); !near(got.Remaining, time.Minute) || got.Reason != "limited" {
			t.Errorf("the other client sees %+v", got)
		}
		if n, err := b.Clear(ctx, key); n != 1 || err != nil {
			t.Errorf("clears %d and %v", n, err)
		}
		if got := a.check(t, key); got.Remaining != 0 {
			t.Errorf("after the other client cleared it, %+v remains", got)
		}
	})
	t.Run("grow", func(t *testing.T) {
		key := realDebrid(4)
		m := sources.CooldownMark{For: 40 * time.Millisecond, Grow: true}
		for _, want := range []int64{40, 60, 90, 135} {
			if got := a.mark(t, key, m); got.Remaining.Milliseconds() != want {
				t.Errorf("a repeat rests %v, want %d ms", got.Remaining, want)
			}
			poll(t, "the cooldown ends", func() bool { return b.check(t, key).Remaining == 0 })
		}
	})
	t.Run("one call goes first", func(t *testing.T) {
		key := realDebrid(5)
		a.mark(t, key, sources.CooldownMark{For: 30 * time.Millisecond, Reason: "limited"})
		poll(t, "the cooldown ends", func() bool { return a.check(t, key).Remaining == 0 })
		var (
			wg     sync.WaitGroup
			mu     sync.Mutex
			leases []sources.CooldownLease
		)
		for i := range 50 {
			wg.Go(func() {
				l, got := []client{a, b}[i%2].begin(t, key)
				mu.Lock()
				defer mu.Unlock()
				if l.Token != "" {
					leases = append(leases, l)
				} else if !near(got.Remaining, sources.CooldownLeaseOf) {
					t.Errorf("a call waits %v", got.Remaining)
				}
			})
		}
		wg.Wait()
		if len(leases) != 1 {
			t.Fatalf("%d calls go first", len(leases))
		}
		if err := b.End(ctx, leases[0], true); err != nil {
			t.Error(err)
		}
		if l, got := a.begin(t, key); l.Token != "" || got.Remaining != 0 {
			t.Errorf("afterwards a call begins with %+v and %+v", l, got)
		}
	})
	t.Run("list among many keys", func(t *testing.T) {
		_, err := plain.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i := range 30_000 {
				p.SetNX(ctx, "other:"+string(rune('a'+i%26))+time.Duration(i).String(), 1, time.Minute)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		a.mark(t, sources.CooldownKey{User: 6, Provider: "a:b"}, sources.CooldownMark{For: time.Minute})
		all, err := b.Cooldowns(ctx)
		if len(all) != 2 || err != nil { // with that of "extend only"
			t.Errorf("lists %+v and %v", all, err)
		}
		if n, err := b.Clear(ctx, sources.CooldownKey{Provider: "a:b"}); n != 1 || err != nil {
			t.Errorf("clears %d and %v", n, err)
		}
	})
	t.Run("scripts are forgotten", func(t *testing.T) {
		if err := plain.ScriptFlush(ctx).Err(); err != nil {
			t.Fatal(err)
		}
		if got := a.mark(t, realDebrid(7), sources.CooldownMark{For: time.Minute}); got.Remaining != time.Minute {
			t.Errorf("%+v remains", got)
		}
	})
	a.log.want(t, 0, 0)
	b.log.want(t, 0, 0)
}

// TestRealRedisKilled kills the server, marks, and starts an empty one.
func TestRealRedisKilled(t *testing.T) {
	server := startRedis(t)
	a, b := newPatientClient(t, "redis://"+server.addr, ""), newPatientClient(t, "redis://"+server.addr, "")
	before, during := realDebrid(1), realDebrid(2)
	a.mark(t, before, sources.CooldownMark{For: 300 * time.Second, Reason: "before"})
	b.check(t, before)

	server.kill()
	a.mark(t, during, sources.CooldownMark{For: 200 * time.Second, Reason: "during"})
	for range 10 {
		if got := a.check(t, before); got.Remaining <= 0 || got.Reason != "before" {
			t.Errorf("while the server is down %+v remains", got)
		}
		if got := a.check(t, during); got.Remaining <= 0 || got.Reason != "during" {
			t.Errorf("while the server is down %+v remains", got)
		}
		if got := b.check(t, before); got.Remaining <= 0 {
			t.Errorf("while the server is down the other client has %+v", got)
		}
		a.clock.Advance(1500 * time.Millisecond)
		b.clock.Advance(1500 * time.Millisecond)
	}
	if l, got := b.begin(t, during); l.Token != "" || got.Remaining != 0 {
		t.Errorf("what only the other client knows makes %+v and %+v", l, got)
	}
	a.log.want(t, 1, 0)

	server.start(t)
	a.wantBack(t)
	b.wantBack(t)
	for _, key := range []sources.CooldownKey{before, during} {
		if got := b.check(t, key); got.Remaining <= 100*time.Second {
			t.Errorf("on the new server %v has %+v", key, got)
		}
	}
	a.log.want(t, 1, 1)
	b.log.want(t, 1, 1)
}

// TestRealRedisMirrored kills and pauses the server between the processes of one
// machine.
func TestRealRedisMirrored(t *testing.T) {
	server := startRedis(t)
	here, there := newMachine("redis://"+server.addr), newMachine("redis://"+server.addr)
	before, during, paused := realDebrid(1), realDebrid(2), realDebrid(3)
	here.process(t).markFor(t, before, 300*time.Second)

	server.kill()
	here.process(t).wantCooling(t, "while it is down", before, 300*time.Second)
	grow := sources.CooldownMark{For: 30 * time.Second, Grow: true}
	for _, want := range []time.Duration{30 * time.Second, 45 * time.Second} {
		if got := here.process(t).mark(t, during, grow); got != want {
			t.Errorf("while it is down a mark rests %v, want %v", got, want)
		}
		here.clock.Advance(want)
	}
	here.process(t).mark(t, during, grow)
	remains := 300*time.Second - 75*time.Second

	server.start(t)
	here.process(t).wantCooling(t, "when it is back", before, remains)
	there.process(t).wantCooling(t, "elsewhere, when it is back", before, remains)
	here.process(t).wantCooling(t, "when it is back", during, 67500*time.Millisecond)

	server.signal(t, syscall.SIGSTOP)
	quick := func() mirror {
		redis, err := cooldown.NewRedis(cooldown.RedisOptions{URL: here.url, Now: here.clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = redis.Close() })
		return mirror{cooldown.NewMirrored(redis, here.own)}
	}
	quick().wantCooling(t, "while it is paused", before, remains)
	quick().markFor(t, paused, 200*time.Second)
	quick().wantCooling(t, "marked while it is paused", paused, 200*time.Second)
	server.signal(t, syscall.SIGCONT)
	here.process(t).wantCooling(t, "when it goes on", paused, 200*time.Second)
	there.process(t).wantCooling(t, "elsewhere, when it goes on", paused, 200*time.Second)
}

// TestRealRedis_foreign has another program set the key of a cooldown, shorter and longer
// than ours, before and after it, and let it end in each way. While it lives it counts;
// when it has gone nothing of it is left, here or elsewhere, and the server's word counts
// for ours as well: who takes the key away ends the cooldown.
func TestRealRedis_foreign(t *testing.T) {
	server := startRedis(t)
	plain := server.plain(t, "")
	const short, long = 100 * time.Second, time.Hour
	type step func(t *testing.T, m *machine, key sources.CooldownKey, name string)
	ours := func(d time.Duration) step {
		return func(t *testing.T, m *machine, key sources.CooldownKey, _ string) { m.process(t).markFor(t, key, d) }
	}
	theirs := func(d time.Duration) step {
		return func(t *testing.T, _ *machine, _ sources.CooldownKey, name string) {
			if err := plain.Set(t.Context(), name, "1", d).Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	expires := func(t *testing.T, _ *machine, _ sources.CooldownKey, name string) {
		if err := plain.PExpire(t.Context(), name, time.Millisecond).Err(); err != nil {
			t.Fatal(err)
		}
		poll(t, "the key expires", func() bool { return plain.Exists(t.Context(), name).Val() == 0 })
	}
	deleted := func(t *testing.T, _ *machine, _ sources.CooldownKey, name string) {
		if n, err := plain.Del(t.Context(), name).Result(); n != 1 || err != nil {
			t.Errorf("deleted %d, %v", n, err)
		}
	}
	clears := func(asked func(sources.CooldownKey) sources.CooldownKey, elsewhere bool) step {
		return func(t *testing.T, m *machine, key sources.CooldownKey, _ string) {
			if elsewhere {
				m = newMachine(m.url)
			}
			if n, err := m.process(t).Clear(t.Context(), asked(key)); n != 1 || err != nil {
				t.Errorf("clears %d, %v, want 1", n, err)
			}
		}
	}
	one := func(key sources.CooldownKey) sources.CooldownKey { return key }
	ofUser := func(key sources.CooldownKey) sources.CooldownKey { return sources.CooldownKey{User: key.User} }
	for user, tt := range []struct {
		name   string
		begin  []step
		lives  time.Duration // what runs then
		copied time.Duration // of that in the machine's own store
	}{
		{"theirs alone, short", []step{theirs(short)}, short, 0},
		{"theirs alone, long", []step{theirs(long)}, long, 0},
		{"theirs alone, for ever", []step{theirs(0)}, sources.MaxCooldown, 0},
		{"theirs longer, then ours", []step{theirs(long), ours(short)}, long, short},
		{"theirs for ever, then ours", []step{theirs(0), ours(short)}, sources.MaxCooldown, short},
		{"theirs shorter, then ours", []step{theirs(short), ours(2 * short)}, 2 * short, 2 * short},
		{"ours, then theirs longer", []step{ours(short), theirs(long)}, long, short},
		{"ours, then theirs shorter", []step{ours(2 * short), theirs(short)}, short, 0},
		{"ours, cleared, then theirs", []step{ours(2 * short), clears(one, false), theirs(short)}, short, 0},
		{"theirs, deleted, then ours", []step{theirs(long), deleted, ours(short)}, short, short},
		{"theirs, cleared, then theirs again", []step{theirs(long), clears(one, false), theirs(short)}, short, 0},
	} {
		for i, end := range []struct {
			name string
			do   step
		}{
			{"expires", expires},
			{"is deleted", deleted},
			{"is cleared", clears(one, false)},
			{"is cleared with all of the user", clears(ofUser, false)},
			{"is cleared elsewhere", clears(one, true)},
		} {
			t.Run(tt.name+", "+end.name, func(t *testing.T) {
				m, key := newMachine("redis://"+server.addr), realDebrid(int64(10*user+i+1))
				name := fmt.Sprintf("cooldown:%d:real_debrid", key.User)
				for _, step := range tt.begin {
					step(t, m, key, name)
				}
				lasting := m.process(t) // lives on
				for range 2 {
					m.process(t).wantCooling(t, "while it lives", key, tt.lives)
				}
				lasting.wantCooling(t, "while it lives", key, tt.lives)
				c, err := m.own.IsCoolingDown(t.Context(), key)
				if err != nil || c.Remaining > tt.copied || c.Remaining < tt.copied/2 {
					t.Errorf("the machine's own store has %s, %v, want %s", c.Remaining, err, tt.copied)
				}
				end.do(t, m, key, name)
				for where, p := range map[string]mirror{"elsewhere": newMachine(m.url).process(t), "in a process that saw it": lasting, "here": m.process(t)} {
					l, c, err := p.Begin(t.Context(), key)
					if err != nil || c.Remaining > 0 {
						t.Errorf("%s, when it has gone, a call waits for %+v, %v", where, c, err)
					}
					if err := p.End(t.Context(), l, true); err != nil {
						t.Error(err)
					}
					p.wantCooling(t, where+", when it has gone", key, 0)
				}
				if n, err := plain.Exists(t.Context(), name).Result(); n != 0 || err != nil {
					t.Errorf("it is back: %d, %v", n, err)
				}
				if c, err := m.own.IsCoolingDown(t.Context(), key); c.Remaining > 0 || err != nil {
					t.Errorf("the machine's own store still has %s, %v", c.Remaining, err)
				}
			})
		}
	}
}

// TestRealRedis_foreignLost has the server go away while another program's key lives,
// and come back without it: a process that saw it keeps to it meanwhile, and brings none
// of it back.
func TestRealRedis_foreignLost(t *testing.T) {
	server := startRedis(t)
	key, own := realDebrid(1), realDebrid(2)
	if err := server.plain(t, "").Set(t.Context(), "cooldown:1:real_debrid", "1", time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, "redis://"+server.addr, "")
	c.mark(t, own, sources.CooldownMark{For: 5 * time.Minute, Reason: "limited"})
	if got := c.check(t, key); got.Remaining < time.Minute {
		t.Fatalf("it cools for %s", got.Remaining)
	}
	server.kill()
	if got := c.check(t, key); got.Remaining < time.Minute {
		t.Errorf("while the server is away it cools for %s", got.Remaining)
	}
	if all, err := c.Cooldowns(t.Context()); len(all) != 2 || err != nil || all[0].CooldownKey != key || all[1].CooldownKey != own {
		t.Errorf("while the server is away it lists %+v, %v", all, err)
	}
	server.start(t)
	c.wantBack(t)
	if got := c.check(t, key); got.Remaining > 0 {
		t.Errorf("when it is back without the key, it cools for %s", got.Remaining)
	}
	if got := c.check(t, own); got.Remaining == 0 {
		t.Error("what this process marked is lost")
	}
}

// TestRealRedisPaused stops the server for five seconds of the client's time.
func TestRealRedisPaused(t *testing.T) {
	server := startRedis(t)
	c := newClient(t, "redis://"+server.addr, "")
	c.mark(t, realDebrid(1), sources.CooldownMark{For: 5 * time.Minute, Reason: "before"})
	server.signal(t, syscall.SIGSTOP)
	defer server.signal(t, syscall.SIGCONT)
	for i := range 10 {
		if got := c.check(t, realDebrid(1)); got.Remaining <= 0 {
			t.Errorf("while the server is paused %+v remains", got)
		}
		c.mark(t, realDebrid(int64(10+i)), sources.CooldownMark{For: 5 * time.Minute, Reason: "during"})
		if all, err := c.Cooldowns(t.Context()); len(all) != i+2 || err != nil {
			t.Errorf("while the server is paused it lists %d and %v, want %d", len(all), err, i+2)
		}
		c.clock.Advance(500 * time.Millisecond)
	}
	server.signal(t, syscall.SIGCONT)
	c.wantBack(t)
	plain := server.plain(t, "")
	poll(t, "the server has all marks", func() bool {
		c.clock.Advance(2 * time.Second) // on a busy machine it may be lost once more
		c.check(t, realDebrid(1))
		return len(plain.Keys(t.Context(), "cooldown:*").Val()) == 11
	})
	for i, line := range slices.Collect(strings.Lines(c.log.String())) {
		if want := []string{"redis is lost", "redis is back"}[i%2]; !strings.Contains(line, want) {
			t.Errorf("line %d of the log is %q, want %q", i, line, want)
		}
	}
}

// TestRealRedisPassword greps what is stored and logged for the password.
func TestRealRedisPassword(t *testing.T) {
	const password = "fake-redis-password"
	server := startRedis(t, "--requirepass", password)
	good := newPatientClient(t, "redis://:"+password+"@"+server.addr+"/0", "p:")
	good.mark(t, realDebrid(1), sources.CooldownMark{For: time.Minute, Reason: "limited"})
	good.log.want(t, 0, 0)
	if err := good.Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
	plain := server.plain(t, password)
	names := plain.Keys(t.Context(), "*").Val()
	slices.Sort(names)
	if !slices.Equal(names, []string{"p:cooldown-last:1:real_debrid", "p:cooldown:1:real_debrid"}) {
		t.Errorf("stored: %q", names)
	}
	for _, name := range names {
		if v := plain.Get(t.Context(), name).Val(); strings.Contains(v, password) {
			t.Errorf("%s holds %q", name, v)
		}
	}
	for _, url := range []string{"redis://" + server.addr, "redis://:" + password + "-wrong@" + server.addr} {
		c := newPatientClient(t, url, "p:")
		if got := c.mark(t, realDebrid(2), sources.CooldownMark{For: time.Minute}); got.Remaining != time.Minute {
			t.Errorf("without the password %+v remains", got)
		}
		c.log.want(t, 1, 0)
		err := c.Ping(t.Context())
		if err == nil || strings.Contains(err.Error()+c.log.String(), password) {
			t.Errorf("ping gives %v, the log\n%s", err, c.log)
		}
	}
}

// TestRealRedisSocket reaches the server by a socket of the file system.
func TestRealRedisSocket(t *testing.T) {
	dir, err := os.MkdirTemp("", "redis") //nolint:usetesting // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	startRedis(t, "--unixsocket", dir+"/s")
	c := newPatientClient(t, "unix://"+dir+"/s?db=1", "")
	poll(t, "the server answers at its socket", func() bool { return c.Ping(t.Context()) == nil }) // which it opens after its port
	c.mark(t, realDebrid(1), sources.CooldownMark{For: time.Minute})
	c.log.want(t, 0, 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Ping(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled ping gives %v", err)
	}
}

// BenchmarkRedis is one round trip to a server on this machine, and none to one
// that is lost.
func BenchmarkRedis(b *testing.B) {
	for name, addr := range map[string]string{"up": startRedis(b).addr, "lost": refusing(b)} {
		b.Run(name, func(b *testing.B) {
			c := newClient(b, "redis://"+addr, "")
			_, _ = c.IsCoolingDown(b.Context(), realDebrid(1))
			b.ReportAllocs()
			for b.Loop() {
				_, _ = c.IsCoolingDown(b.Context(), realDebrid(1))
			}
		})
	}
}

// TestRealRedis_scripts is TestScripts at a real server, whose clock moves on by
// itself: what remains of keys is cut instead.
func TestRealRedis_scripts(t *testing.T) {
	server := startRedis(t)
	client := server.plain(t, "")
	for seed := range uint64(30) {
		scripts := cooldown.NewScripts(client, "t:", sources.CooldownKey{User: int64(seed) + 1, Provider: "real_debrid"})
		m := newScriptModel(t, seed, scripts, 10_000, func(ms int64) {
			for _, key := range scripts.Keys() {
				left := client.PTTL(t.Context(), key).Val()
				if left <= 0 { // there is none
					continue
				}
				if err := client.PExpire(t.Context(), key, left-time.Duration(ms)*time.Millisecond).Err(); err != nil {
					t.Fatal(err)
				}
			}
		})
		for range 60 {
			if !m.step() {
				break
			}
		}
	}
}
