package sources

import (
	"log/slog"
	"time"
)

// orDefault is v, or def where v is not set.
func orDefault[T int | time.Duration](v, def T) T {
	if v <= 0 {
		return def
	}
	return v
}

// orSilent is logger, or one that writes nothing where it is nil.
func orSilent(logger *slog.Logger) *slog.Logger {
	if logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return logger
}

// timeOf is the time by now, or the real one where it is nil.
func timeOf(now func() time.Time) time.Time {
	if now == nil {
		return time.Now()
	}
	return now()
}
