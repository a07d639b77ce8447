package engine

import (
	"cmp"
	"context"
	"strings"
	"time"

	"xship/sources"
	"xship/sources/link"
)

// Hosters gives the hoster table, by name, and the guard. failing leaves out those
// that are healthy.
func (e *Engine) Hosters(ctx context.Context, failing bool) ([]sources.HosterHealth, sources.GuardState, error) {
	all, err := e.cfg.Store.Hosters(ctx)
	if err != nil {
		return nil, sources.GuardState{}, err
	}
	guard, err := e.cfg.Store.Guard(ctx)
	if err != nil {
		return nil, sources.GuardState{}, err
	}
	shown := make([]sources.HosterHealth, 0, len(all))
	for _, h := range all {
		if !failing || !h.Healthy() {
			shown = append(shown, h)
		}
	}
	return shown, guard, nil
}

// HosterHours gives how the attempts of the last day ended, by hoster and hour.
func (e *Engine) HosterHours(ctx context.Context) (map[string][]sources.HosterHour, error) {
	return e.cfg.Store.HosterHours(ctx, e.cfg.Now().Add(-23*time.Hour))
}

// hostersByName gives the hoster table.
func (e *Engine) hostersByName(ctx context.Context) (map[string]sources.HosterHealth, error) {
	all, err := e.cfg.Store.Hosters(ctx)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]sources.HosterHealth, len(all))
	for _, h := range all {
		byName[h.Name] = h
	}
	return byName, nil
}

// HosterEvents gives what became of the last attempts at a hoster, newest first, and
// its name as it is kept. The error is sources.ErrUnknownHoster where nothing is known
// of it.
func (e *Engine) HosterEvents(ctx context.Context, name string) (hoster string, events []sources.HosterEvent, err error) {
	hoster = hosterNamed(name)
	events, err = e.cfg.Store.HosterEvents(ctx, hoster)
	return hoster, events, err
}

// hosterNamed is the hoster that a user names: by its name, or by a link to it.
func hosterNamed(name string) string {
	name = strings.TrimSpace(name)
	if strings.Contains(name, "://") {
		return cmp.Or(link.Hoster(name), link.Redact(name))
	}
	return strings.ToLower(name)
}

// ResetHosters takes back the fails and blocks of the named hosters, all where there
// are no names. It counts them, and gives the names that the table does not have.
func (e *Engine) ResetHosters(ctx context.Context, names []string) (reset int, unknown []string, err error) {
	if len(names) == 0 {
		reset, err = e.cfg.Store.ResetAllHosters(ctx)
		return reset, nil, err
	}
	wanted := make([]string, len(names))
	for i, name := range names {
		wanted[i] = hosterNamed(name)
	}
	unknown, err = e.cfg.Store.ResetHosters(ctx, wanted)
	return len(wanted) - len(unknown), unknown, err
}
