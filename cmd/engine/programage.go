package engine

import (
	"fmt"
	"strings"
	"time"
)

// The ages from which on programs are taken for old. Sites change, and yt-dlp with them;
// formats and bugs of ffprobe change more slowly.
const (
	ytdlpOld   = 365 * 24 * time.Hour
	ffprobeOld = 4 * 365 * 24 * time.Hour
)

// ytdlpAge is how old a yt-dlp is, whose version is the day of its release, where that is
// too old, else 0.
func ytdlpAge(version string, now time.Time) time.Duration {
	var year, month, day int
	if n, _ := fmt.Sscanf(version, "%4d.%2d.%2d", &year, &month, &day); n < 3 {
		return 0
	}
	return tooOld(time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC), now, ytdlpOld)
}

// ffprobeReleases are the years in which major versions came out.
var ffprobeReleases = map[int]int{0: 2009, 1: 2012, 2: 2013, 3: 2016, 4: 2018, 5: 2022, 6: 2023, 7: 2024, 8: 2025}

// ffprobeAge is how old the major version of an ffprobe is, where that is too old, else 0. A
// build between releases has no such version.
func ffprobeAge(version string, now time.Time) time.Duration {
	var major, minor int
	if n, _ := fmt.Sscanf(strings.TrimPrefix(version, "n"), "%d.%d", &major, &minor); n < 2 {
		return 0
	}
	year, known := ffprobeReleases[major]
	if !known {
		return 0
	}
	return tooOld(time.Date(year, time.July, 1, 0, 0, 0, 0, time.UTC), now, ffprobeOld)
}

func tooOld(released, now time.Time, most time.Duration) time.Duration {
	if age := now.Sub(released); age > most {
		return age
	}
	return 0
}
