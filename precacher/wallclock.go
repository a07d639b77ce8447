package precacher

import (
	"time"
	_ "time/tzdata" // TZ and CRON_TZ mean what they say also where the machine has no zones

	"github.com/robfig/cron/v3"
)

// wallClock is a schedule that names its hours, by what a clock on the wall shows: each
// of its times comes once a day. One that the wall skips when the clocks go forward
// comes as long after the change as it would have, and one that it shows twice when
// they go back comes the first time only. Cron alone leaves the first out, and runs the
// second twice.
type wallClock struct{ *cron.SpecSchedule }

// byWallClock is schedule, which comes once a day at its times where it names hours.
// One that comes in every hour, or at an interval, is not changed by the clocks.
func byWallClock(schedule cron.Schedule) cron.Schedule {
	const star = 1 << 63 // as cron marks a field that is all
	if spec, ok := schedule.(*cron.SpecSchedule); ok && spec.Hour&star == 0 {
		return wallClock{spec}
	}
	return schedule
}

// Next implements cron.Schedule.
func (s wallClock) Next(t time.Time) time.Time {
	zone := s.Location
	if zone == time.Local {
		zone = t.Location()
	}
	steady := *s.SpecSchedule // without changes of the clock
	steady.Location = time.UTC
	shown := t.In(zone)
	wall := time.Date(shown.Year(), shown.Month(), shown.Day(), shown.Hour(), shown.Minute(), shown.Second(), shown.Nanosecond(), time.UTC)
	for {
		if wall = steady.Next(wall); wall.IsZero() {
			return wall
		}
		if at := firstShown(wall, zone); at.After(t) {
			return at.In(t.Location())
		}
	}
}

// firstShown is when the clocks of a zone show a time of the wall first, or where they
// skip it, when they would have shown it had they not gone forward.
func firstShown(wall time.Time, zone *time.Location) time.Time {
	const day = 24 * time.Hour // there is one change within it at most
	_, before := wall.Add(-day).In(zone).Zone()
	_, after := wall.Add(day).In(zone).Zone()
	at := wall.Add(-time.Duration(max(before, after)) * time.Second)
	if _, offset := at.In(zone).Zone(); offset != max(before, after) {
		at = wall.Add(-time.Duration(min(before, after)) * time.Second)
	}
	return at
}
