package all_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"xship/config/vod"
	"xship/sources/all"
)

// TestAskedTypes: what can be asked is what configs may name.
func TestAskedTypes(t *testing.T) {
	for _, siteType := range all.AskedTypes() {
		body := fmt.Sprintf(`{"sites":[{"key":"k","type":%q,"api":"https://h.example/"}]}`, siteType)
		fetch := func(context.Context, string) (vod.Document, error) { return vod.Document{Body: []byte(body)}, nil }
		config, err := vod.Load(t.Context(), "https://h.example/tv.json", fetch, vod.LoadOptions{})
		if err != nil {
			t.Errorf("type %s: %v", siteType, err)
			continue
		}
		if reason := config.Sites[0].Unsupported; strings.Contains(reason, "not known") {
			t.Errorf("type %s: %s", siteType, reason)
		}
	}
}
