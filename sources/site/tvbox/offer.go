package tvbox

import (
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/match"
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
	w := &words{name: r.Name.Clean(), remarks: short(r.Remarks.Clean()), trailer: saysTrailer(r.TypeName.Clean())}
	if !saysLanguage(string(r.Remarks)) {
		w.language = languageOf(r.Lang.Clean())
	}
	return w
}

// addLinks adds to links those that r has of the title, as many as are handed over
// at most.
func (q *finding) addLinks(links []Link, r *Row, near bool) []Link {
	groups := q.Parse(string(r.PlayFrom), r.PlayURL)
	season := -1
	if _, n, ok := match.SplitSeason(r.Name.Clean()); ok {
		season = n
	}
	if q.title.Kind == sources.KindMovie && isSeries(groups) {
		return links
	}
	row, most := r.words(), len(links)+maxLinks
	for _, g := range groups {
		if q.title.Kind == sources.KindMovie {
			links = slices.Grow(links, min(len(g.Items), most-len(links)))
		}
		for _, it := range g.Items {
			if len(links) == most {
				return links
			}
			if q.holds(r, g, it, season) {
				links = append(links, Link{Item: it, Player: g.Code, row: row, group: g.Name, kind: q.title.Kind, near: near})
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
func (q *finding) holds(r *Row, g Group, it Item, season int) bool {
	if q.title.Kind == sources.KindEpisode {
		return match.Episode(q.title, it.episodeLabel(), season)
	}
	e, ok := match.ParseEpisode(it.episodeLabel())
	return !ok || len(g.Items) == 1 && e.First == 1 && e.Last == 1 && !r.saysSeries()
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
	label := short(l.Label)
	if version != "" {
		label = strings.TrimSpace(label + " " + short(version))
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
	name, remarks, group := l.row.name, l.row.remarks, short(l.group)
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
	for _, word := range []string{"预告", "花絮", "trailer", "teaser"} {
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

// languageOf is the ISO 639-1 code of a language's name, "" for others.
func languageOf(name string) string {
	switch strings.ToLower(name) {
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
