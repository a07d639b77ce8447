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
func (m *mpd) look(ctx context.Context, r *reader) error {
	for _, p := range m.Periods {
		var first *representation
		var places []mpdSegments
		for _, set := range p.Sets {
			best, ok := set.best()
			if !ok || first != nil && (first.height() > 0 || best.height() == 0) {
				continue
			}
			first, places = &best, []mpdSegments{{BaseURLs: m.BaseURLs}, p.mpdSegments, set.mpdSegments, best.mpdSegments}
		}
		if first == nil {
			continue
		}
		if slices.ContainsFunc(first.Protection, isLicensed) {
			return unplayable("it is under copy protection")
		}
		return m.lookAt(ctx, r, first, places)
	}
	return nil
}

// isLicensed tells whether d is a system of copy protection that needs a licence.
func isLicensed(d mpdDescriptor) bool {
	return slices.Contains([]string{
		"urn:uuid:edef8ba9-79d6-4ace-a3c8-27dcd51d21ed", "urn:uuid:9a04f079-9840-4286-ab92-e65be0885f95", "urn:uuid:94ce86fb-07ff-4f43-adb8-93d2fa968ca2",
	}, strings.ToLower(d.Scheme))
}

// lookAt asks for the initialisation of a representation and a segment of it; where the
// first one cannot be had, for a later one.
func (m *mpd) lookAt(ctx context.Context, r *reader, of *representation, places []mpdSegments) error {
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
	init, segments := m.references(of, places)
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
	return worst(failed)
}

// references are the initialisation of a representation, "" = none, and some of its
// segments, none where they cannot be told: those of a live stream are where the clock
// of the server says.
func (m *mpd) references(of *representation, places []mpdSegments) (init string, segments []string) {
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
		if m.Type == "dynamic" || t.Media == "" {
			break
		}
		for _, s := range t.some(isoDuration(m.Duration)) {
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
	if len(merged.Timeline) == 0 {
		merged.Timeline = outer.Timeline
	}
	return &merged
}

type mpdSegment struct{ number, time int64 }

// some are the first segment, one in the middle and the second.
func (t *mpdTemplate) some(seconds float64) []mpdSegment {
	start := int64(1)
	if t.Start != "" {
		start = wholeNumber(t.Start)
	}
	if len(t.Timeline) == 0 {
		first, length := mpdSegment{start, 0}, wholeNumber(t.Duration)
		count := int64(seconds * float64(max(wholeNumber(t.Timescale), 1)) / float64(max(length, 1)))
		if count < 2 || length == 0 {
			return []mpdSegment{first}
		}
		return []mpdSegment{first, {start + count/2, count / 2 * length}, {start + 1, length}}
	}
	const most = 1 << 14
	var all []mpdSegment
	at := int64(0)
	for _, s := range t.Timeline {
		if s.Time != "" {
			at = wholeNumber(s.Time)
		}
		for repeat := int64(0); repeat <= wholeNumber(s.Repeat) && len(all) < most; repeat++ {
			all = append(all, mpdSegment{start + int64(len(all)), at})
			at += wholeNumber(s.Duration)
		}
	}
	some := []mpdSegment{all[0]}
	for _, i := range []int{len(all) / 2, 1} {
		if i < len(all) && !slices.Contains(some, all[i]) {
			some = append(some, all[i])
		}
	}
	return some
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
