package cmd

import (
	"strings"
	"testing"
	"unicode/utf8"

	"xship/cmd/api"
	"xship/config"
)

// TestEnvironmentHelp has each variable of a setting, and fits a terminal of 80 columns.
func TestEnvironmentHelp(t *testing.T) {
	t.Parallel()
	help := environmentHelp()
	for _, k := range config.Keys() {
		if !strings.Contains(help, "  "+k.Env+"  (") || !strings.Contains(help, "      "+k.Name+": ") {
			t.Errorf("no %s", k.Env)
		}
	}
	for _, v := range append(config.OtherVariables(), otherPrograms...) {
		if !strings.Contains(help, "  "+v.Name+"\n      ") {
			t.Errorf("no %s", v.Name)
		}
	}
	for line := range strings.Lines(help) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
			t.Errorf("too long: %q", line)
		}
	}
}

// TestSettingLines has key and variable in one piece on narrow terminals.
func TestSettingLines(t *testing.T) {
	t.Parallel()
	settings := []api.Setting{
		{Key: "scan.limit", Value: "7", Origin: "file", Source: "/home/me/.config/xship/config.yaml", Env: "XSHIP_SCAN_LIMIT", Description: "most sources listed"},
		{Key: "redis.prefix", Origin: "default", Env: "XSHIP_REDIS_PREFIX", Description: "text before every Redis key"},
	}
	want := strings.Join([]string{
		"scan.limit = 7 (file",
		"    /home/me/.config/xship/config.yaml)",
		"    XSHIP_SCAN_LIMIT: most sources listed",
		"redis.prefix = (empty) (default)",
		"    XSHIP_REDIS_PREFIX: text before every Redis",
		"    key",
	}, "\n")
	if got := strings.Join(settingLines(settings, 48), "\n"); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
