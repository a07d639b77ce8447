// Package sim plays the policy of sourcecache/health against a simulated world of
// hosters: some are down, slow or fail, the line goes down, the clock jumps, links are
// dead. It says how many good hosters a policy hides, how soon they are back, and what
// it costs.
package sim

import (
	"math"
	"runtime"
	"sync"
)

// Figures are what a Setup comes to. Each is the median over the seeds of a scenario,
// or the mean of these over scenarios; NaN where there was nothing to count. Parts are
// in per cent, waits in seconds, and counts are those of ten hours.
type Figures struct {
	Hidden     float64 // healthy hosters that were hidden
	Unlisted   float64 // sources of healthy hosters that a scan did not list
	DownListed float64 // hosters that were down and listed
	Detected   float64 // wait until one that is down is hidden, median
	Back       float64 // wait until one that is up again is listed, median
	Back95     float64 // the same, 95 % of them
	Half       float64 // wait after an outage until half of the hosters are listed, median
	Most       float64 // until 95 % of them are, median
	WorstMost  float64 // the longest of these
	ClickFails float64 // clicks that failed
	Empty      float64 // lists without a source though three hosters are healthy
	Short      float64 // lists of less than three though more are healthy
	Wasted     float64 // requests at hosters that were down
	InOutages  float64 // requests while the line was down
	Requests   float64
	Missing    float64 // hosters that were not listed a minute after an outage, at worst
	Buried     float64 // good links that were not tried any more a minute after an outage
}

func (m *measures) figures() Figures {
	return Figures{
		Hidden: 100 * m.hidden / m.healthy, Unlisted: 100 * m.foundHidden / m.found, DownListed: 100 * m.listed / m.down,
		Detected: median(m.detected), Back: median(m.back), Back95: quantile(m.back, 0.95),
		Half: median(m.half), Most: median(m.most), WorstMost: quantile(m.most, 1),
		ClickFails: 100 * m.clickFails / m.clicks, Empty: 100 * m.empty / m.scans, Short: 100 * m.short / m.scans,
		Wasted: m.wasted, InOutages: m.inOutages, Requests: m.requests,
		Missing: quantile(m.missing, 1), Buried: m.buried,
	}
}

// fields gives pointers to all figures, in their order.
func (f *Figures) fields() []*float64 {
	return []*float64{
		&f.Hidden, &f.Unlisted, &f.DownListed, &f.Detected, &f.Back, &f.Back95, &f.Half, &f.Most, &f.WorstMost,
		&f.ClickFails, &f.Empty, &f.Short, &f.Wasted, &f.InOutages, &f.Requests, &f.Missing, &f.Buried,
	}
}

// combine makes one of several, by a function on the values of each figure.
func combine(all []Figures, of func([]float64) float64) (f Figures) {
	for i, field := range f.fields() {
		values := make([]float64, len(all))
		for j := range all {
			values[j] = *all[j].fields()[i]
		}
		*field = of(values)
	}
	return f
}

// Mean is the mean over scenarios, of those that have the figure.
func Mean(all []Figures) Figures {
	return combine(all, func(values []float64) float64 {
		sum, n := 0.0, 0.0
		for _, v := range values {
			if !math.IsNaN(v) {
				sum, n = sum+v, n+1
			}
		}
		return sum / n
	})
}

// Simulate plays a Setup in each of the scenarios with the seeds from 1 to seeds.
func Simulate(s Setup, scenarios []Scenario, seeds int) []Figures {
	each := make([][]Figures, len(scenarios))
	var wg sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, scenario := range scenarios {
		each[i] = make([]Figures, seeds)
		for seed := range seeds {
			free <- struct{}{}
			wg.Go(func() {
				each[i][seed] = run(newWorld(scenario, uint64(seed+1)), s).figures()
				<-free
			})
		}
	}
	wg.Wait()
	figures := make([]Figures, len(scenarios))
	for i := range each {
		figures[i] = combine(each[i], median)
	}
	return figures
}
