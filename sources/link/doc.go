// Package link is all about a URL: its canonical form, its hoster, the headers
// behind a "|", when it expires, whether it names media, and what of it may be
// shown.
package link
