package engine

import "sync"

// once makes a value when it is asked for first. A failure is not kept: the next who
// asks tries again, so that a server gets over what somebody mends meanwhile.
type once[T any] struct {
	build func() (T, error)

	mu    sync.Mutex
	made  bool
	value T
}

func onceOf[T any](build func() (T, error)) *once[T] { return &once[T]{build: build} }

func (o *once[T]) get() (T, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.made {
		return o.value, nil
	}
	v, err := o.build()
	if err == nil {
		o.value, o.made = v, true
	}
	return v, err
}

// forget has the value made anew for the next who asks. Those who have it keep it.
func (o *once[T]) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	var none T
	o.value, o.made = none, false
}
