package fetch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"xship/sources"
	"xship/sources/link"
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
	capped   bool   // the server sent less than was asked for, and the file may go on
	FinalURL string // after redirects, not redacted
	Cookie   string // for what else is asked of the host of FinalURL, as its answers set it
}

// rangeError is an answer that is not the range asked for.
type rangeError struct{ reason string }

func (e *rangeError) Error() string { return e.reason }

// maxPieces is how many answers one GetRange puts together at most.
const maxPieces = 32

// GetRange asks for n bytes from offset off by a GET, reads at most n bytes of the
// answer and closes it. A server may answer with less than was asked for (RFC 9110,
// 15.3.7): it is asked for the rest, as often as that is sensible. One that refuses
// ranges by 416 or 406, encodes what it sends, or frames it, is asked without, and one that
// may refuse only ranges with an end, by another status, as players ask: what it answers
// then counts. So Data is shorter only where the file ends, and where the server gives it in very small pieces. An
// answer with a range that does not hold off, and one that ends before what it announced,
// are the hoster's fault, as is a range behind the end of the file. MaxBody of r does not
// count.
func (c *Client) GetRange(ctx context.Context, r Request, off, n int64) (*Part, error) {
	if off < 0 || n < 1 || off > math.MaxInt64-n {
		return nil, sources.Errorf(sources.ClassBug, "fetch: %d bytes from offset %d is no range", n, off)
	}
	part, err := c.piece(ctx, r, off, n)
	if err != nil {
		return nil, err
	}
	for range maxPieces {
		got := int64(len(part.Data))
		if !part.capped || got == 0 || got >= n {
			break
		}
		more, err := c.piece(ctx, r, off+got, n-got)
		if isPastEnd(err) {
			part.Total = off + got
			break
		}
		if err != nil {
			return nil, err
		}
		if !more.Partial {
			return more, nil // the whole after all, from its start
		}
		part.Data = append(part.Data, more.Data...)
		part.Total, part.capped = more.Total, more.capped
	}
	return part, nil
}

// piece makes one request for a range, and a second one where the server may know none,
// or none with an end.
func (c *Client) piece(ctx context.Context, r Request, off, n int64) (*Part, error) {
	part, err := c.ranged(ctx, r, off, n, fmt.Sprintf("bytes=%d-%d", off, off+n-1))
	var status *Error
	switch {
	case err == nil:
		return part, nil
	case errors.As(err, new(*refusedRangeError)):
		return c.ranged(ctx, r, off, n, "")
	case !errors.As(err, &status) || status.Challenge || !mayRefuseRange(status.HTTPStatus()):
		return nil, err
	}
	other := "" // from its start on, where players go on without what lies further on
	if off == 0 && status.HTTPStatus() != http.StatusNotAcceptable {
		other = "bytes=0-" // as players ask, which a server may know better than none
	}
	part, again := c.ranged(ctx, r, off, n, other)
	if errors.As(again, new(*pauseError)) { // the first answer asked for it
		return nil, err
	}
	return part, again
}

// mayRefuseRange tells whether servers that take only some ranges, or none, answer the
// others by status.
func mayRefuseRange(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable,
		http.StatusInternalServerError, http.StatusNotImplemented, http.StatusServiceUnavailable:
		return true
	}
	return false
}

// ranged makes one request, for the given range or without one where that is "". Of the
// answer n bytes from off on are read.
func (c *Client) ranged(ctx context.Context, r Request, off, n int64, asked string) (*Part, error) {
	var part *Part
	err := c.do(ctx, r, func(req *http.Request) {
		if asked != "" {
			req.Header.Set("Range", asked)
		}
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

// refusedRangeError is a 416 that does not say that the file ends before, or a part
// that is of no use: the server has to be asked for the whole.
type refusedRangeError struct{ rangeError }

// pastEndError is a range behind the end of the file.
type pastEndError struct{ rangeError }

func isPastEnd(err error) bool { return errors.As(err, new(*pastEndError)) }

func readPart(resp *http.Response, off, n int64) (*Part, error) {
	part := &Part{
		Status: resp.StatusCode, Header: resp.Header, Total: -1,
		FinalURL: resp.Request.URL.String(), Cookie: cookieAfter(resp),
	}
	var err error
	switch resp.StatusCode {
	case http.StatusPartialContent:
		err = part.readRange(resp, off, n)
	case http.StatusRequestedRangeNotSatisfiable:
		header := resp.Header.Get("Content-Range")
		refusal := rangeError{fmt.Sprintf("it has no byte %d (Content-Range %q)", off, text.Clean(header))}
		if total, ok := sizeOf(header); ok && off >= total || off > 0 && !ok {
			err = &pastEndError{refusal}
		} else {
			err = &refusedRangeError{refusal}
		}
	default:
		err = part.readStart(resp, n)
	}
	return part, err
}

// sizeOf reads the size of the file in the Content-Range of a 416.
func sizeOf(header string) (int64, bool) {
	_, size, _ := strings.Cut(header, "/")
	total, err := strconv.ParseUint(strings.TrimSpace(size), 10, 63)
	return int64(total), err == nil
}

// readRange reads a 206. One that does not say where its bytes lie has those that were
// asked for, as players take it.
func (p *Part) readRange(resp *http.Response, off, n int64) error {
	r, known, err := parseContentRange(resp.Header.Get("Content-Range"))
	switch {
	case err != nil:
		return err
	case !known && isInParts(resp):
		return &refusedRangeError{rangeError{"asked for one range it sent parts in a frame"}}
	case !known:
		r = contentRange{first: off, last: -1, total: -1}
		if resp.ContentLength >= 0 {
			r.last = off + resp.ContentLength - 1
		}
	case r.first > off || r.last < off:
		return &rangeError{fmt.Sprintf("asked for bytes from %d it sent bytes from %d", off, r.first)}
	}
	coding := codingOf(resp)
	if isDecoded(coding) { // offsets in the encoded file mean nothing in the one that was meant
		return &refusedRangeError{rangeError{"it sent a part of a file that it encoded"}}
	}
	body, err := decoded(resp, coding)
	if err != nil {
		return err
	}
	p.Partial, p.Off, p.Total = true, off, r.total
	if skip := off - r.first; skip > 0 {
		if skipped, err := io.CopyN(io.Discard, body, min(skip, maxSkipped)); err != nil || skipped < skip {
			return &rangeError{fmt.Sprintf("asked for bytes from %d it sent bytes from %d", off, r.first)}
		}
	}
	length := int64(-1)
	if r.last >= 0 {
		length = r.last - off + 1
	}
	data, err := readUpTo(body, n, length)
	if err != nil {
		return err
	}
	got := int64(len(data))
	if length >= 0 && got < min(n, length) {
		return io.ErrUnexpectedEOF
	}
	switch end := off + got; {
	case got == n:
	case p.Total < 0 && !known:
		p.Total = end
	case p.Total < 0 || end < p.Total:
		p.capped = true
	}
	p.Data = data
	return nil
}

// isInParts tells whether an answer holds its ranges in a frame of MIME, which is only for
// who asked for several (RFC 9110, 15.3.7.2).
func isInParts(resp *http.Response) bool {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	return strings.EqualFold(strings.TrimSpace(kind), "multipart/byteranges")
}

// maxSkipped is how many bytes before those that were asked for are read over.
const maxSkipped = 1 << 20

// readStart reads the start of a whole file.
func (p *Part) readStart(resp *http.Response, n int64) error {
	coding := codingOf(resp)
	body, err := decoded(resp, coding)
	if err != nil {
		return err
	}
	if !isDecoded(coding) {
		p.Total = resp.ContentLength
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

// emptyCodings are words for Content-Encoding that encode nothing: identity, names of
// charsets and transfers that servers put there, and what signed an upload.
var emptyCodings = []string{"", "identity", "none", "aws-chunked", "utf-8", "utf8", "binary", "8bit", "7bit", "chunked", "application/octet-stream"}

// codingOf is how an answer is encoded, "" where it is not.
func codingOf(resp *http.Response) string {
	var codings []string
	for _, line := range resp.Header.Values("Content-Encoding") {
		for word := range strings.SplitSeq(line, ",") {
			if word = strings.ToLower(strings.TrimSpace(word)); !slices.Contains(emptyCodings, word) {
				codings = append(codings, word)
			}
		}
	}
	return strings.Join(codings, ", ")
}

// isDecoded tells whether coding is one that decoded takes off.
func isDecoded(coding string) bool {
	return coding == "gzip" || coding == "x-gzip" || coding == "deflate"
}

// decoded is the body of an answer as the file that was meant. A coding that is not
// known here counts for nothing where the first bytes are those of media or of text.
func decoded(resp *http.Response, coding string) (io.Reader, error) {
	switch coding {
	case "":
		return resp.Body, nil
	case "gzip", "x-gzip":
		return gzip.NewReader(resp.Body)
	case "deflate":
		return zlib.NewReader(resp.Body)
	}
	start := bufio.NewReader(resp.Body)
	head, err := start.Peek(peeked)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if link.MagicOf(head) == "" && !IsText(head) {
		return nil, &unreadableError{fmt.Sprintf("it is encoded as %q, though none was accepted", text.Clean(coding))}
	}
	return start, nil
}

// peeked is how many bytes tell what a body is.
const peeked = 2 << 10

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

// parseContentRange reads "bytes first-last/total", where total may be "*". known is
// false where it cannot be read at all. A total that the range does not fit into is
// no total.
func parseContentRange(s string) (r contentRange, known bool, err error) {
	unit, rest, ok := strings.Cut(strings.TrimSpace(s), " ")
	if !ok {
		unit, rest, ok = strings.Cut(s, "=")
	}
	if !ok || !strings.EqualFold(strings.TrimSpace(unit), "bytes") {
		return contentRange{}, false, nil
	}
	span, size, _ := strings.Cut(strings.TrimSpace(rest), "/")
	first, last, ok := strings.Cut(span, "-")
	if !ok {
		return contentRange{}, false, nil
	}
	r.total = -1
	for _, number := range []struct {
		text string
		into *int64
	}{{first, &r.first}, {last, &r.last}, {size, &r.total}} {
		v, err := strconv.ParseUint(strings.TrimSpace(number.text), 10, 63)
		switch {
		case err == nil:
			*number.into = int64(v)
		case number.into != &r.total:
			return contentRange{}, false, nil
		}
	}
	if r.last < r.first {
		return contentRange{}, false, &rangeError{fmt.Sprintf("its Content-Range is impossible: bytes %d-%d", r.first, r.last)}
	}
	if r.total <= r.last {
		r.total = -1
	}
	return r, true, nil
}
