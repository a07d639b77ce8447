package debrid

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"xship/sources"
)

const (
	premiumizeBase = "https://www.premiumize.me/api"
	premiumizeLife = time.Hour
	premiumizePoll = 5 * time.Second
)

// Where the codes of Premiumize come from: its documentation could not be read.
const (
	premiumizeDotNet  = "rdt-client"
	premiumizeClients = "clients on GitHub"
	premiumizeStream  = "wastream"
	premiumizeTexts   = "StremThru"
)

// premiumizeCodes judges code.
var premiumizeCodes = map[string]verdict{
	"rate_limit_reached": {ofAccount, cool, nil, premiumizeDotNet},
	"slow_down":          {ofAccount, cool, nil, premiumizeDotNet},

	"service_down":          {ofHoster, rest, nil, premiumizeDotNet},
	"service_limit_reached": {ofAccountHoster, rest, nextDay, premiumizeDotNet},

	"not_found": {ofLink, dead, nil, premiumizeStream},

	"service_unsupported":    {ofLink, item, nil, premiumizeClients},
	"unsupported":            {ofLink, item, nil, premiumizeClients},
	"permanent_error":        {ofLink, item, nil, premiumizeClients},
	"invalid_request":        {ofLink, item, nil, premiumizeClients + ": a source URL that it does not take"},
	"permission_denied":      {ofLink, alone, nil, premiumizeClients},
	"semi_permanent_error":   {ofLink, retry, nil, premiumizeDotNet},
	"transient_error":        {ofLink, retry, nil, premiumizeStream},
	"link_generation_failed": {ofLink, retry, nil, premiumizeStream},
	"unknown_error":          {ofLink, alone, nil, premiumizeClients},

	"authentication_failed": {ofAccount, auth, nil, premiumizeClients},

	"account_limit_reached": {ofAccount, quota, nil, premiumizeDotNet},
}

// premiumizeMessages are what older answers, which have no code, say.
var premiumizeMessages = []struct {
	part    string // lower case
	verdict verdict
}{
	{"too many api requests", verdict{ofAccount, cool, nil, premiumizeDotNet}},
	{"slow_down", verdict{ofAccount, cool, nil, premiumizeDotNet}},
	{"unsupported link for direct download", verdict{ofLink, item, nil, premiumizeClients}},
	{"error downloading this file", verdict{ofLink, retry, nil, premiumizeClients}},
	{"not logged in", verdict{ofAccount, auth, nil, premiumizeTexts}},
	{"not premium", verdict{ofAccount, auth, nil, premiumizeTexts}},
	{"fair use limit", verdict{ofAccount, quota, nil, premiumizeTexts}},
	{"active downloads", verdict{ofAccount, quota, in(slotRest), premiumizeTexts}},
}

// premiumize is Premiumize. It has a login by code, but only for programs that
// are registered with it.
type premiumize struct{}

func (premiumize) name() string { return "premiumize" }

func (premiumize) base() string { return premiumizeBase }

func (premiumize) timeout() time.Duration { return longTimeout }

// limits are not documented: the account pays by points.
func (premiumize) limits() []limit { return nil }

// premiumizeAnswer is what all answers have.
type premiumizeAnswer struct {
	Status  looseText `json:"status"`
	Message looseText `json:"message"`
	Code    looseText `json:"code"`
}

func (a premiumizeAnswer) head() premiumizeAnswer { return a }

type premiumizeLink struct {
	premiumizeAnswer
	Location looseText                 `json:"location"`
	Content  looseList[premiumizeFile] `json:"content"`
}

type premiumizeFile struct {
	Path looseText `json:"path"`
	Link looseText `json:"link"`
}

func (p premiumize) unlock(ctx context.Context, c *client, a sources.Account, link string) (sources.Stream, error) {
	r := request{
		what: "unlocking " + linkOf(link), path: "/api/transfer/directdl",
		form: url.Values{"src": {link}}, secrets: []string{link},
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		var body premiumizeLink
		got, err := p.ask(ctx, c, a, r, &body)
		if err != nil {
			return sources.Stream{}, err
		}
		switch body.Status {
		case "running", "queued", "waiting":
			if err := c.pause(ctx, premiumizePoll, r.what); err != nil {
				return sources.Stream{}, err
			}
		default:
			return p.stream(c, got, body)
		}
	}
}

func (premiumize) stream(c *client, got *answer, body premiumizeLink) (sources.Stream, error) {
	if len(body.Content) == 0 {
		return c.stream(got, string(body.Location), "", premiumizeLife)
	}
	files := make([]remoteFile, 0, len(body.Content))
	for _, f := range body.Content {
		files = append(files, remoteFile{name: string(f.Path)})
	}
	i, why := onlyVideo(files)
	if i < 0 {
		return sources.Stream{}, c.failure(verdict{}, got, "", why)
	}
	return c.stream(got, string(body.Content[i].Link), "", premiumizeLife)
}

// refused is the error of an answer that says no. Those without a code are
// known by their text.
func (premiumize) refused(c *client, got *answer, body premiumizeAnswer) error {
	code, message := string(body.Code), string(body.Message)
	if _, known := premiumizeCodes[code]; !known {
		for _, m := range premiumizeMessages {
			if strings.Contains(strings.ToLower(message), m.part) {
				return c.failure(m.verdict, got, code, message)
			}
		}
	}
	return c.refused(premiumizeCodes, got, code, message)
}

// ask makes a request and reads its answer into v, which embeds premiumizeAnswer.
func (p premiumize) ask(ctx context.Context, c *client, a sources.Account, r request, v interface{ head() premiumizeAnswer }) (*answer, error) {
	got, err := c.call(ctx, a, r)
	if err != nil {
		return nil, err
	}
	if !got.decode(v) {
		return nil, c.unreadable(got)
	}
	if head := v.head(); head.Status == "error" || got.status >= http.StatusBadRequest {
		return nil, p.refused(c, got, head)
	}
	return got, nil
}

// hosters are those whose links are unlocked at once. What only its cache may
// hold is left to others.
func (p premiumize) hosters(ctx context.Context, c *client, a sources.Account) ([]string, error) {
	var body struct {
		premiumizeAnswer
		DirectDL looseList[looseText]            `json:"directdl"`
		Aliases  map[string]looseList[looseText] `json:"aliases"`
	}
	if _, err := p.ask(ctx, c, a, request{what: "asking for its hosters", path: "/api/services/list"}, &body); err != nil {
		return nil, err
	}
	names := body.DirectDL
	for _, service := range body.DirectDL {
		names = append(names, body.Aliases[string(service)]...)
	}
	return domainsOf(names), nil
}

func (p premiumize) check(ctx context.Context, c *client, a sources.Account) (AccountInfo, error) {
	var body struct {
		premiumizeAnswer
		CustomerID   looseText   `json:"customer_id"`
		PremiumUntil looseNumber `json:"premium_until"`
		LimitUsed    looseNumber `json:"limit_used"` // 0..1
	}
	if _, err := p.ask(ctx, c, a, request{what: "checking the account", path: "/api/account/info"}, &body); err != nil {
		return AccountInfo{}, err
	}
	info := AccountInfo{Login: mask(string(body.CustomerID)), Plan: "free", PremiumUntil: unixTime(body.PremiumUntil)}
	if info.PremiumUntil.After(c.now()) {
		info.Plan, info.Premium = "premium", true
		info.Notes = []string{fmt.Sprintf("%.0f %% of its fair use is used", 100*float64(body.LimitUsed))}
	}
	return info, nil
}
