package config_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"xship/config"
)

// childEnv makes the test binary a process that changes the files of a directory.
const childEnv = "XSHIP_TEST_CONFIG_CHILD"

const changesOfChild = 60

func TestMain(m *testing.M) {
	name := os.Getenv(childEnv)
	if name == "" {
		os.Exit(m.Run())
	}
	if err := changeFiles(name, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// changeFiles adds keys to the preferences and accounts to the accounts file, and
// counts in a value that all processes change.
func changeFiles(name, dir string) error {
	prefs, err := config.OpenPreferences(filepath.Join(dir, "preferences.json"))
	if err != nil {
		return err
	}
	accounts := config.NewAccountsFile(filepath.Join(dir, "accounts.json"))
	for i := range changesOfChild {
		err := prefs.Update(func(values map[string]json.RawMessage) {
			var n int
			_ = json.Unmarshal(values["count"], &n)
			values["count"] = json.RawMessage(fmt.Sprint(n + 1))
			values[fmt.Sprint(name, i)] = json.RawMessage(`1`)
		})
		if err != nil {
			return err
		}
		provider := config.DebridProviders()[len(name)%2]
		if err := accounts.Put(config.DebridAccount{User: int64(i + 1), Provider: provider, APIKey: "key"}); err != nil {
			return err
		}
	}
	return nil
}

func TestTwoProcesses_loseNothing(t *testing.T) {
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, name := range []string{"a", "bb"} {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), exe, dir)
			cmd.Env = append(os.Environ(), childEnv+"="+name)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", name, err, out)
			}
		})
	}
	wg.Wait()
	var values map[string]int
	if err := json.Unmarshal([]byte(mustRead(t, filepath.Join(dir, "preferences.json"))), &values); err != nil {
		t.Fatal(err)
	}
	if values["count"] != 2*changesOfChild || len(values) != 2*changesOfChild+1 {
		t.Errorf("count %d and %d keys after %d changes", values["count"], len(values), 2*changesOfChild)
	}
	accounts, warnings, err := config.NewAccountsFile(filepath.Join(dir, "accounts.json")).Read()
	if err != nil || len(accounts) != 2*changesOfChild {
		t.Errorf("%d accounts after %d, %v, %s", len(accounts), 2*changesOfChild, err, strings.Join(warnings, ", "))
	}
}
