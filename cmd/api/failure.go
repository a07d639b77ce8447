package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"xship/cmd/engine"
	"xship/sources"
	"xship/sources/text"
)

// The exit codes.
const (
	ExitOK              = 0
	ExitFailure         = 1
	ExitUsage           = 2
	ExitNothingPlayable = 3
	ExitNoInterface     = 4
	ExitInterrupted     = 130
)

// Failure is an error as users and programs meet it.
type Failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint"`

	Exit   int `json:"-"` // exit code of the process
	Status int `json:"-"` // of HTTP
}

// FailureDoc is the JSON document of an error.
type FailureDoc struct {
	Error Failure `json:"error"`
}

// kind is what an error of a code means.
type kind struct {
	code   string // of text.Coded; codeInterrupted is that of a cancelled context
	exit   int
	status int
}

const (
	codeInterrupted = "interrupted"
	codeNoAnswer    = "no_answer"
	codeFailure     = "failure" // of an error that has none
)

// kinds is the one table of errors. Of several codes in one error the first row
// counts.
var kinds = []kind{
	{"usage", ExitUsage, http.StatusBadRequest},
	{"settings", ExitUsage, http.StatusInternalServerError},
	{"nothing_playable", ExitNothingPlayable, http.StatusNotFound},
	{"no_interface", ExitNoInterface, http.StatusBadGateway},
	{"player", ExitFailure, http.StatusInternalServerError},
	{"database", ExitFailure, http.StatusServiceUnavailable},
	{codeInterrupted, ExitInterrupted, http.StatusServiceUnavailable},
	{codeNoAnswer, ExitFailure, http.StatusBadGateway},
	{"locked", ExitFailure, http.StatusConflict},
	{"redis", ExitFailure, http.StatusServiceUnavailable},
	{"provider", ExitFailure, http.StatusBadGateway},
}

// FailureOf says what err means.
func FailureOf(err error) Failure {
	f := Failure{Code: codeFailure, Message: err.Error(), Exit: ExitFailure, Status: http.StatusInternalServerError}
	for _, k := range kinds {
		hint, ok := k.hintIn(err)
		if !ok {
			continue
		}
		f.Code, f.Hint, f.Exit, f.Status = k.code, hint, k.exit, k.status
		break
	}
	switch f.Code {
	case codeInterrupted:
		f.Message = codeInterrupted
	case codeNoAnswer:
		if noAnswer, ok := errors.AsType[*sources.NoAnswerError](err); ok {
			f.Message, f.Hint = noAnswerMessage(noAnswer), noAnswerHint(noAnswer)
		}
	}
	if f.Hint == "" && f.Code != codeInterrupted {
		f.Hint = text.HintOf(err)
	}
	f.Message = strings.TrimSuffix(f.Message, "; "+f.Hint)
	return f
}

// hintIn tells whether err is of the kind, and the advice of the error that is.
func (k kind) hintIn(err error) (hint string, ok bool) {
	if k.code == codeInterrupted {
		return "", errors.Is(err, context.Canceled)
	}
	found, ok := text.FindCode(err, k.code)
	if hinted, is := found.(text.Hinted); is {
		hint = hinted.ErrorHint()
	}
	return hint, ok
}

// noAnswerHint says what to do about e. Where xship cannot ask the sites, waiting
// does not help.
func noAnswerHint(e *sources.NoAnswerError) string {
	asked := engine.AskedSiteTypes()
	all := func(is func(sources.SiteReport) bool) bool {
		return !slices.ContainsFunc(e.Sites, func(s sources.SiteReport) bool { return !is(s) })
	}
	switch {
	case len(e.Sites) == 0 || !all(func(s sources.SiteReport) bool { return s.Status == sources.SiteUnsupported }):
		return "try again later, or use another interface: xship interfaces list"
	case all(func(s sources.SiteReport) bool { return !slices.Contains(asked, s.Type) }):
		return "xship can ask sites of types 0, 1 and 4, and those of its own types: another interface is needed, see xship interfaces add"
	default:
		return "waiting does not help, each site says why: use another interface, see xship interfaces list"
	}
}

// sitesShown is how many sites an error names; the document of the scan has all.
const sitesShown = 20

// noAnswerMessage gives each site a line of its own, to a bound.
func noAnswerMessage(e *sources.NoAnswerError) string {
	if len(e.Sites) == 0 {
		return e.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "none of %s gave a usable answer for %s", text.Plural(len(e.Sites), "site"), e.Title)
	for _, s := range e.Sites[:min(len(e.Sites), sitesShown)] {
		fmt.Fprintf(&b, "\n  %s: %s: %s", s.Name, s.Status, s.Error)
	}
	if more := len(e.Sites) - sitesShown; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more, see -o json", more)
	}
	return b.String()
}
