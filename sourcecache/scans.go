package sourcecache

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"xship/sources"
)

// Deadness is how long a dead source stays dead when its site still names it.
// After that it is found again, as files do come back.
const Deadness = 24 * time.Hour

// batch is the number of rows that a transaction should not exceed, so that
// other processes get their turn.
const batch = 100

// LoadScan implements sources.ScanStore. A row that is damaged is left out.
func (db *DB) LoadScan(ctx context.Context, interfaceURL string, t sources.Title) (*sources.StoredScan, error) {
	var scan *sources.StoredScan
	err := db.read(ctx, "load the list of "+t.String(), func(tx tx) (err error) {
		scan, err = tx.loadScan(ctx, interfaceURL, t)
		return err
	})
	return scan, err
}

func (t tx) loadScan(ctx context.Context, interfaceURL string, title sources.Title) (*sources.StoredScan, error) {
	var id, scannedAt int64
	var reports string
	found, err := t.db.oneRow(ctx, t, "title", title.String(), []any{&id, &scannedAt, &reports},
		`SELECT id, scanned_at, sites FROM title WHERE key = ? AND interface_url = ?`, title.Key(), interfaceURL)
	if !found {
		return nil, err
	}
	scan := &sources.StoredScan{ScannedAt: fromUnix(scannedAt)}
	if scan.Sites, err = decodeReports(reports); err != nil {
		t.db.leaveOut(ctx, "title", title.String(), err)
		return nil, nil
	}
	if err := t.loadAnswers(ctx, id, scan); err != nil {
		return nil, err
	}
	sortAnswers(scan)
	return scan, nil
}

func (t tx) loadAnswers(ctx context.Context, titleID int64, scan *sources.StoredScan) error {
	index := make(map[string]int)
	err := t.db.eachRow(ctx, t, "site_answer", func(rows *sql.Rows) error {
		var answer sources.SiteAnswer
		var seenAt int64
		if err := rows.Scan(&answer.Site, &seenAt); err != nil {
			return err
		}
		answer.SeenAt = fromUnix(seenAt)
		index[answer.Site] = len(scan.Answers)
		scan.Answers = append(scan.Answers, answer)
		return nil
	}, `SELECT site, seen_at FROM site_answer WHERE title_id = ?`, titleID)
	if err != nil {
		return err
	}
	return t.eachSource(ctx, func(row *storedSource) error {
		i, ok := index[row.site]
		if !ok {
			return nil
		}
		src, err := row.source()
		if err == nil {
			scan.Answers[i].Sources = append(scan.Answers[i].Sources, src)
		}
		return err
	}, nil, `title_id = ? ORDER BY position`, titleID)
}

// sortAnswers puts answers into the order of scan.Sites.
func sortAnswers(scan *sources.StoredScan) {
	order := make(map[string]int, len(scan.Sites))
	for i, report := range scan.Sites {
		order[report.Key] = i
	}
	place := func(site string) int {
		if i, ok := order[site]; ok {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(scan.Answers, func(a, b sources.SiteAnswer) int {
		return cmp.Or(cmp.Compare(place(a.Site), place(b.Site)), cmp.Compare(a.Site, b.Site))
	})
}

// SaveScan implements sources.ScanStore. Each answer is replaced in one
// transaction, which looks whether a later one is there. Once a day what is older than Retention is removed, a little at
// a time.
func (db *DB) SaveScan(ctx context.Context, interfaceURL string, t sources.Title, scan sources.StoredScan) error {
	answers := slices.Clone(scan.Answers)
	answers = slices.DeleteFunc(answers, func(a sources.SiteAnswer) bool { return len(a.Sources) == 0 })
	what := "store the list of " + t.String()
	if len(answers) == 0 {
		return db.write(ctx, what, func(tx tx) error {
			behind, err := tx.isBehind(ctx, interfaceURL, t.Key(), scan.ScannedAt)
			if err != nil || behind {
				return err
			}
			return tx.emptied(ctx, interfaceURL, t.Key())
		})
	}
	given := lastSeen(answers)
	wanted := false
	for len(answers) > 0 {
		n := fitting(answers)
		err := db.write(ctx, what, func(tx tx) (err error) {
			var id int64
			id, wanted, err = tx.titleID(ctx, interfaceURL, t)
			if err != nil {
				return err
			}
			if err := tx.replaceAnswers(ctx, id, t, answers[:n], scan.Refreshed); err != nil {
				return err
			}
			if n < len(answers) {
				return nil
			}
			behind, err := tx.isBehind(ctx, interfaceURL, t.Key(), given)
			if err != nil || behind {
				return err
			}
			return tx.finishTitle(ctx, id, interfaceURL, t.Key(), scan)
		})
		if err != nil {
			return err
		}
		answers = answers[n:]
	}
	db.expireSome(ctx)
	if wanted {
		return db.rankTitles(ctx)
	}
	return nil
}

// fitting is how many of the answers go into one transaction, at least one.
func fitting(answers []sources.SiteAnswer) int {
	rows := 0
	for i, answer := range answers {
		rows += len(answer.Sources)
		if rows > batch && i > 0 {
			return i
		}
	}
	return len(answers)
}

// lastSeen is when the last of the answers was given. The time of their scan does not
// tell that: one that was cut off lies back, so that it is soon made again.
func lastSeen(answers []sources.SiteAnswer) (last time.Time) {
	for _, answer := range answers {
		if answer.SeenAt.After(last) {
			last = answer.SeenAt
		}
	}
	return last
}

// isBehind tells whether a title has an answer that was given after a scan which is
// to be stored: another scan was faster to store. One from the future was recorded
// under another clock.
func (t tx) isBehind(ctx context.Context, interfaceURL, key string, given time.Time) (behind bool, err error) {
	err = t.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM title x CROSS JOIN site_answer a ON a.title_id = x.id
		WHERE x.key = ? AND x.interface_url = ? AND `+laterSQL+`)`, key, interfaceURL, toUnix(given), t.now).Scan(&behind)
	return behind, err
}

// laterSQL selects the answers a that were given after a time, and by now.
const laterSQL = `a.seen_at > ? AND a.seen_at <= ?`

// titleID finds the row of t, or adds one that no scan has finished yet, and
// tells whether t is on the watchlist. Then its sources are to be ranked.
func (t tx) titleID(ctx context.Context, interfaceURL string, title sources.Title) (id int64, wanted bool, err error) {
	row, err := newStoredTitle(title)
	if err != nil {
		return 0, false, err
	}
	key := title.Key()
	_, err = t.ExecContext(ctx, `INSERT INTO title (interface_url, key, `+titleColumns+`, scanned_at, wanted_at)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, `+wantedSQL("?2")+`)
		ON CONFLICT (key, interface_url) DO NOTHING`, append([]any{interfaceURL, key}, row.fields()...)...)
	if err != nil {
		return 0, false, err
	}
	err = t.QueryRowContext(ctx, `SELECT id, wanted_at <> 0 FROM title WHERE key = ? AND interface_url = ?`, key, interfaceURL).Scan(&id, &wanted)
	if err != nil || !wanted {
		return id, wanted, err
	}
	_, err = t.ExecContext(ctx, `UPDATE title SET ranked_at = -1 WHERE id = ?`, id)
	return id, true, err
}

func (t tx) finishTitle(ctx context.Context, id int64, interfaceURL, key string, scan sources.StoredScan) error {
	reports, err := encodeReports(scan.Sites)
	if err != nil {
		return err
	}
	if _, err := t.ExecContext(ctx, `UPDATE title SET scanned_at = ?, sites = ? WHERE id = ?`, toUnix(scan.ScannedAt), reports, id); err != nil {
		return err
	}
	_, err = t.ExecContext(ctx, `DELETE FROM empty_scan WHERE title_key = ? AND interface_url = ?`, key, interfaceURL)
	return err
}

// The rest of a watched title that nobody has: the first, and the longest.
const (
	emptyRest    = time.Hour
	maxEmptyRest = 24 * time.Hour
)

// emptied records a scan that found nothing. The title's rest is twice as long
// as the one before; a scan within that one, which somebody else wished for,
// changes nothing.
func (t tx) emptied(ctx context.Context, interfaceURL, key string) error {
	_, err := t.ExecContext(ctx, `INSERT INTO empty_scan (title_key, interface_url, emptied_at, rest) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT (title_key, interface_url) DO UPDATE SET emptied_at = excluded.emptied_at, rest = min(2 * rest, ?5)
		WHERE NOT (`+emptyRestSQL+`)`, key, interfaceURL, t.now, int64(emptyRest/time.Second), int64(maxEmptyRest/time.Second))
	return err
}

// emptyRestSQL tells whether a row of empty_scan keeps its title from being
// scanned at ?3. One from the future was recorded under another clock.
const emptyRestSQL = `?3 >= emptied_at AND ?3 < emptied_at + rest`

func (t tx) replaceAnswers(ctx context.Context, titleID int64, title sources.Title, answers []sources.SiteAnswer, refreshed bool) error {
	put, err := t.PrepareContext(ctx, putSource)
	if err != nil {
		return err
	}
	defer put.Close()
	for _, answer := range answers {
		if err := t.replaceAnswer(ctx, put, titleID, title, answer, refreshed); err != nil {
			return err
		}
	}
	return nil
}

// replaceAnswer makes the rows of one site those of the answer, unless they are those
// of a later one. It writes only what differs.
func (t tx) replaceAnswer(ctx context.Context, put *sql.Stmt, titleID int64, title sources.Title, answer sources.SiteAnswer, refreshed bool) error {
	var behind bool
	err := t.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM site_answer a WHERE a.title_id = ? AND a.site = ? AND `+laterSQL+`)`,
		titleID, answer.Site, toUnix(answer.SeenAt), t.now).Scan(&behind)
	if err != nil || behind {
		return err
	}
	stored := make(map[string]storedSource) // what is to go, in the end
	var damaged []int64
	err = t.eachSource(ctx, func(row *storedSource) error {
		stored[row.sourceID] = *row
		return nil
	}, func(id int64) { damaged = append(damaged, id) }, `title_id = ? AND site = ?`, titleID, answer.Site)
	if err != nil {
		return err
	}
	for _, id := range damaged { // a sound row may take its place
		if _, err := t.ExecContext(ctx, `DELETE FROM sources WHERE id = ?`, id); err != nil {
			return err
		}
	}
	rows, err := answerRows(title, answer)
	if err != nil {
		return err
	}
	for _, row := range rows {
		old := stored[row.sourceID]
		delete(stored, row.sourceID)
		row.follow(old, refreshed, t.now)
		if row == old {
			continue
		}
		if _, err := put.ExecContext(ctx, row.putArgs(titleID)...); err != nil {
			return err
		}
	}
	if err := t.deleteSources(ctx, stored); err != nil {
		return err
	}
	_, err = t.ExecContext(ctx, `INSERT INTO site_answer (title_id, site, seen_at) VALUES (?, ?, ?)
		ON CONFLICT (title_id, site) DO UPDATE SET seen_at = excluded.seen_at`, titleID, answer.Site, toUnix(answer.SeenAt))
	return err
}

// deleteSources deletes rows, and what became of sources that no row names any
// more.
func (t tx) deleteSources(ctx context.Context, gone map[string]storedSource) error {
	if len(gone) == 0 {
		return nil
	}
	for _, row := range gone {
		if _, err := t.ExecContext(ctx, `DELETE FROM sources WHERE id = ?`, row.id); err != nil {
			return err
		}
	}
	ids, err := json.Marshal(slices.Collect(maps.Keys(gone)))
	if err != nil {
		return err
	}
	for _, table := range []string{"stream", "unlocked_stream"} {
		_, err := t.ExecContext(ctx, `DELETE FROM `+table+` WHERE source_id IN (SELECT value FROM json_each(?))
			AND NOT EXISTS (SELECT 1 FROM sources s WHERE s.source_id = `+table+`.source_id)`, string(ids))
		if err != nil {
			return err
		}
	}
	return nil
}

// answerRows gives the rows of an answer, each source once.
func answerRows(title sources.Title, answer sources.SiteAnswer) ([]storedSource, error) {
	rows := make([]storedSource, 0, len(answer.Sources))
	named := make(map[string]bool, len(answer.Sources))
	for i, src := range answer.Sources {
		if src.ID == "" {
			src.ID = sources.SourceID(title, src.URL)
		}
		if named[src.ID] {
			continue
		}
		named[src.ID] = true
		row, err := newStoredSource(answer.Site, i, src)
		if err != nil {
			return nil, fmt.Errorf("source %s of site %s: %w", src.ID, answer.Site, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// reportJSON is how a site's report is stored.
type reportJSON struct {
	Key       string             `json:"key"`
	Name      string             `json:"name"`
	Type      string             `json:"type"`
	TimeoutMS int64              `json:"timeout_ms,omitempty"`
	Status    sources.SiteStatus `json:"status"`
	Sources   int                `json:"sources"`
	ElapsedMS int64              `json:"elapsed_ms"`
	Error     string             `json:"error,omitempty"`
	Note      string             `json:"note,omitempty"`
	Seen      string             `json:"seen,omitempty"` // see encodeSeen
}

func encodeReports(reports []sources.SiteReport) (string, error) {
	stored := make([]reportJSON, len(reports))
	for i, r := range reports {
		stored[i] = reportJSON{
			Key: r.Key, Name: r.Name, Type: r.Type, TimeoutMS: r.Timeout.Milliseconds(),
			Status: r.Status, Sources: r.Sources, ElapsedMS: r.Elapsed.Milliseconds(), Error: r.Error, Note: r.Note,
			Seen: encodeSeen(r.Seen),
		}
	}
	b, err := json.Marshal(stored)
	return string(b), err
}

func decodeReports(text string) ([]sources.SiteReport, error) {
	var stored []reportJSON
	if err := json.Unmarshal([]byte(text), &stored); err != nil {
		return nil, damagedf("stored site reports: %w", err)
	}
	reports := make([]sources.SiteReport, len(stored))
	for i, r := range stored {
		reports[i] = sources.SiteReport{
			SiteInfo: sources.SiteInfo{Key: r.Key, Name: r.Name, Type: r.Type, Timeout: time.Duration(r.TimeoutMS) * time.Millisecond},
			Status:   r.Status, Sources: r.Sources, Elapsed: time.Duration(r.ElapsedMS) * time.Millisecond, Error: r.Error, Note: r.Note,
			Seen: decodeSeen(r.Seen),
		}
	}
	return reports, nil
}
