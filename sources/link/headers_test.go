package link_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources/link"
)

func TestSplitHeaders(t *testing.T) {
	tests := []struct {
		name, raw, url string
		headers        map[string]string
	}{
		{name: "none", raw: " http://h/a.mp4\n", url: "http://h/a.mp4"},
		{name: "empty", raw: "http://h/a.mp4|", url: "http://h/a.mp4"},
		{
			name: "several", raw: "http://h/a?b=c&d|User-Agent=Mozilla%2F5.0%20%28X%29&referer=http%3A%2F%2Fr%2F%3Fa%3D1%26b", url: "http://h/a?b=c&d",
			headers: map[string]string{"User-Agent": "Mozilla/5.0 (X)", "Referer": "http://r/?a=1&b"},
		},
		{name: "not encoded", raw: "http://h/a|Referer=http://r/?x=1", url: "http://h/a", headers: map[string]string{"Referer": "http://r/?x=1"}},
		{name: "plus", raw: "http://h/a|User-Agent=a+b%2Bc", url: "http://h/a", headers: map[string]string{"User-Agent": "a b+c"}},
		{name: "no escapes", raw: "http://h/a|X-A=100%&X-B=%zz%4", url: "http://h/a", headers: map[string]string{"X-A": "100%", "X-B": "%zz%4"}},
		{name: "the last counts", raw: "http://h/a|cookie=a&Cookie=b", url: "http://h/a", headers: map[string]string{"Cookie": "b"}},
		{name: "empty value", raw: "http://h/a|Referer=", url: "http://h/a", headers: map[string]string{"Referer": ""}},
		{name: "a second bar is a value's", raw: "http://h/a|X=1|2", url: "http://h/a", headers: map[string]string{"X": "1|2"}},
		{name: "escaped bar", raw: "http://h/a%7CX=1", url: "http://h/a%7CX=1"},
		{name: "hidden from the log", raw: "http://h/a|!X-Token=1", url: "http://h/a", headers: map[string]string{"X-Token": "1"}},
		{name: "options of Kodi", raw: "http://h/a|seekable=0&auth=digest&verifypeer=false&X=1", url: "http://h/a", headers: map[string]string{"X": "1"}},
		{name: "no headers", raw: "http://h/a|X%0D=3&a b=1&=2&X&Ü=4", url: "http://h/a|X%0D=3&a b=1&=2&X&Ü=4"},
		{name: "some are no headers", raw: "http://h/a|Y=5&a b=1&=2&X&X%0D=3&Ü=4", url: "http://h/a", headers: map[string]string{"Y": "5"}},
		{name: "a bar in the path", raw: "http://h/v/a|b/fast.mp4", url: "http://h/v/a|b/fast.mp4"},
		{name: "bars in the path and headers", raw: "http://h/v/a|b|c.mp4|Referer=r&X=1", url: "http://h/v/a|b|c.mp4", headers: map[string]string{"Referer": "r", "X": "1"}},
		{name: "a bar in the query", raw: "http://h/v?fl=cut,14,|hls2", url: "http://h/v?fl=cut,14,|hls2"},
		{name: "a bar before more of the query", raw: "http://h/v?fl=a|b.c=d&e=f|User-Agent=x", url: "http://h/v?fl=a|b.c=d&e=f", headers: map[string]string{"User-Agent": "x"}},
		{name: "a bar at the end, after one in the path", raw: "http://h/a|b|", url: "http://h/a|b"},
		{name: "line breaks", raw: "http://h/a|X=1%0D%0AEvil:%202&Y=a%0Ab&Z=%00", url: "http://h/a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url, headers := link.SplitHeaders(tt.raw)
			if url != tt.url {
				t.Errorf("URL %q, want %q", url, tt.url)
			}
			if diff := cmp.Diff(tt.headers, headers); diff != "" {
				t.Errorf("headers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestKodiURL(t *testing.T) {
	tests := []struct {
		url     string
		headers map[string]string
		want    string
	}{
		{"http://h/a?b=c&d=e", nil, "http://h/a?b=c&d=e"},
		{"http://h/a|b", nil, "http://h/a%7Cb"},
		{"/media/a|b%c.mkv", nil, "/media/a|b%c.mkv"},
		{
			"http://h/a",
			map[string]string{"User-Agent": "a b+c", "Referer": "http://r/?x=1&y=|", "Cookie": "ü"},
			"http://h/a|Cookie=%C3%BC&Referer=http%3A%2F%2Fr%2F%3Fx%3D1%26y%3D%7C&User-Agent=a%20b%2Bc",
		},
	}
	for _, tt := range tests {
		if got := link.Kodi(tt.url, tt.headers); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

func FuzzSplitHeaders(f *testing.F) {
	for _, s := range []string{"http://h/a|User-Agent=a%20b&Referer=http://r/", "|", "a|b=c|d=e", "a|b.c=d|e=f&g.h=i", "a|b/c|", "a|!b=%0a", "a|b=%", "a%7Cb|c=+", "/|b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		url, headers := link.SplitHeaders(raw)
		for name, value := range headers {
			if strings.ContainsAny(name+value, "\r\n\x00") {
				t.Errorf("%q gives the header %q: %q", raw, name, value)
			}
		}
		if filepath.IsAbs(url) { // of which Kodi makes no URL
			return
		}
		again, headersAgain := link.SplitHeaders(link.Kodi(url, headers))
		if again != strings.ReplaceAll(url, "|", "%7C") {
			t.Errorf("the URL %q comes back as %q", url, again)
		}
		if diff := cmp.Diff(headers, headersAgain); diff != "" {
			t.Errorf("the headers of %q do not come back (-first +second):\n%s", raw, diff)
		}
	})
}

func TestEscapeURL(t *testing.T) {
	for address, want := range map[string]string{
		"http://h.example/a%20b?c=d|e":          "http://h.example/a%20b?c=d%7Ce",
		"http://h.example/100% Film%2.mp4?a=%":  "http://h.example/100%25%20Film%252.mp4?a=%25",
		"http://h.example/\x1b]0;x\a/\u009b31m": "http://h.example/%1B]0;x%07/%C2%9B31m",
		"http://h.example/film \u202e影.mp4":     "http://h.example/film%20%E2%80%AE%E5%BD%B1.mp4",
	} {
		if got := link.Escape(address); got != want {
			t.Errorf("Escape(%q) = %q, want %q", address, got, want)
		}
	}
}

func TestForPlayer(t *testing.T) {
	for name, want := range map[string]bool{
		"Referer": true, " User-Agent ": true, "Cookie": true, "Origin": true, "Authorization": true, "Accept": true, "X-If-Match": true,
		"Host": false, "HOST": false, "Range": false, "Content-Length": false, "Connection": false, "Keep-Alive": false, "Transfer-Encoding": false,
		"Accept-Encoding": false, "Upgrade": false, "te": false, "Trailer": false, "Expect": false, "HTTP2-Settings": false,
		"Proxy-Connection": false, "proxy-authorization": false, "If-None-Match": false, "If-Range": false, "": false, "A B": false, "a:b": false,
	} {
		if got := link.ForPlayer(map[string]string{name: " x "}); got[strings.TrimSpace(name)] == "x" != want || len(got) > 1 {
			t.Errorf("%q: got %v", name, got)
		}
	}
	for _, value := range []string{"", " ", "a\r\nb: c", "a\x00", strings.Repeat("x", 5<<10)} {
		if got := link.ForPlayer(map[string]string{"A": value}); got != nil {
			t.Errorf("%.20q: got %d headers", value, len(got))
		}
	}
	many := make(map[string]string)
	for i := range 100 {
		many[fmt.Sprintf("X-%d", i)] = "x"
	}
	if got := len(link.ForPlayer(many)); got != 32 {
		t.Errorf("%d of 100 headers", got)
	}
}
