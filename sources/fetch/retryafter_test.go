package fetch_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"xship/sources/fetch"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	const forever = time.Duration(math.MaxInt64)
	tests := []struct {
		value string
		want  time.Duration // -1: not ok
	}{
		{"", -1},
		{" ", -1},
		{"abc", -1},
		{"-3", -1},
		{"1.5", -1},
		{"+3", -1},
		{"300s", -1},
		{"1e3", -1},
		{"0x10", -1},
		{"1_000", -1},
		{"\u0663", -1}, // a digit, but not of ASCII
		{",", -1},
		{"abc, 120", -1},
		{"2026-03-01T12:01:30Z", -1},

		{"0", 0},
		{"120", 120 * time.Second},
		{" 120 ", 120 * time.Second},
		{"\t007", 7 * time.Second},
		{"120, 120", 120 * time.Second},
		{"7,9", 7 * time.Second},
		{"3600", time.Hour},
		{"9223372036", 9223372036 * time.Second},
		{"9223372037", forever},
		{strings.Repeat("9", 400), forever},

		{"Sun, 01 Mar 2026 12:01:30 GMT", 90 * time.Second},
		{" Sun, 01 Mar 2026 12:01:30 UTC ", 90 * time.Second},
		{"Sunday, 01-Mar-26 12:01:30 GMT", 90 * time.Second},
		{"Sunday, 01-Mar-26 12:01:30 UTC", 90 * time.Second},
		{"Sun Mar  1 12:01:30 2026", 90 * time.Second},
		{"Sun Mar  1 12:01:30 2026 UTC", -1}, // the form without a zone
		{"Sun, 01 Mar 2026 12:01:30 GMT, Sun, 01 Mar 2026 13:00:00 GMT", 90 * time.Second},
		{"Sun Mar  1 12:01:30 2026, 7", 90 * time.Second},
		{"Sun, 01 Mar 2026 12:01:30 PST", -1},
		{"Sunday, 01-Mar-26 12:01:30 PST", -1},
		{"Sun, 31 Feb 2026 12:01:30 GMT", -1},
		{"Sun, 01 Mar 2026 12:00:00 GMT", 0},
		{"Mon, 02 Mar 2026 12:00:00 GMT", 24 * time.Hour},
		{"Sat, 01 Mar 2025 12:00:00 GMT", 0},
		{"Mon, 01 Jan 0001 00:00:00 GMT", 0},
		{"Fri, 31 Dec 9999 23:59:59 GMT", forever},
	}
	for _, tt := range tests {
		t.Run(tt.value[:min(len(tt.value), 40)], func(t *testing.T) {
			got, ok := fetch.RetryAfter(tt.value, now)
			if ok != (tt.want >= 0) || ok && got != tt.want || !ok && got != 0 {
				t.Errorf("got %s, %t, want %s", got, ok, tt.want)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{
		"1", "0", "999999999999999999999", "-1", "120, 120", "Sun, 01 Mar 2026 12:00:40 GMT", "Sunday, 01-Mar-26 12:01:30 UTC", "Sun Mar  1 12:01:30 2026", "soon", "",
	} {
		f.Add(s, int64(1_700_000_000))
	}
	f.Fuzz(func(t *testing.T, s string, unix int64) {
		d, ok := fetch.RetryAfter(s, time.Unix(unix, 0))
		if d < 0 || !ok && d != 0 {
			t.Errorf("%q gives %s, %t", s, d, ok)
		}
	})
}
