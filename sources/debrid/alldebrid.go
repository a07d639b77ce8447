package debrid

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"xship/sources"
)

// allDebrid is AllDebrid, https://docs.alldebrid.com.
type allDebrid struct{}

const (
	allDebridLife = 24 * time.Hour // it wants links reused for a day
	// A file that it has to fetch first may be asked for every 5 s at most.
	allDebridPoll    = 5 * time.Second
	allDebridMaxPoll = 15 * time.Second
)

// Where the codes of AllDebrid come from.
const (
	allDebridDocs   = "docs.alldebrid.com"
	allDebridOthers = "StremThru"
)

// allDebridCodes judges error.code.
var allDebridCodes = map[string]verdict{
	"GENERIC":                    {ofLink, alone, nil, allDebridDocs},
	"MAINTENANCE":                {ofAccount, outage, nil, allDebridDocs},
	"404":                        {ofLink, bug, nil, allDebridDocs},
	"DEPRECATED_ENDPOINT":        {ofLink, bug, nil, allDebridDocs},
	"AUTH_MISSING_APIKEY":        {ofAccount, auth, nil, allDebridDocs},
	"AUTH_BAD_APIKEY":            {ofAccount, auth, nil, allDebridDocs},
	"AUTH_BLOCKED":               {ofAccount, barred, nil, allDebridDocs},
	"AUTH_USER_BANNED":           {ofAccount, auth, nil, allDebridDocs},
	"NO_SERVER":                  {ofAccount, barred, nil, allDebridDocs},
	"MUST_BE_PREMIUM":            {ofLink, item, nil, allDebridDocs + ": to process this link"},
	"FREE_TRIAL_LIMIT_REACHED":   {ofAccountHoster, rest, nextDay, allDebridDocs + ": or the host is none of the trial's"},
	"LINK_HOST_NOT_SUPPORTED":    {ofLink, item, nil, allDebridDocs + ": this link is not supported"},
	"LINK_HOST_UNAVAILABLE":      {ofHoster, rest, nil, allDebridDocs},
	"LINK_HOST_FULL":             {ofHoster, rest, nil, allDebridDocs},
	"LINK_TOO_MANY_DOWNLOADS":    {ofAccountHoster, rest, in(slotRest), allDebridDocs + ": limitSimuDl of a host, for the user"},
	"LINK_HOST_LIMIT_REACHED":    {ofAccountHoster, rest, nextDay, allDebridDocs},
	"LINK_DOWN":                  {ofLink, dead, nil, allDebridDocs},
	"BAD_LINK":                   {ofLink, item, nil, allDebridOthers},
	"LINK_PASS_PROTECTED":        {ofLink, item, nil, allDebridDocs},
	"LINK_NOT_SUPPORTED":         {ofLink, item, nil, allDebridDocs},
	"LINK_TEMPORARY_UNAVAILABLE": {ofLink, retry, nil, allDebridDocs},
	"LINK_ERROR":                 {ofLink, retry, nil, allDebridDocs},
	"LINK_IS_MISSING":            {ofLink, bug, nil, allDebridDocs},
	"DELAYED_INVALID_ID":         {ofLink, retry, nil, allDebridDocs},
	"STREAM_INVALID_GEN_ID":      {ofLink, retry, nil, allDebridDocs}, // the choice of streams is not kept for long
	"STREAM_INVALID_STREAM_ID":   {ofLink, retry, nil, allDebridDocs},
	"REDIRECTOR_NOT_SUPPORTED":   {ofLink, item, nil, allDebridOthers},
	"REDIRECTOR_ERROR":           {ofLink, retry, nil, allDebridDocs},
	"DOWNLOAD_FAILED":            {ofLink, retry, nil, allDebridOthers},
	"PIN_ALREADY_AUTHED":         {ofAccount, auth, nil, allDebridDocs},
	"PIN_EXPIRED":                {ofAccount, auth, nil, allDebridDocs},
	"PIN_INVALID":                {ofAccount, auth, nil, allDebridDocs},
}

func (allDebrid) name() string { return "all_debrid" }

func (allDebrid) base() string { return "https://api.alldebrid.com/v4" }

func (allDebrid) timeout() time.Duration { return usualTimeout }

func (allDebrid) limits() []limit {
	return []limit{{calls: 12, per: time.Second}, {calls: 600, per: time.Minute}}
}

// allDebridFile is what it gives for a link: the stream itself, a choice of
// streams, or the promise of one.
type allDebridFile struct {
	Link    string                     `json:"link"`
	ID      looseText                  `json:"id"` // of the choice
	Streams looseList[allDebridStream] `json:"streams"`
	Delayed looseText                  `json:"delayed"` // id of the promise
}

type allDebridStream struct {
	ID       looseText   `json:"id"`
	Ext      string      `json:"ext"`
	Quality  looseText   `json:"quality"` // a number or words
	FileSize looseNumber `json:"filesize"`
}

func (s allDebrid) unlock(ctx context.Context, c *client, a sources.Account, link string) (sources.Stream, error) {
	what := "unlocking " + linkOf(link)
	var file allDebridFile
	got, err := s.ask(ctx, c, a, request{
		what: what, path: "/v4/link/unlock", form: url.Values{"link": {link}}, secrets: []string{link},
	}, &file)
	if err != nil {
		return sources.Stream{}, err
	}
	if choice := file.best(); file.Link == "" && choice != "" {
		id := string(file.ID)
		file = allDebridFile{}
		got, err = s.ask(ctx, c, a, request{
			what: what, path: "/v4/link/streaming", form: url.Values{"id": {id}, "stream": {choice}}, secrets: []string{link},
		}, &file)
		if err != nil {
			return sources.Stream{}, err
		}
	}
	if file.Link == "" && file.Delayed != "" && file.Delayed != "0" {
		got, file.Link, err = s.delayed(ctx, c, a, what, link, string(file.Delayed))
		if err != nil {
			return sources.Stream{}, err
		}
	}
	return c.stream(got, file.Link, "", allDebridLife)
}

// delayed waits for a stream that was promised.
func (s allDebrid) delayed(ctx context.Context, c *client, a sources.Account, what, link, id string) (*answer, string, error) {
	const ready, failed = 2, 3
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for wait := allDebridPoll; ; wait = min(wait*3/2, allDebridMaxPoll) {
		if err := c.pause(ctx, wait, what); err != nil {
			return nil, "", err
		}
		var v struct {
			Status looseNumber `json:"status"`
			Link   string      `json:"link"`
		}
		got, err := s.ask(ctx, c, a, request{what: what, path: "/v4/link/delayed", form: url.Values{"id": {id}}, secrets: []string{link}}, &v)
		switch {
		case err != nil:
			return nil, "", err
		case v.Status == ready:
			return got, v.Link, nil
		case v.Status == failed:
			return nil, "", c.failure(verdict{}, got, "", "the service could not prepare it")
		}
	}
}

// best is the id of the stream with the highest picture, the bigger one of two; ""
// where there is none to choose.
func (f *allDebridFile) best() string {
	var best allDebridStream
	height := -1
	for _, s := range f.Streams {
		if s.ID == "" || isAudio(s.Ext) {
			continue
		}
		h := pictureHeight(string(s.Quality))
		if h > height || h == height && s.FileSize > best.FileSize {
			best, height = s, h
		}
	}
	return string(best.ID)
}

// pictureHeight is the height that a quality names, as in "1080p60", 1080, "4K" and
// "1920x1080"; 0 for other words.
func pictureHeight(quality string) int {
	q := strings.ToLower(strings.TrimSpace(quality))
	if _, height, ok := strings.Cut(q, "x"); ok && q[0] >= '0' && q[0] <= '9' {
		q = height
	}
	digits := strings.IndexFunc(q+".", func(r rune) bool { return r < '0' || r > '9' })
	n, err := strconv.Atoi(q[:digits])
	if err == nil && strings.HasPrefix(q[digits:], "k") {
		n *= 540 // 2160 lines are called 4K
	}
	return n
}

func isAudio(ext string) bool {
	switch strings.ToLower(strings.TrimPrefix(ext, ".")) {
	case "mp3", "m4a", "aac", "ogg", "opus", "flac", "wav":
		return true
	}
	return false
}

// hosters are those that the account may use, and the sites with a choice of
// streams, which stand in the public list.
func (s allDebrid) hosters(ctx context.Context, c *client, a sources.Account) ([]string, error) {
	// Where there are none, a list stands in place of the object.
	var files, sites struct {
		Hosts   json.RawMessage `json:"hosts"`
		Streams json.RawMessage `json:"streams"`
	}
	if _, err := s.ask(ctx, c, a, request{what: "asking for its hosters", path: "/v4.1/user/hosts"}, &files); err != nil {
		return nil, err
	}
	if _, err := s.ask(ctx, c, a, request{what: "asking for its stream sites", path: "/v4/hosts", public: true}, &sites); err != nil {
		return nil, err
	}
	return append(allDebridDomains(files.Hosts), allDebridDomains(sites.Streams)...), nil
}

// allDebridDomains are those of the hosts that can be read. One that is down now
// stays: the list is used for hours.
func allDebridDomains(raw json.RawMessage) []string {
	var hosts map[string]json.RawMessage
	if json.Unmarshal(raw, &hosts) != nil {
		return nil
	}
	var domains []string
	for _, raw := range hosts {
		var host struct {
			Domains looseList[looseText] `json:"domains"`
		}
		if json.Unmarshal(raw, &host) == nil {
			domains = append(domains, domainsOf(host.Domains)...)
		}
	}
	return domains
}

func (s allDebrid) check(ctx context.Context, c *client, a sources.Account) (AccountInfo, error) {
	var v struct {
		User struct {
			Username       looseText   `json:"username"`
			IsPremium      looseBool   `json:"isPremium"`
			IsTrial        looseBool   `json:"isTrial"`
			PremiumUntil   looseNumber `json:"premiumUntil"`
			FidelityPoints looseText   `json:"fidelityPoints"`
		} `json:"user"`
	}
	if _, err := s.ask(ctx, c, a, request{what: "checking the account", path: "/v4/user"}, &v); err != nil {
		return AccountInfo{}, err
	}
	info := AccountInfo{Login: mask(string(v.User.Username)), Plan: "free", Premium: bool(v.User.IsPremium), PremiumUntil: unixTime(v.User.PremiumUntil)}
	switch {
	case bool(v.User.IsTrial):
		info.Plan = PlanTrial
	case info.Premium:
		info.Plan = "premium"
	}
	if v.User.FidelityPoints != "" {
		info.Notes = append(info.Notes, fidelity(v.User.FidelityPoints))
	}
	return info, nil
}

// ask makes a request and reads the data of its answer into v. Whether it says no
// is told by the body, whatever the status.
func (s allDebrid) ask(ctx context.Context, c *client, a sources.Account, r request, v any) (*answer, error) {
	got, err := c.call(ctx, a, r)
	if err != nil {
		return nil, err
	}
	var body struct {
		Status string          `json:"status"`
		Data   json.RawMessage `json:"data"`
		Error  struct {
			Code    looseText `json:"code"`
			Message looseText `json:"message"`
		} `json:"error"`
	}
	understood := got.decode(&body)
	code, message := string(body.Error.Code), string(body.Error.Message)
	switch {
	case got.status == http.StatusServiceUnavailable && code == "": // also its word for too many requests
		return nil, c.failure(verdict{scope: ofAccount, effect: cool}, got, "", message)
	case !understood || body.Status != "success" && body.Status != "error" && code == "":
		return nil, c.unreadable(got)
	case body.Status != "success":
		return nil, c.refused(allDebridCodes, got, code, message)
	case json.Unmarshal(body.Data, v) != nil:
		return nil, c.unreadable(got)
	}
	return got, nil
}

func (s allDebrid) start(ctx context.Context, c *client, a sources.Account) (Device, error) {
	var v struct {
		PIN       looseText   `json:"pin"`
		Check     looseText   `json:"check"`
		ExpiresIn looseNumber `json:"expires_in"`
		BaseURL   string      `json:"base_url"`
		UserURL   string      `json:"user_url"`
	}
	got, err := s.ask(ctx, c, a, request{what: "asking for a code to log in", path: "/v4.1/pin/get", public: true}, &v)
	if err != nil {
		return Device{}, err
	}
	const interval = 5 // seconds
	return c.device(got, string(v.PIN), cmp.Or(v.BaseURL, v.UserURL), interval, v.ExpiresIn.seconds(), string(v.Check))
}

func (s allDebrid) poll(ctx context.Context, c *client, a sources.Account, d Device) (key, refresh sources.Secret, done bool, err error) {
	var v struct {
		Activated looseBool `json:"activated"`
		APIKey    string    `json:"apikey"`
	}
	check := d.state.Reveal()
	_, err = s.ask(ctx, c, a, request{
		what: "logging in", path: "/v4/pin/check", public: true,
		form: url.Values{"pin": {d.UserCode}, "check": {check}}, secrets: []string{check},
	}, &v)
	return sources.Secret(v.APIKey), "", bool(v.Activated) && v.APIKey != "", err
}
