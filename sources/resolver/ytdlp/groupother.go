//go:build !unix

package ytdlp

import "os/exec"

// ownGroup leaves cmd to os/exec, which ends the process itself.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
