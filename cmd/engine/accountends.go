package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"xship/config"
	"xship/sources"
	"xship/sources/debrid"
)

// endsSoon is how long before the end of what an account is paid for users are told.
const endsSoon = 14 * 24 * time.Hour

const (
	// planMaxAge is how old what a provider told of an account may be before the daemon
	// asks again. It asks less than a day later, so that each day has its answer.
	planMaxAge = 22 * time.Hour
	// planLook is the time between two looks of the daemon at the accounts.
	planLook = time.Hour
)

// Ends tells whether what an account is paid for ends soon, or has ended.
func Ends(endsAt, now time.Time) bool { return !endsAt.IsZero() && endsAt.Sub(now) <= endsSoon }

// planOf is the account whose plan is stored. The key of a login is renewed again and
// again, and a new login forgets what is stored.
func planOf(a sources.Account) sources.Account {
	if a.Refresh != "" {
		a.Key = ""
	}
	return a
}

// planFrom is what a provider told of an account, to be stored.
func planFrom(info debrid.AccountInfo) sources.AccountPlan {
	return sources.AccountPlan{Plan: info.Plan, Premium: info.Premium, EndsAt: info.PremiumUntil}
}

// keepPlan stores what a provider told of an account. It is no part of what was asked for:
// a store that fails is logged.
func (e *Engine) keepPlan(ctx context.Context, a sources.Account, info debrid.AccountInfo) {
	if e.cfg.Store == nil {
		return
	}
	e.books.Write(ctx, recordWait, recordTimeout, func(ctx context.Context) {
		if err := e.cfg.Store.SetAccountPlan(ctx, planOf(a), planFrom(info)); err != nil {
			e.cfg.Logger.Debug("what a provider told of an account could not be stored", "provider", a.Provider, "error", err)
		}
	})
}

// watchAccounts asks once a day what accounts are paid for, and tells of those that end,
// until ctx ends. wait waits for what it has under way.
func (e *Engine) watchAccounts(ctx context.Context) (wait func()) {
	var watching sync.WaitGroup
	watching.Go(func() {
		w := e.newAccountWatch()
		for ctx.Err() == nil {
			w.look(ctx)
			select {
			case <-time.After(planLook):
			case <-ctx.Done():
			}
		}
	})
	return watching.Wait
}

// accountWatch looks at the accounts of all users again and again.
type accountWatch struct {
	*Engine
	next map[sources.CooldownKey]time.Time // when a provider that refused is asked again
}

func (e *Engine) newAccountWatch() *accountWatch {
	return &accountWatch{Engine: e, next: make(map[sources.CooldownKey]time.Time)}
}

// look asks about the accounts whose plan is not known or too old, one after the other,
// and tells of those that end.
func (w *accountWatch) look(ctx context.Context) {
	p, err := w.providers.get()
	if err != nil {
		w.cfg.Logger.Debug("the accounts cannot be looked at", "error", err)
		return
	}
	for _, a := range p.accounts {
		plan, err := w.cfg.Store.AccountPlan(ctx, planOf(a))
		if err != nil {
			w.cfg.Logger.Debug("what an account is paid for is not known", "provider", a.Provider, "error", err)
			continue
		}
		if w.due(a, plan) {
			plan = w.ask(ctx, p, a, plan)
		}
		w.tell(ctx, a, plan)
	}
}

func (w *accountWatch) due(a sources.Account, plan sources.AccountPlan) bool {
	now := w.cfg.Now()
	return now.Sub(plan.CheckedAt) >= planMaxAge && !now.Before(w.next[sources.CooldownKey{User: a.User, Provider: a.Provider}])
}

// ask asks a provider, and gives what was known where it does not tell. One that refuses
// the account is asked again the next day, others at the next look.
func (w *accountWatch) ask(ctx context.Context, p *providers, a sources.Account, known sources.AccountPlan) sources.AccountPlan {
	check := p.checkWith(ctx, a, p.services.CheckBehind)
	if check.Err == nil {
		return planFrom(check.Info)
	}
	w.cfg.Logger.Debug("a provider did not tell what an account is paid for", "provider", a.Provider, "user", a.User, "error", check.Err)
	if sources.ClassOf(check.Err) == sources.ClassProviderAuth {
		w.next[sources.CooldownKey{User: a.User, Provider: a.Provider}] = w.cfg.Now().Add(planMaxAge)
	}
	return known
}

// tell tells of an account that ends, once a day, in whatever process.
func (w *accountWatch) tell(ctx context.Context, a sources.Account, plan sources.AccountPlan) {
	now := w.cfg.Now()
	if !Ends(plan.EndsAt, now) {
		return
	}
	day := fmt.Sprintf("account ends %d %s %s", a.User, a.Provider, now.Format(time.DateOnly))
	first, err := w.cfg.Store.FirstTime(ctx, day)
	if err != nil {
		w.cfg.Logger.Debug("it could not be noted that an account ends", "provider", a.Provider, "error", err)
	}
	if first {
		w.observer.Observe(ctx, sources.AccountEnding{User: a.User, Provider: a.Provider, EndsAt: plan.EndsAt})
	}
}

// storedAccounts gives the accounts of all users, from the settings and those that were
// added. Nothing is asked. With an error it gives those of the settings.
func (e *Engine) storedAccounts() (all []sources.Account, err error) {
	added, _, err := e.accountsFile().Read()
	for _, c := range config.MergeAccounts(e.cfg.Settings.Debrid.Accounts, added) {
		all = append(all, accountOf(c))
	}
	return all, err
}
