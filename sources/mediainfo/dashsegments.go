package mediainfo

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"xship/sources"
)

// mpdSegments says where segments lie. It may stand at a period, a set and a
// representation; what stands further in wins.
type mpdSegments struct {
	BaseURLs []string     `xml:"BaseURL"`
	Template *mpdTemplate `xml:"SegmentTemplate"`
	List     *mpdList     `xml:"SegmentList"`
}

type mpdTemplate struct {
	Initialization string `xml:"initialization,attr"`
	Media          string `xml:"media,attr"`
	Start          string `xml:"startNumber,attr"`
	Duration       string `xml:"duration,attr"`
	Timescale      string `xml:"timescale,attr"`
	Offset         string `xml:"presentationTimeOffset,attr"`
	Timeline       []struct {
		Time     string `xml:"t,attr"`
		Duration string `xml:"d,attr"`
		Repeat   string `xml:"r,attr"`
	} `xml:"SegmentTimeline>S"`
}

type mpdList struct {
	Initialization mpdURL   `xml:"Initialization"`
	Segments       []mpdURL `xml:"SegmentURL"`
}

type mpdURL struct {
	Source string `xml:"sourceURL,attr"`
	Media  string `xml:"media,attr"`
}

// look asks for the first bytes of what the best pictures, or else the best sound, are
// made of. What cannot be told from the manifest is left to players.
func (m *mpd) look(ctx context.Context, r *reader, now time.Time) error {
	starts, at := m.starts(), m.clock(r, now)
	period := slices.IndexFunc(m.Periods, mpdPeriod.hasTracks)
	for i := range m.Periods {
		if m.live() && at.known && starts[i] <= at.seconds && m.Periods[i].hasTracks() {
			period = i // the one that is on
		}
	}
	if period < 0 {
		return nil
	}
	p := m.Periods[period]
	var first *representation
	var places []mpdSegments
	for _, set := range p.Sets {
		best, ok := set.best()
		if !ok || first != nil && (first.height() > 0 || best.height() == 0) {
			continue
		}
		first, places = &best, []mpdSegments{{BaseURLs: m.BaseURLs}, p.mpdSegments, set.mpdSegments, best.mpdSegments}
	}
	if slices.ContainsFunc(first.Protection, isLicensed) {
		return unplayable("it is under copy protection")
	}
	return m.lookAt(ctx, r, first, places, m.window(p, starts[period], at))
}

// isLicensed tells whether d is a system of copy protection that needs a licence.
func isLicensed(d mpdDescriptor) bool {
	return slices.Contains([]string{
		"urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed", "urn:uuid:9a04f079-9840-4286-ab92-e65be0885f95", "urn:uuid:94ce86fb-07ff-4f43-adb8-93d2fa968ca2",
	}, strings.ToLower(d.Scheme))
}

// lookAt asks for the initialisation of a representation and a segment of it; where the
// first one cannot be had, for a later one.
func (m *mpd) lookAt(ctx context.Context, r *reader, of *representation, places []mpdSegments, w mpdWindow) error {
	base, err := r.address()
	if err != nil {
		return err
	}
	for _, place := range places {
		if len(place.BaseURLs) == 0 {
			continue
		}
		if base, err = resolve(base, strings.TrimSpace(place.BaseURLs[0])); err != nil {
			return err
		}
	}
	init, segments := references(of, places, w)
	if init != "" {
		if err := lookAtOne(ctx, r, base, init); err != nil {
			return err
		}
	}
	var failed []error
	for _, segment := range segments {
		err := lookAtOne(ctx, r, base, segment)
		if err == nil || ctx.Err() != nil {
			return err
		}
		failed = append(failed, err)
	}
	err = worst(failed)
	if w.guessed && sources.ClassOf(err) == sources.ClassDeadLink {
		return unplayable("its segments are not where the clock of this machine says that they are")
	}
	return err
}

// references are the initialisation of a representation, "" = none, and some of its
// segments in w, none where they cannot be told.
func references(of *representation, places []mpdSegments, w mpdWindow) (init string, segments []string) {
	var t *mpdTemplate
	var l *mpdList
	for _, place := range places {
		t, l = place.Template.over(t), cmp.Or(place.List, l)
	}
	switch {
	case l != nil:
		init = l.Initialization.Source
		for _, i := range []int{0, len(l.Segments) / 2, len(l.Segments) - 1} {
			if i >= 0 && i < len(l.Segments) && l.Segments[i].Media != "" && !slices.Contains(segments, l.Segments[i].Media) {
				segments = append(segments, l.Segments[i].Media)
			}
		}
	case t != nil:
		init = t.fill(t.Initialization, of, 0, 0)
		if t.Media == "" {
			break
		}
		for _, s := range t.some(w) {
			segments = append(segments, t.fill(t.Media, of, s.number, s.time))
		}
	case len(places[len(places)-1].BaseURLs) > 0 || len(places[len(places)-2].BaseURLs) > 0:
		segments = []string{""} // the representation is one file
	}
	return init, segments
}

// over is t with what only the outer template says.
func (t *mpdTemplate) over(outer *mpdTemplate) *mpdTemplate {
	if t == nil || outer == nil {
		return cmp.Or(t, outer)
	}
	merged := *t
	merged.Initialization, merged.Media = cmp.Or(t.Initialization, outer.Initialization), cmp.Or(t.Media, outer.Media)
	merged.Start, merged.Duration, merged.Timescale = cmp.Or(t.Start, outer.Start), cmp.Or(t.Duration, outer.Duration), cmp.Or(t.Timescale, outer.Timescale)
	merged.Offset = cmp.Or(t.Offset, outer.Offset)
	if len(merged.Timeline) == 0 {
		merged.Timeline = outer.Timeline
	}
	return &merged
}

type mpdSegment struct{ number, time int64 }

// mpdRun are segments of one length, one behind the other.
type mpdRun struct{ number, time, length, count int64 }

// some are the segments of w to look at until one can be had: the first, one in the
// middle and the second. Of a live stream it is one that players start at, and then older
// ones: the newest may not be there yet, the oldest be gone.
func (t *mpdTemplate) some(w mpdWindow) []mpdSegment {
	runs := t.runs(w)
	total := int64(0)
	for _, run := range runs {
		total += run.count
	}
	wanted := []int64{0, total / 2, 1}
	if w.live && len(runs) > 0 {
		const fewest = 3 // segments behind the newest, as players have it
		length := float64(max(runs[len(runs)-1].length, 1)) / t.scale()
		oldest := int64(0)
		if w.depth > 0 {
			oldest = max(total-int64(w.depth/length), 0)
		}
		wanted = []int64{max(total-max(fewest, int64(w.delay/length)), oldest), (oldest + total) / 2, min(oldest+1, total-1)}
	}
	var some []mpdSegment
	for _, i := range wanted {
		if s, ok := nth(runs, i); ok && !slices.Contains(some, s) {
			some = append(some, s)
		}
	}
	return some
}

func (t *mpdTemplate) scale() float64 { return float64(max(wholeNumber(t.Timescale), 1)) }

// runs are all segments in w, as far as they can be told.
func (t *mpdTemplate) runs(w mpdWindow) []mpdRun {
	next := mpdRun{number: 1, time: wholeNumber(t.Offset), length: wholeNumber(t.Duration)}
	if t.Start != "" {
		next.number = wholeNumber(t.Start)
	}
	end := float64(next.time) + w.seconds*t.scale()
	if len(t.Timeline) == 0 {
		if next.count = segmentsIn(w.seconds*t.scale(), next.length); next.length == 0 || !w.live && next.count < 1 {
			next.count = 1
		}
		if w.live && (next.length == 0 || w.seconds == 0) {
			return nil
		}
		return []mpdRun{next}
	}
	runs := make([]mpdRun, 0, len(t.Timeline))
	for i, s := range t.Timeline {
		if s.Time != "" {
			next.time = wholeNumber(s.Time)
		}
		next.length, next.count = wholeNumber(s.Duration), wholeNumber(s.Repeat)+1
		if strings.HasPrefix(strings.TrimSpace(s.Repeat), "-") { // up to the next one, or the end
			until := end
			switch last := i+1 == len(t.Timeline); {
			case !last:
				until = float64(wholeNumber(t.Timeline[i+1].Time))
			case w.live && w.seconds == 0:
				return runs // nobody knows where it ends
			}
			next.count = max(segmentsIn(until-float64(next.time), next.length), 1)
		}
		next.count = min(next.count, mostSegments)
		runs = append(runs, next)
		next.number += next.count
		next.time += next.count * next.length
	}
	return runs
}

// mostSegments bounds the segments of a run, that no sum of them overflows: it is far more
// than a stream has that began in 1970, as some say that they did.
const mostSegments = 1 << 36

// segmentsIn is how many segments of the length there are in time.
func segmentsIn(time float64, length int64) int64 {
	return int64(min(time/float64(max(length, 1)), mostSegments))
}

// nth is segment i of all of runs.
func nth(runs []mpdRun, i int64) (mpdSegment, bool) {
	for _, run := range runs {
		if i >= 0 && i < run.count {
			return mpdSegment{run.number + i, run.time + i*run.length}, true
		}
		i -= run.count
	}
	return mpdSegment{}, false
}

// templateName is a part of a template that stands for something.
var templateName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$(RepresentationID|Number|Bandwidth|Time)?(?:%0(\d{1,2})d)?\$`)
})

// fill is a template for one segment.
func (t *mpdTemplate) fill(template string, of *representation, number, time int64) string {
	return templateName().ReplaceAllStringFunc(template, func(part string) string {
		m := templateName().FindStringSubmatch(part)
		value := number
		switch m[1] {
		case "":
			return "$"
		case "RepresentationID":
			return of.ID
		case "Bandwidth":
			value = of.bandwidth()
		case "Time":
			value = time
		}
		width, _ := strconv.Atoi(m[2])
		return fmt.Sprintf("%0*d", width, value)
	})
}

// lookAtOne asks for the first bytes of ref.
func lookAtOne(ctx context.Context, r *reader, base *url.URL, ref string) error {
	sr, err := r.refer(base, ref)
	if err != nil {
		return err
	}
	if sr.url == r.finalURL {
		return unplayable("the manifest names itself as its media")
	}
	head, err := sr.start(ctx)
	if err != nil {
		return err
	}
	switch sniff(head) {
	case kindText:
		return textUnlessTimed(sr, head)
	case kindHLS, kindDASH:
		return sr.pageError()
	default:
		return nil
	}
}

// textUnlessTimed is the verdict on text where a segment should be, unless it is one.
func textUnlessTimed(r *reader, head []byte) error {
	if strings.HasPrefix(string(head), "WEBVTT") {
		return nil
	}
	return r.pageError()
}
