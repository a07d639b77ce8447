package cooldown

import (
	"log/slog"
	"sync"
	"time"
)

// retryAfterLoss is how long a lost server is left alone before the next try.
const retryAfterLoss = time.Second

// link knows whether the server can be asked. It logs each change, once.
type link struct {
	now    func() time.Time
	logger *slog.Logger
	server string // for people

	mu      sync.Mutex
	closed  bool
	lost    bool
	retryAt time.Time // when lost: the next try
	trying  bool      // when lost: somebody tries
}

// admit tells whether to ask the server now, and whether that tries one that
// was lost. Each admitted call is reported.
func (l *link) admit() (ok, retry bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.closed:
		return false, false
	case !l.lost:
		return true, false
	case l.trying || l.now().Before(l.retryAt):
		return false, false
	}
	l.trying = true
	return true, true
}

// report tells how an admitted call went, by the cause of its failure or "".
func (l *link) report(retry bool, cause string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if retry {
		l.trying = false
	}
	switch {
	case l.closed:
	case cause != "":
		if !l.lost {
			l.logger.Warn("redis is lost, cooldowns are kept here alone until it is back", "server", l.server, "error", cause)
		}
		l.lost, l.retryAt = true, l.now().Add(retryAfterLoss)
	case retry:
		l.lost = false
		l.logger.Info("redis is back, cooldowns are shared again", "server", l.server)
	}
}

func (l *link) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}
