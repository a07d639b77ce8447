package cmd

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"xship/cmd/engine"
	"xship/cmd/term"
	"xship/sources"
)

// attend has the user told what a scan does, and asked where somebody is there.
func (a *app) attend(req *engine.ScanRequest) {
	req.Caller, req.Taken = a.caller(), a.taken
	if a.prompts() {
		req.Choose = a.askTitle
	}
}

// taken tells the user for what a title was taken.
func (a *app) taken(f sources.TitleFacts) {
	a.note("taken for %s, %s; --imdb or --year says otherwise", engine.NameAndYear(f.Name, f.Year), f.IMDb)
}

// titleChoice asks which title is meant. The best one is where the cursor stands.
func titleChoice(m messages, found []sources.TitleFacts) term.Choice {
	c := term.Choice{Title: m.whichTitle, Default: found[0].IMDb, Words: m.words()}
	for _, f := range found {
		c.Options = append(c.Options, term.Option{Text: fmt.Sprintf("%s, %s, %s", engine.NameAndYear(f.Name, f.Year), m.kind(f.Kind), f.IMDb), Value: f.IMDb})
	}
	return c
}

// askTitle asks the user which of the titles is meant that were found, the best one
// first. Esc makes no choice.
func (a *app) askTitle(ctx context.Context, found []sources.TitleFacts) (chosen sources.TitleFacts, ok bool, err error) {
	id, err := a.dialog().Ask(ctx, titleChoice(a.messages(), found))
	switch {
	case errors.Is(err, term.ErrNoAnswer):
		return chosen, false, nil
	case err != nil:
		return chosen, false, err
	}
	i := slices.IndexFunc(found, func(f sources.TitleFacts) bool { return f.IMDb == id })
	return found[max(i, 0)], true, nil
}
