package debridfake

import (
	"net/http"
	"path"
)

// Endpoints of Premiumize.
const (
	PremiumizeUnlock  = "/api/transfer/directdl"
	PremiumizeHosters = "/api/services/list"
	PremiumizeAccount = "/api/account/info"
)

// File is one of the files behind a link.
type File struct {
	Name string
	MIME string // where the service tells it
}

// Premiumize is a fake of www.premiumize.me/api.
type Premiumize struct {
	*Fake
	files fileList
	delay delays
}

// NewPremiumize makes a Premiumize that has streams at the addresses that stream
// gives for links.
func NewPremiumize(stream func(link string) string) *Premiumize {
	p := &Premiumize{Fake: newFake(PremiumizeUnlock, premiumizeRefusal, stream)}
	p.mux.HandleFunc("POST "+PremiumizeUnlock, p.unlock)
	p.mux.HandleFunc("GET "+PremiumizeHosters, p.list)
	p.mux.HandleFunc("GET "+PremiumizeAccount, p.account)
	return p
}

// SetFiles sets what lies behind every link: by default one file with the name of
// the link. The stream of the first file is that of the link, those of the others
// are behind link + "#" + name.
func (p *Premiumize) SetFiles(files ...File) { p.files.set(files) }

// Delay makes the service busy with a link for the next calls.
func (p *Premiumize) Delay(calls int) { p.delay.set(calls) }

func premiumizeRefusal(code string) Answer {
	return jsonAnswer(http.StatusOK, map[string]any{"status": "error", "message": "it cannot do that now", "code": code})
}

func premiumizeMessage(message string) map[string]any {
	return map[string]any{"status": "error", "message": message}
}

func (p *Premiumize) unlock(w http.ResponseWriter, r *http.Request) {
	link := r.PostFormValue("src")
	switch {
	case !p.authorized(r):
		reply(w, http.StatusOK, premiumizeMessage("Not logged in."))
		return
	case !p.serves(link):
		reply(w, http.StatusOK, premiumizeMessage("Unsupported link for direct download."))
		return
	case p.delay.busy(link):
		reply(w, http.StatusOK, map[string]any{"status": "running"})
		return
	}
	content := []map[string]any{}
	for i, f := range p.files.of(link) {
		content = append(content, map[string]any{
			"path": f.Name, "size": fileSize, "link": p.stream(partOf(link, i, f)), "stream_link": nil, "transcode_status": "not_applicable",
		})
	}
	reply(w, http.StatusOK, map[string]any{
		"status": "success", "location": content[0]["link"], "filename": path.Base(link), "filesize": fileSize, "content": content,
	})
}

func (p *Premiumize) list(w http.ResponseWriter, _ *http.Request) {
	names := p.domains()
	aliases := make(map[string][]string)
	for _, d := range names {
		aliases[d] = []string{"alias-" + d}
	}
	reply(w, http.StatusOK, map[string]any{
		"directdl": append(names, "oldhost"), "cache": append(p.domains(), "cacheonly.example"), "aliases": aliases,
		"regexpatterns": map[string][]string{"oldhost": {"("}},
	})
}

func (p *Premiumize) account(w http.ResponseWriter, r *http.Request) {
	if !p.authorized(r) {
		reply(w, http.StatusOK, premiumizeMessage("Not logged in."))
		return
	}
	var seconds any // null for one that never was premium
	if plan, until := p.premium(); plan != Free {
		seconds = until.Unix()
	}
	reply(w, http.StatusOK, map[string]any{
		"status": "success", "customer_id": 123456789, "premium_until": seconds, "limit_used": 0.25, "space_used": 0,
	})
}
