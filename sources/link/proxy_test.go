package link_test

import (
	"strings"
	"testing"

	"xship/sources/link"
)

func TestParseProxy(t *testing.T) {
	tests := []struct{ raw, want, wrong string }{
		{"http://p.example:3128", "http://p.example:3128", ""},
		{" p.example:3128 ", "http://p.example:3128", ""},
		{"10.0.0.1:3128", "http://10.0.0.1:3128", ""},
		{"p.example", "http://p.example", ""},
		{"https://me:s3cr3t@p.example", "https://me:s3cr3t@p.example", ""},
		{"me:s3cr3t@p.example:8080", "http://me:s3cr3t@p.example:8080", ""},
		{"SOCKS5://[::1]:1080", "socks5://[::1]:1080", ""},
		{"socks5h://p.example", "socks5h://p.example", ""},
		{"socks://127.0.0.1:1080/", "socks5://127.0.0.1:1080/", ""},
		{"socks4://p.example:1080", "", "socks5://HOST:1080"},
		{"ftp://p.example", "", "http, https, socks5, socks5h"},
		{"http://", "", "names no host"},
		{"http://me:s3cr3t%zz@p.example", "", "percent-encoded"},
		{"http://me:s3cr3t#@p.example:1", "", "not a URL"},
	}
	for _, tt := range tests {
		u, err := link.ParseProxy(tt.raw)
		switch {
		case tt.wrong != "":
			if err == nil || !strings.Contains(err.Error(), tt.wrong) || strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("%s: %v, want an error with %q", tt.raw, err, tt.wrong)
			}
		case err != nil || u.String() != tt.want:
			t.Errorf("%s: %v, %v, want %s", tt.raw, u, err, tt.want)
		}
	}
}
