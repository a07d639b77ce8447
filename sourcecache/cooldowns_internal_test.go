package sourcecache

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"xship/sources"
)

// longMark is the longest mark, of which mostOfIt is left even where the machine
// takes its time.
const (
	longMark = sources.MaxCooldown
	mostOfIt = longMark / 5
)

// openLogged opens a database with a log.
func openLogged(t *testing.T, path string, log *strings.Builder) *DB {
	t.Helper()
	db, err := Open(t.Context(), Options{Path: path, Logger: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeDB(t, db) })
	return db
}

// TestCooldowns_locked has another process hold the database. Each call is
// answered in time from memory, and what was marked is stored afterwards.
func TestCooldowns_locked(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "xship.db")
	var log strings.Builder
	holder, db := openLogged(t, path, new(strings.Builder)), openLogged(t, path, &log)
	c, key, ctx := db.cooldowns, sources.CooldownKey{User: 1, Provider: "real_debrid"}, t.Context()
	remains := func(c *Cooldowns) time.Duration {
		t.Helper()
		got, err := c.IsCoolingDown(ctx, key)
		if err != nil {
			t.Error(err)
		}
		return got.Remaining
	}
	c.patience, c.writePatience = time.Second, time.Second

	// Each call returns while the database is held, or the test never ends.
	err := holder.write(ctx, "hold", func(tx) error {
		for range 2 {
			if got, err := c.MarkCooldown(ctx, key, sources.CooldownMark{For: longMark}); err != nil || got.Remaining < mostOfIt {
				t.Errorf("marked: %+v, %v", got, err)
			}
			if got := remains(c); got < mostOfIt {
				t.Errorf("%v remains of %v", got, longMark)
			}
			if l, wait, err := c.Begin(ctx, key); err != nil || l.Token != "" || wait.Remaining < mostOfIt {
				t.Errorf("lease %+v, %+v to wait, %v", l, wait, err)
			}
			if all, err := c.Cooldowns(ctx); err != nil || len(all) != 1 {
				t.Errorf("listed %+v, %v", all, err)
			}
		}
		if got := remains(holder.cooldowns); got != 0 {
			t.Errorf("the other process knows of %v, though nothing could be stored", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("log while it was locked:\n%s", &log)
	}

	c.patience, holder.cooldowns.patience = time.Minute, time.Minute
	remains(c) // stores what memory has
	if got := remains(holder.cooldowns); got < mostOfIt {
		t.Errorf("the other process knows of %v afterwards, want about %v", got, longMark)
	}
	if n := strings.Count(log.String(), "\n"); n != 2 || !strings.Contains(log.String(), "again") {
		t.Errorf("log afterwards:\n%s", &log)
	}
	if known, _ := c.recall(key, time.Now().UnixMilli()); known.unsaved {
		t.Error("what was stored still counts as not stored")
	}
}

// TestCooldowns_slow has another process hold the database for longer than a read
// may take. What is marked then counts at once in this process, and is stored
// before the call returns, as is the end of a call; nothing is logged.
func TestCooldowns_slow(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "xship.db")
	var log strings.Builder
	holder, db := openLogged(t, path, new(strings.Builder)), openLogged(t, path, &log)
	c, other, ctx := db.cooldowns, holder.cooldowns, t.Context()
	c.patience, c.writePatience, other.patience = time.Minute, time.Minute, time.Minute
	marked, answered := sources.CooldownKey{User: 1, Provider: "p"}, sources.CooldownKey{User: 2, Provider: "p"}
	changes := func() int {
		_, n := c.recall(marked, time.Now().UnixMilli())
		return n
	}
	// held runs call while the database is locked, until memory learnt of it.
	held := func(call func()) {
		t.Helper()
		c.patience = 50 * time.Millisecond
		defer func() { c.patience = time.Minute }()
		done, before := make(chan struct{}), changes()
		err := holder.write(ctx, "hold", func(tx) error {
			go func() {
				defer close(done)
				call()
			}()
			for deadline := time.Now().Add(time.Minute); changes() == before && time.Now().Before(deadline); {
				time.Sleep(5 * time.Millisecond)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		<-done
	}

	held(func() {
		if got, err := c.MarkCooldown(ctx, marked, sources.CooldownMark{For: longMark}); err != nil || got.Remaining < mostOfIt {
			t.Errorf("marked: %+v, %v", got, err)
		}
	})
	if got, err := other.IsCoolingDown(ctx, marked); err != nil || got.Remaining < mostOfIt {
		t.Errorf("%+v, %v; want the mark stored", got, err)
	}

	if _, err := c.MarkCooldown(ctx, answered, sources.CooldownMark{For: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	var lease sources.CooldownLease
	for deadline := time.Now().Add(time.Minute); lease.Token == ""; {
		var err error
		if lease, _, err = c.Begin(ctx, answered); err != nil || time.Now().After(deadline) {
			t.Fatalf("lease %+v, %v", lease, err)
		}
	}
	held(func() {
		if err := c.End(ctx, lease, true); err != nil {
			t.Error(err)
		}
	})
	if l, wait, err := other.Begin(ctx, answered); err != nil || l.Token != "" || wait.Remaining != 0 {
		t.Errorf("lease %+v, %+v to wait, %v; want the answer stored", l, wait, err)
	}
	if log.Len() > 0 {
		t.Errorf("log: %s", &log)
	}
}

// TestCooldowns_hanging has a database that answers nobody in this process.
func TestCooldowns_hanging(t *testing.T) {
	t.Parallel()
	db := openLatest(t)
	c, key, ctx := db.cooldowns, sources.CooldownKey{User: 1, Provider: "real_debrid"}, t.Context()
	for range readers { // all connections that read
		conn, err := db.reads.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
	}
	c.gate <- struct{}{} // and what writes

	if _, err := c.MarkCooldown(ctx, key, sources.CooldownMark{For: longMark}); err != nil {
		t.Error(err)
	}
	if got, err := c.IsCoolingDown(ctx, key); err != nil || got.Remaining < mostOfIt {
		t.Errorf("%+v, %v; want about %v from memory", got, err, longMark)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := c.Clear(cancelled, key); err == nil {
		t.Error("a cancelled wish was fulfilled")
	}
}

func TestBounded(t *testing.T) {
	t.Parallel()
	if got, err := bounded(t.Context(), func() (int, error) { return 1, nil }); got != 1 || err != nil {
		t.Errorf("%d, %v; want 1", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	hanging := func() (int, error) {
		cancel()
		<-t.Context().Done() // until the test is over
		return 1, nil
	}
	if got, err := bounded(ctx, hanging); got != 0 || err == nil {
		t.Errorf("%d, %v of what hangs", got, err)
	}
}

// Memory holds no more than what runs or is over lately.
func TestCooldowns_sweep(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	db, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "xship.db"), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	c := db.cooldowns
	mark := func(user int64) {
		t.Helper()
		if _, err := c.MarkCooldown(t.Context(), sources.CooldownKey{User: user, Provider: "p"}, sources.CooldownMark{For: time.Second}); err != nil {
			t.Fatal(err)
		}
	}
	for _, mode := range []string{"with the database", "without it"} {
		for user := range int64(5) {
			mark(user)
		}
		now = now.Add(time.Second + sources.CooldownMemory)
		mark(9)
		if len(c.known) != 1 {
			t.Errorf("%s: memory has %d entries, want 1", mode, len(c.known))
		}
		closeDB(t, db)
	}
}
