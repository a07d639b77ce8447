package debrid_test

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/debrid"
	"xship/sources/link"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/debridfake"
)

const (
	midnight  = 24 * time.Hour // bubbles begin at midnight UTC
	outage    = sources.DefaultCooldown
	rest      = 10 * time.Minute
	unserved  = 8 * time.Hour
	cooling   = sources.ClassProviderCooling
	badAuth   = sources.ClassProviderAuth
	usedUp    = sources.ClassProviderQuota
	badHoster = sources.ClassProviderHoster
	badItem   = sources.ClassProviderItem
	deadLink  = sources.ClassDeadLink
	ourBug    = sources.ClassBug
)

// What a code says, for the tables below.
var (
	thisLink   = want{kind: badItem}
	ifNextToo  = want{kind: badItem, suspect: true}
	gone       = want{kind: deadLink}
	wrongCall  = want{kind: ourBug}
	refused    = want{kind: badAuth}
	tooMany    = want{kind: cooling, grow: true}
	inTrouble  = want{kind: cooling, cooldown: outage}
	hosterDown = want{kind: badHoster, cooldown: rest, reset: rest, forAll: true}
)

// hosterFor rests the hoster for the account alone, so long.
func hosterFor(d time.Duration) want { return want{kind: badHoster, cooldown: d, reset: d} }

// quotaFor rests the account so long.
func quotaFor(d time.Duration) want { return want{kind: usedUp, reset: d} }

// codeCases are what the codes of each service mean.
var codeCases = map[string]map[string]want{
	"real_debrid": {
		"-1": inTrouble, "25": inTrouble,
		"5": tooMany, "34": tooMany,
		"6": thisLink, "16": thisLink, "26": thisLink, "27": thisLink, "28": thisLink, "29": thisLink, "30": thisLink, "32": thisLink,
		"33": thisLink, "35": thisLink,
		"7": gone, "24": gone,
		"1": wrongCall, "2": wrongCall, "3": wrongCall, "4": wrongCall, "31": wrongCall, "37": wrongCall,
		"8": refused, "9": refused, "10": refused, "11": refused, "12": refused, "13": refused, "14": refused, "15": refused, "22": refused,
		"17": hosterDown, "19": hosterDown,
		"18": hosterFor(midnight), "20": hosterFor(unserved), "23": hosterFor(midnight),
		"21": quotaFor(rest), "36": quotaFor(midnight),
	},
	"all_debrid": {
		"MAINTENANCE": inTrouble,
		"GENERIC":     ifNextToo,
		"BAD_LINK":    thisLink, "LINK_PASS_PROTECTED": thisLink, "LINK_NOT_SUPPORTED": thisLink, "LINK_HOST_NOT_SUPPORTED": thisLink,
		"LINK_TEMPORARY_UNAVAILABLE": thisLink, "LINK_ERROR": thisLink, "MUST_BE_PREMIUM": thisLink, "DELAYED_INVALID_ID": thisLink,
		"STREAM_INVALID_GEN_ID": thisLink, "STREAM_INVALID_STREAM_ID": thisLink, "REDIRECTOR_NOT_SUPPORTED": thisLink,
		"REDIRECTOR_ERROR": thisLink, "DOWNLOAD_FAILED": thisLink,
		"LINK_DOWN": gone,
		"404":       wrongCall, "DEPRECATED_ENDPOINT": wrongCall, "LINK_IS_MISSING": wrongCall,
		"AUTH_MISSING_APIKEY": refused, "AUTH_BAD_APIKEY": refused, "AUTH_USER_BANNED": refused, "AUTH_BLOCKED": refused, "NO_SERVER": refused,
		"PIN_ALREADY_AUTHED": refused, "PIN_EXPIRED": refused, "PIN_INVALID": refused,
		"LINK_HOST_UNAVAILABLE": hosterDown, "LINK_HOST_FULL": hosterDown,
		"LINK_TOO_MANY_DOWNLOADS": hosterFor(rest), "LINK_HOST_LIMIT_REACHED": hosterFor(midnight), "FREE_TRIAL_LIMIT_REACHED": hosterFor(midnight),
	},
	"premiumize": {
		"rate_limit_reached": tooMany, "slow_down": tooMany,
		"service_unsupported": thisLink, "unsupported": thisLink, "permanent_error": thisLink, "invalid_request": thisLink,
		"semi_permanent_error": thisLink, "transient_error": thisLink, "link_generation_failed": thisLink,
		"permission_denied": ifNextToo, "unknown_error": ifNextToo,
		"not_found":             gone,
		"authentication_failed": refused,
		"service_down":          hosterDown,
		"service_limit_reached": hosterFor(midnight),
		"account_limit_reached": quotaFor(midnight),
	},
	"torbox": {
		"RATE_LIMIT_EXCEEDED": tooMany, "RATE_LIMIT": tooMany,
		"DATABASE_ERROR": inTrouble, "NO_SERVERS_AVAILABLE_ERROR": inTrouble, "REDIRECT_ERROR": inTrouble, "AUTH_ERROR": inTrouble,
		"ITEM_NOT_FOUND": thisLink, "DOWNLOAD_TOO_LARGE": thisLink, "TOO_MUCH_DATA": thisLink, "UNSUPPORTED_SITE": thisLink,
		"INVALID_LINK": thisLink, "DIFF_ISSUE": thisLink, "NOT_OWNER": thisLink, "BOZO_FILE": thisLink, "DUPLICATE_ITEM": thisLink,
		"DEVICE_CODE_NOT_USED": thisLink, "AUTHORIZATION_PENDING": thisLink, "PENDING": thisLink, "INVALID_DEVICE": thisLink,
		"DOWNLOAD_SERVER_ERROR": ifNextToo, "UNKNOWN_ERROR": ifNextToo, "TEMPORARILY_DISABLED": ifNextToo,
		"LINK_OFFLINE": gone,
		"NO_AUTH":      refused, "BAD_TOKEN": refused, "OAUTH_VERIFICATION_ERROR": refused,
		"PLAN_RESTRICTED_FEATURE": refused, "VENDOR_DISABLED": refused,
		"MONTHLY_LIMIT": quotaFor(midnight), "COOLDOWN_LIMIT": quotaFor(time.Hour), "ACTIVE_LIMIT": quotaFor(rest),
		"INVALID_OPTION": wrongCall, "MISSING_REQUIRED_OPTION": wrongCall, "TOO_MANY_OPTIONS": wrongCall, "ENDPOINT_NOT_FOUND": wrongCall,
	},
	"debrid_link": {
		"server_error": inTrouble, "internalError": inTrouble,
		"hostNotValid": thisLink, "badFileUrl": thisLink, "badFilePassword": thisLink, "infringingFile": thisLink, "notDebrid": thisLink,
		"fileNotAvailable": thisLink, "badId": thisLink,
		"maxAttempts":  ifNextToo,
		"fileNotFound": gone,
		"badToken":     refused, "badSign": refused, "expired_token": refused, "access_denied": refused, "hidedToken": refused,
		"accountLocked": refused, "unverifiedEmail": refused, "serverNotAllowed": refused, "captchaRequired": refused,
		"maintenanceHost": hosterDown, "noServerHost": hosterDown, "disabledHost": hosterDown,
		"disabledServerHost": hosterFor(rest), "maxSimultaneousFilesHost": hosterFor(rest),
		"maxLinkHost": hosterFor(midnight), "maxDataHost": hosterFor(midnight), "notFreeHost": hosterFor(midnight),
		"floodDetected": quotaFor(time.Hour), "maxLink": quotaFor(midnight), "maxData": quotaFor(midnight),
		"maxTransfer": quotaFor(rest), "freeServerOverload": quotaFor(rest),
		"badArguments": wrongCall, "unknowR": wrongCall,
	},
}

// scope is what w speaks of, in the words of the tables.
func (w want) scope() string {
	switch {
	case w.kind == badHoster && w.forAll:
		return "hoster"
	case w.kind == badHoster:
		return "hoster for this account"
	case w.kind == cooling || w.kind == badAuth || w.kind == usedUp:
		return "account"
	default:
		return "link"
	}
}

// anyFake is the fake of one of the five services.
type anyFake interface {
	http.Handler
	AcceptKey(key string)
	SetHosters(domains ...string)
	SetPlan(p debridfake.Plan)
	Set(endpoint string, a debridfake.Answer)
	Fail(code string)
	Status(status int, header http.Header, body string)
	Work()
	Unlocks() int
}

func newFake(service string) anyFake { return newFakeAt(service, streamOf) }

// newFakeAt is a fake whose streams lie where at says.
func newFakeAt(service string, at func(link string) string) anyFake {
	switch service {
	case "real_debrid":
		return debridfake.NewRealDebrid(at)
	case "all_debrid":
		return debridfake.NewAllDebrid(at)
	case "premiumize":
		return debridfake.NewPremiumize(at)
	case "torbox":
		return debridfake.NewTorBox(at)
	default:
		return debridfake.NewDebridLink(at)
	}
}

// users are two accounts at one service, whose links go through the use case.
type users struct {
	t        *testing.T
	service  string
	fake     anyFake
	bench    *bench
	resolve  *sources.StreamResolve
	cooldown sources.ProviderCooldown
}

func newUsers(t *testing.T, service string) *users {
	t.Helper()
	u := &users{t: t, service: service, fake: newFake(service), cooldown: cooldown.NewMemory(time.Now)}
	u.fake.SetHosters("rapid.example", "turbo.example")
	u.bench = newBench(t, u.fake)
	accounts := &sources.Accounts{Providers: u.bench.Providers(), Cooldown: u.cooldown, Store: sourcetest.NewMemory(time.Now)}
	for user, key := range map[int64]string{1: testKey, 2: testKey + "-2"} {
		u.fake.AcceptKey(key)
		accounts.List = append(accounts.List, sources.Account{User: user, Provider: service, Key: sources.Secret(key), BaseURL: "http://api.example"})
	}
	u.resolve = &sources.StreamResolve{Attempts: &sources.Attempts{Store: sourcetest.NewMemory(time.Now)}, Accounts: accounts}
	return u
}

// unlock gives the error of unlocking a link, and whether the service was asked.
func (u *users) unlock(user int64, address string) (asked bool, err error) {
	u.t.Helper()
	before := u.fake.Unlocks()
	src := sources.Source{ID: address, URL: address, Hoster: link.Hoster(address)}
	_, err = u.resolve.Resolve(u.t.Context(), src, sources.ResolveOptions{Force: true, User: user})
	return u.fake.Unlocks() > before, err
}

// Links of two hosters.
const (
	rapidA = "https://rapid.example/f/a"
	rapidB = "https://rapid.example/f/b"
	turboA = "https://turbo.example/f/a"
)

// TestCodes meets each code with one link, and looks at what rests after that and
// what is still asked: for another link of the hoster, for another hoster, and for
// another user.
func TestCodes(t *testing.T) {
	for service, rows := range codeCases {
		for code, w := range rows {
			t.Run(service+"/"+code, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					u := newUsers(t, service)
					u.fake.Fail(code)
					_, err := u.unlock(1, rapidA)
					w.check(t, err)
					if !strings.HasSuffix(err.Error(), "(code "+code+")") {
						t.Errorf("error %q does not end in the service's code %q", err, code)
					}
					if n := u.fake.Unlocks(); n != 1 {
						t.Errorf("the service was asked %d times, want 1: nothing is retried", n)
					}
					if strings.Contains(u.bench.log.String(), "unknown error code") {
						t.Errorf("a code of the table is not known:\n%s", u.bench.log)
					}
					u.fake.Work()
					scope := w.scope()
					for _, next := range []struct {
						user  int64
						link  string
						asked bool
					}{
						{1, rapidB, scope == "link"},
						{1, turboA, scope != "account"},
						{2, rapidB, scope != "hoster"},
						{2, turboA, true},
					} {
						asked, err := u.unlock(next.user, next.link)
						if asked != next.asked || (err == nil) != next.asked {
							t.Errorf("user %d is asked for %s: %t, %v, want %t", next.user, next.link, asked, err, next.asked)
						}
					}
				})
			})
		}
	}
}

// The tables have a case for each of their rows, and the scope that the case has.
func TestCodeTables(t *testing.T) {
	for service, cases := range codeCases {
		want := make(map[string]string)
		for code, w := range cases {
			want[code] = w.scope()
		}
		got := make(map[string]string)
		for _, row := range debrid.Rows(service) {
			got[row.Code] = row.Scope
			if row.Source == "" {
				t.Errorf("%s: the row of %s has no source", service, row.Code)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the scopes of %s (-want +got):\n%s", service, diff)
		}
	}
}

// The page on accounts has the tables as they are.
func TestCodesAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "accounts.md"))
	if err != nil {
		t.Fatal(err)
	}
	for service := range codeCases {
		var table strings.Builder
		table.WriteString("| code | scope | what follows | source |\n|---|---|---|---|\n")
		for _, row := range debrid.Rows(service) {
			fmt.Fprintf(&table, "| `%s` | %s | %s | %s |\n", row.Code, row.Scope, row.Effect, row.Source)
		}
		if !strings.Contains(string(page), table.String()) {
			t.Errorf("docs/accounts.md does not have this table of %s:\n%s", service, table.String())
		}
	}
}

// A code counts before the status that it comes with, in all five: what a service
// says of a link in an answer 429 or 503 rests nothing.
func TestCodeBeforeStatus(t *testing.T) {
	codes := map[string][]string{
		"real_debrid": {"24", "16", "8", "18"}, "all_debrid": {"LINK_DOWN", "LINK_HOST_FULL", "AUTH_BAD_APIKEY", "MUST_BE_PREMIUM"},
		"premiumize": {"not_found", "service_down", "authentication_failed"}, "torbox": {"LINK_OFFLINE", "ACTIVE_LIMIT", "BAD_TOKEN"},
		"debrid_link": {"fileNotFound", "maxLinkHost", "badToken"},
	}
	for service, codes := range codes {
		for _, code := range codes {
			for _, status := range []int{200, 400, 401, 403, 404, 429, 500, 503} {
				synctest.Test(t, func(t *testing.T) {
					u := newUsers(t, service)
					u.fake.Status(status, http.Header{"Retry-After": {"120"}}, refusalBody(service, code))
					_, err := u.unlock(1, rapidA)
					t.Logf("%s %s with %d", service, code, status)
					codeCases[service][code].check(t, err)
				})
			}
		}
	}
}

// refusalBody is what a service answers with a code.
func refusalBody(service, code string) string {
	switch service {
	case "real_debrid":
		return `{"error":"words","error_code":` + code + `}`
	case "all_debrid":
		return `{"status":"error","error":{"code":"` + code + `","message":"words"}}`
	case "premiumize":
		return `{"status":"error","code":"` + code + `","message":"words"}`
	default:
		return `{"success":false,"error":"` + code + `","detail":"words","data":null}`
	}
}

// A status that comes without a code says what it can: of 4xx that the link is
// refused, unless the next link meets the same. What truly is the account's, or the
// service's, counts at once.
func TestStatusAlone(t *testing.T) {
	ofLink := []int{400, 404, 405, 406, 409, 410, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 424, 425, 426, 428, 431, 451}
	for _, service := range slices.Sorted(maps.Keys(codeCases)) {
		for _, status := range ofLink {
			synctest.Test(t, func(t *testing.T) {
				u := newUsers(t, service)
				u.fake.Status(status, nil, "{}")
				name := fmt.Sprintf("%s %d", service, status)
				_, err := u.unlock(1, rapidA)
				t.Log(name)
				ifNextToo.check(t, err)
				u.fake.Work()
				if asked, err := u.unlock(1, rapidB); !asked || err != nil {
					t.Errorf("%s: the next link is asked for: %t, %v", name, asked, err)
				}
				u.fake.Status(status, nil, "{}")
				for _, address := range []string{rapidA, turboA} {
					time.Sleep(5 * time.Second) // a failure is remembered
					_, _ = u.unlock(1, address)
				}
				u.fake.Work()
				if asked, _ := u.unlock(1, rapidB+"2"); asked {
					t.Errorf("%s: after two links it is still asked", name)
				}
				if asked, err := u.unlock(2, rapidB+"2"); !asked || err != nil {
					t.Errorf("%s: user 2 is asked for: %t, %v", name, asked, err)
				}
			})
		}
		for status, w := range map[int]want{
			401: refused, 402: refused, 403: refused, 407: inTrouble, 408: inTrouble, 429: tooMany, 500: inTrouble, 502: inTrouble, 504: inTrouble, 530: inTrouble,
		} {
			synctest.Test(t, func(t *testing.T) {
				u := newUsers(t, service)
				u.fake.Status(status, nil, "{}")
				_, err := u.unlock(1, rapidA)
				t.Logf("%s %d", service, status)
				w.check(t, err)
				u.fake.Work()
				if asked, _ := u.unlock(1, turboA); asked {
					t.Errorf("%s: after %d the account is still asked", service, status)
				}
				if asked, err := u.unlock(2, turboA); !asked || err != nil {
					t.Errorf("%s: after %d user 2 is asked for: %t, %v", service, status, asked, err)
				}
			})
		}
	}
}

func TestAnswersWithoutCode(t *testing.T) {
	retryAfter := func(value string) http.Header { return http.Header{"Retry-After": {value}} }
	const (
		page  = "<!DOCTYPE html><title>Attention</title>"
		plain = "something went wrong"
	)
	cases := []struct {
		name   string
		status int
		header http.Header
		body   string
		want   want
		all    *want // of AllDebrid, where it differs
	}{
		{name: "429", status: 429, want: want{kind: cooling, grow: true}},
		{name: "429 page", status: 429, body: page, want: want{kind: cooling, grow: true}},
		{name: "429 with an unknown code", status: 429, body: `{"error":"x","error_code":99,"status":"error"}`, want: want{kind: cooling, grow: true}},
		{name: "429 in 7 s", status: 429, header: retryAfter("7"), want: want{kind: cooling, cooldown: 7 * time.Second}},
		{name: "429 now", status: 429, header: retryAfter("0"), want: want{kind: cooling, cooldown: time.Second}},
		{name: "429 in an hour", status: 429, header: retryAfter("3600"), want: want{kind: cooling, cooldown: 300 * time.Second}},
		{name: "429 overflowing", status: 429, header: retryAfter("9223372037"), want: want{kind: cooling, cooldown: 300 * time.Second}},
		{name: "429 negative", status: 429, header: retryAfter("-3"), want: want{kind: cooling, grow: true}},
		{name: "429 nonsense", status: 429, header: retryAfter("300s"), want: want{kind: cooling, grow: true}},
		{name: "429 date", status: 429, header: retryAfter("Sat, 01 Jan 2000 00:01:30 GMT"), want: want{kind: cooling, cooldown: 90 * time.Second}},
		{name: "500", status: 500, body: plain, want: want{kind: cooling, cooldown: outage}},
		{name: "502 page", status: 502, body: page, want: want{kind: cooling, cooldown: outage}},
		{name: "502 in 45 s", status: 502, body: page, header: retryAfter("45"), want: want{kind: cooling, cooldown: 45 * time.Second}},
		{
			name: "503 page", status: 503, body: page, want: want{kind: cooling, cooldown: outage},
			all: &want{kind: cooling, grow: true},
		},
		{
			name: "503 in 12 s", status: 503, body: page, header: retryAfter("12"), want: want{kind: cooling, cooldown: 12 * time.Second},
		},
		{name: "521", status: 521, body: page, want: want{kind: cooling, cooldown: outage}},
		{name: "401", status: 401, want: want{kind: badAuth}},
		{name: "403", status: 403, body: "{}", want: want{kind: badAuth}},
		{name: "403 page of a proxy", status: 403, body: page, want: want{kind: cooling, cooldown: outage}},
		{name: "403 in the words of a proxy", status: 403, body: "error code: 1020", want: want{kind: cooling, cooldown: outage}},
		{
			name: "403 in the JSON of a proxy", status: 403, want: want{kind: cooling, cooldown: outage},
			body: `{"title":"Error 1020: Access denied","status":403,"cloudflare_error":true}`,
		},
		{name: "404", status: 404, body: plain, want: ifNextToo},
		{name: "400", status: 400, body: plain, want: ifNextToo},
		{name: "418", status: 418, body: plain, want: ifNextToo},
		{name: "451 page", status: 451, body: page, want: ifNextToo},
		{name: "200 page", status: 200, body: page, want: want{kind: cooling, cooldown: outage}},
		{name: "200 empty", status: 200, want: want{kind: badItem}},
		{name: "200 of another shape", status: 200, body: `{"status":"success","data":[1],"download":7}`, want: want{kind: badItem}},
		{name: "200 without a link", status: 200, body: `{"status":"success","data":{},"download":""}`, want: want{kind: badItem}},
		{
			name: "200 with a link of another scheme", status: 200,
			body: `{"status":"success","data":{"link":"magnet:?xt=1"},"download":"magnet:?xt=1"}`, want: want{kind: badItem},
		},
	}
	for _, s := range newServices() {
		for _, c := range cases {
			t.Run(s.name+"/"+c.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBench(t, s)
					s.Status(c.status, c.header, c.body)
					_, err := b.provider(t, s.name).Unlock(t.Context(), s.account(), testLink, false)
					w := c.want
					if c.all != nil && s.name == "all_debrid" {
						w = *c.all
					}
					w.check(t, err)
				})
			})
		}
	}
}

// One bad hoster costs its own links nothing else, and is asked once
// (itsToggle/rclone_RD#10).
func TestHosterFailureLeavesOthers(t *testing.T) {
	forServices(t, func(t *testing.T, s fakeService) {
		b := newBench(t, s)
		p := b.provider(t, s.name)
		code := map[string]string{"real_debrid": "19", "all_debrid": "LINK_HOST_UNAVAILABLE"}[s.name]
		s.Fail(code)
		_, err := p.Unlock(t.Context(), s.account(), testLink, false)
		want{kind: badHoster, cooldown: rest, reset: rest, forAll: true}.check(t, err)
		s.Work()
		if _, err := p.Unlock(t.Context(), s.account(), "https://turbo.example/f/2", false); err != nil {
			t.Errorf("the next link failed too: %v", err)
		}
		if n := s.Unlocks(); n != 2 {
			t.Errorf("unlocked %d times, want 2", n)
		}
	})
}

// Texts say what was tried, on what, what came back and what to do
// (Prowlarr/Prowlarr#1152, NepiRaw/Stremio-IntellDebridSearch#12).
func TestErrorTexts(t *testing.T) {
	cases := []struct{ service, code, text string }{
		{"real_debrid", "36", "Real-Debrid: unlocking a link of rapid.example: fair_usage_limit; limited until 2000-01-02 00:00 UTC (code 36)"},
		{"real_debrid", "14", "Real-Debrid: unlocking a link of rapid.example: account_locked; check the account and its key (code 14)"},
		{"all_debrid", "NO_SERVER", "AllDebrid: unlocking a link of rapid.example: The fake says NO_SERVER; it is the address of this machine that is refused, not the key: that of a VPN or a server, or one that the owner has to confirm (code NO_SERVER)"},
		{"all_debrid", "LINK_DOWN", "AllDebrid: unlocking a link of rapid.example: The fake says LINK_DOWN (code LINK_DOWN)"},
		{"all_debrid", "LINK_ERROR", "AllDebrid: unlocking a link of rapid.example: The fake says LINK_ERROR; try again later (code LINK_ERROR)"},
	}
	for _, c := range cases {
		t.Run(c.code, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, s := range newServices() {
					if s.name != c.service {
						continue
					}
					s.Fail(c.code)
					_, err := newBench(t, s).provider(t, s.name).Unlock(t.Context(), s.account(), testLink, false)
					if err == nil || err.Error() != c.text {
						t.Errorf("error = %v, want\n%s", err, c.text)
					}
				}
			})
		})
	}
}

// An account whose premium time is over, or that never had any, is told from one that
// has some, in all five.
func TestCheckPlans(t *testing.T) {
	forgets := []string{"all_debrid", "debrid_link"} // that an account was premium
	for service := range codeCases {
		for plan, premium := range map[debridfake.Plan]bool{debridfake.Premium: true, debridfake.Expired: false, debridfake.Free: false} {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Hour) // after the day on which accounts expired
				fake := newFake(service)
				fake.AcceptKey(testKey)
				fake.SetPlan(plan)
				info, err := newBench(t, fake).Check(t.Context(), sources.Account{User: 1, Provider: service, Key: testKey})
				if err != nil || info.Premium != premium {
					t.Errorf("%s, plan %d: %+v, %v, want premium %t", service, plan, info, err, premium)
				}
				over := !info.PremiumUntil.IsZero() && !info.PremiumUntil.After(time.Now())
				if want := plan == debridfake.Expired && !slices.Contains(forgets, service); over != want {
					t.Errorf("%s, plan %d: premium until %s, want over %t", service, plan, info.PremiumUntil, want)
				}
			})
		}
	}
}

// Nobody is warned while a login waits for its code.
func TestLoginPendingIsSilent(t *testing.T) {
	for _, service := range []string{"real_debrid", "all_debrid", "torbox"} {
		for _, pending := range []string{"", "AUTHORIZATION_PENDING", "PENDING"} {
			synctest.Test(t, func(t *testing.T) {
				fake := newFake(service)
				b := newBench(t, fake)
				device, err := b.StartLogin(t.Context(), service, "")
				if err != nil {
					t.Fatal(err)
				}
				if pending != "" && service == "torbox" {
					fake.Set(debridfake.TorBoxDeviceToken, debridfake.Answer{Status: http.StatusBadRequest, Body: refusalBody(service, pending)})
				}
				for range 3 {
					if _, done, err := b.PollLogin(t.Context(), device); done || err != nil {
						t.Errorf("%s: PollLogin = %t, %v", service, done, err)
					}
				}
				if log := b.log.String(); strings.Contains(log, "level=WARN") || strings.Contains(log, "level=ERROR") {
					t.Errorf("%s: it warns while the code is not entered:\n%s", service, log)
				}
			})
		}
	}
}

func TestUnknownCodeIsLoggedOnce(t *testing.T) {
	forServices(t, func(t *testing.T, s fakeService) {
		b := newBench(t, s)
		s.Fail("777")
		for range 3 {
			_, err := b.provider(t, s.name).Unlock(t.Context(), s.account(), testLink, false)
			want{kind: badItem}.check(t, err)
		}
		if n := strings.Count(b.log.String(), "level=WARN"); n != 1 || !strings.Contains(b.log.String(), "code=777") {
			t.Errorf("logged %d warnings, want 1 with the code:\n%s", n, b.log)
		}
	})
}
