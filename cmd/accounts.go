package cmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/config"
	"xship/sources/text"
)

func newAccountsCmd(a *app) *cobra.Command {
	return newGroupCmd("accounts", "The accounts at debrid providers",
		newAccountsListCmd(a), newAccountsCheckCmd(a), newAccountsAddCmd(a, runAccountsAdd), newAccountsRemoveCmd(a))
}

// providerNamed finds a provider by its name, also as people write it.
func providerNamed(name string) (string, error) {
	if known, ok := config.DebridProviderNamed(name); ok {
		return known, nil
	}
	return "", &usageError{msg: fmt.Sprintf("there is no provider %q", text.Clean(name)), hint: oneOf(name, config.DebridProviders())}
}

// oneProvider accepts exactly one argument, a provider. What comes behind it may be
// a key that somebody meant to give, and is not repeated.
func oneProvider(cmd *cobra.Command, args []string) error {
	if len(args) > 1 {
		return &usageError{msg: commandName(cmd) + " takes one argument, a provider", hint: "usage: " + cmd.UseLine() + "; a key is never an argument, xship accounts add PROVIDER asks for it"}
	}
	if err := oneArg("a provider")(cmd, args); err != nil {
		return err
	}
	_, err := providerNamed(args[0])
	return err
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
	e, err := a.openEngine(ctx, nil)
	if err != nil {
		return err
	}
	all, err := e.Accounts(ctx)
	if err != nil {
		return err
	}
	doc := api.NewAccounts(all)
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	if len(doc.Accounts) == 0 {
		a.note(noAccounts)
	}
	if err := a.write(accountsList(doc, a.Now())); err != nil {
		return err
	}
	for _, d := range doc.Accounts {
		a.noteLift(d.User, d.Provider, d.Lift)
	}
	return nil
}

// noteLift tells the command that has an account asked again, where there is one.
func (a *app) noteLift(user int64, provider, command string) {
	if command != "" {
		a.note("%s is asked again with %s", engine.AccountTitle(user, provider), command)
	}
}

const noAccounts = "there are no accounts; xship accounts add PROVIDER adds one"

func accountsList(doc api.Accounts, now time.Time) term.List {
	l := term.List{Columns: []term.Column{
		{Name: "user", Right: true},
		{Name: "provider"},
		{Name: "origin"},
		{Name: "state", NoTSV: true},
		{Name: "state", TSVOnly: true},
		{Name: "remaining seconds", TSVOnly: true},
		{Name: "reason", Shrink: 1, Min: 16},
		{Name: "base url", TSVOnly: true, Exact: true},
	}}
	for _, d := range doc.Accounts {
		l.Rows = append(l.Rows, []string{
			strconv.FormatInt(d.User, 10), d.Provider, d.Origin, restText(d.AccountRest, now), d.State, strconv.FormatInt(d.RemainingSeconds, 10), d.Reason, d.BaseURL,
		})
	}
	l.Paint = func(row, column int, cell string) string {
		switch {
		case column != 3:
			return cell
		case doc.Accounts[row].State == string(engine.RestNone):
			return term.Paint(term.ColourGood, cell)
		case doc.Accounts[row].State == string(engine.RestRefused):
			return term.Paint(term.ColourBad, cell)
		default:
			return term.Paint(term.ColourWarn, cell)
		}
	}
	return l
}

// restText is the state of an account for people.
func restText(r api.AccountRest, now time.Time) string {
	switch {
	case r.State == string(engine.RestCooling):
		return fmt.Sprintf("cooling %d s", r.RemainingSeconds)
	case r.State == string(engine.RestQuota) && r.RemainingSeconds > 0:
		return "quota until " + until(now.Add(time.Duration(r.RemainingSeconds)*time.Second), now)
	default:
		return r.State
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

func newAccountsCheckCmd(a *app) *cobra.Command {
	var user int64
	cmd := &cobra.Command{
		Use:   "check [PROVIDER]",
		Short: "Ask the providers whether the accounts work",
		Long: `Ask each provider about its account, and show login (masked), plan and end. An
account that was refused is asked all the same, and used again where it works. One
that is cooling down is not asked. One whose quota is used up may pass, and still
not be asked for links: the notes say how long, and xship cooldowns clear ends that. One
without premium time is free, or expired. Where a check fails, the exit code is 1.`,
		Args: optionalProvider,
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
	doc, err := a.collectAccountChecks(ctx, user, args)
	if err != nil {
		return err
	}
	switch {
	case a.asJSON():
		err = a.writeJSON(doc)
	case len(doc.Accounts) == 0:
		a.note(noAccounts)
		err = a.write(accountChecks(doc, a.Now()))
	default:
		err = a.write(accountChecks(doc, a.Now()))
	}
	failed := 0
	for _, c := range doc.Accounts {
		if !c.OK {
			failed++
		}
		if !a.asJSON() && c.State != string(engine.RestRefused) { // which was asked just now
			a.noteLift(c.User, c.Provider, c.Lift)
		}
	}
	if err == nil && failed > 0 {
		err = fmt.Errorf("%d of %s failed", failed, text.Plural(len(doc.Accounts), "account"))
	}
	return err
}

// collectAccountChecks asks about the accounts of a user, 0 = all, at the provider
// that args name, if any.
func (a *app) collectAccountChecks(ctx context.Context, user int64, args []string) (api.AccountsCheck, error) {
	doc := api.AccountsCheck{Accounts: []api.AccountCheck{}}
	e, err := a.openEngine(ctx, nil)
	if err != nil {
		return doc, err
	}
	provider := ""
	if len(args) > 0 {
		if provider, err = providerNamed(args[0]); err != nil {
			return doc, err
		}
	}
	chosen, err := e.AccountsToCheck(user, provider)
	if err != nil {
		return doc, err
	}
	done, stop := a.counting(ctx, "checking accounts", len(chosen))
	checks, err := e.CheckAccounts(ctx, chosen, done)
	stop()
	if err != nil {
		return doc, err
	}
	for _, c := range checks {
		doc.Accounts = append(doc.Accounts, api.NewAccountCheck(c))
	}
	return doc, ctx.Err()
}

func accountChecks(doc api.AccountsCheck, now time.Time) term.List {
	l := term.List{Columns: []term.Column{
		{Name: "user", Right: true},
		{Name: "provider"},
		{Name: "result"},
		{Name: "login", Shrink: 3, Min: 8},
		{Name: "plan", Shrink: 4, Min: 8},
		{Name: "premium until"},
		{Name: "notes", Shrink: 1, Min: 12, NoTSV: true},
		{Name: "notes", TSVOnly: true},
		{Name: "class", TSVOnly: true},
		{Name: "error", TSVOnly: true},
		{Name: "state", TSVOnly: true},
		{Name: "remaining seconds", TSVOnly: true},
	}}
	for _, c := range doc.Accounts {
		result, notes := "ok", strings.Join(c.Notes, ", ")
		remarks := c.Notes
		switch {
		case !c.OK:
			result, remarks = "failed", []string{c.Error}
		case c.State == string(engine.RestExpired), c.State == string(engine.RestFree):
			result, remarks = c.State, append([]string{"links of most hosters need premium time"}, remarks...)
		case c.State != string(engine.RestNone):
			remarks = append([]string{restText(c.AccountRest, now)}, remarks...)
		}
		l.Rows = append(l.Rows, []string{
			strconv.FormatInt(c.User, 10), c.Provider, result, c.Login, c.Plan, api.DayOf(c.PremiumUntil),
			strings.Join(remarks, ", "), notes, c.Class, c.Error, c.State, strconv.FormatInt(c.RemainingSeconds, 10),
		})
	}
	l.Paint = func(row, column int, cell string) string {
		switch {
		case column != 2:
			return cell
		case !doc.Accounts[row].OK:
			return term.Paint(term.ColourBad, cell)
		case doc.Accounts[row].State != string(engine.RestNone):
			return term.Paint(term.ColourWarn, cell)
		default:
			return term.Paint(term.ColourGood, cell)
		}
	}
	return l
}

func newAccountsRemoveCmd(a *app) *cobra.Command {
	var user *string
	cmd := &cobra.Command{
		Use:   "remove PROVIDER",
		Short: "Forget an account that was added, and what it unlocked",
		Args:  oneProvider,
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
	inSettings, err := a.removeAccount(ctx, user, provider)
	if err != nil {
		return err
	}
	if name := engine.AccountTitle(user, provider); inSettings {
		a.note("removed %s from %s; the one in the settings is used as before", name, engine.AccountsFileName)
	} else {
		a.note("removed %s", name)
	}
	if a.asJSON() {
		return a.writeJSON(api.AccountRemoved{User: user, Provider: provider, Removed: true})
	}
	return nil
}

// removeAccount removes the key before it opens the database: a secret can be
// withdrawn where that is broken.
func (a *app) removeAccount(ctx context.Context, user int64, provider string) (inSettings bool, err error) {
	settings, err := a.settings(nil)
	if err != nil {
		return false, err
	}
	withoutStore, err := engine.Open(a.engineConfig(settings, nil))
	if err != nil {
		return false, err
	}
	defer withoutStore.Close()
	if inSettings, err = withoutStore.RemoveAccount(user, provider); err != nil || inSettings {
		return inSettings, err
	}
	e, err := a.engineWith(ctx, settings)
	if err == nil {
		err = e.ForgetAccount(ctx, user, provider)
	}
	if err != nil {
		return false, fmt.Errorf("%s was removed, and what it unlocked is still stored: %w", engine.AccountTitle(user, provider), err)
	}
	return false, nil
}
