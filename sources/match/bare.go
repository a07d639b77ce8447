package match

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/link"
	"xship/sources/text"
)

// bareEpisode reads a label whose number nothing marks as that of an episode; named
// where the name of the series stood before it. One of names may still stand there. What
// the number stands for is told by its place: see the grammar. A number that stands for
// something else says nothing of a series: "预告01" and "CD 01" are of films too.
func bareEpisode(label string, named bool, names titleNames) (EpisodeRange, bool) {
	if named {
		label = strings.TrimLeft(label, " -_.:》)]】")
	}
	if start := strings.TrimLeft(label, labelBrackets); start == "" || text.IsDigit(start[0]) {
		if r, ok := bareNumber(trimLabel(label), named); ok {
			return r, true
		}
	}
	label = spaced(link.TrimExtension(label))
	r, kind := dashed(label, names)
	if kind == LabelPlain {
		r, kind = bracketed(label, names)
	}
	if kind == LabelPlain {
		r, kind = numberFirst(label, names)
	}
	if kind == LabelPlain {
		r, kind = numberLast(label, names)
	}
	return r, kind == LabelEpisode
}

// spaced writes a label with spaces and plain dashes where it has others.
func spaced(label string) string {
	label = strings.ReplaceAll(label, "_", " ")
	label = strings.ReplaceAll(label, ".-.", " - ")
	if text.IsASCII(label) {
		return label
	}
	for _, dash := range []string{"–", "—", "‒"} {
		label = strings.ReplaceAll(label, " "+dash+" ", " - ")
	}
	return label
}

// withoutBrackets is label without the brackets at its end.
func withoutBrackets(label string) string {
	for {
		label = strings.TrimRight(label, " ")
		open := lastBracket(label)
		if open <= 0 {
			return label
		}
		label = label[:open]
	}
}

// bareNumber reads "02", "01-02", "01、02", "2-01", "01v2" and "05上". Behind a name a single
// digit may be that of a sequel, so there it is none.
func bareNumber(s string, named bool) (EpisodeRange, bool) {
	p := parser{s: s}
	first, width, ok := p.digits(4)
	if !ok || isPictureOrYear(first) || named && width < 2 || isDay(s[:width]) {
		return EpisodeRange{}, false
	}
	r := single(first)
	if p.rune("-~–—、&+,") {
		span := strings.ContainsAny(s[width:p.i], "-~–—")
		at := p.i
		last, w, ok := p.digits(4)
		switch {
		case !ok || w < width || isPictureOrYear(last):
			return EpisodeRange{}, false
		case span && width < w && s[at] == '0':
			r = EpisodeRange{Season: first, First: last, Last: last}
		case last < first || !span && last != first+1:
			return EpisodeRange{}, false
		default:
			r.Last = last
		}
	}
	rest := strings.TrimSpace(p.rest())
	glued := width > 1 && (strings.EqualFold(rest, "HD") || strings.EqualFold(rest, "BD"))
	part := r.First == r.Last && isPart(strings.TrimLeft(rest, "([【"))
	return r, glued || part || p.atEnd() && (rest == "" || text.IsVersion(rest))
}

// isPart tells whether s, behind its number, is a part of an episode: "05上", "5A".
func isPart(s string) bool {
	switch s {
	case "a", "b", "c", "A", "B", "C":
		return true
	}
	return s != "" && behindPart(s) == ""
}

// isDay tells whether digits are a padded month and a day rather than a number: "0305".
func isDay(digits string) bool {
	if len(digits) != 4 || digits[0] != '0' {
		return false
	}
	month, day := text.Number(digits[:2]), text.Number(digits[2:])
	return month >= 1 && day >= 1 && day <= 31
}

// dashed reads "[Group] Show - 05 [720p]", "Show - 05 - Title" and "Show - 01-12 (BD)".
func dashed(label string, names titleNames) (EpisodeRange, LabelKind) {
	const dash = " - "
	for at := 0; ; {
		n := strings.Index(label[at:], dash)
		if n < 0 {
			return EpisodeRange{}, LabelPlain
		}
		before := label[:at+n]
		at += n + len(dash)
		p := parser{s: label[at:]}
		first, width, ok := p.digits(4)
		if ok && before != "" && decimalFollows(p.rest()) {
			return EpisodeRange{}, LabelIrregular
		}
		if !ok || width < 2 || isPictureOrYear(first) || before == "" {
			at--
			continue
		}
		r := single(first)
		if p.rune("-~") {
			last, w, ok := p.digits(4)
			if !ok || w != width || last < first || isPictureOrYear(last) {
				at--
				continue
			}
			r.Last = last
		}
		if !numberEnds(p.rest()) {
			at--
			continue
		}
		return inSeason(r, before, p.rest(), names)
	}
}

// inSeason is r, of the season that before names if it names one, or an irregular one
// where the words beside say so.
func inSeason(r EpisodeRange, before, after string, names titleNames) (EpisodeRange, LabelKind) {
	if partsBefore(before, names) || isTotal(before, after, names) || isExtra(before, after, names) {
		return EpisodeRange{}, LabelIrregular
	}
	m := mark{r: r, kind: LabelEpisode}
	if m.addSeason(before); m.kind != LabelEpisode {
		return EpisodeRange{}, m.kind
	}
	if m.r.Season < 0 && hasStray(before, names) {
		return EpisodeRange{}, LabelIrregular
	}
	return m.r, LabelEpisode
}

// bracketed reads the one number that stands alone in square brackets:
// "[Group][Show][05][1080P]".
func bracketed(label string, names titleNames) (EpisodeRange, LabelKind) {
	if strings.IndexByte(label, '[') < 0 && !strings.Contains(label, "【") {
		return EpisodeRange{}, LabelPlain
	}
	var found EpisodeRange
	count := 0
	first := false // a number stands at the start, where those of groups may
	for at := 0; ; {
		open := strings.IndexAny(label[at:], "[【")
		if open < 0 {
			break
		}
		open += at
		_, size := utf8.DecodeRuneInString(label[open:])
		at = open + size
		end := strings.Index(label[at:], closing(label[open:]))
		if end < 0 {
			break
		}
		inner := strings.TrimSpace(label[at : at+end])
		behind := strings.TrimSpace(label[at+end+len(closing(label[open:])):])
		hundreds := len(inner) == 3 && inner[0] != '0' && behind != "" && strings.IndexAny(behind, "([【") != 0 // may hold a season
		if r, ok := bareNumber(trimLabel(inner), true); ok && !hundreds {
			found = r
			count++
			first = first || open == 0
			if partsBefore(label[:open], names) {
				return EpisodeRange{}, LabelIrregular
			}
		}
		at += end
	}
	if count != 1 || first {
		return EpisodeRange{}, LabelPlain
	}
	return found, LabelEpisode
}

// numberFirst reads "49. Title", "7-标题", "01 Title", "3 标题", "3《标题》".
func numberFirst(label string, names titleNames) (EpisodeRange, LabelKind) {
	p := parser{s: strings.TrimLeft(label, " #")}
	first, width, ok := p.digits(4)
	if !ok || isPictureOrYear(first) || decimalFollows(p.rest()) {
		return EpisodeRange{}, LabelPlain
	}
	padded := width > 1 && p.s[0] == '0'
	at := p.i
	p.rune(".、:_-")
	sign := p.s[at:p.i]
	spaced := p.rune(" ")
	if sign == "" && spaced {
		spaced = false
		sign = " "
		if p.rune("-") && p.rune(" ") {
			sign, spaced = "-", true
		}
	}
	quoted := p.rune("《「『【")
	title := p.rest()
	next, _ := utf8.DecodeRuneInString(title)
	wide := text.IsWide(next)
	switch {
	case !unicode.IsLetter(next):
		return EpisodeRange{}, LabelPlain
	case padded && (sign != "" || quoted):
	case quoted && wide && width < 4:
	case sign == "、":
	case sign == "." && (wide || spaced):
	case sign == "-" && (wide || spaced):
	case sign == " " && width < 4 && !isCounted(title):
	default:
		return EpisodeRange{}, LabelPlain
	}
	title = names.cutStart(title)
	if extraApart(title) {
		return EpisodeRange{}, LabelIrregular
	}
	words, _ := wordsBehind(title)
	if isNumbered(words) || strings.HasPrefix(title, "更新") {
		return EpisodeRange{}, LabelPlain
	}
	return single(first), LabelEpisode
}

// isCounted tells whether the number before words, which a space parts from them, may
// count or number what they name rather than stand before the title of an episode: "7 天",
// "1 号线路". Words of letters, "12 Monkeys", always may.
func isCounted(words string) bool {
	words, _ = wordsBehind(words)
	first, size := utf8.DecodeRuneInString(words)
	second, _ := utf8.DecodeRuneInString(words[size:])
	return !text.IsWide(first) || !text.IsWide(second) || strings.ContainsRune(counters, first)
}

// counters stand behind a number and say what is counted.
const counters = uncounted + "号號线線路集期话話小时時世纪紀岁歲元万萬千百亿億点點种種只隻对對双雙大星块塊站楼樓倍级級帧幀米里克公寸尺吨噸斤度折票轮輪局场場段连連更全部比幅把根支颗顆张張匹口家座辆輛件杯つ개명"

// numberLast reads a number behind words: behind tags ("超清03"), a season
// ("第二季 01"), the name of the series ("庆余年12"), or any others where it is padded
// ("庆余年01", "三国演义01.桃园三结义").
func numberLast(label string, names titleNames) (EpisodeRange, LabelKind) {
	plain := EpisodeRange{}
	if !strings.ContainsAny(label, "0123456789") {
		return plain, LabelPlain
	}
	s := trimLabel(withoutBrackets(label))
	start := strings.IndexFunc(s, func(r rune) bool { return r < utf8.RuneSelf && text.IsDigit(byte(r)) })
	last := strings.LastIndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf || !text.IsDigit(byte(r)) })
	if start < 0 {
		return plain, LabelPlain
	}
	if last >= 0 {
		_, size := utf8.DecodeRuneInString(s[last:])
		if last += size; last < len(s) {
			if r, kind := numberAtEnd(s[:last], s[last:]); kind != LabelPlain {
				return r, kind
			}
		}
	}
	p := parser{s: s, i: start}
	n, width, ok := p.digits(4)
	if !ok || isPictureOrYear(n) || width < 2 || width > 3 || s[start] != '0' || !wordBefore(s[:start]) || !titleFollows(p.rest()) {
		return plain, LabelPlain
	}
	if saysLine(wordsBefore(s[:start])) {
		return plain, LabelPlain
	}
	return inSeason(single(n), s[:start], p.rest(), names)
}

// saysLine tells whether word numbers copies of the same.
func saysLine(word string) bool {
	switch strings.ToLower(word) {
	case "line", "route", "server", "source", "mirror":
		return true
	}
	return false
}

// wordBefore tells whether before ends with a word that a number may follow.
func wordBefore(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	if cutOff(before) {
		return false
	}
	return text.IsWide(last) || strings.ContainsRune(" .-》)]】", last) && strings.ContainsFunc(before, unicode.IsLetter)
}

// titleFollows tells whether rest is nothing, tags, or the title of an episode.
func titleFollows(rest string) bool {
	if rest == "" || text.IsVersion(rest) {
		return true
	}
	if decimalFollows(rest) {
		return false
	}
	next, size := utf8.DecodeRuneInString(rest)
	if !strings.ContainsRune(" .:、-[(【", next) {
		return onlyLabelTags(rest)
	}
	behind, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(rest[size:], isBeside))
	return unicode.IsLetter(behind) || onlyLabelTags(rest)
}

// numberAtEnd reads the number that ends a label, behind tags or a season.
func numberAtEnd(before, digits string) (EpisodeRange, LabelKind) {
	plain := EpisodeRange{}
	p := parser{s: digits}
	n, width, ok := p.digits(4)
	trimmed := trimBehind(before)
	if ok && width > 1 && trimmed == before && numbersGlued(before, digits) {
		return single(n), LabelEpisode
	}
	if !ok || isPictureOrYear(n) || !wordBefore(before) {
		return plain, LabelPlain
	}
	glued := strings.HasSuffix(before, "-") && trimmed == before[:len(before)-1]
	if seasonWordIn(before) || endsInSeason(before) {
		_, season, ok := SplitSeason(trimmed)
		if ok && season == 0 && !strings.ContainsFunc(trimmed, unicode.IsDigit) {
			return plain, LabelIrregular // "番外 01"
		}
		if !ok || glued || width < 2 && !strings.HasSuffix(trimmed, "季") {
			return plain, LabelPlain
		}
		return EpisodeRange{Season: season, First: n, Last: n}, LabelEpisode
	}
	if trimmed == "" || !onlyLabelTags(trimmed) || strings.Contains(trimmed, "全集") || strings.Contains(trimmed, "完结") || strings.ContainsFunc(trimmed, unicode.IsDigit) && digits[0] != '0' {
		return plain, LabelPlain
	}
	if isOfTag(trimmed, digits) {
		return plain, LabelPlain
	}
	if last, _ := utf8.DecodeLastRuneInString(trimmed); width < 2 && !strings.ContainsRune("语語字幕清光", last) {
		return plain, LabelPlain // "HD 1", "正片1", "完整版2": as likely a copy or a part
	}
	return single(n), LabelEpisode
}

// numbersGlued tells whether word, of Latin letters, is a tag right behind which
// episodes are numbered, and not in one word with digits: "HD01", "VIP12", but "BD50".
// A word with digits numbers padded ones only: "4K01".
func numbersGlued(word, digits string) bool {
	switch lower(word) {
	case "hd", "bd", "tc", "ts", "sd", "uhd", "fhd", "vip", "svip", "ep":
	case "4k", "8k", "720p", "1080p", "2160p":
		if digits[0] != '0' {
			return false
		}
	default:
		return false
	}
	return len(digits) < 4 && !isPictureOrYear(text.Number(digits)) && text.TagsOf(lower(word+digits)) == nil
}

// isOfTag tells whether the number behind a tag is rather that of the tag than of an
// episode: "HDR 10", "BD 50", "DTS 51".
func isOfTag(before, digits string) bool {
	word := lower(wordsBefore(before))
	if len(text.TagsOf(word+digits)) > 0 {
		return true
	}
	return digits[0] != '0' && slices.ContainsFunc(text.TagsOf(word), func(tag text.Tag) bool {
		switch tag.Kind {
		case text.TagCodec, text.TagDepth, text.TagHDR, text.TagAudio, text.TagAtmos, text.TagChannels:
			return true
		default:
			return false
		}
	})
}

// endsInSeason tells whether before ends in the short mark of a season: "S2 - ".
func endsInSeason(before string) bool {
	words := wordsBefore(before)
	season, ok := seasonMark(words)
	return ok && season >= 0
}

// labelBrackets may stand around the number of a label.
const labelBrackets = " ._#[]()【】「」《》"

// trimLabel takes off what surrounds a number without changing its meaning: a
// file extension, brackets, "#", words of quality and language, the word for
// the last episode.
func trimLabel(label string) string {
	label = link.TrimExtension(label)
	for {
		before := label
		label = strings.Trim(label, labelBrackets)
		for _, word := range []string{"大结局", "大結局", "完结", "完結", "完", "end", "final"} {
			if n := len(label) - len(word); n > 0 && equalFoldASCII(label[n:], word) {
				label = label[:n]
				break
			}
		}
		label, _ = cutLabelTag(label)
		if label == before {
			return label
		}
	}
}

// isPictureOrYear tells whether a bare n is the height of a picture or a year
// rather than an episode.
func isPictureOrYear(n int) bool {
	return text.IsPictureHeight(n) || isYear(n)
}

// isYear tells whether n is that of a film.
func isYear(n int) bool { return n >= 1900 && n <= sources.MaxYear }
