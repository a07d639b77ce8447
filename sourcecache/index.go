package sourcecache

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"xship/sources"
)

// The index of files is made for many: one of 100,000 is written in seconds and asked
// in a millisecond. A folder has a number, and its files have numbers behind that, so
// that they lie together and need no index of their own. A key is stored as a number
// too, and the rows of a batch are written in their order; the file tells the key itself.

const (
	// numberBits is how many bits of the id of a file are its number in its folder.
	numberBits = 24
	// indexBatch is how many files are removed in one transaction, or all of one folder.
	indexBatch = 1000
	// keysAtOnce is how many keys one statement writes or removes.
	keysAtOnce = 64
)

// IndexedRoot implements sources.Index.
func (db *DB) IndexedRoot(ctx context.Context, root string) (sources.IndexedRoot, error) {
	var r sources.IndexedRoot
	var at int64
	found, err := db.oneRow(ctx, db.reads, "index_root", shownValue(root), []any{&at, &r.Files, &r.Left},
		`SELECT walked_at, files, left_out FROM index_root WHERE root = ?`, root)
	if !found {
		return sources.IndexedRoot{}, db.fail(ctx, "read when files were indexed", err)
	}
	if at <= db.now().Unix() {
		r.WalkedAt = fromUnix(at)
	}
	return r, nil
}

// IndexedFolders implements sources.Index.
func (db *DB) IndexedFolders(ctx context.Context, root string) (map[string]string, error) {
	stamps := make(map[string]string)
	err := db.eachRow(ctx, db.reads, "index_folder", func(rows *sql.Rows) error {
		var path, stamp string
		err := rows.Scan(&path, &stamp)
		if err == nil {
			stamps[path] = stamp
		}
		return err
	}, `SELECT path, stamp FROM index_folder WHERE root_id = (SELECT id FROM index_root WHERE root = ?)`, root)
	return stamps, db.fail(ctx, "read the indexed folders", err)
}

// FindFiles implements sources.Index. Two keys may have one hash, so the file itself
// tells whether it is meant.
func (db *DB) FindFiles(ctx context.Context, root string, keys []string, limit int) ([]sources.IndexedFile, error) {
	const what = "find indexed files"
	var rootID int64
	found, err := db.oneRow(ctx, db.reads, "index_root", shownValue(root), []any{&rootID}, `SELECT id FROM index_root WHERE root = ?`, root)
	if !found || limit <= 0 {
		return nil, db.fail(ctx, what, err)
	}
	hashes := make([]int64, len(keys))
	for i, key := range keys {
		hashes[i] = hashOfKey(rootID, key)
	}
	list, err := json.Marshal(hashes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	var files []sources.IndexedFile
	err = db.eachRow(ctx, db.reads, "index_file", func(rows *sql.Rows) error {
		var row indexedFile
		if err := rows.Scan(&row.path, &row.keys, &row.facts); err != nil {
			return err
		}
		file, err := row.file()
		if err == nil && file.HasKey(keys) {
			files = append(files, file)
		}
		return err
	}, findFilesSQL, string(list), limit)
	return files, db.fail(ctx, what, err)
}

// findFilesSQL selects the files that have a key with one of the hashes ?1.
const findFilesSQL = `SELECT path, keys, facts FROM index_file
	WHERE id IN (SELECT k.file FROM json_each(?1) h CROSS JOIN index_key k ON k.hash = h.value) ORDER BY path LIMIT ?2`

// PutFolders implements sources.Index. Of a folder only what differs is written.
func (db *DB) PutFolders(ctx context.Context, root string, folders []sources.IndexedFolder) error {
	const what = "index files"
	if len(folders) == 0 {
		return nil
	}
	last := make(map[string]int, len(folders)) // where a folder is named last
	files := make([][]indexedFile, len(folders))
	for i, f := range folders {
		last[f.Path] = i
		var err error
		if files[i], err = newIndexedFiles(f.Files); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
	}
	return db.write(ctx, what, func(t tx) error {
		rootID, err := t.indexRoot(ctx, root)
		if err != nil {
			return err
		}
		w := indexWriter{tx: t, rootID: rootID}
		for i, f := range folders {
			if last[f.Path] != i {
				continue
			}
			if err := w.putFolder(ctx, f, files[i]); err != nil {
				return err
			}
		}
		return w.writeKeys(ctx)
	})
}

// DropFolders implements sources.Index.
func (db *DB) DropFolders(ctx context.Context, root string, paths []string) error {
	for len(paths) > 0 {
		err := db.write(ctx, "forget indexed folders", func(t tx) error {
			rootID, err := t.indexRoot(ctx, root)
			w := indexWriter{tx: t, rootID: rootID}
			for ; err == nil && len(paths) > 0 && w.removed < indexBatch; paths = paths[1:] {
				_, err = w.removeFolder(ctx, `?2`, paths[0])
			}
			return cmp.Or(err, w.writeKeys(ctx))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// EndWalk implements sources.Index.
func (db *DB) EndWalk(ctx context.Context, root string, r sources.IndexedRoot) error {
	return db.write(ctx, "record that files were indexed", func(t tx) error {
		id, err := t.indexRoot(ctx, root)
		if err != nil {
			return err
		}
		_, err = t.ExecContext(ctx, `UPDATE index_root SET walked_at = ?, files = ?, left_out = ? WHERE id = ?`, toUnix(r.WalkedAt), r.Files, r.Left, id)
		return err
	})
}

// ForgetRoot implements sources.Index. It is forgotten at once, and then removed; what
// is left of it where that ends early is removed with what is old.
func (db *DB) ForgetRoot(ctx context.Context, root string) error {
	err := db.write(ctx, "forget indexed files", func(t tx) error {
		_, err := t.ExecContext(ctx, `UPDATE index_root SET root = NULL WHERE root = ?`, root)
		return err
	})
	if err == nil {
		_, err = db.removeForgotten(ctx, -1)
	}
	return err
}

// expireRoots forgets the roots to which nobody has written since the given time, and
// removes what was forgotten, see removeForgotten. What was written in the future was
// so under another clock: its month begins now.
func (db *DB) expireRoots(ctx context.Context, before time.Time, batches int) (done bool, err error) {
	err = db.write(ctx, "forget indexed files", func(t tx) error {
		_, err := t.ExecContext(ctx, `UPDATE index_root SET root = iif(written_at < ?1, NULL, root), written_at = min(written_at, ?2)
			WHERE root IS NOT NULL AND (written_at < ?1 OR written_at > ?2)`, toUnix(before), t.now)
		return err
	})
	if err != nil {
		return false, err
	}
	return db.removeForgotten(ctx, batches)
}

// removeForgotten removes what is left of forgotten roots, in so many batches at most,
// all where that is negative, and tells whether nothing is left.
func (db *DB) removeForgotten(ctx context.Context, batches int) (done bool, err error) {
	for ; !done && batches != 0; batches-- {
		err := db.write(ctx, "remove indexed files", func(t tx) (err error) {
			done, err = t.removeForgotten(ctx)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return done, nil
}

// removeForgotten removes a batch of what is left of forgotten roots, and tells whether
// that was all.
func (t tx) removeForgotten(ctx context.Context) (done bool, err error) {
	w := indexWriter{tx: t}
	found, err := t.db.oneRow(ctx, t, "index_root", "", []any{&w.rootID}, `SELECT id FROM index_root WHERE root IS NULL LIMIT 1`)
	if err != nil || !found {
		return true, err
	}
	for found && err == nil && w.removed < indexBatch {
		found, err = w.removeFolder(ctx, `(SELECT path FROM index_folder WHERE root_id = ?1 LIMIT 1)`)
	}
	if err == nil && !found {
		_, err = t.ExecContext(ctx, `DELETE FROM index_root WHERE id = ?`, w.rootID)
	}
	return false, cmp.Or(err, w.writeKeys(ctx))
}

// indexRoot gives the id of a root that is written to, and makes it where there is none.
func (t tx) indexRoot(ctx context.Context, root string) (id int64, err error) {
	err = t.QueryRowContext(ctx, `INSERT INTO index_root (root, written_at) VALUES (?, ?)
		ON CONFLICT (root) DO UPDATE SET written_at = excluded.written_at RETURNING id`, root, t.now).Scan(&id)
	return id, err
}

// indexWriter writes to the index of a root within a transaction.
type indexWriter struct {
	tx
	rootID  int64
	gone    []indexedKey // to be removed
	keys    []indexedKey // to be added, after that
	removed int          // folders and files
}

// indexedKey is a row of index_key.
type indexedKey struct{ hash, file int64 }

// hashOfKey is what a key of a root is stored as.
func hashOfKey(rootID int64, key string) int64 {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 64), uint64(rootID))
	sum := sha256.Sum256(append(b, key...))
	return int64(binary.BigEndian.Uint64(sum[:])) //nolint:gosec // a number as good as any
}

// putFolder makes files those of a folder.
func (w *indexWriter) putFolder(ctx context.Context, folder sources.IndexedFolder, files []indexedFile) error {
	id, err := w.folderID(ctx, folder)
	if err != nil {
		return err
	}
	stored := make(map[string]indexedFile)
	used := make(map[int64]bool)
	err = w.eachFile(ctx, id, func(f indexedFile) {
		stored[f.path] = f
		used[f.id] = true
	})
	if err != nil {
		return err
	}
	var fresh []indexedFile
	for _, f := range files {
		old, ok := stored[f.path]
		switch {
		case !ok || old.keys != f.keys:
			fresh = append(fresh, f)
			continue
		case !bytes.Equal(old.facts, f.facts):
			if _, err := w.ExecContext(ctx, `UPDATE index_file SET facts = ? WHERE id = ?`, f.facts, old.id); err != nil {
				return err
			}
		}
		delete(stored, f.path)
	}
	for _, old := range stored {
		delete(used, old.id)
		if err := w.removeKeys(ctx, old); err != nil {
			return err
		}
		if _, err := w.ExecContext(ctx, `DELETE FROM index_file WHERE id = ?`, old.id); err != nil {
			return err
		}
	}
	next := id << numberBits
	for _, f := range fresh {
		for used[next] {
			next++
		}
		f.id = next
		next++
		if err := w.addFile(ctx, f); err != nil {
			return err
		}
	}
	return nil
}

// folderID gives the id of a folder, with its new stamp. An id that is damaged is
// replaced: its files are lost.
func (w *indexWriter) folderID(ctx context.Context, folder sources.IndexedFolder) (id int64, err error) {
	err = w.QueryRowContext(ctx, `INSERT INTO index_folder (root_id, path, stamp, id)
		VALUES (?, ?, ?, 1 + coalesce((SELECT id FROM index_folder WHERE typeof(id) = 'integer' ORDER BY id DESC LIMIT 1), 0))
		ON CONFLICT (root_id, path) DO UPDATE SET stamp = excluded.stamp, id = iif(typeof(id) = 'integer', id, excluded.id)
		RETURNING CAST(id AS INTEGER)`, w.rootID, folder.Path, folder.Stamp).Scan(&id)
	return id, err
}

// eachFile gives the files of a folder.
func (w *indexWriter) eachFile(ctx context.Context, folderID int64, use func(indexedFile)) error {
	return queryRows(ctx, w, func(rows *sql.Rows) error {
		var f indexedFile
		err := rows.Scan(&f.id, &f.path, &f.keys, &f.facts)
		use(f)
		return err
	}, `SELECT id, path, keys, facts FROM index_file WHERE `+ofFolderSQL, folderID)
}

func (w *indexWriter) addFile(ctx context.Context, f indexedFile) error {
	file, err := f.file()
	if err != nil {
		return err
	}
	for _, key := range file.Keys {
		w.keys = append(w.keys, indexedKey{hashOfKey(w.rootID, key), f.id})
	}
	_, err = w.ExecContext(ctx, `INSERT INTO index_file (id, path, keys, facts) VALUES (?, ?, ?, ?)`, f.id, f.path, f.keys, f.facts)
	return err
}

// removeKeys removes the keys of a file. Where it does not tell them any more all keys are
// looked through.
func (w *indexWriter) removeKeys(ctx context.Context, f indexedFile) error {
	w.removed++
	file, err := f.file()
	if err != nil {
		_, err := w.ExecContext(ctx, `DELETE FROM index_key WHERE file = ?`, f.id)
		return err
	}
	for _, key := range file.Keys {
		w.gone = append(w.gone, indexedKey{hashOfKey(w.rootID, key), f.id})
	}
	return nil
}

// removeFolder removes the folder with the path that an expression gives, in which ?1 is
// the root, with its files, and tells whether there was one.
func (w *indexWriter) removeFolder(ctx context.Context, path string, args ...any) (found bool, err error) {
	var id int64
	err = w.QueryRowContext(ctx, `DELETE FROM index_folder WHERE root_id = ?1 AND path = `+path+` RETURNING CAST(id AS INTEGER)`,
		append([]any{w.rootID}, args...)...).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	w.removed++
	var files []indexedFile
	if err := w.eachFile(ctx, id, func(f indexedFile) { files = append(files, f) }); err != nil {
		return false, err
	}
	for _, f := range files {
		if err := w.removeKeys(ctx, f); err != nil {
			return false, err
		}
	}
	_, err = w.ExecContext(ctx, `DELETE FROM index_file WHERE `+ofFolderSQL, id)
	return true, err
}

// ofFolderSQL selects the files of the folder ?1.
var ofFolderSQL = fmt.Sprintf(`id BETWEEN ?1 << %[1]d AND (?1 + 1 << %[1]d) - 1`, numberBits)

// writeKeys removes and adds the keys that were noted.
func (w *indexWriter) writeKeys(ctx context.Context) error {
	if err := w.eachKeys(ctx, w.gone, removeKeysSQL); err != nil {
		return err
	}
	return w.eachKeys(ctx, w.keys, addKeysSQL)
}

// removeKeysSQL and addKeysSQL are of the rows %s.
const (
	removeKeysSQL = `DELETE FROM index_key WHERE (hash, file) IN (VALUES %s)`
	addKeysSQL    = `INSERT OR IGNORE INTO index_key (hash, file) VALUES %s`
)

// eachKeys runs a statement on keys, many at once, in the order in which they are stored.
func (w *indexWriter) eachKeys(ctx context.Context, keys []indexedKey, statement string) error {
	slices.SortFunc(keys, func(a, b indexedKey) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.file, b.file)) })
	for len(keys) > 0 {
		n := 1
		if len(keys) >= keysAtOnce {
			n = keysAtOnce
		}
		args := make([]any, 0, 2*n)
		for _, k := range keys[:n] {
			args = append(args, k.hash, k.file)
		}
		places := strings.TrimSuffix(strings.Repeat("(?, ?), ", n), ", ")
		if _, err := w.ExecContext(ctx, fmt.Sprintf(statement, places), args...); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// indexedFile is a row of index_file.
type indexedFile struct {
	id    int64 // 0: not stored yet
	path  string
	keys  string // JSON
	facts []byte
}

// newIndexedFiles gives the rows of files. Of two with one path the last counts.
func newIndexedFiles(files []sources.IndexedFile) ([]indexedFile, error) {
	rows := make([]indexedFile, 0, len(files))
	place := make(map[string]int, len(files))
	for _, f := range files {
		kept, ok := f.Kept()
		if !ok {
			continue
		}
		keys, err := json.Marshal(append([]string{}, kept.Keys...))
		if err != nil {
			return nil, err
		}
		row := indexedFile{path: kept.Path, keys: string(keys), facts: append([]byte{}, kept.Facts...)}
		if i, twice := place[f.Path]; twice {
			rows[i] = row
			continue
		}
		place[f.Path] = len(rows)
		rows = append(rows, row)
	}
	return rows, nil
}

func (r *indexedFile) file() (f sources.IndexedFile, err error) {
	f.Path = r.path
	if len(r.facts) > 0 {
		f.Facts = r.facts
	}
	if err := json.Unmarshal([]byte(r.keys), &f.Keys); err != nil {
		return f, damagedf("stored keys of file %s: %w", shownValue(r.path), err)
	}
	return f, nil
}
