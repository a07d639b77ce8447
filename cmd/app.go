package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"xship/config"
	"xship/sourcecache"
)

// app is one run of the program. What costs time, settings and database, is
// opened by the first command that asks for it.
type app struct {
	System
	flags     globalFlags
	status    *statusWriter // stderr, for everything that is written there
	logger    *slog.Logger
	switching *announcer
	interrupt func()          // ends the run as SIGINT does
	store     *sourcecache.DB // nil until openStore
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
	noColor   bool
	output    string
	quiet     bool
}

func newApp(sys System) *app {
	status := &statusWriter{w: sys.Stderr}
	a := &app{System: sys, status: status, logger: slog.New(slog.DiscardHandler)}
	a.switching = &announcer{app: a}
	return a
}

// close releases what was opened.
func (a *app) close() error {
	if a.store == nil {
		return nil
	}
	return a.store.Close()
}

// getenv is the value of an environment variable, "" where it is not set.
func (a *app) getenv(name string) string {
	value, _ := a.LookupEnv(name)
	return value
}

// settingsFile is the file that settings are read from; explicit tells that
// the user named it, so that it must exist.
func (a *app) settingsFile() (path string, explicit bool) {
	if a.flags.config != "" {
		return a.flags.config, true
	}
	if path := a.getenv("XSHIP_CONFIG"); path != "" {
		return path, true
	}
	return config.DefaultFile(a.getenv), false
}

// settings reads the settings; overrides are values that flags gave, by key.
func (a *app) settings(overrides map[string]any) (*config.Settings, error) {
	path, explicit := a.settingsFile()
	return config.Load(config.LoadOptions{File: path, Explicit: explicit, LookupEnv: a.LookupEnv, Overrides: overrides})
}

// dataDir is the directory that holds the database and the preferences, ""
// where there is no home directory to have it in.
func (a *app) dataDir() string {
	if a.flags.dataDir != "" {
		return a.flags.dataDir
	}
	if dir := a.getenv("XSHIP_DATA_DIR"); dir != "" {
		return dir
	}
	return config.DefaultDataDir(a.getenv)
}

func (a *app) databasePath() string    { return filepath.Join(a.dataDir(), "xship.db") }
func (a *app) preferencesPath() string { return filepath.Join(a.dataDir(), "preferences.json") }

// openStore opens the database, and makes it and its directory where they are
// missing.
func (a *app) openStore(ctx context.Context) (*sourcecache.DB, error) {
	return a.openStoreWith(ctx, sourcecache.Options{})
}

// openStoreFor is openStore for commands that work with streams.
func (a *app) openStoreFor(ctx context.Context, s *config.Settings) (*sourcecache.DB, error) {
	return a.openStoreWith(ctx, sourcecache.Options{StreamTTL: s.Precache.StreamTTL})
}

func (a *app) openStoreWith(ctx context.Context, o sourcecache.Options) (*sourcecache.DB, error) {
	if a.store != nil {
		return a.store, nil
	}
	if err := a.makeDataDir(); err != nil {
		return nil, err
	}
	o.Path, o.Now, o.Logger = a.databasePath(), a.Now, a.logger
	store, err := sourcecache.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	a.store = store
	return store, nil
}

func (a *app) makeDataDir() error {
	dir := a.dataDir()
	if dir == "" {
		return &hintError{err: errors.New("there is no home directory to keep data in"), hint: "name a directory with --data-dir"}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return &hintError{err: fmt.Errorf("make the data directory: %w", err), hint: "name another directory with --data-dir"}
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
	_, _ = io.WriteString(a.status, cleanLines(fmt.Sprintf(format, args...))+"\n") // there is nowhere left to complain
}

// colour tells whether s may be coloured.
func (a *app) colour(s Stream) bool {
	return s.Terminal && !a.flags.noColor && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
}
