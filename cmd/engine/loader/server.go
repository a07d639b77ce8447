package loader

import (
	"bytes"
	"net/http"
	"strings"

	"xship/config/vod"
	"xship/sources/fetch"
	"xship/sources/site/httpindex"
	"xship/sources/site/jellyfin"
	"xship/sources/site/stremio"
	"xship/sources/text"
)

// maxProbe is the most that a server answers a probe with, in bytes.
const maxProbe = 1 << 20

// probe asks whether a server is of a kind.
type probe struct {
	request fetch.Request
	read    func(resp *fetch.Response) *mark // nil: it is not
}

// probeOf is the one request that a load of a known server is.
func probeOf(kind Kind, address string) probe {
	switch kind {
	case KindWebDAV:
		return davProbe(address)
	case KindHTTPIndex:
		return indexProbe(address)
	default:
		return infoProbe(address)
	}
}

// infoProbe asks for what Jellyfin and Emby tell everybody.
func infoProbe(base string) probe {
	return probe{
		request: jellyfin.InfoRequest(base),
		read: func(resp *fetch.Response) *mark {
			info, ok := jellyfin.ReadInfo(resp)
			if !ok {
				return nil
			}
			kind := KindEmby
			if info.Type == jellyfin.Type {
				kind = KindJellyfin
			}
			return &mark{Kind: kind, Address: strings.TrimSuffix(base, "/"), Name: info.Name, Version: info.Version}
		},
	}
}

// manifestProbe asks for the manifest of the add-on that the address may be the base of.
func manifestProbe(address string) probe {
	manifest, _ := stremio.ManifestURL(address)
	return probe{
		request: fetch.Request{URL: manifest, MaxBody: vod.MaxBody},
		read: func(resp *fetch.Response) *mark {
			if !stremio.IsManifest(resp.Body) {
				return nil
			}
			return &mark{Kind: KindStremio, Address: manifest}
		},
	}
}

// addOn is the interface that a Stremio add-on is. m is nil where its address is that of
// its manifest.
func addOn(address string, doc vod.Document, m *mark) *loaded {
	spec := ownSite(KindStremio, hostOf(address), address)
	var name, version string
	if manifest, err := stremio.ReadManifest(doc.Body); err != nil {
		spec.Unsupported = text.Clean(err.Error())
	} else {
		name, version, spec.Unsupported = manifest.Name, manifest.Version, manifest.Unusable()
		spec.Ext = string(doc.Body) // so that the site need not ask again
	}
	if name != "" {
		spec.Name = name
	}
	l := oneSite(KindStremio, name, spec)
	l.Version, l.mark, l.documents = version, m, []vod.Document{doc}
	return l
}

// davQuery asks for one property, since all of them may be many.
const davQuery = `<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><resourcetype/></prop></propfind>`

// davProbe asks as WebDAV clients do for the folder alone.
func davProbe(base string) probe {
	return probe{
		request: fetch.Request{
			Method: "PROPFIND", URL: base, Body: []byte(davQuery), ContentType: `application/xml; charset="utf-8"`, MaxBody: maxProbe,
			Headers: map[string]string{"Depth": "0"},
		},
		read: func(resp *fetch.Response) *mark {
			if resp.Status != http.StatusMultiStatus || !bytes.Contains(resp.Body, []byte("multistatus")) {
				return nil
			}
			return &mark{Kind: KindWebDAV, Address: base}
		},
	}
}

// indexProbe asks for a page that lists files.
func indexProbe(base string) probe {
	return probe{
		request: fetch.Request{URL: base, MaxBody: vod.MaxBody},
		read: func(resp *fetch.Response) *mark {
			if !isIndex(resp.Body, base) {
				return nil
			}
			return &mark{Kind: KindHTTPIndex, Address: base}
		},
	}
}

// isIndex tells a page that lists the files of a folder from other pages. JSON that lists
// nothing may be the answer of anybody.
func isIndex(body []byte, base string) bool {
	head := bytes.TrimSpace(body[:min(len(body), 64)])
	return string(head) != "null" && !bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("["))), []byte("]")) && httpindex.IsIndex(body, base)
}

// documentFrom is an answer as a document. No server says what an interface was recognised
// as: see markType.
func documentFrom(url string, resp *fetch.Response) vod.Document {
	doc := vod.Document{
		URL: url, Body: resp.Body, FinalURL: resp.FinalURL, ContentType: resp.Header.Get("Content-Type"),
		ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified"),
	}
	if isMark(doc.ContentType) {
		doc.ContentType = ""
	}
	return doc
}
