package sim_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xship/sourcecache/health/sim"
)

// docs is where the page and its pictures are.
const docs = "../../../docs"

// TestSimulationPage writes the page, which takes minutes; see make simulate.
func TestSimulationPage(t *testing.T) {
	t.Parallel()
	if os.Getenv("XSHIP_SIMULATE") == "" {
		t.Skip("set XSHIP_SIMULATE=1 to simulate all seeds and write docs/health.md")
	}
	r := everything(fullSeeds)
	check(t, r)
	for name, text := range map[string]string{"health.md": page(r), "health-light.svg": plot(r, light), "health-dark.svg": plot(r, dark)} {
		if err := os.WriteFile(filepath.Join(docs, name), []byte(text), 0o644); err != nil {
			t.Error(err)
		}
	}
}

// The page is of these limits, and keeps them.
func TestPage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(docs, "health.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), limitsHead)
	table, _, _ = strings.Cut(table, "\n\n")
	rows := strings.Split(strings.TrimSpace(table), "\n")
	if len(rows) != len(limits) {
		t.Fatalf("docs/health.md has %d limits, there are %d; run make simulate", len(rows), len(limits))
	}
	for i, l := range limits {
		var figure float64
		end, found := strings.CutPrefix(rows[i], fmt.Sprintf("| %s | %s | ", l.name, l))
		if _, err := fmt.Sscan(end, &figure); !found || err != nil || !l.kept(figure) {
			t.Errorf("docs/health.md has %q for the limit %q, %s; run make simulate", rows[i], l.name, l)
		}
	}
	for _, name := range []string{"health-light.svg", "health-dark.svg"} {
		if _, err := os.Stat(filepath.Join(docs, name)); err != nil || !strings.Contains(string(text), name) {
			t.Errorf("docs/health.md has to show docs/%s: %v", name, err)
		}
	}
}

// everything is what the page is of.
func everything(seeds int) *results {
	r := limited(seeds)
	for _, s := range sim.Setups() {
		if r.rows[s.Name] == nil {
			r.simulate(s, seeds)
		}
		for _, scenario := range further() {
			r.further(s, scenario)
		}
	}
	return r
}

func further() []sim.Scenario {
	return []sim.Scenario{sim.Hostile, sim.AllSlow, sim.Middlebox, sim.PlaysBadly, sim.Rarely}
}

const limitsHead = "| of | limit | simulated |\n|---|---|---|\n"

// columns are those of the table of setups.
var columns = []struct {
	head   string
	figure func(sim.Figures) float64
}{
	{"hidden %", ofHidden},
	{"not listed %", func(f sim.Figures) float64 { return f.Unlisted }},
	{"listed while down %", func(f sim.Figures) float64 { return f.DownListed }},
	{"found down, s", func(f sim.Figures) float64 { return f.Detected }},
	{"listed again, s", func(f sim.Figures) float64 { return f.Back }},
	{"95 % of them, s", func(f sim.Figures) float64 { return f.Back95 }},
	{"after an outage, s", func(f sim.Figures) float64 { return f.Most }},
	{"the worst, s", func(f sim.Figures) float64 { return f.WorstMost }},
	{"clicks failed %", func(f sim.Figures) float64 { return f.ClickFails }},
	{"empty lists %", func(f sim.Figures) float64 { return f.Empty }},
	{"short lists %", func(f sim.Figures) float64 { return f.Short }},
	{"wasted", ofWasted},
	{"in outages", ofInOutages},
	{"requests", func(f sim.Figures) float64 { return f.Requests }},
}

// page is docs/health.md.
func page(r *results) string {
	var b strings.Builder
	b.WriteString(intro)
	row := func(cells ...string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	rule := func(n int) { fmt.Fprintf(&b, "|%s\n", strings.Repeat("---|", n)) }

	fmt.Fprintf(&b, "\n## Before and after\n\nMeans over the fifteen scenarios of the median over %d seeds. Counts are those of ten\nhours.\n\n", r.seeds)
	head := []string{""}
	for _, c := range columns {
		head = append(head, c.head)
	}
	row(head...)
	rule(len(head))
	for _, s := range sim.Setups() {
		cells := []string{s.Name}
		for _, c := range columns {
			cells = append(cells, number(c.figure(r.mean(s))))
		}
		row(cells...)
	}
	b.WriteString(reading)

	b.WriteString("\n## Limits\n\n`go test ./sourcecache/health/... -run Simulation` plays four seeds and fails where a\nlimit is broken; these are the figures of all.\n\n" + limitsHead)
	for _, l := range limits {
		fmt.Fprintf(&b, "| %s | %s | %s%s |\n", l.name, l, number(l.figure(r)), l.unit)
	}
	b.WriteString("\nThe first three say that this simulator gives the document what an independent one of\nthe same worlds has given it, within a tenth.\n")

	b.WriteString("\n## Healthy hosters hidden, by scenario\n\nIn per cent, with what each scenario adds to the everyday background of *mild*. The\nlast five are not part of the means.\n\n")
	head = []string{"", "what it is"}
	for _, s := range sim.Setups() {
		head = append(head, s.Name)
	}
	row(head...)
	rule(len(head))
	for i, scenario := range sim.Scenarios() {
		cells := []string{scenario.Name, scenario.About}
		for _, s := range sim.Setups() {
			cells = append(cells, number(r.rows[s.Name][i].Hidden))
		}
		row(cells...)
	}
	for _, scenario := range further() {
		cells := []string{scenario.Name, scenario.About}
		for _, s := range sim.Setups() {
			cells = append(cells, number(r.extra[s.Name][scenario.Name].Hidden))
		}
		row(cells...)
	}
	badly, rarely := r.extra[sim.Ours.Name][sim.PlaysBadly.Name], r.extra[sim.NoDaemon.Name][sim.Rarely.Name]
	fmt.Fprintf(&b, `
Two of these have no limit. Where four of forty hosters probe well and play nothing,
%s %% of all clicks fail: each probe brings back what a click has hidden. Who scans
twice, nine hours apart, and has no daemon, misses %s %% of what is healthy.
`, number(badly.ClickFails), number(rarely.Unlisted))
	b.WriteString(simulated)
	return b.String()
}

const intro = `<!-- Written by make simulate. -->

# Is a hidden hoster really bad?

A hoster is hidden from lists after a fail, and blocked for longer after each further
one. That is only right while the fail is the hoster's: not the network's, not a dead
link's, not that of an incident which has passed. ` + "`sourcecache/health`" + ` has the rules
for that, as one machine without a clock or a database, and ` + "`sourcecache/health/sim`" + `
plays that very machine against simulated worlds. ` + "`make simulate`" + ` writes this page.

<picture>
<source media="(prefers-color-scheme: dark)" srcset="health-dark.svg">
<img alt="Healthy hosters hidden, in per cent, for each scenario: by the document, before, and now" src="health-light.svg">
</picture>
`

const reading = `
*The document* is the policy of the original, to the letter: each process has a guard
of its own, each fail counts. *Before* is what xship did before an outage was a state:
fails of one incident count once, an outage takes back what counted, two hosters that
fail have a link tested, one attempt at a time goes to a failing hoster, a dead link is
no fail. It is played by today's machine without the rules that came later, so it tests
up to three links where the program tested one. *Ours* has a daemon that spreads its
work. *Look and floor* are the settings ` + "`hosters.look`" + ` = 10m, which looks into long blocks,
and ` + "`hosters.floor`" + ` = 3, which fills up short lists with hidden hosters.

- *hidden*: of the time in which hosters are healthy, the part in which they are hidden.
- *not listed*: of the sources of a scan that are at healthy hosters, those not listed.
- *listed while down*, *found down*: how much of the time in which a hoster is down it is
  listed, and how long it takes to be hidden. Without a daemon only scans and clicks
  find out.
- *listed again*: how long a hoster that has recovered stays hidden; half of them are
  back by then, and 95 % by the next column.
- *after an outage*: until 95 % of the hosters that were listed before are listed again;
  the median outage, and the worst.
- *empty*, *short lists*: lists without a source while three hosters are healthy, and of
  less than three while more are.
- *wasted*, *in outages*: requests to hosters that are down, and while the line is.
`

const simulated = `
## What is simulated, and what is not

Ten hours of forty hosters, of which the first half an hour is not counted. Two hosters
are down for hours, two come and go, three fail one time in five, two are slow, and the
others fail one time in two hundred and have an incident in ten hours, mostly a short
one. 3 % of the links are dead; four in ten of these answer with a page instead of a 404.
The daemon works through 200 links each quarter of an hour with eight workers; a user
scans four times an hour, and around outages, and clicks until something plays. What a
request meets is fixed by seed, hoster, link and time, so all policies meet the same
world. All of these numbers are assumptions, not measurements of real hosters.

Simulated are the rules, the holding back of fails, re-tests, tests before a list, the
probe behind a list, restarts of the daemon, and clocks that jump. Not simulated are the
database and who waits for it, what a body holds, links that die in the course of a run,
accounts, and sites. Differences of clicks of less than half a per cent are noise.
`
