// Package t4 searches sites that speak the HTTP protocol of TVBox's type 4.
//
// The links of its rows are ids: each that fits the title is asked for, with a
// call of its own, while the search runs. The server answers with the stream's
// address and headers, or with a page that only a parser can read; the latter
// is listed as not playable.
package t4
