package link_test

import (
	"testing"

	"xship/sources/link"
)

// TestRedact_addon hides what people keep in the addresses of Stremio add-ons, in links
// and in the addresses of interfaces alike.
func TestRedact_addon(t *testing.T) {
	for _, tt := range []struct{ address, want string }{
		{"https://a.example/manifest.json", "https://a.example/manifest.json"},
		{"https://a.example/stremio/v2/manifest.json", "https://a.example/stremio/v2/manifest.json"},
		{"https://a.example/stremio-addon/configure", "https://a.example/stremio-addon/configure"},
		{"https://a.example/stream/movie/tt1254207.json", "https://a.example/stream/movie/tt1254207.json"},
		{"https://a.example/v1/stream/series/tt1254207%3A1%3A2.json", "https://a.example/v1/stream/series/tt1254207%3A1%3A2.json"},
		{"https://a.example/%7B%22realdebrid%22%3A%22ABCDEFGH12345678IJKL%22%7D/manifest.json", "https://a.example/REDACTED/manifest.json"},
		{"https://a.example/realdebrid=abcd1234/manifest.json", "https://a.example/REDACTED/manifest.json"},
		{"https://a.example/realdebrid=abcd1234/stream/movie/tt1254207.json", "https://a.example/REDACTED/stream/movie/tt1254207.json"},
		{"https://a.example/stremio/0a1b2c3d-1111-4222-8333-444455556666/x9y8z7w6/configure", "https://a.example/stremio/REDACTED/REDACTED/configure"},
		{"https://a.example/user:hunter2/meta/movie/tt1254207.json", "https://a.example/REDACTED/meta/movie/tt1254207.json"},
		{"https://a.example/resolve/realdebrid/ABCDEFGHIJKLMNOPQRST/film.mkv", "https://a.example/resolve/realdebrid/REDACTED/film.mkv"},
		{"https://a.example/torbox/films/a.mkv", "https://a.example/torbox/films/a.mkv"},
		{"https://a.example/user123456/film.mkv", "https://a.example/user123456/film.mkv"},
	} {
		for name, redact := range map[string]func(string) string{"link": link.Redact, "interface": link.RedactInterface} {
			got := redact(tt.address)
			if got != tt.want {
				t.Errorf("%s: %s is shown as %s, want %s", name, tt.address, got, tt.want)
			}
			if again := redact(got); again != got {
				t.Errorf("%s: %s is shown as %s", name, got, again)
			}
		}
	}
}
