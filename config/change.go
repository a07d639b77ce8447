package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"xship/sources/text"
)

// ChangeError says why a setting is not changed. Nothing was.
type ChangeError struct {
	Text string
	Hint string // what the user can do
}

func (e *ChangeError) Error() string { return e.Text }

// ErrorCode implements text.Coded.
func (*ChangeError) ErrorCode() string { return "settings" }

// ErrorHint implements text.Hinted.
func (e *ChangeError) ErrorHint() string { return e.Hint }

// ErrFileChanged says that a settings file is not what it was when it was read.
var ErrFileChanged = errors.New("the settings file was changed by another program meanwhile")

// SettingsFile is a settings file that is changed.
type SettingsFile struct {
	Path string
	// Check is asked of settings that are right as far as this package knows; nil: nobody.
	Check func(*Settings) error
}

// Change tells what became of a setting.
type Change struct {
	Key      Key
	Value    string   // that the file has now, as a user would write it, secrets masked; the default where it has none
	Before   string   // that it had, likewise
	Was, Is  bool     // whether the file set it, and whether it does now
	Same     bool     // the file had that very value, also where both are masked
	Made     bool     // the file was made
	Warnings []string // what a user should know of the file
}

// KeyNamed finds a key by its name, in any case, or by that of its variable. The error
// is a *ChangeError that names the nearest one.
func KeyNamed(name string) (Key, error) {
	keys := Keys()
	names := make([]string, len(keys))
	given := strings.ToLower(strings.TrimSpace(name))
	for i, k := range keys {
		if k.Name == given || strings.EqualFold(k.Env, strings.TrimSpace(name)) {
			return k, nil
		}
		names[i] = k.Name
	}
	var members []string
	for _, n := range names {
		if strings.HasPrefix(n, given+".") {
			members = append(members, n)
		}
	}
	shown := text.Clean(name)
	if len(members) > 0 {
		return Key{}, &ChangeError{Text: fmt.Sprintf("%s is a group of settings", shown), Hint: "name one of " + strings.Join(members, ", ")}
	}
	return Key{}, &ChangeError{
		Text: fmt.Sprintf("there is no setting %q", shown),
		Hint: strings.TrimPrefix(didYouMean(given, names, "xship config show lists all keys"), "; "),
	}
}

// Set has the file set a key to a value: one text, or the items of a list. It changes
// nothing else of the file, and is a *ChangeError where that cannot be, an *InvalidError
// where the settings would be wrong. The file is made where it is missing.
func (f SettingsFile) Set(key Key, values []string) (Change, error) {
	if key.Name == accountsKey {
		return Change{}, &ChangeError{Text: accountsKey + " holds the keys of accounts, which are no arguments", Hint: "add one with xship accounts add PROVIDER, or use xship config edit"}
	}
	value, err := key.read(values)
	if err != nil {
		return Change{}, err
	}
	written, err := yamlValue(value)
	if err != nil {
		return Change{}, &ChangeError{Text: fmt.Sprintf("the value of %s cannot be written in a line: %v", key.Name, err), Hint: "use xship config edit"}
	}
	return f.change(key, value, func(d *document) []string { return d.proposals(key, written) })
}

// Unset has the file not set a key, so that its default counts.
func (f SettingsFile) Unset(key Key) (Change, error) {
	if was, err := f.Text(); was == nil {
		return Change{Key: key, Value: key.Default, Before: key.Default}, err
	}
	return f.change(key, nil, func(d *document) []string { return d.without(key) })
}

// accountsKey is the setting whose values are secrets alone.
const accountsKey = "debrid.accounts"

// read parses what was given for a key on a command line.
func (k Key) read(values []string) (any, error) {
	given := any(strings.Join(values, " "))
	isList := k.isList()
	switch {
	case !utf8.ValidString(strings.Join(values, "")):
		return nil, &InvalidError{Problems: []Problem{{Key: k.Name, Origin: OriginArgument, Message: "use text in UTF-8"}}}
	case isList && len(values) > 1:
		given = values
	case isList && len(values) == 1:
		given = k.orList(values[0])
	case len(values) > 1:
		e := &ChangeError{Text: fmt.Sprintf("%s takes one value, got %d", k.Name, len(values)), Hint: "put a value with spaces in quotes"}
		if values[0] == "=" {
			e.Hint = "leave the = out"
		}
		return nil, e
	}
	value, err := k.parse(given)
	if err != nil {
		return nil, &InvalidError{Problems: []Problem{{Key: k.Name, Value: k.shownInvalid(given), Origin: OriginArgument, Message: err.Error()}}}
	}
	return value, nil
}

// orList is the value of a key that takes a list, as that list where it is written in
// brackets.
func (k Key) orList(value string) any {
	if _, isList := k.zero().([]string); isList {
		if items, ok := flowList(value); ok {
			return items
		}
	}
	return value
}

// flowList reads a list in brackets, as a settings file has it.
func flowList(value string) (items []any, ok bool) {
	value = strings.TrimSpace(value)
	if !strings.HasPrefix(value, "[") || !strings.HasSuffix(value, "]") {
		return nil, false
	}
	return items, yaml.Unmarshal([]byte(value), &items) == nil
}

// zero is the default of a key as its parser gives it.
func (k Key) zero() any {
	value, _ := k.parse(k.Default)
	return value
}

// isList tells whether a value of a key is a list of texts.
func (k Key) isList() bool {
	_, is := k.zero().([]string)
	return is
}

// change writes the first proposal that does what is wanted and no more: value is that of
// the key, nil where the file must not set it.
func (f SettingsFile) change(key Key, value any, propose func(*document) []string) (Change, error) {
	c := Change{Key: key}
	err := changePrivate(f.target(), func(path string) error {
		was, mode, err := readForChange(path)
		if err != nil {
			return f.unreadable(err)
		}
		mark, plain := withoutMark(was)
		before, err := f.flat(plain)
		if err != nil {
			return err
		}
		c.Made, c.Is = was == nil, value != nil
		c.Before, c.Was = key.Default, before[key.Name] != nil
		if raw := before[key.Name]; raw != nil {
			c.Before, c.Same = key.shownRaw(raw), key.holds(raw, value)
		}
		if c.Value = key.Default; value != nil {
			c.Value = key.shown(value)
		}
		if value == nil && !c.Was {
			c.Made = false
			return nil
		}
		d, err := newDocument(string(plain))
		if err != nil {
			return yamlError(f.Path, plain, err)
		}
		after, err := f.first(propose(d), before, key, value)
		if err != nil {
			return err
		}
		return f.write(path, was, slices.Concat(mark, []byte(after)), mode, &c)
	})
	return c, f.unwritable(err)
}

// first is the first proposal that gives the key the value and leaves all else as it is,
// and whose settings are right, as far as they were before.
func (f SettingsFile) first(proposals []string, before map[string]any, key Key, value any) (string, error) {
	for _, p := range proposals {
		after, err := f.flat([]byte(p))
		if err != nil || !sameBut(before, after, key.Name) || !key.holds(after[key.Name], value) {
			continue
		}
		return p, f.worse(before, after)
	}
	return "", &ChangeError{
		Text: fmt.Sprintf("%s cannot be changed where it stands in %s", key.Name, f.Path),
		Hint: "change it by hand: xship config edit",
	}
}

// holds tells whether raw, as the file has it, is the value.
func (k Key) holds(raw, value any) bool {
	if value == nil || raw == nil {
		return value == nil && raw == nil
	}
	parsed, err := k.parse(raw)
	return err == nil && reflect.DeepEqual(parsed, value)
}

// shownRaw is what the file has as a user may see it.
func (k Key) shownRaw(raw any) string {
	if value, err := k.parse(raw); err == nil {
		return k.shown(value)
	}
	return k.shownInvalid(raw)
}

func sameBut(a, b map[string]any, key string) bool {
	same := func(a, b map[string]any) bool {
		for name, value := range a {
			if name != key && !reflect.DeepEqual(value, b[name]) {
				return false
			}
		}
		return true
	}
	return same(a, b) && same(b, a)
}

// flat gives all that the text of a settings file sets, by key.
func (f SettingsFile) flat(plain []byte) (map[string]any, error) {
	l := newLoader(LoadOptions{File: f.Path})
	if err := l.readText(f.Path, plain); err != nil {
		return nil, err
	}
	set := make(map[string]any)
	for _, name := range l.viper.AllKeys() {
		if value := l.viper.Get(name); value != nil {
			set[name] = value
		}
	}
	return set, nil
}

// worse is what is wrong with the settings that a file sets and was not before.
func (f SettingsFile) worse(before, after map[string]any) error {
	err := f.check(after)
	if err == nil {
		return nil
	}
	wasErr := f.check(before)
	invalid, ok := errors.AsType[*InvalidError](err)
	switch {
	case !ok && wasErr != nil && wasErr.Error() == err.Error():
		return nil
	case !ok:
		return err
	}
	if was, ok := errors.AsType[*InvalidError](wasErr); ok {
		invalid.Problems = slices.DeleteFunc(invalid.Problems, func(p Problem) bool { return slices.Contains(was.Problems, p) })
	}
	if len(invalid.Problems) > 0 {
		return invalid
	}
	return nil
}

// check tells whether what a file sets makes right settings.
func (f SettingsFile) check(set map[string]any) error {
	l := newLoader(LoadOptions{File: f.Path})
	for name, value := range set {
		l.viper.Set(name, value)
	}
	return f.loaded(l)
}

// loaded tells whether what l has read makes right settings.
func (f SettingsFile) loaded(l *loader) error {
	s, err := l.load()
	if err == nil && f.Check != nil {
		err = f.Check(s)
	}
	return err
}

// Valid tells whether text makes right settings, alone in a file.
func (f SettingsFile) Valid(text []byte) error {
	l := newLoader(LoadOptions{File: f.Path})
	if err := l.readText(f.Path, text); err != nil {
		return err
	}
	return f.loaded(l)
}

// Text is what the file holds, and nil where it is missing.
func (f SettingsFile) Text() ([]byte, error) {
	was, _, err := readForChange(f.target())
	if err != nil {
		return nil, f.unreadable(err)
	}
	return was, nil
}

// Replace writes text in the place of was, which the file holds; nil where it is missing.
// The error is ErrFileChanged where it holds something else. What a user should know of
// how it was written is a warning.
func (f SettingsFile) Replace(was, text []byte) (warnings []string, err error) {
	var c Change
	err = changePrivate(f.target(), func(path string) error {
		now, mode, err := readForChange(path)
		switch {
		case err != nil:
			return f.unreadable(err)
		case !bytes.Equal(now, was) || (now == nil) != (was == nil):
			return ErrFileChanged
		}
		return f.write(path, was, text, mode, &c)
	})
	return c.Warnings, f.unwritable(err)
}

// unwritable is err in the words of a settings file, where it is that of its directory or
// of the lock beside it.
func (f SettingsFile) unwritable(err error) error {
	failed, ok := errors.AsType[*fs.PathError](err)
	if !ok {
		return err
	}
	return &FileError{Path: f.Path, Err: failed.Err, Hint: "make its directory one that you can write in", Writing: true}
}

// write writes the file, and warns of what a user should know.
func (f SettingsFile) write(path string, was, text []byte, mode fs.FileMode, c *Change) error {
	if was == nil {
		mode = 0o600
	}
	mounted, err := replaceText(path, text, mode)
	if err != nil {
		return &FileError{Path: f.Path, Err: bare(err), Hint: "make it a file that you can write", Writing: true}
	}
	if mounted {
		c.Warnings = append(c.Warnings, mountedWarning(f.Path))
	}
	l := newLoader(LoadOptions{File: f.Path})
	l.mode = mode
	if l.readText(f.Path, text) == nil {
		c.Warnings = append(c.Warnings, l.warnings()...)
	}
	return nil
}

// target is the file that is written: the one that links lead to, also one that is
// missing.
func (f SettingsFile) target() string {
	const most = 40
	path := f.Path
	for range most {
		to, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return path
}

// readForChange reads a settings file as it is, nil where it is missing. One that is no
// file of its own cannot be changed.
func readForChange(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file")
	}
	if err != nil {
		return nil, 0, bare(err)
	}
	was, mode, err := readLimited(path, maxFile)
	switch {
	case err != nil:
		return nil, 0, bare(err)
	case !utf8.Valid(was):
		return nil, 0, errNotUTF8
	case was == nil:
		was = []byte{}
	}
	return was, mode, nil
}

var errNotUTF8 = errors.New("it is not UTF-8")

func (f SettingsFile) unreadable(err error) error {
	hint := "make it a YAML file that you can read"
	if errors.Is(err, errNotUTF8) {
		hint = "save it as UTF-8"
	}
	return &FileError{Path: f.Path, Err: err, Hint: hint}
}
