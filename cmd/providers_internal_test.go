package cmd

import (
	"testing"
	"time"

	"xship/config"
	"xship/sources"
)

// TestApp_keyRenewed renews the key of an account that may have changed in the file
// meanwhile.
func TestApp_keyRenewed(t *testing.T) {
	account := func(key, refresh string) config.DebridAccount {
		return config.DebridAccount{User: 1, Provider: "real_debrid", APIKey: key, Refresh: refresh}
	}
	tests := []struct {
		name   string
		stored *config.DebridAccount
		want   string // the key in the file, "" = there is none
	}{
		{"as it was", new(account("old", "token")), "new"},
		{"renewed by another process", new(account("other", "token")), "new"},
		{"replaced by the user", new(account("other", "other token")), "other"},
		{"removed", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := newApp(System{LookupEnv: func(string) (string, bool) { return "", false }})
			a.flags.dataDir = t.TempDir()
			if tt.stored != nil {
				if err := a.accountsFile().Put(*tt.stored); err != nil {
					t.Fatal(err)
				}
			}
			before := accountOf(account("old", "token"))
			after := before
			after.Key = sources.Secret("new")
			if err := a.keyRenewed(before, after); err != nil {
				t.Fatal(err)
			}
			accounts, _, err := a.accountsFile().Read()
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if len(accounts) > 0 {
				got = accounts[0].APIKey
			}
			if got != tt.want {
				t.Errorf("the file has the key %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTellsOf(t *testing.T) {
	cooling := &sources.SkippedError{Provider: "real_debrid", Kind: sources.ClassProviderCooling, Remaining: 4 * time.Second, Reason: "too many, it says"}
	for text, want := range map[string]bool{
		"skipped: Real-Debrid cooling down, 5 s (too many, it says)":                        true,
		"skipped: TorBox refuses the account; skipped: Real-Debrid cooling down, 5 s (old)": true,
		"Real-Debrid: too many, it says":                                                    true,
		"Real-Debrid: another":                                                              false,
		"skipped: Real-Debrid refuses the account (bad token)":                              false,
		"skipped: AllDebrid cooling down, 5 s (too many, it says)":                          false,
		"404 Not Found": false,
	} {
		if got := tellsOf(text, cooling); got != want {
			t.Errorf("tellsOf(%q) = %v", text, got)
		}
	}
	refused := &sources.SkippedError{Provider: "torbox", Kind: sources.ClassProviderAuth}
	if tellsOf("TorBox: failed", refused) || !tellsOf("skipped: TorBox refuses the account", refused) {
		t.Error("an account without a reason is told otherwise")
	}
}
