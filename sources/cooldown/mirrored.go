package cooldown

import (
	"context"
	"strings"
	"time"

	"xship/sources"
)

// Mirrored is a Redis whose cooldowns this machine keeps as well, in a store of
// its own that outlives the process: what it marked or met holds for the next
// process on it too while the server is away, and when the server comes back
// empty.
//
// While the server answers its word counts: it grows cooldowns and gives leases,
// and one it knows to have been ended early is over here too. A cooldown it does
// not know, of a time it was away, is brought to it. Else an operation takes one
// round trip and the reading of one cooldown of the machine's own.
type Mirrored struct {
	shared *Redis
	own    sources.ProviderCooldown
}

var _ sources.ProviderCooldown = (*Mirrored)(nil)

// NewMirrored joins shared, which Close then closes, with the machine's own store.
func NewMirrored(shared *Redis, own sources.ProviderCooldown) *Mirrored {
	return &Mirrored{shared: shared, own: own}
}

const (
	// sameEnd is how far the ends of a cooldown and its copy may lie apart: a copy
	// is made later, by a store that may be slow.
	sameEnd = 2 * time.Second
	// dropTimeout bounds the removal of a copy that the server has overruled.
	// Where it fails the copy is overruled again.
	dropTimeout = 80 * time.Millisecond
)

// Close ends the connections to the server. The machine's own store stays open.
func (m *Mirrored) Close() error { return m.shared.Close() }

// IsCoolingDown implements sources.ProviderCooldown.
func (m *Mirrored) IsCoolingDown(ctx context.Context, key sources.CooldownKey) (sources.Cooldown, error) {
	there, err := m.shared.check(ctx, key)
	if err != nil {
		return sources.Cooldown{}, err
	}
	here, err := m.own.IsCoolingDown(ctx, key)
	if err != nil {
		return there.Cooldown, err
	}
	return m.reconcile(ctx, key, here, there)
}

// MarkCooldown implements sources.ProviderCooldown. The server grows the
// cooldown, and the machine's own store where the server is lost.
func (m *Mirrored) MarkCooldown(ctx context.Context, key sources.CooldownKey, mark sources.CooldownMark) (sources.Cooldown, error) {
	if mark.For <= 0 {
		return m.IsCoolingDown(ctx, key)
	}
	there, err := m.shared.mark(ctx, key, mark)
	if err != nil {
		return there.Cooldown, err
	}
	if !there.lost && !there.foreign {
		mark = sources.CooldownMark{For: there.Remaining, Reason: there.Reason}
	}
	here, err := m.own.MarkCooldown(ctx, key, mark)
	return longer(there.Cooldown, here), err
}

// Begin implements sources.ProviderCooldown. The server gives the lease, and the
// machine's own store where the server is lost.
func (m *Mirrored) Begin(ctx context.Context, key sources.CooldownKey) (sources.CooldownLease, sources.Cooldown, error) {
	b, err := m.shared.begin(ctx, key)
	if err != nil {
		return sources.CooldownLease{}, sources.Cooldown{}, err
	}
	var c sources.Cooldown
	var own sources.CooldownLease
	if b.lost && longer(b.Cooldown, b.wait).Remaining == 0 {
		own, c, err = m.own.Begin(ctx, key)
	} else {
		var here sources.Cooldown
		if here, err = m.own.IsCoolingDown(ctx, key); err == nil {
			c, err = m.reconcile(ctx, key, here, b.said)
		}
		c = longer(c, b.wait)
	}
	if err != nil || c.Remaining > 0 {
		_ = m.shared.End(ctx, b.lease, false) // never fails; the lease would end by itself
		return sources.CooldownLease{}, c, err
	}
	return joinLeases(key, b.lease, own), sources.Cooldown{}, nil
}

// leaseSeparator is in no token of a store's.
const leaseSeparator = "/"

// joinLeases makes one lease of those that the stores gave. Its token holds both.
func joinLeases(key sources.CooldownKey, shared, own sources.CooldownLease) sources.CooldownLease {
	if shared.Token == "" && own.Token == "" {
		return sources.CooldownLease{}
	}
	return sources.CooldownLease{Key: key, Token: shared.Token + leaseSeparator + own.Token}
}

// End implements sources.ProviderCooldown.
func (m *Mirrored) End(ctx context.Context, l sources.CooldownLease, answered bool) error {
	shared, own, _ := strings.Cut(l.Token, leaseSeparator)
	if err := m.shared.End(ctx, sources.CooldownLease{Key: l.Key, Token: shared}, answered); err != nil {
		return err
	}
	switch {
	case own != "":
		return m.own.End(ctx, sources.CooldownLease{Key: l.Key, Token: own}, answered)
	case shared != "" && answered:
		return m.free(context.WithoutCancel(ctx), l.Key)
	default:
		return nil
	}
}

// free tells the machine's own store of an answer that the server was told of. It
// takes the lease of the machine's own store for that, which is given only where no
// cooldown runs: one that began meanwhile is not touched.
func (m *Mirrored) free(ctx context.Context, key sources.CooldownKey) error {
	l, _, err := m.own.Begin(ctx, key)
	if err != nil || l.Token == "" {
		return err
	}
	return m.own.End(ctx, l, true)
}

// Refused implements sources.ProviderCooldown. The server remembers, and the machine's
// own store where the server is lost.
func (m *Mirrored) Refused(ctx context.Context, key sources.CooldownKey, r sources.Refusal) (again bool, err error) {
	again, lost := m.shared.refused(ctx, key, r)
	if lost {
		return m.own.Refused(ctx, key, r)
	}
	return again, nil
}

// Answered implements sources.ProviderCooldown.
func (m *Mirrored) Answered(ctx context.Context, key sources.CooldownKey) error {
	if err := m.shared.Answered(ctx, key); err != nil {
		return err
	}
	return m.own.Answered(ctx, key)
}

// Cooldowns implements sources.ProviderCooldown. With an error of the server's it
// gives those found.
func (m *Mirrored) Cooldowns(ctx context.Context) ([]sources.CooldownEntry, error) {
	all, errShared := m.shared.Cooldowns(ctx)
	own, err := m.own.Cooldowns(ctx)
	if err != nil {
		return all, err
	}
	index := make(map[sources.CooldownKey]int, len(all))
	for i, e := range all {
		index[e.CooldownKey] = i
	}
	for _, e := range own {
		i, both := index[e.CooldownKey]
		if both && e.Remaining <= all[i].Remaining+sameEnd {
			continue
		}
		c, err := m.IsCoolingDown(ctx, e.CooldownKey)
		switch {
		case err != nil:
			return all, err
		case both:
			all[i].Cooldown = longer(all[i].Cooldown, c)
		case c.Remaining > 0:
			all = append(all, sources.CooldownEntry{CooldownKey: e.CooldownKey, Cooldown: c})
		}
	}
	sortEntries(all)
	return all, errShared
}

// Clear implements sources.ProviderCooldown. Where the server cannot be asked it
// clears what this machine knows, and says so by a *RedisError.
func (m *Mirrored) Clear(ctx context.Context, key sources.CooldownKey) (int, error) {
	known, err := m.own.Cooldowns(ctx)
	if err != nil {
		return 0, err
	}
	for _, e := range known {
		if !covers(key, e.CooldownKey) {
			continue
		}
		if _, err := m.IsCoolingDown(ctx, e.CooldownKey); err != nil { // brings it to the server, which counts
			return 0, err
		}
	}
	n, errShared := m.shared.Clear(ctx, key)
	here, err := m.own.Clear(ctx, key)
	if err != nil {
		return n, err
	}
	if errShared != nil {
		return max(n, here), errShared
	}
	return n, nil
}

// reconcile tells what remains by what both stores say of key, and makes them agree.
func (m *Mirrored) reconcile(ctx context.Context, key sources.CooldownKey, here sources.Cooldown, there said) (sources.Cooldown, error) {
	switch {
	case there.lost:
		return longer(there.Cooldown, here), nil
	case here.Remaining > there.Remaining+sameEnd && there.hadCopy(here):
		m.drop(ctx, key)
		here = sources.Cooldown{}
	case here.Remaining > there.Remaining && !there.hadCopy(here):
		brought, err := m.shared.mark(ctx, key, sources.CooldownMark{For: here.Remaining, Reason: here.Reason})
		return longer(here, brought.Cooldown), err
	}
	if there.Remaining == 0 || here.Remaining > 0 && there.Remaining <= here.Remaining+sameEnd || there.foreign {
		return there.Cooldown, nil
	}
	_, err := m.own.MarkCooldown(ctx, key, sources.CooldownMark{For: there.Remaining, Reason: there.Reason})
	return there.Cooldown, err
}

// hadCopy tells whether the server was told of a cooldown that ends no earlier than
// c: then c is a copy of it.
func (s said) hadCopy(c sources.Cooldown) bool {
	return s.known && c.Remaining <= s.ends+sameEnd
}

// drop removes the machine's own copy of a cooldown that the server knows to have
// been ended.
func (m *Mirrored) drop(ctx context.Context, key sources.CooldownKey) {
	ctx, cancel := context.WithTimeout(ctx, dropTimeout)
	defer cancel()
	_, _ = m.own.Clear(ctx, key)
}
