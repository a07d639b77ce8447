package cmd_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// hangingDisk mounts a disk that answers nothing, as one whose server is gone.
func hangingDisk(t *testing.T) (dir string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs to be root, who may mount a disk")
	}
	dir = t.TempDir()
	fuse, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("needs /dev/fuse: %v", err)
	}
	if err := syscall.Mount("xship", dir, "fuse", 0, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fuse)); err != nil {
		_ = syscall.Close(fuse)
		t.Skipf("needs to be able to mount a disk: %v", err)
	}
	t.Cleanup(func() {
		_ = syscall.Close(fuse) // which ends whatever waits for it
		_ = syscall.Unmount(dir, syscall.MNT_DETACH)
	})
	return dir
}

// TestHangingDisk: no command waits for a disk that hangs, wherever it is named.
func TestHangingDisk(t *testing.T) {
	t.Parallel()
	disk := hangingDisk(t)
	dir := t.TempDir()
	films := filepath.Join(dir, "films")
	if err := os.Mkdir(films, 0o700); err != nil {
		t.Fatal(err)
	}
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	config := file("config.json", `{"sites": [{"key": "a", "type": "folder", "api": "films"}, {"key": "b", "type": "folder", "api": "`+disk+`"}]}`)
	depot := file("depot.json", `{"urls": [{"url": "`+disk+`/config.json"}, {"url": "config.json"}]}`)
	login := `{"logins": [{"origin": "http://127.0.0.1:1", "kind": "basic", "name": "me", "password": "secret"}]}`

	var all sync.WaitGroup // nearly all of it is waiting for the disk
	for name, commands := range map[string][]string{
		"add":    {"interfaces add " + disk, "interfaces check", "scan Film", "interfaces remove " + disk},
		"add in": {"interfaces add " + disk + "/films", "interfaces list", "doctor"},
		"status": {"interfaces add " + disk + "/films", "status"},
		"group":  {"interfaces group home " + films + " " + disk, "interfaces list"},
		"check":  {"interfaces check " + disk},
		"scan":   {"scan Film --interface " + disk, "play Film --interface " + disk},
		"config": {"interfaces add " + config, "scan Film", "play Film"},
		"depot":  {"interfaces add " + depot},
		"in it":  {"scan Film --interface " + depot},
		"login":  {"interfaces add " + disk, "interfaces add http://127.0.0.1:1/dav/", "interfaces remove http://127.0.0.1:1/dav/"},
		"a file": {"play " + disk + "/film.mkv"},
	} {
		data := filepath.Join(dir, name)
		if err := os.Mkdir(data, 0o700); err != nil {
			t.Fatal(err)
		}
		if name == "login" {
			if err := os.WriteFile(filepath.Join(data, "logins.json"), []byte(login), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		all.Go(func() {
			for _, command := range commands {
				runOnHangingDisk(t, data, command)
			}
		})
	}
	all.Wait()
}

func runOnHangingDisk(t *testing.T, data, command string) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "xship", strings.Fields(command)...)
	cmd.Env = append(os.Environ(), "XSHIP_RESOLVE_YTDLP=off", idsVariable+"=false", archiveVariable+"=false", "XSHIP_DATA_DIR="+data, "XDG_CONFIG_HOME="+data)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Errorf("xship %s waits: %v\n%s", command, err, out)
	}
}
