package match

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"xship/sources"
	"xship/sources/text"
)

// Labels hold tags that names do not: who may watch, how large and how long a file is.

// badges are the words with which sites mark who may watch an episode, in lower case.
// "VIP版" is none: that is a cut of its own.
var badges = []string{"svip", "vip", "超前点映", "点映", "会员", "會員", "付费", "付費", "限免", "免费", "免費", "独播", "獨播", "new"}

// units are those of sizes, times, rates of frames and of bits, in lower case, longest
// first.
var units = []string{"分钟", "分鐘", "kbps", "mbps", "gib", "mib", "fps", "min", "bit", "tb", "gb", "mb", "kb", "g", "m", "分", "帧", "幀"}

// cutLabelTag takes a tag off the end of label, where something is left before it.
func cutLabelTag(label string) (rest string, ok bool) {
	if rest, ok := cutTag(label); ok {
		return rest, true
	}
	last, _ := utf8.DecodeLastRuneInString(label)
	if !strings.ContainsRune("pPwW映员員费費免播", last) {
		return cutFileTag(label, last)
	}
	for _, badge := range badges {
		if rest, ok := cutFold(label, badge); ok && rest != "" && !endsInLetters(rest, badge) {
			return strings.TrimRight(rest, nameEnd), true
		}
	}
	return label, false
}

// cutFileTag takes what tells of a file off the end of label, of which last is the end.
func cutFileTag(label string, last rune) (rest string, ok bool) {
	if !strings.ContainsRune("0123456789aAbBcCdDeEfFgGmMsSnNtT钟鐘分帧幀)]】", last) {
		return label, false
	}
	if rest, ok := cutChecksum(label); ok {
		return rest, true
	}
	return cutMeasure(label)
}

// endsInLetters tells whether the letters of word go on those that s ends in.
func endsInLetters(s, word string) bool {
	last, _ := utf8.DecodeLastRuneInString(s)
	return word[0] < utf8.RuneSelf && unicode.IsLetter(last) && !text.IsWide(last)
}

// cutChecksum takes the checksum of a file off the end of label: "01[A1B2C3D4". The
// closing bracket may be gone.
func cutChecksum(label string) (rest string, ok bool) {
	const width = 8
	at := len(strings.TrimRight(label, ")]】")) - width
	if at < 1 {
		return label, false
	}
	for i := range width {
		if c := label[at+i]; !text.IsDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return label, false
		}
	}
	return cutOpen(label[:at])
}

// cutOpen takes the bracket off that s ends in.
func cutOpen(s string) (rest string, ok bool) {
	rest = strings.TrimRight(s, "([【")
	if rest == s || rest == "" {
		return s, false
	}
	return strings.TrimRight(rest, nameEnd), true
}

// cutMeasure takes a size or the like off the end of label, which a space or a bracket
// parts from what stands before it: "01 1.2GB", "02(700MB", "03 [45:12".
func cutMeasure(label string) (rest string, ok bool) {
	number := strings.TrimRight(label, ")]】 ")
	united := false
	if number != "" && !text.IsDigit(number[len(number)-1]) {
		for _, unit := range units {
			if number, united = cutFold(number, unit); united {
				break
			}
		}
	}
	number = strings.TrimRight(number, " ")
	at := len(number)
	for at > 0 && (text.IsDigit(number[at-1]) || strings.IndexByte(".,:", number[at-1]) >= 0) {
		at--
	}
	digits := number[at:]
	switch clock := len(digits) > len("0:00")-1 && len(digits) <= len("00:00:00") && digits[len(digits)-3] == ':'; {
	case at < 1 || digits == "" || !text.IsDigit(digits[0]) || !text.IsDigit(digits[len(digits)-1]), united == clock:
		return label, false
	case strings.IndexByte(" |/", number[at-1]) >= 0:
		rest = strings.TrimRight(number[:at], nameEnd)
		return rest, rest != ""
	}
	return cutOpen(number[:at])
}

// onlyLabelTags tells whether s holds nothing but tags of labels.
func onlyLabelTags(s string) bool {
	const front = "0"
	for label := front + " " + trimBefore(trimBehind(s)); ; {
		rest, ok := cutDecoration(sources.KindMovie, label)
		if !ok {
			rest, ok = cutLabelTag(label)
		}
		if rest == front {
			return true
		}
		if !ok {
			return false
		}
		label = rest
	}
}
