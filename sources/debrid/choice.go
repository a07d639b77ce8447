package debrid

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"xship/sources/link"
	"xship/sources/text"
)

// remoteFile is one of the files that a service found behind a link.
type remoteFile struct {
	name string // or path
	mime string // "" where unknown
}

// sampleName finds the word in "Film.Sample.mkv" and "Sample/film.mkv".
// It is compiled where a provider gives several files.
var sampleName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:^|[^\pL\pN])sample(?:$|[^\pL\pN])`)
})

func (f remoteFile) isVideo() bool {
	return strings.HasPrefix(f.mime, "video/") || link.MediaOf(f.name).Video
}

// onlyVideo is the index of the one file that a link can mean: the only one, or
// the only video that is no sample. Where there are several it is -1 and why,
// since the largest may be the wrong episode or an extra.
func onlyVideo(files []remoteFile) (index int, why string) {
	switch len(files) {
	case 0:
		return -1, "it found no file behind the link"
	case 1:
		return 0, ""
	}
	index = -1
	videos := 0
	for i, f := range files {
		if f.isVideo() && !sampleName().MatchString(f.name) {
			index = i
			videos++
		}
	}
	switch videos {
	case 0:
		return -1, fmt.Sprintf("none of the %s behind the link is a video", text.Plural(len(files), "file"))
	case 1:
		return index, ""
	default:
		return -1, fmt.Sprintf("the link holds %d videos and does not say which one is meant", videos)
	}
}
