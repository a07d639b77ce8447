package sourcecache

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

func TestSeen(t *testing.T) {
	episodes := func(all ...int) (numbers []sources.EpisodeNumber) {
		for _, n := range all { // 102: the second one of the first season
			numbers = append(numbers, sources.EpisodeNumber{Season: n / 100, Episode: n % 100})
		}
		return numbers
	}
	for name, c := range map[string]struct {
		seen   []sources.Sighting
		stored string
	}{
		"nothing": {},
		"a film":  {[]sources.Sighting{{Name: "Film", OriginalName: "影片", Year: 2014, Kind: sources.KindMovie, IMDb: "tt0000001"}}, "Film\t影片\t2014\tmovie\ttt0000001\t"},
		"series": {
			[]sources.Sighting{
				{Name: "One", Kind: sources.KindEpisode, Episodes: episodes(1, 101, 102, 103, 105, 201, 202, 309)},
				{Name: "Two", Kind: sources.KindEpisode},
			},
			"One\t\t\tepisode\t\t0:1;1:1-3,5;2:1-2;3:9\nTwo\t\t\tepisode\t\t",
		},
	} {
		t.Run(name, func(t *testing.T) {
			stored := encodeSeen(c.seen)
			if stored != c.stored {
				t.Errorf("stored as %q, want %q", stored, c.stored)
			}
			if diff := cmp.Diff(c.seen, decodeSeen(stored)); diff != "" {
				t.Errorf("read again (-want +got):\n%s", diff)
			}
		})
	}
}

// What nobody wrote so costs its own line only.
func TestDecodeSeen_damaged(t *testing.T) {
	const sound = "Film\t\t2014\tmovie\t\t"
	for _, line := range []string{
		"", "Film", "Film\t\t\tepisode\t", "a\t\t\tepisode\t\t1", "a\t\t\tepisode\t\t1:", "a\t\t\tepisode\t\tx:1", "a\t\t\tepisode\t\t1:2-1",
		"a\t\t\tepisode\t\t1:1-99999999999999999999", "a\t\t\tepisode\t\t1:1-999999999", "a\t\t\tepisode\t\t1:-5", "a\t\t\tepisode\t\t1:1-9000;2:1-9000", "a\t\t\tepisode\t\t1:1;1:0-9223372036854775807",
	} {
		got := decodeSeen(line + "\n" + sound)
		if len(got) != 1 || got[0].Name != "Film" || got[0].Year != 2014 {
			t.Errorf("beside %q: %+v", line, got)
		}
	}
	got := decodeSeen(encodeSeen([]sources.Sighting{{Name: "two\nlines\tand tabs", Kind: sources.KindMovie}}))
	if len(got) != 1 || got[0].Name != "two lines and tabs" {
		t.Errorf("%+v", got)
	}
}

func FuzzDecodeSeen(f *testing.F) {
	f.Add("Film\t影片\t2014\tmovie\ttt0000001\t")
	f.Add("One\t\t\tepisode\t\t0:1;1:1-3,5;2:1-2\nTwo\t\t\tepisode\t\t")
	f.Add("One\t\t\tepisode\t\t9:9-1;;:,-")
	f.Fuzz(func(t *testing.T, stored string) {
		seen := decodeSeen(stored)
		for _, s := range seen {
			if len(s.Episodes) > maxStoredEpisodes {
				t.Fatalf("%d episodes", len(s.Episodes))
			}
			for _, e := range s.Episodes {
				if e.Episode < 0 {
					t.Fatalf("episode %+v", e)
				}
			}
		}
		if diff := cmp.Diff(seen, decodeSeen(encodeSeen(seen))); diff != "" && len(seen) > 0 {
			t.Fatalf("written and read again (-was +is):\n%s", diff)
		}
	})
}
