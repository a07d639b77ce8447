package config_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/config"
)

func accountsFile(t *testing.T, text string) (f *config.AccountsFile, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "accounts.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.NewAccountsFile(path), path
}

func account(user int64, provider, key string) config.DebridAccount {
	return config.DebridAccount{User: user, Provider: provider, APIKey: key}
}

func TestAccountsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "accounts.json")
	f := config.NewAccountsFile(path)
	check := func(want ...config.DebridAccount) {
		t.Helper()
		got, warnings, err := f.Read()
		if err != nil || warnings != nil {
			t.Fatalf("Read: %q, %v", warnings, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("accounts (-want +got):\n%s", diff)
		}
	}
	put := func(a config.DebridAccount) {
		t.Helper()
		if err := f.Put(a); err != nil {
			t.Fatal(err)
		}
	}
	remove := func(user int64, provider string, want bool) {
		t.Helper()
		if got, err := f.Remove(user, provider); got != want || err != nil {
			t.Errorf("Remove(%d, %s) = %v, %v; want %v", user, provider, got, err, want)
		}
	}
	check()
	remove(1, "torbox", false)
	first, second := account(1, "torbox", "k1"), account(2, "torbox", "k2")
	first.BaseURL, first.Refresh = "http://127.0.0.1/v1", "id secret refresh"
	put(first)
	put(second)
	put(account(1, "premiumize", "k3"))
	check(first, second, account(1, "premiumize", "k3"))
	put(account(1, "torbox", "k4"))
	check(account(1, "torbox", "k4"), second, account(1, "premiumize", "k3"))
	checkPrivate(t, path)
	remove(2, "torbox", true)
	remove(2, "torbox", false)
	remove(1, "torbox", true)
	check(account(1, "premiumize", "k3"))
	want := `{
  "accounts": [
    {
      "user": 1,
      "provider": "premiumize",
      "api_key": "k3"
    }
  ]
}
`
	if diff := cmp.Diff(want, mustRead(t, path)); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	remove(1, "premiumize", true)
	check()
}

// Entries of a newer program are left out, and stay.
func TestAccountsFile_keepsWhatItDoesNotKnow(t *testing.T) {
	const newer = `{"user":1,"provider":"newer","api_key":"s3cretKEY"}`
	f, path := accountsFile(t, `{"kept":1,"accounts":[`+newer+`,5,{"user":1,"provider":"torbox","api_key":"k1"},
		{"user":1,"provider":"torbox","api_key":"s3cretKEY"},{"user":"x","api_key":"s3cretKEY"},{"user":2,"provider":"torbox","api_key":"k2","note":1}]}`)
	got, warnings, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]config.DebridAccount{account(1, "torbox", "k1"), account(2, "torbox", "k2")}, got); diff != "" {
		t.Errorf("accounts (-want +got):\n%s", diff)
	}
	want := []string{
		"account 1 of " + path + " is left out: provider must be one of " + strings.Join(config.DebridProviders(), ", "),
		"account 2 of " + path + " is left out: it is none that this program understands",
		"account 4 of " + path + " is left out: user 1 has an account at torbox already",
		"account 5 of " + path + " is left out: it is none that this program understands",
	}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if err := f.Put(account(1, "torbox", "k5")); err != nil {
		t.Fatal(err)
	}
	compact := strings.Join(strings.Fields(mustRead(t, path)), "")
	wantText := `{"accounts":[` + newer + `,5,{"user":1,"provider":"torbox","api_key":"k5"},{"user":"x","api_key":"s3cretKEY"},` +
		`{"user":2,"provider":"torbox","api_key":"k2","note":1}],"kept":1}`
	if diff := cmp.Diff(wantText, compact); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func TestAccountsFile_damaged(t *testing.T) {
	for _, text := range []string{`{"accounts":[`, `[]`, `null`, `{"accounts":{"s3cretKEY":1}}`, `s3cretKEY`, strings.Repeat(" ", 1<<20+1)} {
		f, path := accountsFile(t, text)
		_, _, readErr := f.Read()
		_, removeErr := f.Remove(1, "torbox")
		for _, err := range []error{readErr, removeErr, f.Put(account(1, "torbox", "k"))} {
			if err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "s3cretKEY") {
				t.Errorf("%.40q: %v", text, err)
			}
		}
		if mustRead(t, path) != text {
			t.Errorf("%.40q was changed", text)
		}
	}
	for _, text := range []string{"", "{}", `{"accounts":null}`} {
		f, _ := accountsFile(t, text)
		if err := f.Put(account(1, "torbox", "k")); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestAccountsFile_Put_invalid(t *testing.T) {
	f, path := accountsFile(t, "{}")
	withBase, withRefresh := account(1, "torbox", "k"), account(1, "torbox", "k")
	withBase.BaseURL, withRefresh.Refresh = "ftp://h/", "a\nb"
	for _, a := range []config.DebridAccount{account(0, "torbox", "k"), account(1, "TorBox", "k"), account(1, "torbox", ""), account(1, "torbox", "s3cret\nKEY"), withBase, withRefresh} {
		if err := f.Put(a); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("Put(%v): %v", a, err)
		}
	}
	if got := mustRead(t, path); got != "{}" {
		t.Errorf("file holds %s", got)
	}
}

func TestAccountsFile_readByOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no file modes here")
	}
	f, path := accountsFile(t, `{"accounts":[]}`)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, warnings, err := f.Read(); err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "chmod 600") {
		t.Errorf("warnings %q, %v", warnings, err)
	}
	if err := f.Put(account(1, "torbox", "k")); err != nil {
		t.Fatal(err)
	}
	if _, warnings, err := f.Read(); err != nil || warnings != nil {
		t.Errorf("after a change: %q, %v", warnings, err)
	}
}

func TestMergeAccounts(t *testing.T) {
	settings := []config.DebridAccount{account(1, "torbox", "s1"), account(2, "torbox", "s2")}
	file := []config.DebridAccount{account(1, "premiumize", "f1"), account(1, "torbox", "f2"), account(3, "torbox", "f3")}
	want := []config.DebridAccount{settings[0], settings[1], file[0], file[2]}
	if diff := cmp.Diff(want, config.MergeAccounts(settings, file)); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	if got := config.MergeAccounts(nil, nil); len(got) != 0 {
		t.Errorf("merged %v out of nothing", got)
	}
}

func FuzzAccountsFile(f *testing.F) {
	for _, seed := range []string{`{}`, `{"accounts":[{"user":1,"provider":"torbox","api_key":"k"}]}`, `{"accounts":[1,null,{}]}`, `{"accounts":null,"x":{}}`, `[`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, path := accountsFile(t, text)
		before, _, err := file.Read()
		put := account(1, "torbox", "k")
		if putErr := file.Put(put); (putErr == nil) != (err == nil) {
			t.Fatalf("%q: Read %v, Put %v", text, err, putErr)
		}
		if err != nil {
			return
		}
		after, _, err := file.Read()
		if err != nil {
			t.Fatal(err)
		}
		if !cmp.Equal(config.MergeAccounts([]config.DebridAccount{put}, before), config.MergeAccounts([]config.DebridAccount{put}, after)) {
			t.Errorf("%q became %q", text, mustRead(t, path))
		}
	})
}
