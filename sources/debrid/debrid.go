package debrid

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/text"
)

// CallFunc makes one API call, as fetch.Client.Call does: it gives the answer
// whatever its status, and an error only where none came.
type CallFunc func(ctx context.Context, r fetch.Request) (*fetch.Response, error)

// Options configure New.
type Options struct {
	Call    CallFunc
	Now     func() time.Time            // default time.Now
	Logger  *slog.Logger                // default: none
	Hosters sources.ProviderHosterStore // behind memory; default: none
	Budgets sources.CallBudgets         // of limits a minute and longer; default: those of this process
	// Renewed is told when the key of an account has been replaced by a new one,
	// so that it is kept. The old one may have ended with that.
	Renewed func(before, after sources.Account) error
}

// Debrid is all services. It is safe for concurrent use.
type Debrid struct {
	shared    *shared
	providers []*provider
}

// ErrNoLogin tells that a provider has no login by code, or none without a
// registered secret. Its key must be copied from its web site.
var ErrNoLogin = errors.New("it has no login by code; copy the API key from its web site")

// New makes the services.
func New(o Options) *Debrid {
	o.Now = sources.OrNow(o.Now)
	o.Logger = sources.OrSilent(o.Logger)
	d := &Debrid{shared: newShared(o)}
	for _, s := range services() {
		d.providers = append(d.providers, &provider{service: s, shared: d.shared})
	}
	return d
}

// Names are the providers there are, always in the same order.
func (d *Debrid) Names() []string {
	names := make([]string, 0, len(d.providers))
	for _, p := range d.providers {
		names = append(names, p.Name())
	}
	return names
}

// Providers are all of them, in the order of Names.
func (d *Debrid) Providers() []sources.Provider {
	all := make([]sources.Provider, 0, len(d.providers))
	for _, p := range d.providers {
		all = append(all, p)
	}
	return all
}

// Check asks the account's provider about it. An error is that of
// sources.Provider, or says that there is no such provider.
func (d *Debrid) Check(ctx context.Context, a sources.Account) (AccountInfo, error) {
	return d.check(ctx, a, false)
}

// CheckBehind is Check for work in the background, which leaves a share of the account's
// request budget to the foreground.
func (d *Debrid) CheckBehind(ctx context.Context, a sources.Account) (AccountInfo, error) {
	return d.check(ctx, a, true)
}

func (d *Debrid) check(ctx context.Context, a sources.Account, background bool) (AccountInfo, error) {
	p, err := d.provider(a.Provider)
	if err != nil {
		return AccountInfo{}, err
	}
	c := p.client(background)
	if a.Key == "" {
		return AccountInfo{}, c.keyless("checking the account")
	}
	info, err := p.service.check(ctx, c, d.shared.current(a))
	if until := info.PremiumUntil; !until.IsZero() && !until.After(c.now()) {
		info.Premium = false // whatever it calls the plan
	}
	return info, err
}

// StartLogin begins a login by code at a provider, whose API is at baseURL, "" =
// its own. The error is ErrNoLogin where it has none.
func (d *Debrid) StartLogin(ctx context.Context, name, baseURL string) (Device, error) {
	p, login, err := d.login(name)
	if err != nil {
		return Device{}, err
	}
	device, err := login.start(ctx, p.client(false), sources.Account{Provider: name, BaseURL: baseURL})
	if err != nil {
		return Device{}, err
	}
	device.Provider, device.baseURL = name, baseURL
	device.Interval = max(device.Interval, minPollInterval)
	return device, nil
}

// PollLogin asks whether the code of device has been entered, and gives the
// account, which has no user yet, as soon as it has. It may be called once per
// Device.Interval. An error ends the login, unless its class is
// sources.ClassProviderCooling.
func (d *Debrid) PollLogin(ctx context.Context, device Device) (a sources.Account, done bool, err error) {
	p, login, err := d.login(device.Provider)
	if err != nil {
		return sources.Account{}, false, err
	}
	c := p.client(false)
	if !device.ExpiresAt.IsZero() && !d.shared.now().Before(device.ExpiresAt) {
		return sources.Account{}, false, c.errorf(sources.ClassProviderAuth, "logging in: the code was not entered in time; begin again")
	}
	a = sources.Account{Provider: device.Provider, BaseURL: device.baseURL}
	key, refresh, done, err := login.poll(ctx, c, a, device)
	if err != nil || !done {
		return sources.Account{}, false, err
	}
	a.Key, a.Refresh = key, refresh
	return a, true, nil
}

func (d *Debrid) provider(name string) (*provider, error) {
	for _, p := range d.providers {
		if p.Name() == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("there is no provider %q: known are %v", text.Clean(name), d.Names())
}

func (d *Debrid) login(name string) (*provider, deviceLogin, error) {
	p, err := d.provider(name)
	if err != nil {
		return nil, nil, err
	}
	login, ok := p.service.(deviceLogin)
	if !ok {
		return nil, nil, fmt.Errorf("%s: %w", p.Title(), ErrNoLogin)
	}
	return p, login, nil
}

// provider is a service as sources sees it.
type provider struct {
	service service
	shared  *shared
}

func (p *provider) Name() string { return p.service.name() }

func (p *provider) Title() string { return sources.ProviderTitle(p.Name()) }

func (p *provider) Serves(ctx context.Context, a sources.Account, hoster string) (serves, known bool) {
	return p.shared.hosters.known(ctx, sources.CooldownKey{User: a.User, Provider: p.Name()}, hoster)
}

func (p *provider) Supports(ctx context.Context, a sources.Account, hoster string) (bool, error) {
	if a.Key == "" {
		return false, p.client(false).keyless("asking for its hosters")
	}
	return p.shared.hosters.serves(ctx, p, p.shared.current(a), hoster)
}

func (p *provider) Unlock(ctx context.Context, a sources.Account, link string, background bool) (sources.Stream, error) {
	c := p.client(background)
	if a.Key == "" {
		return sources.Stream{}, c.keyless("unlocking " + linkOf(link))
	}
	return p.service.unlock(ctx, c, p.shared.current(a), link)
}

func (p *provider) client(background bool) *client {
	return &client{shared: p.shared, service: p.service, background: background}
}
