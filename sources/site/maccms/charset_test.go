package maccms_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"xship/sources"
	"xship/sources/site/maccms"
)

// serveBytes serves one body to all requests.
func serveBytes(t *testing.T, contentType string, body []byte) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{contentType}
		_, _ = w.Write(body)
	}))
	t.Cleanup(srv.Close)
	return srv
}

const (
	jsonRows = `{"code":1,"list":[{"vod_id":1,"vod_name":"流浪地球","vod_year":"2019","type_name":"科幻片","vod_play_from":"线路一","vod_play_url":"高清$https://h.example/1.m3u8"},` +
		`{"vod_id":2,"vod_name":"三体","vod_play_url":"第1集$https://h.example/2.m3u8"}]}`
	xmlRows = `<?xml version="1.0" encoding="CHARSET"?><rss version="5.1"><list page="1" pagecount="1"><video><id>1</id><name><![CDATA[流浪地球]]></name>` +
		`<year>2019</year><dl><dd flag="线路一"><![CDATA[高清$https://h.example/1.m3u8]]></dd></dl></video></list></rss>`
)

// TestSearch_charset finds titles in answers of any charset, named rightly, wrongly or
// not at all.
func TestSearch_charset(t *testing.T) {
	gbk, big5 := simplifiedchinese.GBK, traditionalchinese.Big5
	wide := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	for _, c := range []struct {
		name, siteType, body, contentType string
		as                                encoding.Encoding
	}{
		{"GBK with its name", maccms.Type, jsonRows, "application/json; charset=GBK", gbk},
		{"GBK without a word", maccms.Type, jsonRows, "application/json", gbk},
		{"GBK called UTF-8", maccms.Type, jsonRows, "text/html; charset=utf-8", gbk},
		{"UTF-8 called GBK", maccms.Type, jsonRows, "text/html; charset=gbk", unicode.UTF8},
		{"UTF-16", maccms.Type, jsonRows, "application/json", wide},
		{"Big5", maccms.Type, strings.NewReplacer("流浪地球", "臥虎藏龍", "线", "線", "体", "體", "科幻片", "武俠片").Replace(jsonRows), "", big5},
		{"XML in GB 2312", maccms.TypeXML, strings.Replace(xmlRows, "CHARSET", "gb2312", 1), "text/xml", gbk},
		{"XML in GBK called UTF-8", maccms.TypeXML, strings.Replace(xmlRows, "CHARSET", "utf-8", 1), "text/xml; charset=utf-8", gbk},
		{"XML in UTF-16", maccms.TypeXML, strings.Replace(xmlRows, "CHARSET", "utf-16", 1), "text/xml", wide},
		{"XML of type 1", maccms.Type, strings.Replace(xmlRows, "CHARSET", "gbk", 1), "text/html; charset=gbk", gbk},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, err := c.as.NewEncoder().Bytes([]byte(c.body))
			if err != nil {
				t.Fatal(err)
			}
			title := movie("流浪地球", 2019)
			if c.as == big5 {
				title = movie("臥虎藏龍", 2019)
			}
			s := spec(serveBytes(t, c.contentType, body).URL + "/api.php")
			s.Type = c.siteType
			found := mustSearch(t, newSite(t, s), title)
			if len(found) != 1 || found[0].URL != "https://h.example/1.m3u8" || !strings.Contains(found[0].Name, title.Name) {
				t.Errorf("%+v", found)
			}
		})
	}
}

// TestSearch_unreadable: what cannot be read is a fault of the site, never that nobody
// has the title; one row that cannot be read does not hide the others.
func TestSearch_unreadable(t *testing.T) {
	for _, c := range []struct{ name, body, err string }{
		{"rubbish for text", `{"code":1,"list":[{"vod_id":1,"vod_name":"` + "\xff\xfe\x80\x81\x8d\x9d" + `"}]}`, "the answer is in a character set that cannot be read"},
		{"rubbish", "\x93\x17\xfe\x90\x99\xef\x02\xd3\x88\x81\x9d\x00\xff", "the answer is no text"},
		{"lost in a database", `{"code":1,"list":[{"vod_id":1,"vod_name":"????","vod_play_url":"a$http://h/1.m3u8"}]}`, "the names of 1 row cannot be read"},
		{"lost before", `{"code":1,"list":[{"vod_id":1,"vod_name":"流` + "\ufffd\ufffd" + `球","vod_play_url":"a$http://h/1.m3u8"},{"vod_id":2,"vod_name":"流浪"}]}`, "the names of 1 row cannot be read"},
		{"nothing", `{"code":1,"list":[{"vod_id":1,"vod_name":"三体","vod_play_url":"a$http://h/1.m3u8"}]}`, ""},
		{"a name of a question", `{"code":1,"list":[{"vod_id":1,"vod_name":"你是谁??","vod_play_url":"a$http://h/1.m3u8"}]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := search(t, newSite(t, spec(serveBytes(t, "application/json", []byte(c.body)).URL)), movie("流浪地球", 2019))
			switch {
			case len(found) > 0 || (err == nil) != (c.err == ""):
				t.Errorf("%v, %v; want %q", found, err, c.err)
			case err != nil && (sources.ClassOf(err) != sources.ClassHosterFault || !strings.Contains(err.Error(), c.err)):
				t.Errorf("%s %v, want %q", sources.ClassOf(err), err, c.err)
			}
		})
	}
	body := strings.Replace(jsonRows, `"三体"`, `"`+"\xff\xfe\xfd"+`"`, 1)
	if found := mustSearch(t, newSite(t, spec(serveBytes(t, "", []byte(body)).URL)), movie("流浪地球", 2019)); len(found) != 1 {
		t.Errorf("beside a row that cannot be read: %+v", found)
	}
}
