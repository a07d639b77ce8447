// Package archive searches the Internet Archive, or a mirror that speaks its search,
// metadata and download addresses, for films and series that may be watched there.
//
// Items are found by the IMDb id that some carry, and by title and year; the files of
// the few best ones become sources. What the Archive holds is not free by being there:
// a filter by licence, by its curated collections and by age leaves out the rest, see
// Region.
//
// A Client keeps the manners that the Archive asks for: few requests at once and some
// time between them, an agent of its own, answers that are kept, and a long rest where
// it refuses connections.
package archive
