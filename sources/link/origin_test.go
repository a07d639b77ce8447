package link_test

import (
	"testing"

	"xship/sources/link"
)

func TestOriginOf(t *testing.T) {
	for raw, want := range map[string]string{
		"http://nas.example":                      "http://nas.example:80",
		"HTTP://NAS.Example:80/a?b#c":             "http://nas.example:80",
		"http://nas.example:0080/":                "http://nas.example:80",
		"http://nas.example:/":                    "http://nas.example:80",
		"https://nas.example":                     "https://nas.example:443",
		"https://nas.example:80/":                 "https://nas.example:80",
		"http://me:word@nas.example:8096/web":     "http://nas.example:8096",
		"http://b\u00fccher.example/":             "http://xn--bcher-kva.example:80",
		"http://B\u00dcCHER.example/":             "http://xn--bcher-kva.example:80",
		"http://XN--bcher-kva.example/":           "http://xn--bcher-kva.example:80",
		"http://[::1]:8096/":                      "http://[::1]:8096",
		"http://[0:0:0:0:0:0:0:1]:8096/":          "http://[::1]:8096",
		"http://[FE80::1%25eth0]/":                "http://[fe80::1%eth0]:80",
		" http://nas.example ":                    "http://nas.example:80",
		"http://nas.example.evil.example/":        "http://nas.example.evil.example:80",
		"http://nas.example@evil.example/":        "http://evil.example:80",
		"http://nas.example:8096@evil.example/":   "http://evil.example:80",
		"http://evil.example\\@nas.example/":      "",
		"http://nas.example:99999/":               "",
		"http://nas.example:0/":                   "",
		"ftp://nas.example/":                      "",
		"nas.example":                             "",
		"//nas.example/":                          "",
		"http:///path":                            "",
		"http://a b/":                             "",
		"/home/me/films":                          "",
		"":                                        "",
		"http://\u202enas.example/":               "",
		"http://nas.example:8096\r\nHost: x.test": "",
	} {
		if got := link.OriginOf(raw); got != want {
			t.Errorf("OriginOf(%q) = %q, want %q", raw, got, want)
		}
	}
}
