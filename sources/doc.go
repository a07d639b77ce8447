// Package sources is the domain of xship: titles, the sources found for them,
// the sites that know sources, and the rules that decide which sources a user
// is shown. It does no I/O of its own; sites, stores and clocks are passed in. What it
// asks of them are its ports, all in ports.go; package sourcetest has a conformance
// suite for each.
package sources
