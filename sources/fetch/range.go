package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"

	"xship/sources"
	"xship/sources/text"
)

// Part is the answer to a ranged GET. A server that does not know ranges
// answers with the whole: then Partial is false, Off is 0 whatever was asked
// for, and Data holds the start of it.
type Part struct {
	Status   int // 200 or 206
	Header   http.Header
	Data     []byte
	Off      int64  // of Data in the file
	Total    int64  // size of the file, -1 where unknown
	Partial  bool   // Data is the range asked for, or what the file has of it
	FinalURL string // after redirects, not redacted
}

// rangeError is an answer that is not the range asked for.
type rangeError struct{ reason string }

func (e *rangeError) Error() string { return e.reason }

// GetRange asks for n bytes from offset off by one GET, reads at most n bytes
// of the answer and closes it. Data is shorter only where the file ends. An
// answer with a range other than the one asked for, and one that ends before
// what it announced, are the hoster's fault, as is a range behind the end of
// the file. MaxBody of r does not count.
func (c *Client) GetRange(ctx context.Context, r Request, off, n int64) (*Part, error) {
	if off < 0 || n < 1 || off > math.MaxInt64-n {
		return nil, sources.Errorf(sources.ClassBug, "fetch: %d bytes from offset %d is no range", n, off)
	}
	var part *Part
	err := c.do(ctx, r, func(req *http.Request) {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", off, off+n-1))
		req.Header.Set("Accept-Encoding", "identity") // a range is one of the bytes as they are stored
	}, func(resp *http.Response) error {
		var err error
		part, err = readPart(resp, off, n)
		return err
	})
	if err != nil {
		return nil, err
	}
	return part, nil
}

func readPart(resp *http.Response, off, n int64) (*Part, error) {
	part := &Part{
		Status: resp.StatusCode, Header: resp.Header, Total: -1,
		FinalURL: resp.Request.URL.String(),
	}
	var err error
	switch resp.StatusCode {
	case http.StatusPartialContent:
		err = part.readRange(resp, off, n)
	case http.StatusRequestedRangeNotSatisfiable:
		err = &rangeError{fmt.Sprintf("it has no byte %d (Content-Range %q)", off, text.Clean(resp.Header.Get("Content-Range")))}
	default:
		err = part.readStart(resp, n)
	}
	return part, err
}

// readRange reads a 206.
func (p *Part) readRange(resp *http.Response, off, n int64) error {
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return &rangeError{fmt.Sprintf("it sent a part of a file encoded as %q, though none was accepted", text.Clean(encoding))}
	}
	length := resp.ContentLength
	if header := resp.Header.Get("Content-Range"); header != "" {
		r, err := parseContentRange(header)
		if err != nil {
			return &rangeError{err.Error()}
		}
		if r.first != off {
			return &rangeError{fmt.Sprintf("asked for bytes from %d it sent bytes from %d", off, r.first)}
		}
		length, p.Total = r.last-r.first+1, r.total
	} else if off != 0 {
		return &rangeError{"it sent a part of the file and did not say which (no Content-Range)"}
	}
	p.Partial, p.Off = true, off
	data, err := readUpTo(resp.Body, n, length)
	if err != nil {
		return err
	}
	if int64(len(data)) < min(n, length) {
		return io.ErrUnexpectedEOF
	}
	if end := off + int64(len(data)); p.Total < 0 && int64(len(data)) < n {
		p.Total = end
	}
	p.Data = data
	return nil
}

// readStart reads the start of a whole file.
func (p *Part) readStart(resp *http.Response, n int64) error {
	body := io.Reader(resp.Body)
	switch encoding := strings.ToLower(resp.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		p.Total = resp.ContentLength
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(resp.Body)
		if err != nil {
			return err
		}
		body = z
	default:
		return fmt.Errorf("it is encoded as %q, though none was accepted", text.Clean(encoding))
	}
	data, err := readUpTo(body, n, p.Total)
	if err != nil {
		return err
	}
	if p.Total < 0 && int64(len(data)) < n {
		p.Total = int64(len(data))
	}
	p.Data = data
	return nil
}

// readUpTo reads n bytes, or less where r ends before. It makes room for no more than
// was announced, -1 where nothing was.
func readUpTo(r io.Reader, n, announced int64) ([]byte, error) {
	room := min(n, believed)
	if announced >= 0 {
		room = min(room, announced)
	}
	var buf bytes.Buffer
	buf.Grow(int(room) + bytes.MinRead)
	_, err := buf.ReadFrom(io.LimitReader(r, n))
	return buf.Bytes(), err
}

type contentRange struct{ first, last, total int64 } // total -1: unknown

var errContentRange = errors.New("its Content-Range cannot be read")

// parseContentRange reads "bytes first-last/total", where total may be "*".
func parseContentRange(s string) (contentRange, error) {
	unit, rest, ok := strings.Cut(strings.TrimSpace(s), " ")
	if !ok || !strings.EqualFold(unit, "bytes") {
		return contentRange{}, errContentRange
	}
	span, size, ok := strings.Cut(strings.TrimSpace(rest), "/")
	first, last, ok2 := strings.Cut(span, "-")
	if !ok || !ok2 {
		return contentRange{}, errContentRange
	}
	r := contentRange{total: -1}
	numbers := []struct {
		text string
		into *int64
	}{{first, &r.first}, {last, &r.last}, {size, &r.total}}
	for _, number := range numbers {
		text := strings.TrimSpace(number.text)
		if number.into == &r.total && text == "*" {
			continue
		}
		v, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			return contentRange{}, errContentRange
		}
		*number.into = int64(v)
	}
	if r.last < r.first || r.total >= 0 && r.last >= r.total {
		return contentRange{}, fmt.Errorf("its Content-Range is impossible: bytes %d-%d of %d", r.first, r.last, r.total)
	}
	return r, nil
}
