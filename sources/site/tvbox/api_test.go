package tvbox_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/site/tvbox"
)

func TestAPIRequest(t *testing.T) {
	tests := []struct {
		name, api string
		params    url.Values
		want      string
	}{
		{"plain", "http://h/api.php", url.Values{"ac": {"detail"}, "wd": {"a & b"}}, "http://h/api.php?ac=detail&wd=a+%26+b"},
		{"set, not added", "http://h/?ac=list&x=1", url.Values{"ac": {"detail"}}, "http://h/?x=1&ac=detail"},
		{"reserved", "http://h/?play=1&site=X&pg=3", url.Values{"wd": {"a"}}, "http://h/?site=X&wd=a"},
		{"bare question mark", "http://h/?", url.Values{"wd": {"a"}}, "http://h/?wd=a"},
		{"its own query byte for byte", "http://h/?b=%2F;&a=+1&a=2&&c", url.Values{"wd": {"a"}}, "http://h/?b=%2F;&a=+1&a=2&c&wd=a"},
		{"escaped name", "http://h/?%61c=list", url.Values{"ac": {"detail"}}, "http://h/?ac=detail"},
		{"path form", "http://h/api.php/provide/vod/at/xml/from/x/", url.Values{"wd": {"a"}}, "http://h/api.php/provide/vod/at/xml/from/x/?wd=a"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			api, err := tvbox.NewAPI(sources.SiteSpec{API: tt.api}, "play", "pg")
			if err != nil {
				t.Fatal(err)
			}
			if req := api.Request(tt.params); req.URL != tt.want || req.Method != "" || req.Body != nil {
				t.Errorf("got %s %s, want %s", req.Method, req.URL, tt.want)
			}
		})
	}
}

func TestAPIRequestWithLongExtend(t *testing.T) {
	api, err := tvbox.NewAPI(sources.SiteSpec{API: "http://h/?site=X&wd=stray", Headers: map[string]string{"A": "b"}})
	if err != nil {
		t.Fatal(err)
	}
	for extend, post := range map[string]bool{strings.Repeat("长", 1000): false, strings.Repeat("长", 1001): true} {
		req := api.Request(url.Values{"wd": {"Alpha"}, tvbox.Extend: {extend}})
		if got := req.Method == http.MethodPost; got != post {
			t.Fatalf("an ext of %d bytes goes by %q", len(extend), req.Method)
		}
		if !post {
			continue
		}
		form, err := url.ParseQuery(string(req.Body))
		if err != nil || form.Get("wd") != "Alpha" || form.Get(tvbox.Extend) != extend {
			t.Errorf("form %v, %v", form, err)
		}
		if req.URL != "http://h/?site=X" || req.ContentType != "application/x-www-form-urlencoded" || req.Headers["A"] != "b" {
			t.Errorf("got %q as %q with %v", req.URL, req.ContentType, req.Headers)
		}
	}
}

func TestNewAPIRefuses(t *testing.T) {
	for _, raw := range []string{"", "csp_Alpha", "./api.php", "file:///a", "http://", "ftp://h/", "http://h\x00/"} {
		if _, err := tvbox.NewAPI(sources.SiteSpec{API: raw}); sources.ClassOf(err) != sources.ClassUnsupported {
			t.Errorf("%q: got %v", raw, err)
		}
	}
}

// TestHeadersFor: a stranger gets no keys of the API.
func TestHeadersFor(t *testing.T) {
	all := map[string]string{"X-Key": "k", "User-Agent": "ua"}
	api, err := tvbox.NewAPI(sources.SiteSpec{API: "https://api.example.com/vod", Headers: all})
	if err != nil {
		t.Fatal(err)
	}
	for link, want := range map[string]map[string]string{
		"https://cdn.example.com/ext.json": all,
		"http://api.example.com/ext.json":  {"User-Agent": "ua"},
		"https://other.example/ext.json":   {"User-Agent": "ua"},
		"::":                               {"User-Agent": "ua"},
	} {
		if diff := cmp.Diff(want, api.HeadersFor(link)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", link, diff)
		}
	}
}

func TestAPIAbsolute(t *testing.T) {
	api, err := tvbox.NewAPI(sources.SiteSpec{API: "https://h:81/a/b?c"})
	if err != nil {
		t.Fatal(err)
	}
	for link, want := range map[string]string{
		"//k/a.mp4?b#c": "https://k/a.mp4?b#c", "/x/a.mp4": "https://h:81/x/a.mp4", "http://k/": "http://k/", "id": "id", "/100%/a b.mp4": "https://h:81/100%25/a%20b.mp4", "//[/a": "//[/a",
	} {
		if got := api.Absolute(link); got != want {
			t.Errorf("%s: got %s, want %s", link, got, want)
		}
	}
}
