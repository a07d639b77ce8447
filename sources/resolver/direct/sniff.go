package direct

import (
	"bytes"
	"mime"
	"strings"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/text"
)

// content is what the first bytes of a file say that it is.
type content struct {
	mime string // of media, "" where unknown
	link string // of a .strm file: what it names
}

// others are how files start that are no media.
var others = []struct {
	start string
	what  string
	class sources.Class
}{
	{"%PDF-", "a PDF file", sources.ClassHosterFault},
	{"PK\x03\x04", "a ZIP archive", sources.ClassUnsupported},
	{"Rar!\x1a\x07", "a RAR archive", sources.ClassUnsupported},
	{"7z\xbc\xaf\x27\x1c", "a 7z archive", sources.ClassUnsupported},
	{"d8:announce", "a torrent", sources.ClassUnsupported},
}

// look tells what the body of p is the start of. Its name, and what its server
// calls it, count less than the bytes. The error is a *fetch.PageError for text
// that is no media.
func look(p fetch.Page) (content, error) {
	head := p.Body
	if len(head) == 0 {
		return content{}, sources.Errorf(sources.ClassHosterFault, "the file is empty")
	}
	for _, o := range others {
		if bytes.HasPrefix(head, []byte(o.start)) {
			return content{}, sources.Errorf(o.class, "%s where media should be", o.what)
		}
	}
	if _, ok := link.AfterPicture(head); ok {
		return content{mime: "video/mp2t"}, nil
	}
	if link.PictureOf(head) != "" { // which a player shows
		return content{}, sources.Errorf(sources.ClassUnsupported, "a picture where media should be")
	}
	if link.ManifestOf(head) != "" || fetch.IsText(head) {
		if found := link.InText(head); found != "" {
			return content{mime: found}, nil
		}
		return lookText(p)
	}
	if found := link.MagicOf(head); found != "" {
		return content{mime: found}, nil
	}
	contentType := p.Header.Get("Content-Type")
	media := declared(contentType)
	if media == "" {
		if named := link.MediaOf(p.Name); !named.Manifest { // a manifest is known by its text
			media = named.MIME
		}
	}
	switch {
	case link.IsUnmistakable(media):
		return content{}, sources.Errorf(sources.ClassHosterFault, "unknown data where %s should be", media)
	case media != "":
		return content{mime: media}, nil
	}
	return content{}, sources.Errorf(sources.ClassUnsupported, "unknown data, served as %q: no media that is known here", text.Clean(contentType))
}

// declared is the media type that contentType names, "" where it is none.
func declared(contentType string) string {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.HasPrefix(media, "video/") && !strings.HasPrefix(media, "audio/") {
		return ""
	}
	return media
}
