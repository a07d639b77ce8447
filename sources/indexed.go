package sources

import "time"

// IndexedRoot tells how a root of an Index was walked.
type IndexedRoot struct {
	WalkedAt time.Time // when the last walk ended, zero where none did
	Files    int       // that were found
	Left     string    // what was left out and why, for people; "" = nothing
}

// IndexedFolder is a folder of an Index with the media files that lie directly in it.
type IndexedFolder struct {
	Path  string
	Stamp string // another one where the folder has changed, "" = it cannot be told
	Files []IndexedFile
}

// IndexedFile is a media file of an Index.
type IndexedFile struct {
	Path  string
	Keys  []string // under which it is found
	Facts []byte   // what is known of it, as whoever put it wrote it
}
