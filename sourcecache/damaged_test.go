package sourcecache_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sourcecache"
	"xship/sources"
)

// oldTime is a moment within the life of what testdata/v4.sql holds.
var oldTime = time.Unix(1_700_187_270, 0).UTC()

// column is one of the schema.
type column struct{ table, name, kind string }

// allColumns are those of all tables of a file.
func allColumns(t *testing.T, path string) []column {
	t.Helper()
	var all []column
	eachRow(t, path, `SELECT m.name, c.name, c.type FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%'
		ORDER BY m.name, c.cid`, func(rows *sql.Rows) error {
		var c column
		err := rows.Scan(&c.table, &c.name, &c.kind)
		all = append(all, c)
		return err
	})
	return all
}

// known is what there is to read in a database.
type known struct {
	titles     []sources.Title
	interfaces []string
	hosters    []string
	streams    []string
	unlocked   []string
}

func knownOf(t *testing.T, path string) known {
	t.Helper()
	k := known{interfaces: []string{"https://vod.example/config.json", "/home/user/影视/配置.json"}}
	for _, table := range []string{"title", "watch"} {
		for _, title := range storedTitles(t, path, table, "id") {
			k.titles = append(k.titles, title)
		}
	}
	slices.SortFunc(k.titles, func(a, b sources.Title) int { return strings.Compare(a.Key(), b.Key()) })
	k.hosters = texts(t, path, `SELECT name FROM hoster`)
	k.streams = texts(t, path, `SELECT DISTINCT source_id FROM sources`)
	k.unlocked = texts(t, path, `SELECT DISTINCT source_id FROM unlocked_stream`)
	return k
}

// readAll calls every method that reads, and gives what they say.
func readAll(ctx context.Context, db *sourcecache.DB, k known) (map[string]any, error) {
	got := make(map[string]any)
	var errs []error
	note := func(what string, value any, err error) {
		got[what] = value
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
		}
	}
	for _, at := range k.interfaces {
		for _, title := range k.titles {
			scan, err := db.LoadScan(ctx, at, title)
			note("scan of "+title.Key()+" at "+at, scan, err)
		}
		resting, err := db.RestingSites(ctx, at)
		note("resting sites at "+at, resting, err)
		due, err := db.WatchDue(ctx, at, time.Hour)
		note("due at "+at, due, err)
		config, err := db.CachedConfig(ctx, at)
		note("config of "+at, config, err)
	}
	for _, hoster := range k.hosters {
		available, err := db.HosterAvailable(ctx, hoster, time.Second)
		note("available "+hoster, available, err)
		healthy, err := db.HosterHealthy(ctx, hoster)
		note("healthy "+hoster, healthy, err)
		events, err := db.HosterEvents(ctx, hoster)
		if errors.Is(err, sources.ErrUnknownHoster) { // its name is damaged
			events, err = nil, nil
		}
		note("events of "+hoster, events, err)
	}
	hosters, err := db.Hosters(ctx)
	note("hosters", hosters, err)
	snapshot, err := db.HosterSnapshot(ctx)
	note("snapshot", snapshot, err)
	guard, err := db.Guard(ctx)
	note("guard", guard, err)
	last, err := db.LastSuccessAt(ctx)
	note("last success", last, err)
	for _, id := range k.streams {
		stream, err := db.CachedStream(ctx, id)
		note("stream "+id, stream, err)
	}
	info, err := db.SourceMediaInfo(ctx, k.streams)
	note("media info", info, err)
	list, err := db.Watchlist(ctx)
	note("watchlist", list, err)
	for _, at := range k.interfaces {
		states, err := db.WatchStates(ctx, at)
		note("states at "+at, states, err)
	}
	cycles, err := db.Cycles(ctx, 5)
	note("cycles", cycles, err)
	begun, err := db.CycleBegun(ctx)
	note("cycle begun", begun, err)
	hours, err := db.HosterHours(ctx, oldTime.Add(-time.Hour))
	note("hours", hours, err)
	plan, err := db.AccountPlan(ctx, oldAccount)
	note("plan", plan, err)
	use, err := db.InterfaceUse(ctx)
	note("use", use, err)
	interfaces, err := db.Interfaces(ctx)
	note("interfaces", interfaces, err)
	current, err := db.CurrentInterface(ctx)
	note("current", current, err)
	rests, err := db.ProviderHosterRests(ctx)
	note("rests", rests, err)
	cooldowns, err := db.Cooldowns().Cooldowns(ctx)
	note("cooldowns", cooldowns, err)
	for user := range int64(3) {
		for _, provider := range []string{"real_debrid", "all_debrid"} {
			key := sources.CooldownKey{User: user, Provider: provider}
			state, err := db.AccountState(ctx, sources.Account{User: user, Provider: provider, Key: "secret"})
			note(fmt.Sprint("account ", key), state, err)
			hosters, at, err := db.ProviderHosters(ctx, key)
			note(fmt.Sprint("hosters of ", key), []any{hosters, at}, err)
			cooldown, err := db.Cooldowns().IsCoolingDown(ctx, key)
			note(fmt.Sprint("cooldown of ", key), cooldown, err)
			for _, hoster := range k.hosters {
				rest, err := db.ProviderHosterRest(ctx, key, hoster)
				note(fmt.Sprint("rest of ", hoster, " at ", key), rest, err)
			}
			for _, id := range k.unlocked {
				stream, err := db.UnlockedStream(ctx, key, id)
				note(fmt.Sprint("unlocked ", id, " at ", key), stream, err)
			}
		}
	}
	root, err := db.IndexedRoot(ctx, oldRoot)
	note("indexed root", root, err)
	folders, err := db.IndexedFolders(ctx, oldRoot)
	note("indexed folders", folders, err)
	files, err := db.FindFiles(ctx, oldRoot, []string{"dune", "沙丘"}, 9)
	note("indexed files", files, err)
	body, at, err := db.Answer(ctx, "ids 沙丘")
	note("answer", []any{body, at}, err)
	in, err := db.Inspect(ctx)
	note("damaged", in.Damaged, err)
	return got, errors.Join(errs...)
}

// writeAll calls every method that writes, on some of what is there.
func writeAll(ctx context.Context, db *sourcecache.DB, k known) error {
	var errs []error
	note := func(what string, err error) {
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", what, err))
		}
	}
	cycle, err := db.BeginCycle(ctx)
	note(fmt.Sprint("cycle ", cycle), err)
	for range 2 {
		_, err = db.ResolveQueue(ctx, time.Hour, 100, 10)
		note("resolve queue", err)
		_, err = db.ProbeQueue(ctx, 100, 10)
		note("probe queue", err)
	}
	for _, hoster := range k.hosters {
		note("touch", db.HosterTouch(ctx, hoster, false))
		a, _, err := db.BeginAttempt(ctx, hoster, "https://"+hoster+"/a", true)
		note("begin", err)
		canary, err := db.EndAttempt(ctx, a, sources.ClassHosterFault, "no")
		note("end", err)
		for canary != nil {
			canary, err = db.EndCanary(ctx, *canary, sources.ClassHosterFault)
			note("canary", err)
		}
	}
	for _, asked := range []bool{false, true} {
		_, err := db.TestOutage(ctx, asked)
		note("test an outage", err)
	}
	_, err = db.DueRetests(ctx, nil, nil, 9)
	note("due", err)
	for _, at := range k.interfaces {
		for _, title := range k.titles[:6] {
			scan, err := db.LoadScan(ctx, at, title)
			note("load", err)
			if scan == nil {
				scan = &sources.StoredScan{}
			}
			scan.ScannedAt = oldTime
			for i := range scan.Answers {
				scan.Answers[i].Sources = append(scan.Answers[i].Sources, sources.Source{Name: "new", URL: "https://new.example/a.mp4", Hoster: "new.example"})
			}
			note("save "+title.Key(), db.SaveScan(ctx, at, title, *scan))
		}
		note("sites", db.SiteTouch(ctx, at, []sources.SiteOutcome{{Site: "a", Started: oldTime}, {Site: "影视", Started: oldTime, OK: true}}))
		_, err := db.AddInterface(ctx, at, "again")
		note("interface", err)
		note("load", db.RecordInterfaceLoad(ctx, at, oldTime, "", true))
		note("use", db.RecordInterfaceUse(ctx, at, oldTime))
		note("config", db.PutConfig(ctx, at, sources.StoredConfig{FetchedAt: oldTime}, ""))
		note("current", db.SetCurrentInterface(ctx, at))
	}
	for _, id := range k.streams[:4] {
		note("stream", db.PutStream(ctx, id, sources.Stream{URL: "https://h.example/a"}))
		note("info", db.PutMediaInfo(ctx, id, sources.MediaInfo{Container: "mp4"}))
		note("hold back", db.HoldBack(ctx, id))
	}
	for _, title := range k.titles {
		_, _, err := db.AddWatch(ctx, title, sources.WatchUser)
		note("watch", err)
	}
	key := sources.CooldownKey{User: 1, Provider: "real_debrid"}
	_, err = db.Cooldowns().MarkCooldown(ctx, key, sources.CooldownMark{For: time.Minute, Grow: true})
	note("mark", err)
	_, _, err = db.CallBudgets().Spend(ctx, oldBudget, sources.CallLimit{Calls: 2, Per: time.Hour}, time.Minute)
	note("spend", err)
	lease, _, err := db.Cooldowns().Begin(ctx, key)
	note("begin a call", err)
	note("end a call", db.Cooldowns().End(ctx, lease, true))
	note("rest", db.RestProviderHoster(ctx, key, k.hosters[0], sources.Cooldown{Remaining: time.Minute}))
	note("account", db.SetAccountState(ctx, sources.Account{User: 1, Provider: "real_debrid"}, sources.AccountState{Class: sources.ClassProviderAuth}))
	_, err = db.Cooldowns().Refused(ctx, key, sources.Refusal{Link: "a", Answer: "b"})
	note("refused", err)
	note("answered", db.Cooldowns().Answered(ctx, key))
	_, err = db.Cooldowns().Clear(ctx, sources.CooldownKey{})
	note("clear", err)
	_, err = db.ClearProviderHosterRests(ctx, sources.CooldownKey{})
	note("clear rests", err)
	_, err = db.ResetAllHosters(ctx)
	note("reset", err)
	list, err := db.Watchlist(ctx)
	note("watchlist", err)
	for _, entry := range list {
		note("next", db.SetWatchTitle(ctx, entry.ID, entry.Title))
		_, err := db.RemoveWatch(ctx, entry.ID)
		note("remove", err)
	}
	changed := oldFolders()
	changed[0].Files[0].Keys = []string{"沙丘"}
	changed[1].Files[0].Facts = []byte("new")
	note("index", db.PutFolders(ctx, oldRoot, changed))
	note("drop", db.DropFolders(ctx, oldRoot, []string{"b", "c"}))
	note("walked", db.EndWalk(ctx, oldRoot, sources.IndexedRoot{WalkedAt: oldTime}))
	note("cycle", db.PutCycle(ctx, sources.CycleRecord{BegunAt: oldTime, EndedAt: oldTime}))
	note("plan", db.SetAccountPlan(ctx, oldAccount, sources.AccountPlan{}))
	note("looked", db.NoteLooked(ctx, k.titles[0]))
	_, err = db.NoteReady(ctx, k.interfaces[0], "")
	note("ready", err)
	_, err = db.SwitchInterface(ctx, k.interfaces[0], k.interfaces[1])
	note("switch", err)
	note("answer", db.PutAnswer(ctx, "ids 沙丘", []byte("{}")))
	_, err = db.FirstTime(ctx, "ids")
	note("told", err)
	note("forget", db.ForgetRoot(ctx, oldRoot))
	_, err = db.DeleteExpired(ctx, oldTime.Add(time.Hour))
	note("expire", err)
	return errors.Join(errs...)
}

// badValues are what sqlite3 lets a user write into a column, and xship never does.
func badValues(c column) []string {
	switch {
	case c.kind == "INTEGER" && (strings.HasSuffix(c.name, "_at") || strings.Contains(c.name, "until")):
		return []string{`'soon'`, `1.5`}
	case c.kind == "INTEGER":
		return []string{`'soon'`}
	case slices.Contains([]string{"aliases", "headers", "info", "sites", "media_info", "hosters", "keys", "subtitles"}, c.name):
		return []string{`'[{'`}
	case c.kind == "TEXT":
		return []string{`x'00ff'`}
	default:
		return []string{`'text'`}
	}
}

// columnRounds puts one column of each table into each round.
func columnRounds(columns []column) [][]column {
	var rounds [][]column
	seen := make(map[string]int)
	for _, c := range columns {
		i := seen[c.table]
		if seen[c.table]++; i == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[i] = append(rounds[i], c)
	}
	return rounds
}

// damage puts a bad value into columns, that of the pass where there are more, in all
// rows that have the value of the first one.
func damage(t *testing.T, path string, columns []column, pass int) {
	t.Helper()
	raw, err := sql.Open("sqlite", path)
	must(t, err)
	defer raw.Close()
	for _, c := range columns {
		bad := badValues(c)
		first := fmt.Sprintf(`(SELECT %[1]s FROM %[2]s ORDER BY %[1]s LIMIT 1)`, c.name, c.table)
		_, err = raw.ExecContext(t.Context(), fmt.Sprintf(`UPDATE OR FAIL %s SET %s = %s WHERE %[2]s IS %[4]s`, c.table, c.name, bad[min(pass, len(bad)-1)], first))
		if err != nil && !strings.Contains(err.Error(), "mismatch") && !strings.Contains(err.Error(), "constraint") { // the database does not take it
			t.Fatal(err)
		}
	}
}

// TestDamagedRows damages each column of each table in turn, as a slip with sqlite3
// does: whatever reads or writes goes on, and says what it left out.
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	path := updatedDatabase(t)
	k := knownOf(t, path)
	file := func() []byte {
		execFile(t, path, `PRAGMA wal_checkpoint(TRUNCATE)`)
		file, err := os.ReadFile(path)
		must(t, err)
		return file
	}()
	open := func(t *testing.T, path string, log *logged) *sourcecache.DB {
		db, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: path, Now: func() time.Time { return oldTime }, Logger: log.logger()})
		must(t, err)
		t.Cleanup(func() { must(t, db.Close()) })
		return db
	}
	log := &logged{}
	sound, err := readAll(t.Context(), open(t, path, log), k)
	must(t, err)
	if log.Len() > 0 || len(sound["damaged"].([]string)) > 0 {
		t.Fatalf("of a sound database it says: %s %q", log, sound["damaged"])
	}
	delete(sound, "damaged")
	told := make(map[string]bool) // tables of which a row was left out
	rounds := columnRounds(allColumns(t, path))
	for i, columns := range rounds {
		for pass := range 2 {
			t.Run(fmt.Sprintf("columns %d, pass %d", i, pass), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "xship.db")
				must(t, os.WriteFile(path, file, 0o600))
				damage(t, path, columns, pass)
				log := &logged{}
				db := open(t, path, log)
				got, err := readAll(t.Context(), db, k)
				if err != nil {
					t.Errorf("%v: reading: %v", columns, err)
				}
				named := got["damaged"].([]string)
				delete(got, "damaged")
				if !cmp.Equal(sound, got) && log.Len() == 0 && len(named) == 0 {
					t.Errorf("%v: something was left out without a word:\n%s", columns, cmp.Diff(sound, got))
				}
				if pass == 0 {
					if err := writeAll(t.Context(), db, k); err != nil {
						t.Errorf("%v: writing: %v", columns, err)
					}
					if _, err := readAll(t.Context(), db, k); err != nil {
						t.Errorf("%v: reading what was written: %v", columns, err)
					}
				}
				for _, c := range columns {
					told[c.table] = told[c.table] || strings.Contains(log.String(), "table="+c.table+" row=")
				}
				if strings.Contains(log.String(), "level=ERROR") {
					t.Error(log)
				}
			})
		}
	}
	for table := range map[string]bool{"hoster": true, "config": true, "watch": true, "sources": true, "stream": true, "cooldown": true, "call_budget": true, "refused_link": true, "guard": true, "state": true, "link": true, "hoster_event": true, "index_file": true, "answer": true, "cycle": true, "hoster_hour": true, "account_plan": true} {
		if !told[table] {
			t.Errorf("no damaged row of %s was named", table)
		}
	}
}
