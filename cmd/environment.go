package cmd

import (
	"strings"

	"github.com/spf13/cobra"

	"xship/cmd/term"
	"xship/config"
)

// newEnvironmentTopic is the help topic of the variables of the environment.
func newEnvironmentTopic() *cobra.Command {
	topic := &cobra.Command{Use: "environment", Short: "The variables of the environment, those of all settings too"}
	topic.SetHelpFunc(func(cmd *cobra.Command, args []string) { // its text takes longer than all other commands together
		cmd.Long = environmentHelp()
		cmd.Parent().HelpFunc()(cmd, args)
	})
	return topic
}

// otherPrograms are the variables that xship shares with other programs.
var otherPrograms = []config.Variable{
	{Name: "NO_COLOR", Description: "not empty: no colours; --color goes before it"},
	{Name: "CLICOLOR_FORCE", Description: "not empty and not 0: colours where no terminal is, too; NO_COLOR goes before it"},
	{Name: "TERM", Description: "dumb: no colours, and questions are answered by a number"},
	{Name: "ACCESSIBLE", Description: "not empty: questions are answered by a number, as suits screen readers"},
	{Name: "LC_ALL, LC_MESSAGES, LANG", Description: "language of questions: English, German or Chinese"},
	{Name: "VISUAL, EDITOR", Description: "the editor of xship config edit, with its arguments"},
	{Name: "HTTP_PROXY, HTTPS_PROXY, ALL_PROXY", Description: "the proxy of all calls, unless the setting network.proxy names one"},
	{Name: "NO_PROXY", Description: "hosts that are called without a proxy"},
	{Name: "XDG_CONFIG_HOME", Description: "an absolute path: the settings file is xship/config.yaml in it, else in ~/.config"},
	{Name: "XDG_DATA_HOME", Description: "an absolute path: the data directory is xship in it, else in ~/.local/share"},
}

// environmentOrder says what variables count for.
const environmentOrder = `A variable goes before the settings file, and a flag before both. An empty one
is none. One that begins with XSHIP_ and is not listed here is a warning.`

// environmentHelp is made from the keys of the settings.
func environmentHelp() string {
	const width, margin = 80, 6
	var b strings.Builder
	entry := func(name, description string) {
		b.WriteString("  " + name + "\n")
		b.WriteString(strings.Join(term.Hanging(strings.Repeat(" ", margin), margin, description, width), "\n") + "\n")
	}
	b.WriteString(environmentOrder + "\n\n")
	for _, v := range config.OtherVariables() {
		entry(v.Name, v.Description)
	}
	b.WriteString("\nSettings, each with its kind and its default (see xship config show):\n\n")
	for _, k := range config.Keys() {
		standard := k.Default
		if standard == "" {
			standard = "empty"
		}
		entry(k.Env+"  ("+k.Type()+", "+standard+")", k.Name+": "+k.Description)
	}
	b.WriteString("\nVariables that other programs have too:\n\n")
	for _, v := range otherPrograms {
		entry(v.Name, v.Description)
	}
	return strings.TrimRight(b.String(), "\n")
}
