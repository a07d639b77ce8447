package tvbox

import (
	"fmt"
	"slices"
	"strings"

	"xship/sources"
	"xship/sources/link"
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
		w.language = text.LanguageOf(text.Simplified(r.Lang.Clean()))
	}
	return w
}

// addLinks adds to links those that r has of the title, as many as are handed over
// at most.
func (q *finding) addLinks(links []Link, r *Row, near bool) []Link {
	groups := q.Parse(string(r.PlayFrom), r.PlayURL)
	fits := r.fits(q.title, q.match, groups)
	if fits == nil {
		return links
	}
	row, most := r.words(), len(links)+maxLinks
	for i, g := range groups {
		if q.title.Kind == sources.KindMovie {
			links = slices.Grow(links, min(len(g.Items), most-len(links)))
		}
		for j, it := range g.Items {
			if len(links) == most {
				return links
			}
			if fits(i, j) {
				links = append(links, Link{Item: it, Player: g.Code, row: row, group: g.Name, kind: q.title.Kind, near: near})
			}
		}
	}
	return links
}

// fits tells of each item of the groups of r whether it is of t; nil: none is.
func (r *Row) fits(t sources.Title, m *match.Matcher, groups []Group) func(group, item int) bool {
	if t.Kind == sources.KindMovie {
		unfit := r.unfit(t, groups)
		if unfit == nil {
			return nil
		}
		return func(group, item int) bool { return !unfit[group][item] }
	}
	name := r.Name.Clean()
	if base, own, ok := match.SplitEpisode(name); ok && single(groups) && !r.isIssue(groups) {
		regular := make([]bool, len(groups))
		for i := range groups {
			_, regular[i] = groups[i].within(match.Item{Season: t.Season})
		}
		return func(group, item int) bool {
			return regular[group] && isOwn(t, m, base, own, groups[group].Items[item].Label)
		}
	}
	in := match.Item{Season: m.ItemSeason(name), Names: []string{name}}
	if base, _, ok := match.SplitSeason(name); ok {
		in.Names = append(in.Names, base)
	}
	within, regular := make([]match.Item, len(groups)), make([]bool, len(groups))
	for i := range groups {
		within[i], regular[i] = groups[i].within(in)
	}
	return func(group, item int) bool {
		return regular[group] && match.Episode(t, groups[group].Items[item].episodeLabel(), within[group])
	}
}

// within is what the links of g stand in, an item of a row: the name of g may say which
// season. It is not ok where they are no regular episodes of that item.
func (g *Group) within(in match.Item) (match.Item, bool) {
	season, kind := match.ReadGroup(g.Name)
	switch {
	case kind == match.GroupIrregular, kind == match.GroupSeason && in.Season >= 0 && in.Season != season:
		return in, false
	case kind == match.GroupSeason:
		in.Season = season
	}
	return in, true
}

// single tells whether no group has a second item.
func single(groups []Group) bool {
	return !slices.ContainsFunc(groups, func(g Group) bool { return len(g.Items) > 1 })
}

// isIssue tells whether the "第2期" of a row with one link is its season, since the
// link is called another episode.
func (r *Row) isIssue(groups []Group) bool {
	name := r.Name.Clean()
	_, season, ok := match.SplitSeason(name)
	return ok && strings.Contains(name, "期") && slices.ContainsFunc(groups, func(g Group) bool {
		e, ok := match.ParseEpisode(g.Items[0].Label)
		return ok && e.First != season
	})
}

// isOwn tells whether the only link of a row whose name is that of an episode of base,
// own, is the one of t. Its label says nothing of episodes, or the same.
func isOwn(t sources.Title, m *match.Matcher, base string, own match.EpisodeRange, label string) bool {
	in := match.Item{Season: own.Season, Names: []string{base}}
	if own.Season < 0 {
		in.Season = m.ItemSeason(base)
	}
	e, kind := match.ReadLabel(label, base)
	if kind == match.LabelIrregular || kind == match.LabelEpisode && (e.First != own.First || e.Last != own.Last) {
		return false
	}
	if own.First != own.Last {
		return match.Episode(t, fmt.Sprintf("E%02d-E%02d", own.First, own.Last), in)
	}
	return match.Episode(t, fmt.Sprintf("E%02d", own.First), in)
}

// unfit tells of each item of the groups of a film whether it is an episode, or an
// extra of a series; nil where the row is a series. An item that is alone may be
// called the first episode or have no label, and where a label says that the film
// itself is among the items, bare numbers are stray ones.
func (r *Row) unfit(t sources.Title, groups []Group) [][]bool {
	unfit := make([][]bool, len(groups))
	feature := r.hasFeature(groups)
	for i, g := range groups {
		unfit[i] = make([]bool, len(g.Items))
		episodes := 0
		for j, it := range g.Items {
			label := it.episodeLabel()
			if match.Episode(t, label, match.Item{Season: -1}) || isCopy(label) && !r.saysSeries() {
				continue
			}
			e, isEpisode := match.ParseEpisode(label)
			if len(g.Items) == 1 && isEpisode && e.First == 1 && e.Last == 1 && !r.saysSeries() {
				continue
			}
			unfit[i][j] = true
			if isEpisode && (!feature || !isNumber(label)) {
				episodes++
			}
		}
		if episodes > 1 {
			return nil
		}
	}
	return unfit
}

// maxStray is how many bare numbers may stand beside the label of a film.
const maxStray = 4

// hasFeature tells whether a label of a row that says nothing of a series is that of a
// film, beside a few bare numbers.
func (r *Row) hasFeature(groups []Group) bool {
	if r.saysSeries() {
		return false
	}
	found, numbers := false, 0
	for _, g := range groups {
		inGroup := 0
		for _, it := range g.Items {
			switch {
			case it.Label == "":
			case isNumber(it.Label):
				inGroup++
			case match.IsTag(it.Label):
				found = true
			}
		}
		numbers = max(numbers, inGroup)
	}
	return found && numbers <= maxStray
}

// isCopy tells whether label is a numbered one of quality or language, as the copies of
// a film are: "高清02".
func isCopy(label string) bool {
	words := strings.TrimRight(label, "0123456789")
	return words != "" && words != label && match.IsTag(words)
}

// isNumber tells whether label is nothing but a number.
func isNumber(label string) bool {
	return label != "" && strings.Trim(label, "0123456789") == ""
}

// saysSeries tells whether category or remarks are those of a series. Films are among
// what is called 动漫 too.
func (r *Row) saysSeries() bool {
	category := strings.ToLower(text.Simplified(r.TypeName.Clean()))
	if strings.HasSuffix(category, "剧") && category != "喜剧" && category != "悲剧" {
		return true
	}
	for _, word := range []string{"综艺", "series", "tv"} {
		if strings.Contains(category, word) {
			return true
		}
	}
	remarks := text.Simplified(string(r.Remarks))
	for _, word := range []string{"集", "话", "连载"} {
		if strings.Contains(remarks, word) {
			return true
		}
	}
	_, news, ok := strings.Cut(remarks, "更新")
	return ok && isNumber(strings.TrimLeft(news, "至到第 ")) // not "更新1080P"
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
		Name:       link.RedactInterfaceText(l.name(label)),
		Label:      link.RedactInterfaceText(l.about(label)),
		URL:        rawURL,
		Language:   l.language(label),
		Trailer:    l.row.trailer || l.kind == sources.KindMovie && saysTrailer(strings.ReplaceAll(label, l.row.name, "")),
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
	s = strings.ToLower(text.Simplified(s))
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

func saysLanguage(s string) bool { return strings.ContainsAny(s, "语語双雙配粤粵国國英") }
