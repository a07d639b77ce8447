package cmd_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"xship/cmd"
	"xship/cmd/term"
	"xship/sourcecache"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

// machine is a System for tests: what is written, and a data directory.
type machine struct {
	cmd.System
	out, err *sourcetest.Buffer
	env      map[string]string
}

// newMachine is a machine on which xship ran before.
func newMachine(tb testing.TB) *machine {
	tb.Helper()
	m := newcomer(tb)
	m.env["XSHIP_DATA_DIR"] = usedData(tb)
	return m
}

// newcomer is a machine on which xship has never run.
func newcomer(tb testing.TB) *machine {
	tb.Helper()
	m := &machine{out: new(sourcetest.Buffer), err: new(sourcetest.Buffer), env: map[string]string{
		"XSHIP_DATA_DIR":          filepath.Join(tb.TempDir(), "data"),
		"XDG_CONFIG_HOME":         tb.TempDir(),
		"XSHIP_SCAN_SITE_TIMEOUT": patience.String(),
		idsVariable:               "false",
		archiveVariable:           "false",
	}}
	m.System = cmd.System{
		Stdin:  strings.NewReader(""),
		Stdout: term.Stream{Writer: m.out},
		Stderr: term.Stream{Writer: m.err},
		Now:    time.Now,
		LookupEnv: func(name string) (string, bool) {
			value, ok := m.env[name]
			return value, ok
		},
		CompletionTime: patience,
	}
	return m
}

// emptyDatabase is a new database. To make one takes five times what it takes to open it.
var emptyDatabase = sync.OnceValues(func() (db []byte, err error) {
	dir, err := os.MkdirTemp("", "xship")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "xship.db")
	store, err := sourcecache.Open(context.Background(), sourcecache.Options{Path: path})
	if err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// usedData is a data directory with a database in which nothing is.
func usedData(tb testing.TB) (dir string) {
	tb.Helper()
	dir = filepath.Join(tb.TempDir(), "data")
	writeUsedData(tb, dir)
	return dir
}

func writeUsedData(tb testing.TB, dir string) {
	tb.Helper()
	db, err := emptyDatabase()
	if err == nil {
		err = os.Mkdir(dir, 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "xship.db"), db, 0o600)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// terminal makes both streams terminals of the given width.
func (m *machine) terminal(width int) *machine {
	for _, s := range []*term.Stream{&m.Stdout, &m.Stderr} {
		s.Terminal, s.Width = true, func() int { return width }
	}
	return m
}

// run runs a command and wants an exit code.
func (m *machine) run(tb testing.TB, want int, args ...string) {
	tb.Helper()
	m.out.Reset()
	m.err.Reset()
	if got := cmd.Main(args, m.System); got != want {
		tb.Fatalf("xship %s: exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", strings.Join(args, " "), got, want, m.out, m.err)
	}
}

// startStory starts the world of the story. Its hanging site fails instead, so that
// no scan waits for it.
func startStory(tb testing.TB) *world.Story {
	tb.Helper()
	s, err := world.StartStory(tb.Context(), world.Config{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Close)
	s.Hanging.SetMode(world.Mode503)
	return s
}

// when runs fn once cond holds. The test waits for it.
func when(tb testing.TB, cond func() bool, fn func()) {
	var wg sync.WaitGroup
	tb.Cleanup(wg.Wait)
	wg.Go(func() {
		if !eventually(cond) {
			tb.Error("what should come did not")
		}
		fn()
	})
}

// signalSelf sends the process a signal, which does not end it, though the command
// that waited for it may have ended.
func signalSelf(tb testing.TB, s os.Signal) {
	tb.Helper()
	taken := make(chan os.Signal, 1)
	signal.Notify(taken, s)
	tb.Cleanup(func() { signal.Stop(taken) })
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(s)
	}
	if err != nil {
		tb.Error(err)
	}
}

// scanArgs asks the good interface of the world for its film.
func scanArgs(s *world.Story, more ...string) []string {
	return append([]string{"scan", s.Film.Name, "--year", fmt.Sprint(s.Film.Year), "--interface", s.Good.URL()}, more...)
}

var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func TestMain_terminal(t *testing.T) {
	s := startStory(t)
	t.Run("table, colour and a live line", func(t *testing.T) {
		m := newMachine(t).terminal(90)
		s.Hanging.Hold()
		waiting := func() bool { return strings.Contains(m.err.String(), "waiting for Quicksand") }
		when(t, waiting, s.Hanging.Release)
		m.run(t, 0, scanArgs(s, "--no-probe")...)
		out := m.out.String()
		if !sgr.MatchString(out) {
			t.Errorf("no colour:\n%s", out)
		}
		plain := sgr.ReplaceAllString(out, "")
		if !strings.HasPrefix(plain, "#  QUALITY") {
			t.Errorf("no table:\n%s", plain)
		}
		for line := range strings.Lines(plain) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > 90 {
				t.Errorf("%d columns in 90: %s", n, line)
			}
		}
		progress := m.err.String()
		if !regexp.MustCompile(`4K 2 .* · total \d+ · 3/4 sites · \d\.\d s · waiting for Quicksand`).MatchString(progress) {
			t.Errorf("no live line: %q", progress)
		}
		live := progress[:strings.LastIndex(progress, "\r\x1b[K")]
		if rest := progress[len(live):]; strings.Contains(rest, "waiting for") || strings.Contains(live, "\n") {
			t.Errorf("the live line is not gone at the end: %q", progress)
		}
	})
	for name, args := range map[string][]string{"quiet": {"-q"}, "logs for machines": {"--log-format", "json"}} {
		t.Run("no live line: "+name, func(t *testing.T) {
			m := newMachine(t).terminal(70)
			m.run(t, 0, scanArgs(s, args...)...)
			if strings.Contains(m.err.String(), "\x1b") {
				t.Errorf("stderr: %q", m.err)
			}
		})
	}
	t.Run("no live line where stderr is no terminal", func(t *testing.T) {
		m := newMachine(t).terminal(70)
		m.Stderr.Terminal = false
		m.run(t, 0, scanArgs(s)...)
		if strings.Contains(m.err.String(), "\x1b") {
			t.Errorf("stderr: %q", m.err)
		}
	})
	for name, change := range map[string]func(*machine) []string{
		"NO_COLOR":   func(m *machine) []string { m.env["NO_COLOR"] = "1"; return nil },
		"--no-color": func(*machine) []string { return []string{"--no-color"} },
		"dumb":       func(m *machine) []string { m.env["TERM"] = "dumb"; return nil },
	} {
		t.Run("no colour: "+name, func(t *testing.T) {
			m := newMachine(t).terminal(70)
			m.run(t, 0, scanArgs(s, change(m)...)...)
			if sgr.MatchString(m.out.String()) || !strings.Contains(m.out.String(), "QUALITY") {
				t.Errorf("stdout: %q", m.out)
			}
		})
	}
	t.Run("json is never coloured", func(t *testing.T) {
		m := newMachine(t).terminal(70)
		m.run(t, 0, scanArgs(s, "-o", "json")...)
		if strings.Contains(m.out.String(), "\x1b") {
			t.Errorf("stdout: %q", m.out)
		}
	})
}

// TestMain_interrupted sends the process what Ctrl-C does while one site hangs.
func TestMain_interrupted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot interrupt itself")
	}
	s := startStory(t)
	s.Hanging.SetMode(world.ModeHang)
	for _, format := range []string{"tsv", "json"} {
		t.Run(format, func(t *testing.T) {
			m := newMachine(t)
			m.Stderr.Terminal, m.Stderr.Width = true, func() int { return 90 }
			othersAnswered := func() bool { return strings.Contains(m.err.String(), "3/4 sites") }
			when(t, othersAnswered, func() { signalSelf(t, os.Interrupt) })
			m.run(t, 130, scanArgs(s, "-o", format)...)
			if !strings.Contains(m.out.String(), "1080p") {
				t.Errorf("what had arrived is not listed:\n%s", m.out)
			}
			if !strings.Contains(m.err.String(), "interrupted") {
				t.Errorf("stderr: %q", m.err)
			}
		})
	}
}

// TestMain_precacheSignals ends a precacher in the middle of a cycle.
func TestMain_precacheSignals(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot interrupt itself")
	}
	s := startStory(t)
	m := newMachine(t)
	m.run(t, 0, "interfaces", "add", s.Good.URL())
	m.run(t, 0, "watch", "add", s.Film.Name, "--year", fmt.Sprint(s.Film.Year))
	for _, h := range s.Hosters {
		h.SetMode(world.ModeHang)
	}
	for _, c := range []struct {
		signal os.Signal
		args   []string
		want   int
	}{
		{syscall.SIGTERM, []string{"precache"}, 0},
		{os.Interrupt, []string{"precache"}, 130},
		{syscall.SIGTERM, []string{"precache", "--once", "-o", "json"}, 130},
	} {
		t.Run(strings.Join(append(c.args, c.signal.String()), " "), func(t *testing.T) {
			requests := func() (n int) {
				for _, h := range s.Hosters {
					n += h.Requests()
				}
				return n
			}
			before := requests()
			var sender sync.WaitGroup
			sender.Go(func() {
				eventually(func() bool { return requests() > before })
				for range 2 { // as timeout(1) does, to the process and to its group
					signalSelf(t, c.signal)
					time.Sleep(20 * time.Millisecond)
				}
			})
			m.run(t, c.want, c.args...)
			sender.Wait()
			if !strings.Contains(m.err.String(), "precache cycle interrupted") || strings.Contains(m.err.String(), "the precacher ends") == slices.Contains(c.args, "--once") {
				t.Errorf("stderr:\n%s", m.err)
			}
			if slices.Contains(c.args, "json") && !strings.HasSuffix(m.err.String(), `{"error":{"code":"interrupted","message":"interrupted","hint":""}}`+"\n") {
				t.Errorf("no error document as the last line:\n%s", m.err)
			}
			m.run(t, 0, "hosters", "stats", "--failing", "-o", "json")
			if !strings.Contains(m.out.String(), `"hosters": []`) {
				t.Errorf("a hoster is blamed:\n%s", m.out)
			}
		})
	}
}

// TestMain_probe scans on a terminal, where the probe follows by itself, and
// ends that with Ctrl-C.
func TestMain_probe(t *testing.T) {
	s := startStory(t)
	t.Run("to its end", func(t *testing.T) {
		m := newMachine(t).terminal(90)
		m.run(t, 0, scanArgs(s)...)
		if !strings.Contains(m.err.String(), "probed 7 of 7 sources: 7 ok, 0 failed") {
			t.Errorf("stderr: %q", m.err)
		}
	})
	t.Run("no probe", func(t *testing.T) {
		m := newMachine(t).terminal(90)
		m.run(t, 0, scanArgs(s, "--no-probe")...)
		if strings.Contains(m.err.String(), "probe") {
			t.Errorf("stderr: %q", m.err)
		}
	})
	t.Run("quiet", func(t *testing.T) {
		m := newMachine(t).terminal(90)
		m.run(t, 0, scanArgs(s, "-q")...)
		if out := sgr.ReplaceAllString(m.out.String(), ""); !strings.Contains(out, "7 ✓ 720p") || strings.Contains(out, "prob") {
			t.Errorf("stdout: %q", out)
		}
	})
	t.Run("to a pipe", func(t *testing.T) {
		m := newMachine(t)
		m.run(t, 0, scanArgs(s, "--no-probe")...)
		want := m.out.String()
		m = newMachine(t).terminal(90)
		m.Stdout.Terminal = false
		closed := ""
		m.Stdout.Writer = closer{m.out, func() {
			closed = m.out.String()
			if strings.Contains(m.err.String(), "probing") {
				t.Error("stdout is closed after the probe began")
			}
		}}
		m.run(t, 0, scanArgs(s)...)
		if m.out.String() != want || closed != want {
			t.Errorf("stdout:\n%s\nwant what it is without a probe:\n%s", m.out, want)
		}
		if !strings.Contains(m.err.String(), "probed 7 of 7 sources: 7 ok, 0 failed") {
			t.Errorf("stderr: %q", m.err)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("a process cannot interrupt itself")
		}
		m := newMachine(t).terminal(90)
		for _, h := range s.Hosters {
			h.SetMode(world.ModeHang)
		}
		probing := func() bool { return strings.Contains(m.out.String(), "Ctrl-C ends it") }
		when(t, probing, func() {
			if out := m.out.String(); !strings.Contains(out, "1080p") {
				t.Errorf("no list while it is probed:\n%s", out)
			}
			signalSelf(t, os.Interrupt)
		})
		m.run(t, 0, scanArgs(s)...)
		if !strings.Contains(m.out.String(), "probing 0/7 · 0 ok · 0 failed · Ctrl-C ends it") {
			t.Errorf("no live line: %q", m.out)
		}
	})
	t.Run("interrupted, not in place", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("a process cannot interrupt itself")
		}
		m := newMachine(t).terminal(90)
		m.env["TERM"] = "dumb"
		closed := make(chan string, 1)
		m.Stdout.Writer = closer{m.out, func() { closed <- m.out.String() }}
		probing := func() bool { return strings.Contains(m.err.String(), "Ctrl-C ends it") }
		when(t, probing, func() {
			if out := <-closed; !strings.Contains(out, "1080p") {
				t.Errorf("stdout is closed before the list:\n%s", out)
			}
			signalSelf(t, os.Interrupt)
		})
		m.run(t, 0, scanArgs(s)...)
		if !strings.Contains(m.err.String(), "probing 0/7 · 0 ok · 0 failed · Ctrl-C ends it") {
			t.Errorf("no live line: %q", m.err)
		}
	})
}

// closer tells when an output is closed.
type closer struct {
	*sourcetest.Buffer
	closed func()
}

func (c closer) Close() error {
	c.closed()
	return nil
}

// TestMain_hostersWatch looks at the table in place until q is pressed.
func TestMain_hostersWatch(t *testing.T) {
	m := newMachine(t).terminal(90)
	m.run(t, 0, "hosters", "stats")
	store, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: filepath.Join(m.env["XSHIP_DATA_DIR"], "xship.db")})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(store.HosterTouch(t.Context(), "good.example", true), store.Close()); err != nil {
		t.Fatal(err)
	}
	keys, press := io.Pipe()
	m.Stdin = keys
	go func() {
		for !strings.Contains(m.out.String(), "good.example") {
			time.Sleep(time.Millisecond)
		}
		_, _ = press.Write([]byte("xq")) // nobody else reads
	}()
	m.run(t, 0, "hosters", "stats", "--watch")
	out := m.out.String()
	start, end := strings.Index(out, "\x1b[?1049h"), strings.Index(out, "\x1b[?1049l")
	if start != 0 || end < 0 {
		t.Fatalf("no screen of its own: %q", out)
	}
	if !strings.Contains(out[:end], "\x1b[H") || !strings.Contains(out[:end], "\x1b[K\r\n") {
		t.Errorf("it is not drawn in place: %q", out[:end])
	}
	if last := sgr.ReplaceAllString(out[end:], ""); !strings.Contains(last, "network ok") || !strings.Contains(last, "good.example") {
		t.Errorf("the last table is not left: %q", last)
	}
}

func TestMain_noHome(t *testing.T) {
	m := newMachine(t)
	m.env = map[string]string{}
	m.run(t, 1, "hosters", "stats")
	if !strings.Contains(m.err.String(), "--data-dir") {
		t.Errorf("stderr: %s", m.err)
	}
	m.run(t, 1, "config", "path")
	m.run(t, 0, "version")
}

func TestMain_dataDirIsPrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	m := newMachine(t)
	m.run(t, 0, "hosters", "stats")
	for path, want := range map[string]os.FileMode{".": 0o700, "xship.db": 0o600} {
		info, err := os.Stat(filepath.Join(m.env["XSHIP_DATA_DIR"], path))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: mode %o, want %o", path, got, want)
		}
	}
}

// TestMain_hostersClock looks at the table with a clock of its own.
func TestMain_hostersClock(t *testing.T) {
	m := newMachine(t)
	now := time.Unix(1_700_000_000, 0).UTC()
	m.Now = func() time.Time { return now }
	store, err := sourcecache.Open(t.Context(), sourcecache.Options{Path: filepath.Join(m.env["XSHIP_DATA_DIR"], "xship.db"), Now: m.Now})
	if err != nil {
		t.Fatal(err)
	}
	touch := func(name string, success bool) {
		t.Helper()
		if err := store.HosterTouch(t.Context(), name, success); err != nil {
			t.Fatal(err)
		}
	}
	touch("good.example", true)
	touch("bad.example", false)
	now = now.Add(6 * time.Second)
	touch("bad.example", false)
	now = now.Add(2500 * time.Millisecond)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		want  []string
	}{
		{0, []string{"bad.example\thidden, backing off until 22:13:36 (8 s)\t2\t0\t2\t0\t", "good.example\thealthy\t0\t1\t0\t100\t"}},
		{8 * time.Second, []string{"bad.example\thidden, waiting for a probe\t2\t0\t2\t"}},
	} {
		now = now.Add(step.after)
		m.run(t, 0, "hosters", "stats")
		for _, line := range step.want {
			if !strings.Contains(m.out.String(), line) {
				t.Errorf("no %q in:\n%s", line, m.out)
			}
		}
	}
	for _, c := range []struct {
		after time.Duration
		want  string
	}{{0, "ok"}, {time.Minute, "unknown"}, {-time.Hour, "unknown"}} {
		now = now.Add(c.after)
		m.run(t, 0, "hosters", "stats", "-o", "json")
		if want := `"network": "` + c.want + `"`; !strings.Contains(m.out.String(), want) {
			t.Errorf("%v later: no %s in:\n%s", c.after, want, m.out)
		}
	}
}

func BenchmarkHostersStats(b *testing.B) {
	m := newMachine(b)
	store, err := sourcecache.Open(b.Context(), sourcecache.Options{Path: filepath.Join(m.env["XSHIP_DATA_DIR"], "xship.db")})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 500 {
		if err := store.HosterTouch(b.Context(), fmt.Sprintf("hoster%03d.example", i), i%3 > 0); err != nil {
			b.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		m.run(b, 0, "hosters", "stats")
	}
}

func BenchmarkScan_cached(b *testing.B) {
	s := startStory(b)
	m := newMachine(b)
	m.run(b, 0, scanArgs(s)...)
	for b.Loop() {
		m.run(b, 0, scanArgs(s)...)
	}
}
