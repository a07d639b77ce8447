package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"xship/cmd/api"
	"xship/cmd/term"
	"xship/sources/sourcetest/world"
	"xship/sources/text"
)

func newDemoCmd(a *app) *cobra.Command {
	var serve bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show what xship does, on a small internet inside this machine",
		Long: `Start a few interfaces, sites and hosters on loopback addresses, some of them
broken, and run the commands of xship on them. Nothing leaves the machine, and
what the demo stores is gone at its end.

With --serve the commands are yours: the demo prints the URL of an interface, and
stays until Ctrl-C.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if serve {
				return serveDemo(cmd.Context(), a)
			}
			return runDemo(cmd.Context(), a)
		},
	}
	cmd.Flags().BoolVar(&serve, "serve", false, "leave the small internet up, for commands of your own")
	return cmd
}

// demoLatency is how long the servers of the demo think.
const demoLatency = 20 * time.Millisecond

// serveDemo leaves the world of the demo up until ctx ends, and says how to use it.
func serveDemo(ctx context.Context, a *app) error {
	story, err := world.StartStory(ctx, world.Config{Latency: demoLatency})
	if err != nil {
		return err
	}
	defer story.Close()
	url := story.Good.URL()
	if err := a.writeLine(url); err != nil {
		return err
	}
	a.note(`That is an interface with films, and with a series in two seasons. In another terminal:

  xship scan %q --interface %s
  xship scan %q --interface %[2]s

One of its sites never answers; XSHIP_SCAN_SITE_TIMEOUT=2s makes the wait for it short.
To keep it for a while: xship interfaces add %[2]s --name demo
Ctrl-C ends it.`, story.Film.Name, url, "Paper Lantrens")
	<-ctx.Done()
	if terminated(ctx) {
		return nil
	}
	return ctx.Err()
}

// demoSiteTimeout is how long the demo waits for the site that hangs.
const demoSiteTimeout = 1500 * time.Millisecond

// demoWidth is the width in columns of all that the demo writes.
const demoWidth = 80

// demo tells the story: words for people, and real commands on the world.
type demo struct {
	app   *app
	out   io.Writer
	story *world.Story
	dir   string        // holds all that the commands store
	ahead time.Duration // of the clock that the commands see, before the real one
	err   error         // the first that made the rest pointless
}

func runDemo(ctx context.Context, a *app) (err error) {
	dir, err := os.MkdirTemp("", "xship-demo-")
	if err != nil {
		return fmt.Errorf("make a directory for the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	story, err := world.StartStory(ctx, world.Config{Latency: demoLatency})
	if err != nil {
		return err
	}
	defer story.Close()
	d := &demo{app: a, out: a.Stdout, story: story, dir: dir}
	for _, chapter := range []func(context.Context){
		d.interfaces, d.scan, d.precacher, d.badLink, d.failingHoster, d.ladder, d.deadLink, d.outage, d.recovery,
	} {
		chapter(ctx)
	}
	d.say("That was all. Now try it: xship scan \"Big Buck Bunny\"")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return d.err
}

func (d *demo) interfaces(ctx context.Context) {
	d.chapter("Interfaces", `
An interface is a URL that lists sites to search. The first one here is broken:
it is stored all the same, with a warning. The second one works. They are tried
in the order in which they were added, unless you name another: the scan below
begins at the broken one, and moves on.`)
	d.run(ctx, "interfaces", "add", d.story.Broken.URL(), "--name", "broken")
	d.run(ctx, "interfaces", "add", d.story.Good.URL(), "--name", "good")
}

func (d *demo) scan(ctx context.Context) {
	d.chapter("A scan", fmt.Sprintf(`
All sites are asked at once. One of them, %s, takes the question and
never answers: the scan waits %.1f s for it (10 s unless told otherwise) and lists
what the others have, best first, without sequels and namesakes.`, d.story.Hanging.Entry().Name, demoSiteTimeout.Seconds()))
	d.run(ctx, d.film("scan")...)
	d.say(`A site that failed rests for a while: the next question skips it, and is fast.
"Nothing found" is an answer, not an error.`)
	d.run(ctx, "scan", d.story.Unknown.Name)
}

func (d *demo) precacher(ctx context.Context) {
	d.chapter("The precacher", `
The files lie on hosters, which are not the sites: three of them here. Whether
they work is found out before anybody presses play. The precacher, a daemon,
works through the watchlist in cycles: it scans the titles, resolves each source
to a stream, and reads what the stream holds.`)
	d.run(ctx, d.film("watch", "add")...)
	d.run(ctx, "watch", "add", "Cogwheel Summer", "--year", "2022")
	d.cycle(ctx)
	d.say("This is what the hoster table knows now:")
	d.run(ctx, "hosters", "stats")
}

func (d *demo) badLink(ctx context.Context) {
	hoster := d.story.Hosters[0]
	const file = "*1080p*"
	d.chapter("One bad link", fmt.Sprintf(`
%s has a file that it cannot serve: it answers 503 for that one, and the
others work. The first fail counts, since nobody can know whose fault it is, and
the hoster is left alone for 5 s.`, hoster.IP()))
	hoster.SetFileMode(file, world.Mode503)
	d.wait(2 * time.Second)
	d.cycle(ctx)
	d.say(`When that is over another link of the hoster is tested, which works. So it is the
link that is bad, and however often it fails, it hides nobody any more.`)
	for range 2 {
		d.wait(6 * time.Second)
		d.cycle(ctx)
	}
	d.run(ctx, "hosters", "log", hoster.IP())
	d.say("The list has all the hosters that it had before:")
	d.run(ctx, d.film("scan")...)
	hoster.SetFileMode(file, world.ModeOK)
}

func (d *demo) failingHoster(ctx context.Context) {
	failing := d.story.Hosters[1]
	d.chapter("A hoster fails", fmt.Sprintf(`
From now on %s answers 503 to everything. The next cycle notices.`, failing.IP()))
	failing.SetMode(world.Mode503)
	d.wait(2 * time.Second)
	d.cycle(ctx)
	d.say(`A hoster that failed since its last success is hidden from lists. The scan says
what is missing, and why; the list itself comes from the cache.`)
	d.run(ctx, d.film("scan")...)
}

func (d *demo) ladder(ctx context.Context) {
	d.chapter("The ladder", `
Each fail in a row makes the pause longer in which the hoster is left alone:
5 s, 10 s, 20 s, 30 s, 60 s, 300 s, then an hour. The demo does not sit through
them: it puts its clock forward, and then runs the next cycle.`)
	for _, block := range []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second} {
		d.say(fmt.Sprintf("The clock moves on by %.0f s, to the end of the block:", block.Seconds()))
		d.wait(block)
		d.cycle(ctx)
	}
	d.say("The fourth fail in a row is worth a line in the log. The table:")
	d.run(ctx, "hosters", "stats", "--failing")
}

func (d *demo) deadLink(ctx context.Context) {
	d.chapter("A dead link", `
Somebody has deleted the file that is first in the list. play finds that out,
says so and takes the next one. The hoster has done nothing wrong: a dead link
does not count against it.`)
	d.story.Hosters[2].Remove(world.BestFile)
	d.run(ctx, d.film("play")...)
}

func (d *demo) outage(ctx context.Context) {
	d.chapter("The network goes", `
Now every connection is reset, whatever hoster it goes to. Several hosters that
fail while none works are no bad hosters, but a bad line: the guard takes their
fails back, and counts none until something works again.`)
	for _, h := range d.story.Hosters {
		h.SetMode(world.ModeReset)
	}
	d.wait(5 * time.Second)
	d.cycle(ctx)
	d.run(ctx, "hosters", "stats")
	d.say("So nobody else is hidden, and the list is what it was before:")
	d.run(ctx, d.film("scan")...)
}

func (d *demo) recovery(ctx context.Context) {
	d.chapter("Recovery", fmt.Sprintf(`
A minute later the line is back, and %s works again too. One success is
enough: the next cycle makes it visible.`, d.story.Hosters[1].IP()))
	for _, h := range d.story.Hosters {
		h.SetMode(world.ModeOK)
	}
	d.wait(time.Minute)
	d.cycle(ctx)
	d.run(ctx, d.film("scan")...)
	d.run(ctx, "hosters", "stats")
}

// film is a command with the film of the story.
func (d *demo) film(command ...string) []string {
	return append(command, d.story.Film.Name, "--year", strconv.Itoa(d.story.Film.Year))
}

func (d *demo) cycle(ctx context.Context) { d.run(ctx, "precache", "--once") }

// wait puts the clock of the commands forward.
func (d *demo) wait(t time.Duration) { d.ahead += t }

func (d *demo) chapter(title, text string) {
	d.say(strings.ToUpper(title) + "\n" + strings.TrimPrefix(text, "\n"))
}

func (d *demo) say(text string) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.out, "\n%s\n", text)
	}
}

// run shows a command line and runs it as the user would. A failure ends the
// story.
func (d *demo) run(ctx context.Context, args ...string) {
	if d.err != nil || ctx.Err() != nil {
		return
	}
	if _, d.err = fmt.Fprintf(d.out, "\n$ xship %s\n", commandLine(args)); d.err != nil {
		return
	}
	if code := run(ctx, args, d.system()); code != api.ExitOK && ctx.Err() == nil {
		d.err = fmt.Errorf("the demo ran xship %s, which failed with exit code %d", commandLine(args), code)
	}
}

// system is what the commands of the demo see: one stream for all that they
// write, tables at any rate, a clock that is ahead, and none of the user's own
// settings and data.
func (d *demo) system() System {
	sys := d.app.System
	colour := d.app.colour(sys.Stdout)
	out := &term.FoldWriter{W: d.out, Width: demoWidth}
	sys.Stdout = term.Stream{Writer: out, Terminal: true, Width: func() int { return demoWidth }}
	sys.Stderr, sys.Undated = term.Stream{Writer: out}, true
	sys.Interactive = false // nothing of the story waits for an answer
	ahead := d.ahead
	sys.Now = func() time.Time { return d.app.Now().Add(ahead) }
	env := map[string]string{
		"XSHIP_DATA_DIR":            d.dir,
		"XDG_CONFIG_HOME":           d.dir,
		"XSHIP_SCAN_SITE_TIMEOUT":   demoSiteTimeout.String(),
		"XSHIP_PRECACHE_STREAM_TTL": "1s", // so that each cycle has something to do
	}
	if !colour {
		env["NO_COLOR"] = "1"
	}
	sys.Environ = nil
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
		words[i] = text.ShellWord(arg)
	}
	return strings.Join(words, " ")
}
