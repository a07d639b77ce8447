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
	debridLinkBase  = "https://debrid-link.com/api/v2"
	debridLinkLife  = time.Hour
	debridLinkPoll  = 3 * time.Second
	debridLinkSlots = time.Hour // until a transfer or a server is free
)

// debridLinkCodes are the codes that Debrid-Link documents, and a few that it
// sends besides.
var debridLinkCodes = map[string]verdict{
	"floodDetected": {action: cool},
	"server_error":  {action: outage},
	"internalError": {action: outage},

	"maintenanceHost":          {action: host},
	"noServerHost":             {action: host},
	"disabledServerHost":       {action: host},
	"disabledHost":             {action: host},
	"notDebrid":                {action: host},
	"hostNotValid":             {action: host, until: in(hostersAge)},
	"maxLinkHost":              {action: hostAccount, until: nextDay},
	"maxDataHost":              {action: hostAccount, until: nextDay},
	"notFreeHost":              {action: hostAccount, until: nextDay},
	"maxSimultaneousFilesHost": {action: hostAccount},

	"fileNotFound":    {action: dead},
	"badFileUrl":      {action: dead},
	"badFilePassword": {action: dead},
	"infringingFile":  {action: dead},

	"fileNotAvailable": {action: retry},

	"badToken":         {action: auth},
	"badSign":          {action: auth},
	"expired_token":    {action: auth},
	"hidedToken":       {action: auth},
	"accountLocked":    {action: auth},
	"unverifiedEmail":  {action: auth},
	"serverNotAllowed": {action: auth},
	"captchaRequired":  {action: auth},

	"maxLink":            {action: quota},
	"maxData":            {action: quota},
	"maxTransfer":        {action: quota, until: in(debridLinkSlots)},
	"freeServerOverload": {action: quota, until: in(debridLinkSlots)},

	"badArguments": {action: bug},
	"badId":        {action: bug},
	"unknowR":      {action: bug}, // there is no such path
}

// debridLink is Debrid-Link. It has a login by code, but only for programs that
// are registered with it.
type debridLink struct{}

func (debridLink) name() string { return "debrid_link" }

func (debridLink) base() string { return debridLinkBase }

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
		what: what, path: "/api/v2/downloader/add", form: url.Values{"url": {link}}, secrets: []string{link},
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
		return sources.Stream{}, c.failure(verdict{action: item}, got, "", why)
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
		return sources.Stream{}, c.failure(verdict{action: retry}, got, "", "its link has expired already")
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
	case !bool(body.Success):
		return nil, debridLinkRefused(c, got, string(body.Error), string(body.Text))
	case json.Unmarshal(body.Value, v) != nil:
		return nil, c.unreadable(got)
	}
	return got, nil
}

func debridLinkRefused(c *client, got *answer, code, text string) error {
	if v, ok := debridLinkCodes[code]; ok {
		return c.failure(v, got, code, text)
	}
	return c.refused(debridLinkCodes, got, code, text)
}

// hosters are those that are online.
func (d debridLink) hosters(ctx context.Context, c *client, a sources.Account) ([]string, error) {
	var all looseList[struct {
		Status  looseNumber          `json:"status"` // 1 and more: online
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
		if h.Status >= 1 {
			names = append(names, h.Domains...)
		}
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
