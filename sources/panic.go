package sources

import (
	"fmt"
	"log/slog"
	"runtime/debug"
)

// Contain runs fn, and turns a panic in it into an error of ClassBug that says what
// xship was doing. The stack goes to the log, with attrs. A nil logger is silent.
func Contain(logger *slog.Logger, doing string, fn func() error, attrs ...any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			moved := MovePanic(p)
			OrSilent(logger).Error("a panic while "+doing, append(attrs, "panic", fmt.Sprint(moved.Value), "stack", string(moved.Stack))...)
			err = Errorf(ClassBug, "xship has a bug in %s: %v", doing, moved.Value)
		}
	}()
	return fn()
}

// MovedPanic is the value of a panic that goes on, on the goroutine that waits, where
// it began on another one.
type MovedPanic struct {
	Value any
	Stack []byte // of the goroutine on which it began
}

func (p *MovedPanic) String() string { return fmt.Sprintf("%v\n\n%s", p.Value, p.Stack) }

// MovePanic is what recover gave, which must not be nil, with the stack of its
// goroutine.
func MovePanic(recovered any) *MovedPanic {
	if moved, ok := recovered.(*MovedPanic); ok {
		return moved
	}
	return &MovedPanic{Value: recovered, Stack: debug.Stack()}
}
