package mediainfo

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"slices"

	"xship/sources"
	"xship/sources/link"
)

const (
	// firstWindow holds all that a small file, a Matroska file or a fast-start
	// file says about its first track.
	firstWindow = 64 << 10
	// wholeUnder: a table no longer than this is read at once; in a longer one
	// the wanted places are read one by one.
	wholeUnder = 256 << 10
	maxWindow  = 1 << 20
)

// budget bounds one probe and all that it reads.
type budget struct {
	get      RangeFunc
	requests int   // left
	bytes    int64 // left
	used     int   // requests made
	brief    bool  // only whether the stream can be had is asked, not all that it holds
}

// span is a run of bytes that was read.
type span struct {
	off  int64
	data []byte
}

func (s span) end() int64 { return s.off + int64(len(s.data)) }

// reader gives access to any place of a remote file, or of a byte range of it,
// by few ranged requests. Offsets are those of the range.
type reader struct {
	*budget
	url       string
	headers   map[string]string
	base      int64 // of the range in the file
	length    int64 // of the range, -1 = to the end of the file
	total     int64 // of the file or range, -1 unknown
	whole     bool  // the server answers ranges with everything
	media     bool  // something said that media are there
	segment   bool  // of a longer stream: only its tracks are asked for, not its duration
	spans     []span
	regionEnd int64 // of the table being read: see at
	finalURL  string
	parsed    *url.URL    // finalURL, once it was asked for
	header    http.Header // of the last answer
	cookie    string      // for what else is asked of the host of finalURL
}

func newReader(b *budget, url string, headers map[string]string) *reader {
	return &reader{budget: b, url: url, headers: headers, length: -1, total: -1, finalURL: url}
}

// address is where the manifest behind r lies, for what it names.
func (r *reader) address() (*url.URL, error) {
	if r.parsed == nil {
		u, err := link.Parse(r.finalURL)
		if err != nil {
			return nil, unplayable("the manifest's own URL cannot be read")
		}
		r.parsed = u
	}
	return r.parsed, nil
}

// section narrows a reader that has read nothing yet to a byte range.
func (r *reader) section(off, n int64) {
	r.base, r.length, r.total = off, n, n
}

// start reads the first window.
func (r *reader) start(ctx context.Context) ([]byte, error) {
	n := int64(firstWindow)
	if r.length >= 0 {
		n = min(n, r.length)
	}
	if err := r.load(ctx, 0, n); err != nil {
		return nil, err
	}
	head := r.buffered(0)
	if len(head) == 0 {
		return nil, sources.Errorf(sources.ClassHosterFault, "the body is empty")
	}
	return head, nil
}

// buffered is what was read from off on, without a gap.
func (r *reader) buffered(off int64) []byte {
	for _, s := range r.spans {
		if off >= s.off && off < s.end() {
			return s.data[off-s.off:]
		}
	}
	return nil
}

// at returns exactly n bytes from off on, which must not be changed. What
// stands behind them up to regionEnd is read along when it is short.
func (r *reader) at(ctx context.Context, off, n int64) ([]byte, error) {
	data, err := r.upTo(ctx, off, n)
	if err != nil {
		return nil, err
	}
	if int64(len(data)) < n {
		return nil, truncated("%d bytes are missing at offset %d", n-int64(len(data)), off)
	}
	return data, nil
}

// upTo is at for a file that may end before off+n.
func (r *reader) upTo(ctx context.Context, off, n int64) ([]byte, error) {
	if off < 0 || n < 0 || off > math.MaxInt64-n {
		return nil, damaged("impossible offset %d", off)
	}
	have := r.buffered(off)
	if r.total >= 0 {
		n = min(n, max(r.total-off, 0))
	}
	if int64(len(have)) >= n {
		return have[:n:n], nil
	}
	for { // a server may give less at once than it was asked for
		from := off + int64(len(have))
		want := max(off+n-from, r.window(from))
		if err := r.load(ctx, from, want); err != nil {
			return nil, err
		}
		before := len(have)
		have = r.buffered(off)
		if r.total >= 0 {
			n = min(n, max(r.total-off, 0))
		}
		if int64(len(have)) >= n || len(have) == before {
			n = min(n, int64(len(have)))
			return have[:n:n], nil
		}
	}
}

// window is how much to read at off when less would do: a jump reads a first
// window, going on where the last read ended doubles what lies before it.
func (r *reader) window(off int64) int64 {
	n := int64(firstWindow)
	for _, s := range r.spans {
		if s.end() == off {
			n = min(max(n, int64(len(s.data))), maxWindow)
		}
	}
	if rest := r.regionEnd - off; rest > n && rest <= wholeUnder {
		n = rest
	}
	return n
}

// load reads n bytes from off on, or up to the end of the file.
func (r *reader) load(ctx context.Context, off, n int64) error {
	if r.total >= 0 {
		n = min(n, r.total-off)
	}
	if n <= 0 && off > 0 {
		return nil
	}
	if r.whole && off > 0 {
		return errNoRange
	}
	if r.requests <= 0 || n > r.bytes {
		return errBudget
	}
	r.requests--
	r.used++
	part, err := r.get(ctx, r.url, r.headers, r.base+off, n)
	if err != nil {
		return err
	}
	r.bytes -= int64(len(part.Data))
	return r.take(part, off, n)
}

// take adds part, which answers a request for n bytes from off on.
func (r *reader) take(part Part, off, n int64) error {
	if part.FinalURL != "" && part.FinalURL != r.finalURL {
		r.finalURL, r.parsed = part.FinalURL, nil
	}
	r.header, r.cookie = part.Header, part.Cookie
	data := part.Data
	if skip := r.base + off - part.Off; skip != 0 {
		// Another range than asked for; most often everything from 0 on.
		if !part.Partial {
			r.whole = true
		}
		if skip < 0 || skip >= int64(len(data)) {
			if !part.Partial {
				return errNoRange
			}
			return sources.Errorf(sources.ClassHosterFault, "asked for bytes from %d on, the server sent those from %d on", r.base+off, part.Off)
		}
		data = data[skip:]
	} else if !part.Partial {
		r.whole = true
	}
	data = data[:min(int64(len(data)), n)]
	r.learnTotal(part, off+int64(len(data)), int64(len(data)) < n)
	if missing := min(n, r.rest(off)) - int64(len(data)); missing > 0 && (!part.Partial || len(data) == 0) {
		return truncated("the server announced %d bytes more than it sent", missing)
	}
	r.add(span{off, data})
	return nil
}

// learnTotal sets the size of the file from part; end is where its data ends,
// short says that there were less than asked for.
func (r *reader) learnTotal(part Part, end int64, short bool) {
	switch {
	case r.length >= 0:
		r.total = r.length
	case part.Total >= 0:
		r.total = part.Total
	case short:
		r.total = end
	}
}

// rest is how much lies behind off.
func (r *reader) rest(off int64) int64 {
	if r.total < 0 {
		return 0
	}
	return max(r.total-off, 0)
}

func (r *reader) add(s span) {
	for i := range r.spans {
		if r.spans[i].end() == s.off {
			r.spans[i].data = append(slices.Clip(r.spans[i].data), s.data...)
			return
		}
	}
	r.spans = append(r.spans, s)
}

// all returns the whole file, which must not be longer than limit.
func (r *reader) all(ctx context.Context, limit int64) ([]byte, error) {
	data := r.buffered(0)
	switch size := int64(len(data)); {
	case r.total > limit:
		return nil, sources.Errorf(sources.ClassUnsupported, "the manifest has %d bytes, more than %d", r.total, limit)
	case r.total == size, r.total < 0 && size < firstWindow:
		return data, nil
	case r.whole:
		r.spans, r.whole = nil, false
		if err := r.load(ctx, 0, limit+1); err != nil {
			return nil, err
		}
		data = r.buffered(0)
	default:
		var err error
		if data, err = r.upTo(ctx, 0, limit+1); err != nil {
			return nil, err
		}
	}
	if int64(len(data)) > limit {
		return nil, sources.Errorf(sources.ClassUnsupported, "the manifest has more than %d bytes", limit)
	}
	return data, nil
}
