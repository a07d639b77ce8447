// Package sourcetest holds what tests of sources share: one conformance suite
// for all site protocols, a scriptable site, a store in memory, and helpers
// around the loopback world in its subdirectory.
package sourcetest
