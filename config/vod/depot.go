package vod

import (
	"fmt"
	"net/url"
	"strings"

	"xship/sources/link"
	"xship/sources/text"
)

const (
	// maxShown is how many interfaces of a depot a message names.
	maxShown = 3
	// maxListed bounds the interfaces of a depot that are looked at.
	maxListed = 1000
)

// depot is a config that lists interfaces instead of sites.
type depot struct {
	found bool     // the config is such a list, be it empty
	count int      // of interfaces
	links []listed // the first of them
}

// listed is an interface that a depot lists.
type listed struct {
	address string // absolute where that can be told
	name    string
	refused string // why it cannot be opened, "" = it can
}

// String shows the link to people, without secrets.
func (l listed) String() string {
	s := text.Shorten(link.RedactInterface(l.address), maxURLShown)
	if name := excerpt(l.name, 40); name != "" {
		s += " (" + name + ")"
	}
	return s
}

// readDepot looks for urls (several interfaces) and storeHouse (several such
// lists). An empty list beside sites makes no depot, nor does anything else of that
// name.
func readDepot(doc Document, top object) depot {
	var d depot
	base, _ := url.Parse(asciiHost(doc.FinalURL))
	d.read(base, top.get("urls"), "url", "name")
	d.read(base, top.get("storeHouse"), "sourceUrl", "sourceName")
	if d.count > 0 {
		return d
	}
	for range items(top.get("sites")) {
		d.found = false
		break
	}
	return d
}

func (d *depot) read(base *url.URL, list []byte, urlField, nameField string) {
	d.found = d.found || string(list) == "[]"
	for raw := range items(list) {
		address, name := textOf(raw), ""
		if child := fields(raw); child != nil {
			address, name = textOf(child.get(urlField)), textOf(child.get(nameField))
			d.found = d.found || child.get(urlField) != nil
		} else {
			d.found = d.found || raw[0] == '"' || list[0] == '['
		}
		if address = strings.TrimSpace(address); address == "" {
			continue
		}
		if d.count++; d.count <= maxListed {
			d.links = append(d.links, newListed(base, address, name))
		}
	}
}

// newListed makes an address absolute. A remote depot may list web addresses only, a
// local one also other files.
func newListed(base *url.URL, address, name string) listed {
	l := listed{address: address, name: link.RedactInterfaceText(name)}
	if len(address) > maxAddress {
		l.refused = "not an address: it is " + tooLong(maxAddress)
		return l
	}
	if link.IsEncrypted(address) {
		l.refused = "an encrypted config (" + encryptedForm + "), which xship cannot read"
		return l
	}
	u, err := url.Parse(address)
	if err != nil || base == nil {
		l.refused = "not an address"
		return l
	}
	if !u.IsAbs() {
		u = base.ResolveReference(u)
		l.address = u.String()
	}
	switch {
	case !isWeb(l.address) && (u.Scheme != "file" || base.Scheme != "file"):
		l.refused = "only web addresses are opened"
	case u.Scheme != "file" && u.Host == "":
		l.refused = "not an address"
	case link.MediaOf(u.Path).MIME == link.MIMEHLS:
		l.refused = "a list of live channels"
	}
	return l
}

// isText tells a text file, which is mostly a live list and rarely a config.
func (l listed) isText() bool {
	address, _, _ := strings.Cut(l.address, "?")
	return strings.HasSuffix(strings.ToLower(address), ".txt")
}

// refuse is the error of a depot that is not opened.
func (d depot) refuse() *Error {
	if d.count == 0 {
		return &Error{Cause: CauseDepot, Detail: "got a depot, a list of interfaces, that is empty", Hint: "use another interface"}
	}
	return &Error{
		Cause: CauseDepot, Detail: fmt.Sprintf("got a depot, a list of interfaces (%d), instead of a config with sites", d.count),
		Hint: "add one of its interfaces instead: " + showLinks(d.links),
	}
}

func showLinks(links []listed) string {
	var shown []string
	for _, l := range links[:min(len(links), maxShown)] {
		shown = append(shown, l.String())
	}
	if len(links) > maxShown {
		shown = append(shown, "…")
	}
	return strings.Join(shown, ", ")
}

// candidates gives the links that can be opened, in the order in which they are
// tried, text files last, and says of the others why not.
func (d depot) candidates() (usable []listed, refused []string) {
	var last []listed
	for _, l := range d.links {
		switch {
		case l.refused != "":
			refused = append(refused, l.String()+": "+l.refused)
		case l.isText():
			last = append(last, l)
		default:
			usable = append(usable, l)
		}
	}
	return append(usable, last...), refused
}
