package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Compatible is s in the form f. Invalid bytes, which would keep what follows
// them as it is, become U+FFFD.
func Compatible(f norm.Form, s string) string {
	if !strings.ContainsFunc(s, mayChange) {
		return s
	}
	return f.String(strings.ToValidUTF8(s, "\uFFFD"))
}

// mayChange tells whether a form may write r in another way: none does so with ASCII
// and with most characters of Chinese.
func mayChange(r rune) bool { return r >= utf8.RuneSelf && !IsCommonHan(r) }

// IsCommonHan tells whether r is in the block of most characters of Chinese.
func IsCommonHan(r rune) bool { return r >= 0x4e00 && r <= 0x9fff }

// HalfWidth is s in its compatible form: characters of full width and the like become
// the plain ones.
func HalfWidth(s string) string { return Compatible(norm.NFKC, s) }

// IsASCII tells whether s has ASCII characters only.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// IsAlnum tells whether c is an ASCII letter or digit.
func IsAlnum(c byte) bool {
	return IsDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// IsDigit tells whether c is an ASCII digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// IsWide tells whether r belongs to a script that writes words without spaces.
func IsWide(r rune) bool {
	return IsCommonHan(r) || r >= 0x1100 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}
