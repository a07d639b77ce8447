package files

import (
	"cmp"
	"context"
	"fmt"
	"path"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

// mostFound bounds how many files of one title are looked at.
const mostFound = 500

// Search gives the sources that the index has of t in tree, by their paths: those that
// fit, or where there is none, those that fit nearly. own says that what lies in the tree
// is the user's own; the links in .strm files never are.
func Search(ctx context.Context, index sources.Index, tree Tree, t sources.Title, own bool) ([]sources.Source, error) {
	hits, err := search(ctx, index, tree, t, own)
	var found []sources.Source
	for _, h := range hits {
		found = append(found, h.src)
	}
	return found, err
}

// hit is a file of an index as a source.
type hit struct {
	file string // its path
	src  sources.Source
}

func search(ctx context.Context, index sources.Index, tree Tree, t sources.Title, own bool) ([]hit, error) {
	matcher := match.For(t)
	files, err := index.FindFiles(ctx, tree.Root(), keysFor(t, matcher), mostFound)
	if err != nil {
		return nil, err
	}
	var near, exact []hit
	for _, file := range files {
		f, ok := parseFacts(file.Facts)
		if !ok {
			continue // of another version; the next walk mends it
		}
		switch f.fit(file.Path, t, matcher) {
		case match.Exact:
			exact = append(exact, hit{file.Path, f.source(tree, file.Path, t, own)})
		case match.Near:
			src := f.source(tree, file.Path, t, own)
			src.Priority = sources.PriorityNear
			near = append(near, hit{file.Path, src})
		default:
		}
	}
	if len(exact) > 0 {
		return exact, nil
	}
	return near, nil
}

// source is a file as a source for t.
func (f facts) source(tree Tree, file string, t sources.Title, own bool) sources.Source {
	folder, name := split(file)
	n, _ := readFile(name, readFolder(path.Base(tree.Root()), folder, show{}))
	src := sources.Source{
		Name: cmp.Or(text.Clean(name), "a file without a name"), URL: cmp.Or(f.Address, tree.Link(file)), SizeBytes: f.Size, Own: own, Trailer: f.Trailer,
		Quality: n.info.Quality, Language: n.info.Language(), Info: n.info.Labels(),
	}
	if f.Link != "" {
		src.URL, src.Own = f.Link, false
	}
	if f.Edition != "" {
		src.Info = append(src.Info, f.Edition)
	}
	if f.Part > 0 {
		label := fmt.Sprintf("part %d", f.Part)
		if f.Parts > 0 {
			label += fmt.Sprintf(" of %d", f.Parts)
		}
		src.Name += " (" + label + ")"
		src.Info = append([]string{label}, src.Info...)
	}
	for _, s := range f.Subtitles {
		src.Subtitles = append(src.Subtitles, sources.Subtitle{URL: tree.Link(join(folder, n.stem+s.Suffix)), Language: s.Language})
	}
	if t.Kind == sources.KindEpisode {
		series := f.IMDb
		if len(f.Names) > 0 {
			series = text.NormalizeName(f.Names[0])
		}
		src.Group = text.Clean(fmt.Sprintf("%s %s %s %s", tree.Root(), series, n.info.Quality, n.info.Group))
	}
	return src
}
