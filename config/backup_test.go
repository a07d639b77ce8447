package config_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/config"
	"xship/config/failover"
)

func backup() config.Backup {
	zero, two := 0, 2
	return config.Backup{
		Version: 1, CreatedAt: 1_700_000_000, WithSecrets: true,
		Preferences: map[string]json.RawMessage{failover.ModeKey: json.RawMessage(`2`), failover.OrderKey: json.RawMessage(`"[\"b\"]"`)},
		Interfaces:  []config.BackupInterface{{URL: "https://h.example/?a=1&b=<2>", Name: "饭", Current: true}, {URL: "/dir/x.json"}},
		Watchlist: []config.BackupTitle{
			{Kind: "movie", Name: "Film", OriginalName: "Der Film", Year: 2008, IMDb: "tt0000001", Aliases: []string{"F"}, Origin: "user"},
			{Kind: "episode", Name: "Series", Season: &zero, Episode: &two},
		},
	}
}

// 12.1, points 13 and 14: mode and order are part of the backup; no other key is.
func TestBackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "xship-backup.json")
	written := backup()
	written.Version = 0
	written.Preferences["other"] = json.RawMessage(`1`)
	if err := config.WriteBackup(path, written); err != nil {
		t.Fatal(err)
	}
	if len(written.Preferences) != 3 {
		t.Errorf("writing changed the preferences to %v", written.Preferences)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	got, err := config.ReadBackup(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(backup(), got); diff != "" {
		t.Errorf("backup (-want +got):\n%s", diff)
	}
	if text := mustRead(t, path); !strings.HasPrefix(text, "{\n  \"xship_backup\": 1,") || !strings.Contains(text, `?a=1&b=<2>"`) || strings.Contains(text, "other") {
		t.Errorf("file holds %s", text)
	}
}

func TestBackup_empty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "backup.json")
	if err := config.WriteBackup(path, config.Backup{CreatedAt: 5}); err != nil {
		t.Fatal(err)
	}
	want := `{
  "xship_backup": 1,
  "created_at": 5,
  "with_secrets": false,
  "preferences": {},
  "interfaces": [],
  "watchlist": []
}
`
	if diff := cmp.Diff(want, mustRead(t, path)); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func TestReadBackup(t *testing.T) {
	tests := []struct {
		name, text string
		want       string // of the error, FILE stands for the path; "" = none
	}{
		{"unknown keys", "\ufeff" + `{"xship_backup":1,"future":{"a":[1]},"interfaces":[{"url":"a","color":1}],"preferences":{"other":1,"interface_failover_mode":null}}`, ""},
		{"marker alone", `{"xship_backup":1}`, ""},
		{"newer", `{"xship_backup":2,"interfaces":{"now":"an object"}}`, "backup FILE is of version 2, this program reads up to 1; use a newer xship"},
		{"preferences", `{"interface_failover_mode":1}`, "FILE is no backup of xship: it has no version of xship_backup; use a file that xship backup export wrote"},
		{"version zero", `{"xship_backup":0}`, "FILE is no backup of xship: it has no version of xship_backup; use a file that xship backup export wrote"},
		{"null", `null`, "FILE is no backup of xship: it has no version of xship_backup; use a file that xship backup export wrote"},
		{"list", `[1]`, "FILE is no backup of xship: it is not a JSON object (array); use a file that xship backup export wrote"},
		{"page", `<html>`, "FILE is no backup of xship: invalid character '<' looking for beginning of value; use a file that xship backup export wrote"},
		{"empty", ``, "FILE is no backup of xship: unexpected end of JSON input; use a file that xship backup export wrote"},
		{"cut off", `{"xship_backup":1,"interfaces":[`, "FILE is no backup of xship: unexpected end of JSON input; use a file that xship backup export wrote"},
		{"two", `{"xship_backup":1}{}`, "FILE is no backup of xship: invalid character '{' after top-level value; use a file that xship backup export wrote"},
		{"wrong types", `{"xship_backup":1,"watchlist":[{"year":"x"}]}`, "FILE is no backup of xship: watchlist.year cannot be a string; use a file that xship backup export wrote"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := preferencesFile(t, tt.text)
			got, err := config.ReadBackup(path)
			if tt.want == "" {
				if err != nil || got.Version != 1 || len(got.Preferences) != 0 {
					t.Errorf("ReadBackup = %+v, %v", got, err)
				}
				return
			}
			if _, ok := errors.AsType[*config.BackupError](err); !ok || err.Error() != strings.ReplaceAll(tt.want, "FILE", path) {
				t.Errorf("ReadBackup: %v, want %s", err, tt.want)
			}
		})
	}
}

func TestBackup_files(t *testing.T) {
	dir := t.TempDir()
	if err := config.WriteBackup(dir, config.Backup{}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("backup into a directory: %v", err)
	}
	if err := config.WriteBackup(filepath.Join(dir, "none", "b.json"), config.Backup{}); err == nil {
		t.Error("backup into a directory that does not exist")
	}
	if _, err := config.ReadBackup(filepath.Join(dir, "none.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("backup that does not exist: %v", err)
	}
	large := preferencesFile(t, "")
	if err := os.Truncate(large, 16<<20+1); err != nil {
		t.Fatal(err)
	}
	if _, err := config.ReadBackup(large); err == nil || !strings.Contains(err.Error(), "larger than 16384 KiB") {
		t.Errorf("large file: %v", err)
	}
}

func FuzzReadBackup(f *testing.F) {
	for _, seed := range []string{`{"xship_backup":1}`, `{"xship_backup":1,"preferences":{"interface_order_vod":["a"]},"interfaces":[{"url":"a"}],"watchlist":[{"season":0}]}`, `{"xship_backup":9}`, `[`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := preferencesFile(t, text)
		b, err := config.ReadBackup(path)
		if err != nil {
			if _, ok := errors.AsType[*config.BackupError](err); !ok {
				t.Errorf("%q: %T %v", text, err, err)
			}
			return
		}
		if err := config.WriteBackup(path, b); err != nil {
			t.Fatal(err)
		}
		if _, err := config.ReadBackup(path); err != nil {
			t.Errorf("%q became %q: %v", text, mustRead(t, path), err)
		}
	})
}
