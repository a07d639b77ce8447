package cmd

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/sources/text"
)

// Main runs the program with the arguments of the command line, without its
// name, and gives its exit code. The first SIGINT, SIGTERM or SIGHUP ends it in good
// order, a later one at once.
func Main(args []string, sys System) int {
	a := newApp(sys)
	ctx, stop := withSignals(context.Background(), a.hangups.handled)
	defer stop()
	if stdout, ok := sys.Stdout.Writer.(io.Closer); ok {
		a.closeStdout = stdout.Close
	}
	return untilLeft(ctx, leaveAfter, func() int { return a.run(ctx, args) }, func() int {
		a.status.Clear()
		a.warn("xship: it was asked to end and did not in %s: something that it reads or writes does not answer; it is left now", leaveAfter)
		return api.ExitInterrupted
	})
}

// leaveAfter is how long a run may take to end after it was asked to. What ends in
// good order is faster, but for a file whose disk or other side does not answer,
// which nothing can break off.
const leaveAfter = 10 * time.Second

// untilLeft runs do, and leaves it where it does not end within grace of ctx.
func untilLeft(ctx context.Context, grace time.Duration, do, leave func() int) int {
	ended := make(chan int, 1)
	go func() { ended <- do() }()
	select {
	case code := <-ended:
		return code
	case <-ctx.Done():
	}
	limit := time.NewTimer(grace)
	defer limit.Stop()
	select {
	case code := <-ended:
		return code
	case <-limit.C:
		return leave()
	}
}

// run is Main inside another run, whose signals and stdout it shares.
func run(ctx context.Context, args []string, sys System) int { return newApp(sys).run(ctx, args) }

func (a *app) run(ctx context.Context, args []string) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.interrupt = func() { cancel(signalError{os.Interrupt}) }
	root := newRootCmd(a) //nolint:contextcheck // commands get the context of ExecuteContext
	if isCompletion(args) {
		describePlainly(root)
	}
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	a.status.Clear()
	err = errors.Join(err, a.close())
	defer a.closeLogFile()
	if _, verdict := errors.AsType[*engine.NothingPlayableError](err); err != nil && ctx.Err() != nil && !verdict {
		err = context.Canceled
	}
	return a.report(err, a.flags.output == outputJSON || wantsJSON(args))
}

// signalError is the cause of a context that a signal ended.
type signalError struct{ os.Signal }

func (e signalError) Error() string { return e.String() }

// signalGrace is how long further signals count as the first one: timeout(1), for
// one, sends its own to the process and then to the group of that.
const signalGrace = 500 * time.Millisecond

// withSignals ends the context with a signalError at the first SIGINT, SIGTERM or
// SIGHUP. One that comes signalGrace later ends the process. What the caller had
// ignored, as nohup has SIGHUP and a shell SIGINT of what runs in its background,
// stays so. A SIGHUP that hangup deals with is none.
func withSignals(parent context.Context, hangup func() bool) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		defer signal.Stop(signals)
		for {
			select {
			case s := <-signals:
				if s == syscall.SIGHUP && hangup() {
					continue
				}
				cancel(signalError{s})
				time.Sleep(signalGrace)
			case <-ctx.Done():
			}
			return
		}
	}()
	return ctx, func() { cancel(nil) }
}

// terminated tells whether ctx was ended by SIGTERM or SIGHUP: somebody wants the
// program to stop, or its terminal is gone, and nobody broke it off.
func terminated(ctx context.Context) bool {
	s, ok := errors.AsType[signalError](context.Cause(ctx))
	return ok && (s.Signal == syscall.SIGTERM || s.Signal == syscall.SIGHUP)
}

// withoutReaders has a run go on where nobody reads what it writes any more, which
// would end it. Programs that it starts end by that as always.
func withoutReaders() (stop func()) {
	broken := make(chan os.Signal, 1) // nobody asks it: what is written fails, and that is known
	signal.Notify(broken, syscall.SIGPIPE)
	return func() { signal.Stop(broken) }
}

func newRootCmd(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "xship",
		Short: "Find playable sources for films and episodes",
		Long: `xship asks the sites of an interface for a film or an episode, hides the
sources whose hoster is failing, and lists the rest, best first.

  xship scan "Big Buck Bunny"`,
		Version:       readVersion().Version,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          noUnknownCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(a.checkOutput(cmd), a.checkColor(cmd.Flags())); err != nil {
				return err
			}
			return a.openLogger(cmd)
		},
	}
	root.SetVersionTemplate("xship {{.Version}}\n")
	root.SetIn(a.Stdin)
	root.SetOut(a.Stdout)
	root.SetErr(a.status)
	root.SetFlagErrorFunc(flagError)
	a.addGlobalFlags(root)
	root.AddCommand(
		newScanCmd(a, runScan), newSearchCmd(a, runSearch), newPlayCmd(a, runPlay), newWatchCmd(a), newPrecacheCmd(a, runPrecache), newHostersCmd(a), newInterfacesCmd(a), newAccountsCmd(a), newCooldownsCmd(a), newStatusCmd(a), newDoctorCmd(a), newBackupCmd(a), newConfigCmd(a), newVersionCmd(a), newDemoCmd(a), newManCmd(a),
	)
	root.AddCommand(newTopics()...)
	listTopics(root)
	nameAlike(root)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Run, cmd.RunE = nil, runHelp
		case "completion":
			cmd.Args, cmd.RunE = noUnknownCommand, needsSubcommand
			a.quoteWords(cmd)
		}
	}
	a.completeWords(root)
	return root
}

func (a *app) addGlobalFlags(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.StringVar(&a.flags.config, "config", "", "settings `FILE` (default ~/.config/xship/config.yaml)")
	flags.StringVar(&a.flags.dataDir, "data-dir", "", "`DIR` of the database and the preferences (default ~/.local/share/xship)")
	flags.StringVar(&a.flags.logLevel, "log-level", "info", "least `LEVEL` that is logged: debug, info, warn, error; on a terminal warn, unless named")
	flags.StringVar(&a.flags.logFormat, "log-format", "text", "`FORMAT` of log lines: text, json")
	flags.StringVar(&a.flags.logFile, "log-file", "", "`FILE` that log lines are appended to, in place of standard error")
	flags.StringVar(&a.flags.color, "color", colorAuto, "`WHEN` to use colours: auto, always, never (auto: on a terminal)")
	flags.BoolVar(&a.flags.noColor, "no-color", false, "no colours: --color never")
	flags.StringVarP(&a.flags.output, "output", "o", "", "`FORMAT` of results: table, json, tsv (default table on a terminal, else tsv)")
	flags.BoolVarP(&a.flags.quiet, "quiet", "q", false, "no notes and no progress")
}

// wantsJSON finds -o json in a command line that could not be read to its end.
func wantsJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	for i, arg := range args {
		switch arg {
		case "-ojson", "-o=json", "--output=json":
			return true
		case "-o", "--output":
			if i+1 < len(args) && args[i+1] == outputJSON {
				return true
			}
		}
	}
	return false
}

// noUnknownCommand accepts no arguments, and takes one for a misspelt command.
func noUnknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return unknownCommand(cmd, args)
}

// needsSubcommand is what a group of commands does without one.
func needsSubcommand(cmd *cobra.Command, _ []string) error {
	return &usageError{msg: commandName(cmd) + " needs a command", hint: "usage: " + subcommandsLine(cmd)}
}

// newGroupCmd is a command that only holds others.
func newGroupCmd(name, short string, subcommands ...*cobra.Command) *cobra.Command {
	group := &cobra.Command{Use: name, Short: short, Args: noUnknownCommand, RunE: needsSubcommand}
	group.AddCommand(subcommands...)
	return group
}

func runHelp(cmd *cobra.Command, args []string) error {
	topic, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		var names []string
		for _, sub := range topic.Commands() {
			names = append(names, sub.Name())
		}
		hint := "see " + topic.CommandPath() + " --help"
		if len(rest) > 0 {
			hint = text.DidYouMean(rest[0], names, hint)
		}
		return &usageError{msg: "there is no help for " + text.Clean(strings.Join(args, " ")), hint: hint}
	}
	topic.InitDefaultHelpFlag()
	return topic.Help()
}

// commandName is the name of a command without that of the program.
func commandName(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// noArgs accepts no arguments.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return tooMany(cmd, args)
	}
	return nil
}

// oneArg accepts exactly one argument; what names it.
func oneArg(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		hint := "usage: " + cmd.UseLine()
		switch {
		case len(args) == 0 || strings.TrimSpace(args[0]) == "":
			return &usageError{msg: commandName(cmd) + " needs " + what, hint: hint}
		case len(args) > 1:
			return moreThanOne(cmd, args)
		default:
			return nil
		}
	}
}
