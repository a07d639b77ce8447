package engine

import "fmt"

// RequestError is a request that makes no sense.
type RequestError struct{ Text, Hint string }

func (e *RequestError) Error() string { return e.Text }

// ErrorCode implements text.Coded.
func (*RequestError) ErrorCode() string { return "usage" }

// ErrorHint implements text.Hinted.
func (e *RequestError) ErrorHint() string { return e.Hint }

// NothingPlayableError says that nothing can be played, though sources may exist.
type NothingPlayableError struct {
	Text, Hint string
	// Meant is the scan, where it found nothing: its Series and Near tell what may have been
	// meant. nil: sources exist, or a trailer was asked for.
	Meant *Scan
}

func (e *NothingPlayableError) Error() string { return e.Text }

// ErrorCode implements text.Coded.
func (*NothingPlayableError) ErrorCode() string { return "nothing_playable" }

// ErrorHint implements text.Hinted.
func (e *NothingPlayableError) ErrorHint() string { return e.Hint }

// NotWatchedError says that the watchlist has no entry of an id.
type NotWatchedError struct{ ID int64 }

func (e *NotWatchedError) Error() string { return fmt.Sprintf("the watchlist has no number %d", e.ID) }

// ErrorHint implements text.Hinted.
func (*NotWatchedError) ErrorHint() string { return "xship watch list shows the ids" }
