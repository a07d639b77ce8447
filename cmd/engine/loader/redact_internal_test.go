package loader

import "testing"

func TestRedactURL(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"https://a.example/vod.json", "https://a.example/vod.json"},
		{"https://a.example/vod.json?k=s3cr3t", "https://a.example/vod.json?k=REDACTED"},
		{"https://u:p@a.example/?k=s3cr3t&empty=&v=1;w=2", "https://REDACTED@a.example/?k=REDACTED&empty=&v=REDACTED&w=REDACTED"},
		{"https://a.example/?s3cr3t", "https://a.example/?REDACTED"},
		{"https://a.example/?k=s3cr3t#s3cr3t", "https://a.example/?k=REDACTED"},
		{"https://a.example/?k=s3cr3t|Referer=s3cr3t", "https://a.example/?k=REDACTED"},
		{"/home/me/vod.json", "/home/me/vod.json"},
		{"builtin:open", "builtin:open"},
	} {
		if got := RedactURL(c.url); got != c.want {
			t.Errorf("%s: %q, want %q", c.url, got, c.want)
		}
	}
}

func TestRedactText(t *testing.T) {
	for text, want := range map[string]string{
		"got no answer": "got no answer",
		"GET http://a.example/x?k=s3cr3t: connection refused": "GET http://a.example/x?k=REDACTED: connection refused",
		`got "http://a.example/?k=s3cr3t", no config`:         `got "http://a.example/?k=REDACTED", no config`,
		"one of http://a.example/?k=s (A), http://b.example":  "one of http://a.example/?k=REDACTED (A), http://b.example",
	} {
		if got := redactText(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
