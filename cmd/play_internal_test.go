package cmd

import (
	"errors"
	"testing"

	"xship/sources"
)

// Rows are those that scan shows; links to web pages stand behind them.
func TestPipeline_playlist_pick(t *testing.T) {
	listed := sources.Listed{Source: sources.Source{ID: "a"}}
	page := sources.Source{ID: "page", Unplayable: "a web page"}
	for _, c := range []struct {
		name   string
		listed []sources.Listed
		pick   int
		want   int // where to begin, -1 = there is no such row
	}{
		{"none", []sources.Listed{listed, listed}, 0, 0},
		{"the last row", []sources.Listed{listed, listed}, 2, 1},
		{"behind the list", []sources.Listed{listed, listed}, 3, -1},
		{"no list, no pick", nil, 0, 0},
		{"no list", nil, 1, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &pipeline{}
			v := scanView{result: sources.ScanResult{Sources: []sources.Source{page}}, listing: sources.Listing{Sources: c.listed}}
			list, start, err := p.playlist(v, playOptions{pick: c.pick}, true)
			if c.want < 0 {
				if _, ok := errors.AsType[*nothingPlayableError](err); !ok {
					t.Fatalf("begins at %d of %d, %v; want an error", start, len(list), err)
				}
				return
			}
			if err != nil || start != c.want || len(list) != len(c.listed)+1 {
				t.Errorf("begins at %d of %d, %v; want %d of %d", start, len(list), err, c.want, len(c.listed)+1)
			}
		})
	}
}
