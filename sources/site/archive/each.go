package archive

import (
	"log/slog"
	"sync/atomic"

	"xship/sources"
)

// each runs do for all of what in their order, as many at once as a host is asked, and
// hands each result to take on the calling goroutine as soon as it is there. A panic of
// do is an error of its one.
func each[T, R any](what []T, do func(one T) (R, error), logger *slog.Logger, take func(i int, result R, err error)) {
	type outcome struct {
		i      int
		result R
		err    error
	}
	outcomes := make(chan outcome, len(what))
	var next atomic.Int64
	for range min(len(what), atOnce) {
		go func() {
			for i := int(next.Add(1)) - 1; i < len(what); i = int(next.Add(1)) - 1 {
				o := outcome{i: i}
				o.err = sources.Contain(logger, "asking the Internet Archive", func() (err error) {
					o.result, err = do(what[i])
					return err
				})
				outcomes <- o
			}
		}()
	}
	for range what {
		o := <-outcomes
		take(o.i, o.result, o.err)
	}
}
