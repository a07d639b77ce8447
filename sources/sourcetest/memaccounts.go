package sourcetest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"xship/sources"
)

// MemAccounts is a sources.AccountStore in memory. Make it with NewMemAccounts.
// Its methods are safe for concurrent use.
type MemAccounts struct {
	now func() time.Time

	mu      sync.Mutex
	err     error
	states  map[sources.CooldownKey]accountState
	rests   map[hosterKey]hosterRest
	streams map[streamKey]sources.StoredStream
}

type (
	accountState struct {
		key   sources.Secret
		state sources.AccountState
	}
	hosterKey struct {
		sources.CooldownKey
		hoster string
	}
	hosterRest struct {
		until  time.Time
		reason string
	}
	streamKey struct {
		sources.CooldownKey
		sourceID string
	}
)

var _ sources.AccountStore = (*MemAccounts)(nil)

// NewMemAccounts is an empty store that takes the time from now.
func NewMemAccounts(now func() time.Time) *MemAccounts {
	return &MemAccounts{
		now: now, states: map[sources.CooldownKey]accountState{}, rests: map[hosterKey]hosterRest{},
		streams: map[streamKey]sources.StoredStream{},
	}
}

// SetError makes all methods fail with err and do nothing; nil makes them work
// again.
func (m *MemAccounts) SetError(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// AccountState implements sources.AccountStore.
func (m *MemAccounts) AccountState(_ context.Context, a sources.Account) (sources.AccountState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.states[sources.CooldownKey{User: a.User, Provider: a.Provider}]
	if m.err != nil || s.key != a.Key || s.state.Class == sources.ClassProviderQuota && !m.now().Before(s.state.Until) {
		return sources.AccountState{Class: sources.ClassOK}, m.err
	}
	return s.state, nil
}

// SetAccountState implements sources.AccountStore.
func (m *MemAccounts) SetAccountState(_ context.Context, a sources.Account, s sources.AccountState) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.states[sources.CooldownKey{User: a.User, Provider: a.Provider}] = accountState{key: a.Key, state: s}
	}
	return m.err
}

// ProviderHosterRest implements sources.AccountStore.
func (m *MemAccounts) ProviderHosterRest(_ context.Context, key sources.CooldownKey, hoster string) (sources.Cooldown, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var c sources.Cooldown
	for _, user := range []int64{0, key.User} {
		r := m.rests[hosterKey{sources.CooldownKey{User: user, Provider: key.Provider}, hoster}]
		if left := r.until.Sub(m.now()); left > c.Remaining {
			c = sources.Cooldown{Remaining: left, Reason: r.reason}
		}
	}
	return c, m.err
}

// RestProviderHoster implements sources.AccountStore.
func (m *MemAccounts) RestProviderHoster(_ context.Context, key sources.CooldownKey, hoster string, c sources.Cooldown) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := hosterKey{key, hoster}
	if until := m.now().Add(c.Remaining); m.err == nil && until.After(m.rests[k].until) {
		m.rests[k] = hosterRest{until: until, reason: c.Reason}
	}
	return m.err
}

// UnlockedStream implements sources.AccountStore.
func (m *MemAccounts) UnlockedStream(_ context.Context, key sources.CooldownKey, sourceID string) (*sources.StoredStream, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, ok := m.streams[streamKey{key, sourceID}]
	if m.err != nil || !ok {
		return nil, m.err
	}
	return &s, nil
}

// PutUnlockedStream implements sources.AccountStore.
func (m *MemAccounts) PutUnlockedStream(_ context.Context, key sources.CooldownKey, sourceID string, s sources.Stream) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		m.streams[streamKey{key, sourceID}] = sources.StoredStream{Stream: s, ResolvedAt: m.now()}
	}
	return m.err
}

// DropUnlockedStream implements sources.AccountStore.
func (m *MemAccounts) DropUnlockedStream(_ context.Context, key sources.CooldownKey, sourceID string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err == nil {
		delete(m.streams, streamKey{key, sourceID})
	}
	return m.err
}

// ForgetAccount implements sources.AccountStore.
func (m *MemAccounts) ForgetAccount(_ context.Context, key sources.CooldownKey) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return m.err
	}
	delete(m.states, key)
	maps.DeleteFunc(m.rests, func(k hosterKey, _ hosterRest) bool { return k.CooldownKey == key })
	maps.DeleteFunc(m.streams, func(k streamKey, _ sources.StoredStream) bool { return k.CooldownKey == key })
	return nil
}

// ProviderHosterRests implements sources.AccountStore.
func (m *MemAccounts) ProviderHosterRests(context.Context) ([]sources.ProviderHosterRest, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var all []sources.ProviderHosterRest
	for k, r := range m.rests {
		if left := r.until.Sub(m.now()); left > 0 {
			e := sources.ProviderHosterRest{Hoster: k.hoster}
			e.CooldownKey, e.Cooldown = k.CooldownKey, sources.Cooldown{Remaining: left, Reason: r.reason}
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b sources.ProviderHosterRest) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Hoster, b.Hoster))
	})
	return all, m.err
}

// ClearProviderHosterRests implements sources.AccountStore.
func (m *MemAccounts) ClearProviderHosterRests(_ context.Context, key sources.CooldownKey) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ran := 0
	maps.DeleteFunc(m.rests, func(k hosterKey, r hosterRest) bool {
		if m.err != nil || key.User != 0 && k.User != key.User || key.Provider != "" && k.Provider != key.Provider {
			return false
		}
		if r.until.After(m.now()) {
			ran++
		}
		return true
	})
	return ran, m.err
}
