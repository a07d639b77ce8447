package engine

import (
	"testing"
	"time"
)

// Programs are old by what their versions say.
func TestProgramAge(t *testing.T) {
	now := time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		program, version string
		want             int // years, 0 = not too old
	}{
		{"yt-dlp", "2026.11.20", 0},
		{"yt-dlp", "2025.12.08", 0},
		{"yt-dlp", "2025.11.12", 1},
		{"yt-dlp", "2023.03.04", 3},
		{"yt-dlp", "2023.03.04.232939", 3}, // a nightly build
		{"yt-dlp", "master", 0},
		{"yt-dlp", "", 0},
		{"ffprobe", "8.0.1", 0},
		{"ffprobe", "7.1.1-1+b1", 0},
		{"ffprobe", "6.0", 0},
		{"ffprobe", "5.1.6-0+deb12u1", 4},
		{"ffprobe", "n4.4.1", 8},
		{"ffprobe", "2.8.17-0ubuntu0.1", 13},
		{"ffprobe", "N-109468-gd39b34123d", 0},
		{"ffprobe", "99.1", 0},
		{"ffprobe", "", 0},
	} {
		age := ffprobeAge(c.version, now)
		if c.program == "yt-dlp" {
			age = ytdlpAge(c.version, now)
		}
		if got := int(age / (365 * 24 * time.Hour)); got != c.want {
			t.Errorf("%s %q: %d years, want %d", c.program, c.version, got, c.want)
		}
	}
}
