package release

import (
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
	han        bool
	opened     bool // a bracket opens right before it
	closed     bool // a bracket closes right behind it
}

// tokenize cuts name into tokens behind those given, also at the two offsets;
// lower is name with ASCII letters lower case.
func tokenize(tokens []token, name, lower string, cut1, cut2 int) []token {
	start, han, opened := -1, false, false
	end := func(at int) {
		if start >= 0 {
			tokens = append(tokens, token{start: start, end: at, text: lower[start:at], han: han, opened: opened})
			start, opened = -1, false
		}
	}
	for i, r := range name {
		if i == cut1 || i == cut2 {
			end(i)
		}
		if isWordRune(r) {
			if h := unicode.Is(unicode.Han, r); start < 0 || h != han {
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
			if n := len(tokens); n > 0 && tokens[n-1].end == i {
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
