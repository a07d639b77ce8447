package engine

import (
	"testing"

	"xship/config"
	"xship/sources"
)

// TestEngine_keyRenewed renews the key of an account that may have changed in the file
// meanwhile.
func TestEngine_keyRenewed(t *testing.T) {
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
			e, err := Open(Config{DataDir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			if tt.stored != nil {
				if err := e.accountsFile().Put(*tt.stored); err != nil {
					t.Fatal(err)
				}
			}
			before := accountOf(account("old", "token"))
			after := before
			after.Key = sources.Secret("new")
			if err := e.keyRenewed(before, after); err != nil {
				t.Fatal(err)
			}
			accounts, _, err := e.accountsFile().Read()
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
