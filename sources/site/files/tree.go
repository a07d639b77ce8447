package files

import (
	"context"
	"time"
)

// Tree is a root with folders and files below it. Paths are relative to the root, with
// slashes, "" being the root itself; they never lead out of it. It is safe for
// concurrent use, and its errors are classified.
type Tree interface {
	// Root identifies the tree in an index. It holds no secret.
	Root() string
	// List gives what lies directly in a folder, in any order.
	List(ctx context.Context, folder string) ([]Entry, error)
	// Stamp is another text where the entries of a folder may have changed since it was
	// listed, and "" where that cannot be told without listing it.
	Stamp(ctx context.Context, folder string) (string, error)
	// Read reads a small file whole; one that is larger than most bytes is an error of
	// ClassUnsupported, as all is that is so for good.
	Read(ctx context.Context, file string, most int64) ([]byte, error)
	// Link is what a player opens to play a file, without any login. It is the same each
	// time.
	Link(file string) string
}

// Looker is a Tree that tells at small cost whether a file is not there any more.
type Looker interface {
	Tree
	Gone(ctx context.Context, file string) bool
}

// Entry is a file or a folder as its folder lists it.
type Entry struct {
	Name    string // as it is, also where that is not UTF-8
	Folder  bool
	Size    int64     // of a file in bytes, -1 where the listing does not tell
	ModTime time.Time // zero where the listing does not tell
	Link    string    // of a file, where the listing writes it otherwise than Tree.Link does; else ""
}
