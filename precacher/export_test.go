package precacher

import "time"

// NextOf gives when a schedule comes after a time.
func NextOf(spec string) (next func(time.Time) time.Time, err error) {
	schedule, err := parseSchedule(spec)
	if err != nil {
		return nil, err
	}
	return schedule.Next, nil
}
