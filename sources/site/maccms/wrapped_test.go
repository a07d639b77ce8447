package maccms_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"

	"xship/sources"
)

// TestSearch_wrapped finds titles in JSON and XML within what servers put around them.
func TestSearch_wrapped(t *testing.T) {
	const warning = "<br />\n<b>Warning</b>:  Undefined {array} key in <b>/www/x.php</b> on line <b>3</b><br />\n"
	xml := strings.Replace(xmlRows, "CHARSET", "utf-8", 1)
	for name, body := range map[string]string{
		"JSON behind a warning":        warning + jsonRows,
		"JSON in a call":               "/**/cb(" + jsonRows + ");",
		"JSON before a script":         jsonRows + "<script>var a={};</script>",
		"JSON with control characters": strings.Replace(jsonRows, "高清$", "高\x00清\t\x0b$", 1),
		"XML behind warnings":          "\ufeff\n" + warning + warning + xml,
		"XML behind a comment":         "<!-- cached -->" + xml,
		"XML before a script":          xml + "<script>if(a<b){c('<!--')}</script><!-- 0.03s",
		"XML before a page":            xml + "<html><body>{}",
		"XML with control characters":  strings.Replace(xml, "高清$", "高清\x00\x0b$", 1),
	} {
		t.Run(name, func(t *testing.T) {
			srv := serveBytes(t, "text/html; charset=utf-8", []byte(body))
			found := mustSearch(t, newSite(t, spec(srv.URL)), movie("流浪地球", 2019))
			if len(found) != 1 || found[0].URL != "https://h.example/1.m3u8" {
				t.Errorf("%+v", found)
			}
		})
	}
	for name, body := range map[string]string{
		"page that holds JSON":     "<html><head><title>x</title></head><body><pre>" + jsonRows + "</pre></body></html>",
		"page that holds XML":      "<!DOCTYPE html><html><body><textarea>" + xml + "</textarea></body></html>",
		"page behind a warning":    warning + "<html><body><script>cb(" + jsonRows + ")</script></body></html>",
		"part of a page":           "<div>" + jsonRows + "</div>",
		"warning only":             warning,
		"fatal error in the place": strings.Replace(warning, "Warning", "Fatal error", 1),
		"fatal error in a list":    `<rss><list></list></rss>` + strings.Replace(warning, "Warning", "Fatal error", 1),
	} {
		t.Run(name, func(t *testing.T) {
			srv := serveBytes(t, "text/html; charset=utf-8", []byte(body))
			found, err := search(t, newSite(t, spec(srv.URL)), movie("流浪地球", 2019))
			if len(found) > 0 || sources.ClassOf(err) != sources.ClassHosterFault {
				t.Errorf("%+v, %v; want a fault of the site", found, err)
			}
		})
	}
}

// TestSearch_guessed finds titles in charsets that nobody names.
func TestSearch_guessed(t *testing.T) {
	for name, c := range map[string]struct {
		as    encoding.Encoding
		title string
		row   string
	}{
		"Shift JIS": {japanese.ShiftJIS, "進撃の巨人", `"type_name":"アニメ","vod_remarks":"全25話"`},
		"EUC-JP":    {japanese.EUCJP, "千と千尋の神隠し", `"type_name":"アニメ映画","vod_sub":"スタジオジブリ"`},
		"EUC-KR":    {korean.EUCKR, "기생충", `"type_name":"한국영화","vod_remarks":"완결 고화질"`},
		"GBK":       {simplifiedchinese.GBK, "大江大河", `"type_name":"国产","vod_remarks":"高清"`},
	} {
		t.Run(name, func(t *testing.T) {
			body, err := c.as.NewEncoder().String(`{"code":1,"list":[{"vod_id":1,"vod_name":"` + c.title + `",` + c.row + `,"vod_play_url":"HD$https://h.example/1.m3u8"}]}`)
			if err != nil {
				t.Fatal(err)
			}
			found := mustSearch(t, newSite(t, spec(serveBytes(t, "", []byte(body)).URL)), movie(c.title, 0))
			if len(found) != 1 || !strings.HasPrefix(found[0].Name, c.title) {
				t.Errorf("%+v", found)
			}
		})
	}
}
