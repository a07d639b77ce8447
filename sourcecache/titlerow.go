package sourcecache

import (
	"database/sql"
	"encoding/json"

	"xship/sources"
)

// storedTitle is what the tables title and watch hold of a title.
type storedTitle struct {
	kind            string
	name            string
	originalName    string
	year            int
	imdb            string
	season, episode sql.NullInt64
	aliases         string // JSON
}

// titleColumns are the columns of a storedTitle, in the order of its fields.
const titleColumns = `kind, name, original_name, year, imdb, season, episode, aliases`

func (s *storedTitle) fields() []any {
	return []any{&s.kind, &s.name, &s.originalName, &s.year, &s.imdb, &s.season, &s.episode, &s.aliases}
}

func newStoredTitle(t sources.Title) (*storedTitle, error) {
	aliases, err := json.Marshal(append([]string{}, t.Aliases...))
	if err != nil {
		return nil, err
	}
	row := &storedTitle{kind: string(t.Kind), name: t.Name, originalName: t.OriginalName, year: t.Year, imdb: t.IMDb, aliases: string(aliases)}
	if t.Kind == sources.KindEpisode {
		row.season = sql.NullInt64{Int64: int64(t.Season), Valid: true}
		row.episode = sql.NullInt64{Int64: int64(t.Episode), Valid: true}
	}
	return row, nil
}

func (s *storedTitle) title() (sources.Title, error) {
	t := sources.Title{
		Kind: sources.Kind(s.kind), Name: s.name, OriginalName: s.originalName, Year: s.year, IMDb: s.imdb,
		Season: int(s.season.Int64), Episode: int(s.episode.Int64),
	}
	if s.aliases != "[]" {
		if err := json.Unmarshal([]byte(s.aliases), &t.Aliases); err != nil {
			return t, damagedf("stored aliases of %s: %w", t, err)
		}
	}
	return t, nil
}
