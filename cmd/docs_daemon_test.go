package cmd_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"xship/cmd/api"
	"xship/config"
)

// TestDaemonDoc_notifications loads the settings that docs/daemon.md shows, and reads its
// events.
func TestDaemonDoc_notifications(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "docs", "daemon.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(doc), "## Notifications")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := regexp.MustCompile("(?s)```(yaml|json)\n(.*?)```").FindAllStringSubmatch(section, -1)
	settings, events := 0, 0
	for _, block := range blocks {
		if block[1] == "yaml" {
			file := filepath.Join(t.TempDir(), "config.yaml")
			if err := os.WriteFile(file, []byte(block[2]), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := config.Load(config.LoadOptions{File: file, Explicit: true})
			if err != nil || len(s.Notify.Command) < 3 {
				t.Errorf("%s: %v", block[2], err)
			}
			settings++
			continue
		}
		dec := json.NewDecoder(strings.NewReader(block[2]))
		dec.DisallowUnknownFields()
		for dec.More() {
			var n api.Notification
			if err := dec.Decode(&n); err != nil || n.Message == "" || !strings.Contains(section, "`"+n.Event+"`") {
				t.Fatalf("%s: %+v, %v", block[2], n, err)
			}
			events++
		}
	}
	if settings < 3 || events < 2 {
		t.Errorf("%d settings, %d events", settings, events)
	}
	for _, event := range []string{api.EventTitleReady, api.EventAccountEnding, api.EventInterfaceSwitched, api.EventCycleFailed} {
		if !strings.Contains(section, "| `"+event+"` |") {
			t.Errorf("%s is not explained", event)
		}
	}
}
