package sourcecache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ErrorKind says why the database cannot be used.
type ErrorKind string

// The kinds of OpenError.
const (
	KindNewer    ErrorKind = "newer"    // made by a newer xship
	KindDamaged  ErrorKind = "damaged"  // not a database, or a broken one
	KindReadOnly ErrorKind = "readonly" // it or its directory cannot be written
	KindLocked   ErrorKind = "locked"   // another process held it for too long
	KindFull     ErrorKind = "full"     // there is no room for what was to be stored
	KindIO       ErrorKind = "io"       // the disk did not do what was asked
	KindOther    ErrorKind = "other"
)

// OpenError reports a database that cannot be used. Open returns it, and so do
// the methods of DB where the file becomes unusable later. The file is left as
// it was.
type OpenError struct {
	Path string
	Kind ErrorKind
	Err  error  // what came back
	Hint string // what the user can do
}

func (e *OpenError) Error() string {
	return fmt.Sprintf("database %s: %v; %s", e.Path, e.Err, e.Hint)
}

func (e *OpenError) Unwrap() error { return e.Err }

// ErrorCode implements text.Coded.
func (*OpenError) ErrorCode() string { return "database" }

// ErrorHint implements text.Hinted.
func (e *OpenError) ErrorHint() string { return e.Hint }

func hint(kind ErrorKind, path string) string {
	switch kind {
	case KindNewer:
		return "upgrade xship, or name another directory with --data-dir"
	case KindDamaged:
		return fmt.Sprintf("move %s away, with %s-wal and %[1]s-shm if they exist: xship then starts with an empty one", path, path)
	case KindReadOnly:
		return "make the file and its directory writable for this user, or name another directory with --data-dir"
	case KindLocked:
		return "another process is using it: try again, or end that process"
	case KindFull:
		return "nothing of it was stored and what was there is unharmed: make room on its disk, and xship goes on"
	case KindIO:
		return "check its disk, which may be full or failing: xship goes on as soon as it can be written"
	default:
		return "check the path and the disk, or name another directory with --data-dir"
	}
}

func openError(path string, kind ErrorKind, err error) *OpenError {
	return &OpenError{Path: path, Kind: kind, Err: err, Hint: hint(kind, path)}
}

// classify turns what the driver or the file system returned into an OpenError
// where the database itself is the trouble, and gives err back otherwise.
func classify(ctx context.Context, path string, err error) error {
	var known *OpenError
	var driver *sqlite.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case isForbidden(err):
		return openError(path, KindReadOnly, err)
	case errors.Is(err, syscall.ENOSPC):
		return openError(path, KindFull, err)
	case !errors.As(err, &driver):
		return err
	}
	switch driver.Code() & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return openError(path, KindDamaged, err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		return openError(path, KindReadOnly, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return openError(path, KindLocked, err)
	case sqlite3.SQLITE_FULL:
		return openError(path, KindFull, err)
	case sqlite3.SQLITE_IOERR:
		return openError(path, KindIO, err)
	case sqlite3.SQLITE_CANTOPEN:
		return openError(path, KindOther, err)
	default:
		return err
	}
}

func isForbidden(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

// isBusy tells whether err says that another process holds the file.
func isBusy(err error) bool {
	var driver *sqlite.Error
	return errors.As(err, &driver) && driver.Code()&0xff == sqlite3.SQLITE_BUSY
}
