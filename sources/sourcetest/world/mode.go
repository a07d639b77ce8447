package world

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// Mode is how a server answers.
type Mode string

// The modes, beside those of StatusMode. All servers know all of them; only
// ModeNoRange and ModeEmpty depend on what the server serves.
const (
	ModeOK        Mode = "ok"        // as it should
	ModeSlow      Mode = "slow"      // as it should, a few bytes at a time
	ModeHang      Mode = "hang"      // accepts and never answers
	Mode403       Mode = "403"       // forbidden
	Mode404       Mode = "404"       // not found
	Mode410       Mode = "410"       // gone
	Mode429       Mode = "429"       // too many requests, with Retry-After
	Mode500       Mode = "500"       // internal error
	Mode503       Mode = "503"       // unavailable
	ModeHTML      Mode = "html"      // 200 and a web page
	ModeLogin     Mode = "login"     // 302 to a login page, which is a web page
	ModeM3U       Mode = "m3u"       // 200 and a live list
	ModeBadJSON   Mode = "badjson"   // 200 and JSON with a syntax error in line 3
	ModeReset     Mode = "reset"     // the connection is reset after the request
	ModeTruncated Mode = "truncated" // a Content-Length of which half arrives
	ModeEndless   Mode = "endless"   // 200 and the start of JSON that never ends
	ModeNoRange   Mode = "norange"   // as it should, but Range is ignored
	ModeEmpty     Mode = "empty"     // a site without films, an interface without sites, a file without bytes
)

// Modes lists all modes.
func Modes() []Mode {
	return []Mode{
		ModeOK, ModeSlow, ModeHang, Mode403, Mode404, Mode410, Mode429, Mode500, Mode503,
		ModeHTML, ModeLogin, ModeM3U, ModeBadJSON, ModeReset, ModeTruncated, ModeEndless, ModeNoRange, ModeEmpty,
	}
}

// StatusMode is the mode in which each answer has the HTTP status given, from
// 400 to 599.
func StatusMode(status int) Mode { return Mode(strconv.Itoa(status)) }

func (m Mode) known() bool { return m.status() != 0 || slices.Contains(Modes(), m) }

func (m Mode) mustBeKnown() {
	if !m.known() {
		panic(fmt.Sprintf("world: unknown mode %q", string(m)))
	}
}

// status is the HTTP status of the modes that are nothing else, 0 of others.
func (m Mode) status() int {
	n, err := strconv.Atoi(string(m))
	if err != nil || n < 400 || n > 599 {
		return 0
	}
	return n
}

// page is what ModeHTML serves: the login page that a portal or a firewall
// puts in place of what was asked for.
const page = `<!DOCTYPE html>
<html><head><title>Welcome</title></head>
<body><h1>Please sign in</h1><script>location.hash = "login"</script></body></html>
`

const liveList = "#EXTM3U\n#EXTINF:-1 group-title=\"News\",Channel One\nhttp://127.0.0.1:9/live.m3u8\n"

const badJSON = "{\n  \"sites\": [\n    {\"key\": \"one\" \"name\": \"One\"}\n  ]\n}\n"

// serveStatus answers with the status of m.
func serveStatus(w http.ResponseWriter, m Mode, retryAfter time.Duration) {
	if m == Mode429 {
		w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
	}
	http.Error(w, http.StatusText(m.status()), m.status())
}

const loginPath = "/login"

// serveLogin sends everybody to the login page.
func serveLogin(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != loginPath {
		http.Redirect(w, r, loginPath, http.StatusFound)
		return
	}
	serveBody(w, "text/html; charset=utf-8", []byte(page))
}

// serveEndless writes until the client goes or the world ends.
func serveEndless(w http.ResponseWriter, r *http.Request) {
	const piece = 32 << 10
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	next := append([]byte(`{"sites": [`), bytes.Repeat([]byte(" "), piece)...)
	for r.Context().Err() == nil {
		if _, err := w.Write(next); err != nil {
			return
		}
		next = next[len(next)-piece:]
	}
}

// serveBody answers 200 with the whole of body, whatever range was asked for.
func serveBody(w http.ResponseWriter, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the client has gone: nobody is left to be told
}

// reset ends the connection by a RST in place of an answer.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // not hijackable: an abrupt end is the nearest thing
	}
	if c, ok := conn.(interface{ SetLinger(sec int) error }); ok {
		_ = c.SetLinger(0) // a connection that is already gone needs no reset
	}
	_ = conn.Close()
}

// countedWriter calls last before the last byte of the announced length goes
// out: a client that has the whole answer finds its request counted out. An
// answer that nothing changed is counted as one.
type countedWriter struct {
	http.ResponseWriter
	last      func()
	unchanged *atomic.Int64
	sent      int
}

func (w *countedWriter) WriteHeader(status int) {
	if status == http.StatusNotModified {
		w.unchanged.Add(1)
		w.last()
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *countedWriter) Write(p []byte) (int, error) {
	w.sent += len(p)
	if length, ok := announced(w.Header()); ok && w.sent >= length {
		w.last()
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap serves http.ResponseController.
func (w *countedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// truncatingWriter lets half of the announced length pass and then breaks the
// connection off.
type truncatingWriter struct {
	http.ResponseWriter
	sent int
}

func (w *truncatingWriter) Write(p []byte) (int, error) {
	length, _ := announced(w.Header())
	left := length/2 - w.sent
	if len(p) <= left {
		w.sent += len(p)
		return w.ResponseWriter.Write(p)
	}
	_, _ = w.ResponseWriter.Write(p[:left])
	_ = http.NewResponseController(w.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

// announced is the Content-Length.
func announced(h http.Header) (length int, ok bool) {
	length, err := strconv.Atoi(h.Get("Content-Length"))
	return length, err == nil
}

// slowPiece is how many bytes of an answer ModeSlow lets through at once.
const slowPiece = 32

// slowWriter dribbles: a few bytes, then a pause.
type slowWriter struct {
	http.ResponseWriter
	pause func() // panics when nobody waits any more
}

func (w *slowWriter) Write(p []byte) (int, error) {
	written := 0
	for piece := range slices.Chunk(p, slowPiece) {
		n, err := w.ResponseWriter.Write(piece)
		written += n
		if err != nil {
			return written, err
		}
		if err := http.NewResponseController(w.ResponseWriter).Flush(); err != nil {
			return written, err
		}
		w.pause()
	}
	return written, nil
}
