package vod_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"xship/config/vod"
)

const goodConfig = `{"sites":[{"key":"k","name":"N","type":1,"api":"./api.php"}]}`

// fetchError is an error of a fetcher, as this package sees it.
type fetchError struct {
	text     string
	status   int
	timeout  bool
	tooLarge bool
}

func (e *fetchError) Error() string   { return e.text }
func (e *fetchError) HTTPStatus() int { return e.status }
func (e *fetchError) Timeout() bool   { return e.timeout }
func (e *fetchError) TooLarge() bool  { return e.tooLarge }

func answer(body string) vod.FetchFunc {
	return func(_ context.Context, url string) (vod.Document, error) {
		return vod.Document{Body: []byte(body), FinalURL: url}, nil
	}
}

func fail(err error) vod.FetchFunc {
	return func(context.Context, string) (vod.Document, error) { return vod.Document{}, err }
}

func noFetch(t *testing.T) vod.FetchFunc {
	return func(_ context.Context, url string) (vod.Document, error) {
		t.Errorf("fetched %s", url)
		return vod.Document{}, errors.New("not to be fetched")
	}
}

func TestLoad_web(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/short", http.RedirectHandler("/dir/config.json", http.StatusFound))
	mux.HandleFunc("/dir/config.json", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, goodConfig) })
	server := httptest.NewServer(mux)
	defer server.Close()

	config, err := vod.Load(t.Context(), " "+server.URL+"/short ", get, vod.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := server.URL + "/dir/config.json"; config.URL != want {
		t.Errorf("URL = %q, want %q", config.URL, want)
	}
	if got, want := config.Sites[0].API, server.URL+"/dir/api.php"; got != want {
		t.Errorf("API = %q, want %q", got, want)
	}
}

// get is a fetcher as this package wants it.
func get(ctx context.Context, url string) (vod.Document, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return vod.Document{}, err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return vod.Document{}, err
	}
	defer res.Body.Close()
	if res.StatusCode >= http.StatusBadRequest {
		return vod.Document{}, &fetchError{text: res.Status, status: res.StatusCode}
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, vod.MaxBody+1))
	return vod.Document{Body: body, FinalURL: res.Request.URL.String(), ContentType: res.Header.Get("Content-Type")}, err
}

func TestLoad_webError(t *testing.T) {
	const address = "HTTPS://me:pw@h.example/tv.json?Token=abc&x=1"
	const shown = "load interface HTTPS://REDACTED@h.example/tv.json?Token=REDACTED&x=1: "
	tests := []struct {
		name   string
		fetch  vod.FetchFunc
		cause  vod.Cause
		status int
		want   string
	}{
		{
			"not found", fail(fmt.Errorf("get: %w", &fetchError{status: 404})), vod.CauseStatus, 404,
			shown + "got HTTP status 404 Not Found; check the address",
		},
		{
			"server error", fail(&fetchError{status: 503}), vod.CauseStatus, 503,
			shown + "got HTTP status 503 Service Unavailable; the server is in trouble; try again later",
		},
		{
			"forbidden", fail(&fetchError{status: 403}), vod.CauseStatus, 403,
			shown + "got HTTP status 403 Forbidden; the server wants a login or refuses this network; check the address",
		},
		{"odd status", fail(&fetchError{status: 499}), vod.CauseStatus, 499, shown + "got HTTP status 499; check the address"},
		{
			"timeout", fail(&fetchError{timeout: true}), vod.CauseTimeout, 0,
			shown + "got no answer in time; try again later, or raise interfaces.timeout",
		},
		{
			"deadline", fail(fmt.Errorf("get: %w", context.DeadlineExceeded)), vod.CauseTimeout, 0,
			shown + "got no answer in time; try again later, or raise interfaces.timeout",
		},
		{
			"too large", fail(&fetchError{tooLarge: true}), vod.CauseTooLarge, 0,
			shown + "got more than 8 MiB; check that the address is that of a config",
		},
		{
			"connection refused", fail(errors.New("get " + address + ": connection\x07 refused")), vod.CauseRequest, 0,
			shown + "get HTTPS://REDACTED@h.example/tv.json?Token=REDACTED&x=1: connection refused; check the address and the network",
		},
		{
			"empty sites", answer(`{"sites":[]}`), vod.CauseNoSites, 0,
			shown + "the list of sites of the config is empty; check the address, or use another interface",
		},
		{
			"redirected", func(context.Context, string) (vod.Document, error) {
				return vod.Document{Body: []byte("<html>"), FinalURL: "https://h.example/login?sig=1"}, nil
			}, vod.CauseHTML, 0,
			"load interface HTTPS://REDACTED@h.example/tv.json?Token=REDACTED&x=1 (redirected to https://h.example/login?sig=REDACTED): " +
				"got a web page (HTML) instead of a config; use the address of the raw file, not of the page that shows it",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := vod.Load(t.Context(), address, tt.fetch, vod.LoadOptions{})
			e, ok := errors.AsType[*vod.Error](err)
			if !ok || e.Cause != tt.cause || e.Status != tt.status {
				t.Fatalf("Load: %#v, want cause %s, status %d", err, tt.cause, tt.status)
			}
			if err.Error() != tt.want {
				t.Errorf("Load:\n got %s\nwant %s", err, tt.want)
			}
		})
	}
}

func TestLoad_cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	hang := func(ctx context.Context, _ string) (vod.Document, error) {
		cancel()
		<-ctx.Done()
		return vod.Document{}, &fetchError{text: "aborted", timeout: true}
	}
	for _, when := range []string{"during the request", "before it"} {
		_, err := vod.Load(ctx, "http://h.example/", hang, vod.LoadOptions{})
		if _, ok := errors.AsType[*vod.Error](err); ok || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled %s: %v, want the context's error", when, err)
		}
	}
	if _, err := vod.Load(ctx, filepath.Join(t.TempDir(), "x"), noFetch(t), vod.LoadOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled, local file: %v, want the context's error", err)
	}
}

func TestLoad_deadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	_, err := vod.Load(ctx, "http://h.example/", fail(errors.New("aborted")), vod.LoadOptions{})
	if e, ok := errors.AsType[*vod.Error](err); !ok || e.Cause != vod.CauseTimeout {
		t.Errorf("Load after the deadline: %v, want a timeout", err)
	}
}

func TestLoad_file(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "with space")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "config#1.json")
	if err := os.WriteFile(path, []byte(goodConfig), 0o600); err != nil {
		t.Fatal(err)
	}
	address := "file://" + strings.NewReplacer(" ", "%20", "#", "%23").Replace(filepath.ToSlash(path))
	for _, name := range []string{path, address, strings.Replace(address, "file:///", "file://localhost/", 1)} {
		config, err := vod.Load(t.Context(), name, noFetch(t), vod.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if config.URL != address {
			t.Errorf("%s: URL = %q, want %q", name, config.URL, address)
		}
		if got, want := config.Sites[0].API, strings.TrimSuffix(address, "config%231.json")+"api.php"; got != want {
			t.Errorf("%s: API = %q, want %q", name, got, want)
		}
	}
}

func TestLoad_relativePath(t *testing.T) {
	config, err := vod.Load(t.Context(), configs+"/good/plain.json", noFetch(t), vod.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(config.Sites) != 4 || !strings.HasPrefix(config.URL, "file:///") {
		t.Errorf("%d sites from %s", len(config.Sites), config.URL)
	}
}

func TestLoad_fileError(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.json")
	if err := os.WriteFile(large, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, vod.MaxBody+100); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(dir, "page.json")
	if err := os.WriteFile(page, []byte("<html>"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, address string
		cause         vod.Cause
		want          string
	}{
		{"missing", filepath.Join(dir, "none.json"), vod.CauseFile, "there is no such file; check the path; a web address starts with https://"},
		{"without scheme", "h.example/tv.json", vod.CauseFile, "there is no such file; check the path; a web address starts with https://"},
		{"directory", dir, vod.CauseFile, "it is a directory; name the config file itself"},
		{"device", os.DevNull, vod.CauseFile, "it is not a regular file; name the config file itself"},
		{"too large", large, vod.CauseTooLarge, "got more than 8 MiB; check that the address is that of a config"},
		{"page", page, vod.CauseHTML, "got a web page (HTML) instead of a config; use the address of the raw file, not of the page that shows it"},
		{"other scheme", "clan://localhost/tv.json", vod.CauseURL, "addresses with clan:// cannot be loaded; name a web address (https://…) or a path"},
		{"remote file", "file://server/tv.json", vod.CauseURL, "the file:// address names no local file; write file:///dir/config.json or the plain path"},
		{"empty", " ", vod.CauseURL, "got no address; name a web address (https://…) or a path"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := vod.Load(t.Context(), tt.address, noFetch(t), vod.LoadOptions{})
			e, ok := errors.AsType[*vod.Error](err)
			if !ok || e.Cause != tt.cause {
				t.Fatalf("Load: %#v, want cause %s", err, tt.cause)
			}
			want := "load interface " + tt.address + ": " + tt.want
			if strings.TrimSpace(tt.address) == "" {
				want = "load interface: " + tt.want
			}
			if err.Error() != want {
				t.Errorf("Load:\n got %s\nwant %s", err, want)
			}
		})
	}
}

// A page may name the address that it stands in for.
func TestLoad_echoedSecret(t *testing.T) {
	page := func(_ context.Context, address string) (vod.Document, error) {
		return vod.Document{Body: []byte("<html><title>404: /Zq9k02Xw7Lm4Tr8Yp2Bn6/tv.json</title>"), FinalURL: address}, nil
	}
	_, err := vod.Load(t.Context(), "http://h.example/Zq9k02Xw7Lm4Tr8Yp2Bn6/tv.json", page, vod.LoadOptions{})
	if err == nil || strings.Contains(err.Error(), "Zq9k02Xw7Lm4Tr8Yp2Bn6") || !strings.Contains(err.Error(), `titled "404: /REDACTED/tv.json"`) {
		t.Errorf("got %v", err)
	}
}
