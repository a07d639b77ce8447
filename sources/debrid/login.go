package debrid

import (
	"net/url"
	"time"

	"xship/sources/text"
)

// maxLogin bounds how long a code may be waited for.
const maxLogin = time.Hour

// device makes a Device of what a service says; seconds may be 0 where it does
// not. Only an address of the web is one to send the user to.
func (c *client) device(got *answer, userCode, verificationURL string, interval, expiresIn int, state string) (Device, error) {
	userCode, verificationURL = text.Clean(userCode), text.Clean(verificationURL)
	if userCode == "" || !isWeb(verificationURL) || state == "" {
		return Device{}, c.unreadable(got)
	}
	life := maxLogin
	if expiresIn > 0 {
		life = time.Duration(min(expiresIn, int(maxLogin/time.Second))) * time.Second
	}
	return Device{
		UserCode:        text.Shorten(userCode, 64),
		VerificationURL: text.Shorten(verificationURL, maxMessage),
		Interval:        time.Duration(min(max(interval, 1), 60)) * time.Second,
		ExpiresAt:       c.now().Add(life),
		state:           seal(state),
	}, nil
}

// isWeb tells whether link is an absolute http or https URL.
func isWeb(link string) bool {
	u, err := url.Parse(link)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// seconds is n as a whole number, within reason.
func (n looseNumber) seconds() int { return int(min(max(n, 0), looseNumber(maxLogin/time.Second))) }
