//go:build unix

package sourcecache_test

import (
	"os"
	"os/exec"
	"syscall"
)

// asOrdinaryUser makes cmd run as nobody, which only root can.
func asOrdinaryUser(cmd *exec.Cmd) bool {
	if os.Getuid() != 0 {
		return false
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return true
}
