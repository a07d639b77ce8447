package engine

import (
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"xship/config"
	"xship/sources"
	"xship/sources/sourcetest"
)

// TestProviderTimeout checks how long a provider has for one call.
func TestProviderTimeout(t *testing.T) {
	for set, want := range map[string]map[string]time.Duration{
		"":    {"real_debrid": 30 * time.Second, "all_debrid": 30 * time.Second, "debrid_link": 30 * time.Second, "premiumize": time.Minute, "torbox": time.Minute},
		"30s": {"real_debrid": 30 * time.Second, "torbox": 30 * time.Second},
		"90s": {"real_debrid": 90 * time.Second, "premiumize": 90 * time.Second},
	} {
		settings, err := config.Load(config.LoadOptions{LookupEnv: func(name string) (string, bool) { return set, name == "XSHIP_DEBRID_TIMEOUT" }})
		if err != nil {
			t.Fatal(err)
		}
		e, err := Open(Config{DataDir: t.TempDir(), Settings: settings})
		if err != nil {
			t.Fatal(err)
		}
		p, err := e.providers.get()
		if err != nil {
			t.Fatal(err)
		}
		for provider, want := range want {
			if got := p.asking.Timeout(provider); got != want {
				t.Errorf("debrid.timeout %q: a call of %s has %s, want %s", set, provider, got, want)
			}
		}
	}
}

// TestEngine_budgets checks where the limits of services are kept.
func TestEngine_budgets(t *testing.T) {
	server := miniredis.RunT(t)
	for store, env := range map[string]map[string]string{
		"sqlite": nil,
		"memory": {"XSHIP_COOLDOWN_STORE": "memory"},
		"redis":  {"XSHIP_REDIS_URL": "redis://" + server.Addr()},
	} {
		settings, err := config.Load(config.LoadOptions{LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok }})
		if err != nil {
			t.Fatal(err)
		}
		kept := sourcetest.NewMemory(time.Now)
		e, err := Open(Config{DataDir: t.TempDir(), Settings: settings, Store: kept, RedisTimeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		resting, err := e.cooldown.get()
		if err != nil {
			t.Fatal(err)
		}
		one := sources.CallLimit{Calls: 1, Per: time.Hour}
		if _, ok, err := resting.budgets.Spend(t.Context(), "a/"+store, one, 0); !ok || err != nil {
			t.Fatalf("%s: %t, %v", store, ok, err)
		}
		if _, free, err := kept.CallBudgets().Spend(t.Context(), "a/"+store, one, 0); free != (store != "sqlite") || err != nil {
			t.Errorf("%s: the store has the call: %t, %v", store, !free, err)
		}
		if server.Exists("budget:a:"+store) != (store == "redis") {
			t.Errorf("%s: Redis has the call: %t", store, server.Exists("budget:a:"+store))
		}
		e.Close()
	}
}

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
