// Package engine is what xship does for a user, without flags, words for a terminal
// or printing: scan, play, probe, the watchlist, interfaces, accounts, the daemon's
// day and the doctor's checks.
//
// All about one request is in the request, so that one Engine serves a run of the
// command line, a daemon, and many clients at once. It sees a store through ports
// only; package cmd opens one.
package engine
