package vod_test

import (
	"testing"

	"xship/config/vod"
)

// TestLoad_encryptedAddress names the form with a password, shows the password nowhere,
// and asks nobody.
func TestLoad_encryptedAddress(t *testing.T) {
	const want = "load interface http://h.example/c.json;pk;REDACTED: the address ends in a password (URL;pk;PASSWORD): " +
		"xship cannot read such an encrypted config; use the address of the plain config"
	if _, err := vod.Load(t.Context(), "http://h.example/c.json;pk;s3cr3t", noFetch(t), vod.LoadOptions{}); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	w := web{pages: map[string]string{
		"http://h.example/depot.json": urls("http://h.example/c.json;pk;s3cr3t", "http://h.example/good.json"),
		"http://h.example/good.json":  `{"sites":[{"key":"k","type":1,"api":"http://h.example/"}]}`,
	}}
	if config, err := vod.Load(t.Context(), "http://h.example/depot.json", w.get, vod.LoadOptions{}); err != nil || len(config.Sites) != 1 || len(w.requests) != 2 {
		t.Errorf("%v, %v, requests %v", config, err, w.requests)
	}
	w = web{pages: map[string]string{"http://h.example/depot.json": urls("http://h.example/c.json;pk;s3cr3t")}}
	_, err := vod.Load(t.Context(), "http://h.example/depot.json", w.get, vod.LoadOptions{})
	const refused = "load interface http://h.example/depot.json: got a depot, a list of interfaces (1), of which none can be opened: " +
		"http://h.example/c.json;pk;REDACTED (N1): an encrypted config (URL;pk;PASSWORD), which xship cannot read; use another interface"
	if err == nil || err.Error() != refused {
		t.Errorf("%v, want %s", err, refused)
	}
}
