package stremio

import (
	"bytes"
	"encoding/json"
	"net"
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/text"
)

// Type is what interfaces call this protocol.
const Type = "stremio"

// AddonID is the id in the manifest of xship's own add-on, and HopHeader the header
// that marks xship's requests to add-ons. By either one xship is kept from asking itself,
// through whatever stands between.
const (
	AddonID   = "org.xship.addon"
	HopHeader = "X-Xship-Hop"
)

const manifestPath = "/manifest.json"

// ManifestURL is where the manifest of the add-on at ref would be: "stremio" becomes
// https, on this machine http, "/configure" and what is missing "/manifest.json". All
// else stays as it is, byte for byte. ok tells whether ref is an add-on's address by its
// form; another web address may be the base of one, or anything else. It is "" where ref
// is no address on the web.
func ManifestURL(ref string) (address string, ok bool) {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(ref), "://")
	rest, _, _ = strings.Cut(rest, "#")
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	host := rest[:end]
	if host == "" {
		return "", false
	}
	switch strings.ToLower(scheme) {
	case "stremio":
		ok, scheme = true, "https"
		if isLoopback(host) {
			scheme = "http" // where nobody has a certificate
		}
	case "http", "https":
	default:
		return "", false
	}
	path, query := rest[end:], ""
	if i := strings.IndexByte(path, '?'); i >= 0 {
		path, query = path[:i], path[i:]
	}
	path = strings.TrimRight(path, "/")
	switch base, isManifest := strings.CutSuffix(path, manifestPath); {
	case isManifest:
		path, ok = base, true
	case strings.HasSuffix(path, "/configure"):
		path, ok = strings.TrimSuffix(path, "/configure"), true
	}
	return scheme + "://" + host + path + manifestPath + query, ok
}

// isLoopback tells whether an authority is of this machine.
func isLoopback(authority string) bool {
	host := authority[strings.LastIndexByte(authority, '@')+1:]
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Manifest is what an add-on says of itself.
type Manifest struct {
	ID        string
	Name      string     // for people, cleaned
	Version   string     // for people, cleaned
	Resources []Resource // each name once: the first one counts
	// NeedsConfiguration says that it serves nobody without a configuration in its address.
	NeedsConfiguration bool
}

// Resource is one of the things that an add-on serves.
type Resource struct {
	Name     string
	Types    []string // of titles; it is asked for no others
	Prefixes []string // of ids; nil: it takes all
}

// The names of protocol.
const (
	resourceStream = "stream"
	resourceMeta   = "meta"
	typeMovie      = "movie"
	typeSeries     = "series"
	imdbPrefix     = "tt"
)

// rawManifest is a manifest as it comes.
type rawManifest struct {
	ID        str               `json:"id"`
	Name      str               `json:"name"`
	Version   str               `json:"version"`
	Resources list[rawResource] `json:"resources"`
	Types     list[word]        `json:"types"`
	Prefixes  list[word]        `json:"idPrefixes"`
	Catalogs  list[any]         `json:"catalogs"`
	Hints     struct {
		NeedsConfiguration boolean `json:"configurationRequired"`
	} `json:"behaviorHints"`
}

// word is a JSON string.
type word = string

// rawResource is a resource: its name, or an object.
type rawResource struct {
	short    bool
	name     string
	types    list[word]
	prefixes list[word]
}

// UnmarshalJSON fails for what is neither a name nor an object.
func (r *rawResource) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		r.short = true
		return json.Unmarshal(b, &r.name)
	}
	var full struct {
		Name     str        `json:"name"`
		Types    list[word] `json:"types"`
		Prefixes list[word] `json:"idPrefixes"`
	}
	err := json.Unmarshal(b, &full)
	r.name, r.types, r.prefixes = string(full.Name), full.Types, full.Prefixes
	return err
}

// decodeManifest reads a body that has an add-on's id and lists what it serves.
func decodeManifest(body []byte) (rawManifest, bool) {
	var raw rawManifest
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	err := json.Unmarshal(body, &raw)
	ok := bytes.HasPrefix(body, []byte("{")) && (err == nil || mismatched(err))
	return raw, ok && raw.ID != "" && raw.Resources != nil
}

// IsManifest tells whether body is the manifest of an add-on, rather than another
// document with some of its fields.
func IsManifest(body []byte) bool {
	raw, ok := decodeManifest(body)
	return ok && (raw.Version != "" || raw.Types != nil || raw.Catalogs != nil)
}

// ReadManifest reads the manifest of an add-on. Fields of other types than the protocol
// gives them are as if they were not there. What is no manifest at all is an error of
// ClassHosterFault.
func ReadManifest(body []byte) (Manifest, error) {
	raw, ok := decodeManifest(body)
	if !ok {
		return Manifest{}, sources.Errorf(sources.ClassHosterFault, "it is not the manifest of a Stremio add-on: a JSON object with an id and resources")
	}
	m := Manifest{ID: text.Clean(string(raw.ID)), Name: text.Clean(string(raw.Name)), Version: text.Clean(string(raw.Version)), NeedsConfiguration: bool(raw.Hints.NeedsConfiguration)}
	for _, r := range raw.Resources {
		if slices.ContainsFunc(m.Resources, func(other Resource) bool { return other.Name == r.name }) {
			continue
		}
		if r.short {
			r.types, r.prefixes = raw.Types, raw.Prefixes
		}
		resource := Resource{Name: r.name, Types: r.types}
		if r.prefixes != nil {
			resource.Prefixes = append([]string{}, r.prefixes...)
		}
		m.Resources = append(m.Resources, resource)
	}
	return m, nil
}

// encode writes what is used of a manifest, as one that ReadManifest reads.
func (m Manifest) encode() ([]byte, error) {
	type resource struct {
		Name     string   `json:"name"`
		Types    []string `json:"types"`
		Prefixes []string `json:"idPrefixes"` // null: all
	}
	resources := make([]resource, 0, len(m.Resources))
	for _, r := range m.Resources {
		resources = append(resources, resource(r))
	}
	return json.Marshal(map[string]any{
		"id": m.ID, "name": m.Name, "version": m.Version, "resources": resources,
		"behaviorHints": map[string]bool{"configurationRequired": m.NeedsConfiguration},
	})
}

// Takes tells whether the add-on is asked for the resource of a title of the type, as
// Stremio decides it.
func (m Manifest) Takes(resource, kind, id string) bool {
	return m.serves(resource, func(r Resource) bool {
		return slices.Contains(r.Types, kind) &&
			(r.Prefixes == nil || slices.ContainsFunc(r.Prefixes, func(prefix string) bool { return strings.HasPrefix(id, prefix) }))
	})
}

func (m Manifest) serves(resource string, ok func(Resource) bool) bool {
	return slices.ContainsFunc(m.Resources, func(r Resource) bool { return r.Name == resource && ok(r) })
}

// Unusable is why xship cannot ask the add-on for streams, for people; "" where it can.
func (m Manifest) Unusable() string {
	all := func(Resource) bool { return true }
	types := func(r Resource) bool {
		return slices.Contains(r.Types, typeMovie) || slices.Contains(r.Types, typeSeries)
	}
	ids := func(r Resource) bool {
		return r.Prefixes == nil || slices.ContainsFunc(r.Prefixes, func(p string) bool {
			return strings.HasPrefix(p, imdbPrefix) || strings.HasPrefix(imdbPrefix, p)
		})
	}
	switch {
	case m.ID == AddonID:
		return "it is the add-on of an xship, which would ask itself"
	case !m.serves(resourceStream, all):
		return "the add-on has no streams, only other things, such as catalogues or subtitles"
	case !m.serves(resourceStream, types):
		return "the add-on has streams, but none of films or series"
	case !m.serves(resourceStream, ids):
		return "the add-on takes no IMDb ids, and xship has no others"
	case m.NeedsConfiguration:
		return "the add-on needs to be configured: open its /configure page in a browser, and add the link that it gives"
	default:
		return ""
	}
}
