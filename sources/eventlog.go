package sources

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"xship/sources/link"
	"xship/sources/text"
)

// EventLog is the Observer that writes a log: news at info and above, all else for
// those who look for a fault.
type EventLog struct {
	Logger *slog.Logger // nil: silent
}

// Observe implements Observer.
func (l EventLog) Observe(ctx context.Context, e Event) {
	logger := OrSilent(l.Logger)
	switch e := e.(type) {
	case AttemptEnded:
		logAttempt(ctx, logger, e)
	case SiteDone:
		logSite(ctx, logger, e)
	case RequestMade:
		logRequest(ctx, logger, e)
	case InterfaceTried:
		logTried(ctx, logger, e)
	case InterfaceSwitched:
		level := slog.LevelWarn
		if e.Attended {
			level = slog.LevelDebug
		}
		logger.Log(ctx, level, "an interface could not be loaded, trying the next one", "interface", e.From.Title(), "next", e.To.Title(), "error", e.Cause)
	case InterfaceLoaded:
		logLoaded(ctx, logger, e)
	case CooldownMarked:
		logger.InfoContext(ctx, "a provider cools down", "provider", e.Key.Provider, "user", e.Key.User,
			"remaining", time.Duration(text.WholeSeconds(e.Remaining))*time.Second, "reason", e.Reason)
	case TitleReady:
		logger.InfoContext(ctx, "a title is ready", "title", e.Title.String(), "quality", string(e.Quality))
	case AccountEnding:
		logger.WarnContext(ctx, "an account ends soon, or has ended; renew it at its provider", "provider", e.Provider, "user", e.User, "ends", e.EndsAt)
	case CycleEnded:
		logCycle(ctx, logger, e)
	}
}

func logAttempt(ctx context.Context, logger *slog.Logger, e AttemptEnded) {
	if e.Class == ClassBug {
		logger.ErrorContext(ctx, "an attempt failed in a way that is a bug of xship", "hoster", e.Hoster, "source", e.Source, "error", e.Detail)
		return
	}
	logger.DebugContext(ctx, "an attempt ended", "hoster", e.Hoster, "source", e.Source, "class", string(e.Class), "error", e.Detail, "elapsed", rounded(e.Elapsed))
}

func logSite(ctx context.Context, logger *slog.Logger, e SiteDone) {
	if e.Class == ClassBug {
		logger.ErrorContext(ctx, "a site failed in a way that is a bug of xship", "site", e.Report.Key, "error", e.Report.Error)
		return
	}
	if logger.Enabled(ctx, slog.LevelDebug) {
		logger.DebugContext(ctx, "a site is done", "site", e.Report.Key, "title", e.Title.String(), "status", string(e.Report.Status),
			"sources", e.Report.Sources, "error", e.Report.Error, "elapsed", rounded(e.Report.Elapsed))
	}
}

// logRequest shows the host alone: a request does not tell whose link it asks for, and
// that of an interface, or one that an account unlocked, opens for whoever has it.
func logRequest(ctx context.Context, logger *slog.Logger, e RequestMade) {
	if logger.Enabled(ctx, slog.LevelDebug) {
		logger.DebugContext(ctx, "a request", "method", e.Method, "url", link.RedactText(e.Link), "status", e.Status, "redirects", e.Hops,
			"error", link.RedactError(e.Err), "elapsed", rounded(e.Elapsed))
	}
}

func logTried(ctx context.Context, logger *slog.Logger, e InterfaceTried) {
	if logger.Enabled(ctx, slog.LevelDebug) {
		logger.DebugContext(ctx, "an interface was tried", "interface", link.RedactInterface(e.Interface.URL), "requests", e.Requests,
			"error", e.Err, "elapsed", rounded(e.Elapsed))
	}
}

func logLoaded(ctx context.Context, logger *slog.Logger, e InterfaceLoaded) {
	level, inUse := slog.LevelWarn, link.RedactInterface(e.Interface.URL)
	if e.Attended {
		level = slog.LevelDebug
	}
	switch {
	case e.Interface.URL == "":
		logger.Log(ctx, level, "no interface could be loaded", "error", e.Err)
	case e.Err != nil:
		logger.Log(ctx, level, "no interface could be loaded, an older copy is used", "interface", inUse, "loaded", e.StaleFrom, "error", e.Err)
	case e.Switched:
		logger.Log(ctx, min(level, slog.LevelInfo), "another interface is in use now", "interface", inUse)
	}
}

// logCycle writes a line for each hoster, and one for the cycle.
func logCycle(ctx context.Context, logger *slog.Logger, e CycleEnded) {
	for _, h := range e.Hosters {
		line := fmt.Sprintf("[Hoster-Stats] %s: ok %d, fail %d", h.Name, h.OK, h.Fail)
		if h.ConsecutiveFails > 0 {
			line += fmt.Sprintf(", backoff %d fails", h.ConsecutiveFails)
		}
		logger.InfoContext(ctx, line)
	}
	attrs := []slog.Attr{
		slog.Int("titles", e.Titles), slog.Int("titles_failed", e.TitlesFailed),
		slog.Int("resolved", e.Resolved), slog.Int("probed", e.Probed),
		slog.Int("failed", e.Failed), slog.Int("skipped", e.Skipped),
		slog.Duration("duration", rounded(e.Duration)),
	}
	level, msg := slog.LevelInfo, "precache cycle done"
	switch {
	case e.Interrupted:
		msg = "precache cycle interrupted"
	case e.Err != nil:
		level, msg = slog.LevelError, "precache cycle broken off, the next one goes on from here"
		attrs = append(attrs, slog.String("reason", e.Err.Error()))
	}
	if !e.Next.IsZero() {
		attrs = append(attrs, slog.Time("next", e.Next))
	}
	logger.LogAttrs(ctx, level, msg, attrs...)
}

func rounded(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
