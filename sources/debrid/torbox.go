package debrid

import (
	"context"
	"crypto/md5" //nolint:gosec // the service's own name of a link
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"xship/sources"
)

const (
	torBoxBase = "https://api.torbox.app/v1/api"
	torBoxLife = 3 * time.Hour
	torBoxPoll = 3 * time.Second

	torBoxCreate = "/v1/api/webdl/createwebdownload"
	torBoxList   = "/v1/api/webdl/mylist"

	torBoxDuplicate = "DUPLICATE_ITEM"
	torBoxNotFound  = "ITEM_NOT_FOUND"
	torBoxPending   = "DEVICE_CODE_NOT_USED"
)

// Where the codes of TorBox come from.
const (
	torBoxDocs    = "api-docs.torbox.app"
	torBoxClients = "clients on GitHub"
	torBoxNET     = "rdt-client"
)

// torBoxCodes judges error. What else ends in ERROR is TorBox's own fault.
var torBoxCodes = map[string]verdict{
	"RATE_LIMIT_EXCEEDED": {ofAccount, cool, nil, torBoxClients},
	"RATE_LIMIT":          {ofAccount, cool, nil, torBoxNET},

	"LINK_OFFLINE": {ofLink, dead, nil, torBoxDocs},

	torBoxNotFound:          {ofLink, retry, nil, torBoxDocs + ": of its own list"},
	"DOWNLOAD_TOO_LARGE":    {ofLink, item, nil, torBoxDocs + ": for the plan"},
	"TOO_MUCH_DATA":         {ofLink, item, nil, torBoxDocs},
	"UNSUPPORTED_SITE":      {ofLink, item, nil, torBoxDocs},
	"INVALID_LINK":          {ofLink, item, nil, torBoxDocs},
	"DIFF_ISSUE":            {ofLink, retry, nil, torBoxDocs},
	"NOT_OWNER":             {ofLink, item, nil, torBoxDocs},
	"BOZO_FILE":             {ofLink, item, nil, torBoxDocs},
	"DOWNLOAD_SERVER_ERROR": {ofLink, alone, nil, torBoxDocs + ": with the download"},
	"UNKNOWN_ERROR":         {ofLink, alone, nil, torBoxDocs},
	"TEMPORARILY_DISABLED":  {ofLink, alone, nil, torBoxDocs},
	torBoxDuplicate:         {ofLink, retry, nil, torBoxDocs},
	torBoxPending:           {ofLink, retry, nil, torBoxDocs + ": the code was not entered yet"},
	"AUTHORIZATION_PENDING": {ofLink, retry, nil, torBoxClients},
	"PENDING":               {ofLink, retry, nil, torBoxClients},
	"INVALID_DEVICE":        {ofLink, item, nil, torBoxDocs},

	"NO_AUTH":                  {ofAccount, auth, nil, torBoxDocs},
	"BAD_TOKEN":                {ofAccount, auth, nil, torBoxDocs},
	"OAUTH_VERIFICATION_ERROR": {ofAccount, auth, nil, torBoxDocs},
	"PLAN_RESTRICTED_FEATURE":  {ofAccount, auth, nil, torBoxDocs},
	"VENDOR_DISABLED":          {ofAccount, auth, nil, torBoxDocs},

	"DATABASE_ERROR":             {ofAccount, outage, nil, torBoxDocs},
	"AUTH_ERROR":                 {ofAccount, outage, nil, torBoxDocs + ": its own fault in verifying a key"},
	"NO_SERVERS_AVAILABLE_ERROR": {ofAccount, outage, nil, torBoxDocs},
	"REDIRECT_ERROR":             {ofAccount, outage, nil, torBoxDocs},

	"MONTHLY_LIMIT":  {ofAccount, quota, nextDay, torBoxDocs}, // it does not tell when the month begins
	"COOLDOWN_LIMIT": {ofAccount, quota, in(time.Hour), torBoxDocs},
	"ACTIVE_LIMIT":   {ofAccount, quota, in(slotRest), torBoxDocs},

	"INVALID_OPTION":          {ofLink, bug, nil, torBoxDocs},
	"MISSING_REQUIRED_OPTION": {ofLink, bug, nil, torBoxDocs},
	"TOO_MANY_OPTIONS":        {ofLink, bug, nil, torBoxDocs},
	"ENDPOINT_NOT_FOUND":      {ofLink, bug, nil, torBoxDocs},
}

// torBox is TorBox. It downloads a file to its own servers first.
type torBox struct{}

func (torBox) name() string { return "torbox" }

func (torBox) base() string { return torBoxBase }

func (torBox) timeout() time.Duration { return longTimeout }

func (torBox) limits() []limit {
	return []limit{
		{calls: 300, per: time.Minute},
		{prefix: torBoxCreate, calls: 60, per: time.Hour},
	}
}

// torBoxItem is one download of the account.
type torBoxItem struct {
	ID          looseText             `json:"id"`
	Hash        looseText             `json:"hash"`
	OriginalURL looseText             `json:"original_url"`
	State       looseText             `json:"download_state"`
	Error       looseText             `json:"error"`
	Present     looseBool             `json:"download_present"`
	Files       looseList[torBoxFile] `json:"files"`
}

type torBoxFile struct {
	ID        looseText `json:"id"` // 0 is one
	Name      looseText `json:"name"`
	ShortName looseText `json:"short_name"`
	MIME      looseText `json:"mimetype"`
}

func (t torBox) unlock(ctx context.Context, c *client, a sources.Account, link string) (sources.Stream, error) {
	what := "unlocking " + linkOf(link)
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	id, err := t.create(ctx, c, a, what, link)
	if err != nil {
		return sources.Stream{}, err
	}
	file, err := t.await(ctx, c, a, what, id)
	if err != nil {
		return sources.Stream{}, err
	}
	return t.download(ctx, c, a, what, id, file)
}

// create has TorBox download the link, and gives the id of that download, or of
// the one that the account has of it already.
func (t torBox) create(ctx context.Context, c *client, a sources.Account, what, link string) (string, error) {
	got, err := c.call(ctx, a, request{what: what, path: torBoxCreate, form: url.Values{"link": {link}}, secrets: []string{link}})
	if err != nil {
		return "", err
	}
	var made struct {
		ID looseText `json:"webdownload_id"`
	}
	err = t.data(c, got, &made)
	switch {
	case made.ID != "" && (err == nil || isCode(err, torBoxDuplicate)):
		return string(made.ID), nil
	case isCode(err, torBoxDuplicate):
		return t.find(ctx, c, a, what, link)
	case err != nil:
		return "", err
	default:
		return "", c.unreadable(got)
	}
}

// find gives the id of the account's download of link.
func (t torBox) find(ctx context.Context, c *client, a sources.Account, what, link string) (string, error) {
	got, err := c.call(ctx, a, request{what: what, path: torBoxList, query: url.Values{"bypass_cache": {"true"}}})
	if err != nil {
		return "", err
	}
	var items looseList[torBoxItem]
	if err := t.data(c, got, &items); err != nil && !isCode(err, torBoxNotFound) {
		return "", err
	}
	sum := md5.Sum([]byte(link)) //nolint:gosec // see the import
	hash := hex.EncodeToString(sum[:])
	for _, it := range items {
		if it.ID != "" && (string(it.OriginalURL) == link || strings.EqualFold(string(it.Hash), hash)) {
			return string(it.ID), nil
		}
	}
	return "", c.failure(verdict{effect: retry}, got, torBoxDuplicate, "the account has this download already, but does not list it")
}

// await polls the download until it is there, and gives the file that is meant.
func (t torBox) await(ctx context.Context, c *client, a sources.Account, what, id string) (torBoxFile, error) {
	r := request{what: what, path: torBoxList, query: url.Values{"id": {id}, "bypass_cache": {"true"}}}
	for {
		got, err := c.call(ctx, a, r)
		if err != nil {
			return torBoxFile{}, err
		}
		var items looseList[torBoxItem]
		// A new download may not be listed at once: that says nothing of the link.
		if err := t.data(c, got, &items); err != nil && !isCode(err, torBoxNotFound) {
			return torBoxFile{}, err
		}
		i := slices.IndexFunc(items, func(it torBoxItem) bool { return string(it.ID) == id })
		if i >= 0 && bool(items[i].Present) {
			return t.choose(c, got, items[i].Files)
		}
		if i >= 0 && items[i].failed() {
			return torBoxFile{}, t.itemFailed(c, got, items[i])
		}
		if err := c.pause(ctx, torBoxPoll, what); err != nil {
			return torBoxFile{}, err
		}
	}
}

// failed tells whether the download has ended without success.
func (it torBoxItem) failed() bool {
	state := strings.ToLower(string(it.State))
	return strings.HasPrefix(state, "fail") || strings.HasPrefix(state, "error")
}

func (torBox) itemFailed(c *client, got *answer, it torBoxItem) error {
	if v, ok := torBoxCodes[string(it.Error)]; ok {
		return c.failure(v, got, string(it.Error), "its download of the file failed")
	}
	return c.failure(verdict{effect: retry}, got, "", "its download of the file failed: "+string(it.State)+" "+string(it.Error))
}

// choose gives the file that is meant. Those without an id cannot be asked for.
func (torBox) choose(c *client, got *answer, all []torBoxFile) (torBoxFile, error) {
	all = slices.DeleteFunc(all, func(f torBoxFile) bool { return f.ID == "" })
	files := make([]remoteFile, 0, len(all))
	for _, f := range all {
		name := f.Name
		if name == "" {
			name = f.ShortName
		}
		files = append(files, remoteFile{name: string(name), mime: mediaType(string(f.MIME))})
	}
	i, why := onlyVideo(files)
	if i < 0 {
		return torBoxFile{}, c.failure(verdict{}, got, "", why)
	}
	return all[i], nil
}

// download asks for the link of a file. The key is in the query, as TorBox wants
// it; a link that holds the key itself is not handed out.
func (t torBox) download(ctx context.Context, c *client, a sources.Account, what, id string, f torBoxFile) (sources.Stream, error) {
	got, err := c.call(ctx, a, request{
		what: what, path: "/v1/api/webdl/requestdl",
		query: url.Values{"token": {a.Key.Reveal()}, "web_id": {id}, "file_id": {string(f.ID)}},
	})
	if err != nil {
		return sources.Stream{}, err
	}
	var link looseText
	if err := t.data(c, got, &link); err != nil {
		return sources.Stream{}, err
	}
	if a.Key != "" && strings.Contains(string(link), a.Key.Reveal()) {
		return sources.Stream{}, c.failure(verdict{}, got, "", "its link holds the key of the account; it is not used")
	}
	return c.stream(got, string(link), string(f.MIME), torBoxLife)
}

// data reads the data of an answer into v, also where it refuses.
func (torBox) data(c *client, got *answer, v any) error {
	var body struct {
		Success looseBool       `json:"success"`
		Error   looseText       `json:"error"`
		Detail  looseText       `json:"detail"`
		Data    json.RawMessage `json:"data"`
	}
	if !got.decode(&body) {
		if got.status == http.StatusTooManyRequests && !got.foreign() {
			return torBoxRefused(c, got, "", string(got.body))
		}
		return c.unreadable(got)
	}
	var shape error
	if len(body.Data) > 0 {
		shape = json.Unmarshal(body.Data, v)
	}
	switch {
	case !bool(body.Success):
		return torBoxRefused(c, got, string(body.Error), string(body.Detail))
	case shape != nil:
		return c.unreadable(got)
	}
	return nil
}

func torBoxRefused(c *client, got *answer, code, detail string) error {
	if _, known := torBoxCodes[code]; !known && strings.HasSuffix(code, "ERROR") {
		return c.failure(verdict{scope: ofAccount, effect: outage}, got, code, detail)
	}
	if free := torBoxWindow(detail); code == "" && got.status == http.StatusTooManyRequests && free > cooldownTrust {
		return c.failure(verdict{scope: ofAccount, effect: quota, until: in(free)}, got, code, detail)
	}
	return c.refused(torBoxCodes, got, code, detail)
}

// cooldownTrust is the longest limit of calls that a cooldown covers.
const cooldownTrust = 10 * time.Minute

// torBoxWindow is the span of a limit that its gate names in place of a code, as in
// "60 per 1 hour"; 0 where the text names none.
func torBoxWindow(text string) time.Duration {
	var calls, n int
	var unit string
	if _, err := fmt.Sscanf(text, "%d per %d %s", &calls, &n, &unit); err != nil || n < 1 || n > 31 {
		return 0
	}
	switch strings.TrimSuffix(unit, "s") {
	case "minute":
		return time.Duration(n) * time.Minute
	case "hour":
		return time.Duration(n) * time.Hour
	case "day":
		return time.Duration(n) * 24 * time.Hour
	default:
		return 0
	}
}

// isCode tells whether err is the service's refusal with code.
func isCode(err error, code string) bool {
	var refused *sources.ProviderStreamUnavailableError
	return errors.As(err, &refused) && refused.Code == code
}

// hosters are all that it knows. That one does not work now, or that the account has
// sent all the links that it may today, is no matter of a list that is kept: what it
// says of a link then tells.
func (t torBox) hosters(ctx context.Context, c *client, a sources.Account) ([]string, error) {
	got, err := c.call(ctx, a, request{what: "asking for its hosters", path: "/v1/api/webdl/hosters"})
	if err != nil {
		return nil, err
	}
	var all looseList[struct {
		Domains looseList[looseText] `json:"domains"`
		Domais  looseList[looseText] `json:"domais"` // as its own SDKs have it
	}]
	if err := t.data(c, got, &all); err != nil {
		return nil, err
	}
	var names []looseText
	for _, h := range all {
		names = append(append(names, h.Domains...), h.Domais...)
	}
	return domainsOf(names), nil
}

func (t torBox) check(ctx context.Context, c *client, a sources.Account) (AccountInfo, error) {
	got, err := c.call(ctx, a, request{what: "checking the account", path: "/v1/api/user/me"})
	if err != nil {
		return AccountInfo{}, err
	}
	var user struct {
		Email         looseText   `json:"email"`
		Plan          looseNumber `json:"plan"`
		Subscribed    looseBool   `json:"is_subscribed"`
		PremiumUntil  looseText   `json:"premium_expires_at"`
		CooldownUntil looseText   `json:"cooldown_until"`
	}
	if err := t.data(c, got, &user); err != nil {
		return AccountInfo{}, err
	}
	info := AccountInfo{Login: mask(string(user.Email)), Plan: torBoxPlan(user.Plan), PremiumUntil: isoTime(user.PremiumUntil)}
	info.Premium = user.Plan > 0 && (bool(user.Subscribed) || info.PremiumUntil.After(c.now()))
	if info.Premium && !info.PremiumUntil.After(c.now()) { // it is about to be renewed
		info.PremiumUntil = time.Time{}
	}
	if until := isoTime(user.CooldownUntil); until.After(c.now()) {
		info.Notes = append(info.Notes, "limited by TorBox until "+until.UTC().Format("2006-01-02 15:04 UTC"))
	}
	return info, nil
}

func torBoxPlan(n looseNumber) string {
	switch n {
	case 0:
		return "free"
	case 1:
		return "essential"
	case 2:
		return "pro"
	case 3:
		return "standard"
	default:
		return fmt.Sprintf("plan %.0f", float64(n))
	}
}

// start implements deviceLogin.
func (t torBox) start(ctx context.Context, c *client, a sources.Account) (Device, error) {
	got, err := c.call(ctx, a, request{
		what: "asking for a code to log in", path: "/v1/api/user/auth/device/start", query: url.Values{"app": {"xship"}},
	})
	if err != nil {
		return Device{}, err
	}
	var data struct {
		DeviceCode looseText   `json:"device_code"`
		Code       looseText   `json:"code"`
		URL        looseText   `json:"verification_url"`
		Interval   looseNumber `json:"interval"` // seconds
		ExpiresAt  looseText   `json:"expires_at"`
	}
	if err := t.data(c, got, &data); err != nil {
		return Device{}, err
	}
	expiresIn := int(isoTime(data.ExpiresAt).Sub(c.now()) / time.Second) // negative where it does not tell
	interval := int(min(data.Interval, 60))
	return c.device(got, string(data.Code), string(data.URL), interval, expiresIn, string(data.DeviceCode))
}

// poll implements deviceLogin. The key does not expire.
//
//nolint:unparam // nothing renews it
func (t torBox) poll(ctx context.Context, c *client, a sources.Account, d Device) (key, refresh sources.Secret, done bool, err error) {
	got, err := c.call(ctx, a, request{
		what: "logging in", path: "/v1/api/user/auth/device/token",
		json: map[string]string{"device_code": d.state.Reveal()}, secrets: []string{d.state.Reveal()},
	})
	if err != nil {
		return "", "", false, err
	}
	var data struct {
		Token looseText `json:"access_token"`
	}
	switch err := t.data(c, got, &data); {
	case isCode(err, torBoxPending), isCode(err, "AUTHORIZATION_PENDING"), isCode(err, "PENDING"):
		return "", "", false, nil
	case err != nil:
		return "", "", false, err
	case data.Token == "":
		return "", "", false, c.unreadable(got)
	}
	return sources.Secret(data.Token), "", true, nil
}
