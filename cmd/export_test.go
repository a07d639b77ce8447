package cmd

import "time"

// CommandNames are the commands that do something, by their names.
func CommandNames() (names []string) {
	for _, cmd := range withSubcommands(newRootCmd(newApp(System{Now: time.Now}))) {
		if cmd.HasParent() && !cmd.HasSubCommands() && cmd.Runnable() {
			names = append(names, commandName(cmd))
		}
	}
	return names
}
