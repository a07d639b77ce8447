package api_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/cmd/api"
	"xship/cmd/engine"
	"xship/cmd/engine/loader"
	"xship/config"
	"xship/config/vod"
	"xship/sources"
	"xship/sources/cooldown"
	"xship/sources/text"
)

func TestFailureOf(t *testing.T) {
	unloaded := &vod.Error{URL: "http://a.example", Cause: vod.CauseTimeout, Detail: "got no answer", Hint: "try again"}
	for _, c := range []struct {
		name string
		err  error
		want api.Failure
	}{
		{"any error", errors.New("it broke"), api.Failure{Code: "failure", Message: "it broke", Exit: 1, Status: 500}},
		{"with advice", text.WithHint(errors.New("it broke"), "mend it"), api.Failure{Code: "failure", Message: "it broke", Hint: "mend it", Exit: 1, Status: 500}},
		{
			"a request that makes no sense", fmt.Errorf("ask: %w", &engine.RequestError{Text: "no", Hint: "yes"}),
			api.Failure{Code: "usage", Message: "ask: no", Hint: "yes", Exit: 2, Status: 400},
		},
		{"no interface named", loader.ErrNoRef, api.Failure{Code: "usage", Message: "an interface needs a URL or a path", Exit: 2, Status: 400}},
		{
			"a wrong setting", &config.InvalidError{Problems: []config.Problem{{Key: "scan.limit", Value: "x", Origin: config.OriginFlag, Message: "not a number"}}},
			api.Failure{Code: "settings", Message: `invalid setting scan.limit = "x" (flag): not a number`, Exit: 2, Status: 500},
		},
		{
			"a settings file", &config.FileError{Path: "f", Err: errors.New("is a folder"), Hint: "make it a file"},
			api.Failure{Code: "settings", Message: "read settings file f: is a folder", Hint: "make it a file", Exit: 2, Status: 500},
		},
		{
			"nothing plays", errors.Join(errors.New("first"), &engine.NothingPlayableError{Text: "nothing plays", Hint: "look elsewhere"}),
			api.Failure{Code: "nothing_playable", Message: "first\nnothing plays", Hint: "look elsewhere", Exit: 3, Status: 404},
		},
		{"one interface", unloaded, api.Failure{Code: "no_interface", Message: "load interface http://a.example: got no answer", Hint: "try again", Exit: 4, Status: 502}},
		{
			"several interfaces", &loader.FailedError{Failures: []loader.Failure{{Interface: sources.Interface{Name: "a"}, Err: unloaded}}},
			api.Failure{
				Code: "no_interface", Message: "the interface could not be loaded\n  a: got no answer",
				Hint: "see xship interfaces check, and add another one with xship interfaces add", Exit: 4, Status: 502,
			},
		},
		{"cancelled", fmt.Errorf("scan: %w", context.Canceled), api.Failure{Code: "interrupted", Message: "interrupted", Exit: 130, Status: 503}},
		{"interfaces chosen again and again", loader.ErrRetired, api.Failure{Code: "interrupted", Message: "interrupted", Exit: 130, Status: 503}},
		{
			"no site answered", &sources.NoAnswerError{Title: sources.Title{Name: "X"}},
			api.Failure{
				Code: "no_answer", Message: "no site could be asked for X: the interface has none",
				Hint: "try again later, or use another interface: xship interfaces list", Exit: 1, Status: 502,
			},
		},
		{
			"a lock", &config.LockedError{Path: "p.lock"},
			api.Failure{Code: "locked", Message: "another process has held the lock p.lock for 0s; try again, or end that process", Exit: 1, Status: 409},
		},
		{
			"redis", &cooldown.RedisError{Server: "s", What: "reach", Cause: "refused"},
			api.Failure{Code: "redis", Message: "reach redis at s: refused", Hint: "check that the server runs and redis.url is right", Exit: 1, Status: 503},
		},
		{
			"a provider", &sources.ProviderStreamUnavailableError{Provider: "torbox", Message: "busy"},
			api.Failure{Code: "provider", Message: "TorBox: busy", Exit: 1, Status: 502},
		},
		{
			"several codes, the first row counts", errors.Join(context.Canceled, &engine.NothingPlayableError{Text: "nothing plays"}),
			api.Failure{Code: "nothing_playable", Message: "context canceled\nnothing plays", Exit: 3, Status: 404},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, api.FailureOf(c.err)); diff != "" {
				t.Errorf("failure (-want +got):\n%s", diff)
			}
		})
	}
}
