package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
)

// AccountsFile is the file of the debrid accounts that the program itself added,
// for its owner only. It is safe for concurrent use, by several processes too.
// What it holds beside the accounts that this program understands stays as it is.
type AccountsFile struct {
	// Warn is told what a user should know of how a change was made; nil: nobody. It
	// is set before the first change.
	Warn func(warning string)

	path string
}

// NewAccountsFile names an accounts file; it need not exist.
func NewAccountsFile(path string) *AccountsFile { return &AccountsFile{path: path} }

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
	return f.change(func(doc *accountsDoc) {
		i := slices.IndexFunc(doc.entries, isAccount(a))
		if i < 0 {
			doc.entries = append(doc.entries, raw)
			return
		}
		rest := slices.DeleteFunc(doc.entries[i+1:], isAccount(a))
		doc.entries = append(append(doc.entries[:i:i], raw), rest...)
	})
}

// Remove takes a user's account at a provider out, and tells whether it was there.
func (f *AccountsFile) Remove(user int64, provider string) (removed bool, err error) {
	err = f.change(func(doc *accountsDoc) {
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

// accountsKey is that of the entries in the file.
const accountsKey = "accounts"

// accountsDoc is what the file holds.
type accountsDoc struct {
	entries []json.RawMessage
	others  map[string]json.RawMessage // keys that are not ours
	mode    fs.FileMode                // 0 where there is no file
}

func (f *AccountsFile) read() (*accountsDoc, error) {
	doc := &accountsDoc{others: map[string]json.RawMessage{}}
	text, mode, err := readWritten(f.path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return doc, nil
	case err != nil:
		return nil, fmt.Errorf("read accounts %s: %w; make it a file that you can read", f.path, bare(err))
	}
	doc.mode = mode
	if len(text) == 0 {
		return doc, nil
	}
	err = json.Unmarshal(text, &doc.others)
	if raw := doc.others[accountsKey]; err == nil && raw != nil {
		err = json.Unmarshal(raw, &doc.entries)
	}
	if err != nil || doc.others == nil {
		return nil, fmt.Errorf("accounts %s are damaged; mend the JSON, or move the file away and add the accounts again", f.path)
	}
	delete(doc.others, accountsKey)
	return doc, nil
}

// change changes the file as it is now.
func (f *AccountsFile) change(change func(*accountsDoc)) error {
	err := changePrivate(f.path, func(path string) error {
		doc, err := f.read()
		if err != nil {
			return err
		}
		change(doc)
		entries, err := json.Marshal(append([]json.RawMessage{}, doc.entries...))
		if err != nil {
			return err
		}
		doc.others[accountsKey] = entries
		mounted, err := writePrivate(path, doc.others)
		if mounted && err == nil && f.Warn != nil {
			f.Warn(mountedWarning(f.path))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("change accounts: %w", err)
	}
	return nil
}

// othersRead tells whether a file mode lets others than the owner at the file.
// Windows has no such modes.
func othersRead(mode fs.FileMode) bool { return mode.Perm()&0o077 != 0 && runtime.GOOS != "windows" }

func readByOthers(path string, mode fs.FileMode) string {
	return fmt.Sprintf("%s holds keys, and others than its owner can read it (mode %04o); run chmod 600 on it", path, mode.Perm())
}
