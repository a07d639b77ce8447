//go:build unix

package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"xship/cmd/term"
	"xship/config"
)

// TestRunNotifyCommand runs real programs, good and bad.
func TestRunNotifyCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	script := func(name, text string) string {
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		return "./" + name
	}
	big := bytes.Repeat([]byte("x"), 1<<20) // more than a pipe holds
	for _, c := range []struct {
		name    string
		command []string
		doc     []byte
		want    string // in the error, "" = none
		file    string // what got has then
	}{
		{"works", []string{"sh", "-c", `cat >got; echo "$A $1" >>got`, "sh", "b c"}, []byte("{}\n"), "", "{}\na b c\n"},
		{"reads nothing", []string{"true"}, big, "", ""},
		{"reads a part", []string{"sh", "-c", "head -c 1 >got"}, big, "", "x"},
		{"prints a lot", []string{"sh", "-c", "head -c 3000000 /dev/zero; head -c 3000000 /dev/zero >&2"}, nil, "", ""},
		{"fails", []string{"sh", "-c", "exit 3"}, nil, "sh ended with exit code 3", ""},
		{"says why", []string{"sh", "-c", `printf '\n\033[31mno such\007 topic at https://u:s3cret@h.example/?token=s3cret\nmore\n' >&2; exit 1`}, nil, "sh ended with exit code 1: no such topic at https://h.example/REDACTED", ""},
		{"says a lot", []string{"sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x >&2; exit 1"}, nil, "sh ended with exit code 1: xxx", ""},
		{"killed by another", []string{"sh", "-c", "kill -9 $$"}, nil, "sh ended with signal: killed", ""},
		{"missing", []string{"/no/such/program"}, nil, "program cannot be run: no such file or directory", ""},
		{"not on the path", []string{"no-such-program"}, nil, "no-such-program cannot be run: executable file not found", ""},
		{"a script without a first line", []string{script("bare", "cat\n")}, nil, "bare cannot be run: exec format error; a script begins with a line such as #!/bin/sh", ""},
		{"a script of Windows", []string{script("windows", "#!/bin/sh\r\ncat\r\n")}, nil, "windows cannot be run: the program that its first line names is not there", ""},
		{"a folder", []string{"/"}, nil, "cannot be run: ", ""},
		{"leaves one behind that keeps stderr open", []string{"sh", "-c", "sleep 5 & echo ok >got"}, nil, "", "ok\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_ = os.Remove("got")
			err := runNotifyCommand(t.Context(), c.command, []string{"A=a", "PATH=" + os.Getenv("PATH")}, c.doc)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if err != nil && (len(err.Error()) > 300 || strings.ContainsAny(err.Error(), "\x1b\x07\n") || strings.Contains(err.Error(), "s3cret")) {
				t.Errorf("it says %q", err)
			}
			if got, _ := os.ReadFile("got"); string(got) != c.file {
				t.Errorf("it got %q, want %q", got, c.file)
			}
		})
	}
}

// TestRunNotifyCommand_killed kills a program with what it started.
func TestRunNotifyCommand_killed(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		failed <- runNotifyCommand(ctx, []string{"sh", "-c", "sleep 1000 & echo $! >.pid; mv .pid pid; wait"}, []string{"PATH=" + os.Getenv("PATH")}, nil)
	}()
	child := 0
	await := func(what string, cond func() bool) {
		t.Helper()
		for deadline := time.Now().Add(time.Minute); !cond(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatal(what)
			}
		}
	}
	await("it started nothing", func() bool {
		pid, err := os.ReadFile("pid")
		child, _ = strconv.Atoi(strings.TrimSpace(string(pid)))
		return err == nil && child > 0
	})
	cancel()
	if err := <-failed; err == nil || !strings.Contains(err.Error(), "sh was killed at the end of xship") {
		t.Error(err)
	}
	await("what it started lives on", func() bool { return gone(child) })
}

// gone tells whether a process has ended, though nobody may have asked how.
func gone(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return true
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// TestNewNotifier warns of a program that cannot be run, and hands on no secrets.
func TestNewNotifier(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, c := range []struct {
		program string
		warning string
	}{
		{"sh", ""},
		{"no-such-program", `warning: the program "no-such-program" of notify.command cannot be run: executable file not found in $PATH; install it, or correct the setting` + "\n"},
		{"~/bin/tell", "~ means something to a shell only"},
		{"notify-send xship", "arguments are items of their own in the list"},
	} {
		var stderr bytes.Buffer
		a := newApp(System{Stderr: term.Stream{Writer: &stderr}, Now: time.Now, Environ: func() []string {
			return []string{"PATH=" + os.Getenv("PATH"), "XSHIP_DEBRID_ACCOUNTS=s3cret", "XSHIP_REDIS_URL=s3cret", "XSHIP_NOTIFY_COMMAND=s3cret", "XSHIP_DATA_DIR=" + dir}
		}})
		n := a.newNotifier(config.Notify{Command: []string{c.program, "-c", "env >env"}})
		n.Observe(t.Context(), ready(1))
		n.close(t.Context())
		if got := stderr.String(); c.warning == "" && got != "" || !strings.Contains(got, c.warning) {
			t.Errorf("%s: %q, want %q", c.program, got, c.warning)
		}
	}
	env, err := os.ReadFile("env")
	if err != nil || !strings.Contains(string(env), "XSHIP_DATA_DIR="+dir) || strings.Contains(string(env), "s3cret") {
		t.Errorf("%v; its environment:\n%s", err, env)
	}
	if n := newApp(System{}).newNotifier(config.Notify{}); n != nil {
		t.Error("somebody is told though nobody wants it")
	}
}
