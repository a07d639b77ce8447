package sim_test

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"xship/sourcecache/health/sim"
)

func TestMain(m *testing.M) {
	debug.SetGCPercent(800) // each run makes little that lasts
	m.Run()
}

// The seeds of the short form, and of the full one.
const (
	shortSeeds = 4
	fullSeeds  = 20
)

// results are what was simulated.
type results struct {
	seeds int
	rows  map[string][]sim.Figures          // by setup, of all scenarios
	extra map[string]map[string]sim.Figures // by setup and further scenario
}

func (r *results) simulate(s sim.Setup, seeds int) {
	r.rows[s.Name] = sim.Simulate(s, sim.Scenarios(), seeds)
}

func (r *results) further(s sim.Setup, scenario sim.Scenario) {
	if r.extra[s.Name] == nil {
		r.extra[s.Name] = make(map[string]sim.Figures)
	}
	r.extra[s.Name][scenario.Name] = sim.Simulate(s, []sim.Scenario{scenario}, r.seeds)[0]
}

func (r *results) mean(s sim.Setup) sim.Figures { return sim.Mean(r.rows[s.Name]) }

// of gives the figures of one of the scenarios of the table.
func (r *results) of(s sim.Setup, scenario string) sim.Figures {
	return r.rows[s.Name][slices.IndexFunc(sim.Scenarios(), func(sc sim.Scenario) bool { return sc.Name == scenario })]
}

// limited has what the limits are of.
func limited(seeds int) *results {
	r := &results{seeds: seeds, rows: make(map[string][]sim.Figures), extra: make(map[string]map[string]sim.Figures)}
	r.simulate(sim.Document, fullSeeds)
	for _, s := range []sim.Setup{sim.Ours, sim.NoDaemon, sim.Looking, sim.LookingUnpaced, sim.Two} {
		r.simulate(s, seeds)
	}
	for _, scenario := range []sim.Scenario{sim.Hostile, sim.AllSlow, sim.Middlebox} {
		r.further(sim.Ours, scenario)
	}
	return r
}

// limit is one that a figure must keep.
type limit struct {
	name        string
	least, most float64
	unit        string
	figure      func(r *results) float64
}

func (l limit) kept(figure float64) bool { return l.least <= figure && figure <= l.most }

// String says it as the page does.
func (l limit) String() string {
	if l.least > 0 {
		return fmt.Sprintf("%s to %s%s", number(l.least), number(l.most), l.unit)
	}
	return fmt.Sprintf("%s%s", number(l.most), l.unit)
}

const percent, seconds, requests = " %", " s", ""

// atMost is a limit of a setup.
func atMost(name string, most float64, unit string, figure func(r *results) float64) limit {
	return limit{name: name, most: most, unit: unit, figure: figure}
}

// near is a figure of the document's policy that another simulator of the same world
// has given.
func near(name string, other float64, unit string, figure func(f sim.Figures) float64) limit {
	const part = 0.1
	return limit{
		name: sim.Document.Name + ": " + name, least: other * (1 - part), most: other * (1 + part), unit: unit,
		figure: func(r *results) float64 { return figure(r.mean(sim.Document)) },
	}
}

func hidden(s sim.Setup) func(r *results) float64 {
	return func(r *results) float64 { return r.mean(s).Hidden }
}

func back(s sim.Setup) func(r *results) float64 {
	return func(r *results) float64 { return r.mean(s).Back95 }
}

func extra(scenario sim.Scenario, figure func(sim.Figures) float64) func(r *results) float64 {
	return func(r *results) float64 { return figure(r.extra[sim.Ours.Name][scenario.Name]) }
}

// ratio is how many times as much the second daemon makes it.
func ratio(figure func(sim.Figures) float64) func(r *results) float64 {
	return func(r *results) float64 { return figure(r.mean(sim.Two)) / figure(r.mean(sim.Ours)) }
}

var (
	ofHidden    = func(f sim.Figures) float64 { return f.Hidden }
	ofInOutages = func(f sim.Figures) float64 { return f.InOutages }
	ofWasted    = func(f sim.Figures) float64 { return f.Wasted }
)

// limits are the same in the short form and in the full one.
var limits = []limit{
	near("hidden", 14.1, percent, ofHidden),
	near("95 % listed again", 2810, seconds, func(f sim.Figures) float64 { return f.Back95 }),
	near("requests in outages", 499, requests, ofInOutages),
	atMost("ours: hidden", 3.5, percent, hidden(sim.Ours)),
	atMost("ours: 95 % listed again", 3000, seconds, back(sim.Ours)),
	atMost("ours: after an outage, 95 % listed again", 5, seconds, func(r *results) float64 { return r.mean(sim.Ours).Most }),
	atMost("ours: lists without a source", 0, percent, func(r *results) float64 { return r.mean(sim.Ours).Empty }),
	atMost("ours: requests in the outage of an hour", 200, requests, func(r *results) float64 { return r.of(sim.Ours, "1 h out").InOutages }),
	atMost("ours: hidden of few hosters", 6, percent, func(r *results) float64 { return r.of(sim.Ours, "few").Hidden }),
	atMost("ours, no daemon: hidden", 2, percent, hidden(sim.NoDaemon)),
	atMost("look and floor: hidden", 2, percent, hidden(sim.Looking)),
	atMost("look and floor: 95 % listed again", 600, seconds, back(sim.Looking)),
	atMost("look and floor, not paced: hidden", 1, percent, hidden(sim.LookingUnpaced)),
	atMost("look and floor, not paced: 95 % listed again", 600, seconds, back(sim.LookingUnpaced)),
	atMost("one hostile link at each hoster: hidden", 3.5, percent, extra(sim.Hostile, ofHidden)),
	atMost("all hosters slow: hidden", 3.5, percent, extra(sim.AllSlow, ofHidden)),
	atMost("a middlebox of 404s: good links not tried a minute later", 0, "", extra(sim.Middlebox, func(f sim.Figures) float64 { return f.Buried })),
	atMost("a middlebox of 404s: hosters not listed a minute later", 0, "", extra(sim.Middlebox, func(f sim.Figures) float64 { return f.Missing })),
	atMost("two daemons: wasted requests", 1.5, " times", ratio(ofWasted)),
	atMost("two daemons: requests in outages", 1.5, " times", ratio(ofInOutages)),
}

func TestSimulation(t *testing.T) {
	t.Parallel()
	notRaced(t)
	check(t, limited(shortSeeds))
}

func notRaced(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("runs share nothing, and take minutes with the race detector; make simulation goes without")
	}
}

func check(t *testing.T, r *results) {
	t.Helper()
	for _, l := range limits {
		if figure := l.figure(r); !l.kept(figure) {
			t.Errorf("%s: %s%s, want %s", l.name, number(figure), l.unit, l)
		}
	}
}

// number writes three digits.
func number(x float64) string {
	switch size := math.Abs(x); {
	case math.IsNaN(x):
		return "–"
	case x == math.Trunc(x), size >= 100:
		return fmt.Sprintf("%.0f", x)
	case size >= 10:
		return fmt.Sprintf("%.1f", x)
	default:
		return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.2f", x), "0"), ".")
	}
}

// The same world gives the same figures.
func TestSimulate_repeatable(t *testing.T) {
	t.Parallel()
	mild := sim.Scenarios()[1:2]
	if a, b := sim.Simulate(sim.Ours, mild, 1), sim.Simulate(sim.Ours, mild, 1); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Errorf("%v, then %v", a, b)
	}
}

// The rules that are played here, and not by package health alone, are played.
func TestSimulation_rules(t *testing.T) {
	t.Parallel()
	notRaced(t)
	few := sim.Scenarios()[14:]
	for name, tt := range map[string]struct {
		s      sim.Setup
		change func(*sim.Setup)
	}{
		"hold":      {sim.Unpaced, func(s *sim.Setup) { s.Policy.Hold = false }},
		"retest":    {sim.Ours, func(s *sim.Setup) { s.Policy.Retest = false }},
		"linger":    {sim.NoDaemon, func(s *sim.Setup) { s.Policy.Linger = false }},
		"first":     {sim.NoDaemon, func(s *sim.Setup) { s.Policy.First = false }},
		"look":      {sim.Looking, func(s *sim.Setup) { s.Policy.Look = 0 }},
		"floor":     {sim.NoDaemon, func(s *sim.Setup) { s.Policy.Floor = 3 }},
		"pauses":    {sim.Ours, func(s *sim.Setup) { s.GoesOn = true }},
		"alone":     {sim.Document, func(s *sim.Setup) { s.Alone = false }},
		"a second":  {sim.Ours, func(s *sim.Setup) { s.Daemons = 2 }},
		"no daemon": {sim.Ours, func(s *sim.Setup) { s.Daemons = 0 }},
	} {
		changed := tt.s
		tt.change(&changed)
		if a, b := sim.Simulate(tt.s, few, 1), sim.Simulate(changed, few, 1); fmt.Sprint(a) == fmt.Sprint(b) {
			t.Errorf("%s makes no difference", name)
		}
	}
	mild := sim.Scenarios()[1:2]
	if a, b := sim.Simulate(sim.Ours, mild, 1), sim.Simulate(sim.Unpaced, mild, 1); fmt.Sprint(a) == fmt.Sprint(b) {
		t.Error("pacing makes no difference")
	}
	if a, b := sim.Simulate(sim.Ours, few, 1), sim.Simulate(sim.Unpaced, few, 1); fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("few hosters are paced")
	}
}
