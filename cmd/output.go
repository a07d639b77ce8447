package cmd

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"xship/cmd/term"
)

// The output formats.
const (
	outputTable = "table"
	outputJSON  = "json"
	outputTSV   = "tsv"
)

// outputsAnnotation names, with commas, the output formats of a command that
// has others than most.
const outputsAnnotation = "outputs"

// outputs lists the output formats of a command.
func outputs(cmd *cobra.Command) []string {
	if own := cmd.Annotations[outputsAnnotation]; own != "" {
		return strings.Split(own, ",")
	}
	return []string{outputTable, outputJSON, outputTSV}
}

func (a *app) checkOutput(cmd *cobra.Command) error {
	if known := outputs(cmd); a.flags.output != "" && !slices.Contains(known, a.flags.output) {
		return notOneOf("output", a.flags.output, " of "+commandName(cmd), known)
	}
	return nil
}

// format is the output format of lists.
func (a *app) format() string {
	switch {
	case a.flags.output != "":
		return a.flags.output
	case a.Stdout.Terminal:
		return outputTable
	default:
		return outputTSV
	}
}

// asJSON tells whether results are written as JSON.
func (a *app) asJSON() bool { return a.flags.output == outputJSON }

// writeJSON writes the one document of a command.
func (a *app) writeJSON(doc any) error {
	enc := json.NewEncoder(a.Stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(doc)
}

// jsonLine is a document in one line.
func jsonLine(doc any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}

// writeLine writes a line of text as the result.
func (a *app) writeLine(line string) error {
	_, err := io.WriteString(a.Stdout, line+"\n")
	return err
}

// write writes the list as a table, or as tab separated values. An empty table
// is nothing.
func (a *app) write(l term.List) error {
	if a.format() == outputTSV {
		return l.WriteTSV(a.Stdout)
	}
	return l.WriteTable(a.Stdout, a.Stdout.Columns(), a.colour(a.Stdout))
}
