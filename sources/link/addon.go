package link

import (
	"net/url"
	"slices"
	"strings"

	"xship/sources/text"
)

// isAddonSecret tells whether the segment at i of a path is a secret by what others make
// of it: the configuration in the address of a Stremio add-on, which holds what its user
// typed there, or what stands behind the name of a debrid service.
func isAddonSecret(path []string, i int) bool {
	const shortest = 6
	if i > 0 && slices.Contains(debridSegments, strings.ToLower(path[i-1])) {
		return len(path[i]) >= shortest && !slices.Contains(debridSegments, strings.ToLower(path[i]))
	}
	return path[i] != "" && path[i] != Redacted && isAddonPath(path[i+1:]) && !isPathWord(decoded(path[i], url.PathUnescape))
}

// debridSegments are the names of debrid services, behind which add-ons have the key of
// an account.
var debridSegments = []string{"realdebrid", "alldebrid", "premiumize", "torbox", "debridlink", "easydebrid", "debrider", "offcloud", "putio", "pikpak", "seedr"}

// isAddonPath tells whether path is that of a manifest, of the page on which an add-on is
// configured, or of what it serves, with as much before it as anybody likes.
func isAddonPath(path []string) bool {
	n := len(path)
	switch {
	case n == 0:
		return false
	case path[n-1] == "manifest.json", path[n-1] == "configure":
		return true
	}
	return n >= 3 && strings.HasSuffix(path[n-1], ".json") && slices.Contains([]string{"stream", "meta", "catalog", "subtitles"}, path[n-3])
}

// isPathWord tells whether a segment is made of words and short numbers, as those that
// say where an add-on lies: "stremio-addon", "v2".
func isPathWord(segment string) bool {
	const (
		longest  = 24
		shortest = 6 // of a part that may be a token
	)
	if len(segment) > longest {
		return false
	}
	for part := range strings.FieldsFuncSeq(segment, func(r rune) bool { return strings.ContainsRune("-_.", r) }) {
		for i := range len(part) {
			if !text.IsAlnum(part[i]) {
				return false
			}
		}
		if hasDigit := strings.ContainsAny(part, "0123456789"); hasDigit && len(part) >= shortest || looksShuffled(part) {
			return false
		}
	}
	return true
}
