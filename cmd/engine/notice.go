package engine

import (
	"context"

	"xship/sources"
)

// noticeOnce tells the user something the first time that it is true of this store, by
// the name of what it is about. A store that cannot tell whether it was said before has
// it said once more.
func (e *Engine) noticeOnce(ctx context.Context, what, notice string) {
	e.mu.Lock()
	said := e.noticed[what]
	if e.noticed == nil {
		e.noticed = make(map[string]bool)
	}
	e.noticed[what] = true
	e.mu.Unlock()
	if said {
		return
	}
	first := true
	if answers := e.answers(); answers != nil {
		ctx, cancel := e.books.Bound(ctx)
		defer cancel()
		var err error
		if first, err = answers.FirstTime(ctx, what); err != nil {
			e.cfg.Logger.Debug("it is not known whether the user was told", "what", what, "error", err)
			first = true
		}
	}
	if first {
		e.cfg.Notice(notice)
	}
}

// answers is where the store keeps what services answered, nil where there is no store.
func (e *Engine) answers() sources.Answers {
	if e.cfg.Store == nil {
		return nil
	}
	return e.cfg.Store
}
