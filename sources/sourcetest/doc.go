// Package sourcetest holds what tests of sources share: conformance suites for all
// site protocols, for provider cooldowns and for each port of a store, the store in
// memory that passes these, scriptable sites, resolvers and providers, and helpers
// around the loopback world in its subdirectory.
package sourcetest
