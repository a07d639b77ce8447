package link_test

import (
	"testing"

	"xship/sources/link"
)

func TestParse(t *testing.T) {
	for raw, want := range map[string]string{
		"http://h.example/100% Film.mp4":  "http://h.example/100%25%20Film.mp4",
		"http://h.example/100%25.mp4":     "http://h.example/100%25.mp4",
		"http://h.example/%E7%89%87%.mp4": "http://h.example/%E7%89%87%25.mp4",
		"http://h.example/%zz/%4":         "http://h.example/%25zz/%254",
		"http://h.example?q=50%":          "http://h.example?q=50%25",
		"/100%/a":                         "/100%25/a",
		"http://h.example/a":              "http://h.example/a",
	} {
		u, err := link.Parse(raw)
		if err != nil || u.String() != want {
			t.Errorf("%q: got %v, %v, want %q", raw, u, err, want)
		}
	}
	for _, raw := range []string{"http://%zz/", "http://h.example:99999999x/", "http://[::1/"} {
		if u, err := link.Parse(raw); err == nil {
			t.Errorf("%q: got %v", raw, u)
		}
	}
}
