package precacher

import (
	"context"
	"log/slog"
	"time"

	"xship/sources"
)

// leaveLimit bounds the wait for tasks whose context has ended.
const leaveLimit = 2 * time.Second

// task is one piece of work.
type task struct {
	name   string                      // what it is doing, for the log
	run    func() sources.CycleSummary // counts what came of it
	broken sources.CycleSummary        // counts instead where run panics
	ended  func()                      // called by wait when it takes in the result, may be nil
}

// crew runs tasks, each on its own goroutine. One goroutine starts them and waits
// for their results; it decides how many run at once.
type crew struct {
	logger  *slog.Logger
	results chan result
	wake    chan struct{} // see poke
	running int
	leave   <-chan time.Time // fires leaveLimit after the end of the context
	left    bool             // leave has fired: running tasks are not waited for any more
}

type result struct {
	task task
	sum  sources.CycleSummary
}

// newCrew makes a crew that runs at most most tasks at once. There is room for all
// their results, so that a task ends even when nobody waits for it any more.
func newCrew(most int, logger *slog.Logger) *crew {
	return &crew{logger: logger, results: make(chan result, most), wake: make(chan struct{}, 1)}
}

func (c *crew) start(t task) {
	c.running++
	go func() {
		var sum sources.CycleSummary
		err := sources.Contain(c.logger, t.name, func() error {
			sum = t.run()
			return nil
		})
		if err != nil {
			sum = t.broken
		}
		c.results <- result{task: t, sum: sum}
	}()
}

// poke makes the next or the running wait return. It may be called from any
// goroutine.
func (c *crew) poke() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// wait waits for the next task to end and gives its sources.CycleSummary, or an empty one after a
// poke, or after the given time. After the end of ctx it waits for no longer than
// leaveLimit in all; then it gives false, and so does every later call.
func (c *crew) wait(ctx context.Context, most time.Duration) (sources.CycleSummary, bool) {
	if c.left {
		return sources.CycleSummary{}, false
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case r := <-c.results:
		return c.take(r), true
	case <-c.wake:
		return sources.CycleSummary{}, true
	case <-timer.C:
		return sources.CycleSummary{}, true
	case <-ctx.Done():
		if c.running == 0 {
			return sources.CycleSummary{}, false
		}
	}
	if c.leave == nil {
		c.leave = time.After(leaveLimit)
	}
	select {
	case r := <-c.results:
		return c.take(r), true
	case <-c.leave:
		c.left = true
		c.logger.Warn("some work did not end in time and was left", "tasks", c.running, "limit", leaveLimit)
		return sources.CycleSummary{}, false
	}
}

func (c *crew) take(r result) sources.CycleSummary {
	c.running--
	if r.task.ended != nil {
		r.task.ended()
	}
	return r.sum
}
