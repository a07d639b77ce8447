// Package precacher is the daemon: cycle by cycle it scans the titles that are
// due, resolves and probes their sources ahead of time, and so learns which
// hosters work. It sees the store through the small interfaces that it
// declares, and never waits for a hoster that is in its backoff.
package precacher
