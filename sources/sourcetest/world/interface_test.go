package world_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources/sourcetest/world"
)

func addInterface(t *testing.T, c world.InterfaceConfig) *world.Interface {
	t.Helper()
	i, err := start(t, world.Config{}).AddInterface("i", c)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func entries() []world.Entry {
	return []world.Entry{
		{Key: "a", Name: "A", Type: 1, API: "http://127.0.0.1/a", Searchable: 1, Timeout: 3, Ext: "x", Categories: []string{"Film"}},
		{Key: "b", Name: "远航", Type: 3, API: "csp_B", PlayURL: "http://p/", Header: map[string]string{"User-Agent": "x"}},
	}
}

func config(t *testing.T, i *world.Interface) []byte {
	t.Helper()
	_, body := mustGet(t, newClient(t), i.URL())
	return body
}

func listed(t *testing.T, i *world.Interface) []world.Entry {
	t.Helper()
	var doc struct {
		Sites []world.Entry `json:"sites"`
	}
	if err := json.Unmarshal(config(t, i), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Sites == nil {
		t.Fatal("the config has no sites key")
	}
	return doc.Sites
}

func TestInterface_Config(t *testing.T) {
	i := addInterface(t, world.InterfaceConfig{Entries: entries()})
	if diff := cmp.Diff(entries(), listed(t, i)); diff != "" {
		t.Errorf("sites (-want +got):\n%s", diff)
	}
	i.SetEntries(entries()[0])
	if got := listed(t, i); len(got) != 1 || got[0].Key != "a" {
		t.Errorf("sites after the change: %v", got)
	}
	i.SetMode(world.ModeEmpty)
	if got := listed(t, i); len(got) != 0 {
		t.Errorf("sites in mode empty: %v", got)
	}
}

func TestInterface_Quirks(t *testing.T) {
	i := addInterface(t, world.InterfaceConfig{Entries: entries(), BOM: true, Comments: true})
	body := string(config(t, i))
	if !strings.HasPrefix(body, "\uFEFF// ") || !strings.Contains(body, "/* ") || !strings.Contains(body, "\n    # ") {
		t.Errorf("config lacks the mark or a kind of comment:\n%s", body)
	}
}

func TestInterface_OtherPaths(t *testing.T) {
	i := addInterface(t, world.InterfaceConfig{})
	if resp, _ := mustGet(t, newClient(t), strings.Replace(i.URL(), "vod", "live", 1)); resp.StatusCode != http.StatusNotFound {
		t.Errorf("status %d beside the config, want 404", resp.StatusCode)
	}
}
