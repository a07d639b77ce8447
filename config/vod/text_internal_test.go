package vod

import "testing"

func TestRedactURL(t *testing.T) {
	tests := []struct{ in, want string }{
		{"https://h.example/tv.json", "https://h.example/tv.json"},
		{"https://u:p@h.example/tv.json", "https://REDACTED@h.example/tv.json"},
		{"https://u:p@ss@h.example", "https://REDACTED@h.example"},
		{"https://h.example/@user/tv", "https://h.example/@user/tv"},
		{"https://h.example/?api_key=1&page=2&Access_Token=3", "https://h.example/?api_key=REDACTED&page=2&Access_Token=REDACTED"},
		{"https://h.example/?%74oken=1&token=&token", "https://h.example/?%74oken=REDACTED&token=&token"},
		{"https://h.example/#token=1", "https://h.example/#token=REDACTED"},
		{"https://h.example/%zz?sig=1", "https://h.example/%zz?sig=REDACTED"},
		{"https://h.example/raw/0123456789abcdef01234567/tv.json?x=a1b2c3d4e5f6a7b8c9d0", "https://h.example/raw/REDACTED/tv.json?x=REDACTED"},
		{"https://h.example/a-long-name-of-words-2024/season-01-episode-02", "https://h.example/a-long-name-of-words-2024/season-01-episode-02"},
		{"/dir/config.json", "/dir/config.json"},
		{"http://h.example/\x1b[31m\u202e", "http://h.example/[31m"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := redactURL(tt.in); got != tt.want {
			t.Errorf("redactURL(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestShorten(t *testing.T) {
	tests := []struct{ in, want string }{
		{"short", "short"},
		{"exactly10!", "exactly10!"},
		{"eleven char", "eleven cha…"},
		{"名字名字名字名字名字名字", "名字名字名字名字名字…"},
		{" a \n\t b\x00\u200b ", "a b"},
		{"\xff", "�"},
	}
	for _, tt := range tests {
		if got := shorten(tt.in, 10); got != tt.want {
			t.Errorf("shorten(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}
