package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/text"
)

// bracket is what a part in brackets does to the name that it stands in.
type bracket int

const (
	asides      bracket = iota // a year, quality, language, what the work is
	translation                // it may be the same name in another script, or its country
	otherWork                  // it makes another work of the name
)

// apartWords are Chinese words, simplified, of which each makes another work of a
// name.
var apartWords = []string{
	"真人", "动画", "动漫", "动态漫", "漫画", "电影版", "剧版", "电视剧", "网剧", "短剧", "舞台剧", "广播剧", "音乐剧", "有声", "新系列", "新版", "翻拍", "前传", "后传", "外传", "续集",
}

// asideWords are words of Latin letters that tell what a work is or where it was
// found, beside those of text.TagsOf.
var asideWords = []string{
	"the", "a", "an", "and", "with", "in", "full", "hq", "version", "ver", "edition", "cut", "director", "directors", "s", "theatrical", "uncensored", "restored", "hd", "sd",
	"audio", "subtitle", "subtitles", "subtitled", "softsub", "hardsub", "raw", "batch", "mp4", "mkv", "avi", "bd", "web", "rip", "series", "tv", "miniseries", "mini", "movie", "film", "anime",
	"en", "de", "fr", "it", "es", "pt", "ru", "ja", "jp", "ko", "kr", "zh", "cn", "hk", "tw", "pl", "nl", "tr", "th", "hi", "vf", "vo", "vost", "ov", "gb", "big5", "chs", "cht", "ova",
}

// countryWords, and those of platforms, tell of two works of one name which it is, and
// often just say where the only one is from.
var countryWords = []string{"us", "usa", "uk", "au", "nz", "ca", "ie", "in", "netflix", "nf", "amazon", "hbo", "bbc", "hulu", "disney"}

// bracketOf tells what a part in brackets behind before does to the name.
func bracketOf(kind sources.Kind, before, content string) bracket {
	content = strings.TrimSpace(content)
	switch {
	case onlyTags(content):
		return asides
	case strings.EqualFold(content, "live action"), strings.EqualFold(content, "live-action"):
		return otherWork
	}
	if !text.IsASCII(content) {
		simple := text.Simplified(content)
		if slices.ContainsFunc(apartWords, func(word string) bool { return strings.Contains(simple, word) }) {
			return otherWork
		}
		if strings.ContainsFunc(content, text.IsWide) {
			if strings.ContainsFunc(before, text.IsWide) && !isHanAside(simple) {
				return translation
			}
			return asides
		}
	}
	found := asides
	for word := range strings.FieldsFuncSeq(strings.ToLower(content), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		switch {
		case !strings.ContainsFunc(word, unicode.IsLetter), isAside(kind, word):
		case slices.Contains(countryWords, word):
			found = max(found, translation)
		case strings.ContainsFunc(before, text.IsWide):
			found = max(found, translation)
		default:
			return otherWork
		}
	}
	return found
}

// isHanAside tells whether a part in simplified Chinese tells of a copy or of where the
// work is from rather than of a work.
func isHanAside(content string) bool {
	for _, word := range []string{
		"集", "更新", "连载", "完结", "全", "语", "字幕", "中字", "双字", "配音", "原声", "删减", "版本", "超前", "点映", "付费", "会员", "免费", "大结局", "季", "部", "期",
		"中国", "大陆", "国产", "内地", "香港", "台湾", "港台", "日本", "韩国", "美国", "英国", "法国", "德国", "泰国", "印度", "俄罗斯", "欧美", "日韩",
	} {
		if strings.Contains(content, word) {
			return true
		}
	}
	return false
}

// isAside tells whether word, in lower case, tells of a copy rather than of a work.
func isAside(kind sources.Kind, word string) bool {
	switch word {
	case "movie", "film":
		return kind == sources.KindMovie
	case "tv", "series", "miniseries", "mini":
		return kind == sources.KindEpisode
	}
	if slices.Contains(asideWords, word) || len(text.TagsOf(word)) > 0 || text.LanguageOf(word) != "" {
		return true
	}
	if _, height := text.PictureSize(word); height > 0 {
		return true
	}
	_, season := parseSeason(word)
	return season
}

// parseSeason reads a word like "s02" or "2nd".
func parseSeason(word string) (int, bool) {
	if n, ok := seasonMark(word); ok {
		return n, true
	}
	return ordinal(word)
}

// withoutApostrophes makes one word of "Director's", of which the "s" alone would be a
// season.
func withoutApostrophes(s string) string {
	if strings.IndexByte(s, '\'') < 0 && !strings.Contains(s, "’") {
		return s
	}
	return apostrophes.Replace(s)
}

var apostrophes = strings.NewReplacer("'", "", "’", "")

// eachBracket calls do with the parts of name in brackets, from the first one that
// stands behind something; name[open:end] is the part with its brackets.
func eachBracket(name string, do func(open, end int, content string)) {
	for at := 0; ; {
		n := strings.IndexAny(name[at:], "([【")
		if n < 0 {
			return
		}
		open := at + n
		_, size := utf8.DecodeRuneInString(name[open:])
		closer := closing(name[open:])
		length := strings.Index(name[open+size:], closer)
		if length < 0 {
			return
		}
		end := open + size + length + len(closer)
		if strings.TrimSpace(name[:open]) != "" {
			do(open, end, name[open+size:end-len(closer)])
		}
		at = end
	}
}

// hasBracket tells whether a bracket opens in name.
func hasBracket(name string) bool {
	return strings.IndexByte(name, '(') >= 0 || strings.IndexByte(name, '[') >= 0 || strings.Contains(name, "【")
}

// keepApart writes the brackets of which the content makes another work of the name as
// plain words, so that they count where names are compared.
func keepApart(kind sources.Kind, name string) string {
	return rewriteBrackets(kind, name, func(b bracket, content string) (string, bool) { return " " + content + " ", b != asides })
}

// dropTranslations leaves the brackets out that may hold the same name in another
// script.
func dropTranslations(kind sources.Kind, name string) string {
	return strings.TrimRight(rewriteBrackets(kind, name, func(b bracket, _ string) (string, bool) { return " ", b == translation }), nameEnd)
}

func rewriteBrackets(kind sources.Kind, name string, rewrite func(b bracket, content string) (string, bool)) string {
	if !hasBracket(name) {
		return name
	}
	var b strings.Builder
	done := 0
	eachBracket(name, func(open, end int, content string) {
		if text.SetsApart(withoutApostrophes(content)) {
			return
		}
		if with, ok := rewrite(bracketOf(kind, name[:open], content), content); ok {
			b.WriteString(name[done:open])
			b.WriteString(with)
			done = end
		}
	})
	if done == 0 {
		return name
	}
	return b.String() + name[done:]
}
