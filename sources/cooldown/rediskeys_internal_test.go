package cooldown

import (
	"strings"
	"testing"

	"xship/sources"
)

func TestRedisKeys(t *testing.T) {
	for _, tt := range []struct {
		prefix string
		key    sources.CooldownKey
		want   string
	}{
		{"", sources.CooldownKey{User: 1, Provider: "real_debrid"}, "cooldown:1:real_debrid"},
		{"x:", sources.CooldownKey{User: -7, Provider: "debrid-link.com"}, "x:cooldown:-7:debrid-link.com"},
		{"", sources.CooldownKey{User: 1, Provider: "a:b c%"}, "cooldown:1:a%3Ab%20c%25"},
		{"", sources.CooldownKey{}, "cooldown:0:"},
	} {
		if got := (redisKeys{tt.prefix}).name(familyCooldown, tt.key); got != tt.want {
			t.Errorf("%+v is named %q, want %q", tt.key, got, tt.want)
		}
	}
}

// FuzzRedisKeys wants every name to be read back as what it was made of, so
// that no two share one.
func FuzzRedisKeys(f *testing.F) {
	f.Add("", int64(1), "real_debrid")
	f.Add("cooldown:", int64(-1), "a:b")
	f.Add("x*", int64(0), "%3A%3a%")
	f.Add("", int64(9), "\x00\xff")
	f.Fuzz(func(t *testing.T, prefix string, user int64, provider string) {
		keys := redisKeys{prefix}
		want := sources.CooldownKey{User: user, Provider: provider}
		for _, wantFamily := range []string{familyCooldown, familyLast, familyLease} {
			name := keys.name(wantFamily, want)
			family, key, ok := keys.parse(name)
			if !ok || family != wantFamily || key != want {
				t.Errorf("%q is read as %q, %+v, %t", name, family, key, ok)
			}
			if strings.Count(strings.TrimPrefix(name, prefix), ":") != 2 {
				t.Errorf("%q has parts too many", name)
			}
		}
		if family, key, ok := keys.parse(provider); ok && keys.name(family, key) != provider {
			t.Errorf("%q is read as %q, %+v", provider, family, key)
		}
	})
}
