package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xship/sources/text"
)

// flagError is the usage error of a flag that cannot be read. Of one that there is not
// it names the one that was probably meant.
func flagError(cmd *cobra.Command, err error) error {
	msg, _, _ := strings.Cut(err.Error(), ": strconv.") // the parser's own words help nobody
	e := &usageError{msg: msg, hint: "see " + cmd.CommandPath() + " --help"}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok && strings.HasPrefix(invalid.GetFlag().Value.Type(), "int") {
		e.hint = "--" + invalid.GetFlag().Name + " takes a whole number"
		if title := "-" + invalid.GetFlag().Shorthand + invalid.GetValue(); isTitle(cmd, title) {
			e.hint += "; " + behindDashes(cmd, title)
		}
		return e
	}
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok {
		return e
	}
	name, title := unknown.GetSpecifiedName(), "--"+unknown.GetSpecifiedName()
	if shorthands := unknown.GetSpecifiedShortnames(); shorthands != "" {
		name, title = longer(shorthands, name), "-"+shorthands
		e.msg = "unknown flag: -" + text.Clean(name)
	}
	_, takesWords := argumentWords[commandName(cmd)]
	switch near := text.Nearest(name, flagNames(cmd)); {
	case isTitle(cmd, title):
		e.hint = behindDashes(cmd, title)
	case takesWords && strings.HasPrefix(e.msg, "unknown flag: -") && name != "" && strings.IndexByte("0123456789.", name[0]) >= 0:
		e.hint = behindDashes(cmd, "-"+name)
	case slices.Contains([]string{"json", "tsv", "table"}, name) && cmd.Flags().Lookup("output") != nil:
		e.hint = "give it as -o " + name
	case near != "":
		e.hint = "did you mean --" + near + "?"
	case belowHas(cmd, name):
		e.hint = "give --" + name + " behind its command"
	}
	return e
}

// isTitle tells whether a command may have been given a title where it saw flags.
func isTitle(cmd *cobra.Command, arg string) bool {
	return strings.Contains(cmd.Use, " TITLE") && strings.Contains(arg, " ")
}

// behindDashes is the line to type where a word that is meant for an argument begins with
// a dash, as numbers and the film "-30-" do.
func behindDashes(cmd *cobra.Command, word string) string {
	if commandName(cmd) != "config set" {
		return "what begins with - comes behind --: " + typed(cmd, "TITLE", "--", word)
	}
	return "a value that begins with - comes behind --: xship config set KEY -- VALUE"
}

// longer is a group of flags of one letter without the value that may be part of it, the
// one flag where there is no more.
func longer(shorthands, one string) string {
	group, _, _ := strings.Cut(shorthands, "=")
	if group == "" {
		return one
	}
	return group
}

// flagNames are the names of the flags that a command has.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// belowHas tells whether a command below cmd has the flag.
func belowHas(cmd *cobra.Command, flag string) bool {
	return slices.ContainsFunc(cmd.Commands(), func(sub *cobra.Command) bool {
		return sub.LocalFlags().Lookup(flag) != nil || belowHas(sub, flag)
	})
}

// notOneOf is the usage error of a flag whose value is none of those that are known; of
// names the command where it matters.
func notOneOf(flag, value, of string, known []string) *usageError {
	return &usageError{
		msg:  fmt.Sprintf("--%s %q%s is none of %s", flag, text.Clean(value), of, strings.Join(known, ", ")),
		hint: text.DidYouMean(value, known, ""),
	}
}

// oneOf is the hint for a word that is none of those that are known.
func oneOf(word string, known []string) string {
	all := "one of " + strings.Join(known, ", ")
	if near := text.Nearest(word, known); near != "" {
		return "did you mean " + near + "? It is " + all
	}
	return all
}
