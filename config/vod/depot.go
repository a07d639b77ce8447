package vod

import (
	"fmt"
	"strings"
)

// maxShown is how many interfaces of a depot a message names.
const maxShown = 3

// depot is a config that lists interfaces instead of sites.
type depot struct {
	found    bool     // the config has such a list, be it empty
	hasSites bool     // the config lists sites too
	count    int      // of interfaces
	shown    []string // the first of them, for people
}

// readDepot looks for urls (several interfaces) and storeHouse (several such lists).
func readDepot(top object) depot {
	var d depot
	d.read(top.get("urls"), "url", "name")
	d.read(top.get("storeHouse"), "sourceUrl", "sourceName")
	for range items(top.get("sites")) {
		d.hasSites = true
		break
	}
	return d
}

func (d *depot) read(list []byte, urlField, nameField string) {
	d.found = d.found || !isNull(list)
	for raw := range items(list) {
		address, name := text(raw), ""
		if child := fields(raw); child != nil {
			address, name = text(child.get(urlField)), text(child.get(nameField))
		}
		if strings.TrimSpace(address) == "" {
			continue
		}
		if d.count++; d.count > maxShown {
			continue
		}
		line := shorten(redactURL(address), 200)
		if name = shorten(name, 40); name != "" {
			line += " (" + name + ")"
		}
		d.shown = append(d.shown, line)
	}
}

// refuse is the error of a depot, and nil for a config that is none: an empty
// list of interfaces beside sites does not make one.
func (d depot) refuse() *Error {
	switch {
	case d.count > 0:
		list := strings.Join(d.shown, ", ")
		if d.count > maxShown {
			list += ", …"
		}
		return &Error{
			Cause: CauseDepot, Detail: fmt.Sprintf("got a depot, a list of interfaces (%d), instead of a config with sites", d.count),
			Hint: "add one of its interfaces instead: " + list,
		}
	case d.found && !d.hasSites:
		return &Error{Cause: CauseDepot, Detail: "got a depot, a list of interfaces, that is empty", Hint: "use another interface"}
	default:
		return nil
	}
}
