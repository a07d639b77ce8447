package maccms

import (
	"strings"

	"xship/sources"
)

// offer yields what r has of the title.
func (q *search) offer(r row) {
	groups := parsePlaylist(string(r.PlayFrom), r.PlayURL)
	season := -1
	if _, n, ok := sources.SplitSeason(r.Name.clean()); ok {
		season = n
	}
	if q.title.Kind == sources.KindMovie && isSeries(groups) {
		return
	}
	for _, g := range groups {
		for _, it := range g.items {
			if q.holds(r, g, it, season) {
				q.emit(r, g, it)
			}
		}
	}
}

// isSeries tells whether the links are episodes. A film may carry the label of
// a first episode on each line, but never that of a second one beside it.
func isSeries(groups []group) bool {
	for _, g := range groups {
		episodes := 0
		for _, it := range g.items {
			if _, ok := sources.ParseEpisode(it.episodeLabel()); ok {
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
func (q *search) holds(r row, g group, it item, season int) bool {
	if q.title.Kind == sources.KindEpisode {
		return sources.MatchEpisode(q.title, it.episodeLabel(), season)
	}
	e, ok := sources.ParseEpisode(it.episodeLabel())
	return !ok || len(g.items) == 1 && e.First == 1 && e.Last == 1 && !r.saysSeries()
}

// saysSeries tells whether category or remarks are those of a series.
func (r row) saysSeries() bool {
	category := strings.ToLower(r.TypeName.clean())
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

// emit yields one link. What is no link at all is left out.
func (q *search) emit(r row, g group, it item) {
	link := it.url
	if strings.HasPrefix(link, "//") {
		link = q.api.Scheme + ":" + link
	}
	if !hasScheme(link) || q.yielded == maxSources {
		return
	}
	link, reason := prefixed(q.spec.PlayURL, link)
	if reason == "" {
		reason = unplayable(link)
	}
	src := sources.Source{
		Name:       q.name(r, g, it),
		Label:      q.about(r, it),
		URL:        link,
		Headers:    q.playHeaders(),
		Language:   language(r, it),
		Trailer:    isTrailer(r, it),
		Unplayable: reason,
	}
	switch {
	case reason != "":
		src.Priority = sources.PriorityLast
	case q.nearly:
		src.Priority = sources.PriorityNear
	}
	q.yielded++
	q.yield(src)
}

// name is made to be read by people and by the release-name parser: name, label
// and remarks, player. The remarks of a series are about all its episodes.
func (q *search) name(r row, g group, it item) string {
	words := []string{r.Name.clean()}
	if it.label != "" {
		words = append(words, it.label)
	}
	if remarks := r.Remarks.clean(); q.title.Kind == sources.KindMovie && remarks != "" && remarks != it.label {
		words = append(words, remarks)
	}
	if it.label == "" && q.title.Kind == sources.KindEpisode {
		words = append(words, it.episodeLabel())
	}
	name := strings.Join(words, " ")
	if g.name != "" {
		name += " · " + g.name
	}
	return name
}

// about is what label and remarks tell of the link. The remarks of a series are
// about all its episodes.
func (q *search) about(r row, it item) string {
	remarks := r.Remarks.clean()
	if q.title.Kind != sources.KindMovie || remarks == it.label {
		return it.label
	}
	return strings.TrimSpace(it.label + " " + remarks)
}

// playHeaders are the headers of the site that hosters are used to see. Others
// may hold keys of the API and are not told to strangers.
func (s *site) playHeaders() map[string]string {
	var headers map[string]string
	for name, value := range s.spec.Headers {
		if strings.EqualFold(name, "User-Agent") || strings.EqualFold(name, "Referer") {
			if headers == nil {
				headers = make(map[string]string, 2)
			}
			headers[name] = value
		}
	}
	return headers
}

func isTrailer(r row, it item) bool {
	for _, s := range []string{it.label, r.TypeName.clean()} {
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
func language(r row, it item) string {
	if strings.ContainsAny(it.label+string(r.Remarks), "语双配粤国英") {
		return ""
	}
	switch strings.ToLower(r.Lang.clean()) {
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
