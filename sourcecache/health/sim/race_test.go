//go:build race

package sim_test

// raced tells whether the race detector watches, which makes a simulation take minutes.
const raced = true
