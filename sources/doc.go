// Package sources is the domain of xship: titles, the sources found for them,
// the sites that know sources, and the rules that decide which sources a user
// is shown. It does no I/O of its own; sites, stores and clocks are passed in.
package sources
