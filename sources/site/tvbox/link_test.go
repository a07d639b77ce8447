package tvbox_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources/site/tvbox"
)

func TestUnplayable(t *testing.T) {
	for link, want := range map[string]string{
		"https://h.example/a.m3u8":                         "",
		"https://h.example/share/abc.m3u8":                 "",
		"https://h.example/a.m3u8|Referer=http://r/a.html": "",
		"https://h.example/share/abc":                      "needs a parser: it is a share page",
		"https://p.example/play?v=https://h/a.mp4":         "needs a parser: it holds another link",
		"http://127.0.0.1:9978/proxy?do=js":                "needs the TVBox app: it is a link to the app's own server",
		"http://127.0.0.1:8080/a.mp4":                      "",
		"https://h.example/a.php?id=1.html":                "",
		"https://h.example/100% Film.mp4":                  "",
		"https://h.example/v/a|b/fast.mp4":                 "",
		"https://h.example/v/a|b.html":                     "needs a parser: it is a web page",
		"https://vod.bilibili.com/a/b.m3u8?sign=1":         "",
		"https://myqq.com/a":                               "",
		"https://h.example/v/a.HTML?x=1":                   "needs a parser: it is a web page",
		"https://h.example/a.htm":                          "needs a parser: it is a web page",
		"https://www.bilibili.com/video/BV1":               "needs a parser: it is a page of bilibili.com",
		"https://p.example/?url=https://h/a.m3u8":          "needs a parser: it holds another link",
		"https://p.example/?URL=HTTP://h/a.mp4":            "needs a parser: it holds another link",
		"https://cdn.example/1.m3u8?srv=https3":            "",
		"rtmp://h.example/live":                            "unsupported scheme: rtmp",
		"magnet:?xt=urn:btih:abc":                          "unsupported scheme: magnet",
		"thunder://QUFodHRw":                               "unsupported scheme: thunder",
		"https://":                                         "not a valid URL",
		"https://h:x/":                                     "not a valid URL",
	} {
		if got := tvbox.Unplayable(link); got != want {
			t.Errorf("%s: got %q, want %q", link, got, want)
		}
	}
}

func TestPrefixed(t *testing.T) {
	tests := []struct{ prefix, link, want, reason string }{
		{"", "https://h/a", "https://h/a", ""},
		{"https://p/?u=", "https://h/a", "https://p/?u=https://h/a", ""},
		{"json:https://p/", "https://h/a", "https://h/a", "needs a parser: the interface plays this site through one"},
	}
	for _, tt := range tests {
		if got, reason := tvbox.Prefixed(tt.prefix, tt.link); got != tt.want || reason != tt.reason {
			t.Errorf("%q: got %q, %q", tt.prefix, got, reason)
		}
	}
}

func TestPlayHeaders(t *testing.T) {
	got := tvbox.PlayHeaders(map[string]string{"user-agent": "a", "Referer": "b", "Authorization": "c", "Cookie": "d"})
	if diff := cmp.Diff(map[string]string{"user-agent": "a", "Referer": "b"}, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if got := tvbox.PlayHeaders(map[string]string{"Cookie": "d"}); got != nil {
		t.Errorf("got %v, want none", got)
	}
}
