package cmd

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/sources/text"
)

const exitCodesHelp = `Exit codes of xship:

  0    fine, also when a scan found nothing because nothing exists
  1    failure; also a scan to which no site gave a usable answer, and a status
       that tells of a problem
  2    wrong usage: an unknown flag, a missing argument, a setting that is not valid
  3    nothing playable: sources exist, but all are hidden, dead or unplayable;
       also a play without a stream for its title, or for one of its links,
       whatever the reason
  4    no interface could be loaded
  130  interrupted

A player of xship play --exec that fails is a failure, code 1; the message tells
the exit code of the player.`

// newExitCodesTopic is the help topic of the exit codes.
func newExitCodesTopic() *cobra.Command {
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: exitCodesHelp}
}

// usageError is a command line that makes no sense.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string { return e.msg }

// ErrorCode implements text.Coded.
func (*usageError) ErrorCode() string { return "usage" }

// ErrorHint implements text.Hinted.
func (e *usageError) ErrorHint() string { return e.hint }

func usagef(format string, args ...any) *usageError {
	return &usageError{msg: fmt.Sprintf(format, args...)}
}

// errReported is a failure of which what was written tells all: only the exit code is
// left to say so.
var errReported = errors.New("what was written tells what is wrong")

// report tells the user about err, as the last of all that is written, and
// gives the exit code.
func (a *app) report(err error, asJSON bool) int {
	switch {
	case err == nil:
		return api.ExitOK
	case errors.Is(err, errReported):
		return api.ExitFailure
	}
	f := api.FailureOf(err)
	if a.logFile != nil && f.Exit != api.ExitInterrupted {
		a.logFailure(f)
	}
	if asJSON {
		f.Message, f.Hint = text.CleanLines(f.Message), text.CleanLines(f.Hint)
		line, err := json.Marshal(api.FailureDoc{Error: f})
		if err == nil {
			_, _ = a.status.Write(append(line, '\n'))
		}
		return f.Exit
	}
	a.warn("xship: %s", a.messages().localised(err, f.Message))
	if f.Hint != "" {
		a.warn("hint: %s", f.Hint)
	}
	return f.Exit
}

// logFailure writes to the log file why the run ends: who keeps a log looks there.
func (a *app) logFailure(f api.Failure) {
	var attrs []any
	if f.Hint != "" {
		attrs = append(attrs, "hint", f.Hint)
	}
	a.logger.Error(f.Message, attrs...)
}
