package cmd

import (
	"time"

	"github.com/spf13/pflag"
)

// CommandNames are the commands that do something, by their names.
func CommandNames() (names []string) {
	for _, cmd := range withSubcommands(newRootCmd(newApp(System{Now: time.Now}))) {
		if cmd.HasParent() && !cmd.HasSubCommands() && cmd.Runnable() {
			names = append(names, commandName(cmd))
		}
	}
	return names
}

// CommandFlags are the flags that the command of a name takes.
func CommandFlags(name string) (flags []string) {
	for _, cmd := range withSubcommands(newRootCmd(newApp(System{Now: time.Now}))) {
		if commandName(cmd) != name {
			continue
		}
		cmd.InitDefaultHelpFlag()
		add := func(f *pflag.Flag) { flags = append(flags, f.Name) }
		cmd.LocalFlags().VisitAll(add)
		cmd.InheritedFlags().VisitAll(add)
	}
	return flags
}
