package debridfake

import (
	"net/http"
	"path"
	"strconv"
	"sync"
)

// Endpoints of AllDebrid.
const (
	AllDebridUnlock    = "/v4/link/unlock"
	AllDebridStreaming = "/v4/link/streaming"
	AllDebridDelayed   = "/v4/link/delayed"
	AllDebridHosters   = "/v4.1/user/hosts"
	AllDebridSites     = "/v4/hosts"
	AllDebridAccount   = "/v4/user"
	AllDebridPIN       = "/v4.1/pin/get"
	AllDebridPINCheck  = "/v4/pin/check"
)

// What a login by code at AllDebrid shows, and the secret behind it.
const (
	AllDebridUserCode = "XS4P"
	AllDebridLoginURL = "https://alldebrid.example/pin/"
	AllDebridCheck    = "all-debrid-pin-check-9a0c"
)

// AllDebrid is a fake of api.alldebrid.com.
type AllDebrid struct {
	*Fake
	delay delays

	mu       sync.Mutex
	sites    []string // with a choice of streams
	choice   bool
	delayed  bool
	failing  bool
	promised []string // links, by id from 1
	entered  string   // key for whoever logs in
}

// NewAllDebrid makes an AllDebrid that has streams at the addresses that stream
// gives for links.
func NewAllDebrid(stream func(link string) string) *AllDebrid {
	a := &AllDebrid{Fake: newFake(AllDebridUnlock, allDebridRefusal, stream)}
	for pattern, handler := range map[string]http.HandlerFunc{
		"POST " + AllDebridUnlock: a.unlock, "POST " + AllDebridStreaming: a.streaming, "POST " + AllDebridDelayed: a.later,
		"GET " + AllDebridHosters: a.listHosters, "GET " + AllDebridAccount: a.account,
	} {
		a.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Header.Get("Authorization") == "":
				allDebridRefusal("AUTH_MISSING_APIKEY").write(w)
			case !a.authorized(r):
				allDebridRefusal("AUTH_BAD_APIKEY").write(w)
			default:
				handler(w, r)
			}
		})
	}
	a.mux.HandleFunc("GET "+AllDebridSites, a.listSites)
	a.mux.HandleFunc("GET "+AllDebridPIN, a.pin)
	a.mux.HandleFunc("POST "+AllDebridPINCheck, a.pinCheck)
	return a
}

// OfferStreams makes unlocking give a choice of streams first. The best one has the
// stream of the link, the others those of link + "#" + id.
func (a *AllDebrid) OfferStreams(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.choice = on
}

// SetSites sets the domains that have a choice of streams. Their links are unlocked
// as those of SetHosters are.
func (a *AllDebrid) SetSites(domains ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sites = append([]string(nil), domains...)
}

// Delay makes links be promised: their streams are ready after so many questions.
func (a *AllDebrid) Delay(questions int) {
	a.delay.set(questions)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.delayed = true
}

// FailDelayed makes promises end in failure.
func (a *AllDebrid) FailDelayed(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.failing = on
}

// EnterCode enters the code of the login, which gives key.
func (a *AllDebrid) EnterCode(key string) {
	a.AcceptKey(key)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.entered = key
}

// allDebridRefusal has the status 200, as all its refusals since 14 November 2023.
func allDebridRefusal(code string) Answer {
	return jsonAnswer(http.StatusOK, map[string]any{
		"status": "error", "error": map[string]any{"code": code, "message": "The fake says <b>" + code + "</b>"},
	})
}

// success writes data in its envelope.
func success(w http.ResponseWriter, data any) {
	reply(w, http.StatusOK, map[string]any{"status": "success", "data": data})
}

func (a *AllDebrid) sitesNow() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.sites...)
}

func (a *AllDebrid) unlock(w http.ResponseWriter, r *http.Request) {
	link := r.PostFormValue("link")
	switch {
	case link == "":
		allDebridRefusal("LINK_IS_MISSING").write(w)
		return
	case !a.serves(link) && !onDomain(link, a.sitesNow()):
		allDebridRefusal("LINK_HOST_NOT_SUPPORTED").write(w)
		return
	}
	a.mu.Lock()
	choice := a.choice
	a.mu.Unlock()
	file := a.file(link, link)
	if choice {
		id := a.promise(link)
		file = map[string]any{
			"link": "", "host": hostOf(link), "filename": path.Base(link), "filesize": 0, "id": strconv.Itoa(id),
			"streams": []map[string]any{
				{"id": "audio", "ext": "mp3", "quality": "320", "filesize": 1_000, "name": "Audio"},
				{"id": "low", "ext": "mp4", "quality": 480, "filesize": 2_000, "name": "480p"},
				{"id": "best", "ext": "mp4", "quality": "1080p", "filesize": 9_000, "name": "1080p"},
				{"id": "small", "ext": "webm", "quality": 1080, "filesize": 3_000, "name": "1080p"},
			},
		}
	}
	success(w, file)
}

// file is the answer that gives the stream named by stream, or promises it.
func (a *AllDebrid) file(link, stream string) map[string]any {
	a.mu.Lock()
	delayed := a.delayed
	a.mu.Unlock()
	file := map[string]any{
		"host": hostOf(link), "hostDomain": hostOf(link), "filename": path.Base(link), "filesize": fileSize, "id": "fake", "paws": false,
	}
	if delayed {
		file["link"], file["delayed"] = "", a.promise(stream)
		return file
	}
	file["link"] = a.stream(stream)
	return file
}

func (a *AllDebrid) streaming(w http.ResponseWriter, r *http.Request) {
	link, ok := a.promisedBy(r.PostFormValue("id"))
	stream := r.PostFormValue("stream")
	switch {
	case !ok:
		allDebridRefusal("STREAM_INVALID_GEN_ID").write(w)
	case stream == "":
		allDebridRefusal("STREAM_INVALID_STREAM_ID").write(w)
	case stream == "best":
		success(w, a.file(link, link))
	default:
		success(w, a.file(link, link+"#"+stream))
	}
}

func (a *AllDebrid) later(w http.ResponseWriter, r *http.Request) {
	id := r.PostFormValue("id")
	link, ok := a.promisedBy(id)
	a.mu.Lock()
	failing := a.failing
	a.mu.Unlock()
	switch {
	case !ok:
		allDebridRefusal("DELAYED_INVALID_ID").write(w)
	case failing:
		success(w, map[string]any{"status": 3, "time_left": 0})
	case a.delay.busy(id):
		success(w, map[string]any{"status": 1, "time_left": 5})
	default:
		success(w, map[string]any{"status": 2, "time_left": 0, "link": a.stream(link)})
	}
}

// promise keeps link for later, and gives its id.
func (a *AllDebrid) promise(link string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.promised = append(a.promised, link)
	return len(a.promised)
}

func (a *AllDebrid) promisedBy(id string) (link string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, err := strconv.Atoi(id)
	if err != nil || n < 1 || n > len(a.promised) {
		return "", false
	}
	return a.promised[n-1], true
}

func (a *AllDebrid) listHosters(w http.ResponseWriter, _ *http.Request) {
	success(w, map[string]any{"hosts": allDebridServices("premium", a.domains())})
}

// listSites needs no key.
func (a *AllDebrid) listSites(w http.ResponseWriter, _ *http.Request) {
	sites := a.sitesNow()
	var streams any = []any{} // for no object
	if len(sites) > 0 {
		streams = allDebridServices("free", sites)
	}
	success(w, map[string]any{"hosts": allDebridServices("premium", a.domains()), "streams": streams, "redirectors": []any{}})
}

func allDebridServices(kind string, domains []string) map[string]any {
	all := make(map[string]any)
	for _, d := range domains {
		all[d] = map[string]any{"name": d, "type": kind, "domains": []string{d}, "regexp": "(" + d + "/[a-z0-9]+)", "status": true}
	}
	return all
}

func (a *AllDebrid) account(w http.ResponseWriter, _ *http.Request) {
	plan, until := a.premium()
	seconds := until.Unix()
	if plan != Premium { // it forgets that an account was premium
		seconds = 0
	}
	success(w, map[string]any{"user": map[string]any{
		"username": "xshipper", "email": "xshipper@example.org", "isPremium": plan == Premium, "isSubscribed": false, "isTrial": false,
		"premiumUntil": seconds, "lang": "en", "fidelityPoints": 1830, "limitedHostersQuotas": map[string]any{},
	}})
}

func (a *AllDebrid) pin(w http.ResponseWriter, _ *http.Request) {
	success(w, map[string]any{
		"pin": AllDebridUserCode, "check": AllDebridCheck, "expires_in": 600,
		"base_url": AllDebridLoginURL, "user_url": AllDebridLoginURL + "?pin=" + AllDebridUserCode,
	})
}

func (a *AllDebrid) pinCheck(w http.ResponseWriter, r *http.Request) {
	a.mu.Lock()
	key := a.entered
	a.mu.Unlock()
	switch {
	case r.PostFormValue("check") != AllDebridCheck || r.PostFormValue("pin") != AllDebridUserCode:
		allDebridRefusal("PIN_INVALID").write(w)
	case key == "":
		success(w, map[string]any{"activated": false, "expires_in": 590})
	default:
		success(w, map[string]any{"activated": true, "expires_in": 590, "apikey": key})
	}
}
