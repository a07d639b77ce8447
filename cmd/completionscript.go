package cmd

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// bashWords takes the place of a function of the script for bash, which leaves a name with
// spaces unquoted where several begin alike, and knows no open quote.
const bashWords = `
# Words are quoted as they are typed: in the quotes that are open, else by backslashes.
__xship_handle_standard_completion_case() {
    local tab=$'\t' line name word longest=0

    for line in "${completions[@]}"; do
        name=${line%%$tab*}
        printf -v word "%q" "$name"
        [[ $word == "$cur"* ]] || continue
        case $__xship_quote in
        \")
            word=${name//\\/\\\\}
            word=${word//\"/\\\"}
            word=${word//\$/\\\$}
            word=${word//\` + "`" + `/\\\` + "`" + `}
            ;;
        \')
            word=${name//\'/\'\\\'\'}
            ;;
        esac
        ((${#word} > longest)) && longest=${#word}
        COMPREPLY+=("$word${line#"$name"}")
    done

    # No part of a word in quotes is a word of its own, as those before a colon are else.
    [[ -n $__xship_quote ]] && cur=

    if ((${#COMPREPLY[*]} == 1)); then
        COMPREPLY[0]=${COMPREPLY[0]%%$tab*}
    else
        __xship_format_comp_descriptions $longest
    fi
}
`

// scriptChange is a change to a script of cobra.
type scriptChange struct{ was, is string }

// The changes to the scripts, which evaluate what is typed: a quote that is open is closed
// for that. For zsh a backslash is marked as well as a colon.
var (
	bashChanges = []scriptChange{
		{`    args=("${words[@]:1}")
`, `    args=("${words[@]:1}")
    __xship_quote=
    if [[ $cur == [\"\']* && ( ${#cur} -eq 1 || $cur != *"${cur:0:1}" ) ]]; then
        __xship_quote=${cur:0:1}
    fi
`},
		{` ${args[*]}"
`, ` ${args[*]}${__xship_quote}"
`},
		{`    # Extract the directive integer at the very end`, `    # What is in an open quote is compared like all else.
    if [[ -n $__xship_quote ]]; then
        cur=${cur:1}
        [[ -n $cur ]] && printf -v cur "%q" "$cur"
    fi

    # Extract the directive integer at the very end`},
	}
	zshChanges = []scriptChange{
		{` ${words[2,-1]}"`, ` ${words[2,-1]}${compstate[quote]}"`},
		{`            comp=${comp//:/\\:}
`, `            comp=${comp//\\/\\\\}
            comp=${comp//:/\\:}
`},
	}
)

// quoteWords has the completion scripts complete words with spaces and quotes rightly.
func (a *app) quoteWords(completion *cobra.Command) {
	root := completion.Root()
	for _, shell := range completion.Commands() {
		shell.Args = noArgs
		switch shell.Name() {
		case "bash":
			shell.RunE = a.writeScript(root.GenBashCompletionV2, bashChanges, bashWords)
		case "zsh":
			shell.RunE = a.writeScript(func(w io.Writer, described bool) error {
				if described {
					return root.GenZshCompletion(w)
				}
				return root.GenZshCompletionNoDesc(w)
			}, zshChanges, "")
		}
	}
}

// writeScript writes a script of cobra with changes, and more behind it.
func (a *app) writeScript(generate func(w io.Writer, described bool) error, changes []scriptChange, more string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		plain, err := cmd.Flags().GetBool("no-descriptions")
		if err != nil {
			return err
		}
		var script bytes.Buffer
		if err := generate(&script, !plain); err != nil {
			return err
		}
		changed := script.String()
		for _, c := range changes {
			if strings.Count(changed, c.was) != 1 {
				return fmt.Errorf("the completion script has changed: %q is not where it was", c.was)
			}
			changed = strings.Replace(changed, c.was, c.is, 1)
		}
		_, err = io.WriteString(a.Stdout, changed+more)
		return err
	}
}
