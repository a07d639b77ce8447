package loader

import (
	"encoding/json"
	"mime"
	"slices"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// markType is the content type under which it is stored what an interface was recognised
// as. No server has it: see documentFrom.
const markType = "application/vnd.xship.interface+json"

// mark is what an interface was recognised as whose address alone does not tell, so that
// a load is one request of the right kind.
type mark struct {
	Kind    Kind   `json:"kind"`
	Address string `json:"address"` // of the server, or of the manifest of an add-on
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
}

// markedKinds are the kinds that are stored so.
var markedKinds = []Kind{KindStremio, KindWebDAV, KindHTTPIndex, KindJellyfin, KindEmby}

// isMark tells whether a stored config is a mark.
func isMark(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == markType
}

// readMark gives the mark that is stored, nil where that is none.
func readMark(c *sources.StoredConfig) *mark {
	if c == nil || !isMark(c.ContentType) {
		return nil
	}
	m := new(mark)
	if json.Unmarshal(c.Body, m) != nil || m.Address == "" || !slices.Contains(markedKinds, m.Kind) {
		return nil // of another version
	}
	m.Name, m.Version = text.Clean(m.Name), text.Clean(m.Version)
	return m
}

// stored is the mark as it is stored for the interface at url.
func (m *mark) stored(url string, at time.Time) (sources.StoredConfig, error) {
	body, err := json.Marshal(m)
	return sources.StoredConfig{Body: body, FinalURL: url, ContentType: markType, FetchedAt: at}, err
}

// content is the interface that a server is, by what is known of it.
func (m *mark) content() *loaded {
	l := oneSite(m.Kind, m.Name, ownSite(m.Kind, m.title(), m.Address))
	l.Version, l.mark = m.Version, m
	return l
}

// title names the server for people.
func (m *mark) title() string {
	if m.Name != "" {
		return m.Name
	}
	return hostOf(m.Address)
}
