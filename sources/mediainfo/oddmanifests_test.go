package mediainfo_test

import (
	"net/http"
	"strings"
	"testing"

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
	period := text[strings.Index(text, "<Period"):strings.Index(text, "</MPD>")]
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
		{name: "MPD: its only period by xlink", serve: manifest([]byte(text[:strings.Index(text, "<Period")]+`<Period xlink:href="period.xml" xlink:actuate="onLoad"/></MPD>`),
			hoster{"/dash/period.xml": sends("application/xml", []byte(period))}), want: unsupported, why: "a manifest in several files"},
		{name: "MPD: by BaseURL on another path", serve: manifest(change("<Period id", "<BaseURL>/dash/</BaseURL><Period id"), nil), want: ok},
		{name: "MPD: BaseURL behind its periods", serve: fixed(hoster{"/dash/manifest.mpd": sends("application/dash+xml", change("</MPD>", "<BaseURL>/other/</BaseURL></MPD>")), "": http.StripPrefix("/other", dash).ServeHTTP}), want: ok},
		{name: "MPD: one file by BaseURL", serve: manifest([]byte(`<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S"><Period><AdaptationSet><ContentComponent contentType="video" id="1"/><Representation bandwidth="392" codecs="avc1.42c00a" id="1" mimeType="video/mp4" width="128" height="72"><BaseURL>/fragmented.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>`), nil), want: ok, why: "ffmpeg wants an index in the manifest"},
		{name: "MPD: an empty BaseURL", serve: manifest([]byte(`<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT1S"><Period><AdaptationSet><Representation bandwidth="392" codecs="avc1.42c00a" id="1" mimeType="video/mp4"><BaseURL></BaseURL><SegmentBase indexRange="976-1463"><Initialization range="0-975"/></SegmentBase></Representation></AdaptationSet></Period></MPD>`), nil), want: unsupported, why: "it names no media but itself"},
		{name: "MPD: segments gone", serve: fixed(hoster{"/dash/manifest.mpd": sends("application/dash+xml", []byte(text))}), want: dead, why: "all that it names is gone"},
		{name: "MPD: segments 500", serve: fixed(hoster{"/dash/manifest.mpd": sends("application/dash+xml", []byte(text)), "": status(500)}), want: fault, why: "the hoster fails at all that it names"},
		{name: "MPD: cut in the middle", serve: manifest([]byte(text[:len(text)/2]), nil), want: unsupported, why: "a manifest that is not well-formed"},
		{name: "MPD: without tracks", serve: manifest([]byte(`<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period/></MPD>`), nil), want: unsupported, why: "a manifest without tracks"},
		{name: "Smooth Streaming", serve: manifest([]byte(`<?xml version="1.0"?><SmoothStreamingMedia MajorVersion="2"><StreamIndex/></SmoothStreamingMedia>`), nil), want: unsupported, why: "a kind of manifest that neither reads"},
	}
	for i := range rows {
		rows[i].path = "/dash/manifest.mpd"
	}
	return rows
}
