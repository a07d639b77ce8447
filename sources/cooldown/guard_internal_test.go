package cooldown

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
)

// textConn is a connection on which r comes in.
type textConn struct {
	net.Conn
	r io.Reader
}

func (c textConn) Read(p []byte) (int, error) { return c.r.Read(p) }

func TestGuard(t *testing.T) {
	for _, tt := range []struct {
		text string
		want error
	}{
		{"+OK\r\n:12345678901\r\n$5\r\nhello\r\n*2\r\n$0\r\n\r\n$-1\r\n", nil},
		{"$999999\r\n", nil},
		{"+$99999999\r\n", nil},
		{":99999999\r\n", nil},
		{"$9999999\r\n", errReplyTooLong},
		{"*2\r\n$1\r\na\r\n*1234567\r\n", errReplyTooLong},
		{"%1234567", errReplyTooLong},
		{"$1x234567890\r\n", nil},
	} {
		for name, r := range map[string]io.Reader{
			"at once": strings.NewReader(tt.text), "byte by byte": iotest.OneByteReader(strings.NewReader(tt.text)),
		} {
			got, err := io.ReadAll(guard(textConn{r: r}))
			if !errors.Is(err, tt.want) || err == nil && string(got) != tt.text {
				t.Errorf("%q %s: %q and %v, want %v", tt.text, name, got, err, tt.want)
			}
		}
	}
}
