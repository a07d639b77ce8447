package cmd

import (
	"errors"
	"strings"
	"testing"
	"time"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/sources"
)

// An account that answers may be kept from links all the same.
func TestAccountFinding(t *testing.T) {
	works := api.AccountCheck{User: 1, Provider: "torbox", OK: true, Plan: "pro", Premium: true}
	rests := func(c api.AccountCheck, state string, seconds int64) api.AccountCheck {
		c.State, c.Reason, c.RemainingSeconds, c.Lift = state, "the reason", seconds, "the command"
		return c
	}
	failed := api.AccountCheck{User: 1, Provider: "torbox", Class: string(sources.ClassProviderQuota), Error: "TorBox: too much"}
	for _, c := range []struct {
		name  string
		check api.AccountCheck
		state string
		want  string
	}{
		{"works", rests(works, string(engine.RestNone), 0), api.FindingOK, "TorBox of user 1: pro"},
		{"quota", rests(works, string(engine.RestQuota), 60), api.FindingWarning, "TorBox of user 1: pro, and its quota is used up, 60 s more: the reason; the command has it asked again"},
		{"refused", rests(works, string(engine.RestRefused), 0), api.FindingProblem, "TorBox of user 1: pro, and links were refused: the reason"},
		{"cooling", rests(works, string(engine.RestCooling), 7), api.FindingWarning, "TorBox of user 1: pro, and cooling down, 7 s more: the reason"},
		{"expired", api.AccountCheck{User: 1, Provider: "torbox", OK: true, Plan: "pro", PremiumUntil: 1_600_000_000, AccountRest: api.AccountRest{State: string(engine.RestExpired)}}, api.FindingWarning, "TorBox of user 1: pro, premium until 2020-09-13, which is over"},
		{"ends soon", api.AccountCheck{User: 1, Provider: "torbox", OK: true, Plan: "pro", Premium: true, PremiumUntil: 1_700_200_000}, api.FindingWarning, "TorBox of user 1: pro, premium until 2023-11-17, 2 d left"},
		{"ends later", api.AccountCheck{User: 1, Provider: "torbox", OK: true, Plan: "pro", Premium: true, PremiumUntil: 1_702_000_000}, api.FindingOK, "TorBox of user 1: pro, premium until 2023-12-08"},
		{"free", api.AccountCheck{User: 1, Provider: "torbox", OK: true, Plan: "free", AccountRest: api.AccountRest{State: string(engine.RestFree)}}, api.FindingWarning, "TorBox of user 1: free"},
		{"failed", failed, api.FindingProblem, "TorBox of user 1: TorBox: too much"},
		{"failed, and rests", rests(failed, string(engine.RestQuota), 60), api.FindingProblem, "TorBox of user 1: TorBox: too much; 60 s more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := accountFinding(c.check, time.Unix(1_700_000_000, 0))
			if f.State != c.state || f.Detail != c.want || strings.TrimSpace(f.Hint) == "" && f.State != api.FindingOK {
				t.Errorf("%+v, want %s: %s", f, c.state, c.want)
			}
		})
	}
}

// Old programs are told of, with what to do.
func TestProgramFinding(t *testing.T) {
	for _, c := range []struct {
		name  string
		check engine.ProgramCheck
		want  api.Finding
	}{
		{"yt-dlp", engine.ProgramCheck{Path: "/p", Version: "2026.11.20"}, api.Finding{State: api.FindingOK, Detail: "/p, version 2026.11.20"}},
		{"yt-dlp", engine.ProgramCheck{Path: "/p", Version: "2025.11.12", Age: 384 * 24 * time.Hour}, api.Finding{State: api.FindingWarning, Detail: "/p, version 2025.11.12, is 1 year old", Hint: updateHint("yt-dlp")}},
		{"ffprobe", engine.ProgramCheck{Path: "/p", Version: "n4.4.1", Age: 8 * 366 * 24 * time.Hour}, api.Finding{State: api.FindingWarning, Detail: "/p, version n4.4.1, is 8 years old", Hint: updateHint("ffprobe")}},
		{"ffprobe", engine.ProgramCheck{Path: "/p", Err: errors.New("exit status 127")}, api.Finding{State: api.FindingProblem, Detail: "/p does not run: exit status 127", Hint: "hint"}},
	} {
		c.want.Check = c.name
		if got := programFinding(c.name, "hint", c.check); got != c.want {
			t.Errorf("%+v\nwant %+v", got, c.want)
		}
	}
}

// The doctor says whether the precacher runs, how its last cycle ended, and what to do.
func TestPrecacherFinding(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	ended := func(ago time.Duration, failed string, interrupted bool) engine.DaemonState {
		c := sources.CycleRecord{CycleSummary: sources.CycleSummary{Titles: 2, Probed: 3}, BegunAt: now.Add(-ago - time.Minute), EndedAt: now.Add(-ago), Error: failed, Interrupted: interrupted}
		s := engine.DaemonState{Schedule: "@every 15m", Last: &c}
		if failed == "" {
			s.Finished = &c
		}
		return s
	}
	runs := func(s engine.DaemonState) engine.DaemonState {
		s.Running, s.PID, s.Since, s.Next = true, 42, now.Add(-3*time.Hour), now.Add(7*time.Minute)
		return s
	}
	for _, c := range []struct {
		name    string
		state   engine.DaemonState
		watched int
		want    string
		detail  string
	}{
		{"nothing watched", engine.DaemonState{Schedule: "@every 15m"}, 0, api.FindingOK, "does not run, and no title is watched"},
		{"none was started", engine.DaemonState{Schedule: "@every 15m"}, 1, api.FindingWarning, "does not run; nothing looks for 1 title of the watchlist"},
		{"runs", runs(ended(4*time.Minute, "", false)), 2, api.FindingOK, "has run for 3 h (process 42); last cycle 4 min ago: 2 titles, 3 proven; next cycle in 7 min"},
		{"runs by cron", ended(4*time.Minute, "", false), 2, api.FindingOK, "does not run; xship precache starts it; last cycle 4 min ago: 2 titles, 3 proven"},
		{"ended long ago", ended(2*time.Hour, "", false), 2, api.FindingWarning, "does not run; last cycle 2 h ago: 2 titles, 3 proven; nothing looks for 2 titles of the watchlist"},
		{"broken off", runs(ended(4*time.Minute, "the disk is full", false)), 2, api.FindingWarning, "has run for 3 h (process 42); last cycle 4 min ago: broken off, the disk is full; next cycle in 7 min"},
		{"interrupted", runs(ended(4*time.Minute, "context canceled", true)), 0, api.FindingOK, "has run for 3 h (process 42); last cycle 4 min ago: interrupted; next cycle in 7 min"},
		{"of an older xship", engine.DaemonState{Running: true, Older: true, PID: 42, Since: now.Add(-3 * time.Hour)}, 0, api.FindingWarning, "has run for 3 h (process 42), of an older xship that tells of no cycle"},
		{"no cycle ends", runs(ended(2*time.Hour, "", false)), 2, api.FindingWarning, "has run for 3 h (process 42); last cycle 2 h ago: 2 titles, 3 proven; next cycle in 7 min"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := precacherFinding(engine.PrecacherCheck{DaemonState: c.state, Watched: c.watched}, now)
			if f.State != c.want || f.Detail != c.detail || (f.Hint == "") != (f.State == api.FindingOK) {
				t.Errorf("%+v\nwant %s: %s", f, c.want, c.detail)
			}
		})
	}
}
