package link

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxExpiry is how far ahead a URL's expiry is believed; beyond it the number
// was more likely something else.
const maxExpiry = 366 * 24 * time.Hour

// expiryParams hold the end of a URL's life in Unix seconds or milliseconds.
var expiryParams = map[string]bool{
	"expires": true, "expire": true, "expiry": true, "expiration": true, "exp": true, "e": true, "deadline": true, "validto": true, "wstime": true,
}

// tokenExpiry finds the expiry in a token of parts, as in
// "hdnts=st=1700000000~exp=1700003600~acl=/*~hmac=…".
var tokenExpiry = regexp.MustCompile(`(?:^|[~/=,;*!])(?:exp|expires)=([0-9]{10})(?:$|[^0-9])`)

// Expiry is when rawURL stops working, by the token that it holds itself,
// and the zero time where it does not tell. Of several times the first counts.
// Only times between now and a year later are believed: the URL was not signed
// for the past.
func Expiry(rawURL string, now time.Time) time.Time {
	u, err := Parse(rawURL)
	if err != nil {
		return time.Time{}
	}
	var first time.Time
	found := func(at time.Time) {
		if at.After(now) && at.Sub(now) <= maxExpiry && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	params := make(map[string]string)
	for param := range strings.SplitSeq(u.RawQuery, "&") {
		name, value, _ := strings.Cut(param, "=")
		if decoded, err := url.QueryUnescape(value); err == nil {
			value = decoded
		}
		params[strings.ToLower(name)] = value
	}
	for name, value := range params {
		if expiryParams[name] {
			found(unixTime(value))
		}
		found(embeddedExpiry(value))
	}
	if at, _, ok := strings.Cut(params["auth_key"], "-"); ok {
		found(unixTime(at))
	}
	if at, err := time.Parse(time.RFC3339, params["se"]); err == nil { // Azure
		found(at)
	}
	for _, prefix := range []string{"x-amz-", "x-goog-"} {
		found(signedExpiry(params[prefix+"date"], params[prefix+"expires"]))
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		found(embeddedExpiry(segment))
	}
	return first
}

// unixTime reads Unix seconds or milliseconds, and gives the zero time where
// text is neither.
func unixTime(text string) time.Time {
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return time.Time{}
	case len(text) == 10:
		return time.Unix(n, 0)
	case len(text) == 13:
		return time.UnixMilli(n)
	default:
		return time.Time{}
	}
}

// signedExpiry is that of a signature of Amazon's fourth version.
func signedExpiry(date, seconds string) time.Time {
	at, err := time.Parse("20060102T150405Z", date)
	n, err2 := strconv.Atoi(seconds)
	if err != nil || err2 != nil || n < 0 || n > int(maxExpiry/time.Second) {
		return time.Time{}
	}
	return at.Add(time.Duration(n) * time.Second)
}

// embeddedExpiry is that of a token in parts or of a JSON web token.
func embeddedExpiry(text string) time.Time {
	if match := tokenExpiry.FindStringSubmatch(text); match != nil {
		return unixTime(match[1])
	}
	parts := strings.Split(text, ".")
	if len(parts) != 3 || !strings.HasPrefix(text, "eyJ") {
		return time.Time{}
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}
	}
	var claims struct {
		Exp json.Number `json:"exp"`
	}
	if json.Unmarshal(payload, &claims) != nil {
		return time.Time{}
	}
	whole, _, _ := strings.Cut(claims.Exp.String(), ".")
	return unixTime(whole)
}
