package vod

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"
)

// MaxBody is the largest config that is read, in bytes.
const MaxBody = 8 << 20

// maxSites bounds the sites that one config may bring.
const maxSites = 10_000

// Document is a config as it was fetched.
type Document struct {
	Body        []byte
	FinalURL    string // after redirects; relative addresses are resolved against it
	ContentType string // as the server named it, may be ""
}

// Config is a decoded interface config.
type Config struct {
	URL      string // where it came from: Document.FinalURL
	Sites    []Site // in the order of the config, keys unique
	Listed   int    // sites that the config lists, those left out included
	Warnings []Warning
}

// Site is one site of a config.
type Site struct {
	Key        string
	Name       string            // Key where the config has none
	Type       string            // "0" (also where there is none), "1", "3", "4", or another number
	API        string            // absolute, or the class name or script of a spider (type 3)
	Ext        string            // verbatim; an object or array as JSON text
	Headers    map[string]string // for requests to API
	Timeout    time.Duration     // 0 = no word
	Searchable bool              // true unless the config turns it off
	Categories []string
	PlayURL    string
}

// Decode reads an interface config. It is an *Error where the body is none, is
// refused by its own msg, is a depot or brings no site; these are judged in this
// order. A site that cannot be understood is left out with a warning; a config
// whose sites are all of unsupported types is a good one.
func Decode(doc Document) (*Config, error) {
	config, err := decode(doc)
	if err != nil {
		err.URL = redactURL(doc.FinalURL)
		return nil, err
	}
	return config, nil
}

func decode(doc Document) (*Config, *Error) {
	if len(doc.Body) > MaxBody {
		return nil, tooLarge()
	}
	if f := recognise(doc); f != nil {
		return nil, &Error{Cause: f.cause, Detail: f.detail, Hint: f.hint}
	}
	strict, warnings, err := Strict(doc.Body)
	if err != nil {
		return nil, syntaxError(err)
	}
	top := fields(strict)
	if msg := shorten(text(top.get("msg")), 200); msg != "" {
		return nil, &Error{
			Cause: CauseMsg, Detail: fmt.Sprintf("the config refuses service: %q", msg),
			Hint: "ask its maintainer, or use another interface",
		}
	}
	if err := readDepot(top).refuse(); err != nil {
		return nil, err
	}
	config := &Config{URL: doc.FinalURL, Warnings: warnings}
	config.addSites(top.get("sites"))
	if len(config.Sites) == 0 {
		return nil, noSites(top, config)
	}
	return config, nil
}

func tooLarge() *Error {
	return &Error{
		Cause: CauseTooLarge, Detail: fmt.Sprintf("got more than %d MiB", MaxBody>>20),
		Hint: "check that the address is that of a config",
	}
}

func syntaxError(err error) *Error {
	e := &Error{Cause: CauseSyntax, Detail: "got broken JSON: " + err.Error(), Hint: "tell its maintainer, or use another interface", Err: err}
	if syntax, ok := errors.AsType[*SyntaxError](err); ok {
		e.Line, e.Column = syntax.Line, syntax.Column
	}
	return e
}

// noSites explains a config without a usable site.
func noSites(top object, config *Config) *Error {
	e := &Error{Cause: CauseNoSites, Hint: "check the address, or use another interface"}
	listed := top.get("sites") != nil
	switch {
	case config.Listed > 0:
		why := config.Warnings[slices.IndexFunc(config.Warnings, func(w Warning) bool { return w.Index > 0 })]
		e.Detail = fmt.Sprintf("none of the %d sites of the config can be understood: %s", config.Listed, why)
	case listed:
		e.Detail = "the list of sites of the config is empty"
	case top.get("lives") != nil:
		e.Detail = "the config has live channels only, and no sites"
		e.Hint = liveList().hint
	case top.get("list") != nil:
		e.Detail = "got the answer of a single site instead of a config with sites"
		e.Hint = hintNotConfig
	default:
		e.Detail = "got JSON without a list of sites"
		e.Hint = hintNotConfig
	}
	return e
}

// addSites decodes the sites of a config.
func (c *Config) addSites(raw []byte) {
	base, _ := url.Parse(c.URL)
	seen := make(map[string]bool)
	for raw := range items(raw) {
		if c.Listed++; c.Listed > maxSites {
			continue
		}
		d := siteDecoder{base: base, warning: Warning{Index: c.Listed}}
		site, err := d.decode(raw)
		if err == nil && seen[site.Key] {
			err = errors.New("left out: an earlier site has the same key")
		}
		for _, note := range d.notes {
			c.warn(d.warning, note)
		}
		if err != nil {
			c.warn(d.warning, err.Error())
			continue
		}
		seen[site.Key] = true
		c.Sites = append(c.Sites, site)
	}
	if c.Listed > maxSites {
		c.warn(Warning{}, fmt.Sprintf("only the first %d of %d sites are used", maxSites, c.Listed))
	}
}

func (c *Config) warn(w Warning, reason string) {
	w.Reason = reason
	c.Warnings = append(c.Warnings, w)
}
