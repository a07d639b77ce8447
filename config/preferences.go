package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/natefinch/atomic"
)

// FailoverMode is what happens when an interface cannot be loaded.
type FailoverMode int

// The modes, with their numbers in the preferences file.
const (
	FailoverOff    FailoverMode = 0 // report the error
	FailoverAuto   FailoverMode = 1 // try the next interface
	FailoverManual FailoverMode = 2 // ask the user
)

func (m FailoverMode) String() string {
	switch m {
	case FailoverOff:
		return "off"
	case FailoverManual:
		return "manual"
	default:
		return "auto"
	}
}

// The keys of the preferences file.
const (
	modeKey  = "interface_failover_mode"
	orderKey = "interface_order_vod"
)

// Preferences is the file of what users choose in the program. Other programs
// share it: keys that are not ours stay as they are. It is safe for concurrent
// use; a change starts from what the file holds at that moment.
type Preferences struct {
	path string

	mu      sync.Mutex
	values  map[string]json.RawMessage
	warning error
}

// OpenPreferences reads a preferences file. A missing or damaged one gives the
// defaults (see Warning), one that cannot be read an error.
func OpenPreferences(path string) (*Preferences, error) {
	p := &Preferences{path: path}
	if err := p.read(); err != nil {
		return nil, err
	}
	return p, nil
}

// Warning is what is wrong with the content of the file, nil if nothing is. The
// next change puts a damaged file aside, as NAME.corrupt.
func (p *Preferences) Warning() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.warning
}

// Mode is the failover mode; anything stored that is no mode is auto.
func (p *Preferences) Mode() FailoverMode {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := strconv.ParseFloat(unquoted(p.values[modeKey]), 64)
	switch m := FailoverMode(n); {
	case err != nil || n != float64(m):
		return FailoverAuto
	case m == FailoverOff || m == FailoverManual:
		return m
	default:
		return FailoverAuto
	}
}

// SetMode stores the failover mode.
func (p *Preferences) SetMode(m FailoverMode) error {
	if m < FailoverOff || m > FailoverManual {
		return fmt.Errorf("set failover mode %d: there is no such mode, use 0, 1 or 2", int(m))
	}
	return p.update(func(values map[string]json.RawMessage) {
		values[modeKey] = json.RawMessage(strconv.Itoa(int(m)))
	})
}

// Order is the user's order of interface URLs, without blanks and duplicates. It
// is empty if there is none, or none that can be read.
func (p *Preferences) Order() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var items []any
	if json.Unmarshal([]byte(unquoted(p.values[orderKey])), &items) != nil {
		return nil
	}
	urls := make([]string, 0, len(items))
	for _, item := range items {
		if s, ok := item.(string); ok {
			urls = append(urls, s)
		}
	}
	return distinct(urls)
}

// SetOrder stores the user's order; an empty one removes it. A file that holds the
// order as text keeps that form.
func (p *Preferences) SetOrder(urls []string) error {
	urls = distinct(urls)
	return p.update(func(values map[string]json.RawMessage) {
		if len(urls) == 0 {
			delete(values, orderKey)
			return
		}
		asText := bytes.HasPrefix(values[orderKey], []byte(`"`))
		values[orderKey] = encode(urls)
		if asText {
			values[orderKey] = encode(string(values[orderKey]))
		}
	})
}

// distinct drops blanks and duplicates; the first of each stays.
func distinct(urls []string) []string {
	var out []string
	for _, u := range urls {
		if u = strings.TrimSpace(u); u != "" && !slices.Contains(out, u) {
			out = append(out, u)
		}
	}
	return out
}

// unquoted is the content of a JSON string, and any other value as it is.
func unquoted(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil && !bytes.Equal(raw, []byte("null")) {
		return strings.TrimSpace(s)
	}
	return string(raw)
}

// encode is v as JSON, addresses unescaped. The values of this file always encode.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimSpace(b.Bytes())
}

// read takes over what the file holds now.
func (p *Preferences) read() error {
	p.values, p.warning = map[string]json.RawMessage{}, nil
	text, err := os.ReadFile(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("read preferences: %w; make it a file that you can read", err)
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	if len(text) == 0 {
		return nil
	}
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &values); err != nil {
		p.warning = fmt.Errorf("preferences %s are damaged, defaults are used; the next change puts the file aside as %s.corrupt: %w", p.path, filepath.Base(p.path), err)
		return nil
	}
	if values != nil { // the file holds null
		p.values = values
	}
	return nil
}

// update changes the file as it is now.
func (p *Preferences) update(change func(map[string]json.RawMessage)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.read(); err != nil {
		return err
	}
	if p.warning != nil {
		if err := setAside(p.path); err != nil {
			return fmt.Errorf("put damaged preferences aside: %w", err)
		}
		p.warning = nil
	}
	values := maps.Clone(p.values)
	change(values)
	if err := writePrivate(p.path, values); err != nil {
		return fmt.Errorf("write preferences: %w", err)
	}
	p.values = values
	return nil
}

// setAside renames a file to NAME.corrupt, or NAME.corrupt.2 and so on where that
// is taken.
func setAside(path string) error {
	aside := path + ".corrupt"
	for n := 2; ; n++ {
		_, err := os.Lstat(aside)
		if errors.Is(err, fs.ErrNotExist) {
			return os.Rename(path, aside)
		}
		if err != nil {
			return err
		}
		aside = fmt.Sprintf("%s.corrupt.%d", path, n)
	}
}

// writePrivate replaces a file, or the one that a link names, in one step. It is
// for its owner only.
func writePrivate(path string, values map[string]json.RawMessage) error {
	var text bytes.Buffer
	if err := json.Indent(&text, encode(values), "", "  "); err != nil {
		return err
	}
	text.WriteByte('\n')
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	// The replacement takes over the mode of the file that is there.
	if err := os.Chmod(path, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomic.WriteFile(path, &text)
}
