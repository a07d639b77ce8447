package mediainfo

import (
	"errors"
	"fmt"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/text"
)

// errNoRange: the rest of the file cannot be read, since the server answers
// every range with the whole. That is no fault: the stream plays.
var errNoRange = errors.New("the server has no byte ranges")

// errBudget: a bound on requests or bytes was reached.
var errBudget = sources.Errorf(sources.ClassUnsupported, "it takes too many requests or bytes to find the tracks")

// damagedError is a container that breaks its own rules. That blames nobody:
// players may be more patient than this package.
type damagedError struct{ detail string }

func damaged(format string, args ...any) error { return &damagedError{fmt.Sprintf(format, args...)} }

func (e *damagedError) Error() string { return "cannot read the container: " + e.detail }

// Class implements sources.Classifier.
func (e *damagedError) Class() sources.Class { return sources.ClassUnsupported }

// unplayable is a stream that neither this package nor a plain player can ask for or
// open as it is written. That blames nobody.
func unplayable(format string, args ...any) error {
	return sources.Errorf(sources.ClassUnsupported, format, args...)
}

// isUnread tells whether err says of bytes that came that nothing was found in them, or
// not enough of them was read. Players may find more.
func isUnread(err error) bool {
	return errors.As(err, new(*damagedError)) || errors.As(err, new(*unknownError)) || errors.Is(err, errNoRange) || errors.Is(err, errBudget)
}

// worst is what several failures at parts of one stream come to. It is gone where all
// of them are, and the hoster's fault where one is.
func worst(failed []error) error {
	var found error
	for _, err := range failed {
		switch class := sources.ClassOf(err); {
		case class == sources.ClassHosterFault:
			return err
		case found == nil || sources.ClassOf(found) == sources.ClassDeadLink && class != sources.ClassDeadLink:
			found = err
		}
	}
	return found
}

// unknownError is binary data of no container known here.
type unknownError struct{ contentType string }

func (e *unknownError) Error() string {
	if e.contentType == "" {
		return "unknown container; ffprobe may know it"
	}
	return fmt.Sprintf("unknown container (served as %s); ffprobe may know it", text.Clean(e.contentType))
}

// Class implements sources.Classifier.
func (e *unknownError) Class() sources.Class { return sources.ClassUnsupported }

// truncated is a file that is shorter than it says.
func truncated(format string, args ...any) error {
	return sources.Errorf(sources.ClassHosterFault, "the file is cut short: "+format, args...)
}

// pageError is for text where media should be, which starts r.
func (r *reader) pageError() error {
	page := fetch.NewPage(r.url, r.finalURL, r.header, r.buffered(0))
	page.Media = r.media
	return page.Verdict()
}
