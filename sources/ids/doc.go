// Package ids asks a service for everybody, which wants no key, what it knows of titles:
// their IMDb id, year, names, running time and episodes. It speaks the protocol of
// Stremio's Cinemeta.
//
// Everything works without it. So a service is asked one thing at a time, what it
// answers is kept for half a day, and one that fails rests for a minute.
package ids
