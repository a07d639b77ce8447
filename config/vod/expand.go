package vod

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"xship/sources/link"
	"xship/sources/text"
)

const (
	// defaultChildren is how many children of a depot are tried where LoadOptions
	// do not say.
	defaultChildren = 3
	// maxDepots bounds the depots on the way to a config: a storeHouse, and a depot
	// that it lists.
	maxDepots = 2
)

// LoadOptions bound what Load does with a depot.
type LoadOptions struct {
	// Children is how many interfaces of depots are fetched at most; 0 = 3. Besides,
	// as many of them may turn out to be depots themselves.
	Children int
	// More is asked before each of them but the first. false ends the load with the
	// error of the last one. nil = always true.
	More func() bool
}

// loading is the state of one Load.
type loading struct {
	fetch   FetchFunc
	options LoadOptions
	fetched int             // interfaces of depots
	nested  int             // interfaces that were depots, and are not counted in fetched
	stopped bool            // no more of them may be fetched
	seen    map[string]bool // the addresses asked and those that answered, by AddressKey
}

// open reads the config at address, through the depots on the way to it.
func (l *loading) open(ctx context.Context, address string, depots int) (*Config, error) {
	l.seen[AddressKey(address)] = true
	doc, err := document(ctx, address, l.fetch)
	if err != nil {
		return nil, err
	}
	doc.URL = address
	l.seen[AddressKey(doc.FinalURL)] = true
	config, failure := l.config(ctx, doc, depots)
	if failure == nil {
		return config, nil
	}
	failed, ok := errors.AsType[*Error](failure)
	if !ok {
		return nil, failure
	}
	failed.URL = link.RedactInterface(address)
	failed.Detail = link.HideSecrets(doc.FinalURL, link.HideSecrets(address, failed.Detail))
	if isWeb(address) && AddressKey(doc.FinalURL) != AddressKey(address) {
		failed.FinalURL = text.Shorten(link.RedactInterface(doc.FinalURL), maxURLShown)
	}
	return nil, failed
}

// config decodes doc, and opens what it lists where it is a depot.
func (l *loading) config(ctx context.Context, doc Document, depots int) (*Config, error) {
	top, warnings, failed := parse(doc)
	if failed != nil {
		return nil, failed
	}
	if d := readDepot(doc, top); d.found {
		return l.expand(ctx, doc, d, depots+1)
	}
	config, failed := newConfig(doc, top, warnings)
	if failed != nil {
		return nil, failed
	}
	config.Documents = []Document{doc}
	return config, nil
}

// attempt is an interface of a depot that could not be used.
type attempt struct {
	link listed
	err  *Error
}

// expand opens what a depot lists, one after the other, until one can be used.
func (l *loading) expand(ctx context.Context, doc Document, d depot, depots int) (*Config, error) {
	if d.count == 0 || depots > maxDepots {
		return nil, d.refuse()
	}
	if depots > 1 && l.nested < l.options.Children {
		l.nested++
		l.fetched--
	}
	usable, refused := d.candidates()
	var attempts []attempt
	for i, link := range usable {
		if l.opened(link) {
			refused = append(refused, link.String()+": opened before")
			continue
		}
		if !l.next() {
			return nil, d.failure(attempts, refused, slices.DeleteFunc(usable[i:], l.opened))
		}
		config, err := l.open(ctx, link.address, depots)
		if err == nil {
			config.Documents = append([]Document{doc}, config.Documents...)
			if config.Depot == "" {
				config.Depot = doc.URL
			}
			return config, nil
		}
		failed, ok := errors.AsType[*Error](err)
		if !ok {
			return nil, err
		}
		attempts = append(attempts, attempt{link, failed})
		l.stopped = l.stopped || ctx.Err() != nil
	}
	return nil, d.failure(attempts, refused, nil)
}

// opened tells whether the link was opened in this load, be it in vain.
func (l *loading) opened(k listed) bool { return l.seen[AddressKey(k.address)] }

// next tells whether one more interface of a depot may be fetched, and counts it.
func (l *loading) next() bool {
	l.stopped = l.stopped || l.fetched >= l.options.Children || l.fetched+l.nested > 0 && !l.options.More()
	if !l.stopped {
		l.fetched++
	}
	return !l.stopped
}

// failure is the error of a depot of which no interface could be used: it has the
// cause of the last one that was tried.
func (d depot) failure(attempts []attempt, refused []string, left []listed) *Error {
	if len(attempts) == 0 {
		return d.untried(refused, left)
	}
	last := attempts[len(attempts)-1].err
	e := &Error{Cause: last.Cause, Line: last.Line, Column: last.Column, Status: last.Status, Hint: last.Hint, Err: last}
	var tried []string
	for _, a := range attempts {
		tried = append(tried, a.String())
	}
	e.Detail = strings.Join(tried, "; ")
	if len(attempts) == 1 {
		e.Detail = "its interface " + e.Detail
	} else {
		e.Detail = fmt.Sprintf("none of %d interfaces of the depot could be used: %s", len(attempts), e.Detail)
		e.Hint = "use another interface"
	}
	if len(left) > 0 {
		e.Hint = "add another one of its interfaces: " + showLinks(left)
	}
	return e
}

// untried is the error of a depot of which no interface was tried.
func (d depot) untried(refused []string, left []listed) *Error {
	if len(left) > 0 {
		e := d.refuse()
		e.Detail += ", and no more of them are tried"
		return e
	}
	shown := refused[:min(len(refused), maxShown)]
	detail := fmt.Sprintf("got a depot, a list of interfaces (%d), of which none can be opened: %s", d.count, strings.Join(shown, "; "))
	if len(refused) > maxShown {
		detail += "; …"
	}
	return &Error{Cause: CauseDepot, Detail: detail, Hint: "use another interface"}
}

func (a attempt) String() string {
	s := a.link.String()
	if a.err.FinalURL != "" {
		s += " (redirected to " + a.err.FinalURL + ")"
	}
	return s + ": " + a.err.Detail
}
