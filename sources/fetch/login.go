package fetch

import (
	"context"
	"net/http"
)

// loginsKey marks a context, see WithLogins.
type loginsKey struct{}

// WithLogins lets requests made with the context use the logins that are stored for the
// servers they go to. It is for what the user named: the servers themselves, and files
// found there. A redirect gets the login of where it leads to, or none.
func WithLogins(ctx context.Context) context.Context {
	return context.WithValue(ctx, loginsKey{}, true)
}

// loggedIn is req with the login that is stored for its server, where it may use one.
func (c *Client) loggedIn(req *http.Request) *http.Request {
	if c.login == nil || req.Context().Value(loginsKey{}) == nil {
		return req
	}
	headers := c.login(req.URL)
	if len(headers) == 0 {
		return req
	}
	req = req.Clone(req.Context())
	for name, values := range headers {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	return req
}
