package debrid_test

import (
	"testing"

	"xship/sources"
	"xship/sources/link"
)

// TestUnlock_strayPercent has links to films whose name holds a "%" that begins no
// escape, as a service answers them: each is a URL that can be asked for, and what is
// escaped already stays.
func TestUnlock_strayPercent(t *testing.T) {
	const host = "https://cdn.example/d/"
	for name, want := range map[string]string{
		"100% Film.mkv":     "100%25%20Film.mkv",
		"Film.100%":         "Film.100%25",
		"%zz/Film.mkv":      "%25zz/Film.mkv",
		"50%2 off.mkv":      "50%252%20off.mkv",
		"100%25%20Film.mkv": "100%25%20Film.mkv",
		"Film.mkv?t=5%&u=1": "Film.mkv?t=5%25&u=1",
		"Film|1080p.mkv":    "Film%7C1080p.mkv",
	} {
		for _, service := range []string{"real_debrid", "all_debrid", "premiumize", "torbox", "debrid_link"} {
			t.Run(service+"/"+name, func(t *testing.T) {
				fake := newFakeAt(service, func(string) string { return host + name })
				fake.AcceptKey(testKey)
				fake.SetHosters("rapid.example")
				account := sources.Account{User: sources.DefaultUser, Provider: service, Key: testKey}
				got, err := newBench(t, fake).provider(t, service).Unlock(t.Context(), account, testLink, false)
				if err != nil || got.URL != host+want {
					t.Fatalf("Unlock = %q, %v, want %q", got.URL, err, host+want)
				}
				if u, err := link.Parse(got.URL); err != nil || u.String() != got.URL {
					t.Errorf("%q is read as %v, %v", got.URL, u, err)
				}
			})
		}
	}
}
