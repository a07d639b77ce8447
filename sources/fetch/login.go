package fetch

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"xship/sources/link"
)

// loginsKey marks a context, see WithLogins: its value tells of a URL whether a request
// for it may use a login.
type loginsKey struct{}

// WithLogins lets requests made with the context use the logins that are stored for the
// servers they go to. It is for what the user named: the servers themselves, and files
// found there. A redirect gets the login of where it leads to, or none.
func WithLogins(ctx context.Context) context.Context {
	return context.WithValue(ctx, loginsKey{}, func(*url.URL) bool { return true })
}

// WithLoginsOf is WithLogins for a file of the user's own: only the server that rawURL is
// on is asked with its login, see SameServer. What a file on a server or on this machine
// leads to, by a redirect, a link or a playlist in it, was not named by the user but by
// whoever wrote the file.
func WithLoginsOf(ctx context.Context, rawURL string) context.Context {
	of, err := parseURL(rawURL)
	return context.WithValue(ctx, loginsKey{}, func(u *url.URL) bool { return err == nil && SameServer(of, u) })
}

// loggedIn is req with the login that is stored for its server, where it may use one.
// What follows a redirect is made of req, so that the login goes no further.
func (c *Client) loggedIn(req *http.Request) *http.Request {
	headers := c.loginOf(req)
	if len(headers) == 0 {
		return req
	}
	req = req.Clone(req.Context())
	for name, values := range headers {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	return req
}

// loginOf is the login that req may use, nil where there is none. Another host by name
// than that of the connection is another server.
func (c *Client) loginOf(req *http.Request) http.Header {
	may, ok := req.Context().Value(loginsKey{}).(func(*url.URL) bool)
	if c.login == nil || !ok || !may(req.URL) || !strings.EqualFold(req.Host, req.URL.Host) {
		return nil
	}
	return c.login(req.URL)
}

// UsesLogin tells whether a request for rawURL made with ctx would have the login of its
// server.
func (c *Client) UsesLogin(ctx context.Context, rawURL string) bool {
	u, err := parseURL(rawURL)
	if err != nil {
		return false
	}
	return len(c.loginOf(newRequest(ctx, http.MethodGet, u, nil))) > 0
}

// Refusal is the status by which a server says in err that it wants a login, or another
// one than it got: 401 or 403. It is 0 for every other error, and for a test for people.
func Refusal(err error) int {
	failed, ok := errors.AsType[*Error](err)
	if !ok || failed.Challenge {
		return 0
	}
	switch status := failed.HTTPStatus(); status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return status
	default:
		return 0
	}
}

// hideLogin is words, which a server answered to req, without what the login of req
// holds, whether that is stored or was given with it: some servers repeat what they were
// sent.
func (c *Client) hideLogin(req *http.Request, words string) string {
	const shortest = 4 // a shorter part is more likely an accident than a secret
	sent := req.Header.Values("Authorization")
	for _, values := range c.loginOf(req) {
		sent = append(slices.Clip(sent), values...)
	}
	for _, value := range sent {
		for _, secret := range secretsOf(value) {
			if len(secret) >= shortest {
				words = strings.ReplaceAll(words, secret, link.Redacted)
			}
		}
	}
	return words
}

// secretsOf are the secrets in the header of a login, those first that hold others: all of
// it, what stands behind the name of its scheme, and name, password or token in that.
func secretsOf(header string) []string {
	_, credentials, _ := strings.Cut(header, " ")
	secrets := []string{header, credentials}
	if decoded, err := base64.StdEncoding.DecodeString(credentials); err == nil {
		_, password, _ := strings.Cut(string(decoded), ":")
		secrets = append(secrets, string(decoded), password)
	}
	if _, rest, ok := strings.Cut(credentials, `Token="`); ok {
		token, _, _ := strings.Cut(rest, `"`)
		secrets = append(secrets, token)
	}
	return secrets
}
