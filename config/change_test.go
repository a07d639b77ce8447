package config_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"xship/config"
)

func keyNamed(t *testing.T, name string) config.Key {
	t.Helper()
	key, err := config.KeyNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestSettingsFile_Set changes what it is told to, and no other byte of the file.
func TestSettingsFile_Set(t *testing.T) {
	template := string(config.Template())
	for name, c := range map[string]struct {
		before, key, value, after string
	}{
		"an empty file":            {"", "scan.limit", "7", "scan.limit: 7\n"},
		"comments alone":           {"# mine\n", "scan.limit", "7", "# mine\nscan.limit: 7\n"},
		"no end of line":           {"# mine", "scan.limit", "7", "# mine\nscan.limit: 7\n"},
		"a dotted key":             {"scan.limit: 5 # few\nscan.workers: 3\n", "scan.limit", "7", "scan.limit: 7 # few\nscan.workers: 3\n"},
		"the last, no end of line": {"scan.limit: 5", "scan.limit", "7", "scan.limit: 7"},
		"a group":                  {"scan:\n  # most\n  limit: 5   # few\n  workers: 3\n", "scan.limit", "7", "scan:\n  # most\n  limit: 7   # few\n  workers: 3\n"},
		"deep":                     {"scan:\n        limit: 5\n", "scan.limit", "7", "scan:\n        limit: 7\n"},
		"upper case":               {"Scan:\n  LIMIT: 5\n", "scan.limit", "7", "Scan:\n  LIMIT: 7\n"},
		"keys in quotes":           {"\"scan\":\n  'limit' : 5\n", "scan.limit", "7", "\"scan\":\n  'limit' : 7\n"},
		"no value":                 {"scan:\n  limit:\n  workers: 3\n", "scan.limit", "7", "scan:\n  limit: 7\n  workers: 3\n"},
		"no value, a comment":      {"scan:\n  limit: # how many\n", "scan.limit", "7", "scan:\n  limit: 7 # how many\n"},
		"a null":                   {"scan:\n  limit: ~\n", "scan.limit", "7", "scan:\n  limit: 7\n"},
		"a value in quotes":        {"scan: \n  quality: '4K' # all\n", "scan.quality", "1080", "scan: \n  quality: 1080p # all\n"},
		"a hash in quotes":         {"redis:\n  prefix: \"a # b\" # c\n", "redis.prefix", "x", "redis:\n  prefix: x # c\n"},
		"a key that is not there":  {"scan:\n  workers: 3\n\n# end\n", "scan.limit", "7", "scan:\n  workers: 3\n  limit: 7\n\n# end\n"},
		"before another group":     {"scan:\n  workers: 3\nprobe:\n  workers: 2\n", "scan.limit", "7", "scan:\n  workers: 3\n  limit: 7\nprobe:\n  workers: 2\n"},
		"an empty group":           {"scan:\nprobe:\n  workers: 2\n", "scan.limit", "7", "scan:\n  limit: 7\nprobe:\n  workers: 2\n"},
		"another group":            {"probe:\n  workers: 2\n", "scan.limit", "7", "probe:\n  workers: 2\nscan.limit: 7\n"},
		"braces":                   {"scan: {limit: 5, workers: 3} # all\n", "scan.limit", "7", "scan: {limit: 7, workers: 3} # all\n"},
		"braces, the last":         {"scan: {workers: 3, limit: 5}\n", "scan.limit", "7", "scan: {workers: 3, limit: 7}\n"},
		"braces, not there":        {"scan: {workers: 3 }\n", "scan.limit", "7", "scan: {workers: 3, limit: 7 }\n"},
		"braces, a last comma":     {"scan: {workers: 3,}\n", "scan.limit", "7", "scan: {workers: 3,limit: 7}\n"},
		"empty braces":             {"scan: {}\n", "scan.limit", "7", "scan: {limit: 7}\n"},
		"empty braces alone":       {"{}\n", "scan.limit", "7", "{scan.limit: 7}\n"},
		"JSON":                     {"{\n  \"scan\": {\"limit\": 5}\n}\n", "scan.limit", "7", "{\n  \"scan\": {\"limit\": 7}\n}\n"},
		"JSON, not there":          {"{\n  \"probe\": {\"workers\": 5}\n}\n", "scan.limit", "7", "{\n  \"probe\": {\"workers\": 5}, scan.limit: 7\n}\n"},
		"lines of Windows":         {"# mine\r\nscan:\r\n  limit: 5 # few\r\n", "scan.limit", "7", "# mine\r\nscan:\r\n  limit: 7 # few\r\n"},
		"lines of Windows, new":    {"# mine\r\n", "scan.limit", "7", "# mine\r\nscan.limit: 7\r\n"},
		"lines of an old Mac":      {"# mine\rscan:\r  limit: 5 # few\r  workers: 3\r", "scan.limit", "7", "# mine\rscan:\r  limit: 7 # few\r  workers: 3\r"},
		"lines of an old Mac, new": {"# mine\rscan.workers: 3\r", "scan.limit", "7", "# mine\rscan.workers: 3\rscan.limit: 7\r"},
		"an old Mac's braces":      {"scan: {workers: 3, # a }\r  limit: 5}\r", "scan.limit", "7", "scan: {workers: 3, # a }\r  limit: 7}\r"},
		"other ends of lines":      {"redis.prefix: \"a\u2028b\u0085c\"\nscan.limit: 5 # few\n# mine\n", "scan.limit", "7", "redis.prefix: \"a\u2028b\u0085c\"\nscan.limit: 7 # few\n# mine\n"},
		"a byte order mark":        {"\ufeffscan:\n  limit: 5\n", "scan.limit", "7", "\ufeffscan:\n  limit: 7\n"},
		"a mark alone":             {"\ufeff", "scan.limit", "7", "\ufeffscan.limit: 7\n"},
		"the start of a document":  {"---\nscan:\n  limit: 5\n", "scan.limit", "7", "---\nscan:\n  limit: 7\n"},
		"the end of a document":    {"scan.workers: 3\n...\n", "scan.limit", "7", "scan.limit: 7\nscan.workers: 3\n...\n"},
		"other letters before it":  {"redis: {prefix: 'Ж日', url: ''} # Ж\n", "redis.prefix", "ä: b", "redis: {prefix: 'ä: b', url: ''} # Ж\n"},
		"set twice":                {"scan:\n  limit: 5\nscan.limit: 6\n", "scan.limit", "7", "scan:\n  limit: 5\nscan.limit: 7\n"},
		"a list":                   {"scan:\n  languages: [fr, it] # two\n", "scan.languages", "de,EN", "scan:\n  languages: [de, en] # two\n"},
		"a list of lines":          {"scan:\n  languages:  # mine\n    - fr\n    # and\n    - it\n\n  limit: 5\n", "scan.languages", "de", "scan:\n  languages: [de] # mine\n    # and\n\n  limit: 5\n"},
		"a list not moved in":      {"scan:\n  languages:\n  - fr\n  - it\n  limit: 5\n", "scan.languages", "de", "scan:\n  languages: [de]\n  limit: 5\n"},
		"a list over lines":        {"scan:\n  languages: [fr,\n    it] # two\n  limit: 5\n", "scan.languages", "de", "scan:\n  languages: [de] # two\n  limit: 5\n"},
		"the empty list":           {"", "scan.exclude", "none", "scan.exclude: []\n"},
		"a list in brackets":       {"", "scan.languages", " ['de', en] ", "scan.languages: [de, en]\n"},
		"an empty list":            {"", "scan.languages", "[]", "scan.languages: []\n"},
		"words":                    {"", "scan.exclude", "cam, hdr", "scan.exclude: [cam, hdr]\n"},
		"a text over lines":        {"redis:\n  prefix: >-\n    a\n    b\n  url: ''\n", "redis.prefix", "x", "redis:\n  prefix: x\n  url: ''\n"},
		"a word that is no text":   {"", "redis.prefix", "off", "redis.prefix: \"off\"\n"},
		"a text of digits":         {"", "redis.prefix", "0123", "redis.prefix: \"0123\"\n"},
		"an empty text":            {"redis.prefix: x\n", "redis.prefix", "", "redis.prefix: \"\"\n"},
		"a schedule":               {"", "precache.schedule", "*/5 * * * *", "precache.schedule: '*/5 * * * *'\n"},
		"a duration":               {"", "scan.timeout", "90s", "scan.timeout: 1m30s\n"},
		"a size":                   {"", "scan.min_size", "1.5 gb", "scan.min_size: 1500MB\n"},
		"no size":                  {"", "scan.min_size", "none", "scan.min_size: 0\n"},
		"yes or no":                {"", "ids.enabled", "FALSE", "ids.enabled: false\n"},
		"what was wrong":           {"scan:\n  limit: many\n  wrokers: 3\n", "scan.limit", "7", "scan:\n  limit: 7\n  wrokers: 3\n"},
		"beside what is wrong":     {"scan:\n  workers: many\n", "scan.limit", "7", "scan:\n  workers: many\n  limit: 7\n"},
		"a commented default":      {"# most [X]\n# scan.limit: 100\n# scan.workers: 20\n", "scan.limit", "7", "# most [X]\nscan.limit: 7\n# scan.workers: 20\n"},
		"another comment":          {"# scan.limit: 50 was too few\n\n# end\n", "scan.limit", "7", "# scan.limit: 50 was too few\nscan.limit: 7\n\n# end\n"},
		"a comment in a group":     {"scan:\n  # limit: 100\n  workers: 3\n", "scan.limit", "7", "scan:\n  limit: 7\n  workers: 3\n"},
		"a comment behind a group": {"scan:\n  workers: 3\n  # limit: 100\nprobe:\n", "scan.limit", "7", "scan:\n  workers: 3\n  limit: 7\nprobe:\n"},
		"a comment in between":     {"scan:\n  workers: 3\n# scan.limit: 100\n  timeout: 3s\n", "scan.limit", "7", "scan:\n  workers: 3\n# scan.limit: 100\n  timeout: 3s\n  limit: 7\n"},
		"the template":             {template, "scan.limit", "7", strings.Replace(template, "# scan.limit: 100\n", "scan.limit: 7\n", 1)},
		"the template's last":      {template, "scan.languages", "de", strings.Replace(template, "# scan.languages: []\n", "scan.languages: [de]\n", 1)},
		"by the variable":          {"", "XSHIP_SCAN_LIMIT", "7", "scan.limit: 7\n"},
		"in another case":          {"", " Scan.Limit ", "7", "scan.limit: 7\n"},
	} {
		t.Run(name, func(t *testing.T) {
			path := settingsFile(t, c.before)
			key := keyNamed(t, c.key)
			change, err := config.SettingsFile{Path: path}.Set(key, []string{c.value})
			got, readErr := os.ReadFile(path)
			if err != nil || readErr != nil || string(got) != c.after {
				t.Errorf("%v, %v\n%q, want\n%q", err, readErr, got, c.after)
			}
			if !change.Is || change.Key.Name != key.Name || len(change.Warnings) > 0 {
				t.Errorf("%+v", change)
			}
			// Taken back, all is as before, but for what stood in the place of the value.
			change, err = config.SettingsFile{Path: path}.Unset(key)
			if err != nil || !change.Was || change.Is {
				t.Errorf("unset: %+v, %v", change, err)
			}
			got, _ = os.ReadFile(path)
			if c.before == template && string(got) != template {
				t.Errorf("unset: %q", got)
			}
			if again, err := (config.SettingsFile{Path: path}).Unset(key); name != "set twice" && (err != nil || again.Was) {
				t.Errorf("unset again: %+v, %v", again, err)
			}
		})
	}
}

// TestSettingsFile_Unset takes a setting out.
func TestSettingsFile_Unset(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"a dotted key":        {"# a\nscan.limit: 5 # few\n# b\n", "# a\n# b\n"},
		"a group":             {"scan:\n  limit: 5\n  workers: 3\n", "scan:\n  workers: 3\n"},
		"the last of a group": {"scan:\n  limit: 5\n", "scan:\n"},
		"alone":               {"scan.limit: 5", ""},
		"braces, the first":   {"scan: {limit: 5, workers: 3}\n", "scan: {workers: 3}\n"},
		"braces, the last":    {"scan: {workers: 3, limit: 5}\n", "scan: {workers: 3}\n"},
		"braces, alone":       {"scan: {limit: 5}\n", "scan: {}\n"},
		"lines of Windows":    {"a: 1\r\nscan.limit: 5\r\nb: 2\r\n", "a: 1\r\nb: 2\r\n"},
		"lines of an old Mac": {"scan.workers: 3\rscan.limit: 5\r# b\r", "scan.workers: 3\r# b\r"},
		"an old Mac's group":  {"scan:\r  limit: 5\r", "scan:\r"},
		"other ends of lines": {"redis.prefix: \"a\u2028b\"\nscan.limit: 5\n# mine\n", "redis.prefix: \"a\u2028b\"\n# mine\n"},
		"the default again":   {"scan:\n  # most [XSHIP_SCAN_LIMIT]\n  limit: 5\n", "scan:\n  # most [XSHIP_SCAN_LIMIT]\n  # limit: 100\n"},
		"not there":           {"scan:\n  workers: 3\n", "scan:\n  workers: 3\n"},
	} {
		t.Run(name, func(t *testing.T) {
			path := settingsFile(t, c.before)
			if _, err := (config.SettingsFile{Path: path}).Unset(keyNamed(t, "scan.limit")); err != nil {
				t.Fatal(err)
			}
			if got, _ := os.ReadFile(path); string(got) != c.after {
				t.Errorf("%q, want %q", got, c.after)
			}
		})
	}
	missing := filepath.Join(t.TempDir(), "none", "config.yaml")
	change, err := config.SettingsFile{Path: missing}.Unset(keyNamed(t, "scan.limit"))
	if err != nil || change.Was || change.Made {
		t.Errorf("%+v, %v", change, err)
	}
	if _, err := os.Stat(filepath.Dir(missing)); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestSettingsFile_refused leaves the file as it is, and says what is wrong.
func TestSettingsFile_refused(t *testing.T) {
	bad := errors.New("no such schedule")
	check := func(s *config.Settings) error {
		if s.Precache.Schedule == "now and then" {
			return bad
		}
		return nil
	}
	for name, c := range map[string]struct {
		before, key string
		values      []string
		want        string
	}{
		"a long wrong value":  {"", "scan.limit", []string{strings.Repeat("9", 10_000)}, `99…" (argument): use a whole number from 1 to 100000`},
		"no UTF-8":            {"", "redis.prefix", []string{"\xff\xfe"}, "invalid setting redis.prefix (argument): use text in UTF-8"},
		"no UTF-8 in a list":  {"", "scan.exclude", []string{"cam", "\xff"}, "invalid setting scan.exclude (argument): use text in UTF-8"},
		"an equals sign":      {"", "scan.limit", []string{"=", "5"}, "scan.limit takes one value, got 2"},
		"a wrong value":       {"", "scan.limit", []string{"0"}, `invalid setting scan.limit = "0" (argument): use a whole number from 1 to 100000`},
		"a nearest word":      {"", "cooldown.store", []string{"redsi"}, `use one of sqlite, memory, redis; did you mean redis?`},
		"two values":          {"", "scan.limit", []string{"7", "8"}, "scan.limit takes one value, got 2"},
		"half a list":         {"", "scan.languages", []string{"[de"}, `"[de" is no ISO 639-1 code`},
		"a secret":            {"", "redis.url", []string{"https://:s3cr3t@host"}, "invalid setting redis.url (argument): the scheme must be redis"},
		"accounts":            {"", "debrid.accounts", []string{`[{provider: torbox, api_key: s3cr3t}]`}, "debrid.accounts holds the keys of accounts, which are no arguments"},
		"a store without one": {"", "cooldown.store", []string{"redis"}, "redis.url names no server"},
		"what others check":   {"", "precache.schedule", []string{"now and then"}, bad.Error()},
		"no YAML":             {"scan: [", "scan.limit", []string{"7"}, "read settings file "},
		"two documents":       {"scan.limit: 5\n---\nscan.limit: 6\n", "scan.limit", []string{"7"}, "a second YAML document"},
		"no settings":         {"- 1\n", "scan.limit", []string{"7"}, "it does not hold settings"},
		"another encoding":    {"\xff\xfes\x00", "scan.limit", []string{"7"}, "it is not UTF-8; save it as UTF-8"},
		"an alias of another": {"scan:\n  limit: &n 5\n  workers: *n\n", "scan.limit", []string{"7"}, "scan.limit cannot be changed where it stands in "},
	} {
		t.Run(name, func(t *testing.T) {
			path := settingsFile(t, c.before)
			_, err := config.SettingsFile{Path: path, Check: check}.Set(keyNamed(t, c.key), c.values)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("%v, want %s", err, c.want)
			}
			if got, _ := os.ReadFile(path); string(got) != c.before {
				t.Errorf("it is %q now", got)
			}
		})
	}
	for _, c := range []struct{ name, text, hint string }{
		{"scan.limt", `there is no setting "scan.limt"`, "did you mean scan.limit?"},
		{"limit", `there is no setting "limit"`, "did you mean scan.limit?"},
		{"scan", "scan is a group of settings", "name one of scan.timeout, scan.workers, scan.site_timeout, scan.cache_ttl, scan.limit, scan.quality, scan.languages, scan.exclude, scan.min_size, scan.max_size"},
		{"", `there is no setting ""`, "xship config show lists all keys"},
		{"\x1b[31mred", `there is no setting "red"`, "xship config show lists all keys"},
	} {
		_, err := config.KeyNamed(c.name)
		e, ok := errors.AsType[*config.ChangeError](err)
		if !ok || e.Error() != c.text || e.Hint != c.hint {
			t.Errorf("%q: %+v", c.name, e)
		}
	}
}

// TestSettingsFile_file keeps the mode, follows links, and makes what is missing.
func TestSettingsFile_file(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has other modes, and no links for everybody")
	}
	key := keyNamed(t, "redis.url")
	dir := t.TempDir()
	path, link, dangling, missing := filepath.Join(dir, "real.yaml"), filepath.Join(dir, "link.yaml"), filepath.Join(dir, "dangling.yaml"), filepath.Join(dir, "new", "config.yaml")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chmod(path, 0o644), os.Symlink("real.yaml", link), os.Symlink("later.yaml", dangling)); err != nil {
		t.Fatal(err)
	}
	const value = "redis://:s3cr3t@host:6379/0"
	for _, c := range []struct {
		name, written string
		made          bool
		mode          fs.FileMode
		warnings      int
	}{
		{path, path, false, 0o644, 1},
		{link, path, false, 0o644, 1},
		{dangling, filepath.Join(dir, "later.yaml"), true, 0o600, 0},
		{missing, missing, true, 0o600, 0},
	} {
		change, err := config.SettingsFile{Path: c.name}.Set(key, []string{value})
		if err != nil || change.Made != c.made || change.Value != "redis://REDACTED@host:6379/0" || len(change.Warnings) != c.warnings {
			t.Errorf("%s: %+v, %v", c.name, change, err)
		}
		info, err := os.Lstat(c.written)
		if err != nil || info.Mode() != c.mode {
			t.Errorf("%s: %v, %v", c.written, info.Mode(), err)
		}
		if text, _ := os.ReadFile(c.written); string(text) != "redis.url: '"+value+"'\n" {
			t.Errorf("%s: %q", c.written, text)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := (config.SettingsFile{Path: filepath.Join(dir, "folder")}).Set(key, []string{value}); err == nil || !strings.Contains(err.Error(), "it is no regular file") {
		t.Error(err)
	}
	below := filepath.Join(path, "config.yaml")
	_, err := config.SettingsFile{Path: below}.Set(key, []string{value})
	if err == nil || !strings.Contains(err.Error(), "settings file "+below+": not a directory; ") {
		t.Error(err)
	}
}

// TestSettingsFile_Replace writes only over what was read.
func TestSettingsFile_Replace(t *testing.T) {
	f := config.SettingsFile{Path: settingsFile(t, "scan.limit: 5\n")}
	was, err := f.Text()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(f.Path, []byte("scan.limit: 6\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Replace(was, []byte("scan.limit: 7\n")); !errors.Is(err, config.ErrFileChanged) {
		t.Error(err)
	}
	was, _ = f.Text()
	if _, err := f.Replace(was, []byte("scan.limit: 7\n")); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(f.Path); string(text) != "scan.limit: 7\n" {
		t.Errorf("%q", text)
	}
	gone := config.SettingsFile{Path: filepath.Join(t.TempDir(), "a", "config.yaml")}
	if was, err := gone.Text(); was != nil || err != nil {
		t.Errorf("%q, %v", was, err)
	}
	if _, err := gone.Replace([]byte{}, []byte("x")); !errors.Is(err, config.ErrFileChanged) {
		t.Error(err)
	}
	if _, err := gone.Replace(nil, []byte("scan.limit: 7\n")); err != nil {
		t.Error(err)
	}
}

// TestSettingsFile_atOnce loses no change of several at a time.
func TestSettingsFile_atOnce(t *testing.T) {
	path := settingsFile(t, string(config.Template()))
	var wg sync.WaitGroup
	for i, name := range []string{"scan.limit", "scan.workers", "probe.workers", "precache.workers", "precache.per_hoster"} {
		key := keyNamed(t, name)
		wg.Go(func() {
			if _, err := (config.SettingsFile{Path: path}).Set(key, []string{fmt.Sprint(i + 30)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	s, err := config.Load(config.LoadOptions{File: path})
	if err != nil || s.Scan.Limit != 30 || s.Scan.Workers != 31 || s.Probe.Workers != 32 || s.Precache.Workers != 33 || s.Precache.PerHoster != 34 {
		t.Errorf("%+v, %v", s, err)
	}
}

// FuzzSettingsFile_Set never makes of a file one that cannot be read, nor does taking a
// setting out.
func FuzzSettingsFile_Set(f *testing.F) {
	for _, seed := range []string{"", "scan:\n  limit: 5\n", "scan: {limit: 5}\n", "scan.limit: [\n", "? scan\n: {limit: 5}\n", "scan:\n\tlimit: 5\n", "a: |\n  scan.limit: 5\n", "scan:\r  limit: 5\r", "redis.prefix: \"\u2028\"\nscan.limit: 5"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, before string) {
		key := keyNamed(t, "scan.limit")
		for what, change := range map[string]func(config.SettingsFile) (config.Change, error){
			"set":   func(f config.SettingsFile) (config.Change, error) { return f.Set(key, []string{"7"}) },
			"unset": func(f config.SettingsFile) (config.Change, error) { return f.Unset(key) },
		} {
			path := settingsFile(t, before)
			file := config.SettingsFile{Path: path}
			_, err := change(file)
			after, _ := os.ReadFile(path)
			if err != nil {
				if string(after) != before {
					t.Errorf("%s: %v: %q is %q", what, err, before, after)
				}
				continue
			}
			if err := file.Valid(after); err != nil && file.Valid([]byte(before)) == nil {
				t.Errorf("%s: %q is %q: %v", what, before, after, err)
			}
		}
	})
}
