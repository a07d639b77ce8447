//go:build unix

package engine

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The command by which docs/daemon.md finds the daemon gives it, whatever else the lock
// tells.
func TestProcessLock_documented(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "daemon.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("`kill -HUP \"(\\$\\([^)]*DATA/precache.lock\\))\"`").FindSubmatch(doc)
	if found == nil {
		t.Fatal("docs/daemon.md does not say how to find the daemon")
	}
	dir := t.TempDir()
	lock, err := acquireLock(filepath.Join(dir, "precache.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.release() }()
	if err := lock.write(lockHolder{since: time.Unix(1_700_000_000, 0), schedule: "@every 15m"}); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "sh", "-c", `printf %s "`+strings.ReplaceAll(string(found[1]), "DATA", dir)+`"`)
	if out, err := command.CombinedOutput(); err != nil || string(out) != strconv.Itoa(os.Getpid()) {
		t.Errorf("%s gives %q, %v, want %d", found[1], out, err, os.Getpid())
	}
}
