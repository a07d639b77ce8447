package match

import (
	"strings"
	"unicode/utf8"

	"xship/sources/text"
)

// chineseNumber reads the Chinese numeral below ten thousand that s starts with:
// written with units (二十一, 一百零二, 百), with one digit, or digit by digit with a zero
// among them (一〇二). Without one, 二三 is as likely "two and three". It is read whole
// or not at all: size is 0 for anything else.
func chineseNumber(s string) (n, size int) {
	if tens, at := shortTens(s); at > 0 {
		digit, size := chineseNumber(s[at:])
		switch {
		case size == 0 && len(s) > at && isNumeral(firstOf(s[at:])), digit > 9, size > 0 && digit == 0:
			return 0, 0
		}
		return tens + digit, at + size
	}
	var runes [12]rune
	count := 0
	for _, r := range s {
		if chineseDigit(r) < 0 && chineseUnit(r) == 0 {
			if strings.ContainsRune("万亿点半几余来多廿卅", r) {
				return 0, 0
			}
			break
		}
		if count == len(runes) {
			return 0, 0
		}
		runes[count] = r
		count++
		size += utf8.RuneLen(r)
	}
	numeral := runes[:count]
	n, ok := withUnits(numeral)
	if !ok {
		n, ok = digitByDigit(numeral)
	}
	if !ok {
		return 0, 0
	}
	return n, size
}

// shortTens reads 廿 and 卅, the first character of a numeral.
func shortTens(s string) (tens, size int) {
	switch first := firstOf(s); first {
	case '廿':
		return 20, utf8.RuneLen(first)
	case '卅':
		return 30, utf8.RuneLen(first)
	}
	return 0, 0
}

func firstOf(s string) rune {
	first, _ := utf8.DecodeRuneInString(s)
	return first
}

// withUnits reads 二十一 and 一百零二. Units fall, and a zero stands for each gap.
func withUnits(numeral []rune) (n int, ok bool) {
	last, digit, zero := 10_000, -1, false
	for _, r := range numeral {
		unit := chineseUnit(r)
		switch {
		case unit == 0 && digit >= 0:
			return 0, false
		case unit == 0:
			if d := chineseDigit(r); d > 0 {
				digit = d
			} else if zero || n == 0 {
				return 0, false
			} else {
				zero = true
			}
		case unit >= last, digit < 0 && n > 0 && unit > 10, zero == (unit*10 == last) && n > 0:
			return 0, false
		default:
			n += max(digit, 1) * unit
			last, digit, zero = unit, -1, false
		}
	}
	switch {
	case last == 10_000 || zero && digit < 0:
		return 0, false
	case digit < 0:
		return n, true
	}
	return n + digit, zero == (last > 10)
}

// digitByDigit reads 七 and 一〇二.
func digitByDigit(numeral []rune) (n int, ok bool) {
	const most = 4
	if len(numeral) == 0 || len(numeral) > most {
		return 0, false
	}
	zero := false
	for _, r := range numeral {
		d := chineseDigit(r)
		if d < 0 {
			return 0, false
		}
		zero = zero || d == 0
		n = n*10 + d
	}
	return n, zero || len(numeral) == 1
}

func chineseUnit(r rune) int {
	switch r {
	case '十', '拾':
		return 10
	case '百', '佰':
		return 100
	case '千', '仟':
		return 1000
	}
	return 0
}

func chineseDigit(r rune) int {
	switch r {
	case '零', '〇':
		return 0
	case '一', '壹':
		return 1
	case '二', '两', '兩', '贰', '貳':
		return 2
	case '三', '叁', '參':
		return 3
	case '四', '肆':
		return 4
	case '五', '伍':
		return 5
	case '六', '陆', '陸':
		return 6
	case '七', '柒':
		return 7
	case '八', '捌':
		return 8
	case '九', '玖':
		return 9
	}
	return -1
}

// withLatinDigits writes s with the digits 0 to 9 where it has those of Arabic or Thai.
func withLatinDigits(s string) string {
	if text.IsASCII(s) || strings.IndexByte(s, 0xd9) < 0 && strings.IndexByte(s, 0xdb) < 0 && strings.IndexByte(s, 0xe0) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		for _, zero := range [...]rune{'٠', '۰', '๐'} {
			if r >= zero && r < zero+10 {
				return '0' + r - zero
			}
		}
		return r
	}, s)
}
