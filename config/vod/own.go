package vod

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"xship/sources/link"
	"xship/sources/text"
)

// Types of sites beyond those of the TVBox world, which have numbers.
const (
	typeArchive   = "archive"
	typeEmby      = "emby"
	typeFolder    = "folder"
	typeHTTPIndex = "httpindex"
	typeJellyfin  = "jellyfin"
	typeOpenfilms = "openfilms"
	typeStremio   = "stremio"
	typeWebDAV    = "webdav"
)

// knownTypes are the types of sites that can be asked.
var knownTypes = []string{
	"0", "1", "4", typeArchive, typeEmby, typeFolder, typeHTTPIndex, typeJellyfin, typeOpenfilms, typeStremio, typeWebDAV,
}

// maxType is how many characters a type has at most.
const maxType = 40

// namedType is the type that a word names, in lower case, "" where it is too long for
// one.
func namedType(word string) string {
	word = strings.ToLower(link.RedactInterfaceText(text.Clean(word)))
	if text.Clip(word, maxType) != word {
		return ""
	}
	return word
}

// isNamed tells a type that is a word from a number.
func isNamed(siteType string) bool {
	return strings.Trim(siteType, "0123456789") != ""
}

// needsNoAPI tells whether a site of the type is whole without an api.
func needsNoAPI(siteType string) bool { return siteType == typeArchive || siteType == typeOpenfilms }

// isLocal tells whether a config at base lies on this machine.
func isLocal(base *url.URL) bool { return base != nil && base.Scheme == "file" }

// apiOf is the address that a site of the type is asked at, from what its config says.
func (d *siteDecoder) apiOf(siteType string, raw []byte) string {
	api := textOf(raw)
	switch trimmed := strings.TrimSpace(api); {
	case trimmed == "":
		return ""
	case siteType == typeFolder:
		return d.folder(api)
	case siteType == typeStremio:
		return d.resolve(trimmed, "./", "../", "/") // byte for byte
	default:
		return asciiHost(d.resolve(trimmed, "./", "../", "/"))
	}
}

// folder makes the path of a folder absolute, against the folder of its config. What is
// no path stays as it is: see unsupportedFolder.
func (d *siteDecoder) folder(path string) string {
	if schemeOf(path) != "" {
		if local, err := localPath(strings.TrimSpace(path)); err == nil {
			return filepath.Clean(local)
		}
		return path
	}
	if !isLocal(d.base) || strings.HasPrefix(path, "~") {
		return path
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(filepath.FromSlash(d.base.Path)), path)
	}
	return filepath.Clean(path)
}

// unsupportedFolder says why a site of the type folder cannot be asked.
func (s Site) unsupportedFolder(base *url.URL) string {
	switch scheme := schemeOf(s.API); {
	case !isLocal(base):
		return "a folder counts only in a config that lies on this machine"
	case scheme != "":
		return fmt.Sprintf("its api starts with %s://, but a folder is a path; servers have the types webdav and httpindex", text.Shorten(scheme, 20))
	case !filepath.IsAbs(s.API): // ~
		return fmt.Sprintf("its api %q starts with ~, which stays as it is: write the whole path", text.Shorten(s.API, 60))
	}
	return ""
}

// asWeb is an api as a web address, where it is the one of an add-on in another form.
func (s Site) asWeb() string {
	if scheme := schemeOf(s.API); s.Type == typeStremio && strings.EqualFold(scheme, typeStremio) {
		return "https" + s.API[len(scheme):]
	}
	return s.API
}

// unknownType says that a type is not known, and which ones are.
func unknownType(siteType string) string {
	if !isNamed(siteType) {
		return fmt.Sprintf("site type %q is not known", siteType)
	}
	last := len(knownTypes) - 1
	return fmt.Sprintf("site type %q is not known; known are %s and %s", siteType, strings.Join(knownTypes[:last], ", "), knownTypes[last])
}

func isKnown(siteType string) bool { return slices.Contains(knownTypes, siteType) }
