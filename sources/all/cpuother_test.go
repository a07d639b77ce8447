//go:build !unix

package all_test

// cpuMillis is not known on this system.
func cpuMillis() float64 { return 0 }
