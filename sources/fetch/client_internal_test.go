package fetch

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
)

// TestIDN checks what is dialled and asked for at a host with letters beyond ASCII.
func TestIDN(t *testing.T) {
	var dialled, host string
	c := New(Options{})
	c.transport.DialContext = func(_ context.Context, _, addr string) (net.Conn, error) {
		dialled = addr
		client, server := net.Pipe()
		go func() {
			if req, err := http.ReadRequest(bufio.NewReader(server)); err == nil {
				host = req.Host
			}
			_, _ = server.Write([]byte("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"))
			_ = server.Close()
		}()
		return client, nil
	}
	if _, err := c.Get(t.Context(), Request{URL: "http://Bücher.example/tv"}); err != nil {
		t.Fatal(err)
	}
	if dialled != "xn--bcher-kva.example:80" || host != "xn--bcher-kva.example" {
		t.Errorf("dialled %q, asked for %q", dialled, host)
	}
}

func TestReasonOf(t *testing.T) {
	dial := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	tests := []struct {
		name string
		err  error
		want Reason
	}{
		{"no such host", dial(&net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}), ReasonDNS},
		{"name server silent", dial(&net.DNSError{Err: "i/o timeout", Name: "h", IsTimeout: true}), ReasonTimeout},
		{"refused", dial(errors.New("connection refused")), ReasonDial},
		{"proxy", &net.OpError{Op: "proxyconnect", Err: errors.New("refused")}, ReasonDial},
		{"alert", &net.OpError{Op: "remote error", Err: errors.New("tls: handshake failure")}, ReasonTLS},
		{"reset", &net.OpError{Op: "read", Err: errors.New("connection reset by peer")}, ReasonRead},
		{"unknown", errors.New("http2: something"), ReasonRead},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := reasonOf(tt.err); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func FuzzParseURL(f *testing.F) {
	for _, s := range []string{"http://h/a", "https://饭太硬.com/tv?wd=a b", "http://h?a=\"<>", "http://[::1]:80/", "HTTP://h/%zz", "http://h/\u00a0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := parseURL(raw)
		if err != nil {
			return
		}
		if line := u.RequestURI(); strings.ContainsFunc(line, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
			t.Errorf("the request line of %q would be %q", raw, line)
		}
	})
}
