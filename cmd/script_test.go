package cmd_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"xship/cmd"
	"xship/sourcecache"
	"xship/sources"
	"xship/sources/sourcetest/jellyfinfake"
	"xship/sources/sourcetest/world"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"xship": func() { os.Exit(cmd.Main(os.Args[1:], scriptSystem())) },
	})
}

// These turn the id service and the Internet Archive off, so that no test leaves the
// machine.
const (
	idsVariable     = "XSHIP_IDS_ENABLED"
	archiveVariable = "XSHIP_ARCHIVE_ENABLED"
)

// patience is how long tests wait for what must come. The machine may be busy, so
// it is long: no test is about it.
const patience = time.Minute

// eventually waits until cond holds, and tells whether it came to that.
func eventually(cond func() bool) bool {
	for deadline := time.Now().Add(patience); !cond(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// TestScript runs the scripts of testdata/script, each in a world of its own.
// Its addresses are in GOOD and BROKEN (interfaces) and ATLAS, BIRCH and COBALT
// (hosters).
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setupWorld,
		Condition:           hasRealCondition,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"addids":       addIDsCmd,
			"addaddon":     addAddonCmd,
			"addinterface": addInterfaceCmd,
			"archive":      archiveCmd,
			"code":         codeCmd,
			"block":        blockCmd,
			"calls":        callsCmd,
			"addserver":    addServerCmd,
			"cmpjson":      cmpJSONCmd,
			"debrid":       debridCmd,
			"errorjson":    errorJSONCmd,
			"falter":       falterCmd,
			"forget":       forgetCmd,
			"getfile":      getFileCmd,
			"hold":         holdCmd,
			"hostile":      hostileCmd,
			"lockdb":       lockDBCmd,
			"mediaserver":  mediaServerCmd,
			"mode":         modeCmd,
			"noescapes":    noEscapesCmd,
			"notmodified":  notModifiedCmd,
			"pages":        pagesCmd,
			"redis":        redisCmd,
			"release":      releaseCmd,
			"requests":     requestsCmd,
			"sql":          sqlCmd,
			"upgrade":      upgradeCmd,
			"waitcall":     waitCallCmd,
			"waitfor":      waitForCmd,
			"waitforlock":  waitForLockCmd,
			"notecycle":    noteCycleCmd,
			"waitcycle":    waitCycleCmd,
			"waitshown":    waitShownCmd,
			"waitstatus":   waitStatusCmd,
			"waitworked":   waitWorkedCmd,
		},
	})
}

// newcomers are the scripts in which xship has never run before.
var newcomers = []string{"config", "demo", "doctor", "hosters", "needs", "private", "scan", "status", "usage"}

// scene is what the commands of a script work on.
type scene struct {
	testing.TB
	*world.Story
	providers map[string]*fakeProvider
	redis     *redisServer
	media     map[string]*jellyfinfake.Server
}

type sceneKey struct{}

func sceneOf(ts *testscript.TestScript) scene { return ts.Value(sceneKey{}).(scene) }

func setupWorld(env *testscript.Env) error {
	env.Setenv("GORACE", "atexit_sleep_ms=20") // at the end of each command the race detector sleeps a second
	tb := env.T().(testing.TB)
	story, err := world.StartStory(tb.Context(), world.Config{})
	if err != nil {
		return err
	}
	env.Defer(story.Close)
	story.Hanging.SetMode(world.Mode503) // so that no scan waits for it
	env.Values[sceneKey{}] = scene{TB: tb, Story: story, providers: make(map[string]*fakeProvider), redis: new(redisServer), media: make(map[string]*jellyfinfake.Server)}
	env.Defer(func() { findSecrets(tb, env.WorkDir) })
	env.Setenv(startVariable, time.Now().Format(time.RFC3339))
	env.Setenv(outputVariable, filepath.Join(env.WorkDir, ".output"))
	env.Setenv("GOOD", story.Good.URL())
	env.Setenv("BROKEN", story.Broken.URL())
	for _, h := range story.Hosters {
		env.Setenv(strings.ToUpper(h.Name()), h.IP())
		env.Setenv(strings.ToUpper(h.Name())+"_URL", "http://"+h.Addr())
	}
	configs, err := filepath.Abs("../testdata/configs")
	if err != nil {
		return err
	}
	env.Setenv("CONFIGS", configs)
	env.Setenv("XSHIP_DATA_DIR", filepath.Join(env.WorkDir, "data"))
	if !slices.Contains(newcomers, strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")) {
		writeUsedData(tb, filepath.Join(env.WorkDir, "data"))
	}
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "xdg"))
	env.Setenv("XSHIP_SCAN_SITE_TIMEOUT", patience.String())
	env.Setenv("XSHIP_INTERFACES_TIMEOUT", patience.String())
	env.Setenv("XSHIP_RESOLVE_YTDLP", "off")
	env.Setenv(idsVariable, "false") // a script that asks the world's names that, in XSHIP_IDS_URL
	env.Setenv(archiveVariable, "false")
	return nil
}

func wantArgs(ts *testscript.TestScript, neg bool, args []string, least int, usage string) {
	if neg || len(args) < least {
		ts.Fatalf("usage: %s", usage)
	}
}

// codeCmd runs a command and wants an exit code.
func codeCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "code N command [args...]")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// server is the server of the world with the given name.
func (s scene) server(ts *testscript.TestScript, name string) *world.Server {
	switch {
	case s.Site(name) != nil:
		return s.Site(name).Server
	case s.T4(name) != nil:
		return s.T4(name).Server
	case s.Interface(name) != nil:
		return s.Interface(name).Server
	case s.Hoster(name) != nil:
		return s.Hoster(name).Server
	case s.Archive(name) != nil:
		return s.Archive(name).Server
	case s.IDs(name) != nil:
		return s.IDs(name).Server
	case s.media[name] != nil:
		return s.media[name].Server
	}
	ts.Fatalf("the world has no %s", name)
	return nil
}

// modeCmd switches servers of the world.
func modeCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "mode MODE server...")
	s := sceneOf(ts)
	for _, name := range args[1:] {
		s.server(ts, name).SetMode(world.Mode(args[0]))
	}
}

// holdCmd keeps the answers of servers back until they are released.
func holdCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "hold server...")
	for _, name := range args {
		sceneOf(ts).server(ts, name).Hold()
	}
}

// releaseCmd lets servers answer that were held.
func releaseCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "release server...")
	for _, name := range args {
		sceneOf(ts).server(ts, name).Release()
	}
}

// requestsCmd compares how often a server was asked.
func requestsCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "requests server N")
	wantCount(ts, args, "was asked", (*world.Server).Requests)
}

// notModifiedCmd compares how often a server answered 304.
func notModifiedCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "notmodified server N")
	wantCount(ts, args, "answered 304", (*world.Server).NotModified)
}

func wantCount(ts *testscript.TestScript, args []string, what string, count func(*world.Server) int) {
	if got := strconv.Itoa(count(sceneOf(ts).server(ts, args[0]))); got != args[1] {
		ts.Fatalf("%s %s %s times, want %s", args[0], what, got, args[1])
	}
}

// forgetCmd sets the counters of servers back to 0.
func forgetCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "forget server...")
	for _, name := range args {
		sceneOf(ts).server(ts, name).ResetCounters()
	}
}

// addIDsCmd adds an id service to the world, named ids, and has it asked. Harbour Nine
// goes on at the end of the century, and Iron Ferry has ended; two films are called Paper
// Lanterns.
func addIDsCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 0, "addids")
	service, err := sceneOf(ts).AddIDs("ids", idTitles()...)
	ts.Check(err)
	ts.Setenv(idsVariable, "true")
	ts.Setenv("XSHIP_IDS_URL", service.URL())
}

func idTitles() []world.IDTitle {
	aired, later := time.Date(2011, time.April, 2, 1, 0, 0, 0, time.UTC), time.Date(2099, time.December, 25, 2, 0, 0, 0, time.UTC)
	return []world.IDTitle{
		{ID: "tt9900001", Name: "Paper Lanterns", ReleaseInfo: "2014", Runtime: "94 min"},
		{ID: "tt9900002", Name: "Paper Lanterns", ReleaseInfo: "1988", Runtime: "1h 20min"},
		{ID: "tt9900003", Name: "Paper Submarines", ReleaseInfo: "2016", Runtime: "101 min"},
		{ID: "tt9900010", Series: true, Name: "Harbour Nine", ReleaseInfo: "2011-", Runtime: "45 min", Status: "Continuing", Episodes: []world.IDEpisode{
			{Season: 1, Episode: 5, Name: "Fog", Released: aired},
			{Season: 1, Episode: 6, Name: "Tide", Released: aired},
			{Season: 2, Episode: 1, Name: "Gulls", Released: aired},
			{Season: 2, Episode: 2, Name: "Ice", Released: later},
			{Season: 2, Episode: 3},
		}},
		{ID: "tt9900011", Series: true, Name: "Iron Ferry", ReleaseInfo: "2011-2012", Status: "Ended", Episodes: []world.IDEpisode{
			{Season: 1, Episode: 1, Released: aired}, {Season: 1, Episode: 2, Released: aired},
		}},
	}
}

// addAddonCmd adds a Stremio add-on to the world that has the films of the id service,
// and writes an interface of it, addons.json.
func addAddonCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 0, "addaddon")
	doc, err := addAddon(sceneOf(ts).Story)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("addons.json"), doc, 0o600))
}

// addAddon is an interface of an add-on that wants IMDb ids, and of a site that finds
// films by their names.
func addAddon(story *world.Story) ([]byte, error) {
	var films []world.Film
	for _, t := range idTitles() {
		films = append(films, world.Film{Name: t.Name, IMDb: t.ID, Groups: []world.Group{
			{From: "addon", Items: []world.Item{{Label: "1080p", URL: story.Hosters[0].URL(t.ID + ".mp4")}}},
		}})
	}
	addon, err := story.AddStremio("addon", world.StremioConfig{Films: films})
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"sites": []any{
		map[string]any{"key": "addon", "name": "Addon", "type": "stremio", "api": addon.URL()}, story.Sites[0].Entry(),
	}})
}

// addInterfaceCmd adds an interface to the world. Its address is in NAME, in upper
// case. Options, such as encoding=aes, say what it is; its sites are those of the
// story unless sites= names others, in the form key, xml:key, t4 or spider.
func addInterfaceCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "addinterface name [option...]")
	s := sceneOf(ts)
	config := world.InterfaceConfig{}
	keys := "meridian,nordlicht,yuanhang,quicksand"
	for _, option := range args[1:] {
		switch name, value, _ := strings.Cut(option, "="); name {
		case "etag":
			config.ETag = true
		case "encoding":
			config.Encoding = world.Encoding(value)
		case "msg":
			config.Msg = value
		case "depot", "storehouse":
			config.StoreHouse, keys = name == "storehouse", ""
			for child := range strings.SplitSeq(value, ",") {
				config.Children = append(config.Children, world.Child{Name: child, URL: s.Interface(child).URL()})
			}
		case "sites":
			keys = value
		default:
			ts.Fatalf("addinterface has no option %s", option)
		}
	}
	for key := range strings.SplitSeq(keys, ",") {
		if key != "" {
			config.Entries = append(config.Entries, s.entry(ts, key))
		}
	}
	added, err := s.AddInterface(args[0], config)
	ts.Check(err)
	ts.Setenv(strings.ToUpper(args[0]), added.URL())
}

// archiveCmd starts an Internet Archive, whose files lie on the first hoster, and has it
// asked.
func archiveCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 0, "archive")
	s := sceneOf(ts)
	type fields = map[string]any
	a, err := s.AddArchive("archive", world.ArchiveConfig{Node: s.Hosters[0], Items: []world.ArchiveItem{
		{
			Fields: fields{"identifier": "bunny_124", "title": "Big Buck Bunny", "year": "2008", "mediatype": "movies", "language": "eng", "licenseurl": "http://creativecommons.org/licenses/by/3.0/"},
			Files: []map[string]any{
				{"name": "Content/a b.avi", "source": "original", "format": "Cinepack", "length": "596.47", "size": "700000000", "private": "true"},
				{"name": "Content/a b.mp4", "source": "derivative", "original": "Content/a b.avi", "format": "h.264 HD", "length": "9:56", "size": "200000000", "height": "720"},
			},
		},
		{
			Fields: fields{"identifier": "semaphore", "title": "The Brass Semaphore", "year": 1946, "mediatype": "movies", "collection": []string{"film_noir"}},
			Files:  []map[string]any{{"name": "semaphore.mp4", "source": "original", "format": "h.264", "length": "3600", "size": "900000000"}},
		},
		{
			Fields: fields{"identifier": "taken", "title": "The Brass Semaphore", "year": "1946", "mediatype": "movies", "licenseurl": "https://evil.example/creativecommons.org/"},
			Files:  []map[string]any{{"name": "taken.mp4", "source": "original", "format": "h.264", "length": "3600"}},
		},
	}})
	ts.Check(err)
	ts.Setenv("XSHIP_ARCHIVE_URL", a.URL())
	ts.Setenv(archiveVariable, "true")
}

// entry is a site as an interface lists it.
func (s scene) entry(ts *testscript.TestScript, key string) world.Entry {
	if key == "spider" {
		return world.Entry{Key: "spider", Name: "Spider", Type: 3, API: "csp_Spider", Searchable: 1}
	}
	if key == "t4" {
		site := s.T4("t4")
		if site == nil {
			var err error
			site, err = s.AddT4("t4", world.T4Config{Name: "Fourth", Films: s.Sites[0].Films()})
			ts.Check(err)
		}
		return site.Entry()
	}
	if key, ok := strings.CutPrefix(key, "xml:"); ok {
		return s.Site(key).XMLEntry()
	}
	if server := s.media[key]; server != nil { // as somebody may name it who has nothing to do with it
		return world.Entry{Key: key, Name: key, Type: 1, API: server.URL() + "/api.php/provide/vod/", Searchable: 1}
	}
	return s.Site(key).Entry()
}

// blockCmd makes hosters fail six times in the last minutes, so that they are
// blocked for 300 s from now, while good.example worked.
func blockCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "block hoster...")
	touchHosters(ts, args, 5, 10, 20, 30, 60, 0)
}

// touchHosters makes hosters fail, while good.example worked before each, from two
// minutes ago on; after each fail so many seconds pass.
func touchHosters(ts *testscript.TestScript, hosters []string, seconds ...int) {
	ctx := sceneOf(ts).Context()
	clock := time.Now().Add(-(5 + 10 + 20 + 30 + 60) * time.Second)
	store, err := sourcecache.Open(ctx, sourcecache.Options{
		Path: filepath.Join(ts.Getenv("XSHIP_DATA_DIR"), "xship.db"), Now: func() time.Time { return clock },
	})
	ts.Check(err)
	for _, s := range seconds {
		for _, name := range hosters {
			worked := store.HosterTouch(ctx, "good.example", true)
			_, failed := store.EndAttempt(ctx, sources.Attempt{Hoster: name}, sources.ClassHosterFault, "no answer within 20s")
			err = errors.Join(err, worked, failed)
		}
		clock = clock.Add(time.Duration(s) * time.Second)
	}
	ts.Check(errors.Join(err, store.Close()))
}

// hostileCmd makes a site, and what it is called, full of escape sequences.
func hostileCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 0, "hostile")
	const evil = "\x1b[2J\x1b]0;gone\x07\u009b31m\u202e"
	s := sceneOf(ts)
	site := s.Sites[0]
	site.SetFilms(world.Film{
		Name: "Paper Submarines" + evil, Year: 2016, Type: "Film" + evil, Remarks: evil, Lang: "English" + evil,
		Groups: []world.Group{{From: "mp4" + evil, Items: []world.Item{{Label: "1080P" + evil, URL: s.Hosters[0].URL("a.mp4") + "?x=" + evil}}}},
	})
	good, bad := site.Entry(), s.Sites[1].Entry()
	good.Name += evil
	bad.Name += evil
	s.Sites[1].SetMode(world.Mode500)
	s.Good.SetEntries(good, bad, world.Entry{Key: "spider" + evil, Name: "Spider" + evil, Type: 3, API: "csp_X" + evil, Searchable: 1})
}

// noEscapesCmd wants the output of the last command free of escape sequences.
func noEscapesCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 0, "noescapes")
	for _, name := range []string{"stdout", "stderr"} {
		out := ts.ReadFile(name)
		if i := strings.IndexAny(out, "\x1b\x07\u009b\u202e\r"); i >= 0 {
			ts.Fatalf("%s holds %q", name, out[i:min(len(out), i+10)])
		}
	}
}

// variable is what differs from run to run in the documents: ports, ids made of
// URLs with ports, and times.
var variable = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`(127\.0\.\d+\.\d+):\d+`), "$1:PORT"},
	{regexp.MustCompile(`"(elapsed_ms|last_loaded_at|last_success_at|last_fail_at|backoff_until|added_at|wanted_at|probed_at|checked_at|waits_since|next_at)": ?[1-9]\d*`), `"$1":0`},
	{regexp.MustCompile(`"hours": \[[^\]]*\]`), `"hours":[]`}, // which may be two, at the end of one
	{regexp.MustCompile(`"id": ?"[0-9a-f]{12}"`), `"id":"ID"`},
	{regexp.MustCompile(`until \d\d:\d\d:\d\d \((300|2\d\d) s\)`), "until TIME (300 s)"},
	{regexp.MustCompile(`"(available_in_seconds|backoff_remaining_seconds)": ?(300|2\d\d)\b`), `"$1":300`},
}

// cmpJSONCmd compares stdout with a golden document, apart from what varies.
func cmpJSONCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "cmpjson file")
	got, want := ts.ReadFile("stdout"), ts.ReadFile(args[0])
	for _, v := range variable {
		got = v.pattern.ReplaceAllString(got, v.with)
	}
	var gotDoc, wantDoc any
	ts.Check(json.Unmarshal([]byte(got), &gotDoc))
	ts.Check(json.Unmarshal([]byte(want), &wantDoc))
	if !reflect.DeepEqual(gotDoc, wantDoc) {
		ts.Fatalf("stdout differs from %s (-want +got):\n%s\n%s", args[0], cmp.Diff(wantDoc, gotDoc), got)
	}
}

// errorJSONCmd wants the error document as the last line of stderr.
func errorJSONCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "errorjson code pattern-of-message")
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stderr"), "\n"), "\n")
	var doc struct {
		Error *struct{ Code, Message, Hint *string }
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(lines[len(lines)-1])))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&doc); err != nil || doc.Error == nil || doc.Error.Code == nil || doc.Error.Message == nil || doc.Error.Hint == nil {
		ts.Fatalf("the last line of stderr is no error document (%v): %s", err, lines[len(lines)-1])
	}
	if *doc.Error.Code != args[0] || !regexp.MustCompile(args[1]).MatchString(*doc.Error.Message) {
		ts.Fatalf("code %q, message %q; want %q, %q", *doc.Error.Code, *doc.Error.Message, args[0], args[1])
	}
}

// upgradeCmd makes the database one of a later version, as its header says.
func upgradeCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "upgrade file")
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_RDWR, 0)
	ts.Check(err)
	const userVersion = 60 // offset in the header of SQLite files
	_, err = f.WriteAt([]byte{0, 0, 0x03, 0xe8}, userVersion)
	ts.Check(errors.Join(err, f.Close()))
}

// sqlCmd changes a database as sqlite3 does.
func sqlCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "sql file statement")
	db, err := sql.Open("sqlite", "file:"+ts.MkAbs(args[0])+"?_pragma=busy_timeout(10000)")
	ts.Check(err)
	_, err = db.ExecContext(sceneOf(ts).Context(), args[1])
	ts.Check(errors.Join(err, db.Close()))
}

// lockDBCmd locks a database for this process alone, until the end of the script.
func lockDBCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "lockdb file")
	db, err := sql.Open("sqlite", "file:"+ts.MkAbs(args[0])+"?_pragma=locking_mode(EXCLUSIVE)")
	ts.Check(err)
	db.SetMaxOpenConns(1)
	ts.Defer(func() { _ = db.Close() })
	_, err = db.ExecContext(sceneOf(ts).Context(), `CREATE TABLE held (a)`)
	ts.Check(err)
}

// waitStatusCmd waits until the status says something.
func waitStatusCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "waitstatus pattern")
	pattern, err := regexp.Compile(`(?m)` + args[0])
	ts.Check(err)
	told := ""
	says := func() bool {
		_ = ts.Exec("xship", "status") // its exit code is no matter
		told = ts.ReadFile("stdout")
		return pattern.MatchString(told)
	}
	if !eventually(says) {
		ts.Fatalf("the status does not say %s:\n%s", args[0], told)
	}
}

// waitForCmd waits until a site was asked.
func waitForCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "waitfor site")
	site := sceneOf(ts).Site(args[0])
	if site == nil {
		ts.Fatalf("the world has no site %s", args[0])
	}
	if !eventually(func() bool { return site.Requests() > 0 }) {
		ts.Fatalf("nobody asked %s", args[0])
	}
}

// waitForLockCmd waits until a precacher holds the lock of the data directory.
func waitForLockCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 0, "waitforlock")
	path := filepath.Join(ts.Getenv("XSHIP_DATA_DIR"), "precache.lock")
	held := func() bool {
		pid, err := os.ReadFile(path)
		return err == nil && len(pid) > 0
	}
	if !eventually(held) {
		ts.Fatalf("no precacher holds %s", path)
	}
}

// cycleVariable is the number of the last cycle that noteCycleCmd saw.
const cycleVariable = "CYCLE"

// noteCycleCmd notes how many cycles have begun, for waitCycleCmd.
func noteCycleCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 0, "notecycle")
	ts.Setenv(cycleVariable, strconv.Itoa(cyclesOf(ts)))
}

// waitCycleCmd waits until a further cycle has begun: the precacher has its database open.
func waitCycleCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 0, "waitcycle")
	before, err := strconv.Atoi(ts.Getenv(cycleVariable))
	ts.Check(err)
	if !eventually(func() bool { return cyclesOf(ts) > before }) {
		ts.Fatalf("no cycle began")
	}
}

func cyclesOf(ts *testscript.TestScript) (cycles int) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(ts.Getenv("XSHIP_DATA_DIR"), "xship.db")+"?mode=ro&_pragma=busy_timeout(10000)")
	ts.Check(err)
	defer func() { ts.Check(db.Close()) }()
	ts.Check(db.QueryRow(`SELECT coalesce(max(value), 0) FROM state WHERE key = 'cycle'`).Scan(&cycles))
	return cycles
}

// waitShownCmd waits until a program of the script has written a text.
func waitShownCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "waitshown text")
	shown := func() bool {
		text, err := os.ReadFile(ts.Getenv(outputVariable))
		return err == nil && strings.Contains(string(text), args[0])
	}
	if !eventually(shown) {
		ts.Fatalf("nobody wrote %q", args[0])
	}
}

// waitWorkedCmd waits until the database has a success of some hoster.
func waitWorkedCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 0, "waitworked")
	ctx := sceneOf(ts).Context()
	store, err := sourcecache.Open(ctx, sourcecache.Options{Path: filepath.Join(ts.Getenv("XSHIP_DATA_DIR"), "xship.db")})
	ts.Check(err)
	defer func() { ts.Check(store.Close()) }()
	worked := func() bool {
		at, err := store.LastSuccessAt(ctx)
		ts.Check(err)
		return !at.IsZero()
	}
	if !eventually(worked) {
		ts.Fatalf("no hoster worked")
	}
}

// falterCmd makes hosters fail once, two minutes ago: they are hidden, and may be
// probed.
func falterCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "falter hoster...")
	touchHosters(ts, args, 0)
}

// getFileCmd writes what a URL of the world holds to a file.
func getFileCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "getfile URL file")
	resp, err := http.Get(args[0])
	ts.Check(err)
	body, err := io.ReadAll(resp.Body)
	ts.Check(errors.Join(err, resp.Body.Close(), os.WriteFile(ts.MkAbs(args[1]), body, 0o600)))
}
