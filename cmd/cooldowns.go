package cmd

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"xship/sourcecache"
	"xship/sources"
	"xship/sources/text"
)

func newCooldownsCmd(a *app) *cobra.Command {
	return newGroupCmd("cooldowns", "The providers that are not called now, and hosters that a provider cannot serve now", newCooldownsListCmd(a), newCooldownsClearCmd(a))
}

// cooldownsDoc is the JSON document of xship cooldowns list.
type cooldownsDoc struct {
	Cooldowns []cooldownDoc   `json:"cooldowns"`
	Hosters   []hosterRestDoc `json:"hosters"`
}

type cooldownDoc struct {
	User             int64  `json:"user"`
	Provider         string `json:"provider"`
	RemainingSeconds int64  `json:"remaining_seconds"`
	Reason           string `json:"reason"`
}

// hosterRestDoc is a hoster that a provider cannot serve now.
type hosterRestDoc struct {
	User             int64  `json:"user"` // 0 = all
	Provider         string `json:"provider"`
	Hoster           string `json:"hoster"`
	RemainingSeconds int64  `json:"remaining_seconds"`
	Reason           string `json:"reason"`
}

func newCooldownsListCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the providers that are cooling down, and hosters that they cannot serve now",
		Long: `List the providers that are not called now, since they limited a user's account
or did not answer, and the hosters that a provider cannot serve now, whose links it
is not sent. They are skipped until then; setting cooldown.store says where
cooldowns are kept. An account that is refused or has used up its quota is shown by
xship accounts list.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runCooldownsList(cmd.Context(), a) },
	}
}

func runCooldownsList(ctx context.Context, a *app) error {
	cooldowns, store, err := a.cooldowns(ctx)
	if err != nil {
		return err
	}
	defer closeCooldown(cooldowns)
	running, err := cooldowns.Cooldowns(ctx)
	if err != nil {
		return err
	}
	resting, err := store.ProviderHosterRests(ctx)
	if err != nil {
		return err
	}
	doc := newCooldownsDoc(running, resting)
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	if len(doc.Cooldowns)+len(doc.Hosters) == 0 {
		a.note("no provider is cooling down")
	}
	return a.write(cooldownsList(doc))
}

func newCooldownsDoc(running []sources.CooldownEntry, resting []sources.ProviderHosterRest) cooldownsDoc {
	doc := cooldownsDoc{Cooldowns: make([]cooldownDoc, 0, len(running)), Hosters: make([]hosterRestDoc, 0, len(resting))}
	for _, c := range running {
		doc.Cooldowns = append(doc.Cooldowns, cooldownDoc{
			User: c.User, Provider: text.Clean(c.Provider), RemainingSeconds: wholeSeconds(c.Remaining), Reason: text.Clean(c.Reason),
		})
	}
	for _, h := range resting {
		doc.Hosters = append(doc.Hosters, hosterRestDoc{
			User: h.User, Provider: text.Clean(h.Provider), Hoster: text.Clean(h.Hoster),
			RemainingSeconds: wholeSeconds(h.Remaining), Reason: text.Clean(h.Reason),
		})
	}
	return doc
}

// cooldownsList lists the providers that cool down, and behind them the hosters
// that a provider cannot serve.
func cooldownsList(doc cooldownsDoc) list {
	l := list{columns: []column{
		{name: "user", right: true, noTSV: true},
		{name: "user", tsvOnly: true},
		{name: "provider"},
		{name: "hoster", noTSV: true},
		{name: "remaining seconds", tsvOnly: true},
		{name: "remaining", right: true, noTSV: true},
		{name: "reason", shrink: 1, min: 20},
		{name: "hoster", tsvOnly: true},
	}}
	add := func(user int64, provider, hoster string, seconds int64, reason string) {
		number, remaining := strconv.FormatInt(user, 10), strconv.FormatInt(seconds, 10)
		name := number
		if user == 0 {
			name = "all"
		}
		l.rows = append(l.rows, []string{name, number, provider, hoster, remaining, remaining + " s", reason, hoster})
	}
	for _, c := range doc.Cooldowns {
		add(c.User, c.Provider, "", c.RemainingSeconds, c.Reason)
	}
	for _, h := range doc.Hosters {
		add(h.User, h.Provider, h.Hoster, h.RemainingSeconds, h.Reason)
	}
	return l
}

// cooldowns opens the cooldowns where the settings want them kept, which
// closeCooldown closes, and the store, which has what providers cannot serve.
func (a *app) cooldowns(ctx context.Context) (sources.ProviderCooldown, *sourcecache.DB, error) {
	settings, err := a.settings(nil)
	if err != nil {
		return nil, nil, err
	}
	if settings.Cooldown.Store == "memory" {
		a.note("setting cooldown.store is memory: cooldowns end with the process that met them, and none can be seen here")
	}
	store, err := a.openStoreFor(ctx, settings)
	if err != nil {
		return nil, nil, err
	}
	cooldowns, err := a.openCooldown(settings, store)
	return cooldowns, store, err
}

// cooldownsClearedDoc is the JSON document of xship cooldowns clear.
type cooldownsClearedDoc struct {
	Cleared int `json:"cleared"` // cooldowns
	Hosters int `json:"hosters"` // that a provider could not serve
}

func newCooldownsClearCmd(a *app) *cobra.Command {
	var user int64
	var provider string
	cmd := &cobra.Command{
		Use:   "clear",
		Short: "End cooldowns and rests of hosters by hand, all of them or those of a user or a provider",
		Long: `End cooldowns by hand, and send a provider links of the hosters again that it could
not serve: all of them, or those of one user or one provider. What a provider cannot
serve for all users is not ended by --user. A provider that is still limited soon
cools down again.`,
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
	cooldowns, store, err := a.cooldowns(ctx)
	if err != nil {
		return err
	}
	defer closeCooldown(cooldowns)
	var doc cooldownsClearedDoc
	if doc.Hosters, err = store.ClearProviderHosterRests(ctx, key); err != nil {
		return err
	}
	if doc.Cleared, err = cooldowns.Clear(ctx, key); err != nil {
		return err
	}
	if a.asJSON() {
		return a.writeJSON(doc)
	}
	what := plural(doc.Cleared, "cooldown")
	if doc.Hosters > 0 {
		what += " and " + plural(doc.Hosters, "hoster")
	}
	a.note("cleared %s", what)
	return nil
}
