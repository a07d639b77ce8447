package cmd

import (
	"strings"
	"testing"

	"xship/cmd/term"
	"xship/sources"
	"xship/sources/sourcetest"
)

// askedTitles are what a name may mean.
func askedTitles() []sources.TitleFacts {
	return []sources.TitleFacts{
		{IMDb: "tt9900001", Kind: sources.KindMovie, Name: "Paper Lanterns", Year: 2014},
		{IMDb: "tt9900002", Kind: sources.KindMovie, Name: "Paper\x1b[2J Lanterns"},
		{IMDb: "tt9900003", Kind: sources.KindEpisode, Name: "Paper Lanterns", Year: 1988},
	}
}

// TestAskTitle asks which title is meant, by number; the best one is the default.
func TestAskTitle(t *testing.T) {
	for typed, want := range map[string]string{"2\n": "tt9900002", "3\n": "tt9900003", "\n": "tt9900001", "": "tt9900001", "9\n1\n": "tt9900001"} {
		var out sourcetest.Buffer
		a := newApp(System{
			Stdin: strings.NewReader(typed), Stderr: term.Stream{Writer: &out},
			LookupEnv: func(name string) (string, bool) { return "1", name == "ACCESSIBLE" },
		})
		chosen, ok, err := a.askTitle(t.Context(), askedTitles())
		if err != nil || !ok || chosen.IMDb != want {
			t.Errorf("%q: %+v, %t, %v", typed, chosen, ok, err)
		}
		const asked = "Which title is meant?\n1. Paper Lanterns (2014), film, tt9900001\n2. Paper Lanterns, film, tt9900002\n3. Paper Lanterns (1988), series, tt9900003\nEnter a number from 1 to 3: "
		if !strings.HasPrefix(out.String(), asked) {
			t.Errorf("asked %q", out.String())
		}
	}
}

// TestTaken names the title that was taken, and how another one is meant.
func TestTaken(t *testing.T) {
	var out sourcetest.Buffer
	a := newApp(System{Stderr: term.Stream{Writer: &out}})
	a.taken(askedTitles()[0])
	if got := out.String(); got != "taken for Paper Lanterns (2014), tt9900001; --imdb or --year says otherwise\n" {
		t.Errorf("told %q", got)
	}
}
