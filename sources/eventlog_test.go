package sources_test

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"xship/sources"
)

// TestEventLog holds the lines to the letter: people and programs read them.
func TestEventLog(t *testing.T) {
	broken, good := sources.Interface{URL: "http://if.example/a?token=s3cret", Name: "broken"}, sources.Interface{URL: "http://if.example/b"}
	refused := errors.New("it was refused")
	summary := sources.CycleSummary{Titles: 1, TitlesFailed: 2, Resolved: 3, Probed: 4, Failed: 5, Skipped: 6, Duration: 1500100 * time.Microsecond}
	counts := "titles=1 titles_failed=2 resolved=3 probed=4 failed=5 skipped=6 duration=1.5s"
	attempt := sources.Attempt{Hoster: "h.example", Link: "https://h.example/a?token=s3cret"}
	tests := []struct {
		name  string
		event sources.Event
		want  string // lines
	}{
		{
			"attempt",
			sources.AttemptEnded{Attempt: attempt, Source: "7f", Class: sources.ClassDeadLink, Detail: "gone", Elapsed: time.Second},
			`level=DEBUG msg="an attempt ended" hoster=h.example source=7f class=dead_link error=gone elapsed=1s`,
		},
		{
			"attempt that is a bug",
			sources.AttemptEnded{Attempt: attempt, Source: "7f", Class: sources.ClassBug, Detail: "oh"},
			`level=ERROR msg="an attempt failed in a way that is a bug of xship" hoster=h.example source=7f error=oh`,
		},
		{
			"site",
			sources.SiteDone{Title: film, Report: sources.SiteReport{SiteInfo: sources.SiteInfo{Key: "k"}, Status: sources.SiteTimeout, Error: "late", Elapsed: time.Second, Sources: 2}, Class: sources.ClassHosterFault},
			`level=DEBUG msg="a site is done" site=k title="Film (2008)" status=timeout sources=2 error=late elapsed=1s`,
		},
		{
			"site that is a bug",
			sources.SiteDone{Report: sources.SiteReport{SiteInfo: sources.SiteInfo{Key: "k"}, Error: "oh"}, Class: sources.ClassBug},
			`level=ERROR msg="a site failed in a way that is a bug of xship" site=k error=oh`,
		},
		{
			"request",
			sources.RequestMade{Method: "GET", Link: "https://h.example/a?token=s3cret", Status: 500, Hops: 1, Elapsed: time.Second, Err: refused},
			`level=DEBUG msg="a request" method=GET url=https://h.example/REDACTED status=500 redirects=1 error="it was refused" elapsed=1s`,
		},
		{
			"request that worked",
			sources.RequestMade{Method: "HEAD", Link: "https://h.example", Status: 200},
			`level=DEBUG msg="a request" method=HEAD url=https://h.example/REDACTED status=200 redirects=0 error=<nil> elapsed=0s`,
		},
		{
			"request for an interface", // any of whose parameters may be a token
			sources.RequestMade{Method: "GET", Link: "https://if.example/tv.json?id=s3cret", Err: errors.New("GET https://if.example/tv.json?id=s3cret: refused")},
			`level=DEBUG msg="a request" method=GET url=https://if.example/REDACTED status=0 redirects=0 error="GET https://if.example/REDACTED refused" elapsed=0s`,
		},
		{
			"request for an unlocked link",
			sources.RequestMade{Method: "GET", Link: "https://u:p@dl.example:8443/d/5S3XTLH2TVVNC/Film.mkv", Err: errors.New("GET https://dl.example:8443/d/5S3XTLH2TVVNC/Film.mkv: gone")},
			`level=DEBUG msg="a request" method=GET url=https://dl.example:8443/REDACTED status=0 redirects=0 error="GET https://dl.example:8443/REDACTED gone" elapsed=0s`,
		},
		{
			"interface tried",
			sources.InterfaceTried{Interface: broken, Requests: 2, Elapsed: time.Second, Err: refused},
			`level=DEBUG msg="an interface was tried" interface="http://if.example/a?token=REDACTED" requests=2 error="it was refused" elapsed=1s`,
		},
		{
			"switch",
			sources.InterfaceSwitched{From: broken, To: good, Cause: refused},
			`level=WARN msg="an interface could not be loaded, trying the next one" interface=broken next=http://if.example/b error="it was refused"`,
		},
		{
			"switch that a user sees",
			sources.InterfaceSwitched{From: broken, To: good, Cause: refused, Attended: true},
			`level=DEBUG msg="an interface could not be loaded, trying the next one" interface=broken next=http://if.example/b error="it was refused"`,
		},
		{"loaded", sources.InterfaceLoaded{Origin: good, Interface: good}, ``},
		{"loaded another one that is not put in use", sources.InterfaceLoaded{Origin: broken, Interface: good, FailedOverFrom: []string{broken.URL}}, ``},
		{
			"loaded another one",
			sources.InterfaceLoaded{Origin: broken, Interface: good, FailedOverFrom: []string{broken.URL}, Switched: true},
			`level=INFO msg="another interface is in use now" interface=http://if.example/b`,
		},
		{
			"loaded another one, as a user sees",
			sources.InterfaceLoaded{Origin: broken, Interface: good, FailedOverFrom: []string{broken.URL}, Switched: true, Attended: true},
			`level=DEBUG msg="another interface is in use now" interface=http://if.example/b`,
		},
		{
			"loaded none",
			sources.InterfaceLoaded{Origin: broken, Err: refused},
			`level=WARN msg="no interface could be loaded" error="it was refused"`,
		},
		{
			"loaded an older copy",
			sources.InterfaceLoaded{Origin: broken, Interface: broken, Err: refused, StaleFrom: time.Unix(0, 0).UTC()},
			`level=WARN msg="no interface could be loaded, an older copy is used" interface="http://if.example/a?token=REDACTED" loaded=1970-01-01T00:00:00.000Z error="it was refused"`,
		},
		{
			"cooldown",
			sources.CooldownMarked{Key: sources.CooldownKey{User: 2, Provider: "all_debrid"}, Cooldown: sources.Cooldown{Remaining: 1500 * time.Millisecond, Reason: "limited"}},
			`level=INFO msg="a provider cools down" provider=all_debrid user=2 remaining=2s reason=limited`,
		},
		{
			"title",
			sources.TitleReady{Title: film, Quality: sources.Quality1080p},
			`level=INFO msg="a title is ready" title="Film (2008)" quality=1080p`,
		},
		{
			"account",
			sources.AccountEnding{User: 2, Provider: "torbox", EndsAt: time.Unix(0, 0).UTC()},
			`level=WARN msg="an account ends soon, or has ended; renew it at its provider" provider=torbox user=2 ends=1970-01-01T00:00:00.000Z`,
		},
		{
			"cycle",
			sources.CycleEnded{CycleSummary: summary, Hosters: []sources.HosterCycle{{Name: "a.example", OK: 2}, {Name: "b.example", Fail: 1, ConsecutiveFails: 3}}},
			`level=INFO msg="[Hoster-Stats] a.example: ok 2, fail 0"
level=INFO msg="[Hoster-Stats] b.example: ok 0, fail 1, backoff 3 fails"
level=INFO msg="precache cycle done" ` + counts,
		},
		{
			"cycle before another one",
			sources.CycleEnded{CycleSummary: summary, Next: time.Unix(900, 0).UTC()},
			`level=INFO msg="precache cycle done" ` + counts + ` next=1970-01-01T00:15:00.000Z`,
		},
		{"cycle that was to end", sources.CycleEnded{CycleSummary: summary, Err: refused, Interrupted: true}, `level=INFO msg="precache cycle interrupted" ` + counts},
		{
			"cycle that broke",
			sources.CycleEnded{CycleSummary: summary, Err: refused},
			`level=ERROR msg="precache cycle broken off, the next one goes on from here" ` + counts + ` reason="it was refused"`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sources.EventLog{}.Observe(t.Context(), tt.event)
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}}))
			sources.EventLog{Logger: logger}.Observe(t.Context(), tt.event)
			if got := strings.TrimSpace(log.String()); got != tt.want {
				t.Errorf("logged\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
