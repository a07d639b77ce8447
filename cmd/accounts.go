package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"xship/config"
	"xship/sourcecache"
	"xship/sources"
	"xship/sources/debrid"
	"xship/sources/link"
	"xship/sources/text"
)

// accountCheckTimeout bounds the question for one account.
const accountCheckTimeout = 20 * time.Second

func newAccountsCmd(a *app) *cobra.Command {
	return newGroupCmd("accounts", "The accounts at debrid providers",
		newAccountsListCmd(a), newAccountsCheckCmd(a), newAccountsAddCmd(a), newAccountsRemoveCmd(a))
}

// The origins of accounts.
const (
	originSettings = "settings"
	originFile     = "accounts.json"
)

// The states of an account.
const (
	accountOK      = "ok" // nothing is known against it
	accountRefused = "refused"
	accountQuota   = "quota"
	accountCooling = "cooling"
)

// providerNamed finds a provider by its name, also as people write it.
func providerNamed(name string) (string, error) {
	if known, ok := config.DebridProviderNamed(name); ok {
		return known, nil
	}
	return "", &usageError{msg: fmt.Sprintf("there is no provider %q", text.Clean(name)), hint: "one of " + strings.Join(config.DebridProviders(), ", ")}
}

// oneProvider accepts exactly one argument, a provider. What comes behind it may be
// a key that somebody meant to give, and is not repeated.
func oneProvider(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return &usageError{msg: commandName(cmd) + " takes one argument, a provider", hint: "usage: " + cmd.UseLine() + "; a key is never an argument"}
	}
	if err := oneArg("a provider")(cmd, args); err != nil {
		return err
	}
	_, err := providerNamed(args[0])
	return err
}

// completeProviders completes the flag --provider of a command.
func (a *app) completeProviders(cmd *cobra.Command) {
	// The only error is a flag that does not exist.
	_ = cmd.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions(config.DebridProviders(), cobra.ShellCompDirectiveNoFileComp))
}

// accountName names an account in a sentence.
func accountName(user int64, provider string) string {
	return fmt.Sprintf("the account of user %d at %s", user, sources.ProviderTitle(provider))
}

// accounts is what the commands about accounts work with.
type accounts struct {
	app       *app
	settings  *config.Settings
	store     *sourcecache.DB
	network   *network
	providers *providers
	asking    *sources.Accounts
}

func (a *app) openAccounts(ctx context.Context) (*accounts, error) {
	settings, err := a.settings(nil)
	if err != nil {
		return nil, err
	}
	store, err := a.openStoreFor(ctx, settings)
	if err != nil {
		return nil, err
	}
	stored, err := a.storedAccounts(settings)
	if err != nil {
		return nil, err
	}
	net := newNetwork(settings)
	providers, err := a.newProviders(settings, stored, store, net, net.Call)
	if err != nil {
		return nil, err
	}
	return &accounts{app: a, settings: settings, store: store, network: net, providers: providers, asking: providers.useCase(a, store)}, nil
}

func (r *accounts) close() {
	r.providers.close()
	r.network.CloseIdleConnections()
}

// origin tells where an account comes from.
func (r *accounts) origin(user int64, provider string) string {
	if inSettings(r.settings, user, provider) {
		return originSettings
	}
	return originFile
}

func inSettings(s *config.Settings, user int64, provider string) bool {
	return slices.ContainsFunc(s.Debrid.Accounts, func(c config.DebridAccount) bool { return c.User == user && c.Provider == provider })
}

// chosen gives the accounts of a user, 0 = all, at a provider, "" = all.
func (r *accounts) chosen(user int64, provider string) []sources.Account {
	var chosen []sources.Account
	for _, account := range r.providers.accounts {
		if (user == 0 || user == account.User) && (provider == "" || provider == account.Provider) {
			chosen = append(chosen, account)
		}
	}
	return chosen
}

// accountsDoc is the JSON document of xship accounts list. No key is in it.
type accountsDoc struct {
	Accounts []accountDoc `json:"accounts"`
}

type accountDoc struct {
	User     int64  `json:"user"`
	Provider string `json:"provider"`
	Origin   string `json:"origin"` // settings or accounts.json
	BaseURL  string `json:"base_url"`
	accountRestDoc
}

// accountRestDoc tells whether an account is asked for links now.
type accountRestDoc struct {
	State            string `json:"state"` // ok, refused, quota or cooling
	Reason           string `json:"reason"`
	RemainingSeconds int64  `json:"remaining_seconds"` // until it is asked again, 0 = not known
}

func newAccountsListCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the accounts, and whether they are asked now; keys are never shown",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return runAccountsList(cmd.Context(), a) },
	}
}

func runAccountsList(ctx context.Context, a *app) error {
	r, err := a.openAccounts(ctx)
	if err != nil {
		return err
	}
	defer r.close()
	doc := accountsDoc{Accounts: make([]accountDoc, 0, len(r.providers.accounts))}
	for _, account := range r.providers.accounts {
		doc.Accounts = append(doc.Accounts, accountDoc{
			User: account.User, Provider: account.Provider, Origin: r.origin(account.User, account.Provider),
			BaseURL: link.Redact(account.BaseURL), accountRestDoc: r.rest(ctx, account),
		})
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	l := list{columns: []column{
		{name: "user", right: true},
		{name: "provider"},
		{name: "origin"},
		{name: "state", noTSV: true},
		{name: "state", tsvOnly: true},
		{name: "remaining seconds", tsvOnly: true},
		{name: "reason", shrink: 1, min: 16},
		{name: "base url", tsvOnly: true},
	}}
	for _, d := range doc.Accounts {
		l.rows = append(l.rows, []string{
			strconv.FormatInt(d.User, 10), d.Provider, d.Origin, d.text(a.Now()), d.State, strconv.FormatInt(d.RemainingSeconds, 10), d.Reason, d.BaseURL,
		})
	}
	l.paint = func(row, column int, cell string) string {
		switch {
		case column != 3:
			return cell
		case doc.Accounts[row].State == accountOK:
			return paint(colourGood, cell)
		case doc.Accounts[row].State == accountRefused:
			return paint(colourBad, cell)
		default:
			return paint(colourWarn, cell)
		}
	}
	if len(doc.Accounts) == 0 {
		a.note("there are no accounts; xship accounts add PROVIDER adds one")
	}
	return a.write(l)
}

// rest tells whether an account is asked for links now.
func (r *accounts) rest(ctx context.Context, account sources.Account) accountRestDoc {
	doc := accountRestDoc{State: accountOK}
	for _, resting := range r.asking.Resting(ctx, account.User) {
		if resting.Provider != account.Provider {
			continue
		}
		doc.Reason, doc.RemainingSeconds = text.Clean(resting.Reason), wholeSeconds(resting.Remaining)
		switch resting.Kind {
		case sources.ClassProviderAuth:
			doc.State = accountRefused
		case sources.ClassProviderQuota:
			doc.State = accountQuota
		default:
			doc.State = accountCooling
		}
	}
	return doc
}

// text is the state for people.
func (d accountRestDoc) text(now time.Time) string {
	switch {
	case d.State == accountCooling:
		return fmt.Sprintf("cooling %d s", d.RemainingSeconds)
	case d.State == accountQuota && d.RemainingSeconds > 0:
		return "quota until " + until(now.Add(time.Duration(d.RemainingSeconds)*time.Second), now)
	default:
		return d.State
	}
}

// until is a moment soon for people: the time, and the day where that is not
// today.
func until(t, now time.Time) string {
	t = t.In(now.Location())
	if t.Format(time.DateOnly) == now.Format(time.DateOnly) {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}

// accountsCheckDoc is the JSON document of xship accounts check.
type accountsCheckDoc struct {
	Accounts []accountCheckDoc `json:"accounts"`
}

type accountCheckDoc struct {
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
	accountRestDoc
}

func newAccountsCheckCmd(a *app) *cobra.Command {
	var user int64
	cmd := &cobra.Command{
		Use:   "check [PROVIDER]",
		Short: "Ask the providers whether the accounts work",
		Long: `Ask each provider about its account, and show login (masked), plan and end. An
account that was refused is asked all the same, and used again where it works. One
that is cooling down is not asked. One whose quota is used up may pass, and still
not be asked for links: the notes say how long. Where a check fails, the exit code
is 1.`,
		Args:      optionalProvider,
		ValidArgs: config.DebridProviders(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("user") && user < 1 {
				return &usageError{msg: fmt.Sprintf("--user %d is no user", user), hint: "users are numbers from 1"}
			}
			return runAccountsCheck(cmd.Context(), a, user, args)
		},
	}
	cmd.Flags().Int64Var(&user, "user", 0, "only accounts of the user with this `NUMBER`")
	return cmd
}

func optionalProvider(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return oneProvider(cmd, args)
}

func runAccountsCheck(ctx context.Context, a *app, user int64, args []string) error {
	r, err := a.openAccounts(ctx)
	if err != nil {
		return err
	}
	defer r.close()
	provider := ""
	if len(args) > 0 {
		if provider, err = providerNamed(args[0]); err != nil {
			return err
		}
	}
	chosen := r.chosen(user, provider)
	if len(chosen) == 0 && (user != 0 || provider != "") {
		return &hintError{err: errors.New("there is no such account"), hint: "xship accounts list shows all of them"}
	}
	doc := accountsCheckDoc{Accounts: r.checkAll(ctx, chosen)}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch {
	case a.asJSON():
		err = a.writeJSON(doc)
	case len(doc.Accounts) == 0:
		a.note("there are no accounts; xship accounts add PROVIDER adds one")
		err = a.write(accountChecks(doc, a.Now()))
	default:
		err = a.write(accountChecks(doc, a.Now()))
	}
	failed := 0
	for _, c := range doc.Accounts {
		if !c.OK {
			failed++
		}
	}
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %s failed", failed, plural(len(doc.Accounts), "account"))
	}
	return err
}

func accountChecks(doc accountsCheckDoc, now time.Time) list {
	l := list{columns: []column{
		{name: "user", right: true},
		{name: "provider"},
		{name: "result"},
		{name: "login", shrink: 3, min: 8},
		{name: "plan", shrink: 4, min: 8},
		{name: "premium until"},
		{name: "notes", shrink: 1, min: 12, noTSV: true},
		{name: "notes", tsvOnly: true},
		{name: "class", tsvOnly: true},
		{name: "error", tsvOnly: true},
		{name: "state", tsvOnly: true},
		{name: "remaining seconds", tsvOnly: true},
	}}
	for _, c := range doc.Accounts {
		result, notes := "ok", strings.Join(c.Notes, ", ")
		remarks := c.Notes
		switch {
		case !c.OK:
			result, remarks = "failed", []string{c.Error}
		case c.State != accountOK:
			remarks = append([]string{c.text(now)}, remarks...)
		}
		l.rows = append(l.rows, []string{
			strconv.FormatInt(c.User, 10), c.Provider, result, c.Login, c.Plan, dayOf(c.PremiumUntil),
			strings.Join(remarks, ", "), notes, c.Class, c.Error, c.State, strconv.FormatInt(c.RemainingSeconds, 10),
		})
	}
	l.paint = func(row, column int, cell string) string {
		switch {
		case column != 2:
			return cell
		case !doc.Accounts[row].OK:
			return paint(colourBad, cell)
		case doc.Accounts[row].State != accountOK:
			return paint(colourWarn, cell)
		default:
			return paint(colourGood, cell)
		}
	}
	return l
}

// dayOf is the day of Unix seconds, "" for 0.
func dayOf(at int64) string {
	if at == 0 {
		return ""
	}
	return time.Unix(at, 0).UTC().Format(time.DateOnly)
}

// checkAll asks about accounts, several at once, and gives how that went in their
// order.
func (r *accounts) checkAll(ctx context.Context, all []sources.Account) []accountCheckDoc {
	var (
		mu   sync.Mutex
		done int
		wg   sync.WaitGroup
	)
	if r.app.showsProgress() {
		defer r.app.startLive(ctx, func() string {
			mu.Lock()
			defer mu.Unlock()
			return liveLine(r.app.Stderr.width(), []string{fmt.Sprintf("checking accounts %d/%d", done, len(all))})
		})()
	}
	docs := make([]accountCheckDoc, len(all))
	turns := make(chan struct{}, checksAtOnce)
	for i, account := range all {
		wg.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			docs[i] = r.check(ctx, account)
			mu.Lock()
			done++
			mu.Unlock()
		})
	}
	wg.Wait()
	return docs
}

// check asks about an account that is in use, and remembers what that tells.
func (r *accounts) check(ctx context.Context, account sources.Account) accountCheckDoc {
	askCtx, cancel := context.WithTimeout(ctx, accountCheckTimeout)
	defer cancel()
	var info debrid.AccountInfo
	started := time.Now()
	err := r.asking.Ask(askCtx, account, func(ctx context.Context) (err error) {
		info, err = r.providers.services.Check(ctx, account)
		return err
	})
	doc := newAccountCheckDoc(account, info, err)
	doc.Elapsed = time.Since(started).Milliseconds()
	doc.accountRestDoc = r.rest(ctx, account)
	return doc
}

func newAccountCheckDoc(account sources.Account, info debrid.AccountInfo, err error) accountCheckDoc {
	doc := accountCheckDoc{
		User: account.User, Provider: account.Provider, OK: err == nil,
		Login: text.Clean(info.Login), Plan: text.Clean(info.Plan), Premium: info.Premium, PremiumUntil: unix(info.PremiumUntil),
		Notes: make([]string, 0, len(info.Notes)), accountRestDoc: accountRestDoc{State: accountOK},
	}
	for _, note := range info.Notes {
		doc.Notes = append(doc.Notes, text.Clean(note))
	}
	if err != nil {
		doc.Class, doc.Error = string(sources.ClassOf(err)), text.Clean(err.Error())
	}
	return doc
}

// summary is a check that went well, for people.
func (c accountCheckDoc) summary() string {
	parts := []string{c.Login, c.Plan}
	if c.PremiumUntil != 0 {
		parts = append(parts, "premium until "+dayOf(c.PremiumUntil))
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// accountRemovedDoc is the JSON document of xship accounts remove.
type accountRemovedDoc struct {
	User     int64  `json:"user"`
	Provider string `json:"provider"`
	Removed  bool   `json:"removed"`
}

func newAccountsRemoveCmd(a *app) *cobra.Command {
	var user *string
	cmd := &cobra.Command{
		Use:       "remove PROVIDER",
		Short:     "Forget an account that was added, and what it unlocked",
		Args:      oneProvider,
		ValidArgs: config.DebridProviders(),
		RunE: func(cmd *cobra.Command, args []string) error {
			user, err := a.user(*user)
			if err != nil {
				return err
			}
			provider, err := providerNamed(args[0])
			if err != nil {
				return err
			}
			return runAccountsRemove(cmd.Context(), a, user, provider)
		},
	}
	user = a.userFlag(cmd.Flags())
	return cmd
}

func runAccountsRemove(ctx context.Context, a *app, user int64, provider string) error {
	settings, err := a.settings(nil)
	if err != nil {
		return err
	}
	removed, err := a.accountsFile().Remove(user, provider)
	if err != nil {
		return err
	}
	named := inSettings(settings, user, provider)
	name := accountName(user, provider)
	switch {
	case !removed && named:
		return &hintError{err: fmt.Errorf("%s is in the settings, which xship does not change", name), hint: "remove it from setting debrid.accounts; xship config show says where that is"}
	case !removed:
		return &hintError{err: errors.New("there is no account of user " + strconv.FormatInt(user, 10) + " at " + sources.ProviderTitle(provider)), hint: "xship accounts list shows all of them"}
	case named:
		a.note("removed %s from %s; the one in the settings is used as before", name, originFile)
	default:
		if err := a.forgetAccount(ctx, settings, sources.CooldownKey{User: user, Provider: provider}); err != nil {
			return fmt.Errorf("%s was removed, and what it unlocked is still stored: %w", name, err)
		}
		a.note("removed %s", name)
	}
	if a.asJSON() {
		return a.writeJSON(accountRemovedDoc{User: user, Provider: provider, Removed: true})
	}
	return nil
}

// forgetAccount forgets what the store has of an account.
func (a *app) forgetAccount(ctx context.Context, s *config.Settings, key sources.CooldownKey) error {
	store, err := a.openStoreFor(ctx, s)
	if err != nil {
		return err
	}
	return store.ForgetAccount(ctx, key)
}
