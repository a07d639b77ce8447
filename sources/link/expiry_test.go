package link_test

import (
	"encoding/base64"
	"testing"
	"time"

	"xship/sources/link"
)

func TestURLExpiry(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	jwt := func(payload string) string {
		return "eyJhbGciOiJIUzI1NiJ9." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".c2ln"
	}
	tests := []struct {
		name, url string
		want      int64 // Unix seconds, 0 = does not tell
	}{
		{"none", "https://h/a.mp4?t=1700003600", 0},
		{"Amazon", "https://h/a?X-Amz-Date=20231114T221320Z&X-Amz-Expires=3600&X-Amz-Signature=x", 1_700_003_600},
		{"Google", "https://h/a?X-Goog-Date=20231114T221320Z&X-Goog-Expires=60", 1_700_000_060},
		{"Amazon without date", "https://h/a?X-Amz-Expires=3600", 0},
		{"CloudFront", "https://h/a?Expires=1700003600&Signature=x", 1_700_003_600},
		{"Azure", "https://h/a?se=2023-11-14T23%3A13%3A20Z&sig=x", 1_700_003_600},
		{"nginx", "https://h/a?st=abc&e=1700003600", 1_700_003_600},
		{"milliseconds", "https://h/a?expires=1700003600123", 1_700_003_600},
		{"Akamai", "https://h/a?hdnts=st=1700000000~exp=1700003600~acl=/*~hmac=00", 1_700_003_600},
		{"Akamai, escaped", "https://h/a?hdnea=exp%3D1700003600~acl%3D%2F*", 1_700_003_600},
		{"Akamai in the path", "https://h/exp=1700003600~acl=*~hmac=00/a.m3u8", 1_700_003_600},
		{"Aliyun", "https://h/a?auth_key=1700003600-0-0-00ff", 1_700_003_600},
		{"token", "https://h/a?token=" + jwt(`{"exp":1700003600}`), 1_700_003_600},
		{"token in the path", "https://h/" + jwt(`{"exp":1700003600.5}`) + "/a.mp4", 1_700_003_600},
		{"token without expiry", "https://h/a?token=" + jwt(`{"sub":"x"}`), 0},
		{"token with another expiry", "https://h/a?token=" + jwt(`{"exp":[]}`), 0},
		{"the first of several", "https://h/a?e=1700009999&Expires=1700003600", 1_700_003_600},
		{"past", "https://h/a?Expires=1600000000", 0},
		{"now", "https://h/a?Expires=1700000000", 0},
		{"far", "https://h/a?Expires=1999999999", 0},
		{"a duration", "https://h/a?expires=3600", 0},
		{"no number", "https://h/a?Expires=soon&X-Amz-Date=x&X-Amz-Expires=99999999999999999999", 0},
		{"an episode", "https://h/a?e=12", 0},
		{"no URL", "http://h:x/?Expires=1700003600", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := link.Expiry(tt.url, now)
			if tt.want == 0 && !got.IsZero() || tt.want != 0 && got.Unix() != tt.want {
				t.Errorf("got %v, want %d", got, tt.want)
			}
		})
	}
}

func FuzzURLExpiry(f *testing.F) {
	for _, s := range []string{"https://h/a?Expires=1700003600", "https://h/exp=1700003600~a", "https://h/?token=eyJ.e30.x", "https://h/?X-Amz-Date=20231114T221320Z&X-Amz-Expires=3600"} {
		f.Add(s)
	}
	now := time.Unix(1_700_000_000, 0)
	f.Fuzz(func(t *testing.T, raw string) {
		if at := link.Expiry(raw, now); !at.IsZero() && (!at.After(now) || at.Sub(now) > 366*24*time.Hour) {
			t.Errorf("%q ends at %v", raw, at)
		}
	})
}
