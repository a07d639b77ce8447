package link_test

import (
	"testing"

	"xship/sources/link"
)

func TestRedactInterface(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"https://a.example/vod.json", "https://a.example/vod.json"},
		{"https://a.example/vod.json?k=s3cr3t", "https://a.example/vod.json?k=REDACTED"},
		{"https://u:p@a.example/?k=s3cr3t&empty=&v=1;w=2", "https://REDACTED@a.example/?k=REDACTED&empty=&v=REDACTED&w=REDACTED"},
		{"https://a.example/?s3cr3t", "https://a.example/?REDACTED"},
		{"https://a.example/?k=s3cr3t#s3cr3t", "https://a.example/?k=REDACTED"},
		{"https://a.example/?k=s3cr3t|Referer=s3cr3t", "https://a.example/?k=REDACTED"},
		{"https://u:p@ss@h.example", "https://REDACTED@h.example"},
		{"https://h.example/@user/tv", "https://h.example/@user/tv"},
		{"https://h.example/?%74oken=1&token=&token", "https://h.example/?%74oken=REDACTED&token=&REDACTED"},
		{"https://h.example/%zz?sig=1", "https://h.example/%zzREDACTED"},
		{"https://h.example/a1b2c3d4e5f6a7b8c9d0.json", "https://h.example/REDACTED"},
		{"https://h.example/raw/0123456789abcdef01234567/tv.json?x=a1b2c3d4e5f6a7b8c9d0", "https://h.example/raw/REDACTED/tv.json?x=REDACTED"},
		{"https://h.example/a-long-name-of-words-2024/season-01-episode-02", "https://h.example/a-long-name-of-words-2024/season-01-episode-02"},
		{"http://h.example/\x1b[31m\u202e", "http://h.example/"},
		{"/home/me/vod.json", "/home/me/vod.json"},
		{"/tmp/0123456789abcdef01234567/vod.json", "/tmp/0123456789abcdef01234567/vod.json"},
		{"file:///tmp/0123456789abcdef01234567/vod.json", "file:///tmp/0123456789abcdef01234567/vod.json"},
		{"h.example/0123456789abcdef01234567/vod.json", "h.example/REDACTED/vod.json"},
		{"file:///home/me/vod.json", "file:///home/me/vod.json"},
		{"file:/home/me/vod.json", "file:/home/me/vod.json"},
		{"", ""},
		{"builtin:open", "builtin:open"},
	} {
		if got := link.RedactInterface(c.url); got != c.want {
			t.Errorf("%s: %q, want %q", c.url, got, c.want)
		}
	}
}

func TestRedactInterfaceText(t *testing.T) {
	for text, want := range map[string]string{
		"got no answer":                                       "got no answer",
		"a web address starts with https://":                  "a web address starts with https://",
		"name a web address (https://…)":                      "name a web address (https://…)",
		"write file:///dir/config.json":                       "write file:///dir/config.json",
		"GET http://a.example/x?k=s3cr3t: connection refused": "GET http://a.example/x?k=REDACTED: connection refused",
		`got "http://a.example/?k=s3cr3t", no config`:         `got "http://a.example/?k=REDACTED", no config`,
		"one of http://a.example/?k=s (A), http://b.example":  "one of http://a.example/?k=REDACTED (A), http://b.example",
	} {
		if got := link.RedactInterfaceText(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
