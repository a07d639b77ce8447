package mediainfo

import (
	"errors"
	"fmt"
	"strings"

	"xship/sources"
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

// goneWords are how hosters say in a page of status 200 that a file is gone.
var goneWords = []string{
	"file not found", "file was not found", "video not found", "file does not exist", "file removed", "file was removed",
	"file has been removed", "video has been removed", "file deleted", "file was deleted", "file has been deleted", "video was deleted",
	"no longer available", "no longer exists", "has been removed due", "datei nicht gefunden", "datei wurde gelöscht",
	"文件不存在", "视频不存在", "资源不存在", "已被删除", "文件已删除",
}

// textError is for text where media should be.
func textError(head []byte) error {
	text := strings.ToLower(string(head))
	for _, words := range goneWords {
		if strings.Contains(text, words) {
			return sources.Errorf(sources.ClassDeadLink, "a page says %q", words)
		}
	}
	what := "text"
	switch trimmed := strings.TrimSpace(text); {
	case strings.Contains(text, "<html") || strings.HasPrefix(trimmed, "<!doctype") || strings.Contains(text, "<body"):
		what = "HTML page"
	case strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "["):
		what = "JSON"
	case strings.HasPrefix(trimmed, "<"):
		what = "XML"
	}
	return sources.Errorf(sources.ClassHosterFault, "%s where media should be", what)
}
