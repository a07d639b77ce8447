package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"xship/config"
	"xship/precacher"
	"xship/sources"
)

// DaemonState tells what the precacher of the data directory does.
type DaemonState struct {
	Running    bool
	PID        int       // 0 where it is not known
	Since      time.Time // it runs, zero where that is not known
	Once       bool      // it runs a single cycle
	Older      bool      // it is of an older xship, which tells of no cycle
	Schedule   string    // by which it works, or would
	CycleSince time.Time // the cycle that runs now began, zero where none does
	// Last is the last cycle that ended, whoever ran it, nil where none did. Finished is the
	// last one that ran to its end.
	Last, Finished *sources.CycleRecord
	Next           time.Time // when the next cycle begins, zero where none does
}

// Late tells whether no cycle ran to its end within three of the times at which one should
// have begun, at the given time.
func (s DaemonState) Late(now time.Time) bool {
	if s.Finished == nil {
		return true
	}
	const intervals = 3
	schedule, err := precacher.ReadSchedule(s.Schedule)
	if err != nil { // which is told of by itself
		return false
	}
	due := s.Finished.EndedAt
	for range intervals {
		due = schedule.Next(due)
	}
	return due.Before(now)
}

// tellOthers says in the lock file since when this process works, and by which schedule.
func (e *Engine) tellOthers(lock *PrecacherLock) {
	if lock == nil {
		return
	}
	if err := lock.lock.write(lockHolder{since: e.cfg.Now(), schedule: e.cfg.Settings.Precache.Schedule}); err != nil {
		e.cfg.Logger.Warn("the lock file does not tell by which schedule this process works; it holds the lock all the same", "error", err)
	}
}

// daemonState looks at the lock, and reads what is kept of the cycles. Without a store
// that is nothing. What is known is given with an error too.
func (e *Engine) daemonState(ctx context.Context) (s DaemonState, err error) {
	s.Schedule = e.cfg.Settings.Precache.Schedule
	if e.cfg.DataDir != "" {
		holder, err := lookAtLock(config.PrecacherLockPath(e.cfg.DataDir))
		if err != nil {
			e.cfg.Logger.Debug("the lock of the precacher could not be looked at", "error", err)
		}
		if holder != nil {
			s.Running, s.PID, s.Since = true, holder.pid, holder.since
			s.Once, s.Older = holder.told && holder.schedule == "", holder.pid != 0 && !holder.told
			s.Schedule = cmp.Or(holder.schedule, s.Schedule)
		}
	}
	if e.cfg.Store == nil {
		return s, nil
	}
	const looked = 100 // of which one ran to its end, or none did for long
	cycles, err := e.cfg.Store.Cycles(ctx, looked)
	if err != nil {
		return s, err
	}
	for i := range cycles {
		if s.Last == nil {
			s.Last = &cycles[i]
		}
		if cycles[i].Error == "" && s.Finished == nil {
			s.Finished = &cycles[i]
		}
	}
	if !s.Running || s.Older {
		return s, nil
	}
	begun, err := e.cfg.Store.CycleBegun(ctx)
	if err != nil {
		return s, err
	}
	if !begun.IsZero() && (s.Last == nil || s.Last.EndedAt.Before(begun)) && !begun.Before(s.Since.Truncate(time.Second)) {
		s.CycleSince = begun
	}
	if !s.Once {
		s.Next = s.nextCycle(begun, e.cfg.Now())
	}
	return s, nil
}

// nextCycle is when the daemon that runs begins its next cycle; it began the last one at
// the time begun. A time that comes while a cycle runs is skipped, which it may do again.
func (s DaemonState) nextCycle(begun, now time.Time) time.Time {
	schedule, err := precacher.ReadSchedule(s.Schedule)
	if err != nil {
		return time.Time{}
	}
	if s.CycleSince.IsZero() && s.Last != nil && s.Last.NextAt.After(now) {
		return s.Last.NextAt
	}
	const most = 1000
	next := schedule.Next(begun)
	for range most {
		if next.After(now) {
			return next
		}
		next = schedule.Next(next)
	}
	return schedule.Next(now)
}

// looks are the times at which the daemon looks for what is due. They are computed once for
// all titles: to step through a schedule takes long.
type looks struct {
	schedule precacher.Schedule // nil where the daemon does not run
	times    []time.Time        // the next ones, in order, as far as anybody asked
}

// mostLooks bounds looks.times. Of what lies further ahead the next time that could be is
// near enough.
const mostLooks = 200

func (s DaemonState) looks() *looks {
	schedule, err := precacher.ReadSchedule(s.Schedule)
	if err != nil || s.Next.IsZero() {
		return &looks{}
	}
	return &looks{schedule: schedule, times: []time.Time{s.Next}}
}

// next is the first of them from a time on, zero where the daemon does not run.
func (l *looks) next(due time.Time) time.Time {
	if l.schedule == nil {
		return time.Time{}
	}
	for last := l.times[len(l.times)-1]; last.Before(due) && len(l.times) < mostLooks; {
		last = l.schedule.Next(last)
		l.times = append(l.times, last)
	}
	if i, _ := slices.BinarySearchFunc(l.times, due, time.Time.Compare); i < len(l.times) {
		return l.times[i]
	}
	return l.schedule.Next(due.Add(-time.Second))
}
