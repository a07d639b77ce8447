package debridfake

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Answer replaces what a fake would say.
type Answer struct {
	Status int // of HTTP, 0 = 200
	Header http.Header
	Body   string
	Hang   bool // no answer until the client gives up
}

// Fake is what the fakes have in common. Endpoints are named by the path that
// clients call, such as "/v4/link/unlock"; the one that unlocks links has its own
// short ways. It is safe for concurrent use.
type Fake struct {
	unlockPath string
	refusal    func(code string) Answer
	stream     func(link string) string
	mux        *http.ServeMux

	mu      sync.Mutex
	keys    map[string]bool
	hosters []string
	plan    Plan
	answers map[string]Answer
	calls   map[string]int
}

// newFake makes the common part of a fake: unlockPath is the endpoint that unlocks,
// refusal its answer with an error code, and stream gives the address of the
// stream for a link.
func newFake(unlockPath string, refusal func(code string) Answer, stream func(link string) string) *Fake {
	return &Fake{
		unlockPath: unlockPath, refusal: refusal, stream: stream, mux: http.NewServeMux(),
		keys: make(map[string]bool), answers: make(map[string]Answer), calls: make(map[string]int),
	}
}

// ServeHTTP implements http.Handler.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.calls[r.URL.Path]++
	answer, ok := f.answers[r.URL.Path]
	if !ok {
		answer, ok = f.answers[""]
	}
	f.mu.Unlock()
	switch {
	case !ok:
		f.mux.ServeHTTP(w, r)
	case answer.Hang:
		_, _ = io.Copy(io.Discard, r.Body) // until then a server does not notice that the client left
		<-r.Context().Done()
	default:
		answer.write(w)
	}
}

// AcceptKey makes key that of an account. There is none at first.
func (f *Fake) AcceptKey(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.keys[key] = true
}

// RevokeKey undoes AcceptKey.
func (f *Fake) RevokeKey(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.keys, key)
}

// Plan is what an account has paid for.
type Plan int

// The plans. At first accounts are premium.
const (
	Premium Plan = iota
	Expired      // it was premium
	Free
)

// SetPlan sets the plan of all accounts.
func (f *Fake) SetPlan(p Plan) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plan = p
}

// premium is the plan, and until when it is or was premium; the zero time: never.
func (f *Fake) premium() (Plan, time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch f.plan {
	case Expired:
		return Expired, premiumOver
	case Free:
		return Free, time.Time{}
	default:
		return Premium, premiumUntil
	}
}

// SetHosters sets the domains whose links the fake unlocks.
func (f *Fake) SetHosters(domains ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hosters = append([]string(nil), domains...)
}

// Set makes an endpoint answer so, "" = every one that has no answer of its own.
func (f *Fake) Set(endpoint string, a Answer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[endpoint] = a
}

// Fail makes unlocking fail with the service's code.
func (f *Fake) Fail(code string) { f.Set(f.unlockPath, f.refusal(code)) }

// Status makes unlocking answer with a status, and headers and a body as they are.
func (f *Fake) Status(status int, header http.Header, body string) {
	f.Set(f.unlockPath, Answer{Status: status, Header: header, Body: body})
}

// Hang makes unlocking never answer.
func (f *Fake) Hang() { f.Set(f.unlockPath, Answer{Hang: true}) }

// Work undoes Set, Fail, Status and Hang.
func (f *Fake) Work() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.answers)
}

// Calls tells how often an endpoint was called, "" = all of them.
func (f *Fake) Calls(endpoint string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if endpoint != "" {
		return f.calls[endpoint]
	}
	sum := 0
	for _, n := range f.calls {
		sum += n
	}
	return sum
}

// Unlocks tells how often a link was asked to be unlocked.
func (f *Fake) Unlocks() int { return f.Calls(f.unlockPath) }

// authorized tells whether the request has an accepted key.
func (f *Fake) authorized(r *http.Request) bool {
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && f.accepts(key)
}

func (f *Fake) accepts(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.keys[key]
}

// domains are those of SetHosters.
func (f *Fake) domains() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string{}, f.hosters...)
}

// serves tells whether link lies on one of the hosters.
func (f *Fake) serves(link string) bool { return onDomain(link, f.domains()) }

func onDomain(link string, domains []string) bool {
	for _, d := range domains {
		if strings.Contains(link, "://"+d+"/") || strings.Contains(link, "."+d+"/") {
			return true
		}
	}
	return false
}

func (a Answer) write(w http.ResponseWriter) {
	for name, values := range a.Header {
		w.Header()[name] = values
	}
	if w.Header().Get("Content-Type") == "" && strings.HasPrefix(a.Body, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	_, _ = w.Write([]byte(a.Body))
}

// jsonAnswer is an Answer whose body is v.
func jsonAnswer(status int, v any) Answer {
	body, err := json.Marshal(v)
	if err != nil {
		return Answer{Status: http.StatusInternalServerError, Body: err.Error()}
	}
	return Answer{Status: status, Body: string(body)}
}

// reply writes v as JSON.
func reply(w http.ResponseWriter, status int, v any) { jsonAnswer(status, v).write(w) }
