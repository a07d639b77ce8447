package sourcetest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"xship/sources"
)

type (
	hosterKey struct {
		sources.CooldownKey
		hoster string
	}
	hosterRest struct {
		since, until time.Time
		reason       string
	}
	unlockedKey struct {
		sources.CooldownKey
		sourceID string
	}
	hosterList struct {
		hosters []string
		at      time.Time
	}
)

// left is what remains of a rest at a time, in whole seconds and at least one, 0
// where it does not run. A rest from the future was recorded under another clock.
func (r hosterRest) left(now time.Time) time.Duration {
	left := r.until.Sub(now)
	if left <= 0 || r.since.After(now) {
		return 0
	}
	return max(left.Truncate(time.Second), time.Second)
}

// AccountState implements sources.AccountStore.
func (m *Memory) AccountState(ctx context.Context, a sources.Account) (sources.AccountState, error) {
	state := sources.AccountState{Class: sources.ClassOK}
	err := m.do(ctx, "AccountState", func() {
		s, ok := m.accounts[a]
		if ok && !s.Since.After(m.now()) && (s.Until.IsZero() || s.Until.After(m.now())) {
			state = s
		}
	})
	return state, err
}

// SetAccountState implements sources.AccountStore.
func (m *Memory) SetAccountState(ctx context.Context, a sources.Account, s sources.AccountState) error {
	return m.do(ctx, "SetAccountState", func() {
		if s.Class == sources.ClassOK {
			delete(m.accounts, a)
			return
		}
		if s.Since.IsZero() {
			s.Since = m.now()
		}
		s.Since, s.Until = seconds(s.Since), seconds(s.Until)
		m.accounts[a] = s
	})
}

// AccountPlan implements sources.AccountStore.
func (m *Memory) AccountPlan(ctx context.Context, a sources.Account) (plan sources.AccountPlan, err error) {
	err = m.do(ctx, "AccountPlan", func() {
		if p, ok := m.plans[a]; ok && !p.CheckedAt.After(m.now()) {
			plan = p
		}
	})
	return plan, err
}

// SetAccountPlan implements sources.AccountStore.
func (m *Memory) SetAccountPlan(ctx context.Context, a sources.Account, p sources.AccountPlan) error {
	return m.do(ctx, "SetAccountPlan", func() {
		if p.CheckedAt.IsZero() {
			p.CheckedAt = m.now()
		}
		p.EndsAt, p.CheckedAt = seconds(p.EndsAt), seconds(p.CheckedAt)
		maps.DeleteFunc(m.plans, func(k sources.Account, _ sources.AccountPlan) bool {
			return k.User == a.User && k.Provider == a.Provider
		})
		m.plans[a] = p
	})
}

// ProviderHosterRest implements sources.AccountStore.
func (m *Memory) ProviderHosterRest(ctx context.Context, key sources.CooldownKey, hoster string) (c sources.Cooldown, err error) {
	err = m.do(ctx, "ProviderHosterRest", func() {
		for _, user := range []int64{0, key.User} {
			r := m.rests[hosterKey{sources.CooldownKey{User: user, Provider: key.Provider}, hoster}]
			if left := r.left(m.now()); left > c.Remaining {
				c = sources.Cooldown{Remaining: left, Reason: r.reason}
			}
		}
	})
	return c, err
}

// RestProviderHoster implements sources.AccountStore.
func (m *Memory) RestProviderHoster(ctx context.Context, key sources.CooldownKey, hoster string, c sources.Cooldown) error {
	return m.do(ctx, "RestProviderHoster", func() {
		now, k := m.now(), hosterKey{key, hoster}
		rest := hosterRest{since: seconds(now), until: now.Add(c.Remaining), reason: c.Reason}
		if whole := seconds(rest.until); whole.Before(rest.until) { // no part of a second cuts it short
			rest.until = whole.Add(time.Second)
		}
		old, known := m.rests[k]
		if c.Remaining > 0 && (!known || rest.until.After(old.until) || old.since.After(rest.since)) {
			m.rests[k] = rest
		}
	})
}

// ProviderHosterRests implements sources.AccountStore.
func (m *Memory) ProviderHosterRests(ctx context.Context) (all []sources.ProviderHosterRest, err error) {
	err = m.do(ctx, "ProviderHosterRests", func() {
		for k, r := range m.rests {
			if left := r.left(m.now()); left > 0 {
				e := sources.ProviderHosterRest{Hoster: k.hoster}
				e.CooldownKey, e.Cooldown = k.CooldownKey, sources.Cooldown{Remaining: left, Reason: r.reason}
				all = append(all, e)
			}
		}
		slices.SortFunc(all, func(a, b sources.ProviderHosterRest) int {
			return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Hoster, b.Hoster))
		})
	})
	return all, err
}

// ClearProviderHosterRests implements sources.AccountStore.
func (m *Memory) ClearProviderHosterRests(ctx context.Context, key sources.CooldownKey) (ran int, err error) {
	err = m.do(ctx, "ClearProviderHosterRests", func() {
		maps.DeleteFunc(m.rests, func(k hosterKey, r hosterRest) bool {
			if key.User != 0 && k.User != 0 && k.User != key.User || key.Provider != "" && k.Provider != key.Provider {
				return false
			}
			if r.left(m.now()) > 0 {
				ran++
			}
			return true
		})
	})
	return ran, err
}

// UnlockedStream implements sources.AccountStore.
func (m *Memory) UnlockedStream(ctx context.Context, key sources.CooldownKey, sourceID string) (stream *sources.StoredStream, err error) {
	err = m.do(ctx, "UnlockedStream", func() {
		if s, ok := m.unlocked[unlockedKey{key, sourceID}]; ok {
			s.Stream = cloneStream(s.Stream)
			stream = &s
		}
	})
	return stream, err
}

// PutUnlockedStream implements sources.AccountStore.
func (m *Memory) PutUnlockedStream(ctx context.Context, key sources.CooldownKey, sourceID string, s sources.Stream) error {
	return m.do(ctx, "PutUnlockedStream", func() {
		s.Provider = ""
		m.unlocked[unlockedKey{key, sourceID}] = sources.StoredStream{Stream: cloneStream(s), ResolvedAt: seconds(m.now())}
	})
}

// DropUnlockedStream implements sources.AccountStore.
func (m *Memory) DropUnlockedStream(ctx context.Context, key sources.CooldownKey, sourceID string) error {
	return m.do(ctx, "DropUnlockedStream", func() { delete(m.unlocked, unlockedKey{key, sourceID}) })
}

// ForgetAccount implements sources.AccountStore.
func (m *Memory) ForgetAccount(ctx context.Context, key sources.CooldownKey) error {
	return m.do(ctx, "ForgetAccount", func() {
		maps.DeleteFunc(m.accounts, func(a sources.Account, _ sources.AccountState) bool {
			return a.User == key.User && a.Provider == key.Provider
		})
		maps.DeleteFunc(m.plans, func(a sources.Account, _ sources.AccountPlan) bool {
			return a.User == key.User && a.Provider == key.Provider
		})
		maps.DeleteFunc(m.rests, func(k hosterKey, _ hosterRest) bool { return k.CooldownKey == key })
		maps.DeleteFunc(m.unlocked, func(k unlockedKey, _ sources.StoredStream) bool { return k.CooldownKey == key })
		delete(m.providerHosters, key)
	})
}

// ProviderHosters implements sources.ProviderHosterStore.
func (m *Memory) ProviderHosters(ctx context.Context, key sources.CooldownKey) (hosters []string, at time.Time, err error) {
	err = m.do(ctx, "ProviderHosters", func() {
		l := m.providerHosters[key]
		hosters, at = slices.Clone(l.hosters), l.at
	})
	return hosters, at, err
}

// PutProviderHosters implements sources.ProviderHosterStore.
func (m *Memory) PutProviderHosters(ctx context.Context, key sources.CooldownKey, hosters []string, at time.Time) error {
	return m.do(ctx, "PutProviderHosters", func() {
		m.providerHosters[key] = hosterList{hosters: slices.Clone(hosters), at: seconds(at)}
	})
}
