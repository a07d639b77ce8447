package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/config/failover"
	"xship/sourcecache"
	"xship/sources/text"
)

// openOrder opens the preferences that failover keeps: mode and order. It makes
// their directory where that is missing.
func (a *app) openOrder() (*failover.InterfaceOrderStore, error) {
	if err := a.makeDataDir(); err != nil {
		return nil, err
	}
	prefs, err := config.OpenPreferences(a.preferencesPath())
	if err != nil {
		return nil, err
	}
	if err := prefs.Warning(); err != nil {
		a.warn("warning: %v", err)
	}
	return failover.NewInterfaceOrderStore(prefs), nil
}

// newLoader makes the loader of this run.
func (a *app) newLoader(store *sourcecache.DB, net *network, s config.Interfaces) (*loader.Loader, error) {
	order, err := a.openOrder()
	if err != nil {
		return nil, err
	}
	return loader.New(loader.Options{
		Store: store, Order: order, Get: net.Get, Trust: net.operator.add,
		Now: a.Now, Logger: a.logger, Timeout: s.Timeout, MaxAge: s.MaxAge,
	}), nil
}

// caller is the user, who is told of switches between interfaces and can be asked.
func (a *app) caller() loader.Caller {
	c := loader.Caller{Announce: a.switching.announce, Loaded: a.loaded}
	if a.prompts() {
		c.Ask = a.askSwitch
	}
	return c
}

// openLoader opens the store, and makes the loader of a command that needs nothing
// else.
func (a *app) openLoader(ctx context.Context) (*loader.Loader, error) {
	store, err := a.openStore(ctx)
	if err != nil {
		return nil, err
	}
	settings, err := a.settings(nil)
	if err != nil {
		return nil, err
	}
	return a.newLoader(store, newNetwork(settings), settings.Interfaces)
}

// loaded tells the user where a load ended up, where that is not where it began.
func (a *app) loaded(e loader.Event) {
	a.switching.done()
	switch r := e.Result; {
	case r.Stale != nil:
		age := shortDuration(a.Now().Sub(r.StaleFrom))
		a.warn("warning: %s\nusing what %s answered %s ago", strings.TrimSpace(r.Stale.Error()), interfaceTitle(r.Interface.Name, r.Interface.URL), age)
	case e.Err == nil && len(r.FailedOverFrom) > 0:
		a.note("%s", a.messages().switchedTo(interfaceTitle(r.Interface.Name, r.Interface.URL)))
	}
}

// interfaceTitle names an interface in a sentence.
func interfaceTitle(name, url string) string {
	if name = text.Clean(name); name != "" {
		return fmt.Sprintf("%s (%s)", name, loader.RedactURL(url))
	}
	return loader.RedactURL(url)
}

// refError is a usage error for an interface that was named by nothing.
func refError(err error) error {
	if errors.Is(err, loader.ErrNoRef) {
		return usagef("%v", err)
	}
	return err
}

// scanTime is what a scan has left of its time after its interface was loaded. The
// time that the user took to choose is not the scan's.
func scanTime(limit, elapsed, waited time.Duration) time.Duration {
	return max(limit-max(elapsed-waited, 0), time.Nanosecond) // 0 would be the scanner's default
}
