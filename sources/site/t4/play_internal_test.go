package t4

import (
	"strings"
	"testing"

	"golang.org/x/net/http/httpguts"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/text"
)

func FuzzDecodePlay(f *testing.F) {
	for _, s := range []string{
		`{"parse":0,"playUrl":"","url":"http://h/i.m3u8?auth_key=1-2","header":{"Referer":"http://r/"}}`,
		`{"parse":"1","jx":true,"url":["720P","http://h/a.mp4","http://h/b.mp4",{"n":"x","v":"//h/c"}],"header":"{\"A\":1}"}`,
		`{"url":{"values":[{"n":"4K","v":"http://h/"},null,7],"position":0},"headers":[]}`, `{"code":0,"msg":"\u001b[31m"}`, `{"url":{"values":{}}}`, "closed", `{"url":[`,
	} {
		f.Add([]byte(s))
	}
	req := fetch.Request{URL: "http://h.example/?play=1"}
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := decodePlay(req, body)
		if err != nil {
			if sources.ClassOf(err) != sources.ClassHosterFault || strings.ContainsRune(err.Error(), 0x1b) {
				t.Errorf("unexpected error %q", err)
			}
			return
		}
		if len(a.versions) == 0 || len(a.versions) > maxVersions {
			t.Errorf("%d versions", len(a.versions))
		}
		for _, v := range a.versions {
			if v.url == "" || text.Clean(v.url) != v.url || text.Clean(v.name) != v.name {
				t.Errorf("bad version %q", v)
			}
		}
		for name, value := range a.headers() {
			if !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
				t.Errorf("bad header %q: %q", name, value)
			}
		}
	})
}
