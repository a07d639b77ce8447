package api

import (
	"fmt"
	"time"

	"xship/cmd/engine"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// What a notification is about.
const (
	EventTitleReady        = "title_ready"
	EventAccountEnding     = "account_ending"
	EventInterfaceSwitched = "interface_switched"
	EventCycleFailed       = "cycle_failed"
)

// Notification is the JSON document that the program of setting notify.command is given. It
// holds no secret.
type Notification struct {
	Event     string             `json:"event"`
	At        int64              `json:"at"`
	Title     *NotifiedTitle     `json:"title,omitempty"`     // that is ready
	Account   *NotifiedAccount   `json:"account,omitempty"`   // that ends
	Interface *NotifiedInterface `json:"interface,omitempty"` // that is in use now
	Message   string             `json:"message"`             // all that in a line for people
}

// NotifiedTitle is a title that has a source which was proven to play.
type NotifiedTitle struct {
	Title
	Quality string `json:"quality"` // the best of those that were proven
}

// NotifiedAccount is an account that ends soon, or has ended.
type NotifiedAccount struct {
	User     int64  `json:"user"`
	Provider string `json:"provider"`
	EndsAt   int64  `json:"ends_at"`
}

// NotifiedInterface is an interface, with that in the place of which it is in use.
type NotifiedInterface struct {
	URL  string             `json:"url"`
	Name string             `json:"name"`
	From *NotifiedInterface `json:"from,omitempty"`
}

// NewTitleReady is the document of a title that is ready.
func NewTitleReady(e sources.TitleReady, at time.Time) Notification {
	n := Notification{
		Event: EventTitleReady, At: Unix(at), Title: &NotifiedTitle{Title: NewTitle(e.Title), Quality: string(e.Quality)},
		Message: text.Clean(e.Title.String()) + " is ready",
	}
	if e.Quality != sources.QualityUnknown {
		n.Message += " in " + string(e.Quality)
	}
	return n
}

// NewAccountEnding is the document of an account that ends soon, or has ended.
func NewAccountEnding(e sources.AccountEnding, at time.Time) Notification {
	return Notification{
		Event: EventAccountEnding, At: Unix(at), Account: &NotifiedAccount{User: e.User, Provider: e.Provider, EndsAt: Unix(e.EndsAt)},
		Message: fmt.Sprintf("the account of user %d at %s %s", e.User, sources.ProviderTitle(e.Provider), engine.EndText(e.EndsAt, at)),
	}
}

// NewInterfaceSwitched is the document of a load after which another interface is in use.
func NewInterfaceSwitched(e sources.InterfaceLoaded, at time.Time) Notification {
	in := notifiedInterface(e.Interface)
	in.From = notifiedInterface(e.Origin)
	return Notification{
		Event: EventInterfaceSwitched, At: Unix(at), Interface: in,
		Message: fmt.Sprintf("the interface %s could not be loaded, %s is in use now", e.Origin.Title(), e.Interface.Title()),
	}
}

func notifiedInterface(i sources.Interface) *NotifiedInterface {
	return &NotifiedInterface{URL: link.RedactInterface(i.URL), Name: i.ShownName()}
}

// NewCycleFailed is the document of a cycle that could not run, and why.
func NewCycleFailed(err error, at time.Time) Notification {
	return Notification{
		Event: EventCycleFailed, At: Unix(at),
		Message: "the precacher could not work: " + link.RedactText(text.Clean(FailureOf(err).Message)),
	}
}
