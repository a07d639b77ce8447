package link_test

import (
	"net/url"
	"testing"

	"xship/sources/link"
)

func TestIsAppServer(t *testing.T) {
	for address, want := range map[string]bool{
		"http://127.0.0.1:9978/proxy":       true,
		"http://localhost:9998/file/a.json": true,
		"http://[::1]:9980":                 true,
		"http://[::1%25lo]:9980":            true,
		"http://127.9.9.9:9979":             true,
		"http://127.0.0.1:9977":             false,
		"http://127.0.0.1:9999":             false,
		"http://127.0.0.1":                  false,
		"http://192.168.1.2:9978":           false,
		"http://localhost.example:9978":     false,
		"http://:9978":                      false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if got := link.IsAppServer(u); got != want {
			t.Errorf("IsAppServer(%s) = %t", address, got)
		}
	}
}
