package sourcecache

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"xship/sources/link"
	"xship/sources/text"
)

// damageError is a value of a row that is not what its column holds. Anybody may
// write to the file with other tools, and one such row must not spoil the others.
type damageError struct{ err error }

func (e *damageError) Error() string { return e.err.Error() }

func (e *damageError) Unwrap() error { return e.err }

func damagedf(format string, args ...any) error { return &damageError{fmt.Errorf(format, args...)} }

// isDamage tells whether err says that a row cannot be read. For a value of a wrong
// type database/sql has no error type of its own.
func isDamage(err error) bool {
	var damage *damageError
	return errors.As(err, &damage) || err != nil && scanError.MatchString(err.Error())
}

// rowNames are the columns by which a row of a table is called.
var rowNames = map[string][]string{
	"account_plan":     {"user", "provider"},
	"account_state":    {"user", "provider"},
	"call_budget":      {"name"},
	"config_cache":     {"url"},
	"answer":           {"key"},
	"empty_scan":       {"title_key"},
	"guard":            {"id"},
	"state":            {"key"},
	"config":           {"url"},
	"cooldown":         {"user", "provider"},
	"hoster":           {"name"},
	"hoster_event":     {"hoster", "id"},
	"hoster_hour":      {"hoster", "hour"},
	"cycle":            {"id"},
	"index_file":       {"path"},
	"index_folder":     {"path"},
	"index_key":        {"file"},
	"index_root":       {"root"},
	"link":             {"url"},
	"refused_link":     {"user", "provider"},
	"provider_hoster":  {"provider", "hoster"},
	"site_answer":      {"site"},
	"site_health":      {"site"},
	"sources":          {"id"},
	"stream":           {"source_id"},
	"title":            {"id"},
	"told":             {"what"},
	"watch":            {"id"},
	"unlocked_stream":  {"provider", "source_id"},
	"provider_hosters": {"provider"},
}

// eachRow calls scan for each row of a query on a table. A row that is damaged is left
// out with a warning that names it.
func (db *DB) eachRow(ctx context.Context, q querier, table string, scan func(*sql.Rows) error, query string, args ...any) error {
	return queryRows(ctx, q, func(rows *sql.Rows) error {
		err := scan(rows)
		if !isDamage(err) {
			return err
		}
		db.leaveOut(ctx, table, nameOfRow(table, rows), err)
		return nil
	}, query, args...)
}

// oneRow reads the row of a query on a table, and tells whether there is one. One that
// is damaged is none, with a warning that calls it name.
func (db *DB) oneRow(ctx context.Context, q querier, table, name string, fields []any, query string, args ...any) (found bool, err error) {
	err = q.QueryRowContext(ctx, query, args...).Scan(fields...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case isDamage(err):
		db.leaveOut(ctx, table, name, err)
		return false, nil
	}
	return err == nil, err
}

// leaveOut warns of a damaged row, once for each.
func (db *DB) leaveOut(ctx context.Context, table, name string, err error) {
	if _, told := db.damaged.LoadOrStore(table+"\x00"+name, true); told {
		return
	}
	db.logger.WarnContext(ctx, "a damaged row of the database is left out; correct or delete it with sqlite3",
		"table", table, "row", name, "error", damageText(err))
}

// scanError is what database/sql says of a value of a wrong type, with that value.
var scanError = regexp.MustCompile(`^sql: Scan error on column index \d+, name "([^"]*)"`)

// damageText says what is wrong with a row. The value may be a secret.
func damageText(err error) string {
	if m := scanError.FindStringSubmatch(err.Error()); m != nil {
		return "the column " + m[1] + " holds a value of a wrong type"
	}
	return err.Error()
}

// nameOfRow is what the row is called that was just read.
func nameOfRow(table string, rows *sql.Rows) string {
	columns, err := rows.Columns()
	if err != nil {
		return ""
	}
	values := make([]any, len(columns))
	fields := make([]any, len(columns))
	for i := range values {
		fields[i] = &values[i]
	}
	if rows.Scan(fields...) != nil {
		return ""
	}
	var parts []string
	for _, column := range rowNames[table] {
		if i := slices.Index(columns, column); i >= 0 {
			parts = append(parts, shownValue(values[i]))
		}
	}
	return strings.Join(parts, " ")
}

// wrongTypeSQL tells whether a column of integers holds something else, so that a
// condition on it does not hide the row from those who would warn of it.
func wrongTypeSQL(column string) string { return "typeof(" + column + ") <> 'integer'" }

// damagedRows names rows that hold values of a wrong type, at most the given number.
func damagedRows(ctx context.Context, q querier, most int) (named []string, err error) {
	columns := make(map[string][]string) // conditions, by table
	err = queryRows(ctx, q, func(rows *sql.Rows) error {
		var table, column, kind string
		err := rows.Scan(&table, &column, &kind)
		if types := map[string]string{"INTEGER": "'integer', 'null'", "TEXT": "'text', 'null'"}[kind]; types != "" {
			columns[table] = append(columns[table], fmt.Sprintf("iif(typeof(%[1]s) NOT IN (%[2]s), '%[1]s', '')", column, types))
		}
		return err
	}, `SELECT m.name, c.name, c.type FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'`)
	for _, table := range slices.Sorted(maps.Keys(rowNames)) {
		if err != nil || len(columns[table]) == 0 || len(named) >= most {
			continue
		}
		wrong := "concat_ws(' ', nullif(" + strings.Join(columns[table], ", ''), nullif(") + ", ''))"
		err = queryRows(ctx, q, func(rows *sql.Rows) error {
			var what string
			values := make([]any, len(rowNames[table]))
			fields := []any{&what}
			for i := range values {
				fields = append(fields, &values[i])
			}
			err := rows.Scan(fields...)
			for i := range values {
				values[i] = shownValue(values[i])
			}
			named = append(named, fmt.Sprintf("%s %s (%s)", table, strings.TrimSuffix(fmt.Sprintln(values...), "\n"), what))
			return err
		}, fmt.Sprintf(`SELECT %s AS wrong, %s FROM %s WHERE wrong <> '' LIMIT ?`, wrong, strings.Join(rowNames[table], ", "), table), most-len(named))
	}
	return named, err
}

// shownValue is a value of a row as it may be shown: addresses of interfaces hold
// tokens.
func shownValue(value any) string {
	if b, ok := value.([]byte); ok {
		value = string(b)
	}
	s, ok := value.(string)
	if !ok {
		return fmt.Sprint(value)
	}
	if strings.Contains(s, "://") {
		s = link.RedactInterface(s)
	}
	return text.Shorten(text.Clean(s), 80)
}
