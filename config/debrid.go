package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Masked stands in for a secret where settings are shown.
const Masked = "REDACTED"

// DebridAccount is a user's account at a debrid provider. Printed, logged or
// written as JSON it shows no secret.
type DebridAccount struct {
	User     int64  `json:"user"` // from 1
	Provider string `json:"provider"`
	APIKey   string `json:"-"`
	Refresh  string `json:"-"` // what renews APIKey where a login gave it; not a setting
	BaseURL  string `json:"base_url"`
}

// String is the account as a user would write it, its key masked.
func (a DebridAccount) String() string {
	text := fmt.Sprintf("{user: %d, provider: %s, api_key: %s", a.User, a.Provider, Masked)
	if a.BaseURL != "" {
		text += ", base_url: " + a.BaseURL
	}
	return text + "}"
}

// GoString implements fmt.GoStringer.
func (a DebridAccount) GoString() string { return a.String() }

// DebridProviders lists the providers that an account can be at.
func DebridProviders() []string {
	return []string{"real_debrid", "all_debrid", "premiumize", "torbox", "debrid_link"}
}

// DebridProviderNamed finds a provider by its name, also as people write it:
// "Real-Debrid".
func DebridProviderNamed(name string) (provider string, ok bool) {
	bare := func(s string) string {
		return strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(s))
	}
	names := DebridProviders()
	i := slices.IndexFunc(names, func(known string) bool { return bare(known) == bare(name) })
	if i < 0 {
		return "", false
	}
	return names[i], true
}

// accountFields are those of an account in the settings.
func accountFields() []string { return []string{"user", "provider", "api_key", "base_url"} }

// problems lists what keeps an account from being used, without what it holds.
func (a DebridAccount) problems() []string {
	var out []string
	if a.User < 1 {
		out = append(out, "user must be a whole number from 1")
	}
	if !slices.Contains(DebridProviders(), a.Provider) {
		out = append(out, "provider must be one of "+strings.Join(DebridProviders(), ", "))
	}
	switch {
	case a.APIKey == "":
		out = append(out, "api_key is missing")
	case strings.ContainsFunc(a.APIKey, func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) }):
		out = append(out, "api_key must be one word")
	}
	if strings.ContainsFunc(a.Refresh, unicode.IsControl) {
		out = append(out, "refresh must be one line")
	}
	if a.BaseURL != "" && !PlainURL(a.BaseURL) {
		out = append(out, "base_url must be an http or https URL without user, query and fragment")
	}
	return out
}

// sameAs tells whether both are the account of one user at one provider.
func (a DebridAccount) sameAs(b DebridAccount) bool {
	return a.User == b.User && a.Provider == b.Provider
}

// PlainURL tells whether text is an absolute HTTP URL that can hold no secret.
func PlainURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil && !strings.ContainsAny(text, "?#")
}

// MergeAccounts joins the accounts of the settings with those of an AccountsFile.
// Where both have one of a user at a provider, that of the settings counts.
func MergeAccounts(settings, file []DebridAccount) []DebridAccount {
	merged := slices.Clone(settings)
	for _, a := range file {
		if !slices.ContainsFunc(merged, a.sameAs) {
			merged = append(merged, a)
		}
	}
	return merged
}

// debridAccounts accepts a list of accounts, also as JSON text. A missing user is
// user 1. No error holds a value of an account.
func debridAccounts(raw any) (any, error) {
	items, err := accountItems(raw)
	if err != nil {
		return nil, err
	}
	accounts := make([]DebridAccount, 0, len(items))
	var problems []string
	for i, item := range items {
		account, wrong := debridAccount(item)
		if len(wrong) == 0 && slices.ContainsFunc(accounts, account.sameAs) {
			wrong = append(wrong, fmt.Sprintf("user %d has an account at %s already", account.User, account.Provider))
		}
		for _, w := range wrong {
			problems = append(problems, fmt.Sprintf("account %d: %s", i+1, w))
		}
		accounts = append(accounts, account)
	}
	if len(problems) > 0 {
		return nil, errors.New(strings.Join(problems, "; "))
	}
	return accounts, nil
}

// accountItems gives the items of a list, or of JSON text.
func accountItems(raw any) ([]any, error) {
	const use = "use a list of {user: 1, provider: real_debrid, api_key: ...}"
	switch raw := raw.(type) {
	case []any:
		return raw, nil
	case string:
		if strings.TrimSpace(raw) == "" {
			return nil, nil
		}
		var items []any
		d := json.NewDecoder(strings.NewReader(raw))
		d.UseNumber()
		if err := d.Decode(&items); err != nil {
			return nil, errors.New(use + `, as JSON such as [{"user": 1, "provider": "real_debrid", "api_key": "..."}]`)
		}
		if _, err := d.Token(); !errors.Is(err, io.EOF) {
			return nil, errors.New("there is more text behind the JSON list")
		}
		return items, nil
	default:
		return nil, errors.New(use)
	}
}

// debridAccount reads one account, and tells what is wrong with it.
func debridAccount(item any) (account DebridAccount, problems []string) {
	fields, ok := item.(map[string]any)
	if !ok {
		return account, []string{"use {user: 1, provider: real_debrid, api_key: ...}"}
	}
	account.User = 1
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if err := account.setField(name, fields[name]); err != nil {
			problems = append(problems, err.Error())
		}
	}
	if len(problems) > 0 {
		return account, problems
	}
	return account, account.problems()
}

// setField takes over a field as it is given. One without a value is not set.
func (a *DebridAccount) setField(name string, value any) (err error) {
	switch strings.ToLower(name) {
	case "user":
		a.User, err = fieldNumber(name, value, a.User)
	case "provider":
		a.Provider, err = fieldText(name, value)
		if known, ok := DebridProviderNamed(a.Provider); ok {
			a.Provider = known
		}
	case "api_key":
		a.APIKey, err = fieldText(name, value)
	case "base_url":
		a.BaseURL, err = fieldText(name, value)
	default:
		err = fmt.Errorf("unknown field %q%s", name, didYouMean(name, accountFields(), "use "+strings.Join(accountFields(), ", ")))
	}
	return err
}

// fieldText is the text of a field. A key that YAML takes for a number may have
// lost digits.
func fieldText(name string, value any) (string, error) {
	text, ok := value.(string)
	if !ok && value != nil {
		return "", fmt.Errorf("%s must be text; put it in quotes", name)
	}
	return strings.TrimSpace(text), nil
}

func fieldNumber(name string, value any, otherwise int64) (int64, error) {
	if value == nil {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(fmt.Sprint(value)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s must be a whole number", name)
	}
	return n, nil
}

// maskedAccounts shows accounts without their keys.
func maskedAccounts(value any) string {
	accounts, _ := value.([]DebridAccount)
	shown := make([]string, len(accounts))
	for i, a := range accounts {
		shown[i] = a.String()
	}
	return strings.Join(shown, ", ")
}
