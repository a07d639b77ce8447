package tvbox

import (
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/match"
	"xship/sources/text"
)

// Link is one link that a row has of the title looked for.
type Link struct {
	Item
	Player string // code of its group, as the server writes it

	row   *words
	group string // name of its group, for people
	kind  sources.Kind
	near  bool // the row matches only nearly
}

// words is what a row says of all its links.
type words struct {
	name, remarks string // for people
	language      string // by vod_lang, "" where the remarks speak of language
	trailer       bool   // by its category
}

func (r *Row) words() *words {
	w := &words{name: r.Name.Clean(), remarks: text.Clip(r.Remarks.Clean(), maxShort), trailer: saysTrailer(r.TypeName.Clean())}
	if !saysLanguage(string(r.Remarks)) {
		w.language = text.LanguageOf(r.Lang.Clean())
	}
	return w
}

// addLinks adds to links those that r has of the title, as many as are handed over
// at most.
func (q *finding) addLinks(links []Link, r *Row, near bool) []Link {
	groups := q.Parse(string(r.PlayFrom), r.PlayURL)
	in := match.Item{Season: -1, Names: []string{r.Name.Clean()}}
	if _, n, ok := match.SplitSeason(r.Name.Clean()); ok {
		in.Season = n
	}
	film := q.title.Kind == sources.KindMovie
	var unfit []int
	if film {
		var series bool
		if unfit, series = r.episodes(groups); series {
			return links
		}
	}
	row, most := r.words(), len(links)+maxLinks
	for i, g := range groups {
		if film {
			links = slices.Grow(links, min(len(g.Items), most-len(links)))
		}
		for j, it := range g.Items {
			if len(links) == most {
				return links
			}
			if film && j == unfit[i] || !film && !match.Episode(q.title, it.episodeLabel(), in) {
				continue
			}
			links = append(links, Link{Item: it, Player: g.Code, row: row, group: g.Name, kind: q.title.Kind, near: near})
		}
	}
	return links
}

// episodes gives the place of the one item of each group of a film that is an
// episode, -1 where none is: an item that is alone may be called the first one. A
// film may carry the label of a first episode on each line, but where one has that
// of a second beside it, it is a series.
func (r *Row) episodes(groups []Group) (unfit []int, series bool) {
	unfit = make([]int, len(groups))
	for i, g := range groups {
		unfit[i] = -1
		for j, it := range g.Items {
			e, ok := match.ParseEpisode(it.episodeLabel())
			switch {
			case !ok:
			case unfit[i] >= 0:
				return nil, true
			case len(g.Items) > 1 || e.First != 1 || e.Last != 1 || r.saysSeries():
				unfit[i] = j
			}
		}
	}
	return unfit, false
}

// saysSeries tells whether category or remarks are those of a series.
func (r *Row) saysSeries() bool {
	category := strings.ToLower(r.TypeName.Clean())
	if strings.HasSuffix(category, "剧") && category != "喜剧" && category != "悲剧" {
		return true
	}
	for _, word := range []string{"动漫", "综艺", "series", "tv"} {
		if strings.Contains(category, word) {
			return true
		}
	}
	return strings.Contains(string(r.Remarks), "集")
}

// Source is the source that the link is at rawURL: version tells what sets it
// apart from others of the link ("720P"), usually "", and unplayable why no
// player can take it.
func (l Link) Source(rawURL, version, unplayable string) sources.Source {
	label := text.Clip(l.Label, maxShort)
	if version != "" {
		label = strings.TrimSpace(label + " " + text.Clip(version, maxShort))
	}
	src := sources.Source{
		Name:       l.name(label),
		Label:      l.about(label),
		URL:        rawURL,
		Language:   l.language(label),
		Trailer:    l.row.trailer || saysTrailer(label),
		Unplayable: unplayable,
	}
	switch {
	case unplayable != "":
		src.Priority = sources.PriorityLast
	case l.near:
		src.Priority = sources.PriorityNear
	}
	return src
}

// name is made to be read by people and by the release-name parser: name, label
// and remarks, player. The remarks of a series are about all its episodes.
func (l Link) name(label string) string {
	var b strings.Builder
	name, remarks, group := l.row.name, l.row.remarks, text.Clip(l.group, maxShort)
	b.Grow(len(name) + len(label) + len(remarks) + len(group) + 16)
	b.WriteString(name)
	if label != "" {
		b.WriteByte(' ')
		b.WriteString(label)
	}
	if l.kind == sources.KindMovie && remarks != "" && remarks != label {
		b.WriteByte(' ')
		b.WriteString(remarks)
	}
	if l.Label == "" && l.kind == sources.KindEpisode {
		b.WriteByte(' ')
		b.WriteString(l.episodeLabel())
	}
	if group != "" {
		b.WriteString(" · ")
		b.WriteString(group)
	}
	return b.String()
}

// about is what label and remarks tell of the link.
func (l Link) about(label string) string {
	remarks := l.row.remarks
	switch {
	case l.kind != sources.KindMovie, remarks == label, remarks == "":
		return label
	case label == "":
		return remarks
	}
	return strings.TrimSpace(label + " " + remarks)
}

func saysTrailer(s string) bool {
	s = strings.ToLower(s)
	for _, word := range text.TrailerWords() {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}

// language is that of vod_lang, unless label or remarks speak of language
// themselves: vod_lang is that of the film, theirs that of the copy.
func (l Link) language(label string) string {
	if saysLanguage(label) {
		return ""
	}
	return l.row.language
}

func saysLanguage(s string) bool { return strings.ContainsAny(s, "语双配粤国英") }
