package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
)

// entriesFile is a file of secrets that the program itself adds, a list of entries, for
// its owner only. It is safe for concurrent use, by several processes too. What it holds
// beside the entries that this program understands stays as it is.
type entriesFile struct {
	// Warn is told what a user should know of how a change was made; nil: nobody. It
	// is set before the first change.
	Warn func(warning string)

	path string
	what string // the entries are called, and their key in the file
}

// entriesDoc is what the file holds.
type entriesDoc struct {
	entries []json.RawMessage
	others  map[string]json.RawMessage // keys that are not ours
	mode    fs.FileMode                // 0 where there is no file
}

func (f *entriesFile) read() (*entriesDoc, error) {
	doc := &entriesDoc{others: map[string]json.RawMessage{}}
	text, mode, err := readWritten(f.path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return doc, nil
	case err != nil:
		return nil, fmt.Errorf("read %s %s: %w; make it a file that you can read", f.what, f.path, bare(err))
	}
	doc.mode = mode
	if len(text) == 0 {
		return doc, nil
	}
	err = json.Unmarshal(text, &doc.others)
	if raw := doc.others[f.what]; err == nil && raw != nil {
		err = json.Unmarshal(raw, &doc.entries)
	}
	if err != nil || doc.others == nil {
		return nil, fmt.Errorf("%s %s are damaged; mend the JSON, or move the file away and add the %s again", f.what, f.path, f.what)
	}
	delete(doc.others, f.what)
	return doc, nil
}

// change changes the file as it is now.
func (f *entriesFile) change(change func(*entriesDoc)) error {
	err := changePrivate(f.path, func(path string) error {
		doc, err := f.read()
		if err != nil {
			return err
		}
		change(doc)
		entries, err := json.Marshal(append([]json.RawMessage{}, doc.entries...))
		if err != nil {
			return err
		}
		doc.others[f.what] = entries
		mounted, err := writePrivate(path, doc.others)
		if mounted && err == nil && f.Warn != nil {
			f.Warn(mountedWarning(f.path))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("change %s: %w", f.what, err)
	}
	return nil
}

// put stores an entry in the place of the first one that is says to be the same, and
// takes the others of these out.
func (d *entriesDoc) put(entry json.RawMessage, is func(json.RawMessage) bool) {
	kept, placed := make([]json.RawMessage, 0, len(d.entries)+1), false
	for _, raw := range d.entries {
		switch {
		case !is(raw):
			kept = append(kept, raw)
		case !placed:
			kept, placed = append(kept, entry), true
		}
	}
	if !placed {
		kept = append(kept, entry)
	}
	d.entries = kept
}

// othersRead tells whether a file mode lets others than the owner at the file.
// Windows has no such modes.
func othersRead(mode fs.FileMode) bool { return mode.Perm()&0o077 != 0 && runtime.GOOS != "windows" }

func readByOthers(path string, mode fs.FileMode) string {
	return fmt.Sprintf("%s holds keys, and others than its owner can read it (mode %04o); run chmod 600 on it", path, mode.Perm())
}
