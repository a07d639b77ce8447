package maccms_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"

	"xship/sources"
	"xship/sources/site/maccms"
)

// TestSearch_askedInGBK: a site that answers in GBK, and finds nothing by UTF-8, is asked
// once more in its own charset; no other site is.
func TestSearch_askedInGBK(t *testing.T) {
	inGBK := func(s string) string {
		encoded, err := simplifiedchinese.GBK.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	const (
		name  = "流浪地球"
		empty = `{"code":1,"msg":"数据列表","list":[]}`
		plain = `{"code":1,"list":[]}`
		other = `{"code":1,"list":[{"vod_id":2,"vod_name":"三体","vod_play_url":"高清$https://h.example/2.m3u8"}]}`
		xml   = `<?xml version="1.0" encoding="gbk"?><rss><list></list></rss>`
		both  = `{"code":1,"pagecount":9,"list":[{"vod_id":3,"vod_name":"流浪","vod_play_url":"高清$https://h.example/3.m3u8"}]}`
	)
	for _, c := range []struct {
		name, contentType, empty, title string
		siteType                        string
		utf8                            bool // the site answers so, and looks so
		found, asked                    bool
	}{
		{name: "answers in GBK", empty: empty, title: name, found: true, asked: true},
		{name: "other rows in GBK", empty: other, title: name, found: true, asked: true},
		{name: "says GBK and nothing else", contentType: "application/json; charset=gb2312", empty: plain, title: name, found: true, asked: true},
		{name: "says GBK in XML", siteType: maccms.TypeXML, empty: xml, title: name, found: true, asked: true},
		{name: "has it not in GBK either", empty: empty, title: "三体", asked: true},
		{name: "says nothing", empty: plain, title: name},
		{name: "fails in GBK", empty: empty, title: "不答", asked: true},
		{name: "answers in UTF-8", empty: empty, title: name, utf8: true},
		{name: "answers in UTF-8 and says GBK", contentType: "text/html; charset=gbk", empty: other, title: name, utf8: true},
		{name: "a title in ASCII", empty: empty, title: "Big Buck Bunny"},
		{name: "a title that GBK has not", empty: empty, title: "😀😀"},
		{name: "more pages of nothing", empty: both, title: name, found: true, asked: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var queries []string
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				wd := r.URL.Query().Get("wd")
				queries = append(queries, wd)
				body := c.empty
				switch wd {
				case inGBK(name):
					body = jsonRows
				case inGBK("不答"):
					w.WriteHeader(http.StatusInternalServerError)
				}
				if !c.utf8 {
					body = inGBK(body)
				}
				w.Header()["Content-Type"] = []string{c.contentType}
				_, _ = w.Write([]byte(body))
			}))
			t.Cleanup(srv.Close)
			s := spec(srv.URL)
			if c.siteType != "" {
				s.Type = c.siteType
			}
			found := mustSearch(t, newSite(t, s), sources.Title{Kind: sources.KindMovie, Name: c.title})
			if (len(found) > 0) != c.found {
				t.Errorf("found %+v", found)
			}
			inOther := slices.IndexFunc(queries, func(q string) bool { return strings.ToValidUTF8(q, "") != q })
			switch {
			case (inOther >= 0) != c.asked:
				t.Errorf("asked for %q", queries)
			case c.asked && inOther != len(queries)-1:
				t.Errorf("asked for %q, want one question in GBK, the last", queries)
			}
		})
	}
}
