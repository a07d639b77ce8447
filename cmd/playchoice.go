package cmd

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources/text"
)

// sourceChoice asks what is to be played: the rows of the list.
func sourceChoice(m messages, from []engine.Candidate) term.Choice {
	cancel := term.Option{Text: m.cancel, Value: answerCancel}
	c := term.Choice{Title: m.whichSource, Default: answerCancel, Words: m.words()}
	for i, text := range candidateRows(from) {
		c.Options = append(c.Options, term.Option{Text: text, Value: strconv.Itoa(i)})
	}
	c.Options = append(c.Options, cancel)
	return c
}

// candidateRows are sources in a line each, in columns as in the list. What a narrow
// terminal cuts off is the end of the name.
func candidateRows(from []engine.Candidate) []string {
	const hosterWidth = 18
	columns := make([][]string, 0, len(from))
	widths := make([]int, 4)
	for _, c := range from {
		row := "-"
		if c.Row > 0 {
			row = strconv.Itoa(c.Row)
		}
		cells := []string{row, string(c.Quality), text.Clean(c.Language), term.Snip(engine.HosterTitle(c.Hoster), hosterWidth)}
		for i, cell := range cells {
			widths[i] = max(widths[i], term.CellWidth(cell))
		}
		columns = append(columns, cells)
	}
	rows := make([]string, 0, len(from))
	for i, c := range from {
		var b strings.Builder
		for column, cell := range columns[i] {
			pad := strings.Repeat(" ", widths[column]-term.CellWidth(cell))
			if column == 0 {
				cell, pad = pad+cell, ""
			}
			if widths[column] > 0 {
				b.WriteString(cell + pad + " ")
			}
		}
		if c.Mark != "" {
			b.WriteString("(" + c.Mark + ") ")
		}
		b.WriteString(text.Clean(c.Name))
		rows = append(rows, b.String())
	}
	return rows
}

// askSource asks the user with which source to begin. Esc makes no choice.
func (a *app) askSource(ctx context.Context, from []engine.Candidate) (i int, ok bool, err error) {
	answer, err := a.dialog().Ask(ctx, sourceChoice(a.messages(), from))
	switch {
	case errors.Is(err, term.ErrNoAnswer), err == nil && answer == answerCancel:
		return 0, false, nil
	case err != nil:
		return 0, false, err
	}
	i, err = strconv.Atoi(answer)
	return i, err == nil, err
}
