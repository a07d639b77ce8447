package files

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/release"
	"xship/sources/text"
)

// facts is what an index keeps of a file.
type facts struct {
	Names   []string `json:"n,omitempty"` // of the film or the series
	Year    int      `json:"y,omitempty"`
	IMDb    string   `json:"i,omitempty"` // of the film or the series
	Episode bool     `json:"e,omitempty"` // it is an episode, or several
	Season  int      `json:"s,omitempty"` // -1 where nothing tells
	First   int      `json:"f,omitempty"`
	Last    int      `json:"l,omitempty"`
	Size    int64    `json:"z,omitempty"`
	Link    string   `json:"u,omitempty"` // that a .strm file holds, with its headers
}

// read finds the media files among the entries of a folder, and the folders to visit.
func (k *walk) read(_ context.Context, v *visit, entries []Entry) {
	for _, e := range entries {
		switch {
		case !isName(e.Name) || strings.HasPrefix(e.Name, "."):
		case e.Folder:
			v.folders = append(v.folders, e.Name)
		case link.MediaOf(e.Name).Video:
			file := join(v.path, e.Name)
			f := k.factsOf(file)
			f.Size = max(e.Size, 0)
			data, _ := json.Marshal(f) // texts and numbers only
			v.files = append(v.files, sources.IndexedFile{Path: file, Keys: f.keys(), Facts: data})
		}
	}
	slices.Sort(v.folders)
}

// isName tells whether name is that of something in a folder, rather than a path or the
// folder itself.
func isName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.ContainsAny(name, "/\x00")
}

// factsOf is what the path of a file tells.
func (k *walk) factsOf(file string) facts {
	info := release.Parse(text.Clean(path.Join("/", path.Base(k.tree.Root()), file)))
	f := facts{Year: info.Year}
	for _, name := range []string{info.Title, info.AltTitle} {
		if name != "" {
			f.Names = append(f.Names, name)
		}
	}
	if info.HasEpisode {
		f.Episode, f.Season, f.First, f.Last = true, info.Episodes.Season, info.Episodes.First, info.Episodes.Last
	}
	return f
}

// keys are those under which the file is found.
func (f facts) keys() []string {
	var keys []string
	of := slices.Clone(f.Names)
	for i, name := range of {
		of[i] = "name:" + text.NormalizeName(name)
	}
	if f.IMDb != "" {
		of = append(of, "imdb:"+f.IMDb)
	}
	for _, key := range of {
		if !f.Episode {
			keys = append(keys, key)
			continue
		}
		season := f.Season
		if season < 0 {
			season = 1
		}
		for n := f.First; n <= f.Last; n++ {
			keys = append(keys, episodeKey(key, season, n))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func episodeKey(key string, season, episode int) string {
	return fmt.Sprintf("%s:%d:%d", key, season, episode)
}

// keysFor are the keys by which t is looked for.
func keysFor(t sources.Title) []string {
	var keys []string
	for _, name := range t.Names() {
		keys = append(keys, "name:"+text.NormalizeName(name))
	}
	if t.IMDb != "" {
		keys = append(keys, "imdb:"+t.IMDb)
	}
	if t.Kind == sources.KindEpisode {
		for i, key := range keys {
			keys[i] = episodeKey(key, t.Season, t.Episode)
		}
	}
	return keys
}

// displayName is the name of a file for people.
func displayName(file string) string {
	name := text.Clean(path.Base(file))
	return cmp.Or(name, "file without a name")
}
