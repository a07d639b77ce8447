package api

import (
	"xship/cmd/engine"
	"xship/cmd/engine/loader"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// Interfaces is the JSON document of xship interfaces list.
type Interfaces struct {
	Mode       string      `json:"mode"`
	Current    string      `json:"current"`
	Interfaces []Interface `json:"interfaces"`
}

// Interface is an interface as listed.
type Interface struct {
	URL          string `json:"url"`
	Name         string `json:"name"`
	Position     int    `json:"position"`
	LastLoadedAt int64  `json:"last_loaded_at"` // Unix seconds, 0 = never
	LastError    string `json:"last_error"`
	Kind         string `json:"kind"` // what it was recognised as, "" where it never could be loaded
}

// NewInterfaces is the document of the interfaces, in their order, of the kinds that are
// known of them by URL.
func NewInterfaces(mode string, all []sources.Interface, current sources.Interface, kinds map[string]loader.Kind, shown ShownURLs) Interfaces {
	doc := Interfaces{Mode: mode, Current: shown.Interface(current.URL)}
	for i, r := range all {
		doc.Interfaces = append(doc.Interfaces, Interface{
			URL: shown.Interface(r.URL), Name: r.ShownName(), Position: i + 1, LastLoadedAt: Unix(r.LastLoadedAt), LastError: text.Clean(r.LastError),
			Kind: string(kinds[r.URL]),
		})
	}
	return doc
}

// InterfaceAdded is the JSON document of xship interfaces add.
type InterfaceAdded struct {
	URL   string `json:"url"`
	Name  string `json:"name"`
	Added bool   `json:"added"` // false: it was in the list already
	InUse bool   `json:"in_use"`
	Sites int    `json:"sites"` // 0 where it could not be loaded
	Error string `json:"error"` // why not, else ""

	Kind    string `json:"kind"`            // what it was recognised as, "" where it could not be loaded
	Usable  int    `json:"usable"`          // of the sites, that xship can ask
	Indexed int    `json:"indexed"`         // files of its folders and servers that are indexed
	Login   string `json:"login,omitempty"` // the server, as scheme, host and port, for which one was stored
}

// InterfaceGroup is the JSON document of xship interfaces group.
type InterfaceGroup struct {
	URL     string        `json:"url"` // of the file that the group is
	Name    string        `json:"name"`
	Added   bool          `json:"added"` // false: a group of that name was there, and has these members now
	InUse   bool          `json:"in_use"`
	Members []GroupMember `json:"members"`
	Indexed int           `json:"indexed"` // files of its folders and servers that are indexed

	LoginsRemoved []string `json:"logins_removed,omitempty"` // as in InterfaceInUse, of members that it had
}

// GroupMember is a member of a group of interfaces.
type GroupMember struct {
	Key  string `json:"key"`
	Type string `json:"type"` // stremio, folder, webdav, httpindex, jellyfin or emby
	URL  string `json:"url"`  // or the path of a folder
}

// NewInterfaceGroup is the document of a group.
func NewInterfaceGroup(g engine.GroupedInterfaces) InterfaceGroup {
	doc := InterfaceGroup{
		URL: link.RedactInterface(g.Interface.URL), Name: g.Interface.ShownName(), Added: g.Added, InUse: g.Current.URL == g.Interface.URL, Members: []GroupMember{},
		LoginsRemoved: g.Logins,
	}
	for _, m := range g.Members {
		doc.Members = append(doc.Members, GroupMember{Key: m.Key, Type: m.Type, URL: link.RedactInterface(m.API)})
	}
	return doc
}

// InterfaceInUse is the JSON document of the commands that change which interface is
// in use.
type InterfaceInUse struct {
	Current string `json:"current"`
	Removed string `json:"removed,omitempty"`

	LoginsRemoved []string `json:"logins_removed,omitempty"` // the servers, as scheme, host and port, whose logins went with it
}

// InterfacesMode is the JSON document of xship interfaces mode.
type InterfacesMode struct {
	Mode string `json:"mode"`
}

// InterfacesCheck is the JSON document of xship interfaces check.
type InterfacesCheck struct {
	Interfaces []InterfaceCheck `json:"interfaces"`
}

// InterfaceCheck tells how loading an interface went.
type InterfaceCheck struct {
	URL      string         `json:"url"`
	Name     string         `json:"name"`
	Kind     string         `json:"kind"` // what it was recognised as, "" where it failed
	OK       bool           `json:"ok"`
	Sites    int            `json:"sites"`
	Usable   int            `json:"usable"` // of these, that xship can ask
	Types    map[string]int `json:"types"`  // sites by type
	Depot    string         `json:"depot"`  // where the interface lists others: the one that was loaded, else ""
	Warnings []string       `json:"warnings"`
	Cause    string         `json:"cause"` // why it failed, in a word, else ""
	Error    string         `json:"error"`
	Elapsed  int64          `json:"elapsed_ms"`
}

// NewInterfaceCheck is the document of a check.
func NewInterfaceCheck(c engine.InterfaceCheck) InterfaceCheck {
	doc := InterfaceCheck{
		URL: link.RedactInterface(c.Interface.URL), Name: c.Interface.ShownName(), Types: map[string]int{}, Warnings: []string{},
		Elapsed: c.Elapsed.Milliseconds(),
	}
	if c.Err != nil {
		cause, detail := c.Failure()
		doc.Cause, doc.Error = cause, text.Clean(detail)
		return doc
	}
	content := c.Result.Content
	doc.Kind = string(content.Kind)
	doc.OK, doc.Sites, doc.Usable, doc.Types = true, len(content.Sites), content.Usable, content.Types
	if content.Depot != "" {
		doc.Depot = link.RedactInterface(content.Depot)
	}
	for _, w := range content.Warnings {
		doc.Warnings = append(doc.Warnings, text.Clean(w))
	}
	return doc
}
