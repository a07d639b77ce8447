package debridfake

import (
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Endpoints of Real-Debrid.
const (
	RealDebridUnlock      = "/rest/1.0/unrestrict/link"
	RealDebridFolder      = "/rest/1.0/unrestrict/folder"
	RealDebridCheck       = "/rest/1.0/unrestrict/check"
	RealDebridHosters     = "/rest/1.0/hosts/domains"
	RealDebridAccount     = "/rest/1.0/user"
	RealDebridDevice      = "/oauth/v2/device/code"
	RealDebridCredentials = "/oauth/v2/device/credentials"
	RealDebridToken       = "/oauth/v2/token"
)

// What a login by code at Real-Debrid shows, and the secrets behind it.
const (
	RealDebridUserCode     = "XSHIP3D"
	RealDebridLoginURL     = "https://real-debrid.example/device"
	RealDebridDeviceCode   = "real-debrid-device-code-77c1"
	RealDebridClientID     = "REALDEBRIDUSERCLIENT"
	RealDebridClientSecret = "real-debrid-client-secret-1f0a"
	RealDebridRefreshToken = "real-debrid-refresh-token-52bd"
)

// realDebridErrors are its names of codes and the statuses that come with them;
// 403 for those that are not here.
var realDebridErrors = map[string]struct {
	status int
	text   string
}{
	"-1": {http.StatusInternalServerError, "internal_error"},
	"1":  {http.StatusBadRequest, "missing_parameter"},
	"2":  {http.StatusBadRequest, "bad_parameter"},
	"3":  {http.StatusNotFound, "unknown_method"},
	"4":  {http.StatusMethodNotAllowed, "wrong_method"},
	"5":  {http.StatusTooManyRequests, "slow_down"},
	"6":  {http.StatusServiceUnavailable, "resource_unreachable"},
	"7":  {http.StatusNotFound, "unknown_ressource"},
	"8":  {http.StatusUnauthorized, "bad_token"},
	"9":  {http.StatusForbidden, "permission_denied"},
	"14": {http.StatusForbidden, "account_locked"},
	"16": {http.StatusServiceUnavailable, "hoster_unsupported"},
	"17": {http.StatusServiceUnavailable, "hoster_in_maintenance"},
	"18": {http.StatusServiceUnavailable, "hoster_limit_reached"},
	"19": {http.StatusServiceUnavailable, "hoster_unavailable"},
	"20": {http.StatusForbidden, "hoster_not_free"},
	"21": {http.StatusForbidden, "too_many_active_downloads"},
	"22": {http.StatusForbidden, "ip_not_allowed"},
	"23": {http.StatusForbidden, "traffic_exhausted"},
	"24": {http.StatusServiceUnavailable, "unavailable_file"},
	"25": {http.StatusServiceUnavailable, "service_unavailable"},
	"34": {http.StatusTooManyRequests, "too_many_requests"},
	"35": {http.StatusUnavailableForLegalReasons, "infringing_file"},
	"36": {http.StatusForbidden, "fair_usage_limit"},
	"37": {http.StatusForbidden, "disabled_endpoint"},
}

// RealDebrid is a fake of api.real-debrid.com.
type RealDebrid struct {
	*Fake

	mu           sync.Mutex
	entered      bool                // the code of the login
	nextKey      string              // of the login and of each renewal
	alternatives bool                // files have no link of their own
	folders      map[string][]string // what folders hold, by their links
	names        map[string]string   // of files, by their links
}

// NewRealDebrid makes a Real-Debrid that has streams at the addresses that stream
// gives for links.
func NewRealDebrid(stream func(link string) string) *RealDebrid {
	r := &RealDebrid{
		Fake: newFake(RealDebridUnlock, realDebridRefusal, stream), folders: make(map[string][]string), names: make(map[string]string),
	}
	for pattern, handler := range map[string]http.HandlerFunc{
		"POST " + RealDebridUnlock: r.unlock, "POST " + RealDebridFolder: r.folder, "GET " + RealDebridHosters: r.listHosters, "GET " + RealDebridAccount: r.account,
	} {
		r.mux.HandleFunc(pattern, func(w http.ResponseWriter, req *http.Request) {
			if !r.authorized(req) {
				realDebridRefusal("8").write(w)
				return
			}
			handler(w, req)
		})
	}
	r.mux.HandleFunc("POST "+RealDebridCheck, r.check)
	r.mux.HandleFunc("GET "+RealDebridDevice, r.device)
	r.mux.HandleFunc("GET "+RealDebridCredentials, r.credentials)
	r.mux.HandleFunc("POST "+RealDebridToken, r.token)
	return r
}

// EnterCode enters the code of the login, which gives key.
func (r *RealDebrid) EnterCode(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entered, r.nextKey = true, key
}

// ExpireKey refuses key from now on, and gives next to whoever renews it.
func (r *RealDebrid) ExpireKey(key, next string) {
	r.RevokeKey(key)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nextKey = next
}

// OnlyAlternatives makes files have no link of their own, only transcoded ones.
func (r *RealDebrid) OnlyAlternatives(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alternatives = on
}

// SetFolder makes link a folder that holds files, each given by its link and, behind
// a space, its name.
func (r *RealDebrid) SetFolder(link string, files ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.folders[link] = []string{}
	for _, f := range files {
		address, name, _ := strings.Cut(f, " ")
		r.folders[link] = append(r.folders[link], address)
		r.names[address] = name
	}
}

func realDebridRefusal(code string) Answer {
	known, ok := realDebridErrors[code]
	if !ok {
		known.status, known.text = http.StatusForbidden, "error_"+code
	}
	n, err := strconv.Atoi(code)
	if err != nil {
		return jsonAnswer(known.status, map[string]any{"error": code})
	}
	return jsonAnswer(known.status, map[string]any{"error": known.text, "error_code": n})
}

func (r *RealDebrid) unlock(w http.ResponseWriter, req *http.Request) {
	link := req.PostFormValue("link")
	switch {
	case link == "":
		realDebridRefusal("1").write(w)
		return
	case !r.serves(link):
		realDebridRefusal("16").write(w)
		return
	}
	r.mu.Lock()
	only := r.alternatives
	_, isFolder := r.folders[link]
	r.mu.Unlock()
	if isFolder {
		realDebridRefusal("16").write(w)
		return
	}
	stream := r.stream(link)
	file := map[string]any{
		"id": "FAKE", "filename": path.Base(link), "mimeType": "video/x-matroska", "filesize": 0, "link": link,
		"host": hostOf(link), "chunks": 16, "crc": 1, "download": stream, "streamable": 1,
	}
	if only {
		file["download"] = ""
		file["alternative"] = []map[string]any{
			{"id": "FAKE1", "filename": path.Base(link), "download": stream + "#low", "mimeType": "video/mp4", "quality": "480p"},
			{"id": "FAKE2", "filename": path.Base(link), "download": stream, "mimeType": "video/mp4", "quality": "1080p60"},
		}
	}
	reply(w, http.StatusOK, file)
}

// folder gives the links in a folder, none where link is no folder.
func (r *RealDebrid) folder(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	links := append([]string{}, r.folders[req.PostFormValue("link")]...)
	r.mu.Unlock()
	reply(w, http.StatusOK, links)
}

// check needs no key.
func (r *RealDebrid) check(w http.ResponseWriter, req *http.Request) {
	link := req.PostFormValue("link")
	r.mu.Lock()
	name, known := r.names[link]
	r.mu.Unlock()
	if !known {
		realDebridRefusal("24").write(w)
		return
	}
	reply(w, http.StatusOK, map[string]any{"host": hostOf(link), "link": link, "filename": name, "filesize": fileSize, "supported": 1})
}

func (r *RealDebrid) listHosters(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, r.domains())
}

func (r *RealDebrid) account(w http.ResponseWriter, _ *http.Request) {
	kind, seconds := "premium", 7_776_000
	plan, until := r.premium()
	if plan != Premium {
		kind, seconds = "free", 0
	}
	reply(w, http.StatusOK, map[string]any{
		"id": 42, "username": "xshipper", "email": "xs*****@example.org", "points": 1830, "locale": "en",
		"type": kind, "premium": seconds, "expiration": until.Format(time.RFC3339),
	})
}

func (r *RealDebrid) device(w http.ResponseWriter, req *http.Request) {
	if req.FormValue("client_id") == "" || req.FormValue("new_credentials") != "yes" {
		realDebridRefusal("1").write(w)
		return
	}
	reply(w, http.StatusOK, map[string]any{
		"device_code": RealDebridDeviceCode, "user_code": RealDebridUserCode, "interval": 5, "expires_in": 1800,
		"verification_url": RealDebridLoginURL, "direct_verification_url": RealDebridLoginURL + "?code=" + RealDebridUserCode,
	})
}

func (r *RealDebrid) credentials(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	entered := r.entered
	r.mu.Unlock()
	if req.FormValue("code") != RealDebridDeviceCode || !entered {
		reply(w, http.StatusForbidden, map[string]any{"error": nil, "error_code": nil})
		return
	}
	reply(w, http.StatusOK, map[string]any{"client_id": RealDebridClientID, "client_secret": RealDebridClientSecret})
}

// token gives the next key, for the code of the device and for the refresh token
// alike.
func (r *RealDebrid) token(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	key := r.nextKey
	r.mu.Unlock()
	code := req.PostFormValue("code")
	if req.PostFormValue("client_id") != RealDebridClientID || req.PostFormValue("client_secret") != RealDebridClientSecret ||
		code != RealDebridDeviceCode && code != RealDebridRefreshToken || key == "" {
		reply(w, http.StatusForbidden, map[string]any{"error": "invalid_grant", "error_code": 9})
		return
	}
	r.AcceptKey(key)
	reply(w, http.StatusOK, map[string]any{
		"access_token": key, "expires_in": 86_400, "token_type": "Bearer", "refresh_token": RealDebridRefreshToken,
	})
}

// Refresh is what renews a key of the fake, in the form that an account holds.
func (r *RealDebrid) Refresh() string {
	return fmt.Sprintf(`{"client_id":%q,"client_secret":%q,"refresh_token":%q}`, RealDebridClientID, RealDebridClientSecret, RealDebridRefreshToken)
}

func hostOf(link string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
