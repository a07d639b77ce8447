package cmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xship/config"
	"xship/sources/link"
	"xship/sources/text"
)

// likelyCommands are, of groups of commands, those that somebody means who names only what
// they work on.
var likelyCommands = map[string]string{
	"watch": "add", "hosters": "log", "accounts": "add", "interfaces": "use", "backup": "export", "config": "show", "cooldowns": "list",
}

// otherNames are what other programs call our commands.
var otherNames = map[string][]string{
	"add": {"new", "create", "insert"}, "remove": {"rm", "delete", "del", "uninstall", "clear"}, "list": {"ls", "all", "status", "show"}, "use": {"switch", "select"},
	"show": {"list", "ls", "get", "print"}, "stats": {"list", "ls", "show", "status"}, "log": {"history", "events"}, "clear": {"reset", "remove", "flush"},
	"reset": {"clear"}, "export": {"save", "dump", "create"}, "import": {"restore", "load"}, "check": {"test", "validate"},
	"precache": {"daemon", "cron", "prefetch"}, "scan": {"find", "sources"}, "play": {"resolve", "open", "stream"}, "doctor": {"diagnose", "health"},
	"interfaces": {"sources", "sites", "providers"}, "accounts": {"debrid", "login", "keys"}, "config": {"settings"},
}

// nameAlike has commands be suggested for what other programs call them.
func nameAlike(root *cobra.Command) {
	for _, cmd := range withSubcommands(root) {
		cmd.SuggestFor = append(cmd.SuggestFor, otherNames[cmd.Name()]...)
	}
}

// inPlaceOf says, of commands without arguments, what somebody means who gives them one.
var inPlaceOf = map[string]string{
	"hosters stats":   "xship hosters log NAME shows one hoster",
	"cooldowns list":  "xship cooldowns clear --provider NAME ends some of them",
	"cooldowns clear": "xship cooldowns clear --provider NAME, or --user N, ends some of them",
	"accounts list":   "xship accounts check PROVIDER asks about one",
	"watch list":      "xship watch add TITLE puts a title on it",
	"interfaces list": "xship interfaces check NAME looks into one",
	"precache":        "it works through the watchlist, which xship watch add TITLE fills",
}

// inPlaceOfCommand says what is typed in place of a command that a group has not, and that
// none of its own is called like.
var inPlaceOfCommand = map[string]string{
	"watch export":     "xship watch list -o json > FILE writes the watchlist, and xship watch import FILE reads it",
	"config unset":     "xship config set KEY --unset",
	"config reset":     "xship config set KEY --unset",
	"config get":       "xship config show lists all settings",
	"interfaces clear": "xship interfaces remove NAME removes one",
}

// argument is an argument as messages show it: it may hold a secret that was to be given
// otherwise.
func argument(arg string) string { return link.RedactInterfaceText(text.Clean(arg)) }

// typed is a command line with arguments, as it is typed into a shell. An argument that
// holds a secret is not shown: what stands for it is.
func typed(cmd *cobra.Command, stands string, args ...string) string {
	line := cmd.CommandPath()
	for _, arg := range args {
		if word := text.Clean(arg); argument(arg) == word {
			line += " " + text.ShellWord(word)
		} else {
			line += " " + stands
		}
	}
	return line
}

// unknownCommand is the usage error of what stands in the place of a command.
func unknownCommand(cmd *cobra.Command, args []string) *usageError {
	e := &usageError{msg: fmt.Sprintf("unknown command %s for %s", argument(args[0]), cmd.CommandPath())}
	if link.InTitle(args[0]) {
		e.msg = "a link or a path is no command of " + cmd.CommandPath()
	}
	cmd.SuggestionsMinimumDistance = 2
	if len(args[0]) < 5 { // two letters make another word of it
		cmd.SuggestionsMinimumDistance = 1
	}
	var similar []string
	for _, name := range cmd.SuggestionsFor(args[0]) {
		similar = append(similar, cmd.CommandPath()+" "+name)
	}
	if !cmd.HasParent() {
		similar = append(similar, commandsCalled(cmd, args[0])...)
	}
	if near := text.Nearest(args[0], commandNames(cmd)); near != "" && len(similar) == 0 { // such as two letters swapped
		similar = append(similar, cmd.CommandPath()+" "+near)
	}
	slices.Sort(similar)
	similar = slices.Compact(similar)
	switch line, ok := inPlaceOfCommand[commandName(cmd)+" "+strings.ToLower(args[0])]; {
	case ok:
		e.hint = line
	case len(similar) > 0:
		e.hint = "did you mean " + strings.Join(similar, " or ") + "?"
	case !cmd.HasParent() && link.InTitle(args[0]):
		e.hint = "xship interfaces add URL adds an interface, and xship play URL plays a link"
	case !cmd.HasParent():
		e.hint = typed(cmd, "TITLE", "scan", strings.Join(args, " ")) + " looks for a title; xship --help lists the commands"
	default:
		e.hint = likelyLine(cmd, args)
	}
	return e
}

// commandsCalled are the commands below groups that are called so, as lines to type.
func commandsCalled(root *cobra.Command, name string) []string {
	var lines []string
	for _, group := range root.Commands() {
		for _, sub := range group.Commands() {
			called := strings.EqualFold(sub.Name(), name) || slices.Contains(sub.SuggestFor, strings.ToLower(name))
			if called && sub.IsAvailableCommand() {
				lines = append(lines, sub.CommandPath())
			}
		}
	}
	return lines
}

// likelyLine is what is typed in place of what names no command of a group.
func likelyLine(group *cobra.Command, args []string) string {
	name := likelyCommands[group.Name()]
	switch {
	case group.Name() == "interfaces" && link.InTitle(args[0]):
		name = "add"
	case group.Name() == "watch":
		args = []string{strings.Join(args, " ")}
	case group.Name() == "accounts":
		if _, ok := config.DebridProviderNamed(args[0]); !ok {
			args = []string{"PROVIDER"}
		} else {
			args = args[:1] // what follows may be a key
		}
	case group.Name() == "config" && len(args) == 2:
		name = "set"
	case name == "show" || name == "list":
		args = nil
	}
	for _, sub := range group.Commands() {
		if sub.Name() == name {
			return "did you mean " + typed(sub, "URL", args...) + "?"
		}
	}
	return "usage: " + subcommandsLine(group)
}

// subcommandsLine is a group with what may follow it.
func subcommandsLine(group *cobra.Command) string {
	return group.CommandPath() + " " + strings.Join(commandNames(group), "|")
}

// commandNames are the names of the commands of a group.
func commandNames(group *cobra.Command) []string {
	var names []string
	for _, sub := range group.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

// tooMany is the usage error of arguments that a command does not take.
func tooMany(cmd *cobra.Command, args []string) *usageError {
	e := &usageError{msg: fmt.Sprintf("%s takes no arguments, got %s", commandName(cmd), argument(args[0])), hint: "usage: " + cmd.UseLine()}
	switch more := inPlaceOf[commandName(cmd)]; {
	case slices.Contains([]string{"help", "-h", "?"}, args[0]):
		e.hint = "type " + cmd.CommandPath() + " --help"
	case more != "":
		e.hint += "; " + more
	}
	return e
}

// moreThanOne is the usage error of several arguments where one is taken. They are not
// repeated where one may hold a secret.
func moreThanOne(cmd *cobra.Command, args []string) *usageError {
	e := &usageError{msg: fmt.Sprintf("%s takes one argument, got %d", commandName(cmd), len(args)), hint: "usage: " + cmd.UseLine()}
	switch {
	case commandName(cmd) == "interfaces add":
		e.hint += "; the name goes with --name"
	case !slices.ContainsFunc(args, link.InTitle):
		e.hint = "words that belong together stand in quotes: " + typed(cmd, "NAME", strings.Join(args, " "))
	}
	return e
}

// backupFailed says what to do about a file that cannot be written or read as a backup by
// the command of a name.
func backupFailed(err error, command string) error {
	if err == nil {
		return nil
	}
	hint := "xship backup import FILE reads a file that xship backup export FILE wrote"
	if command == "export" {
		hint = "name a file in a folder that is there and yours: xship backup export xship-backup.json"
	}
	return text.WithHint(err, hint)
}
