package engine

import (
	"context"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"xship/config"
	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/fetch"
	"xship/sources/link"
)

// Doctor examines what an Engine works with. Its questions go to the network like
// all others, and tell what time it is elsewhere. It is safe for concurrent use.
type Doctor struct {
	engine    *Engine
	elsewhere *clocks
}

// NewDoctor makes a Doctor. Without a store what takes one is not examined.
func (e *Engine) NewDoctor() *Doctor { return &Doctor{engine: e, elsewhere: &clocks{now: e.cfg.Now}} }

// FileCheck is a look at a file or folder.
type FileCheck struct {
	Path      string
	Mode      fs.FileMode
	OthersMay bool  // others than its owner have permissions
	Err       error // that of os.Stat
}

func checkFile(path string) FileCheck {
	info, err := os.Stat(path)
	c := FileCheck{Path: path, Err: err}
	if err == nil {
		c.Mode = info.Mode()
		c.OthersMay = runtime.GOOS != "windows" && c.Mode.Perm()&0o077 != 0
	}
	return c
}

// CheckDataDir looks at the data directory.
func (d *Doctor) CheckDataDir() FileCheck { return checkFile(d.engine.cfg.DataDir) }

// PreferencesCheck is a look at the preferences.
type PreferencesCheck struct {
	FileCheck
	Damage error // what is wrong inside, nil where nothing is
}

// CheckPreferences looks at the preferences file, which need not exist.
func (d *Doctor) CheckPreferences() (PreferencesCheck, error) {
	path := config.PreferencesPath(d.engine.cfg.DataDir)
	preferences, err := config.OpenPreferences(path)
	if err != nil {
		return PreferencesCheck{}, err
	}
	return PreferencesCheck{FileCheck: checkFile(path), Damage: preferences.Warning()}, nil
}

// CheckInterfaces loads each interface and tells which is in use.
func (d *Doctor) CheckInterfaces(ctx context.Context) (checks []InterfaceCheck, current sources.Interface, err error) {
	interfaces, err := d.engine.newLoader(d.elsewhere.listen(d.engine.network.Get))
	if err != nil {
		return nil, current, &UncheckedError{Err: err}
	}
	all, current, err := interfaces.Interfaces(ctx)
	if err != nil {
		return nil, current, err
	}
	checks = eachAtOnce(all, nil, func(row sources.Interface) InterfaceCheck { return d.engine.checkInterface(ctx, interfaces, row) })
	return checks, current, nil
}

// UncheckedError says that something could not be checked, for a reason that another
// check tells.
type UncheckedError struct{ Err error }

func (e *UncheckedError) Error() string { return e.Err.Error() }

func (e *UncheckedError) Unwrap() error { return e.Err }

// CheckAccounts asks each provider, unless it is cooling down. warnings are what is
// wrong with the accounts that were added.
func (d *Doctor) CheckAccounts(ctx context.Context) (checks []AccountCheck, warnings []string, err error) {
	added, warnings, err := d.engine.accountsFile().Read()
	if err != nil || len(added)+len(d.engine.cfg.Settings.Debrid.Accounts) == 0 {
		return nil, warnings, err
	}
	p, err := d.engine.newProviders(added, d.elsewhere.listen(d.engine.network.services.Call))
	if err != nil {
		return nil, warnings, err
	}
	return eachAtOnce(p.accounts, nil, func(a sources.Account) AccountCheck { return p.check(ctx, a) }), warnings, nil
}

// The time that Redis is given here, and in use.
const (
	redisPatience = 3 * time.Second
	RedisInUse    = 75 * time.Millisecond
)

// PingRedis asks the Redis of the settings and tells how long it took to answer.
func (d *Doctor) PingRedis(ctx context.Context) (time.Duration, error) {
	s := d.engine.cfg.Settings
	server, err := cooldown.NewRedis(cooldown.RedisOptions{URL: s.Redis.URL, Prefix: s.Redis.Prefix, Timeout: redisPatience, Now: d.engine.cfg.Now, Logger: d.engine.cfg.Logger})
	if err != nil {
		return 0, err
	}
	defer func() { _ = server.Close() }()    // nothing is lost with it
	if err := server.Ping(ctx); err != nil { // makes the connection
		return 0, err
	}
	started := time.Now()
	err = server.Ping(ctx)
	return time.Since(started), err
}

// ProxyCheck is a look at the proxies that requests go through.
type ProxyCheck struct {
	Uses    []fetch.ProxyUse // none: no proxy
	Guarded bool             // private addresses are refused
	Err     error            // one of them takes no connection
}

// CheckProxies makes a connection to each proxy.
func (d *Doctor) CheckProxies(ctx context.Context) ProxyCheck {
	c := ProxyCheck{Uses: d.engine.network.Proxies(), Guarded: d.engine.network.DeniesPrivate()}
	if len(c.Uses) > 0 {
		c.Err = d.engine.network.DialProxy(ctx)
	}
	return c
}

// PrecacherCheck is a look at the precacher of the data directory.
type PrecacherCheck struct {
	DaemonState
	Watched int // titles
}

// CheckPrecacher looks whether the precacher runs, and what its last cycle did.
func (d *Doctor) CheckPrecacher(ctx context.Context) (c PrecacherCheck, err error) {
	if c.DaemonState, err = d.engine.daemonState(ctx); err != nil {
		return c, err
	}
	watched, err := d.engine.cfg.Store.Watchlist(ctx)
	c.Watched = len(watched)
	return c, err
}

// programTimeout bounds the question for the version of a program.
const programTimeout = 8 * time.Second

// ProgramCheck is a look at a program that xship can use.
type ProgramCheck struct {
	Path    string // "" where it is not to be found
	Version string
	Age     time.Duration // of the version, where that is too old, else 0
	Err     error         // it does not run
}

// CheckFFprobe looks at ffprobe.
func (d *Doctor) CheckFFprobe(ctx context.Context) ProgramCheck {
	c := checkProgram(ctx, "ffprobe", onPath("ffprobe"), "-version")
	c.Age = ffprobeAge(c.Version, d.engine.cfg.Now())
	return c
}

// CheckYTDLP looks at the yt-dlp that the settings mean.
func (d *Doctor) CheckYTDLP(ctx context.Context) ProgramCheck {
	c := checkProgram(ctx, "yt-dlp", ytdlpPath(d.engine.cfg.Settings.Resolve), "--version")
	c.Age = ytdlpAge(c.Version, d.engine.cfg.Now())
	return c
}

func checkProgram(ctx context.Context, name, path, argument string) ProgramCheck {
	if path == "" {
		return ProgramCheck{}
	}
	ctx, cancel := context.WithTimeout(ctx, programTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, argument)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return ProgramCheck{Path: path, Err: err}
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	version = strings.TrimPrefix(version, name+" version ")
	version, _, _ = strings.Cut(version, " ")
	return ProgramCheck{Path: path, Version: version}
}

// ClockTolerance is how far clocks may be apart.
const ClockTolerance = 5 * time.Minute

// ClockCheck is a comparison of the clock with what others say, and with what was
// recorded before.
type ClockCheck struct {
	Now         time.Time
	Future      string                   // file that was written later than now, "" = none
	FutureBy    time.Duration            // how much later, or how much later a hoster worked last
	WorkedLater bool                     // the store says that a hoster worked later than now
	Apart       map[string]time.Duration // by host, how far its clock is ahead of ours, where that is too far
	Asked       int                      // hosts whose clocks are known
}

// CheckClock compares the clock with what the other checks heard.
func (d *Doctor) CheckClock(ctx context.Context) ClockCheck {
	c := ClockCheck{Now: d.engine.cfg.Now()}
	for _, path := range []string{config.DatabasePath(d.engine.cfg.DataDir), config.PreferencesPath(d.engine.cfg.DataDir)} {
		if info, err := os.Stat(path); err == nil && info.ModTime().Sub(c.Now) > ClockTolerance {
			c.Future, c.FutureBy = path, info.ModTime().Sub(c.Now)
			return c
		}
	}
	if d.engine.cfg.Store != nil {
		if guard, err := d.engine.cfg.Store.Guard(ctx); err == nil && guard.LastSuccessAt.Sub(c.Now) > ClockTolerance {
			c.WorkedLater, c.FutureBy = true, guard.LastSuccessAt.Sub(c.Now)
			return c
		}
	}
	c.Apart, c.Asked = d.elsewhere.apart(ClockTolerance)
	return c
}

// clocks collects what others say the time is.
type clocks struct {
	now func() time.Time

	mu    sync.Mutex
	ahead map[string]time.Duration // by host: how far its clock is ahead of ours
}

// listen is get, whose answers tell the time.
func (c *clocks) listen(get getFunc) getFunc {
	return func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
		resp, err := get(ctx, r)
		if err != nil || resp == nil || resp.Header.Get("Age") != "" { // a copy that is older
			return resp, err
		}
		if at, dateErr := http.ParseTime(resp.Header.Get("Date")); dateErr == nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			if c.ahead == nil {
				c.ahead = make(map[string]time.Duration)
			}
			c.ahead[link.Hoster(r.URL)] = at.Sub(c.now())
		}
		return resp, err
	}
}

// apart gives the hosts whose clocks are further away than tolerance, and counts all.
func (c *clocks) apart(tolerance time.Duration) (apart map[string]time.Duration, asked int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	apart = make(map[string]time.Duration)
	for host, by := range c.ahead {
		if by.Abs() > tolerance {
			apart[host] = by
		}
	}
	return apart, len(c.ahead)
}
