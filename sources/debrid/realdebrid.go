package debrid

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// realDebrid is Real-Debrid, https://api.real-debrid.com.
type realDebrid struct{}

const (
	realDebridLife = time.Hour
	// realDebridClient is the client id that Real-Debrid publishes for open source
	// programs. Each login makes an id and a secret of the user's own from it.
	realDebridClient = "X245A4XAIBGVM"
	realDebridGrant  = "http://oauth.net/grant_type/device/1.0"
)

// realDebridCodes judges error_code.
var realDebridCodes = map[string]verdict{
	"-1": {action: outage},
	"1":  {action: bug},
	"2":  {action: bug},
	"3":  {action: bug},
	"4":  {action: bug},
	"5":  {action: cool},
	"6":  {action: retry},
	"7":  {action: dead},
	"8":  {action: auth},
	"9":  {action: auth},
	"10": {action: auth},
	"11": {action: auth},
	"12": {action: auth},
	"13": {action: auth},
	"14": {action: auth},
	"15": {action: auth},
	"16": {action: host, until: in(hostersAge)},
	"17": {action: host},
	"18": {action: hostAccount, until: nextDay},
	"19": {action: host},
	"20": {action: hostAccount, until: in(hostersAge)},
	"21": {action: quota, until: in(time.Hour)},
	"22": {action: auth},
	"23": {action: quota, until: nextDay},
	"24": {action: dead},
	"25": {action: outage},
	"28": {action: dead},
	"31": {action: bug},
	"34": {action: cool},
	"35": {action: dead},
	"36": {action: quota, until: nextDay},
	"37": {action: bug},
}

func (realDebrid) name() string { return "real_debrid" }

func (realDebrid) base() string { return "https://api.real-debrid.com/rest/1.0" }

func (realDebrid) limits() []limit { return []limit{{calls: 250, per: time.Minute}} }

func (s realDebrid) unlock(ctx context.Context, c *client, a sources.Account, link string) (sources.Stream, error) {
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
	file := v.realDebridFile
	for _, alternative := range v.Alternative {
		if file.Download == "" {
			file = alternative
		}
	}
	return c.stream(got, file.Download, string(file.MimeType), realDebridLife)
}

type realDebridFile struct {
	Download string    `json:"download"`
	MimeType looseText `json:"mimeType"`
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
	info := AccountInfo{Login: mask(string(v.Username)), Plan: text.Clean(string(v.Type)), Premium: v.Type == "premium"}
	if info.Premium {
		info.PremiumUntil = isoTime(v.Expiration)
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
	if code == "35" && c.throttledLately(got.account) {
		return c.failure(verdict{action: retry}, got, code, string(v.Error))
	}
	err := c.refused(realDebridCodes, got, code, string(v.Error))
	if failed, ok := errors.AsType[*sources.ProviderStreamUnavailableError](err); ok {
		failed.Doubtful = code == "35"
	}
	return err
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
		return "", "", c.failure(verdict{action: auth}, got, "", oauthMessage(got)+"; log in again")
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
