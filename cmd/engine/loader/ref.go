package loader

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"xship/config/vod"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/site/stremio"
	"xship/sources/text"
)

// ErrNoRef says that an interface was named by nothing.
var ErrNoRef error = noRefError{}

type noRefError struct{}

func (noRefError) Error() string { return "an interface needs a URL or a path" }

// ErrorCode implements text.Coded.
func (noRefError) ErrorCode() string { return "usage" }

// IsURL tells a URL from a name and a path.
func IsURL(ref string) bool {
	return IsBuiltin(ref) || schemeStart.MatchString(ref)
}

var (
	schemeStart = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)
	// opaqueStart are the schemes of URLs without slashes that people mistake for an
	// interface; any other word before a colon may be part of a file's name.
	opaqueStart = regexp.MustCompile(`^(?i:magnet|data|mailto|javascript|about|blob|content|intent|urn|view-source):`)
)

// ForeignScheme is the scheme of a URL that cannot be one of an interface, "" where ref
// may name one. A file is none, whatever it is called.
func ForeignScheme(ref string) string {
	ref = strings.TrimSpace(ref)
	scheme, _, _ := strings.Cut(ref, ":")
	switch strings.ToLower(scheme) {
	case "http", "https", "file", stremio.Type:
		return ""
	}
	if schemeStart.MatchString(ref) {
		return scheme + "://"
	}
	if !opaqueStart.MatchString(ref) {
		return "" // without a look at the path, whose disk may hang
	}
	if _, err := os.Lstat(ref); err != nil {
		return scheme + ":"
	}
	return ""
}

// WebForms are the web addresses, without their secrets, that ref may have been meant
// for: it names no file, but it looks like a host with what follows it. They are none
// where it does not.
func WebForms(ref string) []string {
	ref = strings.TrimSpace(ref)
	scheme := halfScheme.FindString(ref)
	rest := ref[len(scheme):]
	host := rest
	if i := strings.IndexAny(rest, `/\?#;`); i >= 0 {
		host = rest[:i]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	if !looksLikeHost(host, scheme != "" || len(host) < len(rest)) {
		return nil
	}
	rest = strings.ReplaceAll(rest, `\`, "/")
	var forms []string
	for _, s := range []string{"https", "http"} {
		if name := strings.Trim(scheme, `:/\`); name == "" || strings.EqualFold(name, s) {
			forms = append(forms, link.RedactInterface(s+"://"+rest))
		}
	}
	return forms
}

// halfScheme is the scheme of a web address that was not written as one: http:/h, http//h.
var halfScheme = regexp.MustCompile(`^(?i:https?[:;]?[/\\]+|https?:|//)`)

var (
	hostForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[\pL\pN](?:[\pL\pN-]*[\pL\pN])?\.)*[\pL\pN](?:[\pL\pN-]*[\pL\pN])?$`)
	})
	// fileEnds are the ends of names of files that stand alone, and no top-level domains.
	fileEnds = []string{"json", "txt", "m3u", "m3u8", "xml", "js", "html", "htm", "php", "bin", "png", "jpg", "jpeg", "gif", "bmp", "conf", "bak", "yaml", "yml"}
)

// looksLikeHost tells a host from a name of a file, of which path says that it may have
// a path behind it.
func looksLikeHost(s string, path bool) bool {
	name, port, hasPort := strings.Cut(s, ":")
	if !hostForm().MatchString(name) || strings.Trim(port, "0123456789") != "" {
		return false
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 {
		return hasPort || path && strings.EqualFold(name, "localhost")
	}
	return hasPort || path || !slices.Contains(fileEnds, strings.ToLower(name[dot+1:]))
}

// missingHint is what to do where ref names no file; advice is what else there is to do.
func missingHint(ref, advice string) string {
	if forms := WebForms(ref); len(forms) > 0 {
		return advice + "; as a web address it is " + strings.Join(forms, " or ")
	}
	return advice
}

// Missed is err with advice on ref where the error says that there is no such file.
func Missed(err error, ref string) error {
	failed, ok := errors.AsType[*vod.Error](err)
	if !ok || !errors.Is(failed, fs.ErrNotExist) || len(WebForms(ref)) == 0 {
		return err
	}
	advised := *failed
	advised.Hint = missingHint(ref, "check the path")
	return &advised
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
		return "", fmt.Errorf("make the path %s absolute: %w", text.Quote(link.RedactInterface(ref)), err)
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
	case (u.Scheme == "http" || u.Scheme == "https" || u.Scheme == stremio.Type) && u.Hostname() == "":
		return "", fmt.Errorf("%w: the URL has no host", ErrNoRef)
	default:
		return ref, nil
	}
}

// Find finds the interface that the user named by URL, name or path, in this
// order, or by its address as it is listed, where no other is listed so.
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
	return findShown(rows, ref)
}

// NearHint is advice on ref, which names none of the interfaces: the one whose name or
// address was probably meant, or else otherwise.
func NearHint(rows []sources.Interface, ref, otherwise string) string {
	var known []string
	for _, r := range rows {
		known = append(known, r.ShownName(), link.RedactInterface(r.URL))
	}
	return text.DidYouMean(link.RedactInterface(ref), slices.DeleteFunc(known, func(s string) bool { return s == "" }), otherwise)
}

// findShown finds the one interface that is listed as ref.
func findShown(rows []sources.Interface, ref string) (found sources.Interface, ok bool) {
	for _, r := range rows {
		if ref == "" || strings.TrimSpace(link.RedactInterface(r.URL)) != ref {
			continue
		}
		if ok {
			return sources.Interface{}, false
		}
		found, ok = r, true
	}
	return found, ok
}
