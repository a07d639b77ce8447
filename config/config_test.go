package config_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"xship/config"
)

func defaults() config.Settings {
	return config.Settings{
		Scan: config.Scan{
			Timeout: 30 * time.Second, SiteTimeout: 10 * time.Second, CacheTTL: 30 * time.Minute,
			Workers: 20, Limit: 100, Quality: "4K", Languages: []string{}, Exclude: []string{"cam"},
		},
		Interfaces: config.Interfaces{Timeout: 8 * time.Second, MaxAge: time.Hour},
		Probe:      config.Probe{Timeout: 20 * time.Second, Total: 30 * time.Second, Workers: 8},
		Precache:   config.Precache{Schedule: "@every 15m", Workers: 8, PerHoster: 2, Pace: true, StreamTTL: time.Hour, NextEpisode: true},
		IDs:        config.IDs{Enabled: true, URL: "https://v3-cinemeta.strem.io"},
		Archive:    config.Archive{Enabled: true, URL: "https://archive.org", RightsRegion: "us"},
		Network:    config.Network{AllowPrivate: true},
		Cooldown:   config.Cooldown{Store: "sqlite"},
		Debrid:     config.Debrid{Accounts: []config.DebridAccount{}},
	}
}

// environment is the LookupEnv of a map.
func environment(vars map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	}
}

// settingsFile writes a settings file.
func settingsFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	tests := []struct {
		name, file string
		env        map[string]string
		flags      map[string]any
		change     func(*config.Settings)
	}{
		{name: "defaults"},
		{name: "empty file", file: "# nothing\n"},
		{name: "empty group", file: "scan:\ninterfaces: {}\n"},
		{name: "key without a value", file: "scan:\n  timeout:\n  workers: ~\n"},
		{
			name: "file",
			file: "scan:\n  timeout: 1m30s\n  site_timeout: 500ms\n  cache_ttl: 0s\n  workers: 5\n  limit: '7'\n  quality: 1080P\n  languages: [DE, en, de, no]\n" +
				"interfaces:\n  timeout: 2s\n  max_age: 0s\nresolve: {ytdlp: off}\nprobe: {timeout: 3s, total: 4s, workers: 1}\n" +
				"ids: {enabled: false, url: 'http://127.0.0.1:8080/meta//'}\narchive: {enabled: false, url: 'http://127.0.0.1:8080/ia/', rights_region: WORLD}\nprecache: {schedule: '0 * * * *', workers: 2, per_hoster: 1, pace: false, stream_ttl: 5m, next_episode: false}\nnetwork: {allow_private: 'FALSE'}\n" +
				"cooldown: {store: MEMORY}\nredis: {url: 'rediss://:s3cret@cache.example:6380/2', prefix: 'home:'}\n" +
				"debrid:\n  accounts:\n  - {provider: Real-Debrid, api_key: k1}\n  - {User: 2, provider: torbox, api_key: ' k2 ', base_url: 'http://127.0.0.1:8080/v1'}\n  - {user: '2', provider: real_debrid, api_key: '03', base_url: }\n",
			change: func(s *config.Settings) { *s = fromFile() },
		},
		{
			name:   "upper case and dotted keys",
			file:   "\ufeffScan:\n  Timeout: 1m\nscan.workers: 3\n",
			change: func(s *config.Settings) { s.Scan.Timeout, s.Scan.Workers = time.Minute, 3 },
		},
		{
			name: "dotted key beside an empty group", file: "scan:\nscan.workers: 3\n",
			change: func(s *config.Settings) { s.Scan.Workers = 3 },
		},
		{
			name:   "languages as text",
			file:   "scan: {languages: 'de, EN,'}\n",
			change: func(s *config.Settings) { s.Scan.Languages = []string{"de", "en"} },
		},
		{
			name: "environment beats file", file: "scan: {timeout: 1m, workers: 5, languages: [zh]}\n",
			env: map[string]string{
				"XSHIP_SCAN_TIMEOUT": "2m", "XSHIP_SCAN_LANGUAGES": "de,en", "XSHIP_INTERFACES_MAX_AGE": "2h", "XSHIP_SCAN_WORKERS": "",
				"XSHIP_SCAN_TIMEOUTS": "ignored", "XSHIP_USER": "1", "SCAN_LIMIT": "7",
			},
			change: func(s *config.Settings) {
				s.Scan.Timeout, s.Scan.Workers, s.Scan.Languages = 2*time.Minute, 5, []string{"de", "en"}
				s.Interfaces.MaxAge = 2 * time.Hour
			},
		},
		{
			name: "accounts of the environment", file: "debrid: {accounts: [{provider: torbox, api_key: k1}]}\n",
			env: map[string]string{"XSHIP_DEBRID_ACCOUNTS": ` [{"user": 3, "Provider": "debrid_link", "api_key": "k3"}] `},
			change: func(s *config.Settings) {
				s.Debrid.Accounts = []config.DebridAccount{{User: 3, Provider: "debrid_link", APIKey: "k3"}}
			},
		},
		{
			name: "no accounts", file: "debrid: {accounts: []}\nredis: {url: '', prefix: ~}\n",
		},
		{
			name: "a Redis server is the store", file: "redis: {url: 'unix:///run/redis.sock?db=1'}\n",
			change: func(s *config.Settings) {
				s.Redis.URL, s.Cooldown.Store = "unix:///run/redis.sock?db=1", "redis"
			},
		},
		{
			name: "a Redis server beside a chosen store", file: "redis: {url: redis://cache.example}\ncooldown: {store: sqlite}\n",
			change: func(s *config.Settings) { s.Redis.URL = "redis://cache.example" },
		},
		{
			name: "flag beats environment", file: "scan: {timeout: 1m}\n",
			env:    map[string]string{"XSHIP_SCAN_TIMEOUT": "2m", "XSHIP_SCAN_QUALITY": "SD"},
			flags:  map[string]any{"scan.timeout": 3 * time.Minute, "scan.limit": 9, "scan.quality": "720p", "scan.languages": []string{"fr"}},
			change: func(s *config.Settings) { s.Scan = flagged() },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o := config.LoadOptions{LookupEnv: environment(tt.env), Overrides: tt.flags}
			if tt.file != "" {
				o.File = settingsFile(t, tt.file)
			}
			got, err := config.Load(o)
			if err != nil {
				t.Fatal(err)
			}
			want := defaults()
			if tt.change != nil {
				tt.change(&want)
			}
			if diff := cmp.Diff(want, *got, cmpopts.IgnoreUnexported(config.Settings{})); diff != "" {
				t.Errorf("settings (-want +got):\n%s", diff)
			}
		})
	}
}

func fromFile() config.Settings {
	return config.Settings{
		Scan: config.Scan{
			Timeout: 90 * time.Second, SiteTimeout: 500 * time.Millisecond, Workers: 5, Limit: 7, Quality: "1080p", Exclude: []string{"cam"},
			Languages: []string{"de", "en", "no"},
		},
		Interfaces: config.Interfaces{Timeout: 2 * time.Second},
		Resolve:    config.Resolve{YTDLP: "off"},
		Probe:      config.Probe{Timeout: 3 * time.Second, Total: 4 * time.Second, Workers: 1},
		Precache:   config.Precache{Schedule: "0 * * * *", Workers: 2, PerHoster: 1, StreamTTL: 5 * time.Minute},
		IDs:        config.IDs{URL: "http://127.0.0.1:8080/meta"},
		Archive:    config.Archive{URL: "http://127.0.0.1:8080/ia", RightsRegion: "world"},
		Cooldown:   config.Cooldown{Store: "memory"},
		Redis:      config.Redis{URL: "rediss://:s3cret@cache.example:6380/2", Prefix: "home:"},
		Debrid: config.Debrid{Accounts: []config.DebridAccount{
			{User: 1, Provider: "real_debrid", APIKey: "k1"},
			{User: 2, Provider: "torbox", APIKey: "k2", BaseURL: "http://127.0.0.1:8080/v1"},
			{User: 2, Provider: "real_debrid", APIKey: "03"},
		}},
	}
}

func flagged() config.Scan {
	scan := defaults().Scan
	scan.Timeout, scan.Limit, scan.Quality, scan.Languages = 3*time.Minute, 9, "720p", []string{"fr"}
	return scan
}

func TestLoad_invalid(t *testing.T) {
	tests := []struct {
		name, file string
		env        map[string]string
		flags      map[string]any
		want       string // FILE stands for the path
	}{
		{
			name: "one of each", file: "scan:\n  timeout: 5 parsecs\n  wrokers: 5\n  limit: many\nworkers: 3\nbogus: {deep: [1, 2]}\n",
			env:   map[string]string{"XSHIP_SCAN_CACHE_TTL": "-5m", "XSHIP_SCAN_LANGUAGES": "de, german,deu,xx"},
			flags: map[string]any{"scan.quality": "8K", "scan.site_timeout": time.Duration(0)},
			want: `9 invalid settings:
  bogus.deep = "1,2" (FILE): unknown key; xship config show lists all keys
  scan.wrokers = "5" (FILE): unknown key; did you mean scan.workers?
  workers = "3" (FILE): unknown key; did you mean scan.workers?
  scan.timeout = "5 parsecs" (FILE): not a duration; use one such as 30s, 5m or 1h30m
  scan.site_timeout = "0s" (flag): a duration of zero makes no sense here; use one such as 30s
  scan.cache_ttl = "-5m" (XSHIP_SCAN_CACHE_TTL): a duration cannot be negative; use one such as 30s
  scan.limit = "many" (FILE): use a whole number from 1 to 100000
  scan.quality = "8K" (flag): use one of 4K, 1440p, 1080p, 720p, SD; did you mean 4K?
  scan.languages = "de, german,deu,xx" (XSHIP_SCAN_LANGUAGES): "german" is no ISO 639-1 code, use codes of two letters such as de, en, zh; ` +
				`"deu" is no ISO 639-1 code, use de; "xx" is no ISO 639-1 code, use codes of two letters such as de, en, zh`,
		},
		{"number for a duration", "scan: {timeout: 30}", nil, nil, `invalid setting scan.timeout = "30" (FILE): a duration needs a unit; use 30s`},
		{"negative number", "scan: {timeout: -30}", nil, nil, `invalid setting scan.timeout = "-30" (FILE): a duration cannot be negative; use one such as 30s`},
		{"fraction", "", map[string]string{"XSHIP_SCAN_TIMEOUT": "1.5"}, nil, `invalid setting scan.timeout = "1.5" (XSHIP_SCAN_TIMEOUT): a duration needs a unit; use 1.5s`},
		{"zero", "interfaces: {timeout: 0s}", nil, nil, `invalid setting interfaces.timeout = "0s" (FILE): a duration of zero makes no sense here; use one such as 30s`},
		{"too long", "scan: {timeout: 25h}", nil, nil, `invalid setting scan.timeout = "25h" (FILE): too long; use 24h at most`},
		{"list for a duration", "scan: {timeout: [30s]}", nil, nil, `invalid setting scan.timeout = "30s" (FILE): not a duration; use one such as 30s, 5m or 1h30m`},
		{"no workers", "", nil, map[string]any{"scan.workers": 0}, `invalid setting scan.workers = "0" (flag): use a whole number from 1 to 1000`},
		{"too many workers", "", nil, map[string]any{"scan.workers": 1001}, `invalid setting scan.workers = "1001" (flag): use a whole number from 1 to 1000`},
		{"fraction of workers", "scan: {workers: 1.5}", nil, nil, `invalid setting scan.workers = "1.5" (FILE): use a whole number from 1 to 1000`},
		{"language with a region", "scan: {languages: [zh-CN]}", nil, nil, `invalid setting scan.languages = "zh-CN" (FILE): "zh-CN" is no ISO 639-1 code, use zh`},
		{"language by number", "scan: {languages: 5}", nil, nil, `invalid setting scan.languages = "5" (FILE): use a list`},
		{"nested languages", "scan: {languages: [[de]]}", nil, nil, `invalid setting scan.languages = "de" (FILE): use a plain list`},
		{"size without a unit", "scan: {max_size: 700}", nil, nil, `invalid setting scan.max_size = "700" (FILE): a size needs a unit; use 700MB`},
		{"size of nothing", "scan: {min_size: much}", nil, nil, `invalid setting scan.min_size = "much" (FILE): use a size such as 700MB or 1.5GB, or 0 for none`},
		{"negative size", "scan: {min_size: -5MB}", nil, nil, `invalid setting scan.min_size = "-5MB" (FILE): use a size such as 700MB or 1.5GB, or 0 for none`},
		{"negative size without a unit", "scan: {max_size: -5}", nil, nil, `invalid setting scan.max_size = "-5" (FILE): use a size such as 700MB or 1.5GB, or 0 for none`},
		{"size of everything", "", map[string]string{"XSHIP_SCAN_MAX_SIZE": "1e9 TB"}, nil, `invalid setting scan.max_size = "1e9 TB" (XSHIP_SCAN_MAX_SIZE): too large; use a size such as 700MB or 1.5GB, or 0 for none`},
		{"nothing and something", "scan: {exclude: [cam, none]}", nil, nil, `invalid setting scan.exclude = "cam,none" (FILE): none stands alone; leave it out, or the other words`},
		{"group as a value", "interfaces: 5", nil, nil, `invalid setting interfaces = "5" (FILE): this is a group of settings; write interfaces.timeout, interfaces.max_age`},
		{"group of another name", "interface: {timeout: 5s}", nil, nil, `invalid setting interface.timeout = "5s" (FILE): unknown key; did you mean interfaces.timeout?`},
		{"key of nothing", "sprockets: {teeth: 5s}", nil, nil, `invalid setting sprockets.teeth = "5s" (FILE): unknown key; xship config show lists all keys`},
		{"neither true nor false", "precache: {next_episode: maybe}", nil, nil, `invalid setting precache.next_episode = "maybe" (FILE): use true or false`},
		{"no schedule", "precache: {schedule: ' '}", nil, nil, `invalid setting precache.schedule = " " (FILE): it must not be empty`},
		{"list for a schedule", "precache: {schedule: [1, 2]}", nil, nil, `invalid setting precache.schedule = "1,2" (FILE): use text`},
		{"lines of a path", "", nil, map[string]any{"resolve.ytdlp": "a\nb"}, "invalid setting resolve.ytdlp = \"a\\nb\" (flag): use one line of text"},
		{"flag of nothing", "", nil, map[string]any{"scan.tiemout": "5s"}, `invalid setting scan.tiemout = "5s" (flag): unknown key; did you mean scan.timeout?`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := settingsFile(t, tt.file)
			s, err := config.Load(config.LoadOptions{File: path, LookupEnv: environment(tt.env), Overrides: tt.flags})
			e, ok := errors.AsType[*config.InvalidError](err)
			if !ok || s != nil {
				t.Fatalf("Load = %v, %v; want an *InvalidError", s, err)
			}
			want := strings.ReplaceAll(tt.want, "FILE", path)
			if diff := cmp.Diff(want, err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			for _, p := range e.Problems {
				if p.Key == "" || p.Message == "" || p.Origin == "" {
					t.Errorf("problem says too little: %+v", p)
				}
			}
		})
	}
}

func TestLoad_file(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "none.yaml")
	if _, err := config.Load(config.LoadOptions{File: missing}); err != nil {
		t.Errorf("missing default file: %v", err)
	}
	_, err := config.Load(config.LoadOptions{File: missing, Explicit: true})
	want := "read settings file " + missing + ": file does not exist; check --config and XSHIP_CONFIG"
	if err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing named file: %v, want %s", err, want)
	}
	_, err = config.Load(config.LoadOptions{File: dir})
	if e, ok := errors.AsType[*config.FileError](err); !ok || e.Path != dir || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("directory: %v", err)
	}
	if _, err := config.Load(config.LoadOptions{File: os.DevNull, Explicit: true}); err != nil {
		t.Errorf("%s: %v", os.DevNull, err)
	}
	large := settingsFile(t, strings.Repeat("# x\n", 1<<19))
	if _, err := config.Load(config.LoadOptions{File: large}); err == nil || !strings.Contains(err.Error(), "larger than 1024 KiB") {
		t.Errorf("large file: %v", err)
	}
}

func TestLoad_unreadableFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	path := settingsFile(t, "")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	_, err := config.Load(config.LoadOptions{File: path})
	if e, ok := errors.AsType[*config.FileError](err); !ok || e.Path != path || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("Load: %v, want a *FileError", err)
	}
}

func TestLoad_yaml(t *testing.T) {
	tests := []struct {
		name, file string
		line       int
		want       string
	}{
		{"open bracket", "scan:\n  timeout: 5s\n  languages: [de\ninterfaces:\n", 3, "did not find expected ',' or ']'"},
		{"open brace at the end", "scan: {timeout: 5s\n", 2, "did not find expected ',' or '}'"},
		{"wrong indent", "scan:\n  timeout: 5s\n limit: 3\n", 3, "did not find expected key"},
		{"tab", "scan:\n\ttimeout: 5s\n", 2, "found character that cannot start any token"},
		{"two colons", "# x\nscan:\n  timeout: 5s: 6s\n", 3, "mapping values are not allowed in this context"},
		{"in the first line", "scan: timeout: 5s\n", 1, "mapping values are not allowed in this context"},
		{"duplicate key", "scan:\n  timeout: 5s\n  timeout: 6s\n", 3, `mapping key "timeout" already defined at line 2`},
		{"text", "just text\n", 1, "it does not hold settings such as scan.timeout: 30s"},
		{"list", "# x\n- scan\n", 2, "it does not hold settings such as scan.timeout: 30s"},
		{"unknown alias", "scan: *x\n", 1, "found an alias that nothing defines"},
		{"second document", "---\nscan:\n  timeout: 5s\n---\n# x\nscan:\n  limit: 3\n", 6, "a second YAML document begins here"},
		{"third document", "scan:\n  timeout: 5s\n---\n---\nx\n", 5, "a second YAML document begins here"},
		{"settings behind an empty document", "---\n---\nscan:\n  limit: 3\n", 3, "a second YAML document begins here"},
		{"defect of a second document", "scan:\n  timeout: 5s\n---\nscan: [\n", 5, "did not find expected node content"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := settingsFile(t, tt.file)
			_, err := config.Load(config.LoadOptions{File: path})
			e, ok := errors.AsType[*config.FileError](err)
			if !ok || e.Path != path || e.Line != tt.line || e.Err.Error() != tt.want {
				t.Errorf("Load: %v, want line %d: %s", err, tt.line, tt.want)
			}
		})
	}
}

// TestLoad_yamlHint has the slips that people make named, and no secret shown.
func TestLoad_yamlHint(t *testing.T) {
	tests := []struct {
		name, file string
		line       int
		want       string
	}{
		{"descriptor", "precache:\n  schedule: @hourly\n", 2, `put the value of schedule in quotes: schedule: "@hourly"`},
		{"descriptor with a comment", "precache:\n  schedule: @every 15m # often\n", 2, `put the value of schedule in quotes: schedule: "@every 15m"`},
		{"descriptor among others", "precache: {schedule: @daily, workers: 3}\n", 1, `put the value of schedule in quotes: schedule: "@daily"`},
		{"dotted key", "precache.schedule: @daily\n", 1, `put the value of precache.schedule in quotes: precache.schedule: "@daily"`},
		{"star", "precache:\n  schedule: */15 * * * *\nscan:\n  limit: 3\n", 2, `put the value of schedule in quotes: schedule: "*/15 * * * *"`},
		{"stars", "precache:\n  schedule: * 1,2 * * *\n\n\n", 2, `put the value of schedule in quotes: schedule: "* 1,2 * * *"`},
		{"per cent", "redis:\n  prefix: %x\n", 2, `put the value of prefix in quotes: prefix: "…"`},
		{"key with a sign", "debrid:\n  accounts:\n  - {provider: torbox, api_key: @s3cretKEY}\n", 3, `put the value of api_key in quotes: api_key: "…"`},
		{"key that is an alias", "debrid:\n  accounts:\n  - provider: torbox\n    api_key: *s3cretKEY\n", 4, `put the value of api_key in quotes: api_key: "…"`},
		{"list", "scan:\n  languages: [de, @x]\n", 2, "put what begins with @ in quotes"},
		{"tab", "scan:\n\ttimeout: 5s\n", 2, "indent it with spaces: YAML takes no tabs"},
		{"two colons", "redis:\n  prefix: s3cretKEY: b\n", 2, `put the value of prefix in quotes: prefix: "…"`},
		{"backslash", "resolve:\n  ytdlp: \"C:\\Windows\\yt-dlp.exe\"\n", 2, "write the value of ytdlp in single quotes, in which a backslash stays one"},
		{"UTF-16 without a mark", "s\x00c\x00a\x00n\x00", 0, "save it as UTF-8"},
		{"Latin-1", "# f\xfcr alle\nscan: {limit: 7}\n", 0, "save it as UTF-8"},
		{"something else", "scan:\n  timeout: 5s\n limit: 3\n", 3, "correct the YAML there"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := config.Load(config.LoadOptions{File: settingsFile(t, tt.file)})
			e, ok := errors.AsType[*config.FileError](err)
			if !ok || e.Line != tt.line || e.Hint != tt.want || strings.Contains(err.Error(), secret) {
				t.Errorf("Load: %v, want line %d and hint: %s", err, tt.line, tt.want)
			}
		})
	}
	if _, err := config.Load(config.LoadOptions{File: settingsFile(t, "precache: {schedule: \"@hourly\"}\n")}); err != nil {
		t.Errorf("in quotes: %v", err)
	}
}

// TestLoad_quoted takes the quotes and line ends that files of variables keep.
func TestLoad_quoted(t *testing.T) {
	for value, want := range map[string]time.Duration{`"20s"`: 20 * time.Second, `'20s'`: 20 * time.Second, "20s\r": 20 * time.Second, `" 20s "`: 20 * time.Second} {
		s, err := config.Load(config.LoadOptions{LookupEnv: environment(map[string]string{"XSHIP_SCAN_TIMEOUT": value})})
		if err != nil || s.Scan.Timeout != want {
			t.Errorf("%q: %v", value, err)
		}
	}
	for _, value := range []string{`"20s`, `20s"`, `""20s""`, `"soon"`} {
		if _, err := config.Load(config.LoadOptions{LookupEnv: environment(map[string]string{"XSHIP_SCAN_TIMEOUT": value})}); err == nil {
			t.Errorf("%q is a duration", value)
		}
	}
	for value, want := range map[string]string{"/data\r": "/data", `"/data"`: "/data", `'/my data'`: "/my data", "": "", `"`: `"`, "/it's": "/it's"} {
		if got := config.Unquoted(value); got != want {
			t.Errorf("%q: %q, want %q", value, got, want)
		}
	}
}

// TestLoad_listVariable reads a list in a variable as the settings file has it, too.
func TestLoad_listVariable(t *testing.T) {
	s, err := config.Load(config.LoadOptions{LookupEnv: environment(map[string]string{
		"XSHIP_SCAN_LANGUAGES": "[de, en]", "XSHIP_NOTIFY_COMMAND": `["sh", "-c", "cat > /tmp/x; echo a b"]`, "XSHIP_SCAN_EXCLUDE": "cam,av1", "XSHIP_REDIS_PREFIX": "[a, b]",
	})})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%q %q %q %q", s.Scan.Languages, s.Notify.Command, s.Scan.Exclude, s.Redis.Prefix); got != `["de" "en"] ["sh" "-c" "cat > /tmp/x; echo a b"] ["cam" "av1"] "[a, b]"` {
		t.Error(got)
	}
}

// TestLoad_ignored has variables that mean nothing named, but for those that other
// programs make, and nothing of what they hold.
func TestLoad_ignored(t *testing.T) {
	tests := []struct{ variable, want string }{
		{"XSHIP_SCAN_TIMEOT=3s", "the variable XSHIP_SCAN_TIMEOT is none of xship and is ignored; did you mean XSHIP_SCAN_TIMEOUT?"},
		{"XSHIP_DATADIR=/data", "the variable XSHIP_DATADIR is none of xship and is ignored; did you mean XSHIP_DATA_DIR?"},
		{"XSHIP_DEBRID_ACCOUNT=s3cretKEY", "the variable XSHIP_DEBRID_ACCOUNT is none of xship and is ignored; did you mean XSHIP_DEBRID_ACCOUNTS?"},
		{"XSHIP_DEBRID_ACCOUNTS_FILE=/run/s3cretKEY", "the variable XSHIP_DEBRID_ACCOUNTS_FILE is none of xship and is ignored; did you mean XSHIP_DEBRID_ACCOUNTS?"},
		{"XSHIP_SCAN.TIMEOUT=3s", "the variable XSHIP_SCAN.TIMEOUT is none of xship and is ignored; did you mean XSHIP_SCAN_TIMEOUT?"},
		{"xship_scan_timeout=3s", "the variable xship_scan_timeout is ignored; its name is XSHIP_SCAN_TIMEOUT"},
		{"XSHIP_QUALITY=SD", "the variable XSHIP_QUALITY is none of xship and is ignored; did you mean XSHIP_SCAN_QUALITY?"},
		{"XSHIP_TIMEOUT=3s", "the variable XSHIP_TIMEOUT is none of xship and is ignored; xship config show -o json lists all variables"},
		{"XSHIP_LOG_LEVEL=debug", "the variable XSHIP_LOG_LEVEL is none of xship and is ignored; it is the flag --log-level"},
		{"XSHIP_=1", "the variable XSHIP_ is none of xship and is ignored; xship config show -o json lists all variables"},
		{"XSHIP_Q=1", "the variable XSHIP_Q is none of xship and is ignored; xship config show -o json lists all variables"},
		{"XSHIP_SCAN_TIMEOUT=3s", ""},
		{"XSHIP_CONFIG=/c.yaml", ""},
		{"XSHIP_DATA_DIR=/data", ""},
		{"XSHIP_USER=2", ""},
		{"XSHIP_SCAN_TIMEOT=", ""},
		{"MYXSHIP_X=1", ""},
		{"XSHIP_SERVICE_HOST=10.0.0.7", ""},
		{"XSHIP_SERVICE_PORT_HTTP=7979", ""},
		{"XSHIP_PORT=tcp://10.0.0.7:7979", ""},
		{"XSHIP_PORT_7979_TCP_ADDR=10.0.0.7", ""},
	}
	for _, tt := range tests {
		s, err := config.Load(config.LoadOptions{Environ: []string{"PATH=/bin", tt.variable}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(s.Ignored, "\n"); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.variable, got, tt.want)
		}
	}
}

func TestSettings_Values(t *testing.T) {
	path := settingsFile(t, "scan: {timeout: 90m, languages: [de, en]}\nresolve: {ytdlp: off}\n")
	s, err := config.Load(config.LoadOptions{
		File:      path,
		LookupEnv: environment(map[string]string{"XSHIP_SCAN_CACHE_TTL": "60m", "XSHIP_PRECACHE_NEXT_EPISODE": "False"}),
		Overrides: map[string]any{"scan.limit": 5, "scan.min_size": "1.5 GB"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Value{
		{Key: "scan.timeout", Value: "1h30m", Origin: config.OriginFile, Source: path},
		{Key: "scan.workers", Value: "20", Origin: config.OriginDefault},
		{Key: "scan.site_timeout", Value: "10s", Origin: config.OriginDefault},
		{Key: "scan.cache_ttl", Value: "1h", Origin: config.OriginEnvironment, Source: "XSHIP_SCAN_CACHE_TTL"},
		{Key: "scan.limit", Value: "5", Origin: config.OriginFlag},
		{Key: "scan.quality", Value: "4K", Origin: config.OriginDefault},
		{Key: "scan.languages", Value: "de,en", Origin: config.OriginFile, Source: path},
		{Key: "scan.exclude", Value: "cam", Origin: config.OriginDefault},
		{Key: "scan.min_size", Value: "1500MB", Origin: config.OriginFlag},
		{Key: "scan.max_size", Value: "0", Origin: config.OriginDefault},
		{Key: "interfaces.timeout", Value: "8s", Origin: config.OriginDefault},
		{Key: "interfaces.max_age", Value: "1h", Origin: config.OriginDefault},
		{Key: "resolve.ytdlp", Value: "off", Origin: config.OriginFile, Source: path},
		{Key: "probe.timeout", Value: "20s", Origin: config.OriginDefault},
		{Key: "probe.workers", Value: "8", Origin: config.OriginDefault},
		{Key: "probe.total", Value: "30s", Origin: config.OriginDefault},
		{Key: "precache.schedule", Value: "@every 15m", Origin: config.OriginDefault},
		{Key: "precache.workers", Value: "8", Origin: config.OriginDefault},
		{Key: "precache.per_hoster", Value: "2", Origin: config.OriginDefault},
		{Key: "precache.pace", Value: "true", Origin: config.OriginDefault},
		{Key: "precache.stream_ttl", Value: "1h", Origin: config.OriginDefault},
		{Key: "precache.next_episode", Value: "false", Origin: config.OriginEnvironment, Source: "XSHIP_PRECACHE_NEXT_EPISODE"},
		{Key: "precache.unlock", Value: "false", Origin: config.OriginDefault},
		{Key: "hosters.look", Value: "0s", Origin: config.OriginDefault},
		{Key: "hosters.floor", Value: "0", Origin: config.OriginDefault},
		{Key: "hosters.count_5xx_without_guard", Value: "false", Origin: config.OriginDefault},
		{Key: "ids.enabled", Value: "true", Origin: config.OriginDefault},
		{Key: "ids.url", Value: "https://v3-cinemeta.strem.io", Origin: config.OriginDefault},
		{Key: "archive.enabled", Value: "true", Origin: config.OriginDefault},
		{Key: "archive.url", Value: "https://archive.org", Origin: config.OriginDefault},
		{Key: "archive.rights_region", Value: "us", Origin: config.OriginDefault},
		{Key: "notify.command", Value: "", Origin: config.OriginDefault},
		{Key: "network.allow_private", Value: "true", Origin: config.OriginDefault},
		{Key: "network.proxy", Value: "", Origin: config.OriginDefault},
		{Key: "cooldown.store", Value: "sqlite", Origin: config.OriginDefault},
		{Key: "redis.url", Value: "", Origin: config.OriginDefault},
		{Key: "redis.prefix", Value: "", Origin: config.OriginDefault},
		{Key: "debrid.timeout", Value: "30s", Origin: config.OriginDefault},
		{Key: "debrid.accounts", Value: "", Origin: config.OriginDefault},
	}
	if diff := cmp.Diff(want, s.Values()); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

// A field without a row in Keys would stay empty unnoticed; a row without a
// field makes Load fail.
func TestKeys_coverSettings(t *testing.T) {
	var names, described []string
	collect(reflect.TypeFor[config.Settings](), "", &names)
	for _, k := range config.Keys() {
		described = append(described, k.Name)
		if k.Description == "" || k.Env != "XSHIP_"+strings.ToUpper(strings.ReplaceAll(k.Name, ".", "_")) {
			t.Errorf("key %+v", k)
		}
	}
	if diff := cmp.Diff(names, described, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("fields of Settings (-) and rows of Keys (+):\n%s", diff)
	}
}

// collect lists the settings that the fields of a type hold.
func collect(typ reflect.Type, prefix string, names *[]string) {
	for field := range typ.Fields() {
		name := prefix + field.Tag.Get("mapstructure")
		switch {
		case !field.IsExported(), field.Tag.Get("mapstructure") == "-":
		case field.Type.Kind() == reflect.Struct:
			collect(field.Type, name+".", names)
		default:
			*names = append(*names, name)
		}
	}
}

func TestDefaultPaths(t *testing.T) {
	abs := func(elem ...string) string { return filepath.Join(append([]string{t.TempDir()}, elem...)...) }
	home, xdg := abs("home"), abs("xdg")
	tests := []struct {
		name       string
		env        map[string]string
		file, data string
	}{
		{
			"home",
			map[string]string{"HOME": home},
			filepath.Join(home, ".config", "xship", "config.yaml"), filepath.Join(home, ".local", "share", "xship"),
		},
		{
			"XDG",
			map[string]string{"HOME": home, "XDG_CONFIG_HOME": xdg, "XDG_DATA_HOME": xdg},
			filepath.Join(xdg, "xship", "config.yaml"), filepath.Join(xdg, "xship"),
		},
		{
			"relative XDG is ignored",
			map[string]string{"HOME": home, "XDG_CONFIG_HOME": "rel", "XDG_DATA_HOME": "./rel"},
			filepath.Join(home, ".config", "xship", "config.yaml"), filepath.Join(home, ".local", "share", "xship"),
		},
		{
			"Windows",
			map[string]string{"USERPROFILE": home},
			filepath.Join(home, ".config", "xship", "config.yaml"), filepath.Join(home, ".local", "share", "xship"),
		},
		{"no home", nil, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			getenv := func(name string) string { return tt.env[name] }
			if got := config.DefaultFile(getenv); got != tt.file {
				t.Errorf("DefaultFile = %q, want %q", got, tt.file)
			}
			if got := config.DefaultDataDir(getenv); got != tt.data {
				t.Errorf("DefaultDataDir = %q, want %q", got, tt.data)
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{"scan: {timeout: 5s}\n", "scan:\n  languages: [de, en]\n", "scan: *x", "a: &a [*a]", "1: {2: [3]}", "scan.timeout: 1m\nscan:\n", "\x00"} {
		f.Add(seed, "30s", "de", "[]", "")
	}
	for _, seed := range []string{`[{"user":1,"provider":"torbox","api_key":"k"}]`, `[{"user":"x"}]`, `[1]`, `{}`, `[`} {
		f.Add("", "", "", seed, "redis://:p@h:1/0")
	}
	f.Fuzz(func(t *testing.T, text, timeout, languages, accounts, redis string) {
		s, err := config.Load(config.LoadOptions{
			File: settingsFile(t, text),
			LookupEnv: environment(map[string]string{
				"XSHIP_SCAN_TIMEOUT": timeout, "XSHIP_SCAN_LANGUAGES": languages, "XSHIP_DEBRID_ACCOUNTS": accounts, "XSHIP_REDIS_URL": redis,
			}),
		})
		if err == nil {
			if s.Scan.Timeout <= 0 || s.Scan.Workers < 1 || s.Scan.Quality == "" || len(s.Values()) != len(config.Keys()) {
				t.Errorf("settings %+v", s)
			}
			for _, a := range s.Debrid.Accounts {
				if a.User < 1 || a.APIKey == "" || !slices.Contains(config.DebridProviders(), a.Provider) {
					t.Errorf("account %v", a)
				}
			}
			return
		}
		_, invalid := errors.AsType[*config.InvalidError](err)
		_, file := errors.AsType[*config.FileError](err)
		if !invalid && !file {
			t.Errorf("Load: %T %v", err, err)
		}
	})
}
