package cmd

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"xship/cmd/api"
	"xship/cmd/term"
	"xship/sources"
)

// At 80 columns the table tells how long each hoster is still blocked.
func TestHostersTable_narrow(t *testing.T) {
	const width = 80
	now := time.Unix(1_700_000_000, 0)
	health := sources.HosterHealth{
		Name: "a-hoster-with-a-long.example", ConsecutiveFails: 12, FailCount: 123, OKCount: 45, BackoffUntil: now.Add(time.Hour),
		LastError: "GET http://a.example/b: 503 Service Unavailable: Service Unavailable",
	}
	soon := health
	soon.Name, soon.BackoffUntil = "b.example", now.Add(42*time.Second)
	due := health
	due.Name, due.BackoffUntil = "c.example", now.Add(-time.Second)
	a := &app{System: System{Now: func() time.Time { return now }, Stdout: term.Stream{Width: func() int { return width }}}}
	doc := api.Hosters{Hosters: []api.Hoster{api.NewHoster(health, sources.GuardState{}, now), api.NewHoster(soon, sources.GuardState{}, now), api.NewHoster(due, sources.GuardState{}, now)}}
	for _, state := range []sources.NetworkState{sources.NetworkOK, sources.NetworkSuspect, sources.NetworkOutage, sources.NetworkUnknown} {
		for _, last := range []time.Time{{}, now.Add(-59 * time.Minute)} {
			doc.Guard = api.Guard{Network: string(state), LastSuccessAt: api.Unix(last)}
			var table strings.Builder
			if err := a.writeHostersTable(&table, doc); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(table.String()) {
				if n := term.CellWidth(strings.TrimSuffix(line, "\n")); n > width {
					t.Errorf("%d Columns: %s", n, line)
				}
			}
			for _, want := range []string{"hidden, backing off 3600 s ", "hidden, backing off 42 s ", "hidden, waiting for a probe ", " 503 "} {
				if !strings.Contains(table.String(), want) {
					t.Errorf("no %q in\n%s", want, table.String())
				}
			}
		}
	}
}

func TestWithoutLink(t *testing.T) {
	for in, want := range map[string]string{
		"":                                   "",
		"no answer within 20s":               "no answer within 20s",
		"GET http://a/b: 503 Unavailable: x": "503 Unavailable: x",
		"GET http://a/b":                     "GET http://a/b",
		"read a film: GET http://a: EOF":     "read a film: GET http://a: EOF",
		"GET the film anew: no":              "GET the film anew: no",
	} {
		if got := withoutLink(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// The name of a hoster comes from a link, which may be anybody's: a spreadsheet must not
// take it for a formula.
func TestHostersList_formula(t *testing.T) {
	var b strings.Builder
	list := hostersList([]api.Hoster{{Name: "=cmd.invalid"}, {Name: "a.example"}})
	if err := list.WriteTSV(&b); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.Contains(got, "\n'=cmd.invalid\t") || !strings.Contains(got, "\na.example\t") {
		t.Errorf("written:\n%s", got)
	}
}

// TestHostersList_narrow keeps the name and the state of a hoster in every terminal, and
// gives up the rest in its order.
func TestHostersList_narrow(t *testing.T) {
	rate := 33
	for _, why := range [][]string{nil, {"2 links of it are in doubt"}} {
		list := hostersList([]api.Hoster{
			{Name: "video-archive.example.org", State: "hidden, waiting for a probe", ConsecutiveFails: 12, BackoffRemainingSeconds: 3600, OKCount: 1000, FailCount: 2000, SuccessRate: &rate, LastError: "GET https://h.example/: 503 Service Unavailable", LastErrorClass: "hoster_fault", Why: why},
			{Name: "影视.example", State: "healthy", Healthy: true},
		})
		order := []string{" OK ", "FAIL ", "SUCCESS", "FAILS", "LAST ERROR"}
		for width := 500; width > 0; width-- {
			table := list.Table(width, true)
			for _, line := range append(table.Head, slices.Concat(table.Rows...)...) {
				if got := term.CellWidth(line); got > width {
					t.Fatalf("%d columns in %d: %q", got, width, line)
				}
			}
			if width < 40 {
				if width >= 20 && (len(table.Rows[1]) != 2 || strings.TrimSpace(escapes.ReplaceAllString(table.Rows[1][1], "")) != "healthy") {
					t.Fatalf("in %d columns: %q", width, table.Rows[1])
				}
				continue
			}
			for len(order) > 0 && !strings.Contains(table.Head[0]+" ", order[0]) {
				order = order[1:]
			}
			for _, name := range append([]string{"HOSTER", "STATE"}, order...) {
				if !strings.Contains(table.Head[0]+" ", name) {
					t.Fatalf("in %d columns no %s: %q", width, name, table.Head)
				}
			}
		}
		if len(order) > 0 {
			t.Errorf("in 40 columns there are %q", order)
		}
	}
}

var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")
