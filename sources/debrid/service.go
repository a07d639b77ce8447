package debrid

import (
	"context"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// service is the protocol of one provider. Its errors are made by the client. It
// holds nothing between calls.
type service interface {
	// name is the provider's, such as "real_debrid".
	name() string
	// base is the root of its API, such as "https://api.real-debrid.com/rest/1.0".
	base() string
	// timeout is how long clients of it wait for one call.
	timeout() time.Duration
	// limits bound the requests of one account.
	limits() []limit
	// unlock gives the stream behind link. What takes a while is polled with
	// client.pause, within ctx.
	unlock(ctx context.Context, c *client, a sources.Account, link string) (sources.Stream, error)
	// hosters are the domains whose links the account may send, in any form.
	hosters(ctx context.Context, c *client, a sources.Account) ([]string, error)
	// check asks who the account belongs to. That needs a key that works.
	check(ctx context.Context, c *client, a sources.Account) (AccountInfo, error)
}

// AccountInfo is what a provider tells of an account.
type AccountInfo struct {
	Login        string    // masked
	Plan         string    // in the provider's words, such as "premium"
	Premium      bool      // it may unlock links of most hosters
	PremiumUntil time.Time // also one that is over; zero where unknown or endless
	Notes        []string  // what else it tells, such as "1830 fidelity points"
}

// PlanTrial is the plan of an account that unlocks links for a while without being
// premium.
const PlanTrial = "trial"

// fidelity is the note of how many fidelity points an account has.
func fidelity(points looseText) string {
	if points == "1" {
		return "1 fidelity point"
	}
	return text.Clean(string(points)) + " fidelity points"
}

// deviceLogin is a service whose key can be had by entering a code in a browser.
type deviceLogin interface {
	service
	// start asks for a code. The account has no key.
	start(ctx context.Context, c *client, a sources.Account) (Device, error)
	// poll tells whether the code has been entered, and then gives the key, and
	// what renews it where that is needed.
	poll(ctx context.Context, c *client, a sources.Account, d Device) (key, refresh sources.Secret, done bool, err error)
}

// Device is a login that waits for the user to enter a code.
type Device struct {
	Provider        string
	UserCode        string        // what the user enters
	VerificationURL string        // where
	Interval        time.Duration // between two calls of PollLogin
	ExpiresAt       time.Time     // of the code

	baseURL string
	state   sealed // what the service wants to be told with each poll
}

// sealed is a secret in a field that fmt prints without asking for its String.
type sealed struct{ secret *sources.Secret }

func seal(s string) sealed {
	secret := sources.Secret(s)
	return sealed{&secret}
}

// Reveal gives the secret itself; the zero value has none.
func (s sealed) Reveal() string {
	if s.secret == nil {
		return ""
	}
	return s.secret.Reveal()
}

// renewer is a service whose keys expire and can be renewed with Account.Refresh.
type renewer interface {
	service
	// expired tells whether the answer refuses the key for its age.
	expired(*answer) bool
	// renew gives the account with a new key.
	renew(ctx context.Context, c *client, a sources.Account) (sources.Account, error)
}
