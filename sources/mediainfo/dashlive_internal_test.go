package mediainfo

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

// TestSome has the addresses that are looked at, by the window that they lie in.
func TestSome(t *testing.T) {
	const template = `media="$Number$-$Time$" timescale="10"`
	timeline := func(s string) string {
		return `<SegmentTemplate ` + template + `><SegmentTimeline>` + s + `</SegmentTimeline></SegmentTemplate>`
	}
	for _, tt := range []struct {
		name, template string
		w              mpdWindow
		want           []string
	}{
		{"by number", `<SegmentTemplate ` + template + ` duration="20" startNumber="5"/>`, mpdWindow{seconds: 20}, []string{"5-0", "10-100", "6-20"}},
		{"of unknown length", `<SegmentTemplate ` + template + ` duration="20"/>`, mpdWindow{}, []string{"1-0"}},
		{"of no duration", `<SegmentTemplate ` + template + `/>`, mpdWindow{seconds: 20}, []string{"1-0"}},
		{"with an offset", `<SegmentTemplate ` + template + ` duration="20" presentationTimeOffset="1000"/>`, mpdWindow{seconds: 4}, []string{"1-1000", "2-1020"}},
		{"a timeline", timeline(`<S t="7" d="20" r="2"/><S d="5"/><S t="100" d="20"/>`), mpdWindow{seconds: 20}, []string{"1-7", "3-47", "2-27"}},
		{"a timeline up to the next", timeline(`<S t="0" d="20" r="-1"/><S t="60" d="5"/>`), mpdWindow{seconds: 7}, []string{"1-0", "3-40", "2-20"}},
		{"a timeline up to the end", timeline(`<S t="0" d="20" r="-1"/>`), mpdWindow{seconds: 20}, []string{"1-0", "6-100", "2-20"}},
		{"an empty timeline", timeline(``), mpdWindow{seconds: 1}, []string{"1-0"}},

		{"live", `<SegmentTemplate ` + template + ` duration="20"/>`, mpdWindow{seconds: 200, live: true}, []string{"98-1940", "51-1000", "2-20"}},
		{"live, within its depth", `<SegmentTemplate ` + template + ` duration="20"/>`, mpdWindow{seconds: 200, depth: 20, live: true}, []string{"98-1940", "96-1900", "92-1820"}},
		{"live, with a delay", `<SegmentTemplate ` + template + ` duration="20"/>`, mpdWindow{seconds: 200, depth: 60, delay: 30, live: true}, []string{"86-1700", "72-1420"}},
		{"live, with a delay beyond its depth", `<SegmentTemplate ` + template + ` duration="20"/>`, mpdWindow{seconds: 200, depth: 20, delay: 60, live: true}, []string{"91-1800", "96-1900", "92-1820"}},
		{"live, just begun", `<SegmentTemplate ` + template + ` duration="20"/>`, mpdWindow{seconds: 3, live: true}, []string{"1-0"}},
		{"live, not begun", `<SegmentTemplate ` + template + ` duration="20"/>`, mpdWindow{live: true}, nil},
		{"live, a timeline", timeline(`<S t="1000" d="20" r="9"/>`), mpdWindow{seconds: 200, depth: 20, live: true}, []string{"8-1140", "6-1100", "2-1020"}},
		{"live, a timeline of a day and more", timeline(`<S t="0" d="20" r="-1"/>`), mpdWindow{seconds: 200_000, depth: 60, live: true}, []string{"99998-1999940", "99986-1999700", "99972-1999420"}},
		{"live, of half seconds since 1970", `<SegmentTemplate media="$Number$" timescale="2" duration="1"/>`, mpdWindow{seconds: 1_700_000_000, depth: 60, live: true}, []string{"3399999998", "3399999941", "3399999882"}},
		{"live, a timeline up to a present that is not known", timeline(`<S t="0" d="20" r="-1"/>`), mpdWindow{live: true}, nil},
		{"live, a timeline up to the next one, at no known present", timeline(`<S t="0" d="20" r="-1"/><S t="60" d="20" r="3"/>`), mpdWindow{live: true}, []string{"5-80", "4-60", "2-20"}},
		{"live, lengths that cannot be", `<SegmentTemplate media="$Number$" timescale="1000000000000000" duration="1"/>`, mpdWindow{seconds: 1 << 40, live: true}, []string{"68719476734", "34359738369", "2"}},
		{"live, counts that cannot be", timeline(`<S t="0" d="0" r="1000000000000000"/><S d="1" r="1000000000000000"/>`), mpdWindow{seconds: 1, live: true}, []string{"137438953470-68719476733", "68719476737-0", "2-0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := parseMPD([]byte(`<MPD><Period>` + tt.template + `</Period></MPD>`))
			if err != nil {
				t.Fatal(err)
			}
			template := m.Periods[0].Template
			var got []string
			for _, s := range template.some(tt.w) {
				got = append(got, template.fill(template.Media, new(representation), s.number, s.time))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("segments (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLiveClock asks for a segment by the clock of the server, and by that of the machine
// where the server tells none: what is not there then is no proof.
func TestLiveClock(t *testing.T) {
	now := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	const begin = "2024-01-02T03:00:00"
	for name, tt := range map[string]struct {
		begin  string
		header http.Header
		asked  string // first of the segments
		gone   sources.Class
	}{
		"of the server":            {begin + "Z", http.Header{"Date": {"Tue, 02 Jan 2024 03:10:00 GMT"}}, "/598", sources.ClassDeadLink},
		"of a copy in a cache":     {begin + "Z", http.Header{"Date": {"Tue, 02 Jan 2024 03:10:00 GMT"}, "Age": {"60"}}, "/658", sources.ClassDeadLink},
		"without a zone":           {begin, http.Header{"Date": {"Tue, 02 Jan 2024 03:10:00 GMT"}}, "/598", sources.ClassDeadLink},
		"in another zone":          {"2024-01-02T05:00:00.000+02:00", http.Header{"Date": {"Tue, 02 Jan 2024 03:10:00 GMT"}}, "/598", sources.ClassDeadLink},
		"of the machine":           {begin + "Z", http.Header{}, "/243", sources.ClassUnsupported},
		"one that cannot be read":  {begin + "Z", http.Header{"Date": {"yesterday"}}, "/243", sources.ClassUnsupported},
		"a beginning that is none": {"now", http.Header{}, "", sources.ClassOK},
		"a beginning to come":      {"2025-01-02T03:00:00Z", http.Header{}, "", sources.ClassOK},
	} {
		t.Run(name, func(t *testing.T) {
			var asked []string
			p := New(Options{
				Now: func() time.Time { return now },
				Range: func(_ context.Context, url string, _ map[string]string, _, _ int64) (Part, error) {
					path := strings.TrimPrefix(url, "http://h.example")
					if path == "/v.mpd" {
						data := []byte(`<MPD type="dynamic" availabilityStartTime="` + tt.begin + `"><Period><AdaptationSet contentType="video"><Representation id="1"><SegmentTemplate media="$Number$" duration="1"/></Representation></AdaptationSet></Period></MPD>`)
						return Part{Data: data, Total: int64(len(data)), Header: tt.header}, nil
					}
					asked = append(asked, path)
					return Part{}, sources.Errorf(sources.ClassDeadLink, "404")
				},
			})
			_, err := p.Probe(t.Context(), sources.Stream{URL: "http://h.example/v.mpd"})
			if got := sources.ClassOf(err); got != tt.gone {
				t.Errorf("got %s %v, want %s", got, err, tt.gone)
			}
			if len(asked) == 0 {
				asked = []string{""}
			}
			if asked[0] != tt.asked {
				t.Errorf("asked for %q first, want %q", asked, tt.asked)
			}
		})
	}
}
