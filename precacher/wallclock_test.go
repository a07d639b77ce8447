package precacher_test

import (
	"testing"
	"time"

	"xship/precacher"
)

// runsOf gives when a schedule comes within a year of a zone.
func runsOf(t *testing.T, spec, zone string, year int) []time.Time {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	next, err := precacher.NextOf(spec)
	if err != nil {
		t.Fatal(err)
	}
	var runs []time.Time
	at := time.Date(year, 1, 1, 0, 0, 0, 0, loc).Add(-time.Second)
	for end := time.Date(year+1, 1, 1, 0, 0, 0, 0, loc); ; {
		after := next(at)
		if !after.After(at) {
			t.Fatalf("after %s comes %s", at, after)
		}
		if at = after; !at.Before(end) {
			return runs
		}
		runs = append(runs, at)
	}
}

// TestSchedule_onceADay counts the runs of each day of a year, in zones that change
// their clocks at night, at midnight, and by half an hour.
func TestSchedule_onceADay(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/New_York", "America/Havana", "Asia/Beirut", "Australia/Lord_Howe", "Africa/Casablanca", "UTC"}
	specs := []string{"30 2 * * *", "59 1 * * *", "0 2 * * *", "0 3 * * *", "@daily", "15 0 * * *", "0 12 * * *"}
	for _, zone := range zones {
		for _, spec := range specs {
			perDay := make(map[string]int)
			for _, at := range runsOf(t, spec, zone, 2026) {
				perDay[at.Format(time.DateOnly)]++
			}
			if len(perDay) != 365 {
				t.Errorf("%s in %s comes on %d days", spec, zone, len(perDay))
			}
			for day, n := range perDay {
				if n != 1 {
					t.Errorf("%s in %s comes %d times on %s", spec, zone, n, day)
				}
			}
		}
	}
}

func TestSchedule_change(t *testing.T) {
	const forward, back = "2026-03-29", "2026-10-25" // in Berlin, at 2 and at 3 o'clock
	tests := []struct {
		name, spec, day string
		want            []string
	}{
		{"skipped", "30 2 * * *", forward, []string{"03:30 +0200"}},
		{"skipped at its beginning", "0 2 * * *", forward, []string{"03:00 +0200"}},
		{"skipped beside another", "30 2,3 * * *", forward, []string{"03:30 +0200"}},
		{"after it", "0 3 * * *", forward, []string{"03:00 +0200"}},
		{"shown twice", "30 2 * * *", back, []string{"02:30 +0200"}},
		{"after it was shown twice", "0 3 * * *", back, []string{"03:00 +0100"}},
		{"every second hour", "0 0-4/2 * * *", back, []string{"00:00 +0200", "02:00 +0200", "04:00 +0100"}},
		{"every hour goes on", "0 * * * *", back, nil},
		{"of another zone", "CRON_TZ=UTC 30 2 * * *", back, []string{"03:30 +0100"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, at := range runsOf(t, tt.spec, "Europe/Berlin", 2026) {
				if at.Format(time.DateOnly) == tt.day {
					got = append(got, at.Format("15:04 -0700"))
				}
			}
			if tt.want == nil {
				if len(got) != 25 {
					t.Errorf("comes %d times in 25 hours", len(got))
				}
				return
			}
			if len(got) != len(tt.want) {
				t.Fatalf("comes at %q, want %q", got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("comes at %q, want %q", got, tt.want)
				}
			}
		})
	}
}

// TestSchedule_startedMeanwhile starts while the clocks show the hour again: what came
// in the hour before does not come again.
func TestSchedule_startedMeanwhile(t *testing.T) {
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	next, err := precacher.NextOf("59 2 * * *")
	if err != nil {
		t.Fatal(err)
	}
	again := time.Date(2026, 10, 25, 1, 30, 0, 0, time.UTC).In(loc) // 2:30 for the second time
	if got, want := next(again), time.Date(2026, 10, 26, 2, 59, 0, 0, loc); !got.Equal(want) {
		t.Errorf("comes at %s, want %s", got, want)
	}
}
