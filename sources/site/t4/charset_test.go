package t4_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"golang.org/x/text/encoding/simplifiedchinese"

	"xship/sources"
)

// TestSearch_charset: all that a T4 server answers may be in another charset, the text
// behind its ext included.
func TestSearch_charset(t *testing.T) {
	write := func(w http.ResponseWriter, contentType, body string) {
		encoded, err := simplifiedchinese.GBK.NewEncoder().String(body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(encoded))
	}
	var extends []string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.URL.Path == "/ext" {
			write(w, "text/plain", "分类=电影频道")
			return
		}
		extends = append(extends, q.Get("extend"))
		switch {
		case q.Has("play"):
			write(w, "application/json; charset=gbk", `{"parse":0,"url":["高清","https://h.example/1.m3u8"]}`)
		default:
			write(w, "application/json", `{"list":[{"vod_id":"1","vod_name":"流浪地球","vod_year":"2019","vod_play_from":"线路","vod_play_url":"正片$id1"}]}`)
		}
	}))
	t.Cleanup(srv.Close)
	s := spec(srv.URL + "/api")
	s.Ext = srv.URL + "/ext"
	found, err := search(t.Context(), newSite(t, s), movie("流浪地球", 2019))
	if err != nil || len(found) != 1 || found[0].URL != "https://h.example/1.m3u8" {
		t.Errorf("%+v, %v", found, err)
	}
	for _, extend := range extends {
		if extend != "分类=电影频道" {
			t.Errorf("extend is %q", extend)
		}
	}
	garbage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("{\"list\":[{\"vod_id\":\"1\",\"vod_name\":\"\x80\xff\xfe\x81\"}]}"))
	}))
	t.Cleanup(garbage.Close)
	if found, err := search(t.Context(), newSite(t, spec(garbage.URL)), movie("流浪地球", 2019)); sources.ClassOf(err) != sources.ClassHosterFault {
		t.Errorf("%+v, %v; want a fault of the site", found, err)
	}
}

// TestSearch_wrapped: rows and streams may stand within what servers put around them.
func TestSearch_wrapped(t *testing.T) {
	const notice = "<br />\n<b>Notice</b>:  x in <b>/www/x.php</b> on line <b>3</b><br />\n"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch q := r.URL.Query(); {
		case q.Has("play"):
			_, _ = w.Write([]byte(notice + "cb({\"parse\":0,\"url\":\"https://h.example/1.m3u8\",\"x\":\"a\tb\"});<!-- 0.03s -->"))
		default:
			_, _ = w.Write([]byte("\n\ufeff[{\"vod_id\":\"1\",\"vod_name\":\"流浪地球\",\"vod_year\":\"2019\",\"vod_play_url\":\"正片$id1\",\"x\":\"\x0b\"}]" + notice))
		}
	}))
	t.Cleanup(srv.Close)
	found, err := search(t.Context(), newSite(t, spec(srv.URL)), movie("流浪地球", 2019))
	if err != nil || len(found) != 1 || found[0].URL != "https://h.example/1.m3u8" || found[0].Unplayable != "" {
		t.Errorf("%+v, %v", found, err)
	}
}
