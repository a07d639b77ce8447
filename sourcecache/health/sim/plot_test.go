package sim_test

import (
	"fmt"
	"math"
	"strings"

	"xship/sourcecache/health/sim"
)

// theme is the colours of a plot.
type theme struct {
	ground, text, line string
	bars               [3]string
}

var (
	light = theme{ground: "#ffffff", text: "#1f2328", line: "#d1d9e0", bars: [3]string{"#8c959f", "#d4761c", "#0969da"}}
	dark  = theme{ground: "#0d1117", text: "#e6edf3", line: "#3d444d", bars: [3]string{"#7d8590", "#e0913f", "#4493f8"}}
)

// plot draws the healthy hosters that were hidden, by scenario.
func plot(r *results, t theme) string {
	const (
		width, left, right, top = 760, 110, 60, 64
		bar, group              = 9, 38
	)
	setups := []sim.Setup{sim.Document, sim.Before, sim.Ours}
	scenarios := sim.Scenarios()
	most := 0.0
	for _, s := range setups {
		for _, f := range r.rows[s.Name] {
			most = max(most, f.Hidden)
		}
	}
	const tick = 10.0
	most = tick * math.Ceil(most/tick)
	x := func(value float64) float64 { return left + (width-left-right)*value/most }
	height := top + group*len(scenarios) + 12
	var b strings.Builder
	text := func(x, y float64, anchor, text string) {
		fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n", x, y, anchor, text)
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-labelledby="title">`+"\n", width, height)
	fmt.Fprintf(&b, "<title id=\"title\">Healthy hosters hidden, in per cent</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"%s\"/>\n", t.ground)
	fmt.Fprintf(&b, `<g font-family="system-ui, sans-serif" font-size="12" fill="%s">`+"\n", t.text)
	text(left, 20, "start", "Healthy hosters hidden, in per cent of the time, by scenario")
	for i, name := range []string{"the document", "before", "now"} {
		at := left + 120*float64(i)
		fmt.Fprintf(&b, `<rect x="%.1f" y="31" width="10" height="10" fill="%s"/>`+"\n", at, t.bars[i])
		text(at+15, 40, "start", name)
	}
	for value := 0.0; value <= most; value += tick {
		fmt.Fprintf(&b, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="%s"/>`+"\n", x(value), x(value), top-4, height-12, t.line)
		text(x(value), top-8, "middle", number(value))
	}
	for i, scenario := range scenarios {
		y := float64(top + group*i + 4)
		text(left-8, y+1.5*bar+4, "end", scenario.Name)
		for j, s := range setups {
			hidden := r.rows[s.Name][i].Hidden
			at := y + float64(bar*j)
			fmt.Fprintf(&b, `<rect x="%d" y="%.1f" width="%.1f" height="%d" fill="%s"/>`+"\n", left, at, max(0.5, x(hidden)-left), bar-1, t.bars[j])
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f" font-size="9">%s</text>`+"\n", x(hidden)+4, at+bar-1.5, number(hidden))
		}
	}
	b.WriteString("</g>\n</svg>\n")
	return b.String()
}
