package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/viper"
	"go.yaml.in/yaml/v3"
)

// maxFile bounds a settings file, in bytes.
const maxFile = 1 << 20

// LoadOptions tell Load where settings come from.
type LoadOptions struct {
	File      string                           // YAML; "" = none
	Explicit  bool                             // the user named File: it must exist
	LookupEnv func(name string) (string, bool) // nil = no environment
	Environ   []string                         // all of it as NAME=value, for variables that mean nothing; nil = not looked for
	Overrides map[string]any                   // values of flags, by key
}

// Load reads the settings. A flag beats the environment, that the file, and that
// the default. An empty variable, and a key without a value in the file, count as
// not set; an unknown variable is a warning. Wrong values and unknown keys make one
// *InvalidError that lists them all, an unreadable file a *FileError.
func Load(o LoadOptions) (*Settings, error) {
	l := newLoader(o)
	if err := l.readFile(); err != nil {
		return nil, err
	}
	return l.load()
}

func newLoader(o LoadOptions) *loader {
	l := &loader{options: o, viper: viper.New(), keys: Keys()}
	l.viper.SetConfigType("yaml")
	return l
}

// load makes the settings of what the file holds and the other origins.
func (l *loader) load() (*Settings, error) {
	l.checkKeys()
	warnings := l.warnings()
	values := make([]Value, len(l.keys))
	for i, key := range l.keys {
		values[i] = l.setting(key)
	}
	l.chooseStore(values)
	if l.value(values, "debrid.timeout").Origin == OriginDefault { // which is not the same for all providers
		l.viper.Set("debrid.timeout", time.Duration(0))
	}
	if len(l.problems) > 0 {
		return nil, &InvalidError{Problems: l.problems}
	}
	s := &Settings{Warnings: warnings, Ignored: IgnoredVariables(l.options.Environ), values: values}
	if err := l.viper.UnmarshalExact(s); err != nil {
		return nil, fmt.Errorf("assign settings: %w", err)
	}
	return s, nil
}

// loader is the state of one Load.
type loader struct {
	options  LoadOptions
	viper    *viper.Viper
	keys     []Key
	mode     fs.FileMode // of the settings file, 0 without one
	problems []Problem
}

// readFile reads the settings file into viper.
func (l *loader) readFile() error {
	path := l.options.File
	if path == "" {
		return nil
	}
	text, mode, err := readLimited(path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !l.options.Explicit:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return &FileError{Path: path, Err: fs.ErrNotExist, Hint: "check --config and XSHIP_CONFIG"}
	case err != nil:
		return &FileError{Path: path, Err: bare(err), Hint: "make it a YAML file that you can read"}
	}
	l.mode = mode
	return l.readText(path, text)
}

// readText reads the text of a settings file into viper.
func (l *loader) readText(path string, text []byte) error {
	if err := l.viper.ReadConfig(bytes.NewReader(text)); err != nil {
		return yamlError(path, text, err)
	}
	return oneDocument(path, text)
}

// oneDocument refuses a settings file with a second document, which the parser of
// settings drops without a word.
func oneDocument(path string, text []byte) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for n := 0; ; n++ {
		var document yaml.Node
		err := decoder.Decode(&document)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return yamlError(path, text, err)
		case n > 0 && len(document.Content) > 0 && document.Content[0].Tag != "!!null":
			return &FileError{
				Path: path, Line: document.Content[0].Line, Err: errors.New("a second YAML document begins here"),
				Hint: "write all settings in one document, and take out the line --- before it",
			}
		}
	}
}

// warnings tells where a settings file holds secrets that others can read.
func (l *loader) warnings() []string {
	if !othersRead(l.mode) {
		return nil
	}
	for _, key := range l.keys {
		raw := l.viper.Get(key.Name)
		if key.mask == nil || raw == nil {
			continue
		}
		if value, err := key.parse(raw); err == nil && strings.Contains(key.mask(value), Masked) {
			return []string{readByOthers(l.options.File, l.mode)}
		}
	}
	return nil
}

// bare drops the path that an error of package os repeats.
func bare(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

var (
	yamlLine = regexp.MustCompile(`line (\d+): `)
	// yamlParser starts the errors of the YAML parser, which counts lines from 0.
	yamlParser = regexp.MustCompile(`^did not find expected`)
	// yamlPlaced starts the errors that have a line; that of the first is left out.
	yamlPlaced = regexp.MustCompile(`^(did not find|could not find|found|mapping values|block )`)
	// yamlEncoding is in the errors of what is no UTF-8.
	yamlEncoding = regexp.MustCompile(`UTF-8|UTF-16|control characters are not allowed`)
	// yamlAlias is the error of an alias that nothing defines. It quotes the value.
	yamlAlias = regexp.MustCompile(`^unknown anchor '.*' referenced`)
)

// yamlError names the line of a defect, and says what is most likely meant.
func yamlError(path string, text []byte, err error) error {
	said := err.Error()
	if parse, ok := errors.AsType[viper.ConfigParseError](err); ok {
		said = parse.Unwrap().Error()
	}
	said = strings.TrimPrefix(said, "yaml: ")
	said = strings.TrimPrefix(said, "unmarshal errors:\n  ")
	e := &FileError{Path: path, Hint: "correct the YAML there"}
	if m := yamlLine.FindStringSubmatch(said); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		said = strings.Replace(said, m[0], "", 1)
		if yamlParser.MatchString(said) {
			e.Line++
		}
	} else if yamlPlaced.MatchString(said) {
		e.Line = 1
	}
	switch {
	case strings.Contains(said, "into map[string]interface"):
		said = "it does not hold settings such as scan.timeout: 30s"
	case yamlAlias.MatchString(said):
		said = "found an alias that nothing defines"
	}
	if yamlEncoding.MatchString(said) {
		e.Hint = "save it as UTF-8"
	} else if line, hint := yamlHint(text, e.Line); hint != "" {
		e.Line, e.Hint = line, hint
	}
	e.Err = errors.New(said)
	return e
}

// checkKeys reports keys of the file that are none.
func (l *loader) checkKeys() {
	for _, name := range slices.Sorted(slices.Values(l.viper.AllKeys())) {
		if l.known(name) {
			continue
		}
		value := l.viper.Get(name)
		message := "unknown key" + l.suggest(name)
		if members := l.members(name); len(members) > 0 {
			if value == nil {
				continue // a group with nothing in it
			}
			message = "this is a group of settings; write " + strings.Join(members, ", ")
		}
		l.problems = append(l.problems, Problem{Key: name, Value: l.showUnknown(name, value), Origin: OriginFile, Source: l.options.File, Message: message})
	}
	for _, name := range slices.Sorted(maps.Keys(l.options.Overrides)) {
		if !l.known(name) {
			l.problems = append(l.problems, Problem{Key: name, Value: l.showUnknown(name, l.options.Overrides[name]), Origin: OriginFlag, Message: "unknown key" + l.suggest(name)})
		}
	}
}

func (l *loader) known(name string) bool {
	return slices.ContainsFunc(l.keys, func(k Key) bool { return k.Name == name })
}

// members lists the keys of a group.
func (l *loader) members(group string) []string {
	var names []string
	for _, k := range l.keys {
		if strings.HasPrefix(k.Name, group+".") {
			names = append(names, k.Name)
		}
	}
	return names
}

// suggest names the key that was probably meant.
func (l *loader) suggest(name string) string {
	names := make([]string, len(l.keys))
	for i, k := range l.keys {
		names[i] = k.Name
	}
	return didYouMean(name, names, "xship config show lists all keys")
}

// showUnknown shows the value of a key that is none where it can be no secret: a
// number, true, false or a duration, in no group that holds secrets.
func (l *loader) showUnknown(name string, value any) string {
	group, _, _ := strings.Cut(name, ".")
	secret := slices.ContainsFunc(l.keys, func(k Key) bool { return k.mask != nil && strings.HasPrefix(k.Name, group+".") })
	if secret || !plainValue(value) {
		return ""
	}
	return show(value)
}

func plainValue(value any) bool {
	switch v := value.(type) {
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !plainValue(item) })
	case string:
		_, err := time.ParseDuration(v)
		return err == nil
	case bool, int, float64, time.Duration:
		return true
	default:
		return false
	}
}

// setting finds the strongest value of a key, checks it, and hands it to viper.
func (l *loader) setting(key Key) Value {
	raw, origin, source := l.find(key)
	if text, ok := raw.(string); ok && origin == OriginEnvironment {
		raw = key.orList(text)
	}
	value, err := key.parse(raw)
	if text, ok := raw.(string); ok && err != nil && origin == OriginEnvironment { // as env files keep quotes
		if unquoted, quotedErr := key.parse(Unquoted(text)); quotedErr == nil {
			value, err = unquoted, nil
		}
	}
	if err != nil {
		l.problems = append(l.problems, Problem{Key: key.Name, Value: key.shownInvalid(raw), Origin: origin, Source: source, Message: err.Error()})
		return Value{}
	}
	l.viper.Set(key.Name, value)
	return Value{Key: key.Name, Value: key.shown(value), Origin: origin, Source: source}
}

// chooseStore makes Redis the store of cooldowns where a server is named and no
// store is, and reports Redis without a server.
func (l *loader) chooseStore(values []Value) {
	store := l.value(values, "cooldown.store")
	server := l.value(values, "redis.url")
	switch {
	case server.Value != "" && store.Origin == OriginDefault:
		store.Value, store.Origin, store.Source = "redis", server.Origin, server.Source
		l.viper.Set(store.Key, store.Value)
	case server.Key != "" && server.Value == "" && store.Value == "redis":
		l.problems = append(l.problems, Problem{
			Key: store.Key, Value: store.Value, Origin: store.Origin, Source: store.Source,
			Message: "redis.url names no server; set it, or use sqlite or memory",
		})
	}
}

// value finds the value of a key.
func (l *loader) value(values []Value, name string) *Value {
	return &values[slices.IndexFunc(l.keys, func(k Key) bool { return k.Name == name })]
}

// shown is a value of the key as a user may see it.
func (k Key) shown(value any) string {
	if k.mask != nil {
		return k.mask(value)
	}
	return show(value)
}

// shownInvalid is a wrong value of the key as a user may see it.
func (k Key) shownInvalid(raw any) string {
	if k.mask != nil {
		return ""
	}
	return show(raw)
}

func (l *loader) find(key Key) (raw any, origin Origin, source string) {
	if v, ok := l.options.Overrides[key.Name]; ok {
		return v, OriginFlag, ""
	}
	if l.options.LookupEnv != nil {
		if v, ok := l.options.LookupEnv(key.Env); ok && v != "" {
			if items, isFlow := flowList(v); isFlow && key.isList() {
				return items, OriginEnvironment, key.Env
			}
			return v, OriginEnvironment, key.Env
		}
	}
	if v := l.viper.Get(key.Name); v != nil {
		return v, OriginFile, l.options.File
	}
	return key.Default, OriginDefault, ""
}

// show writes a value as a user would.
func show(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case time.Duration:
		return short(v)
	case []string:
		return strings.Join(v, ",")
	case []any:
		items := make([]string, len(v))
		for i, item := range v {
			items[i] = show(item)
		}
		return strings.Join(items, ",")
	default:
		return fmt.Sprint(v)
	}
}
