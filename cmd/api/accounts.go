package api

import (
	"slices"
	"strings"
	"time"

	"xship/cmd/engine"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// Accounts is the JSON document of xship accounts list. No key is in it.
type Accounts struct {
	Accounts []Account `json:"accounts"`
}

// Account is an account as listed.
type Account struct {
	User     int64  `json:"user"`
	Provider string `json:"provider"`
	Origin   string `json:"origin"` // settings or accounts.json
	BaseURL  string `json:"base_url"`
	AccountRest
}

// AccountRest tells whether an account is asked for links now.
type AccountRest struct {
	State            string `json:"state"` // ok, refused, quota or cooling; of a check also expired or free
	Reason           string `json:"reason"`
	RemainingSeconds int64  `json:"remaining_seconds"` // until it is asked again, 0 = not known
	Lift             string `json:"lift,omitempty"`    // the command that has it asked again
}

// NewAccounts is the document of accounts.
func NewAccounts(all []engine.Account) Accounts {
	doc := Accounts{Accounts: make([]Account, 0, len(all))}
	for _, a := range all {
		doc.Accounts = append(doc.Accounts, Account{
			User: a.User, Provider: a.Provider, Origin: string(a.Origin), BaseURL: link.RedactInterface(a.BaseURL), AccountRest: newAccountRest(a.Rest, a.User, a.Provider),
		})
	}
	return doc
}

func newAccountRest(r engine.Rest, user int64, provider string) AccountRest {
	return AccountRest{
		State: string(r.State), Reason: text.Clean(r.Reason), RemainingSeconds: text.WholeSeconds(r.Remaining), Lift: r.State.Lift(user, provider),
	}
}

// AccountsCheck is the JSON document of xship accounts check.
type AccountsCheck struct {
	Accounts []AccountCheck `json:"accounts"`
}

// AccountCheck tells how asking about an account went.
type AccountCheck struct {
	User         int64    `json:"user"`
	Provider     string   `json:"provider"`
	OK           bool     `json:"ok"`
	Login        string   `json:"login"` // masked
	Plan         string   `json:"plan"`
	Premium      bool     `json:"premium"`
	PremiumUntil int64    `json:"premium_until"` // Unix seconds, 0 = not known or endless
	Notes        []string `json:"notes"`
	Class        string   `json:"class"` // of the error
	Error        string   `json:"error"`
	Elapsed      int64    `json:"elapsed_ms"`
	AccountRest
}

// NewAccountCheck is the document of a check.
func NewAccountCheck(c engine.AccountCheck) AccountCheck {
	doc := AccountCheck{
		User: c.User, Provider: c.Provider, OK: c.Err == nil,
		Login: text.Clean(c.Info.Login), Plan: text.Clean(c.Info.Plan), Premium: c.Info.Premium, PremiumUntil: Unix(c.Info.PremiumUntil),
		Notes: make([]string, 0, len(c.Info.Notes)), Elapsed: c.Elapsed.Milliseconds(), AccountRest: newAccountRest(c.Rest, c.User, c.Provider),
	}
	for _, note := range c.Info.Notes {
		doc.Notes = append(doc.Notes, text.Clean(note))
	}
	if c.Err != nil {
		doc.Class, doc.Error = string(sources.ClassOf(c.Err)), text.Clean(c.Err.Error())
	}
	return doc
}

// Summary is a check that went well, for people.
func (c AccountCheck) Summary() string {
	parts := []string{c.Login, c.Plan}
	switch {
	case c.State == string(engine.RestExpired):
		parts = append(parts, "premium until "+DayOf(c.PremiumUntil)+", which is over")
	case c.PremiumUntil != 0:
		parts = append(parts, "premium until "+DayOf(c.PremiumUntil))
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// DayOf is the day of Unix seconds, "" for 0.
func DayOf(at int64) string {
	if at == 0 {
		return ""
	}
	return time.Unix(at, 0).UTC().Format(time.DateOnly)
}

// AccountAdded is the JSON document of xship accounts add.
type AccountAdded struct {
	AccountCheck
	Origin   string `json:"origin"`
	Replaced bool   `json:"replaced"` // an account that was added before
	Checked  bool   `json:"checked"`
}

// AccountRemoved is the JSON document of xship accounts remove.
type AccountRemoved struct {
	User     int64  `json:"user"`
	Provider string `json:"provider"`
	Removed  bool   `json:"removed"`
}

// Cooldowns is the JSON document of xship cooldowns list.
type Cooldowns struct {
	Cooldowns []Cooldown   `json:"cooldowns"`
	Hosters   []HosterRest `json:"hosters"`
}

// Cooldown is a provider that is not called now.
type Cooldown struct {
	User             int64  `json:"user"`
	Provider         string `json:"provider"`
	RemainingSeconds int64  `json:"remaining_seconds"`
	Reason           string `json:"reason"`
}

// HosterRest is a hoster that a provider cannot serve now.
type HosterRest struct {
	User             int64  `json:"user"` // 0 = all
	Provider         string `json:"provider"`
	Hoster           string `json:"hoster"`
	RemainingSeconds int64  `json:"remaining_seconds"`
	Reason           string `json:"reason"`
}

// NewCooldowns is the document of what cools down and rests.
func NewCooldowns(running []sources.CooldownEntry, resting []sources.ProviderHosterRest) Cooldowns {
	doc := Cooldowns{Cooldowns: make([]Cooldown, 0, len(running)), Hosters: make([]HosterRest, 0, len(resting))}
	for _, c := range running {
		doc.Cooldowns = append(doc.Cooldowns, Cooldown{
			User: c.User, Provider: text.Clean(c.Provider), RemainingSeconds: text.WholeSeconds(c.Remaining), Reason: text.Clean(c.Reason),
		})
	}
	for _, h := range resting {
		doc.Hosters = append(doc.Hosters, HosterRest{
			User: h.User, Provider: text.Clean(h.Provider), Hoster: text.Clean(h.Hoster),
			RemainingSeconds: text.WholeSeconds(h.Remaining), Reason: text.Clean(h.Reason),
		})
	}
	return doc
}

// CooldownsCleared is the JSON document of xship cooldowns clear.
type CooldownsCleared struct {
	Cleared  int `json:"cleared"`  // cooldowns
	Hosters  int `json:"hosters"`  // that a provider could not serve
	Accounts int `json:"accounts"` // that were refused, or had used up their quota
}
