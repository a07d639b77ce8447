package tvbox

import (
	"sync/atomic"

	"xship/sources"
)

// Each runs do for 0 to n-1, at most width at once, and hands each result to
// take on the calling goroutine, in order and as soon as its turn comes. A
// panic of do is one of Each, with the stack of do.
func Each[T any](n, width int, do func(i int) T, take func(i int, result T)) {
	type outcome struct {
		result   T
		panicked *sources.MovedPanic
	}
	outcomes := make([]chan outcome, n)
	for i := range outcomes {
		outcomes[i] = make(chan outcome, 1)
	}
	run := func(i int) (o outcome) {
		defer func() {
			if p := recover(); p != nil {
				o.panicked = sources.MovePanic(p)
			}
		}()
		o.result = do(i)
		return o
	}
	var next atomic.Int64
	for range min(n, width) {
		go func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				outcomes[i] <- run(i)
			}
		}()
	}
	for i := range outcomes {
		o := <-outcomes[i]
		if o.panicked != nil {
			panic(o.panicked)
		}
		take(i, o.result)
	}
}
