package precacher

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/robfig/cron/v3"
)

// stopLimit bounds the wait for a cycle whose context has ended.
const stopLimit = 3 * time.Second

// ParseSchedule tells whether spec is a schedule that Run can keep: five cron
// fields, or a descriptor such as "@hourly" or "@every 15m".
func ParseSchedule(spec string) error {
	_, err := parseSchedule(spec)
	return err
}

// Schedule tells when cycles begin.
type Schedule interface {
	// Next is the first time after t.
	Next(t time.Time) time.Time
}

// ReadSchedule gives the schedule that spec says, see ParseSchedule.
func ReadSchedule(spec string) (Schedule, error) { return parseSchedule(spec) }

func parseSchedule(spec string) (cron.Schedule, error) {
	schedule, err := parseCron(strings.TrimSpace(spec))
	if err == nil && schedule.Next(time.Unix(0, 0)).IsZero() {
		err = errors.New("there is no such day")
	}
	if err != nil {
		return nil, fmt.Errorf("schedule %q: %w; use five cron fields (\"*/15 * * * *\") or a descriptor (\"@every 15m\", \"@hourly\")", spec, err)
	}
	return byWallClock(schedule), nil
}

// parseCron refuses what cron's own parser takes badly: it panics on a time
// zone alone, and makes one second of an interval below zero.
func parseCron(spec string) (cron.Schedule, error) {
	if zoned := strings.HasPrefix(spec, "TZ=") || strings.HasPrefix(spec, "CRON_TZ="); zoned && !strings.Contains(spec, " ") {
		return nil, errors.New("a time zone and no times")
	}
	if every, ok := strings.CutPrefix(spec, "@every "); ok {
		d, err := time.ParseDuration(every)
		if err == nil && d < time.Second {
			return nil, errors.New("the interval is shorter than a second")
		}
	}
	return cron.ParseStandard(spec)
}

// Run runs a cycle now and then by schedule, until ctx ends; it then returns
// nil within three seconds, whatever its jobs do. A time that comes while a
// cycle is still running is skipped. Between cycles too, failing hosters are tested
// when that is due. The error tells why schedule is invalid, when nothing was started,
// or is that of Config.Ready, which ended it.
func (p *Precacher) Run(parent context.Context, schedule string) error {
	parsed, err := parseSchedule(schedule)
	if err != nil {
		return err
	}
	ctx, end := context.WithCancelCause(parent)
	defer end(nil)
	log := cronLogger{p.cfg.Logger}
	// Recover has to be the inner one: a panic that passes through
	// SkipIfStillRunning leaves its lock taken, and all later cycles are skipped.
	c := cron.New(cron.WithLogger(log), cron.WithChain(cron.SkipIfStillRunning(log), cron.Recover(log)))
	c.Schedule(&startingNow{Schedule: parsed}, cron.FuncJob(func() {
		if p.cfg.Ready != nil {
			if err := p.cfg.Ready(); err != nil {
				end(err)
				return
			}
		}
		p.cycling.Store(true)
		defer p.cycling.Store(false)
		now := p.cfg.Now()
		next := parsed.Next(now).Sub(now)
		interval := min(next, p.cfg.Budget)
		if p.cfg.Pace {
			next += window(interval) // a stream is renewed by the end of the next cycle
		}
		_, _ = p.cycle(ctx, max(p.cfg.RenewBefore, next), interval, func(ended time.Time) time.Time { return firstAfter(parsed, now, ended) }) // it has logged both
	}))
	c.Start()
	var between sync.WaitGroup
	between.Go(func() { p.betweenCycles(ctx) })
	<-ctx.Done()
	ended := make(chan struct{})
	go func() {
		<-c.Stop().Done()
		between.Wait()
		close(ended)
	}()
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	select {
	case <-ended:
	case <-limit.C:
		p.cfg.Logger.Warn("the running cycle did not end in time and was left", "limit", stopLimit)
	}
	if parent.Err() != nil {
		return nil
	}
	return context.Cause(ctx)
}

// firstAfter is the first time of a schedule behind ended, counted on from begun: what
// comes while a cycle runs is skipped. It is zero where none comes.
func firstAfter(s cron.Schedule, begun, ended time.Time) time.Time {
	next := s.Next(begun)
	for !next.IsZero() && !next.After(ended) {
		next = s.Next(next)
	}
	return next
}

// startingNow is a schedule whose first time is at once.
type startingNow struct {
	cron.Schedule
	started bool
}

// Next implements cron.Schedule. Cron calls it from one goroutine.
func (s *startingNow) Next(t time.Time) time.Time {
	if !s.started {
		s.started = true
		return t
	}
	return s.Schedule.Next(t)
}

// cronLogger hands what cron says to slog.
type cronLogger struct{ logger *slog.Logger }

// Info implements cron.Logger. Only a skipped cycle is news to a user.
func (l cronLogger) Info(msg string, keysAndValues ...any) {
	if msg == "skip" {
		l.logger.Info("the cycle before is still running, this one is skipped")
		return
	}
	l.logger.Debug("cron: "+msg, keysAndValues...)
}

// Error implements cron.Logger; it is told of panics only.
func (l cronLogger) Error(err error, _ string, keysAndValues ...any) {
	l.logger.Error("a panic in a cycle, the next one comes by schedule", append([]any{"error", err}, keysAndValues...)...)
}
