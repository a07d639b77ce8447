package cmd

import (
	"strings"
	"testing"
	"time"

	"xship/cmd/term"
	"xship/precacher"
	"xship/sources"
)

func TestPrecacheLine(t *testing.T) {
	at := time.Date(2026, 12, 1, 15, 30, 0, 0, time.Local)
	scans := precacher.Progress{
		Doing: precacher.DoingScans, Due: 5, Busy: []string{"Paper Lanterns (2014)", "Harbour Nine S01E05", "Iron Ferry S01E02"},
		CycleSummary: sources.CycleSummary{Titles: 1, TitlesFailed: 1, Duration: 11 * time.Second},
	}
	work := precacher.Progress{
		Doing: precacher.DoingWork, Sources: 40, Done: 12, Busy: []string{"archive.example", "birch.example", "cobalt.example", "dune.example"},
		CycleSummary: sources.CycleSummary{Titles: 5, Resolved: 11, Probed: 10, Failed: 2, Duration: 82 * time.Second},
	}
	waits := precacher.Progress{
		Doing: precacher.DoingWait, Next: at.Add(15 * time.Minute),
		CycleSummary: sources.CycleSummary{Titles: 4, TitlesFailed: 1, Resolved: 39, Probed: 38, Failed: 2, Duration: 5 * time.Minute},
	}
	with := func(p precacher.Progress, change func(*precacher.Progress)) precacher.Progress {
		change(&p)
		return p
	}
	for _, c := range []struct {
		name  string
		width int
		p     precacher.Progress
		want  string
	}{
		{"at the start", 80, precacher.Progress{}, "looking for titles that are due · 1 s"},
		{"scans", 100, scans, "scanning titles 2/5 · Paper Lanterns (2014), Harbour Nine S01E05, Iron Ferry S01E02 · 12 s"},
		{"scans, 80 columns", 80, scans, "scanning titles 2/5 · Paper Lanterns (2014), Harbour Nine S01E05 +1 · 12 s"},
		{"scans, 50 columns", 50, scans, "scanning titles 2/5 · 12 s"},
		{"scans, 54 columns", 54, scans, "scanning titles 2/5 · Paper Lanterns (2014) +2 · 12 s"},
		{"scans, 20 columns", 20, scans, "scanning titles 2/…"},
		{"hostile", 100, with(scans, func(p *precacher.Progress) { p.Busy = []string{"A\x1b[2J\nB"} }), "scanning titles 2/5 · A B · 12 s"},
		{"no title is due", 80, precacher.Progress{Doing: precacher.DoingWork}, "looking for sources that are due · 1 s"},
		{"work", 120, work, "sources 12/40 · 10 ok · 2 failed · at archive.example, birch.example, cobalt.example +1 · 1m 23s"},
		{"work, 80 columns", 80, work, "sources 12/40 · 10 ok · 2 failed · at archive.example +3 · 1m 23s"},
		{"work, 50 columns", 50, work, "sources 12/40 · 10 ok · 2 failed · 1m 23s"},
		{"work, 30 columns", 30, work, "sources 12/40 · 1m 23s"},
		{"nothing runs", 80, with(work, func(p *precacher.Progress) { p.Busy = nil }), "sources 12/40 · 10 ok · 2 failed · 1m 23s"},
		{"outage", 80, with(work, func(p *precacher.Progress) { p.Doing, p.Busy = precacher.DoingOutage, nil }), "waiting for the network · sources 12/40 · 1m 23s"},
		{"waits", 100, waits, "next cycle at 15:45:00 · in 14 min · last one: 4 of 5 titles, 38 ok, 2 failed"},
		{"waits, all titles", 100, with(waits, func(p *precacher.Progress) { p.TitlesFailed = 0 }), "next cycle at 15:45:00 · in 14 min · last one: 4 titles, 38 ok, 2 failed"},
		{"waits, 50 columns", 50, waits, "next cycle at 15:45:00 · in 14 min"},
		{"waits, 30 columns", 30, waits, "next cycle at 15:45:00"},
		{"waits for tomorrow", 50, with(waits, func(p *precacher.Progress) { p.Next = at.Add(15 * time.Hour) }), "next cycle at 2026-12-02 06:30:00 · in 14 h"},
		{"begins", 80, with(waits, func(p *precacher.Progress) { p.Next = at }), "the next cycle begins"},
	} {
		t.Run(c.name, func(t *testing.T) {
			now := at
			l := &precacheLine{width: func() int { return c.width }, now: func() time.Time { return now }, came: now}
			if c.p.Doing != precacher.DoingLoad {
				l.update(c.p)
			}
			now = now.Add(time.Second)
			if got := l.line(); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if w := term.CellWidth(l.line()); w >= c.width || strings.ContainsAny(l.line(), "\x1b\n") {
				t.Errorf("%d columns in a terminal of %d: %q", w, c.width, l.line())
			}
		})
	}
}
