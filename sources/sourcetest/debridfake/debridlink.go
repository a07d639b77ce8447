package debridfake

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Endpoints of Debrid-Link.
const (
	DebridLinkUnlock  = "/api/v2/downloader/add"
	DebridLinkList    = "/api/v2/downloader/list"
	DebridLinkHosters = "/api/v2/downloader/hosts"
	DebridLinkAccount = "/api/v2/account/infos"
)

// DebridLink is a fake of debrid-link.com.
type DebridLink struct {
	*Fake
	files fileList
	delay delays

	mu      sync.Mutex
	links   []string // by id, from 0
	expired bool
	offline map[string]bool
}

// NewDebridLink makes a Debrid-Link that has streams at the addresses that stream
// gives for links.
func NewDebridLink(stream func(link string) string) *DebridLink {
	d := &DebridLink{Fake: newFake(DebridLinkUnlock, debridLinkRefusal, stream), offline: make(map[string]bool)}
	for pattern, handler := range map[string]http.HandlerFunc{
		"POST " + DebridLinkUnlock: d.add, "GET " + DebridLinkList: d.list, "GET " + DebridLinkAccount: d.account,
	} {
		d.mux.HandleFunc(pattern, d.authorizedOnly(handler))
	}
	d.mux.HandleFunc("GET "+DebridLinkHosters, d.listHosters)
	return d
}

// SetFiles sets what lies behind every link: by default one file with the name of
// the link. With several, the service answers as for a folder. The stream of the
// first file is that of the link, those of the others are behind link + "#" + name.
func (d *DebridLink) SetFiles(files ...File) { d.files.set(files) }

// Delay makes links take so many looks at them.
func (d *DebridLink) Delay(looks int) { d.delay.set(looks) }

// SetExpired makes the service give links that have expired.
func (d *DebridLink) SetExpired(expired bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.expired = expired
}

// SetOffline marks a hoster as one that does not work.
func (d *DebridLink) SetOffline(domain string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.offline[domain] = true
}

func debridLinkRefusal(code string) Answer {
	return jsonAnswer(http.StatusBadRequest, map[string]any{"success": false, "error": code})
}

func (d *DebridLink) authorizedOnly(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !d.authorized(r) {
			reply(w, http.StatusUnauthorized, map[string]any{"success": false, "error": "badToken"})
			return
		}
		next(w, r)
	}
}

func (d *DebridLink) add(w http.ResponseWriter, r *http.Request) {
	link := r.PostFormValue("url")
	if !d.serves(link) {
		debridLinkRefusal("hostNotValid").write(w)
		return
	}
	d.mu.Lock()
	d.links = append(d.links, link)
	id := len(d.links) - 1
	d.mu.Unlock()
	values := d.values(id, link)
	if len(values) == 1 {
		reply(w, http.StatusOK, map[string]any{"success": true, "value": values[0]})
		return
	}
	reply(w, http.StatusOK, map[string]any{"success": true, "value": values})
}

// list gives the files whose ids, such as "link3-0", are asked for.
func (d *DebridLink) list(w http.ResponseWriter, r *http.Request) {
	number, _, _ := strings.Cut(strings.TrimPrefix(r.FormValue("ids"), "link"), "-")
	id, err := strconv.Atoi(number)
	d.mu.Lock()
	known := err == nil && id >= 0 && id < len(d.links)
	link := ""
	if known {
		link = d.links[id]
	}
	d.mu.Unlock()
	values := []map[string]any{}
	if known {
		values = d.values(id, link)
	}
	reply(w, http.StatusOK, map[string]any{"success": true, "value": values})
}

// values are the files behind a link, in the shape of the service.
func (d *DebridLink) values(id int, link string) []map[string]any {
	d.mu.Lock()
	expired := d.expired
	d.mu.Unlock()
	busy := d.delay.busy(link)
	var values []map[string]any
	for i, f := range d.files.of(link) {
		v := map[string]any{
			"id": "link" + strconv.Itoa(id) + "-" + strconv.Itoa(i), "name": f.Name, "url": link, "size": fileSize, "chunk": 4,
			"expired": expired, "isProcessing": busy,
		}
		if !busy {
			v["downloadUrl"] = d.stream(partOf(link, i, f))
		}
		values = append(values, v)
	}
	return values
}

func (d *DebridLink) listHosters(w http.ResponseWriter, _ *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := []any{}
	for _, domain := range d.domains() {
		status := 1
		if d.offline[domain] {
			status = 0
		}
		all = append(all, map[string]any{"name": domain, "type": "host", "status": status, "isFree": true, "domains": []string{domain}, "regexs": []string{"("}})
	}
	reply(w, http.StatusOK, map[string]any{"success": true, "value": all})
}

func (d *DebridLink) account(w http.ResponseWriter, _ *http.Request) {
	kind, left := 1, int(30*24*time.Hour/time.Second)
	if plan, _ := d.premium(); plan != Premium { // it forgets that an account was premium
		kind, left = 0, 0
	}
	reply(w, http.StatusOK, map[string]any{"success": true, "value": map[string]any{
		"email": "sailor@example.org", "username": "sailor", "accountType": kind, "premiumLeft": left, "pts": 12,
	}})
}
