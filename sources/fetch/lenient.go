package fetch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
)

// send makes one request. An answer that net/http refuses for lines of its header
// which players skip is asked for once more and read without them.
func (c *Client) send(req *http.Request) (*http.Response, error) {
	resp, err := c.transport.RoundTrip(req)
	if err == nil || !isBrokenHeader(err) || req.Body != nil || !isRead(req.Method) {
		return resp, err
	}
	if proxy, proxyErr := c.gate.forProxy(req); proxyErr != nil || proxy != nil {
		return nil, err
	}
	return c.sendPlainly(req)
}

// sendPlainly makes one request on a connection of its own.
func (c *Client) sendPlainly(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	conn, err := c.gate.dial(ctx, "tcp", net.JoinHostPort(req.URL.Hostname(), port(req.URL)))
	if err != nil {
		return nil, err
	}
	if req.URL.Scheme == "https" {
		secure := tls.Client(conn, &tls.Config{ServerName: req.URL.Hostname(), MinVersion: tls.VersionTLS12})
		if err := secure.HandshakeContext(ctx); err != nil {
			_ = conn.Close()
			return nil, err
		}
		conn = secure
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	resp, err := exchangeOn(conn, req)
	if err != nil {
		stop()
		_ = conn.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	resp.Body = &ownBody{Reader: resp.Body, conn: conn, stop: stop}
	return resp, nil
}

func exchangeOn(conn net.Conn, req *http.Request) (*http.Response, error) {
	sent := req.Clone(req.Context())
	sent.Close = true
	if err := sent.Write(conn); err != nil {
		return nil, err
	}
	answer := bufio.NewReader(conn)
	header, err := readHeader(answer)
	if err != nil {
		return nil, err
	}
	return http.ReadResponse(bufio.NewReader(io.MultiReader(bytes.NewReader(header), answer)), req)
}

// ownBody ends its connection.
type ownBody struct {
	io.Reader
	conn net.Conn
	stop func() bool
}

func (b *ownBody) Close() error {
	b.stop()
	return b.conn.Close() // that of the body itself would read the rest
}

// readHeader reads the header of an answer as players do: without the lines that are
// none, with one length, and with the only transfer coding that there is.
func readHeader(r *bufio.Reader) ([]byte, error) {
	var (
		b      bytes.Buffer
		length = int64(-1)
	)
	for first, size := true, 0; ; first = false {
		line, err := r.ReadString('\n')
		if size += len(line); size > maxHeader {
			return nil, errors.New("the header is too long")
		}
		if err != nil {
			return nil, io.ErrUnexpectedEOF
		}
		line = strings.TrimRight(line, "\r\n")
		name, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch {
		case first:
			if rest, ok := strings.CutPrefix(line, "ICY "); ok { // of old radio servers
				line = "HTTP/1.0 " + rest
			}
			b.WriteString(line + "\r\n")
		case line == "":
			if length >= 0 {
				b.WriteString("Content-Length: " + strconv.FormatInt(length, 10) + "\r\n")
			}
			b.WriteString("\r\n")
			return b.Bytes(), nil
		case !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value):
		case strings.EqualFold(name, "Content-Length"):
			if n, err := strconv.ParseUint(value, 10, 63); err == nil {
				length = int64(n)
			}
		case strings.EqualFold(name, "Transfer-Encoding"):
			if slices.Contains(strings.Fields(strings.ToLower(strings.ReplaceAll(value, ",", " "))), "chunked") {
				b.WriteString("Transfer-Encoding: chunked\r\n")
			}
		default:
			b.WriteString(name + ": " + value + "\r\n")
		}
	}
}
