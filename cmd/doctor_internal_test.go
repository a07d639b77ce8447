package cmd

import (
	"strings"
	"testing"
	"time"

	"xship/sources"
)

// An account that answers may be kept from links all the same.
func TestAccountFinding(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	works := accountCheckDoc{User: 1, Provider: "torbox", OK: true, Plan: "pro", Premium: true}
	rests := func(c accountCheckDoc, state string, seconds int64) accountCheckDoc {
		c.State, c.Reason, c.RemainingSeconds = state, "the reason", seconds
		return c
	}
	failed := accountCheckDoc{User: 1, Provider: "torbox", Class: string(sources.ClassProviderQuota), Error: "TorBox: too much"}
	for _, c := range []struct {
		name  string
		check accountCheckDoc
		state string
		want  string
	}{
		{"works", rests(works, accountOK, 0), checkOK, "TorBox of user 1: pro"},
		{"quota", rests(works, accountQuota, 60), checkWarning, "TorBox of user 1: pro, and its quota is used up, 60 s more: the reason"},
		{"refused", rests(works, accountRefused, 0), checkProblem, "TorBox of user 1: pro, and links were refused: the reason"},
		{"cooling", rests(works, accountCooling, 7), checkWarning, "TorBox of user 1: pro, and cooling down, 7 s more: the reason"},
		{"failed", failed, checkProblem, "TorBox of user 1: TorBox: too much"},
		{"failed, and rests", rests(failed, accountQuota, 60), checkProblem, "TorBox of user 1: TorBox: too much; 60 s more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := accountFinding(c.check, now)
			if f.State != c.state || f.Detail != c.want || strings.TrimSpace(f.Hint) == "" && f.State != checkOK {
				t.Errorf("%+v, want %s: %s", f, c.state, c.want)
			}
		})
	}
}
