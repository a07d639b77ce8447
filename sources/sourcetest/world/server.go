package world

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// content is what a server serves when nothing is wrong with it.
type content interface {
	// serve answers r. In ModeEmpty it answers that it has nothing, in
	// ModeNoRange as if r had no Range; every other mode is none of its concern.
	serve(w http.ResponseWriter, r *http.Request, m Mode)
}

// Server is what hosters, sites and interfaces have in common: an address of
// their own, a mode that can be switched while they run, and counters. Its
// methods are safe for concurrent use.
type Server struct {
	name    string
	config  Config
	content content
	world   <-chan struct{} // closed when the world ends
	ip      string
	addr    string
	posts   bool // forms are taken by POST as well
	methods bool // the content takes requests of any method
	http    *http.Server
	serving sync.WaitGroup // the accept loop
	conns   sync.WaitGroup // its connections

	mode      atomic.Pointer[Mode]
	override  atomic.Pointer[[]byte]
	latency   atomic.Int64
	requests  atomic.Int64
	unchanged atomic.Int64
	inFlight  atomic.Int64
	peak      atomic.Int64

	mu    sync.Mutex
	log   []Request
	next  *change
	files []fileMode    // of a hoster
	gate  chan struct{} // open once closed; nil: there is none
}

// change is a mode that comes after left more requests.
type change struct {
	left int
	mode Mode
}

// Request is one that came in.
type Request struct {
	Method string
	URI    string     // path and query as they came
	Form   url.Values // of the query and of a form that was posted
	Header http.Header
}

// maxLog bounds the requests that are remembered, maxForm the bytes of one.
const (
	maxLog  = 1000
	maxForm = 1 << 20
)

func newServer(name string, c Config, world <-chan struct{}) *Server {
	s := &Server{name: name, config: c, world: world}
	s.SetMode(ModeOK)
	s.SetLatency(c.Latency)
	return s
}

// listen starts serving on any free port of the address ip.
func (s *Server) listen(ip string) error {
	ln, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.ParseIP(ip)})
	if err != nil {
		return &AddressError{Addr: ip, Err: err}
	}
	s.ip = ip
	s.addr = ln.Addr().String()
	s.http = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: time.Minute,
		ErrorLog:          log.New(io.Discard, "", 0), // broken connections are meant here
		ConnState:         s.track,
	}
	s.serving.Go(func() { _ = s.http.Serve(ln) })
	return nil
}

// track counts connections. Each is new once, and closed or reset once.
func (s *Server) track(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		s.conns.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.conns.Done()
	case http.StateActive, http.StateIdle:
	}
}

// close breaks all connections and waits for their goroutines. The accept loop
// ends first, so that no connection is counted while the rest is waited for.
func (s *Server) close() {
	_ = s.http.Close()
	s.serving.Wait()
	s.conns.Wait()
}

// Name is the name that the server has in its world.
func (s *Server) Name() string { return s.name }

// IP is the address without the port. It is the name of the hoster.
func (s *Server) IP() string { return s.ip }

// Addr is the address with the port.
func (s *Server) Addr() string { return s.addr }

// Mode is how the server answers.
func (s *Server) Mode() Mode { return *s.mode.Load() }

// SetMode changes how requests that come from now on are answered. It panics
// where m is none of Modes and of no StatusMode.
func (s *Server) SetMode(m Mode) {
	m.mustBeKnown()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = nil
	s.mode.Store(&m)
}

// SetModeAfter is SetMode once n more requests have come in.
func (s *Server) SetModeAfter(n int, m Mode) {
	m.mustBeKnown()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next = &change{left: n, mode: m}
}

// Hold keeps all answers from now on back until Release. They are given in the
// mode that the server has then.
func (s *Server) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gate == nil {
		s.gate = make(chan struct{})
	}
}

// Release lets the answers out that Hold keeps back.
func (s *Server) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gate != nil {
		close(s.gate)
		s.gate = nil
	}
}

// wait holds a request while its answer is kept back. It ends the request where
// nobody waits for its answer any more.
func (s *Server) wait(r *http.Request) {
	s.mu.Lock()
	gate := s.gate
	s.mu.Unlock()
	if gate == nil {
		return
	}
	select {
	case <-gate:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	case <-s.world:
		panic(http.ErrAbortHandler)
	}
}

// take is the mode for a request for urlPath that has come in.
func (s *Server) take(urlPath string) Mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		if s.next.left <= 0 {
			s.mode.Store(&s.next.mode)
			s.next = nil
		} else {
			s.next.left--
		}
	}
	mode := *s.mode.Load()
	if mode != ModeOK {
		return mode
	}
	for _, f := range slices.Backward(s.files) {
		if ok, _ := path.Match(f.pattern, urlPath); ok {
			return f.mode
		}
	}
	return mode
}

// SetLatency sets how long the server waits before it answers.
func (s *Server) SetLatency(d time.Duration) { s.latency.Store(int64(d)) }

// SetBody makes the server serve body, with status 200, wherever it would
// serve its own content; nil gives it back its own.
func (s *Server) SetBody(body []byte) {
	if body == nil {
		s.override.Store(nil)
		return
	}
	s.override.Store(&body)
}

// Requests is how many requests have come in.
func (s *Server) Requests() int { return int(s.requests.Load()) }

// NotModified is how many requests were answered 304.
func (s *Server) NotModified() int { return int(s.unchanged.Load()) }

// PeakInFlight is how many requests were being answered at once at most. A
// request that its client gave up counts until the server notices.
func (s *Server) PeakInFlight() int { return int(s.peak.Load()) }

// Log is the latest requests, 500 at least where there were so many, the oldest
// first.
func (s *Server) Log() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// ResetCounters sets Requests, NotModified and PeakInFlight back to 0 and
// empties Log.
func (s *Server) ResetCounters() {
	s.requests.Store(0)
	s.unchanged.Store(0)
	s.peak.Store(0)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = nil
}

// note reads the form of r and remembers the request.
func (s *Server) note(w http.ResponseWriter, r *http.Request) {
	if s.posts {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		_ = r.ParseForm() // what cannot be read is not in the form
	} else {
		r.Form = r.URL.Query()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.log) == maxLog {
		s.log = slices.Delete(s.log, 0, maxLog/2)
	}
	s.log = append(s.log, Request{Method: r.Method, URI: r.RequestURI, Form: r.Form, Header: r.Header})
}

// ServeHTTP answers in the server's mode.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.requests.Add(1)
	s.note(w, r)
	leave := s.enter()
	defer leave()
	w = &countedWriter{ResponseWriter: w, last: leave, unchanged: &s.unchanged}

	s.wait(r)
	m := s.take(r.URL.Path)
	s.pause(r, time.Duration(s.latency.Load()))
	if m.status() != 0 {
		serveStatus(w, m, s.config.RetryAfter)
		return
	}
	switch m {
	case ModeHang:
		s.hang(r)
	case ModeReset:
		leave()
		reset(w)
	case ModeHTML:
		serveBody(w, "text/html; charset=utf-8", []byte(page))
	case ModeLogin:
		serveLogin(w, r)
	case ModeEndless:
		serveEndless(w, r)
	case ModeM3U:
		serveBody(w, "audio/x-mpegurl", []byte(liveList))
	case ModeBadJSON:
		serveBody(w, "application/json", []byte(badJSON))
	case ModeTruncated:
		s.serve(&truncatingWriter{ResponseWriter: w}, r, m)
	case ModeSlow:
		s.serve(&slowWriter{ResponseWriter: w, pause: func() { s.pause(r, s.config.SlowPause) }}, r, m)
	default:
		s.serve(w, r, m)
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, m Mode) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead && (r.Method != http.MethodPost || !s.posts) && !s.methods {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, r.Method+" is not served", http.StatusMethodNotAllowed)
		return
	}
	if body := s.override.Load(); body != nil {
		serveBody(w, "application/octet-stream", *body)
		return
	}
	s.content.serve(w, r, m)
}

// enter counts a request in, keeps the peak, and gives what counts it out.
func (s *Server) enter() (leave func()) {
	n := s.inFlight.Add(1)
	for peak := s.peak.Load(); n > peak && !s.peak.CompareAndSwap(peak, n); {
		peak = s.peak.Load()
	}
	return sync.OnceFunc(func() { s.inFlight.Add(-1) })
}

// hang waits until the client goes or the world ends, and never answers.
func (s *Server) hang(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.world:
	}
	panic(http.ErrAbortHandler)
}

// pause waits for d. It ends the request where nobody waits for its answer
// any more.
func (s *Server) pause(r *http.Request, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	case <-s.world:
		panic(http.ErrAbortHandler)
	}
}
