// Package fetch is the one HTTP client of xship. It makes requests with a
// deadline, reads no more of an answer than it was allowed to, asks no host more
// often than the host can bear, dials no address that the operator forbids, and
// turns everything that goes wrong into an Error whose class says whose fault it
// was.
//
// Get and GetRange fetch from anybody: what is no 2xx answer is an error, and a
// host that wants a pause gets it. Call is for APIs, whose refusals say more in
// the body than by the status, and where one account's pause is not another's.
//
// Bodies are handed over as they came: JSON is UTF-8, and other declared
// charsets are not converted.
package fetch
