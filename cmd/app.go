package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/config"
	"xship/sourcecache"
	"xship/sourcecache/health"
	"xship/sources"
	"xship/sources/text"
)

// app is one run of the program. What costs time, settings and database, is
// opened by the first command that asks for it.
type app struct {
	System
	flags     globalFlags
	status    *term.Status // stderr, for everything that is written there
	logger    *slog.Logger
	logFile   *logFile // nil: the log goes to stderr
	switching *announcer
	interrupt func()           // ends the run as SIGINT does
	hangups   *hangups         // shared by runs inside this one
	observer  sources.Observer // told of what the engine does; nil: nobody
	store     *sourcecache.DB  // nil until openStore
	storeWait time.Duration    // how long a call of it waits for other processes, 0 = as it does
	engine    *engine.Engine   // nil until engineFor
	// closeStdout tells readers of stdout that all is written; nil where stdout
	// is not this run's own.
	closeStdout func() error
}

// globalFlags are the flags that all commands have.
type globalFlags struct {
	config    string
	dataDir   string
	logLevel  string
	logFormat string
	logFile   string
	color     string // colorAuto and so on
	noColor   bool
	output    string
	quiet     bool
}

func newApp(sys System) *app {
	a := &app{System: sys, status: term.NewStatus(sys.Stderr), logger: slog.New(slog.DiscardHandler), hangups: new(hangups)}
	a.switching = &announcer{app: a}
	return a
}

// close releases what was opened, but for the log file.
func (a *app) close() error {
	if a.engine != nil {
		a.engine.Close()
	}
	if a.store == nil {
		return nil
	}
	return a.store.Close()
}

// getenv is the value of an environment variable, "" where it is not set.
func (a *app) getenv(name string) string {
	if a.LookupEnv == nil {
		return ""
	}
	value, _ := a.LookupEnv(name)
	return value
}

// settingsFile is the file that settings are read from; explicit tells that
// the user named it, so that it must exist.
func (a *app) settingsFile() (path string, explicit bool) {
	if a.flags.config != "" {
		return a.flags.config, true
	}
	if path := config.Unquoted(a.getenv("XSHIP_CONFIG")); path != "" {
		return path, true
	}
	return config.DefaultFile(a.getenv), false
}

// settings reads the settings, and warns of variables that are ignored; overrides are
// values that flags gave, by key.
func (a *app) settings(overrides map[string]any) (*config.Settings, error) {
	settings, err := a.loadSettings(overrides)
	if err != nil {
		return nil, err
	}
	a.warnIgnored()
	return settings, nil
}

// warnIgnored warns of variables that are ignored: also a command that reads no settings
// works on other data where the name of that variable is wrong.
func (a *app) warnIgnored() {
	if a.Environ == nil {
		return
	}
	for _, w := range config.IgnoredVariables(a.Environ()) {
		a.caution(w)
	}
}

func (a *app) loadSettings(overrides map[string]any) (*config.Settings, error) {
	path, explicit := a.settingsFile()
	o := config.LoadOptions{File: path, Explicit: explicit, LookupEnv: a.LookupEnv, Overrides: overrides}
	if a.Environ != nil {
		o.Environ = a.Environ()
	}
	return config.Load(o)
}

// dataDir is the directory that holds the database and the preferences, ""
// where there is no home directory to have it in.
func (a *app) dataDir() string {
	if a.flags.dataDir != "" {
		return a.flags.dataDir
	}
	if dir := config.Unquoted(a.getenv("XSHIP_DATA_DIR")); dir != "" {
		return dir
	}
	return config.DefaultDataDir(a.getenv)
}

// openEngine opens the engine with the settings; overrides are values that flags
// gave, by key.
func (a *app) openEngine(ctx context.Context, overrides map[string]any) (*engine.Engine, error) {
	settings, err := a.settings(overrides)
	if err != nil {
		return nil, err
	}
	return a.engineWith(ctx, settings)
}

// engineWith opens the store and the engine on it. Commands that need no settings
// give nil, so that broken ones do not keep them from working.
func (a *app) engineWith(ctx context.Context, settings *config.Settings) (*engine.Engine, error) {
	store, err := a.openStore(ctx, settings)
	if err != nil {
		return nil, err
	}
	a.engine, err = engine.Open(a.engineConfig(settings, store))
	return a.engine, err
}

// engineConfig is what an engine works with in this run; store may be nil.
func (a *app) engineConfig(settings *config.Settings, store *sourcecache.DB) engine.Config {
	c := engine.Config{
		Settings: settings, DataDir: a.dataDir(), Version: readVersion().Version, Now: a.Now, Logger: a.logger,
		Warn:         a.caution,
		Notice:       func(notice string) { a.note("%s", notice) },
		Agent:        agent(),
		Observer:     a.observer,
		RedisTimeout: a.RedisTimeout,
	}
	if store != nil {
		c.Store = store
	}
	return c
}

// openStore opens the database, and makes it and its directory where they are
// missing. settings may be nil.
func (a *app) openStore(ctx context.Context, settings *config.Settings) (*sourcecache.DB, error) {
	if a.store != nil {
		return a.store, nil
	}
	if settings == nil {
		a.warnIgnored()
	}
	if err := a.makeDataDir(); err != nil {
		return nil, err
	}
	o := sourcecache.Options{Path: config.DatabasePath(a.dataDir()), Now: a.Now, Logger: a.logger, Readable: true, Progress: updateNotes(a.note), Wait: a.storeWait}
	if settings != nil {
		o.StreamTTL = settings.Precache.StreamTTL
		o.Policy = hosterPolicy(settings.Hosters)
	}
	store, err := sourcecache.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	a.store = store
	return store, nil
}

// hosterPolicy is the policy for hosters as the settings want it. A part of a second
// counts as a whole one.
func hosterPolicy(s config.Hosters) *health.Policy {
	p := health.Hosters()
	p.Look, p.ServerFail = int64((s.Look+time.Second-1)/time.Second), s.Count5xxWithoutGuard
	return &p
}

func (a *app) makeDataDir() error {
	dir := a.dataDir()
	if dir == "" {
		return text.WithHint(errors.New("there is no home directory to keep data in"), "name a directory with --data-dir")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return text.WithHint(fmt.Errorf("make the data directory: %w", err), "name another directory with --data-dir")
	}
	return nil
}

// note tells the user something that is no result: on stderr, not with --quiet.
func (a *app) note(format string, args ...any) {
	if !a.flags.quiet {
		a.warn(format, args...)
	}
}

// warn tells the user something on stderr that --quiet does not silence.
func (a *app) warn(format string, args ...any) {
	_, _ = io.WriteString(a.status, text.CleanLines(fmt.Sprintf(format, args...))+"\n") // there is nowhere left to complain
}

// caution warns the user, in the log file too where there is one: who keeps a log looks
// there for what is wrong.
func (a *app) caution(warning string) {
	a.warn("warning: %s", warning)
	if a.logFile != nil {
		a.logger.Warn(warning)
	}
}

// showsProgress tells whether a person is looking: stderr is a terminal, and
// neither --quiet nor logs for machines there were asked for.
func (a *app) showsProgress() bool {
	return a.Stderr.Terminal && !a.flags.quiet && !a.logsForMachines()
}

// logsForMachines tells whether stderr has log lines that a program reads.
func (a *app) logsForMachines() bool { return a.flags.logFormat != "text" && a.logFile == nil }

// live shows what parts gives as the live line until stop is called, where a person
// is looking.
func (a *app) live(ctx context.Context, parts func() []string) (stop func()) {
	if !a.showsProgress() {
		return func() {}
	}
	return a.status.Live(ctx, func() string { return term.Line(a.Stderr.Columns(), parts()...) })
}

// counting is a live line that counts, such as "checking interfaces 2/7".
func (a *app) counting(ctx context.Context, what string, total int) (done func(int), stop func()) {
	var count atomic.Int64
	return func(done int) { count.Store(int64(done)) }, a.live(ctx, func() []string { return []string{fmt.Sprintf("%s %d/%d", what, count.Load(), total)} })
}
