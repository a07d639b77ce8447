//go:build linux

package cmd_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"xship/sources/sourcetest"
	"xship/sources/sourcetest/debridfake"
	"xship/sources/sourcetest/jellyfinfake"
	"xship/sources/sourcetest/world"
)

// What a terminal sends for keys.
const (
	keyEnter     = "\r"
	keyDown      = "\x1b[B"
	keyShiftDown = "\x1b[1;2B"
	keyEsc       = "\x1b"
	keyCtrlC     = "\x03"
	keyCtrlD     = "\x04"
)

// session is a run of the program whose stdin and stderr are a terminal.
type session struct {
	testing.TB
	cmd    *exec.Cmd
	screen *sourcetest.Buffer // what came on the terminal
	stdout bytes.Buffer
	keys   *os.File
}

// startSession runs the program on a terminal of 80 columns.
func startSession(tb testing.TB, dataDir string, env []string, args ...string) *session {
	tb.Helper()
	return startSized(tb, 24, 80, dataDir, env, args...)
}

// startSized runs the program on a terminal of a size.
func startSized(tb testing.TB, rows, columns uint16, dataDir string, env []string, args ...string) *session {
	tb.Helper()
	return startOn(tb, rows, columns, dataDir, env, append([]string{"xship"}, args...)...)
}

// startOn runs a command on a terminal of a size.
func startOn(tb testing.TB, rows, columns uint16, dataDir string, env []string, command ...string) *session {
	tb.Helper()
	master, terminal := openTerminal(tb)
	control(tb, master, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns})
	})
	s := &session{TB: tb, cmd: exec.CommandContext(tb.Context(), command[0], command[1:]...), screen: new(sourcetest.Buffer), keys: master}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = terminal, &s.stdout, terminal
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	s.cmd.Env = append(os.Environ(), "TERM=xterm", "LC_ALL=C", "ACCESSIBLE=", "XSHIP_REQUIRE_REAL=", "XSHIP_RESOLVE_YTDLP=off", idsVariable+"=false", archiveVariable+"=false", "XSHIP_SCAN_SITE_TIMEOUT="+patience.String(), "XSHIP_INTERFACES_MAX_AGE=0s",
		"XSHIP_DATA_DIR="+dataDir, "XDG_CONFIG_HOME="+dataDir)
	s.cmd.Env = append(s.cmd.Env, env...)
	if err := s.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	if err := terminal.Close(); err != nil {
		tb.Error(err)
	}
	go func() { _, _ = io.Copy(s.screen, master) }() // ends with the terminal
	return s
}

// openTerminal gives both ends of a new pseudo-terminal.
func openTerminal(tb testing.TB) (master, terminal *os.File) {
	tb.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		tb.Skipf("no pseudo-terminals here: %v", err)
	}
	tb.Cleanup(func() { _ = master.Close() }) // of a test
	number := 0
	control(tb, master, func(fd int) (err error) {
		number, err = unix.IoctlGetInt(fd, unix.TIOCGPTN)
		return errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0),
			unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	})
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return master, terminal
}

// control sets a file up, and leaves it one whose readers end when it is closed.
func control(tb testing.TB, f *os.File, set func(fd int) error) {
	tb.Helper()
	conn, err := f.SyscallConn()
	if err != nil {
		tb.Fatal(err)
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = set(int(fd)) })
	if err = errors.Join(err, failed); err != nil {
		tb.Fatal(err)
	}
}

// await waits until text is on the screen.
func (s *session) await(text string) {
	s.Helper()
	if !eventually(func() bool { return strings.Contains(s.screen.String(), text) }) {
		s.Fatalf("no %q on the terminal: %q", text, s.screen)
	}
}

// press types keys, the next one when the screen tells that one was read.
func (s *session) press(keys ...string) {
	s.Helper()
	for _, key := range keys {
		before := s.screen.String()
		if _, err := s.keys.WriteString(key); err != nil {
			s.Fatal(err)
		}
		for deadline := time.Now().Add(5 * time.Second); s.screen.String() == before && time.Now().Before(deadline); {
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// end waits for the end of the program and gives its exit code.
func (s *session) end() int {
	s.Helper()
	if err := s.cmd.Wait(); err != nil {
		if _, ok := errors.AsType[*exec.ExitError](err); !ok {
			s.Fatal(err)
		}
	}
	return s.cmd.ProcessState.ExitCode()
}

// TestManual asks on a real terminal (points 5 to 7 of section 12.2).
func TestManual(t *testing.T) {
	t.Parallel()
	const question, which = "The interface could not be loaded", "Which interface?"
	for name, c := range map[string]struct {
		env      []string
		names    []string // of the interfaces, the one in use first, which is broken; broken* is too
		keys     []string
		another  bool // keys choose another one, and then the second of these
		code     int
		loaded   string // the one whose sites are asked
		stderr   string
		attempts int // interfaces that are asked
	}{
		"the next one":    {names: []string{"first", "second", "third"}, keys: []string{keyEnter}, loaded: "second", stderr: "switched to second", attempts: 2},
		"another one":     {names: []string{"first", "second", "third"}, keys: []string{keyDown, keyEnter}, another: true, loaded: "third", stderr: "switched to third", attempts: 2},
		"cancel":          {names: []string{"first", "second", "third"}, keys: []string{keyDown, keyDown, keyEnter}, code: 4, stderr: "interface switch cancelled", attempts: 1},
		"Esc":             {names: []string{"first", "second"}, keys: []string{keyEsc}, code: 4, stderr: "interface switch cancelled", attempts: 1},
		"Ctrl-C":          {names: []string{"first", "second"}, keys: []string{keyCtrlC}, code: 130, stderr: `"code":"interrupted"`, attempts: 1},
		"the only one":    {names: []string{"first", "second"}, keys: []string{keyEnter}, loaded: "second", stderr: "Switch to second", attempts: 2},
		"cancel the one":  {names: []string{"first", "second"}, keys: []string{keyDown, keyEnter}, code: 4, stderr: "interface switch cancelled", attempts: 1},
		"asked only once": {names: []string{"first", "broken2", "third"}, keys: []string{keyEnter}, code: 4, stderr: "none of 2 interfaces could be loaded", attempts: 2},
		"by number":       {env: []string{"ACCESSIBLE=1"}, names: []string{"first", "second"}, keys: []string{"1\n"}, loaded: "second", stderr: "switched to second", attempts: 2},
		"by number, none": {env: []string{"TERM=dumb"}, names: []string{"first", "second"}, keys: []string{"\n"}, code: 4, stderr: "interface switch cancelled", attempts: 1},
	} {
		t.Run(name, func(t *testing.T) {
			story := startStory(t)
			dir := usedData(t)
			servers := addInterfaces(t, story, dir, c.names...)
			s := startSession(t, dir, c.env, "scan", story.Film.Name, "-o", "json", "--no-probe")
			s.await(question)
			s.await("Cancel")
			s.await("first (http://127.0.3.")
			s.await("got HTTP status 500")
			if asked := s.screen.String(); strings.Contains(asked, "Choose another") != (len(c.names) > 2) {
				t.Errorf("the question: %q", asked)
			}
			s.press(c.keys...)
			if c.another {
				s.await(which)
				s.press(keyDown, keyEnter)
			}
			if code := s.end(); code != c.code {
				t.Errorf("exit code %d, want %d: %q", code, c.code, s.screen)
			}
			s.await(c.stderr)
			if n := strings.Count(s.stdout.String(), `"name": "`+c.loaded+`",`); c.loaded != "" && n != 1 {
				t.Errorf("%s is not what was loaded:\n%s", c.loaded, &s.stdout)
			}
			asked := 0
			for _, server := range servers {
				asked += server.Requests()
			}
			if asked != c.attempts {
				t.Errorf("%d interfaces were asked, want %d", asked, c.attempts)
			}
		})
	}
}

// TestManual_words asks, and takes a no, in the words of the user.
func TestManual_words(t *testing.T) {
	t.Parallel()
	for locale, c := range map[string]struct {
		question, cancel, confirm, number, declined string
	}{
		"zh_CN.UTF-8": {"接口加载失败", "取消", "确定", "请输入 1 到 3 之间的数字", "xship: 已取消接口切换"},
		"de_DE.UTF-8": {"Die Schnittstelle konnte nicht geladen werden", "Abbrechen", "wählen", "Eine Zahl von 1 bis 3", "xship: Wechsel der Schnittstelle abgebrochen"},
	} {
		for _, byNumber := range []bool{false, true} {
			story := startStory(t)
			dir := usedData(t)
			addInterfaces(t, story, dir, "first", "second", "third")
			env, key, asks := []string{"LC_ALL=" + locale}, keyEsc, c.confirm
			if byNumber {
				env, key, asks = append(env, "ACCESSIBLE=1"), "3\n", c.number
			}
			s := startSession(t, dir, env, "scan", story.Film.Name, "--no-probe")
			s.await(c.question)
			s.await(c.cancel)
			s.await(asks)
			s.press(key)
			if code := s.end(); code != 4 {
				t.Errorf("%s: exit code %d: %q", locale, code, s.screen)
			}
			s.await(c.declined)
			if strings.Contains(s.screen.String(), "cancel") || strings.Contains(s.screen.String(), "submit") {
				t.Errorf("%s: English words in %q", locale, s.screen)
			}
		}
	}
}

// addInterfaces adds interfaces to the world and to a data directory, the first one
// in use and broken, and so are others by their names. Failover is manual, and no
// interface has been asked.
func addInterfaces(tb testing.TB, story *world.Story, dir string, names ...string) []*world.Interface {
	tb.Helper()
	m := newMachine(tb)
	m.env["XSHIP_DATA_DIR"] = dir
	var servers []*world.Interface
	for i, name := range names {
		server, err := story.AddInterface(name, world.InterfaceConfig{Entries: []world.Entry{story.Sites[0].Entry()}})
		if err != nil {
			tb.Fatal(err)
		}
		if i == 0 || strings.HasPrefix(name, "broken") {
			server.SetMode(world.Mode500)
		}
		m.run(tb, 0, "interfaces", "add", server.URL(), "--name", name)
		servers = append(servers, server)
	}
	m.run(tb, 0, append([]string{"interfaces", "order"}, names...)...)
	m.run(tb, 0, "interfaces", "use", names[0])
	m.run(tb, 0, "interfaces", "mode", "manual")
	for _, server := range servers {
		server.ResetCounters()
	}
	return servers
}

// TestOrderInteractive orders interfaces on a real terminal.
func TestOrderInteractive(t *testing.T) {
	t.Parallel()
	story := startStory(t)
	dir := usedData(t)
	addInterfaces(t, story, dir, "first", "second", "third")
	order := func(code int, keys ...string) *session {
		s := startSession(t, dir, nil, "interfaces", "order", "--interactive")
		s.await("enter: save")
		s.press(keys...)
		if got := s.end(); got != code {
			t.Errorf("exit code %d, want %d: %q", got, code, s.screen)
		}
		return s
	}
	want := func(s *session, text string) {
		t.Helper()
		if !strings.Contains(s.stdout.String(), text) {
			t.Errorf("no %q in\n%s", text, &s.stdout)
		}
	}
	s := order(0, keyShiftDown, keyEnter)
	want(s, "1\t\tsecond\t")
	want(s, "2\tyes\tfirst\t")
	s = order(0, " ", keyDown, keyDown, keyEnter)
	want(s, "1\tyes\tfirst\t")
	want(s, "3\t\tsecond\t")
	order(1, keyShiftDown, keyEsc).await("the order stays as it was")
	order(130, keyShiftDown, keyCtrlC).await("interrupted")
	m := newMachine(t)
	m.env["XSHIP_DATA_DIR"] = dir
	m.run(t, 0, "interfaces", "list")
	if out := m.out.String(); !strings.Contains(out, "1\tyes\tfirst\t") {
		t.Errorf("the order changed:\n%s", out)
	}
	m.run(t, 2, "interfaces", "order", "--interactive")
	if !strings.Contains(m.err.String(), "--interactive needs a terminal") {
		t.Errorf("stderr: %s", m.err)
	}
}

// TestEndOfInput ends the input of everything that asks on a terminal: by Ctrl-D, and by
// a terminal that goes away, with the signal of that ignored, as under nohup. Each says in
// words that nothing was chosen, and ends.
func TestEndOfInput(t *testing.T) {
	t.Parallel()
	story := startStory(t)
	dir := usedData(t)
	addInterfaces(t, story, dir, "first", "second", "third")
	for name, c := range map[string]struct {
		env  []string
		args []string
		asks string
		code int
		told string
	}{
		"a question":           {nil, []string{"scan", story.Film.Name, "--no-probe"}, "Cancel", 4, "interface switch cancelled"},
		"a question by number": {[]string{"ACCESSIBLE=1"}, []string{"scan", story.Film.Name, "--no-probe"}, "a number from 1 to 3", 4, "interface switch cancelled"},
		"an order":             {nil, []string{"interfaces", "order", "--interactive"}, "enter: save", 1, "the order stays as it was"},
		"a key":                {nil, []string{"accounts", "add", "premiumize", "--no-check"}, "which is not shown", 1, "no key was entered; nothing was stored"},
		"a key, asked for":     {nil, []string{"accounts", "add", "torbox", "--no-check", "--key-stdin"}, "which is not shown", 1, "no key was entered; nothing was stored"},
		"a password":           {nil, []string{"interfaces", "add", "http://127.0.0.1:1/", "--login", "me"}, "which is not shown", 1, "no password was entered; nothing was stored"},
		"a key of a server":    {nil, []string{"interfaces", "add", "http://127.0.0.1:1/", "--key-stdin"}, "which is not shown", 1, "no key was entered; nothing was stored"},
	} {
		t.Run(name, func(t *testing.T) {
			s := startSession(t, dir, c.env, c.args...)
			s.await(c.asks)
			s.press(keyCtrlD)
			if code := s.end(); code != c.code {
				t.Errorf("exit code %d, want %d: %q", code, c.code, s.screen)
			}
			s.await(c.told)

			outlives := append([]string{"/bin/sh", "-c", `trap '' HUP; exec xship "$@"`, "sh"}, c.args...)
			s = startOn(t, 24, 80, dir, c.env, outlives...)
			s.await(c.asks)
			if err := s.keys.Close(); err != nil {
				t.Error(err)
			}
			if code := s.end(); code <= 0 {
				t.Errorf("without a terminal: exit code %d", code)
			}
		})
	}
}

// TestPastedKey pastes the key of an account with the end of its line, at a terminal that
// says what is pasted.
func TestPastedKey(t *testing.T) {
	t.Parallel()
	s := startSession(t, usedData(t), nil, "accounts", "add", "premiumize", "--no-check")
	s.await("which is not shown")
	s.press("\x1b[200~fakekey-pm-one\r\x1b[201~")
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d: %q", code, s.screen)
	}
}

// TestTypedKeyEndedByCtrlD ends the line of a key by Ctrl-D, as by Enter, and has a second
// one do no harm.
func TestTypedKeyEndedByCtrlD(t *testing.T) {
	t.Parallel()
	for _, end := range []string{keyCtrlD, keyCtrlD + keyCtrlD} {
		s := startSession(t, usedData(t), nil, "accounts", "add", "premiumize", "--no-check")
		s.await("which is not shown")
		s.press("fakekey-pm-one" + end)
		if code := s.end(); code != 0 {
			t.Errorf("exit code %d: %q", code, s.screen)
		}
	}
}

// TestTypedPassword types the password for a media server, which keeps its spaces.
func TestTypedPassword(t *testing.T) {
	t.Parallel()
	const password = " fakekey-password "
	server, err := jellyfinfake.Add(startStory(t).World, "home", jellyfinfake.Config{Users: map[string]string{"me": password}})
	if err != nil {
		t.Fatal(err)
	}
	dir := usedData(t)
	s := startSession(t, dir, nil, "interfaces", "add", server.URL(), "--login", "me")
	s.await("password of me, which is not shown")
	s.press(password + keyEnter)
	if code := s.end(); code != 0 {
		t.Errorf("exit code %d: %q", code, s.screen)
	}
	stored, err := os.ReadFile(filepath.Join(dir, "logins.json"))
	if err != nil || len(server.Tokens()) != 1 || !strings.Contains(string(stored), server.Tokens()[0]) {
		t.Errorf("stored %q, %v", stored, err)
	}
	for _, text := range []string{s.screen.String(), s.stdout.String(), string(stored)} {
		if strings.Contains(text, "fakekey") {
			t.Errorf("the password is in %q", text)
		}
	}
}

// TestHugeTerminal orders and asks on terminals that no screen has, and on one that
// grows to such a size: the memory does not grow with them.
func TestHugeTerminal(t *testing.T) {
	t.Parallel()
	const more = 150 << 10 // KiB; a program that draws on all of a huge terminal takes twice that more
	var usual uint64       // what it takes of a usual one, and what this process had when it started that
	story := startStory(t)
	dir := usedData(t)
	addInterfaces(t, story, dir, "first", "second", "third")
	for _, c := range []struct {
		name          string
		rows, columns uint16
		grow          bool
		args          []string
		shows         string
		keys          []string
		code          int
	}{
		{"order on a usual one", 24, 80, false, []string{"interfaces", "order", "--interactive"}, "enter: save", []string{keyEnter}, 0},
		{"order", 2000, 2000, false, []string{"interfaces", "order", "--interactive"}, "enter: save", []string{keyEnter}, 0},
		{"order on a wide one", 24, 65535, false, []string{"interfaces", "order", "--interactive"}, "enter: save", []string{keyEnter}, 0},
		{"order on a high one", 65535, 80, false, []string{"interfaces", "order", "--interactive"}, "enter: save", []string{keyEnter}, 0},
		{"order on one that grows", 24, 80, true, []string{"interfaces", "order", "--interactive"}, "enter: save", []string{keyShiftDown, keyEnter}, 0},
		{"question", 2000, 2000, false, []string{"scan", "Paper Submarines", "--no-probe"}, "could not be loaded", []string{keyEsc}, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := startSized(t, c.rows, c.columns, dir, nil, c.args...)
			s.await(c.shows)
			if c.grow {
				if err := unix.IoctlSetWinsize(int(s.keys.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 2000, Col: 2000}); err != nil {
					t.Fatal(err)
				}
			}
			s.press(c.keys...)
			if got := s.end(); got != c.code {
				t.Errorf("exit code %d, want %d", got, c.code)
			}
			took := uint64(s.cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
			if usual == 0 {
				usual = took
			}
			if took > usual+more {
				t.Errorf("it took %d KiB, and %d of a usual terminal", took, usual)
			}
		})
	}
}

// TestWaitingForProvider shows which provider a play waits for while an unlock takes
// long.
func TestWaitingForProvider(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/vod.json" {
			_, _ = fmt.Fprintf(w, `{"sites":[{"key":"a","name":"A","type":1,"api":"http://%s/api","searchable":1}]}`, r.Host)
			return
		}
		_, _ = io.WriteString(w, `{"code":1,"list":[{"vod_id":1,"vod_name":"Tin Lighthouse","vod_play_from":"a","vod_play_url":"HD$https://filehost.example/f/7"}]}`)
	}))
	t.Cleanup(server.Close)
	fake := debridfake.NewRealDebrid(func(string) string { return "" })
	fake.AcceptKey("fakekey-rd")
	fake.SetHosters("filehost.example")
	fake.Hang()
	provider := httptest.NewServer(fake)
	t.Cleanup(provider.Close)
	dir := usedData(t)
	add := startSession(t, dir, nil, "interfaces", "add", server.URL+"/vod.json")
	if code := add.end(); code != 0 {
		t.Fatalf("interfaces add ends with %d: %q", code, add.screen)
	}
	s := startSession(t, dir, []string{
		`XSHIP_DEBRID_ACCOUNTS=[{"user":1,"provider":"real_debrid","api_key":"fakekey-rd","base_url":"` + provider.URL + `"}]`,
	}, "play", "Tin Lighthouse")
	s.await("waiting for Real-Debrid")
	s.press(keyCtrlC)
	if code := s.end(); code != 130 {
		t.Errorf("it ends with %d: %q", code, s.screen)
	}
}
