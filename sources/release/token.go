package release

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"xship/sources/text"
)

// token is a run of letters and digits of one script: a word of name is cut
// where Han meets anything else ("HD国语").
type token struct {
	start, end int
	text       string // name[start:end], ASCII letters lower case
	number     int    // what it is, -1 where it is none
	han        bool
	opened     bool // a bracket opens between the token before and it
	closed     bool // a bracket closes between it and the next token
}

// firstHan is the first of the characters of Chinese, a radical.
const firstHan = '\u2e80'

// tokenize cuts name into tokens behind those given, also at the two offsets;
// lower is name with ASCII letters lower case.
func tokenize(tokens []token, name, lower string, cut1, cut2 int) []token {
	start, han, opened := -1, false, false
	end := func(at int) {
		if start >= 0 {
			tokens = append(tokens, token{start: start, end: at, text: lower[start:at], number: text.Number(lower[start:at]), han: han, opened: opened})
			start, opened = -1, false
		}
	}
	for i, r := range name {
		if i == cut1 || i == cut2 {
			end(i)
		}
		common := text.IsCommonHan(r)
		if common || isWordRune(r) {
			if h := common || r >= firstHan && unicode.Is(unicode.Han, r); start < 0 || h != han {
				end(i)
				start, han = i, h
			}
			continue
		}
		end(i)
		switch r {
		case '(', '[', '{', '【', '（':
			opened = true
		case ')', ']', '}', '】', '）':
			opened = false
			if n := len(tokens); n > 0 {
				tokens[n-1].closed = true
			}
		}
	}
	end(len(name))
	return tokens
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return text.IsAlnum(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// isWide tells whether word is of a script that is written without spaces.
func isWide(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return text.IsWide(r)
}

// lowerASCII lower-cases the ASCII letters of s and keeps its length.
func lowerASCII(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return 'A' <= r && r <= 'Z' }) {
		return s
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// gap is what stands between token i and the next, or the end of the name.
func (p *parser) gap(i int) string {
	if i+1 < len(p.tokens) {
		return p.name[p.tokens[i].end:p.tokens[i+1].start]
	}
	return p.name[p.tokens[i].end:]
}

func (p *parser) gapBefore(i int) string {
	if i > 0 {
		return p.gap(i - 1)
	}
	return p.name[:p.tokens[0].start]
}

// isSlash tells whether gap parts two titles.
func isSlash(gap string) bool {
	return len(gap) >= len(" / ") && (strings.Contains(gap, " / ") || strings.Contains(gap, " | "))
}

// isDash tells whether gap has a dash with separators on both sides.
func isDash(gap string) bool {
	if len(gap) < len(" - ") {
		return false
	}
	for i, r := range gap {
		if r != '-' && r != '–' && r != '—' {
			continue
		}
		behind := i + utf8.RuneLen(r)
		return i > 0 && behind < len(gap) && strings.IndexByte(" ._", gap[i-1]) >= 0 && strings.IndexByte(" ._", gap[behind]) >= 0
	}
	return false
}

// adjacent tells whether one separator parts token i from the next.
func (p *parser) adjacent(i int) bool {
	end := p.tokens[i].end
	return p.tokens[i+1].start == end+1 && text.PartsPhrase(p.name[end])
}

func (p *parser) followedBy(i int, c byte) bool {
	end := p.tokens[i].end
	return end < len(p.name) && p.name[end] == c
}

// tokenAt is the first token that ends behind the byte at.
func (p *parser) tokenAt(at int) int {
	i, _ := slices.BinarySearchFunc(p.tokens, at, func(t token, at int) int {
		if t.end <= at {
			return -1
		}
		return 1
	})
	return i
}
