package loader

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"xship/sources"
)

// ErrNoRef says that an interface was named by nothing.
var ErrNoRef error = noRefError{}

type noRefError struct{}

func (noRefError) Error() string { return "an interface needs a URL or a path" }

// ErrorCode implements text.Coded.
func (noRefError) ErrorCode() string { return "usage" }

// IsURL tells a URL from a name and a path.
func IsURL(ref string) bool {
	return IsBuiltin(ref) || strings.Contains(ref, "://")
}

// URLOf is what a URL or a path is stored as: paths, also those of file:// URLs,
// are absolute. Its error is ErrNoRef where ref is empty, or a URL without a host.
func URLOf(ref string) (string, error) {
	ref = strings.TrimSpace(ref)
	if ref == "" {
		return "", ErrNoRef
	}
	if IsURL(ref) {
		return storedURL(ref)
	}
	path, err := filepath.Abs(ref)
	if err != nil {
		return "", fmt.Errorf("make the path %q absolute: %w", ref, err)
	}
	return path, nil
}

// storedURL is what a URL is stored as. One that cannot be read is kept as it is.
func storedURL(ref string) (string, error) {
	u, err := url.Parse(ref)
	switch {
	case err != nil:
		return ref, nil //nolint:nilerr // loading it says so
	case u.Scheme == "file" && u.Path != "" && (u.Host == "" || u.Host == "localhost"):
		return filepath.Clean(filepath.FromSlash(u.Path)), nil
	case (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() == "":
		return "", fmt.Errorf("%w: the URL has no host", ErrNoRef)
	default:
		return ref, nil
	}
}

// Find finds the interface that the user named by URL, name or path, in this
// order.
func Find(rows []sources.Interface, ref string) (sources.Interface, bool) {
	ref = strings.TrimSpace(ref)
	matches := []func(sources.Interface) bool{
		func(r sources.Interface) bool { return r.URL == ref },
		func(r sources.Interface) bool { return r.Name != "" && r.Name == ref },
		func(r sources.Interface) bool { return r.Name != "" && strings.EqualFold(r.Name, ref) },
	}
	if stored, err := URLOf(ref); err == nil {
		matches = append(matches, func(r sources.Interface) bool { return r.URL == stored })
	}
	for _, match := range matches {
		if i := slices.IndexFunc(rows, match); i >= 0 {
			return rows[i], true
		}
	}
	return sources.Interface{}, false
}
