// Package sourcecache keeps what xship knows between runs in one SQLite file:
// the hoster table with its outage guard, interfaces and their last answers,
// the sources that scans found and what became of them, and the watchlist with
// the work that waits on its sources.
//
// Several processes may use the file at once. Every change is made in a short
// immediate transaction that fixes one timestamp, so that no update is lost;
// readers never wait for writers. Times are stored as Unix seconds, and a time
// that is zero means never.
package sourcecache
