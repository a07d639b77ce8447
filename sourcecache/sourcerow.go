package sourcecache

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"xship/sources"
)

// storedSource is a row of the sources table. Two rows are equal where nothing
// needs to be written.
type storedSource struct {
	id         int64 // 0: not stored yet
	site       string
	sourceID   string
	position   int
	hoster     string
	state      int
	stateAt    int64
	name       string
	url        string
	headers    string // JSON, "" where there are none
	quality    string
	language   string
	info       string // JSON, "" where there is none
	sizeBytes  int64
	priority   int
	trailer    bool
	unplayable string
	restUntil  int64
	needs      string
	own        bool
	duration   int
	group      string
	subtitles  string // JSON, "" where there are none
}

// sourceColumns are the columns of a storedSource, in the order of its fields.
const sourceColumns = `id, site, source_id, position, hoster, state, state_at, name, url, headers, quality, language, info, size_bytes, priority, trailer, unplayable, rest_until, needs, own, duration, release_group, subtitles`

func (s *storedSource) fields() []any {
	return []any{
		&s.id, &s.site, &s.sourceID, &s.position, &s.hoster, &s.state, &s.stateAt, &s.name, &s.url, &s.headers,
		&s.quality, &s.language, &s.info, &s.sizeBytes, &s.priority, &s.trailer, &s.unplayable, &s.restUntil, &s.needs,
		&s.own, &s.duration, &s.group, &s.subtitles,
	}
}

// states are the values of the state column, by their number.
func states() []sources.State {
	return []sources.State{sources.StateFound, sources.StateResolved, sources.StateProbed, sources.StateDead}
}

func stateNumber(s sources.State) int { return max(0, slices.Index(states(), s)) }

func (s *storedSource) dead() bool { return s.state == stateNumber(sources.StateDead) }

// follow makes s the successor of old, which is the zero row where the source
// is new: it keeps old's place in the table, its state, and with the same link
// its rest and what it needs. Only a dead source takes the state that it has in its
// site's new answer, and only after Deadness, or in a refreshed one. A time of death in
// the future was recorded under another clock and does not count.
func (s *storedSource) follow(old storedSource, refreshed bool, now int64) {
	s.id = old.id
	if s.url == old.url {
		s.restUntil, s.needs = old.restUntil, old.needs
	}
	buried := old.dead() && !refreshed && old.stateAt <= now && now-old.stateAt < int64(Deadness/time.Second)
	if old.id == 0 || old.dead() && !buried && !s.dead() {
		s.stateAt = now
		return
	}
	s.state, s.stateAt = old.state, old.stateAt
}

func newStoredSource(site string, position int, src sources.Source) (storedSource, error) {
	row := storedSource{
		site: site, sourceID: src.ID, position: position, hoster: src.Hoster, state: stateNumber(src.State),
		name: src.Name, url: src.URL, quality: string(src.Quality), language: src.Language,
		sizeBytes: src.SizeBytes, priority: src.Priority, trailer: src.Trailer, unplayable: src.Unplayable,
		own: src.Own, duration: src.Duration, group: src.Group,
	}
	var err error
	if row.headers, err = encodeHeaders(src.Headers); err != nil {
		return row, err
	}
	if row.info, err = encodeList(src.Info); err != nil {
		return row, err
	}
	row.subtitles, err = encodeList(src.Subtitles)
	return row, err
}

// encodeList gives a list as it is stored: JSON, or "".
func encodeList[T any](list []T) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	b, err := json.Marshal(list)
	return string(b), err
}

// encodeHeaders gives headers as they are stored: JSON, sorted by name, or "".
func encodeHeaders(headers map[string]string) (string, error) {
	if len(headers) == 0 {
		return "", nil
	}
	b, err := json.Marshal(headers)
	return string(b), err
}

func (s *storedSource) source() (sources.Source, error) {
	src := sources.Source{
		ID: s.sourceID, Site: s.site, Hoster: s.hoster, Name: s.name, URL: s.url,
		Quality: sources.Quality(s.quality), Language: s.language, SizeBytes: s.sizeBytes, Priority: s.priority,
		Trailer: s.trailer, Unplayable: s.unplayable, Needs: s.needs, State: sources.StateFound,
		Own: s.own, Duration: s.duration, Group: s.group,
	}
	if s.state > 0 && s.state < len(states()) {
		src.State = states()[s.state]
	}
	if s.headers != "" {
		if err := json.Unmarshal([]byte(s.headers), &src.Headers); err != nil {
			return src, damagedf("stored headers of source %s: %w", s.sourceID, err)
		}
	}
	if s.info != "" {
		if err := json.Unmarshal([]byte(s.info), &src.Info); err != nil {
			return src, damagedf("stored labels of source %s: %w", s.sourceID, err)
		}
	}
	if s.subtitles != "" {
		if err := json.Unmarshal([]byte(s.subtitles), &src.Subtitles); err != nil {
			return src, damagedf("stored subtitles of source %s: %w", s.sourceID, err)
		}
	}
	return src, nil
}

// eachSource calls use for each row of the sources table that which selects.
// The row is valid during the call. One that is damaged is left out; its id is what
// use would have got at least.
func (t tx) eachSource(ctx context.Context, use func(*storedSource) error, damaged func(id int64), which string, args ...any) error {
	var row storedSource
	fields := row.fields()
	return t.db.eachRow(ctx, t, "sources", func(rows *sql.Rows) error {
		err := rows.Scan(fields...) // the id comes first
		if err == nil {
			err = use(&row)
		}
		if isDamage(err) && damaged != nil {
			damaged(row.id)
		}
		return err
	}, `SELECT `+sourceColumns+` FROM sources WHERE `+which, args...)
}

// putSource writes a row, which is a new one where its id is 0. A new one is proven where
// another row of its source is.
const putSource = `INSERT INTO sources (title_id, ` + sourceColumns + `, proven) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
	coalesce((SELECT max(o.proven) FROM sources o WHERE o.source_id = ?4), 0))
	ON CONFLICT (id) DO UPDATE SET position = excluded.position, hoster = excluded.hoster,
	state = excluded.state, state_at = excluded.state_at, name = excluded.name, url = excluded.url,
	headers = excluded.headers, quality = excluded.quality, language = excluded.language, info = excluded.info,
	size_bytes = excluded.size_bytes, priority = excluded.priority, trailer = excluded.trailer, unplayable = excluded.unplayable,
	rest_until = excluded.rest_until, needs = excluded.needs,
	own = excluded.own, duration = excluded.duration, release_group = excluded.release_group, subtitles = excluded.subtitles`

// putArgs are the arguments of putSource.
func (s *storedSource) putArgs(titleID int64) []any {
	id := sql.NullInt64{Int64: s.id, Valid: s.id != 0} // NULL: SQLite chooses one
	return append([]any{titleID, id}, s.fields()[1:]...)
}
