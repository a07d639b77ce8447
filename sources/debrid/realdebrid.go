package debrid

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// realDebrid is Real-Debrid, https://api.real-debrid.com.
type realDebrid struct{}

const (
	realDebridLife = time.Hour
	// maxFolder is how many files of a folder are asked for their names.
	maxFolder = 20

	realDebridUnsupported = "16"
	// realDebridClient is the client id that Real-Debrid publishes for open source
	// programs. Each login makes an id and a secret of the user's own from it.
	realDebridClient = "X245A4XAIBGVM"
	realDebridGrant  = "http://oauth.net/grant_type/device/1.0"
)

// Where the codes of Real-Debrid come from.
const realDebridDocs = "api.real-debrid.com"

// realDebridCodes judges error_code.
var realDebridCodes = map[string]verdict{
	"-1": {ofAccount, outage, nil, realDebridDocs},
	"1":  {ofLink, bug, nil, realDebridDocs},
	"2":  {ofLink, bug, nil, realDebridDocs},
	"3":  {ofLink, bug, nil, realDebridDocs},
	"4":  {ofLink, bug, nil, realDebridDocs},
	"5":  {ofAccount, cool, nil, realDebridDocs},
	"6":  {ofLink, retry, nil, realDebridDocs},
	"7":  {ofLink, dead, nil, realDebridDocs},
	"8":  {ofAccount, auth, nil, realDebridDocs},
	"9":  {ofAccount, auth, nil, realDebridDocs},
	"10": {ofAccount, auth, nil, realDebridDocs},
	"11": {ofAccount, auth, nil, realDebridDocs},
	"12": {ofAccount, auth, nil, realDebridDocs},
	"13": {ofAccount, auth, nil, realDebridDocs},
	"14": {ofAccount, auth, nil, realDebridDocs},
	"15": {ofAccount, auth, nil, realDebridDocs},
	"16": {ofLink, item, nil, "pyLoad: one link of a hoster that it lists"},
	"17": {ofHoster, rest, nil, realDebridDocs},
	"18": {ofAccountHoster, rest, nextDay, realDebridDocs},
	"19": {ofHoster, rest, nil, realDebridDocs},
	"20": {ofAccountHoster, rest, in(hostersAge), realDebridDocs},
	"21": {ofAccount, quota, in(slotRest), realDebridDocs},
	"22": {ofAccount, barred, nil, realDebridDocs},
	"23": {ofAccountHoster, rest, nextDay, realDebridDocs + ": /traffic counts by limited hoster"},
	"24": {ofLink, dead, nil, realDebridDocs},
	"25": {ofAccount, outage, nil, realDebridDocs},
	"26": {ofLink, item, nil, realDebridDocs},
	"27": {ofLink, item, nil, realDebridDocs},
	"28": {ofLink, item, nil, realDebridDocs},
	"29": {ofLink, item, nil, realDebridDocs},
	"30": {ofLink, item, nil, realDebridDocs},
	"31": {ofLink, bug, nil, realDebridDocs},
	"32": {ofLink, item, nil, realDebridDocs},
	"33": {ofLink, item, nil, realDebridDocs},
	"34": {ofAccount, cool, nil, realDebridDocs},
	"35": {ofLink, item, nil, realDebridDocs},
	"36": {ofAccount, quota, nextDay, realDebridDocs},
	"37": {ofLink, bug, nil, realDebridDocs},
}

// realDebridNames are the codes by what error says: error_code is optional.
var realDebridNames = map[string]string{
	"internal_error": "-1", "slow_down": "5", "resource_unreachable": "6", "unknown_ressource": "7", "bad_token": "8",
	"permission_denied": "9", "account_locked": "14", "hoster_unsupported": "16", "hoster_in_maintenance": "17",
	"hoster_limit_reached": "18", "hoster_unavailable": "19", "hoster_not_free": "20", "too_many_active_downloads": "21",
	"ip_not_allowed": "22", "traffic_exhausted": "23", "unavailable_file": "24", "service_unavailable": "25",
	"too_many_requests": "34", "infringing_file": "35", "fair_usage_limit": "36", "disabled_endpoint": "37",
}

func (realDebrid) name() string { return "real_debrid" }

func (realDebrid) base() string { return "https://api.real-debrid.com/rest/1.0" }

func (realDebrid) timeout() time.Duration { return usualTimeout }

func (realDebrid) limits() []limit { return []limit{{calls: 250, per: time.Minute}} }

func (s realDebrid) unlock(ctx context.Context, c *client, a sources.Account, link string) (sources.Stream, error) {
	stream, err := s.unlockFile(ctx, c, a, link)
	if !isCode(err, realDebridUnsupported) {
		return stream, err
	}
	file, found := s.inFolder(ctx, c, a, link)
	if found != nil || file == "" {
		return sources.Stream{}, cmp.Or(found, err)
	}
	return s.unlockFile(ctx, c, a, file)
}

func (s realDebrid) unlockFile(ctx context.Context, c *client, a sources.Account, link string) (sources.Stream, error) {
	var v struct {
		realDebridFile
		Alternative looseList[realDebridFile] `json:"alternative"`
	}
	got, err := s.ask(ctx, c, a, request{
		what: "unlocking " + linkOf(link), path: "/rest/1.0/unrestrict/link",
		form: url.Values{"link": {link}}, secrets: []string{link},
	}, &v)
	if err != nil {
		return sources.Stream{}, err
	}
	// Some files have no link of their own, only transcoded ones.
	file, height := v.realDebridFile, -1
	for _, alternative := range v.Alternative {
		if h := pictureHeight(string(alternative.Quality)); v.Download == "" && alternative.Download != "" && h > height {
			file, height = alternative, h
		}
	}
	return c.stream(got, file.Download, string(file.MimeType), realDebridLife)
}

type realDebridFile struct {
	Download string    `json:"download"`
	MimeType looseText `json:"mimeType"`
	Quality  looseText `json:"quality"` // of an alternative
}

// inFolder is the link of the one file that a folder of a hoster can mean, "" where
// link is no folder. An error tells why there is none, or is that of ctx.
func (s realDebrid) inFolder(ctx context.Context, c *client, a sources.Account, link string) (string, error) {
	var links looseList[looseText]
	what := "unlocking the folder behind " + linkOf(link)
	got, err := s.ask(ctx, c, a, request{
		what: what, path: "/rest/1.0/unrestrict/folder", form: url.Values{"link": {link}}, secrets: []string{link},
	}, &links)
	links = slices.DeleteFunc(links, func(l looseText) bool { return !isWeb(string(l)) || string(l) == link })
	switch {
	case ctx.Err() != nil:
		return "", err
	case err != nil || len(links) == 0: // what was said of the link counts
		return "", nil //nolint:nilerr // see above
	case len(links) == 1:
		return string(links[0]), nil
	case len(links) > maxFolder:
		return "", c.failure(verdict{}, got, "", fmt.Sprintf("the folder holds %d files and does not say which one is meant", len(links)))
	}
	files := make([]remoteFile, 0, len(links))
	for _, l := range links {
		var v struct {
			Filename looseText `json:"filename"`
		}
		_, err := s.ask(ctx, c, a, request{
			what: what, path: "/rest/1.0/unrestrict/check", public: true, form: url.Values{"link": {string(l)}}, secrets: []string{link, string(l)},
		}, &v)
		if ctx.Err() != nil {
			return "", err
		}
		files = append(files, remoteFile{name: cmp.Or(string(v.Filename), string(l))})
	}
	i, why := onlyVideo(files)
	if i < 0 {
		return "", c.failure(verdict{}, got, "", why)
	}
	return string(links[i]), nil
}

func (s realDebrid) hosters(ctx context.Context, c *client, a sources.Account) ([]string, error) {
	var domains looseList[looseText]
	_, err := s.ask(ctx, c, a, request{what: "asking for its hosters", path: "/rest/1.0/hosts/domains"}, &domains)
	return domainsOf(domains), err
}

func (s realDebrid) check(ctx context.Context, c *client, a sources.Account) (AccountInfo, error) {
	var v struct {
		Username   looseText `json:"username"`
		Type       looseText `json:"type"`
		Points     looseText `json:"points"`
		Expiration looseText `json:"expiration"`
	}
	if _, err := s.ask(ctx, c, a, request{what: "checking the account", path: "/rest/1.0/user"}, &v); err != nil {
		return AccountInfo{}, err
	}
	info := AccountInfo{Login: mask(string(v.Username)), Plan: text.Clean(string(v.Type)), Premium: v.Type == "premium", PremiumUntil: isoTime(v.Expiration)}
	if info.PremiumUntil.Year() < 2000 || info.PremiumUntil.After(c.now()) && !info.Premium { // it never was, or that is to come
		info.PremiumUntil = time.Time{}
	}
	if v.Points != "" {
		info.Notes = append(info.Notes, fidelity(v.Points))
	}
	return info, nil
}

// ask makes a request and reads its answer into v.
func (s realDebrid) ask(ctx context.Context, c *client, a sources.Account, r request, v any) (*answer, error) {
	got, err := c.call(ctx, a, r)
	if err != nil {
		return nil, err
	}
	var refusal realDebridError
	if got.status < 200 || got.status > 299 || got.decode(&refusal) && refusal.Code != "" && refusal.Code != "0" {
		return nil, s.refused(c, got)
	}
	if !got.decode(v) {
		return nil, c.unreadable(got)
	}
	return got, nil
}

// realDebridError is the body of an answer that says no. OAuth has codes of its
// own, and its numbers are no part of the table.
type realDebridError struct {
	Error looseText `json:"error"`
	Code  looseText `json:"error_code"`
}

func (realDebrid) refused(c *client, got *answer) error {
	var v realDebridError
	if !got.decode(&v) {
		return c.unreadable(got)
	}
	code := string(v.Code)
	if code == "" {
		code = realDebridNames[string(v.Error)]
	}
	return c.refused(realDebridCodes, got, code, string(v.Error))
}

// expired tells whether the key is what is refused: code 8, bad token.
func (realDebrid) expired(got *answer) bool {
	var v realDebridError
	return got.status == http.StatusUnauthorized && (!got.decode(&v) || v.Code == "" || v.Code == "8")
}

// realDebridRefresh is what Account.Refresh holds.
type realDebridRefresh struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	RefreshToken string `json:"refresh_token"`
}

func (s realDebrid) renew(ctx context.Context, c *client, a sources.Account) (sources.Account, error) {
	var r realDebridRefresh
	if err := json.Unmarshal([]byte(a.Refresh.Reveal()), &r); err != nil || r.ClientID == "" || r.RefreshToken == "" {
		return sources.Account{}, c.errorf(sources.ClassProviderAuth, "renewing the key: what was kept for that cannot be read; log in again")
	}
	key, refresh, err := s.token(ctx, c, a, "renewing the key", r)
	if err != nil {
		return sources.Account{}, err
	}
	a.Key, a.Refresh = key, refresh
	return a, nil
}

// token asks for a key with r, whose RefreshToken may also be the code of a
// device.
func (s realDebrid) token(ctx context.Context, c *client, a sources.Account, what string, r realDebridRefresh) (key, refresh sources.Secret, err error) {
	got, err := c.once(ctx, a, request{
		what: what, path: "/oauth/v2/token", public: true,
		form: url.Values{
			"client_id": {r.ClientID}, "client_secret": {r.ClientSecret},
			"code": {r.RefreshToken}, "grant_type": {realDebridGrant},
		},
		secrets: []string{r.ClientSecret, r.RefreshToken},
	})
	if err != nil {
		return "", "", err
	}
	var v struct {
		AccessToken  string `json:"access_token"`
		RefreshToken string `json:"refresh_token"`
	}
	switch {
	case got.status >= 400 && got.status <= 499 && got.status != http.StatusTooManyRequests && !got.foreign():
		return "", "", c.failure(verdict{scope: ofAccount, effect: auth}, got, "", oauthMessage(got)+"; log in again")
	case got.status < 200 || got.status > 299 || !got.decode(&v) || v.AccessToken == "":
		return "", "", c.unreadable(got)
	}
	if v.RefreshToken != "" {
		r.RefreshToken = v.RefreshToken
	}
	kept, err := json.Marshal(r)
	return sources.Secret(v.AccessToken), sources.Secret(kept), err
}

// oauthMessage is what an answer of the login says, "" where that is nothing.
func oauthMessage(got *answer) string {
	var v realDebridError
	got.decode(&v)
	return string(v.Error)
}

// start begins the login for open source programs.
func (s realDebrid) start(ctx context.Context, c *client, a sources.Account) (Device, error) {
	var v struct {
		DeviceCode      string      `json:"device_code"`
		UserCode        looseText   `json:"user_code"`
		VerificationURL string      `json:"verification_url"`
		Interval        looseNumber `json:"interval"`
		ExpiresIn       looseNumber `json:"expires_in"`
	}
	got, err := s.ask(ctx, c, a, request{
		what: "asking for a code to log in", path: "/oauth/v2/device/code", public: true,
		query: url.Values{"client_id": {realDebridClient}, "new_credentials": {"yes"}},
	}, &v)
	if err != nil {
		return Device{}, err
	}
	return c.device(got, string(v.UserCode), v.VerificationURL, v.Interval.seconds(), v.ExpiresIn.seconds(), v.DeviceCode)
}

func (s realDebrid) poll(ctx context.Context, c *client, a sources.Account, d Device) (key, refresh sources.Secret, done bool, err error) {
	device := d.state.Reveal()
	got, err := c.once(ctx, a, request{
		what: "logging in", path: "/oauth/v2/device/credentials", public: true,
		query: url.Values{"client_id": {realDebridClient}, "code": {device}}, secrets: []string{device},
	})
	if err != nil {
		return "", "", false, err
	}
	// Until the code is entered, the answer is 403 or 400 without credentials.
	var v realDebridRefresh
	switch {
	case got.status == http.StatusForbidden || got.status == http.StatusBadRequest:
		return "", "", false, nil
	case got.status < 200 || got.status > 299:
		return "", "", false, s.refused(c, got)
	case !got.decode(&v):
		return "", "", false, c.unreadable(got)
	case v.ClientID == "" || v.ClientSecret == "":
		return "", "", false, nil
	}
	v.RefreshToken = device
	key, refresh, err = s.token(ctx, c, a, "logging in", v)
	return key, refresh, err == nil, err
}
