package world_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"xship/sources/sourcetest/world"
)

// start starts a world that ends with the test.
func start(t *testing.T, c world.Config) *world.World {
	t.Helper()
	w, err := world.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func addHoster(t *testing.T, w *world.World, name string) *world.Hoster {
	t.Helper()
	h, err := w.AddHoster(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// newClient is a client of its own whose connections end with the test.
func newClient(t *testing.T) *http.Client {
	t.Helper()
	tr := &http.Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr}
}

// reply is the head of an answer that was read to its end.
type reply struct {
	StatusCode    int
	Header        http.Header
	ContentLength int64
}

// get asks for url with the header "Name: value" lines given.
func get(t *testing.T, c *http.Client, url string, headers ...string) (reply, []byte, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := c.Do(req)
	if err != nil {
		return reply{}, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, resp.ContentLength}, body, err
}

// mustGet is get for answers that arrive whole.
func mustGet(t *testing.T, c *http.Client, url string, headers ...string) (reply, []byte) {
	t.Helper()
	resp, body, err := get(t, c, url, headers...)
	if err != nil {
		t.Fatalf("GET %s: %v", url, err)
	}
	return resp, body
}

func TestWorld_AddressesDiffer(t *testing.T) {
	w := start(t, world.Config{})
	a, b := addHoster(t, w, "a"), addHoster(t, w, "b")
	site, err := w.AddSite("s", world.SiteConfig{})
	if err != nil {
		t.Fatal(err)
	}
	iface, err := w.AddInterface("i", world.InterfaceConfig{})
	if err != nil {
		t.Fatal(err)
	}
	ips := []string{a.IP(), b.IP(), site.IP(), iface.IP()}
	for _, ip := range ips {
		if addr := net.ParseIP(ip); addr == nil || !addr.IsLoopback() {
			t.Errorf("%q is not a loopback address", ip)
		}
	}
	slices.Sort(ips)
	if n := len(slices.Compact(ips)); n != 4 {
		t.Errorf("4 servers share %d addresses", n)
	}
}

func TestWorld_Lookup(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	if w.Hoster("a") != h || w.Hoster("b") != nil || w.Site("a") != nil || w.Interface("a") != nil {
		t.Error("lookup by name finds the wrong servers")
	}
	if _, err := w.AddHoster("a"); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("second hoster of one name: %v, want an error that names it", err)
	}
}

func TestServer_Modes(t *testing.T) {
	w := start(t, world.Config{RetryAfter: 7 * time.Second, SlowPause: time.Microsecond})
	h := addHoster(t, w, "a")
	c := newClient(t)
	url := h.URL("/film.mp4")
	want := world.Media("/film.mp4")

	tests := []struct {
		mode   world.Mode
		status int
		body   func([]byte) bool
	}{
		{world.ModeOK, 200, func(b []byte) bool { return string(b) == string(want) }},
		{world.ModeSlow, 200, func(b []byte) bool { return string(b) == string(want) }},
		{world.ModeNoRange, 200, func(b []byte) bool { return string(b) == string(want) }},
		{world.ModeEmpty, 200, func(b []byte) bool { return len(b) == 0 }},
		{world.Mode403, 403, nil},
		{world.Mode404, 404, nil},
		{world.Mode410, 410, nil},
		{world.Mode429, 429, nil},
		{world.Mode500, 500, nil},
		{world.Mode503, 503, nil},
		{world.StatusMode(401), 401, nil},
		{world.StatusMode(599), 599, nil},
		{world.ModeHTML, 200, func(b []byte) bool { return strings.HasPrefix(string(b), "<!DOCTYPE html>") }},
		{world.ModeLogin, 200, func(b []byte) bool { return strings.Contains(string(b), "Please sign in") }},
		{world.ModeM3U, 200, func(b []byte) bool { return strings.HasPrefix(string(b), "#EXTM3U") }},
		{world.ModeBadJSON, 200, func(b []byte) bool { return !json.Valid(b) && b[0] == '{' }},
	}
	for _, tt := range tests {
		t.Run(string(tt.mode), func(t *testing.T) {
			h.SetMode(tt.mode)
			if h.Mode() != tt.mode {
				t.Errorf("mode %q after setting %q", h.Mode(), tt.mode)
			}
			resp, body := mustGet(t, c, url)
			if resp.StatusCode != tt.status {
				t.Errorf("status %d, want %d", resp.StatusCode, tt.status)
			}
			if tt.body != nil && !tt.body(body) {
				t.Errorf("unexpected body of %d bytes", len(body))
			}
			wantRetry := ""
			if tt.mode == world.Mode429 {
				wantRetry = "7"
			}
			if got := resp.Header.Get("Retry-After"); got != wantRetry {
				t.Errorf("Retry-After %q, want %q", got, wantRetry)
			}
		})
	}
}

func TestServer_Login(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	h.SetMode(world.ModeLogin)
	c := newClient(t)
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if resp, _ := mustGet(t, c, h.URL("x")); resp.StatusCode != http.StatusFound || resp.Header.Get("Location") != "/login" {
		t.Errorf("status %d to %q, want a redirect", resp.StatusCode, resp.Header.Get("Location"))
	}
}

func TestServer_Endless(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	h.SetMode(world.ModeEndless)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL("x"), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := newClient(t).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	const enough = 4 << 20
	if n, err := io.CopyN(io.Discard, resp.Body, enough); err != nil {
		t.Errorf("it ended after %d bytes: %v", n, err)
	}
}

func TestServer_SetModeAfter(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	c := newClient(t)
	statuses := func(count int) (got []int) {
		for range count {
			resp, _ := mustGet(t, c, h.URL("x"))
			got = append(got, resp.StatusCode)
		}
		return got
	}
	h.SetModeAfter(2, world.Mode503)
	if got := statuses(4); !slices.Equal(got, []int{200, 200, 503, 503}) {
		t.Errorf("got %v", got)
	}
	h.SetModeAfter(0, world.ModeOK)
	if got := statuses(1); got[0] != http.StatusOK {
		t.Errorf("at once: got %v", got)
	}
	h.SetModeAfter(1, world.Mode503)
	h.SetMode(world.ModeOK)
	if got := statuses(2); !slices.Equal(got, []int{200, 200}) {
		t.Errorf("after SetMode: got %v", got)
	}
}

func TestServer_Log(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	c := newClient(t)
	mustGet(t, c, h.URL("x?a=1&b=%20"), "X-Key: k")
	log := h.Log()
	if len(log) != 1 || log[0].Method != http.MethodGet || log[0].URI != "/x?a=1&b=%20" || log[0].Form.Get("b") != " " || log[0].Header.Get("X-Key") != "k" {
		t.Errorf("log %+v", log)
	}
	h.SetMode(world.Mode403)
	for range 1100 {
		mustGet(t, c, h.URL("y"))
	}
	if n := len(h.Log()); n < 500 || n > 1000 {
		t.Errorf("%d requests are remembered", n)
	}
}

func TestServer_Truncated(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	h.SetMode(world.ModeTruncated)
	size := len(world.Media("/film.mp4"))
	resp, body, err := get(t, newClient(t), h.URL("film.mp4"))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("reading gives %v, want an unexpected end", err)
	}
	if resp.ContentLength != int64(size) || len(body) != size/2 {
		t.Errorf("%d bytes arrived of %d, want half of %d", len(body), resp.ContentLength, size)
	}
}

func TestServer_Reset(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	h.SetMode(world.ModeReset)
	conn, err := net.Dial("tcp", h.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("reading gives %v, want a reset", err)
	}
}

func TestServer_HangEndsWithClient(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	h.SetMode(world.ModeHang)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.URL("x"), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := newClient(t).Do(req)
	if !errors.Is(err, context.DeadlineExceeded) {
		if resp != nil {
			resp.Body.Close()
		}
		t.Errorf("a hanging hoster gives %v, want the deadline", err)
	}
}

func TestServer_ModeSwitchesWhileRunning(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	c := newClient(t)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 20 {
				resp, _, err := get(t, c, h.URL("x"))
				if err != nil || (resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusServiceUnavailable) {
					t.Errorf("GET while the mode changes: %v", err)
				}
			}
		})
	}
	for range 20 {
		h.SetMode(world.Mode503)
		h.SetMode(world.ModeOK)
	}
	wg.Wait()
	if h.Requests() != 80 {
		t.Errorf("%d requests counted, want 80", h.Requests())
	}
}

func TestServer_Counters(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	c := newClient(t)
	h.Hold()
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() { _, _, _ = get(t, c, h.URL("x")) })
	}
	waitFor(t, func() bool { return h.PeakInFlight() == 3 })
	h.Release()
	wg.Wait()
	if h.Requests() != 3 || h.PeakInFlight() != 3 {
		t.Errorf("%d requests, %d at once, want 3 and 3", h.Requests(), h.PeakInFlight())
	}
	h.ResetCounters()
	mustGet(t, c, h.URL("x"))
	if h.Requests() != 1 || h.PeakInFlight() != 1 {
		t.Errorf("%d requests, %d at once after the reset, want 1 and 1", h.Requests(), h.PeakInFlight())
	}
}

func TestServer_Hold(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	c := newClient(t)
	h.Release() // holds nothing
	h.Hold()
	h.Hold()
	statuses := make(chan int, 1)
	go func() {
		resp, _, err := get(t, c, h.URL("x"))
		if err != nil {
			t.Error(err)
			resp = reply{}
		}
		statuses <- resp.StatusCode
	}()
	waitFor(t, func() bool { return h.Requests() == 1 })
	h.SetMode(world.Mode503)
	select {
	case status := <-statuses:
		t.Fatalf("the held answer came, with status %d", status)
	default:
	}
	h.Release()
	if status := <-statuses; status != http.StatusServiceUnavailable {
		t.Errorf("status %d, want that of the mode at the release", status)
	}
	h.SetMode(world.ModeOK)
	mustGet(t, c, h.URL("x"))

	h.Hold()
	ctx, cancel := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.URL("y"), http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		waitFor(t, func() bool { return h.Requests() == 3 })
		cancel()
	}()
	if resp, err := c.Do(req); !errors.Is(err, context.Canceled) {
		if resp != nil {
			resp.Body.Close()
		}
		t.Errorf("a cancelled request gives %v", err)
	}
}

func TestServer_SetBody(t *testing.T) {
	w := start(t, world.Config{})
	site, err := w.AddSite("s", world.SiteConfig{})
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t)
	site.SetBody([]byte("closed"))
	if _, body := mustGet(t, c, site.URL()); string(body) != "closed" {
		t.Errorf("body %q, want the one that was set", body)
	}
	site.SetBody(nil)
	if _, body := mustGet(t, c, site.URL()); !json.Valid(body) {
		t.Errorf("body %q after taking the override back, want the site's own", body)
	}
}

func TestServer_RefusesOtherMethods(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	resp, err := newClient(t).Post(h.URL("x"), "text/plain", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST gives %d, want 405", resp.StatusCode)
	}
}

func TestServer_SetModeUnknown(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	defer func() {
		if recover() == nil {
			t.Error("an unknown mode is accepted")
		}
	}()
	h.SetMode("teapot")
}

func TestStatusMode_Bounds(t *testing.T) {
	w := start(t, world.Config{})
	h := addHoster(t, w, "a")
	for _, status := range []int{-1, 0, 200, 399, 600} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("status %d is accepted", status)
				}
			}()
			h.SetMode(world.StatusMode(status))
		}()
	}
}

// heldMode stands for a server whose answers are held.
const heldMode world.Mode = "held"

func TestWorld_CloseLeavesNothing(t *testing.T) {
	before := runtime.NumGoroutine()
	w, err := world.Start(context.Background(), world.Config{SlowPause: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	var conns []net.Conn
	for _, m := range []world.Mode{world.ModeHang, world.ModeSlow, world.ModeEndless, world.ModeOK, heldMode} {
		h := addHoster(t, w, string(m))
		if m == heldMode {
			h.Hold()
		} else {
			h.SetMode(m)
		}
		for range 5 {
			conn, err := net.Dial("tcp", h.Addr())
			if err != nil {
				t.Fatal(err)
			}
			conns = append(conns, conn)
			if _, err := io.WriteString(conn, "GET /x.mp4 HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			if m != world.ModeHang && m != heldMode {
				if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
					t.Fatal(err)
				}
			}
		}
		waitFor(t, func() bool { return h.Requests() == 5 })
	}
	w.Close() // returns, though some answers would never end
	w.Close()
	for _, conn := range conns {
		conn.Close()
	}
	// A goroutine that has told its end still counts for an instant.
	waitFor(t, func() bool { return runtime.NumGoroutine() <= before })
}

func TestWorld_EndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w, err := world.Start(ctx, world.Config{})
	if err != nil {
		t.Fatal(err)
	}
	h := addHoster(t, w, "a")
	cancel()
	w.Close()
	if conn, err := net.Dial("tcp", h.Addr()); err == nil {
		conn.Close()
		t.Error("the hoster still listens")
	}
	if _, err := w.AddHoster("b"); !errors.Is(err, world.ErrClosed) {
		t.Errorf("adding to a closed world: %v, want ErrClosed", err)
	}
	if _, err := world.Start(ctx, world.Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("starting with an ended context: %v, want its error", err)
	}
}

func TestAddressError(t *testing.T) {
	tests := []struct {
		name string
		err  *world.AddressError
		want []string
		hint bool
	}{
		{
			"no such address",
			&world.AddressError{Addr: "127.0.1.2", Err: &net.OpError{Op: "listen", Err: syscall.EADDRNOTAVAIL}},
			[]string{"127.0.1.2", "sudo ifconfig lo0 alias 127.0.$n.$i", "for n in 1 2 3 4 5 6 7 8; do", "for i in 1 2 3 4 5 6 7 8; do"},
			true,
		},
		{
			"beyond the common ones",
			&world.AddressError{Addr: "127.0.2.31", Err: syscall.EADDRNOTAVAIL},
			[]string{"; sudo ifconfig lo0 alias 127.0.2.31"},
			true,
		},
		{
			"another reason",
			&world.AddressError{Addr: "127.0.1.2", Err: syscall.EMFILE},
			[]string{"127.0.1.2", syscall.EMFILE.Error()},
			false,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, part := range tt.want {
				if !strings.Contains(tt.err.Error(), part) {
					t.Errorf("error %q lacks %q", tt.err.Error(), part)
				}
			}
			if got := tt.err.Hint() != ""; got != tt.hint {
				t.Errorf("hint %q", tt.err.Hint())
			}
		})
	}
}

// waitFor polls until ok, for a minute at most.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !ok(); {
		if time.Now().After(deadline) {
			t.Fatal("the condition did not come true within a minute")
		}
		time.Sleep(time.Millisecond)
	}
}
