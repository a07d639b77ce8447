package cmd

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"xship/config"
)

// manName is the name of the manual page of a command.
func manName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// page is a manual page that is written, in the macros of man(7).
type page struct{ bytes.Buffer }

// manPage is the manual page of a command. That of the program also has what all
// commands share, and the help topics.
func manPage(cmd *cobra.Command, date time.Time) []byte {
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	var p page
	name := manName(cmd)
	p.macro("TH", strings.ToUpper(name), "1", date.Format(time.DateOnly), "xship "+readVersion().Version, "xship manual")
	p.section("NAME")
	p.line(name + " - " + cmd.Short)
	p.section("SYNOPSIS")
	p.synopsis(cmd)
	p.section("DESCRIPTION")
	p.text(describe(cmd))
	p.commands(cmd)
	p.flags("OPTIONS", cmd.NonInheritedFlags())
	p.flags("GLOBAL OPTIONS", cmd.InheritedFlags())
	if cmd.Example != "" {
		p.section("EXAMPLES")
		p.text(cmd.Example)
	}
	if cmd.HasParent() {
		p.section("EXIT STATUS")
		p.text("0 where all went well. The codes of failures stand in xship(1), as do the files and variables that all commands share.")
	} else {
		p.shared(cmd)
	}
	p.section("SEE ALSO")
	p.seeAlso(cmd)
	return p.Bytes()
}

func describe(cmd *cobra.Command) string {
	if cmd.Long != "" {
		return cmd.Long
	}
	return cmd.Short + "."
}

func (p *page) synopsis(cmd *cobra.Command) {
	_, arguments, _ := strings.Cut(cmd.Use, " ")
	line := cmd.CommandPath()
	switch {
	case !cmd.HasParent(), cmd.HasSubCommands():
		arguments = "COMMAND [OPTION]..."
	case !strings.Contains(arguments, "[flags]"):
		arguments = strings.TrimSpace(arguments + " [OPTION]...")
	}
	p.macro("B", line)
	p.line(arguments)
}

// commands lists what is below a command.
func (p *page) commands(cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	p.section("COMMANDS")
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			p.item(sub.CommandPath(), "", sub.Short)
		}
	}
}

func (p *page) flags(title string, flags *pflag.FlagSet) {
	if !flags.HasAvailableFlags() {
		return
	}
	p.section(title)
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Deprecated != "" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		if isDefault := f.DefValue != "" && f.DefValue != "0" && f.DefValue != "false" && f.DefValue != "[]"; isDefault && !strings.Contains(usage, "default") {
			usage += " (default " + f.DefValue + ")"
		}
		p.item(name, value, usage)
	})
}

// shared is what all commands have in common, for the page of the program.
func (p *page) shared(root *cobra.Command) {
	p.section("EXIT STATUS")
	p.text(exitCodesHelp)
	for _, topic := range root.Commands() {
		if topic.IsAdditionalHelpTopicCommand() && !slices.Contains([]string{"exit-codes", "environment"}, topic.Name()) {
			p.section(strings.ToUpper(topic.Name()))
			p.text(topic.Long)
		}
	}
	p.section("FILES")
	for _, f := range [][2]string{
		{"~/.config/xship/config.yaml", "the settings; --config and XSHIP_CONFIG name another file, and XDG_CONFIG_HOME another folder"},
		{"~/.local/share/xship/", "the data directory; --data-dir and XSHIP_DATA_DIR name another one, and XDG_DATA_HOME the folder that it lies in"},
		{"xship.db", "in it: the health of the hosters, sources, streams, interfaces and the watchlist (SQLite)"},
		{"preferences.json", "in it: what happens where an interface cannot be loaded, and the order of the interfaces"},
		{"accounts.json", "in it: debrid accounts that were added"},
		{"logins.json", "in it: logins of your own servers"},
		{"groups/", "in it: groups of interfaces"},
	} {
		p.item(f[0], "", f[1])
	}
	p.section("ENVIRONMENT")
	p.text(environmentOrder)
	for _, v := range slices.Concat(config.OtherVariables(), otherPrograms) {
		p.item(v.Name, "", v.Description)
	}
	for _, k := range config.Keys() {
		meaning := k.Description
		if k.Default != "" {
			meaning += " (default " + k.Default + ")"
		}
		p.item(k.Env, "", "setting "+k.Name+": "+meaning)
	}
}

func (p *page) seeAlso(cmd *cobra.Command) {
	var names []string
	if cmd.HasParent() {
		names = append(names, manName(cmd.Parent()))
		for _, other := range cmd.Parent().Commands() {
			if other != cmd && other.IsAvailableCommand() && cmd.Parent().HasParent() {
				names = append(names, manName(other))
			}
		}
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, manName(sub))
		}
	}
	for i, name := range names {
		end := ","
		if i == len(names)-1 {
			end = ""
		}
		p.macro("BR", name, "(1)"+end)
	}
}

func (p *page) section(title string) { p.macro("SH", title) }

// item is a word, what stands for its value, and what it means.
func (p *page) item(word, value, meaning string) {
	p.macro("TP")
	p.WriteString(`\fB` + roff(word) + `\fR`)
	if value != "" {
		p.WriteString(` \fI` + roff(value) + `\fR`)
	}
	p.WriteByte('\n')
	p.line(meaning)
}

// macro is a request with arguments.
func (p *page) macro(name string, args ...string) {
	p.WriteString("." + name)
	for _, arg := range args {
		p.WriteString(` "` + strings.ReplaceAll(roff(arg), `"`, `\(dq`) + `"`)
	}
	p.WriteByte('\n')
}

// text is text as help has it: paragraphs, and lines that are indented and stay as they
// are.
func (p *page) text(s string) {
	asIs, apart := false, false
	for line := range strings.Lines(strings.TrimRight(s, "\n")) {
		line = strings.TrimSuffix(line, "\n")
		indented := strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "\t")
		switch {
		case line == "":
			apart = true
			continue
		case indented && !asIs:
			p.macro("PP")
			p.macro("EX")
		case !indented && asIs:
			p.macro("EE")
			p.macro("PP")
		case apart && asIs:
			p.WriteByte('\n')
		case apart:
			p.macro("PP")
		}
		asIs, apart = indented, false
		p.line(line)
	}
	if asIs {
		p.macro("EE")
	}
}

// line is a line of text, which is no request whatever it begins with.
func (p *page) line(s string) { p.WriteString(`\&` + roff(s) + "\n") }

// roff writes text so that it is shown as it is, in ASCII.
func roff(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r == '\t':
			b.WriteString("    ")
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	return b.String()
}
