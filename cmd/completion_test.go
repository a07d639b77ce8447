package cmd_test

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xship/sourcecache"
)

// complete gives what a shell is told that a command line completes to.
func (m *machine) complete(tb testing.TB, args ...string) string {
	tb.Helper()
	m.run(tb, 0, append([]string{"__complete"}, args...)...)
	return m.out.String()
}

// askedInCompletions are command lines that complete to what is in the user's data.
var askedInCompletions = [][]string{
	{"watch", "remove", ""},
	{"watch", "next", ""},
	{"play", ""},
	{"scan", "x", "--interface", ""},
	{"interfaces", "use", ""},
	{"interfaces", "group", ""},
	{"interfaces", "check", ""},
	{"hosters", "log", ""},
	{"hosters", "reset", ""},
	{"accounts", "remove", ""},
	{"scan", "x", "--user", ""},
}

// TestCompletion_data completes to what is in the database, in order, and to nothing that
// was given already.
func TestCompletion_data(t *testing.T) {
	m := newMachine(t)
	const secret = "s3cr3t-t0ken"
	for _, title := range []string{"Paper Submarines", "Paper Lanterns"} {
		m.run(t, 0, "watch", "add", title, "--year", "2014")
	}
	m.run(t, 0, "watch", "add", "Harbour Nine", "--season", "1", "--episode", "5")
	folder := filepath.Join(t.TempDir(), "films")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	m.run(t, 0, "interfaces", "add", folder, "--name", "home")
	m.run(t, 0, "interfaces", "add", "http://127.0.0.1:1/tv.json?token="+secret)
	m.run(t, 0, "interfaces", "add", "http://127.0.0.1:1/other.json?token="+secret, "--name", "far")
	m.run(t, 0, "interfaces", "group", "all", "home")
	m.Stdin = strings.NewReader(secret + "\n")
	m.run(t, 0, "accounts", "add", "premiumize", "--no-check", "--user", "3")
	store, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: filepath.Join(m.env["XSHIP_DATA_DIR"], "xship.db")})
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(store.HosterTouch(t.Context(), "good.example", true), store.HosterTouch(t.Context(), "bad.example", false), store.Close())
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"watch next ":                           "3\tHarbour Nine S01E05\n2\tPaper Lanterns (2014)\n1\tPaper Submarines (2014)\n:36\n",
		"watch next 1 ":                         ":4\n",
		"watch remove 3 ":                       "2\tPaper Lanterns (2014)\n1\tPaper Submarines (2014)\n:36\n",
		"watch remove pap":                      "Paper Lanterns (2014)\tnumber 2 of the watchlist\nPaper Submarines (2014)\tnumber 1 of the watchlist\n:36\n",
		"play Har":                              "Harbour Nine S01E05\tnumber 3 of the watchlist\n:36\n",
		"play x ":                               ":4\n",
		"interfaces use ho":                     "home\tin use, " + folder + "\n:36\n",
		"interfaces order home ":                "http://127.0.0.1:1/tv.json?token=REDACTED\nfar\thttp://127.0.0.1:1/other.json?token=REDACTED\nall\t" + filepath.Join(m.env["XSHIP_DATA_DIR"], "groups", "all.json") + "\n:36\n",
		"interfaces use http://127.0.0.1:1/oth": "http://127.0.0.1:1/other.json?token=REDACTED\tfar\n:36\n",
		"interfaces group ":                     "all\tgets other members\n:36\n",
		"interfaces group all ho":               "home\tin use, " + folder + "\n:32\n",
		"scan x --interface ho":                 "home\tin use, " + folder + "\n:32\n",
		"hosters log ":                          "bad.example\thidden, waiting for a probe, 1 fail\ngood.example\thealthy\n:36\n",
		"hosters reset good.example ":           "bad.example\thidden, waiting for a probe, 1 fail\n:36\n",
		"accounts remove ":                      "premiumize\tuser 3\n:36\n",
		"accounts check pre":                    "premiumize\tuser 3\n:36\n",
		"play x --user ":                        "3\tpremiumize\n:36\n",
	} {
		got := m.complete(t, strings.Split(line, " ")...)
		if strings.HasPrefix(line, "hosters") { // how long a block lasts depends on the clock
			got = strings.ReplaceAll(got, "backing off until", "waiting for a probe")
		}
		if got != want && !strings.HasPrefix(line, "hosters") || strings.Contains(got, secret) {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
		for _, row := range strings.Split(want, "\n") {
			if name, _, _ := strings.Cut(row, "\t"); strings.HasPrefix(line, "hosters") && !strings.Contains(got, name) {
				t.Errorf("%s: got %q, want %q", line, got, want)
			}
		}
	}
}

// TestCompletion_many offers no more than a shell shows.
func TestCompletion_many(t *testing.T) {
	m := newMachine(t)
	m.run(t, 0, "hosters", "stats")
	db, err := sql.Open("sqlite", filepath.Join(m.env["XSHIP_DATA_DIR"], "xship.db"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
		INSERT INTO hoster (name) SELECT 'h' || i || '.example' FROM n`)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(m.complete(t, "hosters", "log", ""), ".example"); n != 200 {
		t.Errorf("%d hosters", n)
	}
	if got := m.complete(t, "hosters", "log", "h4999"); !strings.HasPrefix(got, "h4999.example\t") {
		t.Errorf("got %q", got)
	}
}

// TestCompletion_touchesNothing completes where there are no data, or none that can be
// read: nothing is offered, told, made or changed.
func TestCompletion_touchesNothing(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, m *machine, db string){
		"no data": func(*testing.T, *machine, string) {},
		"a newer database": func(t *testing.T, m *machine, db string) {
			t.Helper()
			m.run(t, 0, "watch", "add", "Paper Submarines")
			change(t, filepath.Dir(db), "PRAGMA user_version = 9999")
		},
		"an older database": func(t *testing.T, m *machine, db string) {
			t.Helper()
			m.run(t, 0, "watch", "add", "Paper Submarines")
			change(t, filepath.Dir(db), "PRAGMA user_version = 3")
		},
		"no database": func(t *testing.T, _ *machine, db string) {
			t.Helper()
			writeText(t, db, strings.Repeat("no database ", 1000))
		},
		"damaged files": func(t *testing.T, m *machine, db string) {
			t.Helper()
			m.run(t, 0, "hosters", "stats")
			writeText(t, filepath.Join(filepath.Dir(db), "preferences.json"), "{")
			writeText(t, filepath.Join(filepath.Dir(db), "accounts.json"), "{")
			writeText(t, filepath.Join(m.env["XDG_CONFIG_HOME"], "xship", "config.yaml"), "scan: [")
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			dir := m.env["XSHIP_DATA_DIR"]
			prepare(t, m, filepath.Join(dir, "xship.db"))
			before := filesOf(t, filepath.Dir(dir))
			for _, args := range askedInCompletions {
				if got := m.complete(t, args...); !strings.HasPrefix(got, ":") || strings.Count(m.err.String(), "\n") != 1 {
					t.Errorf("%q: got %q and %q", args, got, m.err)
				}
			}
			if after := filesOf(t, filepath.Dir(dir)); after != before {
				t.Errorf("there was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// TestCompletion_locked completes while another process holds the database for itself.
func TestCompletion_locked(t *testing.T) {
	m := newMachine(t)
	m.run(t, 0, "watch", "add", "Paper Submarines")
	db, err := sql.Open("sqlite", filepath.Join(m.env["XSHIP_DATA_DIR"], "xship.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "DELETE FROM hoster"} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range askedInCompletions {
		if got := m.complete(t, args...); !strings.HasPrefix(got[strings.LastIndex(strings.TrimSpace(got), "\n")+1:], ":") || strings.Count(m.err.String(), "\n") != 1 {
			t.Errorf("%q: got %q and %q", args, got, m.err)
		}
	}
}

// BenchmarkCompletion completes a name of 500 hosters and one of 500 watched titles.
func BenchmarkCompletion(b *testing.B) {
	m := newMachine(b)
	m.run(b, 0, "hosters", "stats")
	db, err := sql.Open("sqlite", filepath.Join(m.env["XSHIP_DATA_DIR"], "xship.db"))
	if err != nil {
		b.Fatal(err)
	}
	_, err = db.ExecContext(b.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
		INSERT INTO hoster (name) SELECT 'h' || i || '.example' FROM n`)
	if err := errors.Join(err, db.Close()); err != nil {
		b.Fatal(err)
	}
	for i := range 500 {
		m.run(b, 0, "watch", "add", fmt.Sprintf("Title %d", i), "-q")
	}
	for _, args := range [][]string{{"hosters", "log", "h"}, {"play", "Title"}, {"scan", "--"}} {
		b.Run(args[0], func(b *testing.B) {
			for b.Loop() {
				m.complete(b, args...)
			}
		})
	}
}

func writeText(t *testing.T, path, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// filesOf lists what is in a directory, with digests.
func filesOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			_, _ = fmt.Fprintln(&b, path)
			return err
		}
		data, err := os.ReadFile(path)
		_, _ = fmt.Fprintf(&b, "%s %x\n", path, sha256.Sum256(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
