package cmd

import (
	"testing"
	"time"

	"xship/sources"
)

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
