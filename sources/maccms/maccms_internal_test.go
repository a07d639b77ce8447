package maccms

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

func TestParsePlaylist(t *testing.T) {
	one := func(label, url string) []item { return []item{{label: label, number: 1, url: url}} }
	tests := []struct {
		name, from, urls string
		want             []group
	}{
		{"groups", "a$$$b", "E1$http://h/1.m3u8$$$E1$http://h/2.m3u8", []group{{"a", one("E1", "http://h/1.m3u8")}, {"b", one("E1", "http://h/2.m3u8")}}},
		{"names joined with commas", "a,b", "E1$http://h/1$$$E1$http://h/2", []group{{"a", one("E1", "http://h/1")}, {"b", one("E1", "http://h/2")}}},
		{"more groups than names", "a", "E1$http://h/1$$$E1$http://h/2", []group{{"a", one("E1", "http://h/1")}, {"line 2", one("E1", "http://h/2")}}},
		{"no names", "", "E1$http://h/1", []group{{"", one("E1", "http://h/1")}}},
		{"more names than groups", "a$$$b$$$c", "E1$http://h/1", []group{{"a", one("E1", "http://h/1")}}},
		{"an empty group keeps the pairing", "a$$$b", "$$$E1$http://h/1", []group{{"b", one("E1", "http://h/1")}}},
		{"nothing", "", "", nil},
		{"separators only", "a", "#$#$$$#\r\n$", nil},
		{"line ends, empty items, duplicates", "a", "E1$http://h/1\r\nE2$http://h/2##E1$http://h/1#\n", []group{{"a", []item{
			{"E1", 1, "http://h/1"}, {"E2", 2, "http://h/2"},
		}}}},
		{"line ends in a label", "a", "E1\r\n$http://h/1\n$http://h/2", []group{{"a", []item{{"E1", 1, "http://h/1"}, {"", 2, "http://h/2"}}}}},
		{"what is no link keeps its place", "a", "http://h/1\nnone\nhttp://h/3#none", []group{{"a", []item{
			{"", 1, "http://h/1"}, {"", 2, "none"}, {"", 3, "http://h/3"},
		}}}},
		{"no labels", "a", "http://h/1.m3u8#http://h/2.m3u8", []group{{"a", []item{{"", 1, "http://h/1.m3u8"}, {"", 2, "http://h/2.m3u8"}}}}},
		{"player code", "a", "E1$http://h/1.m3u8$m3u8", []group{{"a", one("E1", "http://h/1.m3u8")}}},
		{"player code without a label", "a", "http://h/1.m3u8$m3u8", []group{{"a", one("", "http://h/1.m3u8")}}},
		{"dollar in the URL", "a", "E1$http://h/1?a=$2/x.m3u8", []group{{"a", one("E1", "http://h/1?a=$2/x.m3u8")}}},
		{"empty label", "a", "$http://h/1", []group{{"a", one("", "http://h/1")}}},
		{"label but no URL", "a", "E1$", nil},
		{"URL for a label", "a", "http://h/1$", []group{{"a", one("", "http://h/1")}}},
		{"old servers", "a", "E1$http:||h/1.m3u8|#E2$http://h/2?a=1&amp;b=2| ", []group{{"a", []item{
			{"E1", 1, "http://h/1.m3u8"}, {"E2", 2, "http://h/2?a=1&b=2"},
		}}}},
		{"headers stay", "a", "E1$http://h/1|Referer=http://r/", []group{{"a", one("E1", "http://h/1|Referer=http://r/")}}},
		{"labels are cleaned", "\x1b[31ma", " E1\u202e &amp; more $http://h/1", []group{{"a", one("E1 & more", "http://h/1")}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, parsePlaylist(tt.from, tt.urls), cmp.AllowUnexported(group{}, item{})); diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnplayable(t *testing.T) {
	for link, want := range map[string]string{
		"https://h.example/a.m3u8":                 "",
		"https://h.example/share/abc":              "",
		"https://h.example/a.php?id=1.html":        "",
		"https://vod.bilibili.com/a/b.m3u8?sign=1": "",
		"https://myqq.com/a":                       "",
		"https://h.example/v/a.HTML?x=1":           "needs a parser: it is a web page",
		"https://h.example/a.htm":                  "needs a parser: it is a web page",
		"https://www.bilibili.com/video/BV1":       "needs a parser: it is a page of bilibili.com",
		"https://p.example/?url=https://h/a.m3u8":  "needs a parser: it holds another link",
		"https://p.example/?URL=HTTP://h/a.mp4":    "needs a parser: it holds another link",
		"https://cdn.example/1.m3u8?srv=https3":    "",
		"rtmp://h.example/live":                    "unsupported scheme: rtmp",
		"magnet:?xt=urn:btih:abc":                  "unsupported scheme: magnet",
		"thunder://QUFodHRw":                       "unsupported scheme: thunder",
		"https://":                                 "not a valid URL",
		"https://h:x/":                             "not a valid URL",
	} {
		if got := unplayable(link); got != want {
			t.Errorf("%s: got %q, want %q", link, got, want)
		}
	}
}

func FuzzParsePlaylist(f *testing.F) {
	f.Add("a$$$b", "E1$http://h/1.m3u8$m3u8$$$E1$http://h/2#\n$$")
	f.Add("a,b", "http:||h/1|$$$$x$y$")
	f.Add("", "\x1b[31m#$$$#")
	f.Fuzz(func(t *testing.T, from, urls string) {
		for _, g := range parsePlaylist(from, urls) {
			if sources.CleanText(g.name) != g.name {
				t.Errorf("unclean group %q", g.name)
			}
			for i, it := range g.items {
				if it.url == "" || it.number != i+1 || sources.CleanText(it.label) != it.label {
					t.Errorf("bad item %+v", it)
				}
			}
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"code":1,"list":[{"vod_id":1,"vod_name":"a","vod_play_url":"E1$http://h/1"}]}`, `{"list":{"0":{},"x":1}}`, "closed",
		`{"code":"1","list":[1,"a",null,{"vod_name":{}}]}`, `{"error":"\u001b[31m"}`, "\ufeff{}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := decode("http://h/?token=abcdef", body)
		if (err != nil) && (sources.ClassOf(err) != sources.ClassHosterFault || strings.ContainsRune(err.Error(), 0x1b)) {
			t.Errorf("unexpected error %q", err)
		}
		if err == nil && r == nil {
			t.Error("neither answer nor error")
		}
	})
}

// page is an answer of 20 series with 24 episodes for each of two players.
func page() []byte {
	var rows []string
	for n := range 20 {
		var items []string
		for e := range 24 {
			items = append(items, fmt.Sprintf("第%02d集$https://media.example.com/%d/%02d/index.m3u8", e+1, n, e+1))
		}
		rows = append(rows, fmt.Sprintf(`{"vod_id":%d,"vod_name":"影片 %d","type_name":"国产剧","vod_year":"2021","vod_remarks":"更新至24集","vod_lang":"国语",`+
			`"vod_content":"<p>%s</p>","vod_play_from":"am3u8$$$bm3u8","vod_play_url":"%[4]s$$$%[4]s"}`, n, n, strings.Repeat("内容", 200), strings.Join(items, "#")))
	}
	return []byte(`{"code":1,"msg":"数据列表","page":1,"pagecount":1,"limit":"20","total":20,"list":[` + strings.Join(rows, ",") + `]}`)
}

func BenchmarkDecode(b *testing.B) {
	body := page()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if r, err := decode("http://h/", body); err != nil || len(r.List) != 20 {
			b.Fatal(len(r.List), err)
		}
	}
}

func BenchmarkParsePlaylist(b *testing.B) {
	r, err := decode("http://h/", page())
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if groups := parsePlaylist(string(r.List[0].PlayFrom), r.List[0].PlayURL); len(groups) != 2 {
			b.Fatal(groups)
		}
	}
}
