package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"xship/config"
	"xship/sources"
	"xship/sources/debrid"
)

// maxKey bounds a key that is read, in bytes.
const maxKey = 4096

// accountAddedDoc is the JSON document of xship accounts add.
type accountAddedDoc struct {
	accountCheckDoc
	Origin   string `json:"origin"`
	Replaced bool   `json:"replaced"` // an account that was added before
	Checked  bool   `json:"checked"`
}

type accountsAddOptions struct {
	user     int64
	provider string
	keyStdin bool
	noCheck  bool
	baseURL  string
}

func newAccountsAddCmd(a *app) *cobra.Command {
	var o accountsAddOptions
	var user *string
	cmd := &cobra.Command{
		Use:   "add PROVIDER",
		Short: "Add an account, by a login in a browser or by its key",
		Long: `Add an account at a provider, or replace it. Where the provider has a login by
code, xship shows the code and where to enter it, and waits. Otherwise, and with
--key-stdin, the API key is read from standard input; on a terminal it is asked
for and not shown. It is never an argument, which other users of the machine could
see.

The provider is asked whether the account works before it is stored, in
accounts.json in the data directory, for you only. What the user's account at that
provider unlocked before is forgotten.`,
		Example: `  xship accounts add real_debrid
  xship accounts add premiumize --key-stdin < key.txt`,
		Args:      oneProvider,
		ValidArgs: config.DebridProviders(),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.user, err = a.user(*user); err != nil {
				return err
			}
			if o.provider, err = providerNamed(args[0]); err != nil {
				return err
			}
			if cmd.Flags().Changed("base-url") && !config.PlainURL(o.baseURL) {
				return &usageError{msg: "--base-url is no address of an API", hint: "give an http or https URL without user, query and fragment"}
			}
			return runAccountsAdd(cmd.Context(), a, o)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	user = a.userFlag(flags)
	flags.BoolVar(&o.keyStdin, "key-stdin", false, "read the key from standard input, also where there is a login by code")
	flags.BoolVar(&o.noCheck, "no-check", false, "do not ask the provider whether the account works")
	flags.StringVar(&o.baseURL, "base-url", "", "`URL` of the API where it is not the provider's own")
	return cmd
}

func runAccountsAdd(ctx context.Context, a *app, o accountsAddOptions) error {
	r, err := a.openAccounts(ctx)
	if err != nil {
		return err
	}
	defer r.close()
	if r.origin(o.user, o.provider) == originSettings {
		return &hintError{
			err:  fmt.Errorf("%s is in the settings, which count before what is added", accountName(o.user, o.provider)),
			hint: "change it in setting debrid.accounts; xship config show says where that is",
		}
	}
	r.network.operator.add(o.baseURL)
	account, err := r.newAccount(ctx, o)
	if err != nil {
		return err
	}
	account.User, account.Provider, account.BaseURL = o.user, o.provider, o.baseURL
	doc := accountAddedDoc{
		accountCheckDoc: newAccountCheckDoc(account, debrid.AccountInfo{}, nil), Origin: originFile,
		Replaced: len(r.chosen(o.user, o.provider)) > 0, Checked: !o.noCheck,
	}
	doc.OK = false
	if doc.Checked {
		if doc.accountCheckDoc, err = r.checkNew(ctx, account); err != nil {
			return err
		}
	}
	if err := r.store.ForgetAccount(ctx, sources.CooldownKey{User: o.user, Provider: o.provider}); err != nil {
		return err // before the key changes: what the one before unlocked is not for this one
	}
	if err := a.accountsFile().Put(storedOf(account)); err != nil {
		return err
	}
	what := "added"
	if doc.Replaced {
		what = "replaced"
	}
	if summary := doc.summary(); summary != "" {
		a.note("%s %s: %s", what, accountName(o.user, o.provider), summary)
	} else {
		a.note("%s %s", what, accountName(o.user, o.provider))
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	return nil
}

// newAccount gets the key of an account that is to be added.
func (r *accounts) newAccount(ctx context.Context, o accountsAddOptions) (sources.Account, error) {
	if !o.keyStdin {
		device, err := r.providers.services.StartLogin(ctx, o.provider, o.baseURL)
		if err == nil {
			return r.login(ctx, device)
		}
		if !errors.Is(err, debrid.ErrNoLogin) {
			return sources.Account{}, err
		}
	}
	key, err := r.app.readKey(ctx, sources.ProviderTitle(o.provider))
	return sources.Account{Key: sources.Secret(key)}, err
}

// checkNew asks about an account that is not in use yet. Nothing is remembered of
// it, since the one that it replaces may cool down or be refused.
func (r *accounts) checkNew(ctx context.Context, account sources.Account) (accountCheckDoc, error) {
	if r.app.showsProgress() {
		line := "asking " + sources.ProviderTitle(account.Provider)
		defer r.app.startLive(ctx, func() string { return liveLine(r.app.Stderr.width(), []string{line}) })()
	}
	checkCtx, cancel := context.WithTimeout(ctx, accountCheckTimeout)
	defer cancel()
	started := time.Now()
	info, err := r.providers.services.Check(checkCtx, account)
	switch {
	case ctx.Err() != nil:
		return accountCheckDoc{}, ctx.Err()
	case err == nil:
		doc := newAccountCheckDoc(account, info, nil)
		doc.Elapsed = time.Since(started).Milliseconds()
		return doc, nil
	}
	hint := "nothing was stored; check the key and the account on the provider's web site"
	if sources.ClassOf(err) != sources.ClassProviderAuth {
		hint = "nothing was stored; try again later, or store it unchecked with --no-check"
	}
	return accountCheckDoc{}, &hintError{err: fmt.Errorf("check the account: %w", err), hint: hint}
}

// login waits until the user has entered the code of a login.
func (r *accounts) login(ctx context.Context, device debrid.Device) (sources.Account, error) {
	a := r.app
	title := sources.ProviderTitle(device.Provider)
	a.warn("to log in at %s, open %s and enter the code %s before %s", title, device.VerificationURL, device.UserCode, until(device.ExpiresAt, a.Now()))
	if a.showsProgress() {
		defer a.startLive(ctx, func() string {
			left := fmt.Sprintf("%d s left", wholeSeconds(device.ExpiresAt.Sub(a.Now())))
			return liveLine(a.Stderr.width(), []string{"waiting for " + title, "code " + device.UserCode, left, "Ctrl-C ends it"})
		})()
	}
	for {
		account, done, err := r.providers.services.PollLogin(ctx, device)
		wait := device.Interval
		var busy *sources.ProviderStreamUnavailableError
		switch {
		case ctx.Err() != nil:
			return sources.Account{}, ctx.Err()
		case done:
			return account, nil
		case errors.As(err, &busy) && busy.Kind == sources.ClassProviderCooling:
			if busy.Cooldown != nil {
				wait = max(wait, *busy.Cooldown)
			}
		case err != nil:
			return sources.Account{}, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return sources.Account{}, ctx.Err()
		}
	}
}

// readKey reads the key of an account at the provider with this title: a line of
// stdin, or what is typed unseen where that is a terminal. It does not wait when
// ctx has ended.
func (a *app) readKey(ctx context.Context, title string) (string, error) {
	type result struct {
		text string
		err  error
	}
	read, restore := a.readLine, func() {}
	if f, ok := a.Stdin.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		state, err := term.GetState(int(f.Fd()))
		if err != nil {
			return "", fmt.Errorf("ask for the key: %w; give it with --key-stdin", err)
		}
		restore = func() { _ = term.Restore(int(f.Fd()), state) } // the terminal is gone otherwise
		read = func() (string, error) {
			key, err := term.ReadPassword(int(f.Fd()))
			return string(key), err
		}
		a.status.hold()
		defer a.status.release()
		_, _ = io.WriteString(a.status, fmt.Sprintf("API key of %s, which is not shown: ", title)) // who does not see it types all the same
		defer func() { _, _ = io.WriteString(a.status, "\n") }()
	}
	got := make(chan result, 1)
	go func() {
		text, err := read()
		got <- result{text, err}
	}()
	select {
	case <-ctx.Done():
		restore()
		return "", ctx.Err()
	case r := <-got:
		key := strings.TrimSpace(r.text)
		switch {
		case r.err != nil && !errors.Is(r.err, io.EOF):
			return "", fmt.Errorf("read the key: %w", r.err)
		case key == "":
			return "", &usageError{msg: "there is no key on standard input", hint: "give it with xship accounts add PROVIDER --key-stdin < FILE"}
		}
		return key, nil
	}
}

// readLine reads the first line of stdin.
func (a *app) readLine() (string, error) {
	return bufio.NewReader(io.LimitReader(a.Stdin, maxKey)).ReadString('\n')
}
