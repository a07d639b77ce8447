// Package stremio asks Stremio add-ons: what streams they have of the IMDb id of a
// film or an episode, and which trailers.
//
// An add-on is known by the address of its manifest. Whatever else is asked of it stands
// at that address with "/manifest.json" replaced, as Stremio itself has it, so a
// configuration in the path and a key in the query stay as they were typed. What comes
// back is read leniently, row by row: other people's add-ons write null for anything,
// numbers as strings, and their errors as streams.
package stremio
