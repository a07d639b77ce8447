package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode"

	"xship/sources/link"
)

// LoginKind is how a server wants to be told who asks.
type LoginKind string

// The kinds of logins.
const (
	LoginBasic    LoginKind = "basic" // a name and a password, as HTTP has it
	LoginJellyfin LoginKind = "jellyfin"
	LoginEmby     LoginKind = "emby"
)

// Login is what the server at an origin wants, and nobody else may see. Printed, logged
// or written as JSON it shows no secret.
type Login struct {
	Origin   string    `json:"origin"` // as link.Origin has it
	Kind     LoginKind `json:"kind"`
	Name     string    `json:"name"` // of the user, "" where a key was given
	Password string    `json:"-"`    // of LoginBasic
	Token    string    `json:"-"`    // of the other kinds: an API key, or what a login gave
}

// String is the login, its secret masked.
func (l Login) String() string {
	return fmt.Sprintf("{origin: %s, kind: %s, secret: %s}", l.Origin, l.Kind, Masked)
}

// GoString implements fmt.GoStringer.
func (l Login) GoString() string { return l.String() }

// LogValue implements slog.LogValuer.
func (l Login) LogValue() slog.Value { return slog.StringValue(l.String()) }

// LoginsFile is the file of the logins of servers, one for each origin, for its owner
// only. It is safe for concurrent use, by several processes too. What it holds beside the
// logins that this program understands stays as it is.
type LoginsFile struct{ entriesFile }

// NewLoginsFile names a logins file; it need not exist.
func NewLoginsFile(path string) *LoginsFile {
	return &LoginsFile{entriesFile{path: path, what: "logins"}}
}

// StoredLogin is a login with its secret, for files that hold it.
type StoredLogin struct {
	Origin   string    `json:"origin"`
	Kind     LoginKind `json:"kind"`
	Name     string    `json:"name,omitempty"`
	Password string    `json:"password,omitempty"`
	Token    string    `json:"token,omitempty"`
}

// String is the login, its secret masked.
func (l StoredLogin) String() string { return Login(l).String() }

// GoString implements fmt.GoStringer.
func (l StoredLogin) GoString() string { return l.String() }

// LogValue implements slog.LogValuer.
func (l StoredLogin) LogValue() slog.Value { return slog.StringValue(l.String()) }

// Read gives the logins of the file. Those that cannot be used are left out with a
// warning; a file that others can read is another one.
func (f *LoginsFile) Read() (logins []Login, warnings []string, err error) {
	doc, err := f.read()
	if err != nil {
		return nil, nil, err
	}
	if othersRead(doc.mode) {
		warnings = append(warnings, readByOthers(f.path, doc.mode))
	}
	for i, raw := range doc.entries {
		login, problem := parseLogin(raw)
		if problem == "" && slices.ContainsFunc(logins, login.sameAs) {
			problem = "there is a login for " + login.Origin + " already"
		}
		if problem != "" {
			warnings = append(warnings, fmt.Sprintf("login %d of %s is left out: %s", i+1, f.path, problem))
			continue
		}
		logins = append(logins, login)
	}
	return logins, warnings, nil
}

// Put stores logins, each in place of the one for its origin, all or none.
func (f *LoginsFile) Put(logins ...Login) error {
	raws := make([]json.RawMessage, len(logins))
	for i, l := range logins {
		if err := l.Validate(); err != nil {
			return fmt.Errorf("store login: %w", err)
		}
		raw, err := json.Marshal(StoredLogin(l))
		if err != nil {
			return fmt.Errorf("store login: %w", err)
		}
		raws[i] = raw
	}
	return f.change(func(doc *entriesDoc) {
		for i, l := range logins {
			doc.put(raws[i], isLogin(l.Origin))
		}
	})
}

// Remove takes the login for an origin out, and tells whether it was there.
func (f *LoginsFile) Remove(origin string) (removed bool, err error) {
	err = f.change(func(doc *entriesDoc) {
		before := len(doc.entries)
		doc.entries = slices.DeleteFunc(doc.entries, isLogin(origin))
		removed = len(doc.entries) < before
	})
	return removed && err == nil, err
}

// isLogin finds the entries for one origin.
func isLogin(origin string) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool {
		var stored StoredLogin
		return json.Unmarshal(raw, &stored) == nil && link.OriginOf(stored.Origin) == origin
	}
}

// parseLogin reads one entry, and tells what is wrong with it.
func parseLogin(raw json.RawMessage) (login Login, problem string) {
	var stored StoredLogin
	if json.Unmarshal(raw, &stored) != nil {
		return login, "it is none that this program understands"
	}
	login = Login(stored)
	if origin := link.OriginOf(login.Origin); origin != "" { // somebody may have written it by hand
		login.Origin = origin
	}
	if err := login.Validate(); err != nil {
		return login, err.Error()
	}
	return login, ""
}

func (l Login) sameAs(other Login) bool { return l.Origin == other.Origin }

// Validate tells what keeps a login from being used, without what it holds.
func (l Login) Validate() error {
	var problems []string
	if l.Origin == "" || link.OriginOf(l.Origin) != l.Origin {
		problems = append(problems, "origin must be scheme, host and port of a web address")
	}
	switch l.Kind {
	case LoginBasic:
		if l.Token != "" {
			problems = append(problems, "a login of kind basic has a name and a password, no token")
		}
		if strings.Contains(l.Name, ":") {
			problems = append(problems, "name must not hold a colon: where it ends could not be told")
		}
		if l.Name == "" && l.Password == "" {
			problems = append(problems, "name and password are missing")
		}
	case LoginJellyfin, LoginEmby:
		switch {
		case l.Password != "":
			problems = append(problems, "a login of kind "+string(l.Kind)+" has a token, no password")
		case l.Token == "":
			problems = append(problems, "token is missing")
		case strings.ContainsFunc(l.Token, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '\\' }):
			problems = append(problems, "token must be one word")
		}
	default:
		problems = append(problems, "kind must be one of basic, jellyfin, emby")
	}
	if strings.ContainsFunc(l.Name+l.Password, unicode.IsControl) {
		problems = append(problems, "name and password must be one line")
	}
	if len(problems) > 0 {
		return errors.New(strings.Join(problems, "; "))
	}
	return nil
}
