package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxPreferences bounds the preferences file, in bytes.
const maxPreferences = 16 << 20

// Preferences is the file of what users choose in the program, one JSON object.
// Other programs share it: keys that are not ours stay as they are. It is safe for
// concurrent use, by several processes too: a value is what the file holds at that
// moment, and a change starts from that and loses none of another's.
type Preferences struct {
	// Warn is told what a user should know of how a change was made; nil: nobody. It
	// is set before the first change.
	Warn func(warning string)

	path string
}

// OpenPreferences opens a preferences file. One that is missing or damaged holds
// nothing (see Warning), one that cannot be read is an error.
func OpenPreferences(path string) (*Preferences, error) {
	p := &Preferences{path: path}
	if _, _, err := p.read(); err != nil {
		return nil, err
	}
	return p, nil
}

// Warning is what is wrong with the file, nil if nothing is. The next change puts
// a damaged file aside, as NAME.corrupt.
func (p *Preferences) Warning() error {
	_, damage, err := p.read()
	return errors.Join(damage, err)
}

// Get gives the value that the file holds now, nil where it has none.
func (p *Preferences) Get(key string) (json.RawMessage, error) {
	values, _, err := p.read()
	return values[key], err
}

// Update changes the values of the file in one step. change gets all that the file
// holds now, and may run while other processes wait. The error is a *LockedError
// where another process does not let go of the file.
func (p *Preferences) Update(change func(values map[string]json.RawMessage)) error {
	err := changePrivate(p.path, func(path string) error {
		values, damage, err := p.read()
		if err != nil {
			return err
		}
		if damage != nil {
			if err := setAside(path); err != nil {
				return fmt.Errorf("put the damaged file aside: %w", err)
			}
		}
		change(values)
		mounted, err := writePrivate(path, values)
		if mounted && err == nil && p.Warn != nil {
			p.Warn(mountedWarning(p.path))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("change preferences: %w", err)
	}
	return nil
}

// read gives what the file holds, and what is wrong with that.
func (p *Preferences) read() (values map[string]json.RawMessage, damage, err error) {
	none := map[string]json.RawMessage{}
	text, _, err := readWritten(p.path, maxPreferences)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, nil, nil
	case err != nil:
		return nil, nil, fmt.Errorf("read preferences %s: %w; make it a file that you can read", p.path, bare(err))
	}
	if len(text) == 0 {
		return none, nil, nil
	}
	switch err := json.Unmarshal(text, &values); {
	case err != nil:
		damage = fmt.Errorf("preferences %s are damaged, defaults are used; the next change puts the file aside as %s.corrupt: %w", p.path, filepath.Base(p.path), jsonProblem(err))
		return none, damage, nil
	case values == nil: // the file holds null
		return none, nil, nil
	}
	return values, nil, nil
}

// setAside renames a file to NAME.corrupt, or NAME.corrupt.2 and so on where that
// is taken. One that is a mount of its own is copied there.
func setAside(path string) error {
	aside := path + ".corrupt"
	for n := 2; ; n++ {
		_, err := os.Lstat(aside)
		if errors.Is(err, fs.ErrNotExist) {
			if err = renameFile(path, aside); isMount(err) {
				err = copyFile(path, aside)
			}
			return err
		}
		if err != nil {
			return err
		}
		aside = fmt.Sprintf("%s.corrupt.%d", path, n)
	}
}
