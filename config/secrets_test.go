package config_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/config"
)

// secret is in every settings file of these tests, and in nothing that is shown.
const secret = "s3cretKEY"

func TestLoad_secretsInvalid(t *testing.T) {
	const (
		use   = "use a list of {user: 1, provider: real_debrid, api_key: ...}"
		redis = "use one such as redis://:PASSWORD@HOST:6379/0, with special characters of the password percent-encoded"
	)
	providers := strings.Join(config.DebridProviders(), ", ")
	tests := []struct {
		name, file, env string
		want            string // FILE stands for the path
	}{
		{"unknown field", "debrid: {accounts: [{provider: torbox, apikey: s3cretKEY}]}", "", `debrid.accounts (FILE): account 1: unknown field "apikey"; did you mean api_key?`},
		{"unknown field of nothing", "debrid: {accounts: [{provider: torbox, api_key: s3cretKEY, zzzzzzzzzz: 1}]}", "", `debrid.accounts (FILE): account 1: unknown field "zzzzzzzzzz"; use user, provider, api_key, base_url`},
		{"unknown provider", "debrid: {accounts: [{provider: s3cretKEY, api_key: torbox}]}", "", "debrid.accounts (FILE): account 1: provider must be one of " + providers},
		{"no key", "debrid: {accounts: [{provider: torbox, api_key: s3cretKEY}, {provider: premiumize, api_key: ' '}]}", "", "debrid.accounts (FILE): account 2: api_key is missing"},
		{"key of words", "debrid: {accounts: [{provider: torbox, api_key: Bearer s3cretKEY}]}", "", "debrid.accounts (FILE): account 1: api_key must be one word"},
		{"key by number", "debrid: {accounts: [{provider: torbox, api_key: 0123}]}", "", "debrid.accounts (FILE): account 1: api_key must be text; put it in quotes"},
		{"nothing", "debrid: {accounts: [{user: 0}]}", "", "debrid.accounts (FILE): account 1: user must be a whole number from 1; account 1: provider must be one of " + providers + "; account 1: api_key is missing"},
		{"user by name", "debrid: {accounts: [{user: me, provider: torbox, api_key: s3cretKEY}]}", "", "debrid.accounts (FILE): account 1: user must be a whole number"},
		{"fraction of a user", "debrid: {accounts: [{user: 1.5, provider: torbox, api_key: s3cretKEY}]}", "", "debrid.accounts (FILE): account 1: user must be a whole number"},
		{"twice", "debrid: {accounts: [{provider: torbox, api_key: s3cretKEY}, {user: 1, provider: TorBox, api_key: other}]}", "", "debrid.accounts (FILE): account 2: user 1 has an account at torbox already"},
		{"base with a user", "debrid: {accounts: [{provider: torbox, api_key: k, base_url: 'http://s3cretKEY@h/'}]}", "", "debrid.accounts (FILE): account 1: base_url must be an http or https URL without user, query and fragment"},
		{"base without a host", "debrid: {accounts: [{provider: torbox, api_key: k, base_url: 'http:///v1'}]}", "", "debrid.accounts (FILE): account 1: base_url must be an http or https URL without user, query and fragment"},
		{"no list", "debrid: {accounts: s3cretKEY}", "", "debrid.accounts (FILE): " + use + `, as JSON such as [{"user": 1, "provider": "real_debrid", "api_key": "..."}]`},
		{"number", "debrid: {accounts: 5}", "", "debrid.accounts (FILE): " + use},
		{"list of keys", "debrid: {accounts: [s3cretKEY]}", "", "debrid.accounts (FILE): account 1: use {user: 1, provider: real_debrid, api_key: ...}"},
		{"group as a value", "debrid: s3cretKEY", "", "debrid (FILE): this is a group of settings; write debrid.timeout, debrid.accounts"},
		{"unknown key beside a secret", "redis: {password: s3cretKEY}", "", "redis.password (FILE): unknown key; xship config show lists all keys"},
		{"unknown key", "torbox: {keys: [s3cretKEY]}", "", "torbox.keys (FILE): unknown key; xship config show lists all keys"},
		{"broken JSON", "", `[{"api_key": "s3cretKEY"`, "debrid.accounts (XSHIP_DEBRID_ACCOUNTS): " + use + `, as JSON such as [{"user": 1, "provider": "real_debrid", "api_key": "..."}]`},
		{"two JSON lists", "", `[] ["s3cretKEY"]`, "debrid.accounts (XSHIP_DEBRID_ACCOUNTS): there is more text behind the JSON list"},
		{"Internet Archive with a login", "archive: {url: 'https://u:s3cretKEY@h'}", "", `archive.url (FILE): use an http or https URL without user, query and fragment`},
		{"id service with a login", "ids: {url: 'https://u:s3cretKEY@h'}", "", `ids.url (FILE): use an http or https URL without user, query and fragment`},
		{"Redis by HTTP", "redis: {url: 'http://:s3cretKEY@h'}", "", "redis.url (FILE): the scheme must be redis, rediss or unix; " + redis},
		{"Redis without a host", "redis: {url: 'redis://:s3cretKEY@/0'}", "", "redis.url (FILE): the host is missing; " + redis},
		{"Redis with a sign in the password", "redis: {url: 'redis://:s3cretKEY#@h'}", "", "redis.url (FILE): not a URL; " + redis},
		{"Redis with a fragment", "redis: {url: 'redis://h/0#s3cretKEY'}", "", "redis.url (FILE): there is a # in it; " + redis},
		{"socket without a path", "redis: {url: 'unix://s3cretKEY'}", "", "redis.url (FILE): the path of the socket is missing; use one such as unix:///run/redis/redis.sock"},
		{"store without a server", "cooldown: {store: redis}", "", `cooldown.store = "redis" (FILE): redis.url names no server; set it, or use sqlite or memory`},
		{"unknown store", "cooldown: {store: etcd}\nredis: {url: redis://h}", "", `cooldown.store = "etcd" (FILE): use one of sqlite, memory, redis`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := settingsFile(t, tt.file)
			_, err := config.Load(config.LoadOptions{File: path, LookupEnv: environment(map[string]string{"XSHIP_DEBRID_ACCOUNTS": tt.env})})
			if _, ok := errors.AsType[*config.InvalidError](err); !ok {
				t.Fatalf("Load: %v, want an *InvalidError", err)
			}
			if diff := cmp.Diff("invalid setting "+strings.ReplaceAll(tt.want, "FILE", path), err.Error()); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if strings.Contains(strings.ToLower(err.Error()), strings.ToLower(secret)) {
				t.Errorf("the error holds the secret: %v", err)
			}
		})
	}
}

func secretSettings(t *testing.T, mode os.FileMode) (s *config.Settings, path string) {
	t.Helper()
	path = settingsFile(t, "redis: {url: 'redis://"+secret+":"+secret+"@h:6379/1?client="+secret+"&db=2'}\n"+
		"debrid: {accounts: [{provider: torbox, api_key: "+secret+"}, {user: 2, provider: torbox, api_key: "+secret+", base_url: 'http://h/v1'}]}\n")
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	s, err := config.Load(config.LoadOptions{File: path})
	if err != nil {
		t.Fatal(err)
	}
	return s, path
}

func TestSettings_showNoSecret(t *testing.T) {
	s, _ := secretSettings(t, 0o600)
	shown := map[string]string{}
	for _, v := range s.Values() {
		shown[v.Key] = v.Value
	}
	if got, want := shown["redis.url"], "redis://REDACTED@h:6379/1?client=REDACTED&db=2"; got != want {
		t.Errorf("redis.url is shown as %s, want %s", got, want)
	}
	want := "{user: 1, provider: torbox, api_key: REDACTED}, {user: 2, provider: torbox, api_key: REDACTED, base_url: http://h/v1}"
	if got := shown["debrid.accounts"]; got != want {
		t.Errorf("debrid.accounts is shown as %s, want %s", got, want)
	}
	if shown["cooldown.store"] != "redis" {
		t.Errorf("cooldown.store is shown as %s", shown["cooldown.store"])
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, printed := range []string{fmt.Sprint(*s), fmt.Sprintf("%+v", *s), fmt.Sprintf("%#v", *s), fmt.Sprintf("%q", s.Debrid), string(text), fmt.Sprint(s.Values())} {
		if strings.Contains(printed, secret) {
			t.Errorf("the secret is in %s", printed)
		}
	}
}

func TestSettings_Warnings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file modes here")
	}
	if s, _ := secretSettings(t, 0o600); s.Warnings != nil {
		t.Errorf("mode 0600: %q", s.Warnings)
	}
	for _, mode := range []os.FileMode{0o644, 0o640, 0o602} {
		s, path := secretSettings(t, mode)
		want := []string{fmt.Sprintf("%s holds keys, and others than its owner can read it (mode %04o); run chmod 600 on it", path, mode)}
		if diff := cmp.Diff(want, s.Warnings); diff != "" {
			t.Errorf("mode %v (-want +got):\n%s", mode, diff)
		}
	}
	path := settingsFile(t, "redis: {url: 'redis://h:6379/1?db=2'}\ndebrid: {accounts: []}\n")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if s, err := config.Load(config.LoadOptions{File: path}); err != nil || s.Warnings != nil {
		t.Errorf("a file without keys: %v, %v", s, err)
	}
}
