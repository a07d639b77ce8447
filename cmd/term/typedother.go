//go:build !unix

package term

import "os"

// hideTyped does nothing: a console shows what is typed when it is read.
func hideTyped(Stream) (restore func()) { return nil }

// inBackground is false: a console has no jobs.
func inBackground(Stream) bool { return false }

// notifyResumed never tells anything: no process is stopped.
func notifyResumed(Stream) (resumed <-chan os.Signal, stop func()) { return nil, func() {} }
