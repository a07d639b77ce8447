package cmd

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/fetch"
	"xship/sources/link"
)

// checkInterfaces loads each interface. What the one in use cannot do is a
// problem, what another one cannot do a warning.
func (d *doctor) checkInterfaces(ctx context.Context) []finding {
	const name = "interfaces"
	if d.store == nil {
		return []finding{warn(name, "", "not checked: the database lists them")}
	}
	interfaces, err := d.app.newLoader(d.store, d.network, d.settings.Interfaces)
	if err != nil {
		return []finding{warn(name, "", "not checked: %v", err)}
	}
	interfaces.Get = d.dates.listen(d.network.Get)
	rows, current, err := interfaces.Interfaces(ctx)
	if err != nil {
		return []finding{failed(name, err)}
	}
	found := make([]finding, len(rows))
	var wg sync.WaitGroup
	turns := make(chan struct{}, checksAtOnce)
	for i, row := range rows {
		wg.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			found[i] = interfaceFinding(d.app.checkInterface(ctx, interfaces, row), row.URL == current.URL)
		})
	}
	wg.Wait()
	return found
}

func interfaceFinding(c interfaceCheckDoc, inUse bool) finding {
	const name = "interface"
	title := interfaceTitle(c.Name, c.URL)
	bad := warn
	if inUse {
		title += ", in use"
		bad = problem
	}
	switch {
	case !c.OK:
		return bad(name, "xship interfaces use NAME chooses another one, xship interfaces check tells more", "%s: %s", title, c.Error)
	case c.Usable == 0:
		return bad(name, "xship interfaces use NAME chooses another one", "%s: xship can ask none of its %s", title, plural(c.Sites, "site"))
	default:
		return good(name, "%s: %s, %d usable", title, plural(c.Sites, "site"), c.Usable)
	}
}

const (
	redisPatience = 3 * time.Second       // here
	redisInUse    = 75 * time.Millisecond // what an operation waits otherwise
)

func (d *doctor) checkRedis(ctx context.Context) []finding {
	const name = "redis"
	s := d.settings
	switch {
	case s.Redis.URL == "":
		return nil
	case s.Cooldown.Store != "redis":
		return []finding{warn(name, "set cooldown.store to redis, or take redis.url out", "setting redis.url names a server, and setting cooldown.store is %s: it is not used", s.Cooldown.Store)}
	}
	server, err := cooldown.NewRedis(cooldown.RedisOptions{URL: s.Redis.URL, Prefix: s.Redis.Prefix, Timeout: redisPatience, Now: d.app.Now, Logger: d.app.logger})
	if err != nil {
		return []finding{failed(name, err)}
	}
	defer closeCooldown(server)
	err = server.Ping(ctx) // makes the connection
	started := time.Now()
	if err == nil {
		err = server.Ping(ctx)
	}
	took := time.Since(started)
	const alone = "until then each process keeps its own cooldowns, and nothing waits"
	switch {
	case err != nil:
		hint := adviceOf(err)
		what := strings.TrimSuffix(err.Error(), "; "+hint)
		return []finding{problem(name, hint+"; "+alone, "%s", what)}
	case took > redisInUse:
		return []finding{warn(name, "use a server nearby; "+alone, "it answers in %s, and is waited for %s", elapsed(took), elapsed(redisInUse))}
	default:
		return []finding{good(name, "answers in %s; without it each process would keep its own cooldowns", took.Round(10*time.Microsecond))}
	}
}

// checkAccounts asks each provider, unless it is cooling down.
func (d *doctor) checkAccounts(ctx context.Context) []finding {
	const name = "accounts"
	file := d.app.accountsFile()
	stored, warnings, err := file.Read()
	if err != nil {
		return []finding{failed(name, err)}
	}
	var found []finding
	for _, w := range warnings {
		found = append(found, splitAdvice(name, w))
	}
	if len(stored)+len(d.settings.Debrid.Accounts) == 0 {
		return append(found, good(name, "none; xship works without"))
	}
	providers, err := d.app.newProviders(d.settings, stored, d.store, d.network, d.dates.listen(d.network.Call))
	if err != nil {
		return append(found, failed(name, err))
	}
	defer providers.close()
	r := &accounts{app: d.app, settings: d.settings, store: d.store, network: d.network, providers: providers, asking: providers.useCase(d.app, d.store)}
	checked := make([]finding, len(r.providers.accounts))
	var wg sync.WaitGroup
	turns := make(chan struct{}, checksAtOnce)
	for i, account := range r.providers.accounts {
		wg.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			checked[i] = accountFinding(r.check(ctx, account), d.app.Now())
		})
	}
	wg.Wait()
	return append(found, checked...)
}

func accountFinding(c accountCheckDoc, now time.Time) finding {
	const name = "account"
	title := fmt.Sprintf("%s of user %d", sources.ProviderTitle(c.Provider), c.User)
	switch {
	case c.Class == string(sources.ClassProviderCooling) && strings.HasPrefix(c.Error, "skipped:"):
		return warn(name, "wait, or xship cooldowns clear", "%s: not asked, %s", title, c.Error)
	case c.Class == string(sources.ClassProviderAuth):
		return problem(name, "xship accounts add "+c.Provider+" gives it a new key; the provider's web site tells what else is wrong", "%s: %s", title, c.Error)
	case !c.OK && c.RemainingSeconds > 0:
		return problem(name, "try again then; until then it is skipped", "%s: %s; %d s more", title, c.Error, c.RemainingSeconds)
	case !c.OK:
		return problem(name, "try again later; until then it is skipped", "%s: %s", title, c.Error)
	case c.State == accountRefused:
		return problem(name, "xship accounts add "+c.Provider+" gives it a new key", "%s: %s, and links were refused: %s", title, c.summary(), c.Reason)
	case c.State == accountQuota:
		return warn(name, "until then it is skipped", "%s: %s, and its quota is used up, %s: %s", title, c.summary(), left(c.RemainingSeconds), c.Reason)
	case c.State == accountCooling:
		return warn(name, "wait, or xship cooldowns clear", "%s: %s, and cooling down, %s: %s", title, c.summary(), left(c.RemainingSeconds), c.Reason)
	case !c.Premium:
		return warn(name, "most hosters need a paid plan", "%s: %s", title, c.summary())
	case c.PremiumUntil != 0 && now.After(time.Unix(c.PremiumUntil, 0)):
		return warn(name, "renew the plan on the provider's web site", "%s: %s, which is over", title, c.summary())
	default:
		return good(name, "%s: %s", title, c.summary())
	}
}

// left is how long a rest lasts, for people.
func left(seconds int64) string {
	if seconds == 0 {
		return "nobody knows how long"
	}
	return fmt.Sprintf("%d s more", seconds)
}

// clockTolerance is how far clocks may be apart.
const clockTolerance = 5 * time.Minute

// dates collects what others say the time is.
type dates struct {
	now func() time.Time

	mu    sync.Mutex
	apart map[string]time.Duration // by host: how far its clock is ahead of ours
}

// listen is get, whose answers tell the time.
func (d *dates) listen(get func(context.Context, fetch.Request) (*fetch.Response, error)) func(context.Context, fetch.Request) (*fetch.Response, error) {
	return func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
		resp, err := get(ctx, r)
		if err != nil || resp == nil || resp.Header.Get("Age") != "" { // a copy that is older
			return resp, err
		}
		if at, dateErr := http.ParseTime(resp.Header.Get("Date")); dateErr == nil {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.apart == nil {
				d.apart = make(map[string]time.Duration)
			}
			d.apart[link.Hoster(r.URL)] = at.Sub(d.now())
		}
		return resp, err
	}
}

// checkClock compares the clock with what others say, and with what was recorded
// before.
func (d *doctor) checkClock(ctx context.Context) []finding {
	const name, hint = "clock", "set the clock of this machine, best by NTP"
	now := d.app.Now()
	for _, path := range []string{d.app.databasePath(), d.app.preferencesPath()} {
		if info, err := os.Stat(path); err == nil && info.ModTime().Sub(now) > clockTolerance {
			return []finding{problem(name, hint, "%s was written %s from now", path, shortDuration(info.ModTime().Sub(now)))}
		}
	}
	if d.store != nil {
		if last, err := d.store.LastSuccessAt(ctx); err == nil && last.Sub(now) > clockTolerance {
			return []finding{problem(name, hint, "a hoster last worked %s from now, says the database", shortDuration(last.Sub(now)))}
		}
	}
	d.dates.mu.Lock()
	defer d.dates.mu.Unlock()
	var apart []string
	for host, by := range d.dates.apart {
		if by.Abs() > clockTolerance {
			way := "ahead of"
			if by < 0 {
				way = "behind"
			}
			apart = append(apart, fmt.Sprintf("that of %s is %s %s ours", host, shortDuration(by.Abs()), way))
		}
	}
	slices.Sort(apart)
	switch {
	case len(apart) > 0 && len(apart) == len(d.dates.apart):
		return []finding{problem(name, hint, "%s", strings.Join(apart, "; "))}
	case len(apart) > 0:
		return []finding{warn(name, "others agree with ours, so that is likely wrong", "%s", strings.Join(apart, "; "))}
	case len(d.dates.apart) == 0:
		return []finding{good(name, "%s; nobody was asked", now.Format(time.RFC3339))}
	default:
		return []finding{good(name, "%s, within %s of that of %s", now.Format(time.RFC3339), shortDuration(clockTolerance), plural(len(d.dates.apart), "server"))}
	}
}
