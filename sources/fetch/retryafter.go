package fetch

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// RetryAfter reads the value of a Retry-After header (RFC 9110, 10.2.3): how
// long from now on the sender wants no requests. Of a list, which proxies make
// of a repeated header, the first element counts. It is neither rounded nor
// bounded from above, never negative, and not ok where the value is none of
// whole seconds and the three forms of an HTTP date, whose zone may be UTC as
// well.
func RetryAfter(value string, now time.Time) (d time.Duration, ok bool) {
	day, rest, listed := strings.Cut(strings.TrimSpace(value), ",")
	day = strings.TrimSpace(day)
	if isDigits(day) {
		return seconds(day), true
	}
	at, ok := parseDate(day) // asctime is the form without a comma
	if !ok && listed {
		rest, _, _ = strings.Cut(rest, ",")
		at, ok = parseDate(day + "," + rest)
	}
	if !ok {
		return 0, false
	}
	return max(at.Sub(now), 0), true
}

// seconds is the duration that digits name, or the longest there is.
func seconds(digits string) time.Duration {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > math.MaxInt64/int64(time.Second) {
		return math.MaxInt64
	}
	return time.Duration(n) * time.Second
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// parseDate reads the forms of an HTTP date. http.ParseTime takes the names of
// all zones, and none of them for what it is.
func parseDate(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if date, ok := strings.CutSuffix(s, " UTC"); ok {
		s = date + " GMT"
	}
	for _, layout := range []string{http.TimeFormat, "Monday, 02-Jan-06 15:04:05 GMT", time.ANSIC} {
		if at, err := time.Parse(layout, s); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// pauseOf is how long an answer asks to be left alone, within bounds, and 0
// where it does not ask.
func pauseOf(resp *http.Response, now time.Time) time.Duration {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
		return 0
	}
	d, ok := RetryAfter(resp.Header.Get("Retry-After"), now)
	if !ok {
		return 0
	}
	return min(max(d, minPause), maxPause)
}
