package sources

import (
	"errors"
	"time"

	"xship/sources/link"
	"xship/sources/text"
)

// ErrNotListed says that the list of interfaces does not have one, any more perhaps.
var ErrNotListed = errors.New("the interface is not in the list")

// Interface is where a list of sites comes from. Its URL, or absolute path,
// identifies it.
type Interface struct {
	URL          string
	Name         string    // that the user gave it, or ""
	UsedAt       time.Time // when it was last used, zero where it never was
	LastLoadedAt time.Time // zero: never
	LastError    string    // of the last load, "" where it went well
}

// ShownName is the name of the interface as people read it, without the secrets of an
// address that it may be, "" where it has none.
func (i Interface) ShownName() string { return link.RedactInterfaceText(text.Clean(i.Name)) }

// Title is what the interface is called: its name, or its URL, without secrets.
func (i Interface) Title() string {
	if name := i.ShownName(); name != "" {
		return name
	}
	return link.RedactInterface(i.URL)
}

// StoredConfig is what the address of an interface last answered.
type StoredConfig struct {
	Body         []byte
	FinalURL     string
	ContentType  string
	ETag         string    // to be sent back in If-None-Match, "" where it gave none
	LastModified string    // to be sent back in If-Modified-Since
	FetchedAt    time.Time // or last found unchanged
}
