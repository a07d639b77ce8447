package cooldown_test

import (
	"net/http"
	"testing"
	"time"

	"xship/sources"
	"xship/sources/cooldown"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	const (
		rfc850  = "Monday, 02-Jan-06 15:04:05 GMT"
		utcZone = "Mon, 02 Jan 2006 15:04:05 UTC"
	)
	in := func(d time.Duration, layout string) string { return now.Add(d).Format(layout) }
	tests := []struct {
		name, value string
		want        time.Duration // 0 = not ok
	}{
		{"missing", "", 0},
		{"blank", "  ", 0},
		{"word", "abc", 0},
		{"negative", "-3", 0},
		{"fraction", "1.5", 0},
		{"sign", "+3", 0},
		{"unit", "300s", 0},
		{"underscore", "1_000", 0},
		{"other digits", "١٢٠", 0},
		{"hexadecimal", "0x10", 0},
		{"list of nonsense", ",", 0},
		{"zero", "0", time.Second},
		{"one", "1", time.Second},
		{"seconds", "120", 2 * time.Minute},
		{"blanks around", " 120 ", 2 * time.Minute},
		{"leading zeros", "007", 7 * time.Second},
		{"list", "120, 120", 2 * time.Minute},
		{"cap", "300", 300 * time.Second},
		{"above the cap", "3600", 300 * time.Second},
		{"overflows a duration", "9223372037", 300 * time.Second},
		{"overflows an int64", "99999999999999999999999999", 300 * time.Second},
		{"date", in(90*time.Second, http.TimeFormat), 90 * time.Second},
		{"date, UTC", in(90*time.Second, utcZone), 90 * time.Second},
		{"date, blanks around", " " + in(90*time.Second, http.TimeFormat) + " ", 90 * time.Second},
		{"RFC 850", in(90*time.Second, rfc850), 90 * time.Second},
		{"asctime", in(90*time.Second, time.ANSIC), 90 * time.Second},
		{"past date", in(-time.Hour, http.TimeFormat), time.Second},
		{"date now", in(0, http.TimeFormat), time.Second},
		{"date tomorrow", in(24*time.Hour, http.TimeFormat), 300 * time.Second},
		{"date in a far year", "Fri, 31 Dec 9999 23:59:59 GMT", 300 * time.Second},
		{"no such day", "Mon, 31 Feb 2026 12:00:00 GMT", 0},
		{"other zone", "Mon, 30 Nov 2026 12:00:00 CET", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, ok := cooldown.RetryAfter(tt.value, now)
			if got != tt.want || ok != (tt.want > 0) {
				t.Errorf("RetryAfter(%q) = %v, %t, want %v", tt.value, got, ok, tt.want)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "0", "120", "-3", "9223372037", "120, 120", "Mon, 30 Nov 2026 12:01:30 GMT", "Monday, 30-Nov-26 12:01:30 UTC", "Mon Nov 30 12:01:30 2026"} {
		f.Add(seed)
	}
	now := time.Date(2026, time.November, 30, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value string) {
		d, ok := cooldown.RetryAfter(value, now)
		if ok && (d < sources.MinCooldown || d > sources.MaxCooldown) || !ok && d != 0 {
			t.Errorf("RetryAfter(%q) = %v, %t", value, d, ok)
		}
	})
}
