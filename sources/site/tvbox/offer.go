package tvbox

import (
	"strings"

	"xship/sources"
	"xship/sources/match"
)

// Link is one link that a row has of the title looked for.
type Link struct {
	Item
	Player string // code of its group, as the server writes it

	row   Row
	group string // name of its group, for people
	kind  sources.Kind
	near  bool // the row matches only nearly
}

// links are those that r has of the title, as many as are handed over at most.
func (q *finding) links(r Row, near bool) []Link {
	groups := q.Parse(string(r.PlayFrom), r.PlayURL)
	season := -1
	if _, n, ok := match.SplitSeason(r.Name.Clean()); ok {
		season = n
	}
	if q.title.Kind == sources.KindMovie && isSeries(groups) {
		return nil
	}
	var links []Link
	for _, g := range groups {
		for _, it := range g.Items {
			if len(links) == maxLinks {
				return links
			}
			if q.holds(r, g, it, season) {
				links = append(links, Link{Item: it, Player: g.Code, row: r, group: g.Name, kind: q.title.Kind, near: near})
			}
		}
	}
	return links
}

// isSeries tells whether the links are episodes. A film may carry the label of
// a first episode on each line, but never that of a second one beside it.
func isSeries(groups []Group) bool {
	for _, g := range groups {
		episodes := 0
		for _, it := range g.Items {
			if _, ok := match.ParseEpisode(it.episodeLabel()); ok {
				episodes++
			}
		}
		if episodes > 1 {
			return true
		}
	}
	return false
}

// holds tells whether the item is a link for the title. Of a film that is any
// but an episode; where it is alone it may be called the first.
func (q *finding) holds(r Row, g Group, it Item, season int) bool {
	if q.title.Kind == sources.KindEpisode {
		return match.Episode(q.title, it.episodeLabel(), season)
	}
	e, ok := match.ParseEpisode(it.episodeLabel())
	return !ok || len(g.Items) == 1 && e.First == 1 && e.Last == 1 && !r.saysSeries()
}

// saysSeries tells whether category or remarks are those of a series.
func (r Row) saysSeries() bool {
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
	label := strings.TrimSpace(short(l.Label) + " " + short(version))
	src := sources.Source{
		Name:       l.name(label),
		Label:      l.about(label),
		URL:        rawURL,
		Language:   l.language(label),
		Trailer:    l.isTrailer(label),
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
	words := []string{l.row.Name.Clean()}
	if label != "" {
		words = append(words, label)
	}
	if remarks := short(l.row.Remarks.Clean()); l.kind == sources.KindMovie && remarks != "" && remarks != label {
		words = append(words, remarks)
	}
	if l.Label == "" && l.kind == sources.KindEpisode {
		words = append(words, l.episodeLabel())
	}
	name := strings.Join(words, " ")
	if l.group != "" {
		name += " · " + short(l.group)
	}
	return name
}

// about is what label and remarks tell of the link.
func (l Link) about(label string) string {
	remarks := short(l.row.Remarks.Clean())
	if l.kind != sources.KindMovie || remarks == label {
		return label
	}
	return strings.TrimSpace(label + " " + remarks)
}

func (l Link) isTrailer(label string) bool {
	for _, s := range []string{label, l.row.TypeName.Clean()} {
		s = strings.ToLower(s)
		for _, word := range []string{"预告", "花絮", "trailer", "teaser"} {
			if strings.Contains(s, word) {
				return true
			}
		}
	}
	return false
}

// language is that of vod_lang, unless label or remarks speak of language
// themselves: vod_lang is that of the film, theirs that of the copy.
func (l Link) language(label string) string {
	if strings.ContainsAny(label+string(l.row.Remarks), "语双配粤国英") {
		return ""
	}
	switch strings.ToLower(l.row.Lang.Clean()) {
	case "国语", "普通话", "汉语普通话", "汉语", "华语", "中文", "粤语", "闽南语", "chinese", "mandarin", "cantonese":
		return "zh"
	case "英语", "english":
		return "en"
	case "日语", "japanese":
		return "ja"
	case "韩语", "korean":
		return "ko"
	case "法语", "french":
		return "fr"
	case "德语", "german":
		return "de"
	case "西班牙语", "spanish":
		return "es"
	case "意大利语", "italian":
		return "it"
	case "俄语", "russian":
		return "ru"
	case "泰语", "thai":
		return "th"
	case "印地语", "hindi":
		return "hi"
	case "葡萄牙语", "portuguese":
		return "pt"
	}
	return ""
}
