//go:build unix

package ytdlp

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the leader of a process group, which ends with it when
// its context does.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// killGroup ends the children that outlived cmd. There must be some, else the
// number of the group may be another's by now.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
