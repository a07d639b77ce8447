package archive_test

import (
	"slices"
	"testing"

	"xship/sources"
	"xship/sources/site/archive"
	"xship/sources/sourcetest"
	"xship/sources/sourcetest/world"
)

// The Archive tells what items are: films, series by their files, single episodes. What
// may not be offered it does not tell.
func TestSearch_seen(t *testing.T) {
	show := item("show", "Harbour Nine", 1955, nil, video("Harbour Nine S01E01.mp4", nil), video("Harbour Nine S01E02.mp4", nil), video("Harbour Nine S02E01.mp4", nil))
	for name, tt := range map[string]struct {
		title sources.Title
		items []world.ArchiveItem
		want  []string
	}{
		"a film":             {movie("Paper Submarines", 1934), []world.ArchiveItem{item("a", "Paper Submarines - full movie", 1934, nil, video("a.mp4", nil))}, []string{"Paper Submarines (1934) movie"}},
		"of another year":    {movie("Paper Submarines", 0), []world.ArchiveItem{item("a", "Paper Submarines Two", 1940, nil, video("a.mp4", nil))}, []string{"Paper Submarines Two (1940) movie"}},
		"a series":           {episode("Harbour Nine", 1, 1), []world.ArchiveItem{show}, []string{"Harbour Nine (1955) episode: 1x1 1x2 2x1"}},
		"without an episode": {movie("Harbour Nine", 0), []world.ArchiveItem{show}, []string{"Harbour Nine (1955) episode: 1x1 1x2 2x1"}},
		"single episodes": {movie("Harbour Nine", 0), []world.ArchiveItem{
			item("a", "Harbour Nine S01E01", 1955, nil, video("a.mp4", nil)), item("b", "Harbour Nine - S01E02 - The Tide", 1955, nil, video("b.mp4", nil)),
		}, []string{"Harbour Nine episode: 1x1", "Harbour Nine episode: 1x2"}},
		"in parts":          {movie("Paper Submarines", 1934), []world.ArchiveItem{item("a", "Paper Submarines", 1934, nil, video("Paper Submarines part 1.mp4", nil), video("Paper Submarines part 2.mp4", nil))}, []string{"Paper Submarines (1934) movie"}},
		"not for everybody": {movie("Paper Submarines", 0), []world.ArchiveItem{item("a", "Paper Submarines", 2015, fields{"licenseurl": nil}, video("a.mp4", nil))}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := startArchive(t, tt.items...)
			got, err := sourcetest.Seen(t.Context(), newSite(t, a.URL(), func(*archive.Options) {}), tt.title)
			if sources.ClassOf(err) != sources.ClassOK || !slices.Equal(got, tt.want) {
				t.Errorf("%q, %v, want %q", got, err, tt.want)
			}
		})
	}
}
