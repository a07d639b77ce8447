package engine

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"xship/sources"
	"xship/sources/text"
)

// LiveList is a list while its sources are probed. Rows keep their places and numbers
// until End, which gives them those of the list that Play picks from then. It is safe
// for concurrent use.
type LiveList struct {
	mu       sync.Mutex
	list     *List
	rows     []*LiveRow
	byID     map[string]*LiveRow
	hidden   map[string]sources.Source // that may join
	progress sources.ProbeProgress
	works    map[string]sources.MediaInfo // found out by now, of what no provider served
}

// LiveRow is one source of a LiveList.
type LiveRow struct {
	sources.Listed
	N     int                // in the list, 0: it is not in it any more, or not yet
	Pick  int                // as PlayRequest has it, 0: it is none that could be picked now
	Step  sources.ProbeStep  // of its probe, "" = not tried
	Media *sources.MediaInfo // what its stream holds, nil where that is not known
	Why   string             // in a word or two: why it fails, was skipped or is not listed any more
	Mark  string             // why it would not be listed without ListRequest.All, see List.Mark
	Place []string           // why it stands where it stands, where the list is explained
}

// Live is the list with its rows, of which nothing is probed yet.
func (l *List) Live() *LiveList {
	live := &LiveList{list: l, byID: make(map[string]*LiveRow), works: make(map[string]sources.MediaInfo)}
	for _, row := range l.liveRows() {
		live.append(row)
	}
	return live
}

// liveRows are the rows of the list as it knows them. Play knows nothing of what only a
// list of all has.
func (l *List) liveRows() []*LiveRow {
	rows := make([]*LiveRow, 0, len(l.Listing.Sources))
	picks := 0
	for i, src := range l.Listing.Sources {
		row := &LiveRow{Listed: src, N: i + 1, Mark: l.Mark(src)}
		if media, ok := l.Options.Media[src.ID]; ok {
			row.Media = &media
		}
		if l.hosters != nil {
			row.Place = l.Why(i)
		}
		if row.Mark == "" || !l.Options.All {
			picks++
			row.Pick = picks
		}
		rows = append(rows, row)
	}
	return rows
}

func (live *LiveList) append(row *LiveRow) {
	live.rows = append(live.rows, row)
	live.byID[row.ID] = row
}

// Expect tells which sources are probed, as Unproven gives them: those that are not in
// the list join it when they work.
func (live *LiveList) Expect(all []sources.Source) {
	live.mu.Lock()
	defer live.mu.Unlock()
	live.hidden = make(map[string]sources.Source)
	for _, src := range all {
		if live.byID[src.ID] == nil {
			live.hidden[src.ID] = src
		}
	}
	live.progress.Total = len(all)
}

// Progress takes in how far the probe is.
func (live *LiveList) Progress(p sources.ProbeProgress) {
	live.mu.Lock()
	defer live.mu.Unlock()
	live.progress = p
}

// Outcome takes in what became of a source.
func (live *LiveList) Outcome(o sources.ProbeOutcome) {
	live.mu.Lock()
	defer live.mu.Unlock()
	if o.Step == sources.ProbeWorks && o.Provider == "" {
		live.works[o.ID] = o.Media
	}
	row := live.byID[o.ID]
	if src, hidden := live.hidden[o.ID]; row == nil && hidden && o.Step == sources.ProbeWorks {
		row = live.join(src, o.Media)
	}
	if row == nil {
		return
	}
	row.Step, row.Why = o.Step, ""
	switch o.Step {
	case sources.ProbeWorks:
		row.Media, row.Provider, row.Needs = &o.Media, cmp.Or(o.Provider, row.Provider), ""
		row.State = sources.StateProbed
		row.see(o.Media)
	case sources.ProbeFailed, sources.ProbeSkipped:
		row.Why = shortWhy(o.Err)
	case sources.ProbeLeft:
		row.Step = ""
	case sources.ProbeBegan:
	}
}

// see shows the quality that a stream turned out to have, as Judge does in a list.
func (row *LiveRow) see(media sources.MediaInfo) {
	if media.Video == nil {
		return
	}
	if q := sources.QualityOf(media.Video.Width, media.Video.Height); q != sources.QualityUnknown && q != row.Quality {
		row.Claimed, row.Quality = cmp.Or(row.Claimed, row.Quality), q
	}
}

// join adds a hidden source that works to the list, behind the others: at the end it
// gets its place. It is nil where something else than its hoster keeps it out.
func (live *LiveList) join(src sources.Source, media sources.MediaInfo) *LiveRow {
	o := live.list.Options
	o.Media = map[string]sources.MediaInfo{src.ID: media}
	row := &LiveRow{Listed: o.Listed(&src, nil)}
	row.see(media)
	if o.LeavesOut(&row.Source) != "" {
		return nil
	}
	live.append(row)
	return row
}

// Works gives the sources that were found to work by themselves, with their media.
func (live *LiveList) Works() map[string]sources.MediaInfo {
	live.mu.Lock()
	defer live.mu.Unlock()
	return maps.Clone(live.works)
}

// End puts the rows into the order of the list as it is after the probe, with its
// numbers. Those that it does not have follow, without a number and with the reason.
func (live *LiveList) End(final *List) {
	live.mu.Lock()
	defer live.mu.Unlock()
	before := live.rows
	live.rows, live.list = nil, final
	listed := make(map[string]bool, len(final.Listing.Sources))
	for _, row := range final.liveRows() {
		if was := live.byID[row.ID]; was != nil {
			row.take(was)
		}
		live.append(row)
		listed[row.ID] = true
	}
	for _, was := range before {
		if !listed[was.ID] {
			was.N, was.Pick, was.Place = 0, 0, nil
			if was.Step == sources.ProbeBegan {
				was.Step = ""
			}
			was.leave(final)
			live.rows = append(live.rows, was)
		}
	}
}

// take takes over what the probe of a source told.
func (row *LiveRow) take(was *LiveRow) {
	row.Step, row.Why = was.Step, was.Why
	if row.Step == sources.ProbeBegan {
		row.Step = ""
	}
	if was.Step == sources.ProbeWorks {
		row.Media, row.Provider = was.Media, cmp.Or(row.Provider, was.Provider)
		row.see(*was.Media)
	}
}

// leave says why a source is not listed any more.
func (row *LiveRow) leave(final *List) {
	i := slices.IndexFunc(final.Sources, func(src sources.Source) bool { return src.ID == row.ID })
	if i < 0 {
		return
	}
	src := &final.Sources[i]
	if final.hosters != nil {
		row.Place = []string{final.whyNot(src, final.Options.Listed(src, final.Health).Healthy)}
	}
	if row.Step != sources.ProbeFailed {
		row.Why = final.goneWhy(src)
	}
}

// goneWhy says in a few words why a source is not in the list.
func (l *List) goneWhy(src *sources.Source) string {
	switch l.Options.LeavesOut(src) {
	case sources.WhyDead:
		return "gone"
	case sources.WhyQuality:
		return "better than " + string(l.Options.Quality)
	case sources.WhyExcluded:
		return "left out by " + text.Clean(l.Options.ExcludedBy(src))
	case sources.WhyUnplayable:
		return text.Clean(src.Unplayable)
	case "":
	default:
		return "not wanted"
	}
	if !l.Options.Listed(src, l.Health).Healthy {
		return "its hoster fails"
	}
	return "beyond the limit"
}

// Rows gives the rows as they are now.
func (live *LiveList) Rows() []LiveRow {
	rows, _ := live.First(math.MaxInt)
	return rows
}

// First gives the first n rows at most, and how many there are.
func (live *LiveList) First(n int) (rows []LiveRow, total int) {
	live.mu.Lock()
	defer live.mu.Unlock()
	total = len(live.rows)
	rows = make([]LiveRow, 0, min(n, total))
	for _, row := range live.rows[:min(n, total)] {
		rows = append(rows, *row)
	}
	return rows, total
}

// List is the list that the rows are of.
func (live *LiveList) List() *List {
	live.mu.Lock()
	defer live.mu.Unlock()
	return live.list
}

// Probe gives how far the probe is.
func (live *LiveList) Probe() sources.ProbeProgress {
	live.mu.Lock()
	defer live.mu.Unlock()
	return live.progress
}

// Failed says in a line which rows failed and why, "" where none did: those that failed
// alike together, with their hosters and with their numbers where they have one.
func (live *LiveList) Failed() string {
	var whys []string
	found := make(map[string][]LiveRow)
	failed, tried := 0, 0
	for _, row := range live.Rows() {
		if row.Step == sources.ProbeWorks || row.Step == sources.ProbeFailed {
			tried++
		}
		if row.Step != sources.ProbeFailed {
			continue
		}
		failed++
		if found[row.Why] == nil {
			whys = append(whys, row.Why)
		}
		found[row.Why] = append(found[row.Why], row)
	}
	if failed == 0 {
		return ""
	}
	slices.SortStableFunc(whys, func(a, b string) int { return cmp.Compare(len(found[b]), len(found[a])) })
	parts := make([]string, 0, len(whys))
	for _, why := range whys {
		part := fmt.Sprintf("%d %s (%s", len(found[why]), why, rowHosters(found[why]))
		if numbers := rowNumbers(found[why]); numbers != "" {
			part += ", " + numbers
		}
		parts = append(parts, part+")")
	}
	return fmt.Sprintf("%d of %d failed: %s", failed, tried, strings.Join(parts, ", "))
}

// rowHosters names the first hosters of some rows, and how many more there are.
func rowHosters(rows []LiveRow) string {
	const told = 3
	var names []string
	for _, row := range rows {
		if name := HosterTitle(row.Hoster); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if more := len(names) - told; more > 0 {
		return fmt.Sprintf("%s +%d", strings.Join(names[:told], ", "), more)
	}
	return strings.Join(names, ", ")
}

// rowNumbers names the rows that have a number: "row 4", "rows 4 and 5", "rows 1-4, 7 and 9".
func rowNumbers(rows []LiveRow) string {
	var picks []int
	for _, row := range rows {
		if row.Pick > 0 {
			picks = append(picks, row.Pick)
		}
	}
	slices.Sort(picks)
	var numbers []string
	for i := 0; i < len(picks); {
		last := i
		for last+1 < len(picks) && picks[last+1] == picks[last]+1 {
			last++
		}
		if last < i+2 {
			last = i // two in a row are no run
			numbers = append(numbers, fmt.Sprint(picks[i]))
		} else {
			numbers = append(numbers, fmt.Sprintf("%d-%d", picks[i], picks[last]))
		}
		i = last + 1
	}
	switch n := len(numbers); {
	case n == 0:
		return ""
	case len(picks) == 1:
		return "row " + numbers[0]
	case n == 1:
		return "rows " + numbers[0]
	default:
		return "rows " + strings.Join(numbers[:n-1], ", ") + " and " + numbers[n-1]
	}
}
