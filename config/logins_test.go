package config_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/config"
)

func basicLogin(origin, password string) config.Login {
	return config.Login{Origin: origin, Kind: config.LoginBasic, Name: "me", Password: password}
}

func TestLoginsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "logins.json")
	f := config.NewLoginsFile(path)
	check := func(want ...config.Login) {
		t.Helper()
		got, warnings, err := f.Read()
		if err != nil || warnings != nil {
			t.Fatalf("Read: %q, %v", warnings, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("logins (-want +got):\n%s", diff)
		}
	}
	remove := func(origin string, want bool) {
		t.Helper()
		if got, err := f.Remove(origin); got != want || err != nil {
			t.Errorf("Remove(%s) = %v, %v; want %v", origin, got, err, want)
		}
	}
	check()
	remove("http://nas.example:80", false)
	dav := basicLogin("http://nas.example:80", "p1")
	jellyfin := config.Login{Origin: "https://nas.example:8920", Kind: config.LoginJellyfin, Name: "me", Token: "t1"}
	emby := config.Login{Origin: "http://nas.example:8096", Kind: config.LoginEmby, Token: "k1"}
	if err := f.Put(dav, jellyfin, emby); err != nil {
		t.Fatal(err)
	}
	check(dav, jellyfin, emby)
	checkPrivate(t, path)
	dav.Password = "p2"
	if err := f.Put(dav); err != nil {
		t.Fatal(err)
	}
	check(dav, jellyfin, emby)
	remove(jellyfin.Origin, true)
	remove(jellyfin.Origin, false)
	check(dav, emby)
	want := `{
  "logins": [
    {
      "origin": "http://nas.example:80",
      "kind": "basic",
      "name": "me",
      "password": "p2"
    },
    {
      "origin": "http://nas.example:8096",
      "kind": "emby",
      "token": "k1"
    }
  ]
}
`
	if diff := cmp.Diff(want, mustRead(t, path)); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

// Entries of a newer program are left out, and stay; one written by hand is read whatever
// form its origin has.
func TestLoginsFile_keepsWhatItDoesNotKnow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logins.json")
	const newer = `{"origin":"http://a.example:80","kind":"newer","token":"s3cretKEY"}`
	text := `{"kept":1,"logins":[` + newer + `,5,{"origin":"HTTP://B.example","kind":"basic","name":"n","password":"p"},
		{"origin":"http://b.example:80","kind":"emby","token":"s3cretKEY"},{"origin":"c.example","kind":"emby","token":"s3cretKEY"}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f := config.NewLoginsFile(path)
	got, warnings, err := f.Read()
	if err != nil {
		t.Fatal(err)
	}
	b := config.Login{Origin: "http://b.example:80", Kind: config.LoginBasic, Name: "n", Password: "p"}
	if diff := cmp.Diff([]config.Login{b}, got); diff != "" {
		t.Errorf("logins (-want +got):\n%s", diff)
	}
	want := []string{
		"login 1 of " + path + " is left out: kind must be one of basic, jellyfin, emby",
		"login 2 of " + path + " is left out: it is none that this program understands",
		"login 4 of " + path + " is left out: there is a login for http://b.example:80 already",
		"login 5 of " + path + " is left out: origin must be scheme, host and port of a web address",
	}
	if diff := cmp.Diff(want, warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if err := f.Put(b); err != nil {
		t.Fatal(err)
	}
	compact := strings.Join(strings.Fields(mustRead(t, path)), "")
	wantText := `{"kept":1,"logins":[` + newer + `,5,{"origin":"http://b.example:80","kind":"basic","name":"n","password":"p"},` +
		`{"origin":"c.example","kind":"emby","token":"s3cretKEY"}]}`
	if diff := cmp.Diff(wantText, compact); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func TestLogin_Validate(t *testing.T) {
	const origin = "http://nas.example:80"
	for _, bad := range []config.Login{
		{},
		{Kind: config.LoginBasic, Name: "me", Password: "p"},
		{Origin: "http://nas.example", Kind: config.LoginBasic, Name: "me", Password: "p"}, // not the one form
		{Origin: "http://nas.example:80/dav", Kind: config.LoginBasic, Name: "me", Password: "p"},
		{Origin: origin, Kind: "digest", Name: "me", Password: "p"},
		{Origin: origin, Kind: config.LoginBasic},
		{Origin: origin, Kind: config.LoginBasic, Name: "me:you", Password: "p"},
		{Origin: origin, Kind: config.LoginBasic, Name: "me", Password: "p\r\nX: y"},
		{Origin: origin, Kind: config.LoginBasic, Name: "me", Token: "t"},
		{Origin: origin, Kind: config.LoginJellyfin, Name: "me", Password: "p"},
		{Origin: origin, Kind: config.LoginJellyfin},
		{Origin: origin, Kind: config.LoginJellyfin, Token: `t", Client="x`},
		{Origin: origin, Kind: config.LoginEmby, Token: "t\r\nX: y"},
		{Origin: origin, Kind: config.LoginEmby, Token: "t\u00e9"},
	} {
		path := filepath.Join(t.TempDir(), "logins.json")
		if err := config.NewLoginsFile(path).Put(bad); err == nil {
			t.Errorf("%#v of name %q is stored", bad, bad.Name)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%#v leaves a file", bad)
		}
	}
}

func TestLogin_showsNoSecret(t *testing.T) {
	login := config.Login{Origin: "http://nas.example:80", Kind: config.LoginBasic, Name: "me", Password: "s3cretKEY", Token: "s3cretKEY"}
	var shown strings.Builder
	for _, v := range []any{login, &login, []config.Login{login}, config.StoredLogin(login), []config.StoredLogin{config.StoredLogin(login)}} {
		fmt.Fprintf(&shown, "%v %+v %#v %s\n", v, v, v, v)
		slog.New(slog.NewTextHandler(&shown, nil)).Info("login", "login", v)
	}
	raw, err := json.Marshal(login)
	if err != nil {
		t.Fatal(err)
	}
	shown.Write(raw)
	if strings.Contains(shown.String(), "s3cretKEY") {
		t.Errorf("a secret is shown:\n%s", &shown)
	}
}

func TestLoginsFile_damaged(t *testing.T) {
	for _, text := range []string{`{"logins":[`, `[]`, `null`, `{"logins":{"s3cretKEY":1}}`, `s3cretKEY`} {
		path := filepath.Join(t.TempDir(), "logins.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f := config.NewLoginsFile(path)
		_, _, readErr := f.Read()
		for _, err := range []error{readErr, f.Put(basicLogin("http://nas.example:80", "p"))} {
			if err == nil || strings.Contains(err.Error(), "s3cretKEY") || !strings.Contains(err.Error(), path) {
				t.Errorf("file %q: error %v", text, err)
			}
		}
		if got := mustRead(t, path); got != text {
			t.Errorf("the damaged file became %q", got)
		}
	}
}

func TestLoginsFile_readByOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes of files")
	}
	path := filepath.Join(t.TempDir(), "logins.json")
	f := config.NewLoginsFile(path)
	if err := f.Put(basicLogin("http://nas.example:80", "p")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, warnings, err := f.Read(); err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "chmod 600") {
		t.Errorf("Read: %q, %v", warnings, err)
	}
}

func TestLoginsFile_concurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "logins.json")
	var wg sync.WaitGroup
	for n := range 20 {
		wg.Go(func() {
			if err := config.NewLoginsFile(path).Put(basicLogin(fmt.Sprintf("http://h%d.example:80", n), "p")); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, _, err := config.NewLoginsFile(path).Read(); err != nil || len(got) != 20 {
		t.Errorf("%d logins are left, %v", len(got), err)
	}
}
