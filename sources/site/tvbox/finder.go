package tvbox

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

// Bounds of one search.
const (
	maxRequests    = 8
	maxPages       = 3
	maxIDs         = 10 // rows whose details are asked for, on one page
	maxDetailCalls = 4  // for them
	detailWidth    = 2  // of those calls at once
	maxLinks       = 1000
)

// Finder looks for the links of a title at a server that answers in rows. It
// costs 8 calls of Find and Details at most.
type Finder struct {
	// Find asks for the rows whose names hold term. Pages count from 1.
	Find func(ctx context.Context, term string, page int) (*Answer, error)
	// Recode gives a term as the server may want it instead, "" where that is nothing
	// else. It is asked where nothing was found, and the first such term goes to Find
	// once; where that fails, nothing was found. nil: there is none.
	Recode func(term string) string
	// Details asks for the rows with ids. It is called concurrently.
	Details func(ctx context.Context, ids []string) (*Answer, error)
	// Batch is how many ids Details takes at once.
	Batch int
	// Parse reads the links of a row.
	Parse func(from, list string) []Group
	// Categories lets only rows of these types through; empty = all.
	Categories []string
}

// Take receives links, in the order of the server, and tells how many sources
// became of them.
type Take func(ctx context.Context, links []Link) (int, error)

// Links finds what the server has of t and hands it to take, page by page. It
// asks for one name of t after the other until take made a source. Rows that
// match only nearly are handed over if nothing came of those that match
// exactly, also when a later call fails.
func (f *Finder) Links(ctx context.Context, t sources.Title, take Take) error {
	q := &finding{Finder: f, title: t, match: match.For(t), take: take, lookout: match.NewLookout(ctx, t)}
	err := q.askAll(ctx)
	if q.taken > 0 {
		return err
	}
	var links []Link
	for i := range q.near {
		if len(links) < maxLinks {
			links = q.addLinks(links, &q.near[i], true)
		}
	}
	if handErr := q.hand(ctx, links); err == nil {
		err = handErr
	}
	if err == nil && q.taken == 0 {
		err = cmp.Or(q.missed, q.lost())
	}
	return err
}

// lost is the error of an answer that may have held the title in a row whose name nobody
// can read, nil where all could be read.
func (q *finding) lost() error {
	if q.unreadable == 0 {
		return nil
	}
	return sources.Errorf(sources.ClassHosterFault, "the names of %s cannot be read: they were damaged in the site's own database or character set",
		text.Plural(q.unreadable, "row"))
}

// finding is one run of Links.
type finding struct {
	*Finder
	title    sources.Title
	match    *match.Matcher
	take     Take
	near     []Row
	requests int
	handed   int
	taken    int
	missed   error // kept some details from coming, but not all
	lookout  *match.Lookout

	unreadable int // rows
}

func (q *finding) askAll(ctx context.Context) error {
	terms := searchTerms(q.title)
	for _, term := range terms {
		if err := q.ask(ctx, term, maxPages); err != nil || q.taken > 0 {
			return err
		}
	}
	if q.Recode == nil || len(q.near) > 0 {
		return nil
	}
	for _, term := range terms {
		if recoded := q.Recode(term); recoded != "" {
			_ = q.ask(ctx, recoded, 1) // what the server answered before counts where this fails
			return ctx.Err()
		}
	}
	return nil
}

// ask looks through the pages for term, so many at most, until a source was made.
func (q *finding) ask(ctx context.Context, term string, pages int) error {
	for page := 1; page <= pages && q.requests < maxRequests; page++ {
		q.requests++
		answer, err := q.Find(ctx, term, page)
		if err != nil {
			return err
		}
		missing, err := q.sift(ctx, answer.List)
		if err == nil && len(missing) > 0 {
			err = q.complete(ctx, missing)
		}
		if err != nil || q.taken > 0 || page >= answer.PageCount.Int() {
			return err
		}
	}
	return nil
}

// complete asks for the details of rows that came without links. A failed call
// ends the search only where no other was answered.
func (q *finding) complete(ctx context.Context, rows []Row) error {
	batches := slices.Collect(slices.Chunk(rows, q.Batch))
	batches = batches[:min(len(batches), maxDetailCalls, maxRequests-q.requests)]
	q.requests += len(batches)
	defer q.lookout.Tell()
	type outcome struct {
		answer *Answer
		err    error
	}
	var (
		found    []Row
		failed   error
		answered bool
	)
	Each(len(batches), detailWidth, func(i int) (o outcome) {
		o.answer, o.err = q.Details(ctx, ids(batches[i]))
		return o
	}, func(i int, o outcome) {
		if o.err == nil {
			answered = true
			found = append(found, merged(batches[i], o.answer.List)...)
		} else {
			failed = cmp.Or(failed, o.err)
			for j := range batches[i] {
				q.see(&batches[i][j], batches[i][j].candidate(q.title.Kind), false)
			}
		}
	})
	if _, err := q.sift(ctx, found); err != nil {
		return err
	}
	if answered && ctx.Err() == nil {
		q.missed = cmp.Or(q.missed, failed)
		return nil
	}
	return failed
}

func ids(rows []Row) []string {
	all := make([]string, len(rows))
	for i, r := range rows {
		all[i] = string(r.ID)
	}
	return all
}

// merged fills what details leave out from the rows that were asked for.
func merged(asked, details []Row) []Row {
	for i, d := range details {
		at := slices.IndexFunc(asked, func(r Row) bool { return r.ID == d.ID })
		if at < 0 && len(asked) == 1 && len(details) == 1 {
			at = 0
		}
		if at < 0 {
			continue
		}
		for _, f := range []struct {
			to   *Text
			from Text
		}{
			{&d.ID, asked[at].ID},
			{&d.Name, asked[at].Name},
			{&d.Sub, asked[at].Sub},
			{&d.Year, asked[at].Year},
			{&d.PubDate, asked[at].PubDate},
			{&d.TypeName, asked[at].TypeName},
			{&d.Remarks, asked[at].Remarks},
			{&d.Lang, asked[at].Lang},
		} {
			if *f.to == "" {
				*f.to = f.from
			}
		}
		details[i] = d
	}
	return details
}

// sift hands over what the rows that match hold, keeps those that nearly match,
// and gives those that may match and came without links. What it does not ask for any
// more it tells the lookout.
func (q *finding) sift(ctx context.Context, rows []Row) (missing []Row, err error) {
	defer q.lookout.Tell()
	var links []Link
	for i := range rows {
		r := &rows[i]
		if !q.wanted(r) {
			continue
		}
		if r.unreadable() {
			q.unreadable++
		}
		c := r.candidate(q.title.Kind)
		if strings.TrimSpace(r.PlayURL) == "" {
			if r.ID != "" && len(missing) < maxIDs && q.couldMatch(c) && !hasID(missing, r) {
				missing = append(missing, *r)
			} else {
				q.see(r, c, false)
			}
			continue
		}
		before := len(links)
		switch q.match.Title(c) {
		case match.None:
		case match.Exact:
			if len(links) < maxLinks {
				links = q.addLinks(links, r, false)
			}
		case match.Near:
			if r.ID == "" || !hasID(q.near, r) {
				q.near = append(q.near, *r)
			}
		}
		q.see(r, c, q.title.Kind == sources.KindMovie && len(links) > before)
	}
	return missing, q.hand(ctx, links)
}

func hasID(rows []Row, r *Row) bool {
	return slices.ContainsFunc(rows, func(other Row) bool { return other.ID == r.ID })
}

// hand gives links to take, within the bound.
func (q *finding) hand(ctx context.Context, links []Link) error {
	links = links[:min(len(links), maxLinks-q.handed)]
	if len(links) == 0 {
		return nil
	}
	q.handed += len(links)
	n, err := q.take(ctx, links)
	q.taken += n
	return err
}

// wanted tells whether the row is in a category that the interface lets
// through. A row that names none is.
func (q *finding) wanted(r *Row) bool {
	return len(q.Categories) == 0 || r.TypeName == "" || slices.Contains(q.Categories, r.TypeName.Clean())
}

// couldMatch is MatchTitle for a row that came without its details: what has
// no year may have the right one.
func (q *finding) couldMatch(c match.Candidate) bool {
	t := q.title
	if c.Year == 0 && t.Year != 0 {
		t.Year = 0
		return match.Title(t, c) != match.None
	}
	return q.match.Title(c) != match.None
}
