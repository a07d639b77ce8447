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
	premiumizeBase  = "https://www.premiumize.me/api"
	premiumizeLife  = time.Hour
	premiumizePoll  = 5 * time.Second
	premiumizeSlots = time.Hour // until one of the running transfers has ended
)

// premiumizeCodes are the codes that Premiumize documents.
var premiumizeCodes = map[string]verdict{
	"rate_limit_reached": {action: cool},
	"slow_down":          {action: cool},

	"service_down":          {action: host},
	"service_unsupported":   {action: host, until: in(hostersAge)},
	"unsupported":           {action: host, until: in(hostersAge)},
	"service_limit_reached": {action: hostAccount, until: nextDay},

	"not_found":       {action: dead},
	"permanent_error": {action: dead},

	"semi_permanent_error":   {action: retry},
	"transient_error":        {action: retry},
	"link_generation_failed": {action: retry},
	"unknown_error":          {action: retry},

	"authentication_failed": {action: auth},
	"permission_denied":     {action: auth},

	"account_limit_reached": {action: quota},

	"invalid_request": {action: bug},
}

// premiumizeMessages are what older answers, which have no code, say.
var premiumizeMessages = []struct {
	part    string // lower case
	verdict verdict
}{
	{"too many api requests", verdict{action: cool}},
	{"slow_down", verdict{action: cool}},
	{"unsupported link for direct download", verdict{action: host}},
	{"error downloading this file", verdict{action: dead}},
	{"not logged in", verdict{action: auth}},
	{"not premium", verdict{action: auth}},
	{"fair use limit", verdict{action: quota}},
	{"active downloads", verdict{action: quota, until: in(premiumizeSlots)}},
}

// premiumize is Premiumize. It has a login by code, but only for programs that
// are registered with it.
type premiumize struct{}

func (premiumize) name() string { return "premiumize" }

func (premiumize) base() string { return premiumizeBase }

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
		return sources.Stream{}, c.failure(verdict{action: item}, got, "", why)
	}
	return c.stream(got, string(body.Content[i].Link), "", premiumizeLife)
}

// refused is the error of an answer that says no. Those without a code are
// known by their text.
func (premiumize) refused(c *client, got *answer, body premiumizeAnswer) error {
	code, message := string(body.Code), string(body.Message)
	if v, ok := premiumizeCodes[code]; ok {
		return c.failure(v, got, code, message)
	}
	for _, m := range premiumizeMessages {
		if strings.Contains(strings.ToLower(message), m.part) {
			return c.failure(m.verdict, got, code, message)
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
