package debrid_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
	"xship/sources/debrid"
	"xship/sources/fetch"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/debridfake"
)

const (
	testKey  = "fake-key-4b1d9f20"
	testLink = "https://rapid.example/file/7d1c55a0e9b2/Film.2008.mkv"
)

// streamOf is where the fakes' streams lie: the addresses are secret.
func streamOf(link string) string {
	return "https://cdn.debrid.example/d/SIGNED77/" + strings.TrimPrefix(link, "https://")
}

// bench is the services against one handler, without a network.
type bench struct {
	*debrid.Debrid
	log   *sourcetest.Buffer
	calls *callLog
}

// newBench calls handler instead of the network. It works inside synctest bubbles.
func newBench(t *testing.T, handler http.Handler, change ...func(*debrid.Options)) *bench {
	t.Helper()
	b := &bench{log: &sourcetest.Buffer{}, calls: &callLog{}}
	o := debrid.Options{
		Call:   b.calls.through(handler),
		Logger: slog.New(slog.NewTextHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	for _, c := range change {
		c(&o)
	}
	b.Debrid = debrid.New(o)
	return b
}

func (b *bench) provider(t *testing.T, name string) sources.Provider {
	t.Helper()
	return serviceOf(t, b.Debrid, name)
}

// serviceOf is the service of the given name.
func serviceOf(t *testing.T, d *debrid.Debrid, name string) sources.Provider {
	t.Helper()
	i := slices.Index(d.Names(), name)
	if i < 0 {
		t.Fatalf("there is no provider %q", name)
	}
	return d.Providers()[i]
}

// callLog remembers when calls were made.
type callLog struct {
	mu   sync.Mutex
	at   []time.Time
	urls []string
}

func (l *callLog) through(handler http.Handler) debrid.CallFunc {
	return func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
		l.mu.Lock()
		l.at, l.urls = append(l.at, time.Now()), append(l.urls, r.URL)
		l.mu.Unlock()
		method := r.Method
		if method == "" {
			method = http.MethodGet
		}
		req := httptest.NewRequestWithContext(ctx, method, r.URL, bytes.NewReader(r.Body))
		for name, value := range r.Headers {
			req.Header.Set(name, value)
		}
		if r.ContentType != "" {
			req.Header.Set("Content-Type", r.ContentType)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, req)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return &fetch.Response{Status: w.Code, Header: w.Header(), Body: w.Body.Bytes(), FinalURL: r.URL}, nil
	}
}

func (l *callLog) times() []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]time.Time(nil), l.at...)
}

func (l *callLog) all() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.urls, "\n")
}

// fakeService is one service with its fake, as tests of what all have in common
// see it.
type fakeService struct {
	name string
	*debridfake.Fake
}

func (s fakeService) account() sources.Account {
	return sources.Account{User: sources.DefaultUser, Provider: s.name, Key: testKey}
}

// lists is how often it was asked for the hosters that the account may use.
func (s fakeService) lists() int {
	return s.Calls(map[string]string{"real_debrid": debridfake.RealDebridHosters, "all_debrid": debridfake.AllDebridHosters}[s.name])
}

// newServices are fakes of Real-Debrid and AllDebrid that know testKey and the
// hoster of testLink.
func newServices() []fakeService {
	all := []fakeService{
		{"real_debrid", debridfake.NewRealDebrid(streamOf).Fake},
		{"all_debrid", debridfake.NewAllDebrid(streamOf).Fake},
	}
	for _, s := range all {
		s.AcceptKey(testKey)
		s.SetHosters("rapid.example", "turbo.example")
	}
	return all
}

// forServices runs a test in a bubble for each of newServices.
func forServices(t *testing.T, test func(t *testing.T, s fakeService)) {
	t.Helper()
	for _, s := range newServices() {
		t.Run(s.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, s) })
		})
	}
}

// want is what the error of a failed call should say.
type want struct {
	kind      sources.Class
	cooldown  time.Duration // 0: none
	grow      bool
	forAll    bool
	reset     time.Duration // from now, 0: none
	transport bool
	suspect   bool
}

// check compares err, made at this moment, with w.
func (w want) check(t *testing.T, err error) {
	t.Helper()
	var e *sources.ProviderStreamUnavailableError
	if !errors.As(err, &e) {
		t.Fatalf("error = %v (%T), want a *sources.ProviderStreamUnavailableError", err, err)
	}
	got := want{kind: e.Kind, grow: e.Grow, forAll: e.ForAll, transport: e.Transport, suspect: e.Suspect}
	if e.Cooldown != nil {
		got.cooldown = *e.Cooldown
	}
	if !e.Reset.IsZero() {
		got.reset = time.Until(e.Reset)
	}
	if got != w {
		t.Errorf("error %q is\n%+v, want\n%+v", err, got, w)
	}
}

// hasNone fails where text holds one of secrets.
func hasNone(t *testing.T, what, text string, secrets ...string) {
	t.Helper()
	for _, s := range secrets {
		if strings.Contains(text, s) {
			t.Errorf("%s holds the secret %q:\n%s", what, s, text)
		}
	}
}

// gated calls next once release is closed, or fails with the context.
func gated(next debrid.CallFunc, release <-chan struct{}) debrid.CallFunc {
	return func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
		select {
		case <-release:
			return next(ctx, r)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// gatedAt is gated for one endpoint.
func gatedAt(next debrid.CallFunc, endpoint string, release <-chan struct{}) debrid.CallFunc {
	slow := gated(next, release)
	return func(ctx context.Context, r fetch.Request) (*fetch.Response, error) {
		if strings.HasSuffix(r.URL, endpoint) {
			return slow(ctx, r)
		}
		return next(ctx, r)
	}
}
