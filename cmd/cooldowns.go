package cmd

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"xship/sourcecache"
	"xship/sources"
)

func newCooldownsCmd(a *app) *cobra.Command {
	return newGroupCmd("cooldowns", "The providers that are not called now", newCooldownsListCmd(a), newCooldownsClearCmd(a))
}

// cooldownsDoc is the JSON document of xship cooldowns list.
type cooldownsDoc struct {
	Cooldowns []cooldownDoc `json:"cooldowns"`
}

type cooldownDoc struct {
	User             int64  `json:"user"`
	Provider         string `json:"provider"`
	RemainingSeconds int64  `json:"remaining_seconds"`
	Reason           string `json:"reason"`
}

func newCooldownsListCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the providers that are cooling down, for whom, how long and why",
		Long: `List the providers that are not called now, since they limited a user's account
or did not answer. They are skipped until then; setting cooldown.store says where
that is kept.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCooldownsList(cmd.Context(), a) },
	}
}

func runCooldownsList(ctx context.Context, a *app) error {
	cooldowns, err := a.cooldowns(ctx)
	if err != nil {
		return err
	}
	defer closeCooldown(cooldowns)
	running, err := cooldowns.Cooldowns(ctx)
	if err != nil {
		return err
	}
	doc := cooldownsDoc{Cooldowns: make([]cooldownDoc, 0, len(running))}
	for _, c := range running {
		doc.Cooldowns = append(doc.Cooldowns, cooldownDoc{
			User: c.User, Provider: sources.CleanText(c.Provider), RemainingSeconds: wholeSeconds(c.Remaining), Reason: sources.CleanText(c.Reason),
		})
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	l := list{columns: []column{
		{name: "user", right: true},
		{name: "provider"},
		{name: "remaining seconds", tsvOnly: true},
		{name: "remaining", right: true, noTSV: true},
		{name: "reason", shrink: 1, min: 20},
	}}
	for _, c := range doc.Cooldowns {
		remaining := strconv.FormatInt(c.RemainingSeconds, 10)
		l.rows = append(l.rows, []string{strconv.FormatInt(c.User, 10), c.Provider, remaining, remaining + " s", c.Reason})
	}
	if len(doc.Cooldowns) == 0 {
		a.note("no provider is cooling down")
	}
	return a.write(l)
}

// cooldowns opens the cooldowns where the settings want them kept, which
// closeCooldown closes.
func (a *app) cooldowns(ctx context.Context) (sources.ProviderCooldown, error) {
	settings, err := a.settings(nil)
	if err != nil {
		return nil, err
	}
	var store *sourcecache.DB
	switch settings.Cooldown.Store {
	case "memory":
		a.note("setting cooldown.store is memory: cooldowns end with the process that met them, and none can be seen here")
	case "sqlite":
		if store, err = a.openStoreFor(ctx, settings); err != nil {
			return nil, err
		}
	}
	return a.openCooldown(settings, store)
}

// cooldownsClearedDoc is the JSON document of xship cooldowns clear.
type cooldownsClearedDoc struct {
	Cleared int `json:"cleared"`
}

func newCooldownsClearCmd(a *app) *cobra.Command {
	var user int64
	var provider string
	cmd := &cobra.Command{
		Use:   "clear",
		Short: "End cooldowns by hand, all of them or those of a user or a provider",
		Long: `End cooldowns by hand: all of them, or those of one user or one provider. A
provider that is still limited soon cools down again.`,
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
			return runCooldownsClear(cmd.Context(), a, key)
		},
	}
	cmd.Flags().Int64Var(&user, "user", 0, "only those of the user with this `NUMBER`")
	cmd.Flags().StringVar(&provider, "provider", "", "only those of the provider with this `NAME`")
	a.completeProviders(cmd)
	return cmd
}

func runCooldownsClear(ctx context.Context, a *app, key sources.CooldownKey) error {
	cooldowns, err := a.cooldowns(ctx)
	if err != nil {
		return err
	}
	defer closeCooldown(cooldowns)
	n, err := cooldowns.Clear(ctx, key)
	if err != nil {
		return err
	}
	if a.asJSON() {
		return a.writeJSON(cooldownsClearedDoc{Cleared: n})
	}
	a.note("cleared %s", plural(n, "cooldown"))
	return nil
}
