package vod_test

import (
	"path/filepath"
	"testing"

	"xship/config/vod"
)

func TestAddressKey(t *testing.T) {
	absolute, err := filepath.Abs("a#1.json")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, a, b string
		same       bool
	}{
		{"case of scheme and host", "HTTP://H.Example/a", "http://h.example/a", true},
		{"case of the path", "http://h.example/A", "http://h.example/a", false},
		{"default port", "http://h.example:80/a", "http://h.example/a", true},
		{"default port of https", "https://h.example:443", "https://h.example/", true},
		{"port of the other scheme", "https://h.example:80/", "https://h.example/", false},
		{"another port", "http://h.example:8080/", "http://h.example/", false},
		{"empty port", "http://h.example:/", "http://h.example/", true},
		{"IPv6", "http://[::1]:80/", "http://[::1]/", true},
		{"scheme", "http://h.example/", "https://h.example/", false},
		{"fragment", "http://h.example/a#b", "http://h.example/a", true},
		{"query", "http://h.example/a?b=1", "http://h.example/a?b=2", false},
		{"white space around", " http://h.example/a ", "http://h.example/a", true},
		{"script of the host", "http://饭太硬.example/tv", "http://xn--sss604efuw.example/tv", true},
		{"escaped path", "http://h.example/饭", "http://h.example/%E9%A5%AD", true},
		{"path and file address", absolute, "file://" + filepath.ToSlash(filepath.Dir(absolute)) + "/a%231.json", true},
		{"relative path", "./a#1.json", absolute, true},
		{"paths with a number sign", "/d/a#1.json", "/d/a#2.json", false},
		{"other schemes", "clan://a", "clan://b", false},
		{"no address", "http://%zz/a", "http://%zz/b", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a, b := vod.AddressKey(tt.a), vod.AddressKey(tt.b)
			if (a == b) != tt.same {
				t.Errorf("keys %q and %q, want them the same: %v", a, b, tt.same)
			}
			if again := vod.AddressKey(a); again != a {
				t.Errorf("the key of key %q is %q", a, again)
			}
		})
	}
}
