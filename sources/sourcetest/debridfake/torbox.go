package debridfake

import (
	"crypto/md5" //nolint:gosec // TorBox names links so
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Endpoints of TorBox.
const (
	TorBoxUnlock      = "/v1/api/webdl/createwebdownload"
	TorBoxList        = "/v1/api/webdl/mylist"
	TorBoxLink        = "/v1/api/webdl/requestdl"
	TorBoxHosters     = "/v1/api/webdl/hosters"
	TorBoxAccount     = "/v1/api/user/me"
	TorBoxDeviceStart = "/v1/api/user/auth/device/start"
	TorBoxDeviceToken = "/v1/api/user/auth/device/token"
)

// What a login by code at TorBox shows, and the code of the device behind it.
const (
	TorBoxUserCode   = "XSHIP7"
	TorBoxLoginURL   = "https://torbox.example/device"
	TorBoxDeviceCode = "torbox-device-code-5f1e"
)

// TorBox is a fake of api.torbox.app. It keeps what it downloaded: a link that
// comes again is a duplicate.
type TorBox struct {
	*Fake
	files fileList
	delay delays

	mu       sync.Mutex
	links    []string // by id, from 1
	failing  string   // state of downloads
	entered  string   // key for whoever logs in
	overused map[string]bool
	offline  map[string]bool
}

// NewTorBox makes a TorBox that has streams at the addresses that stream gives for
// links.
func NewTorBox(stream func(link string) string) *TorBox {
	t := &TorBox{Fake: newFake(TorBoxUnlock, torBoxRefusal, stream), overused: make(map[string]bool), offline: make(map[string]bool)}
	for pattern, handler := range map[string]http.HandlerFunc{
		"POST " + TorBoxUnlock: t.create, "GET " + TorBoxList: t.list, "GET " + TorBoxHosters: t.listHosters, "GET " + TorBoxAccount: t.account,
	} {
		t.mux.HandleFunc(pattern, t.authorizedOnly(handler))
	}
	t.mux.HandleFunc("GET "+TorBoxLink, t.download)
	t.mux.HandleFunc("GET "+TorBoxDeviceStart, t.start)
	t.mux.HandleFunc("POST "+TorBoxDeviceToken, t.token)
	return t
}

// SetFiles sets what every download consists of: by default one file with the name
// of the link. Their ids count from 0. The stream of the first file is that of the
// link, those of the others are behind link + "#" + name.
func (t *TorBox) SetFiles(files ...File) { t.files.set(files) }

// Delay makes downloads take so many looks at them.
func (t *TorBox) Delay(looks int) { t.delay.set(looks) }

// FailDownloads gives downloads a state such as "failed"; "" = they work.
func (t *TorBox) FailDownloads(state string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failing = state
}

// SetOffline marks a hoster as one that does not work.
func (t *TorBox) SetOffline(domain string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.offline[domain] = true
}

// SetOverused marks a hoster as one whose links of the day are used up.
func (t *TorBox) SetOverused(domain string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.overused[domain] = true
}

// EnterCode is the user who enters the code: whoever logs in gets key, which is
// accepted from now on.
func (t *TorBox) EnterCode(key string) {
	t.AcceptKey(key)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.entered = key
}

func torBoxRefusal(code string) Answer { return torBoxAnswer(http.StatusBadRequest, code, nil) }

func torBoxAnswer(status int, code string, data any) Answer {
	if code == "" {
		return jsonAnswer(status, map[string]any{"success": true, "error": nil, "detail": "Done.", "data": data})
	}
	return jsonAnswer(status, map[string]any{"success": false, "error": code, "detail": "It cannot do that now.", "data": data})
}

func (t *TorBox) authorizedOnly(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !t.authorized(r) {
			torBoxAnswer(http.StatusForbidden, "BAD_TOKEN", nil).write(w)
			return
		}
		next(w, r)
	}
}

func (t *TorBox) create(w http.ResponseWriter, r *http.Request) {
	link := r.PostFormValue("link")
	if !t.serves(link) {
		torBoxAnswer(http.StatusBadRequest, "UNSUPPORTED_SITE", nil).write(w)
		return
	}
	id, isNew := t.add(link)
	if !isNew {
		torBoxAnswer(http.StatusBadRequest, "DUPLICATE_ITEM", nil).write(w)
		return
	}
	torBoxAnswer(http.StatusOK, "", map[string]any{"webdownload_id": id, "hash": torBoxHash(link), "auth_id": "a"}).write(w)
}

// add gives the id of the download of link.
func (t *TorBox) add(link string) (id int, isNew bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, l := range t.links {
		if l == link {
			return i + 1, false
		}
	}
	t.links = append(t.links, link)
	return len(t.links), true
}

// link is that of a download, "" = there is none of this id.
func (t *TorBox) link(id string) string {
	n, err := strconv.Atoi(id)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err != nil || n < 1 || n > len(t.links) {
		return ""
	}
	return t.links[n-1]
}

func (t *TorBox) list(w http.ResponseWriter, r *http.Request) {
	id := r.FormValue("id")
	if id == "" {
		t.mu.Lock()
		links := append([]string(nil), t.links...)
		t.mu.Unlock()
		all := []any{}
		for i, link := range links {
			all = append(all, t.item(i+1, link, true))
		}
		torBoxAnswer(http.StatusOK, "", all).write(w)
		return
	}
	link := t.link(id)
	if link == "" {
		torBoxAnswer(http.StatusNotFound, "ITEM_NOT_FOUND", nil).write(w)
		return
	}
	n, _ := strconv.Atoi(id) // there is one of this id
	torBoxAnswer(http.StatusOK, "", t.item(n, link, !t.delay.busy(link))).write(w)
}

func (t *TorBox) item(id int, link string, present bool) map[string]any {
	t.mu.Lock()
	state := t.failing
	t.mu.Unlock()
	files := []any{}
	if state != "" {
		present = false
	} else if present {
		state = "completed"
	} else {
		state = "downloading"
	}
	if present {
		for i, f := range t.files.of(link) {
			files = append(files, map[string]any{"id": i, "name": f.Name, "short_name": f.Name, "size": fileSize, "mimetype": f.MIME})
		}
	}
	return map[string]any{
		"id": id, "hash": torBoxHash(link), "original_url": link, "download_state": state, "download_present": present,
		"download_finished": present, "progress": 0.5, "error": nil, "files": files,
	}
}

// download takes the key from the query, as TorBox does.
func (t *TorBox) download(w http.ResponseWriter, r *http.Request) {
	link := t.link(r.FormValue("web_id"))
	n, err := strconv.Atoi(r.FormValue("file_id"))
	files := t.files.of(link)
	switch {
	case !t.accepts(r.FormValue("token")):
		torBoxAnswer(http.StatusForbidden, "BAD_TOKEN", nil).write(w)
	case link == "" || err != nil || n < 0 || n >= len(files):
		torBoxAnswer(http.StatusNotFound, "ITEM_NOT_FOUND", nil).write(w)
	default:
		torBoxAnswer(http.StatusOK, "", t.stream(partOf(link, n, files[n]))).write(w)
	}
}

func (t *TorBox) listHosters(w http.ResponseWriter, _ *http.Request) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := []any{}
	for _, d := range t.domains() {
		used := 3
		if t.overused[d] {
			used = 50
		}
		all = append(all, map[string]any{
			"name": d, "domains": []string{d}, "url": "https://" + d, "status": !t.offline[d], "type": "hoster", "note": nil,
			"daily_link_limit": 50, "daily_link_used": used,
		})
	}
	torBoxAnswer(http.StatusOK, "", all).write(w)
}

func (t *TorBox) account(w http.ResponseWriter, _ *http.Request) {
	tier, expires := 2, any(nil)
	plan, until := t.premium()
	if plan == Free {
		tier = 0
	} else {
		expires = until.Format(time.RFC3339)
	}
	torBoxAnswer(http.StatusOK, "", map[string]any{
		"id": 7, "email": "sailor@example.org", "plan": tier, "is_subscribed": plan == Premium, "premium_expires_at": expires,
	}).write(w)
}

func (t *TorBox) start(w http.ResponseWriter, _ *http.Request) {
	torBoxAnswer(http.StatusOK, "", map[string]any{
		"device_code": TorBoxDeviceCode, "code": TorBoxUserCode, "verification_url": TorBoxLoginURL,
		"friendly_verification_url": TorBoxLoginURL, "interval": 5, "expires_at": premiumUntil.Format(time.RFC3339),
	}).write(w)
}

func (t *TorBox) token(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		DeviceCode string `json:"device_code"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || asked.DeviceCode != TorBoxDeviceCode {
		torBoxAnswer(http.StatusBadRequest, "INVALID_DEVICE", nil).write(w)
		return
	}
	t.mu.Lock()
	key := t.entered
	t.mu.Unlock()
	if key == "" {
		torBoxAnswer(http.StatusBadRequest, "DEVICE_CODE_NOT_USED", nil).write(w)
		return
	}
	torBoxAnswer(http.StatusOK, "", map[string]any{"access_token": key}).write(w)
}

func torBoxHash(link string) string {
	sum := md5.Sum([]byte(link)) //nolint:gosec // see the import
	return hex.EncodeToString(sum[:])
}
