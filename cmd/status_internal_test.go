package cmd

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"xship/cmd/api"
	"xship/cmd/term"
)

// crowded is a status with much to tell.
func crowded(now time.Time, many int) api.Status {
	year, season := 2016, 1
	doc := api.Status{
		Daemon: api.StatusDaemon{
			Running: true, PID: 4711, Since: now.Add(-3 * time.Hour).Unix(), CycleSince: now.Add(-2 * time.Minute).Unix(),
			LastCycle: &api.Cycle{EndedAt: now.Add(-5 * time.Minute).Unix(), Titles: 12, TitlesFailed: 1, Resolved: 34, Probed: 30, Failed: 4},
		},
		Titles:    api.StatusTitles{Total: 40, Ready: 40 - many, WithoutSource: many},
		Hosters:   api.StatusHosters{Total: 31, Failing: many},
		Network:   "ok",
		Interface: api.StatusInterface{URL: "https://b.example/config.json", Name: "second", How: "switched", Since: now.Add(-2 * time.Hour).Unix(), FailedOverFrom: []string{"https://a.example/config.json"}},
		Accounts:  []api.StatusAccount{{User: 1, Provider: "real_debrid", State: "ok", EndsAt: now.Add(100 * 24 * time.Hour).Unix()}, {User: 2, Provider: "torbox", State: "refused"}},
		Problems:  []string{"the account of user 2 at TorBox is refused: bad key; xship accounts add torbox gives it a new key"},
	}
	for i := range many {
		w := api.StatusWaiting{Title: api.Title{Kind: "movie", Name: fmt.Sprintf("Paper Lanterns %d", i), Year: &year}, Since: now.Add(-72 * time.Hour).Unix(), CheckedAt: now.Unix()}
		if i%2 == 1 {
			w.Title = api.Title{Kind: "episode", Name: "Harbour Nine", Season: &season, Episode: &i}
			w.AirsOn = "2023-12-24"
		}
		doc.Titles.Waiting = append(doc.Titles.Waiting, w)
		doc.Hosters.InTrouble = append(doc.Hosters.InTrouble, fmt.Sprintf("hoster%d.example", i))
	}
	return doc
}

// The status fits a screen, and says what it leaves out; with --all it does not.
func TestStatusLines(t *testing.T) {
	now := time.Unix(1_700_000_000, 0).UTC()
	for _, c := range []struct{ columns, lines, many int }{{80, 24, 0}, {80, 24, 3}, {80, 24, 30}, {50, 24, 30}, {120, 40, 30}, {500, 200, 30}} {
		a := &app{System: System{
			Now:    func() time.Time { return now },
			Stdout: term.Stream{Width: func() int { return c.columns }, Height: func() int { return c.lines }},
		}}
		doc := crowded(now, c.many)
		lines := a.statusLines(doc, false)
		shown := strings.Join(lines, "\n")
		if len(lines) >= c.lines {
			t.Errorf("%dx%d: %d lines\n%s", c.columns, c.lines, len(lines), shown)
		}
		for _, line := range lines {
			if n := term.CellWidth(line); n > c.columns {
				t.Errorf("%dx%d: %d columns in %s", c.columns, c.lines, n, line)
			}
		}
		flat := strings.Join(strings.Fields(shown), " ")
		for _, want := range []string{
			"daemon has run for 3 h (process 4711)", "last cycle 5 min ago: 12 titles, 1 not scanned, 34 resolved, 30 proven, 4 failed", "a cycle has been running for 2 min",
			fmt.Sprintf("%d of 40 ready", 40-c.many), "second, failed over 2 h ago from https://a.example/config.json",
			"Real-Debrid of user 1: ok, ends in 100 days, on 2024-02-22", "TorBox of user 2: refused", "problems the account of user 2 at TorBox is refused",
		} {
			if !strings.Contains(flat, want) {
				t.Errorf("%dx%d: no %q in\n%s", c.columns, c.lines, want, shown)
			}
		}
		if c.many == 30 && c.lines < 100 && c.columns > 50 && !strings.Contains(flat, " more ") {
			t.Errorf("%dx%d: it does not say that there is more\n%s", c.columns, c.lines, shown)
		}
		all := strings.Join(a.statusLines(doc, true), "\n")
		for _, want := range doc.Hosters.InTrouble {
			if !strings.Contains(all, want) {
				t.Errorf("%dx%d: all has no %s", c.columns, c.lines, want)
			}
		}
		if c.many > 1 && !strings.Contains(all, "Harbour Nine S01E01: airs on 2023-12-24") {
			t.Errorf("all:\n%s", all)
		}
	}
}

// On the smallest screen that is looked at, what is healthy fits.
func TestStatusLines_small(t *testing.T) {
	now := time.Unix(1_700_000_000, 0).UTC()
	a := &app{System: System{
		Now:    func() time.Time { return now },
		Stdout: term.Stream{Width: func() int { return 50 }, Height: func() int { return 15 }},
	}}
	doc := crowded(now, 20)
	doc.Problems, doc.Interface.FailedOverFrom = nil, nil
	if lines := a.statusLines(doc, false); len(lines) > 14 {
		t.Errorf("%d lines\n%s", len(lines), strings.Join(lines, "\n"))
	}
}

func TestWaitingText(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	for want, w := range map[string]api.StatusWaiting{
		"airs on 2023-12-24": {AirsOn: "2023-12-24", Hidden: 3},
		"3 hidden":           {Hidden: 3, CheckedAt: 7},
		"not looked for yet": {Since: 7},
		"no source for 2 h":  {Since: now.Add(-2 * time.Hour).Unix(), CheckedAt: 7},
		"no source":          {CheckedAt: 7},
	} {
		if got := waitingText(w, now); got != want {
			t.Errorf("%+v: %q, want %q", w, got, want)
		}
	}
}

// A daemon of an older xship is said to be one.
func TestDaemonTexts_older(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	got := daemonTexts(api.StatusDaemon{Running: true, Older: true, PID: 4711, Since: now.Add(-time.Hour).Unix()}, now)
	if want := "has run for 1 h (process 4711), of an older xship that tells of no cycle"; len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Where the database cannot be read, nothing is told of what would stand in it: that no
// title is watched, for one.
func TestStatusSections_unread(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	doc := api.Status{Interface: api.StatusInterface{Name: "Open films", How: api.HowBuiltin}, Network: "unknown"}
	for _, unread := range []bool{false, true} {
		doc.Unread = unread
		for _, s := range statusSections(doc, now) {
			if told := s.lines[0]; slices.Contains([]string{"titles", "hosters", "interface"}, s.name) && (told == "not known") != unread {
				t.Errorf("unread %t: %s %q", unread, s.name, told)
			}
		}
	}
}
