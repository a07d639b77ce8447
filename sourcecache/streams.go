package sourcecache

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"xship/sources"
)

// storedStream is a row of the stream table, without its key.
type storedStream struct {
	url        string
	headers    string // JSON, "" where there are none
	mime       string
	expiresAt  int64
	resolvedAt int64
	probedAt   int64
	mediaInfo  string // JSON, "" where there is none
}

const streamColumns = `url, headers, mime, expires_at, resolved_at, probed_at, media_info`

func (s *storedStream) fields() []any {
	return []any{&s.url, &s.headers, &s.mime, &s.expiresAt, &s.resolvedAt, &s.probedAt, &s.mediaInfo}
}

func (s *storedStream) stream() (*sources.StoredStream, error) {
	stream := &sources.StoredStream{
		Stream:     sources.Stream{URL: s.url, MIME: s.mime, ExpiresAt: fromUnix(s.expiresAt)},
		ResolvedAt: fromUnix(s.resolvedAt),
	}
	if s.headers != "" {
		if err := json.Unmarshal([]byte(s.headers), &stream.Headers); err != nil {
			return nil, damagedf("stored headers of a stream: %w", err)
		}
	}
	if s.probedAt != 0 && s.mediaInfo != "" {
		stream.MediaInfo = new(sources.MediaInfo)
		if err := json.Unmarshal([]byte(s.mediaInfo), stream.MediaInfo); err != nil {
			return nil, damagedf("stored media info of a stream: %w", err)
		}
	}
	return stream, nil
}

// CachedStream implements sources.StreamStore. A row that is damaged is none: the
// source is resolved again, which writes it anew.
func (db *DB) CachedStream(ctx context.Context, sourceID string) (*sources.StoredStream, error) {
	var row storedStream
	found, err := db.oneRow(ctx, db.reads, "stream", sourceID, row.fields(), `SELECT `+streamColumns+` FROM stream WHERE source_id = ?`, sourceID)
	if !found {
		return nil, db.fail(ctx, "read the stream of source "+sourceID, err)
	}
	return db.storedStream(ctx, "stream", sourceID, &row), nil
}

// storedStream gives what a row of a table holds, nil where that is damaged.
func (db *DB) storedStream(ctx context.Context, table, name string, row *storedStream) *sources.StoredStream {
	stream, err := row.stream()
	if err != nil {
		db.leaveOut(ctx, table, name, err)
		return nil
	}
	return stream
}

// PutStream implements sources.StreamStore.
func (db *DB) PutStream(ctx context.Context, sourceID string, s sources.Stream) error {
	headers, err := encodeHeaders(s.Headers)
	if err != nil {
		return fmt.Errorf("store the stream of source %s: %w", sourceID, err)
	}
	return db.write(ctx, "store the stream of source "+sourceID, func(t tx) error {
		_, err := t.ExecContext(ctx, `INSERT INTO stream (source_id, url, headers, mime, expires_at, resolved_at) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (source_id) DO UPDATE SET url = excluded.url, headers = excluded.headers, mime = excluded.mime,
			expires_at = excluded.expires_at, resolved_at = excluded.resolved_at, probed_at = 0, overdue = 0`,
			sourceID, s.URL, headers, s.MIME, toUnix(s.ExpiresAt), t.now)
		if err != nil {
			return err
		}
		return t.setSourceState(ctx, sourceID, sources.StateResolved)
	})
}

// PutMediaInfo implements sources.StreamStore.
func (db *DB) PutMediaInfo(ctx context.Context, sourceID string, m sources.MediaInfo) error {
	info, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("store the media info of source %s: %w", sourceID, err)
	}
	return db.write(ctx, "store the media info of source "+sourceID, func(t tx) error {
		result, err := t.ExecContext(ctx, `UPDATE stream SET media_info = ?, probed_at = ? WHERE source_id = ?`, string(info), t.now, sourceID)
		if err != nil {
			return err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return err
		}
		if err := t.setSourceState(ctx, sourceID, sources.StateProbed); err != nil {
			return err
		}
		return t.prove(ctx, sourceID, m)
	})
}

// prove notes that a source was read, and in which quality: that of its picture, or what
// its name says where that is not known.
func (t tx) prove(ctx context.Context, sourceID string, m sources.MediaInfo) error {
	picture := sources.QualityUnknown
	if m.Video != nil {
		picture = sources.QualityOf(m.Video.Width, m.Video.Height)
	}
	_, err := t.ExecContext(ctx, `UPDATE sources SET proven = iif(?1 <> '', `+provenSQL("?1")+`, `+provenSQL("quality")+`) WHERE source_id = ?2`, string(picture), sourceID)
	return err
}

// provenSQL is the column proven for a quality: its place among all, the best is 1 and
// the last one is that which is not known.
func provenSQL(quality string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CASE %s", quality)
	for i, q := range sources.Qualities() {
		fmt.Fprintf(&b, " WHEN '%s' THEN %d", q, i+1)
	}
	fmt.Fprintf(&b, " ELSE %d END", len(sources.Qualities())+1)
	return b.String()
}

// provenQuality is the quality of a value of that column.
func provenQuality(place int64) sources.Quality {
	all := sources.Qualities()
	if place < 1 || place > int64(len(all)) {
		return sources.QualityUnknown
	}
	return all[place-1]
}

// DropStream implements sources.StreamStore.
func (db *DB) DropStream(ctx context.Context, sourceID string) error {
	return db.write(ctx, "forget the stream of source "+sourceID, func(t tx) error {
		return t.dropStream(ctx, sourceID, sources.StateFound)
	})
}

// MarkDead implements sources.StreamStore.
func (db *DB) MarkDead(ctx context.Context, sourceID string) error {
	return db.write(ctx, "mark source "+sourceID+" dead", func(t tx) error {
		disbelieved, err := t.disbelieved(ctx, sourceID)
		if err != nil {
			return err
		}
		if disbelieved {
			return t.dropStream(ctx, sourceID, sources.StateFound)
		}
		return t.dropStream(ctx, sourceID, sources.StateDead)
	})
}

// disbelieved is health.Link.Disbelieved of the link of a source. After the outage that
// is said of one finding, and the next one is believed.
func (t tx) disbelieved(ctx context.Context, sourceID string) (bool, error) {
	var url string
	found, err := t.db.oneRow(ctx, t, "sources", sourceID, []any{&url}, `SELECT url FROM sources WHERE source_id = ? LIMIT 1`, sourceID)
	if err != nil || !found {
		return false, err
	}
	rows := table{ctx, t}
	l, err := rows.Link(url)
	if err != nil || !l.Disbelieved() {
		return false, err
	}
	guard, err := rows.Guard()
	if err != nil || guard.Outage {
		return true, err
	}
	l.GoneRun = 0
	return true, rows.PutLink(url, l)
}

func (t tx) dropStream(ctx context.Context, sourceID string, state sources.State) error {
	if _, err := t.ExecContext(ctx, `DELETE FROM stream WHERE source_id = ?`, sourceID); err != nil {
		return err
	}
	return t.setSourceState(ctx, sourceID, state)
}

// MarkNeeds implements sources.StreamStore.
func (db *DB) MarkNeeds(ctx context.Context, sourceID, needs string) error {
	return db.write(ctx, "note what source "+sourceID+" needs", func(t tx) error {
		_, err := t.ExecContext(ctx, `UPDATE sources SET needs = ? WHERE source_id = ?`, needs, sourceID)
		return err
	})
}

// setSourceState gives all rows of a source a state, and its place in the
// queues. A source that works is no longer held back, nor does it rest or need
// anything; one that does not is no longer proven.
func (t tx) setSourceState(ctx context.Context, sourceID string, state sources.State) error {
	works := state == sources.StateResolved || state == sources.StateProbed
	_, err := t.ExecContext(ctx, `UPDATE sources SET state = ?1, state_at = ?2, rest_until = CASE WHEN ?3 THEN 0 ELSE rest_until END,
		needs = CASE WHEN ?3 THEN '' ELSE needs END, proven = CASE WHEN ?3 THEN proven ELSE 0 END WHERE source_id = ?4`,
		stateNumber(state), t.now, works, sourceID)
	if err != nil {
		return err
	}
	_, err = t.enqueue(ctx, works, `s.source_id = ?3`, sourceID)
	return err
}

// SourceMediaInfo implements sources.StreamStore.
func (db *DB) SourceMediaInfo(ctx context.Context, ids []string) (map[string]sources.MediaInfo, error) {
	list, err := json.Marshal(ids)
	if err != nil {
		return nil, fmt.Errorf("read media info: %w", err)
	}
	known := make(map[string]sources.MediaInfo)
	err = db.eachRow(ctx, db.reads, "stream", func(rows *sql.Rows) error {
		var id, text string
		if err := rows.Scan(&id, &text); err != nil {
			return err
		}
		var info sources.MediaInfo
		if err := json.Unmarshal([]byte(text), &info); err != nil {
			return damagedf("stored media info of source %s: %w", id, err)
		}
		known[id] = info
		return nil
	}, `SELECT m.source_id, m.media_info FROM json_each(?) ids CROSS JOIN stream m ON m.source_id = ids.value WHERE m.media_info <> ''`, string(list))
	return known, db.fail(ctx, "read media info", err)
}
