package debrid

import (
	"context"
	"fmt"
	"time"

	"xship/sources"
)

// renewTimeout bounds the one renewal that many may wait for.
const renewTimeout = 20 * time.Second

// current is the account with the key that replaced its own, where one did.
func (s *shared) current(a sources.Account) sources.Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	if after, ok := s.newer[idOf(a)]; ok {
		a.Key, a.Refresh = after.Key, after.Refresh
	}
	return a
}

// renew gives the account with a new key. Calls that find the same key expired
// renew it once. The request outlives whoever asked first: the old key may have
// ended with it.
func (c *client) renew(ctx context.Context, s renewer, a sources.Account) (sources.Account, error) {
	if after := c.current(a); after.Key != a.Key {
		return after, nil
	}
	result := c.renewals.DoChan(fmt.Sprint(a.Provider, " ", a.BaseURL, " ", a.Key.Reveal()), func() (any, error) {
		if after := c.current(a); after.Key != a.Key {
			return after, nil
		}
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), renewTimeout)
		defer cancel()
		after, err := s.renew(own, c, a)
		if err != nil {
			return nil, err
		}
		c.replaced(a, after)
		return after, nil
	})
	select {
	case r := <-result:
		after, _ := r.Val.(sources.Account)
		after.User = a.User
		return after, r.Err
	case <-ctx.Done():
		return sources.Account{}, c.unanswered(ctx, &answer{what: "renewing the key"}, ctx.Err())
	}
}

// replaced remembers that after has the key for before, for as long as callers
// hold the old one, and tells whoever keeps keys.
func (s *shared) replaced(before, after sources.Account) {
	s.mu.Lock()
	for id, a := range s.newer {
		if idOf(a) == idOf(before) {
			s.newer[id] = after
		}
	}
	s.newer[idOf(before)] = after
	s.mu.Unlock()
	if s.renewed == nil {
		return
	}
	if err := s.renewed(before, after); err != nil {
		s.log.Error("cannot keep the renewed key of an account: it works until xship ends, then the account must be added again",
			"provider", before.Provider, "user", before.User, "error", err)
	}
}
