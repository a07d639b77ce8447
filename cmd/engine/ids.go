package engine

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"xship/sources"
	"xship/sources/ids"
)

// errIDsOff says that nothing is looked up at the id service.
var errIDsOff = errors.New("ids.enabled is false, so that no IMDb id is looked up")

const (
	// lookupReserve is what a lookup leaves of its time, so that what was found by then is
	// not lost for what takes longer.
	lookupReserve = 250 * time.Millisecond
	// maxChoices is how many titles a user chooses between.
	maxChoices = 9
	// lookupTimeout is how long a lookup waits that is no part of a scan.
	lookupTimeout = 3 * time.Second
)

// openIDs makes the id service of the settings.
func (e *Engine) openIDs() (*ids.Service, error) {
	if !e.cfg.Settings.IDs.Enabled {
		return nil, errIDsOff
	}
	address := e.cfg.Settings.IDs.URL
	e.network.operator.add(address)
	host := address
	if u, err := url.Parse(address); err == nil {
		host = u.Host
	}
	o := ids.Options{Get: e.network.Get, URL: address, Now: e.cfg.Now, Logger: e.cfg.Logger, Announce: func(ctx context.Context) {
		e.noticeOnce(ctx, "ids "+host, fmt.Sprintf(
			"titles are looked up at %s where a site wants an IMDb id, and for the next episode; ids.enabled: false turns that off", host))
	}}
	if answers := e.answers(); answers != nil {
		o.Answers = &bookedAnswers{Answers: answers, engine: e}
	}
	return ids.New(o), nil
}

// bookedAnswers are Answers of which no write is waited for for long.
type bookedAnswers struct {
	sources.Answers
	engine *Engine
}

// PutAnswer implements sources.Answers. A store that fails is logged.
func (a *bookedAnswers) PutAnswer(ctx context.Context, key string, body []byte) error {
	a.engine.books.Write(ctx, watchWait, watchTimeout, func(ctx context.Context) {
		if err := a.Answers.PutAnswer(ctx, key, body); err != nil {
			a.engine.cfg.Logger.Debug("an answer could not be kept", "key", key, "error", err)
		}
	})
	return nil
}

// facts finds out for a scan what is known of its title, and all of it unless the user
// chooses between several.
func (e *Engine) facts(req ScanRequest) func(context.Context) (sources.TitleFacts, error) {
	return func(ctx context.Context) (sources.TitleFacts, error) {
		service, err := e.ids.get()
		if err != nil {
			return sources.TitleFacts{}, err
		}
		if by, ok := ctx.Deadline(); ok {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadline(ctx, by.Add(-lookupReserve))
			defer cancel()
		}
		found, err := service.Find(ctx, req.Title, req.Refresh && req.Choose != nil)
		if err != nil || found.IMDb == "" || req.Choose != nil && len(found.Others) > 0 {
			return found, err
		}
		return details(ctx, service, found), nil
	}
}

// details is found with all that is known of it, and as it is where that cannot be had:
// an id that was chosen is one that sites can be asked with.
func details(ctx context.Context, service *ids.Service, found sources.TitleFacts) sources.TitleFacts {
	if all, err := service.Details(ctx, found); err == nil && all.IMDb != "" {
		return all
	}
	return found
}

// choose lets the user of a scan choose between titles, and keeps what he chose. It is
// nil where nobody is there. Who makes no choice has the best one.
func (e *Engine) choose(caller context.Context, req ScanRequest) func(context.Context, sources.TitleFacts) (sources.TitleFacts, error) {
	if req.Choose == nil {
		return nil
	}
	return func(ctx context.Context, best sources.TitleFacts) (sources.TitleFacts, error) {
		service, err := e.ids.get()
		if err != nil {
			return best, err
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(caller, cancel)() // a scan may go on for others
		all := append([]sources.TitleFacts{best}, best.Others...)
		chosen, ok, err := req.Choose(ctx, slices.Clip(all[:min(len(all), maxChoices)]))
		if err != nil {
			return best, err
		}
		if ok {
			chosen.Exact, chosen.Others = true, nil
			if err := service.Choose(ctx, req.Title, chosen.IMDb); err != nil {
				e.cfg.Logger.Warn("which title was chosen could not be kept", "title", req.Title.String(), "error", err)
			}
			best = chosen
		}
		ctx, cancel = context.WithTimeout(ctx, lookupTimeout)
		defer cancel()
		return details(ctx, service, best), nil
	}
}

// knownFacts are what is known of the title of a scan without asking anybody, nil where
// that is nothing, or nobody wants to know: a title without an IMDb id is taken for
// another only where a site wants that.
func (e *Engine) knownFacts(ctx context.Context, t sources.Title, sites []sources.Site) *sources.TitleFacts {
	wanted := func(s sources.Site) bool { return s.Info().WantsIMDb }
	if t.IMDb == "" && !slices.ContainsFunc(sites, wanted) {
		return nil
	}
	service, err := e.ids.get()
	if err != nil {
		return nil
	}
	f := service.Known(ctx, t)
	if f.IMDb == "" {
		return nil
	}
	return &f
}

// guessed tells whether f is what t was taken for, and may be wrong.
func guessed(t sources.Title, f *sources.TitleFacts) bool {
	return f != nil && !ids.Sure(t, *f)
}
