package stremio

import (
	"strings"
	"testing"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
)

func FuzzRows(f *testing.F) {
	for _, row := range []string{
		`{"name":"A\n4K","title":"x 💾 2 GB 🇩🇪/🇬🇧\nA.B.2016.mkv","url":"https://h.example/a.mp4|Referer=x"}`, `{"infoHash":"x"},{"url":"magnet:?x"}`, `{"ytId":"abcdefghijk"}`,
		`{"externalUrl":"https://github.com/"}`, `{"name":"❌","description":"No streams found"}`, `null`, `7`, `{"rarUrls":"x"}`,
		`{"url":"https://h.example/a","behaviorHints":{"filename":"a\\b.mkv","videoSize":"9","proxyHeaders":{"request":{"A":"b"}}},"subtitles":[{"url":"https://s.example/","lang":"ger"}]}`,
	} {
		f.Add([]byte(`{"streams":[` + row + `]}`))
	}
	f.Add([]byte(`{"err":"\u001b[31mx"}`))
	req := fetch.Request{URL: "http://h.example/stream/movie/tt1.json"}
	title := sources.Title{Kind: sources.KindMovie, Name: "A", IMDb: "tt9000001"}
	site := &site{addon: webURL("http://h.example/manifest.json")}
	f.Fuzz(func(t *testing.T, body []byte) {
		q := &search{site: site, title: title}
		clean := func(s string) bool { return !strings.ContainsAny(s, "\x1b\n\x00") && utf8.ValidString(s) }
		q.yield = func(src sources.Source) {
			if src.Name == "" || !clean(src.Name+src.Label+src.URL+src.Group+src.Language) || src.SizeBytes < 0 || webURL(src.URL) == nil {
				t.Errorf("bad source %+v", src)
			}
			if len(link.ForPlayer(src.Headers)) != len(src.Headers) || len(src.Subtitles) > maxSubtitles {
				t.Errorf("bad headers or subtitles %+v", src)
			}
		}
		a, err := decodeStreams(req, body, q.take)
		if err != nil && (sources.ClassOf(err) != sources.ClassHosterFault || strings.ContainsAny(err.Error(), "\x1b\n")) {
			t.Errorf("unexpected error %q", err)
		}
		if a.rows > maxRows || a.bad > a.rows || !clean(q.failed+q.notice) {
			t.Errorf("%+v, bad texts %q, %q", a, q.failed, q.notice)
		}
	})
}
