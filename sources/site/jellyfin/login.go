package jellyfin

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"xship/sources"
	"xship/sources/fetch"
	"xship/sources/link"
	"xship/sources/text"
)

// Device is what a server is told of who asks.
type Device struct {
	ID      string // the same for all requests of one user's program
	Version string // of the program
}

// CallFunc makes a request, as fetch.Client.Call does.
type CallFunc func(ctx context.Context, r fetch.Request) (*fetch.Response, error)

// Header tells a server of a type who asks: by an API key, or what Login gave.
func Header(siteType string, token sources.Secret, d Device) http.Header {
	if siteType == TypeEmby {
		return http.Header{"X-Emby-Token": {token.Reveal()}}
	}
	return http.Header{"Authorization": {fmt.Sprintf("MediaBrowser Token=%q, %s", token.Reveal(), d)}}
}

// String is the device as both servers want it in a header.
func (d Device) String() string {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r > ' ' && r < 0x7f && !strings.ContainsRune(`"\,=%`, r) {
				return r
			}
			return '_'
		}, s)
	}
	return fmt.Sprintf(`Client="xship", Device="xship", DeviceId="%s", Version="%s"`, plain(d.ID), plain(d.Version))
}

// maxLoginBody bounds the answers of a login.
const maxLoginBody = 1 << 20

// Login gives the token for a name and a password, which the server asks for from then
// on. It makes one request, to the server of a type at address.
func Login(ctx context.Context, call CallFunc, siteType, address, name string, password sources.Secret, d Device) (sources.Secret, error) {
	s, err := newServer(siteType, address)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(map[string]string{"Username": name, "Pw": password.Reveal()})
	if err != nil {
		return "", fmt.Errorf("log in at %s: %w", s.title(), err)
	}
	header := "Authorization"
	if s.emby {
		header = "X-Emby-Authorization"
	}
	req := fetch.Request{
		Method: http.MethodPost, URL: s.base + "/Users/AuthenticateByName", Body: body, ContentType: "application/json", MaxBody: maxLoginBody,
		Headers: map[string]string{header: "MediaBrowser " + d.String(), "Accept": "application/json"},
	}
	resp, err := call(ctx, req)
	if err != nil {
		return "", fmt.Errorf("log in at %s: %w", s.title(), err)
	}
	var answer struct {
		AccessToken string `json:"AccessToken"`
	}
	shown := link.Redact(req.URL)
	switch {
	case resp.Status == http.StatusUnauthorized || resp.Status == http.StatusForbidden || s.emby && resp.Status == http.StatusBadRequest:
		return "", text.WithHint(fmt.Errorf("%s at %s refuses the name and password", s.title(), shown), "check them; where that user may not log in, give an API key: xship interfaces add URL --key-stdin")
	case resp.Status/100 != 2:
		return "", fmt.Errorf("log in at %s: %s: got HTTP status %d", s.title(), shown, resp.Status)
	case json.Unmarshal(bytes.TrimPrefix(resp.Body, []byte("\ufeff")), &answer) != nil || answer.AccessToken == "":
		return "", fmt.Errorf("log in at %s: %s: the answer holds no token", s.title(), shown) // it may hold one that cannot be read: nothing is quoted
	}
	return sources.Secret(answer.AccessToken), nil
}

// ErrNoServer says that there is no Jellyfin or Emby server at an address.
var ErrNoServer = errors.New("neither Jellyfin nor Emby")

// Info is what a server tells everybody of itself.
type Info struct {
	Type    string
	Name    string // for people, cleaned, "" where it has none
	Version string // the same
}

// InfoRequest asks a server for its Info. base is its address without what leads to a page
// of its web application.
func InfoRequest(base string) fetch.Request {
	return fetch.Request{
		URL: strings.TrimSuffix(base, "/") + "/System/Info/Public", MaxBody: maxLoginBody, Headers: map[string]string{"Accept": "application/json"},
	}
}

// ReadInfo reads the answer to InfoRequest; ok is false where something else answers.
func ReadInfo(resp *fetch.Response) (info Info, ok bool) {
	var said struct {
		ProductName string `json:"ProductName"` // which Emby leaves out
		ServerName  string `json:"ServerName"`
		Version     string `json:"Version"`
		ID          string `json:"Id"`
	}
	if resp.Status != http.StatusOK || json.Unmarshal(bytes.TrimPrefix(resp.Body, []byte("\ufeff")), &said) != nil || said.ID == "" || said.Version == "" {
		return info, false
	}
	const longest = 80 // characters
	info = Info{Type: TypeEmby, Name: text.Shorten(said.ServerName, longest), Version: text.Shorten(said.Version, longest)}
	if strings.Contains(strings.ToLower(said.ProductName), "jellyfin") {
		info.Type = Type
	}
	return info, true
}

// Recognise gives what the server at address tells of itself, which may be that of a page
// of its web application. The error is ErrNoServer where something else answers.
func Recognise(ctx context.Context, call CallFunc, address string) (Info, error) {
	base, ok := baseOf(address)
	if !ok {
		return Info{}, ErrNoServer
	}
	resp, err := call(ctx, InfoRequest(base))
	if err != nil {
		return Info{}, err
	}
	info, ok := ReadInfo(resp)
	if !ok {
		return Info{}, ErrNoServer
	}
	return info, nil
}
