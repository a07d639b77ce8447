package engine

import (
	"io"
	"log/slog"
	"sync"
	"time"

	"xship/cmd/engine/loader"
	"xship/config"
	"xship/config/failover"
	"xship/sources"
	"xship/sources/ids"
)

// Config is what an Engine works with.
type Config struct {
	Settings *config.Settings // nil: the defaults
	Store    sources.Store    // nil: only what needs none works, such as the failover mode
	DataDir  string           // of preferences, accounts, logins and the precacher's lock; it has to exist
	Version  string           // of the program, which some servers want to be told
	Now      func() time.Time // nil: time.Now
	Logger   *slog.Logger     // nil: silent
	Observer sources.Observer // told of what happens, as Logger is; nil: nobody
	// Warn is told what a user should know of preferences, settings, accounts and logins,
	// when they are first read; nil: it is logged.
	Warn func(warning string)
	// Notice is told once what a user should know before it happens, such as that a
	// service for everybody is asked, and how to turn that off; nil: it is logged.
	Notice func(notice string)
	// Agent names xship to services for everybody, which want to know who asks them; "" =
	// as it is named to all others.
	Agent string
	// RedisTimeout is how long an operation waits for Redis, 0 = as sources/cooldown says.
	RedisTimeout time.Duration
}

// Engine does what users ask for. It is safe for concurrent use.
type Engine struct {
	cfg      Config
	observer sources.Observer // those of cfg
	logins   *logins
	network  *network
	scans    sources.ScanGroup
	books    *sources.Bookkeeper // makes the writes that no answer waits for

	// What most requests do not need is made by the first that does.
	order     *once[*failover.InterfaceOrderStore]
	loader    *once[*loader.Loader]
	added     *once[[]config.DebridAccount] // the accounts that were added
	cooldown  *once[resting]
	providers *once[*providers]
	resolving *once[*resolving]
	ids       *once[*ids.Service]

	mu      sync.Mutex
	closers []io.Closer     // of what was made
	noticed map[string]bool // what the user was told, see noticeOnce
}

// Open makes an Engine. Who opened the store closes it after the Engine.
func Open(c Config) (*Engine, error) {
	if c.Settings == nil {
		defaults, err := config.Load(config.LoadOptions{})
		if err != nil {
			return nil, err
		}
		c.Settings = defaults
	}
	c.Now = sources.OrNow(c.Now)
	c.Logger = sources.OrSilent(c.Logger)
	if c.Warn == nil {
		c.Warn = func(warning string) { c.Logger.Warn(warning) }
	}
	if c.Notice == nil {
		c.Notice = func(notice string) { c.Logger.Info(notice) }
	}
	observer := newObserver(c)
	logins := newLogins(c)
	e := &Engine{cfg: c, observer: observer, logins: logins, network: newNetwork(c.Settings, observer, logins), books: &sources.Bookkeeper{Logger: c.Logger}}
	e.closeLater(e.books)
	e.order = onceOf(e.openOrder)
	e.loader = onceOf(func() (*loader.Loader, error) { return e.newLoader(e.network.Get) })
	e.added = onceOf(e.readAdded)
	e.cooldown = onceOf(e.openCooldown)
	e.providers = onceOf(e.openProviders)
	e.resolving = onceOf(e.openResolving)
	e.ids = onceOf(e.openIDs)
	return e, nil
}

// prepare makes what scans and plays need, so that what is wrong with preferences or
// settings is an error before anything is asked or changed.
func (e *Engine) prepare() error {
	if _, err := e.loader.get(); err != nil {
		return err
	}
	_, err := e.resolving.get()
	return err
}

// Close ends the connections of the Engine. No request may be under way.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.closers {
		_ = c.Close() // nothing is lost with it
	}
	e.closers = nil
	e.network.CloseIdleConnections()
}

// closeLater has Close end the connections of v, where it has some.
func (e *Engine) closeLater(v any) {
	closer, ok := v.(io.Closer)
	if !ok {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closers = append(e.closers, closer)
}

// openOrder opens the preferences that failover keeps: mode and order.
func (e *Engine) openOrder() (*failover.InterfaceOrderStore, error) {
	preferences, err := config.OpenPreferences(config.PreferencesPath(e.cfg.DataDir))
	if err != nil {
		return nil, err
	}
	if err := preferences.Warning(); err != nil {
		e.cfg.Warn(err.Error())
	}
	preferences.Warn = e.cfg.Warn
	return failover.NewInterfaceOrderStore(preferences), nil
}
