package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// AccountsFile is the file of the debrid accounts that the program itself added,
// for its owner only. It is safe for concurrent use, by several processes too.
// What it holds beside the accounts that this program understands stays as it is.
type AccountsFile struct{ entriesFile }

// NewAccountsFile names an accounts file; it need not exist.
func NewAccountsFile(path string) *AccountsFile {
	return &AccountsFile{entriesFile{path: path, what: "accounts"}}
}

// storedAccount is an account as the file holds it.
type storedAccount struct {
	User     int64  `json:"user"`
	Provider string `json:"provider"`
	APIKey   string `json:"api_key"`
	Refresh  string `json:"refresh,omitempty"`
	BaseURL  string `json:"base_url,omitempty"`
}

// Read gives the accounts of the file. Those that cannot be used are left out with
// a warning; a file that others can read is another one.
func (f *AccountsFile) Read() (accounts []DebridAccount, warnings []string, err error) {
	doc, err := f.read()
	if err != nil {
		return nil, nil, err
	}
	if othersRead(doc.mode) {
		warnings = append(warnings, readByOthers(f.path, doc.mode))
	}
	for i, raw := range doc.entries {
		account, problem := parseAccount(raw)
		if problem == "" && slices.ContainsFunc(accounts, account.sameAs) {
			problem = fmt.Sprintf("user %d has an account at %s already", account.User, account.Provider)
		}
		if problem != "" {
			warnings = append(warnings, fmt.Sprintf("account %d of %s is left out: %s", i+1, f.path, problem))
			continue
		}
		accounts = append(accounts, account)
	}
	return accounts, warnings, nil
}

// Put stores an account, in place of the user's one at that provider.
func (f *AccountsFile) Put(a DebridAccount) error {
	if problems := a.problems(); len(problems) > 0 {
		return fmt.Errorf("store account: %s", strings.Join(problems, "; "))
	}
	raw, err := json.Marshal(storedAccount(a))
	if err != nil {
		return fmt.Errorf("store account: %w", err)
	}
	return f.change(func(doc *entriesDoc) { doc.put(raw, isAccount(a)) })
}

// Remove takes a user's account at a provider out, and tells whether it was there.
func (f *AccountsFile) Remove(user int64, provider string) (removed bool, err error) {
	err = f.change(func(doc *entriesDoc) {
		before := len(doc.entries)
		doc.entries = slices.DeleteFunc(doc.entries, isAccount(DebridAccount{User: user, Provider: provider}))
		removed = len(doc.entries) < before
	})
	return removed && err == nil, err
}

// isAccount finds the entries of one user at one provider.
func isAccount(a DebridAccount) func(json.RawMessage) bool {
	return func(raw json.RawMessage) bool {
		var stored storedAccount
		return json.Unmarshal(raw, &stored) == nil && a.sameAs(DebridAccount(stored))
	}
}

// parseAccount reads one entry, and tells what is wrong with it.
func parseAccount(raw json.RawMessage) (account DebridAccount, problem string) {
	var stored storedAccount
	if json.Unmarshal(raw, &stored) != nil {
		return account, "it is none that this program understands"
	}
	account = DebridAccount(stored)
	return account, strings.Join(account.problems(), "; ")
}
