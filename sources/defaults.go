package sources

import (
	"cmp"
	"log/slog"
	"time"
)

// What several rooms go by where nobody says otherwise.
const (
	DefaultProbeTimeout = 20 * time.Second // one probe
	DefaultStreamTTL    = time.Hour        // of a stream that does not tell its own end
)

// OrDefault is v, or def where v is not positive.
func OrDefault[T cmp.Ordered](v, def T) T {
	var zero T
	if v > zero {
		return v
	}
	return def
}

// OrSilent is logger, or one that writes nothing where it is nil.
func OrSilent(logger *slog.Logger) *slog.Logger {
	if logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return logger
}

// OrNow is now, or the real clock where it is nil.
func OrNow(now func() time.Time) func() time.Time {
	if now == nil {
		return time.Now
	}
	return now
}
