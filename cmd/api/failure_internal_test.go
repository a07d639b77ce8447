package api

import (
	"strings"
	"testing"

	"xship/sources"
)

func TestNoAnswerMessage(t *testing.T) {
	none := func(n int) *sources.NoAnswerError {
		e := &sources.NoAnswerError{Title: sources.Title{Name: "X"}}
		for range n {
			e.Sites = append(e.Sites, sources.SiteReport{SiteInfo: sources.SiteInfo{Name: "A"}, Status: sources.SiteError, Error: "because"})
		}
		return e
	}
	const line = "\n  A: error: because"
	for n, want := range map[int]string{
		1:   "none of 1 site gave a usable answer for X" + line,
		20:  "none of 20 sites gave a usable answer for X" + strings.Repeat(line, 20),
		500: "none of 500 sites gave a usable answer for X" + strings.Repeat(line, 20) + "\n  and 480 more, see -o json",
	} {
		if got := FailureOf(none(n)).Message; got != want {
			t.Errorf("%d sites: %q, want %q", n, got, want)
		}
	}
}

func TestNoAnswerHint(t *testing.T) {
	site := func(kind string, status sources.SiteStatus) sources.SiteReport {
		return sources.SiteReport{SiteInfo: sources.SiteInfo{Type: kind}, Status: status}
	}
	for _, c := range []struct {
		sites []sources.SiteReport
		want  string
	}{
		{nil, "try again later"},
		{[]sources.SiteReport{site("3", sources.SiteUnsupported), site("1", sources.SiteError)}, "try again later"},
		{[]sources.SiteReport{site("3", sources.SiteUnsupported), site("2", sources.SiteUnsupported)}, "types 0, 1 and 4"},
		{[]sources.SiteReport{site("3", sources.SiteUnsupported), site("1", sources.SiteUnsupported)}, "waiting does not help"},
	} {
		if got := noAnswerHint(&sources.NoAnswerError{Sites: c.sites}); !strings.Contains(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.sites, got, c.want)
		}
	}
}
