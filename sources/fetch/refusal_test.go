package fetch_test

import (
	"errors"
	"fmt"
	"testing"

	"xship/sources/fetch"
)

func TestRefusal(t *testing.T) {
	status := func(code int) *fetch.Error { return &fetch.Error{Reason: fetch.ReasonStatus, Status: code} }
	challenge := status(403)
	challenge.Challenge = true
	for name, tt := range map[string]struct {
		err  error
		want int
	}{
		"unauthorized": {status(401), 401}, "forbidden": {fmt.Errorf("told: %w", status(403)), 403},
		"a test for people": {challenge, 0}, "another status": {status(404), 0}, "a pause after one": {&fetch.Error{Reason: fetch.ReasonPaused, Status: 403, Err: errors.New("x")}, 0},
		"another error": {errors.New("x"), 0}, "none": {nil, 0},
	} {
		if got := fetch.Refusal(tt.err); got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
	}
}
