package link_test

import (
	"strings"
	"testing"

	"xship/sources/link"
)

func TestHosterName(t *testing.T) {
	for address, want := range map[string]string{
		"https://archive.org/download/x/y.mp4":      "archive.org",
		"https://ia800706.us.archive.org/14/x.mp4":  "archive.org",
		"http://WWW.Example.COM:8080/a":             "example.com",
		"https://video.example.co.uk/a":             "example.co.uk",
		"https://storage.googleapis.com/b/x.mpd":    "storage.googleapis.com", // a public suffix of its own
		"https://me.github.io/a.mp4":                "me.github.io",
		"http://127.0.3.4:9000/a":                   "127.0.3.4",
		"http://[2001:DB8::1]:80/a":                 "2001:db8::1",
		"http://[::ffff:10.0.0.1]/a":                "10.0.0.1",
		"http://[fe80::1%25eth0]/a":                 "fe80::1",
		"http://饭太硬.com/tv":                         "xn--sss604efuw.com",
		"http://nas/film.mkv":                       "nas",
		"http://www.nas/film.mkv":                   "www.nas",
		"http://h.example./a":                       "h.example",
		"https://h.example/a|Referer=https://b.c/d": "h.example",
		"rtmp://live.h.example/a":                   "h.example",
		"file:///films/a.mkv":                       "local",
		"/films/a.mkv":                              "local",
		"http://h.example/100% Film.mp4":            "h.example",
		"http://h.example/a?b=5%|c":                 "h.example",
		"not a link":                                "",
		"http://%zz/":                               "",
		"magnet:?xt=urn:btih:0":                     "",
		"":                                          "",
	} {
		if got := link.Hoster(address); got != want {
			t.Errorf("Hoster(%q) = %q, want %q", address, got, want)
		}
	}
}

func TestCanonicalURL(t *testing.T) {
	same := [][]string{
		{"HTTP://H.example:80/a//b?b=2&a=1#x", "http://h.example/a/b?a=1&b=2"},
		{"https://h.example", "https://h.example:443/"},
		{"http://h.example/a?utm_source=q&fbclid=z", "http://h.example/a"},
		{" http://h.example/a ", "http://h.example/a"},
	}
	for _, pair := range same {
		if a, b := link.Canonical(pair[0]), link.Canonical(pair[1]); a != b {
			t.Errorf("%q and %q differ: %q, %q", pair[0], pair[1], a, b)
		}
	}
	differ := [][]string{
		{"http://h.example/A", "http://h.example/a"},
		{"http://h.example/a?x=1&x=2", "http://h.example/a?x=2&x=1"},
		{"http://h.example/a", "https://h.example/a"},
		{"http://h.example/a", "http://h.example:8080/a"},
		{"http://h.example/a%2Fb", "http://h.example/a/b"},
		{"http://h.example/a|Referer=x", "http://h.example/a|Referer=y"},
		{"http://h.example/a?key", "http://h.example/a"},
	}
	for _, pair := range differ {
		if a, b := link.Canonical(pair[0]), link.Canonical(pair[1]); a == b {
			t.Errorf("%q and %q are both %q", pair[0], pair[1], a)
		}
	}
}

func FuzzCanonicalURL(f *testing.F) {
	for _, seed := range []string{"http://h.example/a?b=1#c", "http://[::1]:80//a//", "|", "http://u:p@h/%zz?&=&utm_=1", "A://:@c\xee?\xe3\xb500A00AA #00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		once := link.Canonical(address)
		if twice := link.Canonical(once); twice != once {
			t.Errorf("Canonical(%q) = %q, and of that %q", address, once, twice)
		}
		_ = link.Hoster(address)
	})
}

func TestRedactURL(t *testing.T) {
	const secret = "s3cr3t"
	for _, address := range []string{
		"http://user:s3cr3t@h.example/a",
		"http://h.example/a?token=s3cr3t&b=1",
		"http://h.example/a?X-Amz-Signature=s3cr3t",
		"http://h.example/a?api_key=s3cr3t",
		"http://h.example/a?ApiKey=s3cr3t",
		"http://h.example/a?access%5Ftoken=s3cr3t",
		"http://h.example/a?auth_key=s3cr3t-1-2",
		"http://h.example/a?authkey=s3cr3t", "http://h.example/a?passkey=s3cr3t", "http://h.example/a?privateKey=s3cr3t",
		"http://h.example/a?userpass=s3cr3t", "http://h.example/a?a=1;token=s3cr3t", "http://h.example/a;token=s3cr3t/b",
		"http://h.example/hls/eyJhbGciOiJI.eyJzdWIiOiIx.s3cr3t/x.m3u8",
		"http:user:s3cr3t@h.example/a", "http://h.example/a?url=http%3A%2F%2Fx.example%2F%3Ftoken%3Ds3cr3t",
		"http://h.example/a?url=http://x.example/?token=s3cr3t",
		"http://h.example/a|Authorization=s3cr3t&Referer=x",
		"http://h.example/a|b/Zz9s3cr3t0000000000AAAAAAAAAA/c.mp4",
		"http://h.example/Zz9s3cr3t0000000000AAAAAAAAAA/a.m3u8",
		"http://h.example/a?x=Zz9s3cr3t0000000000AAAAAAAAAA",
		"http://%zz/?s3cr3t",
		"http://admin:p%s3cr3t@h.example/a.mp4",
		"http://h.example/a.mp4;pk;s3cr3t",
	} {
		got := link.Redact(address)
		if strings.Contains(got, secret) {
			t.Errorf("Redact(%q) = %q holds the secret", address, got)
		}
		if !strings.Contains(got, link.Redacted) {
			t.Errorf("Redact(%q) = %q does not say so", address, got)
		}
	}
	for address, want := range map[string]string{
		"http://h.example/v/token:s3cr3t/x.mp4":                                           "http://h.example/v/token:REDACTED/x.mp4",
		"http://h.example/v/token=s3cr3t/x.mp4":                                           "http://h.example/v/token=REDACTED/x.mp4",
		"http://h.example/v/x.mp4&token=s3cr3t&b=1":                                       "http://h.example/v/x.mp4&token=REDACTED&b=1",
		"http://h.example/x.mp4%3Ftoken=s3cr3t":                                           "http://h.example/x.mp4%3Ftoken=REDACTED",
		"http://h.example/x.mp4%3Fa%3D1%26token%3Ds3cr3t":                                 "http://h.example/x.mp4%3Fa=1&token=REDACTED",
		"http://h.example/x.mp4%253Ftoken%253Ds3cr3t":                                     "http://h.example/x.mp4%3Ftoken=REDACTED",
		"magnet:?xt=urn:btih:abc&dn=Film&tr=http://t.example/s3cr3t/announce":             "magnet:?xt=urn:btih:abc&dn=Film&tr=http%3A%2F%2Ft.example%2FREDACTED",
		"MAGNET:?xt.1=urn:btih:abc&tr.1=http%3A%2F%2Fu%3As3cr3t%40t.example%2Fannounce":   "MAGNET:?xt.1=urn:btih:abc&tr.1=http%3A%2F%2Ft.example%2FREDACTED",
		"magnet:?xt=urn:btih:abc&tr=http%3A%2F%2Ft.example%2Fannounce%3Fpasskey%3Ds3cr3t": "magnet:?xt=urn:btih:abc&tr=http%3A%2F%2Ft.example%2FREDACTED",
		"magnet:?xt=urn:btih:abc&tr=s3cr3t&passkey=s3cr3t&ws=http://h.example/?token=x":   "magnet:?xt=urn:btih:abc&tr=REDACTED&passkey=REDACTED&ws=http%3A%2F%2Fh.example%2F%3Ftoken%3DREDACTED",
	} {
		got := link.Redact(address)
		if got != want {
			t.Errorf("Redact(%q) = %q, want %q", address, got, want)
		}
		if again := link.Redact(got); again != got {
			t.Errorf("Redact(%q) = %q", got, again)
		}
	}
	if got := link.Redact("https://h.example/file/abc#s3cr3t"); got != "https://h.example/file/abc" {
		t.Errorf("a key behind a link: %q", got)
	}
	for _, address := range []string{
		"https://archive.org/download/BigBuckBunny_124/Content/big_buck_bunny_720p_surround.mp4",
		"https://h.example/a?year=2008&monkey=1&author=x",
		"https://video.example/videos/0eb052d0-fd51-43e6-aa33-ecdbf77a5d40",
		"https://h.example/Cosmos%20Laundromat%20-%20First%20Cycle",
		"https://h.example/v/a=1:2/x%3Fy=1.mp4",
		"magnet:?xt=urn:btih:abc&dn=A+Film&tr=udp%3A%2F%2Ft.example%3A1337%2Fannounce&tr=http://t.example&tr=",
		"builtin:open",
		"/films/film.mkv",
	} {
		if got := link.Redact(address); got != address {
			t.Errorf("Redact(%q) = %q, nothing was secret", address, got)
		}
	}
}

func TestRedactLinks(t *testing.T) {
	for text, want := range map[string]string{
		"GET https://lyon1.download.example/d/7QF5VYXKZJOZS34/Film.mkv: 509":        "GET https://lyon1.download.example/REDACTED 509",
		`ffprobe "HTTPS://user:pw@cdn.example:8443/x?a=1" failed, http://b.example`: `ffprobe "https://cdn.example:8443/REDACTED" failed, http://b.example/REDACTED`,
		"https://%zz/secret":                                "REDACTED",
		`{"url":"http:\/\/h.example\/s3cr3t.mp4"}`:          `{"url":"http://h.example/REDACTED"}`,
		"bad token=s3cr3t for user, sign = x; sid='a b' x":  "bad token=REDACTED for user, sign = REDACTED; sid='REDACTED' x",
		"Authorization: Bearer word, Cookie: a=b; x":        "Authorization: REDACTED, Cookie: REDACTED; x",
		"authorization=Basic dTpw":                          "authorization=REDACTED",
		"got Bearer abc.d3f4 of the bearer of news":         "got Bearer REDACTED of the bearer of news",
		`{"token":"s3cr3t w","n":1,"auth_key" : 12}`:        `{"token":"REDACTED","n":1,"auth_key" : REDACTED}`,
		`{\"token\":\"s3cr3t\",\"n\":\"x\"}`:                `{\"token\":\"REDACTED\",\"n\":\"x\"}`,
		`{'password':'s3cr3t'} "token":"s3cr3`:              `{'password':'REDACTED'} "token":"REDACTED`,
		`{"token":null,"sign":"","pwd":false,"key":"site"}`: `{"token":null,"sign":"","pwd":false,"key":"site"}`,
		"error: token: s3cr3t1 msg=token=x /a?key=abc&b=1":  "error: token: REDACTED msg=token=REDACTED /a?key=REDACTED&b=1",
		"/a%3Ftoken%3Dabc, 12:30, token: expired":           "/a%3Ftoken%3DREDACTED, 12:30, token: expired",
		"no link: 1/2 a:b //":                               "no link: 1/2 a:b //",
		"":                                                  "",
	} {
		if got := link.RedactText(text); got != want {
			t.Errorf("RedactText(%q) = %q, want %q", text, got, want)
		}
	}
}
