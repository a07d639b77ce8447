package cmd

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources"
	"xship/sources/text"
)

func newCooldownsCmd(a *app) *cobra.Command {
	return newGroupCmd("cooldowns", "The providers that are not called now, and hosters that a provider cannot serve now", newCooldownsListCmd(a), newCooldownsClearCmd(a, runCooldownsClear))
}

func newCooldownsListCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the providers that are cooling down, and hosters that they cannot serve now",
		Long: `List the providers that are not called now, since they limited a user's account
or did not answer, and the hosters that a provider cannot serve now, whose links it
is not sent. They are skipped until then; setting cooldown.store says where
cooldowns are kept. An account that is refused or has used up its quota is shown by
xship accounts list; xship cooldowns clear has it asked again too.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCooldownsList(cmd.Context(), a) },
	}
}

func runCooldownsList(ctx context.Context, a *app) error {
	e, err := a.openCooldowns(ctx)
	if err != nil {
		return err
	}
	running, resting, err := e.Cooldowns(ctx)
	if err != nil {
		return err
	}
	doc := api.NewCooldowns(running, resting)
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	if len(doc.Cooldowns)+len(doc.Hosters) == 0 {
		a.note("no provider is cooling down")
	}
	if err := a.write(cooldownsList(doc)); err != nil {
		return err
	}
	if len(doc.Cooldowns)+len(doc.Hosters) > 0 {
		a.note("xship cooldowns clear ends them, with --user or --provider some of them")
	}
	return nil
}

// cooldownsList lists the providers that cool down, and behind them the hosters
// that a provider cannot serve.
func cooldownsList(doc api.Cooldowns) term.List {
	l := term.List{Columns: []term.Column{
		{Name: "user", Right: true, NoTSV: true},
		{Name: "user", TSVOnly: true},
		{Name: "provider"},
		{Name: "hoster", NoTSV: true, Exact: true},
		{Name: "remaining seconds", TSVOnly: true},
		{Name: "remaining", Right: true, NoTSV: true},
		{Name: "reason", Shrink: 1, Min: 20},
		{Name: "hoster", TSVOnly: true, Exact: true},
	}}
	add := func(user int64, provider, hoster string, seconds int64, reason string) {
		number, remaining := strconv.FormatInt(user, 10), strconv.FormatInt(seconds, 10)
		name := number
		if user == 0 {
			name = "all"
		}
		l.Rows = append(l.Rows, []string{name, number, provider, hoster, remaining, remaining + " s", reason, hoster})
	}
	for _, c := range doc.Cooldowns {
		add(c.User, c.Provider, "", c.RemainingSeconds, c.Reason)
	}
	for _, h := range doc.Hosters {
		add(h.User, h.Provider, h.Hoster, h.RemainingSeconds, h.Reason)
	}
	return l
}

// openCooldowns opens the engine, and says where no cooldowns can be seen.
func (a *app) openCooldowns(ctx context.Context) (*engine.Engine, error) {
	settings, err := a.settings(nil)
	if err != nil {
		return nil, err
	}
	if settings.Cooldown.Store == "memory" {
		a.note("setting cooldown.store is memory: cooldowns end with the process that met them, and none can be seen here")
	}
	return a.engineWith(ctx, settings)
}

// newCooldownsClearCmd is xship cooldowns clear; run gets what its flags mean.
func newCooldownsClearCmd(a *app, run func(context.Context, *app, sources.CooldownKey) error) *cobra.Command {
	var user int64
	var provider string
	cmd := &cobra.Command{
		Use:   "clear",
		Short: "End cooldowns, and rests of hosters and accounts, by hand, all of them or those of a user or a provider",
		Long: `End cooldowns by hand, send a provider links of the hosters again that it could not
serve, and ask accounts again that were refused or had used up their quota: all of
them, or those of one user or one provider. With --user, what a provider cannot
serve for all users is ended too, since it keeps that user waiting as well. A
provider that is still limited soon cools down again, and so it is with the
others.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			key := sources.CooldownKey{User: user}
			if cmd.Flags().Changed("user") && user < 1 {
				return &usageError{msg: fmt.Sprintf("--user %d is no user", user), hint: "users are numbers from 1"}
			}
			if cmd.Flags().Changed("provider") {
				var err error
				if key.Provider, err = providerNamed(provider); err != nil {
					return err
				}
			}
			return run(cmd.Context(), a, key)
		},
	}
	cmd.Flags().Int64Var(&user, "user", 0, "only those of the user with this `NUMBER`")
	cmd.Flags().StringVar(&provider, "provider", "", "only those of the provider with this `NAME`")
	return cmd
}

func runCooldownsClear(ctx context.Context, a *app, key sources.CooldownKey) error {
	e, err := a.openCooldowns(ctx)
	if err != nil {
		return err
	}
	cleared, err := e.ClearCooldowns(ctx, key)
	if err != nil {
		return err
	}
	doc := api.CooldownsCleared{Cleared: cleared.Cooldowns, Hosters: cleared.Hosters, Accounts: cleared.Accounts}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	parts := []string{text.Plural(doc.Cleared, "cooldown")}
	if doc.Hosters > 0 {
		parts = append(parts, text.Plural(doc.Hosters, "hoster"))
	}
	if doc.Accounts > 0 {
		parts = append(parts, text.Plural(doc.Accounts, "account"))
	}
	last := len(parts) - 1
	what := parts[last]
	if last > 0 {
		what = strings.Join(parts[:last], ", ") + " and " + what
	}
	a.note("cleared %s", what)
	return nil
}
