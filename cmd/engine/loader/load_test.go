package loader_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"xship/cmd/engine/loader"
	"xship/config/failover"
	"xship/sources/sourcetest/world"
)

// TestLocalDepotTrustsNoRemoteConfig: a file of the operator's may lead to a config
// of somebody else's, whose sites are not the operator's.
func TestLocalDepotTrustsNoRemoteConfig(t *testing.T) {
	r := newRig(t)
	var trusted []string
	r.Trust = func(url string) { trusted = append(trusted, url) }
	remote := r.server("a", world.InterfaceConfig{Entries: []world.Entry{{Key: "k", Type: 1, API: "http://127.0.2.1/api"}}})
	path := filepath.Join(t.TempDir(), "depot.json")
	if err := os.WriteFile(path, []byte(`{"urls":["`+remote.URL()+`"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Load(t.Context(), loader.Request{Ref: path}); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(trusted, "http://127.0.2.1/api") {
		t.Errorf("trusted %v", trusted)
	}
}

// TestLongValidator: what a server says of its config must not keep it
// from being loaded again.
func TestLongValidator(t *testing.T) {
	r := newRig(t)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if len(q.Header.Get("If-None-Match")) > 8000 {
			w.WriteHeader(http.StatusRequestHeaderFieldsTooLarge)
			return
		}
		w.Header().Set("ETag", `"`+strings.Repeat("a", 20_000)+`"`)
		_, _ = w.Write([]byte(`{"sites":[{"key":"k","type":1,"api":"http://127.0.2.1/api"}]}`))
	}))
	t.Cleanup(srv.Close)
	for range 2 {
		if _, err := r.Load(t.Context(), loader.Request{Ref: srv.URL, Refresh: true}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLimitOfAChoiceAnew: a choice while a round runs gives the scan no more time.
func TestLimitOfAChoiceAnew(t *testing.T) {
	r := newRig(t, world.Mode503, world.Mode503, world.ModeOK)
	r.mode(failover.Manual)
	r.Ask = func(ctx context.Context, q loader.Question) (loader.Answer, error) {
		r.pass(time.Minute)
		if len(r.asked) == 0 {
			r.asked = append(r.asked, q)
			if err := r.Store.SetCurrentInterface(ctx, r.servers["b"].URL()); err != nil {
				t.Error(err)
			}
		}
		return loader.Answer{URL: r.servers["c"].URL()}, nil
	}
	result, err := r.Load(t.Context(), loader.Request{Limit: time.Hour})
	if err != nil || result.Waited != 2*time.Minute {
		t.Errorf("waited %s, %v, want 2m0s", result.Waited, err)
	}
}

// TestCopyThatCannotBeRead: a copy that this version cannot read must not keep the
// interface from being loaded while its server answers that nothing has changed.
func TestCopyThatCannotBeRead(t *testing.T) {
	for name, age := range map[string]time.Duration{"fresh": 0, "old": 2 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			s := r.server("a", world.InterfaceConfig{Entries: []world.Entry{{Key: "k", Type: 1, API: "http://127.0.2.1/api"}}, ETag: true})
			load := func() error {
				_, err := r.Load(t.Context(), loader.Request{Ref: s.URL()})
				return err
			}
			if err := load(); err != nil {
				t.Fatal(err)
			}
			stored, err := r.Store.CachedConfig(t.Context(), s.URL())
			if err != nil {
				t.Fatal(err)
			}
			stored.Body = []byte("unreadable")
			if err := r.Store.PutConfig(t.Context(), s.URL(), *stored, ""); err != nil {
				t.Fatal(err)
			}
			r.pass(age)
			_ = load() // one load is one request: 304
			if err := load(); err != nil || s.NotModified() != 1 {
				t.Errorf("%d answers 304, %v", s.NotModified(), err)
			}
		})
	}
}
