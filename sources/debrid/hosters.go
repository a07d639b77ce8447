package debrid

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"xship/sources"
	"xship/sources/link"
)

const (
	hostersAge     = 8 * time.Hour    // a list is used without asking
	hostersTimeout = 20 * time.Second // of the one request that many may wait for
	hostersRetry   = 10 * time.Second // after a request that failed
)

// hosters answers which hosters a provider serves.
type hosters struct {
	cache  sources.ProviderHosterStore // may be nil
	now    func() time.Time
	log    *slog.Logger
	flight singleflight.Group

	mu       sync.Mutex
	lists    map[sources.CooldownKey]hosterList
	failures map[accountID]hostersFailure
}

type hosterList struct {
	hosters []string
	at      time.Time
}

type hostersFailure struct {
	err  error // nil: it gave no hosters
	at   time.Time
	rest time.Duration // until it is asked again
}

func newHosters(o Options) *hosters {
	return &hosters{
		cache: o.Hosters, now: o.Now, log: o.Logger,
		lists: make(map[sources.CooldownKey]hosterList), failures: make(map[accountID]hostersFailure),
	}
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

// kept gives the list that memory has, or else the cache; nil where there is none.
// A cache that fails has none.
func (h *hosters) kept(ctx context.Context, key sources.CooldownKey) (list []string, fresh bool) {
	h.mu.Lock()
	l := h.lists[key]
	h.mu.Unlock()
	if h.fresh(l) || h.cache == nil {
		return l.hosters, h.fresh(l)
	}
	stored, at, err := h.cache.ProviderHosters(ctx, key)
	switch {
	case err != nil:
		h.log.Warn("cannot read the list of hosters that a provider serves", "provider", key.Provider, "error", err)
	case stored != nil:
		l = hosterList{hosters: stored, at: at}
		h.remember(key, l)
	}
	return l.hosters, h.fresh(l)
}

func (h *hosters) fresh(l hosterList) bool {
	age := h.now().Sub(l.at)
	return l.hosters != nil && age >= 0 && age < hostersAge
}

func (h *hosters) remember(key sources.CooldownKey, l hosterList) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lists[key] = l
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
	l := hosterList{hosters: list, at: h.now()}
	h.remember(key, l)
	if h.cache == nil {
		return list, nil
	}
	if err := h.cache.PutProviderHosters(ctx, key, list, l.at); err != nil {
		h.log.Warn("cannot store the list of hosters that a provider serves", "provider", key.Provider, "error", err)
	}
	return list, nil
}

// failed remembers err for a while: no longer than the cooldown that it asks for,
// and not at all where it refuses the account, since what the caller concludes
// from it would begin anew each time. A 403 without a code may also say that there
// is no list.
func (h *hosters) failed(a sources.Account, err error) {
	f := hostersFailure{err: err, at: h.now(), rest: hostersRetry}
	if e, ok := errors.AsType[*sources.ProviderStreamUnavailableError](err); ok {
		switch {
		case e.Kind == sources.ClassProviderAuth && (e.Code != "" || e.Status != http.StatusForbidden):
			return
		case e.Cooldown != nil:
			f.rest = min(f.rest, *e.Cooldown)
		}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures[idOf(a)] = f
}

// failedLately gives the outcome of a request that is not repeated yet.
func (h *hosters) failedLately(a sources.Account) (lately bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.failures[idOf(a)]
	if age := h.now().Sub(f.at); !ok || age < 0 || age >= f.rest {
		delete(h.failures, idOf(a))
		return false, nil
	}
	return true, f.err
}

// hosterNames are the hosters of domains, sorted.
func hosterNames(domains []string) []string {
	names := make([]string, 0, len(domains))
	for _, d := range domains {
		if name := link.Hoster("https://" + strings.TrimPrefix(strings.TrimSpace(d), "*.")); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
