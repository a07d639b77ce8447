package mediainfo_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/simplifiedchinese"

	"xship/sources"
)

// manifest serves a manifest of DASH at /dash/manifest.mpd with the segments of
// the sample beside it.
func manifest(data []byte, extra hoster) func(*testing.T) http.Handler {
	return func(*testing.T) http.Handler {
		files := http.FileServer(http.Dir(mediaDir))
		h := hoster{"": files.ServeHTTP, "/dash/manifest.mpd": sends("application/dash+xml", data)}
		for path, answer := range extra {
			h[path] = answer
		}
		return h
	}
}

func oddManifests(t *testing.T) []odd {
	ok, dead, fault, unsupported := sources.ClassOK, sources.ClassDeadLink, sources.ClassHosterFault, sources.ClassUnsupported
	text := string(readMedia(t, "dash/manifest.mpd"))
	const declaration = `encoding="utf-8"`
	in := func(name string, e encoding.Encoding, title string) []byte {
		named := strings.Replace(text, declaration, `encoding="`+name+`"`, 1)
		named = strings.Replace(named, "<ProgramInformation>", "<ProgramInformation><Title>"+title+"</Title>", 1)
		data, err := e.NewEncoder().String(named)
		if err != nil {
			t.Fatal(err)
		}
		return []byte(data)
	}
	change := func(pairs ...string) []byte { return []byte(strings.NewReplacer(pairs...).Replace(text)) }
	dash := http.FileServer(http.Dir(mediaDir + "/dash"))
	const declared = `<?xml version="1.0" encoding="utf-8"?>`
	remote := func(href string) []byte {
		return []byte(text[:strings.Index(text, "<Period")] + `<Period xlink:href="` + href + `" xlink:actuate="onLoad"/></MPD>`)
	}
	period := text[strings.Index(text, "<Period"):strings.Index(text, "</MPD>")]
	one := slices.Concat(readMedia(t, "dash/init-stream0.m4s"), readMedia(t, "dash/chunk-stream0-00001.m4s"))
	single := func(of string) func(*testing.T) http.Handler {
		return manifest(fmt.Appendf(nil, `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:full:2011" type="static" mediaPresentationDuration="PT1S" minBufferTime="PT1S"><Period><AdaptationSet contentType="video"><Representation bandwidth="392" codecs="avc1.42c00a" id="1" mimeType="video/mp4" width="128" height="72">%s</Representation></AdaptationSet></Period></MPD>`, of), hoster{"/dash/one.mp4": sends("video/mp4", one)})
	}
	rows := []odd{
		{name: "MPD", serve: manifest([]byte(text), nil), want: ok},
		{name: "MPD: byte order mark", serve: manifest([]byte("\ufeff"+text), nil), want: ok},
		{name: "MPD: ISO-8859-1", serve: manifest(in("ISO-8859-1", charmap.ISO8859_1, "Müller"), nil), want: ok},
		{name: "MPD: windows-1251", serve: manifest(in("windows-1251", charmap.Windows1251, "Фильм"), nil), want: ok},
		{name: "MPD: GBK", serve: manifest(in("GBK", simplifiedchinese.GBK, "电影"), nil), want: ok},
		{name: "MPD: an encoding that it is not in", serve: manifest(change(declaration, `encoding="windows-1252"`), nil), want: ok},
		{name: "MPD: an encoding that nobody knows", serve: manifest(change(declaration, `encoding="x-vendor"`), nil), want: ok, why: "ffmpeg reads encodings that it knows"},
		{name: "MPD: UTF-16 LE", serve: manifest(utf16Text(strings.Replace(text, declaration, `encoding="utf-16"`, 1), false), nil), want: ok, why: "ffmpeg does not know it for a manifest"},
		{name: "MPD: UTF-16 BE", serve: manifest(utf16Text(strings.Replace(text, declaration, `encoding="UTF-16"`, 1), true), nil), want: ok, why: "ffmpeg does not know it for a manifest"},
		{name: "MPD: UTF-16 without a mark", serve: manifest(utf16Text(text, false)[2:], nil), want: ok, why: "ffmpeg does not know it for a manifest"},
		{name: "MPD: XML 1.1", serve: manifest(change(`version="1.0"`, `version="1.1"`), nil), want: ok},
		{name: "MPD: no declaration", serve: manifest(change(`<?xml version="1.0" encoding="utf-8"?>`, ""), nil), want: ok},
		{name: "MPD: decimals in numbers", serve: manifest(change(`bandwidth="32936"`, `bandwidth="32936.5"`, `width="128"`, `width="128.0"`, `height="72"`, `height="72.0"`), nil), want: ok},
		{name: "MPD: numbers that are none", serve: manifest(change(`bandwidth="32936"`, `bandwidth="auto"`), nil), want: ok},
		{name: "MPD: decimals in times", serve: manifest(change(`"PT1.0S"`, `"PT0H0M1.0000000S"`), nil), want: ok},
		{name: "MPD: an entity of HTML", serve: manifest(change("<ProgramInformation>", "<ProgramInformation><Title>a&nbsp;b</Title>"), nil), want: ok, why: "ffmpeg is strict"},
		{name: "MPD: a bare ampersand", serve: manifest(change("<ProgramInformation>", "<ProgramInformation><Title>a & b</Title>"), nil), want: ok, why: "ffmpeg is strict"},
		{name: "MPD: a namespace with a prefix", serve: manifest(change(`xmlns="urn:mpeg:dash`, `xmlns:m="urn:mpeg:dash`), nil), want: ok},
		{name: "MPD: two periods", serve: manifest(change("</MPD>", strings.Replace(period, `start="PT0.0S"`, `start="PT1.0S"`, 1)+"</MPD>"), nil), want: ok},
		{name: "MPD: xlink to a period, resolved to zero", serve: manifest(change("<Period", `<Period xlink:href="urn:mpeg:dash:resolve-to-zero:2013" /><Period`), nil), want: ok},
		{name: "MPD: its only period by xlink", serve: manifest(remote("period.xml"), hoster{"/dash/period.xml": sends("application/xml", []byte(period))}), want: ok, why: "ffmpeg reads one file"},
		{name: "MPD: its only period by xlink, two of them and a declaration", serve: manifest(remote("period.xml"), hoster{"/dash/period.xml": sends("application/xml", []byte(declared+period+period))}), want: ok, why: "ffmpeg reads one file"},
		{name: "MPD: its only period by xlink, whose segments are gone", serve: fixed(hoster{"/dash/manifest.mpd": sends("application/dash+xml", remote("period.xml")), "/dash/period.xml": sends("application/xml", []byte(period))}), want: dead, why: "all that it names is gone"},
		{name: "MPD: its only period by xlink, gone", serve: manifest(remote("gone.xml"), nil), want: unsupported, why: "a part of the manifest that others may do without"},
		{name: "MPD: its only period by xlink, a page", serve: manifest(remote("page.xml"), hoster{"/dash/page.xml": sends("text/html", []byte("<html><title>Sign in</title>"))}), want: unsupported, why: "a part of the manifest that others may do without"},
		{name: "MPD: its only period by xlink, 500", serve: manifest(remote("bad.xml"), hoster{"/dash/bad.xml": status(500)}), want: unsupported, why: "a part of the manifest that others may do without"},
		{name: "MPD: its only period by xlink, of another scheme", serve: manifest(remote("urn:uuid:0"), nil), want: unsupported, why: "a part of the manifest that others may do without"},
		{name: "MPD: a period by xlink, gone, beside one of its own", serve: manifest(change("<Period", `<Period xlink:href="gone.xml"/><Period`), nil), want: ok},
		{name: "MPD: by BaseURL on another path", serve: manifest(change("<Period id", "<BaseURL>/dash/</BaseURL><Period id"), nil), want: ok},
		{name: "MPD: BaseURL behind its periods", serve: fixed(hoster{"/dash/manifest.mpd": sends("application/dash+xml", change("</MPD>", "<BaseURL>/other/</BaseURL></MPD>")), "": http.StripPrefix("/other", dash).ServeHTTP}), want: ok},
		{name: "MPD: one file by BaseURL", serve: manifest([]byte(`<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S"><Period><AdaptationSet><ContentComponent contentType="video" id="1"/><Representation bandwidth="392" codecs="avc1.42c00a" id="1" mimeType="video/mp4" width="128" height="72"><BaseURL>/fragmented.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>`), nil), want: ok, why: "ffmpeg wants an index in the manifest"},
		{name: "MPD: an empty BaseURL", serve: manifest([]byte(`<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S"><Period><AdaptationSet><Representation bandwidth="392" codecs="avc1.42c00a" id="1" mimeType="video/mp4"><BaseURL></BaseURL><SegmentBase indexRange="976-1463"><Initialization range="0-975"/></SegmentBase></Representation></AdaptationSet></Period></MPD>`), nil), want: unsupported, why: "it names no media but itself"},
		{name: "MPD: segments gone", serve: fixed(hoster{"/dash/manifest.mpd": sends("application/dash+xml", []byte(text))}), want: dead, why: "all that it names is gone"},
		{name: "MPD: segments 500", serve: fixed(hoster{"/dash/manifest.mpd": sends("application/dash+xml", []byte(text)), "": status(500)}), want: fault, why: "the hoster fails at all that it names"},
		{name: "MPD: cut in the middle", serve: manifest([]byte(text[:len(text)/2]), nil), want: unsupported, why: "a manifest that is not well-formed"},
		{name: "MPD: without tracks", serve: manifest([]byte(`<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period/></MPD>`), nil), want: unsupported, why: "a manifest without tracks"},
		{name: "tracker: an index without an initialisation", serve: single(`<BaseURL>one.mp4</BaseURL><SegmentBase indexRangeExact="true" indexRange="833-876"/>`), want: ok},
		{name: "tracker: wrong ranges of index and initialisation", serve: single(`<BaseURL>one.mp4</BaseURL><SegmentBase indexRange="1007-1470"><Initialization range="0-9"/></SegmentBase>`), want: ok},
		{name: "tracker: one file on another host, with a query", serve: func(t *testing.T) http.Handler {
			base := foreign(t, hoster{"/nb3-1.m4s": sends("video/mp4", one)}) + "/nb3-1.m4s?e=ig8&amp;uipk=5&amp;upsig=79"
			return single(`<BaseURL>` + base + `</BaseURL><SegmentBase indexRange="833-876"><Initialization range="0-808"/></SegmentBase>`)(t)
		}, want: ok, why: "ffmpeg does not escape what it puts back into its manifest"},
		{name: "tracker: ranges of one file in a list", serve: single(`<BaseURL>one.mp4</BaseURL><SegmentList duration="1"><Initialization range="0-808"/><SegmentURL mediaRange="809-4116"/></SegmentList>`), want: ok},
		{name: "tracker: segments that initialise themselves", serve: single(`<SegmentTemplate media="one.mp4?$Number$" duration="1" startNumber="0"/>`), want: ok},
		{name: "tracker: an empty timeline", serve: manifest(change(`<S t="0" d="12800" />`, "", `<S t="0" d="47104" />`, "", `<S d="896" />`, ""), nil), want: ok, why: "ffmpeg finds no segment where none is counted, though they are there"},
		{name: "tracker: a film that calls itself live since years", serve: manifest([]byte(`<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="dynamic" availabilityStartTime="2014-10-14T00:00:00Z" minBufferTime="PT1S"><Period start="PT0S"><AdaptationSet contentType="video"><Representation bandwidth="392" codecs="avc1.42c00a" id="1" mimeType="video/mp4" width="128" height="72"><SegmentTemplate initialization="init-stream0.m4s" media="part-$Number$.m4s" duration="1" startNumber="1"/></Representation></AdaptationSet></Period></MPD>`),
			hoster{"/dash/part-1.m4s": sends("video/iso.segment", readMedia(t, "dash/chunk-stream0-00001.m4s")), "/dash/part-2.m4s": sends("video/iso.segment", readMedia(t, "dash/chunk-stream0-00001.m4s"))}), want: ok, why: "ffmpeg goes on at the live edge, where nothing is"},
		{name: "Smooth Streaming", serve: manifest([]byte(`<?xml version="1.0" encoding="utf-16"?><SmoothStreamingMedia MajorVersion="2" MinorVersion="0" Duration="10000000"><StreamIndex Type="video" QualityLevels="1" Chunks="1" Url="QualityLevels({bitrate})/Fragments(video={start time})"><QualityLevel Index="0" Bitrate="300000" FourCC="H264" MaxWidth="128" MaxHeight="72" CodecPrivateData="000000016742C00A"/><c d="10000000" t="0"/></StreamIndex></SmoothStreamingMedia>`), nil), want: unsupported, why: "a kind of manifest that ffmpeg writes, and neither reads"},
		{name: "Smooth Streaming, with fragments that are gone", serve: fixed(hoster{"/dash/manifest.mpd": sends("text/xml", []byte(`<SmoothStreamingMedia MajorVersion="2"><StreamIndex Type="video" Url="Fragments(video={start time})"/></SmoothStreamingMedia>`))}), want: unsupported, why: "a kind of manifest that ffmpeg writes, and neither reads"},
	}
	rows = append(rows, liveManifests()...)
	for i := range rows {
		rows[i].path = "/dash/manifest.mpd"
	}
	return rows
}

// liveDASH is a live stream at /dash/manifest.mpd that began so long ago. Its segments, of
// one second each, are served as far back as its depth, and up to the newest but late
// ones.
type liveDASH struct {
	template string        // attributes and content of the SegmentTemplate
	ago      time.Duration // since it began
	depth    int           // seconds
	late     int           // segments that are announced by the clock and not there yet
	gone     bool          // all of them
	status   int           // of what is not there, 0 = 404
	periods  string        // before the one that is on
	start    int           // second of the one that is on
}

func (l liveDASH) serve(t *testing.T) http.Handler {
	init, media := readMedia(t, "dash/init-stream0.m4s"), readMedia(t, "dash/chunk-stream0-00001.m4s")
	began := time.Now().Add(-l.ago).UTC().Truncate(time.Second)
	at := strings.Index(l.template, "<")
	attributes, content := l.template, ""
	if at >= 0 {
		attributes, content = l.template[:at], l.template[at:]
	}
	text := fmt.Sprintf(`<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" profiles="urn:mpeg:dash:profile:isoff-live:2011" type="dynamic" availabilityStartTime="%s" publishTime="%[1]s" timeShiftBufferDepth="PT%dS" suggestedPresentationDelay="PT20S" minimumUpdatePeriod="PT2S" minBufferTime="PT1S">%s<Period id="on" start="PT%dS"><AdaptationSet contentType="video"><Representation id="0" mimeType="video/mp4" codecs="avc1.42c00a" bandwidth="32936" width="128" height="72"><SegmentTemplate initialization="init.m4s" %s>%s</SegmentTemplate></Representation></AdaptationSet></Period></MPD>`,
		began.Format(time.RFC3339), l.depth, l.periods, l.start, attributes, content)
	return hoster{
		"/dash/manifest.mpd": sends("application/dash+xml", []byte(text)),
		"/dash/init.m4s":     sends("video/mp4", init),
		"": func(w http.ResponseWriter, r *http.Request) {
			n, err := strconv.Atoi(strings.TrimSuffix(path.Base(r.URL.Path), ".m4s"))
			newest := int(time.Since(began).Seconds()) - l.late
			if err != nil || l.gone || n > newest || n < newest-l.depth {
				http.Error(w, "no", cmp.Or(l.status, http.StatusNotFound))
				return
			}
			sends("video/iso.segment", atSecond(media, n))(w, r)
		},
	}
}

// atSecond is a fragment of the sample as the one that starts so many seconds after the
// stream began.
func atSecond(fragment []byte, n int) []byte {
	fragment = bytes.Clone(fragment)
	at := bytes.Index(fragment, []byte("tfdt")) + len("tfdt")
	if fragment[at] == 1 { // the version
		binary.BigEndian.PutUint64(fragment[at+4:], uint64(n)*12800)
	} else {
		binary.BigEndian.PutUint32(fragment[at+4:], uint32(n)*12800)
	}
	return fragment
}

func liveManifests() []odd {
	ok, dead, fault := sources.ClassOK, sources.ClassDeadLink, sources.ClassHosterFault
	const number = `media="$Number$.m4s" startNumber="1" duration="12800" timescale="12800"`
	row := func(name string, l liveDASH, want sources.Class, why string) odd {
		l.ago, l.depth = cmp.Or(l.ago, 5*time.Minute), cmp.Or(l.depth, 60)
		return odd{name: "MPD: live, " + name, serve: l.serve, want: want, why: why}
	}
	return []odd{
		row("by number", liveDASH{template: number}, ok, ""),
		row("by number, the newest are not there yet", liveDASH{template: number, late: 8}, ok, ""),
		row("by number, all gone", liveDASH{template: number, gone: true}, dead, "all that it names is gone"),
		row("by number, all 500", liveDASH{template: number, gone: true, status: 500}, fault, "the hoster fails at all that it names"),
		row("by number, in its second period", liveDASH{
			template: strings.Replace(number, `startNumber="1"`, `startNumber="101"`, 1), start: 100,
			periods: `<Period id="past" start="PT0S"><AdaptationSet contentType="video"><Representation id="0" mimeType="video/mp4" codecs="avc1.42c00a" bandwidth="32936" width="128" height="72"><SegmentTemplate initialization="past.m4s" media="past-$Number$.m4s" duration="1"/></Representation></AdaptationSet></Period>`,
		},
			ok, "ffmpeg takes the first period, which is over"),
		row("by time", liveDASH{template: `media="$Time$.m4s" duration="1" timescale="1"`}, ok, "ffmpeg counts no time by a duration"),
		row("by a timeline without end", liveDASH{template: `media="$Time$.m4s" timescale="1"><SegmentTimeline><S t="0" d="1" r="-1"/></SegmentTimeline>`}, ok, "ffmpeg takes no older segment where the first is gone"),
		row("by a timeline", liveDASH{template: `media="$Time$.m4s" timescale="1"><SegmentTimeline><S t="250" d="1" r="40"/></SegmentTimeline>`}, ok, ""),
		row("by a timeline, all gone", liveDASH{template: `media="$Time$.m4s" timescale="1"><SegmentTimeline><S t="250" d="1" r="40"/></SegmentTimeline>`, gone: true}, dead, "all that it names is gone"),
	}
}
