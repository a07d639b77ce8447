package cmd

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources"
	"xship/sources/text"
)

// liveMarks say how the probe of a source is going.
type liveMarks struct{ begun, works, failed string }

// mark is the mark of a row, "" for lists without marks and for what was not tried.
func (m *liveMarks) mark(row engine.LiveRow) string {
	switch {
	case m == nil:
		return ""
	case row.Step == sources.ProbeBegan:
		return m.begun
	case row.Step == sources.ProbeWorks:
		return m.works
	case row.Step == sources.ProbeFailed:
		return m.failed
	default:
		return ""
	}
}

// marks are those that the terminal can show.
func (a *app) marks() *liveMarks {
	if !a.showsUnicode() {
		return &liveMarks{begun: ".", works: "+", failed: "x"}
	}
	return &liveMarks{begun: "…", works: "✓", failed: "✗"}
}

// drawsInPlace tells whether stdout is a terminal that shows a table, in which lines can
// be drawn anew. Those who have it read aloud hear each line once.
func (a *app) drawsInPlace() bool {
	return a.Stdout.Terminal && a.format() == outputTable && a.getenv("TERM") != "dumb" && a.getenv("ACCESSIBLE") == ""
}

// liveScan is a list on the terminal that is filled in place.
type liveScan struct {
	app   *app
	rows  *engine.LiveList
	shown shownList
}

// scanLive shows a list and fills it in place while its sources are probed. At the end
// the whole list stands there as it is then, and what else there is to know below it.
func (a *app) scanLive(ctx context.Context, e *engine.Engine, list *engine.List, all []sources.Source, o scanOptions) error {
	s := &liveScan{app: a, rows: list.Live(), shown: o.shown()}
	s.shown.live = a.marks()
	s.rows.Expect(all)
	probing, stop := context.WithCancel(ctx)
	defer stop()
	region := a.status.StartRegion(ctx, a.Stdout, a.Stderr.Terminal, s.lines, stop)
	if len(list.Sources) > 0 {
		e.WatchNextEpisode(ctx, list.Title)
	}
	probed, err := e.Probe(probing, all, engine.ProbeRequest{
		User:     o.user,
		Progress: func(p sources.ProbeProgress) { s.rows.Progress(p); region.Changed() },
		Outcome:  func(outcome sources.ProbeOutcome) { s.rows.Outcome(outcome); region.Changed() },
	})
	final, listErr := e.Relist(ctx, list, s.rows.Works())
	if listErr == nil {
		s.rows.End(final)
	}
	var b bytes.Buffer
	s.writeAll(&b)
	if ended := region.End(b.Bytes()); ended != nil {
		return fmt.Errorf("write the list: %w", ended)
	}
	if err = cmp.Or(err, listErr); err != nil {
		return err
	}
	s.notes(probed)
	a.noteResting(o.user, e.Resting(context.WithoutCancel(ctx), o.user), nil)
	return final.Verdict()
}

// notes says what the list does not, in lines that fit the terminal.
func (s *liveScan) notes(probed engine.Probed) {
	lines := append(scanNotes(s.rows.List()), probeNote(probed))
	if failed := s.rows.Failed(); failed != "" {
		lines = append(lines, failed)
	}
	for _, line := range lines {
		s.app.note("%s", s.fold(line))
	}
}

// fold breaks a line at its spaces where stderr is a terminal. One with a command in it is
// left to the terminal, from which it is copied as one line.
func (s *liveScan) fold(line string) string {
	if !s.app.Stderr.Terminal || strings.Contains(line, "xship ") {
		return line
	}
	var b strings.Builder
	_, _ = fmt.Fprint(&term.FoldWriter{W: &b, Width: s.app.Stderr.Columns()}, text.CleanLines(line)) // in memory
	return b.String()
}

// writeAll writes the whole list.
func (s *liveScan) writeAll(b *bytes.Buffer) {
	columns, colour := s.app.Stdout.Columns(), s.app.colour(s.app.Stdout)
	_ = scanList(s.rows.List(), s.rows.Rows(), s.shown).WriteTable(b, columns, colour) // in memory
	if !s.shown.explain {
		return
	}
	if left := s.notShown(); len(left) > 0 {
		_ = leftOutList(left).WriteTable(b, columns, colour)
	}
}

// notShown are the sources that are not listed, but for those that have a row.
func (s *liveScan) notShown() []engine.Explained {
	rows := make(map[string]bool)
	for _, row := range s.rows.Rows() {
		rows[row.ID] = true
	}
	var left []engine.Explained
	for _, src := range s.rows.List().NotListed() {
		if !rows[src.ID] {
			left = append(left, src)
		}
	}
	return left
}

// lines are what the terminal has room for: the list from its head, and how far the
// probe is.
func (s *liveScan) lines(columns, rows int) []string {
	all, total := s.rows.First(rows) // each takes a line at least
	table := scanList(s.rows.List(), all, s.shown).Table(columns, s.app.colour(s.app.Stdout))
	var foot []string
	if s.app.showsProgress() {
		foot = []string{term.Line(columns, s.progress()...)}
	}
	return fitRows(table, total, columns, rows-1-len(foot), foot)
}

// progress is how far the probe is.
func (s *liveScan) progress() []string {
	return (&probeLine{last: s.rows.Probe()}).parts()
}

// fitRows are the head of a table and as many of its rows as there is room for, with
// the number of the others of total, and the foot. Where there is room for no row, the head gives
// way.
func fitRows(table term.Table, total, columns, room int, foot []string) []string {
	rows := slices.Concat(table.Rows...)
	switch {
	case len(rows) == 0:
		return foot
	case len(table.Rows) == total && len(table.Head)+len(rows) <= room:
		return slices.Concat(table.Head, rows, foot)
	}
	room-- // for the number of the others
	var lines []string
	if len(table.Head)+len(table.Rows[0]) <= room {
		lines = append(lines, table.Head...)
	}
	shown := 0
	for _, row := range table.Rows {
		if len(lines)+len(row) > room {
			break
		}
		lines = append(lines, row...)
		shown++
	}
	more := text.Plural(total-shown, "more row")
	lines = append(lines, term.Snip("… and "+more+", shown at the end", columns))
	return append(lines, foot...)
}
