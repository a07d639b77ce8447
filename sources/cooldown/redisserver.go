package cooldown

import (
	"log/slog"
	"sync"
	"time"
)

// retryAfterLoss is how long a lost server is left alone before the next try.
const retryAfterLoss = time.Second

// redisServer knows whether the server can be asked. It logs each change, once.
type redisServer struct {
	now    func() time.Time
	logger *slog.Logger
	name   string // for people

	mu      sync.Mutex
	closed  bool
	lost    bool
	retryAt time.Time // when lost: the next try
	trying  bool      // when lost: somebody tries
}

// admit tells whether to ask the server now, and whether that tries one that
// was lost. Each admitted call is reported.
func (s *redisServer) admit() (ok, retry bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return false, false
	case !s.lost:
		return true, false
	case s.trying || s.now().Before(s.retryAt):
		return false, false
	}
	s.trying = true
	return true, true
}

// report tells how an admitted call went, by the cause of its failure or "".
func (s *redisServer) report(retry bool, cause string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if retry {
		s.trying = false
	}
	switch {
	case s.closed:
	case cause != "":
		if !s.lost {
			s.logger.Warn("redis is lost, cooldowns are kept here alone until it is back", "server", s.name, "error", cause)
		}
		s.lost, s.retryAt = true, s.now().Add(retryAfterLoss)
	case retry:
		s.lost = false
		s.logger.Info("redis is back, cooldowns are shared again", "server", s.name)
	}
}

func (s *redisServer) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}
