package loader

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"xship/config/failover"
	"xship/sourcecache"
	"xship/sources"
	"xship/sources/openfilms"
)

// ErrNoRef says that an interface was named by nothing.
var ErrNoRef = errors.New("an interface needs a URL or a path")

// IsURL tells a URL from a name and a path.
func IsURL(ref string) bool {
	return ref == openfilms.InterfaceURL || strings.Contains(ref, "://")
}

// URLOf is what a URL or a path is stored as: paths are absolute.
func URLOf(ref string) (string, error) {
	ref = strings.TrimSpace(ref)
	if ref == "" {
		return "", ErrNoRef
	}
	if IsURL(ref) {
		return ref, nil
	}
	path, err := filepath.Abs(ref)
	if err != nil {
		return "", fmt.Errorf("make the path %q absolute: %w", ref, err)
	}
	return path, nil
}

// Find finds the interface that the user named by URL, name or path, in this
// order.
func Find(rows []sourcecache.InterfaceRow, ref string) (sourcecache.InterfaceRow, bool) {
	ref = strings.TrimSpace(ref)
	matches := []func(sourcecache.InterfaceRow) bool{
		func(r sourcecache.InterfaceRow) bool { return r.URL == ref },
		func(r sourcecache.InterfaceRow) bool { return r.Name != "" && r.Name == ref },
		func(r sourcecache.InterfaceRow) bool { return r.Name != "" && strings.EqualFold(r.Name, ref) },
	}
	if path, err := filepath.Abs(ref); err == nil && !IsURL(ref) {
		matches = append(matches, func(r sourcecache.InterfaceRow) bool { return r.URL == path })
	}
	for _, match := range matches {
		if i := slices.IndexFunc(rows, match); i >= 0 {
			return rows[i], true
		}
	}
	return sourcecache.InterfaceRow{}, false
}

// Title names an interface in a sentence: its name, else its URL.
func Title(i failover.Interface) string {
	if name := sources.CleanText(i.Name); name != "" {
		return name
	}
	return RedactURL(i.URL)
}
