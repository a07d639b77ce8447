package cmd

import (
	"strings"

	"github.com/spf13/cobra"
)

// newTopics are the help topics that belong to no command alone.
func newTopics() []*cobra.Command {
	return []*cobra.Command{
		newExitCodesTopic(), newEnvironmentTopic(),
		{Use: "titles", Short: "How to say which film or episode is meant", Long: titlesHelp},
		{Use: "health", Short: "Why sources are hidden, and when they come back", Long: healthHelp},
		{Use: "formats", Short: "The output for people, for scripts and for programs", Long: formatsHelp},
	}
}

// listTopics has the help of the program list the topics by the names that xship help
// takes.
func listTopics(root *cobra.Command) {
	root.SetUsageTemplate(strings.NewReplacer(
		"Additional help topics:", "Help topics (xship help TOPIC):",
		"{{rpad .CommandPath .CommandPathPadding}}", "{{rpad .Name .NamePadding}}",
	).Replace(root.UsageTemplate()))
}

const titlesHelp = `A title is one argument, so a name with spaces stands in quotes:

  xship scan "Big Buck Bunny"

Which of several films of that name is said by its year, or for sure by its IMDb id:

  xship scan "Night of the Living Dead" --year 1968
  xship scan "Night of the Living Dead" --imdb tt0063350

An episode has a season and a number; season 0 are specials:

  xship scan "Some Series" --season 2 --episode 1
  xship scan "Some Series S02E01"

Sites are asked by name. Where one knows the title by another name, give that too:

  xship scan "Spirited Away" --alias "Sen to Chihiro no Kamikakushi"

A title on the watchlist is completed by the shell, and has a number that
xship watch remove and xship watch next take.`

const healthHelp = `A hoster is who serves the bytes of a source. One that failed since its last success is
hidden from lists, with all its sources, until it works again:

  xship hosters stats        the hosters, and how they do
  xship hosters log NAME     the last attempts at one of them
  xship scan TITLE --all     hidden sources too, marked
  xship hosters reset NAME   forget the fails of one of them

Each failed attempt in a row blocks a hoster for longer: 5 s, 10 s, 20 s, 30 s, 60 s,
300 s, then an hour. One success takes all back. While the network is down nothing is
counted. A link that is gone is the link's fault, not its hoster's.

Hosters are tried by the probe after a scan on a terminal, by xship play, and by the
daemon, xship precache, which finds out ahead of time.`

const formatsHelp = `Lists are tables on a terminal, and tab separated values with a header line where
they are piped. -o chooses:

  -o table   for people; it fits the width of the terminal
  -o tsv     for scripts: all columns, whole values
  -o json    for programs: one document

xship play prints an address; -o kodi puts the headers behind it, and -o json tells
all. Only results are on standard output. Notes, progress and logs are on standard
error; with -o json the last line of it is the error, where there is one:

  {"error":{"code":"...","message":"...","hint":"..."}}`
