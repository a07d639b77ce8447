package cmd

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources/link"
	"xship/sources/text"
)

// Bounds of links on standard input.
const (
	mostLinks   = 10_000
	longestLink = 8 << 10 // bytes
)

// takesLinks tells whether the arguments of xship play are links: no title is searched for
// with one among them.
func takesLinks(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return arg == stdinName || link.InTitle(arg) })
}

// playArgs accepts one title, or links, or standard input, or nothing where the watchlist
// says the title. Flags that say nothing of what was given are refused.
func playArgs(cmd *cobra.Command, args []string) error {
	switch watched := cmd.Flags().Changed("watch-id"); {
	case watched && len(args) > 0:
		return &usageError{msg: "play takes a title, links or --watch-id, one of them", hint: "the entry says the title: xship play --watch-id ID"}
	case watched:
		return refuseFlags(cmd, isTitleFlag, "--watch-id", "the entry says the title: xship play --watch-id ID")
	case takesLinks(args) && len(args) > 1 && slices.Contains(args, stdinName):
		return &usageError{msg: "- stands alone: all links come from standard input then", hint: "put them there one a line: xship play - < FILE"}
	case takesLinks(args):
		return refuseFlags(cmd, isNoLinkFlag, "a link", "xship play URL takes -o, --exec, --user and --show-urls")
	default:
		return oneTitle(cmd, args)
	}
}

// isNoLinkFlag tells whether a flag of xship play says nothing of a link.
func isNoLinkFlag(flag string) bool {
	return !slices.Contains([]string{"exec", "user", "show-urls", "help"}, flag)
}

// isTitleFlag tells whether a flag says which title is meant.
func isTitleFlag(flag string) bool {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(titleOptions).addFlags(flags)
	return flags.Lookup(flag) != nil
}

// refuseFlags refuses those flags of xship play that are wrong with what was given.
func refuseFlags(cmd *cobra.Command, wrong func(flag string) bool, given, hint string) error {
	var refused []string
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if f.Changed && wrong(f.Name) {
			refused = append(refused, "--"+f.Name)
		}
	})
	if len(refused) == 0 {
		return nil
	}
	return &usageError{msg: fmt.Sprintf("play takes no %s with %s", strings.Join(refused, " and no "), given), hint: hint}
}

// readLinkArgs reads the arguments of xship play that are links. What is wrong with them is
// a usage error, and nothing is resolved then. stdin tells that they are on standard input.
func readLinkArgs(flags *pflag.FlagSet, args []string) (links []string, stdin bool, err error) {
	if args[0] == stdinName {
		return nil, true, nil
	}
	typed := make([]typedLink, 0, len(args))
	for i, arg := range args {
		where := ""
		if len(args) > 1 {
			where = fmt.Sprintf("argument %d: ", i+1)
		}
		typed = append(typed, typedLink{where: where, text: arg})
	}
	switch at := slices.IndexFunc(args, func(arg string) bool { return !link.InTitle(arg) }); {
	case at >= 0 && strings.TrimSpace(args[at]) == "":
		return nil, false, &usageError{msg: fmt.Sprintf("argument %d is empty", at+1), hint: "xship play URL... takes links alone"}
	case at >= 0:
		return nil, false, &usageError{
			msg:  fmt.Sprintf("play takes one title or links, not both: argument %d is no link", at+1),
			hint: fmt.Sprintf("xship play %s, or xship play URL...", text.ShellQuote(text.Clean(args[at]))),
		}
	}
	links, err = readLinks(typed)
	if flags.Changed("exec") && len(links) > 1 {
		return nil, false, oneForPlayer(len(links))
	}
	return links, false, err
}

// oneForPlayer is the error of several links for one player.
func oneForPlayer(n int) error {
	return &usageError{msg: fmt.Sprintf("--exec takes one link, and these are %d", n), hint: "xship play URL --exec mpv for each, or hand the lines of xship play URL... to the player"}
}

// typedLink is what was typed for a link, and where.
type typedLink struct{ where, text string }

// readLinks reads links. The error tells what is wrong with the first of those that are
// none, and where.
func readLinks(typed []typedLink) ([]string, error) {
	const told = 5
	links := make([]string, 0, len(typed))
	var wrong []string
	var hint string
	for _, t := range typed {
		address, err := engine.ParseLink(t.text)
		if err == nil {
			links = append(links, address)
			continue
		}
		if len(wrong) == 0 {
			hint = text.HintOf(err)
		}
		wrong = append(wrong, t.where+err.Error())
	}
	if len(wrong) == 0 {
		return links, nil
	}
	if more := len(wrong) - told; more > 0 {
		wrong = append(wrong[:told], fmt.Sprintf("and %d more", more))
	}
	return nil, &usageError{msg: strings.Join(wrong, "\n"), hint: hint}
}

// stdinLinks reads the links on standard input: one a line, but for blank lines and those
// that begin with #.
func (a *app) stdinLinks(ctx context.Context) ([]string, error) {
	if term.IsTerminal(a.Stdin) {
		a.note("one link a line; Ctrl-D ends them")
	}
	typed, err := awaitInput(ctx, func() ([]typedLink, error) { return linkLines(a.Stdin) })
	if err != nil {
		return nil, err
	}
	return readLinks(typed)
}

// linkLines are the lines that may be links, as text files of any system have them.
func linkLines(r io.Reader) ([]typedLink, error) {
	var typed []typedLink
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, longestLink)
	n := 0
	for lines.Scan() {
		n++
		line := lines.Bytes()
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if len(typed) == mostLinks {
			return nil, &usageError{msg: fmt.Sprintf("standard input has more than %d links", mostLinks), hint: "give them in several runs"}
		}
		typed = append(typed, typedLink{where: fmt.Sprintf("line %d: ", n), text: string(line)})
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, &usageError{msg: fmt.Sprintf("line %d of standard input is longer than %d bytes, and no link", n+1, longestLink), hint: "one link a line"}
	case err != nil:
		return nil, fmt.Errorf("read links from standard input: %w", err)
	case len(typed) == 0:
		return nil, &usageError{msg: "standard input has no link", hint: "one a line: xship play - < FILE"}
	}
	return typed, nil
}

// playLinks finds a stream for each link, and prints it or hands it to a player.
func (a *app) playLinks(ctx context.Context, o playOptions, player *player) error {
	if o.stdin {
		var err error
		if o.links, err = a.stdinLinks(ctx); err != nil {
			return err
		}
	}
	if player != nil && len(o.links) > 1 {
		return oneForPlayer(len(o.links))
	}
	e, err := a.openEngine(ctx, o.overrides)
	if err != nil {
		return err
	}
	out := &linkOutput{app: a, options: o, printed: player == nil}
	unlocking := new(unlocking)
	started := a.Now()
	stop := a.live(ctx, func() []string { return out.doing(unlocking.doing("resolving"), running(a.Now().Sub(started))) })
	defer stop()
	err = e.PlayLinks(ctx, engine.LinksRequest{Links: o.links, User: o.request.User, Unlocking: unlocking.began, Ended: out.ended})
	stop()
	a.noteResting(o.request.User, e.Resting(context.WithoutCancel(ctx), o.request.User), out.tried)
	switch {
	case err != nil:
		return err
	case out.failed != nil:
		return out.verdict()
	case player != nil:
		return a.handOver(ctx, player, out.last)
	default:
		return nil
	}
}

// linkOutput writes what becomes of links.
type linkOutput struct {
	*app
	options playOptions
	printed bool // streams are results; else one is for a player

	count   atomic.Int64 // links that have ended
	fails   int
	failed  error // of the first link that does not play
	tried   []api.Tried
	last    engine.Played // the last one that plays
	headers bool          // it was told that a stream wants headers
}

// doing is what the live line says.
func (out *linkOutput) doing(what, running string) []string {
	if n := len(out.options.links); n > 1 {
		what = fmt.Sprintf("%s %d/%d", what, out.count.Load(), n)
	}
	return []string{what, running}
}

// ended is told of each link in turn.
func (out *linkOutput) ended(p engine.PlayedLink) error {
	n := out.count.Add(1)
	if p.Err != nil {
		out.fail(n, p)
	} else {
		out.last = p.Played
	}
	if !out.printed || p.Err != nil && !out.asJSON() {
		return nil
	}
	out.status.Hold() // results go to the same terminal
	defer out.status.Release()
	if out.asJSON() {
		line, err := jsonLine(api.NewPlayLink(p, api.ShownURLs{Secrets: out.options.showURLs}))
		if err != nil {
			return err
		}
		return out.writeLine(line)
	}
	if !out.headers { // one note stands for all
		out.headers = out.noteHeaders(p.Played)
	}
	return out.writeStream(p.Stream)
}

// fail keeps, and says, that a link does not play.
func (out *linkOutput) fail(n int64, p engine.PlayedLink) {
	out.fails++
	if out.failed == nil {
		out.failed = p.Err
	}
	for _, t := range p.Tried {
		out.tried = append(out.tried, api.NewTried(t))
	}
	if len(out.options.links) > 1 { // else the error says it
		out.warn("link %d: %v", n, p.Err)
	}
}

// verdict is the error of links that do not all play.
func (out *linkOutput) verdict() error {
	n := len(out.options.links)
	if n == 1 {
		return out.failed
	}
	return &engine.NothingPlayableError{
		Text: fmt.Sprintf("%d of %s did not play", out.fails, text.Plural(n, "link")),
		Hint: "the lines above say why; xship hosters stats shows how hosters fare",
	}
}
