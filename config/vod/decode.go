package vod

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"xship/sources/link"
	"xship/sources/text"
)

// MaxBody is the largest config that is read, in bytes.
const MaxBody = 8 << 20

// maxSites bounds the sites that one config may bring.
const maxSites = 10_000

// usualSite is the size of a site in a config, in bytes, for reserving memory.
const usualSite = 200

// Document is a config as it was fetched.
type Document struct {
	Body         []byte
	URL          string // as it was asked for; "" = FinalURL
	FinalURL     string // after redirects; relative addresses are resolved against it
	ContentType  string // as the server named it, may be ""
	ETag         string // as the server named it, may be ""
	LastModified string // as the server named it, may be ""
}

// Config is a decoded interface config.
type Config struct {
	URL      string // where it came from: Document.FinalURL
	Sites    []Site // in the order of the config, keys unique
	Listed   int    // sites that the config lists, those left out included
	Warnings []Warning

	// Set by Load alone:
	Documents []Document // read on the way to the sites, a depot before what it lists
	Depot     string     // URL of the depot that lists this config, as it was asked for; "" = none
}

// Count gives the number of sites of each type.
func (c *Config) Count() map[string]int {
	count := make(map[string]int)
	for _, s := range c.Sites {
		count[s.Type]++
	}
	return count
}

// Usable is the number of sites that can be asked: those that are supported and
// searchable.
func (c *Config) Usable() int {
	n := 0
	for i := range c.Sites {
		if c.Sites[i].askable() {
			n++
		}
	}
	return n
}

// Site is one site of a config.
type Site struct {
	Key        string
	Name       string            // Key where the config has none
	Type       string            // "0" (also where there is none), "1", "3", "4", another number, or a word such as "stremio"
	API        string            // absolute, its host in ASCII; or the class name or script of a spider (type 3); or the path of a folder
	Ext        string            // verbatim, absolute where it started relative; an object or array as JSON text
	Headers    map[string]string // for requests to API
	Timeout    time.Duration     // 0 = no word
	Searchable bool              // true unless the config turns it off
	Categories []string
	PlayURL    string
	// Unsupported is why the site cannot be asked, "" where it can: it needs foreign
	// code, its type is not known, or it lies where only the app itself can read.
	Unsupported string
}

// askable tells whether the site can be asked for a title.
func (s *Site) askable() bool { return s.Unsupported == "" && s.Searchable }

// parse reads the object that a body is, after taking it out of what it is
// encoded in, and obeys its msg.
func parse(doc Document) (object, []Warning, *Error) {
	if len(doc.Body) > MaxBody {
		return nil, nil, tooLarge()
	}
	body, inside, err := unpack(doc)
	if err != nil {
		return nil, nil, err
	}
	strict, warnings, failed := Strict(body)
	if failed != nil {
		return nil, nil, syntaxError(inside, failed)
	}
	top := fields(strict)
	if msg := excerpt(textOf(top.get("msg")), 200); msg != "" && msg != "0" && msg != "false" {
		return nil, nil, &Error{
			Cause: CauseMsg, Detail: "the config refuses service: " + text.Quote(msg),
			Hint: "ask its maintainer, or use another interface",
		}
	}
	return top, warnings, nil
}

// unpack gives the body that starts like a JSON object, and says what it was in.
func unpack(doc Document) (body []byte, inside string, err *Error) {
	body, contentType := doc.Body, doc.ContentType
	for shells := 0; ; shells++ {
		var f *finding
		body, f = recognise(body, contentType)
		switch {
		case f == nil:
			return body, inside, nil
		case f.text == nil:
			return nil, "", &Error{Cause: f.cause, Detail: inside + f.detail, Hint: f.hint}
		case shells == maxShells:
			return nil, "", &Error{
				Cause: CauseEncoded, Detail: fmt.Sprintf("got a config that is encoded more than %d times", maxShells), Hint: hintEncoded,
			}
		}
		inside += "inside " + f.shell + ": "
		body, contentType = f.text, "" // which told of the shell
	}
}

func newConfig(doc Document, top object, warnings []Warning) (*Config, *Error) {
	config := &Config{URL: doc.FinalURL, Warnings: warnings}
	config.addSites(top.get("sites"))
	if len(config.Sites) == 0 {
		return nil, noSites(top, config)
	}
	if config.Usable() == 0 {
		config.warn(Warning{}, fmt.Sprintf("0 of %d sites can be asked; use another interface", len(config.Sites)))
	}
	return config, nil
}

func tooLarge() *Error {
	return &Error{
		Cause: CauseTooLarge, Detail: fmt.Sprintf("got more than %d MiB", MaxBody>>20),
		Hint: "check that the address is that of a config",
	}
}

func syntaxError(inside string, err error) *Error {
	e := &Error{Cause: CauseSyntax, Detail: inside + "got broken JSON: " + err.Error(), Hint: "tell its maintainer, or use another interface", Err: err}
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
		e.Hint = hintLive
	case top.get("list") != nil:
		e.Detail = "got the answer of a single site instead of a config with sites"
		e.Hint = hintNotConfig
	default:
		e.Detail = "got JSON without a list of sites"
		e.Hint = hintNotConfig
	}
	return e
}

// addSites decodes the sites of a config. Of those with the same key the first one that
// can be asked counts, the first one where none can.
func (c *Config) addSites(raw []byte) {
	d := siteDecoder{}
	d.base, _ = url.Parse(asciiHost(c.URL))
	seen := make(map[string]int) // the index in Sites by the key
	c.Sites = make([]Site, 0, min(len(raw)/usualSite+1, maxSites))
	for raw := range items(raw) {
		if c.Listed++; c.Listed > maxSites {
			continue
		}
		d.warning, d.notes = Warning{Index: c.Listed}, nil
		site, err := d.decode(raw)
		at, isDuplicate := seen[site.Key]
		if err == nil && isDuplicate {
			if site.askable() && !c.Sites[at].askable() {
				c.Sites[at] = site
				err = errors.New("taken for an earlier site of the same key, which cannot be asked")
			} else {
				err = errors.New("left out: an earlier site has the same key")
			}
		}
		for _, note := range d.notes {
			c.warn(d.warning, note)
		}
		if err != nil {
			c.warn(d.warning, err.Error())
			continue
		}
		seen[site.Key] = len(c.Sites)
		c.Sites = append(c.Sites, site)
	}
	if c.Listed > maxSites {
		c.warn(Warning{}, fmt.Sprintf("only the first %d of %d sites are used", maxSites, c.Listed))
	}
}

func (c *Config) warn(w Warning, reason string) {
	w.Reason = link.RedactInterfaceText(reason)
	c.Warnings = append(c.Warnings, w)
}
