package folder

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"xship/sources"
	"xship/sources/text"
)

// patience is how long an access may take without getting on.
const patience = 2 * time.Second

// watch stands between us and a folder whose disk or server may hang: a call to the system
// that hangs cannot be ended. Each access has a goroutine of its own, which is left behind
// where nothing comes of it; until it is back, all others fail at once.
type watch struct {
	dir  string
	left atomic.Int64 // accesses that were left behind and are not back
}

// watches are those of the process, by folder: a disk hangs for all who ask.
var watches sync.Map

func watchOf(dir string) *watch {
	w, _ := watches.LoadOrStore(dir, &watch{dir: dir})
	found, _ := w.(*watch)
	return found
}

// hangError says that a folder does not answer.
type hangError struct{ dir string }

func (e *hangError) Error() string {
	return "the folder " + text.Printable(e.dir) + " did not answer within " + patience.String() + ": its disk or server hangs"
}

// Class implements sources.Classifier.
func (*hangError) Class() sources.Class { return sources.ClassHosterFault }

// Timeout tells that time ran out.
func (*hangError) Timeout() bool { return true }

// access runs do, which calls on each time that it gets on, and stops where on tells it
// to.
func access[T any](ctx context.Context, w *watch, do func(on func() bool) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	if w.left.Load() > 0 {
		return none, &hangError{w.dir}
	}
	var steps atomic.Int64
	var over atomic.Bool
	var value T
	var err error
	done := make(chan struct{}) // closed when value and err are there
	go func() {
		defer close(done)
		err = sources.Contain(nil, "reading a folder", func() (err error) {
			value, err = do(func() bool {
				steps.Add(1)
				return !over.Load()
			})
			return err
		})
	}()
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for seen := int64(0); ; {
		select {
		case <-done:
			return value, err
		case <-ctx.Done():
			over.Store(true)
			go func() { // it may hang
				timer := time.NewTimer(patience)
				defer timer.Stop()
				select {
				case <-done:
				case <-timer.C:
					w.left.Add(1)
					w.leave(done)
				}
			}()
			return none, ctx.Err()
		case <-timer.C:
			now := steps.Load()
			if now == seen {
				over.Store(true)
				w.left.Add(1)
				go w.leave(done)
				return none, &hangError{w.dir}
			}
			seen = now
			timer.Reset(patience)
		}
	}
}

// leave waits for an access that hangs, and was counted, and counts it out.
func (w *watch) leave(done <-chan struct{}) {
	defer w.left.Add(-1)
	<-done
}
