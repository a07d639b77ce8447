package config_test

import (
	"strings"
	"testing"

	"xship/config"
)

// TestLoad_quality reads a quality as people write it, the same in the file, in the
// variable and in the flag.
func TestLoad_quality(t *testing.T) {
	const key, variable = "scan.quality", "XSHIP_SCAN_QUALITY"
	for given, want := range map[string]string{
		"4K": "4K", "4k": "4K", "2160": "4K", "2160p": "4K", "2160P": "4K", "UHD": "4K", "Ultra HD": "4K", "4k uhd": "4K",
		"1440": "1440p", "1440p": "1440p", "QHD": "1440p", "2k": "1440p",
		"1080": "1080p", "1080p": "1080p", "1080P": "1080p", "1080i": "1080p", " 1080 p ": "1080p", "FHD": "1080p", "full hd": "1080p", "Full-HD": "1080p", "ultra_hd": "4K",
		"720": "720p", "720P": "720p", "HD": "720p",
		"sd": "SD", "SD": "SD", "480": "SD", "480p": "SD", "576i": "SD", "360p": "SD", "dvd": "SD",
	} {
		for source, o := range map[string]config.LoadOptions{
			"file":     {File: settingsFile(t, "scan:\n  quality: "+given+"\n"), Explicit: true},
			"variable": {LookupEnv: environment(map[string]string{variable: given})},
			"flag":     {Overrides: map[string]any{key: given}},
		} {
			s, err := config.Load(o)
			if err != nil || s.Scan.Quality != want {
				t.Errorf("%s %q: %+v, %v, want %q", source, given, s, err, want)
			}
		}
	}
	for given, want := range map[string]string{
		"8K": "did you mean 4K?", "4320p": "did you mean 4K?", "900": "did you mean 720p?", "1081": "did you mean 1080p?",
		"240p": "did you mean SD?", "108p": "did you mean SD?", "best": "", "-1080": "", "p": "", "k": "", "99999999999999999999": "",
	} {
		_, err := config.Load(config.LoadOptions{Overrides: map[string]any{key: given}})
		if err == nil || !strings.HasSuffix(err.Error(), strings.TrimSuffix("use one of 4K, 1440p, 1080p, 720p, SD; "+want, "; ")) {
			t.Errorf("%q: %v, want %q", given, err, want)
		}
	}
}

// TestLoad_nearestWord names the word that was probably meant.
func TestLoad_nearestWord(t *testing.T) {
	_, err := config.Load(config.LoadOptions{Overrides: map[string]any{"cooldown.store": "sqlit"}})
	if err == nil || !strings.HasSuffix(err.Error(), "use one of sqlite, memory, redis; did you mean sqlite?") {
		t.Error(err)
	}
}
