package cmd_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"xship/cmd"
	"xship/sources/sourcetest/debridfake"
	"xship/sources/sourcetest/world"
)

// The variables of the program that scripts run, beside its own.
const (
	startVariable    = "START"    // of the script, RFC 3339
	clockVariable    = "CLOCK"    // how long after START its clock stands still; empty: it goes
	outputVariable   = "OUTPUT"   // file that gets all that it writes
	terminalVariable = "TERMINAL" // not empty: stderr is a terminal
)

// scriptSystem is the System of a program that a script runs.
func scriptSystem() cmd.System {
	sys := cmd.OS()
	start, startErr := time.Parse(time.RFC3339, os.Getenv(startVariable))
	if after, err := time.ParseDuration(os.Getenv(clockVariable)); err == nil && startErr == nil {
		sys.Now = func() time.Time { return start.Add(after) }
	}
	sys.RedisTimeout, sys.CompletionTime = patience, patience
	if os.Getenv(terminalVariable) != "" {
		sys.Stderr.Terminal, sys.Stderr.Width = true, func() int { return 80 }
	}
	if log, err := os.OpenFile(os.Getenv(outputVariable), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err == nil {
		sys.Stdout.Writer = recorder{os.Stdout, log}
		sys.Stderr.Writer = recorder{os.Stderr, log}
	}
	return sys
}

// recorder is an output that is kept.
type recorder struct {
	io.WriteCloser
	log io.Writer
}

func (r recorder) Write(p []byte) (int, error) {
	if _, err := r.log.Write(p); err != nil {
		return 0, err
	}
	return r.WriteCloser.Write(p)
}

// fakeSecret finds the keys of the scripts, which all begin so, and what the fakes
// keep secret.
var fakeSecret = regexp.MustCompile(strings.Join([]string{
	`fakekey-[a-z0-9-]+`, debridfake.RealDebridDeviceCode, debridfake.RealDebridClientSecret, debridfake.RealDebridRefreshToken,
	debridfake.AllDebridCheck, debridfake.TorBoxDeviceCode,
}, "|"))

// findSecrets wants the files that a script's programs wrote free of secrets: what
// they printed and logged, databases, preferences. Those that hold keys since
// somebody put them there are left out.
func findSecrets(tb testing.TB, root string) {
	tb.Helper()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		holdsKeys := entry.Name() == "accounts.json" || entry.Name() == "logins.json" || entry.Name() == "config.yaml" || strings.HasSuffix(file, ".key")
		if err != nil || !entry.Type().IsRegular() || holdsKeys {
			return err
		}
		text, err := os.ReadFile(file)
		if found := fakeSecret.Find(text); found != nil {
			tb.Errorf("%s holds the secret %s", file, found)
		}
		return err
	})
	if err != nil {
		tb.Error(err)
	}
}

// fakeProvider is a fake of a debrid service as scripts use it.
type fakeProvider struct {
	fake interface {
		http.Handler
		AcceptKey(key string)
		RevokeKey(key string)
		SetHosters(domains ...string)
		Set(endpoint string, a debridfake.Answer)
		SetPlan(p debridfake.Plan)
		Fail(code string)
		Status(status int, header http.Header, body string)
		Hang()
		Work()
		Calls(endpoint string) int
		Unlocks() int
	}
	seen    int // calls that a script knows of
	unlocks int
}

// newFakeProvider makes a fake whose streams lie on a hoster of the world.
func newFakeProvider(name string, h *world.Hoster) (*fakeProvider, bool) {
	stream := func(link string) string {
		return h.URL(name + "/" + strings.TrimSuffix(path.Base(link), ".html") + ".mp4")
	}
	switch name {
	case "real_debrid":
		return &fakeProvider{fake: debridfake.NewRealDebrid(stream)}, true
	case "all_debrid":
		return &fakeProvider{fake: debridfake.NewAllDebrid(stream)}, true
	case "premiumize":
		return &fakeProvider{fake: debridfake.NewPremiumize(stream)}, true
	case "torbox":
		return &fakeProvider{fake: debridfake.NewTorBox(stream)}, true
	case "debrid_link":
		return &fakeProvider{fake: debridfake.NewDebridLink(stream)}, true
	default:
		return nil, false
	}
}

// debridCmd starts the fake of a provider, whose address is in a variable such as
// REAL_DEBRID, and changes how it answers:
//
//	debrid start PROVIDER hoster...
//	debrid accept|revoke PROVIDER key...
//	debrid enter PROVIDER key     the code of the login is entered
//	debrid expire PROVIDER key next
//	debrid limit PROVIDER N       unlocking is 429 with Retry-After: N
//	debrid status PROVIDER N      everything has this status
//	debrid fail PROVIDER code     unlocking fails with the service's code
//	debrid plan PROVIDER premium|expired|free
//	debrid hang|work PROVIDER
func debridCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "debrid what provider [args...]")
	s := sceneOf(ts)
	what, name, args := args[0], args[1], args[2:]
	if what == "start" {
		p, ok := newFakeProvider(name, s.Hosters[2])
		if !ok {
			ts.Fatalf("there is no fake of %s", name)
		}
		p.fake.SetHosters(args...)
		server := httptest.NewServer(p.fake)
		ts.Defer(func() {
			server.CloseClientConnections()
			server.Close()
		})
		s.providers[name] = p
		ts.Setenv(strings.ToUpper(name), server.URL)
		return
	}
	fake := providerOf(ts, name).fake
	if len(args) == 0 && what != "hang" && what != "work" {
		ts.Fatalf("debrid %s %s needs an argument", what, name)
	}
	switch what {
	case "accept":
		for _, key := range args {
			fake.AcceptKey(key)
		}
	case "revoke":
		for _, key := range args {
			fake.RevokeKey(key)
		}
	case "enter":
		fake.(interface{ EnterCode(key string) }).EnterCode(args[0])
	case "expire":
		fake.(*debridfake.RealDebrid).ExpireKey(args[0], args[1])
	case "limit":
		fake.Status(http.StatusTooManyRequests, http.Header{"Retry-After": {args[0]}}, `{"error": "too_many_requests", "error_code": 34}`)
	case "status":
		status, err := strconv.Atoi(args[0])
		ts.Check(err)
		fake.Set("", debridfake.Answer{Status: status})
	case "fail":
		fake.Fail(args[0])
	case "plan":
		fake.SetPlan(map[string]debridfake.Plan{"premium": debridfake.Premium, "expired": debridfake.Expired, "free": debridfake.Free}[args[0]])
	case "hang":
		fake.Hang()
	case "work":
		fake.Work()
	default:
		ts.Fatalf("no debrid %s", what)
	}
}

func providerOf(ts *testscript.TestScript, name string) *fakeProvider {
	p := sceneOf(ts).providers[name]
	if p == nil {
		ts.Fatalf("debrid start %s comes first", name)
	}
	return p
}

// callsCmd compares how often a fake was called, and asked to unlock a link, since
// the last time.
func callsCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 3, "calls provider calls unlocks")
	p := providerOf(ts, args[0])
	calls, unlocks := p.fake.Calls(""), p.fake.Unlocks()
	if got := fmt.Sprint(calls-p.seen, " ", unlocks-p.unlocks); got != args[1]+" "+args[2] {
		ts.Fatalf("%s had %s (calls, of them unlocking), want %s %s", args[0], got, args[1], args[2])
	}
	p.seen, p.unlocks = calls, unlocks
}

// waitCallCmd waits until a fake was called since the last time that its calls were
// counted.
func waitCallCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "waitcall provider")
	p := providerOf(ts, args[0])
	if !eventually(func() bool { return p.fake.Calls("") > p.seen }) {
		ts.Fatalf("nobody called %s", args[0])
	}
}

// pagesCmd gives the first site one film more, with links.
func pagesCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 2, "pages film link...")
	film := world.Film{Name: args[0], Year: 2020, Type: "Film", Lang: "English"}
	for _, link := range args[1:] {
		film.Groups = append(film.Groups, world.Group{From: "share", Items: []world.Item{{Label: "1080P", URL: link}}})
	}
	site := sceneOf(ts).Sites[0]
	site.SetFilms(append(site.Films(), film)...)
}

// redisServer is a redis-server of a script.
type redisServer struct {
	port string
	cmd  *exec.Cmd
}

// redisCmd starts a redis-server, whose URL is in REDIS, stops it, starts it anew,
// empty, on the same port, or gives it a command.
func redisCmd(ts *testscript.TestScript, neg bool, args []string) {
	wantArgs(ts, neg, args, 1, "redis start|stop|COMMAND [args...]")
	s := sceneOf(ts)
	switch args[0] {
	case "start":
		if s.redis.port == "" {
			s.redis.port = freePort(ts)
			ts.Setenv("REDIS", "redis://127.0.0.1:"+s.redis.port+"/0")
			ts.Defer(func() { s.redis.stop() })
		}
		server, err := exec.LookPath("redis-server")
		ts.Check(err)
		s.redis.cmd = exec.Command(server, "--bind", "127.0.0.1", "--port", s.redis.port, "--save", "", "--appendonly", "no", "--dir", ts.MkAbs("."), "--logfile", os.DevNull)
		ts.Check(s.redis.cmd.Start())
		listens := func() bool {
			reply, err := s.redis.do("PING")
			return err == nil && reply == "+PONG"
		}
		if !eventually(listens) {
			ts.Fatalf("redis-server does not listen")
		}
	case "stop":
		s.redis.stop()
	default:
		reply, err := s.redis.do(args...)
		ts.Check(err)
		if found := fakeSecret.FindString(reply); found != "" {
			ts.Fatalf("redis holds the secret %s", found)
		}
		ts.Logf("%s", reply)
		if strings.HasPrefix(reply, "-") || strings.HasPrefix(reply, ":0") {
			ts.Fatalf("redis %s: %s", strings.Join(args, " "), reply)
		}
	}
}

func freePort(ts *testscript.TestScript) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	ts.Check(err)
	return port
}

func (r *redisServer) stop() {
	if r.cmd != nil {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
		r.cmd = nil
	}
}

// do gives the server a command of plain words, and gives its reply as it comes.
func (r *redisServer) do(words ...string) (string, error) {
	conn, err := net.DialTimeout("tcp", "127.0.0.1:"+r.port, patience)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	if _, err := io.WriteString(conn, strings.Join(words, " ")+"\r\nQUIT\r\n"); err != nil {
		return "", err
	}
	reply, err := io.ReadAll(bufio.NewReader(conn))
	return strings.TrimSuffix(strings.TrimSpace(string(reply)), "\r\n+OK"), err
}

// hasRealCondition is the condition [redis-server]: the program is there. Where
// XSHIP_REQUIRE_REAL=1, it must be.
func hasRealCondition(cond string) (bool, error) {
	if cond != "redis-server" {
		return false, fmt.Errorf("unknown condition %s", cond)
	}
	_, err := exec.LookPath(cond)
	if err != nil && os.Getenv("XSHIP_REQUIRE_REAL") == "1" {
		return false, errors.New(cond + " is not installed, and XSHIP_REQUIRE_REAL=1 wants it")
	}
	return err == nil, nil
}
