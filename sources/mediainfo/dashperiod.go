package mediainfo

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"xship/sources/text"
)

// resolvedToZero is the address of a period that is none.
const resolvedToZero = "urn:mpeg:dash:resolve-to-zero:2013"

// resolvePeriod fetches the first period whose content lies elsewhere (XLink), where no
// other has tracks. One that cannot be had leaves the manifest unread, which blames
// nobody: players know other ways to go on.
func (m *mpd) resolvePeriod(ctx context.Context, r *reader) error {
	m.Periods = slices.DeleteFunc(m.Periods, func(p mpdPeriod) bool { return strings.TrimSpace(p.Remote) == resolvedToZero })
	remote := slices.IndexFunc(m.Periods, func(p mpdPeriod) bool { return p.Remote != "" })
	if remote < 0 || slices.ContainsFunc(m.Periods, mpdPeriod.hasTracks) {
		return nil
	}
	periods, err := fetchPeriods(ctx, r, strings.TrimSpace(m.Periods[remote].Remote))
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return unplayable("a period of the manifest lies elsewhere and cannot be had: %s", err.Error()) // whose class is none of the manifest's
	}
	m.Periods = slices.Replace(m.Periods, remote, remote+1, periods...)
	return nil
}

func (p mpdPeriod) hasTracks() bool {
	return slices.ContainsFunc(p.Sets, func(s adaptationSet) bool { return len(s.Representations) > 0 })
}

// fetchPeriods reads the periods at ref: elements one behind the other, without a root.
func fetchPeriods(ctx context.Context, r *reader, ref string) ([]mpdPeriod, error) {
	base, err := r.address()
	if err != nil {
		return nil, err
	}
	pr, err := r.refer(base, ref)
	if err != nil {
		return nil, err
	}
	if _, err := pr.start(ctx); err != nil {
		return nil, err
	}
	data, err := pr.all(ctx, maxManifest)
	if err != nil {
		return nil, err
	}
	d := lenientXML(data)
	for periods := []mpdPeriod(nil); ; {
		var p mpdPeriod
		err := d.Decode(&p)
		switch {
		case errors.Is(err, io.EOF) && len(periods) > 0:
			return periods, nil
		case err != nil:
			return nil, damaged("it is no period: %s", text.Clean(err.Error()))
		case len(periods) < maxTracks:
			periods = append(periods, p)
		}
	}
}

// lenientXML reads XML in whatever encoding and version it is.
func lenientXML(data []byte) *xml.Decoder {
	d := xml.NewDecoder(bytes.NewReader(plainXML(data)))
	d.Strict, d.Entity = false, xml.HTMLEntity
	return d
}

// mpdWindow is which part of a period its segments are looked for in.
type mpdWindow struct {
	seconds float64 // of the period, up to the present in a live one; 0 = unknown
	depth   float64 // seconds before its end that can still be had; 0 = all
	delay   float64 // seconds before its end that players start at; 0 = as they like
	live    bool
	guessed bool // the present is by the clock of this machine
}

// window is that of the period p, which starts so many seconds into the whole.
func (m *mpd) window(p mpdPeriod, start float64, at *mpdClock) mpdWindow {
	w := mpdWindow{live: m.live(), seconds: isoDuration(p.Duration)}
	switch {
	case w.live && !at.known:
		w.seconds = 0
	case w.live:
		w.depth, w.delay = isoDuration(m.Depth), isoDuration(m.Delay)
		if present := at.seconds - start; w.seconds == 0 || present < w.seconds {
			w.seconds, w.guessed = max(present, 0), at.guessed
		}
	case w.seconds == 0:
		w.seconds = max(isoDuration(m.Duration)-start, 0)
	}
	return w
}

// starts are when the periods start, in seconds.
func (m *mpd) starts() []float64 {
	starts := make([]float64, len(m.Periods))
	at := 0.0
	for i, p := range m.Periods {
		if p.Start != "" {
			at = isoDuration(p.Start)
		}
		starts[i] = at
		at += isoDuration(p.Duration)
	}
	return starts
}

// mpdClock is the present in seconds since a live stream began.
type mpdClock struct {
	seconds float64
	known   bool
	guessed bool // by the clock of this machine
}

// clock is the present of the live stream behind r. The server whose manifest it is tells
// the time that its segments are cut by.
func (m *mpd) clock(r *reader, now time.Time) *mpdClock {
	begin, ok := xmlTime(m.Begin)
	if !ok {
		return &mpdClock{}
	}
	served, err := http.ParseTime(r.header.Get("Date"))
	if err == nil {
		age, _ := strconv.ParseUint(r.header.Get("Age"), 10, 31) // a cache repeats the time of its copy
		now = served.Add(time.Duration(age) * time.Second)
	}
	return &mpdClock{seconds: now.Sub(begin).Seconds(), known: true, guessed: err != nil}
}

// xmlTime reads an xs:dateTime, in UTC where it names no zone.
func xmlTime(s string) (time.Time, bool) {
	for _, form := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(form, strings.TrimSpace(s)); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
