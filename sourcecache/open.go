package sourcecache

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"xship/sourcecache/health"
	"xship/sources"
)

const (
	// busyTimeout is how long a call waits for other processes.
	busyTimeout = 5 * time.Second
	// turn is how long a write waits before it starts to wait anew.
	turn = 100 * time.Millisecond
	// patience is how many times as long as a read a write waits.
	patience = 4
)

// readers is the number of connections that read at once.
const readers = 4

// Options says which database to open.
type Options struct {
	Path   string
	Now    func() time.Time // nil: time.Now
	Logger *slog.Logger     // nil: nothing is logged
	// StreamTTL is how long a stream that does not tell its own end counts as
	// fresh in the queues; 0: an hour.
	StreamTTL time.Duration
	// Policy is that of hosters; nil: health.Hosters.
	Policy *health.Policy
	// Progress is told how the update of an older database goes: when a part of it
	// begins, and each second; nil: nobody. It is called by one goroutine at a time,
	// and not after Open has returned.
	Progress func(Progress)
	// Wait is how long a call waits for other processes, 0 = 5 seconds.
	Wait time.Duration
	// Readable opens a database that cannot be written for reading, see DB.ReadOnly;
	// without it that is an error.
	Readable bool
}

// Open opens the database at o.Path. A missing one is made, 0600, with its
// directory, 0700; an older one is brought up to date after a copy of it was
// put beside it (PATH.bak-vN). One that cannot be used is left as it is, and
// the error is an *OpenError.
func Open(ctx context.Context, o Options) (*DB, error) {
	steps, err := embeddedMigrations()
	if err != nil {
		return nil, err
	}
	return open(ctx, o, steps, sources.OrDefault(o.Wait, busyTimeout))
}

func open(ctx context.Context, o Options, steps []string, busy time.Duration) (*DB, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return nil, openError(o.Path, KindOther, err)
	}
	db, err := openWritable(ctx, path, o, steps, busy)
	why, known := errors.AsType[*OpenError](err)
	if !known || why.Kind != KindReadOnly || !o.Readable {
		return db, err
	}
	if db, readErr := openReadable(ctx, path, o, steps, busy, why); readErr == nil {
		return db, nil
	}
	return nil, err
}

// glance is how long OpenExisting waits for other processes.
const glance = 100 * time.Millisecond

// OpenExisting opens the database at o.Path to be looked into by somebody who does not
// wait, such as the completion of a command line. It makes and updates nothing: a missing
// database, one of another version and one that is locked for longer than a tenth of a
// second are errors. See DB.ReadOnly.
func OpenExisting(ctx context.Context, o Options) (*DB, error) {
	steps, err := embeddedMigrations()
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(o.Path)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return nil, openError(o.Path, KindOther, err)
	}
	asked := &OpenError{Path: path, Kind: KindReadOnly, Err: errors.New("it was opened to be read"), Hint: hint(KindReadOnly, path)}
	db, err := openReadable(ctx, path, o, steps, glance, asked)
	if err != nil {
		return nil, pathError(ctx, path, err)
	}
	return db, nil
}

func openWritable(ctx context.Context, path string, o Options, steps []string, busy time.Duration) (*DB, error) {
	if err := prepareFile(path); err != nil {
		return nil, pathError(ctx, path, err)
	}
	db, err := connect(path, o, busy, "rw")
	if err != nil {
		return nil, openError(path, KindOther, err)
	}
	if err := db.ready(ctx, steps, busy, o.Progress); err != nil {
		return nil, errors.Join(pathError(ctx, path, err), db.Close())
	}
	db.makePrivate(ctx)
	return db, nil
}

// openReadable opens a database that cannot be written, for the reason why, and
// changes nothing in its directory. Where nobody writes to it there is no file beside
// it, which SQLite could not make; a database that others write to has it.
func openReadable(ctx context.Context, path string, o Options, steps []string, busy time.Duration, why *OpenError) (*DB, error) {
	mode := "ro"
	if info, err := os.Stat(path + "-wal"); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		mode = "ro&immutable=1"
	}
	db, err := connect(path, o, busy, mode)
	if err != nil {
		return nil, err
	}
	db.readOnly = why
	version, _, err := db.version(ctx, db.reads)
	if err == nil && version != len(steps) {
		err = fmt.Errorf("its schema has version %d, this xship reads version %d", version, len(steps))
	}
	if err == nil {
		err = db.touchTables(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// prepareFile sees to a file that may be opened. It does not open an existing
// one itself: closing it again would take away the locks that SQLite holds on
// it in this process.
func prepareFile(path string) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if runtime.GOOS != "windows" && markedReadOnly(info) { // there it means something else
		return openError(path, KindReadOnly, fmt.Errorf("its directory is marked read-only (%v)", info.Mode()))
	}
	info, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return createFile(path)
	case err != nil:
		return err
	case info.IsDir():
		return openError(path, KindOther, errors.New("it is a directory"))
	case !info.Mode().IsRegular():
		return openError(path, KindOther, errors.New("it is not a regular file"))
	case markedReadOnly(info):
		return openError(path, KindReadOnly, fmt.Errorf("it is marked read-only (%v)", info.Mode()))
	default:
		return nil
	}
}

// markedReadOnly tells whether nobody may write it. Somebody wants it to stay
// as it is, which binds root too, whom the system does not stop.
func markedReadOnly(info fs.FileInfo) bool { return info.Mode().Perm()&0o222 == 0 }

func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if errors.Is(err, fs.ErrExist) { // another process was faster
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}

// makePrivate takes away what others may do with a file that was made
// elsewhere, as it may hold tokens.
func (db *DB) makePrivate(ctx context.Context) {
	if runtime.GOOS == "windows" {
		return
	}
	for _, name := range []string{db.path, db.path + "-wal", db.path + "-shm"} {
		info, err := os.Stat(name)
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(name, info.Mode().Perm()&^0o077)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			db.logger.WarnContext(ctx, "others may read the database", "path", name, "error", err)
		}
	}
}

func connect(path string, o Options, busy time.Duration, mode string) (*DB, error) {
	db := &DB{
		path: path, now: sources.OrNow(o.Now), logger: sources.OrSilent(o.Logger),
		policy: health.Hosters(), streamTTL: sources.OrDefault(o.StreamTTL, sources.DefaultStreamTTL), handle: rand.Text(),
	}
	if o.Policy != nil {
		db.policy = *o.Policy
	}
	var err error
	if db.reads, err = openPool(dsn(path, busy, mode, "query_only(1)")); err != nil {
		return nil, err
	}
	wait := min(busy, turn)
	db.tries = patience * max(1, int(busy/wait))
	if db.writes, err = openPool(dsn(path, wait, "rw", "foreign_keys(1)", "journal_mode(WAL)", "synchronous(NORMAL)")); err != nil {
		return nil, errors.Join(err, db.reads.Close())
	}
	if db.file, err = os.Stat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, errors.Join(err, db.reads.Close(), db.writes.Close())
	}
	db.cooldowns = newCooldowns(db)
	db.reads.SetMaxOpenConns(readers)
	db.reads.SetMaxIdleConns(readers)
	db.writes.SetMaxOpenConns(1)
	return db, nil
}

// dsn names the file as a URI, in which any path is safe, with the mode in which it is
// opened and settings that each new connection gets. The file must exist.
func dsn(path string, busy time.Duration, mode string, pragmas ...string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") { // a Windows drive
		p = "/" + p
	}
	query := url.Values{
		"_txlock": {"immediate"},
		"_pragma": append(pragmas, "busy_timeout("+strconv.FormatInt(busy.Milliseconds(), 10)+")"),
	}
	return (&url.URL{Scheme: "file", Path: p, RawQuery: "mode=" + mode + "&" + query.Encode()}).String()
}

// ready checks that the file is ours, sound as far as that can be seen at
// once, and up to date.
func (db *DB) ready(ctx context.Context, steps []string, busy time.Duration, tell func(Progress)) error {
	version, empty, err := db.inspect(ctx)
	if err != nil {
		return err
	}
	if version == 0 && !empty {
		if version, err = db.takeOver(ctx, steps, busy); err != nil {
			return err
		}
	}
	switch {
	case version < 0:
		return openError(db.path, KindOther, fmt.Errorf("its schema has version %d (PRAGMA user_version), which no xship writes", version))
	case version > len(steps):
		return db.newer(version, len(steps))
	case version == len(steps):
		return db.touchTables(ctx)
	default:
		if err := db.awaitWriter(ctx, busy); err != nil {
			return err
		}
		p := newProgress(tell, db.size)
		defer p.end()
		return db.migrate(ctx, version, steps, p)
	}
}

// writerPause is the time between two tries of awaitWriter.
const writerPause = 10 * time.Millisecond

// awaitWriter opens the connection that writes. Where that is the first one to
// a new file it changes the journal mode, for which SQLite does not wait itself
// while other processes do the same.
func (db *DB) awaitWriter(ctx context.Context, busy time.Duration) error {
	timeout := time.NewTimer(busy)
	defer timeout.Stop()
	for {
		err := db.writes.PingContext(ctx)
		if !isBusy(err) {
			return err
		}
		select {
		case <-time.After(writerPause):
		case <-timeout.C:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// inspect gives the version of the schema, and whether there is none.
func (db *DB) inspect(ctx context.Context) (version int, empty bool, err error) {
	conn, err := db.reads.Conn(ctx)
	if err != nil {
		return 0, false, err
	}
	defer conn.Close()
	err = conn.Raw(func(driver any) error {
		if c, ok := driver.(interface{ IsReadOnly(string) (bool, error) }); ok {
			readOnly, err := c.IsReadOnly("main")
			if readOnly {
				return openError(db.path, KindReadOnly, errors.New("this user may not write it"))
			}
			return err
		}
		return nil
	})
	if err != nil {
		return 0, false, err
	}
	return db.version(ctx, conn)
}

// version gives the version of the schema, and whether there is none.
func (db *DB) version(ctx context.Context, q querier) (version int, empty bool, err error) {
	err = q.QueryRowContext(ctx, `SELECT user_version, NOT EXISTS (SELECT 1 FROM sqlite_schema) FROM pragma_user_version`).Scan(&version, &empty)
	return version, empty, err
}

// touchTables reads the first page of each table, which finds most damage of
// small files. Damage deeper in is reported by the call that meets it.
func (db *DB) touchTables(ctx context.Context) error {
	var n int
	return db.reads.QueryRowContext(ctx, `SELECT
		EXISTS (SELECT 1 FROM hoster) + EXISTS (SELECT 1 FROM state) + EXISTS (SELECT 1 FROM site_health) +
		EXISTS (SELECT 1 FROM config) + EXISTS (SELECT 1 FROM config_cache) +
		EXISTS (SELECT 1 FROM guard) + EXISTS (SELECT 1 FROM link) + EXISTS (SELECT 1 FROM hoster_event) + EXISTS (SELECT 1 FROM call_budget) + EXISTS (SELECT 1 FROM watch) + EXISTS (SELECT 1 FROM stream) +
		EXISTS (SELECT 1 FROM empty_scan) + EXISTS (SELECT 1 FROM cooldown) + EXISTS (SELECT 1 FROM account_state) +
		EXISTS (SELECT 1 FROM provider_hoster) + EXISTS (SELECT 1 FROM provider_hosters) + EXISTS (SELECT 1 FROM unlocked_stream) +
		EXISTS (SELECT 1 FROM index_root) + EXISTS (SELECT 1 FROM index_folder) + EXISTS (SELECT 1 FROM index_file) + EXISTS (SELECT 1 FROM index_key) +
		EXISTS (SELECT 1 FROM answer) + EXISTS (SELECT 1 FROM told) +
		EXISTS (SELECT 1 FROM title) + EXISTS (SELECT 1 FROM site_answer) + EXISTS (SELECT 1 FROM sources)`).Scan(&n)
}

// pathError makes an OpenError of err, except where ctx ended.
func pathError(ctx context.Context, path string, err error) error {
	err = classify(ctx, path, err)
	var known *OpenError
	if ctx.Err() != nil || errors.As(err, &known) && known.Kind != KindOther {
		return err
	}
	if isCannotOpen(err) && forbidden(path) {
		if known != nil {
			err = known.Err
		}
		return openError(path, KindReadOnly, err)
	}
	if known != nil {
		return err
	}
	return openError(path, KindOther, err)
}

func isCannotOpen(err error) bool {
	var driver *sqlite.Error
	return errors.As(err, &driver) && driver.Code()&0xff == sqlite3.SQLITE_CANTOPEN
}

// forbidden tells whether permissions kept SQLite from opening the file or from
// making others beside it, which its error does not say.
func forbidden(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return isForbidden(err)
	}
	beside, err := os.CreateTemp(filepath.Dir(path), ".xship-*")
	if err == nil {
		err = errors.Join(beside.Close(), os.Remove(beside.Name()))
	}
	return isForbidden(err)
}
