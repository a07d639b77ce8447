package engine

import "sync"

// once makes a value when it is asked for first. A failure is not kept: the next who
// asks tries again, so that a server gets over what somebody mends meanwhile.
func once[T any](build func() (T, error)) func() (T, error) {
	var (
		mu    sync.Mutex
		made  bool
		value T
	)
	return func() (T, error) {
		mu.Lock()
		defer mu.Unlock()
		if made {
			return value, nil
		}
		v, err := build()
		if err == nil {
			value, made = v, true
		}
		return v, err
	}
}
