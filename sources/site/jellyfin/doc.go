// Package jellyfin asks the media servers Jellyfin and Emby, whose protocols are one with
// two dialects, for the films and episodes of the user's own.
//
// A server is searched by name, and by IMDb id where it can be (Emby), and what it finds
// is compared as on every other site. Each version of a film or an episode that it has is
// a source, whose link holds no key: who may see it is told by a header, which the client
// adds to requests and the engine to what a player gets (see fetch.WithLogins).
package jellyfin
