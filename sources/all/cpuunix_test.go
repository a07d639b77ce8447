//go:build unix

package all_test

import "syscall"

// cpuMillis is the processor time of this process so far.
func cpuMillis() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}
