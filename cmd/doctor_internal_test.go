package cmd

import (
	"strings"
	"testing"

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
		{"free", api.AccountCheck{User: 1, Provider: "torbox", OK: true, Plan: "free", AccountRest: api.AccountRest{State: string(engine.RestFree)}}, api.FindingWarning, "TorBox of user 1: free"},
		{"failed", failed, api.FindingProblem, "TorBox of user 1: TorBox: too much"},
		{"failed, and rests", rests(failed, string(engine.RestQuota), 60), api.FindingProblem, "TorBox of user 1: TorBox: too much; 60 s more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := accountFinding(c.check)
			if f.State != c.state || f.Detail != c.want || strings.TrimSpace(f.Hint) == "" && f.State != api.FindingOK {
				t.Errorf("%+v, want %s: %s", f, c.state, c.want)
			}
		})
	}
}
