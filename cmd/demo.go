package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xship/sourcecache"
	"xship/sources/sourcetest/world"
)

func newDemoCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show what xship does, on a small internet inside this machine",
		Long: `Start a few interfaces, sites and hosters on loopback addresses, some of them
broken, and run the commands of xship on them. Nothing leaves the machine, and
what the demo stores is gone at its end.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), a) },
	}
}

// demoSiteTimeout is how long the demo waits for the site that hangs.
const demoSiteTimeout = 1500 * time.Millisecond

// demo tells the story: words for people, and real commands on the world.
type demo struct {
	app   *app
	out   io.Writer
	story *world.Story
	dir   string // holds all that the commands store
	err   error  // the first that made the rest pointless
}

func runDemo(ctx context.Context, a *app) (err error) {
	dir, err := os.MkdirTemp("", "xship-demo-")
	if err != nil {
		return fmt.Errorf("make a directory for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	story, err := world.StartStory(ctx, world.Config{Latency: 40 * time.Millisecond})
	if err != nil {
		return err
	}
	defer story.Close()
	d := &demo{app: a, out: a.Stdout, story: story, dir: dir}
	d.tell(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return d.err
}

func (d *demo) tell(ctx context.Context) {
	film := []string{"scan", d.story.Film.Name, "--year", strconv.Itoa(d.story.Film.Year)}
	episode := []string{
		"scan", d.story.Episode.Name, "--season", strconv.Itoa(d.story.Episode.Season), "--episode", strconv.Itoa(d.story.Episode.Episode),
	}

	d.chapter("A broken interface", `
An interface is a URL that lists sites to search. The server of this one answers
with an error. It is stored all the same, and a scan says what came of it.`)
	d.run(ctx, exitOK, "interfaces", "add", d.story.Broken.URL(), "--name", "broken")
	d.run(ctx, exitNoInterface, film...)

	d.chapter("A good interface", `
This one works: it lists four sites.`)
	d.run(ctx, exitOK, "interfaces", "add", d.story.Good.URL(), "--name", "good")
	d.run(ctx, exitOK, "interfaces", "use", "good")
	d.run(ctx, exitOK, "interfaces", "list")

	d.chapter("A site that hangs", fmt.Sprintf(`
Three sites answer in an instant. %s accepts the request and never answers: the
scan waits %.1f s for it (10 s unless told otherwise) and lists what the others
have, best first. Sequels and namesakes are left out.`, d.story.Hanging.Entry().Name, demoSiteTimeout.Seconds()))
	d.run(ctx, exitOK, film...)

	d.chapter("It is waited for once", `
A site that failed rests for a while. The next question skips it, and is fast.`)
	d.run(ctx, exitOK, episode...)

	failing := d.story.Hosters[1].IP()
	d.chapter("A hoster that fails", fmt.Sprintf(`
The files lie on three hosters, which are not the sites. Say that a stream from
%s has just failed, while one from another hoster played. The hoster's
sources are hidden, named and counted; the list itself comes from the cache.`, failing))
	d.touchHosters(ctx)
	d.run(ctx, exitOK, film...)
	d.say("With --all they are listed too, with the reason:")
	d.run(ctx, exitOK, append(film, "--all")...)
	d.say("This is what the hoster table knows. One success makes a hoster healthy again,\nand so does a reset by hand:")
	d.run(ctx, exitOK, "hosters", "stats")
	d.run(ctx, exitOK, "hosters", "reset", failing)

	d.chapter("A film that nobody has", `
"Nothing found" is an answer, not an error.`)
	d.run(ctx, exitOK, "scan", d.story.Unknown.Name)
	d.say("That was all. Now try it: xship scan \"Big Buck Bunny\"")
}

// touchHosters reports what a player would: the first hoster worked, the second
// one did not.
func (d *demo) touchHosters(ctx context.Context) {
	if d.err != nil {
		return
	}
	store, err := sourcecache.Open(ctx, sourcecache.Options{Path: filepath.Join(d.dir, "xship.db"), Now: d.app.Now, Logger: d.app.logger})
	if err != nil {
		d.err = err
		return
	}
	d.err = errors.Join(
		store.HosterTouch(ctx, d.story.Hosters[0].IP(), true),
		store.HosterTouchAttempt(ctx, sourcecache.Attempt{Hoster: d.story.Hosters[1].IP(), Error: "503 Service Unavailable"}),
		store.Close(),
	)
}

func (d *demo) chapter(title, text string) {
	d.say(strings.ToUpper(title) + "\n" + strings.TrimPrefix(text, "\n"))
}

func (d *demo) say(text string) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.out, "\n%s\n", text)
	}
}

// run shows a command line and runs it as the user would. Another exit code
// than want ends the story.
func (d *demo) run(ctx context.Context, want int, args ...string) {
	if d.err != nil || ctx.Err() != nil {
		return
	}
	if _, d.err = fmt.Fprintf(d.out, "\n$ xship %s\n", commandLine(args)); d.err != nil {
		return
	}
	code := run(ctx, args, d.system())
	if code != exitOK {
		_, d.err = fmt.Fprintf(d.out, "(exit code %d)\n", code)
	}
	if code != want && ctx.Err() == nil {
		d.err = fmt.Errorf("the demo expected exit code %d of xship %s, not %d", want, commandLine(args), code)
	}
}

// system is what the commands of the demo see: one stream for all that they
// write, tables at any rate, and none of the user's own settings and data.
func (d *demo) system() System {
	sys := d.app.System
	colour := d.app.colour(sys.Stdout)
	sys.Stdout.Terminal = true
	sys.Stderr = Stream{Writer: d.out, Terminal: d.app.Stdout.Terminal && d.app.Stderr.Terminal, Width: d.app.Stdout.Width}
	env := map[string]string{
		"XSHIP_DATA_DIR":          d.dir,
		"XDG_CONFIG_HOME":         d.dir,
		"XSHIP_SCAN_SITE_TIMEOUT": demoSiteTimeout.String(),
	}
	if !colour {
		env["NO_COLOR"] = "1"
	}
	sys.LookupEnv = func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
	return sys
}

// commandLine is args as typed into a shell.
func commandLine(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = arg
		if strings.ContainsAny(arg, " '") {
			words[i] = strconv.Quote(arg)
		}
	}
	return strings.Join(words, " ")
}
