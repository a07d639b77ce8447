package cmd

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"xship/cmd/engine"
)

// precacheOptions are what the flags of xship precache mean.
type precacheOptions struct {
	once      bool
	overrides map[string]any // settings that flags gave, by key
}

// newPrecacheCmd is xship precache; run gets what its flags mean.
func newPrecacheCmd(a *app, run func(context.Context, *app, precacheOptions) error) *cobra.Command {
	var o precacheOptions
	cmd := &cobra.Command{
		Use:   "precache",
		Short: "Scan, resolve and probe the watchlist ahead of time, again and again",
		Long: `Work through the watchlist in the background: scan its titles, resolve their
sources and read what the streams hold, and so learn which hosters work. The
first cycle begins at once, further ones by schedule. Logs go to standard error,
on a terminal with a line below them that says how far it is; with --log-file
they go to a file, which SIGHUP opens anew.

One precacher runs on a data directory. SIGTERM, and SIGHUP without --log-file,
end it in good order, within three seconds and with exit code 0; what was under
way counts for nothing. With --once the exit code is 130 then, as the cycle did
not run to its end. Where its data directory was moved or removed, it ends before
the next cycle.

Setting notify.command names a program that is told, by JSON on its standard
input, of a title that is ready, an account that ends, another interface in use,
and a cycle that could not run.`,
		Example: `  xship precache
  xship precache --schedule "*/30 * * * *"
  xship precache --once
  xship precache --log-file ~/xship.log`,
		Args:        noArgs,
		Annotations: map[string]string{logsAnnotation: "alone"},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.once && cmd.Flags().Changed("schedule") {
				return usagef("precache takes --once or --schedule, not both")
			}
			o.overrides = settingFlags(cmd.Flags(), map[string]string{"schedule": "precache.schedule"})
			return run(cmd.Context(), a, o)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.once, "once", false, "run one cycle and end")
	flags.String("schedule", "", "`CRON` expression of five fields, or a descriptor such as @hourly (setting precache.schedule)")
	return cmd
}

func runPrecache(ctx context.Context, a *app, o precacheOptions) (err error) {
	defer withoutReaders()()
	defer a.reopenOnHangup()()
	settings, err := a.settings(o.overrides)
	if err != nil {
		return err
	}
	if err := engine.CheckSchedule(settings); err != nil {
		return err
	}
	if err := a.makeDataDir(); err != nil {
		return err
	}
	lock, err := engine.LockPrecacher(a.dataDir(), a.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	notify := a.newNotifier(settings.Notify)
	defer func() {
		if err != nil && ctx.Err() == nil {
			notify.failed(err)
		}
		notify.close(ctx)
	}()
	if notify != nil {
		a.observer = notify
	}
	e, err := a.engineWith(ctx, settings)
	if err != nil {
		return err
	}
	update, stop := a.startPrecacheLine(ctx)
	defer stop()
	request := engine.PrecacheRequest{Lock: lock, Progress: update}
	if o.once {
		return e.PrecacheOnce(ctx, request)
	}
	if err := e.Precache(ctx, request); err != nil {
		return err
	}
	if terminated(ctx) {
		return nil
	}
	return ctx.Err()
}
