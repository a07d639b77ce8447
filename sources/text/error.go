package text

// Coded is an error that tells its code: the word by which programs know its kind,
// such as "settings". Which exit code and status go with a code is said in one table,
// in cmd/api.
type Coded interface {
	error
	ErrorCode() string
}

// Hinted is an error that tells what the user can do about it, "" where that is
// nothing.
type Hinted interface {
	error
	ErrorHint() string
}

// FindCode finds the outermost error with the given code in err and what it wraps.
func FindCode(err error, code string) (Coded, bool) {
	found := find(err, func(e error) bool {
		coded, ok := e.(Coded) //nolint:errorlint // find looks at each error by itself
		return ok && coded.ErrorCode() == code
	})
	coded, ok := found.(Coded) //nolint:errorlint // this very error
	return coded, ok
}

// HintOf is the outermost advice in err and what it wraps, "" where there is none.
func HintOf(err error) string {
	hint := ""
	_ = find(err, func(e error) bool { // the advice of it is what is wanted
		if hinted, ok := e.(Hinted); ok { //nolint:errorlint // find looks at each error by itself
			hint = hinted.ErrorHint()
		}
		return hint != ""
	})
	return hint
}

// find gives the first error for which is holds: err itself, then what it wraps, the
// one before first.
func find(err error, is func(error) bool) error {
	if err == nil || is(err) {
		return err
	}
	switch e := err.(type) { //nolint:errorlint // this very error
	case interface{ Unwrap() error }:
		return find(e.Unwrap(), is)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			if found := find(inner, is); found != nil {
				return found
			}
		}
	}
	return nil
}

// WithHint is err with advice.
func WithHint(err error, hint string) error { return &hintError{err: err, hint: hint} }

type hintError struct {
	err  error
	hint string
}

func (e *hintError) Error() string { return e.err.Error() }

func (e *hintError) Unwrap() error { return e.err }

// ErrorHint implements Hinted.
func (e *hintError) ErrorHint() string { return e.hint }
