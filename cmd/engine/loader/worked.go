package loader

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"

	"xship/config/failover"
	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// advised is err with advice on which other interface to use, where all that could be
// tried failed: the ones that worked last, else some that were not tried. With failover
// off nothing is said of other interfaces (section 7.3).
func (l *Loader) advised(ctx context.Context, err error, origin sources.Interface) error {
	if text.HintOf(err) == "" || l.storedMode() == failover.Off { // the former is none of an interface
		return err
	}
	rows, _, storeErr := l.Interfaces(ctx)
	if storeErr != nil {
		return err
	}
	tried := []string{origin.URL}
	failed, several := errors.AsType[*FailedError](err)
	if several {
		for _, f := range failed.Failures {
			tried = append(tried, f.Interface.URL)
		}
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r sources.Interface) bool {
		return slices.Contains(tried, r.URL) || IsBuiltin(r.URL) || r.LastError != ""
	})
	slices.SortStableFunc(rows, func(a, b sources.Interface) int { return b.LastLoadedAt.Compare(a.LastLoadedAt) })
	others := useInstead(rows)
	switch {
	case others == "":
		return err
	case several:
		return text.WithHint(err, others)
	}
	return text.WithHint(err, text.HintOf(err)+"; "+others)
}

// useInstead names the first of rows, with the command that puts it in use: those that
// worked, else those that were not tried. It is "" where there are none.
func useInstead(rows []sources.Interface) string {
	const most = 3 // that are named
	if len(rows) == 0 {
		return ""
	}
	what := "worked last"
	worked := slices.IndexFunc(rows, func(r sources.Interface) bool { return r.LastLoadedAt.IsZero() })
	switch {
	case worked == 0:
		what = "not tried"
	case worked > 0:
		rows = rows[:worked]
	}
	var names []string
	for _, r := range rows[:min(len(rows), most)] {
		names = append(names, r.Title())
	}
	if len(rows) > most {
		names = append(names, "…")
	}
	return what + ": " + strings.Join(names, ", ") + "; switch with: xship interfaces use " + argument(rows[0])
}

var plainWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\pL\pN._/:@%+=,][\pL\pN._/:@%+=,-]*$`)
})

// argument is what names an interface on the command line of a shell.
func argument(r sources.Interface) string {
	word := text.Clean(r.Name)
	if word == "" || word != r.ShownName() { // what is shown would name nothing
		word = link.RedactInterface(r.URL)
	}
	if plainWord().MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
