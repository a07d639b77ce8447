package sourcecache

import (
	"cmp"
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"time"

	"xship/sources"
	"xship/sources/cooldown/state"
)

const (
	// cooldownPatience is how long the database may take, in all that one call of
	// Cooldowns does, before memory answers. Nobody writes so long that a reader
	// waits: this is for a machine that is busy, and a process that has just begun
	// has nothing in memory.
	cooldownPatience = time.Second
	// cooldownWritePatience is how long it may take to store what must not be lost
	// with the process: a mark, and how a call went. Nobody but the call that was
	// made waits for that. Callers give it 2 s.
	cooldownWritePatience = 1500 * time.Millisecond
)

// Cooldowns is the provider cooldown of document "provider cooldown" in the
// database, so that it outlives the process and others on the file keep to it:
// what one marks, clears or lets go first counts for all at once. It costs one
// read of one row where nobody waits for a lease.
//
// Memory has a copy of what this process marked or met. Where the database fails
// or does not answer within a second, memory answers. A mark and the end of a call
// count in memory as soon, and have 1.5 s to be stored, since a command may end with
// them; a mark that could not be stored even so is stored by the next call
// that can.
type Cooldowns struct {
	db            *DB
	patience      time.Duration
	writePatience time.Duration // for MarkCooldown and End
	gate          chan struct{} // held by who writes, so that memory learns of writes in their order

	mu       sync.Mutex
	known    map[sources.CooldownKey]knownCooldown // of those that run or are over lately
	refusals map[sources.CooldownKey]state.Refusal
	writes   int    // that memory learnt of
	trouble  access // that failed last, 0 = none
}

var _ sources.ProviderCooldown = (*Cooldowns)(nil)

// knownCooldown is a copy of a row in memory.
type knownCooldown struct {
	state.State
	unsaved bool // it ends later than the database knows
}

// access is a kind of use of the database. One that works shows that the lesser
// ones do.
type access int

const (
	reading access = iota + 1
	writing
)

func newCooldowns(db *DB) *Cooldowns {
	return &Cooldowns{
		db: db, patience: cooldownPatience, writePatience: cooldownWritePatience,
		gate: make(chan struct{}, 1), known: make(map[sources.CooldownKey]knownCooldown),
		refusals: make(map[sources.CooldownKey]state.Refusal),
	}
}

// Cooldowns implements sources.Store.
func (db *DB) Cooldowns() sources.ProviderCooldown { return db.cooldowns }

// hurried is the context of what one call does with the database. It does not
// end with ctx: what was learnt is true, and what was begun has to be ended.
func (c *Cooldowns) hurried(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), c.patience)
}

// IsCoolingDown implements sources.ProviderCooldown. The error is that of ctx.
func (c *Cooldowns) IsCoolingDown(ctx context.Context, key sources.CooldownKey) (sources.Cooldown, error) {
	if err := ctx.Err(); err != nil {
		return sources.Cooldown{}, err
	}
	ctx, cancel := c.hurried(ctx)
	defer cancel()
	at := c.db.now()
	return remaining(c.current(ctx, key, at), at), nil
}

// MarkCooldown implements sources.ProviderCooldown. A mark is made even where
// ctx has ended: it is true.
func (c *Cooldowns) MarkCooldown(ctx context.Context, key sources.CooldownKey, m sources.CooldownMark) (sources.Cooldown, error) {
	if m.For <= 0 {
		return c.IsCoolingDown(ctx, key)
	}
	row := c.store(ctx, key, func(row *state.State, now int64) { row.Mark(cooldownMark(m), now, cooldownLimits()) })
	return remaining(row, c.db.now()), nil
}

// Begin implements sources.ProviderCooldown. The error is that of ctx.
func (c *Cooldowns) Begin(ctx context.Context, key sources.CooldownKey) (sources.CooldownLease, sources.Cooldown, error) {
	if err := ctx.Err(); err != nil {
		return sources.CooldownLease{}, sources.Cooldown{}, err
	}
	ctx, cancel := c.hurried(ctx)
	defer cancel()
	at := c.db.now()
	row := c.current(ctx, key, at)
	if !row.Ended(at.UnixMilli()) {
		return sources.CooldownLease{}, remaining(row, at), nil
	}
	lease := sources.CooldownLease{Key: key, Token: rand.Text()}
	if !row.Leased(at.UnixMilli(), cooldownLimits()) {
		row = c.update(ctx, key, func(row *state.State, now int64) { row.Lease(lease.Token, now, cooldownLimits()) })
		at = c.db.now()
	}
	switch {
	case row.LeaseToken == lease.Token:
		return lease, sources.Cooldown{}, nil
	case row.Leased(at.UnixMilli(), cooldownLimits()):
		return sources.CooldownLease{}, wait(row, row.LeaseUntil, at), nil
	default: // marked or answered meanwhile
		return sources.CooldownLease{}, remaining(row, at), nil
	}
}

// End implements sources.ProviderCooldown.
func (c *Cooldowns) End(ctx context.Context, l sources.CooldownLease, answered bool) error {
	if l.Token == "" {
		return nil
	}
	c.store(ctx, l.Key, func(row *state.State, _ int64) { row.End(l.Token, answered) })
	return nil
}

// Cooldowns implements sources.ProviderCooldown. The error is that of ctx.
func (c *Cooldowns) Cooldowns(ctx context.Context) ([]sources.CooldownEntry, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, cancel := c.hurried(ctx)
	defer cancel()
	at := c.db.now()
	rows, err := bounded(ctx, func() (map[sources.CooldownKey]state.State, error) {
		return c.db.runningCooldowns(ctx, c.db.reads, at.UnixMilli())
	})
	if c.report(ctx, reading, err); err != nil {
		rows = make(map[sources.CooldownKey]state.State)
	}
	c.addKnown(rows, at.UnixMilli(), err == nil)
	all := make([]sources.CooldownEntry, 0, len(rows))
	for key, row := range rows {
		all = append(all, sources.CooldownEntry{CooldownKey: key, Cooldown: remaining(row, at)})
	}
	slices.SortFunc(all, func(a, b sources.CooldownEntry) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Provider, b.Provider))
	})
	return all, nil
}

// addKnown adds the cooldowns that memory knows to run, or only those that the
// database does not.
func (c *Cooldowns) addKnown(rows map[sources.CooldownKey]state.State, now int64, unsavedOnly bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, k := range c.known {
		if row := k.Effective(now, cooldownLimits()); row.Running(now) && (k.unsaved || !unsavedOnly) {
			row.Extend(rows[key])
			rows[key] = row
		}
	}
}

// Clear implements sources.ProviderCooldown. It is what a user wishes, so it
// waits for the database as other writes do, and fails where that fails.
func (c *Cooldowns) Clear(ctx context.Context, key sources.CooldownKey) (int, error) {
	select {
	case c.gate <- struct{}{}:
		defer func() { <-c.gate }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	matches := func(k sources.CooldownKey) bool {
		return (key.User == 0 || key.User == k.User) && (key.Provider == "" || key.Provider == k.Provider)
	}
	var running map[sources.CooldownKey]state.State
	err := c.db.write(ctx, "clear cooldowns", func(t tx) (err error) {
		if running, err = c.db.runningCooldowns(ctx, t, t.at.UnixMilli()); err != nil {
			return err
		}
		for _, table := range []string{"cooldown", "refused_link"} {
			if _, err = t.ExecContext(ctx, `DELETE FROM `+table+` WHERE (?1 = 0 OR user = ?1) AND (?2 = '' OR provider = ?2)`, key.User, key.Provider); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	c.addKnown(running, c.db.now().UnixMilli(), true)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes++
	maps.DeleteFunc(c.known, func(k sources.CooldownKey, _ knownCooldown) bool { return matches(k) })
	maps.DeleteFunc(c.refusals, func(k sources.CooldownKey, _ state.Refusal) bool { return matches(k) })
	maps.DeleteFunc(running, func(k sources.CooldownKey, _ state.State) bool { return !matches(k) })
	return len(running), nil
}

// current is what counts for key at a time, from the database or else from
// memory.
func (c *Cooldowns) current(ctx context.Context, key sources.CooldownKey, at time.Time) state.State {
	now := at.UnixMilli()
	known, writes := c.recall(key, now)
	row, err := bounded(ctx, func() (state.State, error) { return c.db.readCooldown(ctx, c.db.reads, key, now) })
	switch c.report(ctx, reading, err); {
	case err != nil:
		return known.State
	case known.unsaved && known.Until > row.Until:
		return c.update(ctx, key, func(*state.State, int64) {}) // which stores it
	}
	c.remember(key, row, now, writes)
	return row
}

// store is update with the time for what must not be lost. Where the database is
// slow the change counts in memory meanwhile.
func (c *Cooldowns) store(ctx context.Context, key sources.CooldownKey, change func(row *state.State, now int64)) state.State {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.writePatience)
	defer cancel()
	defer time.AfterFunc(c.patience, func() { c.change(key, change) }).Stop()
	return c.update(ctx, key, change)
}

// update changes what is known of key, in the database or else in memory, and
// gives what counts then. What memory has and the database lacks is stored too.
// Change may be called several times, and at once.
func (c *Cooldowns) update(ctx context.Context, key sources.CooldownKey, change func(row *state.State, now int64)) state.State {
	known, _ := c.recall(key, c.db.now().UnixMilli())
	row, err := bounded(ctx, func() (state.State, error) {
		select {
		case c.gate <- struct{}{}:
			defer func() { <-c.gate }()
		case <-ctx.Done():
			return state.State{}, ctx.Err()
		}
		var row state.State
		var now int64
		err := c.db.write(ctx, "update a cooldown", func(t tx) error {
			now = t.at.UnixMilli()
			before, err := c.db.readCooldown(ctx, t, key, now)
			if err != nil {
				return err
			}
			row = before
			if known.unsaved {
				row.Extend(known.State)
			}
			if change(&row, now); row == before {
				return nil
			}
			return t.putCooldown(ctx, key, row)
		})
		if err == nil {
			c.rememberWrite(key, row, now)
		}
		return row, err
	})
	if c.report(ctx, writing, err); err != nil {
		return c.change(key, change)
	}
	return row
}

// recall is what memory knows of key, and how many writes it has learnt of.
func (c *Cooldowns) recall(key sources.CooldownKey, now int64) (known knownCooldown, writes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known = c.known[key]
	known.State = known.Effective(now, cooldownLimits())
	return known, c.writes
}

// remember tells memory what the database holds, unless writes came between.
func (c *Cooldowns) remember(key sources.CooldownKey, row state.State, now int64, writes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writes == writes {
		c.keep(key, row, now)
	}
}

// rememberWrite tells memory what was written.
func (c *Cooldowns) rememberWrite(key sources.CooldownKey, row state.State, now int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes++
	c.keep(key, row, now)
	c.sweep(now)
}

// keep has memory know the row of key, unless it has a mark for it that ends
// later and was not stored yet. The caller holds mu.
func (c *Cooldowns) keep(key sources.CooldownKey, row state.State, now int64) {
	switch old, ok := c.known[key]; {
	case ok && old.unsaved && old.Effective(now, cooldownLimits()).Until > row.Until:
	case row == state.State{}:
		delete(c.known, key)
	default:
		c.known[key] = knownCooldown{State: row}
	}
}

// sweep forgets what is over. The caller holds mu.
func (c *Cooldowns) sweep(now int64) {
	maps.DeleteFunc(c.known, func(_ sources.CooldownKey, k knownCooldown) bool { return k.Forgotten(now, cooldownLimits()) })
}

// change changes memory alone.
func (c *Cooldowns) change(key sources.CooldownKey, change func(row *state.State, now int64)) state.State {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.db.now().UnixMilli()
	k := c.known[key]
	before := k.Effective(now, cooldownLimits())
	k.State = before
	change(&k.State, now)
	k.unsaved = k.unsaved || k.Until > before.Until
	c.writes++
	c.known[key] = k
	c.sweep(now)
	return k.State
}

// report logs once when the database stops to serve cooldowns, and once when it
// serves them again.
func (c *Cooldowns) report(ctx context.Context, a access, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil && c.trouble == 0:
		c.db.logger.WarnContext(ctx, "the database does not serve provider cooldowns, memory does", "error", err)
		c.trouble = a
	case err != nil:
		c.trouble = max(c.trouble, a)
	case c.trouble != 0 && a >= c.trouble:
		c.db.logger.InfoContext(ctx, "the database serves provider cooldowns again")
		c.trouble = 0
	}
}

// bounded gives what fn returns, and an error where it goes on after the end of
// ctx: then it is left behind.
func bounded[T any](ctx context.Context, fn func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := fn()
		done <- outcome{value, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
