package debrid

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"xship/sources"
)

const (
	hostersAge     = 8 * time.Hour    // a list is used without asking
	hostersTimeout = 20 * time.Second // of the one request that many may wait for
	hostersRetry   = 10 * time.Second // after a request that failed
)

// HosterCache keeps the lists of hosters that providers serve to accounts.
type HosterCache interface {
	// ProviderHosters gives the list and when it was made; nil where there is none.
	ProviderHosters(ctx context.Context, key sources.CooldownKey) (hosters []string, at time.Time, err error)
	// PutProviderHosters stores it.
	PutProviderHosters(ctx context.Context, key sources.CooldownKey, hosters []string, at time.Time) error
}

// hosters answers which hosters a provider serves.
type hosters struct {
	cache  HosterCache
	now    func() time.Time
	log    *slog.Logger
	flight singleflight.Group

	mu       sync.Mutex
	failures map[accountID]hostersFailure
}

type hostersFailure struct {
	err error // nil: it gave no hosters
	at  time.Time
}

// known is serves without a request.
func (h *hosters) known(ctx context.Context, key sources.CooldownKey, hoster string) (serves, known bool) {
	list, fresh := h.kept(ctx, key)
	if !fresh {
		return false, false
	}
	return listed(list, hoster), true
}

func listed(list []string, hoster string) bool {
	_, found := slices.BinarySearch(list, hoster)
	return found
}

// serves tells whether p serves hoster to a. Many who ask at once cause one
// request. Where that fails, an old list counts.
func (h *hosters) serves(ctx context.Context, p *provider, a sources.Account, hoster string) (bool, error) {
	list, err := h.list(ctx, p, a)
	if err != nil {
		return false, err
	}
	return listed(list, hoster), nil
}

func (h *hosters) list(ctx context.Context, p *provider, a sources.Account) ([]string, error) {
	key := sources.CooldownKey{User: a.User, Provider: p.Name()}
	old, fresh := h.kept(ctx, key)
	if fresh {
		return old, nil
	}
	if lately, err := h.failedLately(a); lately {
		return orOld(old, err)
	}
	result := h.flight.DoChan(fmt.Sprint(key.User, " ", key.Provider), func() (any, error) {
		// The request outlives whoever asked first: others wait for it too.
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), hostersTimeout)
		defer cancel()
		if list, fresh := h.kept(own, key); fresh { // somebody was quicker
			return list, nil
		}
		return h.refresh(own, p, a, key)
	})
	select {
	case r := <-result:
		list, _ := r.Val.([]string)
		if r.Err != nil {
			return orOld(old, r.Err)
		}
		return list, nil
	case <-ctx.Done():
		return nil, p.client(false).unanswered(ctx, &answer{what: "asking for its hosters"}, ctx.Err())
	}
}

func orOld(old []string, err error) ([]string, error) {
	if old != nil {
		return old, nil
	}
	return nil, err
}

// kept gives the stored list, nil where there is none. A store that fails has
// none.
func (h *hosters) kept(ctx context.Context, key sources.CooldownKey) (list []string, fresh bool) {
	list, at, err := h.cache.ProviderHosters(ctx, key)
	if err != nil {
		h.log.Warn("cannot read the list of hosters that a provider serves", "provider", key.Provider, "error", err)
		return nil, false
	}
	age := h.now().Sub(at)
	return list, list != nil && age >= 0 && age < hostersAge
}

func (h *hosters) refresh(ctx context.Context, p *provider, a sources.Account, key sources.CooldownKey) ([]string, error) {
	domains, err := p.service.hosters(ctx, p.client(false), a)
	if err != nil {
		h.failed(a, err)
		return nil, err
	}
	list := hosterNames(domains)
	if len(list) == 0 { // believed for now, not for hours
		h.failed(a, nil)
		return list, nil
	}
	if err := h.cache.PutProviderHosters(ctx, key, list, h.now()); err != nil {
		h.log.Warn("cannot store the list of hosters that a provider serves", "provider", key.Provider, "error", err)
	}
	return list, nil
}

func (h *hosters) failed(a sources.Account, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures[idOf(a)] = hostersFailure{err: err, at: h.now()}
}

// failedLately gives the outcome of a request that is not repeated yet.
func (h *hosters) failedLately(a sources.Account) (lately bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.failures[idOf(a)]
	if age := h.now().Sub(f.at); !ok || age < 0 || age >= hostersRetry {
		delete(h.failures, idOf(a))
		return false, nil
	}
	return true, f.err
}

// hosterNames are the hosters of domains, sorted.
func hosterNames(domains []string) []string {
	names := make([]string, 0, len(domains))
	for _, d := range domains {
		if name := sources.HosterName("https://" + strings.TrimPrefix(strings.TrimSpace(d), "*.")); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// memoryHosters is a HosterCache that lives as long as the process.
type memoryHosters struct {
	mu    sync.Mutex
	lists map[sources.CooldownKey]hosterList
}

type hosterList struct {
	hosters []string
	at      time.Time
}

func newMemoryHosters() *memoryHosters {
	return &memoryHosters{lists: make(map[sources.CooldownKey]hosterList)}
}

func (m *memoryHosters) ProviderHosters(_ context.Context, key sources.CooldownKey) ([]string, time.Time, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := m.lists[key]
	return l.hosters, l.at, nil
}

func (m *memoryHosters) PutProviderHosters(_ context.Context, key sources.CooldownKey, list []string, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lists[key] = hosterList{hosters: list, at: at}
	return nil
}
