package sourcecache

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"

	"modernc.org/sqlite"
)

// openPool is sql.Open for a pool whose connections keep what they have prepared:
// SQLite takes longer to read most of our statements than to run them.
func openPool(name string) (*sql.DB, error) {
	connector, err := sqlite.NewConnector(name)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(preparing{connector}), nil
}

// preparing makes connections that keep what they have prepared.
type preparing struct{ driver.Connector }

// Connect implements driver.Connector.
func (p preparing) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	able, ok := opened.(conn)
	if !ok {
		return nil, errors.Join(fmt.Errorf("connections of the type %T cannot do what the database needs", opened), opened.Close())
	}
	return &preparedConn{conn: able, statements: make(map[string]*statement)}, nil
}

// conn is all that a connection of the driver does.
type conn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
	IsReadOnly(schema string) (bool, error)
}

// maxPrepared bounds the statements that a connection keeps. This package has fewer:
// what their texts hold is constant.
const maxPrepared = 256

// preparedConn is a connection that prepares a statement once. As all connections of
// database/sql it is used by one goroutine at a time.
type preparedConn struct {
	conn
	statements map[string]*statement // by their text
}

// statement is one that was prepared.
type statement struct {
	preparedStmt
	busy bool // its rows are being read
}

type preparedStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// take gives the statement with a text, nil where it is to be made for this call
// alone.
func (c *preparedConn) take(ctx context.Context, query string) (*statement, error) {
	s := c.statements[query]
	switch {
	case s != nil && s.busy:
		return nil, nil
	case s != nil:
		return s, nil
	case !keepable(query) || len(c.statements) >= maxPrepared:
		return nil, nil
	}
	made, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	able, ok := made.(preparedStmt)
	if !ok {
		return nil, made.Close()
	}
	s = &statement{preparedStmt: able}
	c.statements[query] = s
	return s, nil
}

// keepable tells what is run more than once. Of the rest, several PRAGMAs take effect
// when they are prepared.
func keepable(query string) bool {
	return slices.ContainsFunc([]string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}, func(verb string) bool {
		return strings.HasPrefix(query, verb)
	})
}

// ExecContext implements driver.ExecerContext.
func (c *preparedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.take(ctx, query)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return c.conn.ExecContext(ctx, query, args)
	default:
		return s.ExecContext(ctx, args)
	}
}

// QueryContext implements driver.QueryerContext.
func (c *preparedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.take(ctx, query)
	switch {
	case err != nil:
		return nil, err
	case s == nil:
		return c.conn.QueryContext(ctx, query, args)
	}
	found, err := s.QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.busy = true
	return &preparedRows{Rows: found, statement: s}, nil
}

// Close implements driver.Conn.
func (c *preparedConn) Close() error {
	var errs []error
	for _, s := range c.statements {
		errs = append(errs, s.Close())
	}
	c.statements = nil
	return errors.Join(append(errs, c.conn.Close())...)
}

// preparedRows are the rows of a statement that is free again once they are closed.
type preparedRows struct {
	driver.Rows
	statement *statement
}

// Close implements driver.Rows.
func (r *preparedRows) Close() error {
	r.statement.busy = false
	return r.Rows.Close()
}
