package debrid_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"xship/sources"
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

// codeCases are the rows of the classification table.
var codeCases = map[string]map[string]want{
	"real_debrid": {
		"34": {kind: cooling, grow: true},
		"5":  {kind: cooling, grow: true},
		"-1": {kind: cooling, cooldown: outage},
		"25": {kind: cooling, cooldown: outage},

		"16": {kind: badHoster, cooldown: unserved, reset: unserved, forAll: true},
		"17": {kind: badHoster, cooldown: rest, reset: rest, forAll: true},
		"19": {kind: badHoster, cooldown: rest, reset: rest, forAll: true},
		"18": {kind: badHoster, cooldown: midnight, reset: midnight},
		"20": {kind: badHoster, cooldown: unserved, reset: unserved},

		"7":  {kind: deadLink},
		"24": {kind: deadLink},
		"28": {kind: deadLink},
		"35": {kind: deadLink},

		"8":  {kind: badAuth},
		"9":  {kind: badAuth},
		"10": {kind: badAuth},
		"11": {kind: badAuth},
		"12": {kind: badAuth},
		"13": {kind: badAuth},
		"14": {kind: badAuth},
		"15": {kind: badAuth},
		"22": {kind: badAuth},

		"23": {kind: usedUp, reset: midnight},
		"36": {kind: usedUp, reset: midnight},
		"21": {kind: usedUp, reset: time.Hour},

		"6":  {kind: badItem},
		"1":  {kind: ourBug},
		"2":  {kind: ourBug},
		"3":  {kind: ourBug},
		"4":  {kind: ourBug},
		"31": {kind: ourBug},
		"37": {kind: ourBug},

		"99": {kind: badItem}, // unknown
	},
	"all_debrid": {
		"MAINTENANCE": {kind: cooling, cooldown: outage},
		"429":         {kind: cooling, grow: true},
		"GENERIC":     {kind: badItem},

		"LINK_HOST_UNAVAILABLE":   {kind: badHoster, cooldown: rest, reset: rest, forAll: true},
		"LINK_HOST_FULL":          {kind: badHoster, cooldown: rest, reset: rest, forAll: true},
		"LINK_TOO_MANY_DOWNLOADS": {kind: badHoster, cooldown: rest, reset: rest, forAll: true},
		"LINK_HOST_LIMIT_REACHED": {kind: badHoster, cooldown: midnight, reset: midnight},
		"LINK_HOST_NOT_SUPPORTED": {kind: badHoster, cooldown: unserved, reset: unserved, forAll: true},

		"LINK_DOWN":                  {kind: deadLink},
		"BAD_LINK":                   {kind: deadLink},
		"LINK_PASS_PROTECTED":        {kind: deadLink},
		"LINK_NOT_SUPPORTED":         {kind: deadLink},
		"LINK_TEMPORARY_UNAVAILABLE": {kind: badItem},
		"LINK_ERROR":                 {kind: badItem},

		"AUTH_MISSING_APIKEY": {kind: badAuth},
		"AUTH_BAD_APIKEY":     {kind: badAuth},
		"AUTH_USER_BANNED":    {kind: badAuth},
		"AUTH_BLOCKED":        {kind: badAuth},
		"MUST_BE_PREMIUM":     {kind: badAuth},
		"NO_SERVER":           {kind: badAuth},

		"FREE_TRIAL_LIMIT_REACHED": {kind: usedUp, reset: midnight},

		"LINK_IS_MISSING":    {kind: ourBug},
		"DELAYED_INVALID_ID": {kind: ourBug},
		"404":                {kind: ourBug},

		"NEVER_HEARD_OF": {kind: badItem}, // unknown
	},
}

func TestCodes(t *testing.T) {
	for _, s := range newServices() {
		for code, w := range codeCases[s.name] {
			t.Run(s.name+"/"+code, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					b := newBench(t, s)
					s.Fail(code)
					_, err := b.provider(t, s.name).Unlock(t.Context(), s.account(), testLink, false)
					w.check(t, err)
					if !strings.HasSuffix(err.Error(), "(code "+code+")") {
						t.Errorf("error %q does not end in the service's code %q", err, code)
					}
					if n := len(b.calls.times()); n != 1 {
						t.Errorf("made %d calls, want 1: nothing is retried", n)
					}
				})
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
		{name: "429 with a code of another kind", status: 429, body: `{"error":"x","error_code":8,"status":"error"}`, want: want{kind: cooling, grow: true}},
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
		{name: "404", status: 404, body: plain, want: want{kind: badItem}},
		{name: "400", status: 400, body: plain, want: want{kind: badItem}},
		{name: "418", status: 418, body: plain, want: want{kind: cooling, cooldown: outage}},
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

// What a service says of links right after too many requests is doubtful.
func TestInfringingAfterThrottling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServices()[0]
		b := newBench(t, s)
		p := b.provider(t, s.name)
		s.Status(http.StatusTooManyRequests, nil, "")
		_, err := p.Unlock(t.Context(), s.account(), testLink, false)
		want{kind: cooling, grow: true}.check(t, err)
		s.Fail("35")
		_, err = p.Unlock(t.Context(), s.account(), testLink, false)
		want{kind: badItem}.check(t, err)
		time.Sleep(30 * time.Second)
		_, err = p.Unlock(t.Context(), s.account(), testLink, false)
		want{kind: deadLink}.check(t, err)
	})
}

// Texts say what was tried, on what, what came back and what to do
// (Prowlarr/Prowlarr#1152, NepiRaw/Stremio-IntellDebridSearch#12).
func TestErrorTexts(t *testing.T) {
	cases := []struct{ service, code, text string }{
		{"real_debrid", "23", "Real-Debrid: unlocking a link of rapid.example: traffic_exhausted; limited until 2000-01-02 00:00 UTC (code 23)"},
		{"real_debrid", "14", "Real-Debrid: unlocking a link of rapid.example: account_locked; check the account and its key (code 14)"},
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
