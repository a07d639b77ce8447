package debrid

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"time"

	"xship/sources"
)

const (
	debridLinkBase = "https://debrid-link.com/api/v2"
	debridLinkLife = time.Hour
	debridLinkPoll = 3 * time.Second

	debridLinkAdd   = "/api/v2/downloader/add"
	debridLinkFlood = "floodDetected"
)

// Where the codes of Debrid-Link come from: its documentation could not be read.
const (
	debridLinkErrors = "DebridPulse, from /api/v2/api_doc/errors"
	debridLinkOthers = "JDownloader"
	debridLinkOAuth  = "StremThru"
)

// debridLinkCodes judges error.
var debridLinkCodes = map[string]verdict{
	debridLinkFlood: {ofAccount, quota, in(time.Hour), "debrid-media-manager: retry after 1 hour, for the endpoint"},
	"server_error":  {ofAccount, outage, nil, debridLinkOAuth},
	"internalError": {ofAccount, outage, nil, debridLinkErrors},

	"maintenanceHost":          {ofHoster, rest, nil, debridLinkErrors},
	"noServerHost":             {ofHoster, rest, nil, debridLinkErrors},
	"disabledHost":             {ofHoster, rest, nil, debridLinkErrors},
	"disabledServerHost":       {ofAccountHoster, rest, nil, debridLinkErrors + ": no servers and VPNs at this hoster"},
	"maxLinkHost":              {ofAccountHoster, rest, nextDay, debridLinkErrors},
	"maxDataHost":              {ofAccountHoster, rest, nextDay, debridLinkErrors},
	"notFreeHost":              {ofAccountHoster, rest, nextDay, debridLinkErrors},
	"maxSimultaneousFilesHost": {ofAccountHoster, rest, in(slotRest), debridLinkErrors},

	"fileNotFound": {ofLink, dead, nil, debridLinkErrors},

	"hostNotValid":     {ofLink, item, nil, debridLinkErrors},
	"badFileUrl":       {ofLink, item, nil, debridLinkErrors},
	"badFilePassword":  {ofLink, item, nil, debridLinkErrors},
	"infringingFile":   {ofLink, item, nil, debridLinkErrors},
	"notDebrid":        {ofLink, retry, nil, debridLinkErrors},
	"fileNotAvailable": {ofLink, retry, nil, debridLinkErrors},
	"badId":            {ofLink, retry, nil, debridLinkErrors},
	"maxAttempts":      {ofLink, alone, nil, debridLinkOAuth},

	"badToken":         {ofAccount, auth, nil, debridLinkErrors},
	"badSign":          {ofAccount, auth, nil, debridLinkOAuth},
	"expired_token":    {ofAccount, auth, nil, debridLinkOAuth},
	"access_denied":    {ofAccount, auth, nil, debridLinkOAuth},
	"hidedToken":       {ofAccount, auth, nil, debridLinkOAuth},
	"accountLocked":    {ofAccount, auth, nil, debridLinkOthers},
	"unverifiedEmail":  {ofAccount, auth, nil, debridLinkErrors},
	"serverNotAllowed": {ofAccount, barred, nil, debridLinkOthers},
	"captchaRequired":  {ofAccount, auth, nil, debridLinkOAuth},

	"maxLink":            {ofAccount, quota, nil, debridLinkErrors},
	"maxData":            {ofAccount, quota, nil, debridLinkErrors},
	"maxTransfer":        {ofAccount, quota, in(slotRest), debridLinkErrors},
	"freeServerOverload": {ofAccount, quota, in(slotRest), debridLinkErrors},

	"badArguments": {ofLink, bug, nil, debridLinkErrors},
	"unknowR":      {ofLink, bug, nil, debridLinkErrors}, // there is no such path
}

// debridLink is Debrid-Link. It has a login by code, but only for programs that
// are registered with it.
type debridLink struct{}

func (debridLink) name() string { return "debrid_link" }

func (debridLink) base() string { return debridLinkBase }

func (debridLink) timeout() time.Duration { return usualTimeout }

// limits are not documented; floodDetected tells that they are reached.
func (debridLink) limits() []limit { return nil }

// debridLinkFile is one link that was unlocked.
type debridLinkFile struct {
	ID          looseText `json:"id"`
	Name        looseText `json:"name"`
	DownloadURL looseText `json:"downloadUrl"`
	Expired     looseBool `json:"expired"`
	Processing  looseBool `json:"isProcessing"`
}

func (d debridLink) unlock(ctx context.Context, c *client, a sources.Account, link string) (sources.Stream, error) {
	what := "unlocking " + linkOf(link)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var files looseList[debridLinkFile] // several where the link is a folder
	got, err := d.ask(ctx, c, a, request{
		what: what, path: debridLinkAdd, form: url.Values{"url": {link}}, secrets: []string{link},
	}, &files)
	if err != nil {
		return sources.Stream{}, err
	}
	names := make([]remoteFile, 0, len(files))
	for _, f := range files {
		names = append(names, remoteFile{name: string(f.Name)})
	}
	i, why := onlyVideo(names)
	if i < 0 {
		return sources.Stream{}, c.failure(verdict{}, got, "", why)
	}
	file := files[i]
	for file.Processing {
		if err := c.pause(ctx, debridLinkPoll, what); err != nil {
			return sources.Stream{}, err
		}
		if file, got, err = d.reread(ctx, c, a, what, file); err != nil {
			return sources.Stream{}, err
		}
	}
	if file.Expired {
		return sources.Stream{}, c.failure(verdict{effect: retry}, got, "", "its link has expired already")
	}
	return c.stream(got, string(file.DownloadURL), "", debridLinkLife)
}

// reread gives what the account's list says of f now, and f where it does not
// have it yet.
func (d debridLink) reread(ctx context.Context, c *client, a sources.Account, what string, f debridLinkFile) (debridLinkFile, *answer, error) {
	var listed looseList[debridLinkFile]
	got, err := d.ask(ctx, c, a, request{what: what, path: "/api/v2/downloader/list", query: url.Values{"ids": {string(f.ID)}}}, &listed)
	if err != nil {
		return debridLinkFile{}, nil, err
	}
	if i := slices.IndexFunc(listed, func(l debridLinkFile) bool { return l.ID == f.ID }); i >= 0 {
		return listed[i], got, nil
	}
	return f, got, nil
}

// ask makes a request and reads the value of its answer into v.
func (debridLink) ask(ctx context.Context, c *client, a sources.Account, r request, v any) (*answer, error) {
	got, err := c.call(ctx, a, r)
	if err != nil {
		return nil, err
	}
	var body struct {
		Success looseBool       `json:"success"`
		Error   looseText       `json:"error"`
		Text    looseText       `json:"error_description"`
		Value   json.RawMessage `json:"value"`
	}
	switch {
	case !got.decode(&body):
		return nil, c.unreadable(got)
	case body.Error == debridLinkFlood && r.path != debridLinkAdd: // links are unlocked all the same
		return nil, c.failure(verdict{effect: retry}, got, debridLinkFlood, string(body.Text))
	case !bool(body.Success):
		return nil, c.refused(debridLinkCodes, got, string(body.Error), string(body.Text))
	case json.Unmarshal(body.Value, v) != nil:
		return nil, c.unreadable(got)
	}
	return got, nil
}

// hosters are all that it knows; whether one is online changes from one moment to
// the next.
func (d debridLink) hosters(ctx context.Context, c *client, a sources.Account) ([]string, error) {
	var all looseList[struct {
		Domains looseList[looseText] `json:"domains"`
	}]
	r := request{
		what: "asking for its hosters", path: "/api/v2/downloader/hosts",
		query: url.Values{"keys": {"status,name,domains"}, "types": {"host"}},
	}
	if _, err := d.ask(ctx, c, a, r, &all); err != nil {
		return nil, err
	}
	var names []looseText
	for _, h := range all {
		names = append(names, h.Domains...)
	}
	return domainsOf(names), nil
}

func (d debridLink) check(ctx context.Context, c *client, a sources.Account) (AccountInfo, error) {
	var user struct {
		Username    looseText   `json:"username"`
		Pseudo      looseText   `json:"pseudo"` // as older answers have it
		Email       looseText   `json:"email"`
		AccountType looseNumber `json:"accountType"`
		PremiumLeft looseNumber `json:"premiumLeft"` // seconds
		Points      looseNumber `json:"pts"`
	}
	if _, err := d.ask(ctx, c, a, request{what: "checking the account", path: "/api/v2/account/infos"}, &user); err != nil {
		return AccountInfo{}, err
	}
	info := AccountInfo{Plan: "free"}
	for _, login := range []looseText{user.Email, user.Pseudo, user.Username} {
		if login != "" {
			info.Login = mask(string(login))
		}
	}
	switch {
	case user.AccountType == 2:
		info.Plan, info.Premium = "lifetime", true
	case user.PremiumLeft > 0:
		info.Plan, info.Premium = "premium", true
		info.PremiumUntil = unixTime(looseNumber(c.now().Unix()) + user.PremiumLeft)
	}
	if user.Points > 0 {
		info.Notes = []string{strconv.Itoa(int(min(user.Points, maxUnix))) + " points"}
	}
	return info, nil
}
