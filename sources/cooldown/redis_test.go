package cooldown_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/sourcetest"
)

// logBuffer is a log that several goroutines write and the test reads.
type logBuffer struct{ sourcetest.Buffer }

// want compares how often the server was lost and came back.
func (l *logBuffer) want(t *testing.T, lost, back int) {
	t.Helper()
	got := l.String()
	if strings.Count(got, "redis is lost") != lost || strings.Count(got, "redis is back") != back || strings.Count(got, "\n") != lost+back {
		t.Errorf("want the server lost %d times and back %d times, logged:\n%s", lost, back, got)
	}
}

// client is a Redis with its log, and the time it believes in.
type client struct {
	*cooldown.Redis
	log   *logBuffer
	clock *clock
}

// newClient makes a client whose clock only the test moves.
func newClient(t testing.TB, url, prefix string) client {
	t.Helper()
	return startClient(t, url, prefix, 0)
}

// newPatientClient makes one for tests where how fast it is does not matter.
func newPatientClient(t testing.TB, url, prefix string) client {
	t.Helper()
	return startClient(t, url, prefix, time.Minute)
}

func startClient(t testing.TB, url, prefix string, timeout time.Duration) client {
	t.Helper()
	c := client{log: &logBuffer{}, clock: newClock()}
	var err error
	c.Redis, err = cooldown.NewRedis(cooldown.RedisOptions{
		URL: url, Prefix: prefix, Timeout: timeout, Now: c.clock.Now, Logger: slog.New(slog.NewTextHandler(c.log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func (c client) mark(t testing.TB, key sources.CooldownKey, m sources.CooldownMark) sources.Cooldown {
	t.Helper()
	got, err := c.MarkCooldown(t.Context(), key, m)
	if err != nil {
		t.Errorf("marking %v: %v", key, err)
	}
	return got
}

func (c client) check(t testing.TB, key sources.CooldownKey) sources.Cooldown {
	t.Helper()
	got, err := c.IsCoolingDown(t.Context(), key)
	if err != nil {
		t.Errorf("checking %v: %v", key, err)
	}
	return got
}

func (c client) begin(t testing.TB, key sources.CooldownKey) (sources.CooldownLease, sources.Cooldown) {
	t.Helper()
	l, got, err := c.Begin(t.Context(), key)
	if err != nil {
		t.Errorf("beginning a call to %v: %v", key, err)
	}
	return l, got
}

// poll waits until cond holds.
func poll(t testing.TB, what string, cond func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("in vain waited until %s", what)
		}
	}
}

// near allows for the time that passes at the server, however busy the machine is.
func near(got, want time.Duration) bool { return got <= want && got > want/2 }

func realDebrid(user int64) sources.CooldownKey {
	return sources.CooldownKey{User: user, Provider: "real_debrid"}
}

func TestRedis(t *testing.T) {
	for _, prefix := range []string{"", `xship*[?]\:`} {
		t.Run("prefix "+prefix, func(t *testing.T) {
			sourcetest.RunCooldown(t, func(tb testing.TB) (sources.ProviderCooldown, func(time.Duration)) {
				server := miniredis.RunT(tb)
				c := newPatientClient(tb, "redis://"+server.Addr(), prefix)
				tb.Cleanup(func() {
					if log := c.log.String(); log != "" {
						tb.Errorf("logged:\n%s", log)
					}
				})
				return c, func(d time.Duration) {
					server.FastForward(d)
					c.clock.Advance(d)
				}
			})
		})
	}
}

func TestSharedBudgets(t *testing.T) {
	sourcetest.RunCallBudgets(t, func(tb testing.TB) (sources.CallBudgets, func(time.Duration)) {
		server := miniredis.RunT(tb)
		a, b := newPatientClient(tb, "redis://"+server.Addr(), "t:"), newPatientClient(tb, "redis://"+server.Addr(), "t:")
		none := cooldown.NewMemoryBudgets(a.clock.Now)
		both := &budgetsInTurns{all: []sources.CallBudgets{cooldown.NewSharedBudgets(a.Redis, none), cooldown.NewSharedBudgets(b.Redis, none)}}
		return both, func(d time.Duration) {
			server.FastForward(d)
			a.clock.Advance(d)
			b.clock.Advance(d)
		}
	})
}

// TestSharedBudgets_down has what the machine itself keeps, where no server is there.
func TestSharedBudgets_down(t *testing.T) {
	sourcetest.RunCallBudgets(t, func(tb testing.TB) (sources.CallBudgets, func(time.Duration)) {
		c := newClient(tb, "redis://"+refusing(tb), "")
		return cooldown.NewSharedBudgets(c.Redis, cooldown.NewMemoryBudgets(c.clock.Now)), c.clock.Advance
	})
}

// A key of another program's does no harm.
func TestSharedBudgets_foreign(t *testing.T) {
	server := miniredis.RunT(t)
	c := newPatientClient(t, "redis://"+server.Addr(), "")
	budgets := cooldown.NewSharedBudgets(c.Redis, cooldown.NewMemoryBudgets(c.clock.Now))
	_ = server.Set("budget:forever", "x")
	_ = server.Set("budget:long", "x")
	server.SetTTL("budget:long", 24*time.Hour)
	_, _ = server.Push("budget:list", "x")
	for _, name := range []string{"forever", "long", "list"} {
		if wait, ok, err := budgets.Spend(t.Context(), name, sources.CallLimit{Calls: 4, Per: time.Minute}, 0); !ok || wait != 0 || err != nil {
			t.Errorf("%s: %s, %t, %v", name, wait, ok, err)
		}
		if ttl := server.TTL("budget:" + name); ttl <= 0 || ttl > time.Minute {
			t.Errorf("%s lives for %s", name, ttl)
		}
	}
}

// budgetsInTurns makes each call through another one of several backends.
type budgetsInTurns struct {
	all   []sources.CallBudgets
	calls atomic.Int64
}

func (b *budgetsInTurns) Spend(ctx context.Context, name string, l sources.CallLimit, most time.Duration) (time.Duration, bool, error) {
	return b.all[int(b.calls.Add(1))%len(b.all)].Spend(ctx, name, l, most)
}

// TestRedisDown runs the suite on what remains when no server is there.
func TestRedisDown(t *testing.T) {
	sourcetest.RunCooldown(t, func(tb testing.TB) (sources.ProviderCooldown, func(time.Duration)) {
		c := newClient(tb, "redis://"+refusing(tb), "")
		return clearing{c}, c.clock.Advance
	})
}

// clearing takes a clear of this process alone for one.
type clearing struct{ client }

func (c clearing) Clear(ctx context.Context, key sources.CooldownKey) (int, error) {
	n, err := c.client.Clear(ctx, key)
	var lost *cooldown.RedisError
	if errors.As(err, &lost) {
		return n, nil
	}
	return n, errors.Join(err, errors.New("a clear that reached nobody else is told to have worked"))
}

// refusing is an address where nobody listens.
func refusing(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// serve accepts connections until the test ends and gives each to handle.
func serve(tb testing.TB, handle func(net.Conn)) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var wg sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
				defer func() { _ = conn.Close() }()
				handle(conn)
			})
		}
	})
	tb.Cleanup(func() {
		_ = l.Close()
		cancel()
		wg.Wait()
	})
	return l.Addr().String()
}

// answering answers whatever it reads with text.
func answering(text string) func(net.Conn) {
	return func(conn net.Conn) {
		buf := make([]byte, 4096)
		for {
			if _, err := conn.Read(buf); err != nil {
				return
			}
			if _, err := io.WriteString(conn, text); err != nil {
				return
			}
		}
	}
}

// TestRedisFailOpen has a broken server: providers may be called, marks hold in
// this process, no operation waits for as long as the server does, which may be
// for ever, and one line says so.
func TestRedisFailOpen(t *testing.T) {
	key := realDebrid(1)
	for name, handle := range map[string]func(net.Conn){
		"refuses":          nil,
		"hangs":            func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) },
		"closes":           func(net.Conn) {},
		"talks HTTP":       answering("HTTP/1.1 400 Bad Request\r\n\r\n"),
		"talks garbage":    answering("\x16\x03\x01\x00\xff\x00\r\n\x1b[31m"),
		"no end":           answering("$5\r\nhel"),
		"huge text":        answering("$99999999999\r\n"),
		"huge list":        answering("*99999999999\r\n"),
		"nested lists":     answering(strings.Repeat("*9\r\n", 900)),
		"another number":   answering(":7\r\n"),
		"another list":     answering("*2\r\n$1\r\na\r\n:1\r\n"),
		"longer list":      answering("*4\r\n:9\r\n:9\r\n:9\r\n:9\r\n"),
		"nothing":          answering("$-1\r\n"),
		"only OK":          answering("+OK\r\n"),
		"unknown commands": answering("-ERR unknown command, with args beginning with: `fake-password`\r\n"),
		"empty error":      answering("-\r\n"),
		"loading":          answering("-LOADING Redis is loading the dataset in memory\r\n"),
		"slow": func(conn net.Conn) {
			for {
				for _, c := range []byte("+OK\r\n") {
					time.Sleep(20 * time.Millisecond)
					if _, err := conn.Write([]byte{c}); err != nil {
						return
					}
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			addr := refusing(t)
			if handle != nil {
				addr = serve(t, handle)
			}
			c := newClient(t, "redis://:fake-password@"+addr, "")
			if got := c.check(t, key); got.Remaining != 0 {
				t.Errorf("cooling down without a mark: %+v", got)
			}
			for range 3 { // at once, and each time the server is tried again
				c.mark(t, key, sources.CooldownMark{For: time.Minute, Reason: "limited"})
				if got := c.check(t, key); got.Remaining != time.Minute || got.Reason != "limited" {
					t.Errorf("%+v remains, want the mark", got)
				}
				if l, got := c.begin(t, key); l.Token != "" || got.Remaining != time.Minute {
					t.Errorf("a call begins with %+v and %+v", l, got)
				}
				if all, err := c.Cooldowns(t.Context()); len(all) != 1 || err != nil {
					t.Errorf("lists %+v and %v", all, err)
				}
				c.clock.Advance(2 * time.Second)
			}
			c.clock.Advance(time.Minute)
			l, _ := c.begin(t, key)
			if err := c.End(t.Context(), l, true); err != nil || l.Token == "" {
				t.Errorf("ending %+v: %v", l, err)
			}
			var lost *cooldown.RedisError
			if _, err := c.Clear(t.Context(), key); !errors.As(err, &lost) || strings.Contains(err.Error(), "fake-password") {
				t.Errorf("a clear that reached nobody else gives %v", err)
			}
			c.log.want(t, 1, 0)
			if log := c.log.String(); strings.Contains(log, "fake-password") || strings.Contains(log, "\x1b") {
				t.Errorf("the log holds what it must not: %q", log)
			}
		})
	}
}

// TestRedisSecondOperation wants a lost server to cost one wait each second, not
// one each operation.
func TestRedisSecondOperation(t *testing.T) {
	var dials atomic.Int64
	c := newClient(t, "redis://"+serve(t, func(conn net.Conn) {
		dials.Add(1)
		_, _ = io.Copy(io.Discard, conn)
	}), "")
	for i := range int64(3) {
		var wg sync.WaitGroup
		c.check(t, realDebrid(1))
		for range 100 {
			wg.Go(func() { c.check(t, realDebrid(1)) })
		}
		wg.Wait()
		poll(t, "the server was asked", func() bool { return dials.Load() > i })
		if n := dials.Load(); n != i+1 {
			t.Errorf("after %d s the server was asked %d times", i, n)
		}
		c.clock.Advance(time.Second)
	}
}

// TestRedisCancelled wants a caller who leaves to be no fault of the server's,
// and its mark to be made.
func TestRedisCancelled(t *testing.T) {
	server := miniredis.RunT(t)
	c := newPatientClient(t, "redis://"+server.Addr(), "")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.MarkCooldown(ctx, realDebrid(1), sources.CooldownMark{For: time.Minute}); err != nil {
		t.Error(err)
	}
	if !server.Exists("cooldown:1:real_debrid") {
		t.Error("the mark of a caller who left is not made")
	}
	c.log.want(t, 0, 0)
}

// counting passes on to addr and counts what comes in one piece.
func counting(tb testing.TB, addr string) (proxy string, requests *atomic.Int64) {
	tb.Helper()
	requests = new(atomic.Int64)
	return serve(tb, func(conn net.Conn) {
		server, err := net.Dial("tcp", addr)
		if err != nil {
			return
		}
		defer func() { _ = server.Close() }()
		go func() { _, _ = io.Copy(conn, server) }()
		buf := make([]byte, 64<<10)
		for {
			n, err := conn.Read(buf)
			if err != nil {
				return
			}
			requests.Add(1)
			if _, err := server.Write(buf[:n]); err != nil {
				return
			}
		}
	}), requests
}

func TestRedisOneRoundTrip(t *testing.T) {
	addr, requests := counting(t, miniredis.RunT(t).Addr())
	c := newPatientClient(t, "redis://"+addr, "")
	key := realDebrid(1)
	end := func(l sources.CooldownLease) func() {
		return func() {
			if err := c.End(t.Context(), l, true); err != nil {
				t.Error(err)
			}
		}
	}
	for name, op := range map[string]func(){
		"check": func() { c.check(t, key) },
		"mark":  func() { c.mark(t, key, sources.CooldownMark{For: time.Second}) },
		"begin": func() { c.begin(t, key) },
		"end":   end(sources.CooldownLease{Key: key, Token: "another"}),
	} {
		op() // connects, and teaches the server the script
		before := requests.Load()
		op()
		if n := requests.Load() - before; n != 1 {
			t.Errorf("%s takes %d round trips, want 1", name, n)
		}
	}
	before := requests.Load()
	end(sources.CooldownLease{Key: key})()
	if n := requests.Load() - before; n != 0 {
		t.Errorf("ending a call without lease takes %d round trips, want none", n)
	}
}

// TestRedisForeignKeys meets keys of ours that somebody else wrote.
func TestRedisForeignKeys(t *testing.T) {
	server := miniredis.RunT(t)
	c := newPatientClient(t, "redis://"+server.Addr(), "")
	_ = server.Set("cooldown:1:forever", "1")
	_ = server.Set("cooldown:2:setex", "1")
	server.SetTTL("cooldown:2:setex", time.Minute)
	_, _ = server.Push("cooldown:3:list", "a")
	server.SetTTL("cooldown:3:list", time.Minute)
	_, _ = server.Push("cooldown-last:3:list", "a")
	_, _ = server.Push("cooldown-lease:3:list", "a")
	_ = server.Set("cooldown:4:reason", "\x1b[31mred\n"+strings.Repeat("x", 2_000_000))
	server.SetTTL("cooldown:4:reason", time.Minute)
	_ = server.Set("cooldown:5:day", "1")
	server.SetTTL("cooldown:5:day", 24*time.Hour)
	_ = server.Set("cooldown:6:almost", "1")
	server.SetTTL("cooldown:6:almost", sources.MaxCooldown+time.Second)
	_ = server.Set("cooldown-last:7:day", "99999999 limited")
	server.SetTTL("cooldown-last:7:day", 24*time.Hour)
	_ = server.Set("cooldown-last:8:long", "99999999 limited")
	server.SetTTL("cooldown-last:8:long", time.Minute)
	_ = server.Set("cooldown-lease:8:long", "x")
	server.SetTTL("cooldown-lease:8:long", 24*time.Hour)
	for user, first := range map[int64]bool{7: false, 8: true} {
		provider := map[int64]string{7: "day", 8: "long"}[user]
		if l, got := c.begin(t, sources.CooldownKey{User: user, Provider: provider}); (l.Token != "") != first || got.Remaining != 0 {
			t.Errorf("user %d: a call begins with %+v and %+v", user, l, got)
		}
	}
	for _, name := range []string{"cooldown:x:y", "cooldown:1", "cooldown:1:a:b", "cooldown:01:a", "cooldown:+1:a", "cooldown:1:a b", "cooldown:1:a%2d", "cooldown:1:a%", "cooldownX:1:a"} {
		_ = server.Set(name, "1")
		server.SetTTL(name, time.Minute)
	}
	for key, want := range map[sources.CooldownKey]time.Duration{
		{User: 1, Provider: "forever"}: sources.MaxCooldown, // and again
		{User: 2, Provider: "setex"}:   time.Minute,
		{User: 3, Provider: "list"}:    time.Minute,
		{User: 4, Provider: "reason"}:  time.Minute,
		{User: 5, Provider: "day"}:     24 * time.Hour,
		{User: 6, Provider: "almost"}:  sources.MaxCooldown + time.Second,
	} {
		got := c.check(t, key)
		if got.Remaining != want || strings.Contains(got.Reason, "\x1b") || len(got.Reason) > 500 {
			t.Errorf("%v: %v remains for %.50q, want %v", key, got.Remaining, got.Reason, want)
		}
		if l, got := c.begin(t, key); l.Token != "" || got.Remaining != want {
			t.Errorf("%v: a call begins with %+v and %+v", key, l, got)
		}
		if got := c.mark(t, key, sources.CooldownMark{For: 2 * time.Minute, Grow: true}); got.Remaining != max(want, 2*time.Minute) {
			t.Errorf("%v: a mark makes %v", key, got.Remaining)
		}
	}
	all, err := c.Cooldowns(t.Context())
	if len(all) != 6 || err != nil {
		t.Errorf("lists %+v and %v, want 6", all, err)
	}
	if n, err := c.Clear(t.Context(), sources.CooldownKey{}); n != 6 || err != nil {
		t.Errorf("clears %d and %v, want 6", n, err)
	}
	if !server.Exists("cooldown:1:a:b") || !server.Exists("cooldownX:1:a") {
		t.Error("clearing removes what is not ours")
	}
	c.log.want(t, 0, 0)
}

func TestRedisClose(t *testing.T) {
	c := newPatientClient(t, "redis://"+miniredis.RunT(t).Addr(), "")
	c.mark(t, realDebrid(1), sources.CooldownMark{For: time.Minute})
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if got := c.check(t, realDebrid(1)); got.Remaining != time.Minute {
		t.Errorf("after Close %+v remains", got)
	}
	c.log.want(t, 0, 0)
}

func TestNewRedis_URL(t *testing.T) {
	for _, url := range []string{
		"redis://localhost", "redis://:fake-password@localhost:6379/3", "rediss://user:fake-password@redis.example:6380",
		"unix:///run/redis.sock", "unix://user:fake-password@/run/redis.sock?db=2",
	} {
		if _, err := cooldown.NewRedis(cooldown.RedisOptions{URL: url}); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, url := range []string{
		"", "localhost:6379", "http://:fake-password@localhost", "redis://:fake-password%zz@localhost", "redis://:fake-password@local host",
		"redis://u:0/fake-password@localhost", "redis://localhost:fake-password", "redis:fake-password@localhost", "redis://localhost/fake-password",
		"redis://localhost?fake-password=1", "redis://localhost?pool_size=fake-password", "fake-password://localhost", "unix://",
	} {
		_, err := cooldown.NewRedis(cooldown.RedisOptions{URL: url})
		if err == nil {
			t.Errorf("%s is taken", url)
			continue
		}
		if strings.Contains(err.Error(), "fake-password") || strings.Contains(err.Error(), "zz") {
			t.Errorf("%s: the error tells the password: %v", url, err)
		}
	}
}
