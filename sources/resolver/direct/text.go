package direct

import (
	"strings"

	"xship/sources/fetch"
	"xship/sources/link"
)

// lookText is look for text.
func lookText(p fetch.Page) (content, error) {
	switch mime := link.ManifestOf(p.Body); {
	case link.IsChannels(p.Body):
		return content{}, p.Verdict()
	case mime != "":
		return content{mime: mime}, nil
	}
	if named := strmLink(string(link.ManifestText(p.Body))); named != "" {
		return content{link: named}, nil
	}
	return content{}, p.Verdict()
}

// strmLink is what a .strm file names: its first line that is neither empty
// nor a property for Kodi. Only http and https links are taken, so that no file
// of the network can name one of this machine.
func strmLink(text string) string {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if isHTTP(line) && !strings.ContainsAny(line, "\t<>\"") {
			return line
		}
		return ""
	}
	return ""
}
